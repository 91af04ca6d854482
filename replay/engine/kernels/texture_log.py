"""The texture record of a chunk that was written beside the frame's tables: append it when its turn has come."""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.access import job_at, texture_record_at, thread_at
from replay.kernels import Int, inner
from traceformat.native.access import array_at

__all__ = ["append_record"]


@inner("void(int64, int64, int64, int64)")
def _append_from(target: Int, source: Int, count: Int, base: Int) -> None:
    """Copy uint32 numbers of rows, counted from ``base``, from one address to another."""
    into, values = array_at(target, count, np.uint32), array_at(source, count, np.uint32)
    for k in range(count):
        into[k] = values[k] + np.uint32(base)


@inner("void(int64, int64, int64)")
def _copy(target: Int, source: Int, num_bytes: Int) -> None:
    """Copy octets. Slices of arrays would do it, and take half a second to compile: they have messages to compose."""
    into, octets = array_at(target, num_bytes, np.uint8), array_at(source, num_bytes, np.uint8)
    for k in range(num_bytes):
        into[k] = octets[k]


@inner("void(int64, int64, int64, int64)")
def append_record(thread: Int, count: Int, ops: Int, lines: Int) -> None:
    """Append a chunk of ``count`` quads behind so many ops and lines of a JOB's tables, which have room."""
    own = thread_at(thread)
    job = job_at(own.job)
    record = texture_record_at(own.record)
    table = job.columns
    num_ops, num_lines = record.ops, record.lines
    _append_from(record.tex_first, record.tex_first, count, ops)
    _append_from(table.tex_ops_line_first + 4 * ops, record.line_first, num_ops, lines)
    _copy(table.tex_ops_texels + 4 * ops, record.texels, 4 * num_ops)
    _copy(table.tex_ops_line_count + ops, record.line_count, num_ops)
    _copy(table.tex_ops_instruction + 2 * ops, record.instruction, 2 * num_ops)
    _copy(table.texture_lines_line + 4 * lines, record.line, 4 * num_lines)
    _copy(table.texture_lines_lanes + lines, record.lanes, num_lines)
