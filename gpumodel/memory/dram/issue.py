"""Issuing commands: the state and the constraints that each of them leaves behind.

Constraints that hold for a whole bank group or rank are kept there once, not in every bank.
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.bank import examine, plan_all, remove_command
from gpumodel.memory.dram.kernels import (
    CHANNEL_T,
    COMMANDS,
    MEMORY_T,
    REQUESTS,
    Array,
    Int,
    Record,
    kernel,
)
from gpumodel.memory.dram.state import ACTIVATE, COMMAND_COST, NEVER, PRECHARGE, READ, REFRESH, WRITE
from traceformat.native.access import row_accessor

__all__ = ["issue_command", "step_refresh"]

_CLOSED: Final = -1
_cost_at: Final = row_accessor(COMMAND_COST)


@kernel(
    types.void(
        MEMORY_T, CHANNEL_T, COMMANDS, types.int64, types.int64, types.int64, types.int64, types.int64
    )
)  # fmt: skip
def _log(m: Record, c: Record, log: Array, now: Int, kind: Int, number: Int, row: Int, column: Int) -> None:
    k = m.log_count
    if k >= len(log):
        return
    p = m.par
    m.log_count = k + 1
    log[k].cycle = now
    log[k].kind = kind
    log[k].channel = c.number
    log[k].rank = number // p.rank_banks
    log[k].group = number // p.group_banks % p.groups
    log[k].bank = number % p.group_banks
    log[k].row = row
    log[k].column = column


@kernel(types.void(MEMORY_T, CHANNEL_T, types.int64, types.int64, types.int64))
def _activate(m: Record, c: Record, number: Int, row: Int, now: Int) -> None:
    p, b = m.par, c.bank[number]
    rank = c.rank[b.rank]
    c.activates += 1
    b.open_row = row
    b.column_at = now + p.activate_column
    b.precharge_at = max(b.precharge_at, now + p.activate_precharge)
    b.activate_at = now + p.activate_activate
    first = b.rank * p.groups
    for g in range(first, first + p.groups):
        gap = p.activate_activate_same if g == b.group else p.activate_activate_other
        c.group_activate_at[g] = max(c.group_activate_at[g], now + gap)
    rank.activates[rank.oldest] = now
    rank.oldest = (rank.oldest + 1) & 3
    if rank.open_banks == 0:
        rank.active_since = now
    rank.open_banks += 1
    examine(b, p)


@kernel(types.void(MEMORY_T, CHANNEL_T, types.int64, types.int64))
def _precharge(m: Record, c: Record, number: Int, now: Int) -> None:
    p, b = m.par, c.bank[number]
    rank = c.rank[b.rank]
    c.precharges += 1
    b.open_row = _CLOSED
    b.row_hits = 0
    b.activate_at = max(b.activate_at, now + p.precharge_activate)
    rank.refresh_at = max(rank.refresh_at, now + p.precharge_activate)
    rank.precharge_at = now + p.precharge_precharge
    rank.open_banks -= 1
    if rank.open_banks == 0:
        rank.active_cycles += now - rank.active_since
    examine(b, p)


@kernel(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64, types.int64))
def _return_data(m: Record, c: Record, requests: Array, first: Int, last: Int, done: Int) -> None:
    """Give a list of merged reads its time, and append it to the channel's list of returned reads."""
    k = first
    while True:
        requests[k].done = done
        m.open -= 1
        if k == last:
            break
        k = requests[k].next
    if c.returned_tail >= 0:
        requests[c.returned_tail].next = first
    else:
        c.returned_head = first
    requests[last].next = -1
    c.returned_tail = last
    m.last_done = max(m.last_done, done)


