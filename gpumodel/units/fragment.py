"""Fragment Processors with their texture units and Texture Caches.

Hardware: multithreaded in-order cores; a quad is a thread; a texture instruction goes to the texture unit, its thread
waits while others run.
Modelled: quads wait in one shared first-in-first-out queue (a quad whose processor has no free thread blocks all
behind it) or in one queue a processor; one thread issues at a time, until its next texture instruction (greedy, then
the oldest ready one); a shader path is a list of issue cycles between texture instructions. The texture unit takes one
instruction at a time, in order: one line look-up a cycle (lines that only dead lanes want are skipped), and at least
the cycles of its texels at the filter rate; misses go on in the background. Threads retire in the order in which they
came, which keeps the quads of one pixel in primitive order, as the quad map gives them to one processor: the mechanism
is the ring of threads. Where there are Instruction Caches, a thread that gets the issue slot looks up the lines of its
instructions, up to the next texture instruction, at once; hits cost nothing, a miss parks the thread. Quads of a tile
wait until those of the tile before have left all processors (thesis §5.2), or, where a technique has decoupled them
(``cfg.decoupled``), the processor itself, which is a tile ahead at most.
Left out: result latency of arithmetic (hidden by the threads), register and constant bank conflicts, bank conflicts of
Instruction Caches (a line holds eight instructions, so ports are idle most of the time).
Source: VRO §4.1 and Table 2 (4 processors, 8 KB caches, fragment queue), thesis §4.1.1 (blocking, queue a processor);
threads, issue cycles and filter rate ASSUMED (presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.cache import BLOCKED, HIT, MISS, fill_at, l1_fill, l1_hits, l1_read
from gpumodel.units.capacity import COLOR_RING, FRAGMENT_RING, THREAD_RING, TILES_IN_RASTER_UNIT
from gpumodel.units.cost_owners import quad_left
from gpumodel.units.depth import FRAGMENT_QUEUE, KILLED, stamp_queue
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
    count_trailing_zeros,
    notify,
)
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.state import FILLED, TAKEN
from gpumodel.units.texture_cache import account_port, give_line, take_port
from gpumodel.units.types import GEOMETRY_T, L1_T, PROCESSOR_T, RASTER_UNIT_T, SYSTEM_T, TILE_T
from gpumodel.units.views import (
    byte_at,
    int_at,
    long_at,
    op_at,
    quad_at,
    segment_at,
    set_byte,
    set_int,
    slot_access_at,
    tile_at,
    word_at,
)

__all__ = ["COLOR_QUEUE", "TEXTURE_BASE_LINE", "kill_queued", "second_tile", "tick_processor"]

_FRAGMENT_RING: Final = FRAGMENT_RING - 1
_THREADS: Final = THREAD_RING - 1
_COLOR_RING: Final = COLOR_RING - 1
_ALIVE: Final = 15
COLOR_QUEUE: Final = 2
#: Line number of MemoryMap.TEXTURES.
TEXTURE_BASE_LINE: Final = (4 << 36) // 64


@inner(types.void(SYSTEM_T, GEOMETRY_T, PROCESSOR_T, L1_T, types.int64))
def _look_ahead(s: Record, g: Record, p: Record, c: Record, mask: Int) -> None:
    """Make the look-ups of the cycles to come that will hit, which then need no ticks.

    Nobody else looks into the cache, and what comes into it is known for so long: a fill that is under way, or the L2's
    latency, which one that the L2 sends in the next cycle takes.
    """
    end = min(s.now + s.l2.latency, fill_at(c) - 1)
    while p.line < p.line_end and p.looked < end:
        if l1_hits(s, c, TEXTURE_BASE_LINE + word_at(g.lines, p.line)) == 0:
            return
        p.looked += 1
        p.lookups += 1
        p.line += 1
        while p.line < p.line_end and byte_at(g.lanes, p.line) & mask == 0:
            p.line += 1


@inner(types.int64(SYSTEM_T, GEOMETRY_T, PROCESSOR_T, L1_T))
def _step_texture(s: Record, g: Record, p: Record, c: Record) -> Int:
    """Work one cycle on the oldest texture instruction, which the texture unit is free for; 0 when a miss register is
    missing, -1 when a shared cache has no port free (or no register), else 1.
    """
    slot = p.texture[p.texture_head]
    mask = p.mask[slot]
    if p.line < 0:
        op = op_at(g.ops, p.op[slot])
        p.line = op.line_first
        p.line_end = p.line + op.line_count
        p.op_start = s.now
        p.looked = s.now - 1
        texels: Int = 0
        for lane in range(4):
            if mask >> lane & 1:
                texels += np.int64(op.texels[lane])
        p.texels += texels
        p.op_cycles = (texels + p.texels_per_cycle - 1) // p.texels_per_cycle
        p.texture_ops += 1
        while p.line < p.line_end and byte_at(g.lanes, p.line) & mask == 0:
            p.line += 1
    if p.line < p.line_end and p.looked < s.now:
        if c.ports and take_port(s, p, c) == 0:
            return -1
        if s.costs.count:
            c.who = g.cost_first + quad_at(g.quads, p.quad[slot]).draw
        asked = c.primary_misses
        found = l1_read(s, c, TEXTURE_BASE_LINE + word_at(g.lines, p.line), 1 << p.waiter_shift + slot)
        if c.ports:
            account_port(s, c, found)
        if found == BLOCKED:
            # The fill that frees a register of a shared cache wakes the cache alone.
            return -1 if c.ports else 0
        p.lookups += 1
        if found != HIT and g.op_misses.count:
            set_int(g.op_misses, p.op[slot], int_at(g.op_misses, p.op[slot]) + 1)
        if found == MISS:
            p.pending[slot] += 1
            tile_at(g.tiles, quad_at(g.quads, p.quad[slot]).tile).misses += c.primary_misses - asked
            if c.ports:
                notify(s, p.unit, c.owner)
        p.looked = s.now
        p.line += 1
        while p.line < p.line_end and byte_at(g.lanes, p.line) & mask == 0:
            p.line += 1
        if c.ports == 0:
            _look_ahead(s, g, p, c, mask)
    if p.line >= p.line_end:
        # Its end is known: all that comes of it is put down now.
        last = max(max(p.looked, p.op_start + p.op_cycles - 1), s.now)
        p.texture_free = last + 1
        p.line = -1
        p.texture_head = (p.texture_head + 1) & _THREADS
        p.texture_count -= 1
        p.op[slot] += 1
        at = (p.latent_head + p.latent_count) & _THREADS
        p.latent[at] = slot
        p.latent_time[at] = last + c.latency
        p.latent_count += 1
    return 1


@inner(types.void(GEOMETRY_T, PROCESSOR_T))
def _end_segment(g: Record, p: Record) -> None:
    """Send the thread whose instructions have issued to the texture unit, or mark it done.

    Its fragments are executed when it has ended as many segments as its path has.
    """
    slot = p.running
    p.running = -1
    p.left[slot] -= 1
    if p.segment[slot] < p.segment_end[slot]:
        p.texture[(p.texture_head + p.texture_count) & _THREADS] = slot
        p.texture_count += 1
        p.pending[slot] = 0
        p.filtered[slot] = 0
    else:
        p.done |= 1 << slot
        if p.left[slot] == 0:
            set_byte(g.executed, p.quad[slot], p.mask[slot])


@inner(types.int64(SYSTEM_T, GEOMETRY_T, PROCESSOR_T, types.int64))
def _fetch_code(s: Record, g: Record, p: Record, slot: Int) -> Int:
    """Look up the lines of code of a thread's segment: HIT when all are there, else MISS or BLOCKED at the first."""
    segment = segment_at(g.segments, p.segment[slot])
    while p.code[slot] < segment.line_count:
        line = long_at(g.segment_lines, segment.line_first + p.code[slot])
        c = s.l1[p.instruction_cache]
        if s.costs.count:
            c.who = g.cost_first + quad_at(g.quads, p.quad[slot]).draw
        found = l1_read(s, c, line, p.instruction_port)
        if found == BLOCKED:
            return BLOCKED
        if found != HIT:
            notify(s, p.unit, c.owner)
            return MISS
        p.code[slot] += 1
    p.code[slot] = 0
    return HIT


