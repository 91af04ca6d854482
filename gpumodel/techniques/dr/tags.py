"""The depth test of both fronts: Hidden Surface Removal leaves a tag a pixel, Early-Z decides by it.

Hardware: HSR tests a tile's fragments in list order, as program order would, in a Depth Buffer of its own. Beside
each depth it keeps a *tag*, the place in the tile's list of the covering fragment that passed last. Early-Z reads the
tag of a fragment's pixel: what comes before it in the list dies, the tagged fragment passes and writes its depth, what
comes behind it is tested as ever. So exact ties need no rule, and the final depths need not be copied.
HSR gives a pixel up (*freezes* it) at the first fragment whose outcome it cannot know (it discards, or its shader
writes its depth, and its depth test does not kill it for certain), or whose exact predecessors matter to more than
colours (stencil, queries): the tag stays, what comes behind is tested by Early-Z alone.
In a multisampled pass tags, freezing and tests are those of samples.
Modelled: that. The proof that no pixel changes is in docs/technique_models.md.
Source: VRO §4.2 (HSR sets up the final Depth Buffer, the second pass culls by it); tags and freezing ASSUMED, because
final depths alone cannot decide ties, nor know blended and discarding draws.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.dr.kinds import COVERS, STATEFUL
from gpumodel.techniques.dr.state import DR_T, NO_TAG, SETS, TAGS, dr
from gpumodel.units.depth import TEST_EARLY, TEST_KILL, TEST_LATE, compare, sample_loop, sample_passes, sample_signature
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.types import QUAD_T, RASTER_UNIT_T, SYSTEM_T
from gpumodel.units.views import byte_at, draw_at, quad_at, set_byte, tile_at
from traceformat.kernels import callback, inner, kernel

__all__ = ["BY_DISCARD", "BY_STATE", "clear_tags", "decide_tagged"]

#: Why a pixel is frozen.
BY_DISCARD: Final = 1
BY_STATE: Final = 2


@kernel(types.void(SYSTEM_T, DR_T, types.int64))
def clear_tags(s: Record, own: Record, tile: Int) -> None:
    """Give the current set to a tile."""
    own.tile_of_set[own.set] = tile
    g = s.frame[0]
    first = own.set * TAGS
    for sample in range(first, first + g.samples * s.cfg.tile_width * np.int64(tile_at(g.tiles, tile).height)):
        own.tag[sample] = NO_TAG
        own.frozen[sample] = 0


@inner(types.void(DR_T, types.int64))
def _note(own: Record, quad: Int) -> None:
    """Note a quad that may show without a tag, where somebody asks."""
    if own.marks:
        set_byte(own.noted, quad, 1)


@inner(types.void(SYSTEM_T, DR_T, RASTER_UNIT_T, QUAD_T, types.int64, types.int64, types.int64, types.int64))
def _remove(s: Record, own: Record, ru: Record, q: Record, quad: Int, at: Int, sample: Int, depth: Int) -> None:
    """Hidden Surface Removal of a sample."""
    if own.frozen[at]:
        _note(own, quad)
        return
    kind = byte_at(own.kinds, q.draw)
    if kind & STATEFUL:
        own.frozen[at] = BY_STATE
        _note(own, quad)
        return
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    if d.late:
        dead = d.depth_test and d.shader_depth == 0 and compare(d.func, depth, ru.depth[sample]) == 0
        if not dead:
            own.frozen[at] = BY_DISCARD
            _note(own, quad)
        return
    if sample_passes(s, ru, d, q.back, sample, depth, TEST_EARLY):
        own.wrote |= np.int64(d.depth_test and d.depth_write)
        if kind & COVERS:
            own.tag[at] = quad
            own.left = 1
        else:
            _note(own, quad)


@inner(sample_signature(DR_T))
def _test_tagged(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Early-Z of a sample, by its tag (or a late test); in the HSR front, its removal, which lets all of them live."""
    if ru.number == own.hsr:
        _remove(s, own, ru, q, quad, own.set * TAGS + sample, sample, depth)
        return 1
    if own.first < 0:
        return sample_passes(s, ru, draw_at(s.frame[ru.frame].draws, q.draw), q.back, sample, depth, stage)
    at = own.first + sample
    tag = np.int64(own.tag[at])
    if quad < tag:
        own.killed += stage != TEST_LATE
        return 0
    if quad == tag:
        own.visible += stage != TEST_LATE
        if stage != TEST_KILL:
            ru.depth[sample] = depth
        return 1
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    passed = sample_passes(s, ru, d, q.back, sample, depth, stage)
    if passed and stage != TEST_LATE:
        if own.frozen[at] == BY_DISCARD:
            own.behind_discard += 1
        elif own.frozen[at] == BY_STATE:
            own.behind_state += 1
        else:
            own.other += 1
    return passed


_tagged_quad: Final = sample_loop(DR_T, _test_tagged)


@callback(PLUG_SIGNATURE)
def decide_tagged(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test``: test the fragments of ``mask``; gives those that pass."""
    own = dr(address)
    ru = s.ru[raster_unit]
    q = quad_at(s.frame[ru.frame].quads, quad)
    own.left = own.wrote = 0
    # A tile that goes without HSR has no tags.
    own.first = -1
    for k in range(SETS):
        if own.tile_of_set[k] == np.int64(q.tile):
            own.first = k * TAGS
    mask = _tagged_quad(s, own, ru, quad, mask, stage)
    own.tag_writes += own.left
    if own.wrote:
        ru.depth_writes += s.frame[ru.frame].samples
    if raster_unit != own.hsr and stage != TEST_LATE and own.first >= 0:
        own.tag_reads += 1
    return mask
