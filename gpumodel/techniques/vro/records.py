"""Headers in the tile lists: how the Tile Scheduler finds a node's primitives in a tile's list.

Hardware (ASSUMED, the paper is silent): the Polygon List Builder writes a header (a flagged list entry with the node's
number) in front of a tile's first pointer of a node. The Order Matcher reads the list of the next tile while one is
fetched, block by block through the Tile Cache, whose port it has before the Tile Fetcher; it marks each header's place
in the rendering order in a bitmap with a bit a node, and gives the nodes out by scanning it, each with the place of its
first pointer.
Modelled: a header is written with its pointer (8 bytes of the port's 16); one that ends the block before is a write
and a cycle of the Polygon List Builder of its own; a read a block; then
``record_cycles`` a header and a cycle for every ``order_bits_per_cycle`` nodes of the frame, absent ones included. A
tile that is not matched is not scheduled. A header takes the place of a pointer, so lists get longer.
Left out: nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.state import VRO_T, compiler, vro
from gpumodel.units.cache import BLOCKED, HIT, l1_read, l1_write
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, RESOURCE, account, notify, wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import L1_TILE
from gpumodel.units.tile_fetch_pipelined import BESIDE_SLOT
from gpumodel.units.views import emitted_at, int_at, long_at, tile_at

__all__ = ["record_bin", "schedule_tile", "tick_matcher"]

_READS: Final = 0
_MATCHES: Final = 1
_DONE: Final = 2


@compiler.callback(PLUG_SIGNATURE)
def record_bin(s: Record, address: Int, frame: Int, row: Int, attribute: Int, pointer: Int) -> Int:
    """Hook ``bin``: write a header that lies in another block than its pointer; 0 in that cycle."""
    own = vro(address)
    g = s.frame[frame]
    e = emitted_at(g.emitted, row)
    if own.active == 0 or attribute < np.int64(e.attributes):
        return 1
    place = np.int64(e.bin_first) + pointer
    line = long_at(own.header_lines, place)
    if line == 0 or own.header_place == place:
        return 1
    if l1_write(s, s.l1[L1_TILE], line) == BLOCKED:
        return 0
    own.header_place = place
    own.records += 1
    wake_at(s, g.u_binner, s.now + 1)
    return 0


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
    c = s.l1[L1_TILE]
    g = s.frame[part]
    if own.active == 0 or own.match_tile < 0 or own.match_tile >= own.num_tiles or own.match_phase == _DONE:
        account(s, me, IDLE)
        return NEVER
    if own.sorting:
        account(s, me, DEPENDENCY)
        return NEVER
    if g.beside_waits:
        account(s, me, DATA)
        return NEVER
    if s.now < own.match_ready:
        account(s, me, BUSY)
        return np.int64(own.match_ready)
    records = int_at(own.record_count, own.match_tile)
    if own.match_phase == _READS and own.match_block < int_at(own.block_count, own.match_tile):
        line = np.int64(tile_at(g.tiles, own.match_tile).first_line)
        if own.match_block:
            line = own.block_line + int_at(own.block_first, own.match_tile) + own.match_block - 1
        found = l1_read(s, c, line, 1 << BESIDE_SLOT)
        if found == BLOCKED:
            # What frees a register or room for a request wakes the fetcher, not this unit.
            account(s, me, RESOURCE)
            return s.now + 1
        g.beside_port = s.now
        own.record_reads += 1
        own.match_block += 1
        g.beside_waits = 0 if found == HIT else 1
        own.match_ready = s.now + c.latency
        account(s, me, BUSY)
        return np.int64(own.match_ready) if found == HIT else s.now + 1
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
