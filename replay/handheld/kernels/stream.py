"""From what the units left behind to the stream of accesses: words of look-ups, tiles read again, the filter pass."""

from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.engine.kernels.access import texture_record_at
from replay.handheld.kernels.access import expansion_at, filter_at, order_at, walk_at
from replay.handheld.kernels.fragment_order import LOOKUP, REREAD
from replay.handheld.kernels.traverse import makes
from replay.kernels import Array, Int, entry, inner, kernel
from traceformat.gputrace.accessstream import KIND_SHIFT, PLACE_MASK, AccessKind
from traceformat.native.access import array_at

__all__ = ["expand", "filter_stream", "resolve", "words_of_lanes"]

_TEXTURE: Final = int(AccessKind.TEXTURE) << KIND_SHIFT
_TILE_UPDATE: Final = int(AccessKind.TILE_UPDATE) << KIND_SHIFT
_FILTER_READ: Final = int(AccessKind.FILTER_READ) << KIND_SHIFT
_FILTER_WRITE: Final = int(AccessKind.FILTER_WRITE) << KIND_SHIFT


@kernel(
    numba.int64(
        numba.int64, numba.int64, numba.uint32[::1], numba.uint32[::1], numba.uint32[::1], numba.int64,
        numba.int64[::1],
    )
)  # fmt: skip
def words_of_lanes(
    record_address: Int, num_lanes: Int, first: Array, count: Array, words: Array, num_words: Int, totals: Array
) -> Int:
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
    record = texture_record_at(record_address)
    op_first = array_at(record.tex_first, num_lanes // 4, np.uint32)
    op_count = array_at(record.tex_count, num_lanes // 4, np.uint16)
    line_first = array_at(record.line_first, record.ops, np.uint32)
    line_count = array_at(record.line_count, record.ops, np.uint8)
    texels = array_at(record.texels, (record.ops, 4), np.uint8)
    line = array_at(record.line, record.lines, np.uint32)
    mask = array_at(record.lanes, record.lines, np.uint8)
    for lane in range(num_lanes):
        count[lane] = 0
    total = num_words
    # Two turns over the record: sizes, then contents.
    for turn in range(2):
        for quad in range(num_lanes // 4):
            start = np.int64(op_first[quad])
            for op in range(start, start + np.int64(op_count[quad])):
                rows = np.int64(line_first[op])
                for fragment in range(4):
                    if texels[op, fragment] == 0:
                        continue
                    lane = 4 * quad + fragment
                    distinct = 0
                    for row in range(rows, rows + np.int64(line_count[op])):
                        if mask[row] >> fragment & 1:
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


@inner("void(int64, int64, int64)")
def _put(expansion_address: Int, n: Int, code: Int) -> None:
    """Write a code, if there is room."""
    expansion = expansion_at(expansion_address)
    if n < expansion.room:
        array_at(expansion.out, expansion.room, np.uint32)[n] = np.uint32(code)


@inner("int64(int64, int64, int64)")
def _put_lookups(expansion_address: Int, n: Int, lane: Int) -> Int:
    """Write the words of a lane's look-ups; returns the number of codes then."""
    expansion = expansion_at(expansion_address)
    if expansion.num_lanes == 0:
        return n
    first = np.int64(array_at(expansion.lane_first, expansion.num_lanes, np.uint32)[lane])
    count = np.int64(array_at(expansion.lane_count, expansion.num_lanes, np.uint32)[lane])
    words = array_at(expansion.words, first + count, np.uint32)
    for k in range(count):
        _put(expansion_address, n + k, _TEXTURE | (2 * np.int64(words[first + k]) & PLACE_MASK))
    return n + count


@inner("int64(int64, int64, int64)")
def _put_tile(expansion: Int, n: Int, tile: Int) -> Int:
    """Write the reads of all depth values of a tile; returns the number of codes then."""
    order = order_at(expansion_at(expansion).order)
    walk = walk_at(order.walk)
    where = array_at(walk.pattern.where, walk.pattern.num_slots, np.int64)
    storage = array_at(walk.pattern.storage, (walk.pattern.num_slots, 3), np.int64)
    side = 1 << order.tile_shift
    top = tile // order.tile_columns * side
    left = tile % order.tile_columns * side
    for row in range(top, min(top + side, walk.height)):
        for column in range(left, min(left + side, walk.width)):
            for slot in range(walk.pattern.num_slots):
                if makes(where[slot], column == walk.width - 1, row == walk.height - 1):
                    pixel = (row + storage[slot, 1]) * order.pitch + column + storage[slot, 0]
                    place = order.z_base + pixel * order.stored + storage[slot, 2]
                    _put(expansion, n, _TILE_UPDATE | (place & PLACE_MASK))
                    n += 1
    return n


@entry
def expand(address: Int) -> Int:
    """Fill in the look-ups and the tiles that are read again.

    Returns
    -------
    Codes needed; ``out`` is valid if it holds as many.
    """
    order = order_at(expansion_at(address).order)
    codes = array_at(order.codes, order.num_codes, np.uint32)
    n = 0
    for i in range(order.num_codes):
        code = np.int64(codes[i])
        kind = code >> KIND_SHIFT
        if kind == LOOKUP:
            n = _put_lookups(address, n, code & PLACE_MASK)
        elif kind == REREAD:
            n = _put_tile(address, n, code & PLACE_MASK)
        else:
            _put(address, n, code)
            n += 1
    return n


@kernel("void(uint32[:, :, ::1], int64[:, ::1], int64, uint8[:, ::1], uint32[:, ::1])")
def resolve(planes: Array, taps: Array, total_weight: Int, requantize: Array, picture: Array) -> None:
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
            for tap in range(taps.shape[0]):
                right = taps[tap, 1] != 0 and column == width - 1
                bottom = taps[tap, 2] != 0 and row == 0
                slot = taps[tap, 0]
                if right and bottom:
                    slot = taps[tap, 5]
                elif right:
                    slot = taps[tap, 3]
                elif bottom:
                    slot = taps[tap, 4]
                x = column if right else column + taps[tap, 1]
                y = row if bottom else row - taps[tap, 2]
                color = np.int64(planes[slot, y, x])
                weight = taps[tap, 6]
                red += weight * (color & 255)
                green += weight * (color >> 8 & 255)
                blue += weight * (color >> 16 & 255)
                alpha += weight * (color >> 24)
            result = np.uint32(requantize[0, (red + half) // total_weight])
            result |= np.uint32(requantize[1, (green + half) // total_weight]) << np.uint32(8)
            result |= np.uint32(requantize[2, (blue + half) // total_weight]) << np.uint32(16)
            result |= np.uint32(requantize[3, (alpha + half) // total_weight]) << np.uint32(24)
            picture[row, column] = result


@entry
def filter_stream(address: Int) -> Int:
    """Write the accesses of a FILTER; returns the number of codes."""
    filter = filter_at(address)
    taps = array_at(filter.taps, (filter.num_taps, 3), np.int64)
    num_codes = (filter.last_row - filter.first_row) * filter.width * (filter.num_taps + 1)
    codes = array_at(filter.codes, num_codes, np.uint32)
    n = 0
    for row in range(filter.first_row, filter.last_row):
        for column in range(filter.width):
            for tap in range(filter.num_taps):
                place = ((row + taps[tap, 1]) * filter.pitch + column + taps[tap, 0]) * filter.stored + taps[tap, 2]
                codes[n] = np.uint32(_FILTER_READ | ((filter.source + place) & PLACE_MASK))
                n += 1
            codes[n] = np.uint32(_FILTER_WRITE | ((filter.target + row * filter.width + column) & PLACE_MASK))
            n += 1
    return n
