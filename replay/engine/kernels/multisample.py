# mypy: ignore-errors
# Numba's signatures type what is compiled.
"""Rasterization with four samples a pixel: spans as in :mod:`~replay.engine.kernels.raster`, one a row of samples.

Samples lie where Mesa and most GPUs have them (the standard 4x pattern of Direct3D 10.1). A quad exists where any
sample of any of its pixels is covered; its depth is kept per sample.
"""

from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.engine.kernels.raster import EMPTY_HIGH, EMPTY_LOW, next_span, outline, start_edges
from replay.kernels import kernel
from traceformat.gputrace.frametrace import SUBPIXEL_BITS

__all__ = ["SAMPLES", "SAMPLE_X", "SAMPLE_Y", "rasterize_samples"]

SAMPLES: Final = 4
_ONE = 1 << SUBPIXEL_BITS
#: Sample positions in a pixel, 1/256 pixels.
SAMPLE_X: Final = (96, 224, 32, 160)
SAMPLE_Y: Final = (32, 96, 160, 224)


@kernel("void(float32, int32[:], int32[:], int64[:, ::1])")
def _rectangle(width, x, y, corners):
    """Outline of a multisampled line: a rectangle along it (GLES 3.0 §3.5.4), counter-clockwise."""
    dx = np.float64(x[1]) - np.float64(x[0])
    dy = np.float64(y[1]) - np.float64(y[0])
    scale = 0.5 * np.float64(width) * np.float64(_ONE) / max(np.sqrt(dx * dx + dy * dy), 1e-9)
    side_x = np.int64(np.rint(dy * scale))
    side_y = np.int64(np.rint(-dx * scale))
    for i in range(4):
        end = 1 if i == 1 or i == 2 else 0
        sign = 1 if i < 2 else -1
        corners[i, 0] = np.int64(x[end]) + sign * side_x
        corners[i, 1] = np.int64(y[end]) + sign * side_y


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
        numba.int64,
        numba.int64,
        numba.int64,
        numba.uint32[::1],
        numba.uint16[::1],
        numba.uint16[::1],
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.float32[:, ::1],
        numba.uint16[::1],
        numba.uint32[:, ::1],
        numba.float32[:, ::1],
        numba.int64[::1],
    )
)
def rasterize_samples(
    num_vertices,
    size,
    x,
    y,
    bounds,
    depth_plane,
    first,
    last,
    row_base,
    depth_bits,
    sample_mask,
    emitted,
    quad_x,
    quad_y,
    coverage,
    depth,
    depth_float,
    sample_coverage,
    sample_depth,
    sample_depth_float,
    fragments,
):
    """Write the quads of emitted primitives, as ``fill_quads`` does, with coverage and depth of each sample.

    Parameters
    ----------
    sample_mask : samples that may be covered, bit s
    sample_coverage : (Q,) uint16, out: bit 4f + s
    sample_depth : (Q, 16) uint32, out: of sample s of fragment f at 4f + s
    sample_depth_float : the same memory as float32
    fragments : (1,) int64, out: covered fragments
    others : as ``fill_quads``

    Returns
    -------
    Number of quads; only those that fit are written.
    """
    corners = np.empty((4, 2), np.int64)
    edges = np.zeros((4, 4, 6), np.int64)
    low = np.empty((4, 2), np.int64)
    high = np.empty((4, 2), np.int64)
    scale = np.float64((1 << depth_bits) - 1)
    capacity = emitted.shape[0]
    n = 0
    covered = 0
    for e in range(first, last):
        x0 = np.int64(bounds[e, 0])
        x1 = np.int64(bounds[e, 2])
        if x1 < x0:
            continue
        if num_vertices[e] == 2:
            _rectangle(size[e], x[e], y[e], corners)
            num_corners = 4
        else:
            num_corners = outline(np.int64(num_vertices[e]), size[e], x[e], y[e], corners)
        y1 = np.int64(bounds[e, 3])
        row = np.int64(bounds[e, 1])
        for s in range(4):
            start_edges(num_corners, corners, row, SAMPLE_X[s], SAMPLE_Y[s], edges[s])
        dzdx = depth_plane[e, 1]
        dzdy = depth_plane[e, 2]
        while row <= y1:
            qy = row >> 1
            q_low = EMPTY_LOW
            q_high = EMPTY_HIGH
            for side in range(2):
                inside = 2 * qy + side == row and row <= y1
                for s in range(4):
                    if inside:
                        a, b = next_span(num_corners, edges[s], x0, x1)
                    else:
                        a, b = EMPTY_LOW, EMPTY_HIGH
                    low[s, side] = a
                    high[s, side] = b
                    if a <= b:
                        q_low = min(q_low, a >> 1)
                        q_high = max(q_high, b >> 1)
                if inside:
                    row += 1
            for q in range(q_low, q_high + 1):
                samples = 0
                mask = 0
                for f in range(4):
                    px = 2 * q + (f & 1)
                    for s in range(4):
                        if sample_mask >> s & 1 != 0 and low[s, f >> 1] <= px <= high[s, f >> 1]:
                            samples |= 1 << (4 * f + s)
                            mask |= 1 << f
                if samples == 0:
                    continue
                if n < capacity:
                    emitted[n] = np.uint32(row_base + e)
                    quad_x[n] = np.uint16(q)
                    quad_y[n] = np.uint16(qy)
                    coverage[n] = np.uint8(mask)
                    sample_coverage[n] = np.uint16(samples)
                    for f in range(4):
                        z = (
                            depth_plane[e, 0]
                            + dzdx * np.float64(2 * q + (f & 1))
                            + dzdy * np.float64(2 * qy + (f >> 1))
                        )
                        for k in range(5):
                            zs = z
                            if k < 4:
                                zs += dzdx * (SAMPLE_X[k] / 256.0 - 0.5) + dzdy * (SAMPLE_Y[k] / 256.0 - 0.5)
                            zf = min(max(np.float32(zs), np.float32(0.0)), np.float32(1.0)) + np.float32(0.0)
                            if k < 4 and depth_bits == 0:
                                sample_depth_float[n, 4 * f + k] = zf
                            elif k < 4:
                                sample_depth[n, 4 * f + k] = np.uint32(np.rint(np.float64(zf) * scale))
                            elif depth_bits == 0:
                                depth_float[n, f] = zf
                            else:
                                depth[n, f] = np.uint32(np.rint(np.float64(zf) * scale))
                n += 1
                covered += (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3)
    fragments[0] = covered
    return n
