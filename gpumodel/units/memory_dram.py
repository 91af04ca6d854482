"""LPDDR main memory behind the L2: the command-level model on its own clock.

Hardware: a memory controller with its channels of LPDDR3 or LPDDR4; its clock is not the GPU's.
Modelled: requests cross into the controller's clock through a queue, in order; a line is as many bursts as its
channel needs for 64 bytes, each a request to the controller, which is that of :mod:`gpumodel.memory.dram`; a read's
line is with its client in the first GPU cycle that begins behind its last transfer, a write is posted when the
controller has accepted it. What moves may be capped at so many bytes a GPU cycle (``memory.dram.bytes_per_cycle``).
Left out: synchroniser stages of the crossing.
Source: simulators.md §2.3 and §2.7; depth of the crossing ASSUMED (presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.memory.dram.channel import advance
from gpumodel.memory.dram.state import NEVER as NO_TICK
from gpumodel.units.capacity import L2_MSHRS
from gpumodel.units.cost_textures import charge_texture, moves, nothing_moves
from gpumodel.units.costs import cost_at
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, account, notify, wake_at
from gpumodel.units.kernels import Int, Record, callback, inner
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.traffic import TEXTURE, TICK_FRACTION_BITS
from gpumodel.units.types import SYSTEM_T

__all__ = ["catch_up", "dram_read", "dram_write", "end_dram", "tick_dram"]

_LINE_SHIFT: Final = 6
_NONE: Final = -1


@inner(types.int64(SYSTEM_T))
def catch_up(s: Record) -> Int:
    """Run the controller's ticks that end before this GPU cycle; gives the next tick with work."""
    u = s.lpddr
    return advance(u.memory, u.requests[:], u.log[:], ((s.now * u.ticks_per_cycle) >> TICK_FRACTION_BITS) - 1)


@inner(types.int64(SYSTEM_T, types.int64))
def _cycle_behind(s: Record, tick: Int) -> Int:
    """First GPU cycle that begins behind a tick."""
    if tick >= NO_TICK:
        return NEVER
    ratio = s.lpddr.ticks_per_cycle
    return (((tick + 1) << TICK_FRACTION_BITS) + ratio - 1) // ratio


