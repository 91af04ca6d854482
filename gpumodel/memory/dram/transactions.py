"""Transaction queues: acceptance, merging, forwarding from the write buffer, and the hand-over to the banks."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.memory.dram.bank import append_command
from gpumodel.memory.dram.kernels import CHANNEL_T, MEMORY_T, PARAMETERS_T, REQUESTS, Array, Int, Record, kernel
from gpumodel.memory.dram.state import NEVER

__all__ = ["accept", "bank_of", "schedule"]

_NONE: Final = -1
_IN_BANK: Final = 1 << 32


@kernel(types.int64(PARAMETERS_T, types.int64))
def _in_channel(parameters: Record, address: Int) -> Int:
    """The address within its channel: without the channel's bits where channels are interleaved."""
    return ((address & ~parameters.in_channel_low) >> parameters.in_channel_shift & ~parameters.in_channel_low) | (
        address & parameters.in_channel_low
    )


@kernel(types.int64(PARAMETERS_T, types.int64))
def bank_of(parameters: Record, address: Int) -> Int:
    """Number of the bank of an address within the channel."""
    group = ((address >> parameters.rank_shift) & parameters.rank_mask) * parameters.groups + (
        (address >> parameters.group_shift) & parameters.group_mask
    )
    return group * parameters.group_banks + ((address >> parameters.bank_shift) & parameters.bank_mask)


@kernel(types.int64(CHANNEL_T, types.int64, types.int64, types.int64))
def _find_pending(channel: Record, number: Int, address: Int, write: Int) -> Int:
    """Where a read or write of the address waits, or -1.

    Its place in the transaction queue, or ``_IN_BANK`` and its place in the bank's command queue.
    """
    queue = channel.writes if write else channel.reads
    for k in range(queue.count):
        if queue.address[k] == address:
            return k
    bank = channel.bank[number]
    for k in range(bank.count):
        if bank.address[k] == address and bank.write[k] == write:
            return _IN_BANK + k
    return _NONE


@kernel(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64))
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


@kernel(types.void(MEMORY_T, REQUESTS, types.int64))
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
        if before >= _IN_BANK:
            bank = channel.bank[number]
            requests[bank.last[before - _IN_BANK]].next = request
            bank.last[before - _IN_BANK] = request
            return
        if before >= 0:
            requests[channel.reads.last[before]].next = request
            channel.reads.last[before] = request
            return
    queue = channel.writes if write else channel.reads
    queue.address[count] = address
    queue.bank[count] = number
    queue.request[count] = request
    queue.last[count] = request
    queue.who[count] = requests[request].who
    queue.count = count + 1
    channel.schedule_at = min(channel.schedule_at, now + 1)
    channel.next_at = min(channel.next_at, channel.schedule_at)


@kernel(types.int64(CHANNEL_T, PARAMETERS_T, types.int64))
def _first_that_fits(channel: Record, parameters: Record, write: Int) -> Int:
    """Place of the oldest transaction whose bank's queue has room, or -1."""
    queue = channel.writes if write else channel.reads
    for k in range(queue.count):
        if channel.bank[queue.bank[k]].count < parameters.command_depth:
            return k
    return _NONE


@kernel(types.void(CHANNEL_T, PARAMETERS_T, types.int64, types.int64))
def _hand_over(channel: Record, parameters: Record, write: Int, place: Int) -> None:
    """Move a transaction to its bank's queue."""
    queue = channel.writes if write else channel.reads
    append_command(channel, parameters, queue.bank[place], write, queue, place)
    queue.count -= 1
    for k in range(place, queue.count):
        queue.address[k] = queue.address[k + 1]
        queue.bank[k] = queue.bank[k + 1]
        queue.request[k] = queue.request[k + 1]
        queue.last[k] = queue.last[k + 1]
        queue.who[k] = queue.who[k + 1]


@kernel(types.void(CHANNEL_T, PARAMETERS_T, types.int64))
def schedule(channel: Record, parameters: Record, now: Int) -> None:
    """Move one transaction to the banks: a read, or a write while the write buffer drains.

    Draining begins when the buffer is full, or holds more than a few writes and no command waits; it ends when as many
    writes have gone as the buffer held, or at a write whose address is still to be read. Tries again in the next tick
    as long as that may help; an acceptance or a column command brings it back otherwise.
    """
    channel.schedule_at = NEVER
    if channel.draining == 0 and (
        channel.writes.count >= parameters.transaction_depth
        or (channel.writes.count > parameters.drain_above and channel.queued == 0)
    ):
        channel.draining = channel.writes.count
    write = 1 if channel.draining else 0
    place = _first_that_fits(channel, parameters, write)
    if place < 0:
        return
    if write:
        if _find_pending(channel, channel.writes.bank[place], channel.writes.address[place], 0) >= 0:
            channel.draining = 0
            if channel.queued:
                channel.schedule_at = now + 1
                return
            # The read is still in the read queue and nothing else can ever move: DRAMsim3 hangs here, we go on reading.
            write = 0
            place = _first_that_fits(channel, parameters, write)
            if place < 0:
                return
        else:
            channel.draining -= 1
    _hand_over(channel, parameters, write, place)
    channel.schedule_at = now + 1
