"""Vertex arrays: attribute pointers, divisors, current attribute values, vertex array objects, client-side arrays."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from traceformat.calls import Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import Prepared, handles, invalid_enum, invalid_operation, invalid_value, prepares
from traceformat.gles.gltypes import COMPONENT_BYTES, PACKED_VERTEX_TYPES
from traceformat.gles.names import check_bindable, generate
from traceformat.gles.objects import ClientArray, VertexArray, VertexAttrib, VertexBinding
from traceformat.gles.state import Changes, Context, GenericAttrib
from traceformat.gles.values import content, floats_out, ints_out, longs_out, nearest, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: Bytes of a component; packed types hold four components in four bytes.
FLOAT_TYPES = {
    **{kind: size for kind, size in COMPONENT_BYTES.items() if kind != gl.GL_DOUBLE},
    **dict.fromkeys(PACKED_VERTEX_TYPES, 4),
}
INTEGER_TYPES = frozenset(
    {
        gl.GL_BYTE,
        gl.GL_UNSIGNED_BYTE,
        gl.GL_SHORT,
        gl.GL_UNSIGNED_SHORT,
        gl.GL_INT,
        gl.GL_UNSIGNED_INT,
    }
)


def attrib_index(context: Context, index: int) -> int:
    """Check the number of an attribute: GL_INVALID_VALUE."""
    if not 0 <= index < len(context.generic_attribs):
        raise invalid_value(f"attribute {index}")
    return index


def bind_own_point(array: VertexArray, index: int) -> None:
    """Let an attribute use the binding point of its own number, as glVertexAttribPointer does in ES 3.1."""
    attrib = array.attribs[index]
    attrib.binding, attrib.relative_offset, attrib.is_constant = index, 0, False
    stride, divisor = attrib.effective_stride, array.bindings[index].divisor
    array.bindings[index] = VertexBinding(attrib.buffer, attrib.offset, stride, divisor)
    apply_binding(array, index)


def apply_binding(array: VertexArray, number: int) -> None:
    """Carry a binding point over to the attributes that use it."""
    binding = array.bindings[number]
    for attrib in array.attribs:
        if attrib.binding == number:
            attrib.buffer = binding.buffer
            attrib.offset = binding.offset + attrib.relative_offset
            attrib.stride = binding.stride
            attrib.is_constant = binding.stride == 0
            attrib.divisor = binding.divisor
            attrib.client = None


def _enable(context: Context, index: int, enabled: bool) -> None:
    array = context.vertex_array
    attrib = array.attribs[attrib_index(context, index)]
    if attrib.enabled is not enabled:
        attrib.enabled = enabled
        array.known_enabled = None
        context.changes.bits |= Changes.VERTEX


@handles("glEnableVertexAttribArray", touches=Changes.NOTHING)
def enable_vertex_attrib_array(tracker: Tracker, context: Context, index: int) -> None:
    _enable(context, index, True)


@handles("glDisableVertexAttribArray", touches=Changes.NOTHING)
def disable_vertex_attrib_array(tracker: Tracker, context: Context, index: int) -> None:
    _enable(context, index, False)


def element_bytes(size: int, type: int) -> int:
    """Bytes of a vertex's value: ``size`` components (or GL_BGRA) of a type; 0 for a type that no attribute has."""
    return 4 if type in PACKED_VERTEX_TYPES or size > 4 else size * FLOAT_TYPES.get(type, 0)


def _set_pointer(
    context: Context,
    index: int,
    size: int,
    type: int,
    normalized: bool,
    integer: bool,
    stride: int,
    pointer: object,
) -> None:
    if not 0 <= index < len(context.generic_attribs):
        raise invalid_value(f"attribute {index}")
    if stride < 0:
        raise invalid_value(f"stride {stride}")
    buffer = context.buffers.get(gl.GL_ARRAY_BUFFER)
    if buffer is None and context.vertex_array.name and not (pointer is None or pointer == 0):
        raise invalid_operation("a client-side array in a vertex array object")
    if type not in FLOAT_TYPES or (integer and type not in INTEGER_TYPES):
        raise invalid_enum(f"type {type:#x}")
    if not 1 <= size <= 4 and (size != gl.GL_BGRA or context.config.api == 0):
        raise invalid_value(f"size {size}")
    if type in PACKED_VERTEX_TYPES and size not in (4, gl.GL_BGRA):
        raise invalid_operation(f"size {size} of a packed type")
    attrib = context.vertex_array.attribs[index]
    offset = int(pointer) if isinstance(pointer, int) else 0
    attrib.client = None
    if (
        attrib.buffer is buffer
        and attrib.offset == offset
        and (attrib.size, attrib.type, attrib.stride) == (size, type, stride)
        and (attrib.normalized, attrib.integer) == (normalized, integer)
        and not context.vertex_array.bindings
    ):
        return  # many programs say it again before each draw
    context.changes.bits |= Changes.VERTEX
    attrib.size = size
    attrib.type = type
    attrib.normalized = normalized
    attrib.integer = integer
    attrib.stride = stride
    attrib.element_bytes = element_bytes(size, type)
    attrib.buffer = buffer
    attrib.offset = offset
    if context.vertex_array.bindings:
        bind_own_point(context.vertex_array, index)


