"""Tile Scheduler, and the simple Tile Fetcher.

Hardware: takes the tiles in order; for each, reads its list from the Parameter Buffer through the Tile Cache and hands
the primitives to the Raster Unit's Tile Queue.
Modelled: one primitive in flight: its pointer, then its attributes, one request at a time (an attribute that crosses a
line is two). Tile i+1 is not fetched before tile i is rendered, nor before the buffers that it needs have left, unless
tiles are pipelined (:mod:`.tiles`). The length of each list is known (the Polygon List Builder's table of list tails);
a new block of a list is found through the link of the one before, a request of its own. With several Raster Units one
tile is fetched at a time, for the unit that the assignment says, or a technique; a full Tile Queue blocks the fetcher.
Gates of techniques decide per tile about rendering and flushing.
Left out: nothing; the thesis's pipelined design is :mod:`.tile_fetch_pipelined`.
Source: VRO §4.1; thesis §4.1.2 (the old design), Fig. 4.4, and §5.1 (assignment).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.units.cache import BLOCKED, MISS, fill_due, l1_fill, l1_read
from gpumodel.units.capacity import BINNED_AHEAD, MAX_TABLE_ENTRIES, TILE_QUEUE_RING, TILES_IN_RASTER_UNIT
from gpumodel.units.cost_owners import pair_row
from gpumodel.units.costs import cost_at
from gpumodel.units.depth import stamp_queue
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE, account, notify, wake_at
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.memory import writes_pending
from gpumodel.units.plug import call_plug
from gpumodel.units.state import KEPT
from gpumodel.units.tiles import dispatch_tile, end_tile, may_end, may_test, rasterize_tile, test_tile
from gpumodel.units.types import RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import pair_at, tile_at

__all__ = [
    "ASSIGN_DYNAMIC",
    "ASSIGN_FRAME",
    "ASSIGN_MIXED",
    "ASSIGN_STATIC",
    "BESIDE_SLOT",
    "PICKED_UNIT",
    "RASTER_DONE",
    "RASTER_IN",
    "RASTER_WAITS",
    "begin_raster",
    "end_raster",
    "look_ahead",
    "next_tile",
    "push_pair",
    "raster_ended",
    "tick_tile_fetcher",
]

#: Assignment of tiles to Raster Units: in turn; the shortest Tile Queue, the first of several; the same, the one after
#: the unit chosen last. Frames that are rendered in parallel have a unit each.
ASSIGN_STATIC: Final = 0
ASSIGN_DYNAMIC: Final = 1
ASSIGN_MIXED: Final = 2
ASSIGN_FRAME: Final = 3

#: What hook ``tile_pick`` multiplies the Raster Unit by that it answers with a tile.
PICKED_UNIT: Final = 1 << 32

#: First waiter of a technique's unit that shares the Tile Cache's port, which it has before the fetcher: behind those
#: of the Primitive Table's entries and of a list block's link.
BESIDE_SLOT: Final = MAX_TABLE_ENTRIES + 1

#: What :func:`next_tile` finds: a tile, none yet (or one was passed over), or no more.
RASTER_IN: Final = 1
RASTER_WAITS: Final = 0
RASTER_DONE: Final = -1

_START: Final = 0
_LOAD: Final = 1
_TEST: Final = 2
_LINK: Final = 3
_POINTER: Final = 4
_ATTRIBUTE: Final = 5
_PUSH: Final = 6
_FINISH: Final = 7
_END: Final = 8

_TILE_QUEUE: Final = 0
_TILE_RING: Final = TILE_QUEUE_RING - 1


@inner(types.int64(SYSTEM_T, types.int64))
def begin_raster(s: Record, frame: Int) -> Int:
    """Begin the raster phase when every primitive of the pass is in the Parameter Buffer; 1 in that phase.

    A frame that is held is done with that.
    """
    g = s.frame[frame]
    if g.phase == 0:
        if (
            g.draws_ready < g.draw_end
            or g.row < g.row_end
            or g.vertices_taken != g.vertices_fetched
            or g.primitive < g.primitive_end
            or g.triangle_count > 0
            or g.binning >= 0
        ):
            return 0
        g.phase = 1
        g.raster_start = s.now
        if g.held:
            s.done |= 1 << frame
    return 0 if g.held else 1


@inner(types.void(SYSTEM_T))
def look_ahead(s: Record) -> None:
    """Notice when the pass that is sorted into tiles beside the raster phase of the one before is in its buffer."""
    if s.cfg.bins_ahead:
        begin_raster(s, BINNED_AHEAD)


@inner(types.void(SYSTEM_T, types.int64))
def end_raster(s: Record, frame: Int) -> None:
    """End a frame's pass."""
    if s.done >> frame & 1 == 0:
        s.frame[frame].raster_end = s.now
    s.done |= 1 << frame