@inner(types.int64(SYSTEM_T, GEOMETRY_T, PROCESSOR_T))
def _issue(s: Record, g: Record, p: Record) -> Int:
    """Give the issue slot to the oldest ready thread, and pass over segments without instructions; 1 when one runs, -1
    when the Instruction Cache takes no request.
    """
    while p.ready:
        head = p.head
        ahead = p.ready >> head
        slot = head + count_trailing_zeros(ahead) if ahead else count_trailing_zeros(p.ready)
        if p.instruction_cache >= 0:
            found = _fetch_code(s, g, p, slot)
            if found == BLOCKED:
                return -1
            if found != HIT:
                p.ready &= ~(1 << slot)
                p.code_wait |= 1 << slot
                continue
        cycles = np.int64(segment_at(g.segments, p.segment[slot]).cycles)
        p.ready &= ~(1 << slot)
        p.segment[slot] += 1
        p.running = slot
        p.until = s.now + cycles
        p.instructions += cycles
        if cycles > 0:
            return 1
        _end_segment(g, p)
    return 0


@inner(types.int64(GEOMETRY_T, RASTER_UNIT_T, types.int64))
def _is_shading_before(g: Record, ru: Record, tile: Int) -> Int:
    """Tell whether a tile before the given one has quads that are not through the Fragment Processors."""
    for k in range(ru.order_count):
        earlier = ru.order[(ru.order_head + k) & (TILES_IN_RASTER_UNIT - 1)]
        if earlier == tile:
            return 0
        if tile_at(g.tiles, earlier).unshaded > 0:
            return 1
    return 0


