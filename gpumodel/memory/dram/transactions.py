"""Transaction queues: acceptance, merging, forwarding from the write buffer, and the hand-over to the banks."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.bank import append_command
from gpumodel.memory.dram.kernels import (
    CHANNEL_T,
    MEMORY_T,
    PARAMETERS_T,
    REQUESTS,
    TRANSACTIONS_T,
    Array,
    Int,
    Record,
    inner,
)
from gpumodel.memory.dram.state import NEVER
from traceformat.native.access import count_trailing_zeros

__all__ = ["accept", "bank_of", "schedule"]

_NONE: Final = -1


@inner(types.int64(PARAMETERS_T, types.int64))
def _in_channel(parameters: Record, address: Int) -> Int:
    """The address within its channel: without the channel's bits where channels are interleaved."""
    return ((address & ~parameters.in_channel_low) >> parameters.in_channel_shift & ~parameters.in_channel_low) | (
        address & parameters.in_channel_low
    )


@inner(types.int64(PARAMETERS_T, types.int64))
def bank_of(parameters: Record, address: Int) -> Int:
    """Number of the bank of an address within the channel."""
    group = ((address >> parameters.rank_shift) & parameters.rank_mask) * parameters.groups + (
        (address >> parameters.group_shift) & parameters.group_mask
    )
    return group * parameters.group_banks + ((address >> parameters.bank_shift) & parameters.bank_mask)


@inner(types.int64(CHANNEL_T, types.int64, types.int64, types.int64))
def _find_pending(channel: Record, number: Int, address: Int, write: Int) -> Int:
    """Entry of the read or write of the address that waits, for room in its bank's queue or there; -1 = none."""
    queue = channel.writes if write else channel.reads
    if queue.waiting >> number & 1:
        k = queue.head[number]
        while k >= 0:
            if channel.entry[k].address == address:
                return k
            k = channel.entry[k].next
    bank = channel.bank[number]
    for place in range(bank.count):
        entry = channel.entry[bank.queue[place]]
        if entry.address == address and entry.write == write:
            return bank.queue[place]
    return _NONE


@inner(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64))
def _acknowledge(memory: Record, channel: Record, requests: Array, request: Int, done: Int) -> None:
    """End a write, or a read that found its data in the write buffer."""
    requests[request].done = done
    requests[request].next = _NONE
    if channel.forwarded_tail >= 0:
        requests[channel.forwarded_tail].next = request
    else:
        channel.forwarded_head = request
    channel.forwarded_tail = request
    memory.last_done = max(memory.last_done, done)


@inner(types.void(MEMORY_T, REQUESTS, types.int64))
def accept(memory: Record, requests: Array, now: Int) -> None:
    """Take the first request of the input behind tick ``now``, if its time has come and its queue has room."""
    request = memory.input_head
    if request < 0 or requests[request].cycle > now:
        return
    parameters = memory.par
    address = requests[request].address
    channel = memory.channel[(address >> parameters.channel_shift) & parameters.channel_mask]
    write = requests[request].write
    count = channel.writes.count if write else channel.reads.count
    if count >= parameters.transaction_depth:
        memory.input_blocked = 1
        return
    memory.input_blocked = 0
    memory.input_count -= 1
    memory.input_head = requests[request].next
    if memory.input_head < 0:
        memory.input_tail = _NONE
    memory.last_progress = now
    requests[request].issue = now + 1
    address = _in_channel(parameters, address)
    number = bank_of(parameters, address)
    if _find_pending(channel, number, address, 1) >= 0:
        _acknowledge(memory, channel, requests, request, now + 2)
        return
    if write:
        _acknowledge(memory, channel, requests, request, now + 2)
    else:
        memory.open += 1
        before = _find_pending(channel, number, address, 0)
        if before >= 0:
            first = channel.entry[before]
            requests[first.last].next = request
            first.last = request
            return
    k = channel.free
    entry = channel.entry[k]
    channel.free = entry.next
    entry.address = address
    entry.row = (address >> parameters.row_shift) & parameters.row_mask
    entry.write = write
    entry.request = request
    entry.last = request
    entry.who = requests[request].who
    _append(channel, channel.writes if write else channel.reads, number, k)
    channel.schedule_at = min(channel.schedule_at, now + 1)
    channel.next_at = min(channel.next_at, channel.schedule_at)


@inner(types.void(CHANNEL_T, TRANSACTIONS_T, types.int64, types.int64))
def _append(channel: Record, queue: Record, number: Int, k: Int) -> None:
    """Put an entry at the end of its bank's list."""
    channel.entry[k].next = _NONE
    channel.entry[k].order = queue.accepted
    queue.accepted += 1
    queue.count += 1
    if queue.waiting >> number & 1:
        channel.entry[queue.tail[number]].next = k
    else:
        queue.head[number] = k
        queue.waiting |= 1 << number
    queue.tail[number] = k


@inner(types.int64(CHANNEL_T, TRANSACTIONS_T))
def _first_that_fits(channel: Record, queue: Record) -> Int:
    """Bank of the oldest transaction whose bank's queue has room, or -1."""
    found = _NONE
    oldest = NEVER
    fits = queue.waiting & ~channel.full
    while fits:
        number = count_trailing_zeros(fits)
        fits &= fits - 1
        order = channel.entry[queue.head[number]].order
        if order < oldest:
            oldest = order
            found = number
    return found


@inner(types.void(CHANNEL_T, PARAMETERS_T, TRANSACTIONS_T, types.int64))
def _hand_over(channel: Record, parameters: Record, queue: Record, number: Int) -> None:
    """Move the first transaction of a bank to its queue."""
    k = queue.head[number]
    following = channel.entry[k].next
    queue.head[number] = following
    if following < 0:
        queue.waiting &= ~(1 << number)
    queue.count -= 1
    append_command(channel, parameters, number, k)


@inner(types.int64(CHANNEL_T, PARAMETERS_T))
def _begins_to_drain(channel: Record, parameters: Record) -> Int:
    """Tell whether the write buffer is full, or holds more than a few writes and no command waits."""
    return channel.writes.count >= parameters.transaction_depth or (
        channel.writes.count > parameters.drain_above and channel.queued == 0
    )


@inner(types.void(CHANNEL_T, PARAMETERS_T, types.int64))
def schedule(channel: Record, parameters: Record, now: Int) -> None:
    """Move one transaction to the banks: a read, or a write while the write buffer drains.

    Draining begins when the buffer is full, or holds more than a few writes and no command waits; it ends when as many
    writes have gone as the buffer held, or at a write whose address is still to be read. Tries again in the next tick
    where that can help; an acceptance or a column command brings it back otherwise.
    """
    channel.schedule_at = NEVER
    if channel.draining == 0 and _begins_to_drain(channel, parameters):
        channel.draining = channel.writes.count
    queue = channel.writes if channel.draining else channel.reads
    number = _first_that_fits(channel, queue)
    if number < 0:
        return
    if channel.draining:
        if _find_pending(channel, number, channel.entry[queue.head[number]].address, 0) >= 0:
            channel.draining = 0
            if channel.queued:
                channel.schedule_at = now + 1
                return
            # The read is still in the read queue and nothing else can ever move: DRAMsim3 hangs here, we go on reading.
            queue = channel.reads
            number = _first_that_fits(channel, queue)
            if number < 0:
                return
        else:
            channel.draining -= 1
    _hand_over(channel, parameters, queue, number)
    queue = channel.writes if channel.draining else channel.reads
    drains = channel.draining == 0 and _begins_to_drain(channel, parameters)
    if drains or queue.waiting & ~channel.full:
        channel.schedule_at = now + 1