@inner(types.int64(SYSTEM_T, types.int64))
def raster_ended(s: Record, frame: Int) -> Int:
    """Tell whether everything is in memory, and nothing beside the fetcher is in the middle of a tile."""
    if s.frame[frame].beside_works:
        return 0
    for k in range(s.cfg.raster_units):
        ru = s.ru[k]
        if ru.frame == frame and (ru.order_count > 0 or ru.flushing or ru.flush_pending >= 0):
            return 0
    return 0 if writes_pending(s) else 1


@inner(types.int64(SYSTEM_T, types.int64))
def _assign(s: Record, frame: Int) -> Int:
    """Raster Unit of the next tile; -1 while those that may have it can take none."""
    last = s.frame[frame].last_raster_unit
    count = s.cfg.raster_units
    room = TILES_IN_RASTER_UNIT if s.cfg.pipelined_tiles else 1
    after = last + 1 if last + 1 < count else 0
    if s.cfg.assignment == ASSIGN_FRAME:
        return frame if s.ru[frame].order_count < room else -1
    if s.cfg.assignment == ASSIGN_STATIC:
        return after if s.ru[after].order_count < room else -1
    best = -1
    shortest = NEVER
    for step in range(count):
        k = step
        if s.cfg.assignment == ASSIGN_MIXED:
            k = after + step if after + step < count else after + step - count
        # Entries of the Tile Queue, and those on their way there in the Primitive Table.
        waiting = s.ru[k].pair_used + s.ru[k].pair_coming
        if s.ru[k].order_count < room and waiting < shortest:
            best = k
            shortest = waiting
    return best


@inner(types.int64(SYSTEM_T, types.int64))
def _room(s: Record, frame: Int) -> Int:
    """Raster Units that can take a tile of a frame, as bits."""
    room = TILES_IN_RASTER_UNIT if s.cfg.pipelined_tiles else 1
    free: Int = np.int64(0)
    for k in range(s.cfg.raster_units):
        own = s.cfg.assignment != ASSIGN_FRAME or k == frame
        free |= (own and s.ru[k].order_count < room) << k
    return free


@inner(types.int64(SYSTEM_T, types.int64))
def _pick(s: Record, frame: Int) -> Int:
    """Ask a technique for the next tile and its Raster Unit; 0 while there is none.

    What is no tile that waits, and no unit with room, is none.
    """
    g = s.frame[frame]
    free = _room(s, frame)
    answer = call_plug(s, s.plugs.tile_pick, frame, g.tiles_begun, free, 0) if free else -1
    if answer < 0:
        return 0
    tile = answer % PICKED_UNIT
    unit = answer // PICKED_UNIT
    if tile >= g.tile_end or unit >= s.cfg.raster_units or free >> unit & 1 == 0:
        return 0
    t = tile_at(g.tiles, tile)
    if t.start >= 0 or t.outcome:
        return 0
    g.tile = tile
    g.picked_unit = 1 + unit
    return 1


