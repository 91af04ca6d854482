"""Hash of a finished tile, and the comparison in front of its flush.

Source: RE §IV-C: hashing costs energy and no time; ``bytes_per_cycle`` above 0 charges the time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.te.counters import COUNTERS
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import byte_at, long_at, state_accessor
from traceformat.kernels import callback

__all__ = ["TILE_HASH", "hash_tile"]

_I: Final = np.int64

#: ``equal``, ``collides`` and ``num_bytes`` are by tile in rendering order.
TILE_HASH: Final = np.dtype(
    [
        ("active", _I), ("bytes_per_cycle", _I), ("equal", STREAM), ("collides", STREAM), ("num_bytes", STREAM),
        ("tile", _I, (MAX_RASTER_UNITS,)), ("until", _I, (MAX_RASTER_UNITS,)),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip

_own: Final = state_accessor(TILE_HASH)


@callback(PLUG_SIGNATURE)
def hash_tile(s: Record, address: Int, raster_unit: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_flush``: hash the tile, and leave its flush out when the back buffer has its colours."""
    own = _own(address)
    if own.active == 0:
        return 1
    size = long_at(own.num_bytes, tile)
    if own.tile[raster_unit] != tile:
        own.tile[raster_unit] = tile
        own.until[raster_unit] = s.now
        if own.bytes_per_cycle > 0:
            own.until[raster_unit] += (size + own.bytes_per_cycle - 1) // own.bytes_per_cycle
        own.tiles_hashed += 1
        own.bytes_hashed += size
        own.sub_blocks += (size + 7) // 8
    if s.now < own.until[raster_unit]:
        wake_at(s, s.ru[raster_unit].u_tiles, own.until[raster_unit])
        return -1
    if byte_at(own.equal, tile) == 0:
        return 1
    own.flushes_skipped += 1
    own.saved_bytes += size
    own.false_positives += byte_at(own.collides, tile)
    return 0
