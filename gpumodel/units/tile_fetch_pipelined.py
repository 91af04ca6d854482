"""The thesis's Tile Fetcher: four stages around a Primitive Table.

Hardware: stage 1 computes the address of the next list pointer, reserves an entry of the Primitive Table and puts the
request into the Primitive Pointer register; stage 2 computes the address of the next attribute of a primitive whose
pointer has come and puts it into the Attribute Pointer register; an arbiter sends one of the two requests a cycle to
the Tile Cache, attributes first; stage 3 stores what the cache serves in the entry; stage 4 hands the oldest primitive
over when it is complete. Stage 1 goes on with the next tile, whose control logic keeps it apart (:mod:`.tiles`).
Modelled: that. A register that is loaded in cycle t is sent in t + 1 at the earliest; an entry has one request of an
attribute under way (of its two if it crosses a line); a pointer that arrives goes to stage 2 in the same cycle, an
attribute passes stage 3 in the cycle of its arrival, and stage 2 (or 4, after the last one) in the next. A pointer
in a new list block follows the link in the block before, which occupies the pointer register until it has come.
Left out: two arrivals in one cycle (a hit and a fill) share stage 3.
Source: thesis §4.1.2, Fig. 4.5, Table 4.1 (16 entries).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.units.cache import BLOCKED, HIT, fill_due, l1_fill, l1_read
from gpumodel.units.capacity import MAX_TABLE_ENTRIES
from gpumodel.units.cost_owners import pair_row
from gpumodel.units.events import (
    BUSY,
    DATA,
    DEPENDENCY,
    IDLE,
    NEVER,
    QUEUE,
    RESOURCE,
    account,
    count_trailing_zeros,
    notify,
    wake_at,
)
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.tile_fetch import (
    BESIDE_SLOT,
    RASTER_DONE,
    RASTER_IN,
    begin_raster,
    end_raster,
    look_ahead,
    next_tile,
    push_pair,
    raster_ended,
)
from gpumodel.units.types import GEOMETRY_T, SYSTEM_T
from gpumodel.units.views import pair_at, tile_at

__all__ = ["tick_pipelined_fetcher"]

#: What the Primitive Pointer register holds.
_EMPTY: Final = 0
_POINTER: Final = 1
_LINK: Final = 2
_LINK_SENT: Final = 3
#: Waiter of a list block's link, behind the entries.
_LINK_SLOT: Final = MAX_TABLE_ENTRIES
_RING: Final = MAX_TABLE_ENTRIES - 1


@inner(types.void(SYSTEM_T, GEOMETRY_T, types.int64))
def _receive(s: Record, g: Record, slot: Int) -> None:
    """Take what the Tile Cache has served for an entry."""
    if slot == _LINK_SLOT:
        g.pointer_state = _POINTER
        g.pointer_from = s.now + 1
        return
    bit = 1 << slot
    complete = g.table_attribute[slot] >= pair_at(g.pairs, g.table_pair[slot]).attributes
    if g.table_pointed & bit == 0:
        g.table_pointed |= bit
        if not complete:
            g.table_ready |= bit
            return
    if complete:
        g.table_done |= bit
    else:
        g.table_ready |= bit
    g.table_fresh |= bit


@inner(types.void(SYSTEM_T, GEOMETRY_T))
def _stamp_table(s: Record, g: Record) -> None:
    """Account for the entries that the table has held since its last change."""
    g.table_entry_cycles += g.table_count * (s.now - g.table_entry_since)
    g.table_entry_since = s.now


@inner(types.int64(SYSTEM_T, GEOMETRY_T))
def _hand_over(s: Record, g: Record) -> Int:
    """Stage 4: hand the oldest primitive over; 0 when it is not complete, -1 when the Tile Queue is full."""
    bit = 1 << g.table_head
    if g.table_count == 0 or g.table_done & bit == 0 or g.table_fresh & bit:
        return 0
    pair = g.table_pair[g.table_head]
    ru = s.ru[tile_at(g.tiles, pair_at(g.pairs, pair).tile).raster_unit]
    if push_pair(s, ru, pair, g.table_since[g.table_head], g.u_fetch_tiles) == 0:
        return -1
    ru.pair_coming -= pair_at(g.pairs, pair).entries
    g.table_done &= ~bit
    _stamp_table(s, g)
    g.table_count -= 1
    g.table_head = g.table_head + 1 if g.table_head + 1 < s.cfg.table_entries else 0
    return 1


@inner(types.int64(SYSTEM_T, GEOMETRY_T, types.int64, types.int64))
def _look_up(s: Record, g: Record, line: Int, slot: Int) -> Int:
    """Ask the Tile Cache for a line on behalf of an entry; 0 when it cannot take the request."""
    c = s.l1[g.tile_cache]
    if s.costs.count:
        c.who = pair_row(g, g.table_pair[g.pointer_slot if slot == _LINK_SLOT else slot])
    found = l1_read(s, c, line, 1 << slot)
    if found == BLOCKED:
        return 0
    g.fetch_requests += 1
    if found == HIT:
        at = (g.arrival_head + g.arrival_count) & _RING
        g.arrival[at] = slot
        g.arrival_time[at] = s.now + c.latency
        g.arrival_count += 1
    else:
        g.fetch_missing += 1
    return 1


@inner(types.int64(SYSTEM_T, GEOMETRY_T))
def _arbitrate(s: Record, g: Record) -> Int:
    """Send a request of a register, an attribute's first; -1 when the Tile Cache does not take it, 0 without one."""
    has_attribute = g.attribute_slot >= 0
    has_pointer = (g.pointer_state == _POINTER or g.pointer_state == _LINK) and g.pointer_from <= s.now
    if g.beside_port == s.now and (has_attribute or has_pointer):
        wake_at(s, g.u_fetch_tiles, s.now + 1)
        return -1
    if has_attribute:
        slot = g.attribute_slot
        start = pair_at(g.pairs, g.table_pair[slot]).attribute_address + g.table_attribute[slot] * ATTRIBUTE_BYTES
        line = (start >> 6) + g.table_attribute_line[slot]
        if _look_up(s, g, line, slot) == 0:
            return -1
        if line < (start + ATTRIBUTE_BYTES - 1) >> 6:
            g.table_attribute_line[slot] += 1
        else:
            g.table_attribute_line[slot] = 0
            g.table_attribute[slot] += 1
            g.attributes_fetched += 1
        g.attribute_slot = -1
        return 1
    if has_pointer:
        pair = pair_at(g.pairs, g.table_pair[g.pointer_slot])
        link = g.pointer_state == _LINK
        if _look_up(s, g, pair.link_line if link else pair.pointer_line, _LINK_SLOT if link else g.pointer_slot) == 0:
            return -1
        g.pointer_state = _LINK_SENT if link else _EMPTY
        return 1
    return 0


