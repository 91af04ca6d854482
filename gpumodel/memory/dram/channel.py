"""The memory's clock: from event to event, one command a tick and channel.

A tick of a channel: a refresh falls due; one command issues, on the way to a refresh or for the queues; one transaction
moves to the banks. Behind the tick, one request of the input is accepted. Nothing happens between the ticks that
:func:`next_event` names, so they are the only ones run.
"""

from __future__ import annotations

from numba import types

from gpumodel.memory.dram.bank import plan_all
from gpumodel.memory.dram.issue import issue_command, step_refresh
from gpumodel.memory.dram.kernels import CHANNEL_T, COMMANDS, MEMORY_T, REQUESTS, Array, Int, Record, kernel
from gpumodel.memory.dram.state import NEVER
from gpumodel.memory.dram.transactions import accept, schedule

__all__ = ["advance", "next_event", "tick"]


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
def tick(m: Record, requests: Array, log: Array, now: Int) -> None:
    """Run tick ``now``, and accept a request behind it."""
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
        tick(m, requests, log, now)
        now = next_event(m, requests)
    m.now = max(m.now, until + 1)
    return now
