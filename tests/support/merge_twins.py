"""The kernels that test and blend, on plain arrays."""

from __future__ import annotations

import numpy as np

from replay.engine.kernels.blend import blend_quads, source_colors
from replay.engine.kernels.fragment_tests import test_quads
from replay.engine.kernels.records import PIXELS
from traceformat.native.records import address_of

NO_STENCIL = np.zeros((0, 0), np.uint8)
IDENTITY = np.tile(np.arange(256, dtype=np.uint8), (4, 1))


def _pixels(x, y, mask, plane):
    height, width = plane.shape[:2]
    return PIXELS.row(
        num_quads=len(mask), x=address_of(x), y=address_of(y), mask=address_of(mask), plane=address_of(plane),
        plane_height=height, plane_width=width,
    )  # fmt: skip


def run_tests(state, quads, depth, plane, stencil=NO_STENCIL, facing=None):
    """Depth and stencil test of ``quads`` (x, y, mask); which passed. ``facing``: emitted, its first row, fronts."""
    x, y, mask = quads
    emitted, first, fronts = (np.zeros(len(mask), np.uint32), 0, np.ones(1, np.uint8)) if facing is None else facing
    passed = np.zeros(len(mask), np.uint8)
    pixels = _pixels(x, y, mask, plane)
    pixels.test, pixels.depth, pixels.passed = address_of(state), address_of(depth), address_of(passed)
    pixels.emitted, pixels.emitted_first, pixels.fronts = address_of(emitted), first, address_of(fronts)
    pixels.stencil, (pixels.stencil_height, pixels.stencil_width) = address_of(stencil), stencil.shape
    assert test_quads.ctypes(pixels.address) == sum(int(m).bit_count() for m in passed)
    return passed


def run_blending(state, quads, outputs, plane, rows=(0, 1, 2, 3), table=IDENTITY):
    """Blend a stage's ``outputs`` (rows, lanes) into a plane."""
    x, y, mask = quads
    pixels = _pixels(x, y, mask, plane)
    rows = np.array(rows, np.int64)
    pixels.blend, pixels.requantize, pixels.rows = address_of(state), address_of(table), address_of(rows)
    pixels.outputs, pixels.output_stride = address_of(outputs), outputs.strides[0]
    blend_quads.ctypes(pixels.address)


def colors_of(state, outputs, rows=(0, 1, 2, 3), color_bytes=0):
    """Colours of all lanes of a stage's outputs as blending takes them: (lanes, bytes) uint8."""
    lanes = outputs.shape[1]
    octets = np.zeros((lanes, color_bytes or (16 if state[0]["store"] else 4)), np.uint8)
    rows = np.array(rows, np.int64)
    pixels = PIXELS.row(num_quads=lanes // 4, blend=address_of(state), plane=address_of(octets), rows=address_of(rows))
    pixels.color_bytes = octets.shape[1]
    pixels.outputs, pixels.output_stride = address_of(outputs), outputs.strides[0]
    source_colors.ctypes(pixels.address)
    return octets