@inner(types.int64(SYSTEM_T, GEOMETRY_T))
def _select(s: Record, g: Record) -> Int:
    """Stage 2: load the Attribute Pointer register for the oldest primitive that can go on; 1 when there is one."""
    ready = g.table_ready & ~g.table_fresh
    if g.attribute_slot >= 0 or ready == 0:
        return 0
    ahead = ready >> g.table_head
    slot = g.table_head + count_trailing_zeros(ahead) if ahead else count_trailing_zeros(ready)
    g.table_ready &= ~(1 << slot)
    g.attribute_slot = slot
    return 1


@inner(types.int64(SYSTEM_T, types.int64))
def _reserve(s: Record, frame: Int) -> Int:
    """Stage 1: reserve an entry for the next primitive of the list, or go to the next tile; 1 when one was done, -1
    behind the last tile.
    """
    g = s.frame[frame]
    worked = 0
    if g.fetch_state == 0:
        found = next_tile(s, frame, g.u_fetch_tiles)
        if found == RASTER_DONE:
            return -1
        if found != RASTER_IN:
            return np.int64(g.tile_passed)
        g.fetch_pair = tile_at(g.tiles, g.tile).pair_first
        g.fetch_state = 1
        worked = 1
    t = tile_at(g.tiles, g.tile)
    if g.fetch_pair < t.pair_first + t.pair_count:
        if g.pointer_state != _EMPTY or g.table_count >= s.cfg.table_entries:
            return worked
        slot = g.table_head + g.table_count
        if slot >= s.cfg.table_entries:
            slot -= s.cfg.table_entries
        _stamp_table(s, g)
        g.table_count += 1
        s.ru[t.raster_unit].pair_coming += pair_at(g.pairs, g.fetch_pair).entries
        g.table_pair[slot] = g.fetch_pair
        g.table_attribute[slot] = 0
        g.table_attribute_line[slot] = 0
        g.table_since[slot] = s.now
        g.table_pointed &= ~(1 << slot)
        g.pointer_slot = slot
        g.pointer_state = _LINK if pair_at(g.pairs, g.fetch_pair).link_line >= 0 else _POINTER
        g.fetch_pair += 1
        worked = 1
    if g.fetch_pair >= t.pair_first + t.pair_count:
        g.tile += 1
        g.fetch_state = 0
    return worked


