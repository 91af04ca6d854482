"""mediump and lowp in 16 bits, where a shader asks for it: against NumPy's float16, and in both executors alike.

``python tests/glsl/test_glsl_precision.py FIRST LAST`` compares the random programs of so many seeds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from mesa_glsl import Mesa, MesaMissingError, MesaProcess
from test_glsl_llvm_differential import HEAD, SHADERS, VERTEX, Generator, compare, link
from test_glsl_math import any_floats, any_ints, same_bits

from replay.glsl import mathlib
from replay.glsl import syntax as ast
from replay.glsl.compiler import CompileOptions, compile_shader
from replay.glsl.fold import narrowed
from replay.glsl.ir import is_short
from replay.glsl.llvm.kernel import VectorKernel
from replay.glsl.llvm.vectors import LANES, FloatVec, IntVec
from replay.glsl.numpyops import NumpyOps
from replay.glsl.precision import computes_short, precision_of
from replay.glsl.types import Base

PRAGMA = "\n#pragma gpureplay mediump(16)\n"
F, H = np.float32, np.float16


def halves():
    """Every binary16, what lies in the middle of two neighbours, and just beside that."""
    every = np.arange(1 << 16, dtype=np.uint16).view(H).astype(F)
    finite = np.sort(every[np.isfinite(every)])
    middle = (finite[1:].astype(float) + finite[:-1]) / 2
    middle = middle.astype(F)
    edges = np.array([65519.996, 65520.0, 65536.0, 3e38, np.inf, -np.inf, np.nan, 1e-8, -1e-8, 2.0**-25], F)
    return np.concatenate([every, middle, np.nextafter(middle, F(np.inf)), np.nextafter(middle, F(-np.inf)), edges])


def test_rounding_is_that_of_binary16():
    values = np.concatenate([halves(), any_floats(1)])
    values = np.resize(values, -(-len(values) // LANES) * LANES)
    with np.errstate(all="ignore"):
        wanted = values.astype(H).astype(F)
        assert same_bits(mathlib.NARROWING[Base.FLOAT](NumpyOps(), values), wanted)
    kernel = VectorKernel(lambda ops, x: (mathlib.NARROWING[Base.FLOAT](ops, x),), (FloatVec,))
    assert same_bits(kernel(values)[0], wanted)
    some = values[:: len(values) // 997]
    folded = np.array(narrowed(Base.FLOAT, tuple(map(float, some))), F)
    with np.errstate(all="ignore"):
        assert same_bits(folded, some.astype(H).astype(F))


@pytest.mark.parametrize(("base", "dtype"), [(Base.INT, np.int16), (Base.UINT, np.uint16)])
def test_integers_wrap(base, dtype):
    values = any_ints(3)
    wanted = values.astype(dtype).astype(np.int32)
    np.testing.assert_array_equal(mathlib.NARROWING[base](NumpyOps(), values), wanted)
    kernel = VectorKernel(lambda ops, x: (mathlib.NARROWING[base](ops, x),), (IntVec,))
    np.testing.assert_array_equal(kernel(values)[0], wanted)
    assert narrowed(base, tuple(map(int, values[:99]))) == tuple(wanted[:99].tolist())


# The rules --------------------------------------------------------------------------------------------------------
DECLARED = """
uniform highp float h; uniform mediump float m; uniform lowp float l; uniform mediump vec3 v; uniform highp vec3 w;
uniform mediump int i; uniform highp int k; uniform bool b; uniform sampler2D t; uniform highp sampler2D ht;
struct S { mediump float m; highp float h; }; uniform S s; uniform mediump mat3 n; uniform mediump float a[4];
lowp float low(highp float x) { return x; }
"""
RULES = [
    ("m + l", "mediump", True), ("m + h", "highp", False), ("m * 0.1", "mediump", True), ("l * 2.0", "lowp", True),
    ("0.5 + 0.1", "", False), ("float(b)", "", False), ("(0.5 + 0.1) * m", "mediump", True), ("-v", "mediump", True),
    ("v.x", "mediump", None), ("v[k]", "mediump", None), ("dot(v, w)", "highp", False), ("dot(v, v)", "mediump", True),
    ("texture2D(t, w.xy)", "lowp", None), ("texture2D(ht, v.xy)", "highp", None), ("low(h)", "lowp", None),
    ("s.m", "mediump", None), ("s.h * m", "highp", False), ("n * v", "mediump", True), ("n * w", "highp", False),
    ("a[k]", "mediump", None), ("vec3(m, h, l)", "highp", None), ("vec3(m)", "mediump", None),
    ("k + i", "highp", False),
    ("b ? m : h", "highp", None), ("(b ? m : l) * m", "mediump", True), ("m < h", "", False), ("m < 0.1", "", True),
    ("gl_FragCoord.x * m", "mediump", True), ("clamp(m, 0.0, 1.0)", "mediump", True), ("float(i)", "mediump", None),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "precision", "short"), RULES)
def test_precision_follows_from_the_operands(expression, precision, short):
    """``short`` is whether an operator or function is computed in 16 bits; None where it is neither."""
    source = f"precision mediump float; precision mediump int;{DECLARED}void main() {{ {expression}; }}"
    shader = compile_shader(source, "fragment")
    assert shader.ok, shader.log
    assert shader.checked is not None
    assert shader.checked.main is not None
    assert shader.checked.main.body is not None
    (statement,) = shader.checked.main.body.statements
    assert isinstance(statement, ast.ExpressionStatement)
    assert statement.expression is not None
    assert precision_of(statement.expression) == precision
    if short is not None:
        assert computes_short(statement.expression) is short


# Values -----------------------------------------------------------------------------------------------------------
def result(run_fragment, text, lanes=64, pragma=PRAGMA):
    """What a fragment shader writes, and the varyings x, y, z, w that it read."""
    x = np.random.default_rng(5).normal(size=(4, lanes)).astype(F) * 3
    source = f"precision mediump float;\nvarying highp vec4 f; varying mediump vec4 v;\n{text}{pragma}"
    _, found = run_fragment(source, lanes, {"u": [0.3, 0.7, 1.1, 1000.1]}, {"f": x, "v": x})
    return found.outputs[0], x


def test_each_operation_rounds(run_fragment):
    text = "void main() { vec4 p = v * v.yzwx; gl_FragColor = p + v * 0.1; }"
    got, x = result(run_fragment, text)
    h = x.astype(H)
    np.testing.assert_array_equal(got, (h * np.roll(h, -1, 0) + h * H(0.1)).astype(F))
    plain, _ = result(run_fragment, text, pragma="")
    assert 0 < np.abs(plain - got).max() < 0.05


def test_what_is_highp_stays(run_fragment):
    got, x = result(run_fragment, "void main() { highp vec4 p = f * f.yzwx + 0.1; gl_FragColor = vec4(p == f); }")
    plain, _ = result(run_fragment, "void main() { gl_FragColor = vec4(f * f.yzwx + 0.1 == f); }", pragma="")
    np.testing.assert_array_equal(got, plain)
    # A product of both is highp, and neither an input nor an output is short by itself.
    got, x = result(run_fragment, "void main() { gl_FragColor = f * v + f; }")
    np.testing.assert_array_equal(got, x * x + x)


def test_variables_parameters_and_structures_hold_16_bits(run_fragment):
    text = """struct S { vec4 m; highp vec4 h; }; uniform vec4 u;
        highp vec4 same(highp vec4 p) { return p; }
        void twice(inout highp vec4 p) { p *= 2.0; }
        mediump vec4 kept(highp vec4 p) { if (p.x > 0.0) return p; return p; }
        void main() { vec4 q = f; S s = S(f, f); vec4 r = f; twice(r);
            gl_FragColor = vec4(same(q).x, kept(f).y, s.m.z, s.h.w) + same(u) * 0.0 + same(r) * 0.0; }"""
    got, x = result(run_fragment, text)
    h = x.astype(H)
    np.testing.assert_array_equal(got, np.stack([*h[:3].astype(F), x[3]]))
    got, x = result(run_fragment, "uniform vec4 u; void main() { highp vec4 p = u; gl_FragColor = vec4(p == u); }")
    assert (got == 1).all()
    got, x = result(run_fragment, "uniform vec4 u; void main() { mediump vec4 k = u; gl_FragColor = k; }")
    np.testing.assert_array_equal(got[3], F(H(1000.1)))


#: Where llvmpipe rounds and where it takes a variable as it is. (Of one operation on two of them it makes a long one.)
AS_MESA = (
    "o = v;", "o = u;", "o = f * v + f;", "o = f * u;", "highp vec4 t = v; o = t;", "highp vec4 t = v; o = t * u;",
    "o = v * 0.3;", "o = u * 0.3;", "o = v * u + u;", "o = (v - u) * 0.3;", "o = v - u + w;", "o = max(v * u, u);",
    "o = max(v, w);", "o = sqrt(abs(v));", "vec4 t = f; o = t * 0.5;", "o = id(v) * 2.0;", "o = v.x > 0.5 ? v : u;",
    "o = v.x < 0.5 ? v * 0.3 : w;", "o = vec4(dot(v, w));", "o = id(f * 0.3);", "o = vec4(v.xy * 0.3, w.zw);",
    "vec4 t = f; if (u.x > 9.0) t = v; add(t); o = t * 0.5;", "fill(o);",
)  # fmt: skip
MESA_HEAD = """#version 300 es
precision mediump float;
in vec4 v; in highp vec4 f; uniform vec4 u; uniform highp vec4 w; out highp vec4 o;
highp vec4 id(vec4 p) { return p; }
void add(inout highp vec4 p) { p += w; }
void fill(out highp vec4 p) { p = f * 0.3; }
"""
MESA_VERTEX = """#version 300 es
in vec4 dEQP_Position; uniform highp vec4 k; out mediump vec4 v; out highp vec4 f;
void main() { gl_Position = dEQP_Position; v = k; f = k; }"""
MESA_VALUES = {
    "k": (0.123456, 3.1415926, -7.777777, 1000.123), "u": (1.2345678, 0.333333, 77.77777, -5.55555),
    "w": (0.1111111, 2.718281828, 3.3333333, 9.87654),
}  # fmt: skip


@pytest.fixture(scope="module")
def mesa():
    try:
        Mesa.probe()
    except MesaMissingError as error:
        pytest.skip(str(error))
    process = MesaProcess()
    source = f"{MESA_HEAD}void main() {{ o = u * 0.3; }}"
    _, _, found = process.ask("es", "draw", MESA_VERTEX, source, MESA_VALUES, 4, 4)
    if found[0, 0, 0] != F(H(H(1.2345678) * H(0.3))):
        process.close()
        pytest.skip("Mesa computes mediump in 32 bits on this processor")
    yield process
    process.close()


@pytest.mark.parametrize("body", AS_MESA)
def test_what_is_rounded_is_what_llvmpipe_rounds(body, mesa, run_fragment):
    source = f"{MESA_HEAD}void main() {{ {body} }}"
    verdict, log, wanted = mesa.ask("es", "draw", MESA_VERTEX, source, MESA_VALUES, 4, 4)
    assert verdict == "ok", log
    given = {name: np.array(values, F) for name, values in MESA_VALUES.items()}
    inputs = dict.fromkeys("vf", np.repeat(given["k"][:, None], 4, 1))
    _, found = run_fragment(source + PRAGMA, 4, {name: given[name] for name in "uw"}, inputs)
    np.testing.assert_array_equal(found.outputs[0][:, 0], wanted[0, 0])


def test_lengths_overflow_as_they_do_in_16_bits(run_fragment):
    text = "void main() { mediump vec2 p = vec2(300.0, v.x); gl_FragColor = vec4(length(p) > 1e4, 0, 0, 1); }"
    assert (result(run_fragment, text)[0][0] == 1).all()
    assert (result(run_fragment, text, pragma="")[0][0] == 0).all()


def test_mediump_integers_wrap_and_highp_ones_do_not(run_fragment):
    text = """void main() { mediump int i = 200; highp int k = 200, m = 40000;
        i += int(floor(v.x * 0.0)); k += int(floor(f.x * 0.0));
        gl_FragColor = vec4(i * i == m, k * k == m, i * i == m - 65536, 1); }"""
    got, _ = result(run_fragment, text)
    np.testing.assert_array_equal(got[:, 0], [0, 1, 1, 1])


def test_desktop_shaders_have_no_precision():
    text = "#version 120\nvarying vec4 v; void main() { gl_FragColor = v * v + 0.1; }"
    for version in ("#version 120\n", "#version 330\n"):
        text = f"{version}{'in' if '330' in version else 'varying'} mediump vec4 v; void main() {{ {PRAGMA} }}"
        shader = compile_shader(text, "fragment", CompileOptions(es=False))
        if shader.ok:
            assert shader.checked is not None
            assert not shader.checked.is_short


@pytest.mark.parametrize("name", SHADERS)
def test_counts_are_the_same(name):
    """Rounding is part of instructions; without the pragma nothing is computed in 16 bits."""
    source = (HEAD + SHADERS[name]).replace("highp", "mediump")
    plain, short = (link(VERTEX, source + pragma).fragment for pragma in ("", PRAGMA))
    assert not any(is_short(instr) or instr.op == "narrow" for instr in plain.body.instructions())
    assert any(is_short(instr) for instr in short.body.instructions())
    before, after = (sum(len(block.kinds) for block in ir.blocks) for ir in (plain, short))
    # Where a constant or a select is known to be exact in one of them the other one may have to do it.
    assert after == pytest.approx(before, rel=0.03)


def compare_random(seed):
    source = Generator(seed).source().replace("precision highp", "precision mediump") + PRAGMA
    try:
        return bool(compare(link(VERTEX + PRAGMA, source).fragment, seed))
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{source}\n{error}") from None


@pytest.mark.parametrize("name", SHADERS)
def test_both_executors_agree(name):
    program = link(VERTEX + PRAGMA, (HEAD + SHADERS[name]).replace("highp", "mediump") + PRAGMA)
    for seed in range(2):
        compare(program.vertex, seed)
        assert compare(program.fragment, seed)


def test_both_executors_agree_on_random_programs():
    assert sum(compare_random(seed) for seed in range(400, 408)) >= 6


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    begin, finished = time.time(), 0
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        finished += compare_random(number)
    print(f"{finished} programs of {int(sys.argv[2]) - int(sys.argv[1])} agree, {time.time() - begin:.0f} s")
