"""Zigzag scanline traversal of triangles, with exact coverage at the sample positions.

Each row of a primitive is walked in the direction opposite to the row above (Pineda 1988; §4.3 and Figure 6 of the
paper), from the top down. The walk leaves a row only where it is outside of the primitive in this row and in the next
one, so that the next row can be swept back: a row's walk reaches one pixel beyond the farther of its own end and its
neighbour's end, above on the side where it came in and below on the side where it goes out (ASSUMED reading of
Pineda's rule). Bounds of the screen end a walk too.

Coverage: edge functions in fixed point, scaled by 3 so that thirds of a pixel are integers; a sample on an edge belongs
to the primitive whose left or bottom edge it is (y upwards), as in :mod:`replay.engine.kernels.raster`. For each slot
and parity of the pattern the covered pixels of a row are one interval, found by exact division.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.raster import outline
from replay.handheld.kernels.access import walk_at
from replay.handheld.patterns import SAMPLE_UNIT, Where
from replay.kernels import Array, Bool, Float, Int, entry, inner
from traceformat.native.access import pointer

__all__ = ["makes", "traverse"]

#: Units of our positions in one of the primitive's (8 bits of subpixel precision).
_SCALE: Final = SAMPLE_UNIT // 256
_EMPTY_LOW: Final = 1 << 40
_EMPTY_HIGH: Final = -(1 << 40)
_AT_RIGHT: Final = int(Where.RIGHT_EDGE)
_AT_BOTTOM: Final = int(Where.BOTTOM_EDGE)
_EVERYWHERE: Final = int(Where.EVERYWHERE)


@inner("boolean(int64, boolean, boolean)")
def makes(where: Int, at_right: Bool, at_bottom: Bool) -> Bool:
    """Whether a pixel makes a slot, given whether it is the last one of its row or column."""
    if where == _EVERYWHERE:
        return True
    if where == _AT_RIGHT:
        return at_right
    if where == _AT_BOTTOM:
        return at_bottom
    return at_right & at_bottom


@inner("void(int64, int64, int64[:, ::1], int64, int64[:, :, ::1])")
def _row_spans(walk: Int, num_corners: Int, corners: Array, row: Int, spans: Array) -> None:
    """Covered pixels of a row for each parity and slot: spans[parity, slot] = first, last; empty if first > last."""
    w = walk_at(walk)
    num_slots = w.pattern.num_slots
    positions = carray(pointer(w.pattern.positions), (2, num_slots, 2), np.int64)
    bounds = carray(pointer(w.bounds + 8 * w.begin), 4, np.int16)
    for p in range(w.pattern.num_parities):
        for s in range(num_slots):
            first: Int = np.int64(bounds[0])
            last: Int = np.int64(bounds[2])
            sx = positions[p, s, 0]
            sy = positions[p, s, 1] + SAMPLE_UNIT * row
            for i in range(num_corners):
                j = i + 1 if i + 1 < num_corners else 0
                a = corners[i, 1] - corners[j, 1]
                b = corners[j, 0] - corners[i, 0]
                bias = 0 if a > 0 or (a == 0 and b > 0) else 1
                value = a * (sx - _SCALE * corners[i, 0]) + b * (sy - _SCALE * corners[i, 1]) - bias
                if a > 0:
                    first = max(first, -(value // (a * SAMPLE_UNIT)))
                elif a < 0:
                    last = min(last, value // (-a * SAMPLE_UNIT))
                elif value < 0:
                    last = _EMPTY_HIGH
            if first > last:
                first, last = _EMPTY_LOW, _EMPTY_HIGH
            spans[p, s, 0] = first
            spans[p, s, 1] = last


@inner("UniTuple(int64, 2)(int64, int64[:, :, ::1])")
def _extent(walk: Int, spans: Array) -> tuple[Int, Int]:
    """First and last pixel of a row that any slot may cover."""
    low = _EMPTY_LOW
    high = _EMPTY_HIGH
    for p in range(walk_at(walk).pattern.num_parities):
        for s in range(spans.shape[1]):
            if spans[p, s, 0] <= spans[p, s, 1]:
                low = min(low, spans[p, s, 0])
                high = max(high, spans[p, s, 1])
    return low, high


@inner("void(int64, int64, int64, int64)")
def _begin_quads(walk: Int, row: Int, first: Int, last: Int) -> None:
    """Make the quads of a row of quads, from the pixel ``first`` to the pixel ``last``."""
    if first > last:
        return
    w = walk_at(walk)
    primitive = carray(pointer(w.quad_primitive), w.room, np.uint32)
    quad_x = carray(pointer(w.quad_x), w.room, np.uint16)
    quad_y = carray(pointer(w.quad_y), w.room, np.uint16)
    cover = carray(pointer(w.cover), (w.pattern.num_groups, w.room), np.uint8)
    q = w.num_quads
    w.quad_low = first >> 1
    w.quad_base = q
    for k in range(first >> 1, (last >> 1) + 1):
        primitive[q] = np.uint32(w.begin)
        quad_x[q] = np.uint16(k)
        quad_y[q] = np.uint16(row >> 1)
        for g in range(w.pattern.num_groups):
            cover[g, q] = 0
        q += 1
    w.num_quads = q


@inner("int64(int64, int64, int64, int64[:, ::1])")
def _mask(walk: Int, column: Int, row: Int, spans: Array) -> Int:
    """Slots of a pixel that are covered."""
    w = walk_at(walk)
    where = carray(pointer(w.pattern.where), w.pattern.num_slots, np.int64)
    mask = 0
    for s in range(w.pattern.num_slots):
        if spans[s, 0] <= column <= spans[s, 1] and makes(where[s], column == w.width - 1, row == 0):
            mask |= 1 << s
    return mask


@inner("uint32(int64, int64, float64, float64, float64)")
def _depth(walk: Int, row: Int, x: Float, moved_x: Float, moved_y: Float) -> Int:
    """Depth of the primitive at hand at a pixel, moved by fractions of one."""
    w = walk_at(walk)
    plane = carray(pointer(w.depth_plane + 24 * w.begin), 3, np.float64)
    z_row = plane[0] + plane[2] * np.float64(row)
    z = np.float32(z_row + plane[1] * (x + moved_x) + plane[2] * moved_y)
    z = min(max(z, np.float32(0.0)), np.float32(1.0))
    return np.uint32(np.rint(np.float64(z) * np.float64((np.int64(1) << w.depth_bits) - 1)))


@inner("void(int64, int64, int64, int64, int64)")
def _put_fragment(walk: Int, column: Int, row: Int, parity: Int, mask: Int) -> None:
    """Write a fragment, and cover its lane of the quad."""
    w = walk_at(walk)
    num_slots = w.pattern.num_slots
    positions = carray(pointer(w.pattern.positions), (2, num_slots, 2), np.int64)
    group = carray(pointer(w.pattern.group), num_slots, np.int64)
    cover = carray(pointer(w.cover), (w.pattern.num_groups, w.room), np.uint8)
    depth = carray(pointer(w.depth), (w.room, num_slots), np.uint32)
    n = w.num_fragments
    w.num_fragments = n + 1
    carray(pointer(w.primitive), w.room, np.uint32)[n] = np.uint32(w.begin)
    carray(pointer(w.fragment_x), w.room, np.uint16)[n] = np.uint16(column)
    carray(pointer(w.fragment_y), w.room, np.uint16)[n] = np.uint16(row)
    carray(pointer(w.mask), w.room, np.uint8)[n] = np.uint8(mask)
    if mask == 0:
        return
    quad = w.quad_base + (column >> 1) - w.quad_low
    lane = (row & 1) * 2 + (column & 1)
    carray(pointer(w.quad), w.room, np.uint32)[n] = np.uint32(4 * quad + lane)
    unit = np.float64(SAMPLE_UNIT)
    for s in range(num_slots):
        if mask >> s & 1 != 0:
            w.samples += 1
            cover[group[s], quad] |= np.uint8(1 << lane)
            moved_x = np.float64(positions[parity, s, 0]) / unit - 0.5
            moved_y = np.float64(positions[parity, s, 1]) / unit - 0.5
            depth[n, s] = _depth(walk, row, np.float64(column), moved_x, moved_y)


@inner("void(int64, int64, int64, int64, int64[:, :, ::1])")
def _walk_row(walk: Int, row: Int, left: Int, right: Int, spans: Array) -> None:
    """Walk a row from ``left`` to ``right``, or back, and write its fragments."""
    w = walk_at(walk)
    machine_row = w.height - 1 - row
    keeps = w.keeps_outside != 0
    low, high = left, right
    if not keeps:
        low, high = _extent(walk, spans)
    column = low if w.step > 0 else high
    for _ in range(max(high - low + 1, 0)):
        parity = (column + machine_row) & 1 if w.pattern.num_parities == 2 else 0
        mask = _mask(walk, column, row, spans[parity])
        if mask != 0 or keeps:
            _put_fragment(walk, column, row, parity, mask)
        column += w.step
    w.visited += right - left + 1
    w.at = right if w.step > 0 else left
    w.step = -w.step


@inner("UniTuple(int64, 2)(int64, int64[:, ::1])")
def _reach(walk: Int, extents: Array) -> tuple[Int, Int]:
    """Where the walk of a row ends on both sides; ``extents`` are those of the row above, this one, and the next."""
    w = walk_at(walk)
    bounds = carray(pointer(w.bounds + 8 * w.begin), 4, np.int16)
    x0, x1 = np.int64(bounds[0]), np.int64(bounds[2])
    came, goes = (0, 2) if w.step > 0 else (2, 0)
    left = min(extents[1, 0], extents[came, 0])
    right = max(extents[1, 1], extents[goes, 1])
    left = max(left - 1, x0) if left != _EMPTY_LOW else w.at
    right = min(right + 1, x1) if right != _EMPTY_HIGH else w.at
    if left > right:
        left = right = min(max(w.at, x0), x1)
    return left, right


@inner("boolean(int64[:, ::1], int64)")
def _has_pixels(extents: Array, row: Int) -> Bool:
    return extents[row, 0] <= extents[row, 1]


@inner("void(int64, int64[:, ::1], int64[:, :, :, ::1])")
def _walk_primitive(walk: Int, corners: Array, spans: Array) -> None:
    """Walk the primitive at hand from the top down."""
    w = walk_at(walk)
    e = w.begin
    num_vertices = carray(pointer(w.num_vertices), e + 1, np.uint8)
    size = carray(pointer(w.size), e + 1, np.float32)
    x = carray(pointer(w.x + 12 * e), 3, np.int32)
    y = carray(pointer(w.y + 12 * e), 3, np.int32)
    bounds = carray(pointer(w.bounds + 8 * e), 4, np.int16)
    num_corners = outline(np.int64(num_vertices[e]), size[e], x, y, corners)
    extents = np.empty((3, 2), np.int64)
    first_row, last_row = np.int64(bounds[1]), np.int64(bounds[3])
    now = 0
    _row_spans(walk, num_corners, corners, last_row, spans[now])
    extents[1, 0], extents[1, 1] = _extent(walk, spans[now])
    extents[0, 0], extents[0, 1] = extents[1, 0], extents[1, 1]
    w.step = 1
    w.at = np.int64(bounds[0])
    w.quad_base = w.quad_low = 0
    started = False
    for row in range(last_row, first_row - 1, -1):
        extents[2, 0], extents[2, 1] = _EMPTY_LOW, _EMPTY_HIGH
        if row > first_row:
            _row_spans(walk, num_corners, corners, row - 1, spans[1 - now])
            extents[2, 0], extents[2, 1] = _extent(walk, spans[1 - now])
        # The walk begins at the topmost row that holds anything.
        begins = not started and _has_pixels(extents, 1)
        if begins or (started and (_has_pixels(extents, 0) or _has_pixels(extents, 1) or _has_pixels(extents, 2))):
            if row & 1 == 1:
                # Both rows of the quads.
                first, last = min(extents[1, 0], extents[2, 0]), max(extents[1, 1], extents[2, 1])
                _begin_quads(walk, row, first, last)
            elif begins:
                _begin_quads(walk, row, extents[1, 0], extents[1, 1])
            left, right = _reach(walk, extents)
            _walk_row(walk, row, left, right, spans[now])
            started = True
        # What lies above the first row is as empty as that row.
        above = 1 if started else 2
        for side in range(2):
            extents[0, side] = extents[above, side]
            extents[1, side] = extents[2, side]
        now = 1 - now


@entry
def traverse(address: Int) -> Int:
    """Walk the primitives of a WALK until the room for fragments might not suffice for the next one.

    Returns
    -------
    The primitive to go on with, which is ``begin`` then.
    """
    w = walk_at(address)
    corners = np.empty((4, 2), np.int64)
    spans = np.empty((2, 2, w.pattern.num_slots, 2), np.int64)
    bounds = carray(pointer(w.bounds), (w.end, 4), np.int16)
    while w.begin < w.end:
        e = w.begin
        width = np.int64(bounds[e, 2]) - np.int64(bounds[e, 0])
        if width >= 0:
            worst = (width + 3) * (np.int64(bounds[e, 3]) - np.int64(bounds[e, 1]) + 1)
            if max(w.num_fragments, w.num_quads) + worst > w.room:
                return e
            _walk_primitive(address, corners, spans)
        w.begin = e + 1
    return w.begin
