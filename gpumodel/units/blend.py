"""Blending: late tests, and the quads' colours into the on-chip Colour Buffer.

Hardware: reads the pixels behind the quad where the draw blends, combines, writes.
Modelled: up to ``quads_per_cycle`` quads a cycle leave the colour queue; late quads take their depth and stencil test
with update here, in primitive order per pixel; every retired quad is logged. With one Colour Buffer, blending of the
next tile waits for the flush.
Left out: the colours themselves (the recomposer of the command layer has them).
Source: thesis §4.1.1 (fixed latency, 1 or 4 quads a cycle); colour queue 64 entries thesis Table 4.1, ASSUMED for the
others.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.depth import LATE, stamp_queue, test_fragment
from gpumodel.units.events import BUSY, DEPENDENCY, IDLE, NEVER, account, count_ones, notify
from gpumodel.units.fragment import COLOR_QUEUE
from gpumodel.units.kernels import Int, Record, kernel
from gpumodel.units.types import RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, quad_at, set_byte, set_int, tile_at, word_at

__all__ = ["tick_blend"]

_RING: Final = 127
_ALIVE: Final = 15


@kernel(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
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
        position = np.int64(q.position)
        row = s.cfg.tile_width
        across = s.cfg.tile_quads_x
        corner = 2 * (position // across) * row + 2 * (position % across)
        ru.depth_reads += 1
        for f in range(4):
            if survives >> f & 1:
                depth = np.int64(q.depth[f])
                if d.shader_depth:
                    depth = word_at(g.shader_depth, 4 * q.row + f)
                pixel = corner + (f >> 1) * row + (f & 1)
                if test_fragment(s, ru, q.draw, q.back, pixel, depth) == 0:
                    passed &= ~(1 << f)
        if d.stencil_test or (d.depth_write and passed):
            ru.depth_writes += 1
        ru.pending[position] -= 1
    set_byte(g.written, quad, passed)
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


@kernel(types.int64(SYSTEM_T, types.int64))
def tick_blend(
    s: Record,
    unit: Int,
) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[unit]
    g = s.frame[ru.frame]
    me = ru.u_blend
    if ru.color_count == 0:
        account(s, me, IDLE)
        return NEVER
    if ru.color_buffers == 1 and ru.flushing:
        account(s, me, DEPENDENCY)
        return NEVER
    stamp_queue(s, ru, COLOR_QUEUE, ru.color_count)
    full = ru.color_count >= ru.color_depth
    for _ in range(min(s.cfg.quads_per_cycle, ru.color_count)):
        quad = ru.color[ru.color_head]
        ru.color_head = (ru.color_head + 1) & _RING
        ru.color_count -= 1
        _retire(s, ru, quad)
        tile_at(g.tiles, ru.tile).quads += 1
        tile_at(g.tiles, ru.tile).shaded += count_ones(byte_at(g.early, quad) & _ALIVE)
        ru.live_quads -= 1
    if full:
        for k in range(ru.num_processors):
            notify(s, me, ru.u_processor + k)
    if ru.live_quads == 0:
        notify(s, me, s.frame[ru.frame].u_fetch_tiles)
        notify(s, me, ru.u_raster)
    account(s, me, BUSY)
    return s.now + 1
