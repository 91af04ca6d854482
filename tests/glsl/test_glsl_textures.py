"""Every spelling of a texture look-up: what reaches the engine's textures."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.glsl import Program
from replay.glsl.numpy_executor import NumpyStage
from replay.glsl.texturing import Dimension, Lookup, LookupKind, NumpyLookup, ResultKind, TextureOperands


class Recorder:
    """Textures that remember their look-ups and answer with the first coordinate."""

    def __init__(self) -> None:
        self.calls: list[tuple[Lookup, TextureOperands]] = []

    def lookup(
        self, lookup: Lookup, operands: TextureOperands, *, record: bool = False, identity: bool = False
    ) -> NumpyLookup:
        self.calls.append((lookup, operands))
        n = operands.mask.size
        value = (
            np.full(n, 3, np.int32) if lookup.kind is LookupKind.SIZE or lookup.result else np.full(n, 0.5, np.float32)
        )
        return NumpyLookup((value, value, value, value))


HEAD = "#version 300 es\nprecision highp float; precision highp int; in vec4 v; out vec4 o; uniform int k;\n"
CASES = [
    ("sampler2D", "texture(s, v.xy)", LookupKind.IMPLICIT, {"coords": (1, 2)}),
    ("sampler2D", "texture(s, v.xy, v.z)", LookupKind.BIAS, {"coords": (1, 2), "lod": 3}),
    ("sampler2D", "textureLod(s, v.xy, v.z)", LookupKind.LOD, {"coords": (1, 2), "lod": 3}),
    ("sampler2D", "textureGrad(s, v.xy, v.zz, v.ww)", LookupKind.GRAD, {"coords": (1, 2), "ddx": (3, 3), "ddy": (4, 4)}),
    ("sampler2D", "textureProj(s, v.xyw)", LookupKind.IMPLICIT, {"coords": (0.25, 0.5)}),
    ("sampler2D", "textureProj(s, v)", LookupKind.IMPLICIT, {"coords": (0.25, 0.5)}),
    ("sampler2D", "textureProjLod(s, v, v.z)", LookupKind.LOD, {"coords": (0.25, 0.5), "lod": 3}),
    ("sampler2D", "textureOffset(s, v.xy, ivec2(-1, 2))", LookupKind.IMPLICIT, {"offset": (-1, 2, 0)}),
    ("sampler2D", "textureLodOffset(s, v.xy, v.z, ivec2(3))", LookupKind.LOD, {"offset": (3, 3, 0), "lod": 3}),
    ("sampler2D", "texelFetch(s, ivec2(v.xy), 4)", LookupKind.FETCH, {"coords": (1, 2), "lod": 4}),
    ("sampler2D", "vec4(textureSize(s, 2), 0, 0)", LookupKind.SIZE, {"lod": 2}),
    ("highp sampler3D", "texture(s, v.xyz)", LookupKind.IMPLICIT, {"coords": (1, 2, 3)}),
    ("samplerCube", "texture(s, v.xyz)", LookupKind.IMPLICIT, {"coords": (1, 2, 3)}),
    ("highp sampler2DArray", "texture(s, v.xyz)", LookupKind.IMPLICIT, {"coords": (1, 2), "layer": 3}),
    ("highp sampler2DArray", "texelFetch(s, ivec3(v.xyz), 0)", LookupKind.FETCH, {"coords": (1, 2), "layer": 3, "lod": 0}),
    ("highp sampler2DShadow", "vec4(texture(s, v.xyz))", LookupKind.IMPLICIT, {"coords": (1, 2), "compare": 3}),
    ("highp sampler2DShadow", "vec4(textureProj(s, v))", LookupKind.IMPLICIT, {"coords": (0.25, 0.5), "compare": 0.75}),
    ("highp samplerCubeShadow", "vec4(texture(s, v))", LookupKind.IMPLICIT, {"coords": (1, 2, 3), "compare": 4}),
    ("highp sampler2DArrayShadow", "vec4(texture(s, v))", LookupKind.IMPLICIT, {"coords": (1, 2), "layer": 3, "compare": 4}),
    ("highp isampler2D", "vec4(texture(s, v.xy))", LookupKind.IMPLICIT, {"result": ResultKind.INT}),
    ("highp usampler2D", "vec4(texture(s, v.xy))", LookupKind.IMPLICIT, {"result": ResultKind.UINT}),
]  # fmt: skip


def run(program: Program, textures: Recorder) -> Any:
    ir = program.fragment
    assert ir is not None, program.log
    inputs = [np.repeat(np.arange(1, 1 + slot.type.width, dtype=np.float32)[:, None], 4, axis=1) for slot in ir.inputs]
    areas = [np.ones(area.words, np.int32) for area in ir.areas]
    return NumpyStage(ir, textures).run(4, inputs, areas)


VERTEX = "#version 300 es\nin vec4 p; out vec4 v; void main() { v = p; gl_Position = p; }"


@pytest.mark.parametrize(("sampler", "expression", "kind", "wanted"), CASES)
def test_operands(
    link: Callable[..., Program], sampler: str, expression: str, kind: LookupKind, wanted: dict[str, Any]
) -> None:
    textures = Recorder()
    program = link(VERTEX, HEAD + f"uniform {sampler} s; void main() {{ o = {expression}; }}")
    result = run(program, textures)
    ((lookup, operands),) = textures.calls
    assert lookup.kind is kind
    assert lookup.slot == lookup.instruction == 0
    for name, value in wanted.items():
        if name in ("offset", "result"):
            assert getattr(lookup, name) == value
            continue
        found = getattr(operands, name)
        found = [row[0] for row in found] if isinstance(value, tuple) else found[0]
        assert found == (list(value) if isinstance(value, tuple) else value), name
    assert result.outputs[0][0, 0] == (3 if lookup.kind is LookupKind.SIZE or lookup.result else 0.5)


def test_legacy_shadow_gives_a_vector(link: Callable[..., Program]) -> None:
    textures = Recorder()
    program = link(
        "#version 120\nattribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }",
        "#version 120\nvarying vec4 v; uniform sampler2DShadow s; void main() { gl_FragColor = shadow2D(s, v.xyz); }",
    )
    result = run(program, textures)
    assert result.outputs[0][:, 0].tolist() == [0.5, 0.5, 0.5, 1.0]
    assert textures.calls[0][0].is_shadow


def test_sampler_arrays_chosen_at_run_time(link: Callable[..., Program]) -> None:
    textures = Recorder()
    program = link(
        "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }",
        "precision highp float; varying vec4 v; uniform sampler2D s[3]; uniform int k; void main() { gl_FragColor = texture2D(s[k], v.xy); }",
    )
    run(program, textures)
    assert [lookup.slot for lookup, _ in textures.calls] == [1]
    assert len(program.samplers) == 3


def test_samplers_as_parameters_and_members(link: Callable[..., Program]) -> None:
    textures = Recorder()
    program = link(
        VERTEX,
        HEAD + "struct S { sampler2D a; vec4 k; }; uniform S m[2]; uniform sampler2D t[2];"
        "vec4 f(sampler2D x, vec2 c) { return texture(x, c); } vec4 g(S n) { return f(n.a, v.zw) * n.k; }"
        "void main() { o = f(t[1], v.xy) + g(m[1]); }",
    )
    run(program, textures)
    assert [program.samplers[lookup.slot].name for lookup, _ in textures.calls] == ["t[1]", "m.a[1]"]
    names = {u.name: u.sampler for u in program.reflection.uniforms if u.is_sampler}
    assert names["t[0]"] >= 0
    assert names["m[1].a"] == names["m[0].a"] + 1


def test_vertex_lookups_know_that_they_have_no_derivatives(link: Callable[..., Program]) -> None:
    program = link(
        "#version 300 es\nin vec4 p; out vec4 v; uniform sampler2D s; void main() { v = texture(s, p.xy); gl_Position = p; }",
        HEAD + "void main() { o = v; }",
    )
    assert program.vertex is not None
    (texture,) = program.vertex.textures
    assert not texture.lookup.is_fragment
    assert texture.lookup.dimension is Dimension.D2
