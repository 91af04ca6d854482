"""Hostile shaders: grown from a grammar, tokens and bytes of good shaders mutated; each must end in an acceptance that
runs or in a located message.
"""

# ruff: noqa: E501, SIM905  (lists of words read best as one string)

from __future__ import annotations

import multiprocessing
import random
import re
import signal
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from replay.glsl.compiler import CompileOptions, Program, Shader, compile_shader, link_program
from replay.glsl.conformance.blank_textures import BlankTextures
from replay.glsl.execution import LoopBudgetError
from replay.glsl.ir import StageIR
from replay.glsl.numpy_executor import DTYPES, NumpyStage
from replay.glsl.verifier import verify

__all__ = ["GOOD", "Outcome", "make_case", "run_case", "run_cases"]

#: Lanes and iterations that an accepted shader runs with.
LANES: Final = 16
LOOP_BUDGET: Final = 200
#: One accepted program in so many runs.
RUN_ONE_IN: Final = 2

_PARTNERS: Final = {
    100: "attribute vec4 p; varying vec2 v; uniform mat4 m; void main() { v = p.xy; gl_Position = m * p; }",
    300: "#version 300 es\nin vec4 p; out vec2 v; void main() { v = p.xy; gl_Position = p; }",
    330: "#version 330\nin vec4 p; out vec2 v; void main() { v = p.xy; gl_Position = p; }",
}
#: Good fragment shaders by version, in which every mutation begins.
GOOD: Final = {
    100: (
        "precision highp float;\nvarying vec2 v;\nuniform sampler2D t[2]; uniform vec4 c[3]; uniform int k;\n"
        "struct S { vec3 a; float b[2]; };\n"
        "float f(in vec2 x, inout float y) {\n  for (int i = 0; i < 3; i++) { y += x.x; if (y > 2.0) return y; }\n"
        "  return -y; }\n"
        "void main() {\n  S s; s.a = vec3(v, 1.0); s.b[1] = f(v, s.a.z);\n  vec4 r = texture2D(t[1], v) * c[k];\n"
        "  r.xy += s.a.zy; if (r.a < 0.5) discard;\n  gl_FragColor = r + vec4(s.b[1]);\n}\n"
    ),
    300: (
        "#version 300 es\nprecision mediump float;\nin vec2 v; out vec4 o;\n"
        "layout(std140) uniform B { mat3 m; vec4 l[4]; } b; uniform highp sampler2DArray t; uniform int k;\n"
        "#define SQ(x) ((x) * (x))\n#if defined(SQ) && __VERSION__ >= 300\nconst int N = 3;\n#else\n"
        "const int N = 2;\n#endif\n"
        "void main() {\n  vec3 s = b.m * vec3(v, 1.0);\n"
        "  switch (int(v.x * 4.0)) { case 0: s.x = 1.0; break; case 1: s.y = SQ(v.y); default: s.z -= 1.0; }\n"
        "  float a[N]; for (int i = 0; i < N; ++i) a[i] = float(i) * s.x; uint u = uint(v.y) << 2u;\n"
        "  int j = k; while (j-- > 0) { if (j == 3) continue; s *= 0.5; if (s.x < 0.1) break; }\n"
        "  o = vec4(s, a[int(u) % N]) + b.l[N - 1] + textureLod(t, s, 0.0) + dFdx(v).xyxy;\n}\n"
    ),
    330: (
        "#version 330 core\nin vec2 v; layout(location = 0) out vec4 o; uniform sampler2DRect r; uniform mat4x3 m = "
        "mat4x3(1);\nstruct L { vec3 d; int n[2]; }; const L l = L(vec3(0, 1, 2), int[2](1, 2));\n"
        "vec4 g(vec4 a) { return a * 2 + l.n[1]; }\nint g(int a) { return a << 1; }\n"
        "void main() {\n  vec3 q = m * vec4(v, g(1), 1); mat3 w = inverse(mat3(q, l.d, q.zyx));\n"
        "  do { q = w * q; } while (q.x > 1 && q.y < 3);\n  o = g(texture(r, v)) + vec4(q, q.x > 0 ? 1 : 0);\n}\n"
    ),
}
_TOKENS: Final = (
    "; { } ( ) [ ] , . = + - * / % < > ! & | ^ ? : ~ << >> == <= && ^^ ++ -- += if else for while do switch case "
    "default break continue return discard int uint float bool double half vec2 vec3 vec4 mat2 mat3x2 ivec2 uvec4 "
    "bvec3 sampler2D samplerCube isampler3D void struct const uniform in out inout varying attribute flat smooth centroid "
    "invariant precision lowp highp layout(location=0) layout(std140) 0 1 -1 2147483647 4294967295u 0x 08 1.0 1e38 0.0 "
    ".5 1e 1e999 true false v s r x o b main f g gl_FragColor gl_Position gl_FragCoord gl_FragData[9] texture(t,v) "
    "a[99999999] [-1] .xyzwx #define #if #endif #else #elif #undef #error #line #extension #pragma #version ## \\ // /* "
    "*/ \n \\\n __LINE__ defined M(M(M( #define(M)M"
).split(" ")


