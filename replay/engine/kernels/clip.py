"""Clipping, culling, viewport transform: from assembled primitives to what the rasterizer gets.

Triangles are clipped to the near and far planes and to a guard band around the viewport that keeps screen positions
inside the rasterizer's fixed point; what lies inside the guard band is left whole. Screen positions are rounded as
Mesa's llvmpipe rounds them: float32 arithmetic, to nearest even, 8 fractional bits, relative to pixel centres, rows of
a window counted from its top.

Everything takes a FRONT; the primitive at hand lies in its POLYGON_DTYPE.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.access import front_at, polygon_at, setup_at, stream_at
from replay.kernels import Array, Bool, Float, Int, inner
from traceformat.gputrace.frametrace import SUBPIXEL_BITS, Outcome
from traceformat.native.access import fused, pointer

__all__ = ["clip_primitives"]

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


# ---------------------------------------------------------------------- clipping
@inner("float32(int64, int64, int64)")
def _distance(front: Int, corner: Int, plane: Int) -> Float:
    """Signed distance of a corner to a clip plane, or one that the vertex shader wrote; inside is >= 0."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    now = g.current
    p = g.corner[now, corner]
    if plane == 0:
        return p[3] + p[2]
    if plane == 1:
        return p[3] - p[2]
    if plane == 2:
        return p[3] - _MIN_W
    if plane == 3:
        return p[3] * s.guard[0] + p[0]
    if plane == 4:
        return p[3] * s.guard[0] - p[0]
    if plane == 5:
        return p[3] * s.guard[1] + p[1]
    if plane == 6:
        return p[3] * s.guard[1] - p[1]
    distances = carray(pointer(r.distances), (stream_at(r.stream).num_lanes, r.num_distances), np.float32)
    total = np.float32(0.0)
    for i in range(3):
        weight = g.weight[now, corner, i]
        if weight != 0.0:
            total += weight * distances[g.lane[i], plane - _PLANES]
    return total


@inner("int64(float32[:], float32, float32)")
def _outcode(p: Array, guard_x: Float, guard_y: Float) -> Int:
    """Bits 0-6: outside of a clip plane; bits 8-11: outside of the frustum's sides."""
    code = 0
    w = p[3]
    if p[2] < -w:
        code |= 1
    if p[2] > w:
        code |= 2
    if not w >= _MIN_W:
        code |= 4
    if p[0] < -w * guard_x:
        code |= 8
    if p[0] > w * guard_x:
        code |= 16
    if p[1] < -w * guard_y:
        code |= 32
    if p[1] > w * guard_y:
        code |= 64
    if p[0] < -w:
        code |= 256
    if p[0] > w:
        code |= 512
    if p[1] < -w:
        code |= 1024
    if p[1] > w:
        code |= 2048
    return code


@inner("int64(int64, int64)", inline=True)
def _begin(front: Int, p: Int) -> Int:
    """Take the corners of a primitive; EMITTED, or why it is not looked at any further."""
    r = front_at(front)
    s, g, stream = setup_at(r.setup), polygon_at(r.polygon), stream_at(r.stream)
    lane = carray(pointer(stream.lane), stream.num_rows, np.uint32)
    rows = carray(pointer(r.primitives + 12 * p), 3, np.uint32)
    clip = carray(pointer(r.clip), (max(stream.num_lanes, 1), 4), np.float32)
    any_code, all_code = 0, 0xFFFF
    finite = True
    g.current = 0
    for i in range(s.kind):
        row = np.int64(lane[rows[i]])
        g.lane[i] = row
        for c in range(4):
            v = clip[row, c]
            g.corner[0, i, c] = v
            if not np.isfinite(v):
                finite = False
        for j in range(3):
            g.weight[0, i, j] = np.float32(1.0) if i == j else np.float32(0.0)
        code = _outcode(clip[row], s.guard[0], s.guard[1])
        any_code |= code
        all_code &= code
    if not finite:
        return _NOT_FINITE
    if s.kind == 1 and s.whole_points != 0:
        all_code &= 7
    if s.depth_clamp != 0:
        all_code &= ~3
        any_code &= ~3
    g.planes = any_code
    return _FRUSTUM if all_code != 0 else _EMITTED


