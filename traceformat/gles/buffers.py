"""Buffer objects: binding, stores, mapping, copies, indexed binding points."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.calls import Offset
from traceformat.errors import ReplayError, UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import GLError, OverGuard, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, packed_bytes
from traceformat.gles.names import check_bindable, generate, requires_generated_names
from traceformat.gles.objects import Buffer, BufferRange, Mapping
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import content, ints_out, longs_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

GLES_TARGETS = frozenset(
    {
        gl.GL_ARRAY_BUFFER,
        gl.GL_ELEMENT_ARRAY_BUFFER,
        gl.GL_COPY_READ_BUFFER,
        gl.GL_COPY_WRITE_BUFFER,
        gl.GL_PIXEL_PACK_BUFFER,
        gl.GL_PIXEL_UNPACK_BUFFER,
        gl.GL_TRANSFORM_FEEDBACK_BUFFER,
        gl.GL_UNIFORM_BUFFER,
        gl.GL_DRAW_INDIRECT_BUFFER,
        gl.GL_TEXTURE_BUFFER,
        gl.GL_SHADER_STORAGE_BUFFER,
        gl.GL_ATOMIC_COUNTER_BUFFER,
        gl.GL_DISPATCH_INDIRECT_BUFFER,
    }
)
USAGES = frozenset(
    {
        gl.GL_STREAM_DRAW,
        gl.GL_STREAM_READ,
        gl.GL_STREAM_COPY,
        gl.GL_STATIC_DRAW,
        gl.GL_STATIC_READ,
        gl.GL_STATIC_COPY,
        gl.GL_DYNAMIC_DRAW,
        gl.GL_DYNAMIC_READ,
        gl.GL_DYNAMIC_COPY,
    }
)
ACCESS_BITS = (
    gl.GL_MAP_READ_BIT
    | gl.GL_MAP_WRITE_BIT
    | gl.GL_MAP_INVALIDATE_RANGE_BIT
    | gl.GL_MAP_INVALIDATE_BUFFER_BIT
    | gl.GL_MAP_FLUSH_EXPLICIT_BIT
    | gl.GL_MAP_UNSYNCHRONIZED_BIT
)
PERSISTENT_BITS = gl.GL_MAP_PERSISTENT_BIT | gl.GL_MAP_COHERENT_BIT
STORAGE_BITS = (
    gl.GL_MAP_READ_BIT | gl.GL_MAP_WRITE_BIT | PERSISTENT_BITS | gl.GL_DYNAMIC_STORAGE_BIT | gl.GL_CLIENT_STORAGE_BIT
)


def get_or_create(tracker: Tracker, context: Context, name: int) -> Buffer:
    """Buffer of that name, made by its first bind; GL_INVALID_OPERATION for an ungenerated name in a core context."""
    names = context.group.buffers
    buffer = names.objects.get(name)
    if buffer is None:
        check_bindable(tracker, context, names, name, "buffer", generated_only=requires_generated_names(context))
        buffer = names.objects[name] = Buffer(name, names.serial(), created=True)
    return buffer


def bound_buffer(context: Context, target: int) -> Buffer | None:
    """Buffer bound to a target; GL_INVALID_ENUM for what is no target."""
    if target == gl.GL_ARRAY_BUFFER:
        return context.buffers.get(target)
    if target == gl.GL_ELEMENT_ARRAY_BUFFER:
        return context.vertex_array.element_buffer
    if target not in GLES_TARGETS:
        raise invalid_enum(f"target {target:#x}")
    return context.buffers.get(target)


def _required(context: Context, target: int) -> Buffer:
    buffer = bound_buffer(context, target)
    if buffer is None:
        raise invalid_operation(f"no buffer is bound to {target:#x}")
    return buffer


@handles("glGenBuffers", "glCreateBuffers", touches=Changes.VERTEX)
def gen_buffers(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["buffers"] = generate(tracker, context.limits.max_names, context.group.buffers, count, "buffers")


@handles("glBindBuffer", touches=Changes.NOTHING)
def bind_buffer(tracker: Tracker, context: Context, target: int, name: int) -> None:
    if target not in GLES_TARGETS:
        raise invalid_enum(f"target {target:#x}")
    if name:
        buffer = context.group.buffers.objects.get(name) or get_or_create(tracker, context, name)
    else:
        buffer = None
    if target == gl.GL_ELEMENT_ARRAY_BUFFER:
        context.vertex_array.element_buffer = buffer
    else:
        context.buffers[target] = buffer


@handles("glDeleteBuffers", touches=Changes.VERTEX)
def delete_buffers(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        buffer = context.group.buffers.remove(name) if name else None
        if buffer is None:
            continue
        buffer.deleted = True
        _unmap(tracker, buffer)
        tracker.allocate(0, len(buffer.store))
        # Bindings of the current context, and of its current vertex array and transform feedback, go (ES 3.0.6 §D.1.2).
        for target, bound in context.buffers.items():
            if bound is buffer:
                context.buffers[target] = None
        for point in (
            *context.uniform_buffers,
            *context.storage_buffers,
            *context.counter_buffers,
            *context.transform_feedback.bindings,
        ):
            if point.buffer is buffer:
                point.buffer, point.offset, point.size = None, 0, 0
        if context.vertex_array.element_buffer is buffer:
            context.vertex_array.element_buffer = None
        for attrib in context.vertex_array.attribs:
            if attrib.buffer is buffer:
                attrib.buffer = None
                attrib.offset = 0
        for binding in context.vertex_array.bindings:
            if binding.buffer is buffer:
                binding.buffer, binding.offset = None, 0


@handles("glIsBuffer", touches=Changes.VERTEX)
def is_buffer(tracker: Tracker, context: Context, name: int) -> int:
    return int(context.group.buffers.get(name) is not None)


def _define_store(tracker: Tracker, context: Context, buffer: Buffer, size: int, data: object) -> None:
    if size > context.limits.max_buffer_bytes:
        raise OverGuard(f"a buffer of {size} bytes", "buffer", context.limits.max_buffer_bytes)
    store = bytearray(content(data, size)) if data is not None else None
    tracker.allocate(size, len(buffer.store))
    _unmap(tracker, buffer)
    buffer.store = bytearray(size) if store is None else store
    buffer.definitions += 1
    buffer.version += 1


@handles("glBufferData", touches=Changes.ARRAY)
def buffer_data(tracker: Tracker, context: Context, target: int, size: int, data: object, usage: int) -> None:
    buffer = _required(context, target)
    if size < 0:
        raise invalid_value(f"size {size}")
    if usage not in USAGES:
        raise invalid_enum(f"usage {usage:#x}")
    if buffer.immutable:
        raise invalid_operation("the buffer's storage is immutable")
    _define_store(tracker, context, buffer, size, data)
    buffer.usage = usage


@handles("glBufferStorage", touches=Changes.VERTEX)
def buffer_storage(tracker: Tracker, context: Context, target: int, size: int, data: object, flags: int) -> None:
    buffer = _required(context, target)
    if size <= 0:
        raise invalid_value(f"size {size}")
    if flags & ~STORAGE_BITS:
        raise invalid_value(f"flags {flags:#x}")
    if flags & gl.GL_MAP_PERSISTENT_BIT and not flags & (gl.GL_MAP_READ_BIT | gl.GL_MAP_WRITE_BIT):
        raise invalid_value("GL_MAP_PERSISTENT_BIT without read or write")
    if flags & gl.GL_MAP_COHERENT_BIT and not flags & gl.GL_MAP_PERSISTENT_BIT:
        raise invalid_value("GL_MAP_COHERENT_BIT without GL_MAP_PERSISTENT_BIT")
    if buffer.immutable:
        raise invalid_operation("the buffer's storage is immutable")
    _define_store(tracker, context, buffer, size, data)
    buffer.immutable = True
    buffer.storage_flags = flags
    buffer.usage = gl.GL_DYNAMIC_DRAW


def _check_range(buffer: Buffer, offset: int, size: int) -> None:
    if offset < 0 or size < 0 or offset + size > len(buffer.store):
        raise invalid_value(f"range {offset} + {size} in a buffer of {len(buffer.store)} bytes")


def is_locked(buffer: Buffer) -> bool:
    """A mapped buffer may not be touched, unless its mapping is persistent."""
    return buffer.mapping is not None and not buffer.mapping.access & gl.GL_MAP_PERSISTENT_BIT


# Whoever keeps what it read of a buffer keeps the version of its content.
def _writable(context: Context, target: int, offset: int, size: int) -> Buffer:
    """A buffer of which a range may be written by GL."""
    buffer = _required(context, target)
    _check_range(buffer, offset, size)
    if is_locked(buffer):
        raise invalid_operation("the buffer is mapped")
    return buffer


@handles("glClearBufferData", touches=Changes.NOTHING)
def clear_buffer_data(
    tracker: Tracker, context: Context, target: int, internal: int, format: int, type: int, data: object
) -> None:
    size = len(_required(context, target).store)
    clear_buffer_sub_data(tracker, context, target, internal, 0, size, format, type, data)


@handles("glClearBufferSubData", touches=Changes.NOTHING)
def clear_buffer_sub_data(
    tracker: Tracker,
    context: Context,
    target: int,
    internal: int,
    offset: int,
    size: int,
    format: int,
    type: int,
    data: object,
) -> None:
    """Repeat one texel; what would have to be converted to the internal format is refused by name."""
    buffer = _writable(context, target, offset, size)
    known = FORMATS.get(internal)
    if known is None or not known.is_color or known.compressed:
        raise invalid_enum(f"internal format {internal:#x}")
    texel = known.bytes
    if offset % texel or size % texel:
        raise invalid_value(f"{size} bytes from {offset} in texels of {texel}")
    if packed_bytes(format, type, 1, 1) != texel:
        raise UnsupportedCallError(
            f"call {tracker.call.number}: {tracker.call.name} with a conversion is not supported"
        )
    value = content(data, texel) if data is not None else bytes(texel)
    buffer.change()[offset : offset + size] = bytes(value) * (size // texel)


@handles("glBufferSubData", touches=Changes.NOTHING)
def buffer_sub_data(tracker: Tracker, context: Context, target: int, offset: int, size: int, data: object) -> None:
    buffer = _writable(context, target, offset, size)
    if buffer.immutable and not buffer.storage_flags & gl.GL_DYNAMIC_STORAGE_BIT:
        raise invalid_operation("the buffer's storage is not dynamic")
    if size:
        written = content(data, size)
        buffer.change()[offset : offset + size] = written


@handles("glGetBufferSubData", touches=Changes.VERTEX)
def get_buffer_sub_data(tracker: Tracker, context: Context, target: int, offset: int, size: int, _: object) -> None:
    buffer = _required(context, target)
    _check_range(buffer, offset, size)
    if is_locked(buffer):
        raise invalid_operation("the buffer is mapped")
    tracker.outputs["data"] = bytes(buffer.store[offset : offset + size])


@handles("glCopyBufferSubData", touches=Changes.VERTEX)
def copy_buffer_sub_data(
    tracker: Tracker,
    context: Context,
    read_target: int,
    write_target: int,
    read_offset: int,
    write_offset: int,
    size: int,
) -> None:
    source = _required(context, read_target)
    target = _required(context, write_target)
    if is_locked(source) or is_locked(target):
        raise invalid_operation("a buffer is mapped")
    _check_range(source, read_offset, size)
    _check_range(target, write_offset, size)
    if source is target and abs(read_offset - write_offset) < size:
        raise invalid_value("source and target overlap")
    target.change()[write_offset : write_offset + size] = source.store[read_offset : read_offset + size]


@handles("glMapBufferRange", touches=Changes.VERTEX)
def map_buffer_range(tracker: Tracker, context: Context, target: int, offset: int, length: int, access: int) -> int:
    buffer = bound_buffer(context, target)
    if buffer is None:
        raise invalid_operation(f"no buffer is bound to {target:#x}")
    _check_range(buffer, offset, length)
    allowed = ACCESS_BITS | (PERSISTENT_BITS if buffer.immutable else 0)
    if access & ~allowed:
        raise invalid_value(f"access {access:#x}")
    reads, writes = bool(access & gl.GL_MAP_READ_BIT), bool(access & gl.GL_MAP_WRITE_BIT)
    invalidates = access & (
        gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT | gl.GL_MAP_UNSYNCHRONIZED_BIT
    )
    if buffer.mapping is not None:
        raise invalid_operation("the buffer is mapped already")
    if length == 0:
        raise invalid_operation("an empty range cannot be mapped")
    if not reads and not writes:
        raise invalid_operation("neither read nor write access")
    if reads and invalidates:
        raise invalid_operation("read access to an invalidated range")
    if access & gl.GL_MAP_FLUSH_EXPLICIT_BIT and not writes:
        raise invalid_operation("GL_MAP_FLUSH_EXPLICIT_BIT without write access")
    wanted = gl.GL_MAP_READ_BIT | gl.GL_MAP_WRITE_BIT | PERSISTENT_BITS
    if buffer.immutable and access & wanted & ~buffer.storage_flags:
        raise invalid_operation("access that the buffer's storage does not allow")
    buffer.mapping = Mapping(offset, length, access)
    tracker.num_mapped += 1
    tracker.outputs["result"] = bytes(buffer.store[offset : offset + length])
    return 1


@handles("glMapBuffer", touches=Changes.VERTEX)
def map_buffer(tracker: Tracker, context: Context, target: int, access: int) -> int:
    bits = {
        gl.GL_READ_ONLY: gl.GL_MAP_READ_BIT,
        gl.GL_WRITE_ONLY: gl.GL_MAP_WRITE_BIT,
        gl.GL_READ_WRITE: gl.GL_MAP_READ_BIT | gl.GL_MAP_WRITE_BIT,
    }.get(access)
    if bits is None or (tracker.call.name == "glMapBufferOES" and access != gl.GL_WRITE_ONLY):
        raise invalid_enum(f"access {access:#x}")
    buffer = _required(context, target)
    if buffer.mapping is not None:
        raise invalid_operation("the buffer is mapped already")
    if not buffer.store:
        raise GLError(gl.GL_OUT_OF_MEMORY, "the buffer has no store")
    if buffer.immutable and bits & ~buffer.storage_flags:
        raise invalid_operation("access that the buffer's storage does not allow")
    buffer.mapping = Mapping(0, len(buffer.store), bits)
    tracker.num_mapped += 1
    tracker.outputs["result"] = bytes(buffer.store)
    return 1


@handles("traceMappedWrite", touches=Changes.VERTEX)
def mapped_write(tracker: Tracker, context: Context | None, target: int, offset: int, data: object) -> None:
    """Content that the program wrote through a mapping; ``offset`` counts from the begin of the buffer's store."""
    buffer = bound_buffer(context, target) if context is not None else None
    if buffer is None or data is None or buffer.mapping is None:
        raise ReplayError("a write through a mapping that does not exist")
    written = content(data, len(data) if isinstance(data, (bytes, bytearray, memoryview)) else 0)
    if offset < 0 or offset + len(written) > len(buffer.store):
        raise ReplayError(f"a write of {len(written)} bytes at {offset} in a buffer of {len(buffer.store)} bytes")
    buffer.change()[offset : offset + len(written)] = written


