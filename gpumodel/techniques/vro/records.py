"""How the Tile Scheduler finds a node's primitives in a tile's list.

Hardware (ASSUMED, the paper is silent): a list pointer has 32 bits, of which an address in units of an attribute
leaves some free; the Polygon List Builder writes the node's number into them, so lists do not grow. The Order Matcher
reads the list of the next tile while one is fetched, block by block through the Tile Cache, whose port it has before
the Tile Fetcher; comparators find where the node changes; it marks each node's place in the rendering order in a bitmap
with a bit a node, and gives the nodes out by scanning it, each with the place of its first pointer.
Modelled: a read a block; then ``record_cycles`` a start of a node and a cycle for every ``order_bits_per_cycle`` nodes
of the frame, absent ones included. A tile that is not matched is not scheduled. Without ``match_ahead`` a tile's match
begins when the tile could be scheduled.
Left out: nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.state import VRO_T, vro
from gpumodel.units.beside import read_beside
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import L1_TILE
from gpumodel.units.views import int_at, long_at
from traceformat.kernels import callback, kernel

__all__ = ["schedule_tile", "tick_matcher"]

_READS: Final = 0
_MATCHES: Final = 1
_DONE: Final = 2


@kernel(types.void(VRO_T, types.int64))
def _match(own: Record, tile: Int) -> None:
    """Begin with a tile."""
    own.match_tile = tile
    own.match_block = 0
    own.match_phase = _READS


@callback(PLUG_SIGNATURE)
def tick_matcher(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = vro(address)
    g = s.frame[parent]
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
        line = long_at(own.block_lines, int_at(own.block_first, own.match_tile) + own.match_block)
        found = read_beside(s, g, me, line)
        if found == BLOCKED:
            return s.now + 1
        own.matcher_reads += 1
        own.match_block += 1
        own.match_ready = s.now + s.l1[L1_TILE].latency
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


@callback(PLUG_SIGNATURE)
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
        own.match_wait_cycles += s.now - own.match_since
        own.match_since = -1
    own.approved = tile
    _match(own, tile + 1 if own.ahead else -1)
    notify(s, s.frame[frame].u_fetch_tiles, own.matcher)
    return 1
