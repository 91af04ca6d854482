"""Who takes which tile: super-tiles from the hot end for the first half of the Raster Units, from the cold one for the
others.

Hardware: a list of super-tiles, two pointers into it, and the place of each Raster Unit in its super-tile.
Modelled: of the units with room the one with the shortest Tile Queue takes the next tile, of several the one after the
unit that had the last, as ``ptr.assignment`` = mixed has it (a queue that is full holds the fetcher up). One that finds
no super-tile left takes the last tile of the unit that has most of its own to come, so that none is idle at the end
(ASSUMED).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.libra_like.counters import COUNTERS
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.tile_fetch import PICKED_UNIT
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import int_at, state_accessor
from traceformat.kernels import callback, inner

__all__ = ["LIBRA", "pick"]

_I: Final = np.int64
#: ``tiles`` of super-tile k, hottest first, begin at ``first``[k]; those from ``hot`` to before ``cold`` are not begun.
#: ``at`` and ``end`` are the tiles that a Raster Unit has still to take of its super-tile; ``until`` ends the sorting.
LIBRA: Final = np.dtype(
    [
        ("tiles", STREAM), ("first", STREAM), ("hot", _I), ("cold", _I), ("both_ends", _I),
        ("until", _I), ("asked_since", _I), ("last", _I), ("at", _I, (MAX_RASTER_UNITS,)),
        ("end", _I, (MAX_RASTER_UNITS,)),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(LIBRA)
_LIBRA_T: Final = from_dtype(LIBRA)


@inner(types.void(_LIBRA_T, types.int64, types.int64))
def _take_super_tile(own: Record, unit: Int, units: Int) -> None:
    """Give a Raster Unit without tiles the next super-tile of its end, if one is left."""
    if own.hot >= own.cold:
        return
    if own.both_ends and 2 * unit >= units:
        own.cold -= 1
        taken = own.cold
    else:
        taken = own.hot
        own.hot += 1
    own.at[unit] = int_at(own.first, taken)
    own.end[unit] = int_at(own.first, taken + 1)


@inner(types.int64(_LIBRA_T, types.int64, types.int64))
def _next_of(own: Record, unit: Int, units: Int) -> Int:
    """Place in ``tiles`` of a Raster Unit's next one; the fetcher asks once a tile, so there is one."""
    if own.at[unit] >= own.end[unit]:
        _take_super_tile(own, unit, units)
    if own.at[unit] < own.end[unit]:
        own.at[unit] += 1
        return own.at[unit] - 1
    fullest = 0
    for k in range(units):
        if own.end[k] - own.at[k] > own.end[fullest] - own.at[fullest]:
            fullest = k
    own.end[fullest] -= 1
    own.moved_tiles += 1
    return np.int64(own.end[fullest])


@inner(types.int64(SYSTEM_T, types.int64))
def _waiting(s: Record, unit: Int) -> Int:
    """Entries of a Raster Unit's Tile Queue, and those on their way there."""
    return np.int64(s.ru[unit].pair_used + s.ru[unit].pair_coming)


@callback(PLUG_SIGNATURE)
def pick(s: Record, address: Int, frame: Int, begun: Int, free: Int, unused: Int) -> Int:
    """Hook ``tile_pick``."""
    own = _own(address)
    if s.now < own.until:
        if own.asked_since < 0:
            own.asked_since = s.now
        wake_at(s, s.frame[frame].u_fetch_tiles, own.until)
        return -1
    if own.asked_since >= 0:
        own.sort_wait_cycles += s.now - own.asked_since
        own.asked_since = -1
    units = s.cfg.raster_units
    unit = own.last
    best = -1
    for _ in range(units):
        unit = unit + 1 if unit + 1 < units else 0
        if free >> unit & 1 and (best < 0 or _waiting(s, unit) < _waiting(s, best)):
            best = unit
    own.last = best
    return np.int64(int_at(own.tiles, _next_of(own, best, units)) + PICKED_UNIT * best)
