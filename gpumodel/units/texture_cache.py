"""Texture Caches, and those that processors of two Raster Units share.

Hardware: a processor's private Texture Cache; or one for the same processor of two neighbouring Raster Units, of the
same size, with one port (or two), its miss registers for both.
Modelled: a private cache's look-ups and fills are its processor's (:mod:`.fragment`). A shared one is this unit, which
takes a fill a cycle and wakes the threads of both processors. In a cycle without a free port a processor tries again
in the next one; who found none has the port before the other then, so that two that want it take turns.
Left out: bank conflicts between the two ports.
Source: thesis §6.2 (halved caches of the same size), §6.4 (one port); turns at the port ASSUMED.
"""

from __future__ import annotations

import numpy as np
from numba import types

from gpumodel.units.cache import BLOCKED, fill_due, l1_fill
from gpumodel.units.capacity import MAX_SHARING_THREADS
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, account, count_trailing_zeros, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.state import L1_TEXTURE
from gpumodel.units.types import L1_T, PROCESSOR_T, SYSTEM_T

__all__ = ["account_port", "give_line", "take_port", "tick_texture_cache"]


@inner(types.void(PROCESSOR_T, types.int64))
def give_line(p: Record, waiters: Int) -> None:
    """Tell the threads of a processor that wait for a line that it is there."""
    while waiters:
        slot = count_trailing_zeros(waiters)
        waiters &= waiters - 1
        p.pending[slot] -= 1
        if p.pending[slot] == 0 and p.filtered[slot]:
            p.ready |= 1 << slot


@inner(types.int64(SYSTEM_T, PROCESSOR_T, L1_T))
def take_port(s: Record, p: Record, c: Record) -> Int:
    """Take a port of a shared cache for this cycle; 0 when there is none, or it is the other processor's turn."""
    if c.port_cycle != s.now:
        c.port_cycle = s.now
        c.port_used = 0
    left = c.ports - c.port_used
    if left == 0:
        c.port_conflicts += 1
    elif left == 1 and c.denied_cycle == s.now - 1 and c.denied != p.unit:
        # What for shows when the other one has tried, earlier or later in this cycle.
        if c.blocked_cycle == s.now:
            c.register_waits += 1
        else:
            c.left_cycle = s.now
        left = 0
    if left == 0:
        c.denied = p.unit
        c.denied_cycle = s.now
        return 0
    c.port_used += 1
    return 1


@inner(types.void(SYSTEM_T, L1_T, types.int64))
def account_port(s: Record, c: Record, found: Int) -> None:
    """Account for a look-up at a shared cache's port: whoever left the port to it has waited for the port, or, as it
    found no miss register, for that; then the port is free again.
    """
    others = 1 if c.left_cycle == s.now else 0
    if found == BLOCKED:
        c.port_used -= 1
        c.blocked_cycle = s.now
        c.register_waits += 1 + others
    else:
        c.port_conflicts += others


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def tick_texture_cache(s: Record, me: Int, raster_unit: Int, cache: Int) -> Int:
    """Advance the cache of Raster Units ``raster_unit`` and the next by one cycle; gives the next cycle with work."""
    c = s.l1[cache]
    worked = 0
    if fill_due(s, c):
        worked = 1
        waiters = l1_fill(s, c)
        index = (cache - L1_TEXTURE) % s.cfg.processors
        for second in range(2):
            mine = waiters >> MAX_SHARING_THREADS if second else waiters & (1 << MAX_SHARING_THREADS) - 1
            if mine:
                p = s.ru[raster_unit + second].processor[index]
                give_line(p, mine)
                # While a thread runs, the others see what has come for them when it ends.
                if p.running < 0:
                    notify(s, me, p.unit)
    if worked:
        account(s, me, BUSY)
        return s.now + 1
    account(s, me, DATA if c.mshr_count else IDLE)
    return np.int64(max(c.fill_time[c.fill_head], s.now + 1)) if c.fill_count else NEVER
