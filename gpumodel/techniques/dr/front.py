"""The HSR front: which tile it removes hidden surfaces of, its own Tile Fetcher, Rasterizer and Early-Z.

Hardware: a second Rasterizer, Early-Z, Depth Buffer and queues. While a tile is rendered, the HSR front takes the next
one; it may begin when the tile before has entered the Rasterizer, because the tags that it writes are those that the
tile before that one was tested with. A tile is not dispatched before its HSR is complete. In sequence (``dr-seq``)
there is one front: HSR of a tile begins when the tile before has ended, and the render pass waits for it.
The HSR fetcher reads a tile's list as the Tile Fetcher does: ``entries`` primitives under way, each with one request at
a time (link, pointer, attributes), the oldest first, handed over in order. Both share the Tile Cache's one port: a
request a cycle, round robin where both have one.
Modelled: that; a tile takes a cycle to begin with. Rasterizer and Early-Z are the machine's own, on one more Raster
Unit; a quad has one attribute there, its position. What a fill brings is seen a cycle after the Tile Fetcher would.
A tile that another technique leaves out may be in the middle of its HSR: the HSR goes on to its end, and so does the
pass (ASSUMED; the paper combines DR with nothing).
Left out: nothing known.
Source: VRO §4.2, Figure 7, Table 2; ``dr.hsr_attributes`` decides what is fetched, the paper does not say.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.dr.state import DR_T, dr
from gpumodel.techniques.dr.tags import clear_tags
from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.units.cache import BLOCKED, HIT, l1_read
from gpumodel.units.cost_owners import pair_row
from gpumodel.units.depth import begin_tile, tick_depth
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.raster import tick_raster
from gpumodel.units.tile_fetch import BESIDE_SLOT, push_pair
from gpumodel.units.types import GEOMETRY_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, pair_at, tile_at
from traceformat.kernels import callback, kernel

__all__ = [
    "fetch_hsr", "is_complete", "schedule_rendering", "tick_hsr_early_z", "tick_hsr_fetcher", "tick_hsr_rasterizer",
]  # fmt: skip

#: Phases of the HSR front.
_IDLE: Final = 0
_WORKS: Final = 1
_DONE: Final = 2
#: Next request of a primitive: the link of its list block, its pointer, an attribute; or none.
_LINK: Final = 0
_POINTER: Final = 1
_ATTRIBUTE: Final = 2
_COMPLETE: Final = 3
#: What the Tile Fetchers are about to do: states of the simple one, contents of the pipelined one's pointer register.
_SIMPLE_LINK: Final = 3
_SIMPLE_ATTRIBUTE: Final = 5
_POINTER_HELD: Final = 1
_LINK_HELD: Final = 2


@callback(PLUG_SIGNATURE)
def schedule_rendering(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: a tile waits for its HSR; never skips it."""
    own = dr(address)
    if own.active == 0 or (own.filters and byte_at(own.skips, tile)):
        return 1
    if own.tile == tile and own.phase == _DONE:
        if own.wait_since >= 0:
            own.hsr_wait_cycles += s.now - own.wait_since
            own.wait_since = -1
        return 1
    if own.wait_since < 0:
        own.wait_since = s.now
    own.wanted = tile
    notify(s, s.frame[frame].u_fetch_tiles, own.unit)
    return -1


@kernel(types.int64(SYSTEM_T, DR_T))
def _may_go_on(s: Record, own: Record) -> Int:
    """Tell whether the front may leave the tile that it has done."""
    if own.phase == _IDLE:
        return 1 if own.wanted >= 0 else 0
    t = tile_at(s.frame[0].tiles, own.tile)
    if t.start < 0:
        # It was left out by another technique when the scheduler asks for a later one.
        own.hsr_wasted += own.wanted > own.tile
        return 1 if own.wanted > own.tile else 0
    if t.end >= 0:
        return 1
    return 1 if own.sequential == 0 and s.ru[0].depth_tile == own.tile else 0


