"""From the executors' texture access record to FrameTrace's ``tex_ops`` and ``texture_lines``.

The record (:mod:`replay.glsl.texturing`) has an entry for each texture instruction and group of two quads, with the
line that each tap of each lane touches. Here the entries are dealt to their quads, and lines are made distinct per
quad.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import numba
import numpy as np

from replay.kernels import kernel

__all__ = ["distill_record"]


@kernel(
    numba.int64(
        numba.uint32[::1],
        numba.int64,
        numba.int64,
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint8[:, ::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.int64[::1],
    )
)
def distill_record(
    record, num_words, num_quads, tex_first, tex_count, line_first, line_count, texels, instruction, line, lanes, totals
):
    """Convert one chunk's record.

    Parameters
    ----------
    record, num_words : the record and its length
    num_quads : quads of the chunk; group g holds quads 2g and 2g + 1
    tex_first, tex_count : (num_quads,) out; first counts from 0 within the chunk
    line_first, line_count, texels, instruction : columns of ``tex_ops``, out; line_first counts from 0
    line, lanes : columns of ``texture_lines``, out
    totals : (2,) int64, out: rows of tex_ops and of texture_lines

    Returns
    -------
    0, or 1 if an output was too small (``totals`` then holds what was reached).
    """
    num_ops = 0
    num_lines = 0
    max_ops = line_first.shape[0]
    max_lines = line.shape[0]
    position = 0
    quad = 0
    none = np.uint32(0xFFFFFFFF)
    while position < num_words:
        group = np.int64(record[position])
        # Entries of one group are consecutive: find their end.
        end = position
        while end < num_words and record[end] == record[position]:
            end += 4 + 8 * np.int64(record[end + 1] >> np.uint32(24))
        while quad < 2 * group and quad < num_quads:
            tex_first[quad] = np.uint32(num_ops)
            tex_count[quad] = 0
            quad += 1
        for side in range(2):
            if quad >= num_quads:
                break
            tex_first[quad] = np.uint32(num_ops)
            executed = 0
            at = position
            while at < end:
                head = record[at + 1]
                taps = np.int64(head >> np.uint32(24))
                live = np.int64(head >> np.uint32(16 + 4 * side)) & 15
                if live != 0:
                    if num_ops >= max_ops or num_lines + 4 * taps > max_lines:
                        totals[0] = num_ops
                        totals[1] = num_lines
                        return 1
                    executed += 1
                    line_first[num_ops] = np.uint32(num_lines)
                    instruction[num_ops] = np.uint16(head & np.uint32(0xFFFF))
                    read = record[at + 2 + side]
                    for f in range(4):
                        texels[num_ops, f] = np.uint8(read >> np.uint32(8 * f) & np.uint32(255)) if live >> f & 1 else 0
                    start = num_lines
                    # Lanes that are not live have no lines. The line seen last is the likeliest one.
                    last = np.uint64(num_lines)
                    last_line = none
                    row = np.uint64(at + 4 + 4 * side)
                    for _ in range(taps):
                        for f in range(4):
                            touched = record[row + np.uint64(f)]
                            if touched != last_line:
                                if touched == none:
                                    continue
                                last_line = touched
                                last = np.uint64(start)
                                while last < np.uint64(num_lines) and line[last] != touched:
                                    last += np.uint64(1)
                                if last == np.uint64(num_lines):
                                    line[last] = touched
                                    lanes[last] = 0
                                    num_lines += 1
                            lanes[last] |= np.uint8(1 << f)
                        row += np.uint64(8)
                    if num_lines - start > 255:
                        num_lines = start + 255
                    line_count[num_ops] = np.uint8(num_lines - start)
                    num_ops += 1
                at += 4 + 8 * taps
            tex_count[quad] = np.uint16(executed)
            quad += 1
        position = end
    while quad < num_quads:
        tex_first[quad] = np.uint32(num_ops)
        tex_count[quad] = 0
        quad += 1
    totals[0] = num_ops
    totals[1] = num_lines
    return 0
