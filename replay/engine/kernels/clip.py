"""Clipping, culling, viewport transform: from assembled primitives to what the rasterizer gets.

Triangles are cut by the planes that one of their vertices is outside of, a guard band around the viewport (which is
the viewport itself) among them, in Mesa's order and with its arithmetic: positions and varyings of each cut are those
of binary32 between two corners. Screen positions are rounded as Mesa's llvmpipe rounds them: to nearest even, 8
fractional bits, relative to pixel centres, rows of a window counted from its top.

Everything takes a FRONT; the primitive at hand lies in its POLYGON_DTYPE. Most triangles are cut by no plane: their
vertices, which they share, are placed on the screen beforehand, each once, and nothing else is asked of them. Points
are placed likewise, and emitted in one pass (:func:`~replay.engine.kernels.lines.clip_points`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import corner_at, front_at, polygon_at, setup_at, stream_at
from replay.engine.kernels.records import CORNER_DTYPE
from replay.kernels import Bool, Float, Int, inner
from traceformat.gputrace.frametrace import SUBPIXEL_BITS, Outcome
from traceformat.native.access import array_at, call, fused, put_four, stack_words

__all__ = ["CORNER_BYTES", "NO_PLACE_BITS", "clip_primitives", "cut_again", "placed_outcome"]

_ONE: Final = float(1 << SUBPIXEL_BITS)
_HALF: Final = 1 << (SUBPIXEL_BITS - 1)
_EMITTED: Final = int(Outcome.EMITTED)
_FACE: Final = int(Outcome.CULLED_FACE)
_FRUSTUM: Final = int(Outcome.CULLED_FRUSTUM)
_ZERO_AREA: Final = int(Outcome.CULLED_ZERO_AREA)
_NOT_FINITE: Final = int(Outcome.CULLED_NOT_FINITE)
_DISCARDED: Final = int(Outcome.RASTERIZER_DISCARD)
#: Largest screen position in pixels; the guard band keeps positions well inside.
_MAX_POSITION: Final = np.float32(65536.0)
#: Smallest w that is divided by.
_MIN_W: Final = np.float32(1e-30)
#: Clip planes before the distances that the vertex shader wrote.
_PLANES: Final = 7
CORNER_BYTES: Final = CORNER_DTYPE.itemsize
#: Of the code of a corner, beside what :func:`_outcode` says: its clip coordinates, its place are not finite.
_INFINITE: Final = 1 << 16
_NOWHERE: Final = 1 << 17
#: Of a code: what keeps a corner from being placed; outside of a clip plane; outside of anything.
NO_PLACE_BITS: Final = _INFINITE | _NOWHERE
_CUT_BITS: Final = 0x7F
_OUTSIDE_BITS: Final = 0xFFFF
#: Vertices that are placed together, and words of working memory for that.
_BLOCK: Final = 64
_WINDOW_WORDS: Final = 5 * _BLOCK // 2
_PLACE_WORDS: Final = 3 * _BLOCK // 2
#: In place of an outcome: planes cut the triangle.
_IS_CUT: Final = -1
#: Planes in the order in which Mesa cuts: right, left, top, bottom, near, far; then that of the smallest w.
_ORDER: Final = (4, 3, 6, 5, 0, 1, 2)


# ---------------------------------------------------------------------- clipping
@inner("float32(int64, int64, int64)")
def _distance(front_address: Int, corner: Int, plane: Int) -> Float:
    """Signed distance of a corner to a clip plane, or one that the vertex shader wrote; inside is >= 0."""
    front = front_at(front_address)
    setup, polygon = setup_at(front.setup), polygon_at(front.polygon)
    now = polygon.current
    point = polygon.corner[now, corner]
    if plane == 0:
        return point[2] if setup.zero_to_one != 0 else point[3] + point[2]
    if plane == 1:
        return point[3] - point[2]
    if plane == 2:
        return point[3] - _MIN_W
    if plane == 3:
        return point[3] * setup.guard[0] + point[0]
    if plane == 4:
        return point[3] * setup.guard[0] - point[0]
    if plane == 5:
        return point[3] * setup.guard[1] + point[1]
    if plane == 6:
        return point[3] * setup.guard[1] - point[1]
    distances = array_at(front.distances, (stream_at(front.stream).num_lanes, front.num_distances), np.float32)
    total = np.float32(0.0)
    for i in range(3):
        weight = polygon.weight[now, corner, i]
        if weight != 0.0:
            total += weight * distances[polygon.lane[i], plane - _PLANES]
    return total


@inner("int64(float32, float32, float32, float32, float32, float32, float32)", inline=True)
def _outcode(x: Float, y: Float, z: Float, w: Float, near: Float, guard_x: Float, guard_y: Float) -> Int:
    """Bits 0-6: outside of a clip plane; bits 8-11: outside of the frustum's sides."""
    # Not one behind the other: each would wait for the one before.
    depth = np.int64(z < near) | np.int64(z > w) << 1 | np.int64(not w >= _MIN_W) << 2
    wide = np.int64(x < -w * guard_x) << 3 | np.int64(x > w * guard_x) << 4
    high = np.int64(y < -w * guard_y) << 5 | np.int64(y > w * guard_y) << 6
    sides = np.int64(x < -w) << 8 | np.int64(x > w) << 9 | np.int64(y < -w) << 10 | np.int64(y > w) << 11
    return depth | wide | high | sides


