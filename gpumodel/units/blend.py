"""Blending: late tests, and the quads' colours into the on-chip Colour Buffer.

Hardware: reads the pixels behind the quad where the draw blends, combines, writes.
Modelled: up to ``quads_per_cycle`` quads a cycle leave the colour queue; a bounded number is in flight, each for a
fixed latency, or each retires in the cycle in which it enters. Late quads take their depth and stencil test with update
here, in primitive order per pixel; every retired quad is logged. A tile's quads wait until the tile before has ended,
or, where a technique has decoupled the processors (``cfg.decoupled``), until no Colour Buffer is being flushed; with
one Colour Buffer, until it is flushed.
Left out: the colours themselves (the recomposer of the command layer has them); a quad that reads what one in flight
writes (forwarding ASSUMED, as in Early-Z).
Source: thesis §4.1.1 (fixed latency, 1 or 4 quads a cycle); colour queue of 64 entries and 20 quads in flight, thesis
Table 4.1; ASSUMED for the others.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import COLOR_RING, FLIGHT_RING, MAX_SAMPLES
from gpumodel.units.cost_owners import quad_left
from gpumodel.units.depth import LATE, TEST_LATE, passing_fragments, stamp_queue
from gpumodel.units.events import BUSY, DEPENDENCY, IDLE, NEVER, account, account_once, count_ones, notify
from gpumodel.units.fragment import COLOR_QUEUE, second_tile
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.types import RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, half_at, quad_at, set_byte, set_half, set_int, tile_at

__all__ = ["tick_blend"]

_RING: Final = COLOR_RING - 1
_FLIGHT_RING: Final = FLIGHT_RING - 1
_ALIVE: Final = 15


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _retire(
    s: Record,
    ru: Record,
    quad: Int,
) -> None:
    """End a quad: late tests, counters, and the log."""
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    d = draw_at(g.draws, q.draw)
    alive = byte_at(g.early, quad) & _ALIVE
    survives = alive & np.int64(q.survives)
    passed = survives
    if byte_at(g.early, quad) & LATE:
        ru.depth_reads += g.samples
        passed = passing_fragments(s, ru, quad, survives, TEST_LATE)
        if d.stencil_test or (d.depth_write and passed):
            ru.depth_writes += g.samples
        ru.pending[q.position] -= 1
        ru.late_pending -= 1
    set_byte(g.written, quad, passed)
    if g.samples > 1:
        # Spread the fragments' bits over their samples.
        samples = 0
        for f in range(4):
            if passed >> f & 1:
                samples |= ((1 << MAX_SAMPLES) - 1) << MAX_SAMPLES * f
        set_half(g.written_samples, quad, half_at(g.written_samples, quad) & samples)
    ru.discarded += count_ones(alive & ~survives)
    ru.late_killed += count_ones(survives & ~passed)
    ru.written += count_ones(passed)
    ru.quads_blended += 1
    if passed:
        ru.blend_writes += 1
        if d.blend:
            ru.blend_reads += 1
    set_int(g.log, g.retired, quad)
    g.retired += 1
    if s.costs.count:
        quad_left(g, ru, quad)


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _finish(s: Record, ru: Record, quad: Int) -> None:
    """Retire a quad; the oldest tile may end with it."""
    t = tile_at(s.frame[ru.frame].tiles, quad_at(s.frame[ru.frame].quads, quad).tile)
    _retire(s, ru, quad)
    t.quads += 1
    t.shaded += count_ones(byte_at(s.frame[ru.frame].early, quad) & _ALIVE)
    t.live -= 1
    if t.live == 0 or (ru.late_pending == 0 and s.cfg.pipelined_tiles):
        notify(s, ru.u_blend, ru.u_tiles)
    if t.live == 0:
        notify(s, ru.u_blend, ru.u_raster)


@inner(types.void(SYSTEM_T, RASTER_UNIT_T))
def _leave(s: Record, ru: Record) -> None:
    """Retire the quads in flight whose time is over."""
    for _ in range(s.cfg.quads_per_cycle):
        if ru.blending_count == 0 or ru.blending_ready[ru.blending_head] > s.now:
            return
        quad = ru.blending[ru.blending_head]
        ru.blending_head = (ru.blending_head + 1) & _FLIGHT_RING
        ru.blending_count -= 1
        _finish(s, ru, quad)


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _has_buffer(s: Record, ru: Record, quad: Int) -> Int:
    """Tell whether a quad is the oldest tile's, whose Colour Buffer is free; where each processor has a barrier of its
    own, the next tile's may be, too.
    """
    tile = np.int64(quad_at(s.frame[ru.frame].quads, quad).tile)
    flushes = ru.flushing or ru.flush_pending >= 0
    if tile == ru.order[ru.order_head]:
        return 0 if ru.color_buffers == 1 and flushes else 1
    return 1 if s.cfg.decoupled and tile == second_tile(ru) and not flushes else 0


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _enter(s: Record, ru: Record) -> Int:
    """Take quads from the colour queue whose tile has a Colour Buffer: how many."""
    stamp_queue(s, ru, COLOR_QUEUE, ru.color_count)
    full = ru.color_count >= ru.color_depth
    entered = 0
    for _ in range(min(s.cfg.quads_per_cycle, ru.color_count)):
        quad = ru.color[ru.color_head]
        if _has_buffer(s, ru, quad) == 0:
            break
        if ru.blending_depth:
            if ru.blending_count >= ru.blending_depth:
                break
            at = (ru.blending_head + ru.blending_count) & _FLIGHT_RING
            ru.blending[at] = quad
            ru.blending_ready[at] = s.now + ru.blend_latency
            ru.blending_count += 1
        else:
            _finish(s, ru, quad)
        ru.color_head = (ru.color_head + 1) & _RING
        ru.color_count -= 1
        entered += 1
    if full and entered:
        for k in range(ru.num_processors):
            notify(s, ru.u_blend, ru.u_processor + k)
    return entered


@inner(types.int64(SYSTEM_T, types.int64))
def tick_blend(s: Record, raster_unit: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    me = ru.u_blend
    _leave(s, ru)
    waits = ru.color_count > 0 and _has_buffer(s, ru, ru.color[ru.color_head]) == 0
    entered = _enter(s, ru) if ru.color_count > 0 and not waits else 0
    if ru.blending_count > 0:
        account(s, me, BUSY)
        if ru.color_count > 0 and not waits and ru.blending_count < ru.blending_depth:
            return s.now + 1
        return max(np.int64(ru.blending_ready[ru.blending_head]), s.now + 1)
    if waits:
        account(s, me, DEPENDENCY)
        return NEVER
    if ru.color_count > 0:
        account(s, me, BUSY)
        return s.now + 1
    if entered:
        account_once(s, me, BUSY, IDLE)
    else:
        account(s, me, IDLE)
    return NEVER
