"""The texture record of a chunk that was written beside the frame's tables: append it when its turn has come."""

from __future__ import annotations

from typing import Any

import numpy as np

from replay.engine.kernels.access import job_at, texture_record_at, thread_at
from replay.kernels import Int, inner
from traceformat.native.access import array_at

__all__ = ["append_record"]


@inner("void(uint32[::1], uint32[::1], int64)")
def _append_from(target: Any, source: Any, base: Int) -> None:
    """Copy numbers of rows, counted from ``base``."""
    for k in range(source.shape[0]):
        target[k] = source[k] + np.uint32(base)


@inner("void(int64, int64, int64, int64)")
def append_record(thread: Int, count: Int, ops: Int, lines: Int) -> None:
    """Append a chunk of ``count`` quads behind so many ops and lines of a JOB's tables, which have room."""
    own = thread_at(thread)
    job = job_at(own.job)
    record = texture_record_at(own.record)
    table = job.columns
    num_ops, num_lines = record.ops, record.lines
    first = array_at(record.tex_first, count, np.uint32)
    _append_from(first, first, ops)
    _append_from(
        array_at(table.tex_ops_line_first + 4 * ops, num_ops, np.uint32),
        array_at(record.line_first, num_ops, np.uint32),
        lines,
    )
    _append_from(
        array_at(table.tex_ops_texels + 4 * ops, num_ops, np.uint32),
        array_at(record.texels, num_ops, np.uint32),
        0,
    )
    array_at(table.tex_ops_line_count + ops, num_ops, np.uint8)[:] = array_at(record.line_count, num_ops, np.uint8)
    array_at(table.tex_ops_instruction + 2 * ops, num_ops, np.uint16)[:] = array_at(
        record.instruction, num_ops, np.uint16
    )
    _append_from(
        array_at(table.texture_lines_line + 4 * lines, num_lines, np.uint32),
        array_at(record.line, num_lines, np.uint32),
        0,
    )
    array_at(table.texture_lines_lanes + lines, num_lines, np.uint8)[:] = array_at(record.lanes, num_lines, np.uint8)
