"""Buffer objects against a plain dictionary of bytes, and their errors."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traceformat.calls import Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.limits import Limits

TARGETS = [gl.GL_ARRAY_BUFFER, gl.GL_COPY_READ_BUFFER, gl.GL_COPY_WRITE_BUFFER, gl.GL_UNIFORM_BUFFER]


@st.composite
def _operations(draw: st.DrawFn) -> list[tuple[str, tuple[object, ...]]]:
    operations: list[tuple[str, tuple[object, ...]]] = []
    for _ in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from(["bind", "data", "sub", "copy", "write", "delete"]))
        target = draw(st.sampled_from(TARGETS))
        offset, size = draw(st.integers(-2, 24)), draw(st.integers(-2, 24))
        blob = draw(st.binary(min_size=max(size, 0), max_size=max(size, 0)))
        other = draw(st.sampled_from(TARGETS))
        name = draw(st.integers(0, 4))
        arguments = {
            "bind": (target, name),
            "data": (target, size, blob),
            "sub": (target, offset, size, blob),
            "copy": (target, other, offset, draw(st.integers(-2, 24)), size),
            "write": (target, offset, size, blob),
            "delete": (name,),
        }
        operations.append((kind, arguments[kind]))
    return operations


class Model:
    """What buffers are: names to bytes, targets to names."""

    def __init__(self) -> None:
        self.bytes: dict[int, bytearray] = {}
        self.bound: dict[int, int] = dict.fromkeys(TARGETS, 0)

    def apply(self, kind: str, args: tuple[object, ...]) -> int:
        """Apply an operation; returns the error."""
        if kind == "bind":
            target, name = args
            self.bound[target] = name
            if name:
                self.bytes.setdefault(name, bytearray())
            return 0
        if kind == "delete":
            self.bytes.pop(args[0], None)
            self.bound = {target: 0 if name == args[0] else name for target, name in self.bound.items()}
            return 0
        name = self.bound[args[0]]
        if not name:
            return gl.GL_INVALID_OPERATION
        if kind == "data":
            _, size, blob = args
            if size < 0:
                return gl.GL_INVALID_VALUE
            self.bytes[name] = bytearray(blob)
            return 0
        if kind in ("sub", "write"):
            _, offset, size, blob = args
            if offset < 0 or size < 0 or offset + size > len(self.bytes[name]):
                return gl.GL_INVALID_VALUE
            if kind == "write" and size == 0:
                return gl.GL_INVALID_OPERATION
            self.bytes[name][offset : offset + size] = blob
            return 0
        _, other, read, write, size = args
        target = self.bound[other]
        if not target:
            return gl.GL_INVALID_OPERATION
        source_end, target_end = len(self.bytes[name]), len(self.bytes[target])
        if min(read, write, size) < 0 or read + size > source_end or write + size > target_end:
            return gl.GL_INVALID_VALUE
        if name == target and abs(read - write) < size:
            return gl.GL_INVALID_VALUE
        self.bytes[target][write : write + size] = self.bytes[name][read : read + size]
        return 0


def _execute(es: Any, kind: str, args: tuple[object, ...]) -> int:
    if kind == "bind":
        es.glBindBuffer(*args)
    elif kind == "data":
        es.glBufferData(*args, gl.GL_STATIC_DRAW)
    elif kind == "sub":
        es.glBufferSubData(*args)
    elif kind == "copy":
        es.glCopyBufferSubData(*args)
    elif kind == "delete":
        es.glDeleteBuffers(1, struct.pack("<I", args[0]))
    else:
        target, offset, size, blob = args
        es.glMapBufferRange(target, offset, size, gl.GL_MAP_WRITE_BIT)
        error = es.error()
        if error:
            return error
        es.traceMappedWrite(target, offset, blob)
        es.glUnmapBuffer(target)
    return es.error()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=_operations())
def test_operations_against_a_plain_model(session: Any, operations: list[tuple[str, tuple[object, ...]]]) -> None:
    es, model = session(), Model()
    for kind, args in operations:
        assert _execute(es, kind, args) == model.apply(kind, args), (kind, args)
        stores = {name: bytes(buffer.store) for name, buffer in es.context.group.buffers.objects.items() if buffer}
        assert stores == {name: bytes(data) for name, data in model.bytes.items()}


@pytest.fixture
def bound(es: Any) -> Any:
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, es.gen("glGenBuffers"))
    es.glBufferData(gl.GL_ARRAY_BUFFER, 16, bytes(range(16)), gl.GL_STATIC_DRAW)
    return es


_READ, _WRITE = gl.GL_MAP_READ_BIT, gl.GL_MAP_WRITE_BIT


@pytest.mark.parametrize(
    ("offset", "length", "access", "error"),
    [
        (0, 16, _READ, 0),
        (4, 4, _WRITE | gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_FLUSH_EXPLICIT_BIT, 0),
        (-1, 4, _READ, gl.GL_INVALID_VALUE),
        (8, 9, _READ, gl.GL_INVALID_VALUE),
        (0, 4, 0x8000, gl.GL_INVALID_VALUE),
        (0, 0, _READ, gl.GL_INVALID_OPERATION),
        (0, 4, 0, gl.GL_INVALID_OPERATION),
        (0, 4, _READ | gl.GL_MAP_INVALIDATE_BUFFER_BIT, gl.GL_INVALID_OPERATION),
        (0, 4, _READ | gl.GL_MAP_FLUSH_EXPLICIT_BIT, gl.GL_INVALID_OPERATION),
        (0, 4, _READ | gl.GL_MAP_PERSISTENT_BIT, gl.GL_INVALID_VALUE),
    ],
)
def test_map_buffer_range(bound: Any, offset: int, length: int, access: int, error: int) -> None:
    result = bound.glMapBufferRange(gl.GL_ARRAY_BUFFER, offset, length, access)
    if error:
        assert result is None
        assert bound.outputs == {}
    else:
        assert bound.outputs["result"] == bytes(range(offset, offset + length))
    assert bound.error() == error


def test_a_mapped_buffer_is_locked(bound: Any) -> None:
    bound.glMapBufferRange(gl.GL_ARRAY_BUFFER, 0, 16, _WRITE | gl.GL_MAP_FLUSH_EXPLICIT_BIT)
    bound.glBufferSubData(gl.GL_ARRAY_BUFFER, 0, 1, b"x")
    assert bound.error() == gl.GL_INVALID_OPERATION
    bound.glMapBufferRange(gl.GL_ARRAY_BUFFER, 0, 16, _WRITE)
    assert bound.error() == gl.GL_INVALID_OPERATION
    bound.glFlushMappedBufferRange(gl.GL_ARRAY_BUFFER, 8, 9)
    assert bound.error() == gl.GL_INVALID_VALUE
    bound.traceMappedWrite(gl.GL_ARRAY_BUFFER, 8, b"new!")
    assert bound.glUnmapBuffer(gl.GL_ARRAY_BUFFER) == gl.GL_TRUE
    assert bound.context.buffers[gl.GL_ARRAY_BUFFER].store[6:13] == b"\x06\x07new!\x0c"
    bound.glUnmapBuffer(gl.GL_ARRAY_BUFFER)
    assert bound.error() == gl.GL_INVALID_OPERATION
    with pytest.raises(ReplayError, match="does not exist"):
        bound.traceMappedWrite(gl.GL_ARRAY_BUFFER, 0, b"late")


def test_new_data_unmaps(bound: Any) -> None:
    bound.glMapBufferRange(gl.GL_ARRAY_BUFFER, 0, 16, _WRITE)
    assert bound.tracker.num_mapped == 1
    bound.glBufferData(gl.GL_ARRAY_BUFFER, 4, None, gl.GL_STATIC_DRAW)
    assert bound.tracker.num_mapped == 0
    assert bound.error() == 0


def test_a_deleted_buffer_lives_on_where_another_vertex_array_reads_it(es: Any) -> None:
    name = es.gen("glGenBuffers")
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, name)
    es.glBufferData(gl.GL_ARRAY_BUFFER, 4, b"keep", gl.GL_STATIC_DRAW)
    first, second = es.gen("glGenVertexArrays", 2), 2
    for array in (first, second):
        es.glBindVertexArray(array)
        es.glVertexAttribPointer(0, 4, gl.GL_UNSIGNED_BYTE, 0, 0, Offset(0))
    es.glDeleteBuffers(1, struct.pack("<I", name))
    assert es.glIsBuffer(name) == 0
    assert es.context.vertex_array.attribs[0].buffer is None
    es.glBindVertexArray(first)
    assert es.context.vertex_array.attribs[0].buffer.store == b"keep"
    # The name is free again, and means another buffer.
    assert es.gen("glGenBuffers") == name


@pytest.mark.parametrize(
    ("target", "index", "offset", "size", "error"),
    [
        (gl.GL_UNIFORM_BUFFER, 1, 16, 16, 0),
        (gl.GL_UNIFORM_BUFFER, 1, 4, 16, gl.GL_INVALID_VALUE),
        (gl.GL_UNIFORM_BUFFER, 1, 0, 0, gl.GL_INVALID_VALUE),
        (gl.GL_UNIFORM_BUFFER, 999, 0, 16, gl.GL_INVALID_VALUE),
        (gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 4, 8, 0),
        (gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 4, 7, gl.GL_INVALID_VALUE),
        (gl.GL_ARRAY_BUFFER, 0, 0, 4, gl.GL_INVALID_ENUM),
    ],
)
def test_indexed_binding(es: Any, target: int, index: int, offset: int, size: int, error: int) -> None:
    name = es.gen("glGenBuffers")
    es.glBindBufferRange(target, index, name, offset, size)
    assert es.error() == error
    points = es.context.uniform_buffers if target == gl.GL_UNIFORM_BUFFER else es.context.transform_feedback.bindings
    if not error:
        assert (points[index].buffer.name, points[index].offset, points[index].size) == (name, offset, size)
    else:
        assert all(point.buffer is None for point in points)


def test_sizes_beyond_the_limits_are_out_of_memory(session: Any) -> None:
    es = session(gles_limits=Limits(max_buffer_bytes=1000, max_total_bytes=64 * 48 * 8 + 1500))
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, es.gen("glGenBuffers"))
    es.glBufferData(gl.GL_ARRAY_BUFFER, 1001, None, gl.GL_STATIC_DRAW)
    assert es.error() == gl.GL_OUT_OF_MEMORY
    es.glBufferData(gl.GL_ARRAY_BUFFER, 1000, None, gl.GL_STATIC_DRAW)
    assert es.error() == 0
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, es.gen("glGenBuffers"))
    es.glBufferData(gl.GL_ARRAY_BUFFER, 1000, None, gl.GL_STATIC_DRAW)
    assert es.error() == gl.GL_OUT_OF_MEMORY
    es.glDeleteBuffers(1, struct.pack("<I", 1))
    es.glBufferData(gl.GL_ARRAY_BUFFER, 1000, None, gl.GL_STATIC_DRAW)
    assert es.error() == 0


def test_data_shorter_than_the_call_says_is_a_bad_trace(bound: Any) -> None:
    with pytest.raises(ReplayError, match=r"call \d+ glBufferData: content has 3 bytes, the call reads 16"):
        bound.glBufferData(gl.GL_ARRAY_BUFFER, 16, b"abc", gl.GL_STATIC_DRAW)
    assert bound.context.buffers[gl.GL_ARRAY_BUFFER].store == bytes(range(16))


def test_parameters(bound: Any) -> None:
    def parameter(pname: int) -> int:
        bound.glGetBufferParameteriv(gl.GL_ARRAY_BUFFER, pname, None)
        (value,) = struct.unpack("<i", bound.outputs["params"])
        return value

    assert parameter(gl.GL_BUFFER_SIZE) == 16
    assert parameter(gl.GL_BUFFER_USAGE) == gl.GL_STATIC_DRAW
    bound.glMapBufferRange(gl.GL_ARRAY_BUFFER, 4, 8, _READ)
    assert [parameter(p) for p in (gl.GL_BUFFER_MAPPED, gl.GL_BUFFER_MAP_OFFSET, gl.GL_BUFFER_MAP_LENGTH)] == [1, 4, 8]
    assert parameter(gl.GL_BUFFER_ACCESS_FLAGS) == _READ


def test_immutable_storage(es: Any) -> None:
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, es.gen("glGenBuffers"))
    es.glBufferStorageEXT(gl.GL_ARRAY_BUFFER, 4, b"abcd", gl.GL_MAP_READ_BIT)
    assert es.error() == 0
    es.glBufferSubData(gl.GL_ARRAY_BUFFER, 0, 1, b"x")
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glBufferData(gl.GL_ARRAY_BUFFER, 4, None, gl.GL_STATIC_DRAW)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glMapBufferRange(gl.GL_ARRAY_BUFFER, 0, 4, _WRITE)
    assert es.error() == gl.GL_INVALID_OPERATION
    assert es.glMapBufferOES(gl.GL_ARRAY_BUFFER, gl.GL_READ_ONLY) is None
    assert es.error() == gl.GL_INVALID_ENUM
