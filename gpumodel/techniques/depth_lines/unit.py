"""The unit that fetches depths from memory: those of a primitive's blocks before it is sorted, those of a tile before
it begins.

Hardware: depths of blocks of pixels lie in memory, some dozens of them a line; a small cache in front.
Modelled: one line after the other in order, a look-up each, and the cycles of its blocks; the list builder waits for
its primitive's, the Tile Scheduler for the last primitive's and for its tile's. A unit that looks ``ahead`` goes on to
the tile behind in rendering order; where another one comes, those lines were fetched for nothing. A line that nothing
was written to may be known to be clear: it is neither read nor, when it is written first, fetched.
Source: the techniques'; cache and rates ASSUMED.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.depth_lines.counters import LINE_COUNTERS
from gpumodel.units.cache import BLOCKED, HIT, fill_due, l1_fill, l1_read, l1_write
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import byte_at, int_at, long_at, state_accessor
from traceformat.kernels import callback, inner

__all__ = ["LINES", "READS", "WRITES", "begin_tile", "sort_primitive", "tick_lines"]

_I: Final = np.int64
#: What an access does.
READS: Final = 1
WRITES: Final = 2

#: Accesses of the pass: ``lines`` with their ``kinds`` and ``cycles``; those of primitive e end at ``sorted``[e + 1],
#: those of tile t, behind them, begin at ``tiles``[t]. ``at`` is the next one, ``goal`` the end of what is wanted;
#: ``fetched`` tells that it has been read and ``waits`` that its line is on its way; ``until`` ends its comparison.
#: ``tile`` has its lines; ``ahead`` is 1 where those of the next one are fetched meanwhile, which is ``next_tile``.
LINES: Final = np.dtype(
    [
        ("unit", _I), ("cache", _I), ("active", _I), ("lines", STREAM), ("kinds", STREAM), ("cycles", STREAM),
        ("sorted", STREAM), ("tiles", STREAM), ("end", _I),
        ("at", _I), ("goal", _I), ("fetched", _I), ("waits", _I), ("until", _I), ("rendering", _I), ("tile", _I),
        ("ahead", _I), ("next_tile", _I),
        ("stalled_since", _I), ("asked_since", _I),
        *counter_fields({counter.field: counter for counter in LINE_COUNTERS}),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(LINES)
_LINES_T: Final = from_dtype(LINES)


@inner(types.int64(SYSTEM_T, _LINES_T))
def _done(s: Record, own: Record) -> Int:
    """Tell whether all that is wanted has been done."""
    return 1 if own.at >= own.goal and s.now >= own.until else 0


@callback(PLUG_SIGNATURE)
def sort_primitive(s: Record, address: Int, frame: Int, row: Int, attribute: Int, tile: Int) -> Int:
    """Hook ``bin``: a primitive is sorted when it has been compared; 0 stalls the list builder."""
    own = _own(address)
    if own.active == 0:
        return 1
    goal = long_at(own.sorted, row + 1)
    if own.goal < goal:
        own.goal = goal
        notify(s, s.frame[frame].u_binner, own.unit)
    if _done(s, own) == 0:
        if own.stalled_since < 0:
            own.stalled_since = s.now
        return 0
    if own.stalled_since >= 0:
        own.binning_wait_cycles += s.now - own.stalled_since
        own.stalled_since = -1
    return 1


@inner(types.void(SYSTEM_T, _LINES_T, types.int64, types.int64))
def _fetch(s: Record, own: Record, me: Int, tile: Int) -> None:
    """Want a tile's lines."""
    own.next_tile = tile
    own.at = long_at(own.tiles, tile)
    own.goal = long_at(own.tiles, tile + 1)
    if own.at < own.goal:
        notify(s, me, own.unit)


@callback(PLUG_SIGNATURE)
def begin_tile(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: wait for the last primitive, then for the tile's final depths."""
    own = _own(address)
    if own.active == 0:
        return 1
    g = s.frame[frame]
    if own.rendering == 0 and own.goal < own.end:
        # Primitives that lie in no list any more.
        own.goal = own.end
        notify(s, g.u_fetch_tiles, own.unit)
    if own.tile == tile:
        return 1
    if own.rendering and own.asked_since < 0:
        own.asked_since = s.now
    if _done(s, own) == 0:
        return -1
    if own.rendering == 0:
        # The geometry phase ends with the last comparison.
        own.rendering = 1
        own.asked_since = s.now
        g.raster_start = s.now
    if own.next_tile != tile:
        _fetch(s, own, g.u_fetch_tiles, tile)
        if _done(s, own) == 0:
            return -1
    own.tile = tile
    own.tile_wait_cycles += s.now - own.asked_since
    own.asked_since = -1
    if own.ahead and tile + 2 < own.tiles.count:
        _fetch(s, own, g.u_fetch_tiles, tile + 1)
    return 1


@inner(types.int64(SYSTEM_T, _LINES_T))
def _access(s: Record, own: Record) -> Int:
    """Make the next access; gives the unit's state: BUSY when it is made."""
    c = s.l1[own.cache]
    c.who = s.cost_technique
    kind = byte_at(own.kinds, own.at)
    line = long_at(own.lines, own.at)
    if kind & READS and own.fetched == 0:
        found = l1_read(s, c, line, 1)
        if found == BLOCKED:
            return RESOURCE
        own.line_reads += 1
        own.fetched = 1
        if found != HIT:
            own.waits = 1
            return DATA
    if kind & WRITES:
        if l1_write(s, c, line) == BLOCKED:
            return RESOURCE
        own.line_writes += 1
    if kind == 0:
        own.clear_lines += 1
    own.fetched = 0
    own.until = s.now + max(int_at(own.cycles, own.at), 1)
    own.at += 1
    return BUSY


@callback(PLUG_SIGNATURE)
def tick_lines(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = _own(address)
    c = s.l1[own.cache]
    if fill_due(s, c) and l1_fill(s, c):
        own.waits = 0
    if own.active == 0 or (own.at >= own.goal and s.now >= own.until):
        if own.active:
            notify(s, me, s.frame[0].u_binner)
            notify(s, me, s.frame[0].u_fetch_tiles)
        account(s, me, IDLE)
        return NEVER
    if own.waits:
        account(s, me, DATA)
        # Told of room in the queue before its line has come, it waits on; a write-back without room is tried again.
        return np.int64(max(c.fill_time[c.fill_head], s.now + 1)) if c.fill_count else NEVER
    if s.now < own.until:
        account(s, me, BUSY)
        return np.int64(own.until)
    state = _access(s, own)
    account(s, me, state)
    if state == DATA:
        return NEVER
    return np.int64(own.until) if state == BUSY else s.now + 1
