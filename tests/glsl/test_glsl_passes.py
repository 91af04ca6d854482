"""The passes: the verifier between them, the same results with and without, determinism."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.glsl import compile_shader
from replay.glsl.builder import Builder
from replay.glsl.fold import _OF_COMPILERS, fold
from replay.glsl.ir import OPS, Block, Instr, Region, Rule, StageIR, Variable
from replay.glsl.lowering.stage import SamplerTable, lower_stage
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.passes import fuse, optimize
from replay.glsl.printer import format_stage
from replay.glsl.types import BOOL, FLOAT, INT, Base, vector
from replay.glsl.verifier import VerificationError, verify

SHADERS = [
    "precision highp float; varying vec2 v; void main() { vec4 c = vec4(v, v); if (v.x > 0.5) { c.yz = v * 2.0; } else { c.x += 1.0; } gl_FragColor = c; }",
    "precision highp float; varying vec2 v; void main() { float a[4]; for (int i = 0; i < 4; i++) a[i] = v.x * float(i); int k = int(v.y * 4.0); a[k] += 5.0; gl_FragColor = vec4(a[0], a[1], a[k], a[3]); }",
    "precision highp float; varying vec2 v; float f(float x) { if (x < 0.3) return 1.0; for (int i = 0; i < 100; i++) { x *= 1.5; if (x > 4.0) return x; } return -x; } void main() { gl_FragColor = vec4(f(v.x), f(v.y), f(v.x + v.y), 1.0); }",
    "precision highp float; varying vec2 v; void main() { vec2 z = v; float n = 0.0; for (int i = 0; i < 40; i++) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + v; if (dot(z, z) > 4.0) break; n += 1.0; } if (n > 20.0) discard; gl_FragColor = vec4(z, n, 1.0); }",
    "precision highp float; varying vec2 v; struct S { vec2 a; mat2 m; }; S g(S s) { s.m[1].x += s.a.y; return s; } void main() { S s = S(v, mat2(v, v)); S t = g(s); for (float i = 0.0; i < v.x * 5.0; i++) { t = g(t); if (t.a.x > i) continue; t.a = t.m * t.a; } gl_FragColor = vec4(t.a, t.m[1]); }",
]  # fmt: skip


def lowered(source: str) -> Any:
    shader = compile_shader(source, "fragment")
    assert shader.ok, shader.log
    assert shader.checked is not None
    return lower_stage(shader.checked, SamplerTable())


def run(stage: Any, body: Region, variables: list[Variable]) -> list[np.ndarray[Any, Any]]:
    from replay.glsl.counts import number_stage

    ir = StageIR("fragment", body, variables, stage.inputs, stage.outputs)
    number_stage(ir)
    verify(ir.body, ir.variables)
    values = np.random.default_rng(7).random((2, 64), np.float32)
    result = NumpyStage(ir).run(64, [values], [np.zeros(0, np.int32)])
    return [output[:, result.alive] for output in result.outputs] + [result.alive]


@pytest.mark.parametrize("source", SHADERS)
def test_passes_keep_the_ir_valid_and_the_result_the_same(source: str) -> None:
    plain = lowered(source)
    verify(plain.body, plain.variables)
    wanted = run(plain, plain.body, plain.variables)
    stage = lowered(source)
    body, variables = optimize(
        stage.body, stage.variables, {output.variable for output in stage.outputs}, lambda name, region: verify(region)
    )
    verify(body, variables)
    for got, want in zip(run(stage, body, variables), wanted, strict=True):
        np.testing.assert_array_equal(got, want)
    stage = lowered(source)
    body, variables = optimize(stage.body, stage.variables, {output.variable for output in stage.outputs})
    fuse(body)
    for got, want in zip(run(stage, body, variables), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_compiling_twice_gives_the_same_listing(link: Callable[..., Any]) -> None:
    vertex = "attribute vec4 p; varying vec2 v; void main() { v = p.xy; gl_Position = p; }"
    for source in SHADERS:
        first, second = (format_stage(link(vertex, source).fragment) for _ in range(2))
        assert first == second


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: [Instr("fadd", FLOAT, (Instr("const", FLOAT, (), (1.0,)),) * 2)], "not visible"),
        (lambda: [c := Instr("const", FLOAT, (), (1.0,)), Instr("fadd", INT, (c, c))], "gives"),
        (lambda: [c := Instr("const", FLOAT, (), (1.0,)), Instr("iadd", FLOAT, (c, c))], "iadd of float"),
        (lambda: [c := Instr("const", FLOAT, (), (1.0,)), Instr("swizzle", FLOAT, (c,), (1,))], "bad swizzle"),
        (lambda: [c := Instr("const", FLOAT, (), (1.0,)), Instr("nonsense", FLOAT, (c,))], "unknown operation"),
    ],
)
def test_verifier_finds(build: Callable[[], list[Instr]], message: str) -> None:
    region, block = Region(), Block()
    block.instructions = build()
    region.nodes.append(block)
    with pytest.raises(VerificationError, match=message):
        verify(region)


def test_folding_equals_execution() -> None:
    """Every component-wise operation on awkward numbers: folded, and executed by the reference executor.

    But those which a compiler knows more exactly than a shader at work (``test_glsl_mesa_math.py`` has them).
    """
    floats = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        -2.5,
        3e38,
        1e-40,
        float("inf"),
        float("-inf"),
        float("nan"),
        4294967296.0,
        0.1,
    ]
    ints = [0, 1, -1, 2, 31, 32, 2147483647, -2147483648, 12345]
    pools = {
        Base.FLOAT: [float(np.float32(x)) for x in floats],
        Base.INT: ints,
        Base.UINT: [x & 0xFFFFFFFF for x in ints],
        Base.BOOL: [False, True],
    }
    for name, info in OPS.items():
        if info.rule == Rule.OWN or name in ("ddx", "ddy", *_OF_COMPILERS):
            continue
        for letter in info.bases:
            base = {"f": Base.FLOAT, "i": Base.INT, "u": Base.UINT, "b": Base.BOOL}[letter]
            grid = np.meshgrid(*[np.arange(len(pools[base]))] * info.arity)
            columns = [[pools[base][k] for k in axis.reshape(-1)] for axis in grid]
            result = base if info.rule == Rule.SAME else Base.BOOL if info.rule == Rule.COMPARE else info.result
            assert result is not None
            folded = fold(name, result, (base,) * info.arity, tuple(tuple(c) for c in columns))
            assert folded is not None, name
            dtype = {Base.FLOAT: np.float32, Base.INT: np.int32, Base.UINT: np.uint32, Base.BOOL: np.bool_}
            from replay.glsl.numpy_executor import _HANDLERS, _narrowed

            args = [np.array([c], dtype[base]) for c in columns]
            args = [a.view(np.int32) if base == Base.UINT else a for a in args]
            with np.errstate(all="ignore"):
                executed = (_narrowed(base, *args) if name == "narrow" else _HANDLERS[name](*args))[0]
            wanted = np.array(folded, dtype[result])
            got = executed.view(np.uint32) if result == Base.UINT else executed
            np.testing.assert_array_equal(got, wanted, err_msg=name)


def test_builder_simplifies() -> None:
    b = Builder()
    x = b.op("b2f", b.append(Instr("load", BOOL, (), Variable("x", BOOL))))
    one, zero = b.float_constant(1.0), b.float_constant(0.0)
    assert b.op("fmul", x, one) is x
    assert b.op("fadd", zero, x) is x
    assert b.op("fneg", b.op("fneg", x)) is x
    assert b.op("fadd", one, one).attr == (2.0,)
    pair = b.vec([x, one])
    assert b.swizzle(pair, (1,)) is one
    assert b.swizzle(b.swizzle(pair, (1, 0)), (1,)) is x
    assert b.op("fadd", x, one) is b.op("fadd", one, x)
    assert vector(Base.FLOAT, 2) is pair.type