@inner(types.int64(RASTER_UNIT_T))
def second_tile(ru: Record) -> Int:
    """Tile behind the oldest one, -1 = none."""
    return np.int64(ru.order[(ru.order_head + 1) & (TILES_IN_RASTER_UNIT - 1)]) if ru.order_count > 1 else -1


@inner(types.int64(GEOMETRY_T, RASTER_UNIT_T, PROCESSOR_T, types.int64))
def _is_held_alone(g: Record, ru: Record, p: Record, tile: Int) -> Int:
    """Tell whether a processor with a barrier of its own has quads of an earlier tile, or is a tile ahead already."""
    if p.count and np.int64(quad_at(g.quads, p.quad[p.head]).tile) != tile:
        return 1
    return 0 if tile == ru.order[ru.order_head] or tile == second_tile(ru) else 1


@inner(types.void(PROCESSOR_T))
def _forget_slots(p: Record) -> None:
    """Let the hook that is asked next have named no slot."""
    for lane in range(4):
        p.slot[lane] = -1


@inner(types.void(SYSTEM_T, PROCESSOR_T, types.int64, types.int64, types.int64, types.int64))
def _log_slots(s: Record, p: Record, frame: Int, quad: Int, mask: Int, kind: Int) -> None:
    """Log the slots that a hook has named for the fragments of ``mask``, where that is logged."""
    named = 0
    for lane in range(4):
        named |= mask >> lane & 1 and p.slot[lane] >= 0
    if named == 0 or s.slots_logged >= s.slot_log.count:
        return
    row = slot_access_at(s.slot_log, s.slots_logged)
    s.slots_logged += 1
    row.quad = quad
    row.frame = frame
    row.kind = kind
    for lane in range(4):
        row.slot[lane] = p.slot[lane] if mask >> lane & 1 else -1


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, PROCESSOR_T, TILE_T))
def _through(s: Record, ru: Record, p: Record, t: Record) -> None:
    """Take note that a quad of a tile is through the Fragment Processors."""
    t.unshaded -= 1
    if t.unshaded == 0 and s.cfg.pipelined_tiles:
        # The barrier opens for the others.
        for k in range(ru.num_processors):
            notify(s, p.unit, ru.u_processor + k)


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def kill_queued(s: Record, ru: Record, quad: Int) -> None:
    """Let a quad leave its fragment queue unshaded, for hook ``queued``; its processor takes it out in its turn."""
    g = s.frame[ru.frame]
    set_byte(g.early, quad, byte_at(g.early, quad) | KILLED)
    notify(s, ru.u_depth, ru.u_processor + np.int64(quad_at(g.quads, quad).processor))


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, PROCESSOR_T))
def _pop(s: Record, ru: Record, p: Record) -> Int:
    """Take the first quad out of the processor's fragment queue; gives the processor of the next one, -1 = none."""
    queue = p.queue
    count = ru.fragment_count[queue]
    stamp_queue(s, ru, FRAGMENT_QUEUE, ru.queued)
    ru.queued -= 1
    head = (ru.fragment_head[queue] + 1) & _FRAGMENT_RING
    ru.fragment_head[queue] = head
    ru.fragment_count[queue] = count - 1
    ru.fragment_popped[queue] = s.now
    if count == ru.queue_depth:
        notify(s, p.unit, ru.u_depth)
    if count == 1:
        return -1
    following = np.int64(quad_at(s.frame[ru.frame].quads, ru.fragment[queue, head]).processor)
    if ru.num_queues == 1:
        other = ru.processor[following]
        # One without a free thread looks when it has one; a quad that is killed needs none.
        if other.count < other.num_threads or s.plugs.queued.function:
            notify(s, p.unit, ru.u_processor + following)
    return following


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, PROCESSOR_T, types.int64))
def _end_killed(s: Record, ru: Record, p: Record, quad: Int) -> None:
    """End a quad that a technique has killed in the fragment queue."""
    g = s.frame[ru.frame]
    t = tile_at(g.tiles, quad_at(g.quads, quad).tile)
    t.live -= 1
    if s.costs.count:
        quad_left(g, ru, quad)
    _through(s, ru, p, t)
    if t.live == 0:
        notify(s, p.unit, ru.u_tiles)
        notify(s, p.unit, ru.u_raster)


