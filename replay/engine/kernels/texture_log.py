"""From the executors' texture access record to FrameTrace's ``tex_ops`` and ``texture_lines``.

The record (:mod:`replay.glsl.texturing`) has an entry for each texture instruction and group of two quads, with the
distinct lines that each quad touches. Here the entries are dealt to their quads.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import numba
import numpy as np

from replay.kernels import kernel

__all__ = ["distill_record"]


@kernel("UniTuple(int64, 5)(uint32[::1], uint64, uint64)", inline="always")
def _extent(record, position, stop):
    """End of the entries of the group at a position, which follow each other; ops and lines of its two quads."""
    four = np.uint64(4)
    sixteen = np.uint32(16)
    group = record[position]
    first_ops = first_lines = second_ops = second_lines = 0
    end = position
    while end < stop and record[end] == group:
        head = record[end + np.uint64(1)]
        both = record[end + four]
        n0 = np.int64(both & np.uint32(0xFFFF))
        n1 = np.int64(both >> sixteen)
        first_ops += (head >> sixteen & np.uint32(15)) != 0
        second_ops += (head >> np.uint32(20) & np.uint32(15)) != 0
        first_lines += min(n0, 255)
        second_lines += min(n1, 255)
        end += np.uint64(5) + four * np.uint64(max(n0, n1))
    return np.int64(end), first_ops, first_lines, second_ops, second_lines


@kernel(
    numba.int64(
        numba.uint32[::1],
        numba.int64,
        numba.int64,
        numba.int64,
        numba.int64,
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.int64[::1],
    )
)
def distill_record(
    record,
    num_words,
    num_quads,
    num_ops,
    num_lines,
    tex_first,
    tex_count,
    line_first,
    line_count,
    texels,
    instruction,
    line,
    lanes,
    totals,
):
    """Convert one chunk's record.

    Parameters
    ----------
    record, num_words : the record and its length
    num_quads : quads of the chunk; group g holds quads 2g and 2g + 1
    num_ops, num_lines : rows that tex_ops and texture_lines have
    tex_first, tex_count : (num_quads,) out
    line_first, line_count, texels, instruction : columns of ``tex_ops``, out; the four texels of an op are one word
    line, lanes : columns of ``texture_lines``, out
    totals : (2,) int64, out: rows of tex_ops and of texture_lines then

    Returns
    -------
    0, or 1 if an output was too small (``totals`` then holds what was reached).
    """
    max_ops = line_first.shape[0]
    max_lines = line.shape[0]
    one = np.uint64(1)
    four = np.uint64(4)
    header = np.uint64(5)
    low = np.uint32(0xFFFF)
    sixteen = np.uint32(16)
    position = np.uint64(0)
    stop = np.uint64(num_words)
    quad = 0
    while position < stop:
        group = np.int64(record[position])
        # The ops and lines of a group's first quad come before those of the second.
        behind, first_ops, first_lines, second_ops, second_lines = _extent(record, position, stop)
        end = np.uint64(behind)
        if num_ops + first_ops + second_ops > max_ops or num_lines + first_lines + second_lines > max_lines:
            totals[0] = num_ops
            totals[1] = num_lines
            return 1
        while quad < 2 * group and quad < num_quads:
            tex_first[quad] = np.uint32(num_ops)
            tex_count[quad] = 0
            quad += 1
        if quad >= num_quads:
            break
        for side in range(2):
            if quad >= num_quads:
                break
            tex_first[quad] = np.uint32(num_ops)
            tex_count[quad] = np.uint16(second_ops if side == 1 else first_ops)
            quad += 1
            at = position
            live_shift = np.uint32(16 + 4 * side)
            count_shift = np.uint32(16 * side)
            while at < end:
                head = record[at + one]
                both = record[at + four]
                if head >> live_shift & np.uint32(15) != 0:
                    count = min(np.int64(both >> count_shift & low), 255)
                    line_first[num_ops] = np.uint32(num_lines)
                    line_count[num_ops] = np.uint8(count)
                    instruction[num_ops] = np.uint16(head & low)
                    texels[num_ops] = record[at + np.uint64(2 + side)]
                    row = at + header + np.uint64(side)
                    for _ in range(count):
                        line[num_lines] = record[row]
                        lanes[num_lines] = np.uint8(record[row + np.uint64(2)])
                        num_lines += 1
                        row += four
                    num_ops += 1
                at += header + four * np.uint64(max(both & low, both >> sixteen))
        position = end
    while quad < num_quads:
        tex_first[quad] = np.uint32(num_ops)
        tex_count[quad] = 0
        quad += 1
    totals[0] = num_ops
    totals[1] = num_lines
    return 0
