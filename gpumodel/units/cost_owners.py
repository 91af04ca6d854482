"""Whose the cycles are, where costs are counted.

A cycle of a Raster Unit is that of the draw which holds it up. While the queue in front of the Fragment Processors, or
the one in front of Early-Z, is half full, or nothing of the tile is left to rasterize, that is the draw of the oldest
quad that has not retired; else that of the oldest primitive that is rasterized, or fetched, for the tile; else the
cycle is of the load or the flush of a tile, else nobody's (a wait). While the colour queue is half full, or all is
shaded, Blending holds the unit up: the cycle is of the draw of the oldest quad, or of the flush that Blending waits
for. A cycle of the geometry phase is that of the draw of the oldest primitive that is not binned, else of the vertices
or commands that are fetched. What holds behind the last tick of a cycle has the cycle, so that ticks which find nothing
to do change nothing.

Beside whose a cycle is stands whose *shading alone* holds it up, so that it would go if the draw shaded for nothing.
What the cycle has to do anyway keeps it: where the Rasterizer works, or the memory moves anything but a texture's
line, a cycle that shading holds up would stay. Where what holds the unit up waits for the memory, and that moves a
texture's line, the line's draw has the cycle. In the geometry phase a processor works on a vertex, others wait in front
of it, none in half of the queue behind it, and neither the Polygon List Builder nor the memory works.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.units.capacity import TRIANGLE_RING
from gpumodel.units.costs import Shared, cost_at
from gpumodel.units.events import BUSY, DATA, RESOURCE
from gpumodel.units.kernels import Int, Record, inner, kernel
from gpumodel.units.types import GEOMETRY_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import emitted_at, int_at, pair_at, primitive_at, quad_at, set_int, tile_at, vertex_at

__all__ = ["follow_geometry", "follow_unit", "follow_units", "give_unit_cycles", "pair_row", "quad_came", "quad_left"]

_NONE: Final = -1
_TRIANGLES: Final = TRIANGLE_RING - 1
_CLEAR: Final = int(Shared.CLEAR)
_LOAD: Final = int(Shared.LOAD)
_FLUSH: Final = int(Shared.FLUSH)
_WAIT: Final = int(Shared.WAIT)
#: What holds a Raster Unit up: fetching and rasterizing, shading, Blending, or the flush that Blending waits for.
_FRONT: Final = 0
_SHADED: Final = 1
_BLENDED: Final = 2
_WRITTEN: Final = 3
#: States of the simple Tile Fetcher in which it is at an entry of a list.
_FIRST_STEP: Final = 3
_LAST_STEP: Final = 6


@inner(types.int64(GEOMETRY_T, types.int64))
def pair_row(g: Record, pair: Int) -> Int:
    """Row of a list entry: its draw's, or that of clears."""
    draw = np.int64(pair_at(g.pairs, pair).draw)
    return g.cost_first + draw if draw >= 0 else g.cost_shared + _CLEAR


@inner(types.void(GEOMETRY_T, RASTER_UNIT_T, types.int64))
def quad_came(g: Record, ru: Record, quad: Int) -> None:
    """Put a quad behind the others in its Raster Unit."""
    set_int(g.quad_before, quad, ru.youngest_quad)
    set_int(g.quad_behind, quad, _NONE)
    if ru.youngest_quad >= 0:
        set_int(g.quad_behind, ru.youngest_quad, quad)
    else:
        ru.oldest_quad = quad
    ru.youngest_quad = quad


@inner(types.void(GEOMETRY_T, RASTER_UNIT_T, types.int64))
def quad_left(g: Record, ru: Record, quad: Int) -> None:
    """Take a quad out, wherever it stands."""
    before = int_at(g.quad_before, quad)
    behind = int_at(g.quad_behind, quad)
    if before >= 0:
        set_int(g.quad_behind, before, behind)
    else:
        ru.oldest_quad = behind
    if behind >= 0:
        set_int(g.quad_before, behind, before)
    else:
        ru.youngest_quad = before


@inner(types.int64(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T))
def _fetched_pair(s: Record, g: Record, ru: Record) -> Int:
    """Oldest list entry that is fetched for a Raster Unit, -1 = none."""
    for k in range(g.table_count):
        slot = g.table_head + k
        if slot >= s.cfg.table_entries:
            slot -= s.cfg.table_entries
        pair = g.table_pair[slot]
        if np.int64(tile_at(g.tiles, pair_at(g.pairs, pair).tile).raster_unit) == ru.number:
            return pair
    at_entry = s.cfg.fetches_ahead == 0 and g.fetch_state >= _FIRST_STEP and g.fetch_state <= _LAST_STEP
    if at_entry and np.int64(tile_at(g.tiles, g.tile).raster_unit) == ru.number:
        return g.fetch_pair
    return _NONE


@inner(types.int64(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T))
def _front_pair(s: Record, g: Record, ru: Record) -> Int:
    """Oldest list entry that is not rasterized of a Raster Unit's tile, else that it has or fetches, -1 = none."""
    if ru.front >= 0:
        t = tile_at(g.tiles, ru.front)
        if t.pairs_left > 0:
            return np.int64(t.pair_first) + t.pair_count - t.pairs_left
    return np.int64(ru.pair[ru.pair_head]) if ru.pair_count > 0 else _fetched_pair(s, g, ru)


