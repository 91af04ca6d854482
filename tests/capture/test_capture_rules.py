"""What is read from client memory around single calls, and what is refused because it cannot be seen."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest

from capture.equivalents import EQUIVALENTS
from capture.rules import AFTER, BEFORE
from capture.shadow import BufferShadow, ContextShadow, ShareShadow
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl


class Recorded:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def synthesize(self, name: str, *args: Any) -> None:
        self.calls.append((name, *args))


def after(shadow: ContextShadow, name: str, *raw: Any, values: Any = None, result: Any = None) -> None:
    AFTER[name](shadow, raw, raw if values is None else values, result)


def before(shadow: ContextShadow, name: str, *raw: Any) -> list[tuple[Any, ...]]:
    recorded = Recorded()
    BEFORE[name](recorded, shadow, raw)
    return recorded.calls


VERTICES = np.arange(40, dtype=np.float32)
VERTEX_ADDRESS = VERTICES.ctypes.data


@pytest.fixture
def shadow() -> ContextShadow:
    """Attribute 0: two floats of every four, in client memory."""
    shadow = ContextShadow(ShareShadow())
    after(shadow, "glVertexAttribPointer", 0, 2, gl.GL_FLOAT, 0, 16, VERTEX_ADDRESS)
    after(shadow, "glEnableVertexAttribArray", 0)
    return shadow


def floats(first: int, count: int) -> bytes:
    return VERTICES[first : first + count].tobytes()


def indices(*values: int, kind: str = "B") -> int:
    content = struct.pack(f"{len(values)}{kind}", *values)
    indices.alive = ctypes.create_string_buffer(content, len(content))
    return ctypes.addressof(indices.alive)


def test_arrays_end_with_the_last_element(shadow):
    # Vertices 2..4 with a stride of four floats: the last one has two.
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 2, 3) == [("traceClientArray", 0, 2, floats(8, 10))]
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 0) == []


def test_indices_decide_the_range(shadow):
    draw = (gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_BYTE)
    assert before(shadow, "glDrawElements", *draw, indices(3, 1, 3)) == [("traceClientArray", 0, 1, floats(4, 10))]
    based = before(shadow, "glDrawElementsBaseVertex", *draw, indices(0, 1, 1), 5)
    assert based == [("traceClientArray", 0, 5, floats(20, 6))]


def test_restart_indices_are_no_vertices(shadow):
    after(shadow, "glEnable", gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
    calls = before(shadow, "glDrawElements", gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_BYTE, indices(0, 255, 1))
    assert calls == [("traceClientArray", 0, 0, floats(0, 6))]


def test_indices_in_a_buffer_come_from_its_shadow(shadow):
    after(shadow, "glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 7)
    content = struct.pack("4H", 9, 9, 1, 2)
    after(shadow, "glBufferData", gl.GL_ELEMENT_ARRAY_BUFFER, 8, 1, 0, values=(0, 8, content, 0))
    calls = before(shadow, "glDrawElements", gl.GL_TRIANGLES, 2, gl.GL_UNSIGNED_SHORT, 4)
    assert calls == [("traceClientArray", 0, 1, floats(4, 6))]
    # Beyond the buffer's end: the driver's error, and nothing that could be read.
    assert before(shadow, "glDrawElements", gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_SHORT, 4) == []


def test_divisors_count_instances(shadow):
    after(shadow, "glVertexAttribDivisor", 0, 2)
    calls = before(shadow, "glDrawArraysInstanced", gl.GL_TRIANGLES, 5, 3, 3)
    assert calls == [("traceClientArray", 0, 0, floats(0, 6))]


def test_buffers_and_disabled_arrays_are_not_recorded(shadow):
    after(shadow, "glDisableVertexAttribArray", 0)
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == []
    after(shadow, "glBindBuffer", gl.GL_ARRAY_BUFFER, 3)
    after(shadow, "glVertexAttribPointer", 0, 2, gl.GL_FLOAT, 0, 16, 64)
    after(shadow, "glEnableVertexAttribArray", 0)
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == []


def test_vertex_arrays_keep_their_own_pointers(shadow):
    after(shadow, "glBindVertexArray", 4)
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 1) == []
    after(shadow, "glBindVertexArray", 0)
    assert len(before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 1)) == 1
    after(shadow, "glBindVertexArray", 4)
    after(shadow, "glDeleteVertexArrays", 1, None, values=(1, struct.pack("I", 4)))
    assert len(before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 1)) == 1


def mapped(access: int) -> tuple[ContextShadow, Any]:
    shadow = ContextShadow(ShareShadow())
    after(shadow, "glBindBuffer", gl.GL_ARRAY_BUFFER, 3)
    shadow.share.buffers[3] = BufferShadow(b"0123456789")
    memory = ctypes.create_string_buffer(b"234567", 6)
    after(shadow, "glMapBufferRange", gl.GL_ARRAY_BUFFER, 2, 6, access, result=ctypes.addressof(memory))
    return shadow, memory


def test_a_mapped_range_is_written_back_when_it_is_unmapped():
    shadow, memory = mapped(gl.GL_MAP_WRITE_BIT)
    memory[1] = b"x"
    assert before(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER) == [
        ("traceMappedWrite", gl.GL_ARRAY_BUFFER, 2, b"2x4567")
    ]
    assert bytes(shadow.share.buffers[3].data) == b"012x456789"
    after(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER)
    assert before(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER) == []


def test_explicit_flushes_write_their_range_alone():
    shadow, memory = mapped(gl.GL_MAP_WRITE_BIT | gl.GL_MAP_FLUSH_EXPLICIT_BIT)
    memory[0:6] = b"abcdef"
    assert before(shadow, "glFlushMappedBufferRange", gl.GL_ARRAY_BUFFER, 1, 2) == [
        ("traceMappedWrite", gl.GL_ARRAY_BUFFER, 3, b"bc")
    ]
    assert before(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER) == []


def test_reading_writes_nothing_and_invalidated_memory_is_defined():
    shadow, memory = mapped(gl.GL_MAP_READ_BIT)
    assert before(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER) == []
    assert memory.raw == b"234567"
    _, memory = mapped(gl.GL_MAP_WRITE_BIT | gl.GL_MAP_INVALIDATE_RANGE_BIT)
    assert memory.raw == bytes(6)


def test_persistent_mappings_are_compared_before_each_draw():
    shadow, memory = mapped(gl.GL_MAP_WRITE_BIT | gl.GL_MAP_PERSISTENT_BIT)
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == []
    memory[1], memory[4] = b"x", b"y"
    place = gl.GL_COPY_WRITE_BUFFER
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == [
        ("glBindBuffer", place, 3),
        ("traceMappedWrite", place, 3, b"x45y"),
        ("glBindBuffer", place, 0),
    ]
    assert bytes(shadow.share.buffers[3].data) == b"012x45y789"
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == []
    memory[0] = b"z"
    assert ("traceMappedWrite", place, 2, b"z") in before(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER)
    after(shadow, "glUnmapBuffer", gl.GL_ARRAY_BUFFER)
    memory[0] = b"w"
    assert before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3) == []


def test_changes_that_lie_far_apart_are_written_apart():
    shadow = ContextShadow(ShareShadow())
    after(shadow, "glBindBuffer", gl.GL_ARRAY_BUFFER, 3)
    shadow.share.buffers[3] = BufferShadow(bytes(1000))
    memory = ctypes.create_string_buffer(1000)
    access = gl.GL_MAP_WRITE_BIT | gl.GL_MAP_PERSISTENT_BIT
    after(shadow, "glMapBufferRange", gl.GL_ARRAY_BUFFER, 0, 1000, access, result=ctypes.addressof(memory))
    memory[10], memory[900], memory[902] = b"a", b"b", b"c"
    found = before(shadow, "glFenceSync", gl.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    assert [call[2:] for call in found if call[0] == "traceMappedWrite"] == [(10, b"a"), (900, b"b\0c")]


def test_several_draws_read_the_vertices_of_all(shadow):
    firsts, counts = (struct.pack("3i", *values) for values in ((2, 0, 1), (1, 1, 0)))
    memory = [ctypes.create_string_buffer(each, len(each)) for each in (firsts, counts)]
    addresses = [ctypes.addressof(each) for each in memory]
    one = before(shadow, "glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    assert before(shadow, "glMultiDrawArrays", gl.GL_TRIANGLES, *addresses, 3) == one
    assert before(shadow, "glMultiDrawArrays", gl.GL_TRIANGLES, *addresses, 0) == []


def test_deleting_a_buffer_unbinds_it(shadow):
    after(shadow, "glBindBuffer", gl.GL_PIXEL_UNPACK_BUFFER, 5)
    assert shadow.get_integer(gl.GL_PIXEL_UNPACK_BUFFER_BINDING) == 5
    after(shadow, "glDeleteBuffers", 1, None, values=(1, struct.pack("I", 5)))
    assert shadow.get_integer(gl.GL_PIXEL_UNPACK_BUFFER_BINDING) == 0


def test_pixel_store_keeps_to_what_gl_allows(shadow):
    after(shadow, "glPixelStorei", gl.GL_UNPACK_ALIGNMENT, 3)
    assert shadow.get_integer(gl.GL_UNPACK_ALIGNMENT) == 4
    after(shadow, "glPixelStorei", gl.GL_UNPACK_ALIGNMENT, 1)
    assert shadow.get_integer(gl.GL_UNPACK_ALIGNMENT) == 1


def equivalent(name: str, *raw: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """The driver says: unit 3 is active, all textures are 3D."""

    def function(name: str) -> Any:
        answers = {"glGetIntegerv": gl.GL_TEXTURE0 + 3, "glGetTextureParameteriv": gl.GL_TEXTURE_3D}

        def answer(*arguments: Any) -> None:
            ctypes.c_int.from_address(arguments[-1]).value = answers[name]

        return answer

    return EQUIVALENTS[name].calls(raw, function)


def test_calls_for_the_first_viewport_are_those_that_have_but_one():
    viewports = np.array([[0, 1, 64, 32], [9, 9, 9, 9.5]], "<f4")
    scissors, ranges = np.arange(8, dtype="<i4"), np.array([0.25, 0.75])
    assert equivalent("glViewportArrayv", 0, 1, viewports.ctypes.data) == [("glViewport", (0, 1, 64, 32))]
    assert equivalent("glScissorArrayv", 0, 1, scissors.ctypes.data) == [("glScissor", (0, 1, 2, 3))]
    assert equivalent("glDepthRangeArrayv", 0, 1, ranges.ctypes.data) == [("glDepthRange", (0.25, 0.75))]
    assert equivalent("glViewportArrayv", 1, 1, viewports[1].ctypes.data) == []
    assert equivalent("glScissorIndexedv", 0, scissors.ctypes.data) == [("glScissor", (0, 1, 2, 3))]
    assert equivalent("glViewportIndexedf", 0, 1.0, 2.0, 3.0, 4.0) == [("glViewport", (1, 2, 3, 4))]
    assert equivalent("glDepthRangeIndexed", 1, 0.0, 1.0) == []
    with pytest.raises(UnsupportedCallError, match="between pixels"):
        equivalent("glViewportIndexedf", 0, 0.5, 0.0, 64.0, 64.0)


def test_several_binds_are_single_ones():
    names = np.array([5, 0], "<u4")
    assert equivalent("glBindSamplers", 2, 2, names.ctypes.data) == [
        ("glBindSampler", each) for each in ((2, 5), (3, 0))
    ]
    assert equivalent("glBindSamplers", 2, 1, None) == [("glBindSampler", (2, 0))]
    found = equivalent("glBindTextures", 1, 2, names.ctypes.data)
    targets = (0x0DE1, 0x806F, 0x8513, 0x8C1A, 0x9100, 0x9102, 0x8C2A, 0x9009)
    nothing = [("glBindTexture", (target, 0)) for target in targets]
    assert found == [
        ("glActiveTexture", (gl.GL_TEXTURE0 + 1,)), ("glBindTexture", (gl.GL_TEXTURE_3D, 5)),
        ("glActiveTexture", (gl.GL_TEXTURE0 + 2,)), *nothing, ("glActiveTexture", (gl.GL_TEXTURE0 + 3,)),
    ]  # fmt: skip
    assert equivalent("glBindTextures", 0, 0, None) == []
