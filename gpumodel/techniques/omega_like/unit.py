"""Where last frame's depths are heeded and written: the test that leaves out, and a tile's end.

Modelled: the comparison is within Early-Z's latency (ASSUMED); when a tile ends its lines are written, one a cycle,
before its flush begins.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.techniques.depth_lines.unit import LINES
from gpumodel.units.cache import BLOCKED, l1_write
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.depth import sample_loop, sample_passes, sample_signature
from gpumodel.units.events import wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import byte_at, draw_at, int_at, state_accessor
from traceformat.kernels import callback, inner

__all__ = ["FIELDS", "decide", "end_tile"]

_I: Final = np.int64
#: Behind those of the unit that fetches: tile t has ``tile_lines`` lines from ``base`` + that * ``number``[t] on, which
#: are written where the pass ``stores``. By Raster Unit: the tile that ends, and how many lines are written.
#: ``hidden``: what of each quad is left out.
FIELDS: Final = (
    ("stores", _I), ("base", _I), ("tile_lines", _I), ("number", STREAM), ("hidden", STREAM),
    ("ending", _I, (MAX_RASTER_UNITS,)), ("written", _I, (MAX_RASTER_UNITS,)),
)  # fmt: skip
_OMEGA: Final = np.dtype([*((name, kind[0]) for name, kind in (LINES.fields or {}).items()), *FIELDS], align=True)
_own: Final = state_accessor(_OMEGA)
_OMEGA_T: Final = from_dtype(_OMEGA)


@callback(PLUG_SIGNATURE)
def end_tile(s: Record, address: Int, raster_unit: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_flush``: write the tile's depths first."""
    own = _own(address)
    if own.stores == 0:
        return 1
    if own.ending[raster_unit] != tile:
        own.ending[raster_unit] = tile
        own.written[raster_unit] = 0
    if own.written[raster_unit] >= own.tile_lines:
        return 1
    c = s.l1[own.cache]
    c.who = s.cost_technique
    line = own.base + own.tile_lines * int_at(own.number, tile) + own.written[raster_unit]
    if l1_write(s, c, line) != BLOCKED:
        own.line_writes += 1
        own.written[raster_unit] += 1
    wake_at(s, s.ru[raster_unit].u_tiles, s.now + 1)
    return -1


@inner(sample_signature(_OMEGA_T))
def _test(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Test a sample as the baseline does."""
    return sample_passes(s, ru, draw_at(s.frame[ru.frame].draws, q.draw), q.back, sample, depth, stage)


_test_quad: Final = sample_loop(_OMEGA_T, _test)


@callback(PLUG_SIGNATURE)
def decide(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test``: the baseline's test of what is not left out."""
    own = _own(address)
    ru = s.ru[raster_unit]
    if own.hidden.count:
        mask &= ~byte_at(own.hidden, quad)
    return _test_quad(s, own, ru, quad, mask, stage)
