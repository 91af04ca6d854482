"""The depth test of lists that are out of program order: of equal depths, the one that program order leaves.

Hardware: beside each depth, the place in the tile's list of the fragment that wrote it, and whether its function passes
equal depths. Modelled: that; the proof is that of ``vro`` (docs/technique_models.md), with primitives for objects.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.units.capacity import MAX_RASTER_UNITS, MAX_SAMPLES, MAX_TILE_PIXELS
from gpumodel.units.depth import TEST_KILL, sample_loop, sample_passes, sample_signature
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.views import draw_at, quad_at, state_accessor, tile_at
from traceformat.kernels import callback, inner

__all__ = ["OWNERS", "decide_by_place"]

_SAMPLES: Final = MAX_TILE_PIXELS * MAX_SAMPLES
_LEQUAL: Final = 3
_GEQUAL: Final = 6

#: By Raster Unit: the tile, and by sample of it 2 * quad + (passes equal depths) of the fragment that wrote it, -1 =
#: none. Quads of a tile are numbered in program order.
OWNERS: Final = np.dtype(
    [("tile", np.int64, (MAX_RASTER_UNITS,)), ("owner", np.int64, (MAX_RASTER_UNITS * _SAMPLES,))], align=True
)
_own: Final = state_accessor(OWNERS)


@inner(sample_signature(from_dtype(OWNERS)))
def _test(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Test a sample, with update of its owner."""
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    at = ru.number * _SAMPLES + sample
    held = np.int64(own.owner[at])
    if held >> 1 > quad and depth == np.int64(ru.depth[sample]):
        passed = 1 - (held & 1)
    else:
        passed = sample_passes(s, ru, d, q.back, sample, depth, stage)
    if passed and stage != TEST_KILL and d.depth_write:
        own.owner[at] = 2 * quad + (1 if d.func == _LEQUAL or d.func == _GEQUAL else 0)
    return passed


_test_quad: Final = sample_loop(from_dtype(OWNERS), _test)


@callback(PLUG_SIGNATURE)
def decide_by_place(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test``: test the fragments of ``mask`` with owners; gives those that pass."""
    own = _own(address)
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    tile = np.int64(quad_at(g.quads, quad).tile)
    if own.tile[raster_unit] != tile:
        own.tile[raster_unit] = tile
        first = raster_unit * _SAMPLES
        for sample in range(first, first + g.samples * s.cfg.tile_width * np.int64(tile_at(g.tiles, tile).height)):
            own.owner[sample] = -1
    return _test_quad(s, own, ru, quad, mask, stage)
