"""The prefetch unit: reads what the next tile needs of the Parameter Buffer while this one is rendered.

Hardware (ASSUMED): an address register and adder, and a comparator with the end of the list; it has the Tile Cache's
port before the Tile Fetcher, as VRO's Order Matcher has. With attributes it follows the pointers that it has read.
Modelled: one read a cycle and line; a miss waits for its line. It begins with a tile when the one before is dispatched
and stops where it stands when the tile itself is.
Left out: nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.list_prefetch.counters import COUNTERS
from gpumodel.units.beside import read_beside
from gpumodel.units.cache import BLOCKED, HIT
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, account, notify
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import L1_TILE, STREAM
from gpumodel.units.views import long_at, state_accessor
from traceformat.kernels import callback

__all__ = ["PREFETCH", "follow_tile", "tick_prefetch"]

_I: Final = np.int64

#: ``first`` has the place of each tile's first line in ``lines``, and one more; ``at`` is the next one, ``end`` the
#: tile's last; ``ready`` is when the answer to the last hit is there; ``ahead_of`` is the tile that it reads ahead of.
PREFETCH: Final = np.dtype(
    [
        ("unit", _I), ("first", STREAM), ("lines", STREAM), ("num_tiles", _I), ("at", _I), ("end", _I), ("ready", _I),
        ("ahead_of", _I),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(PREFETCH)


@callback(PLUG_SIGNATURE)
def follow_tile(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: go to the list of the tile behind the one that is dispatched, once."""
    own = _own(address)
    if own.ahead_of == tile:
        return 1
    own.ahead_of = tile
    following = tile + 1
    own.at = long_at(own.first, min(following, own.num_tiles))
    own.end = long_at(own.first, min(following + 1, own.num_tiles))
    notify(s, s.frame[frame].u_fetch_tiles, own.unit)
    return 1


@callback(PLUG_SIGNATURE)
def tick_prefetch(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = _own(address)
    g = s.frame[parent]
    if g.beside_waits:
        account(s, me, DATA)
        return NEVER
    if own.at >= own.end:
        account(s, me, IDLE)
        return NEVER
    if s.now < own.ready:
        account(s, me, BUSY)
        return np.int64(own.ready)
    found = read_beside(s, g, me, long_at(own.lines, own.at))
    if found == BLOCKED:
        return s.now + 1
    own.reads += 1
    own.at += 1
    own.ready = s.now + s.l1[L1_TILE].latency
    return np.int64(own.ready) if found == HIT else s.now + 1