@handles("glFlushMappedBufferRange", touches=Changes.VERTEX)
def flush_mapped_buffer_range(tracker: Tracker, context: Context, target: int, offset: int, length: int) -> None:
    buffer = _required(context, target)
    mapping = buffer.mapping
    if mapping is None or not mapping.access & gl.GL_MAP_FLUSH_EXPLICIT_BIT:
        raise invalid_operation("the buffer is not mapped for explicit flushes")
    if offset < 0 or length < 0 or offset + length > mapping.length:
        raise invalid_value(f"range {offset} + {length} in a mapping of {mapping.length} bytes")


def _unmap(tracker: Tracker, buffer: Buffer) -> None:
    if buffer.mapping is not None:
        buffer.mapping = None
        tracker.num_mapped -= 1


@handles("glUnmapBuffer", touches=Changes.VERTEX)
def unmap_buffer(tracker: Tracker, context: Context, target: int) -> int:
    buffer = _required(context, target)
    if buffer.mapping is None:
        raise invalid_operation("the buffer is not mapped")
    _unmap(tracker, buffer)
    return gl.GL_TRUE


@handles("glInvalidateBufferData", touches=Changes.VERTEX)
def invalidate_buffer_data(tracker: Tracker, context: Context, name: int) -> None:
    _invalidated(context, name)