@inner(types.int64(SYSTEM_T, types.int64, types.int64))
def next_tile(s: Record, frame: Int, me: Int) -> Int:
    """Hand the next tile to its Raster Unit: RASTER_IN, RASTER_WAITS (``tile_passed``: one left out), RASTER_DONE."""
    g = s.frame[frame]
    g.tile_passed = 0
    if g.tiles_begun >= g.tile_end:
        return RASTER_DONE
    if s.plugs.tile_pick.function and g.picked_unit == 0 and _pick(s, frame) == 0:
        return RASTER_WAITS
    t = tile_at(g.tiles, g.tile)
    render = np.int64(t.render)
    if render and s.plugs.tile_render.function:
        answer = call_plug(s, s.plugs.tile_render, frame, g.tile, 0, 0)
        if answer < 0:
            return RASTER_WAITS
        render &= answer
        t.render = render
    if render == 0:
        t.outcome = KEPT
        g.tiles_skipped += 1
        g.tile += 1
        g.tiles_begun += 1
        g.picked_unit = 0
        g.tile_passed = 1
        return RASTER_WAITS
    raster_unit = g.picked_unit - 1 if g.picked_unit else _assign(s, frame)
    if raster_unit < 0:
        return RASTER_WAITS
    g.tiles_begun += 1
    g.picked_unit = 0
    g.last_raster_unit = raster_unit
    dispatch_tile(s, frame, s.ru[raster_unit], g.tile, me)
    return RASTER_IN


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64, types.int64, types.int64))
def push_pair(s: Record, ru: Record, pair: Int, since: Int, me: Int) -> Int:
    """Hand a primitive to a Raster Unit; 0 when its Tile Queue has no room."""
    g = s.frame[ru.frame]
    entries = pair_at(g.pairs, pair).entries
    if ru.pair_used + entries > ru.pair_depth:
        return 0
    stamp_queue(s, ru, _TILE_QUEUE, ru.pair_used)
    ru.pair[(ru.pair_head + ru.pair_count) & _TILE_RING] = pair
    ru.pair_count += 1
    ru.pair_used += entries
    g.fetch_cycles += s.now - since
    g.fetch_primitives += 1
    if s.costs.count:
        cost_at(s.costs, pair_row(g, pair)).fetch_cycles += s.now - since
    notify(s, me, ru.u_raster)
    return 1


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def _request(s: Record, frame: Int, line: Int, following: Int) -> Int:
    """Ask the Tile Cache for a line and go to the next step; 0 when the cache cannot take the request."""
    g = s.frame[frame]
    c = s.l1[g.tile_cache]
    if g.beside_port == s.now:
        wake_at(s, g.u_fetch_tiles, s.now + 1)
        return 0
    if s.costs.count:
        c.who = pair_row(g, g.fetch_pair)
    found = l1_read(s, c, line, 1)
    if found == BLOCKED:
        return 0
    g.fetch_requests += 1
    if found == MISS:
        g.fetch_missing = 1
    g.fetch_ready = s.now + c.latency
    g.fetch_state = following
    return 1


@inner(types.void(SYSTEM_T, types.int64))
def _next_pair(s: Record, frame: Int) -> None:
    """Go to the next entry of the tile's list, or to the tile's end."""
    g = s.frame[frame]
    t = tile_at(g.tiles, g.tile)
    if g.fetch_pair >= t.pair_first + t.pair_count:
        g.fetch_state = _FINISH
        return
    g.fetch_attribute = 0
    g.fetch_attribute_line = 0
    g.fetch_since = s.now
    g.fetch_state = _LINK if pair_at(g.pairs, g.fetch_pair).link_line >= 0 else _POINTER