@inner(types.int64(SYSTEM_T, types.int64, types.int64))
def _accept(s: Record, raster_unit: Int, index: Int) -> Int:
    """Take the next quad from the fragment queue if it is this processor's; 1 when the next cycle may take another, -1
    when a barrier or a technique holds it back.
    """
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    p = ru.processor[index]
    queue = p.queue
    count = ru.fragment_count[queue]
    if count == 0:
        return 0
    head = ru.fragment_head[queue]
    quad = np.int64(ru.fragment[queue, head])
    q = quad_at(g.quads, quad)
    early = byte_at(g.early, quad)
    if np.int64(q.processor) != index or (p.count >= p.num_threads and early & KILLED == 0):
        return 0
    if ru.fragment_popped[queue] == s.now:
        # Another processor has used the queue's port: try again.
        return 1
    if early & KILLED:
        following = _pop(s, ru, p)
        _end_killed(s, ru, p, quad)
        return 1 if following == index else 0
    tile = np.int64(q.tile)
    if s.cfg.decoupled:
        if _is_held_alone(g, ru, p, tile):
            return -1
    elif tile != ru.shading_tile:
        if _is_shading_before(g, ru, tile):
            return -1
        ru.shading_tile = tile
    mask = early & _ALIVE
    if s.plugs.shade.function:
        _forget_slots(p)
        wanted = mask
        mask = call_plug(s, s.plugs.shade, raster_unit, quad, mask, index)
        if mask < 0:
            return -1
        _log_slots(s, p, ru.frame, quad, wanted & ~mask, TAKEN)
    following = _pop(s, ru, p)
    slot = (p.head + p.count) % p.num_threads
    p.count += 1
    p.quad[slot] = quad
    p.mask[slot] = mask
    p.segment[slot] = q.segment
    p.segment_end[slot] = q.segment_end
    p.left[slot] = q.segment_end - q.segment
    p.op[slot] = q.op
    if mask:
        p.ready |= 1 << slot
        p.quads += 1
        ru.shaded += count_ones(mask)
    else:
        p.done |= 1 << slot
    # One that is killed needs no thread.
    return 1 if following == index and (p.count < p.num_threads or s.plugs.queued.function) else 0


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, PROCESSOR_T, types.int64))
def _retire(s: Record, ru: Record, p: Record, index: Int) -> None:
    """Send the oldest thread, which is done, to Blending."""
    g = s.frame[ru.frame]
    quad = p.quad[p.head]
    if s.plugs.shaded.function:
        _forget_slots(p)
        call_plug(s, s.plugs.shaded, ru.number, quad, p.mask[p.head], index)
        _log_slots(s, p, ru.frame, quad, _ALIVE, FILLED)
    stamp_queue(s, ru, COLOR_QUEUE, ru.color_count)
    ru.color[(ru.color_head + ru.color_count) & _COLOR_RING] = quad
    ru.color_count += 1
    p.done &= ~(1 << p.head)
    p.head = p.head + 1 if p.head + 1 < p.num_threads else 0
    p.count -= 1
    _through(s, ru, p, tile_at(g.tiles, quad_at(g.quads, quad).tile))
    notify(s, p.unit, ru.u_blend)


