"""What single entry points need besides their arguments: shadow state, client arrays, mapped memory.

``BEFORE[name]`` runs before the driver sees the call, ``AFTER[name]`` when it has returned. Names are canonical
(without vendor suffix); ``raw`` are the C values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from capture.shadow import LIST_LENGTHS, BufferShadow, ContextShadow, MappedRange, VertexArrayShadow, VertexPointer
from traceformat.calls import Value
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl

__all__ = ["AFTER", "BEFORE", "DRAWS", "Synthesizer"]


class Synthesizer(Protocol):
    """Who writes the calls that the program did not make."""

    def synthesize(self, name: str, *args: Value) -> None:
        """Write a trace command with the SYNTHETIC flag; the null driver executes it too."""


Before = Callable[[Synthesizer, ContextShadow, Sequence[Any]], None]
#: (shadow, raw arguments, recorded arguments, result)
After = Callable[[ContextShadow, Sequence[Any], Sequence[Value], Any], None]

BEFORE: Final[dict[str, Before]] = {}
AFTER: Final[dict[str, After]] = {}


def _after(*names: str) -> Callable[[After], After]:
    def register(function: After) -> After:
        for name in names:
            AFTER[name] = function
        return function

    return register


def _before(*names: str) -> Callable[[Before], Before]:
    def register(function: Before) -> Before:
        for name in names:
            BEFORE[name] = function
        return function

    return register


# -- pixel store, bindings, vertex arrays ------------------------------------------------------------------------------


@_after("glPixelStorei", "glPixelStoref")
def _pixel_store(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    value = int(raw[1])
    if value >= 0 and (raw[0] not in (gl.GL_UNPACK_ALIGNMENT, gl.GL_PACK_ALIGNMENT) or value in (1, 2, 4, 8)):
        shadow.pixel_store[raw[0]] = value


@_after("glGetIntegerv")
def _list_length(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    if raw[0] in LIST_LENGTHS and raw[1]:
        shadow.list_lengths[raw[0]] = max(0, ctypes.c_int.from_address(raw[1]).value)


@_after("glBindBuffer")
def _bind_buffer(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    target, name = raw
    if target == gl.GL_ELEMENT_ARRAY_BUFFER:
        shadow.vertex_array.element_buffer = name
    else:
        shadow.bindings[target] = name


@_after("glBindBufferBase", "glBindBufferRange")
def _bind_indexed(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.bindings[raw[0]] = raw[2]


def _names(content: Value) -> list[int]:
    return np.frombuffer(content, "<u4").tolist() if isinstance(content, bytes) else []


@_after("glDeleteBuffers")
def _delete_buffers(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    for name in _names(values[1]):
        if name == 0:
            continue
        shadow.share.buffers.pop(name, None)
        for target in [target for target, bound in shadow.bindings.items() if bound == name]:
            shadow.bindings[target] = 0
        array = shadow.vertex_array
        if array.element_buffer == name:
            array.element_buffer = 0
        for index, pointer in array.pointers.items():
            if pointer.buffer == name:
                pointer.buffer = pointer.address = 0
                array.refresh(index)


@_after("glBindVertexArray")
def _bind_vertex_array(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.vertex_array = shadow.vertex_arrays.setdefault(raw[0], VertexArrayShadow())


@_after("glDeleteVertexArrays")
def _delete_vertex_arrays(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    for name in _names(values[1]):
        if name and shadow.vertex_arrays.pop(name, None) is shadow.vertex_array:
            shadow.vertex_array = shadow.vertex_arrays[0]


@_after("glVertexAttribPointer", "glVertexAttribIPointer")
def _attribute_pointer(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    pointer = shadow.vertex_array.pointer(raw[0])
    pointer.size, pointer.type = raw[1], raw[2]
    pointer.stride, pointer.address = raw[-2], raw[-1] or 0
    pointer.buffer = shadow.bindings.get(gl.GL_ARRAY_BUFFER, 0)
    shadow.vertex_array.refresh(raw[0])


@_after("glEnableVertexAttribArray")
def _enable_array(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.vertex_array.pointer(raw[0]).enabled = True
    shadow.vertex_array.refresh(raw[0])


@_after("glDisableVertexAttribArray")
def _disable_array(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.vertex_array.pointer(raw[0]).enabled = False
    shadow.vertex_array.refresh(raw[0])


@_after("glVertexAttribDivisor")
def _divisor(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.vertex_array.pointer(raw[0]).divisor = raw[1]


def _switch_restart(is_on: bool) -> After:
    def after(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
        if raw[0] == gl.GL_PRIMITIVE_RESTART_FIXED_INDEX:
            shadow.restart_fixed = is_on
        elif raw[0] == gl.GL_PRIMITIVE_RESTART:
            shadow.primitive_restart = is_on

    return after


AFTER["glEnable"] = _switch_restart(True)
AFTER["glDisable"] = _switch_restart(False)


@_after("glPrimitiveRestartIndex")
def _restart_index(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    shadow.restart_index = raw[0]


# -- contents of buffers -----------------------------------------------------------------------------------------------


@_after("glBufferData", "glBufferStorage")
def _buffer_data(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    buffer = shadow.bound_buffer(raw[0])
    size, content = raw[1], values[2]
    if buffer is not None and size >= 0:
        buffer.data = content if isinstance(content, bytes) else bytes(size)
        buffer.mapped = None


@_after("glBufferSubData")
def _buffer_sub_data(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    buffer, content = shadow.bound_buffer(raw[0]), values[3]
    if buffer is not None and isinstance(content, bytes):
        buffer.write(raw[1], content)


@_after("glCopyBufferSubData")
def _copy_buffer(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    source, target, read_offset, write_offset, size = raw
    origin, copy = shadow.bound_buffer(source), shadow.bound_buffer(target)
    if origin is not None and copy is not None and size > 0 and 0 <= read_offset <= len(origin.data) - size:
        copy.write(write_offset, bytes(origin.data[read_offset : read_offset + size]))


# -- mapped memory -----------------------------------------------------------------------------------------------------

_WRITE: Final = gl.GL_MAP_WRITE_BIT
_INVALIDATE: Final = gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT


def _note_mapping(buffer: BufferShadow, offset: int, length: int, access: int, address: int | None) -> None:
    if not address or length <= 0:
        return
    if access & gl.GL_MAP_PERSISTENT_BIT and access & _WRITE:
        raise UnsupportedCallError(
            "a buffer was mapped with GL_MAP_PERSISTENT_BIT, which this version does not support:"
            " what is written through it cannot be seen"
        )
    if access & _INVALIDATE:
        # What the program does not write is undefined now; defined bytes keep the trace the same from run to run.
        ctypes.memset(address, 0, length)
    buffer.mapped = MappedRange(offset, length, access, address)


@_after("glMapBufferRange")
def _map_range(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    target, offset, length, access = raw
    buffer = shadow.bound_buffer(target)
    if buffer is not None:
        _note_mapping(buffer, offset, length, access, result)


@_after("glMapBuffer")
def _map_whole(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    buffer = shadow.bound_buffer(raw[0])
    if buffer is not None:
        access = gl.GL_MAP_READ_BIT if raw[1] == gl.GL_READ_ONLY else _WRITE
        _note_mapping(buffer, 0, len(buffer.data), access, result)


def _write_back(recorder: Synthesizer, target: int, buffer: BufferShadow, offset: int, length: int) -> None:
    """Record what stands in a part of the mapped range; ``offset`` counts from the range's start."""
    mapped = buffer.mapped
    if mapped is None or offset < 0 or length <= 0 or offset + length > mapped.length:
        return
    content = ctypes.string_at(mapped.address + offset, length)
    buffer.write(mapped.offset + offset, content)
    recorder.synthesize("traceMappedWrite", target, mapped.offset + offset, content)


