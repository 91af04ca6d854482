"""Stencil and depth test: quads in primitive order against depth and stencil storage.

The quads are walked in order, so that the fragments of a pixel meet it in primitive order. Usual states have machine
code of their own (:mod:`replay.engine.merge_code`), of which this is the plain twin; it does what there is none for.
"""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.access import pixels_at, test_at
from replay.kernels import Array, Bool, Int, entry, inner
from traceformat.native.access import array_at

__all__ = ["is_in", "stencil_passes", "stencil_value", "test_quads"]


@inner("boolean(int64, int64, int64)")
def is_in(func: Int, a: Int, b: Int) -> Bool:
    """Whether a comparison holds: its code has bit 0 for less, bit 1 for equal, bit 2 for greater."""
    return ((func & 1 != 0) & (a < b)) | ((func & 2 != 0) & (a == b)) | ((func & 4 != 0) & (a > b))


@inner("boolean(int64, int64, int64)")
def stencil_passes(test_address: Int, face: Int, value: Int) -> Bool:
    """Whether a stencil value passes the test of a TEST_DTYPE's face (0 front, 1 back)."""
    test = test_at(test_address)
    mask = np.int64(test.stencil_read_mask[face])
    return is_in(np.int64(test.stencil_func[face]), np.int64(test.stencil_ref[face]) & mask, value & mask)


@inner("int64(int64, int64, int64, int64)")
def stencil_value(test_address: Int, face: Int, op: Int, value: Int) -> Int:
    """A stencil value after an operation.

    Keep 0, zero 1, replace 2, increment 3, decrement 4, invert 5, wrapping increment 6 and decrement 7.
    """
    test = test_at(test_address)
    new = value
    if op == 1:
        new = 0
    elif op == 2:
        new = np.int64(test.stencil_ref[face])
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
    mask = np.int64(test.stencil_write_mask[face])
    return (value & ~mask) | (new & mask)


@inner("int64(int64, uint32[::1], uint32[:, ::1], int64, int64, int64)")
def _test_depth(test_address: Int, depth: Array, plane: Array, x: Int, y: Int, mask: Int) -> Int:
    """Depth test of a quad, whose first fragment lies at (x, y); which passed."""
    test = test_at(test_address)
    func = np.int64(test.depth_func)
    on_less, on_equal, on_greater = func & 1 != 0, func & 2 != 0, func & 4 != 0
    write = test.depth_write != 0
    out: Int = 0
    is_inside = (x + 1 < plane.shape[1]) & (y + 1 < plane.shape[0])
    for fragment in range(4):
        if is_inside or mask >> fragment & 1 != 0:
            # Without branches: which fragments pass is close to random where it matters.
            value = depth[fragment]
            old = plane[y + (fragment >> 1), x + (fragment & 1)]
            ok = (on_less & (value < old)) | (on_equal & (value == old)) | (on_greater & (value > old))
            ok &= (mask >> fragment & 1) != 0
            out |= np.int64(ok) << fragment
            plane[y + (fragment >> 1), x + (fragment & 1)] = value if ok & write else old
    return out


@inner("int64(int64, int64, int64, int64, int64, int64)")
def _test_fragment(pixels_address: Int, face: Int, depth: Int, x: Int, y: Int, out: Int) -> Int:
    """Stencil and depth test of a fragment; ``out`` if it passed, else 0."""
    pixels = pixels_at(pixels_address)
    test = test_at(pixels.test)
    stencil = array_at(pixels.stencil, (pixels.stencil_height, pixels.stencil_width), np.uint8)
    value = np.int64(stencil[y, x])
    op = test.stencil_fail[face]
    passed = 0
    if stencil_passes(pixels.test, face, value):
        op = test.stencil_depth_pass[face]
        passed = out
        if test.depth_test != 0:
            plane = array_at(pixels.plane, (pixels.plane_height, pixels.plane_width), np.uint32)
            if not is_in(np.int64(test.depth_func), depth, np.int64(plane[y, x])):
                op = test.stencil_depth_fail[face]
                passed = 0
            elif test.depth_write != 0:
                plane[y, x] = np.uint32(depth)
    stencil[y, x] = np.uint8(stencil_value(pixels.test, face, np.int64(op), value))
    return passed


@inner("int64(int64, int64, int64)")
def _test_stencil(pixels_address: Int, quad: Int, mask: Int) -> Int:
    """Stencil and depth test of a quad; which passed."""
    pixels = pixels_at(pixels_address)
    depth = array_at(pixels.depth, (pixels.num_quads, 4), np.uint32)
    x = 2 * np.int64(array_at(pixels.x, pixels.num_quads, np.uint16)[quad])
    y = 2 * np.int64(array_at(pixels.y, pixels.num_quads, np.uint16)[quad])
    emitted = np.int64(array_at(pixels.emitted, pixels.num_quads, np.uint32)[quad]) - pixels.emitted_first
    face = np.int64(array_at(pixels.fronts, emitted + 1, np.uint8)[emitted] == 0)
    out = 0
    for fragment in range(4):
        if mask >> fragment & 1 != 0:
            out |= _test_fragment(
                pixels_address,
                face,
                np.int64(depth[quad, fragment]),
                x + (fragment & 1),
                y + (fragment >> 1),
                1 << fragment,
            )
    return out


@entry
def test_quads(address: Int) -> Int:
    """Test the fragments of a PIXELS that arrive, and update depth and stencil.

    Returns
    -------
    Number of fragments that passed.
    """
    pixels = pixels_at(address)
    test = test_at(pixels.test)
    quad_x = array_at(pixels.x, pixels.num_quads, np.uint16)
    quad_y = array_at(pixels.y, pixels.num_quads, np.uint16)
    mask = array_at(pixels.mask, pixels.num_quads, np.uint8)
    passed = array_at(pixels.passed, pixels.num_quads, np.uint8)
    depth = array_at(pixels.depth, (pixels.num_quads, 4), np.uint32)
    plane = array_at(pixels.plane, (pixels.plane_height, pixels.plane_width), np.uint32)
    count: Int = 0
    for quad in range(pixels.num_quads):
        covered = np.int64(mask[quad])
        if test.stencil_test != 0:
            covered = _test_stencil(address, quad, covered)
        elif test.depth_test != 0:
            covered = _test_depth(
                pixels.test, depth[quad], plane, 2 * np.int64(quad_x[quad]), 2 * np.int64(quad_y[quad]), covered
            )
        passed[quad] = np.uint8(covered)
        count += (covered & 1) + (covered >> 1 & 1) + (covered >> 2 & 1) + (covered >> 3)
    return count
