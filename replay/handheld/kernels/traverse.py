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

from replay.engine.kernels.raster import outline
from replay.handheld.kernels.access import walk_at
from replay.handheld.patterns import SAMPLE_UNIT, Where
from replay.kernels import Array, Bool, Float, Int, entry, inner
from traceformat.native.access import array_at

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
def _row_spans(walk_address: Int, num_corners: Int, corners: Array, row: Int, spans: Array) -> None:
    """Covered pixels of a row for each parity and slot: spans[parity, slot] = first, last; empty if first > last."""
    walk = walk_at(walk_address)
    num_slots = walk.pattern.num_slots
    positions = array_at(walk.pattern.positions, (2, num_slots, 2), np.int64)
    bounds = array_at(walk.bounds + 8 * walk.begin, 4, np.int16)
    for parity in range(walk.pattern.num_parities):
        for slot in range(num_slots):
            first: Int = np.int64(bounds[0])
            last: Int = np.int64(bounds[2])
            sx = positions[parity, slot, 0]
            sy = positions[parity, slot, 1] + SAMPLE_UNIT * row
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
            spans[parity, slot, 0] = first
            spans[parity, slot, 1] = last


@inner("UniTuple(int64, 2)(int64, int64[:, :, ::1])")
def _extent(walk: Int, spans: Array) -> tuple[Int, Int]:
    """First and last pixel of a row that any slot may cover."""
    low = _EMPTY_LOW
    high = _EMPTY_HIGH
    for parity in range(walk_at(walk).pattern.num_parities):
        for slot in range(spans.shape[1]):
            if spans[parity, slot, 0] <= spans[parity, slot, 1]:
                low = min(low, spans[parity, slot, 0])
                high = max(high, spans[parity, slot, 1])
    return low, high


@inner("void(int64, int64, int64, int64)")
def _begin_quads(walk_address: Int, row: Int, first: Int, last: Int) -> None:
    """Make the quads of a row of quads, from the pixel ``first`` to the pixel ``last``."""
    if first > last:
        return
    walk = walk_at(walk_address)
    primitive = array_at(walk.quad_primitive, walk.room, np.uint32)
    quad_x = array_at(walk.quad_x, walk.room, np.uint16)
    quad_y = array_at(walk.quad_y, walk.room, np.uint16)
    cover = array_at(walk.cover, (walk.pattern.num_groups, walk.room), np.uint8)
    quad = walk.num_quads
    walk.quad_low = first >> 1
    walk.quad_base = quad
    for column in range(first >> 1, (last >> 1) + 1):
        primitive[quad] = np.uint32(walk.begin)
        quad_x[quad] = np.uint16(column)
        quad_y[quad] = np.uint16(row >> 1)
        for group in range(walk.pattern.num_groups):
            cover[group, quad] = 0
        quad += 1
    walk.num_quads = quad


@inner("int64(int64, int64, int64, int64[:, ::1])")
def _mask(walk_address: Int, column: Int, row: Int, spans: Array) -> Int:
    """Slots of a pixel that are covered."""
    walk = walk_at(walk_address)
    where = array_at(walk.pattern.where, walk.pattern.num_slots, np.int64)
    mask = 0
    for slot in range(walk.pattern.num_slots):
        if spans[slot, 0] <= column <= spans[slot, 1] and makes(where[slot], column == walk.width - 1, row == 0):
            mask |= 1 << slot
    return mask


@inner("uint32(int64, int64, float64, float64, float64)")
def _depth(walk_address: Int, row: Int, x: Float, moved_x: Float, moved_y: Float) -> Int:
    """Depth of the primitive at hand at a pixel, moved by fractions of one."""
    walk = walk_at(walk_address)
    plane = array_at(walk.depth_plane + 24 * walk.begin, 3, np.float64)
    z_row = plane[0] + plane[2] * np.float64(row)
    z = np.float32(z_row + plane[1] * (x + moved_x) + plane[2] * moved_y)
    z = min(max(z, np.float32(0.0)), np.float32(1.0))
    return np.uint32(np.rint(np.float64(z) * np.float64((np.int64(1) << walk.depth_bits) - 1)))


@inner("void(int64, int64, int64, int64, int64)")
def _put_fragment(walk_address: Int, column: Int, row: Int, parity: Int, mask: Int) -> None:
    """Write a fragment, and cover its lane of the quad."""
    walk = walk_at(walk_address)
    num_slots = walk.pattern.num_slots
    positions = array_at(walk.pattern.positions, (2, num_slots, 2), np.int64)
    group = array_at(walk.pattern.group, num_slots, np.int64)
    cover = array_at(walk.cover, (walk.pattern.num_groups, walk.room), np.uint8)
    depth = array_at(walk.depth, (walk.room, num_slots), np.uint32)
    n = walk.num_fragments
    walk.num_fragments = n + 1
    array_at(walk.primitive, walk.room, np.uint32)[n] = np.uint32(walk.begin)
    array_at(walk.fragment_x, walk.room, np.uint16)[n] = np.uint16(column)
    array_at(walk.fragment_y, walk.room, np.uint16)[n] = np.uint16(row)
    array_at(walk.mask, walk.room, np.uint8)[n] = np.uint8(mask)
    if mask == 0:
        return
    quad = walk.quad_base + (column >> 1) - walk.quad_low
    lane = (row & 1) * 2 + (column & 1)
    array_at(walk.quad, walk.room, np.uint32)[n] = np.uint32(4 * quad + lane)
    unit = np.float64(SAMPLE_UNIT)
    for slot in range(num_slots):
        if mask >> slot & 1 != 0:
            walk.samples += 1
            cover[group[slot], quad] |= np.uint8(1 << lane)
            moved_x = np.float64(positions[parity, slot, 0]) / unit - 0.5
            moved_y = np.float64(positions[parity, slot, 1]) / unit - 0.5
            depth[n, slot] = _depth(walk_address, row, np.float64(column), moved_x, moved_y)


