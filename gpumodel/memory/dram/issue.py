"""Issuing commands: the state and the constraints that each of them leaves behind.

Constraints that hold for a whole bank group or rank are kept there once, not in every bank.
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.bank import banks_of_rank, blocked_banks, examine, plan, remove_command
from gpumodel.memory.dram.kernels import (
    CHANNEL_T,
    COMMANDS,
    MEMORY_T,
    REQUESTS,
    Array,
    Int,
    Record,
    inner,
)
from gpumodel.memory.dram.state import ACTIVATE, COMMAND_COST, NEVER, PRECHARGE, READ, REFRESH, WRITE
from traceformat.native.access import count_trailing_zeros, row_accessor

__all__ = ["issue_command", "step_refresh"]

_CLOSED: Final = -1
_cost_at: Final = row_accessor(COMMAND_COST)


@inner(
    types.void(
        MEMORY_T, CHANNEL_T, COMMANDS, types.int64, types.int64, types.int64, types.int64
    )
)  # fmt: skip
def _log(memory: Record, channel: Record, log: Array, now: Int, kind: Int, number: Int, entry: Int) -> None:
    """Log a command; ``entry`` is whose it is, -1 = a refresh's."""
    k = memory.log_count
    if k >= len(log):
        return
    parameters = memory.par
    row = column = -1
    if entry >= 0:
        row = channel.entry[entry].row
        column = (channel.entry[entry].address >> parameters.column_shift) & parameters.column_mask
    memory.log_count = k + 1
    log[k].cycle = now
    log[k].kind = kind
    log[k].channel = channel.number
    log[k].rank = number // parameters.rank_banks
    log[k].group = number // parameters.group_banks % parameters.groups
    log[k].bank = number % parameters.group_banks
    log[k].row = row
    log[k].column = column


@inner(types.void(MEMORY_T, CHANNEL_T, types.int64, types.int64, types.int64))
def _activate(memory: Record, channel: Record, number: Int, row: Int, now: Int) -> None:
    parameters, bank = memory.par, channel.bank[number]
    rank = channel.rank[bank.rank]
    channel.activates += 1
    channel.opened |= 1 << number
    bank.open_row = row
    bank.column_at = now + parameters.activate_column
    bank.precharge_at = max(bank.precharge_at, now + parameters.activate_precharge)
    bank.activate_at = now + parameters.activate_activate
    first = bank.rank * parameters.groups
    for group in range(first, first + parameters.groups):
        gap = parameters.activate_activate_same if group == bank.group else parameters.activate_activate_other
        channel.group_activate_at[group] = max(channel.group_activate_at[group], now + gap)
    rank.activates[rank.oldest] = now
    rank.oldest = (rank.oldest + 1) & 3
    if rank.open_banks == 0:
        rank.active_since = now
    rank.open_banks += 1
    examine(channel, bank, parameters)
    plan(channel, parameters, banks_of_rank(parameters, bank.rank) & ~channel.opened | 1 << number)


@inner(types.void(MEMORY_T, CHANNEL_T, types.int64, types.int64))
def _precharge(memory: Record, channel: Record, number: Int, now: Int) -> None:
    parameters, bank = memory.par, channel.bank[number]
    rank = channel.rank[bank.rank]
    channel.precharges += 1
    channel.opened &= ~(1 << number)
    bank.open_row = _CLOSED
    bank.row_hits = 0
    bank.activate_at = max(bank.activate_at, now + parameters.precharge_activate)
    rank.refresh_at = max(rank.refresh_at, now + parameters.precharge_activate)
    rank.precharge_at = now + parameters.precharge_precharge
    rank.open_banks -= 1
    if rank.open_banks == 0:
        rank.active_cycles += now - rank.active_since
    examine(channel, bank, parameters)
    plan(channel, parameters, banks_of_rank(parameters, bank.rank) & channel.opened | 1 << number)


@inner(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64, types.int64))
def _return_data(memory: Record, channel: Record, requests: Array, first: Int, last: Int, done: Int) -> None:
    """Give a list of merged reads its time, and append it to the channel's list of returned reads."""
    k = first
    while True:
        requests[k].done = done
        memory.open -= 1
        if k == last:
            break
        k = requests[k].next
    if channel.returned_tail >= 0:
        requests[channel.returned_tail].next = first
    else:
        channel.returned_head = first
    requests[last].next = -1
    channel.returned_tail = last
    memory.last_done = max(memory.last_done, done)


