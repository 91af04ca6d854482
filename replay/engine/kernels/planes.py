"""Attribute set-up: from shaded vertices to what the Parameter Buffer stores and to plane equations.

A varying is linear on the screen after division by w. Equations hold relative to a pixel in the middle of the
primitive's bounds, so that their terms stay small.
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
        numba.float32[:, :, :, ::1],
    )
)
def attribute_rows(outputs, slot, primitives, primitive, window, weights, rows, flat, first, last, values):
    """Write the attributes of emitted primitives: window position, then the varyings, four components each.

    Parameters
    ----------
    outputs : (rows, lanes) float32 outputs of the vertex stage, one row a scalar
    slot : (V,) uint32 lane of each row of the vertex stream
    primitives : (P, 3) uint32 rows of the vertex stream
    primitive : (E,) uint32 row of ``primitives``
    window : (E, 3, 4) float32 window x, y, z and 1/w
    weights : (E, 3, 3) float32 weights of the primitive's vertices in each emitted vertex
    rows : (4 S,) int64 row of ``outputs`` of each scalar of S varyings, -1 = reads 0, -2 = reads 1
    flat : (S,) uint8 varying takes the value of the provoking (last) vertex
    first, last : emitted primitives, half open
    values : (E, 1 + S, 3, 4) float32, out
    """
    num = flat.shape[0]
    for e in range(first, last):
        p = primitive[e]
        for k in range(3):
            for c in range(4):
                values[e, 0, k, c] = window[e, k, c]
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


@kernel(
    numba.void(
        numba.float32[:, :, :, ::1],
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
        ox = (np.int64(bounds[e, 0]) + np.int64(bounds[e, 2])) >> 1
        oy = (np.int64(bounds[e, 1]) + np.int64(bounds[e, 3])) >> 1
        planes_int[e, 0] = np.int32(ox)
        planes_int[e, 1] = np.int32(oy)
        planes_int[e, 2] = np.int32(front[primitive[e]])
        planes_int[e, 3] = np.int32(primitive[e])
        planes_int[e, 10] = 0
        planes_int[e, 11] = 0
        x0 = np.float64(values[e, 0, 0, 0])
        y0 = np.float64(values[e, 0, 0, 1])
        ax = np.float64(values[e, 0, 1, 0]) - x0
        ay = np.float64(values[e, 0, 1, 1]) - y0
        bx = np.float64(values[e, 0, 2, 0]) - x0
        by = np.float64(values[e, 0, 2, 1]) - y0
        # Gradients are linear in the differences to vertex 0: d/dx = gax * (v1 - v0) + gbx * (v2 - v0).
        gax = 0.0
        gay = 0.0
        gbx = 0.0
        gby = 0.0
        if n == 3:
            det = ax * by - ay * bx
            if det != 0.0:
                gax = by / det
                gay = -bx / det
                gbx = -ay / det
                gby = ax / det
        elif n == 2:
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
        # Weights of vertices 1 and 2 at the origin.
        ga = gax * dx + gay * dy
        gb = gbx * dx + gby * dy
        w0 = np.float64(values[e, 0, 0, 3])
        w1 = np.float64(values[e, 0, 1, 3])
        w2 = np.float64(values[e, 0, 2, 3])
        planes[e, 4] = np.float32(w0 + (w1 - w0) * ga + (w2 - w0) * gb)
        planes[e, 5] = np.float32((w1 - w0) * gax + (w2 - w0) * gbx)
        planes[e, 6] = np.float32((w1 - w0) * gay + (w2 - w0) * gby)
        planes[e, 7] = np.float32(
            depth_plane[e, 0] + depth_plane[e, 1] * np.float64(ox) + depth_plane[e, 2] * np.float64(oy)
        )
        planes[e, 8] = np.float32(depth_plane[e, 1])
        planes[e, 9] = np.float32(depth_plane[e, 2])
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
            v2 = np.float64(values[e, a, 2, c])
            if m == 0:
                v0 *= w0
                v1 *= w1
                v2 *= w2
            planes[e, at] = np.float32(v0 + (v1 - v0) * ga + (v2 - v0) * gb)
            planes[e, at + 1] = np.float32((v1 - v0) * gax + (v2 - v0) * gbx)
            planes[e, at + 2] = np.float32((v1 - v0) * gay + (v2 - v0) * gby)
