"""Vertex buffer binding points of ES 3.1 and desktop GL 4.3: formats apart from buffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles.buffers import get_or_create
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.gltypes import PACKED_VERTEX_TYPES
from traceformat.gles.objects import VertexArray, VertexBinding
from traceformat.gles.state import Changes, Context
from traceformat.gles.vertex_arrays import FLOAT_TYPES, INTEGER_TYPES, apply_binding, attrib_index

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: ES 3.1 §20, minimum of GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET and GL_MAX_VERTEX_ATTRIB_STRIDE.
MAX_RELATIVE_OFFSET = 2047
MAX_STRIDE = 2048


def _with_bindings(context: Context) -> VertexArray:
    """Current vertex array, with binding points: at first, point i is what attribute i was set to."""
    array = context.vertex_array
    if not array.name:
        raise invalid_operation("binding points need a vertex array object")
    if not array.bindings:
        for index, attrib in enumerate(array.attribs):
            attrib.binding = index
            array.bindings.append(VertexBinding(attrib.buffer, attrib.offset, attrib.effective_stride, attrib.divisor))
    return array


@handles("glBindVertexBuffer", touches=Changes.VERTEX)
def bind_vertex_buffer(tracker: Tracker, context: Context, number: int, name: int, offset: int, stride: int) -> None:
    attrib_index(context, number)
    if offset < 0 or not 0 <= stride <= MAX_STRIDE:
        raise invalid_value(f"offset {offset}, stride {stride}")
    array = _with_bindings(context)
    binding = array.bindings[number]
    binding.buffer = get_or_create(tracker, context, name) if name else None
    binding.offset, binding.stride = offset, stride
    apply_binding(array, number)


def _set_format(
    context: Context, index: int, size: int, type: int, normalized: bool, integer: bool, offset: int
) -> None:
    attrib_index(context, index)
    component_bytes = FLOAT_TYPES.get(type)
    if component_bytes is None or (integer and type not in INTEGER_TYPES):
        raise invalid_enum(f"type {type:#x}")
    if not 1 <= size <= 4 or not 0 <= offset <= MAX_RELATIVE_OFFSET:
        raise invalid_value(f"size {size}, offset {offset}")
    if type in PACKED_VERTEX_TYPES and size != 4:
        raise invalid_operation(f"size {size} of a packed type")
    array = _with_bindings(context)
    attrib = array.attribs[index]
    attrib.size, attrib.type, attrib.normalized, attrib.integer = size, type, normalized, integer
    attrib.element_bytes = 4 if type in PACKED_VERTEX_TYPES else size * component_bytes
    attrib.relative_offset = offset
    apply_binding(array, attrib.binding)


@handles("glVertexAttribFormat", touches=Changes.VERTEX)
def vertex_attrib_format(
    tracker: Tracker, context: Context, index: int, size: int, type: int, normalized: int, offset: int
) -> None:
    _set_format(context, index, size, type, bool(normalized), False, offset)


@handles("glVertexAttribIFormat", touches=Changes.VERTEX)
def vertex_attrib_i_format(tracker: Tracker, context: Context, index: int, size: int, type: int, offset: int) -> None:
    _set_format(context, index, size, type, False, True, offset)


@handles("glVertexAttribBinding", touches=Changes.VERTEX)
def vertex_attrib_binding(tracker: Tracker, context: Context, index: int, number: int) -> None:
    attrib_index(context, index)
    attrib_index(context, number)
    array = _with_bindings(context)
    array.attribs[index].binding = number
    apply_binding(array, number)


@handles("glVertexBindingDivisor", touches=Changes.VERTEX)
def vertex_binding_divisor(tracker: Tracker, context: Context, number: int, divisor: int) -> None:
    attrib_index(context, number)
    array = _with_bindings(context)
    array.bindings[number].divisor = divisor
    apply_binding(array, number)
