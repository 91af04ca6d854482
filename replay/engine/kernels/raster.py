"""Rasterization to quads of 2x2 fragments by exact fixed-point spans.

A triangle is three edge functions in fixed point with :data:`~traceformat.gputrace.frametrace.SUBPIXEL_BITS`
fractional bits, evaluated at pixel centres. A centre on an edge belongs to the primitive whose left or bottom edge it
is (y upwards): the top-left rule as GL's lower-left origin mirrors it, and as Mesa's llvmpipe has it. Since an edge
function is linear, the covered pixels of a row are an interval whose ends are integer quotients; they are stepped
from row to row without division, and no pixel outside is ever looked at. Lines are parallelograms and points are
squares (GLES 3.0 §3.4 and §3.5), rasterized by the same code with four edges; a square whose pixels have one sample
has the same interval in all rows, and no edges.

:func:`put_quads` writes the quads of the emitted primitives of a FRONT, in the order of primitives and then by rows
from the bottom; where there is no room for all of them it says how many there are.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import front_at, setup_at
from replay.engine.kernels.depths import DEPTH_FLOAT, depth_code, depth_codes
from replay.glsl.llvm.abi import SPARE_QUADS
from replay.kernels import Array, Float, Int, inner
from traceformat.gputrace.frametrace import SUBPIXEL_BITS
from traceformat.native.access import array_at, stack_words

__all__ = ["end_quads", "next_rows", "outline", "put_quads", "start_edges"]

_ONE = 1 << SUBPIXEL_BITS
_HALF = _ONE // 2
#: Neighbouring quads from which on each column is written on its own, by vectors.
_LONG_RUN: Final = 16
_EMPTY_LOW = 1 << 40
_EMPTY_HIGH = -(1 << 40)


@inner("int64(int64, float32, int64, int32[:], int32[:], int64[:, ::1])")
def outline(num_vertices: Int, size: Float, from_top: Int, x: Array, y: Array, corners: Array) -> Int:
    """Corners of a primitive's outline, counter-clockwise; returns their number (3 or 4).

    Mesa gives the odd step of a point's width to its greater side, in its own rows (``from_top``: of a window).
    """
    if num_vertices == 3:
        area = (np.int64(x[1]) - x[0]) * (np.int64(y[2]) - y[0]) - (np.int64(x[2]) - x[0]) * (np.int64(y[1]) - y[0])
        flip = area < 0
        for i in range(3):
            j = 2 - i if flip else i
            corners[i, 0] = x[j]
            corners[i, 1] = y[j]
        return 3
    width: Int = max(np.int64(np.rint(size * np.float32(_ONE))), _ONE)
    if num_vertices == 1:
        x0 = np.int64(x[0]) - (width >> 1)
        y0 = np.int64(y[0]) - (width + np.int64(from_top != 0) >> 1)
        corners[0, 0] = x0
        corners[0, 1] = y0
        corners[1, 0] = x0 + width
        corners[1, 1] = y0
        corners[2, 0] = x0 + width
        corners[2, 1] = y0 + width
        corners[3, 0] = x0
        corners[3, 1] = y0 + width
        return 4
    # A line is a strip, as wide as asked for along its minor axis, between the ends that it was given.
    xa = np.int64(x[0])
    ya = np.int64(y[0])
    xb = np.int64(x[1])
    yb = np.int64(y[1])
    dx = xb - xa
    dy = yb - ya
    low = width >> 1
    high = width - low
    if abs(dx) >= abs(dy):
        if dx < 0:
            xa, xb, ya, yb = xb, xa, yb, ya
        corners[0, 0] = xa
        corners[0, 1] = ya - low
        corners[1, 0] = xb
        corners[1, 1] = yb - low
        corners[2, 0] = xb
        corners[2, 1] = yb + high
        corners[3, 0] = xa
        corners[3, 1] = ya + high
    else:
        if dy < 0:
            xa, xb, ya, yb = xb, xa, yb, ya
        corners[0, 0] = xa - low
        corners[0, 1] = ya
        corners[1, 0] = xa + high
        corners[1, 1] = ya
        corners[2, 0] = xb + high
        corners[2, 1] = yb
        corners[3, 0] = xb - low
        corners[3, 1] = yb
    return 4


@inner("void(int64, int64[:, ::1], int64, int64, int64, int64[:, ::1])")
def start_edges(num_corners: Int, corners: Array, row: Int, sample_x: Int, sample_y: Int, edges: Array) -> None:
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


@inner("UniTuple(int64, 2)(int64, int64[:, ::1], int64, int64)", inline=True)
def _next_span(num_corners: Int, edges: Array, low: Int, high: Int) -> tuple[Int, Int]:
    """Covered pixels (first, last) of the current row within [low, high]; steps to the next row."""
    empty = False
    for i in range(num_corners):
        side = edges[i, 0]
        quotient = edges[i, 1]
        if side > 0:
            low = max(low, -quotient)
        elif side < 0:
            high = min(high, quotient)
        else:
            empty |= quotient < 0
            edges[i, 1] = quotient + edges[i, 4]
            continue
        # All ones where the remainder stays below the divisor: nobody could foretell a branch.
        remainder = edges[i, 2] + edges[i, 5] - edges[i, 3]
        is_less = remainder >> 63
        edges[i, 1] = quotient + edges[i, 4] + 1 + is_less
        edges[i, 2] = remainder + (edges[i, 3] & is_less)
    if empty or low > high:
        return _EMPTY_LOW, _EMPTY_HIGH
    return low, high


@inner("int64(int64, int64, int64[:, ::1])", inline=True)
def _begin_primitive(front_address: Int, emitted: Int, corners: Array) -> Int:
    """Find the corners of an emitted primitive; returns their number."""
    front = front_at(front_address)
    columns = front.columns
    row = front.emitted_first + emitted
    num_vertices = array_at(columns.emitted_num_vertices + row, 1, np.uint8)
    size = array_at(columns.emitted_size + 4 * row, 1, np.float32)
    x = array_at(columns.emitted_x + 12 * row, 3, np.int32)
    y = array_at(columns.emitted_y + 12 * row, 3, np.int32)
    from_top = np.int64(setup_at(front.setup).from_top)
    num_corners: Int = outline(np.int64(num_vertices[0]), size[0], from_top, x, y, corners)
    return num_corners


@inner("int64(int64, int64[:, ::1], int64, int16[::1], int64[::1])", inline=True)
def next_rows(num_corners: Int, edges: Array, row: Int, bounds: Array, spans: Array) -> Int:
    """Covered pixels of a row of quads: first and last of its lower, then of its upper row; the row behind them."""
    spans[0] = spans[2] = _EMPTY_LOW
    spans[1] = spans[3] = _EMPTY_HIGH
    low, high = np.int64(bounds[0]), np.int64(bounds[2])
    if row & 1 == 0:
        spans[0], spans[1] = _next_span(num_corners, edges, low, high)
        row += 1
        if row > np.int64(bounds[3]):
            return row
    spans[2], spans[3] = _next_span(num_corners, edges, low, high)
    return row + 1


@inner("void(int64[:, ::1], int16[::1], int64[::1])", inline=True)
def _square(corners: Array, bounds: Array, square: Array) -> None:
    """Pixels of a point, whose edges lie as those of its outline: first and last column, first and last row."""
    for axis in range(2):
        # Centres on the left and the bottom edge belong to it, those on others do not.
        square[2 * axis] = max((corners[0, axis] + _HALF - 1) >> SUBPIXEL_BITS, np.int64(bounds[axis]))
        square[2 * axis + 1] = min((corners[2, axis] - _HALF - 1) >> SUBPIXEL_BITS, np.int64(bounds[2 + axis]))


@inner("int64(int64[::1], int64, int64[::1])", inline=True)
def _next_rows_of_square(square: Array, row: Int, spans: Array) -> Int:
    """What :func:`next_rows` gives for a point."""
    for side in range(2):
        y = (row & -2) + side
        is_inside = y >= square[2] and y <= square[3] and square[0] <= square[1]
        spans[2 * side] = square[0] if is_inside else _EMPTY_LOW
        spans[2 * side + 1] = square[1] if is_inside else _EMPTY_HIGH
    return (row & -2) + 2


@inner("uint8(int64, int64, int64, int64, int64)", inline=True)
def _of_spans(left: Int, la: Int, ha: Int, lb: Int, hb: Int) -> Int:
    """Coverage of the quad whose first column is ``left``, by the intervals of its two rows."""
    right = left + 1
    low = np.int64((la <= left) & (left <= ha)) | np.int64((la <= right) & (right <= ha)) << 1
    high = np.int64((lb <= left) & (left <= hb)) | np.int64((lb <= right) & (right <= hb)) << 1
    return np.uint8(low | high << 2)


@inner("void(int64, int64, int64, int64, int64, int64, int64[::1])", inline=True)
def _fill_run(front_address: Int, number: Int, at: Int, first: Int, last: Int, y: Int, spans: Array) -> None:
    """Write neighbouring quads, x / 2 from ``first`` to ``last``, from row ``at`` of ``quads`` on."""
    front = front_at(front_address)
    columns = front.columns
    count = last - first + 1
    emitted = array_at(columns.quads_emitted + 4 * at, count, np.uint32)
    quad_x = array_at(columns.quads_x + 2 * at, count, np.uint16)
    quad_y = array_at(columns.quads_y + 2 * at, count, np.uint16)
    coverage = array_at(columns.quads_coverage + at, count, np.uint8)
    la, ha, lb, hb = spans[0], spans[1], spans[2], spans[3]
    # What is read from a record within a loop is read anew each time: stores might have changed it.
    primitive = np.uint32(front.emitted_first + number)
    depth_bits = front.depth_bits
    plane = array_at(front.depth_plane + 24 * number, 3, np.float64)
    depth_at = columns.quads_depth + 16 * at
    dzdx, dzdy = plane[1], plane[2]
    z_row = plane[0] + dzdy * np.float64(2 * y)
    if count < _LONG_RUN or dzdx != 0.0 or dzdy != 0.0:
        steps = 0.0 if depth_bits == DEPTH_FLOAT else np.float64((1 << depth_bits) - 1)
        for k in range(count):
            emitted[k] = primitive
            quad_x[k] = np.uint16(first + k)
            quad_y[k] = np.uint16(y)
            coverage[k] = _of_spans(2 * (first + k), la, ha, lb, hb)
            depth_codes(depth_at + 16 * k, z_row + dzdx * np.float64(2 * (first + k)), dzdx, dzdy, steps)
        return
    depth = array_at(depth_at, 4 * count, np.uint32)
    value = depth_code(z_row, depth_bits)
    for k in range(count):
        emitted[k] = primitive
        quad_x[k] = np.uint16(first + k)
        quad_y[k] = np.uint16(y)
    for k in range(count):
        coverage[k] = _of_spans(2 * (first + k), la, ha, lb, hb)
    for k in range(4 * count):
        depth[k] = value


@inner("int64(int64, int64, int64, int64, int64, int64, int64[::1])", inline=True)
def _put_run(front_address: Int, number: Int, at: Int, first: Int, last: Int, y: Int, spans: Array) -> Int:
    """Write neighbouring quads if there is room for them and a spare one; returns the row of ``quads`` behind them."""
    front = front_at(front_address)
    behind = at + last - first + 1
    if behind < front.quad_first + front.quad_room:
        _fill_run(front_address, number, at, first, last, y, spans)
    return behind


@inner("int64(int64)")
def put_quads(front_address: Int) -> Int:
    """Write the quads of the emitted primitives, and count their fragments.

    Returns
    -------
    Number of quads; only those are written for which there is room.
    """
    front = front_at(front_address)
    corners = array_at(stack_words(8), (4, 2), np.int64)
    edges = array_at(stack_words(24), (4, 6), np.int64)
    spans = array_at(stack_words(4), 4, np.int64)
    square = array_at(stack_words(4), 4, np.int64)
    bounds = array_at(front.columns.emitted_bounds + 8 * front.emitted_first, (front.num_emitted, 4), np.int16)
    num_vertices = array_at(front.columns.emitted_num_vertices + front.emitted_first, front.num_emitted, np.uint8)
    at = front.quad_first
    covered = 0
    for emitted in range(front.num_emitted):
        if bounds[emitted, 2] < bounds[emitted, 0]:
            continue
        num_corners = _begin_primitive(front_address, emitted, corners)
        row, last_row = np.int64(bounds[emitted, 1]), np.int64(bounds[emitted, 3])
        is_point = num_vertices[emitted] == 1
        if is_point:
            _square(corners, bounds[emitted], square)
            row, last_row = square[2], square[3]
        else:
            start_edges(num_corners, corners, row, _HALF, _HALF, edges)
        while row <= last_row:
            y = row >> 1
            if is_point:
                row = _next_rows_of_square(square, row, spans)
            else:
                row = next_rows(num_corners, edges, row, bounds[emitted], spans)
            la, ha, lb, hb = spans[0], spans[1], spans[2], spans[3]
            if la <= ha:
                covered += ha - la + 1
            if lb <= hb:
                covered += hb - lb + 1
            elif la > ha:
                continue
            first, last = min(la, lb) >> 1, max(ha, hb) >> 1
            # Quads between two intervals that do not touch hold nothing.
            gap_first, gap_last = (min(ha, hb) >> 1) + 1, (max(la, lb) >> 1) - 1
            stop = gap_first - 1 if la <= ha and lb <= hb and gap_first <= gap_last else last
            while True:
                at = _put_run(front_address, emitted, at, first, stop, y, spans)
                if stop == last:
                    break
                first, stop = gap_last + 1, last
    front.num_fragments = covered
    return at - front.quad_first


@inner("int64(int64, int64)")
def end_quads(front_address: Int, total: Int) -> Int:
    """Say how many quads there are; 1 if there was room for them and the spare ones that are written here."""
    front = front_at(front_address)
    columns = front.columns
    front.num_quads = total
    # Spare rows, so that quads can be shaded in groups.
    most = total + SPARE_QUADS
    if most > front.quad_room:
        front.needed = most
        return 0
    first = front.quad_first
    emitted = array_at(columns.quads_emitted + 4 * first, most, np.uint32)
    quad_x = array_at(columns.quads_x + 2 * first, most, np.uint16)
    quad_y = array_at(columns.quads_y + 2 * first, most, np.uint16)
    coverage = array_at(columns.quads_coverage + first, most, np.uint8)
    for quad in range(total, most):
        coverage[quad] = 0
        if total > 0:
            emitted[quad] = emitted[total - 1]
            quad_x[quad] = quad_x[total - 1]
            quad_y[quad] = quad_y[total - 1]
    return 1
