"""Both executors give the same bits: on shaders of every feature, on random programs, on the conformance cases.

``python tests/glsl/test_glsl_llvm_differential.py FIRST LAST [exact]`` compares the random programs of so many seeds,
or those of ``exact_programs`` (integers, structures, arrays, parameters that are copied back).
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from replay.glsl.compiler import compile_shader, link_program
from replay.glsl.execution import LoopBudgetError
from replay.glsl.llvm import abi
from replay.glsl.llvm.stage import LlvmStage, StageArguments, StageOptions
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.types import Base

SHARED = Path(os.environ.get("GPUREPLAY_SHARED", Path(__file__).parents[3] / "shared"))
LANES = 64
LOG_STEPS = 256
BUDGET = 20_000


# ---------------------------------------------------------------------- comparing
def random_inputs(ir, rng):
    """Input rows as machine code takes them, and arrays as the NumPy executor takes them."""
    rows, arrays = [np.zeros((1, LANES), np.float32)][: not ir.inputs], []
    for slot in ir.inputs:
        shape = (slot.count * slot.type.width, LANES)
        if slot.type.base == Base.FLOAT:
            values = (rng.normal(size=shape) * 2).astype(np.float32)
        else:
            values = rng.integers(0, 2, shape) if slot.type.base == Base.BOOL else rng.integers(-4, 12, shape)
            values = values.astype(np.int32)
        rows.append(values.view(np.float32))
        values = values.astype(bool) if slot.type.base == Base.BOOL else values
        arrays.append(values.reshape(slot.count, slot.type.width, LANES) if slot.count > 1 else values)
    return np.concatenate(rows), arrays


def random_area(words, rng):
    area = (rng.normal(size=max(words, 1)) * 2).astype(np.float32)
    integers = rng.integers(0, 3, len(area)) == 0
    area.view(np.int32)[integers] = rng.integers(-3, 9, int(integers.sum()))
    return area


def compare(ir, seed=0, textures=(None, (), None, ())):
    """Run a stage on both executors and compare outputs, survivors and paths; False if its loops take too long.

    ``textures``: NumPy textures, keys, emitter and descriptors of the LLVM executor.
    """
    reference, keys, emitter, descriptors = textures
    rng = np.random.default_rng(seed)
    rows, arrays = random_inputs(ir, rng)
    areas = [random_area(area.words, rng) for area in ir.areas]
    coverage = rng.integers(1, 16, LANES // 4).astype(np.uint8)
    coverage[::2] = 15
    covered = (np.repeat(coverage, 4) >> (np.arange(LANES) % 4) & 1).astype(bool)
    try:
        expected = NumpyStage(ir, reference).run(LANES, arrays, areas, covered, record=True, loop_budget=BUDGET)
    except LoopBudgetError:
        return False
    stage = LlvmStage(ir, keys, StageOptions(path_hash=True, path_log=True), emitter)
    units = LANES if ir.stage == "vertex" else LANES // 4
    outputs = np.zeros((max(stage.layout.num_output_rows, 1), LANES), np.float32)
    survives, hashes = np.zeros(LANES // 4, np.uint8), np.zeros(units, np.uint64)
    log, counts = np.zeros((units, LOG_STEPS), np.uint32), np.zeros(units, np.uint32)
    arguments = StageArguments()
    arguments.bind(inputs=rows, outputs=outputs, coverage=coverage, survives=survives)
    arguments.bind(path_hash=hashes, log=log, log_counts=counts)
    arguments.bind_areas(areas)
    arguments.bind_descriptors(descriptors)
    arguments.set(log_capacity=LOG_STEPS)
    stage.run(arguments, LANES // abi.LANES)

    for slot, values, first in zip(ir.outputs, expected.outputs, stage.layout.output_rows, strict=True):
        values = np.ascontiguousarray(values).reshape(-1, LANES)
        values = values if values.dtype == np.float32 else values.astype(np.int32).view(np.float32)
        got = outputs[first : first + len(values)]
        same = (values.view(np.int32) == got.view(np.int32)) | (np.isnan(values) & np.isnan(got))
        row, lane = np.argwhere(~same & covered)[0] if not same[:, covered].all() else (0, 0)
        assert same[:, covered].all(), f"{slot.name}[{row}] lane {lane}: {values[row, lane]!r} {got[row, lane]!r}"
    paths = {}
    for unit in range(units):
        if ir.stage == "vertex":
            if not covered[unit]:
                continue
            steps = [b << 8 | 1 for b, a in zip(expected.log.blocks, expected.log.active, strict=True) if a[unit]]
        else:
            steps = expected.log.quad_path(unit)
            alive = int(np.packbits(expected.alive[4 * unit : 4 * unit + 4], bitorder="little")[0])
            assert survives[unit] == alive
        assert counts[unit] == len(steps)
        assert log[unit, : min(len(steps), LOG_STEPS)].tolist() == steps[:LOG_STEPS]
        assert paths.setdefault(int(hashes[unit]), steps) == steps
    return True


def link(vertex, fragment):
    shaders = [compile_shader(vertex, "vertex"), compile_shader(fragment, "fragment")]
    program = link_program(shaders)
    assert program.ok, "\n".join([*(shader.log for shader in shaders), program.log, fragment])
    return program


# ---------------------------------------------------------------------- hand-written shaders
VERTEX = """#version 300 es
in vec4 a; in ivec2 k; out vec4 v; flat out ivec2 n;
void main() { v = a; n = k; gl_Position = a; }"""
HEAD = "#version 300 es\nprecision highp float; precision highp int;\nin vec4 v; flat in ivec2 n; out vec4 color;\n"
SHADERS = {
    "builtins": """void main() {
        vec3 p = normalize(v.xyz), q = reflect(p, vec3(0, 1, 0));
        float e = exp(v.x) + log(abs(v.y) + 0.1) + pow(abs(v.z), 1.7) + inversesqrt(abs(v.w)) + mod(v.x, 0.7);
        float t = sin(v.x) + cos(v.y) + tan(v.z) + asin(v.w * 0.2) + acos(v.w * 0.2) + atan(v.x, v.y) + atan(v.z);
        float h = sinh(v.x) + cosh(v.y) + tanh(v.z) + asinh(v.w) + acosh(abs(v.x) + 1.0) + atanh(fract(v.y) - 0.5);
        color = vec4(e, t, h, smoothstep(-1.0, 1.0, v.x)) + vec4(refract(p, q, 0.8), faceforward(p, q, p).x);
        color += vec4(round(v.x), roundEven(v.y), trunc(v.z), sign(v.w)) + step(v, vec4(0.3)) + float(isnan(e));
    }""",
    "integers": """void main() {
        uint u = uint(n.x) * 747796405u + 2891336453u;
        u = ((u >> ((u >> 28u) + 4u)) ^ u) * 277803737u;
        int i = n.x / (n.y - 3) + n.y % (n.x - 2) + (n.x << n.y) + (n.x >> 1) + ~n.y;
        uint w = u / uint(n.y & 3) + u % 7u + (u << 5u);
        color = vec4(float(u & 255u), float(i), float(w >> 3), float(floatBitsToInt(v.x) ^ n.x));
        color.x += uintBitsToFloat(packHalf2x16(v.xy)) + unpackHalf2x16(u).x * 0.0 + float(int(v.y * 1e10));
    }""",
    "derivatives and discard": """void main() {
        vec2 d = dFdx(v.xy) + dFdy(v.zw);
        if (v.x < -0.5) discard;
        float s = 0.0;
        for (int i = 0; i < n.x; i++) {
            if (v.y * float(i) > 4.0) break;
            if (i == n.y) continue;
            s += fwidth(v.z * float(i));
            if (s > 30.0) discard;
        }
        color = vec4(d, s, fwidth(v.w));
    }""",
    "functions, structures, arrays": """
        struct Light { vec3 direction; float power[3]; };
        uniform Light lights[2]; uniform mat4 m; uniform int which;
        float f(inout vec3 p, out float k, const in int i) {
            p *= 1.5; k = p.x; if (i > 3) return k; p.y += 1.0; return p.y;
        }
        void main() {
            Light l = lights[which]; vec3 p = v.xyz; float k, a[4] = float[4](1.0, v.x, v.y, v.z);
            a[n.x] = 7.0; l.power[n.y] += a[n.x & 3];
            float r = f(p, k, n.x);
            mat3 t = mat3(m) * transpose(mat3(m)); t[n.x % 3][1] = k;
            color = vec4(inverse(t) * p + l.direction * l.power[which], r + determinant(t)) + m[n.y] * m;
        }""",
    "switch and loops": """void main() {
        float s = 0.0; int i = 0;
        do { switch (n.x + i) { case 0: s += 1.0; case 1: s += v.x; break; case 4: s -= 2.0; default: s *= 0.5; }
             if (s > 50.0) return; i++; } while (i < n.y);
        while (s < 3.0) { s += 0.7 + abs(v.y); color.x += 1.0; }
        color.yzw = vec3(s, float(i), 1.0);
    }""",
    "uniform block": """
        layout(std140) uniform Block { mat3 m; vec2 a[3]; layout(row_major) mat2x4 r; bool flag; ivec3 k; };
        void main() { color = vec4(m * v.xyz, a[n.x].y) + (flag ? vec4(k, 1) : r * v.xy) + r * a[1]; }""",
}


@pytest.mark.parametrize("name", SHADERS)
def test_shaders(name):
    program = link(VERTEX, HEAD + SHADERS[name])
    for seed in range(3):
        compare(program.vertex, seed)
        assert compare(program.fragment, seed)


# ---------------------------------------------------------------------- long and deep programs
def many(statement, number):
    return "".join(statement.format(k=k, a=2.0 + 0.1 * k) for k in range(number))


LONG = {
    "discards": "float s = v.x; " + many("if (v.y * {a} + s > 4.0) discard; s = s * 0.9 + {k}.25 * v.z; ", 50),
    "returns": "float s = v.x; color = v; " + many("if (s > {a}) return; s = s * 0.9 + v.z; color.x += s; ", 50),
    "jumps of a loop": "float s = v.x; for (int i = 0; i < n.x; i++) { "
    + many("if (s > {a}) break; s = s * 0.9 + v.z; if (s < -{a}) continue; s += v.w; ", 20)
    + "} ",
    "a switch of many groups": "float s = v.x; switch (n.x) { " + many("case {k}: s += {a}; break; ", 60) + "} ",
    "branches inside each other": "float s = v.x; " + "if (s < 9.0) { s += v.y; " * 50 + "}" * 50,
}


@pytest.mark.parametrize("name", LONG)
def test_long_programs(name):
    assert compare(link(VERTEX, f"{HEAD}void main() {{ {LONG[name]} color = vec4(s); }}").fragment)


@pytest.mark.parametrize("name", ["builtins", "switch and loops", "functions, structures, arrays"])
def test_programs_too_long_for_optimisation(name, monkeypatch):
    """Very long programs are compiled without it, or it would take minutes; they compute the same."""
    monkeypatch.setattr("replay.glsl.llvm.machine._LARGE_PROGRAM_LINES", 0)
    monkeypatch.setattr("replay.glsl.llvm.machine._HUGE_PROGRAM_LINES", 0)
    assert compare(link(VERTEX, HEAD + SHADERS[name]).fragment)


def test_machine_code_of_many_jumps():
    body = many("if (s > {a}) discard; s = s * 0.5 + v.y; ", 400)
    stage = link(VERTEX, f"{HEAD}void main() {{ float s = v.x; {body} color = vec4(s); }}").fragment
    assert LlvmStage(stage, [], StageOptions(path_hash=True)).address


# ---------------------------------------------------------------------- random programs
class Generator:
    """Writes valid GLSL ES 3.00 fragment shaders: every statement, most operators and functions, bounded loops."""

    FLOATS = ("float", "vec2", "vec3", "vec4")
    INTS = ("int", "ivec2", "ivec3", "ivec4")

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.count = 0
        self.functions: list[tuple[str, str, list[str]]] = []

    def chance(self, one_in):
        return self.rng.integers(one_in) == 0

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def new(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # Expressions ------------------------------------------------------------------------------------------------
    def literal(self, type_):
        width = int(type_[-1]) if type_[-1].isdigit() else 1
        base = "float" if type_ in self.FLOATS else "uint" if type_[0] == "u" else "bool" if type_[0] == "b" else "int"
        values = {
            "float": lambda: repr(round(float(self.rng.normal() * 2), 3)),
            "int": lambda: str(int(self.rng.integers(-6, 9))),
            "uint": lambda: f"{int(self.rng.integers(0, 40))}u",
            "bool": lambda: self.pick(["true", "false"]),
        }[base]
        return values() if width == 1 else f"{type_}({', '.join(values() for _ in range(width))})"

    def variable(self, type_, scope):
        found = [name for name, known in scope if known == type_]
        return self.pick(found) if found else None

    def expression(self, type_, scope, depth=3):
        known = self.variable(type_, scope)
        if depth == 0 or self.chance(5):
            return known if known and not self.chance(4) else self.literal(type_)
        sub = lambda t: self.expression(t, scope, depth - 1)  # noqa: E731
        if type_ in self.FLOATS:
            return self.float_expression(type_, sub)
        if type_ == "bool":
            return self.pick(
                [
                    lambda: f"({sub('float')} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {sub('float')})",
                    lambda: f"({sub('int')} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {sub('int')})",
                    lambda: f"({sub('bool')} {self.pick(['&&', '||', '^^'])} {sub('bool')})",
                    lambda: f"!{sub('bool')}",
                    lambda: (
                        f"{self.pick(['any', 'all'])}({self.pick(['lessThan', 'equal'])}({sub('vec3')}, {sub('vec3')}))"
                    ),
                    lambda: f"({sub('vec2')} == {sub('vec2')})",
                ]
            )()
        if type_ == "uint":
            return self.pick(
                [
                    lambda: f"({sub('uint')} {self.pick(['+', '-', '*', '/', '%', '&', '|', '^'])} {sub('uint')})",
                    lambda: f"({sub('uint')} {self.pick(['<<', '>>'])} ({sub('uint')} & 31u))",
                    lambda: f"uint({sub('int')})",
                    lambda: f"floatBitsToUint(abs({sub('float')}) + 1.0)",
                    lambda: f"{self.pick(['min', 'max'])}({sub('uint')}, {sub('uint')})",
                ]
            )()
        return self.int_expression(type_, sub)

    def int_expression(self, type_, sub):
        choices = [
            lambda: f"({sub(type_)} {self.pick(['+', '-', '*', '/', '%', '&', '|', '^'])} {sub(type_)})",
            lambda: f"{self.pick(['min', 'max'])}({sub(type_)}, {sub(type_)})",
            lambda: f"{self.pick(['abs', 'sign', '-', '~'])}({sub(type_)})",
            lambda: f"({sub('bool')} ? {sub(type_)} : {sub(type_)})",
        ]
        if type_ == "int":
            choices += [
                lambda: f"int({sub('float')})",
                lambda: f"int({sub('uint')})",
                lambda: f"{sub('ivec3')}[{sub('int')} & 1]",
                lambda: f"({sub('int')} {self.pick(['<<', '>>'])} ({sub('int')} & 15))",
            ]
        else:
            choices.append(lambda: f"{type_}({sub('vec' + type_[-1])})")
        return self.pick(choices)()

    def float_expression(self, type_, sub):
        width = int(type_[-1]) if type_ != "float" else 1
        unary = [
            "sin",
            "cos",
            "abs",
            "floor",
            "fract",
            "sign",
            "ceil",
            "round",
            "trunc",
            "roundEven",
            "atan",
            "dFdx",
            "dFdy",
        ]
        unary += ["exp2", "exp", "sqrt", "inversesqrt", "log2", "tan", "radians", "normalize", "fwidth", "asin", "tanh"]
        choices = [
            lambda: f"({sub(type_)} {self.pick(['+', '-', '*', '/'])} {sub(type_)})",
            lambda: f"({sub(type_)} {self.pick(['+', '-', '*', '/'])} {sub('float')})",
            lambda: f"{self.pick(unary)}({sub(type_)})",
            lambda: f"{self.pick(['min', 'max', 'mod', 'step', 'pow', 'reflect', 'atan'])}({sub(type_)}, {sub(type_)})",
            lambda: f"mix({sub(type_)}, {sub(type_)}, {sub('float')})",
            lambda: f"clamp({sub(type_)}, {sub(type_)}, {sub(type_)})",
            lambda: f"smoothstep({sub('float')}, {sub('float')}, {sub(type_)})",
            lambda: f"({sub('bool')} ? {sub(type_)} : {sub(type_)})",
            lambda: f"-({sub(type_)})",
        ]
        for name, result, parameters in self.functions:
            if result == type_:
                choices.append(lambda n=name, p=parameters: f"{n}({', '.join(sub(t) for t in p)})")
        if width == 1:
            choices += [
                lambda: f"{self.pick(['dot', 'distance'])}({sub('vec3')}, {sub('vec3')})",
                lambda: f"length({sub('vec2')})",
                lambda: f"float({sub(self.pick(['int', 'uint', 'bool']))})",
                lambda: f"{sub('vec4')}.{self.pick('xyzw')}",
                lambda: f"table[n.x + {sub('int')}]",
                lambda: f"{sub('vec3')}[{sub('int')} & 1]",
                lambda: f"(m * {sub('vec3')}).y",
                lambda: f"unpackHalf2x16({sub('uint')}).x",
            ]
        else:
            swizzle = "".join(self.pick("xyzw") for _ in range(width))
            choices += [
                lambda: f"{type_}({', '.join(sub('float') for _ in range(width))})",
                lambda: f"{sub('vec4')}.{swizzle}",
                lambda: f"{type_}({sub('i' + type_)})",
            ]
            if width == 3:
                choices += [lambda: f"cross({sub('vec3')}, {sub('vec3')})", lambda: f"({sub('vec3')} * m)"]
        return self.pick(choices)()

    # Statements -------------------------------------------------------------------------------------------------
    def block(self, scope, depth, in_loop, in_main, indent):
        scope, lines = list(scope), []
        for _ in range(int(self.rng.integers(1, 6))):
            lines += self.statement(scope, depth, in_loop, in_main)
        return "{\n" + "".join(f"{indent}{line}\n" for line in lines) + indent[:-2] + "}"

    def statement(self, scope, depth, in_loop, in_main):
        kind = int(self.rng.integers(13))
        inner = "  " * (5 - depth)
        body = lambda loop=in_loop, extra=(): self.block([*scope, *extra], depth - 1, loop, in_main, inner)  # noqa: E731
        if kind < 4:
            type_, name = self.pick([*self.FLOATS, *self.INTS, "uint", "bool"]), self.new("x")
            line = f"{type_} {name} = {self.expression(type_, scope)};"
            scope.append((name, type_))
            return [line]
        if kind < 8:
            name, type_ = self.pick([item for item in scope if item[0] not in ("v", "n") and item[0][0] != "i"])
            if type_ in self.FLOATS[1:] and self.chance(3):
                return [f"{name}.{self.pick('xy')} {self.pick(['=', '+='])} {self.expression('float', scope)};"]
            return [f"{name} = {self.expression(type_, scope)};"]
        if kind == 8:
            return [f"table[n.y + {self.expression('int', scope, 2)}] = {self.expression('float', scope)};"]
        if not depth:
            return []
        if kind == 9:
            text = f"if ({self.expression('bool', scope)}) {body()}"
            return [text + (f" else {body()}" if self.chance(2) else "")]
        if kind == 10:
            i = self.new("i")
            limit = self.pick(["3", "5", f"min({self.expression('int', scope, 2)}, 6)"])
            if self.chance(3):
                w = f"{{ int {i} = 0; while ({i} < {limit} && {self.expression('bool', scope, 2)}) {{ {i}++; "
                return [w + body(True, [(i, "int")]) + " } }"]
            return [f"for (int {i} = 0; {i} < {limit}; {i}++) {body(True, [(i, 'int')])}"]
        if kind == 11:
            cases = ""
            for number in range(int(self.rng.integers(1, 4))):
                inside = " ".join(self.statement(scope[:], 0, False, False))
                cases += f"case {number}: {{{inside}}} {self.pick(['break;', ''])} "
            return [f"switch ({self.expression('int', scope, 2)} & 3) {{ {cases} default: s += 0.5; }}"]
        jumps = ["break;", "continue;"] * in_loop + ["discard;", "return;"] * in_main
        return [f"if ({self.expression('bool', scope)}) {self.pick(jumps)}"] if jumps else []

    def source(self):
        text = [
            HEAD,
            "uniform float u; uniform vec4 w; uniform mat3 m; uniform int k;",
            "float table[5]; float s = 0.0;",
        ]
        scope = [("v", "vec4"), ("n", "ivec2"), ("u_", "float"), ("s", "float")]
        for _ in range(int(self.rng.integers(0, 3))):
            name, result = self.new("f"), self.pick(self.FLOATS)
            types = [self.pick([*self.FLOATS, "int"]) for _ in range(int(self.rng.integers(1, 4)))]
            parameters = [(self.new("p"), type_) for type_ in types]
            declared = ", ".join(f"{type_} {name_}" for name_, type_ in parameters)
            local = [*parameters, ("s", "float")]
            body = self.block(local, 2, False, False, "    ")
            text.append(f"{result} {name}({declared}) {{ {body}\n  return {self.expression(result, local)}; }}")
            self.functions.append((name, result, types))
        start = "  float u_ = u; vec4 q = w; int j = k;\n"
        scope += [("q", "vec4"), ("j", "int")]
        body = self.block(scope, 4, False, True, "  ")
        end = "  color = vec4(s, u_, table[j & 3], float(j)) + q;\n"
        return "\n".join([*text, "void main() {", "  color = v;", start + "  " + body, end + "}"])


def compare_exact(seed):
    from exact_programs import ExactProgram

    source = ExactProgram(seed, 300).source()
    try:
        return compare(link(VERTEX, source).fragment, seed)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{source}\n{error}") from None


def compare_random(seed):
    source = Generator(seed).source()
    try:
        return compare(link(VERTEX, source).fragment, seed)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{source}\n{error}") from None


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_programs(first):
    assert sum(compare_random(seed) for seed in range(first, first + 10)) >= 8


def test_exact_programs():
    assert sum(compare_exact(seed) for seed in range(12)) >= 10


# ---------------------------------------------------------------------- conformance cases
def conformance_sources(name, step):
    path = SHARED / "conformance" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with path.open() as lines:
        for number, line in enumerate(lines):
            if number % step == 0:
                case = json.loads(line)
                if case.get("vertex_source") and case.get("fragment_source"):
                    yield case["vertex_source"], case["fragment_source"]


@pytest.mark.parametrize(("name", "step"), [("cases.jsonl", 61), ("piglit_cases.jsonl", 37)])
def test_conformance_cases(name, step):
    compared = 0
    for vertex, fragment in conformance_sources(name, step):
        program = link_program([compile_shader(vertex, "vertex"), compile_shader(fragment, "fragment")])
        for stage in (program.vertex, program.fragment):
            if program.ok and stage is not None and not stage.textures:
                compared += compare(stage)
    assert compared > 20


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    compare_one = compare_exact if sys.argv[3:] == ["exact"] else compare_random
    begin, failures, finished = time.time(), 0, 0
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            finished += compare_one(number)
        except Exception as problem:
            failures += 1
            print(f"seed {number}: {type(problem).__name__}\n{problem}" if failures < 5 else f"seed {number}")
    print(f"{finished} programs compared, {failures} failures, {time.time() - begin:.0f} s")