@inner("void(int64, int64, int64, int64, int64, float32, float32)")
def _put_between(polygon: Int, side: Int, m: Int, a: Int, b: Int, da: Float, db: Float) -> None:
    """Put the point where the line from corner a, which is inside, to b leaves into corner m of one of the two."""
    g = polygon_at(polygon)
    now = g.current
    t = np.float64(da) / (np.float64(da) - np.float64(db))
    for c in range(4):
        va = np.float64(g.corner[now, a, c])
        g.corner[side, m, c] = np.float32(va + t * (np.float64(g.corner[now, b, c]) - va))
    for c in range(3):
        wa = np.float64(g.weight[now, a, c])
        g.weight[side, m, c] = np.float32(wa + t * (np.float64(g.weight[now, b, c]) - wa))


@inner("int64(int64, int64, int64)")
def _cut_polygon(front: Int, num: Int, plane: Int) -> Int:
    """Cut off what lies outside of a plane; returns how many corners are left."""
    polygon = front_at(front).polygon
    g = polygon_at(polygon)
    now = g.current
    target = 1 - now
    m = 0
    for i in range(num):
        j = i + 1 if i + 1 < num else 0
        di = _distance(front, i, plane)
        dj = _distance(front, j, plane)
        if di >= 0:
            for c in range(4):
                g.corner[target, m, c] = g.corner[now, i, c]
            for c in range(3):
                g.weight[target, m, c] = g.weight[now, i, c]
            m += 1
        # From inside to outside, so that neighbours cut a shared edge alike.
        if di >= 0 and not dj >= 0:
            _put_between(polygon, target, m, i, j, di, dj)
            m += 1
        elif dj >= 0 and not di >= 0:
            _put_between(polygon, target, m, j, i, dj, di)
            m += 1
    g.current = target
    return m


@inner("int64(int64, int64)")
def _cut_line(front: Int, plane: Int) -> Int:
    """Cut off what lies outside of a plane; returns how many ends are left."""
    polygon = front_at(front).polygon
    now = polygon_at(polygon).current
    d0 = _distance(front, 0, plane)
    d1 = _distance(front, 1, plane)
    if d0 < 0 and d1 < 0:
        return 0
    if d0 >= 0 and not d1 >= 0:
        _put_between(polygon, now, 1, 0, 1, d0, d1)
    elif d1 >= 0 and not d0 >= 0:
        _put_between(polygon, now, 0, 1, 0, d1, d0)
    return 2


@inner("int64(int64)")
def _cut(front: Int) -> Int:
    """Cut the primitive by all planes; returns how many corners are left, 0 if too few."""
    r = front_at(front)
    kind = setup_at(r.setup).kind
    planes = polygon_at(r.polygon).planes
    num = np.int64(kind)
    if kind == 1:
        for k in range(r.num_distances):
            if not _distance(front, 0, _PLANES + k) >= 0:
                return 0
        return num
    if planes & 0x7F == 0 and r.num_distances == 0:
        return num
    for plane in range(_PLANES + r.num_distances):
        if planes & (1 << plane) == 0 and plane < 3:
            continue
        num = _cut_polygon(front, num, plane) if kind == 3 else _cut_line(front, plane)
        if num < kind:
            return 0
    return num