@handles("glVertexAttribPointer", touches=Changes.NOTHING)
def vertex_attrib_pointer(
    tracker: Tracker, context: Context, index: int, size: int, type: int, normalized: int, stride: int, pointer: object
) -> None:
    _set_pointer(context, index, size, type, bool(normalized), False, stride, pointer)


#: Size, type, normalized, integer, stride and bytes of an element.
_Layout = tuple[int, int, bool, bool, int, int]


def usual_layout(size: int, type: int, normalized: int, stride: int) -> _Layout | None:
    """What glVertexAttribPointer says of elements, None where it may be an error."""
    if not 1 <= size <= 4 or type not in FLOAT_TYPES or type in PACKED_VERTEX_TYPES or stride < 0:
        return None
    return size, type, bool(normalized), False, stride, element_bytes(size, type)


@prepares("glVertexAttribPointer")
def prepare_pointers(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared | None:
    if not all([pointer is None or isinstance(pointer, Offset) for *_, pointer in arguments]):
        return None
    kinds = {kind: usual_layout(*kind) for kind in {row[1:5] for row in arguments}}
    names = columns.dtype.names or ()
    offsets = columns["a5"].tolist() if "a5" in names else [0] * len(arguments)
    rows = [(row[0], kinds[row[1:5]], offset) for row, offset in zip(arguments, offsets, strict=True)]
    return set_usual_pointer, [row if row[1] is not None and row[0] >= 0 else None for row in rows]


def set_usual_pointer(tracker: Tracker, context: Context, index: int, layout: _Layout, offset: int) -> None:
    """GlVertexAttribPointer with a layout that is no error."""
    array = context.vertex_array
    buffer = context.buffers.get(gl.GL_ARRAY_BUFFER)
    if index >= len(array.attribs) or array.bindings or (offset and buffer is None and array.name):
        _set_pointer(context, index, *layout[:5], offset)
        return
    attrib = array.attribs[index]
    attrib.client = None
    if attrib.buffer is not buffer or attrib.offset != offset:
        attrib.buffer, attrib.offset = buffer, offset
    elif layout == (attrib.size, attrib.type, attrib.normalized, attrib.integer, attrib.stride, attrib.element_bytes):
        return
    context.changes.bits |= Changes.VERTEX
    attrib.size, attrib.type, attrib.normalized, attrib.integer, attrib.stride, attrib.element_bytes = layout


@handles("glVertexAttribIPointer", touches=Changes.NOTHING)
def vertex_attrib_i_pointer(
    tracker: Tracker, context: Context, index: int, size: int, type: int, stride: int, pointer: object
) -> None:
    _set_pointer(context, index, size, type, False, True, stride, pointer)


@handles("glVertexAttribDivisor", touches=Changes.VERTEX)
def vertex_attrib_divisor(tracker: Tracker, context: Context, index: int, divisor: int) -> None:
    array = context.vertex_array
    array.attribs[attrib_index(context, index)].divisor = divisor
    if array.bindings:
        array.attribs[index].binding = index
        array.bindings[index].divisor = divisor
        apply_binding(array, index)


# What an array holds is looked at by each draw; where it lies has not changed.
@handles("traceClientArray", touches=Changes.NOTHING)
def client_array(tracker: Tracker, context: Context | None, index: int, first: int, data: object) -> None:
    if context is None or not 0 <= index < len(context.vertex_array.attribs):
        raise ReplayError(f"contents of client-side array {index}, which does not exist")
    attrib = context.vertex_array.attribs[index]
    size = len(data) if isinstance(data, (bytes, bytearray, memoryview)) else 0
    attrib.client = ClientArray(first, content(data, size))


@prepares("traceClientArray")
def prepare_client_arrays(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared:
    return take_client_array, [
        (index, ClientArray(first, data)) if index >= 0 and isinstance(data, bytes) else None
        for index, first, data in arguments
    ]


def take_client_array(tracker: Tracker, context: Context, index: int, client: ClientArray) -> None:
    """TraceClientArray with contents that are there."""
    if index >= len(context.vertex_array.attribs):
        client_array(tracker, context, index, client.first, client.data)
    context.vertex_array.attribs[index].client = client


@handles("glGenVertexArrays", "glCreateVertexArrays", touches=Changes.VERTEX)
def gen_vertex_arrays(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["arrays"] = generate(tracker, context.limits.max_names, context.vertex_arrays, count, "arrays")


@handles("glBindVertexArray", touches=Changes.ARRAY)
def bind_vertex_array(tracker: Tracker, context: Context, name: int) -> None:
    array = context.vertex_arrays.objects.get(name)
    if array is None:
        check_bindable(tracker, context, context.vertex_arrays, name, "vertex array", generated_only=True)
        attribs = [VertexAttrib() for _ in range(context.limits.max_vertex_attribs)]
        array = context.vertex_arrays.objects[name] = VertexArray(
            name, context.vertex_arrays.serial(), attribs, created=True
        )
    context.vertex_array = array


@handles("glDeleteVertexArrays", touches=Changes.VERTEX)
def delete_vertex_arrays(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        array = context.vertex_arrays.remove(name) if name else None
        if array is not None:
            array.deleted = True
            if context.vertex_array is array:
                bind_vertex_array(tracker, context, 0)


@handles("glIsVertexArray", touches=Changes.VERTEX)
def is_vertex_array(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.vertex_arrays.get(name) is not None)


def _query(context: Context, index: int, pname: int) -> list[int]:
    attrib = context.vertex_array.attribs[attrib_index(context, index)]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING:
        return [attrib.buffer.name if attrib.buffer is not None else 0]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_ENABLED:
        return [int(attrib.enabled)]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_SIZE:
        return [attrib.size]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_STRIDE:
        return [attrib.stride]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_TYPE:
        return [attrib.type]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_NORMALIZED:
        return [int(attrib.normalized)]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_INTEGER:
        return [int(attrib.integer)]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_DIVISOR:
        return [attrib.divisor]
    if pname == gl.GL_VERTEX_ATTRIB_BINDING:
        return [attrib.binding if context.vertex_array.bindings else index]
    if pname == gl.GL_VERTEX_ATTRIB_RELATIVE_OFFSET:
        return [attrib.relative_offset]
    raise invalid_enum(f"pname {pname:#x}")


def _current(context: Context, index: int) -> GenericAttrib:
    if index == 0 and not context.is_gles and context.config.profile != 1:
        raise invalid_operation("attribute 0 has no current value")
    return context.generic_attribs[attrib_index(context, index)]


@handles("glGetVertexAttribiv", "glGetVertexAttribIiv", "glGetVertexAttribIuiv", touches=Changes.VERTEX)
def get_vertex_attrib_iv(tracker: Tracker, context: Context, index: int, pname: int, _: object) -> None:
    if pname == gl.GL_CURRENT_VERTEX_ATTRIB:
        values = [nearest(value) for value in _current(context, index).values]
    else:
        values = _query(context, index, pname)
    tracker.outputs["params"] = ints_out(values)


@handles("glGetVertexAttribfv", touches=Changes.VERTEX)
def get_vertex_attrib_fv(tracker: Tracker, context: Context, index: int, pname: int, _: object) -> None:
    if pname == gl.GL_CURRENT_VERTEX_ATTRIB:
        tracker.outputs["params"] = floats_out(_current(context, index).values)
    else:
        tracker.outputs["params"] = floats_out(_query(context, index, pname))


@handles("glGetVertexAttribPointerv", touches=Changes.VERTEX)
def get_vertex_attrib_pointer(tracker: Tracker, context: Context, index: int, pname: int, _: object) -> None:
    if pname != gl.GL_VERTEX_ATTRIB_ARRAY_POINTER:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["pointer"] = longs_out([context.vertex_array.attribs[attrib_index(context, index)].offset])
