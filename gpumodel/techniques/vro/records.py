"""Object records of the tiles: how the Tile Scheduler finds a node's primitives in a tile's list.

Hardware (ASSUMED, the paper is silent): the Polygon List Builder writes a record (node, place and number of its
pointers) when a tile gets the first pointer of a node; records of a tile lie in 64-byte blocks of the Parameter Buffer,
behind a Record Cache. The Order Matcher reads the records of the next tile while one is fetched, marks each record's
place in the rendering order in a bitmap with a bit a node, and gives the records out by scanning it.
Modelled: a write of the Record Cache a record, in the cycle of the pointer's write of the Tile Cache; a read a block; then
``record_cycles`` a record and a cycle for every ``order_bits_per_cycle`` nodes of the frame, absent ones included. A
tile whose records are not matched is not scheduled.
Left out: links between the blocks of a tile's records.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.state import VRO_T, compiler, vro
from gpumodel.units.cache import BLOCKED, HIT, fill_due, l1_fill, l1_read, l1_write
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import emitted_at, int_at, set_int

__all__ = ["record_bin", "schedule_tile", "tick_matcher"]

_READS: Final = 0
_MATCHES: Final = 1
_DONE: Final = 2


@compiler.kernel(types.int64(VRO_T, types.int64, types.int64))
def _block_line(own: Record, tile: Int, block: Int) -> Int:
    """Line of a block of a tile's records: the first has a fixed place, the others lie behind those."""
    if block == 0:
        return own.record_line + tile
    return own.record_line + own.num_tiles + int_at(own.block_first, tile) + block - 1


@compiler.callback(PLUG_SIGNATURE)
def record_bin(s: Record, address: Int, frame: Int, row: Int, attribute: Int, pointer: Int) -> Int:
    """Hook ``bin``: write a record beside the first pointer of a node in a tile; 0 when the cache cannot take it."""
    own = vro(address)
    g = s.frame[frame]
    e = emitted_at(g.emitted, row)
    if own.active == 0 or attribute < np.int64(e.attributes):
        return 1
    tile = int_at(own.tile_of, np.int64(e.bin_first) + pointer)
    node = int_at(own.node_of_emitted, row)
    if int_at(own.last_node, tile) == node:
        return 1
    filled = int_at(own.filled, tile)
    if l1_write(s, s.l1[own.record_cache], _block_line(own, tile, filled // own.records_per_line)) == BLOCKED:
        own.bin_waits = 1
        return 0
    set_int(own.last_node, tile, node)
    set_int(own.filled, tile, filled + 1)
    own.records += 1
    return 1


@compiler.kernel(types.void(VRO_T, types.int64))
def _match(own: Record, tile: Int) -> None:
    """Begin with a tile."""
    own.match_tile = tile
    own.match_block = 0
    own.match_phase = _READS


@compiler.callback(PLUG_SIGNATURE)
def tick_matcher(s: Record, address: Int, me: Int, part: Int, sub: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = vro(address)
    c = s.l1[own.record_cache]
    g = s.frame[part]
    if fill_due(s, c) and l1_fill(s, c):
        own.match_waiting = 0
    if own.bin_waits:
        own.bin_waits = 0
        notify(s, me, g.u_binner)
    if own.active == 0 or own.match_tile < 0 or own.match_tile >= own.num_tiles or own.match_phase == _DONE:
        account(s, me, IDLE)
        return NEVER
    if own.sorting:
        account(s, me, DEPENDENCY)
        return NEVER
    if own.match_waiting:
        account(s, me, DATA)
        return max(np.int64(c.fill_time[c.fill_head]), s.now + 1) if c.fill_count else NEVER
    if s.now < own.match_ready:
        account(s, me, BUSY)
        return np.int64(own.match_ready)
    records = int_at(own.record_count, own.match_tile)
    if own.match_phase == _READS and own.match_block * own.records_per_line < records:
        found = l1_read(s, c, _block_line(own, own.match_tile, own.match_block), 1)
        if found == BLOCKED:
            account(s, me, RESOURCE)
            return NEVER
        own.record_reads += 1
        own.match_block += 1
        own.match_waiting = 0 if found == HIT else 1
        own.match_ready = s.now + c.latency
        account(s, me, BUSY)
        return np.int64(own.match_ready) if found == HIT else NEVER
    if own.match_phase == _READS:
        own.match_phase = _MATCHES
        if records > 0:
            own.match_ready = s.now + records * own.record_cycles + own.scan_cycles
            account(s, me, BUSY)
            return np.int64(own.match_ready)
    own.match_phase = _DONE
    notify(s, me, g.u_fetch_tiles)
    account(s, me, BUSY)
    return s.now + 1


@compiler.callback(PLUG_SIGNATURE)
def schedule_tile(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: a tile waits for the rendering order, then for its records; never skips it."""
    own = vro(address)
    if own.active == 0 or own.approved == tile:
        return 1
    if own.sorting:
        if own.sort_since < 0:
            own.sort_since = s.now
        return -1
    if own.match_tile != tile:
        _match(own, tile)
        notify(s, s.frame[frame].u_fetch_tiles, own.matcher)
    if own.match_phase != _DONE:
        if own.match_since < 0:
            own.match_since = s.now
        return -1
    if own.match_since >= 0:
        own.match_wait += s.now - own.match_since
        own.match_since = -1
    own.approved = tile
    _match(own, tile + 1)
    notify(s, s.frame[frame].u_fetch_tiles, own.matcher)
    return 1