@inner(types.int64(SYSTEM_T, types.int64))
def _step(s: Record, frame: Int) -> Int:
    """Do what the state asks for; gives the unit's state, or -1 when another step can follow in this cycle."""
    g = s.frame[frame]
    me = g.u_fetch_tiles
    state = g.fetch_state
    if state == _START:
        found = next_tile(s, frame, me)
        if found == RASTER_DONE:
            g.fetch_state = _END
            return -1
        if found == RASTER_WAITS:
            return BUSY if g.tile_passed else DEPENDENCY
        ru = s.ru[tile_at(g.tiles, g.tile).raster_unit]
        g.fetch_pair = tile_at(g.tiles, g.tile).pair_first
        if ru.u_tiles == me:
            g.fetch_state = _TEST
        else:
            _next_pair(s, frame)
        return -1
    if state == _TEST:
        ru = s.ru[tile_at(g.tiles, g.tile).raster_unit]
        # The Depth Buffer may be on its way to memory; the end of the flush wakes this unit.
        if may_test(s, ru) == 0:
            return DEPENDENCY
        rasterize_tile(ru)
        if test_tile(s, ru, me):
            g.fetch_state = _LOAD
        else:
            _next_pair(s, frame)
        return -1
    if state == _LOAD:
        if s.ru[tile_at(g.tiles, g.tile).raster_unit].loading:
            return DATA
        _next_pair(s, frame)
        return -1
    if state == _LINK:
        return BUSY if _request(s, frame, pair_at(g.pairs, g.fetch_pair).link_line, _POINTER) else RESOURCE
    if state == _POINTER:
        pair = pair_at(g.pairs, g.fetch_pair)
        following = _ATTRIBUTE if pair.attributes > 0 else _PUSH
        return BUSY if _request(s, frame, pair.pointer_line, following) else RESOURCE
    if state == _ATTRIBUTE:
        pair = pair_at(g.pairs, g.fetch_pair)
        start = pair.attribute_address + g.fetch_attribute * ATTRIBUTE_BYTES
        line = (start >> 6) + g.fetch_attribute_line
        crosses = line < (start + ATTRIBUTE_BYTES - 1) >> 6
        last = not crosses and g.fetch_attribute + 1 >= pair.attributes
        if _request(s, frame, line, _PUSH if last else _ATTRIBUTE) == 0:
            return RESOURCE
        if crosses:
            g.fetch_attribute_line += 1
        else:
            g.fetch_attribute_line = 0
            g.fetch_attribute += 1
            g.attributes_fetched += 1
        return BUSY
    if state == _PUSH:
        if push_pair(s, s.ru[tile_at(g.tiles, g.tile).raster_unit], g.fetch_pair, g.fetch_since, me) == 0:
            return QUEUE
        g.fetch_pair += 1
        _next_pair(s, frame)
        return -1
    if state == _FINISH:
        ru = s.ru[tile_at(g.tiles, g.tile).raster_unit]
        if ru.u_tiles == me and (may_end(s, ru) == 0 or end_tile(s, ru, me) == 0):
            return DEPENDENCY
        g.tile += 1
        g.fetch_state = _START
        return BUSY
    # What another frame in flight still writes is nothing to one that has ended.
    if s.done >> frame & 1 == 0 and raster_ended(s, frame) == 0:
        return DEPENDENCY
    end_raster(s, frame)
    return IDLE


@inner(types.int64(SYSTEM_T, types.int64))
def tick_tile_fetcher(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    c = s.l1[g.tile_cache]
    me = g.u_fetch_tiles
    if fill_due(s, c):
        waiters = l1_fill(s, c)
        if waiters & 1:
            g.fetch_missing = 0
        if waiters >> BESIDE_SLOT:
            g.beside_waits &= ~(waiters >> BESIDE_SLOT)
            notify(s, me, g.u_beside)
    look_ahead(s)
    if begin_raster(s, frame) == 0:
        account(s, me, IDLE)
        return NEVER
    following = NEVER
    if c.fill_count:
        following = max(np.int64(c.fill_time[c.fill_head]), s.now + 1)
    if g.fetch_missing:
        account(s, me, DATA)
        return following
    if s.now < g.fetch_ready:
        account(s, me, BUSY)
        return min(following, np.int64(g.fetch_ready))
    result = -1
    while result < 0:
        result = _step(s, frame)
    account(s, me, result)
    return s.now + 1 if result == BUSY else following
