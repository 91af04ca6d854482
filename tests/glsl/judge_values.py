"""Compares what shaders compute: our NumPy executor against Mesa, over grids of arguments.

usage: python tests/glsl/judge_values.py [FAMILY...] [--verbose]

Families: ``functions`` (every overload of every built-in function), ``operators``, ``constructors``, ``control``
(statements), ``random`` (the generator of the differential test), ``exact`` (programs whose values are exact, in three
language versions; ``--seeds FIRST LAST``), or none for all.
"""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]

SIZE = 16
VERTEX = "#version 300 es\nin vec4 dEQP_Position;\nvoid main() { gl_Position = dEQP_Position; }\n"
VERTICES = {
    100: "attribute vec4 dEQP_Position;\nvoid main() { gl_Position = dEQP_Position; }\n",
    300: VERTEX,
    330: VERTEX.replace("300 es", "330"),
}
HEAD = """#version 300 es
precision highp float; precision highp int;
out vec4 color;
const float F[16] = float[16](0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.25, 3.75, 0.125, -7.5, 10.0, 0.3, -0.7, 100.0, 1.5, -3.0);
const int I[16] = int[16](0, 1, -1, 2, -2, 3, 7, -8, 31, 255, -256, 65535, 5, -13, 2147483647, -2147483647);
float f(int k) { return F[(int(gl_FragCoord.x) + k * int(gl_FragCoord.y) + 5 * k) & 15]; }
int i(int k) { return I[(int(gl_FragCoord.x) + k * int(gl_FragCoord.y) + 5 * k) & 15]; }
uint u(int k) { return uint(i(k)); }
bool b(int k) { return (i(k) & 1) != 0; }
"""
BASES = {"float": "f", "int": "i", "uint": "u", "bool": "b"}


def argument(type_, first: int) -> str:
    """An expression of a type whose components vary over the grid."""
    base = {0: "float", 1: "int", 2: "uint", 3: "bool"}.get(int(type_.base), "float")
    name = str(type_)
    letter = BASES[base]
    parts = [f"{letter}({first + k})" for k in range(type_.width)]
    return parts[0] if type_.width == 1 else f"{name}({', '.join(parts)})"


def outputs(type_, expression: str) -> list[str]:
    """Statements that put a value into the colour, four components at a time."""
    from replay.glsl.types import Base

    if type_.is_matrix:
        rows = [f"color = vec4(r[{c}]{', 0.0' * (4 - type_.rows)});" for c in range(type_.columns)]
    else:
        zeros = ", 0.0" * (4 - type_.rows)
        # Integers of 32 bits do not fit into floats: two halves.
        if type_.base in (Base.INT, Base.UINT):
            mask = "65535u" if type_.base == Base.UINT else "65535"
            rows = [f"color = vec4(r & {mask}{zeros});", f"color = vec4(r >> 16{zeros});"]
        else:
            rows = [f"color = vec4(r{zeros});"]
    return [f"{type_} r = {expression}; {row}" for row in rows]


