"""From what the units left behind to the stream of accesses: words of look-ups, tiles read again, the filter pass."""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import numba
import numpy as np
from numba import carray

from replay.engine.kernels.access import texture_record_at
from replay.handheld.kernels.fragment_order import LOOKUP, REREAD
from replay.kernels import kernel
from traceformat.gputrace.accessstream import KIND_SHIFT, PLACE_MASK, AccessKind
from traceformat.native.access import pointer

__all__ = ["expand", "filter_stream", "resolve", "words_of_lanes"]

_TEXTURE = int(AccessKind.TEXTURE) << KIND_SHIFT
_TILE_UPDATE = int(AccessKind.TILE_UPDATE) << KIND_SHIFT
_FILTER_READ = int(AccessKind.FILTER_READ) << KIND_SHIFT
_FILTER_WRITE = int(AccessKind.FILTER_WRITE) << KIND_SHIFT


@kernel(
    numba.int64(
        numba.int64, numba.int64, numba.uint32[::1], numba.uint32[::1], numba.uint32[::1], numba.int64,
        numba.int64[::1],
    )
)  # fmt: skip
def words_of_lanes(record, num_lanes, first, count, words, num_words, totals):
    """Distinct words that each lane's look-ups touch, from a shader's access record (:mod:`replay.glsl.texturing`).

    Parameters
    ----------
    record : address of a TEXTURE_RECORD that begins with the chunk
    num_lanes : lanes of the chunk
    first, count : (lanes,) out: the words of each lane; ``first`` counts from ``num_words``
    words : out, behind its first ``num_words``
    totals : (34,) added to: look-ups, words, then look-ups by the number of words that they took (31: 31 or more)

    Returns
    -------
    Words needed in all; nothing but ``count`` is valid where that is more than ``words`` holds.
    """
    t = texture_record_at(record)
    op_first = carray(pointer(t.tex_first), num_lanes // 4, np.uint32)
    op_count = carray(pointer(t.tex_count), num_lanes // 4, np.uint16)
    line_first = carray(pointer(t.line_first), t.ops, np.uint32)
    line_count = carray(pointer(t.line_count), t.ops, np.uint8)
    texels = carray(pointer(t.texels), (t.ops, 4), np.uint8)
    line = carray(pointer(t.line), t.lines, np.uint32)
    mask = carray(pointer(t.lanes), t.lines, np.uint8)
    for lane in range(num_lanes):
        count[lane] = 0
    total = num_words
    # Two turns over the record: sizes, then contents.
    for turn in range(2):
        for quad in range(num_lanes // 4):
            start = np.int64(op_first[quad])
            for op in range(start, start + np.int64(op_count[quad])):
                rows = np.int64(line_first[op])
                for f in range(4):
                    if texels[op, f] == 0:
                        continue
                    lane = 4 * quad + f
                    distinct = 0
                    for row in range(rows, rows + np.int64(line_count[op])):
                        if mask[row] >> f & 1:
                            if turn == 1:
                                words[np.int64(first[lane]) + np.int64(count[lane]) + distinct] = line[row]
                            distinct += 1
                    count[lane] += np.uint32(distinct)
                    if turn == 0:
                        totals[0] += 1
                        totals[1] += distinct
                        totals[2 + min(distinct, 31)] += 1
        if turn == 0:
            for lane in range(num_lanes):
                first[lane] = np.uint32(total)
                total += np.int64(count[lane])
            if total > words.shape[0]:
                return total
            for lane in range(num_lanes):
                count[lane] = 0
    return total


@kernel(
    numba.int64(
        numba.uint32[::1], numba.int64, numba.uint32[::1], numba.uint32[::1], numba.uint32[::1], numba.int64[::1],
        numba.int64[:, ::1], numba.int64[::1], numba.uint32[::1],
    )
)  # fmt: skip
def expand(codes, num_codes, lane_first, lane_count, words, where, storage, layout, out):
    """Fill in the look-ups and the tiles that are read again.

    Parameters
    ----------
    codes, num_codes : from :func:`replay.handheld.kernels.fragment_order.test_fragments`
    lane_first, lane_count, words : words of each shading (groups x Q x 4 lanes); empty where nothing was looked up
    where, storage : of the slots, as for ``test_fragments``
    layout : width, height, pitch, samples of a stored pixel, place of the depth buffer, log2 of a tile's side, tiles of
        a row
    out : out; may be empty to find its size

    Returns
    -------
    Codes needed; ``out`` is valid if it holds as many.
    """
    width, height, pitch, stored, z_base = layout[0], layout[1], layout[2], layout[3], layout[4]
    side = 1 << layout[5]
    across = layout[6]
    room = out.shape[0]
    n = 0
    for i in range(num_codes):
        code = np.int64(codes[i])
        kind = code >> KIND_SHIFT
        place = code & PLACE_MASK
        if kind == LOOKUP:
            if lane_count.shape[0]:
                first = np.int64(lane_first[place])
                for k in range(np.int64(lane_count[place])):
                    if n < room:
                        out[n] = np.uint32(_TEXTURE | (2 * np.int64(words[first + k]) & PLACE_MASK))
                    n += 1
        elif kind == REREAD:
            top = place // across * side
            left = place % across * side
            for row in range(top, min(top + side, height)):
                for column in range(left, min(left + side, width)):
                    for s in range(where.shape[0]):
                        w = where[s]
                        right = column == width - 1
                        bottom = row == height - 1
                        if w == 0 or (w == 1 and right) or (w == 2 and bottom) or (w == 3 and right and bottom):
                            if n < room:
                                pixel = (row + storage[s, 1]) * pitch + column + storage[s, 0]
                                out[n] = np.uint32(
                                    _TILE_UPDATE | ((z_base + pixel * stored + storage[s, 2]) & PLACE_MASK)
                                )
                            n += 1
        else:
            if n < room:
                out[n] = codes[i]
            n += 1
    return n


@kernel("void(uint32[:, :, ::1], int64[:, ::1], int64, uint8[:, ::1], uint32[:, ::1])")
def resolve(planes, taps, total_weight, requantize, picture):
    """Average samples to pixels.

    Parameters
    ----------
    planes : (slots, H, W) uint32 colours, bytes R, G, B, A
    taps : (taps, 7) from ``Pattern.tap_table``
    total_weight : of the taps
    requantize : (4, 256) nearest value of each channel's width
    picture : (H, W) uint32, out
    """
    height, width = picture.shape
    half = total_weight // 2
    for row in range(height):
        for column in range(width):
            result = np.uint32(0)
            red = 0
            green = 0
            blue = 0
            alpha = 0
            for t in range(taps.shape[0]):
                right = taps[t, 1] != 0 and column == width - 1
                bottom = taps[t, 2] != 0 and row == 0
                slot = taps[t, 0]
                if right and bottom:
                    slot = taps[t, 5]
                elif right:
                    slot = taps[t, 3]
                elif bottom:
                    slot = taps[t, 4]
                x = column if right else column + taps[t, 1]
                y = row if bottom else row - taps[t, 2]
                color = np.int64(planes[slot, y, x])
                weight = taps[t, 6]
                red += weight * (color & 255)
                green += weight * (color >> 8 & 255)
                blue += weight * (color >> 16 & 255)
                alpha += weight * (color >> 24)
            result = np.uint32(requantize[0, (red + half) // total_weight])
            result |= np.uint32(requantize[1, (green + half) // total_weight]) << np.uint32(8)
            result |= np.uint32(requantize[2, (blue + half) // total_weight]) << np.uint32(16)
            result |= np.uint32(requantize[3, (alpha + half) // total_weight]) << np.uint32(24)
            picture[row, column] = result


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64[:, ::1], uint32[::1])")
def filter_stream(first_row, last_row, width, pitch, stored, source, target, taps, codes):
    """Accesses of the filter pass over rows of the screen from the top.

    Parameters
    ----------
    first_row, last_row : half open
    width, pitch : pixels of a row of the screen, stored pixels of a row of the sample buffer
    stored : samples of a stored pixel
    source, target : places of the sample buffer and of the frame buffer
    taps : (taps, 3) stored pixel to the right, rows down, sample number
    codes : out

    Returns
    -------
    Number of codes.
    """
    n = 0
    for row in range(first_row, last_row):
        for column in range(width):
            for t in range(taps.shape[0]):
                place = ((row + taps[t, 1]) * pitch + column + taps[t, 0]) * stored + taps[t, 2]
                codes[n] = np.uint32(_FILTER_READ | ((source + place) & PLACE_MASK))
                n += 1
            codes[n] = np.uint32(_FILTER_WRITE | ((target + row * width + column) & PLACE_MASK))
            n += 1
    return n
