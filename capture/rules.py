"""What single entry points need besides their arguments: shadow state, and the rules of draws and mapped memory.

``BEFORE[name]`` runs before the driver sees the call, ``AFTER[name]`` when it has returned. Names are canonical
(without vendor suffix); ``raw`` are the C values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from capture.client_arrays import DRAW_RULES
from capture.mapped_memory import MAPPING_AFTER, MAPPING_BEFORE, before_reading
from capture.rule_types import After, Before, Synthesizer
from capture.shadow import LIST_LENGTHS, NUM_ARRAYS, ContextShadow, VertexArrayShadow, bind_vertex_array
from traceformat.calls import Value
from traceformat.gles import enums as gl

__all__ = ["AFTER", "BEFORE"]


BEFORE: Final[dict[str, Before]] = before_reading(DRAW_RULES) | MAPPING_BEFORE
AFTER: Final[dict[str, After]] = dict(MAPPING_AFTER)


def _after(*names: str) -> Callable[[After], After]:
    def register(function: After) -> After:
        for name in names:
            AFTER[name] = function
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
        shadow.share.persistent.pop(name, None)
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
    bind_vertex_array(shadow, raw[0])


@_after("glDeleteVertexArrays")
def _delete_vertex_arrays(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    for name in _names(values[1]):
        if name and shadow.vertex_arrays.pop(name, None) is shadow.vertex_array:
            bind_vertex_array(shadow, 0)
        if name < NUM_ARRAYS:
            shadow.array_flags[name] = 0


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


# -- direct state access: the rules of calls of the bound object -------------------------------------------------------


@contextmanager
def _bound(shadow: ContextShadow, **names: int) -> Iterator[None]:
    """Have buffers bound for a while: ``read`` and ``write`` to the targets of copies."""
    targets = {"read": gl.GL_COPY_READ_BUFFER, "write": gl.GL_COPY_WRITE_BUFFER}
    before = {targets[role]: shadow.bindings.get(targets[role], 0) for role in names}
    shadow.bindings |= {targets[role]: name for role, name in names.items()}
    try:
        yield
    finally:
        shadow.bindings |= before


def _named_after(rule: After) -> After:
    def after(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
        with _bound(shadow, write=raw[0]):
            rule(shadow, (gl.GL_COPY_WRITE_BUFFER, *raw[1:]), values, result)

    return after


def _named_before(rule: Before) -> Before:
    def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
        place = gl.GL_COPY_WRITE_BUFFER
        bound = shadow.bound(place)
        recorder.synthesize("glBindBuffer", place, raw[0])
        with _bound(shadow, write=raw[0]):
            rule(recorder, shadow, (place, *raw[1:]))
        recorder.synthesize("glBindBuffer", place, bound)

    return before


for _name in ("BufferData", "BufferStorage", "BufferSubData"):
    AFTER[f"glNamed{_name}"] = _named_after(AFTER[f"gl{_name}"])
for _name in ("Map", "Unmap"):
    AFTER[f"gl{_name}NamedBuffer"] = _named_after(AFTER[f"gl{_name}Buffer"])
AFTER["glMapNamedBufferRange"] = _named_after(AFTER["glMapBufferRange"])
BEFORE["glUnmapNamedBuffer"] = _named_before(BEFORE["glUnmapBuffer"])
BEFORE["glFlushMappedNamedBufferRange"] = _named_before(BEFORE["glFlushMappedBufferRange"])


@_after("glCopyNamedBufferSubData")
def _copy_named(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    with _bound(shadow, read=raw[0], write=raw[1]):
        places = (gl.GL_COPY_READ_BUFFER, gl.GL_COPY_WRITE_BUFFER)
        _copy_buffer(shadow, (*places, *raw[2:]), values, result)


@_after("glVertexArrayElementBuffer")
def _element_buffer(shadow: ContextShadow, raw: Sequence[Any], values: Sequence[Value], result: Any) -> None:
    name, buffer = raw
    shadow.vertex_arrays.setdefault(name, VertexArrayShadow()).element_buffer = buffer
    if name < NUM_ARRAYS:
        shadow.array_flags[name] = 0
