"""Level-one caches: set-associative, LRU, write-back, non-blocking with miss registers.

Hardware: a look-up a cycle and bank; a miss takes a miss status holding register (MSHR), later misses to its line wait
in the same register; a fill from the L2 replaces the least recently used line, which is written back when dirty.
Modelled: tags, LRU, MSHRs with merging, a bounded request queue to the L2, write-backs in that queue. A write that
misses takes its line without a fetch (byte valid bits), because every line of the Parameter Buffer is written before
it is read.
Left out: valid bits of partly written lines that are evicted and read again; ports beyond the owner's one look-up a
cycle.
Source: VRO Table 2, RE Table I, thesis Table 4.1 (sizes, ways, latency); MSHRs and request queue ASSUMED (presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import L1_LINES, L1_RING
from gpumodel.units.cost_textures import charge_texture
from gpumodel.units.costs import CACHE_NAMES, cost_at
from gpumodel.units.events import NEVER, notify, wake_at
from gpumodel.units.kernels import Int, Record, inner, kernel
from gpumodel.units.plug import call_plug
from gpumodel.units.state import PORT_BITS
from gpumodel.units.types import L1_T, SYSTEM_T

__all__ = [
    "BLOCKED",
    "DEAD",
    "HIT",
    "MISS",
    "WAITS",
    "fill_at",
    "fill_due",
    "invalidate",
    "l1_fill",
    "l1_hits",
    "l1_read",
    "l1_write",
]

BLOCKED: Final = 0
HIT: Final = 1
MISS: Final = 2
#: A miss whose line these waiters wait for already.
WAITS: Final = 3
#: Beside the way that hook ``victim`` answers: nobody reads its line again.
DEAD: Final = 1 << 32

#: Place of Texture Caches among costs.
_TEXTURE: Final = CACHE_NAMES.index("texture")
#: The L2's unit number: the memory system comes first in the order of a cycle.
L2_UNIT: Final = 1
_RING: Final = L1_RING - 1


@inner(types.void(SYSTEM_T, L1_T, types.int64, types.int64, types.int64))
def _request(s: Record, c: Record, line: Int, write: Int, who: Int) -> None:
    """Queue a line for the L2; the caller has checked for room."""
    c.request[(c.request_head + c.request_count) & _RING] = 2 * line + write
    c.request_who[(c.request_head + c.request_count) & _RING] = who
    c.request_count += 1
    s.l2.waiting[c.client // PORT_BITS] |= 1 << c.client % PORT_BITS
    wake_at(s, L2_UNIT, s.now + 1)


@inner(types.void(SYSTEM_T, L1_T, types.int64, types.int64, types.int64))
def _charge(s: Record, c: Record, hit: Int, primary: Int, write: Int) -> None:
    """Count a look-up for whoever makes it."""
    cost = cost_at(s.costs, c.who).cache[c.cost_cache]
    cost.accesses += 1
    cost.hits += hit
    cost.misses += 1 - hit
    cost.primary_misses += primary
    cost.writes += write


@inner(types.int64(SYSTEM_T, L1_T, types.int64))
def l1_hits(s: Record, c: Record, line: Int) -> Int:
    """Look a line up if it is there; 0 where it is not, and nothing has happened."""
    base = (line & c.set_mask) * c.ways
    for way in range(base, base + c.ways):
        if c.tag[way] == line:
            c.clock += 1
            c.stamp[way] = c.clock
            c.accesses += 1
            c.hits += 1
            if s.costs.count:
                _charge(s, c, 1, 0, 0)
            return 1
    return 0


@inner(types.int64(SYSTEM_T, L1_T, types.int64, types.int64))
def l1_read(s: Record, c: Record, line: Int, waiters: Int) -> Int:
    """Look a line up: HIT, MISS or WAITS (its fill wakes ``waiters``, once), BLOCKED (nothing happened; try again)."""
    if l1_hits(s, c, line):
        return HIT
    for k in range(c.mshr_count):
        if c.mshr_line[k] == line:
            c.accesses += 1
            c.misses += 1
            if s.costs.count:
                _charge(s, c, 0, 0, 0)
            if waiters and c.mshr_waiters[k] & waiters == waiters:
                return WAITS
            c.mshr_waiters[k] |= waiters
            return MISS
    if c.mshr_count >= c.num_mshrs or c.request_count >= c.request_depth:
        return BLOCKED
    c.mshr_line[c.mshr_count] = line
    c.mshr_waiters[c.mshr_count] = waiters
    c.mshr_count += 1
    c.accesses += 1
    c.misses += 1
    c.primary_misses += 1
    if s.costs.count:
        _charge(s, c, 0, 1, 0)
        if c.cost_cache == _TEXTURE:
            charge_texture(s, line, 1, 0)
    _request(s, c, line, 0, c.who)
    return MISS


@inner(types.int64(SYSTEM_T, L1_T, types.int64, types.int64))
def _place(s: Record, c: Record, line: Int, dirty: Int) -> Int:
    """Put a line in place of the least recently used one of its set; 0 when that one's write-back finds no room."""
    base = (line & c.set_mask) * c.ways
    victim = base
    for way in range(base, base + c.ways):
        if c.stamp[way] < c.stamp[victim]:
            victim = way
    if s.plugs.victim.function:
        chosen = call_plug(s, s.plugs.victim, c.client, base, c.ways, line)
        if chosen >= 0:
            victim = chosen & (DEAD - 1)
            if chosen & DEAD:
                c.dirty[victim] = 0
    if c.dirty[victim]:
        if c.request_count >= c.request_depth:
            return 0
        c.write_backs += 1
        who = np.int64(c.line_who[victim])
        if s.costs.count:
            cost_at(s.costs, who).cache[c.cost_cache].write_backs += 1
        _request(s, c, c.tag[victim], 1, who)
    c.clock += 1
    c.tag[victim] = line
    c.stamp[victim] = c.clock
    c.dirty[victim] = dirty
    c.line_who[victim] = c.who
    return 1