@inner(types.int64(GEOMETRY_T, RASTER_UNIT_T, types.int64))
def _held_by(g: Record, ru: Record, pair: Int) -> Int:
    """Which part of a Raster Unit holds it up; ``pair`` is the oldest list entry in front of it, -1 = none."""
    if ru.oldest_quad < 0:
        return _FRONT
    tile = ru.order[ru.order_head]
    # Entries of the next tile, and clears in mid-pass, wait for the quads to leave.
    has_front = pair >= 0 and np.int64(pair_at(g.pairs, pair).tile) == ru.front and pair_at(g.pairs, pair).clear < 0
    shades = has_front or tile_at(g.tiles, tile).unshaded > 0
    if 2 * ru.color_count >= ru.color_depth or not shades:
        waits = ru.color_buffers == 1 or np.int64(quad_at(g.quads, ru.oldest_quad).tile) != tile
        return _WRITTEN if waits and (ru.flushing or ru.flush_pending >= 0) else _BLENDED
    filled = 2 * ru.queued >= ru.queue_depth * ru.num_queues or 2 * ru.post_count > ru.post_depth
    return _FRONT if has_front and not filled else _SHADED


@inner(types.int64(GEOMETRY_T, RASTER_UNIT_T, types.int64, types.int64))
def _raster_owner(g: Record, ru: Record, pair: Int, held_by: Int) -> Int:
    if held_by in (_SHADED, _BLENDED):
        return g.cost_first + quad_at(g.quads, ru.oldest_quad).draw
    # The Rasterizer waits for what its tile loads.
    if ru.loading:
        return g.cost_shared + _LOAD
    if held_by == _FRONT and pair >= 0:
        return pair_row(g, pair)
    return g.cost_shared + (_FLUSH if ru.flushing or ru.flush_pending >= 0 else _WAIT)


@inner(types.int64(SYSTEM_T, GEOMETRY_T, RASTER_UNIT_T, types.int64))
def _shader(s: Record, g: Record, ru: Record, owner: Int) -> Int:
    """Row whose shading or textures alone hold a Raster Unit up, -1 = none; ``owner`` is that of a cycle which shading
    holds up, else -1.
    """
    if owner >= 0:
        return owner if s.unit_state[ru.u_raster] != BUSY and s.dram.moves_other == 0 else _NONE
    waits = ru.loading or s.unit_state[ru.u_flush] == RESOURCE or s.unit_state[g.u_fetch_tiles] == DATA
    return np.int64(s.dram.moves_for) if waits else _NONE


@kernel(types.void(SYSTEM_T, RASTER_UNIT_T))
def give_unit_cycles(s: Record, ru: Record) -> None:
    """Give the cycles of a Raster Unit up to now to whom they belong."""
    cost_at(s.costs, ru.cost_owner).raster_cycles += s.now - ru.cost_since
    if ru.cost_shader >= 0:
        cost_at(s.costs, ru.cost_shader).raster_shading_cycles += s.now - ru.cost_since
    ru.cost_since = s.now


@inner(types.void(SYSTEM_T, RASTER_UNIT_T))
def follow_unit(s: Record, ru: Record) -> None:
    """Give a Raster Unit's cycles to whom they belong, from its frame's raster phase on."""
    g = s.frame[ru.cost_frame]
    if g.phase == 0 or g.held:
        return
    pair = _front_pair(s, g, ru)
    held_by = _held_by(g, ru, pair)
    owner = _raster_owner(g, ru, pair, held_by)
    shader = _shader(s, g, ru, owner if held_by == _SHADED else _NONE)
    if ru.cost_since < 0:
        ru.cost_since = s.now
    elif owner == ru.cost_owner and shader == ru.cost_shader:
        return
    else:
        give_unit_cycles(s, ru)
    ru.cost_owner = owner
    ru.cost_shader = shader


@inner(types.void(SYSTEM_T, types.int64))
def follow_units(s: Record, frame: Int) -> None:
    """Do so for all Raster Units of a frame, and end its geometry phase."""
    follow_geometry(s, frame)
    for k in range(s.cfg.raster_units):
        if s.ru[k].cost_frame == frame:
            follow_unit(s, s.ru[k])


@inner(types.int64(GEOMETRY_T))
def _geometry_owner(g: Record) -> Int:
    if g.binning >= 0:
        return g.cost_first + emitted_at(g.emitted, g.binning).draw
    if g.triangle_count > 0:
        return g.cost_first + emitted_at(g.emitted, g.triangle[g.triangle_head]).draw
    if g.primitive < g.primitive_end:
        return g.cost_first + primitive_at(g.primitives, g.primitive).draw
    if g.row < g.row_end:
        return g.cost_first + vertex_at(g.vertices, g.row).draw
    if g.draws_ready < g.draw_end:
        return g.cost_first + g.draws_ready
    return g.cost_shared + _WAIT


@inner(types.int64(SYSTEM_T, GEOMETRY_T))
def _vertices_hold(s: Record, g: Record) -> Int:
    """Tell whether shading of vertices alone holds the geometry phase up."""
    is_fed = 2 * g.input_count >= g.input_depth or g.row >= g.row_end
    is_let = 2 * g.output_count < g.output_depth and s.unit_state[g.u_binner] != BUSY and s.dram.moves_other == 0
    if is_fed and is_let:
        for k in range(g.num_processors):
            if g.processor_busy[k]:
                return 1
    return 0


@inner(types.void(SYSTEM_T, types.int64))
def follow_geometry(s: Record, frame: Int) -> None:
    """Give the cycles of a frame's geometry phase to whom they belong."""
    g = s.frame[frame]
    if g.cost_since < 0:
        return
    owner = _geometry_owner(g)
    shades = _vertices_hold(s, g)
    if owner != g.cost_owner or shades != g.cost_shades or g.phase:
        cost = cost_at(s.costs, g.cost_owner)
        cost.geometry_cycles += s.now - g.cost_since
        cost.geometry_shading_cycles += g.cost_shades * (s.now - g.cost_since)
        g.cost_owner = owner
        g.cost_shades = shades
        g.cost_since = s.now
    if g.phase:
        g.geometry_end = s.now
        g.cost_since = _NONE
