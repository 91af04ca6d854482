"""A bank's command queue: what it wants next, and when the constraints allow it."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.kernels import BANK_T, CHANNEL_T, PARAMETERS_T, Int, Record, inner
from gpumodel.memory.dram.state import NEVER
from traceformat.native.access import count_trailing_zeros

__all__ = ["append_command", "banks_of_rank", "blocked_banks", "examine", "plan", "remove_command"]

_CLOSED: Final = -1


@inner(types.int64(CHANNEL_T, BANK_T, PARAMETERS_T, types.int64))
def _follows_read(channel: Record, bank: Record, parameters: Record, place: Int) -> Int:
    """1 when an older read of the same burst waits, so that the write must not overtake it."""
    mine = channel.entry[bank.queue[place]]
    for k in range(place):
        other = channel.entry[bank.queue[k]]
        if (
            other.write == 0
            and other.row == mine.row
            and ((other.address ^ mine.address) >> parameters.column_shift) & parameters.column_mask == 0
        ):
            return 1
    return 0


@inner(types.void(CHANNEL_T, BANK_T, PARAMETERS_T))
def examine(channel: Record, bank: Record, parameters: Record) -> None:
    """Find the first read and write that hit the open row, and whether the oldest command may close it.

    A conflict closes a row only for the oldest command, and only when no command of the queue hits the row any more or
    the row has served its share of columns.
    """
    bank.first_read = -1
    bank.first_write = -1
    bank.conflict = 0
    if bank.open_row == _CLOSED or bank.count == 0:
        return
    hit = 0
    for k in range(bank.count):
        entry = channel.entry[bank.queue[k]]
        if entry.row == bank.open_row:
            hit = 1
            if entry.write:
                if bank.first_write < 0 and _follows_read(channel, bank, parameters, k) == 0:
                    bank.first_write = k
            elif bank.first_read < 0:
                bank.first_read = k
    oldest = channel.entry[bank.queue[0]]
    if oldest.row != bank.open_row and (hit == 0 or bank.row_hits >= parameters.hits_before_conflict):
        bank.conflict = 1


@inner(types.void(CHANNEL_T, BANK_T, PARAMETERS_T))
def _examine_last(channel: Record, bank: Record, parameters: Record) -> None:
    """Find what the command at the end of the queue, which is new, changes in what :func:`examine` has found."""
    if bank.open_row == _CLOSED:
        return
    place = bank.count - 1
    entry = channel.entry[bank.queue[place]]
    if entry.row != bank.open_row:
        if place == 0:
            bank.conflict = 1
        return
    if entry.write:
        if bank.first_write < 0 and _follows_read(channel, bank, parameters, place) == 0:
            bank.first_write = place
    elif bank.first_read < 0:
        bank.first_read = place
    if bank.row_hits < parameters.hits_before_conflict:
        bank.conflict = 0


@inner(types.int64(CHANNEL_T, PARAMETERS_T, types.int64))
def _plan_bank(channel: Record, parameters: Record, number: Int) -> Int:
    """Earliest tick at which one of the bank's commands, of which there are some, may issue, as things stand."""
    bank = channel.bank[number]
    rank = channel.rank[bank.rank]
    if bank.open_row == _CLOSED:
        return max(
            bank.activate_at,
            channel.group_activate_at[bank.group],
            rank.activates[rank.oldest] + parameters.four_activates,
        )
    earliest = NEVER
    if bank.conflict:
        earliest = max(bank.precharge_at, rank.precharge_at)
    if bank.first_read >= 0:
        earliest = min(earliest, max(bank.column_at, channel.group_read_at[bank.group]))
    if bank.first_write >= 0:
        earliest = min(earliest, max(bank.column_at, channel.group_write_at[bank.group]))
    return earliest


@inner(types.int64(CHANNEL_T, PARAMETERS_T))
def step_refresh_at(channel: Record, parameters: Record) -> Int:
    """Earliest tick of the next command on the way to the refresh that waits."""
    if channel.refreshes_waiting == 0:
        return NEVER
    rank = channel.rank[channel.refresh_rank]
    if rank.open_banks == 0:
        return rank.refresh_at
    earliest = NEVER
    first = channel.refresh_rank * parameters.rank_banks
    for k in range(first, first + parameters.rank_banks):
        if channel.bank[k].open_row != _CLOSED:
            earliest = min(earliest, max(channel.bank[k].precharge_at, rank.precharge_at))
    return earliest


@inner(types.int64(PARAMETERS_T, types.int64))
def banks_of_rank(parameters: Record, rank: Int) -> Int:
    """Bits of the banks of a rank."""
    return ((1 << parameters.rank_banks) - 1) << rank * parameters.rank_banks


@inner(types.int64(CHANNEL_T, PARAMETERS_T))
def blocked_banks(channel: Record, parameters: Record) -> Int:
    """Bits of the banks whose queues wait for a refresh of their rank."""
    return banks_of_rank(parameters, channel.refresh_rank) if channel.refreshes_waiting else 0


@inner(types.void(CHANNEL_T, PARAMETERS_T, types.int64))
def plan(channel: Record, parameters: Record, changed: Int) -> None:
    """Plan banks anew whose constraints a command may have changed, and find the next command and the refresh's."""
    changed &= channel.occupied
    while changed:
        number = count_trailing_zeros(changed)
        changed &= changed - 1
        channel.planned[number] = _plan_bank(channel, parameters, number)
    earliest = NEVER
    waiting = channel.occupied & ~blocked_banks(channel, parameters)
    while waiting:
        earliest = min(earliest, channel.planned[count_trailing_zeros(waiting)])
        waiting &= waiting - 1
    channel.command_at = earliest
    channel.refresh_step_at = step_refresh_at(channel, parameters)


@inner(types.void(CHANNEL_T, PARAMETERS_T, types.int64, types.int64))
def append_command(channel: Record, parameters: Record, number: Int, entry: Int) -> None:
    """Put the column command of a transaction at the end of its bank's queue, which has room."""
    bank = channel.bank[number]
    bank.queue[bank.count] = entry
    bank.count += 1
    channel.queued += 1
    channel.occupied |= 1 << number
    if bank.count >= parameters.command_depth:
        channel.full |= 1 << number
    _examine_last(channel, bank, parameters)
    at = _plan_bank(channel, parameters, number)
    channel.planned[number] = at
    if at < channel.command_at and not (channel.refreshes_waiting and bank.rank == channel.refresh_rank):
        channel.command_at = at


@inner(types.void(CHANNEL_T, types.int64, types.int64))
def remove_command(channel: Record, number: Int, place: Int) -> None:
    """Take a command out of its bank's queue, and let its entry go."""
    bank = channel.bank[number]
    entry = bank.queue[place]
    channel.entry[entry].next = channel.free
    channel.free = entry
    bank.count -= 1
    channel.queued -= 1
    channel.full &= ~(1 << number)
    if bank.count == 0:
        channel.occupied &= ~(1 << number)
    for k in range(place, bank.count):
        bank.queue[k] = bank.queue[k + 1]