@handles("glInvalidateBufferSubData", touches=Changes.VERTEX)
def invalidate_buffer_sub_data(tracker: Tracker, context: Context, name: int, offset: int, length: int) -> None:
    buffer = _invalidated(context, name)
    _check_range(buffer, offset, length)
    if is_locked(buffer):
        raise invalid_operation("the buffer is mapped")


def _invalidated(context: Context, name: int) -> Buffer:
    buffer = context.group.buffers.get(name)
    if buffer is None:
        raise invalid_value(f"buffer {name} does not exist")
    return buffer


def _indexed_point(context: Context, target: int, index: int) -> BufferRange:
    if target == gl.GL_UNIFORM_BUFFER:
        points = context.uniform_buffers
    elif target == gl.GL_SHADER_STORAGE_BUFFER:
        points = context.storage_buffers
    elif target == gl.GL_ATOMIC_COUNTER_BUFFER:
        points = context.counter_buffers
    elif target == gl.GL_TRANSFORM_FEEDBACK_BUFFER:
        points = context.transform_feedback.bindings
        if context.transform_feedback.active:
            raise invalid_operation("transform feedback is active")
    else:
        raise invalid_enum(f"target {target:#x}")
    if not 0 <= index < len(points):
        raise invalid_value(f"binding point {index}")
    return points[index]


