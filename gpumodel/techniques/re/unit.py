"""Signature Unit: signs primitives while the Polygon List Builder sorts them, and holds tiles until it is done.

Hardware: the Compute CRC unit signs a primitive's attributes (and a draw's constants) a sub-block a cycle; the list
builder puts the tiles that the primitive overlaps into the Overlapped Tiles queue; for each, the Accumulate CRC unit
shifts the tile's signature over the block's length, a sub-block a cycle, and adds the block's signature.
Modelled: both units work side by side; Compute takes the next primitive when it has handed the last one to the
Primitive CRC register, which is free when all of its tiles are done; the list builder waits for Compute at the start of
a primitive and for room in the queue at a tile. A draw's constants are signed in front of its first primitive, and are
shifted over once a tile (bitmap, cleared in no time). Tiles are not scheduled before the unit is empty; each is checked
against the Signature Buffer.
Left out: signing constants while vertices are still shaded (ASSUMED: the Constants CRC register is in use by the draw
before until its last tile).
Source: RE §III-F (Figure 7) and §III-G; queue depth and check latency ASSUMED (configuration).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.re.config import OT_QUEUE_ENTRIES
from gpumodel.techniques.re.counters import COUNTERS
from gpumodel.units.counters import counter_fields
from gpumodel.units.events import BUSY, DEPENDENCY, IDLE, NEVER, account, notify, wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import byte_at, emitted_at, int_at, long_at, set_int, state_accessor
from traceformat.kernels import callback, kernel

__all__ = ["SIGNATURE_UNIT", "check_tile", "sign_bin", "tick_signature_unit"]


_RING: Final = OT_QUEUE_ENTRIES - 1
_I: Final = np.int64
#: Compute CRC unit: without work, signing, waiting for the register.
_FREE: Final = 0
_SIGNS: Final = 1
_WAITS: Final = 2

#: State of the unit; ``single`` says that a shift takes a cycle whatever its length; ``lengths`` and ``draws`` are by
#: emitted primitive, ``constants`` by draw, ``tile_of`` by list pointer in binning order (-1 = not signed),
#: ``signed`` the others of each primitive, ``touched`` (the bitmap) by tile, ``skip`` by tile in rendering order.
SIGNATURE_UNIT: Final = np.dtype(
    [
        ("active", _I), ("checking", _I), ("signing", _I), ("single", _I), ("free", _I), ("unit", _I),
        ("lengths", STREAM), ("draws", STREAM), ("constants", STREAM), ("tile_of", STREAM), ("signed", STREAM),
        ("touched", STREAM), ("skip", STREAM),
        # Overlapped Tiles queue
        ("queue", _I, (OT_QUEUE_ENTRIES,)), ("head", _I), ("count", _I), ("depth", _I),
        # Compute CRC unit
        ("offered", _I), ("pushed", _I), ("compute", _I), ("compute_until", _I), ("block", _I), ("block_tiles", _I),
        ("block_draw", _I), ("block_constants", _I),
        # Primitive CRC, Constants CRC and shift amount registers, bitmap's generation
        ("shift", _I), ("shift_constants", _I), ("tiles_left", _I), ("draw", _I),
        # Accumulate CRC unit
        ("accumulating", _I), ("accumulate_until", _I),
        # check
        ("check_cycles", _I), ("check_tile", _I), ("check_until", _I),
        ("stalled_since", _I),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip

_own: Final = state_accessor(SIGNATURE_UNIT)
#: The records of frames in flight lie behind each other.
_FRAME_BYTES: Final = SIGNATURE_UNIT.itemsize
_UNIT_T: Final = from_dtype(SIGNATURE_UNIT)


@kernel(types.int64(_UNIT_T, types.int64))
def _update(own: Record, tile: Int) -> Int:
    """Add the block in the Primitive CRC register to a tile's signature, and the constants once a draw; its cycles."""
    cost = own.shift if own.single == 0 else 1
    own.signature_updates += 1
    if int_at(own.touched, tile) != own.draw:
        set_int(own.touched, tile, own.draw)
        cost += own.shift_constants if own.single == 0 else 1
        own.signature_updates += 1
    own.accumulate_sub_blocks += cost
    return cost


@kernel(types.void(SYSTEM_T, _UNIT_T, types.int64, types.int64, types.int64, types.int64))
def _sign_at_once(s: Record, own: Record, frame: Int, row: Int, attribute: Int, tile: Int) -> None:
    """Do what the unit does for a primitive or tile, in no time."""
    e = emitted_at(s.frame[frame].emitted, row)
    if own.offered != row:
        own.offered = row
        own.pushed = 0
        draw = int_at(own.draws, row)
        own.shift = long_at(own.lengths, row)
        own.shift_constants = long_at(own.constants, draw)
        own.compute_sub_blocks += own.shift + (own.shift_constants if draw != own.draw else 0)
        own.draw = draw
    if attribute >= np.int64(e.attributes) and own.pushed == tile:
        own.pushed += 1
        number = int_at(own.tile_of, np.int64(e.bin_first) + tile)
        if number >= 0:
            _update(own, number)


