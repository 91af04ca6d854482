"""A draw's row in the frame's tables, with its constants, texture bindings and object id."""

from __future__ import annotations

from dataclasses import dataclass

from replay.engine.constants import StageConstants
from replay.engine.recorder import FrameRecorder
from replay.engine.setting import Setting
from replay.engine.vertex_source import VertexSource
from replay.objects import ObjectRow
from traceformat.gles.backend import DrawCall
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.state import Context

__all__ = ["DrawRows", "identify", "index_place", "record_draw"]


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


@dataclass(slots=True)
class DrawRows:
    """Where a draw's rows are.

    Parameters
    ----------
    vertices, primitives : first row and number of rows in these tables
    fetch_first : first row of ``vertex_fetches``
    flags : DrawFlags beside those of the state
    is_counted : an occlusion query counts the fragments
    """

    vertices: tuple[int, int]
    primitives: tuple[int, int]
    fetch_first: int
    flags: int
    is_counted: bool


def record_draw(
    recorder: FrameRecorder,
    setting: Setting,
    source: VertexSource,
    call: DrawCall,
    constants: dict[str, StageConstants],
    rows: DrawRows,
) -> None:
    """Append a draw's row with its constants and texture bindings."""
    context = setting.context
    first0, count0, new0 = recorder.add_constants(constants["vertex"])
    if "fragment" in constants:
        first1, count1, new1 = recorder.add_constants(constants["fragment"])
    else:
        first1, count1, new1 = recorder.num_constants, 0, 0
    bindings = recorder.bindings
    texture_first = len(bindings)
    packed, num_bindings = setting.bound.rows(bindings)
    if num_bindings:
        bindings.extend(packed, num_bindings)
    recorder.draws.append(
        context.call_number,
        recorder.passes.current,
        recorder.object_row(identify(recorder, setting, source, call)),
        call.mode,
        rows.flags | setting.fixed.flags,
        *rows.vertices,
        *rows.primitives,
        call.instances,
        INDEX_BYTES.get(call.index_type, 0),
        rows.is_counted,
        rows.fetch_first,
        len(recorder.fetches) - rows.fetch_first,
        texture_first,
        num_bindings,
        *(first0, first1, count0, count1, new0, new1),
        fixed=setting.columns,
    )


def identify(recorder: FrameRecorder, setting: Setting, source: VertexSource, call: DrawCall) -> ObjectRow:
    """Tell which object a draw shows."""
    buffer = call.index_buffer
    serial, offset = (buffer.serial, call.index_offset) if buffer is not None else (0, 0)
    if source.identity < 0:
        source.identity = recorder.objects.number(source.buffers)
    bindings = (setting.identity, source.identity, call.mode, call.first, call.count, serial, offset)
    opened = setting.context.debug_groups
    groups = [(group, group.label) for group in opened] if opened else ()
    text = ("program {}, {} vertices from {}", setting.program.name, call.count, call.first)
    return recorder.objects.identify(groups, source.label, bindings, text)