@inner("int64(int64, int64)", inline=True)
def _begin(front_address: Int, primitive: Int) -> Int:
    """Take the corners of a primitive; EMITTED, or why it is not looked at any further."""
    front = front_at(front_address)
    setup, polygon, stream = setup_at(front.setup), polygon_at(front.polygon), stream_at(front.stream)
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    rows = array_at(front.primitives + 12 * primitive, 3, np.uint32)
    clip = array_at(front.clip, (max(stream.num_lanes, 1), 4), np.float32)
    any_code, all_code = 0, 0xFFFF
    finite = True
    polygon.current = 0
    polygon.cuts = 0
    for i in range(setup.kind):
        row = np.int64(lane[rows[i]])
        polygon.lane[i] = row
        for component in range(4):
            value = clip[row, component]
            polygon.corner[0, i, component] = value
            if not np.isfinite(value):
                finite = False
        polygon.node[0, i] = i
        for j in range(3):
            polygon.weight[0, i, j] = np.float32(1.0) if i == j else np.float32(0.0)
        near = np.float32(0.0) if setup.zero_to_one != 0 else -clip[row, 3]
        x, y, z, w = clip[row, 0], clip[row, 1], clip[row, 2], clip[row, 3]
        code = _outcode(x, y, z, w, near, setup.guard[0], setup.guard[1])
        any_code |= code
        all_code &= code
    if not finite:
        return _NOT_FINITE
    if setup.kind == 1 and setup.whole_points != 0:
        all_code &= 7
    if setup.depth_clamp != 0:
        all_code &= ~3
        any_code &= ~3
    polygon.planes = any_code
    return _FRUSTUM if all_code != 0 else _EMITTED


@inner("void(int64, int64, int64, int64, float32)")
def _put_between(polygon_address: Int, corner: Int, start: Int, end: Int, part: Float) -> None:
    """Put the point that is ``part`` of the way from corner ``start`` to ``end`` into ``corner`` behind the plane.

    In binary32, as Mesa does it: what is left keeps the bits that it gives.
    """
    polygon = polygon_at(polygon_address)
    now = polygon.current
    side = 1 - now
    cut = polygon.cuts
    polygon.cut_start[cut] = polygon.node[now, start]
    polygon.cut_end[cut] = polygon.node[now, end]
    polygon.cut_part[cut] = part
    polygon.cuts = cut + 1
    polygon.node[side, corner] = 3 + cut
    for component in range(4):
        va = polygon.corner[now, start, component]
        polygon.corner[side, corner, component] = va + part * (polygon.corner[now, end, component] - va)
    for component in range(3):
        wa = polygon.weight[now, start, component]
        polygon.weight[side, corner, component] = wa + part * (polygon.weight[now, end, component] - wa)


