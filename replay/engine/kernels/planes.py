"""Attribute set-up: from shaded vertices to what the Parameter Buffer stores and to plane equations.

A varying is linear on the screen after division by w. Equations of triangles are Mesa's, in binary32 and in llvmpipe's
order of operations, relative to the corner of the target that Mesa counts from (``calc_coef4`` of its set-up): where
a coordinate lies exactly between two texels, its last bit decides. Those of lines and points hold relative to a pixel
in the middle of the primitive's bounds.
"""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

import numba
import numpy as np

from replay.kernels import kernel

__all__ = ["attribute_rows", "plane_equations"]


@kernel(
    numba.void(
        numba.float32[:, ::1],
        numba.uint32[::1],
        numba.uint32[:, ::1],
        numba.uint32[::1],
        numba.float32[:, :, ::1],
        numba.float32[:, :, ::1],
        numba.int64[::1],
        numba.uint8[::1],
        numba.int64,
        numba.int64,
        numba.int64,
        numba.float32[:, :, :, ::1],
    )
)
def attribute_rows(outputs, slot, primitives, primitive, window, weights, rows, flat, from_top, first, last, values):
    """Write the attributes of emitted primitives: window position, then the varyings, four components each.

    Parameters
    ----------
    outputs : (rows, lanes) float32 outputs of the vertex stage, one row a scalar
    slot : (V,) uint32 lane of each row of the vertex stream
    primitives : (P, 3) uint32 rows of the vertex stream
    primitive : (E,) uint32 row of ``primitives``
    window : (E, 3, 4) float32 window x, y (as Mesa counts it), z and 1/w
    weights : (E, 3, 3) float32 weights of the primitive's vertices in each emitted vertex
    rows : (4 S,) int64 row of ``outputs`` of each scalar of S varyings, -1 = reads 0, -2 = reads 1
    flat : (S,) uint8 varying takes the value of the provoking (last) vertex
    from_top : height of a target whose rows Mesa counts from the top, else 0
    first, last : emitted primitives, half open
    values : (E, 1 + S, 3, 4) float32, out
    """
    num = flat.shape[0]
    for e in range(first, last):
        p = primitive[e]
        for k in range(3):
            for c in range(4):
                values[e, 0, k, c] = window[e, k, c]
            if from_top != 0:
                values[e, 0, k, 1] = np.float32(from_top) - window[e, k, 1]
        lane0 = slot[primitives[p, 0]]
        lane1 = slot[primitives[p, 1]]
        lane2 = slot[primitives[p, 2]]
        for a in range(num):
            for c in range(4):
                row = rows[4 * a + c]
                if row < 0:
                    constant = np.float32(0.0) if row == -1 else np.float32(1.0)
                    for k in range(3):
                        values[e, 1 + a, k, c] = constant
                    continue
                v0 = outputs[row, lane0]
                v1 = outputs[row, lane1]
                v2 = outputs[row, lane2]
                for k in range(3):
                    if flat[a] != 0:
                        values[e, 1 + a, k, c] = v2
                    elif weights[e, k, 0] == 1.0:
                        values[e, 1 + a, k, c] = v0
                    elif weights[e, k, 1] == 1.0:
                        values[e, 1 + a, k, c] = v1
                    elif weights[e, k, 2] == 1.0:
                        values[e, 1 + a, k, c] = v2
                    else:
                        values[e, 1 + a, k, c] = v0 * weights[e, k, 0] + v1 * weights[e, k, 1] + v2 * weights[e, k, 2]


