"""Tile Scheduler and Tile Fetcher, the simple design.

Hardware: takes the tiles in order; for each, reads its list from the Parameter Buffer through the Tile Cache and hands
the primitives to the Raster Unit's Tile Queue; when the tile is rendered, hands its Colour Buffer to the flush.
Modelled: one primitive in flight: its pointer, then its attributes, one request at a time (an attribute that crosses a
line is two); tile i+1 is not fetched before tile i is rendered. The length of each list is known (the Polygon List
Builder's table of list tails); a new block of a list is found through the link of the one before, a request of its
own. Gates of techniques decide per tile about rendering and flushing.
Left out: the thesis's pipelined design (a unit of its own).
Source: VRO §4.1; thesis §4.1.2 (the old design) and Fig. 4.4; tile order scanline, thesis §4.1.2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.units.cache import BLOCKED, MISS, fill_due, l1_fill, l1_read
from gpumodel.units.depth import begin_tile, keep_tile, stamp_queue
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE, account, notify
from gpumodel.units.flush import start_flush, start_load
from gpumodel.units.kernels import Int, Record, kernel
from gpumodel.units.memory import writes_pending
from gpumodel.units.state import L1_TILE
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import pair_at, tile_at

__all__ = ["tick_tile_fetcher"]

_START: Final = 0
_LOAD: Final = 1
_BEGIN: Final = 2
_LINK: Final = 3
_POINTER: Final = 4
_ATTRIBUTE: Final = 5
_PUSH: Final = 6
_FINISH: Final = 7
_END: Final = 8

_TILE_QUEUE: Final = 0
_TILE_RING: Final = 63


@kernel(types.int64(SYSTEM_T, types.int64))
def _geometry_ended(s: Record, frame: Int) -> Int:
    """Tell whether every primitive of the pass is in the Parameter Buffer."""
    g = s.frame[frame]
    return (
        1
        if g.draws_ready >= g.draw_end
        and g.row >= g.row_end
        and g.vertices_taken == g.vertices_fetched
        and g.primitive >= g.primitive_end
        and g.triangle_count == 0
        and g.binning < 0
        else 0
    )


@kernel(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def _request(s: Record, frame: Int, line: Int, following: Int) -> Int:
    """Ask the Tile Cache for a line and go to the next step; 0 when the cache cannot take the request."""
    g = s.frame[frame]
    c = s.l1[L1_TILE]
    found = l1_read(s, c, line, 1)
    if found == BLOCKED:
        return 0
    g.fetch_requests += 1
    if found == MISS:
        g.fetch_missing = 1
    g.fetch_ready = s.now + c.latency
    g.fetch_state = following
    return 1


@kernel(types.void(SYSTEM_T, types.int64))
def _next_pair(s: Record, frame: Int) -> None:
    """Go to the next entry of the tile's list, or to the tile's end."""
    g = s.frame[frame]
    t = tile_at(g.tiles, g.tile)
    if g.fetch_pair >= t.pair_first + t.pair_count:
        g.fetch_state = _FINISH
        return
    g.fetch_attribute = 0
    g.fetch_part = 0
    g.fetch_since = s.now
    g.fetch_state = _LINK if pair_at(g.pairs, g.fetch_pair).link_line >= 0 else _POINTER


@kernel(types.int64(SYSTEM_T, types.int64))
def _step(s: Record, frame: Int) -> Int:
    """Do what the state asks for; gives the unit's state, or -1 when another step can follow in this cycle."""
    g = s.frame[frame]
    state = g.fetch_state
    if state == _START:
        if g.tile >= g.tile_end:
            g.fetch_state = _END
            return -1
        t = tile_at(g.tiles, g.tile)
        if not t.render:
            g.tiles_skipped += 1
            g.tile += 1
            return BUSY
        ru = s.ru[t.unit]
        ru.frame = frame
        ru.tile = g.tile
        t.start = s.now
        begin_tile(s, g, ru, g.tile)
        g.fetch_pair = t.pair_first
        if start_load(s, t.unit, g.tile):
            notify(s, g.u_fetch_tiles, ru.u_flush)
            g.fetch_state = _LOAD
        else:
            g.fetch_state = _BEGIN
        return -1
    if state == _LOAD:
        if s.ru[tile_at(g.tiles, g.tile).unit].loading:
            return DATA
        g.fetch_state = _BEGIN
        return -1
    if state == _BEGIN:
        _next_pair(s, frame)
        return -1
    if state == _LINK:
        return BUSY if _request(s, frame, pair_at(g.pairs, g.fetch_pair).link_line, _POINTER) else RESOURCE
    if state == _POINTER:
        following = _ATTRIBUTE if pair_at(g.pairs, g.fetch_pair).attributes > 0 else _PUSH
        return BUSY if _request(s, frame, pair_at(g.pairs, g.fetch_pair).pointer_line, following) else RESOURCE
    if state == _ATTRIBUTE:
        start = pair_at(g.pairs, g.fetch_pair).attribute_address + g.fetch_attribute * ATTRIBUTE_BYTES
        line = (start >> 6) + g.fetch_part
        crosses = line < (start + ATTRIBUTE_BYTES - 1) >> 6
        last = not crosses and g.fetch_attribute + 1 >= pair_at(g.pairs, g.fetch_pair).attributes
        if _request(s, frame, line, _PUSH if last else _ATTRIBUTE) == 0:
            return RESOURCE
        if crosses:
            g.fetch_part += 1
        else:
            g.fetch_part = 0
            g.fetch_attribute += 1
            g.attributes_fetched += 1
        return BUSY
    if state == _PUSH:
        ru = s.ru[tile_at(g.tiles, g.tile).unit]
        entries = pair_at(g.pairs, g.fetch_pair).entries
        if ru.pair_used + entries > ru.pair_depth:
            return QUEUE
        stamp_queue(s, ru, _TILE_QUEUE, ru.pair_used)
        ru.pair[(ru.pair_head + ru.pair_count) & _TILE_RING] = g.fetch_pair
        ru.pair_count += 1
        ru.pair_used += entries
        g.fetch_cycles += s.now - g.fetch_since
        g.fetch_primitives += 1
        g.fetch_pair += 1
        notify(s, g.u_fetch_tiles, ru.u_raster)
        _next_pair(s, frame)
        return -1
    if state == _FINISH:
        t = tile_at(g.tiles, g.tile)
        ru = s.ru[t.unit]
        if ru.pair_count > 0 or ru.current >= 0 or ru.live_quads > 0 or ru.flushing:
            return DEPENDENCY
        keep_tile(s, g, ru, g.tile)
        if t.flush and start_flush(s, t.unit, g.tile):
            notify(s, g.u_fetch_tiles, ru.u_flush)
        t.end = s.now
        ru.tile = -1
        ru.tiles += 1
        g.tiles_rendered += 1
        g.tile += 1
        g.fetch_state = _START
        return BUSY
    # _END: the pass is over when everything is in memory.
    for k in range(s.cfg.raster_units):
        if s.ru[k].flushing:
            return DEPENDENCY
    if writes_pending(s):
        return DEPENDENCY
    s.done |= 1 << frame
    return IDLE


@kernel(types.int64(SYSTEM_T, types.int64))
def tick_tile_fetcher(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    c = s.l1[L1_TILE]
    me = g.u_fetch_tiles
    if fill_due(s, c) and l1_fill(s, c):
        g.fetch_missing = 0
    if g.phase == 0:
        if _geometry_ended(s, frame) == 0:
            account(s, me, IDLE)
            return NEVER
        g.phase = 1
        g.raster_start = s.now
    if g.fetch_missing:
        account(s, me, DATA)
        return np.int64(c.fill_time[c.fill_head]) if c.fill_count else NEVER
    if s.now < g.fetch_ready:
        account(s, me, BUSY)
        return np.int64(g.fetch_ready)
    result = -1
    while result < 0:
        result = _step(s, frame)
    account(s, me, result)
    return s.now + 1 if result == BUSY else NEVER
