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

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import numba
import numpy as np

from replay.engine.kernels.raster import outline
from replay.handheld.patterns import SAMPLE_UNIT
from replay.kernels import kernel

__all__ = ["row_spans", "traverse"]

_UNIT = SAMPLE_UNIT
#: Units of our positions in one of the primitive's (8 bits of subpixel precision).
_SCALE = SAMPLE_UNIT // 256
_EMPTY_LOW = 1 << 40
_EMPTY_HIGH = -(1 << 40)


@kernel("void(int64, int64[:, ::1], int64, int64[:, :, ::1], int64, int64, int64, int64, int64[:, :, ::1])")
def row_spans(num_corners, corners, row, positions, num_parities, low, high, last_row, spans):
    """Covered pixels of a row for each parity and slot: spans[parity, slot] = first, last; empty if first > last.

    Parameters
    ----------
    corners : (4, 2) outline, counter-clockwise, in 1/256 pixel
    row : row of pixels
    positions : (2, slots, 2) sample positions in SAMPLE_UNIT
    low, high : bounds of the pixels
    last_row : rows above it are empty
    """
    for p in range(num_parities):
        for s in range(positions.shape[1]):
            first = low
            last = high
            if row > last_row:
                first = _EMPTY_LOW
                last = _EMPTY_HIGH
            sx = positions[p, s, 0]
            sy = positions[p, s, 1] + _UNIT * row
            for i in range(num_corners):
                j = i + 1 if i + 1 < num_corners else 0
                a = corners[i, 1] - corners[j, 1]
                b = corners[j, 0] - corners[i, 0]
                bias = 0 if a > 0 or (a == 0 and b > 0) else 1
                value = a * (sx - _SCALE * corners[i, 0]) + b * (sy - _SCALE * corners[i, 1]) - bias
                if a > 0:
                    first = max(first, -(value // (a * _UNIT)))
                elif a < 0:
                    last = min(last, value // (-a * _UNIT))
                elif value < 0:
                    last = _EMPTY_HIGH
            if first > last:
                first = _EMPTY_LOW
                last = _EMPTY_HIGH
            spans[p, s, 0] = first
            spans[p, s, 1] = last


@kernel("UniTuple(int64, 2)(int64, int64[:, :, ::1])")
def _extent(num_parities, spans):
    """First and last pixel of a row that any slot may cover."""
    low = _EMPTY_LOW
    high = _EMPTY_HIGH
    for p in range(num_parities):
        for s in range(spans.shape[1]):
            if spans[p, s, 0] <= spans[p, s, 1]:
                low = min(low, spans[p, s, 0])
                high = max(high, spans[p, s, 1])
    return low, high


@kernel(
    numba.int64(
        numba.uint8[::1],
        numba.float32[::1],
        numba.int32[:, ::1],
        numba.int32[:, ::1],
        numba.int16[:, ::1],
        numba.float64[:, ::1],
        numba.int64,
        numba.int64,
        numba.int64[:, :, ::1],
        numba.int64[::1],
        numba.int64[::1],
        numba.int64,
        numba.int64,
        numba.int64,
        numba.int64,
        numba.boolean,
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint8[:, ::1],
        numba.int64[::1],
    )
)
def traverse(
    num_vertices,
    size,
    x,
    y,
    bounds,
    depth_plane,
    begin,
    end,
    positions,
    where,
    group,
    num_parities,
    width,
    height,
    depth_bits,
    keep_outside,
    fragment_primitive,
    fragment_x,
    fragment_y,
    fragment_quad,
    fragment_mask,
    fragment_depth,
    quad_primitive,
    quad_x,
    quad_y,
    quad_cover,
    totals,
):
    """Walk primitives until the room for fragments might not suffice for the next one.

    Parameters
    ----------
    num_vertices, size, x, y, bounds : columns of FrameTrace's ``emitted``
    depth_plane : (E, 3) float64 z at the centre of pixel (0, 0), dz/dx, dz/dy
    begin, end : primitives, half open
    positions, where, group : of the pattern's slots
    num_parities : 2 if positions differ between them, else 1
    width, height : of the screen
    depth_bits : bits of the depth buffer
    keep_outside : visited pixels without a covered sample become fragments with an empty mask
    fragment_* : (F,) out: primitive, pixel (row 0 at the bottom), 4 * quad + lane, covered slots, depth of each slot
    quad_primitive, quad_x, quad_y, quad_cover : (Q,) and (groups, Q) out: quads and their covered lanes
    totals : (4,) out: fragments, quads, visited pixels, samples

    Returns
    -------
    The primitive to go on with.
    """
    num_slots = positions.shape[1]
    corners = np.empty((4, 2), np.int64)
    spans = np.empty((2, 2, num_slots, 2), np.int64)
    scale = np.float64((np.int64(1) << depth_bits) - 1)
    unit = np.float64(_UNIT)
    n = 0
    q = 0
    visited = 0
    samples = 0
    for e in range(begin, end):
        x0 = np.int64(bounds[e, 0])
        x1 = np.int64(bounds[e, 2])
        y0 = np.int64(bounds[e, 1])
        y1 = np.int64(bounds[e, 3])
        if x1 < x0:
            continue
        worst = (x1 - x0 + 3) * (y1 - y0 + 1)
        if n + worst > fragment_mask.shape[0] or q + worst > quad_x.shape[0]:
            totals[0] = n
            totals[1] = q
            totals[2] = visited
            totals[3] = samples
            return e
        num_corners = outline(np.int64(num_vertices[e]), size[e], x[e], y[e], corners)
        z0 = depth_plane[e, 0]
        dzdx = depth_plane[e, 1]
        dzdy = depth_plane[e, 2]
        now = 0
        row_spans(num_corners, corners, y1, positions, num_parities, x0, x1, y1, spans[now])
        low, high = _extent(num_parities, spans[now])
        before_low = low
        before_high = high
        rightwards = True
        at = x0
        quad_base = 0
        quad_low = 0
        started = False
        for row in range(y1, y0 - 1, -1):
            following = 1 - now
            if row > y0:
                row_spans(num_corners, corners, row - 1, positions, num_parities, x0, x1, y1, spans[following])
                next_low, next_high = _extent(num_parities, spans[following])
            else:
                next_low, next_high = _EMPTY_LOW, _EMPTY_HIGH
            if not started and low > high:
                # The walk begins at the topmost row that holds anything.
                now = following
                low, high = next_low, next_high
                before_low, before_high = low, high
                continue
            if low <= high or before_low <= before_high or next_low <= next_high:
                if not started or row & 1 == 1:
                    # Both rows of the quads, or the lower one where the walk begins with it.
                    first = low
                    last = high
                    if row & 1 == 1:
                        first = min(first, next_low)
                        last = max(last, next_high)
                    if first <= last:
                        quad_low = first >> 1
                        quad_base = q
                        for k in range(quad_low, (last >> 1) + 1):
                            quad_primitive[q] = np.uint32(e)
                            quad_x[q] = np.uint16(k)
                            quad_y[q] = np.uint16(row >> 1)
                            for g in range(quad_cover.shape[0]):
                                quad_cover[g, q] = 0
                            q += 1
                started = True
                # The reach of the walk on both sides.
                left = min(low, before_low) if rightwards else min(low, next_low)
                right = max(high, next_high) if rightwards else max(high, before_high)
                left = max(left - 1, x0) if left != _EMPTY_LOW else at
                right = min(right + 1, x1) if right != _EMPTY_HIGH else at
                if left > right:
                    left = right = min(max(at, x0), x1)
                visited += right - left + 1
                machine_row = height - 1 - row
                count = right - left + 1 if keep_outside else max(high - low + 1, 0)
                column = (left if rightwards else right) if keep_outside else (low if rightwards else high)
                step = 1 if rightwards else -1
                zrow = z0 + dzdy * np.float64(row)
                for _ in range(count):
                    parity = (column + machine_row) & 1 if num_parities == 2 else 0
                    mask = 0
                    for s in range(num_slots):
                        if spans[now, parity, s, 0] <= column <= spans[now, parity, s, 1]:
                            w = where[s]
                            if (
                                w == 0
                                or (w == 1 and column == width - 1)
                                or (w == 2 and row == 0)
                                or (w == 3 and column == width - 1 and row == 0)
                            ):
                                mask |= 1 << s
                    if mask != 0 or keep_outside:
                        fragment_primitive[n] = np.uint32(e)
                        fragment_x[n] = np.uint16(column)
                        fragment_y[n] = np.uint16(row)
                        fragment_mask[n] = np.uint8(mask)
                        if mask != 0:
                            quad = quad_base + (column >> 1) - quad_low
                            lane = (row & 1) * 2 + (column & 1)
                            fragment_quad[n] = np.uint32(4 * quad + lane)
                            for s in range(num_slots):
                                if mask >> s & 1:
                                    samples += 1
                                    quad_cover[group[s], quad] |= np.uint8(1 << lane)
                                    sx = np.float64(positions[parity, s, 0]) / unit - 0.5
                                    sy = np.float64(positions[parity, s, 1]) / unit - 0.5
                                    z = np.float32(zrow + dzdx * (np.float64(column) + sx) + dzdy * sy)
                                    z = min(max(z, np.float32(0.0)), np.float32(1.0))
                                    fragment_depth[n, s] = np.uint32(np.rint(np.float64(z) * scale))
                        n += 1
                    column += step
                at = right if rightwards else left
                rightwards = not rightwards
            before_low, before_high = low, high
            now = following
            low, high = next_low, next_high
    totals[0] = n
    totals[1] = q
    totals[2] = visited
    totals[3] = samples
    return end
