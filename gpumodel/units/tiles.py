"""Tiles in a Raster Unit: where one begins and ends, and the barriers between its stages.

Hardware: a tile-sized Depth Buffer and Colour Buffers belong to one tile at a time, so a stage begins a tile when it
has finished the one before. Without tile pipelining the Tile Fetcher waits for the whole Raster Unit; with it
(thesis §4.1.2) each Raster Unit has control logic that lets the next tile into the Rasterizer.
Modelled: a tile enters Early-Z, and without a Post-Rasterization queue the Rasterizer, when all quads of the one before
have left Early-Z and none of its late tests is pending; behind that queue the Rasterizer takes the next tile when it
has rasterized the one before. Fragment Processors take its quads when the one before has left them all
(:mod:`.fragment`); Blending follows when the one before has ended (:mod:`.blend`). A tile ends when its last quad is
blended and the flush of the one before is over. Where the Depth Buffer is stored or contents are loaded, the buffers
have to be free first.
Source: thesis §4.1.2 (barriers a stage), ch. 5 (a tile a stage in each Raster Unit); which buffers a stage waits for
ASSUMED (DESIGN §4.9: double-buffered colour, one Depth Buffer).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import TILES_IN_RASTER_UNIT
from gpumodel.units.depth import begin_tile, keep_tile
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, account, notify
from gpumodel.units.flush import request_flush, start_load
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.state import KEPT, RENDERED
from gpumodel.units.traffic import TRAFFIC_NAMES
from gpumodel.units.types import RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import quad_at, tile_at

__all__ = ["dispatch_tile", "end_tile", "may_end", "may_test", "rasterize_tile", "test_tile", "tick_tiles"]

_RING: Final = TILES_IN_RASTER_UNIT - 1


@inner(types.int64(SYSTEM_T))
def _moved_bytes(s: Record) -> Int:
    """Bytes that the memory has moved so far."""
    moved: Int = np.int64(0)
    for kind in range(len(TRAFFIC_NAMES)):
        moved += s.dram.read_bytes[kind] + s.dram.write_bytes[kind]
    return moved


@inner(types.void(SYSTEM_T, types.int64, RASTER_UNIT_T, types.int64, types.int64))
def dispatch_tile(s: Record, frame: Int, ru: Record, tile: Int, me: Int) -> None:
    """Give a tile to a Raster Unit; the caller has checked for room."""
    g = s.frame[frame]
    t = tile_at(g.tiles, tile)
    ru.frame = frame
    ru.order[(ru.order_head + ru.order_count) & _RING] = tile
    ru.order_count += 1
    t.raster_unit = ru.number
    t.dispatch = s.dispatched
    s.dispatched += 1
    t.start = s.now
    t.traffic = -_moved_bytes(s)
    t.pairs_left = t.pair_count
    notify(s, me, ru.u_tiles)


@inner(types.void(RASTER_UNIT_T))
def rasterize_tile(ru: Record) -> None:
    """Let the next tile into the Rasterizer."""
    ru.front = ru.order[(ru.order_head + ru.opened) & _RING]
    ru.opened += 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def test_tile(s: Record, ru: Record, me: Int) -> Int:
    """Let the next tile into Early-Z, after the Rasterizer; 1 when its contents are being loaded."""
    g = s.frame[ru.frame]
    if ru.depth_tile >= 0:
        keep_tile(s, g, ru, ru.depth_tile)
    ru.depth_tile = ru.order[(ru.order_head + ru.tested) & _RING]
    ru.tested += 1
    begin_tile(s, g, ru, ru.depth_tile)
    if g.u_beside:
        notify(s, me, g.u_beside)
    if start_load(s, ru):
        notify(s, me, ru.u_flush)
        return 1
    return 0


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _complete(s: Record, ru: Record) -> Int:
    """Tell whether everything of the oldest tile is blended."""
    if ru.tested == 0:
        return 0
    tile = ru.order[ru.order_head]
    t = tile_at(s.frame[ru.frame].tiles, tile)
    if t.pairs_left > 0 or t.live > 0:
        return 0
    return 0 if ru.loading and ru.depth_tile == tile else 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def may_end(s: Record, ru: Record) -> Int:
    """Tell whether the oldest tile may end: blended, and a Colour Buffer free for the next one."""
    return 1 if ru.flushing == 0 and ru.flush_pending < 0 and _complete(s, ru) else 0


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def end_tile(s: Record, ru: Record, me: Int) -> Int:
    """End the oldest tile and ask for its flush; 0 when a technique wants to be asked again."""
    g = s.frame[ru.frame]
    tile = ru.order[ru.order_head]
    t = tile_at(g.tiles, tile)
    flush: Int = np.int64(t.flush)
    if s.plugs.tile_flush.function:
        answer = call_plug(s, s.plugs.tile_flush, ru.number, tile, 0, 0)
        if answer < 0:
            return 0
        flush &= answer
    if ru.depth_tile == tile:
        keep_tile(s, g, ru, tile)
        ru.depth_tile = -1
    if ru.front == tile:
        ru.front = -1
    t.flush = flush
    t.outcome = RENDERED if flush else RENDERED | KEPT
    if g.u_beside:
        notify(s, me, g.u_beside)
    if flush and request_flush(s, ru, tile):
        notify(s, me, ru.u_flush)
    t.end = s.now
    t.traffic += _moved_bytes(s)
    ru.order_head = (ru.order_head + 1) & _RING
    ru.order_count -= 1
    ru.opened -= 1
    ru.tested -= 1
    ru.tiles += 1
    g.tiles_rendered += 1
    if s.cfg.decoupled:
        for k in range(ru.num_processors):
            notify(s, me, ru.u_processor + k)
    return 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def may_test(s: Record, ru: Record) -> Int:
    """Tell whether Early-Z may begin the next tile."""
    g = s.frame[ru.frame]
    if ru.loading or ru.in_flight_count > 0 or ru.late_pending > 0:
        return 0
    if ru.depth_tile >= 0:
        if tile_at(g.tiles, ru.depth_tile).pairs_left > 0:
            return 0
        if ru.post_count and np.int64(quad_at(g.quads, ru.post[ru.post_head]).tile) == ru.depth_tile:
            return 0
    flushing = 1 if ru.flushing or ru.flush_pending >= 0 else 0
    if g.stores_depth and (ru.tested > 0 or flushing):
        return 0
    return 0 if g.loads and ru.tested + flushing >= ru.color_buffers else 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _may_rasterize(s: Record, ru: Record) -> Int:
    """Tell whether the Rasterizer may begin the next tile."""
    if ru.post_depth == 0:
        return may_test(s, ru)
    return 0 if ru.front >= 0 and tile_at(s.frame[ru.frame].tiles, ru.front).pairs_left > 0 else 1


@inner(types.int64(SYSTEM_T, types.int64))
def tick_tiles(s: Record, raster_unit: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    me = ru.u_tiles
    worked = 0
    if may_end(s, ru) and end_tile(s, ru, me):
        worked = 1
        notify(s, me, ru.u_blend)
        notify(s, me, s.frame[ru.frame].u_fetch_tiles)
    if ru.opened < ru.order_count and _may_rasterize(s, ru):
        worked = 1
        rasterize_tile(ru)
        notify(s, me, ru.u_raster)
    if ru.tested < ru.opened and may_test(s, ru):
        worked = 1
        test_tile(s, ru, me)
        notify(s, me, ru.u_depth)
        notify(s, me, ru.u_raster)
    if worked:
        account(s, me, BUSY)
        return s.now + 1
    if ru.order_count == 0:
        account(s, me, IDLE)
    elif ru.loading:
        account(s, me, DATA)
    else:
        account(s, me, DEPENDENCY)
    return NEVER
