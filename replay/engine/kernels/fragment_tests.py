# mypy: ignore-errors
# Numba's signatures type what is compiled.
"""Stencil and depth test: quads in primitive order against depth and stencil storage.

The kernel walks the quads of a range in order, so that the fragments of a pixel meet it in primitive order. Rows of
pixels are dealt out in bands of 16 to several workers, each of which walks all quads and keeps to its bands: the
result is the same for any number of workers. The kernels of :mod:`replay.engine.kernels.blend` work alike.
"""

from __future__ import annotations

from typing import Final

import numba
import numpy as np

from replay.engine.kernels.records import TEST_DTYPE
from replay.kernels import kernel

__all__ = ["BAND_SHIFT", "QUAD_COLUMNS", "test_quads", "test_type"]

test_type = numba.from_dtype(TEST_DTYPE)
#: log2 of the rows of quads in a band.
BAND_SHIFT: Final = 3
#: Types of the first arguments of kernels over quads: first, last, x, y, mask.
QUAD_COLUMNS: Final = (numba.int64, numba.int64, numba.uint16[::1], numba.uint16[::1], numba.uint8[::1])


@kernel("int64(int64, int64)", inline="always")
def _stencil_op(op, value):
    """Keep 0, zero 1, increment 3, decrement 4, invert 5, wrapping increment 6 and decrement 7; 2 is the caller's."""
    if op == 1:
        return 0
    if op == 3:
        return min(value + 1, 255)
    if op == 4:
        return max(value - 1, 0)
    if op == 5:
        return ~value & 255
    if op == 6:
        return (value + 1) & 255
    if op == 7:
        return (value - 1) & 255
    return value


@kernel(
    numba.int64(
        test_type[:],
        *QUAD_COLUMNS,
        numba.uint32[::1],
        numba.int64,
        numba.uint8[::1],
        numba.uint32[:, ::1],
        numba.uint32[:, ::1],
        numba.uint8[:, ::1],
        numba.uint8[::1],
        numba.int64,
        numba.int64,
    )
)
def test_quads(
    state_rows,
    first,
    last,
    quad_x,
    quad_y,
    mask,
    emitted,
    emitted_base,
    front,
    depth,
    depth_plane,
    stencil_plane,
    passed,
    band,
    num_bands,
):
    """Stencil and depth test, and their updates.

    Parameters
    ----------
    state_rows : (1,) TEST_DTYPE
    first, last : quads, half open
    quad_x, quad_y : columns of FrameTrace's ``quads``
    mask : (Q,) uint8 fragments that arrive, bit f
    emitted, emitted_base : (Q,) uint32 row of ``front`` plus the base
    front : (E,) uint8 1 = front facing
    depth : (Q, 4) uint32 fragment depth in the target's format
    depth_plane : (H, W) uint32 (not read where the depth test is off)
    stencil_plane : (H, W) uint8 (not read where the stencil test is off)
    passed : (Q,) uint8, out: fragments that passed; written for quads of the band only
    band, num_bands : which rows to process

    Returns
    -------
    Number of fragments that passed.
    """
    s = state_rows[0]
    func = s.depth_func
    write = s.depth_write != 0
    on_less = func & 1 != 0
    on_equal = func & 2 != 0
    on_greater = func & 4 != 0
    height, width = depth_plane.shape
    count = 0
    if s.stencil_test == 0:
        for q in range(first, last):
            qy = np.int64(quad_y[q])
            if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
                continue
            m = np.int64(mask[q])
            if s.depth_test != 0:
                out = 0
                x = 2 * np.int64(quad_x[q])
                y = 2 * qy
                if x + 1 < width and y + 1 < height:
                    # Without branches: which fragments pass is close to random where it matters.
                    for f in range(4):
                        d = depth[q, f]
                        old = depth_plane[y + (f >> 1), x + (f & 1)]
                        ok = (on_less & (d < old)) | (on_equal & (d == old)) | (on_greater & (d > old))
                        ok &= (m >> f & 1) != 0
                        out |= np.int64(ok) << f
                        depth_plane[y + (f >> 1), x + (f & 1)] = d if ok & write else old
                else:
                    for f in range(4):
                        if m >> f & 1:
                            d = depth[q, f]
                            old = depth_plane[y + (f >> 1), x + (f & 1)]
                            if (on_less & (d < old)) | (on_equal & (d == old)) | (on_greater & (d > old)):
                                out |= 1 << f
                                if write:
                                    depth_plane[y + (f >> 1), x + (f & 1)] = d
                m = out
            passed[q] = np.uint8(m)
            count += (m & 1) + (m >> 1 & 1) + (m >> 2 & 1) + (m >> 3)
        return count
    for q in range(first, last):
        qy = np.int64(quad_y[q])
        if num_bands > 1 and (qy >> BAND_SHIFT) % num_bands != band:
            continue
        m = np.int64(mask[q])
        qx = np.int64(quad_x[q])
        side = 0 if front[np.int64(emitted[q]) - emitted_base] != 0 else 1
        ref = s.stencil_ref[side]
        read_mask = s.stencil_read_mask[side]
        write_mask = s.stencil_write_mask[side]
        stencil_func = s.stencil_func[side]
        a = ref & read_mask
        out = 0
        for f in range(4):
            if m >> f & 1 == 0:
                continue
            y = 2 * qy + (f >> 1)
            x = 2 * qx + (f & 1)
            value = np.int64(stencil_plane[y, x])
            b = value & read_mask
            if (
                (stencil_func & 1 != 0 and a < b)
                or (stencil_func & 2 != 0 and a == b)
                or (stencil_func & 4 != 0 and a > b)
            ):
                d = depth[q, f]
                ok = True
                if s.depth_test != 0:
                    old = depth_plane[y, x]
                    ok = (func & 1 != 0 and d < old) or (func & 2 != 0 and d == old) or (func & 4 != 0 and d > old)
                if ok:
                    out |= 1 << f
                    if s.depth_test != 0 and write:
                        depth_plane[y, x] = d
                    op = s.stencil_depth_pass[side]
                else:
                    op = s.stencil_depth_fail[side]
            else:
                op = s.stencil_fail[side]
            new = ref if op == 2 else _stencil_op(np.int64(op), value)
            stencil_plane[y, x] = np.uint8((value & ~write_mask) | (new & write_mask))
        passed[q] = np.uint8(out)
        count += (out & 1) + (out >> 1 & 1) + (out >> 2 & 1) + (out >> 3)
    return count
