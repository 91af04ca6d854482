"""Tile load and tile flush: between the on-chip buffers and the Frame Buffer in memory.

Hardware: at a tile's end its Colour Buffer is written to the Frame Buffer; where a pass starts from loaded contents,
the tile is read first.
Modelled: row by row, one memory request (up to a 64-byte line of pixels) a cycle, every stored attachment, then depth
where it is stored; writes are posted into the memory's write queue, so that the width of the memory decides. The L2 is
passed by. A flush is over when its last request is queued, which frees the Colour Buffer.
A technique that lays a target out otherwise (compression) gives each tile's pieces of memory instead of rows.
Left out: the L2's copies of rewritten lines stay as they are (timing only).
Source: VRO §4.1, thesis §2.2.2; double buffering DESIGN §4.9; the path past the L2 ASSUMED (thesis Fig. 2.2).
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.costs import Shared, cost_at
from gpumodel.units.events import BUSY, DATA, DEPENDENCY, IDLE, NEVER, RESOURCE, account, notify, wake_at
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.memory import memory_read, memory_write
from gpumodel.units.state import FLUSHED
from gpumodel.units.traffic import COLOR, OTHER
from gpumodel.units.types import GEOMETRY_T, RASTER_UNIT_T, SYSTEM_T, WALK_T
from gpumodel.units.views import long_at, piece_at, tile_at

__all__ = ["request_flush", "start_load", "tick_flush"]

#: Index of the depth attachment, behind the colours.
_DEPTH: Final = 8
_LINE_BYTES: Final = 64
_LOADS: Final = int(Shared.LOAD)
_FLUSHES: Final = int(Shared.FLUSH)


@inner(types.int64(GEOMETRY_T, types.int64, types.int64))
def _next_target(g: Record, target: Int, load: Int) -> Int:
    """First attachment from ``target`` on that is loaded (or stored); 9 when there is none."""
    while target < g.num_colors:
        wanted = g.color_load[target] == 2 if load else g.color_store[target] == 1
        if wanted and g.color_bytes[target] > 0:
            return target
        target += 1
    target = max(target, _DEPTH)
    if target == _DEPTH and g.depth_bytes > 0:
        if load and (g.depth_load == 2 or g.stencil_load == 2):
            return _DEPTH
        if not load and (g.depth_store == 1 or g.stencil_store == 1):
            return _DEPTH
    return _DEPTH + 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def start_load(s: Record, ru: Record) -> Int:
    """Begin to load the tile that enters; 0 when nothing is loaded."""
    ru.load.target = _next_target(s.frame[ru.frame], 0, 1)
    if ru.load.target > _DEPTH:
        return 0
    ru.loading = 1
    ru.load.row = 0
    ru.load.column = 0
    return 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T, types.int64))
def request_flush(s: Record, ru: Record, tile: Int) -> Int:
    """Ask for the flush of a tile; 0 when nothing is stored."""
    ru.flush.target = _next_target(s.frame[ru.frame], 0, 0)
    if ru.flush.target > _DEPTH:
        return 0
    ru.flush_pending = tile
    ru.flush_since = s.now
    return 1


@inner(types.int64(SYSTEM_T, RASTER_UNIT_T))
def _granted(s: Record, ru: Record) -> Int:
    """Ask the arbiter, which lets one Raster Unit flush at a time, the tile that was dispatched earliest first."""
    if s.flush_owner >= 0 or s.now < s.flush_free:
        return 0
    mine = tile_at(s.frame[ru.frame].tiles, ru.flush_pending).dispatch
    for k in range(s.cfg.raster_units):
        other = s.ru[k]
        # What became ready in this very cycle is seen in the next one.
        ready = other.flush_pending >= 0 and other.flush_since < s.now
        if ready and tile_at(s.frame[other.frame].tiles, other.flush_pending).dispatch < mine:
            return 0
    return 1


@inner(types.void(SYSTEM_T, RASTER_UNIT_T))
def _begin_flush(s: Record, ru: Record) -> None:
    ru.flushing = 1
    ru.flush_tile = ru.flush_pending
    ru.flush_pending = -1
    ru.flush.row = 0
    ru.flush.column = 0
    ru.flush_wait_cycles += s.now - ru.flush_since - 1
    s.flush_owner = ru.number


@inner(types.void(SYSTEM_T, RASTER_UNIT_T, GEOMETRY_T))
def _end_flush(s: Record, ru: Record, g: Record) -> None:
    ru.flushing = 0
    ru.tiles_flushed += 1
    tile_at(g.tiles, ru.flush_tile).outcome |= FLUSHED
    s.flush_owner = -1
    s.flush_free = s.now + 1
    for k in range(s.cfg.raster_units):
        if s.ru[k].flush_pending >= 0:
            wake_at(s, s.ru[k].u_flush, s.now + 1)
    notify(s, ru.u_flush, ru.u_tiles)
    notify(s, ru.u_flush, g.u_fetch_tiles)
    notify(s, ru.u_flush, ru.u_blend)


@inner(types.int64(GEOMETRY_T, types.int64, types.int64))
def _in_pieces(g: Record, target: Int, reader: Int) -> Int:
    """Whether a target is moved in pieces that a technique has given."""
    return target == 0 and (g.is_loaded_in_pieces if reader >= 0 else g.is_stored_in_pieces)


@inner(types.int64(GEOMETRY_T, types.int64, types.int64, types.int64))
def _num_rows(g: Record, tile: Int, target: Int, reader: Int) -> Int:
    """Rows of a tile, or its pieces."""
    if not _in_pieces(g, target, reader):
        return tile_at(g.tiles, tile).height
    first = g.loaded_first if reader >= 0 else g.stored_first
    return long_at(first, tile + 1) - long_at(first, tile)


@inner(
    types.int64(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64, types.int64, types.int64, types.int64, types.int64)
)
def _transfer(s: Record, g: Record, ru: Record, tile: Int, target: Int, row: Int, column: Int, reader: Int) -> Int:
    """Request the piece of a tile's row that starts at ``column`` (bytes): its length, negative when it ends the row,
    or 0.
    """
    traffic = OTHER if target == _DEPTH else COLOR
    if _in_pieces(g, target, reader):
        first = g.loaded_first if reader >= 0 else g.stored_first
        piece = piece_at(g.loaded if reader >= 0 else g.stored, long_at(first, tile) + row)
        start = piece.address + column
        left = piece.size - column
    else:
        t = tile_at(g.tiles, tile)
        base = g.depth_address if target == _DEPTH else g.color_address[target]
        size = g.depth_bytes if target == _DEPTH else g.color_bytes[target]
        start = base + ((t.y0 + row) * g.width + t.x0) * size + column
        left = t.width * size - column
    length = min(_LINE_BYTES - (start & (_LINE_BYTES - 1)), left)
    s.cost_who = g.cost_shared + (_LOADS if reader >= 0 else _FLUSHES)
    if reader >= 0:
        if memory_read(s, start >> 6, length, traffic, reader) == 0:
            return 0
        ru.load_open += 1
    elif memory_write(s, start >> 6, length, traffic) == 0:
        return 0
    if target == _DEPTH:
        ru.depth_bytes += length
        if s.costs.count:
            cost_at(s.costs, s.cost_who).depth_bytes += length
    return -length if length == left else length


@inner(types.int64(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, WALK_T, types.int64, types.int64))
def _step(s: Record, g: Record, ru: Record, at: Record, tile: Int, reader: Int) -> Int:
    """Request the next piece of a tile, for a load (by ``reader``) or a flush (-1); 0 when it waits."""
    length = _transfer(s, g, ru, tile, at.target, at.row, at.column, reader)
    if length == 0:
        return 0
    at.column += length
    if length < 0:
        at.column = 0
        at.row += 1
        if at.row >= _num_rows(g, tile, at.target, reader):
            at.row = 0
            at.target = _next_target(g, at.target + 1, 1 if reader >= 0 else 0)
    return 1


@inner(types.int64(SYSTEM_T, types.int64))
def tick_flush(s: Record, raster_unit: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    me = ru.u_flush
    worked = 0
    blocked = 0
    if ru.loading:
        if ru.load.target <= _DEPTH:
            if _step(s, g, ru, ru.load, ru.depth_tile, raster_unit):
                worked = 1
            else:
                blocked = 1
        elif ru.load_open == 0:
            ru.loading = 0
            worked = 1
            notify(s, me, ru.u_tiles)
            notify(s, me, ru.u_depth)
            notify(s, me, ru.u_raster)
    if ru.flush_pending >= 0 and not ru.flushing and _granted(s, ru):
        _begin_flush(s, ru)
    if ru.flushing:
        if _step(s, g, ru, ru.flush, ru.flush_tile, -1):
            worked = 1
            if ru.flush.target > _DEPTH:
                _end_flush(s, ru, g)
        else:
            blocked = 1
    if worked:
        account(s, me, BUSY)
        return s.now + 1
    if blocked:
        account(s, me, RESOURCE)
    elif ru.loading:
        account(s, me, DATA)
    elif ru.flush_pending >= 0:
        account(s, me, DEPENDENCY)
    else:
        account(s, me, IDLE)
    if ru.flush_pending >= 0 and s.flush_owner < 0:
        # The arbiter grants one cycle behind the end of a flush.
        return s.now + 1
    return NEVER
