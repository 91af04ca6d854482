"""Blocks of outputs and inputs (GLSL 1.50 §4.3.7): they match by block name and carry values between the stages."""

from __future__ import annotations

import numpy as np
import pytest

from replay.glsl import CompileOptions, Program, compile_shader, link_program
from replay.glsl.compiler import link_stage
from replay.glsl.conformance.pipeline import LlvmExecutor, NumpyExecutor, draw_rectangle
from replay.glsl.ir import Interpolation, Place

STRUCT = "struct S { vec2 p; float q[2]; }; "
OPTIONS = CompileOptions(es=False)


def link(vertex: str, vertex_body: str, fragment: str, fragment_body: str, **options: object) -> Program:
    texts = (
        f"#version 150\nin vec4 dEQP_Position; {vertex} void main() {{ {vertex_body} gl_Position = dEQP_Position; }}",
        f"#version 150\nout vec4 c; {fragment} void main() {{ {fragment_body} }}",
    )
    shaders = [compile_shader(text, stage, OPTIONS) for text, stage in zip(texts, ("vertex", "fragment"), strict=True)]
    assert all(shader.ok for shader in shaders), "".join(shader.log for shader in shaders)
    return link_program(shaders, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("executor", [NumpyExecutor, LlvmExecutor])
@pytest.mark.parametrize(
    ("vertex", "vertex_body", "fragment", "fragment_body", "expected"),
    [
        ("out B { vec4 a; } o;", "o.a = dEQP_Position * 2.0;", "in B { vec4 a; } i;", "c = i.a;", (2.0, 2.0)),
        ("out B { vec4 a; };", "a = dEQP_Position;", "in B { vec4 a; } i;", "c = i.a * 3.0;", (3.0, 3.0)),
        ("out B { vec4 a; } o;", "o.a = dEQP_Position;", "in B { vec4 a; };", "c = a;", (1.0, 1.0)),
        (
            "out B { vec2 a; mat2 m; } o[2];",
            "o[0].m = mat2(dEQP_Position.x); o[1].a = dEQP_Position.yx * 5.0; o[0].a = vec2(0.0);",
            "in B { vec2 a; mat2 m; } i[2];",
            "int k = int(gl_FragCoord.w); c = vec4(i[0].m[0][0], i[k].a.x, 0.0, 0.0);",
            (1.0, 5.0),
        ),
        (
            STRUCT + "out B { S s; } o;",
            "o.s.p = dEQP_Position.xy; o.s.q[1] = dEQP_Position.y * 4.0;",
            STRUCT + "in B { S s; } i;",
            "c = vec4(i.s.p.x, i.s.q[1], 0.0, 0.0);",
            (1.0, 4.0),
        ),
    ],
)
def test_values_cross(
    executor: type, vertex: str, vertex_body: str, fragment: str, fragment_body: str, expected: tuple[float, float]
) -> None:
    program = link(vertex, vertex_body, fragment, fragment_body)
    assert program.ok, program.log
    colors, _ = draw_rectangle(program, executor(), (-1.0, -1.0, 2.0, 2.0), (4, 4), {}, {}, 1)
    ramp = (np.arange(4) + 0.5) / 2 - 1
    by_column = np.broadcast_to(ramp, (4, 4))
    second = by_column.T
    np.testing.assert_allclose(colors[0, ..., 0], by_column * expected[0], atol=1e-6)
    np.testing.assert_allclose(colors[0, ..., 1], second * expected[1], atol=1e-6)


@pytest.mark.parametrize(
    ("vertex", "fragment", "body", "message"),
    [
        ("out B { vec4 a; } o;", "in B { vec3 a; } i;", "c = i.a.xyzz;", "block 'B' is declared differently"),
        ("out B { vec4 a; } o;", "in B { vec4 a, b; } i;", "c = i.a;", "block 'B' is declared differently"),
        ("out B { vec4 a; } o;", "in B { flat vec4 a; } i;", "c = i.a;", "block 'B' is declared differently"),
        ("out B { vec4 a; } o[2];", "in B { vec4 a; } i[3];", "c = i[1].a;", "block 'B' is declared differently"),
        ("out B { vec4 a; } o;", "in C { vec4 a; } i;", "c = i.a;", "no output block"),
        ("out B { vec4 a; } o;", "in C { vec4 a; } i;", "c = vec4(1.0);", ""),
        ("out B { vec4 a; };", "in vec4 a;", "c = a;", "input 'a' of the fragment shader is no output"),
        ("out B { vec4 a; };", "", "c = vec4(1.0);", ""),
    ],
)
def test_matching(vertex: str, fragment: str, body: str, message: str) -> None:
    program = link(vertex, "", fragment, body)
    assert program.ok == (not message), program.log
    assert message in program.log


def test_members_are_interpolated_as_they_say() -> None:
    members = "{ flat int a; noperspective vec2 b; centroid vec2 d; vec2 e; }"
    program = link(
        f"out B {members} o;", "o.a = 1; o.b = o.d = o.e = vec2(1.0);",
        f"in B {members} i;", "c = vec4(i.a, i.b.x, i.d.x, i.e.x);",
    )  # fmt: skip
    assert program.fragment is not None
    found = {slot.name: (slot.interpolation, slot.place) for slot in program.fragment.inputs}
    assert found == {
        "B.a": (Interpolation.FLAT, Place.CENTER),
        "B.b": (Interpolation.NOPERSPECTIVE, Place.CENTER),
        "B.d": (Interpolation.SMOOTH, Place.CENTROID),
        "B.e": (Interpolation.SMOOTH, Place.CENTER),
    }


def test_transform_feedback_names() -> None:
    instance = link(
        "out B { vec4 a; vec2 b; } o;", "o.a = o.b.xyxy;", "", "c = vec4(1.0);", transform_feedback=["B.a", "B.b"]
    )
    assert [(v.name, v.size) for v in instance.reflection.feedback] == [("B.a", 1), ("B.b", 1)]
    alone = link("out B { vec4 a; };", "a = vec4(1.0);", "", "c = vec4(1.0);", transform_feedback=["a"])
    assert alone.ok, alone.log
    assert alone.reflection.feedback[0].name == "a"


def test_a_stage_alone_keeps_what_it_puts_out() -> None:
    text = "#version 150\nout B { vec4 a; } o; void main() { o.a = vec4(gl_VertexID); gl_Position = vec4(0.0); }"
    program = link_stage(compile_shader(text, "vertex", OPTIONS))
    assert program.vertex is not None
    assert "B.a" in [output.name for output in program.vertex.outputs]
