"""Numba types of the machine's records and streams, for explicit signatures."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype, types

from gpumodel.units import state

__all__ = [
    "CLEARS",
    "CLEAR_T",
    "DRAW_T",
    "EMITTEDS",
    "EMITTED_T",
    "GEOMETRY_T",
    "INT32S",
    "INT64S",
    "L1_T",
    "PAIRS",
    "PAIR_T",
    "PROCESSOR_T",
    "QUADS",
    "QUAD_T",
    "RASTER_UNIT_T",
    "SEGMENTS",
    "SYSTEM_T",
    "TILES",
    "TILE_T",
    "UINT8S",
    "UINT32S",
    "VERTICES",
    "WALK_T",
]


def _array(dtype: Any) -> Any:
    return types.Array(from_dtype(np.dtype(dtype)), 1, "C")


SYSTEM_T: Final = from_dtype(state.SYSTEM)
GEOMETRY_T: Final = from_dtype(state.GEOMETRY)
RASTER_UNIT_T: Final = from_dtype(state.RASTER_UNIT)
PROCESSOR_T: Final = from_dtype(state.PROCESSOR)
L1_T: Final = from_dtype(state.L1)
CLEAR_T: Final = from_dtype(state.CLEAR)
EMITTED_T: Final = from_dtype(state.EMITTED)
WALK_T: Final = from_dtype(state.WALK)
DRAW_T: Final = from_dtype(state.DRAW)
QUAD_T: Final = from_dtype(state.QUAD)
PAIR_T: Final = from_dtype(state.PAIR)
TILE_T: Final = from_dtype(state.TILE)

CLEARS: Final = _array(state.CLEAR)
VERTICES: Final = _array(state.VERTEX)
EMITTEDS: Final = _array(state.EMITTED)
PAIRS: Final = _array(state.PAIR)
QUADS: Final = _array(state.QUAD)
SEGMENTS: Final = _array(state.SEGMENT)
TILES: Final = _array(state.TILE)
UINT8S: Final = _array(np.uint8)
UINT32S: Final = _array(np.uint32)
INT32S: Final = _array(np.int32)
INT64S: Final = _array(np.int64)
