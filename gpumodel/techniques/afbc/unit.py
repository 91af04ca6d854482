"""The coder in front of a tile's flush: how long it takes, what it writes."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.afbc.counters import COUNTERS
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import row_accessor, state_accessor
from traceformat.kernels import callback

__all__ = ["CODER", "TILE_SIZE", "code_tile"]

#: What the coder makes of a tile, and how long its writes wait for it.
TILE_SIZE: Final = np.dtype([(name, np.int64) for name in ("plain", "stored", "sub_blocks", "wait")], align=True)
#: ``sizes`` are :data:`TILE_SIZE` by tile in rendering order; ``tile`` is the last one that a Raster Unit has asked
#: for, which waits until ``until``.
CODER: Final = np.dtype(
    [
        *counter_fields(COUNTERS),
        ("active", np.int64), ("sizes", STREAM),
        *((name, np.int64, (MAX_RASTER_UNITS,)) for name in ("tile", "until")),
    ],
    align=True,
)  # fmt: skip

_own: Final = state_accessor(CODER)
_size_at: Final = row_accessor(TILE_SIZE)


@callback(PLUG_SIGNATURE)
def code_tile(s: Record, address: Int, raster_unit: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_flush``: let the tile be written once the coder is so far ahead that the writes never wait for it."""
    own = _own(address)
    if own.active == 0:
        return 1
    if own.tile[raster_unit] != tile:
        size = _size_at(own.sizes, tile)
        own.tile[raster_unit] = tile
        own.until[raster_unit] = s.now + size.wait
        own.tiles += 1
        own.plain_bytes += size.plain
        own.stored_bytes += size.stored
        own.sub_blocks += size.sub_blocks
        own.coder_cycles += size.wait
    if s.now < own.until[raster_unit]:
        wake_at(s, s.ru[raster_unit].u_tiles, own.until[raster_unit])
        return -1
    return 1
