"""The papers' simple memory: a latency by row, then one data pipe.

Hardware: two LPDDR channels behind a controller.
Modelled: a request finds its channel's row register on its line's row (short latency) or not (long latency, counted as
an activate); when its latency has passed it takes the data pipe, whose width is bytes a GPU cycle for both channels
together. Reads wait in two queues, one a latency; the one that has been ready longest goes first. Writes are posted:
they take the pipe when no read is ready, or when their queue is full.
Left out: banks, refresh, read-write turnaround (the command-level model is a back end of its own).
Source: latency 50-100 and 4 bytes a cycle, VRO Table 2, RE Table I, thesis Table 4.1; the reading by row is DESIGN
§4's; row size, channel interleave, queue depths and reads before writes ASSUMED (presets).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import DRAM_RING, L2_MSHRS
from gpumodel.units.cost_textures import charge_texture, moves, nothing_moves
from gpumodel.units.costs import cost_at
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, account, notify, wake_at
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.traffic import TEXTURE
from gpumodel.units.types import SYSTEM_T

__all__ = ["WRITE_QUEUE", "memory_read", "memory_write", "tick_memory"]

_RING: Final = DRAM_RING - 1
#: The queue of lines that lie in another row than the last; those in the same row are queue 0.
_FAR: Final = 1
#: Index of the write queue.
WRITE_QUEUE: Final = 2


@inner(types.int64(SYSTEM_T, types.int64))
def _opens_row(s: Record, line: Int) -> Int:
    """Leave the line's channel on its row; 1 when it was on another."""
    d = s.dram
    channel = (line >> d.channel_shift) & d.channel_mask
    row = line >> d.row_shift
    if d.last_row[channel] == row:
        return 0
    d.last_row[channel] = row
    d.activates += 1
    return 1


@inner(types.void(SYSTEM_T, types.int64, types.int64, types.int64, types.int64, types.int64))
def _queue(s: Record, kind: Int, line: Int, size: Int, tag: Int, ready: Int) -> None:
    d = s.dram
    slot = (d.head[kind] + d.count[kind]) & _RING
    d.line[kind, slot] = line
    d.size[kind, slot] = size
    d.tag[kind, slot] = tag
    d.ready[kind, slot] = ready
    d.who[kind, slot] = s.cost_who
    d.count[kind] += 1
    # While data moves, the end of the transfer is the next event anyway.
    if s.unit_state[d.unit] == IDLE:
        wake_at(s, d.unit, s.now + 1)
    elif not d.moving:
        wake_at(s, d.unit, max(ready, s.now + 1))


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64, types.int64))
def memory_read(s: Record, line: Int, size: Int, traffic: Int, tag: Int) -> Int:
    """Ask for a line: 1, or 0 when the read queue is full."""
    d = s.dram
    if d.reads >= d.read_depth:
        return 0
    d.reads += 1
    d.read_requests += 1
    d.read_bytes[traffic] += size
    kind = _opens_row(s, line)
    latency = d.row_miss if kind == _FAR else d.row_hit
    d.read_latency -= s.now
    if s.costs.count:
        cost = cost_at(s.costs, s.cost_who)
        cost.read_requests += 1
        cost.read_bytes[traffic] += size
        if traffic == TEXTURE:
            charge_texture(s, line, 0, size)
        cost.activates += kind
        cost.read_latency -= s.now
    _queue(s, kind, line, size, tag, s.now + latency)
    return 1


@inner(types.int64(SYSTEM_T, types.int64, types.int64, types.int64))
def memory_write(s: Record, line: Int, size: Int, traffic: Int) -> Int:
    """Post a write: 1, or 0 when the write queue is full."""
    d = s.dram
    if d.count[WRITE_QUEUE] >= d.write_depth:
        return 0
    d.write_requests += 1
    d.write_bytes[traffic] += size
    opens = _opens_row(s, line)
    if s.costs.count:
        cost = cost_at(s.costs, s.cost_who)
        cost.write_requests += 1
        cost.write_bytes[traffic] += size
        cost.activates += opens
    _queue(s, WRITE_QUEUE, line, size, -2, s.now)
    return 1


@inner(types.void(SYSTEM_T))
def _deliver(s: Record) -> None:
    """End the transfer on the pipe."""
    d = s.dram
    d.moving = 0
    nothing_moves(s)
    if d.moving_kind == WRITE_QUEUE:
        if d.count[WRITE_QUEUE] == 0:
            for k in range(s.cfg.frames):
                notify(s, d.unit, s.frame[k].u_fetch_tiles)
        return
    d.reads -= 1
    d.read_latency += s.now
    if s.costs.count:
        cost_at(s.costs, d.moving_who).read_latency += s.now
    if d.moving_tag < 0:
        slot = (s.l2.fill_head + s.l2.fill_count) & (L2_MSHRS - 1)
        s.l2.fill[slot] = d.moving_line
        s.l2.fill_count += 1
        notify(s, d.unit, s.l2.unit)
    else:
        ru = s.ru[d.moving_tag]
        ru.load_open -= 1
        notify(s, d.unit, ru.u_flush)
    if d.reads == d.read_depth - 1:
        notify(s, d.unit, s.l2.unit)
        for k in range(s.cfg.raster_units):
            notify(s, d.unit, s.ru[k].u_flush)


@inner(types.int64(SYSTEM_T))
def tick_memory(s: Record) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    d = s.dram
    if d.moving and s.now >= d.moving_end:
        _deliver(s)
    following = NEVER
    if not d.moving:
        best = -1
        oldest = NEVER
        for kind in range(2):
            if d.count[kind]:
                ready = d.ready[kind, d.head[kind]]
                if ready <= s.now:
                    if ready < oldest:
                        oldest = ready
                        best = kind
                elif ready < following:
                    following = ready
        # Posted writes wait for a gap, until their queue is full.
        if d.count[WRITE_QUEUE] and (best < 0 or d.count[WRITE_QUEUE] >= d.write_depth):
            best = WRITE_QUEUE
        if best >= 0:
            slot = d.head[best]
            d.moving = 1
            d.moving_kind = best
            d.moving_line = d.line[best, slot]
            d.moving_tag = d.tag[best, slot]
            d.moving_who = d.who[best, slot]
            if s.costs.count:
                moves(s, d.moving_who, d.moving_line, d.moving_tag if best != WRITE_QUEUE else 0)
            d.moving_end = s.now + (d.size[best, slot] + d.bytes_per_cycle - 1) // d.bytes_per_cycle
            d.head[best] = (slot + 1) & _RING
            d.count[best] -= 1
            if best == WRITE_QUEUE and d.count[WRITE_QUEUE] == d.write_depth - 1:
                notify(s, d.unit, s.l2.unit)
                for k in range(s.cfg.raster_units):
                    notify(s, d.unit, s.ru[k].u_flush)
    if d.moving:
        account(s, d.unit, BUSY)
        return np.int64(d.moving_end)
    if d.reads:
        account(s, d.unit, DATA)
    else:
        account(s, d.unit, IDLE)
    return following