@inner(types.int64(SYSTEM_T, L1_T, types.int64))
def l1_write(s: Record, c: Record, line: Int) -> Int:
    """Write into a line: HIT, MISS (the line was taken without a fetch), or BLOCKED (no room for a write-back)."""
    base = (line & c.set_mask) * c.ways
    for way in range(base, base + c.ways):
        if c.tag[way] == line:
            c.clock += 1
            c.stamp[way] = c.clock
            c.dirty[way] = 1
            c.line_who[way] = c.who
            c.accesses += 1
            c.writes += 1
            c.hits += 1
            if s.costs.count:
                _charge(s, c, 1, 0, 1)
            return HIT
    if _place(s, c, line, 1) == 0:
        return BLOCKED
    c.accesses += 1
    c.writes += 1
    c.misses += 1
    if s.costs.count:
        _charge(s, c, 0, 0, 1)
    return MISS


@inner(types.int64(SYSTEM_T, L1_T))
def fill_due(s: Record, c: Record) -> Int:
    """Tell whether the next fill has arrived."""
    return 1 if c.fill_count > 0 and c.fill_time[c.fill_head] <= s.now else 0


@inner(types.int64(L1_T))
def fill_at(c: Record) -> Int:
    """First cycle in which the next fill can be taken; one is taken a cycle."""
    return max(c.fill_time[c.fill_head], c.fill_free) if c.fill_count else NEVER


@inner(types.int64(SYSTEM_T, L1_T))
def l1_fill(s: Record, c: Record) -> Int:
    """Take the next fill, which is due: the waiters of its line, or 0 when its write-back finds no room.

    A Texture Cache takes it in the first cycle that can, which may be over (:func:`fill_at`).
    """
    line = c.fill[c.fill_head]
    if _place(s, c, line, 0) == 0:
        return 0
    c.fill_free = fill_at(c) + 1
    c.fill_head = (c.fill_head + 1) & _RING
    c.fill_count -= 1
    for k in range(c.mshr_count):
        if c.mshr_line[k] == line:
            waiters: Int = c.mshr_waiters[k]
            last = c.mshr_count - 1
            c.mshr_line[k] = c.mshr_line[last]
            c.mshr_waiters[k] = c.mshr_waiters[last]
            c.mshr_count = last
            return waiters
    return 0


@inner(types.void(SYSTEM_T, L1_T, types.int64))
def answer(s: Record, c: Record, line: Int) -> None:
    """Send a line from the L2 to the cache; it arrives after the L2's latency."""
    slot = (c.fill_head + c.fill_count) & _RING
    time = s.now + s.l2.latency
    c.fill[slot] = line
    c.fill_time[slot] = time
    c.fill_count += 1
    wake_at(s, c.owner, max(time, c.quiet_until))


@inner(types.void(SYSTEM_T, L1_T))
def request_taken(s: Record, c: Record) -> None:
    """Remove the head of the request queue and tell those who may have waited for the room."""
    c.request_head = (c.request_head + 1) & _RING
    c.request_count -= 1
    if c.request_count == 0:
        s.l2.waiting[c.client // PORT_BITS] &= ~(1 << c.client % PORT_BITS)
    if c.request_count == c.request_depth - 1:
        notify(s, L2_UNIT, c.owner)
        notify(s, L2_UNIT, c.writer)


@kernel(types.void(L1_T))
def invalidate(c: Record) -> None:
    """Forget all lines without writing them back."""
    for way in range(min((c.set_mask + 1) * c.ways, L1_LINES)):
        c.tag[way] = -1
        c.stamp[way] = 0
        c.dirty[way] = 0
    c.clock = 0