@inner("void(int64, int64, int64, int64, float32, float32)")
def _put_cut(polygon_address: Int, corner: Int, inside: Int, outside: Int, da: Float, db: Float) -> None:
    """Put the point where the line from corner ``inside`` to ``outside`` leaves into ``corner`` behind the plane.

    Neighbours cut a shared edge alike: from the end that is nearer to the plane, as Mesa does.
    """
    if -db < da:
        _put_between(polygon_address, corner, outside, inside, db / (db - da))
    else:
        _put_between(polygon_address, corner, inside, outside, da / (da - db))


@inner("void(int64, int64, int64)")
def _keep(polygon_address: Int, corner: Int, own: Int) -> None:
    """Put corner ``own`` into ``corner`` behind the plane."""
    polygon = polygon_at(polygon_address)
    now = polygon.current
    for component in range(4):
        polygon.corner[1 - now, corner, component] = polygon.corner[now, own, component]
    for component in range(3):
        polygon.weight[1 - now, corner, component] = polygon.weight[now, own, component]
    polygon.node[1 - now, corner] = polygon.node[now, own]


@inner("int64(int64, int64, int64)")
def _cut_polygon(front: Int, num: Int, plane: Int) -> Int:
    """Cut off what lies outside of a plane; returns how many corners are left."""
    polygon_address = front_at(front).polygon
    polygon = polygon_at(polygon_address)
    now = polygon.current
    left = 0
    for i in range(num):
        j = i + 1 if i + 1 < num else 0
        di = _distance(front, i, plane)
        dj = _distance(front, j, plane)
        if di >= 0:
            _keep(polygon_address, left, i)
            left += 1
        if di >= 0 and not dj >= 0:
            _put_cut(polygon_address, left, i, j, di, dj)
            left += 1
        elif dj >= 0 and not di >= 0:
            _put_cut(polygon_address, left, j, i, dj, di)
            left += 1
    polygon.current = 1 - now
    return left


@inner("int64(int64)")
def _cut_line(front: Int) -> Int:
    """Cut off what lies outside of all planes; returns how many ends are left."""
    polygon_address = front_at(front).polygon
    polygon = polygon_at(polygon_address)
    none = np.float32(0.0)
    at_0, at_1 = none, none
    for number in range(_PLANES + front_at(front).num_distances):
        plane = _plane(front, number)
        if plane < 0:
            continue
        d0 = _distance(front, 0, plane)
        d1 = _distance(front, 1, plane)
        if not d0 >= 0 and not d1 >= 0:
            return 0
        if not d0 >= 0:
            at_0 = max(at_0, d0 / (d0 - d1))
        elif not d1 >= 0:
            at_1 = max(at_1, d1 / (d1 - d0))
    if at_0 + at_1 >= 1.0:
        return 0
    for end in range(2):
        part = at_0 if end == 0 else at_1
        if part > 0.0:
            _put_between(polygon_address, end, end, 1 - end, part)
        else:
            _keep(polygon_address, end, end)
    polygon.current = 1 - polygon.current
    return 2


@inner("int64(int64, int64)")
def _plane(front: Int, number: Int) -> Int:
    """The plane that is the next to cut; -1 where no vertex is outside of it."""
    if number >= _PLANES:
        return number
    plane: Int = _ORDER[number]
    return plane if polygon_at(front_at(front).polygon).planes & (1 << plane) != 0 else -1


