"""The Visibility unit: Visibility Sort in the geometry phase, Edge Inserter in the raster phase, both at the Graph
Cache's one port.

Modelled: an access a cycle when it hits; a miss waits for its line. The sort begins with the pass; tiles wait for its
end. Nodes go to the Tile Scheduler through the Order Queue, which takes one a cycle and hands one on a cycle, so it
never fills. Edges that are left when the pass ends are inserted at once; their accesses delay the next pass's sort.
Source: VRO §4.3.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.config import EDGES_RING
from gpumodel.techniques.vro.graph import ENDED, NO_ACCESS, insert_step, sort_step
from gpumodel.techniques.vro.state import VRO_T, vro
from gpumodel.units.cache import BLOCKED, HIT, fill_due, l1_fill, l1_read, l1_write
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.types import SYSTEM_T
from traceformat.kernels import callback, kernel

__all__ = ["tick_visibility"]

_RING: Final = EDGES_RING - 1
_FREE: Final = 0


@kernel(types.void(SYSTEM_T, VRO_T, types.int64))
def _take_pending(s: Record, own: Record, me: Int) -> None:
    """Move edges that wait for room into the Edges Queue; Early-Z goes on when none is left."""
    moved = 0
    while moved < own.pending_count and own.queue_count < own.queue_depth:
        at = (own.queue_head + own.queue_count) & _RING
        own.queue[at] = own.pending[moved]
        own.queue_ready[at] = s.now + 1
        own.queue_count += 1
        moved += 1
    if moved == 0:
        return
    for k in range(moved, own.pending_count):
        own.pending[k - moved] = own.pending[k]
    own.pending_count -= moved
    if own.pending_count == 0:
        for k in range(s.cfg.raster_units):
            notify(s, me, s.ru[k].u_enter)


@kernel(types.int64(SYSTEM_T, VRO_T))
def _access(s: Record, own: Record) -> Int:
    """Make the access that is due; 0 when the Graph Cache cannot take it."""
    if own.access == NO_ACCESS:
        own.access = ENDED
        own.ready = s.now + 1
        return 1
    c = s.l1[own.cache]
    line = own.graph_line + (own.access >> 1)
    if own.access & 1:
        if l1_write(s, c, line) == BLOCKED:
            return 0
        own.ready = s.now + 1
    else:
        found = l1_read(s, c, line, 1)
        if found == BLOCKED:
            return 0
        own.waiting = 0 if found == HIT else 1
        own.ready = s.now + c.latency
    own.access = ENDED
    return 1


@kernel(types.int64(SYSTEM_T, VRO_T, types.int64))
def _next(s: Record, own: Record, me: Int) -> Int:
    """Find the next access; gives ENDED when there is nothing to do now."""
    if own.sorting:
        access = sort_step(own)
        if access != ENDED:
            return access
        own.sorting = 0
        own.sort_cycles += s.now - own.sort_begin
        if own.sort_since >= 0:
            own.sort_wait_cycles += s.now - own.sort_since
        notify(s, me, own.matcher)
        notify(s, me, s.frame[0].u_fetch_tiles)
    while True:
        if own.insert_phase == _FREE and (own.queue_count == 0 or own.queue_ready[own.queue_head] > s.now):
            return ENDED
        full = own.queue_count
        access = insert_step(own)
        if own.queue_count < full:
            _take_pending(s, own, me)
        if access != ENDED:
            return access


@kernel(types.int64(SYSTEM_T, VRO_T, types.int64))
def _following(s: Record, own: Record, time: Int) -> Int:
    """Give a time, or the next fill's where that is sooner: a fill may come when nobody waits for its line, as at the
    beginning of a pass, and holds the miss register until then.
    """
    c = s.l1[own.cache]
    return np.int64(min(time, max(np.int64(c.fill_time[c.fill_head]), s.now + 1))) if c.fill_count else time


@callback(PLUG_SIGNATURE)
def tick_visibility(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = vro(address)
    c = s.l1[own.cache]
    if fill_due(s, c) and l1_fill(s, c):
        own.waiting = 0
    if own.waiting:
        account(s, me, DATA)
        return _following(s, own, NEVER)
    if s.now < own.ready:
        account(s, me, BUSY)
        return _following(s, own, np.int64(own.ready))
    if own.access == ENDED:
        own.access = _next(s, own, me)
    if own.access == ENDED:
        account(s, me, IDLE)
        return _following(s, own, np.int64(own.queue_ready[own.queue_head]) if own.queue_count else NEVER)
    inserting = 1 - own.sorting
    reaches_cache = own.access != NO_ACCESS
    if _access(s, own) == 0:
        account(s, me, RESOURCE)
        return _following(s, own, NEVER)
    own.inserter_cycles += inserting
    own.inserter_accesses += inserting and reaches_cache
    account(s, me, BUSY)
    return _following(s, own, np.int64(own.ready) if own.waiting == 0 else s.now + 1)