@kernel(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64, types.int64))
def _column(m: Record, c: Record, requests: Array, number: Int, place: Int, now: Int) -> None:
    p, b = m.par, c.bank[number]
    hit = 1 if b.row_hits else 0
    b.row_hits += 1
    m.last_progress = now
    c.burst_until = now + p.burst
    write = b.write[place]
    for g in range(p.ranks * p.groups):
        where = 0 if g == b.group else 1
        if g // p.groups != b.rank:
            where = 2
        c.group_read_at[g] = max(c.group_read_at[g], now + p.column_gap[write, where, 0])
        c.group_write_at[g] = max(c.group_write_at[g], now + p.column_gap[write, where, 1])
    b.precharge_at = max(b.precharge_at, now + p.column_precharge[write])
    if m.costs.count:
        cost = _cost_at(m.costs, b.who[place])
        cost.write_commands += write
        cost.read_commands += 1 - write
        cost.row_hits += hit
    if write:
        c.write_commands += 1
        c.write_hits += hit
    else:
        c.read_commands += 1
        c.read_hits += hit
        _return_data(m, c, requests, b.request[place], b.last[place], now + p.read_delay)
    remove_command(c, number, place)
    examine(b, p)


@kernel(types.int64(MEMORY_T, CHANNEL_T, types.int64, types.int64))
def _choose(m: Record, c: Record, number: Int, now: Int) -> Int:
    """Place of the first command of an open bank's queue that may issue; -1 closes the row for the oldest."""
    b = c.bank[number]
    if b.conflict and now >= max(b.precharge_at, c.rank[b.rank].precharge_at):
        return -1
    place = NEVER
    if now >= b.column_at:
        if b.first_read >= 0 and now >= c.group_read_at[b.group]:
            place = b.first_read
        if b.first_write >= 0 and now >= c.group_write_at[b.group]:
            place = min(place, b.first_write)
    return place


@kernel(types.int64(MEMORY_T, CHANNEL_T, REQUESTS, COMMANDS, types.int64))
def issue_command(m: Record, c: Record, requests: Array, log: Array, now: Int) -> Int:
    """Issue the first command that may, going round the banks from the one behind the last served.

    Returns
    -------
    1 after a column command, which leaves room in a queue, else 0
    """
    p = m.par
    blocked = c.refresh_rank if c.refreshes_waiting else -1
    number = c.turn
    column = 0
    for _ in range(p.banks):
        number += 1
        if number >= p.banks:
            number = 0
        if c.planned[number] > now or c.bank[number].rank == blocked:
            continue
        c.turn = number
        b = c.bank[number]
        if b.open_row == _CLOSED:
            _log(m, c, log, now, ACTIVATE, number, b.row[0], b.column[0])
            if m.costs.count:
                _cost_at(m.costs, b.who[0]).activates += 1
            _activate(m, c, number, b.row[0], now)
        else:
            place = _choose(m, c, number, now)
            if place < 0:
                _log(m, c, log, now, PRECHARGE, number, b.row[0], b.column[0])
                c.conflicts += 1
                _precharge(m, c, number, now)
            else:
                _log(m, c, log, now, WRITE if b.write[place] else READ, number, b.row[place], b.column[place])
                _column(m, c, requests, number, place, now)
                column = 1
        break
    plan_all(c, p)
    return column


@kernel(types.void(MEMORY_T, CHANNEL_T, COMMANDS, types.int64))
def step_refresh(m: Record, c: Record, log: Array, now: Int) -> None:
    """Close a bank of the rank that waits for its refresh, or refresh it when all are closed."""
    p = m.par
    rank = c.rank[c.refresh_rank]
    first = c.refresh_rank * p.rank_banks
    if rank.open_banks:
        for number in range(first, first + p.rank_banks):
            b = c.bank[number]
            if b.open_row != _CLOSED and now >= max(b.precharge_at, rank.precharge_at):
                _log(m, c, log, now, PRECHARGE, number, -1, -1)
                _precharge(m, c, number, now)
                break
    else:
        _log(m, c, log, now, REFRESH, first, -1, -1)
        c.refreshes += 1
        rank.refresh_at = now + p.refresh_activate
        for g in range(c.refresh_rank * p.groups, (c.refresh_rank + 1) * p.groups):
            c.group_activate_at[g] = max(c.group_activate_at[g], now + p.refresh_activate)
        c.refreshes_waiting -= 1
        c.refresh_rank = c.refresh_rank + 1 if c.refresh_rank + 1 < p.ranks else 0
    plan_all(c, p)