@inner("int64(int64)")
def _cut(front_address: Int) -> Int:
    """Cut the primitive by all planes; returns how many corners are left, 0 if too few."""
    front = front_at(front_address)
    kind = setup_at(front.setup).kind
    planes = polygon_at(front.polygon).planes
    num = np.int64(kind)
    if kind == 1:
        for k in range(front.num_distances):
            if not _distance(front_address, 0, _PLANES + k) >= 0:
                return 0
        return num
    if planes & 0x7F == 0 and front.num_distances == 0:
        return num
    if kind == 2:
        return _cut_line(front_address)
    for number in range(_PLANES + front.num_distances):
        plane = _plane(front_address, number)
        if plane >= 0:
            num = _cut_polygon(front_address, num, plane)
        if num < kind:
            return 0
    return num


@inner("void(int64, int64)")
def cut_again(front_address: Int, primitive: Int) -> None:
    """Have the cuts of a primitive that was emitted in its POLYGON_DTYPE once more."""
    _begin(front_address, primitive)
    _cut(front_address)


# ---------------------------------------------------------------------- the screen
@inner("float32(boolean, float32, float32, float32)", inline=True)
def _moved(is_cut: Bool, at: Float, scale: Float, move: Float) -> Float:
    """Viewport transform of a coordinate: Mesa's clipper rounds the product, its vertex shaders do not."""
    if is_cut:
        return at * scale + move
    return fused(at, scale, move)


@inner("UniTuple(float32, 5)(int64, boolean, float32, float32, float32, float32)", inline=True)
def _place(front_address: Int, is_cut: Bool, x: Float, y: Float, z: Float, w: Float) -> tuple[Float, ...]:
    """Viewport transform of a corner: window x, y, z, 1/w, and y as Mesa counts it."""
    setup = setup_at(front_at(front_address).setup)
    rhw = np.float32(1.0) / w
    window_x = _moved(is_cut, x * rhw, setup.scale[0], setup.translate[0])
    window_z = _moved(is_cut, z * rhw, setup.scale[2], setup.translate[2])
    is_window, height = setup.from_top != 0, np.float32(setup.from_top)
    scale = -setup.scale[1] if is_window else setup.scale[1]
    mesa_y = _moved(is_cut, y * rhw, scale, height - setup.translate[1] if is_window else setup.translate[1])
    return window_x, height - mesa_y if is_window else mesa_y, window_z, rhw, mesa_y


@inner("boolean(float32, float32)", inline=True)
def _is_on_screen(x: Float, y: Float) -> Bool:
    """Whether a position can be made fixed point; also false for NaN."""
    return (abs(x) < _MAX_POSITION) & (abs(y) < _MAX_POSITION)


@inner("UniTuple(int64, 2)(int64, float32, float32)", inline=True)
def _fixed(from_top: Int, x: Float, mesa_y: Float) -> tuple[Int, Int]:
    """Screen position in fixed point."""
    half = np.float32(0.5)
    fx = np.int64(np.int32(np.rint((x - half) * np.float32(_ONE)))) + _HALF
    fy = np.int64(np.int32(np.rint((mesa_y - half) * np.float32(_ONE)))) + _HALF
    return fx, (from_top << SUBPIXEL_BITS) - fy if from_top != 0 else fy


@inner("boolean(int64, int64)", inline=True)
def _project(front_address: Int, num: Int) -> Bool:
    """Viewport transform of all corners; whether they lie on the screen's plane."""
    front = front_at(front_address)
    setup, polygon = setup_at(front.setup), polygon_at(front.polygon)
    now, from_top = polygon.current, np.int64(setup.from_top)
    finite = True
    for i in range(num):
        point = polygon.corner[now, i]
        x, y, z, rhw, mesa_y = _place(front_address, polygon.node[now, i] >= 3, point[0], point[1], point[2], point[3])
        if not _is_on_screen(x, y):
            return False
        at = front.polygon + CORNER_BYTES * i
        polygon.place[i] = at
        corner = corner_at(at)
        fx, fy = _fixed(from_top, x, mesa_y)
        put_four(at, x, y, z, rhw)
        corner.mesa_y, corner.x, corner.y = mesa_y, np.int32(fx), np.int32(fy)
        if not (np.isfinite(z) and np.isfinite(rhw)):
            finite = False
    return finite