@inner(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64, types.int64))
def _column(memory: Record, channel: Record, requests: Array, number: Int, place: Int, now: Int) -> None:
    parameters, bank = memory.par, channel.bank[number]
    hit = 1 if bank.row_hits else 0
    bank.row_hits += 1
    memory.last_progress = now
    channel.burst_until = now + parameters.burst
    entry = channel.entry[bank.queue[place]]
    write = entry.write
    for group in range(parameters.ranks * parameters.groups):
        where = 0 if group == bank.group else 1
        if group // parameters.groups != bank.rank:
            where = 2
        channel.group_read_at[group] = max(channel.group_read_at[group], now + parameters.column_gap[write, where, 0])
        channel.group_write_at[group] = max(channel.group_write_at[group], now + parameters.column_gap[write, where, 1])
    bank.precharge_at = max(bank.precharge_at, now + parameters.column_precharge[write])
    if memory.costs.count:
        cost = _cost_at(memory.costs, entry.who)
        cost.write_commands += write
        cost.read_commands += 1 - write
        cost.row_hits += hit
    if write:
        channel.write_commands += 1
        channel.write_hits += hit
    else:
        channel.read_commands += 1
        channel.read_hits += hit
        _return_data(memory, channel, requests, entry.request, entry.last, now + parameters.read_delay)
    remove_command(channel, number, place)
    examine(channel, bank, parameters)
    plan(channel, parameters, channel.opened)


@inner(types.int64(MEMORY_T, CHANNEL_T, types.int64, types.int64))
def _choose(memory: Record, channel: Record, number: Int, now: Int) -> Int:
    """Place of the first command of an open bank's queue that may issue; -1 closes the row for the oldest."""
    bank = channel.bank[number]
    if bank.conflict and now >= max(bank.precharge_at, channel.rank[bank.rank].precharge_at):
        return -1
    place = NEVER
    if now >= bank.column_at:
        if bank.first_read >= 0 and now >= channel.group_read_at[bank.group]:
            place = bank.first_read
        if bank.first_write >= 0 and now >= channel.group_write_at[bank.group]:
            place = min(place, bank.first_write)
    return place


@inner(types.int64(CHANNEL_T, types.int64, types.int64))
def _first_that_may(channel: Record, banks: Int, now: Int) -> Int:
    """First of some banks whose queue can issue now, or -1."""
    while banks:
        number = count_trailing_zeros(banks)
        if channel.planned[number] <= now:
            return number
        banks &= banks - 1
    return -1


@inner(types.int64(MEMORY_T, CHANNEL_T, REQUESTS, COMMANDS, types.int64))
def issue_command(memory: Record, channel: Record, requests: Array, log: Array, now: Int) -> Int:
    """Issue the first command that may, going round the banks from the one behind the last served.

    Returns
    -------
    1 after a column command, which leaves room in a queue, else 0
    """
    waiting = channel.occupied & ~blocked_banks(channel, memory.par)
    behind = waiting & (-2 << channel.turn)
    number = _first_that_may(channel, behind, now)
    if number < 0:
        number = _first_that_may(channel, waiting & ~behind, now)
    if number < 0:
        # A command that has come meanwhile keeps open the row that was to be closed.
        plan(channel, memory.par, 0)
        return 0
    channel.turn = number
    bank = channel.bank[number]
    oldest = bank.queue[0]
    if bank.open_row == _CLOSED:
        _log(memory, channel, log, now, ACTIVATE, number, oldest)
        if memory.costs.count:
            _cost_at(memory.costs, channel.entry[oldest].who).activates += 1
        _activate(memory, channel, number, channel.entry[oldest].row, now)
        return 0
    place = _choose(memory, channel, number, now)
    if place < 0:
        _log(memory, channel, log, now, PRECHARGE, number, oldest)
        channel.conflicts += 1
        _precharge(memory, channel, number, now)
        return 0
    entry = bank.queue[place]
    _log(memory, channel, log, now, WRITE if channel.entry[entry].write else READ, number, entry)
    _column(memory, channel, requests, number, place, now)
    return 1


@inner(types.void(MEMORY_T, CHANNEL_T, COMMANDS, types.int64))
def step_refresh(memory: Record, channel: Record, log: Array, now: Int) -> None:
    """Close a bank of the rank that waits for its refresh, or refresh it when all are closed."""
    parameters = memory.par
    rank = channel.rank[channel.refresh_rank]
    first = channel.refresh_rank * parameters.rank_banks
    if rank.open_banks:
        for number in range(first, first + parameters.rank_banks):
            bank = channel.bank[number]
            if bank.open_row != _CLOSED and now >= max(bank.precharge_at, rank.precharge_at):
                _log(memory, channel, log, now, PRECHARGE, number, -1)
                _precharge(memory, channel, number, now)
                break
    else:
        _log(memory, channel, log, now, REFRESH, first, -1)
        channel.refreshes += 1
        rank.refresh_at = now + parameters.refresh_activate
        for group in range(channel.refresh_rank * parameters.groups, (channel.refresh_rank + 1) * parameters.groups):
            channel.group_activate_at[group] = max(channel.group_activate_at[group], now + parameters.refresh_activate)
        channel.refreshes_waiting -= 1
        channel.refresh_rank = channel.refresh_rank + 1 if channel.refresh_rank + 1 < parameters.ranks else 0
        plan(channel, parameters, banks_of_rank(parameters, first // parameters.rank_banks))