class Judge:
    def __init__(self, verbose: bool) -> None:
        from mesa_glsl import MesaProcess

        from replay.glsl.conformance.pipeline import NumpyExecutor

        self.mesa, self.executor, self.verbose = MesaProcess(), NumpyExecutor(), verbose
        self.compared = self.different = 0
        self.shares: list[float] = []

    def ours(self, fragment: str, vertex: str = VERTEX, es: bool = True):
        from replay.glsl import CompileOptions, compile_shader, link_program
        from replay.glsl.conformance.pipeline import draw_rectangle

        options = CompileOptions(es=es)
        shaders = [compile_shader(vertex, "vertex", options), compile_shader(fragment, "fragment", options)]
        program = link_program(shaders)
        if not program.ok:
            return None, "".join(s.log for s in shaders) + program.log
        colors, written = draw_rectangle(program, self.executor, (-1.0, -1.0, 2.0, 2.0), (SIZE, SIZE), {}, {}, 1)
        return np.where(written[0][..., None], colors[0], 0.0).astype(np.float32), ""

    def compare(
        self, label: str, body: str, relative: float = 1e-4, absolute: float = 1e-4, declared: str = ""
    ) -> None:
        fragment = f"{HEAD}{declared}void main() {{ {body} }}\n"
        answer = self.mesa.ask("es", "draw", VERTEX, fragment, {}, SIZE, SIZE)
        with np.errstate(all="ignore"):
            mine, log = self.ours(fragment)
        self.compared += 1
        if answer is None or answer[0] != "ok" or mine is None:
            if (answer is not None and answer[0] == "ok") != (mine is not None):
                self.different += 1
                print(f"{label}: Mesa {answer and answer[:2]}, ours {log}")
            return
        theirs = answer[2]
        with np.errstate(all="ignore"):
            near = np.abs(mine - theirs) <= absolute + relative * np.abs(theirs)
        same = near | (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
        if not same.all():
            self.different += 1
            y, x, c = np.argwhere(~same)[0]
            wrong = np.argwhere(~same)
            print(
                f"{label}: {len(wrong)} of {same.size} differ, e.g. ({x}, {y})[{c}]: ours {mine[y, x, c]!r}, Mesa {theirs[y, x, c]!r}"
            )
            if self.verbose:
                print(f"    {body}")

    def compare_exactly(self, label: str, fragment: str, version: int) -> None:
        """Compare a whole program bit by bit."""
        answer = self.mesa.ask(
            "es" if version in (100, 300) else "core", "draw", VERTICES[version], fragment, {}, SIZE, SIZE
        )
        mine, log = self.ours(fragment, VERTICES[version], version in (100, 300))
        self.compared += 1
        if answer is None or mine is None or answer[0] != "ok" or not np.array_equal(mine, answer[2]):
            self.different += 1
            print(f"{label}: Mesa {answer and answer[:2]}, ours {log or 'has other values'}")

    def compare_most(self, label: str, fragment: str) -> None:
        """Compare a whole program; report it if more than half of its values differ, or only one of us builds it."""
        answer = self.mesa.ask("es", "draw", VERTEX, fragment, {}, SIZE, SIZE)
        if answer is None:
            return  # too slow for the driver
        with np.errstate(all="ignore"):
            mine, log = self.ours(fragment)
        self.compared += 1
        if (answer[0] == "ok") != (mine is not None):
            self.different += 1
            print(f"{label}: Mesa {answer[:2]}, ours {log}")
        elif mine is not None:
            theirs = answer[2]
            with np.errstate(all="ignore"):
                near = np.abs(mine - theirs) <= 1e-3 + 1e-3 * np.abs(theirs)
            same = near | (mine == theirs) | ~np.isfinite(mine) | ~np.isfinite(theirs)
            self.shares.append(float(same.mean()))
            if same.mean() < 0.5:
                self.different += 1
                print(f"{label}: {1 - same.mean():.0%} of the values differ")


def functions(judge: Judge) -> None:
    from replay.glsl.builtins import _SECTIONS, builtin_functions
    from replay.glsl.types import NumericType
    from replay.glsl.versions import language_version

    version = language_version(True, 300)
    names = dict.fromkeys(name for section in _SECTIONS.values() for name in section)
    for name in names:
        for signature in builtin_functions(name, version, "fragment", frozenset()):
            if not all(isinstance(t, NumericType) for t in signature.parameters):
                continue
            arguments = [argument(t, 3 * k) for k, t in enumerate(signature.parameters)]
            prefix = ""
            for k in signature.outputs:
                prefix += f"{signature.parameters[k]} o{k}; "
                arguments[k] = f"o{k}"
            label = f"{name}({', '.join(map(str, signature.parameters))})"
            for statement in outputs(signature.returns, f"{name}({', '.join(arguments)})"):
                judge.compare(label, prefix + statement)
            for k in signature.outputs:
                judge.compare(
                    label + " out",
                    prefix + f"{name}({', '.join(arguments)}); " + outputs(signature.parameters[k], f"o{k}")[0],
                )


def operators(judge: Judge) -> None:
    from replay.glsl.types import NUMERIC_TYPES

    chosen = [
        "float",
        "vec2",
        "vec4",
        "int",
        "ivec3",
        "uint",
        "uvec2",
        "mat2",
        "mat3",
        "mat2x3",
        "mat3x2",
        "mat4",
        "bool",
        "bvec2",
    ]
    for op in ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "^^"):
        for a, b in itertools.product(chosen, chosen):
            result = _result_type(op, a, b)
            if result is None:
                continue
            left, right = argument(NUMERIC_TYPES[a], 0), argument(NUMERIC_TYPES[b], 4)
            if op in ("<<", ">>"):
                right = f"({right} & {'15' if b[0] == 'i' else '15u'})"
            if op in ("/", "%") and b[0] in "iu":
                right = f"({right} | {'1' if b[0] == 'i' else '1u'})"
            for statement in outputs(result, f"{left} {op} {right}"):
                judge.compare(f"{a} {op} {b}", statement)
            if op not in ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "^^") and str(result) == a:
                judge.compare(f"{a} {op}= {b}", f"{a} t = {left}; t {op}= {right}; " + outputs(result, "t")[0])
    for name in chosen:
        value = argument(NUMERIC_TYPES[name], 0)
        for op in ("-", "+", "~", "!", "++", "--"):
            if (op == "!") != (name == "bool") or (op == "~" and name[0] not in "iu") or name == "bvec2":
                continue
            judge.compare(f"{op}{name}", f"{name} t = {value}; " + outputs(NUMERIC_TYPES[name], f"{op}t")[0])
            if op in ("++", "--"):
                judge.compare(f"{name}{op}", f"{name} t = {value}; " + outputs(NUMERIC_TYPES[name], f"t{op}")[0])
                judge.compare(
                    f"{name}{op} after", f"{name} t = {value}; t{op}; " + outputs(NUMERIC_TYPES[name], "t")[0]
                )


