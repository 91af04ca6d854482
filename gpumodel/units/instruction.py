"""Instruction Caches: lines of shader code for Fragment and Vertex Processors.

Hardware: a cache that some processors share; each fetches the instructions of its threads from it.
Modelled: the look-ups are made by the processors (:mod:`.fragment`, :mod:`.vertex`); this unit takes the fills and
tells the processors that wait. Code lies where the programs table says, eight bytes an instruction.
Left out: prefetch; contention of processors for the cache's ports (a line lasts eight instructions).
Source: thesis Table 4.1 (16 KB, 2-way, 2 caches) and §5.2 (as many as processors); which processors share one ASSUMED
(presets).
"""

from __future__ import annotations

import numpy as np
from numba import types

from gpumodel.units.cache import fill_due, l1_fill
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, account, count_trailing_zeros, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.state import L1_VERTEX_INSTRUCTION
from gpumodel.units.types import SYSTEM_T

__all__ = ["tick_instruction_cache"]


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def tick_instruction_cache(s: Record, me: Int, parent: Int, cache: Int) -> Int:
    """Advance the cache with number ``cache`` by one cycle; gives the next cycle with work."""
    c = s.l1[cache]
    worked = 0
    if fill_due(s, c):
        worked = 1
        waiters = l1_fill(s, c)
        while waiters:
            port = count_trailing_zeros(waiters)
            waiters &= waiters - 1
            if cache == L1_VERTEX_INSTRUCTION:
                s.frame[parent].code_waits = 0
                notify(s, me, s.frame[parent].u_processor + port)
            else:
                p = s.ru[parent].processor[port]
                p.code_ready = 1
                notify(s, me, p.unit)
    if worked:
        account(s, me, BUSY)
        return s.now + 1
    account(s, me, DATA if c.mshr_count else IDLE)
    return np.int64(max(c.fill_time[c.fill_head], s.now + 1)) if c.fill_count else NEVER