@inner("void(int64, int64, int64, int64, int64[:, :, ::1])")
def _walk_row(walk_address: Int, row: Int, left: Int, right: Int, spans: Array) -> None:
    """Walk a row from ``left`` to ``right``, or back, and write its fragments."""
    walk = walk_at(walk_address)
    machine_row = walk.height - 1 - row
    keeps = walk.keeps_outside != 0
    low, high = left, right
    if not keeps:
        low, high = _extent(walk_address, spans)
    column = low if walk.step > 0 else high
    for _ in range(max(high - low + 1, 0)):
        parity = (column + machine_row) & 1 if walk.pattern.num_parities == 2 else 0
        mask = _mask(walk_address, column, row, spans[parity])
        if mask != 0 or keeps:
            _put_fragment(walk_address, column, row, parity, mask)
        column += walk.step
    walk.visited += right - left + 1
    walk.at = right if walk.step > 0 else left
    walk.step = -walk.step


@inner("UniTuple(int64, 2)(int64, int64[:, ::1])")
def _reach(walk_address: Int, extents: Array) -> tuple[Int, Int]:
    """Where the walk of a row ends on both sides; ``extents`` are those of the row above, this one, and the next."""
    walk = walk_at(walk_address)
    bounds = array_at(walk.bounds + 8 * walk.begin, 4, np.int16)
    x0, x1 = np.int64(bounds[0]), np.int64(bounds[2])
    came, goes = (0, 2) if walk.step > 0 else (2, 0)
    left = min(extents[1, 0], extents[came, 0])
    right = max(extents[1, 1], extents[goes, 1])
    left = max(left - 1, x0) if left != _EMPTY_LOW else walk.at
    right = min(right + 1, x1) if right != _EMPTY_HIGH else walk.at
    if left > right:
        left = right = min(max(walk.at, x0), x1)
    return left, right


@inner("boolean(int64[:, ::1], int64)")
def _has_pixels(extents: Array, row: Int) -> Bool:
    return extents[row, 0] <= extents[row, 1]


@inner("void(int64, int64[:, ::1], int64[:, :, :, ::1])")
def _walk_primitive(walk_address: Int, corners: Array, spans: Array) -> None:
    """Walk the primitive at hand from the top down."""
    walk = walk_at(walk_address)
    primitive = walk.begin
    num_vertices = array_at(walk.num_vertices, primitive + 1, np.uint8)
    size = array_at(walk.size, primitive + 1, np.float32)
    x = array_at(walk.x + 12 * primitive, 3, np.int32)
    y = array_at(walk.y + 12 * primitive, 3, np.int32)
    bounds = array_at(walk.bounds + 8 * primitive, 4, np.int16)
    num_corners = outline(np.int64(num_vertices[primitive]), size[primitive], 0, x, y, corners)
    extents = np.empty((3, 2), np.int64)
    first_row, last_row = np.int64(bounds[1]), np.int64(bounds[3])
    now = 0
    _row_spans(walk_address, num_corners, corners, last_row, spans[now])
    extents[1, 0], extents[1, 1] = _extent(walk_address, spans[now])
    extents[0, 0], extents[0, 1] = extents[1, 0], extents[1, 1]
    walk.step = 1
    walk.at = np.int64(bounds[0])
    walk.quad_base = walk.quad_low = 0
    started = False
    for row in range(last_row, first_row - 1, -1):
        extents[2, 0], extents[2, 1] = _EMPTY_LOW, _EMPTY_HIGH
        if row > first_row:
            _row_spans(walk_address, num_corners, corners, row - 1, spans[1 - now])
            extents[2, 0], extents[2, 1] = _extent(walk_address, spans[1 - now])
        # The walk begins at the topmost row that holds anything.
        begins = not started and _has_pixels(extents, 1)
        if begins or (started and (_has_pixels(extents, 0) or _has_pixels(extents, 1) or _has_pixels(extents, 2))):
            if row & 1 == 1:
                # Both rows of the quads.
                first, last = min(extents[1, 0], extents[2, 0]), max(extents[1, 1], extents[2, 1])
                _begin_quads(walk_address, row, first, last)
            elif begins:
                _begin_quads(walk_address, row, extents[1, 0], extents[1, 1])
            left, right = _reach(walk_address, extents)
            _walk_row(walk_address, row, left, right, spans[now])
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
    walk = walk_at(address)
    corners = np.empty((4, 2), np.int64)
    spans = np.empty((2, 2, walk.pattern.num_slots, 2), np.int64)
    bounds = array_at(walk.bounds, (walk.end, 4), np.int16)
    while walk.begin < walk.end:
        primitive = walk.begin
        width = np.int64(bounds[primitive, 2]) - np.int64(bounds[primitive, 0])
        if width >= 0:
            worst = (width + 3) * (np.int64(bounds[primitive, 3]) - np.int64(bounds[primitive, 1]) + 1)
            if max(walk.num_fragments, walk.num_quads) + worst > walk.room:
                return primitive
            _walk_primitive(address, corners, spans)
        walk.begin = primitive + 1
    return walk.begin
