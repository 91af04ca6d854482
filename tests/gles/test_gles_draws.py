"""Draw calls: what reaches the backend, and what does not."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from traceformat.calls import Offset
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl


@pytest.fixture
def drawing(es: Any) -> Any:
    """A session with a linked program in use."""
    program = es.glCreateProgram()
    es.glLinkProgram(program)
    es.glUseProgram(program)
    return es


def _index_buffer(es: Any, indices: bytes) -> int:
    name = es.gen("glGenBuffers")
    es.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, name)
    es.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, len(indices), indices, gl.GL_STATIC_DRAW)
    return name


def test_arrays(drawing: Any) -> None:
    drawing.glDrawArrays(gl.GL_TRIANGLE_STRIP, 2, 5)
    (call,) = drawing.backend.last("draw")
    assert (call.mode, call.first, call.count, call.instances) == (gl.GL_TRIANGLE_STRIP, 2, 5, 1)
    assert call.indices is None
    assert call.restart_index is None


def test_indices_from_a_buffer(drawing: Any) -> None:
    _index_buffer(drawing, struct.pack("<6H", 9, 9, 0, 1, 2, 0xFFFF))
    drawing.glEnable(gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
    drawing.glDrawElementsInstanced(gl.GL_TRIANGLES, 4, gl.GL_UNSIGNED_SHORT, Offset(4), 3)
    (call,) = drawing.backend.last("draw")
    assert struct.unpack("<4H", call.indices) == (0, 1, 2, 0xFFFF)
    assert (call.index_offset, call.instances, call.restart_index) == (4, 3, 0xFFFF)
    assert call.index_buffer is drawing.context.vertex_array.element_buffer


def test_indices_beyond_the_buffer_are_left_out(drawing: Any) -> None:
    _index_buffer(drawing, bytes(10))
    drawing.glDrawElements(gl.GL_TRIANGLES, 0x7FFFFFFF, gl.GL_UNSIGNED_INT, Offset(4))
    (call,) = drawing.backend.last("draw")
    assert (call.count, len(call.indices)) == (1, 4)
    drawing.backend.seen.clear()
    drawing.glDrawElements(gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_INT, Offset(1 << 40))
    assert "draw" not in drawing.backend.names()
    assert drawing.error() == 0


def test_client_indices(drawing: Any) -> None:
    drawing.glDrawElements(gl.GL_LINES, 2, gl.GL_UNSIGNED_BYTE, b"\x07\x08")
    (call,) = drawing.backend.last("draw")
    assert bytes(call.indices) == b"\x07\x08"
    assert call.index_buffer is None


def test_client_arrays(drawing: Any) -> None:
    drawing.glEnableVertexAttribArray(1)
    drawing.glVertexAttribPointer(1, 2, gl.GL_FLOAT, 0, 0, None)
    drawing.traceClientArray(1, 3, struct.pack("<4f", 1, 2, 3, 4))
    attrib = drawing.context.vertex_array.attribs[1]
    assert (attrib.client.first, len(attrib.client.data), attrib.effective_stride) == (3, 16, 8)
    # A new pointer: the old contents are not what it points at.
    drawing.glVertexAttribPointer(1, 2, gl.GL_FLOAT, 0, 0, None)
    assert attrib.client is None


def test_indirect(drawing: Any) -> None:
    _index_buffer(drawing, struct.pack("<4H", 5, 6, 7, 8))
    name = drawing.gen("glGenBuffers")
    drawing.glBindBuffer(gl.GL_DRAW_INDIRECT_BUFFER, name)
    commands = struct.pack("<4I", 3, 2, 1, 0) + struct.pack("<IIIiI", 3, 1, 1, -2, 0)
    drawing.glBufferData(gl.GL_DRAW_INDIRECT_BUFFER, len(commands), commands, gl.GL_STATIC_DRAW)
    drawing.glDrawArraysIndirect(gl.GL_POINTS, Offset(0))
    (call,) = drawing.backend.last("draw")
    assert (call.first, call.count, call.instances) == (1, 3, 2)
    drawing.glDrawElementsIndirect(gl.GL_POINTS, gl.GL_UNSIGNED_SHORT, Offset(16))
    (call,) = drawing.backend.last("draw")
    assert struct.unpack("<3H", call.indices) == (6, 7, 8)
    assert call.base_vertex == -2
    drawing.glDrawArraysIndirect(gl.GL_POINTS, Offset(24))
    assert drawing.error() == gl.GL_INVALID_OPERATION
    drawing.glDrawArraysIndirect(gl.GL_POINTS, Offset(2))
    assert drawing.error() == gl.GL_INVALID_VALUE


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("glDrawArrays", (99, 0, 3), gl.GL_INVALID_ENUM),
        ("glDrawArrays", (gl.GL_QUADS, 0, 4), gl.GL_INVALID_ENUM),
        ("glDrawArrays", (gl.GL_TRIANGLES, 0, -1), gl.GL_INVALID_VALUE),
        ("glDrawArrays", (gl.GL_TRIANGLES, -1, 3), gl.GL_INVALID_VALUE),
        ("glDrawArraysInstanced", (gl.GL_TRIANGLES, 0, 3, -1), gl.GL_INVALID_VALUE),
        ("glDrawElements", (gl.GL_TRIANGLES, 3, gl.GL_FLOAT, b"\0\1\2"), gl.GL_INVALID_ENUM),
        ("glDrawElements", (gl.GL_TRIANGLES, -3, gl.GL_UNSIGNED_BYTE, b"\0\1\2"), gl.GL_INVALID_VALUE),
        ("glDrawRangeElements", (gl.GL_TRIANGLES, 2, 1, 3, gl.GL_UNSIGNED_BYTE, b"\0\1\2"), gl.GL_INVALID_VALUE),
    ],
)
def test_errors(drawing: Any, name: str, args: tuple[Any, ...], error: int) -> None:
    drawing.call(name, *args)
    assert drawing.error() == error
    assert "draw" not in drawing.backend.names()


def test_incomplete_framebuffer(drawing: Any) -> None:
    drawing.glBindFramebuffer(gl.GL_FRAMEBUFFER, drawing.gen("glGenFramebuffers"))
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == gl.GL_INVALID_FRAMEBUFFER_OPERATION
    assert "draw" not in drawing.backend.names()


def test_completeness_is_seen_again_after_a_change(drawing: Any) -> None:
    drawing.complete_framebuffer()
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == 0
    drawing.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT16, 8, 8)
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == gl.GL_INVALID_FRAMEBUFFER_OPERATION


def test_mapped_buffers_cannot_be_read(drawing: Any) -> None:
    name = drawing.gen("glGenBuffers")
    drawing.glBindBuffer(gl.GL_ARRAY_BUFFER, name)
    drawing.glBufferData(gl.GL_ARRAY_BUFFER, 64, None, gl.GL_STATIC_DRAW)
    drawing.glVertexAttribPointer(0, 4, gl.GL_FLOAT, 0, 0, Offset(0))
    drawing.glEnableVertexAttribArray(0)
    drawing.glMapBufferRange(gl.GL_ARRAY_BUFFER, 0, 64, gl.GL_MAP_WRITE_BIT)
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == gl.GL_INVALID_OPERATION
    drawing.glDisableVertexAttribArray(0)
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == 0


def test_without_program_nothing_is_drawn(es: Any) -> None:
    es.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert es.error() == 0
    assert "draw" not in es.backend.names()


def test_transform_feedback_constrains_modes(drawing: Any) -> None:
    drawing.context.program.executable.reflection.feedback.append(object())
    drawing.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, drawing.gen("glGenBuffers"))
    drawing.glBeginTransformFeedback(gl.GL_TRIANGLES)
    assert drawing.error() == 0
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == gl.GL_INVALID_OPERATION
    drawing.glDrawElements(gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_BYTE, b"\0\1\2")
    assert drawing.error() == gl.GL_INVALID_OPERATION
    drawing.glUseProgram(0)
    assert drawing.error() == gl.GL_INVALID_OPERATION
    drawing.glPauseTransformFeedback()
    drawing.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert drawing.error() == 0
    drawing.glResumeTransformFeedback()
    drawing.glEndTransformFeedback()
    drawing.glEndTransformFeedback()
    assert drawing.error() == gl.GL_INVALID_OPERATION


def test_quads_of_desktop_gl_are_named_as_not_portable(desktop: Any) -> None:
    with pytest.raises(UnsupportedCallError, match="GL_QUADS is not portable"):
        desktop.glDrawArrays(gl.GL_QUADS, 0, 4)


def test_core_contexts_need_a_vertex_array(desktop: Any) -> None:
    desktop.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert desktop.error() == gl.GL_INVALID_OPERATION


def test_restart_index_of_desktop_gl(desktop: Any) -> None:
    program = desktop.glCreateProgram()
    desktop.glLinkProgram(program)
    desktop.glUseProgram(program)
    desktop.glBindVertexArray(desktop.gen("glGenVertexArrays"))
    _index_buffer(desktop, bytes(4))
    desktop.glEnable(gl.GL_PRIMITIVE_RESTART)
    desktop.glPrimitiveRestartIndex(-1)
    desktop.glDrawElementsBaseVertex(gl.GL_POINTS, 1, gl.GL_UNSIGNED_INT, Offset(0), 7)
    (call,) = desktop.backend.last("draw")
    assert (call.restart_index, call.base_vertex) == (0xFFFFFFFF, 7)


def test_attribute_state(es: Any) -> None:
    es.glVertexAttribPointer(2, 3, gl.GL_SHORT, 1, 10, b"client")
    es.glVertexAttribDivisorANGLE(2, 4)
    attrib = es.context.vertex_array.attribs[2]
    assert (attrib.element_bytes, attrib.effective_stride, attrib.normalized, attrib.divisor) == (6, 10, True, 4)
    es.glVertexAttribPointer(2, 4, gl.GL_INT_2_10_10_10_REV, 0, 0, None)
    assert attrib.effective_stride == 4
    es.glVertexAttribI4ui(1, 1, 2, 3, 0xFFFFFFFF)
    current = es.context.generic_attribs[1]
    assert (current.values, current.type) == ((1, 2, 3, 0xFFFFFFFF), gl.GL_UNSIGNED_INT)
    es.glVertexAttrib2fv(1, struct.pack("<2f", 0.5, -0.5))
    assert es.context.generic_attribs[1].values == (0.5, -0.5, 0.0, 1.0)
    es.glBindVertexArray(es.gen("glGenVertexArrays"))
    es.glVertexAttribPointer(0, 4, gl.GL_FLOAT, 0, 0, Offset(16))
    assert es.error() == gl.GL_INVALID_OPERATION
    # Current values are the context's, not the vertex array's.
    assert es.context.generic_attribs[1].values == (0.5, -0.5, 0.0, 1.0)


def test_binding_points(es: Any) -> None:
    es.glBindVertexArray(es.gen("glGenVertexArrays"))
    first, second = es.gen("glGenBuffers", 2), 2
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, first)
    es.glVertexAttribPointer(0, 2, gl.GL_FLOAT, 0, 0, Offset(4))
    attribs = es.context.vertex_array.attribs
    es.glVertexAttribFormat(1, 4, gl.GL_UNSIGNED_BYTE, 1, 12)
    es.glVertexAttribFormat(2, 2, gl.GL_FLOAT, 0, 16)
    es.glVertexAttribBinding(1, 5)
    es.glVertexAttribBinding(2, 5)
    es.glBindVertexBuffer(5, second, 100, 24)
    es.glVertexBindingDivisor(5, 3)
    assert [(a.buffer.name, a.offset, a.effective_stride, a.divisor) for a in attribs[:3]] == [
        (first, 4, 8, 0),
        (second, 112, 24, 3),
        (second, 116, 24, 3),
    ]
    es.glBindVertexBuffer(5, second, 0, 0)
    assert attribs[1].effective_stride == 0
    # A pointer takes its attribute back to the point of its own number.
    es.glVertexAttribPointer(1, 2, gl.GL_FLOAT, 0, 16, Offset(0))
    assert (attribs[1].buffer.name, attribs[1].offset, attribs[1].effective_stride, attribs[1].divisor) == (1, 0, 16, 0)
    es.glVertexAttribDivisor(2, 7)
    assert (attribs[2].binding, attribs[2].divisor, attribs[2].buffer) == (2, 7, None)
    es.glVertexAttribBinding(2, 5)
    assert attribs[2].divisor == 3
    es.glDeleteBuffers(1, struct.pack("<I", second))
    assert attribs[2].buffer is None
    assert es.error() == 0
    es.glBindVertexBuffer(99, first, 0, 0)
    assert es.error() == gl.GL_INVALID_VALUE
    es.glVertexAttribFormat(1, 4, gl.GL_UNSIGNED_BYTE, 1, 4000)
    assert es.error() == gl.GL_INVALID_VALUE


@pytest.mark.parametrize(
    ("name", "args", "values"),
    [
        ("glVertexAttrib1f", (0.5,), (0.5, 0.0, 0.0, 1.0)),
        ("glVertexAttrib3f", (0.5, 1.5, 2.5), (0.5, 1.5, 2.5, 1.0)),
        ("glVertexAttrib4fv", (struct.pack("<4f", 1, 2, 3, 4),), (1.0, 2.0, 3.0, 4.0)),
        ("glVertexAttrib2dv", (struct.pack("<2d", 1, 2),), (1.0, 2.0, 0.0, 1.0)),
        ("glVertexAttrib3sv", (struct.pack("<3h", -1, 2, 3),), (-1.0, 2.0, 3.0, 1.0)),
        ("glVertexAttrib4Nub", (255, 0, 51, 255), (1.0, 0.0, 0.2, 1.0)),
        ("glVertexAttrib4Nbv", (struct.pack("<4b", 127, -127, -128, 0),), (1.0, -1.0, -1.0, 0.0)),
        ("glVertexAttribI2i", (-5, 6), (-5, 6, 0, 1)),
        ("glVertexAttribI4ubv", (b"\x01\x02\x03\xff",), (1, 2, 3, 255)),
    ],
)
def test_current_values(desktop: Any, name: str, args: tuple[Any, ...], values: tuple[float, ...]) -> None:
    desktop.call(name, 3, *args)
    assert desktop.error() == 0
    assert desktop.context.generic_attribs[3].values == values
    desktop.call(name, 99, *args)
    assert desktop.error() == gl.GL_INVALID_VALUE
