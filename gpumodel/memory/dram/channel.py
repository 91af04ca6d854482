"""The memory's clock: from event to event, one command a tick and channel.

A tick of a channel: a refresh falls due; one command issues, on the way to a refresh or for the queues; one transaction
moves to the banks. Behind the tick, one request of the input is accepted. Nothing happens between the ticks that
:func:`next_event` names, so they are the only ones run.
"""

from __future__ import annotations

from numba import types

from gpumodel.memory.dram.bank import plan
from gpumodel.memory.dram.issue import issue_command, step_refresh
from gpumodel.memory.dram.kernels import CHANNEL_T, COMMANDS, MEMORY_T, REQUESTS, Array, Int, Record, inner, kernel
from gpumodel.memory.dram.state import NEVER
from gpumodel.memory.dram.transactions import accept, schedule

__all__ = ["advance", "next_event", "tick"]


@inner(types.void(MEMORY_T, CHANNEL_T, REQUESTS, COMMANDS, types.int64))
def _tick_channel(memory: Record, channel: Record, requests: Array, log: Array, now: Int) -> None:
    parameters = memory.par
    if now >= channel.refresh_due_at:
        channel.refresh_due_at += parameters.refresh_interval
        channel.refreshes_waiting += 1
        if channel.refreshes_waiting == 1:
            # The rank's banks issue nothing any more.
            plan(channel, parameters, 0)
    column = 0
    if now >= channel.refresh_step_at:
        step_refresh(memory, channel, log, now)
    elif now >= channel.command_at:
        column = issue_command(memory, channel, requests, log, now)
    if column or now >= channel.schedule_at:
        schedule(channel, parameters, now)
    earliest = min(min(channel.command_at, channel.refresh_step_at), min(channel.schedule_at, channel.refresh_due_at))
    channel.next_at = max(earliest, now + 1)


@inner(types.int64(MEMORY_T, REQUESTS))
def next_event(memory: Record, requests: Array) -> Int:
    """Next tick in which something can happen; never before ``memory.now``, and at a refresh at the latest."""
    earliest = NEVER
    for k in range(memory.par.channels):
        earliest = min(earliest, memory.channel[k].next_at)
    # A request that found its queue full waits for an event of its channel.
    if memory.input_head >= 0 and memory.input_blocked == 0:
        earliest = min(earliest, requests[memory.input_head].cycle)
    return max(earliest, memory.now)


@inner(types.void(MEMORY_T, REQUESTS, COMMANDS, types.int64))
def tick(memory: Record, requests: Array, log: Array, now: Int) -> None:
    """Run tick ``now``, and accept a request behind it."""
    for k in range(memory.par.channels):
        channel = memory.channel[k]
        if channel.next_at <= now:
            _tick_channel(memory, channel, requests, log, now)
    accept(memory, requests, now)
    memory.now = now + 1


@kernel(types.int64(MEMORY_T, REQUESTS, COMMANDS, types.int64))
def advance(memory: Record, requests: Array, log: Array, until: Int) -> Int:
    """Run all ticks up to ``until`` inclusive; gives the next tick in which something can happen."""
    now = next_event(memory, requests)
    while now <= until:
        tick(memory, requests, log, now)
        now = next_event(memory, requests)
    memory.now = max(memory.now, until + 1)
    return now
