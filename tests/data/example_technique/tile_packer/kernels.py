"""Hook in front of the flush."""

import numpy as np

from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import wake_at
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.views import state_accessor
from tile_packer import COUNTERS
from traceformat.kernels import callback

EACH = np.int64, (MAX_RASTER_UNITS,)
PACKER = np.dtype([("pack_cycles", np.int64), ("tile", *EACH), ("until", *EACH), *counter_fields(COUNTERS)], align=True)
own_state = state_accessor(PACKER)


@callback(PLUG_SIGNATURE)
def pack(s, own, raster_unit, tile, unused, also_unused):
    p = own_state(own)
    if p.tile[raster_unit] != tile:
        p.tile[raster_unit] = tile
        p.until[raster_unit] = s.now + p.pack_cycles
        p.tiles += 1
    if s.now < p.until[raster_unit]:
        wake_at(s, s.ru[raster_unit].u_tiles, p.until[raster_unit])
        return -1  # ask again
    return 1
