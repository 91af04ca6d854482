"""A draw's row in the frame's tables, with its constants, texture bindings and object id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from replay.engine.constants import GatherPair, PairConstants
from replay.engine.drawn import Drawn
from replay.engine.input_cache import DrawnRange
from replay.engine.recorder import FrameRecorder
from replay.engine.vertex_source import VertexSource
from replay.glsl.program import GRAPHICS_STAGES
from replay.objects import ObjectName, ObjectRow
from traceformat.gles.backend import DrawCall
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import ProgramObject
from traceformat.gles.state import Context

__all__ = [
    "Shown",
    "draw_text",
    "identify",
    "index_place",
    "name_of",
    "next_object",
    "open_groups",
    "range_columns",
    "record_draw",
    "record_joined",
]

#: Stages before the fragment stage.
_FRONT: Final = GRAPHICS_STAGES[:-1]


class Shown(Protocol):
    """What an object's name has of a draw's state: number of what it binds beside vertex arrays, and its program."""

    identity: int
    program: ProgramObject


def index_place(recorder: FrameRecorder, context: Context, call: DrawCall) -> tuple[int, int]:
    """Bytes of an index, 0 where a draw has none, and the address of the first one."""
    size = INDEX_BYTES.get(call.index_type, 0)
    if not size or not recorder.wants_vertices:
        return 0, 0
    if call.index_buffer is None:
        return size, recorder.addresses.client("index", size * call.count)
    base = recorder.addresses.buffer(
        "index", context.group.serial, call.index_buffer.serial, len(call.index_buffer.store)
    )
    return size, base + call.index_offset


def record_draw(recorder: FrameRecorder, drawn: Drawn, first_rows: tuple[int, int, int]) -> None:
    """Append a draw's row with its constants and texture bindings.

    Parameters
    ----------
    first_rows : of ``vertices``, ``primitives`` and ``vertex_fetches``
    """
    setting, constants = drawn.setting, drawn.constants
    fragment = constants.get("fragment")
    front = [constants[name] for name in _FRONT if name in constants]
    count0 = sum([recorder.add_constants(one) for one in front])
    count1 = recorder.add_constants(fragment) if fragment is not None else 0
    bindings = recorder.bindings
    texture_first = len(bindings)
    packed, num_bindings = drawn.bindings
    bindings.extend(packed, num_bindings)
    columns = range_columns(recorder, drawn)
    fetch_first = first_rows[2]
    recorder.draws.append(
        drawn.call_number,
        len(recorder.passes.passes),
        recorder.object_row(_shown(recorder, drawn)),
        drawn.flags | setting.fixed.flags,
        *first_rows,
        drawn.query is not None,
        len(recorder.fetches) - fetch_first,
        texture_first,
        num_bindings,
        recorder.num_constants - count0 - count1,
        recorder.num_constants - count1,
        count0,
        count1,
        sum([one.new_bytes for one in front]),
        fragment.new_bytes if fragment is not None else 0,
        fixed=columns + setting.columns,
    )


def record_joined(recorder: FrameRecorder, drawn: Drawn, pair: GatherPair, first_rows: tuple[int, int, int]) -> None:
    """As :func:`record_draw`, of a draw that has joined others.

    Parameters
    ----------
    pair : how the constants of its program follow from the packed ones
    """
    setting, texture_first, constant_first = drawn.setting, len(recorder.bindings), recorder.num_constants
    packed, num_bindings = drawn.bindings
    recorder.bindings.extend(packed, num_bindings)
    is_new, *new_bytes = pair.flags(drawn.changed)
    counts = (0, 0)
    if recorder.add_constants(PairConstants(pair, drawn.packed, is_new)):
        counts = len(pair.vertex.area), len(pair.fragment.area)
    recorder.draws.append(
        drawn.call_number,
        len(recorder.passes.passes),
        recorder.object_row(_shown(recorder, drawn)),
        drawn.flags | setting.fixed.flags,
        *first_rows,
        False,
        drawn.num_fetches,
        texture_first,
        num_bindings,
        constant_first,
        constant_first + counts[0],
        *counts,
        *new_bytes,
        fixed=drawn.taken.columns + setting.columns,
    )


def _shown(recorder: FrameRecorder, drawn: Drawn) -> ObjectRow:
    """The object that a draw shows."""
    common = drawn.common
    # A draw that waited has its name; that of the frame before has a row.
    row = common.name.next_row(recorder.objects.frame) if common is not None and not drawn.groups else None
    if row is not None:
        return row
    return identify(recorder, drawn.setting, drawn.source, drawn.call, drawn.taken, drawn.groups)


def range_columns(recorder: FrameRecorder, drawn: Drawn) -> bytes:
    """Columns of ``draws`` that follow from the range of vertices, packed."""
    taken = drawn.taken
    if not taken.columns:
        rows = taken.cached.stream.num_rows if drawn.emitted is None else drawn.emitted.num_work_rows
        index_bytes = INDEX_BYTES.get(drawn.call.index_type, 0)
        taken.columns = recorder.pack_range(drawn.mode, rows, taken.num_primitives, drawn.call.instances, index_bytes)
    return taken.columns


def open_groups(context: Context) -> Sequence[tuple[object, str]]:
    """Debug groups that are open, with their labels."""
    return [(group, group.label) for group in context.debug_groups] if context.debug_groups else ()


def identify(
    recorder: FrameRecorder,
    setting: Shown,
    source: VertexSource,
    call: DrawCall,
    taken: DrawnRange | None,
    groups: Sequence[tuple[object, str]],
) -> ObjectRow:
    """Tell which object a draw shows.

    Parameters
    ----------
    taken : keeps the number of its range
    groups : debug groups that were open
    """
    if groups:
        return recorder.objects.identify(groups, "", None, ())
    return next_object(recorder, name_of(recorder, setting, source, call, taken), setting, source, call)


def next_object(
    recorder: FrameRecorder, name: ObjectName, setting: Shown, source: VertexSource, call: DrawCall
) -> ObjectRow:
    """The object that the next draw of a name shows."""
    if source.label:
        return recorder.objects.repeat(name, ("{}", source.label))
    return recorder.objects.repeat(name, draw_text(setting, call.count, call.first))


def draw_text(setting: Shown, count: int, first: int) -> tuple[Any, ...]:
    """What a draw shows, for people: a format and what goes into it."""
    return "program {}, {} vertices from {}", setting.program.name, count, first


def name_of(
    recorder: FrameRecorder, setting: Shown, source: VertexSource, call: DrawCall, taken: DrawnRange | None
) -> ObjectName:
    """Name of the object that draws outside of debug groups show."""
    if source.identity < 0:
        source.identity = recorder.objects.number(source.buffers)
    number = taken.identity if taken is not None else -1
    if number < 0:
        buffer = call.index_buffer
        serial, offset = (buffer.serial, call.index_offset) if buffer is not None else (0, 0)
        number = recorder.objects.number((call.mode, call.first, call.count, serial, offset))
        if taken is not None:
            taken.identity = number
    return recorder.objects.name(source.label, (setting.identity, source.identity, number))