class _Grammar:
    """Grows shaders by the grammar with little care for types, so that all rules are met, broken or kept."""

    TYPES = (
        "float",
        "vec2",
        "vec3",
        "vec4",
        "int",
        "ivec2",
        "uint",
        "uvec3",
        "bool",
        "bvec4",
        "mat2",
        "mat3",
        "S",
        "mat4x2",
    )
    CALLS = (
        "sin max mix clamp dot cross length normalize texture texture2D textureLod texelFetch dFdx mod step transpose "
        "inverse any not equal lessThan floatBitsToInt packHalf2x16 f g vec2 vec3 vec4 float int uint mat2 mat3 S float[] "
        "outerProduct textureSize pow atan refract modf"
    ).split()
    BINARY = "+ - * / % < > <= >= == != && || ^^ & | ^ << >> , = += *= <<=".split()

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.floats = ["v.x", "v.y", "c[1].z", "c[2].x"]
        self.names = ["v", "s", "k", "t", "c", "gl_FragCoord"]

    def expression(self, depth: int) -> str:
        rng = self.rng
        kind = rng.randrange(10) if depth else rng.randrange(3)
        if kind == 0:
            return rng.choice(self.names)
        if kind <= 2:
            return rng.choice(
                ("0", "1", "2", "3u", "1.5", "0.0", "-1", "true", "false", "1e30", "0x7fffffff", "2147483648u")
            )
        below = lambda: self.expression(depth - 1)  # noqa: E731
        if kind <= 4:
            return f"{below()} {rng.choice(self.BINARY)} {below()}"
        if kind == 5:
            return f"{rng.choice(self.CALLS)}({', '.join(below() for _ in range(rng.randrange(5)))})"
        if kind == 6:
            return (
                f"({below()}){rng.choice(('.x', '.xyz', '.a', '.rg', '.length()', '[0]', '[' + below() + ']', '.q'))}"
            )
        if kind == 7:
            return f"({rng.choice('-!~+')}{below()})"
        if kind == 8:
            return f"({below()} ? {below()} : {below()})"
        return f"{rng.choice(self.names)}{rng.choice(('++', '--', '[1]', '.y'))}"

    def declaration(self, depth: int) -> str:
        name = f"n{len(self.names)}"
        prefix = self.rng.choice(("", "", "", "const ", "highp "))
        array = self.rng.choice(("", "", "", "[2]", "[]", f"[{self.expression(1)}]"))
        text = f"{prefix}{self.rng.choice(self.TYPES)} {name}{array}"
        self.names.append(name)
        return text + (f" = {self.expression(depth)};" if self.rng.randrange(2) else ";")

    def statement(self, depth: int) -> str:
        rng = self.rng
        kind = rng.randrange(10) if depth else rng.randrange(5)
        below = lambda: self.statement(depth - 1)  # noqa: E731
        if kind <= 1:
            return self.declaration(3)
        if kind <= 3:
            return f"{rng.choice(self.names)} {rng.choice(('=', '+=', '*=', '|='))} {self.expression(3)};"
        if kind == 4:
            return rng.choice(("break;", "continue;", "return;", "discard;", ";", f"return {self.expression(2)};"))
        if kind == 5:
            return f"if ({self.expression(2)}) {below()} else {below()}"
        if kind == 6:
            return f"for (int i = 0; i < {self.expression(1)}; i++) {{ {below()} {below()} }}"
        if kind == 7:
            return f"while ({self.expression(2)}) {below()}"
        if kind == 8:
            return f"switch ({self.expression(1)}) {{ case {self.expression(0)}: {below()} break; default: {below()} }}"
        return f"{{ {' '.join(below() for _ in range(3))} }}"

    def number(self, depth: int) -> str:
        """An expression of type float that keeps the rules."""
        rng = self.rng
        below = lambda: self.number(depth - 1)  # noqa: E731
        kind = rng.randrange(9) if depth else rng.randrange(2)
        if kind == 0:
            return rng.choice(("0.0", "1.0", "-2.5", "1e30", "1e-30", "0.1"))
        if kind == 1:
            return rng.choice(self.floats)
        if kind <= 4:
            return f"({below()} {rng.choice('+-*/')} {below()})"
        if kind == 5:
            return f"{rng.choice(('sin', 'exp2', 'sqrt', 'floor', 'abs', 'log', 'acos', 'float', 'fract'))}({below()})"
        if kind == 6:
            return f"{rng.choice(('max', 'pow', 'mod', 'step', 'atan', 'min'))}({below()}, {below()})"
        if kind == 7:
            return f"({below()} {rng.choice(('<', '>=', '==', '!='))} {below()} ? {below()} : {below()})"
        return f"dot(vec3({below()}), vec3({below()}, {below()}, v.y))"

    def rule(self, depth: int, in_loop: bool = False) -> str:
        """A statement that keeps the rules."""
        rng = self.rng
        kind = rng.randrange(8) if depth else rng.randrange(3)
        if kind == 0:
            known = f"d{len(self.floats)}"
            text = f"float {known} = {self.number(3)};"
            self.floats.append(known)
            return text
        if kind <= 2:
            target = rng.choice(("acc.x", "acc.y", "acc.z", "acc.w", "acc"))
            return f"{target} {rng.choice(('=', '+=', '*='))} {'vec4' if target == 'acc' else ''}({self.number(3)});"
        if kind == 3:
            return f"if ({self.number(2)} < {self.number(2)}) {self.rules(depth - 1, in_loop)}"
        if kind == 4:
            limit = rng.choice(("2", "3", "40", "0", "3000"))
            return f"for (int i = 0; i < {limit}; i++) {self.rules(depth - 1, True)}"
        if kind == 5:
            return f"if (acc.x > {self.number(1)}) {rng.choice(('break', 'continue') if in_loop else ('discard', 'return'))};"
        if kind == 6:
            return f"if (v.x < {self.number(1)}) {self.rules(depth - 1, in_loop)} else {self.rules(depth - 1, in_loop)}"
        return self.rules(depth - 1, in_loop)

    def rules(self, depth: int, in_loop: bool) -> str:
        """A block that keeps the rules."""
        known = len(self.floats)
        text = " ".join(self.rule(depth, in_loop) for _ in range(self.rng.randrange(1, 4)))
        del self.floats[known:]
        return f"{{ {text} }}"

    def lawful(self, version: int) -> str:
        """A shader that keeps the rules."""
        head = {
            100: "precision highp float; varying vec2 v;",
            300: "#version 300 es\nprecision highp float; in vec2 v; out vec4 o;",
        }
        lines = [head.get(version, "#version 330\nin vec2 v; out vec4 o;"), "uniform vec4 c[3]; vec4 acc = vec4(0.5);"]
        lines.append("void main() {")
        lines += ["  " + self.rule(3) for _ in range(self.rng.randrange(1, 7))]
        return "\n".join([*lines, f"  {'gl_FragColor' if version == 100 else 'o'} = acc;\n}}"])

    def shader(self, version: int) -> str:
        head = {
            100: "precision highp float; varying vec2 v; uniform sampler2D t;",
            300: "#version 300 es\nprecision highp float; in vec2 v; out vec4 o; uniform sampler2D t;",
            330: "#version 330\nin vec2 v; out vec4 o; uniform sampler2D t;",
        }[version]
        lines = [head, "struct S { vec2 a; float b[2]; }; uniform S s; uniform int k; uniform vec4 c[3];"]
        for name in ("f", "g")[: self.rng.randrange(3)]:
            known = len(self.names)
            self.names.append("p")
            body = " ".join(self.statement(2) for _ in range(2))
            result, taken = self.rng.choice(self.TYPES), self.rng.choice(self.TYPES)
            lines.append(f"{result} {name}({self.rng.choice(('in', 'inout', 'const in'))} {taken} p) "
                         f"{{ {body} return {self.expression(2)}; }}")  # fmt: skip
            del self.names[known:]
        body = "\n  ".join(self.statement(3) for _ in range(self.rng.randrange(1, 7)))
        colour = "gl_FragColor" if version == 100 else "o"
        return "\n".join([*lines, f"void main() {{\n  {body}\n  {colour} = vec4({self.expression(2)});\n}}"])


