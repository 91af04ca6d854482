"""Rasterization to quads of 2x2 fragments by exact fixed-point spans.

A triangle is three edge functions in fixed point with :data:`~traceformat.gputrace.frametrace.SUBPIXEL_BITS`
fractional bits, evaluated at pixel centres. A centre on an edge belongs to the primitive whose left or bottom edge it
is (y upwards): the top-left rule as GL's lower-left origin mirrors it, and as Mesa's llvmpipe has it. Since an edge
function is linear, the covered pixels of a row are an interval whose ends are integer quotients; they are stepped
from row to row without division, and no pixel outside is ever looked at. Lines are parallelograms and points are
squares (GLES 3.0 §3.4 and §3.5), rasterized by the same code with four edges.

Two passes: :func:`count_quads` sizes the output, :func:`fill_quads` writes it, in the order of emitted primitives and
then by rows from the bottom. Ranges of primitives can be filled by several threads.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.kernels import kernel
from traceformat.gputrace.frametrace import SUBPIXEL_BITS

__all__ = ["DEPTH_FLOAT", "EMPTY_HIGH", "EMPTY_LOW", "count_quads", "fill_quads", "next_span", "outline", "start_edges"]

#: ``depth_bits`` of targets whose depth is the bits of a float32.
DEPTH_FLOAT: Final = 0

_ONE = 1 << SUBPIXEL_BITS
_HALF = _ONE // 2
EMPTY_LOW = 1 << 40
EMPTY_HIGH = -(1 << 40)


@kernel("int64(int64, float32, int32[:], int32[:], int64[:, ::1])")
def outline(num_vertices, size, x, y, corners):
    """Corners of a primitive's outline, counter-clockwise; returns their number (3 or 4)."""
    if num_vertices == 3:
        area = (np.int64(x[1]) - x[0]) * (np.int64(y[2]) - y[0]) - (np.int64(x[2]) - x[0]) * (np.int64(y[1]) - y[0])
        flip = area < 0
        for i in range(3):
            j = 2 - i if flip else i
            corners[i, 0] = x[j]
            corners[i, 1] = y[j]
        return 3
    if num_vertices == 1:
        width = max(np.int64(np.rint(size * np.float32(_ONE))), _ONE)
        x0 = np.int64(x[0]) - (width >> 1)
        y0 = np.int64(y[0]) - (width >> 1)
        corners[0, 0] = x0
        corners[0, 1] = y0
        corners[1, 0] = x0 + width
        corners[1, 1] = y0
        corners[2, 0] = x0 + width
        corners[2, 1] = y0 + width
        corners[3, 0] = x0
        corners[3, 1] = y0 + width
        return 4
    # A line is a strip, as wide as asked for along its minor axis. It is prolonged by its own length at both ends: the
    # diamond-exit rule has decided which columns (or rows) are drawn, and the bounds hold them.
    xa = np.int64(x[0])
    ya = np.int64(y[0])
    xb = np.int64(x[1])
    yb = np.int64(y[1])
    dx = xb - xa
    dy = yb - ya
    width = max(np.int64(np.rint(size * np.float32(_ONE))), _ONE)
    low = width >> 1
    high = width - low
    if abs(dx) >= abs(dy):
        if dx < 0:
            xa, xb, ya, yb, dx, dy = xb, xa, yb, ya, -dx, -dy
        corners[0, 0] = xa - dx
        corners[0, 1] = ya - dy - low
        corners[1, 0] = xb + dx
        corners[1, 1] = yb + dy - low
        corners[2, 0] = xb + dx
        corners[2, 1] = yb + dy + high
        corners[3, 0] = xa - dx
        corners[3, 1] = ya - dy + high
    else:
        if dy < 0:
            xa, xb, ya, yb, dx, dy = xb, xa, yb, ya, -dx, -dy
        corners[0, 0] = xa - dx - low
        corners[0, 1] = ya - dy
        corners[1, 0] = xa - dx + high
        corners[1, 1] = ya - dy
        corners[2, 0] = xb + dx + high
        corners[2, 1] = yb + dy
        corners[3, 0] = xb + dx - low
        corners[3, 1] = yb + dy
    return 4