@inner(types.int64(SYSTEM_T))
def _has_room(s: Record) -> Int:
    u = s.lpddr
    bursts = u.line_bursts
    return 1 if u.memory.input_count + bursts <= u.input_depth and u.free_count >= bursts else 0


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64, types.int64))
def _send(s: Record, line: Int, size: Int, write: Int, tag: Int) -> None:
    """Put a line's bursts into the crossing, which has room; of a piece of a line only those that hold it."""
    u = s.lpddr
    m = u.memory
    since = s.now
    if u.width:
        since = max(since, u.pipe_free)
        u.pipe_free = since + (size + u.width - 1) // u.width
    bursts = min((size + u.burst_bytes - 1) // u.burst_bytes, u.line_bursts)
    first = u.free[u.free_count - 1]
    u.line[first] = line
    u.who[first] = s.cost_who
    u.tag[first] = tag
    u.missing[first] = bursts
    for k in range(bursts):
        u.free_count -= 1
        slot = u.free[u.free_count]
        request = u.requests[slot]
        request.address = (line << _LINE_SHIFT) + k * u.burst_bytes
        request.cycle = (since * u.ticks_per_cycle) >> TICK_FRACTION_BITS
        request.write = write
        request.next = _NONE
        request.who = s.cost_who
        u.first[slot] = first
        if m.input_tail >= 0:
            u.requests[m.input_tail].next = slot
        else:
            m.input_head = slot
        m.input_tail = slot
        m.input_count += 1
    wake_at(s, s.dram.unit, s.now + 1)


@callback(PLUG_SIGNATURE)
def dram_read(s: Record, own: Int, line: Int, size: Int, traffic: Int, tag: Int) -> Int:
    """Ask for a line: 1, or 0 when the crossing is full."""
    if _has_room(s) == 0:
        return 0
    d = s.dram
    d.reads += 1
    d.read_requests += 1
    d.read_bytes[traffic] += size
    d.read_latency -= s.now
    if s.costs.count:
        cost = cost_at(s.costs, s.cost_who)
        cost.read_requests += 1
        cost.read_bytes[traffic] += size
        if traffic == TEXTURE:
            charge_texture(s, line, 0, size)
        cost.read_latency -= s.now
    _send(s, line, size, 0, tag)
    return 1


@callback(PLUG_SIGNATURE)
def dram_write(s: Record, own: Int, line: Int, size: Int, traffic: Int, unused: Int) -> Int:
    """Post a write: 1, or 0 when the crossing is full."""
    if _has_room(s) == 0:
        return 0
    d = s.dram
    d.write_requests += 1
    d.write_bytes[traffic] += size
    s.lpddr.writes_waiting += 1
    if s.costs.count:
        cost = cost_at(s.costs, s.cost_who)
        cost.write_requests += 1
        cost.write_bytes[traffic] += size
    _send(s, line, size, 1, _NONE)
    return 1


@inner(types.void(SYSTEM_T, types.int64))
def _deliver(s: Record, slot: Int) -> None:
    """Hand a read's line to its client, or count a write as posted."""
    d, u = s.dram, s.lpddr
    if u.requests[slot].write:
        u.writes_waiting -= 1
        if u.writes_waiting == 0:
            for k in range(s.cfg.frames):
                notify(s, d.unit, s.frame[k].u_fetch_tiles)
    else:
        d.reads -= 1
        d.read_latency += s.now
        if s.costs.count:
            cost_at(s.costs, u.who[slot]).read_latency += s.now
        if u.tag[slot] < 0:
            place = (s.l2.fill_head + s.l2.fill_count) & (L2_MSHRS - 1)
            s.l2.fill[place] = u.line[slot]
            s.l2.fill_count += 1
            notify(s, d.unit, s.l2.unit)
        else:
            ru = s.ru[u.tag[slot]]
            ru.load_open -= 1
            notify(s, d.unit, ru.u_flush)


@inner(types.void(SYSTEM_T, types.int64))
def _free(s: Record, slot: Int) -> None:
    u = s.lpddr
    u.free[u.free_count] = slot
    u.free_count += 1


@inner(types.void(SYSTEM_T, types.int64))
def _deliver_burst(s: Record, burst: Int) -> None:
    """Take a burst in; the last one of a line delivers it."""
    u = s.lpddr
    first = u.first[burst]
    u.missing[first] -= 1
    if u.missing[first] == 0:
        _deliver(s, first)
    # The slot of the first burst stays taken as long as one of its line is missing.
    if burst != first:
        _free(s, burst)
    if u.missing[first] == 0:
        _free(s, first)


@inner(types.int64(SYSTEM_T))
def _deliver_all(s: Record) -> Int:
    """Deliver what has arrived; gives the tick of the next arrival."""
    u = s.lpddr
    m = u.memory
    ticks = (s.now * u.ticks_per_cycle) >> TICK_FRACTION_BITS
    following = NO_TICK
    activates = 0
    for k in range(m.par.channels):
        c = m.channel[k]
        while c.returned_head >= 0 and u.requests[c.returned_head].done < ticks:
            slot = c.returned_head
            c.returned_head = u.requests[slot].next
            _deliver_burst(s, slot)
        if c.returned_head < 0:
            c.returned_tail = _NONE
        else:
            following = min(following, u.requests[c.returned_head].done)
        while c.forwarded_head >= 0 and u.requests[c.forwarded_head].done < ticks:
            slot = c.forwarded_head
            c.forwarded_head = u.requests[slot].next
            _deliver_burst(s, slot)
        if c.forwarded_head < 0:
            c.forwarded_tail = _NONE
        else:
            following = min(following, u.requests[c.forwarded_head].done)
        activates += c.activates
    s.dram.activates = activates
    return following


@inner(types.void(SYSTEM_T))
def _see_what_moves(s: Record) -> None:
    """Find out whose the bursts under way are: of the reads that arrive next, a channel each, or of writes where none
    does.
    """
    u = s.lpddr
    nothing_moves(s)
    reads = 0
    for k in range(u.memory.par.channels):
        slot = u.memory.channel[k].returned_head
        if slot >= 0:
            first = u.first[slot]
            moves(s, u.who[first], u.line[first], u.tag[first])
            reads += 1
    if reads == 0:
        s.dram.moves_other = 1


@inner(types.int64(SYSTEM_T))
def _burst_end(s: Record) -> Int:
    """Last tick of the bursts under way, counted from their column commands; -1 when there is none."""
    m = s.lpddr.memory
    last = _NONE
    for k in range(m.par.channels):
        last = max(last, m.channel[k].burst_until - 1)
    return last if last >= (s.now * s.lpddr.ticks_per_cycle) >> TICK_FRACTION_BITS else _NONE


@callback(PLUG_SIGNATURE)
def end_dram(s: Record, own: Int, a: Int, b: Int, c: Int, d: Int) -> Int:
    """Bring the controller to the end of the run."""
    catch_up(s)
    return 0


@callback(PLUG_SIGNATURE)
def tick_dram(s: Record, own: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work.

    Without a request under way the controller is left behind (refreshes, writes that drain): it catches up with the
    next request, or at the end of the run. It counts as busy while a channel has a burst under way, else as waiting
    for data while a request is.
    """
    d = s.dram
    had_room = _has_room(s)
    event = catch_up(s)
    event = min(event, _deliver_all(s))
    if had_room == 0 and _has_room(s):
        notify(s, d.unit, s.l2.unit)
        for k in range(s.cfg.raster_units):
            notify(s, d.unit, s.ru[k].u_flush)
    if d.reads == 0 and s.lpddr.writes_waiting == 0:
        account(s, d.unit, IDLE)
        nothing_moves(s)
        return NEVER
    burst_end = _burst_end(s)
    if burst_end >= 0:
        account(s, d.unit, BUSY)
        event = min(event, burst_end)
        if s.costs.count:
            _see_what_moves(s)
    else:
        account(s, d.unit, DATA)
        nothing_moves(s)
    return np.int64(max(_cycle_behind(s, event), s.now + 1))