@handles("glBindBufferBase", touches=Changes.VERTEX)
def bind_buffer_base(tracker: Tracker, context: Context, target: int, index: int, name: int) -> None:
    point = _indexed_point(context, target, index)
    buffer = get_or_create(tracker, context, name) if name else None
    point.buffer, point.offset, point.size = buffer, 0, 0
    context.buffers[target] = buffer


@handles("glBindBufferRange", touches=Changes.VERTEX)
def bind_buffer_range(
    tracker: Tracker, context: Context, target: int, index: int, name: int, offset: int, size: int
) -> None:
    if name and (size <= 0 or offset < 0):
        raise invalid_value(f"range {offset} + {size}")
    point = _indexed_point(context, target, index)
    alignments = {
        gl.GL_UNIFORM_BUFFER: context.limits.uniform_buffer_offset_alignment,
        gl.GL_SHADER_STORAGE_BUFFER: context.limits.shader_storage_buffer_offset_alignment,
    }
    alignment = alignments.get(target, 4)
    if offset % alignment or (target == gl.GL_TRANSFORM_FEEDBACK_BUFFER and size % 4):
        raise invalid_value(f"range {offset} + {size} is not aligned")
    buffer = get_or_create(tracker, context, name) if name else None
    point.buffer, point.offset, point.size = (buffer, offset, size) if buffer is not None else (None, 0, 0)
    context.buffers[target] = buffer