@kernel(types.int64(SYSTEM_T, DR_T, RASTER_UNIT_T))
def _begin(s: Record, own: Record, ru: Record) -> Int:
    """Begin with the next tile that is rendered; 0 behind the last one."""
    g = s.frame[0]
    tile = max(own.tile + 1, own.wanted)
    while tile < g.tile_end and (tile_at(g.tiles, tile).render == 0 or (own.filters and byte_at(own.skips, tile))):
        tile += 1
    if tile >= g.tile_end:
        return 0
    own.tile = tile
    own.phase = _WORKS
    g.beside_works = 1
    own.begin = s.now
    if own.sequential == 0:
        own.set = 1 - own.set
    clear_tags(s, own, tile)
    t = tile_at(g.tiles, tile)
    ru.front = tile
    begin_tile(s, g, ru, tile)
    t.pairs_left = t.pair_count
    own.pair = t.pair_first
    own.pair_end = own.pair + t.pair_count
    return 1


@kernel(types.int64(SYSTEM_T, GEOMETRY_T))
def _fetcher_wants(s: Record, g: Record) -> Int:
    """Tell whether the Tile Fetcher has a request for the port in this cycle."""
    # What a register holds was loaded in an earlier cycle: the fetcher comes behind this unit.
    if g.attribute_slot >= 0 or g.pointer_state == _POINTER_HELD or g.pointer_state == _LINK_HELD:
        return 1
    if g.fetch_state < _SIMPLE_LINK or g.fetch_state > _SIMPLE_ATTRIBUTE:
        return 0
    return 1 if g.fetch_missing == 0 and g.fetch_ready <= s.now else 0


@kernel(types.int64(DR_T, GEOMETRY_T, types.int64))
def _line_of(own: Record, g: Record, slot: Int) -> Int:
    """Line that a primitive wants next."""
    pair = pair_at(g.pairs, own.entry_pair[slot])
    if own.entry_step[slot] == _LINK:
        return np.int64(pair.link_line)
    if own.entry_step[slot] == _POINTER:
        return np.int64(pair.pointer_line)
    start = pair.attribute_address + own.entry_attribute[slot] * ATTRIBUTE_BYTES
    return np.int64((start >> 6) + own.entry_attribute_line[slot])


@kernel(types.void(DR_T, GEOMETRY_T, types.int64))
def _advance(own: Record, g: Record, slot: Int) -> None:
    """Go to a primitive's next request."""
    pair = pair_at(g.pairs, own.entry_pair[slot])
    wanted = min(np.int64(pair.attributes), 1) if own.position_only else np.int64(pair.attributes)
    if own.entry_step[slot] == _ATTRIBUTE:
        start = pair.attribute_address + own.entry_attribute[slot] * ATTRIBUTE_BYTES
        if (start >> 6) + own.entry_attribute_line[slot] < (start + ATTRIBUTE_BYTES - 1) >> 6:
            own.entry_attribute_line[slot] += 1
            return
        own.entry_attribute_line[slot] = 0
        own.entry_attribute[slot] += 1
        g.attributes_fetched += 1
        own.hsr_attributes += 1
    else:
        own.entry_step[slot] += 1
    if own.entry_step[slot] == _ATTRIBUTE and own.entry_attribute[slot] >= wanted:
        own.entry_step[slot] = _COMPLETE


@kernel(types.void(SYSTEM_T, DR_T, GEOMETRY_T))
def _reserve(s: Record, own: Record, g: Record) -> None:
    """Take the next entry of the list."""
    slot = (own.head + own.count) % own.entries
    own.entry_pair[slot] = own.pair
    own.entry_step[slot] = _LINK if pair_at(g.pairs, own.pair).link_line >= 0 else _POINTER
    own.entry_attribute[slot] = 0
    own.entry_attribute_line[slot] = 0
    own.entry_ready[slot] = s.now
    own.entry_since[slot] = s.now
    own.count += 1
    own.pair += 1


@kernel(types.int64(SYSTEM_T, DR_T, GEOMETRY_T))
def _next_slot(s: Record, own: Record, g: Record) -> Int:
    """Oldest primitive with a request for this cycle, -1 = none."""
    for k in range(own.count):
        slot = (own.head + k) % own.entries
        waits = g.beside_waits >> slot & 1
        if waits == 0 and own.entry_step[slot] < _COMPLETE and own.entry_ready[slot] <= s.now:
            return slot
    return -1