def _result_type(op: str, a: str, b: str):
    from replay.glsl import compile_shader
    from replay.glsl.types import NUMERIC_TYPES

    for name, type_ in NUMERIC_TYPES.items():
        source = f"#version 300 es\nprecision highp float;\nvoid main() {{ {a} x; {b} y; {name} z = x {op} y; }}"
        if compile_shader(source, "fragment").ok:
            return type_
    return None


def constructors(judge: Judge) -> None:
    from replay.glsl.types import NUMERIC_TYPES, NumericType

    rng = np.random.default_rng(1)
    types = [t for t in NUMERIC_TYPES.values() if isinstance(t, NumericType)]
    for target in types:
        for source in types:
            if source.width >= target.width or source.width == 1 or (target.is_matrix and source.is_matrix):
                for statement in outputs(target, f"{target}({argument(source, 0)})"):
                    judge.compare(f"{target}({source})", statement)
        for _ in range(12):
            parts, have = [], 0
            while have < target.width:
                part = types[int(rng.integers(len(types)))]
                if part.is_matrix and target.is_matrix:
                    continue
                if target.is_matrix and have + part.width > target.width:
                    continue
                parts.append(part)
                have += part.width
            arguments = ", ".join(argument(p, 2 * k) for k, p in enumerate(parts))
            if len(parts) > 1:
                for statement in outputs(target, f"{target}({arguments})"):
                    judge.compare(f"{target}({', '.join(map(str, parts))})", statement)