def _parameter(context: Context, buffer: Buffer, pname: int) -> int:
    mapping = buffer.mapping
    if pname == gl.GL_BUFFER_SIZE:
        return len(buffer.store)
    if pname == gl.GL_BUFFER_USAGE:
        return buffer.usage
    if pname == gl.GL_BUFFER_MAPPED:
        return int(mapping is not None)
    if pname == gl.GL_BUFFER_ACCESS_FLAGS:
        return mapping.access if mapping is not None else 0
    if pname == gl.GL_BUFFER_MAP_OFFSET:
        return mapping.offset if mapping is not None else 0
    if pname == gl.GL_BUFFER_MAP_LENGTH:
        return mapping.length if mapping is not None else 0
    if pname == gl.GL_BUFFER_IMMUTABLE_STORAGE:
        return int(buffer.immutable)
    if pname == gl.GL_BUFFER_STORAGE_FLAGS:
        return buffer.storage_flags
    if pname == gl.GL_BUFFER_ACCESS:
        access = (mapping.access if mapping is not None else 3) & 3
        return (gl.GL_READ_WRITE, gl.GL_READ_ONLY, gl.GL_WRITE_ONLY, gl.GL_READ_WRITE)[access]
    raise invalid_enum(f"pname {pname:#x}")


@handles("glGetBufferParameteriv", touches=Changes.VERTEX)
def get_buffer_parameter(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = ints_out([min(_parameter(context, _required(context, target), pname), 0x7FFFFFFF)])


@handles("glGetBufferParameteri64v", touches=Changes.VERTEX)
def get_buffer_parameter_64(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = longs_out([_parameter(context, _required(context, target), pname)])


@handles("glGetBufferPointerv", touches=Changes.VERTEX)
def get_buffer_pointer(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    if pname != gl.GL_BUFFER_MAP_POINTER:
        raise invalid_enum(f"pname {pname:#x}")
    buffer = _required(context, target)
    tracker.outputs["params"] = longs_out([int(buffer.mapping is not None)])


def resolve_pointer(pointer: object, buffer: Buffer | None, size: int) -> memoryview | None:
    """Bytes that a pointer argument stands for: an offset into a bound buffer, or client memory.

    Parameters
    ----------
    pointer : argument of the call
    buffer : buffer bound to the target that turns pointers into offsets, or None
    size : bytes that are read

    Returns
    -------
    the bytes, or None for a NULL client pointer; GL_INVALID_OPERATION if they do not lie in the buffer
    """
    if buffer is not None:
        offset = int(pointer) if isinstance(pointer, Offset) else 0
        if is_locked(buffer):
            raise invalid_operation("the buffer is mapped")
        if offset < 0 or offset + size > len(buffer.store):
            raise invalid_operation(f"range {offset} + {size} in a buffer of {len(buffer.store)} bytes")
        return memoryview(buffer.store)[offset : offset + size]
    if pointer is None or isinstance(pointer, Offset):
        return None
    return memoryview(content(pointer, size))