@callback(PLUG_SIGNATURE)
def sign_bin(s: Record, address: Int, frame: Int, row: Int, attribute: Int, tile: Int) -> Int:
    """Hook ``bin``: take the primitive, or the tile that its next pointer is for; 0 stalls the list builder."""
    own = _own(address + frame * _FRAME_BYTES)
    if own.active == 0:
        return 1
    g = s.frame[frame]
    if own.free:
        _sign_at_once(s, own, frame, row, attribute, tile)
        return 1
    free = 1
    if own.offered != row:
        if own.compute != _FREE:
            free = 0
        else:
            own.offered = row
            own.pushed = 0
            own.block = long_at(own.lengths, row)
            own.block_draw = int_at(own.draws, row)
            own.block_constants = long_at(own.constants, own.block_draw)
            own.block_tiles = int_at(own.signed, row)
            length = own.block
            if own.block_draw != own.draw:
                length += own.block_constants
            own.compute_sub_blocks += length
            own.compute = _SIGNS
            own.compute_until = s.now + max(length, 1)
            notify(s, g.u_binner, own.unit)
    e = emitted_at(g.emitted, row)
    if free and attribute >= np.int64(e.attributes) and own.pushed == tile:
        number = int_at(own.tile_of, np.int64(e.bin_first) + tile)
        if number < 0:
            own.pushed += 1
        elif own.count >= own.depth:
            free = 0
        else:
            own.queue[(own.head + own.count) & _RING] = number
            own.count += 1
            own.pushed += 1
            notify(s, g.u_binner, own.unit)
    if free == 0:
        if own.stalled_since < 0:
            own.stalled_since = s.now
        return 0
    if own.stalled_since >= 0:
        own.stall_cycles += s.now - own.stalled_since
        own.stalled_since = -1
    return 1


@kernel(types.int64(SYSTEM_T, _UNIT_T, types.int64, types.int64))
def _advance(s: Record, own: Record, me: Int, frame: Int) -> Int:
    """Sign what there is of a frame in flight; gives the next cycle with work."""
    g = s.frame[frame]
    own.unit = me
    if own.active == 0:
        return NEVER
    if own.compute == _SIGNS and s.now >= own.compute_until:
        own.compute = _WAITS
    if own.accumulating and s.now >= own.accumulate_until:
        own.accumulating = 0
        own.tiles_left -= 1
    if own.compute == _WAITS and own.tiles_left == 0:
        own.shift = own.block
        own.tiles_left = own.block_tiles
        own.shift_constants = own.block_constants
        own.draw = own.block_draw
        own.compute = _FREE
        notify(s, me, g.u_binner)
    if own.accumulating == 0 and own.tiles_left > 0 and own.count > 0:
        tile = own.queue[own.head]
        own.head = (own.head + 1) & _RING
        if own.count == own.depth:
            notify(s, me, g.u_binner)
        own.count -= 1
        cost = _update(own, tile)
        own.accumulating = 1
        own.accumulate_until = s.now + max(cost, 1)
    following = NEVER
    if own.compute == _SIGNS:
        following = own.compute_until
    if own.accumulating:
        following = min(following, own.accumulate_until)
    if own.compute == _FREE and own.tiles_left == 0:
        notify(s, me, g.u_fetch_tiles)
    return np.int64(following)


@callback(PLUG_SIGNATURE)
def tick_signature_unit(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work.

    Where a pass is binned beside the tiles of the one before, that one's last signatures, at most a queue full, are
    finished beside its first ones.
    """
    following = NEVER
    waits = 0
    for frame in range(1 + s.cfg.bins_ahead):
        own = _own(address + frame * _FRAME_BYTES)
        following = min(following, _advance(s, own, me, frame))
        waits |= own.active and own.tiles_left > 0
    account(s, me, BUSY if following != NEVER else DEPENDENCY if waits else IDLE)
    return np.int64(following)


@callback(PLUG_SIGNATURE)
def check_tile(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: wait for the last signature, then compare the tile's with that in its back buffer."""
    own = _own(address + frame * _FRAME_BYTES)
    if own.active == 0:
        return 1
    if own.compute != _FREE or own.tiles_left > 0:
        return -1
    if own.signing:
        # The geometry phase ends with the last signature.
        own.signing = 0
        s.frame[frame].raster_start = s.now
    if own.checking == 0:
        return 1
    if own.check_tile != tile:
        own.check_tile = tile
        own.check_until = s.now + own.check_cycles
        own.tiles_checked += 1
    if s.now < own.check_until:
        wake_at(s, s.frame[frame].u_fetch_tiles, own.check_until)
        return -1
    return 1 - byte_at(own.skip, tile)