@kernel("void(int64, int64[:, ::1], int64, int64, int64, int64[:, ::1])")
def start_edges(num_corners, corners, row, sample_x, sample_y, edges):
    """Set up each edge at a row of pixels, for the sample at (sample_x, sample_y) inside each pixel.

    ``edges[i]`` = side (1: bounds from the left, -1: from the right, 0: horizontal), quotient, remainder, divisor,
    step of the quotient, step of the remainder; a horizontal edge has its value and step in columns 1 and 4.
    """
    for i in range(num_corners):
        j = i + 1 if i + 1 < num_corners else 0
        a = -(corners[j, 1] - corners[i, 1])
        b = corners[j, 0] - corners[i, 0]
        # Inside is >= 0; pixel centres on left (a > 0) and bottom edges belong to the primitive, on others not.
        bias = 0 if a > 0 or (a == 0 and b > 0) else 1
        value = a * (sample_x - corners[i, 0]) + b * (row * _ONE + sample_y - corners[i, 1]) - bias
        step = b * _ONE
        if a == 0:
            edges[i, 0] = 0
            edges[i, 1] = value
            edges[i, 4] = step
        else:
            divisor = abs(a) * _ONE
            edges[i, 0] = 1 if a > 0 else -1
            edges[i, 1] = value // divisor
            edges[i, 2] = value - edges[i, 1] * divisor
            edges[i, 3] = divisor
            edges[i, 4] = step // divisor
            edges[i, 5] = step - edges[i, 4] * divisor


@kernel("UniTuple(int64, 2)(int64, int64[:, ::1], int64, int64)")
def next_span(num_corners, edges, low, high):
    """Covered pixels (first, last) of the current row within [low, high]; steps to the next row."""
    empty = False
    for i in range(num_corners):
        side = edges[i, 0]
        q = edges[i, 1]
        if side > 0:
            low = max(low, -q)
        elif side < 0:
            high = min(high, q)
        else:
            empty |= q < 0
            edges[i, 1] = q + edges[i, 4]
            continue
        q += edges[i, 4]
        r = edges[i, 2] + edges[i, 5]
        if r >= edges[i, 3]:
            r -= edges[i, 3]
            q += 1
        edges[i, 1] = q
        edges[i, 2] = r
    if empty or low > high:
        return EMPTY_LOW, EMPTY_HIGH
    return low, high


_COLUMNS = (
    numba.uint8[::1],
    numba.float32[::1],
    numba.int32[:, ::1],
    numba.int32[:, ::1],
    numba.int16[:, ::1],
)


@kernel(numba.int64(*_COLUMNS, numba.int64, numba.int64, numba.int64[::1], numba.int64[::1]))
def count_quads(num_vertices, size, x, y, bounds, first, last, quads, fragments):
    """Count the quads of each emitted primitive.

    Parameters
    ----------
    num_vertices, size, x, y, bounds : columns of FrameTrace's ``emitted``
    first, last : rows to count, half open
    quads : (E,) int64, out: quads of each primitive
    fragments : (1,) int64, out: their covered fragments

    Returns
    -------
    Sum of ``quads`` over the rows.
    """
    corners = np.empty((4, 2), np.int64)
    edges = np.zeros((4, 6), np.int64)
    total = 0
    covered = 0
    for e in range(first, last):
        quads[e] = 0
        x0 = np.int64(bounds[e, 0])
        x1 = np.int64(bounds[e, 2])
        if x1 < x0:
            continue
        num_corners = outline(np.int64(num_vertices[e]), size[e], x[e], y[e], corners)
        y0 = np.int64(bounds[e, 1])
        y1 = np.int64(bounds[e, 3])
        row = y0
        start_edges(num_corners, corners, row, _HALF, _HALF, edges)
        n = 0
        while row <= y1:
            la, ha = EMPTY_LOW, EMPTY_HIGH
            lb, hb = EMPTY_LOW, EMPTY_HIGH
            if row & 1 == 0:
                la, ha = next_span(num_corners, edges, x0, x1)
                row += 1
                if row <= y1:
                    lb, hb = next_span(num_corners, edges, x0, x1)
                    row += 1
            else:
                lb, hb = next_span(num_corners, edges, x0, x1)
                row += 1
            if la <= ha:
                n += (ha >> 1) - (la >> 1) + 1
                covered += ha - la + 1
            if lb <= hb:
                n += (hb >> 1) - (lb >> 1) + 1
                covered += hb - lb + 1
                if la <= ha:
                    n -= max(min(ha >> 1, hb >> 1) - max(la >> 1, lb >> 1) + 1, 0)
        quads[e] = n
        total += n
    fragments[0] = covered
    return total


