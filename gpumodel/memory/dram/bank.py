"""A bank's command queue: what it wants next, and when the constraints allow it."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.kernels import BANK_T, CHANNEL_T, PARAMETERS_T, TRANSACTIONS_T, Int, Record, kernel
from gpumodel.memory.dram.state import NEVER

__all__ = ["append_command", "examine", "plan_all", "plan_bank", "remove_command", "step_refresh_at"]

_CLOSED: Final = -1


@kernel(types.int64(BANK_T, types.int64))
def _follows_read(b: Record, place: Int) -> Int:
    """1 when an older read of the same burst waits, so that the write must not overtake it."""
    for k in range(place):
        if b.write[k] == 0 and b.row[k] == b.row[place] and b.column[k] == b.column[place]:
            return 1
    return 0


@kernel(types.void(BANK_T, PARAMETERS_T))
def examine(b: Record, p: Record) -> None:
    """Find the first read and write that hit the open row, and whether the oldest command may close it.

    A conflict closes a row only for the oldest command, and only when no command of the queue hits the row any more or
    the row has served its share of columns.
    """
    b.first_read = -1
    b.first_write = -1
    b.conflict = 0
    if b.open_row == _CLOSED or b.count == 0:
        return
    hit = 0
    for k in range(b.count):
        if b.row[k] == b.open_row:
            hit = 1
            if b.write[k]:
                if b.first_write < 0 and _follows_read(b, k) == 0:
                    b.first_write = k
            elif b.first_read < 0:
                b.first_read = k
    if b.row[0] != b.open_row and (hit == 0 or b.row_hits >= p.hits_before_conflict):
        b.conflict = 1


@kernel(types.int64(CHANNEL_T, PARAMETERS_T, types.int64))
def plan_bank(c: Record, p: Record, number: Int) -> Int:
    """Earliest tick at which one of the bank's commands may issue, as things stand."""
    b = c.bank[number]
    if b.count == 0:
        return NEVER
    rank = c.rank[b.rank]
    if b.open_row == _CLOSED:
        return max(b.activate_at, c.group_activate_at[b.group], rank.activates[rank.oldest] + p.four_activates)
    earliest = NEVER
    if b.conflict:
        earliest = max(b.precharge_at, rank.precharge_at)
    if b.first_read >= 0:
        earliest = min(earliest, max(b.column_at, c.group_read_at[b.group]))
    if b.first_write >= 0:
        earliest = min(earliest, max(b.column_at, c.group_write_at[b.group]))
    return earliest


@kernel(types.int64(CHANNEL_T, PARAMETERS_T))
def step_refresh_at(c: Record, p: Record) -> Int:
    """Earliest tick of the next command on the way to the refresh that waits."""
    if c.refreshes_waiting == 0:
        return NEVER
    rank = c.rank[c.refresh_rank]
    if rank.open_banks == 0:
        return rank.refresh_at
    earliest = NEVER
    first = c.refresh_rank * p.rank_banks
    for k in range(first, first + p.rank_banks):
        if c.bank[k].open_row != _CLOSED:
            earliest = min(earliest, max(c.bank[k].precharge_at, rank.precharge_at))
    return earliest


@kernel(types.void(CHANNEL_T, PARAMETERS_T))
def plan_all(c: Record, p: Record) -> None:
    """Plan every bank and the refresh anew, after a command or when a refresh begins to wait."""
    blocked = c.refresh_rank if c.refreshes_waiting else -1
    earliest = NEVER
    for k in range(p.banks):
        at = plan_bank(c, p, k)
        c.planned[k] = at
        if at < earliest and c.bank[k].rank != blocked:
            earliest = at
    c.command_at = earliest
    c.refresh_step_at = step_refresh_at(c, p)


@kernel(types.void(CHANNEL_T, PARAMETERS_T, types.int64, types.int64, TRANSACTIONS_T, types.int64))
def append_command(c: Record, p: Record, number: Int, write: Int, queue: Record, place: Int) -> None:
    """Put the column command of a transaction at the end of its bank's queue, which has room."""
    b = c.bank[number]
    k = b.count
    address = queue.address[place]
    b.address[k] = address
    b.row[k] = (address >> p.row_shift) & p.row_mask
    b.column[k] = (address >> p.column_shift) & p.column_mask
    b.write[k] = write
    b.request[k] = queue.request[place]
    b.last[k] = queue.last[place]
    b.who[k] = queue.who[place]
    b.count = k + 1
    c.queued += 1
    examine(b, p)
    at = plan_bank(c, p, number)
    c.planned[number] = at
    if at < c.command_at and not (c.refreshes_waiting and b.rank == c.refresh_rank):
        c.command_at = at


@kernel(types.void(CHANNEL_T, types.int64, types.int64))
def remove_command(c: Record, number: Int, place: Int) -> None:
    """Take a command out of its bank's queue."""
    b = c.bank[number]
    b.count -= 1
    c.queued -= 1
    for k in range(place, b.count):
        b.address[k] = b.address[k + 1]
        b.row[k] = b.row[k + 1]
        b.column[k] = b.column[k + 1]
        b.write[k] = b.write[k + 1]
        b.request[k] = b.request[k + 1]
        b.last[k] = b.last[k + 1]
        b.who[k] = b.who[k + 1]