# ---------------------------------------------------------------------- the screen
@inner("boolean(int64, int64)", inline=True)
def _project(front: Int, num: Int) -> Bool:
    """Viewport transform of all corners; whether they lie on the screen's plane."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    now, from_top = g.current, np.int64(s.from_top)
    height = np.float32(from_top)
    half = np.float32(0.5)
    # What is written below might, for all that the compiler knows, lie where these are.
    scale_x, scale_y, scale_z = s.scale[0], s.scale[1], s.scale[2]
    move_x, move_y, move_z = s.translate[0], s.translate[1], s.translate[2]
    finite = True
    for i in range(num):
        rhw = np.float32(1.0) / g.corner[now, i, 3]
        x = fused(g.corner[now, i, 0] * rhw, scale_x, move_x)
        y = fused(g.corner[now, i, 1] * rhw, scale_y, move_y)
        z = fused(g.corner[now, i, 2] * rhw, scale_z, move_z)
        mesa_y = y
        if from_top != 0:
            mesa_y = fused(g.corner[now, i, 1] * rhw, -scale_y, height - move_y)
            y = height - mesa_y
        # Also false for NaN; conversion to integers is defined only for what lies inside.
        if not (abs(x) < _MAX_POSITION and abs(y) < _MAX_POSITION):
            return False
        fx = np.int64(np.rint((x - half) * np.float32(_ONE))) + _HALF
        fy = np.int64(np.rint((mesa_y - half) * np.float32(_ONE))) + _HALF
        g.x[i] = fx
        g.y[i] = (from_top << SUBPIXEL_BITS) - fy if from_top != 0 else fy
        g.window[i, 0] = x
        g.window[i, 1] = y
        g.window[i, 2] = z
        g.window[i, 3] = rhw
        g.mesa_y[i] = mesa_y
        if not (np.isfinite(z) and np.isfinite(rhw)):
            finite = False
    return finite


@inner("int64(int64, int64)", inline=True)
def _area(polygon: Int, num: Int) -> Int:
    """Twice the signed area on the screen."""
    g = polygon_at(polygon)
    area = 0
    for i in range(2, num):
        area += (g.x[i - 1] - g.x[0]) * (g.y[i] - g.y[0]) - (g.x[i] - g.x[0]) * (g.y[i - 1] - g.y[0])
    return area


@inner("UniTuple(int64, 2)(int64, int64, int64, int64)")
def _line_range(a0: Int, b0: Int, a1: Int, b1: Int) -> tuple[Int, Int]:
    """First and last pixel along the major axis of a line, by the diamond-exit rule (GLES 3.0 §3.5.1).

    (a0, b0) to (a1, b1) in fixed point, along the major and the minor axis. A pixel at an end belongs to the line if
    the line leaves the diamond around its centre; where it starts or ends outside of it, the test is llvmpipe's.
    """
    forward = a1 > a0
    rises = b1 > b0
    slope = np.float64(b1 - b0) / np.float64(a1 - a0)
    starts: Bool = False
    ends: Bool = False
    for end in range(2):
        da = ((a0 if end == 0 else a1) & (2 * _HALF - 1)) - _HALF
        db = ((b0 if end == 0 else b1) & (2 * _HALF - 1)) - _HALF
        inside = abs(da) + abs(db) < _HALF
        beyond = da > 0 if forward else da < 0
        crosses = abs(np.float64(db) + np.float64(da) * slope) < np.float64(_HALF)
        if end == 0:
            approaches = (db <= 0) == rises
            starts = inside or (not beyond and (approaches or crosses))
        else:
            recedes = (db >= 0) == rises
            ends = not inside and beyond and (recedes or crosses)
    first = a0 >> SUBPIXEL_BITS
    last = a1 >> SUBPIXEL_BITS
    step = 1 if forward else -1
    if not starts:
        first += step
    if not ends:
        last -= step
    return (first, last) if forward else (last, first)


# ---------------------------------------------------------------------- what is emitted
@inner("void(int64, int64, int64, int64)", inline=True)
def _put_bounds(front: Int, n: Int, i1: Int, i2: Int) -> None:
    """Pixels of emitted primitive ``n``, which has the corners 0, i1 and i2: those that its centres may lie in."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    bounds = carray(pointer(r.columns.emitted_bounds + 8 * (r.emitted_first + n)), 4, np.int16)
    size = carray(pointer(r.columns.emitted_size + 4 * (r.emitted_first + n)), 1, np.float32)[0]
    half = np.int64(0)
    if s.kind == 2:
        half = np.int64(s.line_width * np.float32(_HALF)) + 2 * _HALF
    elif s.kind == 1:
        half = np.int64(size * np.float32(_HALF)) + _HALF
    if s.multisample != 0:
        half += _HALF
    x_low = min(g.x[0], g.x[i1], g.x[i2]) - half
    x_high = max(g.x[0], g.x[i1], g.x[i2]) + half
    y_low = min(g.y[0], g.y[i1], g.y[i2]) - half
    y_high = max(g.y[0], g.y[i1], g.y[i2]) + half
    # First pixel whose centre is at or right of x_low, last one whose centre is at or left of x_high.
    x0 = max((x_low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(s.bounds[0]))
    y0 = max((y_low + _HALF - 1) >> SUBPIXEL_BITS, np.int64(s.bounds[1]))
    x1 = min((x_high - _HALF) >> SUBPIXEL_BITS, np.int64(s.bounds[2]))
    y1 = min((y_high - _HALF) >> SUBPIXEL_BITS, np.int64(s.bounds[3]))
    if s.kind == 2:
        length_x = abs(g.x[1] - g.x[0])
        length_y = abs(g.y[1] - g.y[0])
        if length_x == 0 and length_y == 0:
            x1 = x0 - 1
        elif s.multisample != 0:
            pass  # a rectangle, which the samples decide
        elif length_x >= length_y:
            low, high = _line_range(g.x[0], g.y[0], g.x[1], g.y[1])
            x0 = max(low, np.int64(s.bounds[0]))
            x1 = min(high, np.int64(s.bounds[2]))
        else:
            low, high = _line_range(g.y[0], g.x[0], g.y[1], g.x[1])
            y0 = max(low, np.int64(s.bounds[1]))
            y1 = min(high, np.int64(s.bounds[3]))
    if x1 < x0 or y1 < y0:
        x0, y0, x1, y1 = 0, 0, -1, -1
    bounds[0], bounds[1], bounds[2], bounds[3] = np.int16(x0), np.int16(y0), np.int16(x1), np.int16(y1)


@inner("float64(int64, float64, float64)")
def _offset(front: Int, slope: Float, z_max: Float) -> Float:
    """Polygon offset of a triangle."""
    s = setup_at(front_at(front).setup)
    unit = np.float64(s.offset_units)
    if s.offset_exponent != 0:
        unit *= 2.0 ** (np.floor(np.log2(max(z_max, 1e-38))) - 23.0)
    return np.float64(s.offset_factor) * slope + unit


@inner("void(int64, int64, int64, int64)", inline=True)
def _put_depth(front: Int, n: Int, i1: Int, i2: Int) -> None:
    """Depth plane of emitted primitive ``n``, through the unrounded positions, and its polygon offset."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    plane = carray(pointer(r.depth_plane + 24 * n), 3, np.float64)
    x0, y0, z0 = np.float64(g.window[0, 0]), np.float64(g.window[0, 1]), np.float64(g.window[0, 2])
    ax, ay = np.float64(g.window[i1, 0]) - x0, np.float64(g.window[i1, 1]) - y0
    az = np.float64(g.window[i1, 2]) - z0
    dzdx = dzdy = 0.0
    if s.kind == 3:
        bx, by = np.float64(g.window[i2, 0]) - x0, np.float64(g.window[i2, 1]) - y0
        bz = np.float64(g.window[i2, 2]) - z0
        det = ax * by - ay * bx
        if det != 0.0:
            dzdx = (az * by - bz * ay) / det
            dzdy = (ax * bz - bx * az) / det
        if s.offset != 0:
            z_max = max(abs(z0), abs(np.float64(g.window[i1, 2])), abs(np.float64(g.window[i2, 2])))
            delta = _offset(front, max(abs(dzdx), abs(dzdy)), z_max)
            z0 += delta
            window = carray(pointer(r.window + 48 * n), (3, 4), np.float32)
            for k in range(3):
                window[k, 2] = np.float32(min(max(np.float64(window[k, 2]) + delta, 0.0), 1.0))
    elif s.kind == 2:
        length = ax * ax + ay * ay
        if length > 0.0:
            # Along the line; attributes change along its longer axis (see planes.plane_equations).
            dzdx = az * ax / length
            dzdy = az * ay / length
    plane[1] = dzdx
    plane[2] = dzdy
    plane[0] = z0 - dzdx * (x0 - 0.5) - dzdy * (y0 - 0.5)


@inner("void(int64, int64, int64, int64, int64)", inline=True)
def _emit(front: Int, p: Int, n: Int, i1: Int, i2: Int) -> None:
    """Write emitted primitive ``n``: the corners 0, i1 and i2 of primitive ``p``."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    row = r.emitted_first + n
    now = g.current
    carray(pointer(r.primitive), n + 1, np.uint32)[n] = np.uint32(p)
    x = carray(pointer(r.columns.emitted_x + 12 * row), 3, np.int32)
    y = carray(pointer(r.columns.emitted_y + 12 * row), 3, np.int32)
    window = carray(pointer(r.window + 48 * n), (3, 4), np.float32)
    weights = carray(pointer(r.weights + 36 * n), (3, 3), np.float32)
    for k in range(3):
        i = 0 if k == 0 else (i1 if k == 1 else i2)
        x[k] = np.int32(g.x[i])
        y[k] = np.int32(g.y[i])
        for c in range(4):
            window[k, c] = g.window[i, c]
        window[k, 1] = g.mesa_y[i]
        for c in range(3):
            weights[k, c] = g.weight[now, i, c]
    size = carray(pointer(r.columns.emitted_size + 4 * row), 1, np.float32)
    if s.kind == 3:
        size[0] = np.float32(0.0)
    elif s.kind == 2:
        size[0] = s.line_width
    else:
        size[0] = carray(pointer(r.points), g.lane[0] + 1, np.float32)[g.lane[0]]
    _put_bounds(front, n, i1, i2)
    _put_depth(front, n, i1, i2)


@inner("int64(int64, int64, int64)", inline=True)
def _clip_primitive(front: Int, p: Int, n: Int) -> Int:
    """Clip, cull, transform and emit a primitive, from row ``n`` on; returns its outcome."""
    r = front_at(front)
    s, g = setup_at(r.setup), polygon_at(r.polygon)
    columns = r.columns
    count = carray(pointer(columns.primitives_emitted_count + r.primitive_first + p), 1, np.uint8)
    facing = carray(pointer(columns.primitives_front + r.primitive_first + p), 1, np.uint8)
    count[0] = 0
    facing[0] = 1
    if s.discard != 0:
        return _DISCARDED
    outcome = _begin(front, p)
    if outcome != _EMITTED:
        return outcome
    num = _cut(front)
    if num == 0:
        return _FRUSTUM
    if not _project(front, num):
        return _NOT_FINITE
    if s.kind != 3:
        count[0] = 1
        if n < r.emitted_room:
            _emit(front, p, n, num - 1, num - 1)
        return _EMITTED
    area = _area(r.polygon, num)
    if area == 0:
        return _ZERO_AREA
    is_front = (area > 0) != (s.front_is_clockwise != 0)
    facing[0] = 1 if is_front else 0
    if (is_front and s.cull & 1 != 0) or (not is_front and s.cull & 2 != 0):
        return _FACE
    for i in range(1, num - 1):
        if (g.x[i] - g.x[0]) * (g.y[i + 1] - g.y[0]) - (g.x[i + 1] - g.x[0]) * (g.y[i] - g.y[0]) != 0:
            at = n + np.int64(count[0])
            count[0] += 1
            if at < r.emitted_room:
                _emit(front, p, at, i, i + 1)
    return _EMITTED


@inner("int64(int64)")
def clip_primitives(front: Int) -> Int:
    """Clip, cull and transform the primitives of a draw.

    Written are ``outcome``, ``front``, ``emitted_first`` (counted from 0) and ``emitted_count`` of ``primitives``,
    ``x``, ``y``, ``size`` and ``bounds`` of ``emitted``, and the front's working memory: ``primitive``, ``window`` (y
    as Mesa counts it, z with its polygon offset), ``weights``, ``depth_plane``.

    Returns
    -------
    Number of emitted primitives; only those are written for which there is room.
    """
    r = front_at(front)
    columns = r.columns
    first = carray(pointer(columns.primitives_emitted_first + 4 * r.primitive_first), r.num_primitives, np.uint32)
    count = carray(pointer(columns.primitives_emitted_count + r.primitive_first), r.num_primitives, np.uint8)
    outcome = carray(pointer(columns.primitives_outcome + r.primitive_first), r.num_primitives, np.uint8)
    n: Int = 0
    for p in range(r.num_primitives):
        first[p] = np.uint32(n)
        outcome[p] = np.uint8(_clip_primitive(front, p, n))
        n += np.int64(count[p])
    return n
