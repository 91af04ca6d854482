"""Linking: matching rules, locations, reflection, blocks, transform feedback."""

# ruff: noqa: E501  (a shader reads best as one string)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from replay.glsl import Program
from replay.glsl.ir import Interpolation, Place
from replay.glsl.numpy_executor import NumpyStage

VS = "attribute vec4 p; varying vec2 v; void main() { v = p.xy; gl_Position = p; }"
FS = "precision mediump float; varying vec2 v; void main() { gl_FragColor = vec4(v, v); }"
Link = Callable[..., Program]


def es3(vertex: str, fragment: str) -> tuple[str, str]:
    head = "#version 300 es\nprecision highp float;\n"
    return head + vertex, head + "out vec4 color;\n" + fragment


@pytest.mark.parametrize(
    ("vertex", "fragment", "message"),
    [
        (VS, FS, ""),
        (VS.replace("vec2 v", "vec3 v").replace("p.xy", "p.xyz"), FS, "'v' is vec3 in the vertex shader and vec2"),
        (VS.replace("varying vec2 v;", "").replace("v = p.xy;", ""), FS, "input 'v' of the fragment shader is no output"),
        (VS.replace("varying", "invariant varying"), FS, "invariant in one shader only"),
        ("uniform float u;" + VS.replace("p.xy", "p.xy * u"), "uniform mediump int u;" + FS.replace("v, v", "v, u, u"), "uniform 'u' is float"),
        ("uniform highp float u;" + VS.replace("p.xy", "p.xy * u"), "uniform mediump float u;" + FS.replace("v, v", "v, u, u"), "different precisions"),
        ("void f();" + VS.replace("v = p.xy", "f()"), FS, "'f()' is called, but nowhere defined"),
        (VS.replace("main", "start"), FS, "no main function"),
        ("uniform vec4 big[5000];" + VS.replace("p.xy", "big[0].xy"), FS, "uniform vectors"),
        (*es3("flat out int i; void main() { i = 1; gl_Position = vec4(0); }", "flat in int i; void main() { color = vec4(i); }"), ""),
        (*es3("flat out vec2 i; void main() { i = vec2(1); gl_Position = vec4(0); }", "in vec2 i; void main() { color = vec4(i, i); }"), "flat in the vertex shader and smooth"),
        (*es3("uniform B { vec4 a; }; void main() { gl_Position = a; }", "uniform B { vec3 a; }; void main() { color = vec4(a, 1); }"), "block 'B' is declared differently"),
        (*es3("void main() { gl_Position = vec4(0); }", "layout(location = 0) out vec4 other; void main() { color = other = vec4(1); }"), "each needs a location"),
        (VS, es3(VS, "void main() { color = vec4(1); }")[1], "different versions"),
    ],
)  # fmt: skip
def test_matching(link: Link, vertex: str, fragment: str, message: str) -> None:
    program = link(vertex, fragment)
    assert program.ok == (not message), program.log
    assert message in program.log


def test_attribute_locations(link: Link) -> None:
    vertex = "attribute vec4 a, b; attribute mat3 m; attribute float unused; varying vec2 v; void main() { v = m[0].xy; gl_Position = a + b; }"
    program = link(vertex, FS, attribute_bindings={"b": 1, "m": 5, "unused": 0})
    found = {attribute.name: attribute.location for attribute in program.reflection.attributes}
    assert found == {"a": 0, "b": 1, "m": 5}
    assert program.reflection.attribute_location("unused") == -1
    clash = link(
        *es3("in vec4 a, b; void main() { gl_Position = a + b; }", "void main() { color = vec4(1); }"),
        attribute_bindings={"a": 3, "b": 3},
    )
    assert "both at location 3" in clash.log