CONTROL = [
    "int n = i(0) & 7, s = 0; for (int k = 0; k < n; k++) { if (k == 3) continue; if (k == 6) break; s += k; } color = vec4(s);",
    "int n = i(0) & 7, s = 0; while (n-- > 0) s += n * n; color = vec4(s, n, 0, 0);",
    "int n = i(0) & 7, s = 0; do { s += n; if (s > 9) break; } while (--n > 0); color = vec4(s, n, 0, 0);",
    "int n = i(0) & 7, s = 0; for (int a = 0; a < n; ++a) for (int c = a; c < n; c += 2) { if (c == 5) break; s += a * c; } color = vec4(s);",
    "float s = 0.0; switch (i(0) & 7) { case 0: s = 1.0; break; case 1: s = 2.0; case 2: s += 3.0; break; case 3: case 4: s = 7.0; break; default: s = -1.0; } color = vec4(s);",
    "float s = 0.0; switch (i(0) & 3) { default: s = 5.0; case 1: s += 1.0; break; case 2: s = 9.0; } color = vec4(s);",
    "float s = 0.0; for (int k = 0; k < 5; k++) { switch (k) { case 1: continue; case 3: s += 10.0; break; default: s += 1.0; } s += 0.5; } color = vec4(s);",
    "float s = 1.0; switch (u(0) & 3u) { case 0u: { float t = 2.0; s = t; } break; case 1u: if (f(1) > 0.0) { s = 3.0; break; } s = 4.0; case 2u: s += 5.0; } color = vec4(s);",
    "float s = 0.0; for (int k = 0; k < 9; k++) { int n = k & 3; switch (n) { case 0: if (k > 4) break; s += 1.0; case 1: s += 2.0; break; } if (s > f(0)) break; } color = vec4(s);",
    "if (f(0) > 0.0) { if (f(1) > 0.0) color = vec4(1.0); else color = vec4(2.0); } else if (f(1) > 0.5) color = vec4(3.0); else color = vec4(4.0);",
    "if (f(0) > 1.0) discard; color = vec4(f(1));",
    "color = vec4(1.0); for (int k = 0; k < 4; k++) { color += 1.0; if (f(k) > 2.0) discard; if (f(k) < -1.0) return; }",
    "color = vec4(0.0); if (b(0)) { color = vec4(1.0); return; } color = vec4(2.0);",
    "int a = 0; bool c = b(0) && (a++ == 0); bool d = b(1) || (a++ == 5); bool e = b(0) ^^ (a++ == 1); color = vec4(a, c, d, e);",
    "int a = 1; int c = a++ + ++a; int d = a-- - --a; color = vec4(a, c, d, 0);",
    "float x = 1.0; float y = (x += 2.0, x *= 3.0); color = vec4(x, y, 0.0, 0.0);",
    "int a = i(0) & 3; int c = a > 1 ? a++ : a--; color = vec4(a, c, 0, 0);",
    "vec4 v = vec4(f(0), f(1), f(2), f(3)); v.wz = v.xy; v.xy += v.yx; v[i(0) & 3] = 9.0; color = v;",
    "vec4 v = vec4(1.0, 2.0, 3.0, 4.0); v.zxy.yz = vec2(7.0, 8.0); v.xy[i(0) & 1] -= 0.5; color = v;",
    "mat3 m = mat3(f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8)); m[i(0) & 1] = vec3(1.0); m[2][i(1) & 1] = 5.0; m[1].yz = m[0].xy; color = vec4(m * vec3(1.0, 2.0, 3.0), m[0][i(2) & 1]);",
    "float a[5]; for (int k = 0; k < 5; k++) a[k] = f(k); a[i(0) & 3] += 1.0; float c[5] = a; c[i(1) & 3] = 0.0; color = vec4(a[i(0) & 3], c[i(1) & 3], c[i(2) & 3], a == c);",
    "color = vec4(float[3](f(0), f(1), f(2))[i(0) & 1], float[](1.0, 2.0).length(), int[2](3, 4)[1], 0);",
    "S s = S(f(0), vec2(f(1), f(2)), float[2](f(3), f(4))); S t = s; t.b.y = 3.0; t.c[i(0) & 1] = 4.0; color = vec4(s == t, t.a + t.b.y, t.c[0], s.c[i(0) & 1]);",
    "S s[2] = S[2](S(1.0, vec2(2.0), float[2](3.0, 4.0)), S(f(0), vec2(f(1)), float[2](f(2), f(3)))); s[i(0) & 1].b[i(1) & 1] = 7.0; S t = s[i(0) & 1]; color = vec4(t.a, t.b, t.c[i(2) & 1]);",
    "float x = f(0), y = 2.0; g(x, y, x); color = vec4(x, y, 0, 0);",
    "float a[2] = float[2](f(0), f(1)); h(a); color = vec4(a[0], a[1], k(3), r(f(0)));",
    "vec4 v = vec4(f(0)); g(v.y, v.z, v.x); g(v.w, v.w, v.x); color = v;",
    "int n = i(0) & 1; float a[2] = float[2](1.0, 2.0); g(a[n], a[1 - n], a[0]); color = vec4(a[0], a[1], n, 0);",
    "color = vec4(q(f(0)), q(f(1)), q(q(f(2))), 0.0);",
    "bvec3 c = lessThan(vec3(f(0), f(1), f(2)), vec3(f(3))); color = vec4(any(c), all(c), not(c).x, c == not(c));",
    "uint x = u(0), y = u(1) | 1u; color = vec4(uvec4(x / y, x % y, x * y, x - y) >> 8);",
    "int x = i(0), y = i(1) | 1; color = vec4(ivec4(x / y, x * y, x - y, x + y) >> 8);",
    "int x = i(0); color = vec4(x >> (i(1) & 31), uint(x) >> (u(1) & 31u) >> 9u, (x << (i(1) & 31)) >> 9, 0);",
    "color = vec4(int(f(0)), uint(abs(f(1))), bool(f(2)), int(b(3)));",
    "vec2 d = vec2(dFdx(gl_FragCoord.x * 2.0), dFdy(gl_FragCoord.y * gl_FragCoord.y)); color = vec4(d, fwidth(gl_FragCoord.xy));",
    "color = gl_FragCoord; if (!gl_FrontFacing) color = vec4(9.0);",
    "float s = 0.0; for (float x = 0.0; x < f(0); x += 0.75) s += x; color = vec4(s);",
    "int s = 0; for (int a = 10, c = 0; a > c; a -= 2, c++) s += a * c; for (;;) { if (++s > 40) break; } color = vec4(s);",
    "int s = 0, n = i(0) & 7; while (true) { if (n > 3) { n--; continue; } s += n; if (n-- <= 0) break; } color = vec4(s, n, 0, 0);",
    "{ float f = 3.0; color = vec4(f); { int f = 4; color.y = float(f); } color.z = f; } color.w = f(0);",
    "const int n = 3; float a[n + 1]; a[n] = f(0); color = vec4(a[3], a.length(), n, 0);",
    "color = vec4(mat2(1.0, 2.0, 3.0, 4.0) == mat2(1.0, 2.0, 3.0, 4.0), vec2(f(0)) != vec2(f(1)), matrixCompMult(mat2(f(0)), mat2(2.0))[1].y, 0);",
    "vec3 v = vec3(f(0), f(1), f(2)); color = vec4(v * mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0), dot(v, v.zyx));",
    "color = vec4(1.0 / f(0), -1.0 / f(2), f(3) / (f(3) + 0.01), 0.0);",
    "float a[3] = o(f(0)); color = vec4(a[0], a[1], a[2], o(f(1))[1]);",
]
CONTROL_DECLARED = """
struct S { float a; vec2 b; float c[2]; };
float global_ = 2.0;
void g(in float a, out float b, inout float c) { b = a + 1.0; c = c * 2.0 + b; a = 100.0; }
void h(inout float a[2]) { a[0] += 1.0; a[1] *= 2.0; if (a[0] > 2.0) return; a[1] = -1.0; }
float k(int n) { float s = 0.0; for (int j = 0; j < n; j++) { if (j == 2) return s + 0.25; s += float(j); } return s; }
float r(float x) { if (x > 1.0) return 1.0; else if (x < -1.0) return -1.0; return x; }
float q(float x) { global_ += 1.0; return x * global_; }
float[3] o(float x) { float a[3]; a[0] = x; a[1] = x + 1.0; a[2] = x * 2.0; return a; }
"""


