"""Constant areas from packed uniforms, those of all draws of a batch in one call."""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.engine.kernels.access import constants_at, gather_at
from replay.engine.kernels.records import AREA_OFFSET, CONSTANTS
from replay.kernels import Int, inner
from traceformat.native.access import array_at

__all__ = ["make_areas"]

_ROW_BYTES: Final = CONSTANTS.size


@inner("void(int64, int64)")
def make_areas(rows: Int, count: Int) -> None:
    """Make the areas of CONSTANTS rows."""
    for k in range(count):
        constants = constants_at(rows + k * _ROW_BYTES)
        gather = gather_at(constants.gather)
        array_at(constants.table, 1, np.int64)[0] = constants.table + AREA_OFFSET
        area = array_at(constants.table + AREA_OFFSET, gather.size, np.uint32)
        for word in range(gather.size):
            area[word] = np.uint32(0)
        # Where there are no words there is no array either.
        if gather.count > 0:
            packed = array_at(constants.packed, constants.packed_words, np.uint32)
            places = array_at(gather.area, gather.count, np.int64)
            sources = array_at(gather.source, gather.count, np.int64)
            for word in range(gather.count):
                area[places[word]] = packed[sources[word]]
