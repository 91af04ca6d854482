"""Early-Z: depth and stencil test before shading, on the tile's on-chip Depth Buffer.

Hardware: reads the quad's depths, compares, writes; a quad without a live fragment ends here.
Modelled: the test itself, on the depths of the trace, in the order in which quads arrive; up to ``quads_per_cycle``
quads a cycle, from the Post-Rasterization queue or the Rasterizer itself; a bounded number in flight, each for a fixed
latency; a full fragment queue stalls it in order. Draws that discard or write depth are *late*: their test with update
happens before blending (:mod:`.blend`). They are still killed early where that cannot change the outcome: depth not
written by the shader and no stencil change possible. While a late quad is pending at a position, later quads there are
late too, and are killed early only if every pending update moves the depth in the direction that their own function
tests. In a multisampled pass the four samples of a fragment are tested in the same cycle, each with its own depth; a
fragment lives while one of them does.
Source: VRO §4.1 and Table 2 (32 in flight), thesis §4.1.1 (1 cycle read, 1 write port) and Table 4.1 (20 in flight);
latency ASSUMED; rule for late draws DESIGN §4.7; samples at full rate ASSUMED (as mobile GPUs with 4x buffers).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gpumodel.units.capacity import FLIGHT_RING, FRAGMENT_RING, MAX_SAMPLES, POST_RASTER_RING
from gpumodel.units.cost_owners import quad_left
from gpumodel.units.events import (
    BUSY,
    DATA,
    DEPENDENCY,
    IDLE,
    NEVER,
    QUEUE,
    RESOURCE,
    account,
    count_ones,
    notify,
)
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.types import DRAW_T, GEOMETRY_T, QUAD_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, half_at, quad_at, set_byte, set_half, set_word, tile_at, word_at

__all__ = [
    "KILLED",
    "LATE",
    "NO_UPDATE",
    "TEST_EARLY",
    "TEST_KILL",
    "TEST_LATE",
    "accept",
    "begin_tile",
    "compare",
    "decide_early",
    "keep_tile",
    "passing_fragments",
    "sample_loop",
    "sample_passes",
    "sample_signature",
    "stamp_queue",
    "tick_depth",
]

#: Bit of a quad's early result that says its test comes late.
LATE: Final = 128
#: Bit that says that the test is not Early-Z's: it comes late, or the quad was killed without an update.
NO_UPDATE: Final = 64
#: Bit that says that a technique has taken the quad out of its fragment queue; its other bits are as Early-Z left them.
KILLED: Final = 16
#: What a test of fragments is for: an early kill without update, the early test with update, the late one.
TEST_KILL: Final = 0
TEST_EARLY: Final = 1
TEST_LATE: Final = 2
_FRAGMENT_RING: Final = FRAGMENT_RING - 1
_FLIGHT_RING: Final = FLIGHT_RING - 1
_POST_RING: Final = POST_RASTER_RING - 1
_ALIVE: Final = 15
_ALL_SAMPLES: Final = (1 << MAX_SAMPLES) - 1
FRAGMENT_QUEUE: Final = 1
POST_RASTER_QUEUE: Final = 3
#: LoadOp.CLEAR.
_CLEAR: Final = 1


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64, types.int64))
def stamp_queue(s: Record, ru: Record, queue: Int, entries: Int) -> None:
    """Account for the entries that a queue has held since its last change."""
    ru.entry_cycles[queue] += entries * (s.now - ru.entry_since[queue])
    ru.entry_since[queue] = s.now


@inner(types.int64(types.int64, types.int64, types.int64))
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


@inner(types.int64(types.int64, types.int64, types.int64, types.int64))
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


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, DRAW_T, types.int64, types.int64, types.int64, types.int64))
def sample_passes(s: Record, ru: Record, d: Record, back: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Stencil and depth test of one sample, as GLES 3.0 §4.1 orders them, with update unless it is TEST_KILL's; 1 when
    it passes.
    """
    if stage == TEST_KILL:
        return 0 if d.depth_test and compare(d.func, depth, ru.depth[sample]) == 0 else 1
    if d.stencil_test:
        stored = np.int64(ru.stencil[sample])
        mask = np.int64(d.stencil_write[back])
        reference = np.int64(d.stencil_ref[back])
        read = np.int64(d.stencil_read[back])
        if compare(d.stencil_func[back], reference & read, stored & read) == 0:
            ru.stencil[sample] = _stencil_result(d.stencil_fail[back], stored, reference, mask)
            return 0
        passed = 1
        if d.depth_test:
            passed = compare(d.func, depth, ru.depth[sample])
        operation = d.depth_pass[back] if passed else d.depth_fail[back]
        ru.stencil[sample] = _stencil_result(operation, stored, reference, mask)
        if passed == 0:
            return 0
    elif d.depth_test and compare(d.func, depth, ru.depth[sample]) == 0:
        return 0
    if d.depth_write:
        ru.depth[sample] = depth
    return 1