@kernel("UniTuple(float32, 7)(float32[:, ::1], int32[::1], int32[::1], int64)")
def _set_up(window, x, y, from_top):
    """Triangle set-up: the first vertex (0 or 1), its x and y, differences to the others over the area."""
    # Mesa's set-up knows triangles of one winding, in its own rows: it exchanges the first two vertices of others.
    turns = (np.int64(x[1]) - x[0]) * (np.int64(y[2]) - y[0]) - (np.int64(x[2]) - x[0]) * (np.int64(y[1]) - y[0])
    first = np.int64((turns > 0) != (from_top != 0))
    x0 = window[first, 0]
    y0 = window[first, 1]
    dx01 = x0 - window[1 - first, 0]
    dy01 = y0 - window[1 - first, 1]
    dx20 = window[2, 0] - x0
    dy20 = window[2, 1] - y0
    over_area = np.float32(1.0) / (dx01 * dy20 - dy01 * dx20)
    half = np.float32(0.5)
    return (
        np.float32(first),
        x0 - half,
        y0 - half,
        dx01 * over_area,
        dy01 * over_area,
        dx20 * over_area,
        dy20 * over_area,
    )


@kernel(
    numba.void(
        numba.float32[:, :, :, ::1],
        numba.float32[:, :, ::1],
        numba.int32[:, ::1],
        numba.int32[:, ::1],
        numba.int64,
        numba.uint8[::1],
        numba.int16[:, ::1],
        numba.float32[::1],
        numba.float64[:, ::1],
        numba.uint8[::1],
        numba.uint32[::1],
        numba.int64[::1],
        numba.int64[::1],
        numba.uint8[::1],
        numba.int64,
        numba.int64,
        numba.int64,
        numba.float32[:, ::1],
        numba.int32[:, ::1],
    )
)
def plane_equations(
    values,
    window,
    x,
    y,
    from_top,
    num_vertices,
    bounds,
    size,
    depth_plane,
    front,
    primitive,
    attribute,
    component,
    mode,
    multisampled,
    first,
    last,
    planes,
    planes_int,
):
    """Compute the plane equations of what the fragment stage reads (:mod:`replay.glsl.llvm.interpolation`).

    Parameters
    ----------
    values : (E, A, 3, 4) float32 from :func:`attribute_rows`
    window, x, y : from the clipper
    from_top : height of a target whose rows Mesa counts from the top, else 0
    num_vertices, bounds, size : columns of FrameTrace's ``emitted``
    depth_plane : (E, 3) float64 z at the centre of pixel (0, 0), dz/dx, dz/dy
    front : (P,) uint8 facing of each primitive
    primitive : (E,) uint32 row of ``front``
    attribute, component : (S,) int64 which scalar of ``values`` each equation is for
    mode : (S,) uint8 0 perspective-correct, 1 flat, 2 linear on the screen, 3 point coordinate (component 0 or 1)
    multisampled : 1 where the target has several samples a pixel
    first, last : emitted primitives, half open
    planes : (E, 12 + 3 S) float32, out; perspective scalars are divided by w
    planes_int : the same memory as int32
    """
    num = mode.shape[0]
    for e in range(first, last):
        if bounds[e, 2] < bounds[e, 0]:
            continue
        n = num_vertices[e]
        ox = np.int64(0)
        oy = max(from_top - 1, 0)
        if n != 3:
            ox = (np.int64(bounds[e, 0]) + np.int64(bounds[e, 2])) >> 1
            oy = (np.int64(bounds[e, 1]) + np.int64(bounds[e, 3])) >> 1
        planes_int[e, 0] = np.int32(ox)
        planes_int[e, 1] = np.int32(oy)
        planes_int[e, 2] = np.int32(front[primitive[e]])
        planes_int[e, 3] = np.int32(primitive[e])
        planes_int[e, 10] = 0
        planes_int[e, 11] = 0
        planes[e, 7] = np.float32(
            depth_plane[e, 0] + depth_plane[e, 1] * np.float64(ox) + depth_plane[e, 2] * np.float64(oy)
        )
        planes[e, 8] = np.float32(depth_plane[e, 1])
        planes[e, 9] = np.float32(depth_plane[e, 2])
        if n == 3:
            first_vertex, px, py, dx01, dy01, dx20, dy20 = _set_up(window[e], x[e], y[e], from_top)
            i0 = np.int64(first_vertex)
            for s in range(-1, num):
                at = 12 + 3 * s if s >= 0 else 4
                m = mode[s] if s >= 0 else 2
                if m == 1:
                    # Flat values may be integer bit patterns: they are moved, never computed with.
                    planes[e, at] = values[e, attribute[s], 2, component[s]]
                    planes[e, at + 1] = 0.0
                    planes[e, at + 2] = 0.0
                    continue
                f0 = window[e, i0, 3]
                f1 = window[e, 1 - i0, 3]
                f2 = window[e, 2, 3]
                if m == 3:
                    f0 = f1 = f2 = np.float32(0.0)
                elif s >= 0:
                    f0 = values[e, attribute[s], i0, component[s]] * (f0 if m == 0 else np.float32(1.0))
                    f1 = values[e, attribute[s], 1 - i0, component[s]] * (f1 if m == 0 else np.float32(1.0))
                    f2 = values[e, attribute[s], 2, component[s]] * (f2 if m == 0 else np.float32(1.0))
                f01 = f0 - f1
                f20 = f2 - f0
                across = f01 * dy20 - f20 * dy01
                down = f20 * dx01 - f01 * dx20
                planes[e, at] = f0 - (across * px + down * py)
                planes[e, at + 1] = across
                planes[e, at + 2] = -down if from_top != 0 else down
            continue
        x0 = np.float64(values[e, 0, 0, 0])
        y0 = np.float64(values[e, 0, 0, 1])
        ax = np.float64(values[e, 0, 1, 0]) - x0
        ay = np.float64(values[e, 0, 1, 1]) - y0
        # Gradients are linear in the difference to vertex 0: d/dx = gax * (v1 - v0).
        gax = 0.0
        gay = 0.0
        if n == 2:
            # Along the longer axis alone, as Mesa has it; along the line only where it is a multisampled rectangle.
            if multisampled != 0:
                length = ax * ax + ay * ay
                if length > 0.0:
                    gax = ax / length
                    gay = ay / length
            elif abs(ax) >= abs(ay):
                gax = 1.0 / ax if ax != 0.0 else 0.0
            else:
                gay = 1.0 / ay
        dx = np.float64(ox) + 0.5 - x0
        dy = np.float64(oy) + 0.5 - y0
        # Weight of vertex 1 at the origin.
        ga = gax * dx + gay * dy
        w0 = np.float64(values[e, 0, 0, 3])
        w1 = np.float64(values[e, 0, 1, 3])
        planes[e, 4] = np.float32(w0 + (w1 - w0) * ga)
        planes[e, 5] = np.float32((w1 - w0) * gax)
        planes[e, 6] = np.float32((w1 - w0) * gay)
        for s in range(num):
            a = attribute[s]
            c = component[s]
            at = 12 + 3 * s
            m = mode[s]
            if m == 1:
                # Flat values may be integer bit patterns: they are moved, never computed with.
                planes[e, at] = values[e, a, 2, c]
                planes[e, at + 1] = 0.0
                planes[e, at + 2] = 0.0
                continue
            if m == 3:
                planes[e, at] = 0.0
                planes[e, at + 1] = 0.0
                planes[e, at + 2] = 0.0
                if n == 1:
                    slope = w0 / max(np.float64(size[e]), 1e-6)
                    if c == 0:
                        planes[e, at] = np.float32(0.5 * w0 + dx * slope)
                        planes[e, at + 1] = np.float32(slope)
                    else:
                        planes[e, at] = np.float32(0.5 * w0 - dy * slope)
                        planes[e, at + 2] = np.float32(-slope)
                continue
            v0 = np.float64(values[e, a, 0, c])
            v1 = np.float64(values[e, a, 1, c])
            if m == 0:
                v0 *= w0
                v1 *= w1
            planes[e, at] = np.float32(v0 + (v1 - v0) * ga)
            planes[e, at + 1] = np.float32((v1 - v0) * gax)
            planes[e, at + 2] = np.float32((v1 - v0) * gay)