def _mutate_tokens(source: str, rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 4, 9))):
        at = rng.randrange(len(source))
        kind = rng.randrange(5)
        if kind == 0:
            source = source[:at] + source[at + rng.randint(1, 12) :]
        elif kind == 1:
            source = source[:at] + " " + rng.choice(_TOKENS) + " " + source[at:]
        elif kind == 2:
            other = rng.randrange(len(source))
            source = source[:at] + source[other : other + rng.randint(1, 60)] + source[at:]
        elif kind == 3:
            source = source[:at] + rng.choice("({[-!~") * rng.choice((1, 2, 500)) + source[at:]
        else:
            words = source.split(" ")
            words[rng.randrange(len(words))] = rng.choice(_TOKENS)
            source = " ".join(words)
        source = source or ";"
    return source


_WORD: Final = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[-+*/%<>=!&|^]=?")


def _mutate_swaps(source: str, rng: random.Random) -> str:
    """Exchange names, numbers and operators for others of their kind: often still valid."""
    head, line, body = source.partition("void main")
    for _ in range(rng.choice((1, 1, 2, 3))):
        words = list(_WORD.finditer(body))
        word = rng.choice(words)
        same = [
            w[0]
            for w in words
            if w[0][0].isalpha() == word[0][0].isalpha() and w[0][0].isdigit() == word[0][0].isdigit()
        ]
        if word[0][0].isdigit():
            same += ["0", "1", "7", "100000", "-1", "1e-30", "1e30", "2147483647"]
        body = body[: word.start()] + rng.choice(same) + body[word.end() :]
    return head + line + body


