"""The depth test with owners, and the edges that it finds: Early-Z, Edge Filter, Edges Queue.

Hardware: beside each depth the Depth Buffer keeps the node that wrote it and whether its function passes equal depths.
Each comparison of a movable fragment with a depth of another node of its run tells which of the two is in front. The
edges of a quad are merged when equal; the Edge Filter (fully associative, LRU) drops those it has seen lately; the rest
goes into the Edges Queue. A full queue, or searches that lag behind, stall Early-Z in front of the next quad.
Modelled: that. An edge equal to the one searched last needs no search (it is the most recent entry). Several Raster
Units have owners and a filter each, and one Edges Queue, which an arbiter fills: edges of two units take a cycle each,
first come first served, the lower unit first (ASSUMED; nobody has described it).
Ties: on equal depth the function of the fragment that is later in program order decides, whoever arrives first; the
proof that this gives program order's picture is in docs/technique_models.md.
Source: VRO §3.1, §4.3, Table 2; owner per pixel and ties DESIGN §5; searches per cycle ASSUMED (configuration).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.config import EDGES_RING
from gpumodel.techniques.vro.state import OWNERS, VRO_T, vro
from gpumodel.units.depth import TEST_KILL, TEST_LATE, sample_loop, sample_passes, sample_signature
from gpumodel.units.events import wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, int_at, quad_at, tile_at
from traceformat.kernels import callback, inner, kernel

__all__ = ["decide_owned", "edge_ready"]

_RING: Final = EDGES_RING - 1
#: Node numbers of an edge: source << 16 | target.
_SHIFT: Final = 16
_BY_QUEUE: Final = 0
_BY_FILTER: Final = 1


@kernel(types.void(SYSTEM_T, VRO_T, types.int64, types.int64))
def _search(s: Record, own: Record, raster_unit: Int, edge: Int) -> None:
    """Search the unit's Edge Filter; an edge that it does not hold goes into the Edges Queue, or waits for room."""
    if own.last_edge[raster_unit] == edge:
        own.edges_merged += 1
        return
    own.last_edge[raster_unit] = edge
    own.filter_searches += 1
    if own.search_cycle[raster_unit] < s.now:
        own.search_cycle[raster_unit] = s.now
        own.searched[raster_unit] = 0
    if own.searched[raster_unit] == own.searches_per_cycle:
        own.search_cycle[raster_unit] += 1
        own.searched[raster_unit] = 0
    own.searched[raster_unit] += 1
    own.filter_clock[raster_unit] += 1
    victim = 0
    for k in range(own.filter_size):
        if own.filter[raster_unit, k] == edge:
            own.filter_stamp[raster_unit, k] = own.filter_clock[raster_unit]
            own.filter_hits += 1
            return
        if own.filter_stamp[raster_unit, k] < own.filter_stamp[raster_unit, victim]:
            victim = k
    own.filter[raster_unit, victim] = edge
    own.filter_stamp[raster_unit, victim] = own.filter_clock[raster_unit]
    own.edges_queued += 1
    if own.queue_count < own.queue_depth and own.pending_count == 0:
        at = (own.queue_head + own.queue_count) & _RING
        ready = max(
            own.search_cycle[raster_unit] + 1, own.queue_written + (1 if own.queue_writer != raster_unit else 0)
        )
        own.queue_writer = raster_unit
        own.queue_written = ready
        own.queue[at] = edge
        own.queue_ready[at] = ready
        own.queue_count += 1
        wake_at(s, own.unit, ready)
    else:
        own.pending[own.pending_count] = edge
        own.pending_count += 1


@inner(types.void(VRO_T, types.int64, types.int64, types.int64, types.int64))
def _compare_owners(own: Record, node: Int, held: Int, passed: Int, first: Int) -> None:
    """Note the edge that a comparison shows: nodes of one run, not of the same object, each edge of a quad once."""
    other = held >> 1
    if held < 0 or other == node or other < first:
        return
    own.comparisons += 1
    edge = node << _SHIFT | other if passed else other << _SHIFT | node
    for k in range(own.found_count):
        if own.found[k] == edge:
            own.edges_merged += 1
            return
    own.found[own.found_count] = edge
    own.found_count += 1


@inner(sample_signature(VRO_T))
def _test_owned(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Test a sample, with update of its owner, and note the edge that this shows."""
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    node = int_at(own.node_of_draw, q.draw)
    code = 2 * node + (1 if d.func == 3 or d.func == 6 else 0)
    at = ru.number * OWNERS + sample
    held = np.int64(own.owner[at])
    if held >> 1 > node and depth == np.int64(ru.depth[sample]):
        # The owner is later in program order: it would have been tested against this fragment.
        own.ties += 1
        passed = 1 - (held & 1)
    else:
        passed = sample_passes(s, ru, d, q.back, sample, depth, stage)
    if passed and stage != TEST_KILL and d.depth_write:
        own.owner[at] = code
    if stage != TEST_LATE and byte_at(own.movable, q.draw):
        _compare_owners(own, node, held, passed, int_at(own.run_first, node))
    return passed


_owned_quad: Final = sample_loop(VRO_T, _test_owned)


@callback(PLUG_SIGNATURE)
def decide_owned(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test``: test the fragments of ``mask`` with owners; gives those that pass."""
    own = vro(address)
    ru = s.ru[raster_unit]
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    if own.tile[raster_unit] != np.int64(q.tile):
        own.tile[raster_unit] = q.tile
        t = tile_at(g.tiles, q.tile)
        first = raster_unit * OWNERS
        for sample in range(first, first + g.samples * s.cfg.tile_width * np.int64(t.height)):
            own.owner[sample] = -1
    own.found_count = 0
    mask = _owned_quad(s, own, ru, quad, mask, stage)
    if mask and stage != TEST_KILL and draw_at(g.draws, q.draw).depth_write:
        own.owner_writes += 1
    if own.active:
        own.edges_found += own.found_count
        for k in range(own.found_count):
            _search(s, own, raster_unit, own.found[k])
    return mask


@callback(PLUG_SIGNATURE)
def edge_ready(s: Record, address: Int, raster_unit: Int, quad: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``quad_ready``: a quad may enter Early-Z when the edges of the ones before are searched and queued."""
    own = vro(address)
    if own.pending_count == 0 and own.search_cycle[raster_unit] <= s.now:
        if own.stalled_since[raster_unit] >= 0:
            cycles = s.now - own.stalled_since[raster_unit]
            if own.stalled_by[raster_unit] == _BY_QUEUE:
                own.queue_stall_cycles += cycles
            else:
                own.filter_stall_cycles += cycles
            own.stalled_since[raster_unit] = -1
        return 1
    if own.stalled_since[raster_unit] < 0:
        own.stalled_since[raster_unit] = s.now
        own.stalled_by[raster_unit] = _BY_QUEUE if own.pending_count else _BY_FILTER
    if own.pending_count == 0:
        wake_at(s, s.ru[raster_unit].u_enter, own.search_cycle[raster_unit])
    return 0