@_before("glUnmapBuffer")
def _before_unmap(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
    buffer = shadow.bound_buffer(raw[0])
    if buffer is None or buffer.mapped is None:
        return
    mapped = buffer.mapped
    if mapped.access & _WRITE and not mapped.access & gl.GL_MAP_FLUSH_EXPLICIT_BIT:
        _write_back(recorder, raw[0], buffer, 0, mapped.length)


@_after("glUnmapBuffer")
def _after_unmap(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    buffer = shadow.bound_buffer(raw[0])
    if buffer is not None:
        buffer.mapped = None


@_before("glFlushMappedBufferRange")
def _before_flush(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
    target, offset, length = raw
    buffer = shadow.bound_buffer(target)
    if buffer is not None:
        _write_back(recorder, target, buffer, offset, length)


# -- client-side vertex arrays -----------------------------------------------------------------------------------------

_COMPONENT_BYTES: Final = {
    gl.GL_BYTE: 1,
    gl.GL_UNSIGNED_BYTE: 1,
    gl.GL_SHORT: 2,
    gl.GL_UNSIGNED_SHORT: 2,
    gl.GL_HALF_FLOAT: 2,
    gl.GL_HALF_FLOAT_OES: 2,
    gl.GL_INT: 4,
    gl.GL_UNSIGNED_INT: 4,
    gl.GL_FLOAT: 4,
    gl.GL_FIXED: 4,
    gl.GL_DOUBLE: 8,
}
_PACKED: Final = frozenset({gl.GL_INT_2_10_10_10_REV, gl.GL_UNSIGNED_INT_2_10_10_10_REV})
_INDEX_TYPES: Final = {gl.GL_UNSIGNED_BYTE: "<u1", gl.GL_UNSIGNED_SHORT: "<u2", gl.GL_UNSIGNED_INT: "<u4"}


def _element_bytes(pointer: VertexPointer) -> int:
    if pointer.type in _PACKED:
        return 4
    size = 4 if pointer.size == gl.GL_BGRA else pointer.size
    return size * _COMPONENT_BYTES.get(pointer.type, 0)


def _record_arrays(
    recorder: Synthesizer, shadow: ContextShadow, first: int, last: int, instances: int, base_instance: int = 0
) -> None:
    """Record the client-side arrays that a draw of vertices ``first..last`` reads."""
    array = shadow.vertex_array
    for index in sorted(array.client):
        pointer = array.pointers[index]
        start, end = first, last
        if pointer.divisor:
            start = base_instance
            end = base_instance + (instances - 1) // pointer.divisor
        element = _element_bytes(pointer)
        if end < start or start < 0 or element == 0 or instances <= 0:
            continue
        stride = pointer.stride or element
        content = ctypes.string_at(pointer.address + start * stride, (end - start) * stride + element)
        recorder.synthesize("traceClientArray", index, start, content)


def _draw_arrays(first: int, count: int, instances: int | None) -> Before:
    def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
        if shadow.vertex_array.client and raw[count] > 0:
            num = 1 if instances is None else raw[instances]
            _record_arrays(recorder, shadow, raw[first], raw[first] + raw[count] - 1, num)

    return before


def _draw_elements(
    count: int, type_: int, indices: int, instances: int | None = None, base_vertex: int | None = None
) -> Before:
    def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
        if not shadow.vertex_array.client or raw[count] <= 0:
            return
        dtype = _INDEX_TYPES.get(raw[type_])
        if dtype is None:
            return
        size = raw[count] * np.dtype(dtype).itemsize
        address = raw[indices] or 0
        buffer = shadow.bound_buffer(gl.GL_ELEMENT_ARRAY_BUFFER)
        if buffer is not None:
            content = bytes(buffer.data[address : address + size])
            if len(content) < size:
                return
        elif address:
            content = ctypes.string_at(address, size)
        else:
            return
        values = np.frombuffer(content, dtype)
        if shadow.restart_fixed:
            values = values[values != np.iinfo(values.dtype).max]
        elif shadow.primitive_restart:
            values = values[values != shadow.restart_index]
        if values.size == 0:
            return
        base = raw[base_vertex] if base_vertex is not None else 0
        num = 1 if instances is None else raw[instances]
        _record_arrays(recorder, shadow, int(values.min()) + base, int(values.max()) + base, num)

    return before


BEFORE["glDrawArrays"] = _draw_arrays(1, 2, None)
BEFORE["glDrawArraysInstanced"] = _draw_arrays(1, 2, 3)
BEFORE["glDrawElements"] = _draw_elements(1, 2, 3)
BEFORE["glDrawElementsInstanced"] = _draw_elements(1, 2, 3, instances=4)
BEFORE["glDrawElementsBaseVertex"] = _draw_elements(1, 2, 3, base_vertex=4)
BEFORE["glDrawElementsInstancedBaseVertex"] = _draw_elements(1, 2, 3, instances=4, base_vertex=5)
BEFORE["glDrawRangeElements"] = _draw_elements(3, 4, 5)
BEFORE["glDrawRangeElementsBaseVertex"] = _draw_elements(3, 4, 5, base_vertex=6)


def _buffers_only(name: str) -> Before:
    def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
        if shadow.vertex_array.client:
            raise UnsupportedCallError(
                f"{name} was called with client-side vertex arrays, which this version does not support"
            )

    return before


for _name in ("glMultiDrawArrays", "glMultiDrawElements", "glMultiDrawElementsBaseVertex"):
    BEFORE[_name] = _buffers_only(_name)

#: Entry points that change pixels of a framebuffer: a program that calls none has drawn nothing.
DRAWS: Final = frozenset(
    {
        "glDrawArrays",
        "glDrawArraysInstanced",
        "glDrawElements",
        "glDrawElementsInstanced",
        "glDrawElementsBaseVertex",
        "glDrawElementsInstancedBaseVertex",
        "glDrawRangeElements",
        "glDrawRangeElementsBaseVertex",
        "glDrawArraysIndirect",
        "glDrawElementsIndirect",
        "glMultiDrawArrays",
        "glMultiDrawElements",
        "glMultiDrawElementsBaseVertex",
        "glMultiDrawArraysIndirect",
        "glMultiDrawElementsIndirect",
        "glDrawArraysInstancedBaseInstance",
        "glDrawElementsInstancedBaseInstance",
        "glDrawElementsInstancedBaseVertexBaseInstance",
        "glClear",
        "glClearBufferfv",
        "glClearBufferiv",
        "glClearBufferuiv",
        "glClearBufferfi",
        "glBlitFramebuffer",
        "glDispatchCompute",
    }
)
