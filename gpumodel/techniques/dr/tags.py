"""The depth test of both fronts: Hidden Surface Removal leaves a tag a pixel, Early-Z decides by it.

Hardware: HSR tests a tile's fragments in list order, as program order would, in a Depth Buffer of its own. Beside
each depth it keeps a *tag*, the place in the tile's list of the covering fragment that passed last. Early-Z reads the
tag of a fragment's pixel: what comes before it in the list dies, the tagged fragment passes and writes its depth, what
comes behind it is tested as ever. So exact ties need no rule, and the final depths need not be copied.
HSR gives a pixel up (*freezes* it) at the first fragment whose outcome it cannot know (it discards, or its shader
writes its depth, and its depth test does not kill it for certain), or whose exact predecessors matter to more than
colours (stencil, queries): the tag stays, what comes behind is tested by Early-Z alone.
Modelled: that. The proof that no pixel changes is in docs/MODEL.md.
Source: VRO §4.2 (HSR sets up the final Depth Buffer, the second pass culls by it); tags and freezing ASSUMED, because
final depths alone cannot decide ties, nor know blended and discarding draws.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.dr.kinds import COVERS, STATEFUL
from gpumodel.techniques.dr.state import DR_T, NO_TAG, SETS, dr
from gpumodel.units.depth import TEST_EARLY, TEST_KILL, TEST_LATE, compare, test_sample
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import MAX_TILE_PIXELS
from gpumodel.units.types import DRAW_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, quad_at, tile_at, word_at
from traceformat.kernels import callback, kernel

__all__ = ["BY_DISCARD", "BY_STATE", "clear_tags", "test_tagged"]

#: Why a pixel is frozen.
BY_DISCARD: Final = 1
BY_STATE: Final = 2


@kernel(types.void(SYSTEM_T, DR_T, types.int64))
def clear_tags(s: Record, own: Record, tile: Int) -> None:
    """Give the current set to a tile."""
    own.tile_of_set[own.set] = tile
    first = own.set * MAX_TILE_PIXELS
    for place in range(first, first + s.cfg.tile_width * np.int64(tile_at(s.frame[0].tiles, tile).height)):
        own.tag[place] = NO_TAG
        own.frozen[place] = 0


@kernel(
    types.int64(SYSTEM_T, DR_T, RASTER_UNIT_T, DRAW_T, types.int64, types.int64, types.int64, types.int64, types.int64)
)
def _remove(
    s: Record, own: Record, ru: Record, d: Record, kind: Int, back: Int, place: Int, depth: Int, quad: Int
) -> Int:
    """Hidden Surface Removal of a fragment; 1 when it left a tag."""
    at = own.set * MAX_TILE_PIXELS + place
    if own.frozen[at]:
        return 0
    if kind & STATEFUL:
        own.frozen[at] = BY_STATE
        return 0
    if d.late:
        dead = d.depth_test and d.shader_depth == 0 and compare(d.func, depth, ru.depth[place]) == 0
        if not dead:
            own.frozen[at] = BY_DISCARD
        return 0
    if test_sample(s, ru, d, back, place, depth, TEST_EARLY) == 0 or kind & COVERS == 0:
        return 0
    own.tag[at] = quad
    return 1


@kernel(
    types.int64(
        SYSTEM_T, DR_T, RASTER_UNIT_T, DRAW_T, types.int64, types.int64, types.int64, types.int64, types.int64,
        types.int64,
    )
)  # fmt: skip
def _decide(
    s: Record, own: Record, ru: Record, d: Record, back: Int, at: Int, place: Int, depth: Int, quad: Int, stage: Int
) -> Int:
    """Early-Z of a fragment, by the tag of its pixel (or a late test); 1 when it passes."""
    tag = np.int64(own.tag[at])
    if quad < tag:
        own.killed += stage != TEST_LATE
        return 0
    if quad == tag:
        own.visible += stage != TEST_LATE
        if stage != TEST_KILL:
            ru.depth[place] = depth
        return 1
    passed = test_sample(s, ru, d, back, place, depth, stage)
    if passed and stage != TEST_LATE:
        if own.frozen[at] == BY_DISCARD:
            own.behind_discard += 1
        elif own.frozen[at] == BY_STATE:
            own.behind_state += 1
        else:
            own.other += 1
    return passed


@callback(PLUG_SIGNATURE)
def test_tagged(s: Record, address: Int, unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test`` of passes with one sample: test the fragments of ``mask``; gives those that pass."""
    own = dr(address)
    ru = s.ru[unit]
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    d = draw_at(g.draws, q.draw)
    row = s.cfg.tile_width
    across = s.cfg.tile_quads_x
    position = np.int64(q.position)
    corner = 2 * (position // across) * row + 2 * (position % across)
    kind = byte_at(own.kinds, q.draw)
    first = 0
    for k in range(SETS):
        if own.tile_of_set[k] == np.int64(q.tile):
            first = k * MAX_TILE_PIXELS
    left = 0
    for f in range(4):
        if mask >> f & 1 == 0:
            continue
        depth = np.int64(q.depth[f])
        place = corner + (f >> 1) * row + (f & 1)
        if unit == own.hsr:
            left |= _remove(s, own, ru, d, kind, q.back, place, depth, quad)
            continue
        if stage == TEST_LATE and d.shader_depth:
            depth = word_at(g.shader_depth, 4 * q.row + f)
        if _decide(s, own, ru, d, q.back, first + place, place, depth, quad, stage) == 0:
            mask &= ~(1 << f)
    own.tag_writes += left
    if unit != own.hsr and stage != TEST_LATE:
        own.tag_reads += 1
    return mask