@inner(types.int64(SYSTEM_T, types.int64))
def tick_pipelined_fetcher(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    c = s.l1[g.tile_cache]
    me = g.u_fetch_tiles
    filled = 0
    g.table_fresh = 0
    if fill_due(s, c):
        # Before the raster phase the Polygon List Builder uses the cache, which writes without fetches.
        waiters = l1_fill(s, c)
        filled = 1
        while waiters:
            slot = count_trailing_zeros(waiters)
            waiters &= waiters - 1
            if slot >= BESIDE_SLOT:
                g.beside_waits &= ~(1 << slot - BESIDE_SLOT)
                notify(s, me, g.u_beside)
                continue
            g.fetch_missing -= 1
            _receive(s, g, slot)
    look_ahead(s)
    if begin_raster(s, frame) == 0:
        account(s, me, IDLE)
        return NEVER
    worked = filled
    while g.arrival_count and g.arrival_time[g.arrival_head] <= s.now:
        _receive(s, g, g.arrival[g.arrival_head])
        g.arrival_head = (g.arrival_head + 1) & _RING
        g.arrival_count -= 1
        worked = 1
    handed = _hand_over(s, g)
    # Before the registers are loaded, so that what they get is sent in the next cycle.
    sent = _arbitrate(s, g)
    if handed > 0 or sent > 0:
        worked = 1
    if _select(s, g):
        worked = 1
    reserved = _reserve(s, frame)
    if reserved > 0:
        worked = 1
    if worked:
        account(s, me, BUSY)
        return s.now + 1
    if reserved < 0 and g.table_count == 0:
        # What another frame in flight still writes is nothing to one that has ended.
        if s.done >> frame & 1 or raster_ended(s, frame):
            end_raster(s, frame)
            account(s, me, IDLE)
        else:
            account(s, me, DEPENDENCY)
    elif g.arrival_count:
        account(s, me, BUSY)
    elif sent < 0:
        account(s, me, RESOURCE)
    elif handed < 0:
        account(s, me, QUEUE)
    else:
        account(s, me, DATA if g.fetch_missing else DEPENDENCY)
    following = NEVER
    if g.arrival_count:
        following = g.arrival_time[g.arrival_head]
    # Also behind the last list: a line may be on its way to a unit beside this one.
    if c.fill_count:
        following = min(following, c.fill_time[c.fill_head])
    return np.int64(max(following, s.now + 1)) if following != NEVER else NEVER
