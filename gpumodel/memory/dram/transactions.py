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
def _in_channel(p: Record, address: Int) -> Int:
    """The address within its channel: without the channel's bits where channels are interleaved."""
    return ((address & ~p.in_channel_low) >> p.in_channel_shift & ~p.in_channel_low) | (address & p.in_channel_low)


@kernel(types.int64(PARAMETERS_T, types.int64))
def bank_of(p: Record, address: Int) -> Int:
    """Number of the bank of an address within the channel."""
    group = ((address >> p.rank_shift) & p.rank_mask) * p.groups + ((address >> p.group_shift) & p.group_mask)
    return group * p.group_banks + ((address >> p.bank_shift) & p.bank_mask)


@kernel(types.int64(CHANNEL_T, types.int64, types.int64, types.int64))
def _find_pending(c: Record, number: Int, address: Int, write: Int) -> Int:
    """Where a read or write of the address waits, or -1.

    Its place in the transaction queue, or ``_IN_BANK`` and its place in the bank's command queue.
    """
    queue = c.writes if write else c.reads
    for k in range(queue.count):
        if queue.address[k] == address:
            return k
    b = c.bank[number]
    for k in range(b.count):
        if b.address[k] == address and b.write[k] == write:
            return _IN_BANK + k
    return _NONE


@kernel(types.void(MEMORY_T, CHANNEL_T, REQUESTS, types.int64, types.int64))
def _acknowledge(m: Record, c: Record, requests: Array, request: Int, done: Int) -> None:
    """End a write, or a read that found its data in the write buffer."""
    requests[request].done = done
    requests[request].next = _NONE
    if c.forwarded_tail >= 0:
        requests[c.forwarded_tail].next = request
    else:
        c.forwarded_head = request
    c.forwarded_tail = request
    m.last_done = max(m.last_done, done)


@kernel(types.void(MEMORY_T, REQUESTS, types.int64))
def accept(m: Record, requests: Array, now: Int) -> None:
    """Take the first request of the input behind tick ``now``, if its time has come and its queue has room."""
    request = m.input_head
    if request < 0 or requests[request].cycle > now:
        return
    p = m.par
    address = requests[request].address
    c = m.channel[(address >> p.channel_shift) & p.channel_mask]
    write = requests[request].write
    count = c.writes.count if write else c.reads.count
    if count >= p.transaction_depth:
        m.input_blocked = 1
        return
    m.input_blocked = 0
    m.input_count -= 1
    m.input_head = requests[request].next
    if m.input_head < 0:
        m.input_tail = _NONE
    m.last_progress = now
    requests[request].issue = now + 1
    address = _in_channel(p, address)
    number = bank_of(p, address)
    if _find_pending(c, number, address, 1) >= 0:
        _acknowledge(m, c, requests, request, now + 2)
        return
    if write:
        _acknowledge(m, c, requests, request, now + 2)
    else:
        m.open += 1
        before = _find_pending(c, number, address, 0)
        if before >= _IN_BANK:
            b = c.bank[number]
            requests[b.last[before - _IN_BANK]].next = request
            b.last[before - _IN_BANK] = request
            return
        if before >= 0:
            requests[c.reads.last[before]].next = request
            c.reads.last[before] = request
            return
    queue = c.writes if write else c.reads
    queue.address[count] = address
    queue.bank[count] = number
    queue.request[count] = request
    queue.last[count] = request
    queue.who[count] = requests[request].who
    queue.count = count + 1
    c.schedule_at = min(c.schedule_at, now + 1)
    c.next_at = min(c.next_at, c.schedule_at)


@kernel(types.int64(CHANNEL_T, PARAMETERS_T, types.int64))
def _first_that_fits(c: Record, p: Record, write: Int) -> Int:
    """Place of the oldest transaction whose bank's queue has room, or -1."""
    queue = c.writes if write else c.reads
    for k in range(queue.count):
        if c.bank[queue.bank[k]].count < p.command_depth:
            return k
    return _NONE


@kernel(types.void(CHANNEL_T, PARAMETERS_T, types.int64, types.int64))
def _hand_over(c: Record, p: Record, write: Int, place: Int) -> None:
    """Move a transaction to its bank's queue."""
    queue = c.writes if write else c.reads
    append_command(c, p, queue.bank[place], write, queue, place)
    queue.count -= 1
    for k in range(place, queue.count):
        queue.address[k] = queue.address[k + 1]
        queue.bank[k] = queue.bank[k + 1]
        queue.request[k] = queue.request[k + 1]
        queue.last[k] = queue.last[k + 1]
        queue.who[k] = queue.who[k + 1]


@kernel(types.void(CHANNEL_T, PARAMETERS_T, types.int64))
def schedule(c: Record, p: Record, now: Int) -> None:
    """Move one transaction to the banks: a read, or a write while the write buffer drains.

    Draining begins when the buffer is full, or holds more than a few writes and no command waits; it ends when as many
    writes have gone as the buffer held, or at a write whose address is still to be read. Tries again in the next tick
    as long as that may help; an acceptance or a column command brings it back otherwise.
    """
    c.schedule_at = NEVER
    if c.draining == 0 and (
        c.writes.count >= p.transaction_depth or (c.writes.count > p.drain_above and c.queued == 0)
    ):
        c.draining = c.writes.count
    write = 1 if c.draining else 0
    place = _first_that_fits(c, p, write)
    if place < 0:
        return
    if write:
        if _find_pending(c, c.writes.bank[place], c.writes.address[place], 0) >= 0:
            c.draining = 0
            if c.queued:
                c.schedule_at = now + 1
                return
            # The read is still in the read queue and nothing else can ever move: DRAMsim3 hangs here, we go on reading.
            write = 0
            place = _first_that_fits(c, p, write)
            if place < 0:
                return
        else:
            c.draining -= 1
    _hand_over(c, p, write, place)
    c.schedule_at = now + 1