def sample_loop(own_type: Any, test: Any) -> Any:
    """Make the depth test of a quad: a loop over its fragments and their samples around the test of one.

    Parameters
    ----------
    own_type : Numba type of the record that ``test`` gets as ``own``
    test : compiled, of the signature that :func:`sample_signature` gives:
        ``test(s, own, ru, q, quad, sample, depth, stage)`` -> 1 when a sample of the quad, whose row is ``q``,
        passes, with its update at ``sample`` of the tile's buffers (:func:`sample_passes` is the baseline's)

    Returns
    -------
    ``decide_quad(s, own, ru, quad, mask, stage)`` -> the fragments of ``mask`` that pass; a multisampled one does
    while a sample of it does
    """

    @inner(types.int64(SYSTEM_T, own_type, RASTER_UNIT_T, types.int64, types.int64, types.int64))
    def decide_quad(s: Record, own: Record, ru: Record, quad: Int, mask: Int, stage: Int) -> Int:
        g = s.frame[ru.frame]
        q = quad_at(g.quads, quad)
        d = draw_at(g.draws, q.draw)
        row = s.cfg.tile_width
        across = s.cfg.tile_quads_x
        position = np.int64(q.position)
        corner = 2 * (position // across) * row + 2 * (position % across)
        samples = g.samples
        for f in range(4):
            if mask >> f & 1 == 0:
                continue
            depth = np.int64(q.depth[f])
            written = stage == TEST_LATE and d.shader_depth
            if written:
                depth = word_at(g.shader_depth, 4 * q.row + f)
            pixel = corner + (f >> 1) * row + (f & 1)
            if samples == 1:
                if test(s, own, ru, q, quad, pixel, depth, stage) == 0:
                    mask &= ~(1 << f)
                continue
            covered = half_at(g.sample_coverage, q.row) >> MAX_SAMPLES * f & _ALL_SAMPLES
            passed = 0
            for k in range(MAX_SAMPLES):
                if covered >> k & 1:
                    if not written:
                        depth = word_at(g.sample_depth, 4 * MAX_SAMPLES * q.row + MAX_SAMPLES * f + k)
                    passed |= test(s, own, ru, q, quad, MAX_SAMPLES * pixel + k, depth, stage) << k
            if passed == 0:
                mask &= ~(1 << f)
            if stage != TEST_KILL:
                lost = covered & ~passed
                set_half(g.written_samples, quad, half_at(g.written_samples, quad) & ~(lost << MAX_SAMPLES * f))
        return mask

    return decide_quad


def sample_signature(own_type: Any) -> Any:
    """Signature of the test of one sample, for :func:`sample_loop`."""
    return types.int64(SYSTEM_T, own_type, RASTER_UNIT_T, QUAD_T, types.int64, types.int64, types.int64, types.int64)


@inner(sample_signature(RASTER_UNIT_T))
def _test_plain(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Test a sample as the baseline does, which has no record of its own."""
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    return sample_passes(s, ru, d, q.back, sample, depth, stage)


_test_quad: Final = sample_loop(RASTER_UNIT_T, _test_plain)


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64, types.int64, types.int64))
def passing_fragments(s: Record, ru: Record, quad: Int, mask: Int, stage: Int) -> Int:
    """Test the fragments of ``mask`` of a quad; gives those that pass."""
    if s.plugs.test.function:
        return call_plug(s, s.plugs.test, ru.number, quad, mask, stage)
    return _test_quad(s, ru, ru, quad, mask, stage)


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def decide_early(s: Record, ru: Record, quad: Int) -> Int:
    """Test a quad that enters Early-Z and record which of its fragments live on, and whether its test comes late."""
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    d = draw_at(g.draws, q.draw)
    coverage = np.int64(q.coverage)
    alive = coverage
    late = 0
    if g.samples > 1:
        set_half(g.written_samples, quad, half_at(g.sample_coverage, q.row))
    if d.depth_test or d.stencil_test:
        position = np.int64(q.position)
        ru.depth_reads += g.samples
        pending = ru.pending[position]
        if ru.front_only:
            # Nothing comes behind; what a late draw leaves, and what is written, is for the technique's test to know.
            alive = passing_fragments(s, ru, quad, coverage, TEST_EARLY)
        elif d.late or pending > 0:
            late = 1
            kills = d.late_kill if d.late else d.depth_test and not d.stencil_test
            if kills and (pending == 0 or (ru.pending_family[position] & ~(d.family & 3)) == 0):
                alive = passing_fragments(s, ru, quad, coverage, TEST_KILL)
            if alive:
                if pending == 0:
                    ru.pending_family[position] = 0
                ru.pending[position] = pending + 1
                ru.late_pending += 1
                if d.depth_write:
                    ru.pending_family[position] |= d.family
                if d.stencil_test:
                    # A pending stencil change forbids every early kill behind it.
                    ru.pending_family[position] |= 8
        else:
            alive = passing_fragments(s, ru, quad, coverage, TEST_EARLY)
            if d.stencil_test or (d.depth_write and alive):
                ru.depth_writes += g.samples
    result = alive
    if late:
        result |= NO_UPDATE | LATE if alive else NO_UPDATE
    set_byte(g.early, quad, result)
    return result


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def accept(s: Record, ru: Record, quad: Int) -> None:
    """Take a quad: test it, and keep it for the latency of the test."""
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    alive = decide_early(s, ru, quad) & _ALIVE
    coverage = np.int64(q.coverage)
    ru.rasterized += count_ones(coverage)
    ru.early_killed += count_ones(coverage & ~alive)
    ru.quads_rasterized += 1
    ru.in_flight[(ru.in_flight_head + ru.in_flight_count) & _FLIGHT_RING] = quad
    ru.in_flight_ready[(ru.in_flight_head + ru.in_flight_count) & _FLIGHT_RING] = s.now + ru.depth_latency
    ru.in_flight_count += 1


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _drop(s: Record, ru: Record, quad: Int) -> None:
    """End a quad behind Early-Z."""
    g = s.frame[ru.frame]
    t = tile_at(g.tiles, quad_at(g.quads, quad).tile)
    t.unshaded -= 1
    t.live -= 1
    if s.costs.count and ru.front_only == 0:
        quad_left(g, ru, quad)
    if t.live == 0:
        notify(s, ru.u_depth, ru.u_tiles)
        notify(s, ru.u_depth, ru.u_raster)


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _take_queued(s: Record, ru: Record) -> Int:
    """Take the tile's quads from the Post-Rasterization queue: BUSY when the next cycle may take more, else why not."""
    g = s.frame[ru.frame]
    for _ in range(s.cfg.quads_per_cycle):
        if ru.post_count == 0:
            return IDLE
        if ru.in_flight_count >= ru.in_flight_depth:
            return RESOURCE
        quad = np.int64(ru.post[ru.post_head])
        if np.int64(quad_at(g.quads, quad).tile) != ru.depth_tile:
            return DEPENDENCY
        if ru.loading:
            return DATA
        if s.plugs.quad_ready.function and call_plug(s, s.plugs.quad_ready, ru.number, quad, 0, 0) == 0:
            return DEPENDENCY
        accept(s, ru, quad)
        stamp_queue(s, ru, POST_RASTER_QUEUE, ru.post_count)
        ru.post_head = (ru.post_head + 1) & _POST_RING
        ru.post_count -= 1
        if ru.post_count == ru.post_depth - 1:
            notify(s, ru.u_depth, ru.u_raster)
    return BUSY


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _pass_on(s: Record, ru: Record) -> Int:
    """Pass on the quads whose test is done; 1 when a full fragment queue holds one up."""
    g = s.frame[ru.frame]
    me = ru.u_depth
    for _ in range(s.cfg.quads_per_cycle):
        if ru.in_flight_count == 0 or ru.in_flight_ready[ru.in_flight_head] > s.now:
            break
        quad = ru.in_flight[ru.in_flight_head]
        if byte_at(g.early, quad) & _ALIVE == 0:
            ru.quads_killed += 1
            _drop(s, ru, quad)
        elif ru.front_only:
            _drop(s, ru, quad)
        else:
            owner = np.int64(quad_at(g.quads, quad).processor)
            queue = owner if ru.num_queues > 1 else 0
            count = ru.fragment_count[queue]
            if count >= ru.queue_depth:
                return 1
            stamp_queue(s, ru, FRAGMENT_QUEUE, ru.queued)
            ru.queued += 1
            ru.fragment[queue, (ru.fragment_head[queue] + count) & _FRAGMENT_RING] = quad
            ru.fragment_count[queue] = count + 1
            if count == 0:
                notify(s, me, ru.u_processor + owner)
            if s.plugs.queued.function:
                call_plug(s, s.plugs.queued, ru.number, quad, byte_at(g.early, quad) & _ALIVE, 0)
        ru.in_flight_head = (ru.in_flight_head + 1) & _FLIGHT_RING
        ru.in_flight_count -= 1
        if ru.in_flight_count == ru.in_flight_depth - 1:
            notify(s, me, ru.u_enter)
        if ru.in_flight_count == 0 and s.cfg.pipelined_tiles:
            notify(s, me, ru.u_tiles)
    return 0


@inner(types.int64(SYSTEM_T, types.int64))
def tick_depth(s: Record, raster_unit: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    me = ru.u_depth
    blocked = _pass_on(s, ru)
    waits = _take_queued(s, ru) if ru.post_depth else IDLE
    following = s.now + 1 if waits == BUSY else NEVER
    if blocked:
        account(s, me, QUEUE)
    elif ru.in_flight_count == 0:
        account(s, me, waits)
    else:
        account(s, me, BUSY)
        following = min(following, max(np.int64(ru.in_flight_ready[ru.in_flight_head]), s.now + 1))
    return np.int64(following)


@inner(types.void(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def begin_tile(s: Record, g: Record, ru: Record, tile: Int) -> None:
    """Set the on-chip depth and stencil to what the pass finds in them: their clear values, or the target's contents
    (whatever they are where they are not loaded).
    """
    t = tile_at(g.tiles, tile)
    kept = g.depth_image.count > 0
    depth_kept = kept and g.depth_load != _CLEAR
    stencil_kept = kept and g.stencil_load != _CLEAR
    # In variables of their own, so that a row becomes a few wide stores.
    clear_depth, clear_stencil, across = g.clear_depth, g.clear_stencil, g.samples * t.width
    for y in range(t.height):
        first = g.samples * y * s.cfg.tile_width
        image = g.samples * ((t.y0 + y) * g.width + t.x0)
        if depth_kept:
            for k in range(across):
                ru.depth[first + k] = word_at(g.depth_image, image + k)
        else:
            for k in range(across):
                ru.depth[first + k] = clear_depth
        if stencil_kept:
            for k in range(across):
                ru.stencil[first + k] = byte_at(g.stencil_image, image + k)
        else:
            for k in range(across):
                ru.stencil[first + k] = clear_stencil


@inner(types.void(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def keep_tile(s: Record, g: Record, ru: Record, tile: Int) -> None:
    """Keep the tile's depth and stencil for later passes."""
    if g.depth_image.count == 0:
        return
    t = tile_at(g.tiles, tile)
    across = g.samples * t.width
    for y in range(t.height):
        first = g.samples * y * s.cfg.tile_width
        image = g.samples * ((t.y0 + y) * g.width + t.x0)
        for k in range(across):
            set_word(g.depth_image, image + k, ru.depth[first + k])
            set_byte(g.stencil_image, image + k, ru.stencil[first + k])
