"""The memory's clock: from event to event, one command a tick and channel.

A tick of a channel: a refresh falls due; one command issues, on the way to a refresh or for the queues; one transaction
moves to the banks. Behind the tick, one request of the input is accepted. Nothing happens between the ticks that
:func:`next_event` names, so they are the only ones run.
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.bank import plan_all
from gpumodel.memory.dram.issue import issue_command, step_refresh
from gpumodel.memory.dram.kernels import CHANNEL_T, COMMANDS, MEMORY_T, REQUESTS, Array, Int, Record, kernel
from gpumodel.memory.dram.state import NEVER
from gpumodel.memory.dram.transactions import accept, schedule

__all__ = ["advance", "finish", "next_event", "run_trace"]

#: A request that waits longer than this waits for ever, ticks.
_STUCK: Final = 1 << 28


@kernel(types.void(MEMORY_T, CHANNEL_T, REQUESTS, COMMANDS, types.int64))
def _tick_channel(m: Record, c: Record, requests: Array, log: Array, now: Int) -> None:
    p = m.par
    if now >= c.refresh_due_at:
        c.refresh_due_at += p.refresh_interval
        c.refreshes_waiting += 1
        if c.refreshes_waiting == 1:
            plan_all(c, p)
    column = 0
    if now >= c.refresh_step_at:
        step_refresh(m, c, log, now)
    elif now >= c.command_at:
        column = issue_command(m, c, requests, log, now)
    if column or now >= c.schedule_at:
        schedule(c, p, now)
    earliest = min(min(c.command_at, c.refresh_step_at), min(c.schedule_at, c.refresh_due_at))
    c.next_at = max(earliest, now + 1)


@kernel(types.int64(MEMORY_T, REQUESTS))
def next_event(m: Record, requests: Array) -> Int:
    """Next tick in which something can happen; never before ``m.now``, and at a refresh at the latest."""
    earliest = NEVER
    for k in range(m.par.channels):
        earliest = min(earliest, m.channel[k].next_at)
    # A request that found its queue full waits for an event of its channel.
    if m.input_head >= 0 and m.input_blocked == 0:
        earliest = min(earliest, requests[m.input_head].cycle)
    return max(earliest, m.now)


@kernel(types.void(MEMORY_T, REQUESTS, COMMANDS, types.int64))
def _tick(m: Record, requests: Array, log: Array, now: Int) -> None:
    for k in range(m.par.channels):
        c = m.channel[k]
        if c.next_at <= now:
            _tick_channel(m, c, requests, log, now)
    accept(m, requests, now)
    m.now = now + 1


@kernel(types.int64(MEMORY_T, REQUESTS, COMMANDS, types.int64))
def advance(m: Record, requests: Array, log: Array, until: Int) -> Int:
    """Run all ticks up to ``until`` inclusive; gives the next tick in which something can happen."""
    now = next_event(m, requests)
    while now <= until:
        _tick(m, requests, log, now)
        now = next_event(m, requests)
    m.now = max(m.now, until + 1)
    return now


@kernel(types.void(MEMORY_T, types.int64))
def finish(m: Record, end: Int) -> None:
    """Count the time that ranks have been active before tick ``end``."""
    for k in range(m.par.channels):
        for r in range(m.par.ranks):
            rank = m.channel[k].rank[r]
            if rank.open_banks:
                rank.active_cycles += end - rank.active_since
                rank.active_since = end


@kernel(types.int64(MEMORY_T, REQUESTS, COMMANDS))
def run_trace(m: Record, requests: Array, log: Array) -> Int:
    """Run until every request of the input is acknowledged.

    Returns
    -------
    0, or 1 when a request can never be served (a bug of the model)
    """
    while True:
        now = next_event(m, requests)
        if m.input_count == 0 and m.open == 0 and now > m.last_done:
            break
        if (m.open or m.input_blocked) and now - m.last_progress > _STUCK:
            return 1
        _tick(m, requests, log, now)
    finish(m, m.last_done + 1)
    return 0
