"""Early-Z: depth and stencil test before shading, on the tile's on-chip Depth Buffer.

Hardware: reads the quad's depths, compares, writes; a quad without a live fragment ends here.
Modelled: the test itself, on the depths of the trace, in the order in which quads arrive; up to ``quads_per_cycle``
quads a cycle; a bounded number in flight, each for a fixed latency; a full fragment queue stalls it in order. Draws
that discard or write depth are *late*: their test with update happens before blending (:mod:`.blend`). They are still
killed early where that cannot change the outcome: depth not written by the shader and no stencil change possible.
While a late quad is pending at a position, later quads there are late too, and are killed early only if every pending
update moves the depth in the direction that their own function tests.
Source: VRO §4.1 and Table 2 (32 in flight), thesis §4.1.1 (1 cycle read, 1 write port); latency ASSUMED; rule for late
draws DESIGN §4.7.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.events import BUSY, IDLE, NEVER, QUEUE, account, count_ones, notify
from gpumodel.units.kernels import Int, Record, kernel
from gpumodel.units.types import GEOMETRY_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, quad_at, set_byte, set_word, tile_at, word_at

__all__ = ["accept", "begin_tile", "compare", "keep_tile", "stamp_queue", "test_fragment", "tick_depth"]

#: Bit of a quad's early result that says its test comes late.
LATE: Final = 128
_FRAGMENT_RING: Final = 1023
_FLIGHT_RING: Final = 63
_ALIVE: Final = 15
FRAGMENT_QUEUE: Final = 1


@kernel(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64, types.int64))
def stamp_queue(s: Record, ru: Record, queue: Int, entries: Int) -> None:
    """Account for the entries that a queue has held since its last change."""
    ru.entry_cycles[queue] += entries * (s.now - ru.entry_since[queue])
    ru.entry_since[queue] = s.now


@kernel(types.int64(types.int64, types.int64, types.int64))
def compare(func: Int, left: Int, right: Int) -> Int:
    """GL compare function (minus GL_NEVER) of an incoming and a stored value."""
    if func == 1:
        return left < right
    if func == 3:
        return left <= right
    if func == 7:
        return 1
    if func == 2:
        return left == right
    if func == 4:
        return left > right
    if func == 6:
        return left >= right
    if func == 5:
        return left != right
    return 0


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64))
def _stencil_result(operation: Int, stored: Int, reference: Int, mask: Int) -> Int:
    """Stencil value after 0 KEEP, 1 ZERO, 2 REPLACE, 3 INCR, 4 DECR, 5 INVERT, 6 INCR_WRAP or 7 DECR_WRAP."""
    value = stored
    if operation == 1:
        value = 0
    elif operation == 2:
        value = reference
    elif operation == 3:
        value = min(stored + 1, 255)
    elif operation == 4:
        value = max(stored - 1, 0)
    elif operation == 5:
        value = stored ^ 255
    elif operation == 6:
        value = (stored + 1) & 255
    elif operation == 7:
        value = (stored - 1) & 255
    return (stored & (255 ^ mask)) | (value & mask)


@kernel(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64, types.int64, types.int64, types.int64))
def test_fragment(s: Record, ru: Record, draw: Int, back: Int, pixel: Int, depth: Int) -> Int:
    """Stencil and depth test with update of one fragment, as GLES 3.0 §4.1 orders them; 1 when it passes."""
    g = s.frame[ru.frame]
    d = draw_at(g.draws, draw)
    if d.stencil_test:
        stored = np.int64(ru.stencil[pixel])
        mask = np.int64(d.stencil_write[back])
        reference = np.int64(d.stencil_ref[back])
        read = np.int64(d.stencil_read[back])
        if compare(d.stencil_func[back], reference & read, stored & read) == 0:
            ru.stencil[pixel] = _stencil_result(d.stencil_fail[back], stored, reference, mask)
            return 0
        passed = 1
        if d.depth_test:
            passed = compare(d.func, depth, ru.depth[pixel])
        operation = d.depth_pass[back] if passed else d.depth_fail[back]
        ru.stencil[pixel] = _stencil_result(operation, stored, reference, mask)
        if passed == 0:
            return 0
    elif d.depth_test and compare(d.func, depth, ru.depth[pixel]) == 0:
        return 0
    if d.depth_write:
        ru.depth[pixel] = depth
    return 1


@kernel(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def accept(s: Record, ru: Record, quad: Int) -> Int:
    """Test a quad that enters and record which of its fragments live on; 1 when any does."""
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    d = draw_at(g.draws, q.draw)
    coverage = np.int64(q.coverage)
    position = np.int64(q.position)
    alive = coverage
    late = 0
    if d.depth_test or d.stencil_test:
        ru.depth_reads += 1
        row = s.cfg.tile_width
        across = s.cfg.tile_quads_x
        corner = 2 * (position // across) * row + 2 * (position % across)
        pending = ru.pending[position]
        if d.late or pending > 0:
            late = 1
            kills = d.late_kill if d.late else d.depth_test and not d.stencil_test
            if kills and (pending == 0 or (ru.pending_family[position] & ~(d.family & 3)) == 0):
                for f in range(4):
                    if coverage >> f & 1:
                        pixel = corner + (f >> 1) * row + (f & 1)
                        if d.depth_test and compare(d.func, q.depth[f], ru.depth[pixel]) == 0:
                            alive &= ~(1 << f)
            if alive:
                if pending == 0:
                    ru.pending_family[position] = 0
                ru.pending[position] = pending + 1
                if d.depth_write:
                    ru.pending_family[position] |= d.family
                if d.stencil_test:
                    # A pending stencil change forbids every early kill behind it.
                    ru.pending_family[position] |= 8
        else:
            for f in range(4):
                if coverage >> f & 1:
                    pixel = corner + (f >> 1) * row + (f & 1)
                    if test_fragment(s, ru, q.draw, q.back, pixel, q.depth[f]) == 0:
                        alive &= ~(1 << f)
            if d.stencil_test or (d.depth_write and alive):
                ru.depth_writes += 1
    set_byte(g.early, quad, alive | (LATE if late and alive else 0))
    ru.rasterized += count_ones(coverage)
    ru.early_killed += count_ones(coverage & ~alive)
    ru.quads_rasterized += 1
    ru.in_flight[(ru.in_flight_head + ru.in_flight_count) & _FLIGHT_RING] = quad
    ru.in_flight_ready[(ru.in_flight_head + ru.in_flight_count) & _FLIGHT_RING] = s.now + ru.depth_latency
    ru.in_flight_count += 1
    ru.live_quads += 1
    return 1 if alive else 0


@kernel(types.int64(SYSTEM_T, types.int64))
def tick_depth(s: Record, unit: Int) -> Int:
    """Pass on the quads whose test is done; gives the next cycle with work."""
    ru = s.ru[unit]
    g = s.frame[ru.frame]
    me = ru.u_depth
    blocked = 0
    for _ in range(s.cfg.quads_per_cycle):
        if ru.in_flight_count == 0 or ru.in_flight_ready[ru.in_flight_head] > s.now:
            break
        quad = ru.in_flight[ru.in_flight_head]
        if byte_at(g.early, quad) & _ALIVE:
            owner = np.int64(quad_at(g.quads, quad).queue)
            queue = owner if ru.num_queues > 1 else 0
            count = ru.fragment_count[queue]
            if count >= ru.queue_depth:
                blocked = 1
                break
            stamp_queue(s, ru, FRAGMENT_QUEUE, ru.queued)
            ru.queued += 1
            ru.fragment[queue, (ru.fragment_head[queue] + count) & _FRAGMENT_RING] = quad
            ru.fragment_count[queue] = count + 1
            if count == 0:
                notify(s, me, ru.u_processor + owner)
        else:
            ru.quads_killed += 1
            ru.live_quads -= 1
            if ru.live_quads == 0:
                notify(s, me, s.frame[ru.frame].u_fetch_tiles)
                notify(s, me, ru.u_raster)
        ru.in_flight_head = (ru.in_flight_head + 1) & _FLIGHT_RING
        ru.in_flight_count -= 1
        if ru.in_flight_count == ru.in_flight_depth - 1:
            notify(s, me, ru.u_raster)
    if blocked:
        account(s, me, QUEUE)
        return NEVER
    if ru.in_flight_count == 0:
        account(s, me, IDLE)
        return NEVER
    account(s, me, BUSY)
    return max(np.int64(ru.in_flight_ready[ru.in_flight_head]), s.now + 1)


@kernel(types.void(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def begin_tile(s: Record, g: Record, ru: Record, tile: Int) -> None:
    """Set the on-chip depth and stencil to what the pass finds in them: its clear value, or the kept contents."""
    t = tile_at(g.tiles, tile)
    row = s.cfg.tile_width
    loaded = g.depth_load == 2 and g.depth_image.count > 0
    for y in range(t.height):
        for x in range(t.width):
            pixel = y * row + x
            if loaded:
                ru.depth[pixel] = word_at(g.depth_image, (t.y0 + y) * g.width + t.x0 + x)
                ru.stencil[pixel] = byte_at(g.stencil_image, (t.y0 + y) * g.width + t.x0 + x)
            else:
                ru.depth[pixel] = g.clear_depth
                ru.stencil[pixel] = g.clear_stencil


@kernel(types.void(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def keep_tile(s: Record, g: Record, ru: Record, tile: Int) -> None:
    """Keep the tile's depth and stencil for a later pass that loads them."""
    if g.depth_image.count == 0:
        return
    t = tile_at(g.tiles, tile)
    for y in range(t.height):
        for x in range(t.width):
            pixel = y * s.cfg.tile_width + x
            set_word(g.depth_image, (t.y0 + y) * g.width + t.x0 + x, ru.depth[pixel])
            set_byte(g.stencil_image, (t.y0 + y) * g.width + t.x0 + x, ru.stencil[pixel])
