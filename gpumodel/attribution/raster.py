"""What the raster phase of a pass did for each draw, from what the units left in their streams.

The units count as they go; here the same is counted again from the log of a finished pass: the outcome of its tiles,
the results of Early-Z, what was shaded and what was written. That both agree is tested for every counter.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.units.binning import ATTRIBUTE_BYTES
from gpumodel.units.costs import COST, Shared
from gpumodel.units.depth import KILLED, LATE, NO_UPDATE
from gpumodel.units.events import count_ones
from gpumodel.units.kernels import Array, Int, Record, inner, kernel
from gpumodel.units.state import RENDERED
from gpumodel.units.types import DRAW_T, GEOMETRY_T, INT64S, QUAD_T
from gpumodel.units.views import byte_at, draw_at, op_at, pair_at, quad_at, segment_at, tile_at

__all__ = ["count_raster_work"]

_ALIVE: Final = 15
_CLEAR: Final = int(Shared.CLEAR)
_COST_T: Final = from_dtype(COST)
_COSTS: Final = types.Array(_COST_T, 1, "C")


@inner(types.void(_COST_T, GEOMETRY_T, types.int64))
def _count_pair(row: Record, g: Record, index: Int) -> None:
    """Count a list entry: its hand-over, and the look-ups of the Tile Fetcher."""
    pair = pair_at(g.pairs, index)
    row.pairs += 1
    row.fetch_primitives += 1
    row.attributes_fetched += pair.attributes
    requests = 2 if pair.link_line >= 0 else 1
    for k in range(pair.attributes):
        start = pair.attribute_address + k * ATTRIBUTE_BYTES
        requests += ((start + ATTRIBUTE_BYTES - 1) >> 6) - (start >> 6) + 1
    row.fetch_requests += requests
    row.interpolated += np.int64(pair.attributes) * pair.quad_count


@inner(types.void(_COST_T, GEOMETRY_T, types.int64, QUAD_T, DRAW_T))
def _count_tests(row: Record, g: Record, index: Int, q: Record, d: Record) -> None:
    """Count a quad in Early-Z and in Blending."""
    early = byte_at(g.early, index)
    coverage = np.int64(q.coverage)
    alive = early & _ALIVE
    row.quads_rasterized += 1
    row.rasterized += count_ones(coverage)
    row.early_killed += count_ones(coverage & ~alive)
    written = byte_at(g.written, index)
    if d.depth_test or d.stencil_test:
        row.depth_reads += g.samples
        if early & NO_UPDATE == 0 and (d.stencil_test or (d.depth_write and alive)):
            row.depth_writes += g.samples
    if alive == 0:
        row.quads_killed += 1
        return
    if early & KILLED:
        return
    survives = alive & np.int64(q.survives)
    if early & LATE:
        row.depth_reads += g.samples
        if d.stencil_test or (d.depth_write and written):
            row.depth_writes += g.samples
    row.quads_blended += 1
    row.discarded += count_ones(alive & ~survives)
    row.late_killed += count_ones(survives & ~written)
    row.written += count_ones(written)
    if written:
        row.blend_writes += 1
        if d.blend:
            row.blend_reads += 1


@inner(types.void(_COST_T, GEOMETRY_T, QUAD_T, types.int64, types.int64, INT64S))
def _count_shading(row: Record, g: Record, q: Record, mask: Int, path: Int, lanes: Array) -> None:
    """Count a quad in its Fragment Processor."""
    row.quads += 1
    row.shaded += count_ones(mask)
    for segment in range(q.segment, q.segment_end):
        row.instructions += segment_at(g.segments, segment).cycles
    ops = np.int64(q.segment_end) - q.segment - 1
    row.texture_ops += ops
    for op in range(q.op, q.op + ops):
        for f in range(4):
            if mask >> f & 1:
                row.texels += np.int64(op_at(g.ops, op).texels[f])
    for f in range(4):
        if mask >> f & 1:
            for kind in range(6):
                row.fs_executed[kind] += lanes[24 * path + 6 * f + kind]


@kernel(types.void(GEOMETRY_T, _COSTS, types.int64, types.int64, INT64S, INT64S))
def count_raster_work(g: Record, costs: Array, first: Int, shared: Int, path: Array, lanes: Array) -> None:
    """Add up what the tiles that a pass has rendered did for each draw.

    Parameters
    ----------
    g : the frame in flight, with the streams of the pass
    costs : rows of the frame
    first, shared : row of the frame's first draw, and of the pass's first kind of shared work
    path : (Q,) path of each of the frame's quads
    lanes : (24 P,) instructions that lane f of path p executes at 24 p + 6 f + kind
    """
    for tile in range(g.tile_end):
        t = tile_at(g.tiles, tile)
        if np.int64(t.outcome) & RENDERED == 0:
            continue
        for index in range(t.pair_first, t.pair_first + t.pair_count):
            pair = pair_at(g.pairs, index)
            row = costs[first + pair.draw if pair.draw >= 0 else shared + _CLEAR]
            _count_pair(row, g, index)
            for quad in range(pair.quad_first, pair.quad_first + pair.quad_count):
                q = quad_at(g.quads, quad)
                _count_tests(row, g, quad, q, draw_at(g.draws, q.draw))
                mask = byte_at(g.executed, quad) & _ALIVE
                if mask:
                    _count_shading(row, g, q, mask, path[q.row], lanes)
