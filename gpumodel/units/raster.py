"""Rasterizer: turns a tile's primitives into quads and interpolates their attributes.

Hardware: takes primitives from the Tile Queue, walks the covered quads, interpolates every attribute at each.
Modelled: a quad of A attributes occupies the interpolators for ceil(A / attributes_per_cycle) cycles when A is at
least that rate, else up to min(quads_per_cycle, attributes_per_cycle // A) quads go in one cycle; a primitive takes at
least one cycle; setup of the next one overlaps. Quads go into the Post-Rasterization queue, or where there is none
straight to Early-Z, whose in-flight limit then stalls it. A clear in the middle of a pass waits until the tile has no
live quad, then takes a cycle.
Left out: search for the covered quads (the walk never visits an empty one).
Source: 4 attributes/cycle VRO Table 2, 16 RE Table I and thesis Table 4.1; 1 quad/cycle of the old baseline, 4 of the
new, thesis §4.1; queue of 512 quads, thesis §4.1.1 and Table 4.1; rounding ASSUMED.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import POST_RASTER_RING, TILE_QUEUE_RING
from gpumodel.units.cost_owners import quad_came
from gpumodel.units.depth import POST_RASTER_QUEUE, accept, stamp_queue
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, QUEUE, account, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.types import RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import clear_at, pair_at, quad_at, set_int, tile_at

__all__ = ["clear_tile", "tick_raster"]

_RING: Final = TILE_QUEUE_RING - 1
_POST_RING: Final = POST_RASTER_RING - 1
_TILE_QUEUE: Final = 0


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def clear_tile(s: Record, ru: Record, clear: Int) -> None:
    """Apply a clear of depth and stencil to the part of the tile that it covers."""
    g = s.frame[ru.frame]
    c = clear_at(g.clears, clear)
    t = tile_at(g.tiles, ru.front)
    for y in range(max(c.y0 - t.y0, 0), min(c.y1 - t.y0, t.height)):
        for x in range(max(c.x0 - t.x0, 0), min(c.x1 - t.x0, t.width)):
            for k in range(g.samples):
                sample = g.samples * (y * s.cfg.tile_width + x) + k
                if c.depth_on:
                    ru.depth[sample] = c.depth
                ru.stencil[sample] = (ru.stencil[sample] & (255 ^ c.stencil_mask)) | (c.stencil & c.stencil_mask)


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _send(s: Record, ru: Record, quad: Int) -> Int:
    """Send a quad to the Post-Rasterization queue, or to Early-Z where there is none; 0 when that takes it not now."""
    g = s.frame[ru.frame]
    if ru.post_depth:
        if ru.post_count >= ru.post_depth:
            return 0
        stamp_queue(s, ru, POST_RASTER_QUEUE, ru.post_count)
        ru.post[(ru.post_head + ru.post_count) & _POST_RING] = quad
        ru.post_count += 1
    else:
        if ru.in_flight_count >= ru.in_flight_depth:
            return 0
        if s.plugs.quad_ready.function and call_plug(s, s.plugs.quad_ready, ru.number, quad, 0, 0) == 0:
            return 0
        accept(s, ru, quad)
    t = tile_at(g.tiles, quad_at(g.quads, quad).tile)
    t.live += 1
    t.unshaded += 1
    if s.costs.count and ru.front_only == 0:
        quad_came(g, ru, quad)
    return 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _waits(s: Record, ru: Record, row: Int) -> Int:
    """State in which a list entry of the Rasterizer's tile holds it up, -1 = none."""
    g = s.frame[ru.frame]
    pair = pair_at(g.pairs, row)
    # Behind the queue Early-Z is the one that waits; a clear is applied to the Depth Buffer.
    if ru.post_depth == 0 or pair.clear >= 0:
        if ru.loading:
            return DATA
        if ru.post_depth and ru.depth_tile != ru.front:
            return DEPENDENCY
    return DEPENDENCY if pair.clear >= 0 and tile_at(g.tiles, pair.tile).live > 0 else -1


@inner(types.int64(SYSTEM_T, types.int64))
def tick_raster(
    s: Record,
    raster_unit: Int,
) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    me = ru.u_raster
    if s.now < ru.raster_next:
        account(s, me, BUSY)
        return np.int64(ru.raster_next)
    if ru.current < 0:
        if ru.pair_count == 0:
            account(s, me, IDLE)
            return NEVER
        row = ru.pair[ru.pair_head]
        pair = pair_at(g.pairs, row)
        if np.int64(pair.tile) != ru.front:
            account(s, me, DEPENDENCY)
            return NEVER
        waits = _waits(s, ru, row)
        if waits >= 0:
            account(s, me, waits)
            return NEVER
        stamp_queue(s, ru, _TILE_QUEUE, ru.pair_used)
        ru.pair_head = (ru.pair_head + 1) & _RING
        ru.pair_count -= 1
        ru.pair_used -= pair.entries
        ru.current = row
        ru.quad = pair.quad_first
        ru.quad_end = ru.quad + pair.quad_count
        ru.pairs += 1
        attributes = 1 if ru.front_only else max(np.int64(pair.attributes), 1)
        rate = s.cfg.attributes_per_cycle
        if attributes >= rate:
            ru.raster_cost = (attributes + rate - 1) // rate
            ru.raster_burst = 1
        else:
            ru.raster_cost = 1
            ru.raster_burst = min(s.cfg.quads_per_cycle, rate // attributes)
        notify(s, me, ru.u_tiles if ru.front_only else g.u_fetch_tiles)
        if pair.clear >= 0:
            clear_tile(s, ru, pair.clear)
        if pair.clear >= 0 and ru.front_only == 0:
            set_int(g.log, g.retired, -1 - row)
            g.retired += 1
    sent = 0
    attributes = 1 if ru.front_only else np.int64(pair_at(g.pairs, ru.current).attributes)
    while ru.quad < ru.quad_end and sent < ru.raster_burst and _send(s, ru, ru.quad):
        ru.interpolated += attributes
        ru.quad += 1
        sent += 1
    if sent:
        notify(s, me, ru.u_depth)
    elif ru.quad < ru.quad_end:
        account(s, me, QUEUE)
        return NEVER
    ru.raster_next = s.now + (ru.raster_cost if sent else 1)
    if ru.quad >= ru.quad_end:
        t = tile_at(g.tiles, ru.front)
        t.pairs_left -= 1
        ru.current = -1
        if t.pairs_left == 0:
            notify(s, me, ru.u_tiles)
    account(s, me, BUSY)
    return np.int64(ru.raster_next)