@kernel(types.int64(SYSTEM_T, DR_T, GEOMETRY_T, types.int64))
def _send(s: Record, own: Record, g: Record, slot: Int) -> Int:
    """Send a primitive's request; 0 when the port or the Tile Cache does not take it."""
    if g.fetch_requests == own.seen and _fetcher_wants(s, g):
        own.hsr_yields += 1
        return 0
    c = s.l1[g.tile_cache]
    if s.costs.count:
        c.who = pair_row(g, own.entry_pair[slot])
    found = l1_read(s, c, _line_of(own, g, slot), 1 << BESIDE_SLOT + slot)
    if found == BLOCKED:
        return 0
    g.beside_port = s.now
    g.fetch_requests += 1
    own.seen = g.fetch_requests
    own.hsr_requests += 1
    own.entry_ready[slot] = s.now + c.latency
    if found != HIT:
        g.beside_waits |= 1 << slot
    _advance(own, g, slot)
    return 1


@kernel(types.int64(SYSTEM_T, DR_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def _hand_over(s: Record, own: Record, g: Record, ru: Record, me: Int) -> Int:
    """Hand the oldest primitive over: 1, 0 when it is not complete, -1 when the Tile Queue is full."""
    slot = own.head
    if own.count == 0 or own.entry_step[slot] < _COMPLETE or g.beside_waits >> slot & 1:
        return 0
    if own.entry_ready[slot] > s.now:
        return 0
    if push_pair(s, ru, own.entry_pair[slot], own.entry_since[slot], me) == 0:
        return -1
    own.hsr_fetch_cycles += s.now - own.entry_since[slot]
    own.head = (own.head + 1) % own.entries
    own.count -= 1
    return 1


@kernel(types.int64(SYSTEM_T, DR_T, RASTER_UNIT_T))
def is_complete(s: Record, own: Record, ru: Record) -> Int:
    """Tell whether every fragment of the tile at hand has been tested."""
    if own.phase != _WORKS or own.pair < own.pair_end or own.count > 0 or ru.in_flight_count > 0:
        return 0
    t = tile_at(s.frame[0].tiles, own.tile)
    return 1 if t.pairs_left == 0 and t.live == 0 else 0


@kernel(types.int64(SYSTEM_T, DR_T, types.int64, types.int64))
def fetch_hsr(s: Record, own: Record, me: Int, parent: Int) -> Int:
    """Advance the HSR fetcher by one cycle; gives the next cycle with work."""
    g = s.frame[0]
    ru = s.ru[parent]
    if own.active == 0 or g.phase == 0:
        account(s, me, IDLE)
        return NEVER
    if own.phase != _WORKS:
        if _may_go_on(s, own) == 0 or _begin(s, own, ru) == 0:
            account(s, me, DEPENDENCY if own.phase == _DONE else IDLE)
            return NEVER
        # The tags are cleared, the list's length is looked up.
        account(s, me, BUSY)
        return s.now + 1
    if is_complete(s, own, ru):
        own.phase = _DONE
        g.beside_works = 0
        own.hsr_tiles += 1
        own.hsr_cycles += s.now - own.begin
        notify(s, me, g.u_fetch_tiles)
        account(s, me, BUSY)
        return s.now + 1
    handed = _hand_over(s, own, g, ru, me)
    reserved = 0
    if own.count < own.entries and own.pair < own.pair_end:
        _reserve(s, own, g)
        reserved = 1
    slot = _next_slot(s, own, g)
    sent = 0
    if slot >= 0:
        sent = _send(s, own, g, slot)
    if handed > 0 or reserved or sent:
        account(s, me, BUSY)
        return s.now + 1
    if slot >= 0:
        # What frees a register, room for a request or the port does not wake this unit.
        account(s, me, RESOURCE)
        return s.now + 1
    following = NEVER
    for k in range(own.count):
        entry = (own.head + k) % own.entries
        if g.beside_waits >> entry & 1 == 0 and own.entry_ready[entry] > s.now:
            following = min(following, own.entry_ready[entry])
    if following < NEVER:
        account(s, me, BUSY)
        return np.int64(following)
    if handed < 0:
        account(s, me, QUEUE)
    else:
        account(s, me, DATA if g.beside_waits else DEPENDENCY)
    return NEVER


@callback(PLUG_SIGNATURE)
def tick_hsr_fetcher(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    return fetch_hsr(s, dr(address), me, parent)


@callback(PLUG_SIGNATURE)
def tick_hsr_rasterizer(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    return tick_raster(s, parent)


@callback(PLUG_SIGNATURE)
def tick_hsr_early_z(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    return tick_depth(s, parent)