@inner(types.void(SYSTEM_T, GEOMETRY_T, PROCESSOR_T))
def _follow_waits(s: Record, g: Record, p: Record) -> None:
    """Give the cycles since the last tick to the texture instruction that held the processor up, and find the one that
    does from here on: nothing runs, and the oldest thread waits for its texture instruction.
    """
    if p.wait_op > 0:
        op = p.wait_op - 1
        set_int(g.op_waits, op, int_at(g.op_waits, op) + s.now - p.wait_since)
    p.wait_op = 0
    p.wait_since = s.now
    if p.running < 0 and p.count and (p.done | p.ready | p.code_wait) >> p.head & 1 == 0:
        q = quad_at(g.quads, p.quad[p.head])
        p.wait_op = np.int64(q.op) + p.segment[p.head] - q.segment


@inner(types.int64(SYSTEM_T, types.int64, types.int64))
def tick_processor(s: Record, raster_unit: Int, index: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    p = ru.processor[index]
    c = s.l1[p.cache]
    while c.ports == 0 and fill_at(c) <= s.now:
        give_line(p, l1_fill(s, c))
    if p.running >= 0 and s.now >= p.until:
        _end_segment(g, p)
    blocked = 0
    if p.code_ready:
        # Lines of code have come: the threads that wait look again.
        p.code_ready = 0
        p.ready |= p.code_wait
        p.code_wait = 0
    while p.latent_count and p.latent_time[p.latent_head] <= s.now:
        slot = p.latent[p.latent_head]
        p.latent_head = (p.latent_head + 1) & _THREADS
        p.latent_count -= 1
        p.filtered[slot] = 1
        if p.pending[slot] == 0:
            p.ready |= 1 << slot
    if p.count and p.done >> p.head & 1 and ru.color_count < ru.color_depth:
        _retire(s, ru, p, index)
    again = _accept(s, raster_unit, index)
    barrier = again < 0
    again = max(again, 0)
    if p.running < 0 and p.ready and _issue(s, g, p) < 0:
        blocked = 1
        again = 1
    textured = NEVER
    # After issue, so that a segment of no instructions reaches the texture unit in the same cycle.
    if p.texture_count and s.now >= p.texture_free:
        stepped = _step_texture(s, g, p, c)
        if stepped <= 0:
            blocked = 1
        if stepped < 0:
            again = 1
        elif stepped > 0 and p.line >= 0:
            textured = p.looked + 1
    if p.texture_count and p.line < 0:
        textured = p.texture_free
    if g.op_waits.count:
        _follow_waits(s, g, p)
    if p.running >= 0:
        account(s, p.unit, BUSY)
    elif p.count == 0:
        account(s, p.unit, DEPENDENCY if barrier else IDLE)
    elif blocked:
        account(s, p.unit, RESOURCE)
    elif p.done >> p.head & 1 == 0:
        account(s, p.unit, DATA)
    else:
        account(s, p.unit, QUEUE)
    # While a thread runs, what arrives for others waits until it ends, or until a look-up: nobody sees it before.
    waits = p.running < 0 or blocked or s.plugs.victim.function
    if c.ports == 0:
        c.quiet_until = 0 if waits else p.until
    # A thread that ended, another quad to take, another look-up: the next cycle has work of its own.
    if again or (p.count and p.done >> p.head & 1 and ru.color_count < ru.color_depth):
        return s.now + 1
    following = textured
    if p.running >= 0:
        following = min(following, p.until)
    if waits:
        if p.latent_count:
            following = min(following, p.latent_time[p.latent_head])
        if c.ports == 0:
            following = min(following, fill_at(c))
    return np.int64(max(following, s.now + 1)) if following != NEVER else NEVER