def test_uniform_locations_and_names(link: Link) -> None:
    fragment = (
        "precision mediump float; varying vec2 v; uniform float a[3]; uniform sampler2D s[2]; uniform vec4 b, unused;"
        "void main() { gl_FragColor = b * a[1] + texture2D(s[1], v); }"
    )
    reflection = link(VS, fragment).reflection
    assert [(u.name, u.size, u.location) for u in reflection.uniforms] == [("a[0]", 3, 0), ("s[0]", 2, 3), ("b", 1, 5)]
    assert reflection.uniform_location("a") == (0, 0)
    assert reflection.uniform_location("a[2]") == (0, 2)
    assert [reflection.uniform_location(n) for n in ("a[3]", "a[01]", "b[0]", "unused", "a[", "")] == [(-1, 0)] * 6


def test_sampler_slots_are_shared_and_constants_packed(link: Link) -> None:
    vertex = "uniform sampler2D t; uniform float off, k;" + VS.replace("p.xy", "p.xy * k + texture2D(t, p.xy).xy")
    fragment = "precision highp float; varying vec2 v; uniform sampler2D s, t; uniform float k; void main() { gl_FragColor = texture2D(s, v) + texture2D(t, v) * k; }"
    program = link(vertex, fragment)
    assert program.ok, program.log
    assert [slot.name for slot in program.samplers] == ["t", "s"]
    assert program.vertex is not None
    assert program.fragment is not None
    assert program.vertex.areas[0].words == program.fragment.areas[0].words == 4
    assert [t.lookup.slot for t in program.fragment.textures] == [1, 0]


def test_std140_offsets(link: Link) -> None:
    block = (
        "layout(std140) uniform B { float a; vec3 b; float c[2]; mat3 m; layout(row_major) mat2x3 r;"
        " S s[2]; vec2 d; } u;"
    )
    struct = "struct S { float x; vec2 y; };\n"
    fragment = (
        struct
        + block
        + "uniform int i; void main() { color = vec4(u.b, u.c[i]) + vec4(u.m[i], u.s[1].y.y) + vec4(u.r[i], u.d.x); }"
    )
    program = link(*es3("void main() { gl_Position = vec4(0); }", fragment))
    assert program.ok, program.log
    members = {
        u.name: (u.offset, u.array_stride, u.matrix_stride, u.row_major)
        for u in program.reflection.uniforms
        if u.block == 0
    }
    assert members == {
        "B.a": (0, 0, 0, False),
        "B.b": (16, 0, 0, False),
        "B.c[0]": (32, 16, 0, False),
        "B.m": (64, 0, 16, False),
        "B.r": (112, 0, 16, True),
        "B.s[0].x": (160, 0, 0, False),
        "B.s[0].y": (168, 0, 0, False),
        "B.s[1].x": (176, 0, 0, False),
        "B.s[1].y": (184, 0, 0, False),
        "B.d": (192, 0, 0, False),
    }
    assert [(b.name, b.size, b.vertex, b.fragment) for b in program.reflection.blocks] == [("B", 208, False, True)]
    words = np.arange(52, dtype=np.float32)
    ir = program.fragment
    assert ir is not None
    index = np.array([1, 0, 0, 0], np.int32)
    result = NumpyStage(ir).run(4, [], [index, words])
    # i = 1: b = words 4..6, c[1] = 12 * 4 / 4; m[1] = words 20..22; s[1].y.y = 47; r column 1 = words 29, 33, 37; d.x
    # = 48
    wanted = np.array([4 + 20 + 29, 5 + 21 + 33, 6 + 22 + 37, 12 + 47 + 48])
    assert result.outputs[0][:, 0].tolist() == wanted.tolist()


def test_block_arrays_are_separate_blocks(link: Link) -> None:
    fragment = "uniform B { vec4 a; } u[2]; void main() { color = u[1].a; }"
    program = link(*es3("void main() { gl_Position = vec4(0); }", fragment))
    assert [block.name for block in program.reflection.blocks] == ["B[0]", "B[1]"]
    assert program.fragment is not None
    assert [area.block for area in program.fragment.areas] == [-1, 1]


