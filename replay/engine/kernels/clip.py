"""Clipping, culling, viewport transform: from assembled primitives to what the rasterizer gets.

Triangles are clipped to the near and far planes and to a guard band around the viewport that keeps screen positions
inside the rasterizer's fixed point; what lies inside the guard band is left whole. Screen positions are rounded as
Mesa's llvmpipe rounds them: float32 arithmetic, to nearest even, 8 fractional bits, relative to pixel centres, rows of
a window counted from its top.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.kernels import kernel
from traceformat.gputrace.frametrace import SUBPIXEL_BITS, Outcome
from traceformat.native.access import fused

__all__ = ["SETUP_DTYPE", "clip_primitives"]

#: State of one draw's primitive set-up.
SETUP_DTYPE: Final = np.dtype(
    [
        ("scale", "<f4", 3),  # viewport: window = ndc * scale + translate
        ("translate", "<f4", 3),
        ("guard", "<f4", 2),  # clip |x| <= guard * w
        ("bounds", "<i4", 4),  # pixels that may be drawn: x0, y0, x1, y1, inclusive
        ("cull", "<i4"),  # bit 0: cull front, bit 1: cull back
        ("front_is_clockwise", "<i4"),
        ("offset", "<i4"),  # polygon offset on
        ("offset_factor", "<f4"),
        ("offset_units", "<f4"),  # units times the smallest resolvable difference of the depth format
        ("offset_exponent", "<i4"),  # 1: float depth, the smallest difference follows the largest z
        ("kind", "<i4"),  # PrimitiveKind
        ("line_width", "<f4"),
        ("discard", "<i4"),  # rasterizer discard
        ("multisample", "<i4"),  # bounds hold every pixel that is touched, not only covered centres
        ("whole_points", "<i4"),  # points are clipped by near and far only (GLES 2.0 §2.13), not by their centre
        ("depth_clamp", "<i4"),  # nothing is clipped by near and far; fragments' depth is clamped
        ("from_top", "<i4"),  # height of a target whose rows Mesa counts from the top (a window), else 0
    ]
)

_ONE = float(1 << SUBPIXEL_BITS)
_HALF = 1 << (SUBPIXEL_BITS - 1)
_EMITTED = int(Outcome.EMITTED)
_FACE = int(Outcome.CULLED_FACE)
_FRUSTUM = int(Outcome.CULLED_FRUSTUM)
_ZERO_AREA = int(Outcome.CULLED_ZERO_AREA)
_NOT_FINITE = int(Outcome.CULLED_NOT_FINITE)
_DISCARDED = int(Outcome.RASTERIZER_DISCARD)
#: A triangle cut by near, far, w, four guard planes and eight clip distances has at most 3 + 15 corners.
_MAX_CORNERS = 18
#: Largest screen position in pixels; the guard band keeps positions well inside.
_MAX_POSITION = np.float32(65536.0)
#: Smallest w that is divided by.
_MIN_W = np.float32(1e-30)

_setup_type = numba.from_dtype(SETUP_DTYPE)


@kernel("float32(float32[:], int64, float32, float32)", inline="never")
def _distance(p, plane, guard_x, guard_y):
    """Signed distance of a clip-space position to a clip plane; inside is >= 0."""
    if plane == 0:
        return p[3] + p[2]
    if plane == 1:
        return p[3] - p[2]
    if plane == 2:
        return p[3] - _MIN_W
    if plane == 3:
        return p[3] * guard_x + p[0]
    if plane == 4:
        return p[3] * guard_x - p[0]
    if plane == 5:
        return p[3] * guard_y + p[1]
    return p[3] * guard_y - p[1]


@kernel("float32(float32[:], float32[:], float32[:, ::1], int64[:], int64, float32, float32)", inline="never")
def _clip_distance(p, weights, distances, vertices, plane, guard_x, guard_y):
    """Distance to a clip plane, or a distance that the vertex shader wrote (plane 7 and up)."""
    if plane < 7:
        return _distance(p, plane, guard_x, guard_y)
    k = plane - 7
    total = np.float32(0.0)
    for i in range(3):
        if weights[i] != 0.0:
            total += weights[i] * distances[vertices[i], k]
    return total


@kernel("int64(float32[:], float32, float32)", inline="never")
def _outcode(p, guard_x, guard_y):
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


@kernel("UniTuple(int64, 2)(int64, int64, int64, int64)")
def _line_range(a0, b0, a1, b1):
    """First and last pixel along the major axis of a line, by the diamond-exit rule (GLES 3.0 §3.5.1).

    (a0, b0) to (a1, b1) in fixed point, along the major and the minor axis. A pixel at an end belongs to the line if
    the line leaves the diamond around its centre; where it starts or ends outside of it, the test is llvmpipe's.
    """
    forward = a1 > a0
    slope = np.float64(b1 - b0) / np.float64(a1 - a0)
    drawn = np.zeros(2, np.bool_)
    for end in range(2):
        a = a0 if end == 0 else a1
        b = b0 if end == 0 else b1
        da = (a & (2 * _HALF - 1)) - _HALF
        db = (b & (2 * _HALF - 1)) - _HALF
        inside = abs(da) + abs(db) < _HALF
        beyond = da > 0 if forward else da < 0
        crosses = abs(np.float64(db) + np.float64(da) * slope) < np.float64(_HALF)
        rises = b1 > b0
        if end == 0:
            approaches = (db <= 0) == rises
            drawn[0] = inside or (not beyond and (approaches or crosses))
        else:
            recedes = (db >= 0) == rises
            drawn[1] = not inside and beyond and (recedes or crosses)
    first = a0 >> SUBPIXEL_BITS
    last = a1 >> SUBPIXEL_BITS
    step = 1 if forward else -1
    if not drawn[0]:
        first += step
    if not drawn[1]:
        last -= step
    return (first, last) if forward else (last, first)


@kernel(
    numba.int64(
        _setup_type[:],
        numba.float32[:, ::1],
        numba.float32[:, ::1],
        numba.float32[::1],
        numba.uint32[::1],
        numba.uint32[:, ::1],
        numba.uint8[::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.int32[:, ::1],
        numba.int32[:, ::1],
        numba.float32[:, :, ::1],
        numba.float32[:, :, ::1],
        numba.float32[::1],
        numba.float64[:, ::1],
        numba.int16[:, ::1],
        numba.int64,
    )
)
def clip_primitives(
    setup_rows,
    clip,
    distances,
    point_size,
    slot,
    primitives,
    outcome,
    front,
    emitted_first,
    emitted_count,
    primitive,
    x,
    y,
    window,
    weights,
    size,
    depth_plane,
    bounds,
    capacity,
):
    """Clip, cull and transform the primitives of one draw.

    Parameters
    ----------
    setup_rows : (1,) SETUP_DTYPE
    clip : (N, 4) float32 clip-space positions of shaded vertices
    distances : (N, D) float32 gl_ClipDistance that is enabled; D = 0 where none is
    point_size : (N,) float32 gl_PointSize, read for points only
    slot : (V,) uint32 row of ``clip`` of each row of the vertex stream
    primitives : (P, 3) uint32 rows of the vertex stream
    outcome, front, emitted_first, emitted_count : (P,) out, columns of FrameTrace's ``primitives``; first counts from 0
    primitive : (E,) uint32, out
    x, y : (E, 3) int32, out: screen position, fixed point
    window : (E, 3, 4) float32, out: window x, y (as Mesa counts it), z (after polygon offset) and 1/w
    weights : (E, 3, 3) float32, out: weights of the primitive's vertices in each emitted vertex
    size : (E,) float32, out: point size or line width
    depth_plane : (E, 3) float64, out: z at the centre of pixel (0, 0), dz/dx, dz/dy
    bounds : (E, 4) int16, out: pixels x0, y0, x1, y1
    capacity : rows of the emitted columns

    Returns
    -------
    Number of emitted primitives; nothing is written past ``capacity``.
    """
    s = setup_rows[0]
    gx = s.guard[0]
    gy = s.guard[1]
    kind = s.kind
    n = 0
    corner = np.empty((2, _MAX_CORNERS, 4), np.float32)
    weight = np.zeros((2, _MAX_CORNERS, 3), np.float32)
    win = np.empty((_MAX_CORNERS, 4), np.float32)
    mesa_y = np.empty(_MAX_CORNERS, np.float32)
    height = np.float32(s.from_top)
    rows = np.zeros(3, np.int64)
    num_distances = distances.shape[1]
    planes = 7 + num_distances
    fx = np.empty(_MAX_CORNERS, np.int64)
    fy = np.empty(_MAX_CORNERS, np.int64)
    for p in range(primitives.shape[0]):
        emitted_first[p] = np.uint32(n)
        emitted_count[p] = 0
        front[p] = 1
        if s.discard != 0:
            outcome[p] = _DISCARDED
            continue
        finite = True
        any_code = 0
        all_code = 0xFFFF
        for i in range(kind):
            row = slot[primitives[p, i]]
            rows[i] = row
            for c in range(4):
                v = clip[row, c]
                corner[0, i, c] = v
                if not np.isfinite(v):
                    finite = False
            code = _outcode(corner[0, i], gx, gy)
            any_code |= code
            all_code &= code
        if not finite:
            outcome[p] = _NOT_FINITE
            continue
        if kind == 1 and s.whole_points != 0:
            all_code &= 7
        if s.depth_clamp != 0:
            all_code &= ~3
            any_code &= ~3
        if all_code != 0:
            outcome[p] = _FRUSTUM
            continue
        for i in range(kind):
            for j in range(3):
                weight[0, i, j] = 1.0 if i == j else 0.0
        num = kind
        current = 0
        if kind == 1:
            for k in range(num_distances):
                if not distances[rows[0], k] >= 0:
                    num = 0
        elif any_code & 0x7F != 0 or num_distances != 0:
            for plane in range(planes):
                if any_code & (1 << plane) == 0 and plane < 3:
                    continue
                if kind == 3:
                    target = 1 - current
                    m = 0
                    for i in range(num):
                        j = i + 1 if i + 1 < num else 0
                        di = _clip_distance(corner[current, i], weight[current, i], distances, rows, plane, gx, gy)
                        dj = _clip_distance(corner[current, j], weight[current, j], distances, rows, plane, gx, gy)
                        if di >= 0:
                            for c in range(4):
                                corner[target, m, c] = corner[current, i, c]
                            for c in range(3):
                                weight[target, m, c] = weight[current, i, c]
                            m += 1
                        if (di >= 0) != (dj >= 0):
                            # From inside to outside, so that neighbours cut a shared edge alike.
                            a = i if di >= 0 else j
                            b = j if di >= 0 else i
                            da = di if di >= 0 else dj
                            db = dj if di >= 0 else di
                            t = np.float64(da) / (np.float64(da) - np.float64(db))
                            for c in range(4):
                                va = np.float64(corner[current, a, c])
                                corner[target, m, c] = np.float32(va + t * (np.float64(corner[current, b, c]) - va))
                            for c in range(3):
                                wa = np.float64(weight[current, a, c])
                                weight[target, m, c] = np.float32(wa + t * (np.float64(weight[current, b, c]) - wa))
                            m += 1
                    num = m
                    current = target
                    if num < 3:
                        break
                else:
                    d0 = _clip_distance(corner[current, 0], weight[current, 0], distances, rows, plane, gx, gy)
                    d1 = _clip_distance(corner[current, 1], weight[current, 1], distances, rows, plane, gx, gy)
                    if d0 < 0 and d1 < 0:
                        num = 0
                        break
                    if (d0 >= 0) != (d1 >= 0):
                        a = 0 if d0 >= 0 else 1
                        b = 1 - a
                        da = d0 if a == 0 else d1
                        db = d1 if a == 0 else d0
                        t = np.float64(da) / (np.float64(da) - np.float64(db))
                        for c in range(4):
                            va = np.float64(corner[current, a, c])
                            corner[current, b, c] = np.float32(va + t * (np.float64(corner[current, b, c]) - va))
                        for c in range(3):
                            wa = np.float64(weight[current, a, c])
                            weight[current, b, c] = np.float32(wa + t * (np.float64(weight[current, b, c]) - wa))
        if num < kind:
            outcome[p] = _FRUSTUM
            continue
        # Viewport transform of all corners.
        area = 0
        for i in range(num):
            rhw = np.float32(1.0) / corner[current, i, 3]
            for c in range(3):
                win[i, c] = fused(corner[current, i, c] * rhw, s.scale[c], s.translate[c])
            win[i, 3] = rhw
            mesa_y[i] = win[i, 1]
            if s.from_top != 0:
                mesa_y[i] = fused(corner[current, i, 1] * rhw, -s.scale[1], height - s.translate[1])
                win[i, 1] = height - mesa_y[i]
            # Also false for NaN; conversion to integers is defined only for what lies inside.
            if not (abs(win[i, 0]) < _MAX_POSITION and abs(win[i, 1]) < _MAX_POSITION):
                finite = False
                break
            fx[i] = np.int64(np.rint((win[i, 0] - np.float32(0.5)) * np.float32(_ONE))) + _HALF
            fy[i] = np.int64(np.rint((mesa_y[i] - np.float32(0.5)) * np.float32(_ONE))) + _HALF
            if s.from_top != 0:
                fy[i] = (np.int64(s.from_top) << SUBPIXEL_BITS) - fy[i]
            if not (np.isfinite(win[i, 2]) and np.isfinite(rhw)):
                finite = False
        if not finite:
            outcome[p] = _NOT_FINITE
            continue
        is_front = True
        if kind == 3:
            for i in range(2, num):
                area += (fx[i - 1] - fx[0]) * (fy[i] - fy[0]) - (fx[i] - fx[0]) * (fy[i - 1] - fy[0])
            if area == 0:
                outcome[p] = _ZERO_AREA
                continue
            is_front = (area > 0) != (s.front_is_clockwise != 0)
            front[p] = 1 if is_front else 0
            if (is_front and s.cull & 1 != 0) or (not is_front and s.cull & 2 != 0):
                outcome[p] = _FACE
                continue
        outcome[p] = _EMITTED
        for t3 in range(num - 2 if kind == 3 else 1):
            i1 = t3 + 1 if kind == 3 else (1 if kind == 2 else 0)
            i2 = t3 + 2 if kind == 3 else i1
            part = (fx[i1] - fx[0]) * (fy[i2] - fy[0]) - (fx[i2] - fx[0]) * (fy[i1] - fy[0])
            if kind == 3 and part == 0:
                continue
            emitted_count[p] += 1
            if n >= capacity:
                n += 1
                continue
            primitive[n] = np.uint32(p)
            for k in range(3):
                i = 0 if k == 0 else (i1 if k == 1 else i2)
                x[n, k] = np.int32(fx[i])
                y[n, k] = np.int32(fy[i])
                for c in range(4):
                    window[n, k, c] = win[i, c]
                window[n, k, 1] = mesa_y[i]
                for c in range(3):
                    weights[n, k, c] = weight[current, i, c]
            half = np.int64(0)
            if kind == 3:
                size[n] = 0.0
            elif kind == 2:
                size[n] = s.line_width
                half = np.int64(s.line_width * np.float32(_HALF)) + 2 * _HALF
            else:
                size[n] = point_size[slot[primitives[p, 0]]]
                half = np.int64(size[n] * np.float32(_HALF)) + _HALF
            x_low = min(fx[0], fx[i1], fx[i2]) - half
            x_high = max(fx[0], fx[i1], fx[i2]) + half
            y_low = min(fy[0], fy[i1], fy[i2]) - half
            y_high = max(fy[0], fy[i1], fy[i2]) + half
            if s.multisample != 0:
                x_low -= _HALF
                y_low -= _HALF
                x_high += _HALF
                y_high += _HALF
            # First pixel whose centre is at or right of x_low, last one whose centre is at or left of x_high.
            x0 = max((x_low + _HALF - 1) >> SUBPIXEL_BITS, s.bounds[0])
            y0 = max((y_low + _HALF - 1) >> SUBPIXEL_BITS, s.bounds[1])
            x1 = min((x_high - _HALF) >> SUBPIXEL_BITS, s.bounds[2])
            y1 = min((y_high - _HALF) >> SUBPIXEL_BITS, s.bounds[3])
            if kind == 2:
                length_x = abs(fx[1] - fx[0])
                length_y = abs(fy[1] - fy[0])
                if length_x == 0 and length_y == 0:
                    x1 = x0 - 1
                elif s.multisample != 0:
                    pass  # a rectangle, which the samples decide
                elif length_x >= length_y:
                    low, high = _line_range(fx[0], fy[0], fx[1], fy[1])
                    x0 = max(low, np.int64(s.bounds[0]))
                    x1 = min(high, np.int64(s.bounds[2]))
                else:
                    low, high = _line_range(fy[0], fx[0], fy[1], fx[1])
                    y0 = max(low, np.int64(s.bounds[1]))
                    y1 = min(high, np.int64(s.bounds[3]))
            if x1 < x0 or y1 < y0:
                x0, y0, x1, y1 = 0, 0, -1, -1
            bounds[n, 0] = np.int16(x0)
            bounds[n, 1] = np.int16(y0)
            bounds[n, 2] = np.int16(x1)
            bounds[n, 3] = np.int16(y1)
            # Depth plane through the unrounded positions.
            z0 = np.float64(win[0, 2])
            dzdx = 0.0
            dzdy = 0.0
            ax = np.float64(win[i1, 0]) - np.float64(win[0, 0])
            ay = np.float64(win[i1, 1]) - np.float64(win[0, 1])
            az = np.float64(win[i1, 2]) - z0
            if kind == 3:
                bx = np.float64(win[i2, 0]) - np.float64(win[0, 0])
                by = np.float64(win[i2, 1]) - np.float64(win[0, 1])
                bz = np.float64(win[i2, 2]) - z0
                det = ax * by - ay * bx
                if det != 0.0:
                    dzdx = (az * by - bz * ay) / det
                    dzdy = (ax * bz - bx * az) / det
                if s.offset != 0:
                    slope = max(abs(dzdx), abs(dzdy))
                    unit = np.float64(s.offset_units)
                    if s.offset_exponent != 0:
                        z_max = max(
                            abs(np.float64(win[0, 2])), abs(np.float64(win[i1, 2])), abs(np.float64(win[i2, 2]))
                        )
                        unit *= 2.0 ** (np.floor(np.log2(max(z_max, 1e-38))) - 23.0)
                    delta = np.float64(s.offset_factor) * slope + unit
                    z0 += delta
                    for k in range(3):
                        window[n, k, 2] = np.float32(min(max(np.float64(window[n, k, 2]) + delta, 0.0), 1.0))
            elif kind == 2:
                length = ax * ax + ay * ay
                if length > 0.0:
                    # Along the line; attributes change along its longer axis (see planes.plane_equations).
                    dzdx = az * ax / length
                    dzdy = az * ay / length
            depth_plane[n, 1] = dzdx
            depth_plane[n, 2] = dzdy
            depth_plane[n, 0] = z0 - dzdx * (np.float64(win[0, 0]) - 0.5) - dzdy * (np.float64(win[0, 1]) - 0.5)
            n += 1
    return n
