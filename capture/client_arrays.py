"""Client-side vertex arrays: recorded right before the draw that reads them, exactly the vertices that it reads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from capture.rule_types import Before, Synthesizer
from capture.shadow import ContextShadow, VertexPointer
from traceformat.gles import enums as gl
from traceformat.gles.gltypes import COMPONENT_BYTES, INDEX_BYTES, PACKED_VERTEX_TYPES

__all__ = ["DRAW_RULES", "list_at"]

_INDEX_TYPES: Final = {kind: f"<u{size}" for kind, size in INDEX_BYTES.items()}


def _element_bytes(pointer: VertexPointer) -> int:
    if pointer.type in PACKED_VERTEX_TYPES:
        return 4
    size = 4 if pointer.size == gl.GL_BGRA else pointer.size
    return size * COMPONENT_BYTES.get(pointer.type, 0)


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


def _vertex_span(
    shadow: ContextShadow, count: int, type_: int, address: int, base_vertex: int
) -> tuple[int, int] | None:
    """First and last vertex that an indexed draw reads; None where it reads none, or where that is not known."""
    dtype = _INDEX_TYPES.get(type_)
    if dtype is None or count <= 0:
        return None
    size = count * np.dtype(dtype).itemsize
    buffer = shadow.bound_buffer(gl.GL_ELEMENT_ARRAY_BUFFER)
    if buffer is not None:
        content = bytes(buffer.data[address : address + size])
    elif address:
        content = ctypes.string_at(address, size)
    else:
        return None
    if len(content) < size:
        return None
    values = np.frombuffer(content, dtype)
    if shadow.restart_fixed:
        values = values[values != np.iinfo(values.dtype).max]
    elif shadow.primitive_restart:
        values = values[values != shadow.restart_index]
    if values.size == 0:
        return None
    return int(values.min()) + base_vertex, int(values.max()) + base_vertex


def _draw_elements(
    count: int, type_: int, indices: int, instances: int | None = None, base_vertex: int | None = None
) -> Before:
    def before(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
        if not shadow.vertex_array.client:
            return
        base = raw[base_vertex] if base_vertex is not None else 0
        span = _vertex_span(shadow, raw[count], raw[type_], raw[indices] or 0, base)
        if span is not None:
            _record_arrays(recorder, shadow, *span, 1 if instances is None else raw[instances])

    return before


def list_at(address: int | None, count: int, dtype: str) -> list[Any]:
    """A list of numbers at an address."""
    if not address or count <= 0:
        return []
    values: list[Any] = np.frombuffer(ctypes.string_at(address, count * np.dtype(dtype).itemsize), dtype).tolist()
    return values


def _multi_arrays(recorder: Synthesizer, shadow: ContextShadow, raw: Sequence[Any]) -> None:
    """glMultiDrawArrays: one range of vertices that has those of all its draws."""
    if not shadow.vertex_array.client:
        return
    _, first, count, draws = raw
    ranges = [
        (start, start + length - 1)
        for start, length in zip(list_at(first, draws, "<i4"), list_at(count, draws, "<i4"), strict=True)
        if length > 0 and start >= 0
    ]
    if ranges:
        _record_arrays(recorder, shadow, min(start for start, _ in ranges), max(end for _, end in ranges), 1)


#: Rules of the draws, by canonical name; they run before the driver sees the call.
DRAW_RULES: Final[dict[str, Before]] = {
    "glDrawArrays": _draw_arrays(1, 2, None),
    "glDrawArraysInstanced": _draw_arrays(1, 2, 3),
    "glDrawElements": _draw_elements(1, 2, 3),
    "glDrawElementsInstanced": _draw_elements(1, 2, 3, instances=4),
    "glDrawElementsBaseVertex": _draw_elements(1, 2, 3, base_vertex=4),
    "glDrawElementsInstancedBaseVertex": _draw_elements(1, 2, 3, instances=4, base_vertex=5),
    "glDrawRangeElements": _draw_elements(3, 4, 5),
    "glDrawRangeElementsBaseVertex": _draw_elements(3, 4, 5, base_vertex=6),
    "glMultiDrawArrays": _multi_arrays,
}
