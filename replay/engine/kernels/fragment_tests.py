"""Stencil and depth test: quads in primitive order against depth and stencil storage.

The quads are walked in order, so that the fragments of a pixel meet it in primitive order. Usual states have machine
code of their own (:mod:`replay.engine.merge_code`), of which this is the plain twin; it does what there is none for.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from replay.engine.kernels.access import pixels_at, test_at
from replay.kernels import Array, Bool, Int, entry, inner
from traceformat.native.access import pointer

__all__ = ["is_in", "stencil_passes", "stencil_value", "test_quads"]


@inner("boolean(int64, int64, int64)")
def is_in(func: Int, a: Int, b: Int) -> Bool:
    """Whether a comparison holds: its code has bit 0 for less, bit 1 for equal, bit 2 for greater."""
    return ((func & 1 != 0) & (a < b)) | ((func & 2 != 0) & (a == b)) | ((func & 4 != 0) & (a > b))


@inner("boolean(int64, int64, int64)")
def stencil_passes(test: Int, face: Int, value: Int) -> Bool:
    """Whether a stencil value passes the test of a TEST_DTYPE's face (0 front, 1 back)."""
    s = test_at(test)
    mask = np.int64(s.stencil_read_mask[face])
    return is_in(np.int64(s.stencil_func[face]), np.int64(s.stencil_ref[face]) & mask, value & mask)


@inner("int64(int64, int64, int64, int64)")
def stencil_value(test: Int, face: Int, op: Int, value: Int) -> Int:
    """A stencil value after an operation.

    Keep 0, zero 1, replace 2, increment 3, decrement 4, invert 5, wrapping increment 6 and decrement 7.
    """
    s = test_at(test)
    new = value
    if op == 1:
        new = 0
    elif op == 2:
        new = np.int64(s.stencil_ref[face])
    elif op == 3:
        new = min(value + 1, 255)
    elif op == 4:
        new = max(value - 1, 0)
    elif op == 5:
        new = ~value & 255
    elif op == 6:
        new = (value + 1) & 255
    elif op == 7:
        new = (value - 1) & 255
    mask = np.int64(s.stencil_write_mask[face])
    return (value & ~mask) | (new & mask)


@inner("int64(int64, uint32[::1], uint32[:, ::1], int64, int64, int64)")
def _test_depth(test: Int, depth: Array, plane: Array, x: Int, y: Int, mask: Int) -> Int:
    """Depth test of a quad, whose first fragment lies at (x, y); which passed."""
    s = test_at(test)
    func = np.int64(s.depth_func)
    on_less, on_equal, on_greater = func & 1 != 0, func & 2 != 0, func & 4 != 0
    write = s.depth_write != 0
    out: Int = 0
    is_inside = (x + 1 < plane.shape[1]) & (y + 1 < plane.shape[0])
    for f in range(4):
        if is_inside or mask >> f & 1 != 0:
            # Without branches: which fragments pass is close to random where it matters.
            d = depth[f]
            old = plane[y + (f >> 1), x + (f & 1)]
            ok = (on_less & (d < old)) | (on_equal & (d == old)) | (on_greater & (d > old))
            ok &= (mask >> f & 1) != 0
            out |= np.int64(ok) << f
            plane[y + (f >> 1), x + (f & 1)] = d if ok & write else old
    return out


@inner("int64(int64, int64, int64, int64, int64, int64)")
def _test_fragment(pixels: Int, face: Int, depth: Int, x: Int, y: Int, out: Int) -> Int:
    """Stencil and depth test of a fragment; ``out`` if it passed, else 0."""
    p = pixels_at(pixels)
    s = test_at(p.test)
    stencil = carray(pointer(p.stencil), (p.stencil_height, p.stencil_width), np.uint8)
    value = np.int64(stencil[y, x])
    op = s.stencil_fail[face]
    passed = 0
    if stencil_passes(p.test, face, value):
        op = s.stencil_depth_pass[face]
        passed = out
        if s.depth_test != 0:
            plane = carray(pointer(p.plane), (p.plane_height, p.plane_width), np.uint32)
            if not is_in(np.int64(s.depth_func), depth, np.int64(plane[y, x])):
                op = s.stencil_depth_fail[face]
                passed = 0
            elif s.depth_write != 0:
                plane[y, x] = np.uint32(depth)
    stencil[y, x] = np.uint8(stencil_value(p.test, face, np.int64(op), value))
    return passed


@inner("int64(int64, int64, int64)")
def _test_stencil(pixels: Int, q: Int, mask: Int) -> Int:
    """Stencil and depth test of a quad; which passed."""
    p = pixels_at(pixels)
    depth = carray(pointer(p.depth), (p.num_quads, 4), np.uint32)
    x = 2 * np.int64(carray(pointer(p.x), p.num_quads, np.uint16)[q])
    y = 2 * np.int64(carray(pointer(p.y), p.num_quads, np.uint16)[q])
    emitted = np.int64(carray(pointer(p.emitted), p.num_quads, np.uint32)[q]) - p.emitted_first
    face = np.int64(carray(pointer(p.fronts), emitted + 1, np.uint8)[emitted] == 0)
    out = 0
    for f in range(4):
        if mask >> f & 1 != 0:
            out |= _test_fragment(pixels, face, np.int64(depth[q, f]), x + (f & 1), y + (f >> 1), 1 << f)
    return out


@entry
def test_quads(address: Int) -> Int:
    """Test the fragments of a PIXELS that arrive, and update depth and stencil.

    Returns
    -------
    Number of fragments that passed.
    """
    p = pixels_at(address)
    s = test_at(p.test)
    quad_x = carray(pointer(p.x), p.num_quads, np.uint16)
    quad_y = carray(pointer(p.y), p.num_quads, np.uint16)
    mask = carray(pointer(p.mask), p.num_quads, np.uint8)
    passed = carray(pointer(p.passed), p.num_quads, np.uint8)
    depth = carray(pointer(p.depth), (p.num_quads, 4), np.uint32)
    plane = carray(pointer(p.plane), (p.plane_height, p.plane_width), np.uint32)
    count: Int = 0
    for q in range(p.num_quads):
        m = np.int64(mask[q])
        if s.stencil_test != 0:
            m = _test_stencil(address, q, m)
        elif s.depth_test != 0:
            m = _test_depth(p.test, depth[q], plane, 2 * np.int64(quad_x[q]), 2 * np.int64(quad_y[q]), m)
        passed[q] = np.uint8(m)
        count += (m & 1) + (m >> 1 & 1) + (m >> 2 & 1) + (m >> 3)
    return count