def _mutate_bytes(source: str, rng: random.Random) -> str:
    content = bytearray(source.encode())
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(content))
        kind = rng.randrange(4)
        if kind == 0:
            content[at] = rng.randrange(256) if rng.randrange(2) else rng.randrange(32, 127)
        elif kind == 1:
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            content[at:at] = rng.randbytes(rng.randint(1, 6))
        elif len(content) > 20:
            del content[at : at + rng.randint(1, 8)]
            content = content or bytearray(b";")
    return content.decode("utf-8", "surrogateescape")


def make_case(seed: int, number: int) -> tuple[str, int, str]:
    """Kind, version of the partner and source of a case; a function of both numbers alone."""
    rng = random.Random(f"{seed}/{number}")
    version = rng.choice(tuple(GOOD))
    kind = ("grammar", "tokens", "swaps", "bytes")[number % 4]
    if kind == "grammar":
        grammar = _Grammar(rng)
        return kind, version, grammar.lawful(version) if rng.randrange(2) else grammar.shader(version)
    base = GOOD[version] if rng.randrange(2) else _Grammar(rng).lawful(version)
    mutate = {"tokens": _mutate_tokens, "swaps": _mutate_swaps, "bytes": _mutate_bytes}[kind]
    return kind, version, mutate(base, rng)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case ended: rejected, accepted, ran, budget, or a finding: crash, hang, unlocated."""

    number: int
    kind: str
    what: str
    seconds: float = 0.0
    detail: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether the case must not have ended so."""
        return self.what in ("crash", "hang", "unlocated")