@inner("void(int64)")
def _place_corners(front_address: Int) -> None:
    """Place all shaded vertices as corners of triangles that no plane cuts, and as points."""
    front = front_at(front_address)
    setup, lanes = setup_at(front.setup), stream_at(front.stream).num_lanes
    # Some at a time, at first with a column for each field: nobody else writes to these, and they go by vectors.
    windows = array_at(stack_words(_WINDOW_WORDS), (5, _BLOCK), np.float32)
    places = array_at(stack_words(_PLACE_WORDS), (3, _BLOCK), np.int32)
    none = np.float32(0.0)
    kept = ~3 if setup.depth_clamp != 0 else -1
    for first in range(0, lanes, _BLOCK):
        count = min(lanes - first, _BLOCK)
        clip = array_at(front.clip + 16 * first, (count, 4), np.float32)
        for k in range(count):
            cx, cy, cz, cw = clip[k, 0], clip[k, 1], clip[k, 2], clip[k, 3]
            near = none if setup.zero_to_one != 0 else -cw
            code = _outcode(cx, cy, cz, cw, near, setup.guard[0], setup.guard[1]) & kept
            is_finite = np.isfinite(cx) & np.isfinite(cy) & np.isfinite(cz) & np.isfinite(cw)
            x, y, z, rhw, mesa_y = _place(front_address, False, cx, cy, cz, cw)
            is_there = _is_on_screen(x, y) & np.isfinite(z) & np.isfinite(rhw)
            fx, fy = _fixed(np.int64(setup.from_top), x if is_there else none, mesa_y if is_there else none)
            windows[0, k], windows[1, k], windows[2, k], windows[3, k], windows[4, k] = x, y, z, rhw, mesa_y
            places[0, k], places[1, k] = fx, fy
            places[2, k] = code | (0 if is_finite else _INFINITE) | (0 if is_there else _NOWHERE)
        for k in range(count):
            at = front.corners + CORNER_BYTES * (first + k)
            corner = corner_at(at)
            put_four(at, windows[0, k], windows[1, k], windows[2, k], windows[3, k])
            corner.mesa_y, corner.x, corner.y, corner.code = windows[4, k], places[0, k], places[1, k], places[2, k]


@inner("int64(int64, int64, int64, int64)", inline=True)
def _turns(polygon_address: Int, i0: Int, i1: Int, i2: Int) -> Int:
    """Twice the signed area of a triangle on the screen."""
    place = polygon_at(polygon_address).place
    c0, c1, c2 = corner_at(place[i0]), corner_at(place[i1]), corner_at(place[i2])
    x, y = np.int64(c0.x), np.int64(c0.y)
    return (c1.x - x) * (c2.y - y) - (c2.x - x) * (c1.y - y)


@inner("int64(int64, int64)", inline=True)
def _area(polygon_address: Int, num: Int) -> Int:
    """Twice the signed area of all on the screen."""
    area = 0
    for i in range(2, num):
        area += _turns(polygon_address, 0, i - 1, i)
    return area