def test_dead_varyings_are_removed_and_slots_agree(link: Link) -> None:
    vertex = "attribute vec4 p; varying vec4 dead; varying vec2 v[2]; varying mat2 m; void main() { dead = p * p; v[0] = p.xy; v[1] = p.yx; m = mat2(p); gl_Position = p; }"
    fragment = "precision mediump float; varying vec4 dead; varying vec2 v[2]; varying mat2 m; void main() { gl_FragColor = vec4(v[1], m[1]); }"
    program = link(vertex, fragment)
    assert program.ok, program.log
    assert program.vertex is not None
    assert program.fragment is not None
    assert [o.name for o in program.vertex.outputs if not o.builtin] == ["v", "m"]
    ins = {slot.name: (slot.location, slot.count) for slot in program.fragment.inputs}
    outs = {slot.name: (slot.location, slot.variable.length) for slot in program.vertex.outputs if not slot.builtin}
    assert ins == outs
    assert not any(instr.op == "fmul" for instr in program.vertex.body.instructions())


def test_interpolation_reaches_both_sides(link: Link) -> None:
    program = link(
        *es3(
            "flat out vec2 a; centroid out vec2 b; void main() { a = b = vec2(1); gl_Position = vec4(0); }",
            "flat in vec2 a; centroid in vec2 b; void main() { color = vec4(a, b); }",
        )
    )
    assert program.fragment is not None
    assert program.vertex is not None
    assert [(s.interpolation, s.place) for s in program.fragment.inputs] == [
        (Interpolation.FLAT, Place.CENTER),
        (Interpolation.SMOOTH, Place.CENTROID),
    ]
    assert {o.name: o.interpolation for o in program.vertex.outputs}["a"] == Interpolation.FLAT


def test_transform_feedback(link: Link) -> None:
    vertex = "in vec4 p; out vec3 captured; out vec2 list[3]; out mat2 m; void main() { captured = p.xyz; list[1] = p.xy; m = mat2(p.x); gl_Position = p; }"
    sources = es3(vertex, "void main() { color = vec4(1); }")
    program = link(*sources, transform_feedback=["captured", "gl_Position", "list[1]", "m"])
    assert program.ok, program.log
    assert program.vertex is not None
    found = [
        (f.name, f.type.name, f.size, program.vertex.outputs[f.output].name, f.element)
        for f in program.reflection.feedback
    ]
    assert found == [
        ("captured", "vec3", 1, "captured", 0),
        ("gl_Position", "vec4", 1, "gl_Position", 0),
        ("list[1]", "vec2", 1, "list", 1),
        ("m", "mat2", 1, "m", 0),
    ]
    assert not link(*sources, transform_feedback=["nothing"]).ok
    assert not link(*sources, transform_feedback=["captured", "captured"]).ok


def test_fragment_outputs(link: Link) -> None:
    head = "#version 300 es\nprecision highp float;\n"
    fragment = (
        head
        + "layout(location = 2) out vec4 a; layout(location = 0) out ivec2 b; void main() { a = vec4(1); b = ivec2(2); }"
    )
    program = link(es3("void main() { gl_Position = vec4(0); }", "")[0], fragment)
    assert [(o.name, o.location) for o in program.reflection.fragment_outputs] == [("a", 2), ("b", 0)]
    assert program.fragment is not None
    assert [(o.name, o.location) for o in program.fragment.outputs] == [("a", 2), ("b", 0)]


def test_stage_facts(link: Link) -> None:
    fragment = "precision mediump float; varying vec2 v; void main() { if (v.x > gl_FragCoord.x) discard; gl_FragColor = vec4(1.0); }"
    ir: Any = link(VS, fragment).fragment
    assert (ir.discards, ir.reads_position, ir.writes_depth, ir.uses_derivatives) == (True, True, False, False)


def test_desktop_uniform_initialiser(link: Link) -> None:
    vertex = "#version 330\nuniform vec2 a = vec2(1, 2); void main() { gl_Position = vec4(a, a); }"
    program = link(vertex, "#version 330\nout vec4 c; void main() { c = vec4(1); }")
    assert program.reflection.uniforms[0].initial == (1.0, 2.0)
