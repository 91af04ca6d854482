"""The canonical form: what drivers choose is gone, what programs say is there."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.tools.canonical import canonical

CONTEXT = ("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))


def lines(calls: Sequence[tuple]) -> list[str]:
    made = []
    for number, (name, args, *rest) in enumerate([CONTEXT, *calls]):
        outputs, result = [*rest, {}, None][:2] if rest else ({}, None)
        made.append(Call(number, name, 1, 1 if number else 0, 0, args, outputs, result))
    return list(canonical(made))[1:]


def names(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def test_names_by_order_of_creation():
    def program(first: int, second: int) -> list[str]:
        return lines(
            [
                ("glGenTextures", (2, None), {"textures": names(first, second)}),
                ("glBindTexture", (gl.GL_TEXTURE_2D, second)),
                ("glDeleteTextures", (1, names(first))),
            ]
        )

    assert program(1, 2) == program(70, 12)
    assert program(1, 2)[1:] == [
        "t1 c1 glBindTexture(GL_TEXTURE_2D, texture#2)",
        "t1 c1 glDeleteTextures(1, [texture#1])",
    ]


def test_uniforms_by_program_name_and_element():
    def program(color: int, lights: int) -> list[str]:
        return lines(
            [
                ("glCreateProgram", (), {}, 3),
                ("glGetUniformLocation", (3, "color"), {}, color),
                ("glGetUniformLocation", (3, "lights[0]"), {}, lights),
                ("glUseProgram", (3,)),
                ("glUniform1f", (color, 0.5)),
                ("glUniform1f", (lights + 2, 1.0)),
                ("glUniform1f", (-1, 1.0)),
            ]
        )

    assert program(0, 1) == program(9, 4)
    assert program(0, 1)[2:] == [
        "t1 c1 glUniform1f(program#1.color, 0.5)",
        "t1 c1 glUniform1f(program#1.lights[2], 1.0)",
        "t1 c1 glUniform1f(-1, 1.0)",
    ]


def test_attributes_by_name_at_the_draw():
    def program(place: int, shade: int) -> list[str]:
        return lines(
            [
                ("glCreateProgram", (), {}, 3),
                ("glGetAttribLocation", (3, "place"), {}, place),
                ("glGetAttribLocation", (3, "shade"), {}, shade),
                ("glGenBuffers", (1, None), {"buffers": names(5)}),
                ("glBindBuffer", (gl.GL_ARRAY_BUFFER, 5)),
                ("glEnableVertexAttribArray", (place,)),
                ("glVertexAttribPointer", (place, 2, gl.GL_FLOAT, 0, 8, Offset(16))),
                ("glVertexAttrib1f", (shade, 0.25)),
                ("glUseProgram", (3,)),
                ("glDrawArrays", (gl.GL_TRIANGLES, 0, 3)),
            ]
        )

    assert program(0, 1) == program(1, 0)
    assert program(0, 1)[-1] == (
        "t1 c1 glDrawArrays(GL_TRIANGLES, 0, 3)"
        "; place = glVertexAttribPointer(2, GL_FLOAT, 0, 8, +16) of buffer#1; shade = glVertexAttrib1f('0.25',)"
    )


def test_a_difference_of_the_program_shows():
    one = lines([("glClearColor", (0.0, 0.0, 0.0, 1.0)), ("glClear", (0x4000,))])
    other = lines([("glClearColor", (0.0, 0.0, 0.5, 1.0)), ("glClear", (0x4000,))])
    assert [a == b for a, b in zip(one, other, strict=True)] == [False, True]


def test_queries_results_and_group_ids_are_gone():
    def program(group: int, pixels: bytes) -> list[str]:
        return lines(
            [
                ("glGetIntegerv", (gl.GL_VIEWPORT, None), {"data": names(group)}),
                ("glPushDebugGroup", (gl.GL_DEBUG_SOURCE_APPLICATION, group, -1, "crates")),
                ("glReadPixels", (0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None), {"pixels": pixels}),
            ]
        )

    assert program(3, b"1234") == program(8, b"5678")
    assert len(program(3, b"1234")) == 2
    assert "crates" in program(3, b"1234")[0]