# ---------------------------------------------------------------------- what is emitted
@inner("void(int64, int64, int64, int64)", inline=True)
def _put_bounds(front_address: Int, emitted: Int, i1: Int, i2: Int) -> None:
    """Pixels of the primitive ``emitted``, which has the corners 0, i1 and i2: those that its centres may lie in."""
    front = front_at(front_address)
    setup, place = setup_at(front.setup), polygon_at(front.polygon).place
    c0, c1, c2 = corner_at(place[0]), corner_at(place[i1]), corner_at(place[i2])
    bounds = array_at(front.columns.emitted_bounds + 8 * (front.emitted_first + emitted), 4, np.int16)
    size = array_at(front.columns.emitted_size + 4 * (front.emitted_first + emitted), 1, np.float32)[0]
    half = np.int64(0)
    if setup.kind == 2:
        half = np.int64(setup.line_width * np.float32(_HALF)) + 2 * _HALF
    elif setup.kind == 1:
        half = np.int64(size * np.float32(_HALF)) + _HALF
    if setup.multisample != 0:
        half += _HALF
    x_low, x_high = min(c0.x, c1.x, c2.x) - half, max(c0.x, c1.x, c2.x) + half
    y_low, y_high = min(c0.y, c1.y, c2.y) - half, max(c0.y, c1.y, c2.y) + half
    # First pixel whose centre is at or right of x_low, last one whose centre is at or left of x_high.
    x0 = max((x_low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(setup.bounds[0]))
    y0 = max((y_low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(setup.bounds[1]))
    x1 = min((x_high - _HALF) >> SUBPIXEL_BITS, np.int64(setup.bounds[2]))
    y1 = min((y_high - _HALF) >> SUBPIXEL_BITS, np.int64(setup.bounds[3]))
    if setup.kind == 2:
        along_x, along_y = abs(c0.window[0] - c1.window[0]), abs(c0.mesa_y - c1.mesa_y)
        if along_x == 0.0 and along_y == 0.0:
            x1 = x0 - 1
        elif setup.multisample != 0:
            pass  # a rectangle, which the samples decide
        elif along_x >= along_y:
            # Centres from the left end on, that at the right end left out; from the lower end on alike.
            low, high = min(c0.x, c1.x), max(c0.x, c1.x)
            x0 = max((low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(setup.bounds[0]))
            x1 = min(((high + _HALF - 1) >> SUBPIXEL_BITS) - 1, np.int64(setup.bounds[2]))
        else:
            low, high = min(c0.y, c1.y), max(c0.y, c1.y)
            y0 = max((low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(setup.bounds[1]))
            y1 = min(((high + _HALF - 1) >> SUBPIXEL_BITS) - 1, np.int64(setup.bounds[3]))
    if x1 < x0 or y1 < y0:
        x0, y0, x1, y1 = 0, 0, -1, -1
    bounds[0], bounds[1], bounds[2], bounds[3] = np.int16(x0), np.int16(y0), np.int16(x1), np.int16(y1)


@inner("float64(int64, float64, float64)")
def _offset(front: Int, slope: Float, z_max: Float) -> Float:
    """Polygon offset of a triangle."""
    setup = setup_at(front_at(front).setup)
    unit = np.float64(setup.offset_units)
    if setup.offset_exponent != 0:
        unit *= 2.0 ** (np.floor(np.log2(max(z_max, 1e-38))) - 23.0)
    return np.float64(setup.offset_factor) * slope + unit


@inner("void(int64, int64, int64, int64)", inline=True)
def _put_depth(front_address: Int, emitted: Int, i1: Int, i2: Int) -> None:
    """Depth plane of the primitive ``emitted``, through the unrounded positions, and its polygon offset."""
    front = front_at(front_address)
    setup, place = setup_at(front.setup), polygon_at(front.polygon).place
    c0, c1, c2 = corner_at(place[0]), corner_at(place[i1]), corner_at(place[i2])
    plane = array_at(front.depth_plane + 24 * emitted, 3, np.float64)
    x0, y0, z0 = np.float64(c0.window[0]), np.float64(c0.window[1]), np.float64(c0.window[2])
    z1, z2 = np.float64(c1.window[2]), np.float64(c2.window[2])
    ax, ay, az = np.float64(c1.window[0]) - x0, np.float64(c1.window[1]) - y0, z1 - z0
    dzdx = dzdy = 0.0
    if setup.kind == 3:
        bx, by, bz = np.float64(c2.window[0]) - x0, np.float64(c2.window[1]) - y0, z2 - z0
        det = ax * by - ay * bx
        if det != 0.0:
            dzdx = (az * by - bz * ay) / det
            dzdy = (ax * bz - bx * az) / det
        if setup.offset != 0:
            delta = _offset(front_address, max(abs(dzdx), abs(dzdy)), max(abs(z0), abs(z1), abs(z2)))
            z0 += delta
            window = array_at(front.window + 48 * emitted, (3, 4), np.float32)
            for k in range(3):
                window[k, 2] = np.float32(min(max(np.float64(window[k, 2]) + delta, 0.0), 1.0))
    elif setup.kind == 2:
        length = ax * ax + ay * ay
        if length > 0.0:
            # Along the line; attributes change along its longer axis (see planes.plane_equations).
            dzdx = az * ax / length
            dzdy = az * ay / length
    plane[1] = dzdx
    plane[2] = dzdy
    plane[0] = z0 - dzdx * (x0 - 0.5) - dzdy * (y0 - 0.5)


@inner("void(int64, int64, int64, int64, int64)", inline=True)
def _emit(front_address: Int, primitive: Int, emitted: Int, i1: Int, i2: Int) -> None:
    """Write the primitive ``emitted``: the corners 0, i1 and i2 of ``primitive``."""
    front = front_at(front_address)
    setup, polygon = setup_at(front.setup), polygon_at(front.polygon)
    row = front.emitted_first + emitted
    now = polygon.current
    array_at(front.primitive, emitted + 1, np.uint32)[emitted] = np.uint32(primitive)
    x = array_at(front.columns.emitted_x + 12 * row, 3, np.int32)
    y = array_at(front.columns.emitted_y + 12 * row, 3, np.int32)
    nodes = array_at(front.nodes + 3 * emitted, 3, np.uint8)
    if setup.kind == 2 and setup.multisample == 0:
        call(front.place_line, front_address)
    # The vertex that provokes comes last, as Mesa's clipper has it.
    turn = 1 if setup.kind == 3 and polygon.cuts != 0 else 0
    for corner in range(3):
        i = 0 if corner == 0 else (i1 if corner == 1 else i2)
        k = (corner + 3 - turn) % 3
        own = corner_at(polygon.place[i])
        x[k], y[k] = own.x, own.y
        put_four(front.window + 48 * emitted + 16 * k, own.window[0], own.mesa_y, own.window[2], own.window[3])
        nodes[k] = np.uint8(polygon.node[now, i])
    size = array_at(front.columns.emitted_size + 4 * row, 1, np.float32)
    if setup.kind == 3:
        size[0] = np.float32(0.0)
    elif setup.kind == 2:
        size[0] = setup.line_width
    else:
        size[0] = array_at(front.points, polygon.lane[0] + 1, np.float32)[polygon.lane[0]]
    _put_bounds(front_address, emitted, i1, i2)
    _put_depth(front_address, emitted, i1, i2)


@inner("int64(int64, int64, int64)", inline=True)
def _facing(front_address: Int, primitive: Int, area: Int) -> Int:
    """Note which way a triangle of twice this signed area faces; EMITTED, or why it is not looked at any further."""
    front = front_at(front_address)
    setup = setup_at(front.setup)
    if area == 0:
        return _ZERO_AREA
    is_front = (area > 0) != (setup.front_is_clockwise != 0)
    array_at(front.columns.primitives_front + front.primitive_first + primitive, 1, np.uint8)[0] = np.uint8(is_front)
    return _FACE if setup.cull & (1 if is_front else 2) != 0 else _EMITTED


@inner("int64(int64, int64)", inline=True)
def placed_outcome(any_code: Int, all_code: Int) -> Int:
    """What comes of placed corners, by what any and what all of them are outside of; -1: planes cut the primitive."""
    if any_code & _INFINITE != 0:
        return _NOT_FINITE
    if all_code & _OUTSIDE_BITS != 0:
        return _FRUSTUM
    if any_code & _CUT_BITS != 0:
        return _IS_CUT
    return _NOT_FINITE if any_code & _NOWHERE != 0 else _EMITTED


@inner("int64(int64, int64)", inline=True)
def _take_triangle(front_address: Int, primitive: Int) -> Int:
    """Take a triangle of placed vertices; EMITTED, why it is not looked at any further, or that planes cut it."""
    front = front_at(front_address)
    stream, polygon = stream_at(front.stream), polygon_at(front.polygon)
    lane = array_at(stream.lane, stream.num_rows, np.uint32)
    rows = array_at(front.primitives + 12 * primitive, 3, np.uint32)
    for i in range(3):
        polygon.place[i] = front.corners + CORNER_BYTES * np.int64(lane[rows[i]])
        polygon.node[0, i] = i
    polygon.current = 0
    polygon.cuts = 0
    code0, code1, code2 = (
        np.int64(corner_at(polygon.place[0]).code),
        np.int64(corner_at(polygon.place[1]).code),
        np.int64(corner_at(polygon.place[2]).code),
    )
    outcome = placed_outcome(code0 | code1 | code2, code0 & code1 & code2)
    return outcome if outcome != _EMITTED else _facing(front_address, primitive, _turns(front.polygon, 0, 1, 2))


@inner("int64(int64, int64, int64)", inline=True)
def _clip_primitive(front_address: Int, primitive: Int, emitted: Int) -> Int:
    """Clip, cull, transform and emit a primitive, from row ``emitted`` on; returns its outcome."""
    front = front_at(front_address)
    setup, columns = setup_at(front.setup), front.columns
    count = array_at(columns.primitives_emitted_count + front.primitive_first + primitive, 1, np.uint8)
    facing = array_at(columns.primitives_front + front.primitive_first + primitive, 1, np.uint8)
    count[0] = 0
    facing[0] = 1
    if setup.discard != 0:
        return _DISCARDED
    num = np.int64(setup.kind)
    outcome = _IS_CUT
    if num == 3 and front.num_distances == 0:
        outcome = _take_triangle(front_address, primitive)
    if outcome == _IS_CUT:
        outcome = _begin(front_address, primitive)
        if outcome != _EMITTED:
            return outcome
        num = _cut(front_address)
        if num == 0:
            return _FRUSTUM
        if not _project(front_address, num):
            return _NOT_FINITE
        if setup.kind == 3:
            outcome = _facing(front_address, primitive, _area(front.polygon, num))
    if outcome != _EMITTED:
        return outcome
    # A triangle becomes a fan; points and lines have one part, whose last corner counts twice.
    first, step = (1, 1) if setup.kind == 3 else (num - 1, 0)
    for i in range(first, num - step):
        j = i + step
        if setup.kind != 3 or _turns(front.polygon, 0, i, j) != 0:
            at = emitted + np.int64(count[0])
            count[0] += 1
            if at < front.emitted_room:
                _emit(front_address, primitive, at, i, j)
    return _EMITTED


@inner("int64(int64)")
def clip_primitives(front_address: Int) -> Int:
    """Clip, cull and transform the primitives of a draw.

    Written are ``outcome``, ``front``, ``emitted_first`` (counted from 0) and ``emitted_count`` of ``primitives``,
    ``x``, ``y``, ``size`` and ``bounds`` of ``emitted``, and the front's working memory: ``primitive``, ``window`` (y
    as Mesa counts it, z with its polygon offset), ``nodes``, ``depth_plane``.

    Returns
    -------
    Number of emitted primitives; only those are written for which there is room.
    """
    front = front_at(front_address)
    columns = front.columns
    first = array_at(columns.primitives_emitted_first + 4 * front.primitive_first, front.num_primitives, np.uint32)
    count = array_at(columns.primitives_emitted_count + front.primitive_first, front.num_primitives, np.uint8)
    outcome = array_at(columns.primitives_outcome + front.primitive_first, front.num_primitives, np.uint8)
    emitted: Int = 0
    setup = setup_at(front.setup)
    if setup.kind != 2 and setup.discard == 0 and front.num_distances == 0:
        _place_corners(front_address)
        if setup.kind == 1:
            return call(front.clip_points, front_address)
    for primitive in range(front.num_primitives):
        first[primitive] = np.uint32(emitted)
        outcome[primitive] = np.uint8(_clip_primitive(front_address, primitive, emitted))
        emitted += np.int64(count[primitive])
    return emitted
