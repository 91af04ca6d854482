"""The end of a tile's prepass: which primitives show anywhere, and the list without the others.

Hardware: a bit for each entry of the tile's list. A fragment that may show without leaving a tag sets its entry's bit
when it is tested; when the prepass ends, the tags of all samples are scanned, and each sets the bit of the entry that
it names. The Tile Fetcher passes over entries without a bit: it reads neither their pointers nor their attributes.
Modelled: the bits are found in no time, the scan takes its cycles; clears and draws that nothing kills always stay. Of
list blocks that hold no entry any more one link is read, not each (ASSUMED: the prepass has left their places).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype, types

from gpumodel.techniques.dr.front import fetch_hsr, is_complete
from gpumodel.techniques.dr.state import DR, DR_T, TAGS, dr
from gpumodel.techniques.frag_prepass.counters import OWN
from gpumodel.units.arrange import POINTERS_PER_BLOCK
from gpumodel.units.counters import counter_fields
from gpumodel.units.depth import TEST_KILL, sample_loop, sample_signature
from gpumodel.units.events import BUSY, account
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.types import PAIR_T, RASTER_UNIT_T, SYSTEM_T, TILE_T
from gpumodel.units.views import byte_at, draw_at, pair_at, quad_at, state_accessor, tile_at
from traceformat.kernels import callback, inner

__all__ = ["PREPASS", "tick_prepass_fetcher"]

_I: Final = np.int64
#: The front's state, and how many tags a cycle the scan looks at (0 = there is none), the tile that is or was scanned,
#: and when that ends.
PREPASS: Final = np.dtype(
    [
        *((name, DR[name]) for name in DR.names or ()),
        ("scan_tags", _I), ("scanned", _I), ("until", _I),
        *counter_fields(OWN),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(PREPASS)
_OWN_T: Final = from_dtype(PREPASS)


@inner(sample_signature(DR_T))
def _is_tagged(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Tell whether a sample's tag names the quad."""
    return 1 if own.tag[own.set * TAGS + sample] == quad else 0


_tagged_fragments: Final = sample_loop(DR_T, _is_tagged)


@inner(types.int64(SYSTEM_T, DR_T, RASTER_UNIT_T, types.int64))
def _shows(s: Record, front: Record, ru: Record, pair: Int) -> Int:
    """Tell whether a list entry has to be rendered."""
    g = s.frame[0]
    p = pair_at(g.pairs, pair)
    if p.clear >= 0:
        return 1
    d = draw_at(g.draws, p.draw)
    if d.depth_test == 0 and d.stencil_test == 0:
        return 1
    for quad in range(p.quad_first, p.quad_first + p.quad_count):
        q = quad_at(g.quads, quad)
        if byte_at(front.noted, quad) or _tagged_fragments(s, front, ru, quad, np.int64(q.coverage), TEST_KILL):
            return 1
    return 0


@inner(types.void(PAIR_T, PAIR_T, types.int64))
def _move(to: Record, p: Record, link_line: Int) -> None:
    """Put a list entry into an earlier place."""
    to.link_line = link_line
    to.pointer_line = p.pointer_line
    to.attribute_address = p.attribute_address
    to.attributes = p.attributes
    to.entries = p.entries
    to.quad_first = p.quad_first
    to.quad_count = p.quad_count
    to.emitted = p.emitted
    to.clear = p.clear
    to.draw = p.draw


@inner(types.void(SYSTEM_T, _OWN_T, DR_T, RASTER_UNIT_T, TILE_T))
def _cull(s: Record, own: Record, front: Record, ru: Record, t: Record) -> None:
    """Take what does not show out of the tile's list."""
    g = s.frame[0]
    first = np.int64(t.pair_first)
    to = first
    link: Int = -1
    for k in range(t.pair_count):
        p = pair_at(g.pairs, first + k)
        if k % POINTERS_PER_BLOCK == 0:
            link = p.link_line
        if _shows(s, front, ru, first + k) == 0:
            own.entries_dropped += 1
            own.quads_dropped += np.int64(p.quad_count)
            continue
        _move(pair_at(g.pairs, to), p, link)
        link = -1
        to += 1
    t.pair_count = to - first


@callback(PLUG_SIGNATURE)
def tick_prepass_fetcher(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = _own(address)
    front = dr(address)
    ru = s.ru[parent]
    if own.scan_tags == 0 or front.active == 0 or is_complete(s, front, ru) == 0:
        return fetch_hsr(s, front, me, parent)
    if own.scanned != front.tile:
        own.scanned = front.tile
        t = tile_at(s.frame[0].tiles, front.tile)
        tags = np.int64(t.width) * t.height * s.frame[0].samples
        cycles = (tags + own.scan_tags - 1) // own.scan_tags
        own.tags_scanned += tags
        own.scan_cycles += cycles
        own.until = s.now + cycles
        _cull(s, own, front, ru, t)
    if s.now < own.until:
        account(s, me, BUSY)
        return np.int64(own.until)
    return fetch_hsr(s, front, me, parent)
