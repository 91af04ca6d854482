"""The look-up table in front of the Fragment Processors.

Hardware: a hash unit takes a fragment's inputs without its place on the screen; the table is looked up with the hash,
and a hit gives the colour; a fragment that is shaded puts its colour into the table when it leaves its processor.
Modelled: sets of ways with least-recently-used replacement; look-ups and inserts share the ports, an access of a
fragment each, of as many quads a cycle as there are ports for; a quad whose look-ups find no port free waits at the
head of its queue. Fragments on their way through a
processor are not in the table yet. Hashing is done while a quad waits in the fragment queue (ASSUMED);
``hash_cycles`` charges it at the head of the queue.
Source: RE §V-A (2,048 entries, 4 ways, 32-bit hash without screen coordinates, two frames in parallel).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.memo.state import ENTRY, MEMO
from gpumodel.units.events import count_ones, wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.views import byte_at, int_at, long_at, quad_at, row_accessor, state_accessor
from traceformat.kernels import callback, kernel

__all__ = ["insert_quad", "look_up_quad"]

_own: Final = state_accessor(MEMO)
_entry_at: Final = row_accessor(ENTRY)
_MEMO_T: Final = from_dtype(MEMO)


@kernel(types.int64(_MEMO_T, types.int64))
def _find(own: Record, key: Int) -> Int:
    """Row of the table with a hash, or -1 - the row that it would replace."""
    first = (key & own.set_mask) * own.ways
    victim = first
    for row in range(first, first + own.ways):
        e = _entry_at(own.table, row)
        if e.stamp > 0 and e.hash == key:
            return row
        if e.stamp < _entry_at(own.table, victim).stamp:
            victim = row
    return -1 - victim


@kernel(types.void(_MEMO_T, types.int64, types.int64))
def _take_ports(own: Record, now: Int, accesses: Int) -> None:
    """Let so many accesses have the ports' next turns; those of a cycle are ``ports`` turns."""
    own.turn = max(own.turn, now * own.ports) + accesses


@callback(PLUG_SIGNATURE)
def look_up_quad(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, processor: Int) -> Int:
    """Hook ``shade``: the fragments that the table does not know; -1 while it is busy."""
    own = _own(address)
    frame = s.ru[raster_unit].frame
    if own.active[frame] == 0:
        own.left_out[frame] += count_ones(mask)
        return mask
    q = quad_at(s.frame[frame].quads, quad)
    row = np.int64(q.row)
    words = int_at(own.words[frame], np.int64(q.draw))
    asked = mask & ~byte_at(own.excluded[frame], row)
    if words == 0:
        asked = 0
    if asked:
        if own.quad[raster_unit, processor] != quad:
            own.quad[raster_unit, processor] = quad
            own.until[raster_unit, processor] = s.now
            own.wait_cycles[frame] -= s.now
            if own.hash_cycles > 0:
                own.until[raster_unit, processor] += own.hash_cycles
        ready = max(own.until[raster_unit, processor], own.turn // own.ports)
        if s.now < ready:
            wake_at(s, s.ru[raster_unit].processor[processor].unit, ready)
            return -1
        own.quad[raster_unit, processor] = -1
        own.wait_cycles[frame] += s.now
        _take_ports(own, s.now, count_ones(asked))
    own.left_out[frame] += count_ones(mask & ~asked)
    own.lookups[frame] += count_ones(asked)
    own.hashed_words[frame] += count_ones(asked) * words
    for lane in range(4):
        if asked >> lane & 1 == 0:
            continue
        identity = long_at(own.identity[frame], 4 * row + lane)
        found = _find(own, identity & own.hash_mask)
        if found >= 0:
            e = _entry_at(own.table, found)
            own.clock += 1
            e.stamp = own.clock
            own.hits[frame] += 1
            if e.identity != identity:
                own.false_positives[frame] += 1
            mask &= ~(1 << lane)
            s.ru[raster_unit].processor[processor].slot[lane] = found
    return mask


@callback(PLUG_SIGNATURE)
def insert_quad(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, processor: Int) -> Int:
    """Hook ``shaded``: keep the colours of a quad that leaves its processor."""
    own = _own(address)
    frame = s.ru[raster_unit].frame
    if own.active[frame] == 0 or mask == 0:
        return 0
    q = quad_at(s.frame[frame].quads, quad)
    row = np.int64(q.row)
    if int_at(own.words[frame], np.int64(q.draw)) == 0:
        return 0
    kept = mask & ~byte_at(own.excluded[frame], row)
    _take_ports(own, s.now, count_ones(kept))
    for lane in range(4):
        if kept >> lane & 1 == 0:
            continue
        identity = long_at(own.identity[frame], 4 * row + lane)
        slot = _find(own, identity & own.hash_mask)
        if slot < 0:
            slot = -1 - slot
            if _entry_at(own.table, slot).stamp > 0:
                own.evictions[frame] += 1
        e = _entry_at(own.table, slot)
        own.clock += 1
        e.stamp = own.clock
        e.hash = identity & own.hash_mask
        e.identity = identity
        own.inserts[frame] += 1
        s.ru[raster_unit].processor[processor].slot[lane] = slot
    return 0
