"""Transform feedback: outputs of the last stage before rasterization into buffers (GLES 3.0 §2.15)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.programs import LinkedProgram
from replay.engine.vertex_fetch import Stream
from traceformat.gles import enums as gl
from traceformat.gles.objects import BufferRange
from traceformat.gles.state import Context

__all__ = ["capture"]

_VERTICES: Final = {gl.GL_POINTS: 1, gl.GL_LINES: 2, gl.GL_LINE_LOOP: 2, gl.GL_LINE_STRIP: 2}


def _rows(linked: LinkedProgram, output_rows: list[int]) -> list[list[int]]:
    """Output rows of each captured varying, component by component."""
    ir = linked.program.last_vertex_stage
    assert ir is not None
    found = []
    for varying in linked.program.reflection.feedback:
        width = ir.outputs[varying.output].variable.type.width
        per_element = varying.type.width // varying.type.columns
        first = output_rows[varying.output] + varying.element * width
        rows = [
            first + element * width + component
            for element in range(varying.size * varying.type.columns)
            for component in range(per_element)
        ]
        found.append(rows)
    return found


def _write(target: BufferRange, offset: int, records: NDArray[np.uint32]) -> None:
    buffer = target.buffer
    assert buffer is not None
    data = np.ascontiguousarray(records).tobytes()
    start = target.offset + offset
    buffer.change()[start : start + len(data)] = data


def capture(
    context: Context,
    mode: int,
    stream: Stream,
    linked: LinkedProgram,
    output_rows: list[int],
    outputs: NDArray[np.float32],
    primitives: NDArray[np.uint32],
) -> None:
    """Append a draw's primitives to the bound buffers, whole primitives only.

    Parameters
    ----------
    stream, outputs : vertices of the draw and their shaded values, (rows, lanes)
    output_rows : first row of each output slot
    primitives : (P, 3) uint32 rows of the stream
    """
    feedback = context.transform_feedback
    varyings = _rows(linked, output_rows)
    if not varyings or context.program is None or context.program.executable is None:
        return
    per_primitive = _VERTICES.get(mode, 3)
    lanes = stream.arrays.lane[primitives[:, :per_primitive].reshape(-1)]
    separate = context.program.executable.feedback_mode == gl.GL_SEPARATE_ATTRIBS
    groups = varyings if separate else [[row for rows in varyings for row in rows]]
    done = int(feedback.backing or 0)
    room = len(lanes)
    for target, rows in zip(feedback.bindings, groups, strict=False):
        if target.buffer is None:
            return
        size = target.size or max(len(target.buffer.store) - target.offset, 0)
        size = min(size, len(target.buffer.store) - target.offset)
        room = min(room, max(size // (4 * len(rows)) - done, 0))
    room -= room % per_primitive
    bits = outputs.view(np.uint32)
    for target, rows in zip(feedback.bindings, groups, strict=False):
        records = bits[np.array(rows)[:, None], lanes[None, :room]].T
        _write(target, done * 4 * len(rows), records)
    feedback.backing = done + room
    query = context.current_queries.get(gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)
    if query is not None:
        query.backing = (query.backing or 0) + room // per_primitive