def control(judge: Judge) -> None:
    for body in CONTROL:
        judge.compare(body, body, declared=CONTROL_DECLARED)


def random_programs(judge: Judge, first: int = 0, count: int = 200) -> None:
    """Programs of the differential test. Rounding differs between us and Mesa, and where a comparison or a conversion
    to integers follows, results part: only programs that differ in most of their fragments are shown.
    """
    from test_glsl_llvm_differential import HEAD as RANDOM_HEAD
    from test_glsl_llvm_differential import Generator

    inputs = "in vec4 v; flat in ivec2 n; out vec4 color;"
    given = (
        "const float u = 0.75; const vec4 w = vec4(0.5, -1.25, 2.0, 0.1); const mat3 m = mat3(0.5); const int k = 2;"
    )
    uniforms = "uniform float u; uniform vec4 w; uniform mat3 m; uniform int k;"
    start = "v = vec4(f(0), f(1), f(2), f(3)); n = ivec2(i(4) & 3, i(5) & 7);"
    for seed in range(first, first + count):
        source = Generator(seed).source().removeprefix(RANDOM_HEAD)
        assert uniforms in source
        assert inputs in RANDOM_HEAD
        body = source.replace(uniforms, given).replace("void main() {", "void main() { " + start, 1)
        body = body.replace("dFdx(", "(").replace("dFdy(", "(").replace("fwidth(", "(")
        judge.compare_most(f"seed {seed}", f"{HEAD.replace('uint u(', 'uint unsigned_(')}vec4 v; ivec2 n;\n{body}")


def exact_programs(judge: Judge, first: int = 0, last: int = 300) -> None:
    """Programs of integers and small floats: every bit must be the same."""
    from exact_programs import ExactProgram

    for seed in range(first, last):
        version = (100, 300, 330)[seed % 3]
        judge.compare_exactly(f"seed {seed}, version {version}", ExactProgram(seed, version).source(), version)


def main() -> int:
    families = {
        "functions": functions,
        "operators": operators,
        "constructors": constructors,
        "control": control,
        "random": random_programs,
        "exact": lambda judge: exact_programs(judge, *args.seeds),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=list(families))
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 300), help="of the exact programs: first, last + 1")
    args = parser.parse_args()
    judge = Judge(args.verbose)
    for name in args.families:
        before = judge.compared, judge.different
        families[name](judge)
        print(f"== {name}: {judge.compared - before[0]} compared, {judge.different - before[1]} differ", flush=True)
    if judge.shares:
        equal = np.mean(np.array(judge.shares) == 1.0)
        print(f"random programs: {equal:.0%} equal, {np.mean(judge.shares):.1%} of the values")
    judge.mesa.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
