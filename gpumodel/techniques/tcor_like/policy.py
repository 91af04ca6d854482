"""The victim: in the Tile Cache the line whose next tile comes last, in the L2 one that no tile reads again.

Hardware: a line of the Parameter Buffer carries the rank, in the order of rendering, of the next tile that reads it; a
tree of comparators over a set's ways finds the greatest. A rank that is over marks a dead line.
Modelled: ranks of whole tiles, known from the lists; equal ones go to the least recently used. A line is dead when its
last tile has been read to its end.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.tcor_like.counters import COUNTERS
from gpumodel.units.cache import DEAD
from gpumodel.units.counters import counter_fields
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.types import GEOMETRY_T
from gpumodel.units.views import int_at, long_at, pair_at, set_int, state_accessor
from traceformat.kernels import callback, inner

__all__ = ["TCOR", "choose"]

_I: Final = np.int64
#: Instead of a rank: no tile to come reads the line; it is none of the Parameter Buffer's.
_NEVER: Final = 1 << 30
_OTHER: Final = -1

#: Lines from ``lists`` and from ``attributes`` on, so many of each; what lies beside them from ``region`` to
#: ``region_end`` is of passes that are over. ``first`` has where the ``tiles`` that read each line begin, in the order
#: of rendering; those before ``at`` are over.
TCOR: Final = np.dtype(
    [
        ("tile_cache", _I), ("dead_lines", _I), ("region", _I), ("region_end", _I),
        ("lists", _I), ("list_lines", _I), ("attributes", _I), ("attribute_lines", _I),
        ("first", STREAM), ("tiles", STREAM), ("at", STREAM),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(TCOR)
_TCOR_T: Final = from_dtype(TCOR)


@inner(types.int64(_TCOR_T, types.int64, types.int64))
def _next_use(own: Record, line: Int, now: Int) -> Int:
    """Rank of the next tile, from ``now`` on, that reads a line."""
    k = line - own.lists
    if k < 0 or k >= own.list_lines:
        k = line - own.attributes
        if k < 0 or k >= own.attribute_lines:
            return _NEVER if own.region <= line < own.region_end else _OTHER
        k += own.list_lines
    at = int_at(own.at, k)
    end = long_at(own.first, k + 1)
    while at < end and int_at(own.tiles, at) < now:
        at += 1
    set_int(own.at, k, at)
    return int_at(own.tiles, at) if at < end else _NEVER


@inner(types.int64(GEOMETRY_T))
def _reading(g: Record) -> Int:
    """Tile whose list is read, the earliest of several."""
    if g.table_count:
        return np.int64(pair_at(g.pairs, g.table_pair[g.table_head]).tile)
    return np.int64(g.tile)


@callback(PLUG_SIGNATURE)
def choose(s: Record, address: Int, cache: Int, base: Int, ways: Int, line: Int) -> Int:
    """Hook ``victim``."""
    own = _own(address)
    g = s.frame[0]
    is_second = cache < 0
    if (is_second and own.dead_lines == 0) or (not is_second and (cache != g.tile_cache or own.tile_cache == 0)):
        return -1
    now = _reading(g)
    if not is_second and g.phase and _next_use(own, line, now) == _NEVER:
        own.dead_reads += 1
    best = -1
    farthest: Int = -2
    oldest: Int = 0
    changed: Int = 0
    for way in range(base, base + ways):
        if is_second:
            held = s.l2.tag[way]
            stamp = s.l2.stamp[way]
            dirty = np.int64(s.l2.dirty[way])
        else:
            held = s.l1[cache].tag[way]
            stamp = s.l1[cache].stamp[way]
            dirty = np.int64(s.l1[cache].dirty[way])
        if held < 0:
            return -1
        use = _next_use(own, held, now)
        if is_second and use != _NEVER:
            continue
        if use > farthest or (use == farthest and stamp < oldest):
            best = way
            farthest = use
            oldest = stamp
            changed = dirty
    if is_second:
        if best < 0:
            return -1
        own.l2_dead += 1
        own.l2_dead_unwritten += changed != 0
        return best | DEAD
    if farthest != _NEVER:
        return best
    own.dead += 1
    own.dead_unwritten += changed
    return best | DEAD
