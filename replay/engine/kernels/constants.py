"""Constant areas from packed uniforms, those of all draws of a batch in one call."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import carray

from replay.engine.kernels.access import constants_at, gather_at
from replay.engine.kernels.records import AREA_OFFSET, CONSTANTS
from replay.kernels import Int, inner
from traceformat.native.access import pointer

__all__ = ["make_areas"]

_ROW_BYTES: Final = CONSTANTS.size


@inner("void(int64, int64)")
def make_areas(rows: Int, count: Int) -> None:
    """Make the areas of CONSTANTS rows."""
    for k in range(count):
        c = constants_at(rows + k * _ROW_BYTES)
        g = gather_at(c.gather)
        carray(pointer(c.table), 1, np.int64)[0] = c.table + AREA_OFFSET
        area = carray(pointer(c.table + AREA_OFFSET), g.size, np.uint32)
        for word in range(g.size):
            area[word] = np.uint32(0)
        # Where there are no words there is no array either.
        if g.count > 0:
            packed = carray(pointer(c.packed), c.packed_words, np.uint32)
            places = carray(pointer(g.area), g.count, np.int64)
            sources = carray(pointer(g.source), g.count, np.int64)
            for word in range(g.count):
                area[places[word]] = packed[sources[word]]
