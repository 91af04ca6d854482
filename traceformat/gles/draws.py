"""Draw calls: validation and resolution of indices."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from traceformat.calls import Offset
from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS
from traceformat.gles.buffers import is_locked
from traceformat.gles.completeness import require_complete
from traceformat.gles.dispatch import Prepared, handles, invalid_enum, invalid_operation, invalid_value, prepares
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Buffer, Executable
from traceformat.gles.pipelines import settle
from traceformat.gles.reflection import GeometryStage, Reflection
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import content, ints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

MODES = frozenset(range(gl.GL_POINTS, gl.GL_TRIANGLE_FAN + 1))
UNSUPPORTED_MODES = {
    gl.GL_QUADS: "GL_QUADS",
    gl.GL_QUAD_STRIP: "GL_QUAD_STRIP",
    gl.GL_POLYGON: "GL_POLYGON",
    gl.GL_LINES_ADJACENCY: "GL_LINES_ADJACENCY",
    gl.GL_LINE_STRIP_ADJACENCY: "GL_LINE_STRIP_ADJACENCY",
    gl.GL_TRIANGLES_ADJACENCY: "GL_TRIANGLES_ADJACENCY",
    gl.GL_TRIANGLE_STRIP_ADJACENCY: "GL_TRIANGLE_STRIP_ADJACENCY",
    gl.GL_PATCHES: "GL_PATCHES",
}
#: Modes that give a geometry shader its input primitives.
_GEOMETRY_MODES = {
    gl.GL_POINTS: (gl.GL_POINTS,),
    gl.GL_LINES: (gl.GL_LINES, gl.GL_LINE_STRIP, gl.GL_LINE_LOOP),
    gl.GL_LINES_ADJACENCY: (gl.GL_LINES_ADJACENCY, gl.GL_LINE_STRIP_ADJACENCY),
    gl.GL_TRIANGLES: (gl.GL_TRIANGLES, gl.GL_TRIANGLE_STRIP, gl.GL_TRIANGLE_FAN),
    gl.GL_TRIANGLES_ADJACENCY: (gl.GL_TRIANGLES_ADJACENCY, gl.GL_TRIANGLE_STRIP_ADJACENCY),
}


_ADJACENCY_MODES = (*_GEOMETRY_MODES[gl.GL_LINES_ADJACENCY], *_GEOMETRY_MODES[gl.GL_TRIANGLES_ADJACENCY])


_NO_PROGRAM = Reflection()


def _reflection(context: Context) -> Reflection:
    """Of the program in use."""
    executable = context.program.executable if context.program is not None else None
    return executable.reflection if executable is not None else _NO_PROGRAM


def _geometry(context: Context) -> GeometryStage | None:
    """The geometry stage of the program in use."""
    return _reflection(context).geometry


def _check_primitives(executable: Executable, mode: int) -> None:
    """The primitives that are drawn are those that tessellation and geometry stages take."""
    geometry, tessellation = executable.reflection.geometry, executable.reflection.tessellation
    if tessellation is not None:
        if mode != gl.GL_PATCHES:
            raise invalid_operation(f"mode {mode:#x} for tessellation shaders, which take patches")
        mode = tessellation.output_type
    if geometry is not None and mode not in _GEOMETRY_MODES[geometry.input_type]:
        raise invalid_operation(f"mode {mode:#x} for a geometry shader that takes {geometry.input_type:#x}")


def _feedback_mode(context: Context, mode: int) -> int:
    """Primitives that transform feedback records."""
    geometry = _geometry(context)
    if geometry is not None:
        return _FEEDBACK_MODES[geometry.output_type]
    tessellation = _reflection(context).tessellation
    if tessellation is not None:
        return tessellation.output_type
    return mode if context.is_gles else _FEEDBACK_MODES[mode]


def _check_mode(tracker: Tracker, context: Context, mode: int) -> None:
    if mode not in MODES:
        if mode in _ADJACENCY_MODES and _geometry(context) is not None:
            return
        if mode == gl.GL_PATCHES and context.config.version >= (30 if context.is_gles else 32):
            if _reflection(context).tessellation is None:
                raise invalid_operation("patches without tessellation shaders")
            return
        if mode in UNSUPPORTED_MODES and not context.is_gles:
            drawn = f"{tracker.call.name} with {UNSUPPORTED_MODES[mode]}"
            raise UnsupportedCallError(f"call {tracker.call.number}: {drawn} is not portable to GLES")
        raise invalid_enum(f"mode {mode:#x}")


def _samplers_conflict(tracker: Tracker, executable: Executable) -> bool:
    """Whether two active samplers of different type refer to one unit (ES 3.0.6 §2.12.9).

    In a replay those count that the recording found: its driver may have dropped others, which nobody set then.
    """
    types: dict[int, int] = {}
    found = [executable.locations[location] for location in executable.queried]
    active = {entry[0].index for entry in found if entry is not None}
    for slot in executable.samplers:
        if tracker.remap and slot.index not in active:
            continue
        for element in range(slot.uniform.size):
            (unit,) = struct.unpack_from("<i", executable.constants, slot.offset + 4 * element)
            if types.setdefault(unit, slot.uniform.type) != slot.uniform.type:
                return True
    return False


def _check_mapped(context: Context) -> None:
    """A draw may not read from a mapped buffer, unless its mapping is persistent."""

    def check(buffer: Buffer | None) -> None:
        if buffer is not None and is_locked(buffer):
            raise invalid_operation(f"buffer {buffer.name} is mapped")

    for attrib in context.vertex_array.attribs:
        if attrib.enabled:
            check(attrib.buffer)
    executable = context.program.executable if context.program is not None else None
    for binding in executable.block_bindings if executable is not None else ():
        check(context.uniform_buffers[binding].buffer)


def _check_advanced_blending(context: Context, executable: Executable | None) -> None:
    """Advanced equations blend draw buffer 0 alone, and what the fragment shader declares (ES 3.2 §15.1.5.2)."""
    buffers = context.draw_framebuffer.draw_buffers
    used = [index for index, buffer in enumerate(buffers) if buffer != gl.GL_NONE]
    equations = [context.blend[index].equation_rgb for index in used if context.blend_enabled[index]]
    advanced = [equation for equation in equations if equation in ADVANCED_EQUATIONS]
    if advanced and used != [0]:
        raise invalid_operation("an advanced blend equation with more than draw buffer 0")
    if advanced and (executable is None or advanced[0] not in executable.reflection.blend_support):
        raise invalid_operation(f"blend equation {advanced[0]:#x}, which the fragment shader does not declare")


def _ready(tracker: Tracker, context: Context) -> Executable | None:
    """Check what every draw needs; None where it draws nothing because there is no program."""
    framebuffer = context.draw_framebuffer
    if framebuffer.checked_epoch != tracker.epoch or framebuffer.status != gl.GL_FRAMEBUFFER_COMPLETE:
        require_complete(tracker, context, framebuffer)
    if tracker.num_mapped:
        _check_mapped(context)
    if not context.is_gles and context.config.profile == 1 and context.vertex_array.name == 0:
        raise invalid_operation("no vertex array object is bound")
    executable = context.program.executable if context.program is not None else None
    if context.has_advanced_equation:
        _check_advanced_blending(context, executable)
    if executable is not None and executable.reflection.local_size[0]:
        return None  # a program of a compute stage draws nothing
    if executable is not None and executable.samplers:
        if executable.sampler_conflict is None:
            executable.sampler_conflict = _samplers_conflict(tracker, executable)
        if executable.sampler_conflict:
            raise invalid_operation("two samplers of different type refer to one texture unit")
    return executable


_FEEDBACK_MODES = {
    gl.GL_POINTS: gl.GL_POINTS,
    gl.GL_LINES: gl.GL_LINES,
    gl.GL_LINE_STRIP: gl.GL_LINES,
    gl.GL_LINE_LOOP: gl.GL_LINES,
    gl.GL_TRIANGLES: gl.GL_TRIANGLES,
    gl.GL_TRIANGLE_STRIP: gl.GL_TRIANGLES,
    gl.GL_TRIANGLE_FAN: gl.GL_TRIANGLES,
}


def _draw_arrays(
    tracker: Tracker, context: Context, mode: int, first: int, count: int, instances: int, base: int
) -> None:
    if context.pipeline is not None:
        settle(tracker, context)
    if mode not in MODES:
        _check_mode(tracker, context, mode)
    if count < 0 or instances < 0 or first < 0:
        raise invalid_value(f"first {first}, count {count}, {instances} instances")
    feedback = context.transform_feedback
    if feedback.active and not feedback.paused and _feedback_mode(context, mode) != feedback.primitive_mode:
        raise invalid_operation(f"mode {mode:#x} during transform feedback of {feedback.primitive_mode:#x}")
    executable = _ready(tracker, context)
    if executable is not None and executable.reflection.makes_primitives:
        _check_primitives(executable, mode)
    if executable is not None and count and instances and not context.skips_rendering:
        tracker.backend.draw(context, DrawCall(mode, first, count, instances, base_instance=base))


def _draw_elements(
    tracker: Tracker,
    context: Context,
    mode: int,
    count: int,
    type: int,
    pointer: object,
    instances: int = 1,
    base_vertex: int = 0,
    base_instance: int = 0,
) -> None:
    if context.pipeline is not None:
        settle(tracker, context)
    if mode not in MODES:
        _check_mode(tracker, context, mode)
    size = INDEX_BYTES.get(type)
    if size is None:
        raise invalid_enum(f"index type {type:#x}")
    if count < 0 or instances < 0:
        raise invalid_value(f"count {count}, {instances} instances")
    feedback = context.transform_feedback
    if feedback.active and not feedback.paused and context.is_gles:
        raise invalid_operation("an indexed draw during transform feedback")
    buffer = context.vertex_array.element_buffer
    if buffer is not None and tracker.num_mapped and is_locked(buffer):
        raise invalid_operation("the element array buffer is mapped")
    if buffer is None and not context.is_gles and context.config.profile == 1:
        raise invalid_operation("no element array buffer is bound")
    executable = _ready(tracker, context)
    if executable is not None and executable.reflection.makes_primitives:
        _check_primitives(executable, mode)
    if executable is None or not count or not instances or context.skips_rendering:
        return
    offset = 0
    if buffer is not None:
        offset = int(pointer) if isinstance(pointer, Offset) else 0
        available = max(len(buffer.store) - offset, 0) // size if offset >= 0 else 0
        # Indices beyond the end of the buffer are not there: what they would draw is undefined, and left out.
        count = min(count, available)
        indices = memoryview(buffer.store)[offset : offset + count * size]
    elif pointer is None or isinstance(pointer, Offset):
        return
    else:
        indices = memoryview(content(pointer, count * size))
    if not count:
        return
    restart = restart_index(context, type)
    tracker.backend.draw(
        context,
        DrawCall(
            mode,
            0,
            count,
            instances,
            type,
            indices,
            buffer,
            offset,
            base_vertex,
            base_instance,
            restart,
        ),
    )


@handles("glDrawArrays", touches=Changes.NOTHING)
def draw_arrays(tracker: Tracker, context: Context, mode: int, first: int, count: int) -> None:
    _draw_arrays(tracker, context, mode, first, count, 1, 0)


@prepares("glDrawArrays")
def prepare_draws(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared:
    draws = {
        (mode, first, count): (DrawCall(mode, first, count),)
        for mode, first, count in set(arguments)
        if mode in MODES and first >= 0 and count > 0
    }
    return draw_range, [draws.get(each) for each in arguments]


def draw_range(tracker: Tracker, context: Context, call: DrawCall) -> None:
    """GlDrawArrays with arguments that are no error."""
    if context.pipeline is not None or context.transform_feedback.active:
        _draw_arrays(tracker, context, call.mode, call.first, call.count, 1, 0)
        return
    executable = _ready(tracker, context)
    if executable is None:
        return
    if executable.reflection.makes_primitives:
        _check_primitives(executable, call.mode)
    if not context.skips_rendering:
        tracker.backend.draw(context, call)


@handles("glDrawArraysInstanced", touches=Changes.NOTHING)
def draw_arrays_instanced(
    tracker: Tracker, context: Context, mode: int, first: int, count: int, instances: int
) -> None:
    _draw_arrays(tracker, context, mode, first, count, instances, 0)


@handles("glDrawArraysInstancedBaseInstance", touches=Changes.NOTHING)
def draw_arrays_instanced_base_instance(
    tracker: Tracker, context: Context, mode: int, first: int, count: int, instances: int, base: int
) -> None:
    _draw_arrays(tracker, context, mode, first, count, instances, base)


@handles("glDrawElements", touches=Changes.NOTHING)
def draw_elements(tracker: Tracker, context: Context, mode: int, count: int, type: int, indices: object) -> None:
    _draw_elements(tracker, context, mode, count, type, indices)


@prepares("glDrawElements")
def prepare_elements(columns: NDArray[Any], arguments: Sequence[tuple[Any, ...]]) -> Prepared:
    return draw_indexed, [
        (mode, count, type, int(pointer or 0))
        if mode in MODES and type in INDEX_BYTES and count > 0 and (pointer is None or isinstance(pointer, Offset))
        else None
        for mode, count, type, pointer in arguments
    ]


def draw_indexed(tracker: Tracker, context: Context, mode: int, count: int, type: int, offset: int) -> None:
    """GlDrawElements with arguments that are no error, and indices in a buffer."""
    buffer, end = context.vertex_array.element_buffer, offset + count * INDEX_BYTES[type]
    if (
        buffer is None
        or not 0 <= offset <= end <= len(buffer.store)
        or tracker.num_mapped
        or context.pipeline is not None
        or context.transform_feedback.active
    ):
        _draw_elements(tracker, context, mode, count, type, Offset(offset))
        return
    executable = _ready(tracker, context)
    if executable is None:
        return
    if executable.reflection.makes_primitives:
        _check_primitives(executable, mode)
    if not context.skips_rendering:
        indices, restart = memoryview(buffer.store)[offset:end], restart_index(context, type)
        tracker.backend.draw(context, DrawCall(mode, 0, count, 1, type, indices, buffer, offset, 0, 0, restart))


def restart_index(context: Context, type: int) -> int | None:
    """Index that begins primitives anew."""
    if gl.GL_PRIMITIVE_RESTART_FIXED_INDEX in context.enabled:
        return (1 << (8 * INDEX_BYTES[type])) - 1
    return context.primitive_restart_index if gl.GL_PRIMITIVE_RESTART in context.enabled else None


@handles("glDrawElementsInstanced", touches=Changes.NOTHING)
def draw_elements_instanced(
    tracker: Tracker, context: Context, mode: int, count: int, type: int, indices: object, instances: int
) -> None:
    _draw_elements(tracker, context, mode, count, type, indices, instances)


@handles("glDrawElementsBaseVertex", touches=Changes.NOTHING)
def draw_elements_base_vertex(
    tracker: Tracker, context: Context, mode: int, count: int, type: int, indices: object, base_vertex: int
) -> None:
    _draw_elements(tracker, context, mode, count, type, indices, 1, base_vertex)


@handles("glDrawElementsInstancedBaseVertex", touches=Changes.NOTHING)
def draw_elements_instanced_base_vertex(
    tracker: Tracker,
    context: Context,
    mode: int,
    count: int,
    type: int,
    indices: object,
    instances: int,
    base_vertex: int,
) -> None:
    _draw_elements(tracker, context, mode, count, type, indices, instances, base_vertex)


@handles("glDrawElementsInstancedBaseInstance", touches=Changes.NOTHING)
def draw_elements_instanced_base_instance(
    tracker: Tracker, context: Context, mode: int, count: int, type: int, indices: object, instances: int, base: int
) -> None:
    _draw_elements(tracker, context, mode, count, type, indices, instances, 0, base)


@handles("glDrawElementsInstancedBaseVertexBaseInstance", touches=Changes.NOTHING)
def draw_elements_instanced_base_vertex_base_instance(
    tracker: Tracker,
    context: Context,
    mode: int,
    count: int,
    type: int,
    indices: object,
    instances: int,
    base_vertex: int,
    base: int,
) -> None:
    _draw_elements(tracker, context, mode, count, type, indices, instances, base_vertex, base)


def _check_range(start: int, end: int) -> None:
    if (end & 0xFFFFFFFF) < (start & 0xFFFFFFFF):
        raise invalid_value(f"range {start} ... {end}")


@handles("glDrawRangeElements", touches=Changes.NOTHING)
def draw_range_elements(
    tracker: Tracker, context: Context, mode: int, start: int, end: int, count: int, type: int, indices: object
) -> None:
    _check_range(start, end)
    _draw_elements(tracker, context, mode, count, type, indices)


@handles("glDrawRangeElementsBaseVertex", touches=Changes.NOTHING)
def draw_range_elements_base_vertex(
    tracker: Tracker,
    context: Context,
    mode: int,
    start: int,
    end: int,
    count: int,
    type: int,
    indices: object,
    base_vertex: int,
) -> None:
    _check_range(start, end)
    _draw_elements(tracker, context, mode, count, type, indices, 1, base_vertex)


@handles("glMultiDrawArrays", touches=Changes.NOTHING)
def multi_draw_arrays(
    tracker: Tracker, context: Context, mode: int, firsts: object, counts: object, draws: int
) -> None:
    if draws < 0:
        raise invalid_value(f"{draws} draws")
    pairs = list(zip(ints(firsts, draws), ints(counts, draws), strict=True))
    if any(first < 0 or count < 0 for first, count in pairs):
        raise invalid_value("a negative range")
    for first, count in pairs:
        _draw_arrays(tracker, context, mode, first, count, 1, 0)


def _indirect(context: Context, pointer: object, words: int, draws: int = 1, stride: int = 0) -> list[tuple[int, ...]]:
    """Arguments of indirect draws, from the bound buffer; ``stride`` 0: they lie one behind the other."""
    if draws < 0 or stride < 0 or stride % 4:
        raise invalid_value(f"{draws} draws, {stride} bytes apart")
    buffer = context.buffers.get(gl.GL_DRAW_INDIRECT_BUFFER)
    if buffer is None:
        raise invalid_operation("no indirect buffer is bound")
    offset, stride = int(pointer) if isinstance(pointer, Offset) else 0, stride or 4 * words
    if offset % 4:
        raise invalid_value(f"offset {offset} is not a multiple of 4")
    if offset < 0 or offset + (draws - 1) * stride + 4 * words > len(buffer.store):
        raise invalid_operation(f"{draws} draws from offset {offset} in a buffer of {len(buffer.store)} bytes")
    return [struct.unpack_from(f"<{words}I", buffer.store, offset + k * stride) for k in range(draws)]


@handles("glDrawArraysIndirect", touches=Changes.NOTHING)
def draw_arrays_indirect(tracker: Tracker, context: Context, mode: int, pointer: object) -> None:
    multi_draw_arrays_indirect(tracker, context, mode, pointer, 1, 0)


@handles("glMultiDrawArraysIndirect", touches=Changes.NOTHING)
def multi_draw_arrays_indirect(
    tracker: Tracker, context: Context, mode: int, pointer: object, draws: int, stride: int
) -> None:
    for count, instances, first, base in _indirect(context, pointer, 4, draws, stride):
        _draw_arrays(tracker, context, mode, first, count, instances, base)


@handles("glDrawElementsIndirect", touches=Changes.NOTHING)
def draw_elements_indirect(tracker: Tracker, context: Context, mode: int, type: int, pointer: object) -> None:
    multi_draw_elements_indirect(tracker, context, mode, type, pointer, 1, 0)


@handles("glMultiDrawElementsIndirect", touches=Changes.NOTHING)
def multi_draw_elements_indirect(
    tracker: Tracker, context: Context, mode: int, type: int, pointer: object, draws: int, stride: int
) -> None:
    found = _indirect(context, pointer, 5, draws, stride)
    if context.vertex_array.element_buffer is None:
        raise invalid_operation("no element array buffer is bound")
    for count, instances, first, base_vertex, base in found:
        base_vertex -= (base_vertex & 0x80000000) << 1
        offset = Offset(first * INDEX_BYTES.get(type, 0))
        _draw_elements(tracker, context, mode, count, type, offset, instances, base_vertex, base)
