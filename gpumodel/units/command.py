"""Command Processor: reads draw commands and newly set constants, and starts draws in order.

Hardware: parses the command stream in memory, updates state and constant registers, triggers the Vertex Fetcher.
Modelled: a draw's command words and its newly set constants are read through a 256-byte stream buffer and the L2, up to
its MSHRs at a time; decoding takes a fixed number of cycles; the next draw is read while the last one's vertices run.
Left out: state changes that no draw uses; interrupts; the CPU's side.
Source: thesis §2.2.1, RE §II (what it does); command bytes and decode cycles ASSUMED (presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.cache import BLOCKED, MISS, fill_due, l1_fill, l1_read
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, QUEUE, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.state import L1_COMMAND
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import draw_at

__all__ = ["tick_command"]

_LINE_BYTES: Final = 64
#: Draws that are decoded ahead of the Vertex Fetcher.
_AHEAD: Final = 2


@inner(types.int64(SYSTEM_T, types.int64))
def tick_command(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    c = s.l1[L1_COMMAND]
    worked = 0
    blocked = 0
    if fill_due(s, c) and l1_fill(s, c):
        g.command_waiting -= 1
        worked = 1
    if g.draws_ready < g.draw_end:
        if g.draws_ready - g.draw >= _AHEAD:
            account(s, g.u_command, QUEUE)
            return NEVER
        if g.command_until == 0:
            bytes_needed: Int = draw_at(g.draws, g.draws_ready).command_bytes
            lines = (bytes_needed + _LINE_BYTES - 1) // _LINE_BYTES
            if g.command_requested < lines:
                if s.costs.count:
                    c.who = g.cost_first + g.draws_ready
                found = l1_read(s, c, g.command_line, 1)
                if found == BLOCKED:
                    blocked = 1
                else:
                    worked = 1
                    g.command_line += 1
                    g.command_requested += 1
                    if found == MISS:
                        g.command_waiting += 1
            elif g.command_waiting == 0:
                g.command_until = s.now + s.cfg.command_cycles
        if g.command_until:
            if s.now < g.command_until:
                account(s, g.u_command, BUSY)
                return np.int64(g.command_until)
            g.command_until = 0
            g.command_requested = 0
            g.draws_ready += 1
            notify(s, g.u_command, g.u_vertex)
            notify(s, g.u_command, g.u_fetch_tiles)
            worked = 1
    if worked:
        account(s, g.u_command, BUSY)
        return s.now + 1
    if blocked:
        account(s, g.u_command, RESOURCE)
    elif g.draws_ready < g.draw_end:
        account(s, g.u_command, DATA)
    else:
        account(s, g.u_command, IDLE)
    return np.int64(c.fill_time[c.fill_head]) if c.fill_count else NEVER