@kernel(
    numba.void(
        *_COLUMNS,
        numba.float64[:, ::1],
        numba.int64,
        numba.int64,
        numba.int64[::1],
        numba.int64,
        numba.int64,
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.float32[:, ::1],
    )
)
def fill_quads(
    num_vertices,
    size,
    x,
    y,
    bounds,
    depth_plane,
    first,
    last,
    start,
    row_base,
    depth_bits,
    emitted,
    quad_x,
    quad_y,
    coverage,
    depth,
    depth_float,
):
    """Write the quads of emitted primitives.

    Parameters
    ----------
    num_vertices, size, x, y, bounds : columns of FrameTrace's ``emitted``
    depth_plane : (E, 3) float64 z at the centre of pixel (0, 0), dz/dx, dz/dy
    first, last : rows of the columns above to draw, half open
    start : (E,) int64 first quad of each primitive in the output
    row_base : number of the first row in ``emitted``
    depth_bits : 16, 24, 32: unsigned normalized; DEPTH_FLOAT: bits of a float32
    emitted, quad_x, quad_y, coverage, depth : columns of FrameTrace's ``quads``
    depth_float : the same memory as ``depth``, as float32
    """
    corners = np.empty((4, 2), np.int64)
    edges = np.zeros((4, 6), np.int64)
    scale = np.float64((1 << depth_bits) - 1)
    for e in range(first, last):
        x0 = np.int64(bounds[e, 0])
        x1 = np.int64(bounds[e, 2])
        if x1 < x0:
            continue
        num_corners = outline(np.int64(num_vertices[e]), size[e], x[e], y[e], corners)
        y1 = np.int64(bounds[e, 3])
        row = np.int64(bounds[e, 1])
        start_edges(num_corners, corners, row, _HALF, _HALF, edges)
        n = start[e]
        z0 = depth_plane[e, 0]
        dzdx = depth_plane[e, 1]
        dzdy = depth_plane[e, 2]
        number = np.uint32(row_base + e)
        while row <= y1:
            la, ha = EMPTY_LOW, EMPTY_HIGH
            lb, hb = EMPTY_LOW, EMPTY_HIGH
            qy = row >> 1
            if row & 1 == 0:
                la, ha = next_span(num_corners, edges, x0, x1)
                row += 1
                if row <= y1:
                    lb, hb = next_span(num_corners, edges, x0, x1)
                    row += 1
            else:
                lb, hb = next_span(num_corners, edges, x0, x1)
                row += 1
            if la > ha and lb > hb:
                continue
            # Quads between two intervals that do not touch hold nothing.
            gap_low = (min(ha, hb) >> 1) + 1
            gap_high = (max(la, lb) >> 1) - 1
            z_row = z0 + dzdy * np.float64(2 * qy)
            q = min(la, lb) >> 1
            q_last = max(ha, hb) >> 1
            while q <= q_last:
                if gap_low <= q <= gap_high and la <= ha and lb <= hb:
                    q = gap_high + 1
                px = 2 * q
                mask = 0
                if la <= px <= ha:
                    mask |= 1
                if la <= px + 1 <= ha:
                    mask |= 2
                if lb <= px <= hb:
                    mask |= 4
                if lb <= px + 1 <= hb:
                    mask |= 8
                emitted[n] = number
                quad_x[n] = np.uint16(q)
                quad_y[n] = np.uint16(qy)
                coverage[n] = np.uint8(mask)
                z = z_row + dzdx * np.float64(px)
                for f in range(4):
                    zf = np.float32(z + (dzdx if f & 1 else 0.0) + (dzdy if f & 2 else 0.0))
                    zf = min(max(zf, np.float32(0.0)), np.float32(1.0)) + np.float32(0.0)
                    if depth_bits == 0:
                        depth_float[n, f] = zf
                    else:
                        depth[n, f] = np.uint32(np.rint(np.float64(zf) * scale))
                n += 1
                q += 1