_partners: dict[int, Shader] = {}


def _partner(version: int) -> Shader:
    if version not in _partners:
        _partners[version] = compile_shader(_PARTNERS[version], "vertex", CompileOptions(es=version != 330))
    return _partners[version]


def _execute(ir: StageIR, rng: np.random.Generator) -> None:
    inputs: list[Any] = []
    for slot in ir.inputs:
        shape = (slot.count, slot.type.width, LANES) if slot.count > 1 else (slot.type.width, LANES)
        inputs.append((rng.normal(size=shape) * 3).astype(DTYPES[slot.type.base]))
    areas = [(rng.normal(size=max(area.words, 1)) * 3).astype(np.float32) for area in ir.areas]
    NumpyStage(ir, BlankTextures()).run(LANES, inputs, areas, loop_budget=LOOP_BUDGET)


def run_case(seed: int, number: int, run_one_in: int = RUN_ONE_IN) -> Outcome:
    """Compile a case, link it, and run one in so many of those that are accepted."""
    kind, version, source = make_case(seed, number)
    start = time.process_time()

    def outcome(what: str, detail: str = "") -> Outcome:
        return Outcome(number, kind, what, time.process_time() - start, detail)

    try:
        shader = compile_shader(source, "fragment", CompileOptions(es=version != 330))
        if not shader.ok:
            located = any(m.severity == "error" and m.line >= 1 and m.message for m in shader.diagnostics)
            return outcome("rejected") if located else outcome("unlocated", shader.log)
        program: Program = link_program([_partner(version), shader])
        if not program.ok:
            return outcome("not linked") if program.log else outcome("unlocated", "link without message")
        assert program.fragment is not None
        verify(program.fragment.body, program.fragment.variables)
        if number // 4 % run_one_in:
            return outcome("accepted")
        _execute(program.fragment, np.random.default_rng(number))
        return outcome("ran")
    except LoopBudgetError:
        return outcome("loop budget")
    except _TooLongError:
        return outcome("hang")
    except Exception:
        return outcome("crash", traceback.format_exc())


class _TooLongError(BaseException):
    """The case took more processor time than it may (the parent looks at the clock)."""


def _too_long(*_: object) -> None:
    raise _TooLongError


def _work(pipe: Connection, seed: int, numbers: range, limit_seconds: float) -> None:
    signal.signal(signal.SIGPROF, _too_long)
    for number in numbers:
        signal.setitimer(signal.ITIMER_PROF, limit_seconds)
        try:
            found = run_case(seed, number)
        except _TooLongError:
            found = Outcome(number, "", "hang")
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(found)
    pipe.close()


def run_cases(seed: int, numbers: range, jobs: int, limit_seconds: float) -> Iterator[Outcome]:
    """Outcomes of cases in worker processes; a worker that dies or stands still is replaced."""
    context = multiprocessing.get_context("spawn")
    pipes: dict[Connection, tuple[Any, range, int]] = {}

    def begin(share: range) -> None:
        receiver, sender = context.Pipe(False)
        process = context.Process(target=_work, args=(sender, seed, share, limit_seconds), daemon=True)
        process.start()
        sender.close()
        pipes[receiver] = (process, share, 0)

    for job in range(jobs):
        if share := numbers[job::jobs]:
            begin(share)
    while pipes:
        from multiprocessing.connection import wait

        # The first case also pays for the start of the interpreter.
        ready = wait(list(pipes), timeout=3 * limit_seconds + 30)
        for pipe in list(pipes) if not ready else [found for found in ready if isinstance(found, Connection)]:
            process, share, done = pipes[pipe]
            try:
                if not ready:
                    raise EOFError
                yield pipe.recv()
                pipes[pipe] = (process, share, done + 1)
            except EOFError:
                del pipes[pipe]
                if done < len(share):
                    process.kill()
                    yield Outcome(share[done], "", "crash" if ready else "hang", detail="the worker process died")
                    if rest := share[done + 1 :]:
                        begin(rest)
                process.join()
