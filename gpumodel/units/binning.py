"""Polygon List Builder: sorts primitives into tiles and writes the Parameter Buffer through the Tile Cache.

Hardware: finds the tiles that a primitive overlaps; writes its attributes once and a pointer into each of those tiles'
lists.
An on-chip table holds the tail and length of every list.
Modelled: one Tile Cache write a cycle: each attribute is three vertices' vec4, 48 bytes, one write a line it touches;
then one pointer (4 bytes) a tile. Lists are chains of 64-byte blocks, a link and 15 pointers each; the first block of
every tile has a fixed place. The overlap test is exact (edge functions at tile corners). It keeps pace with the writes;
with ``binning.tests_per_cycle`` a primitive stays until all tiles of its bounds have been tested, beside its writes.
Left out: allocation of list blocks; that a pointer waits for its own tile's test.
Source: thesis §4.1.2 and Fig. 4.4 (attributes once, pointers per tile), VRO §4.1; block size ASSUMED.
"""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.cache import BLOCKED, l1_write
from gpumodel.units.capacity import TRIANGLE_RING
from gpumodel.units.events import BUSY, IDLE, NEVER, QUEUE, RESOURCE, account, notify
from gpumodel.units.kernels import Int, Record, inner
from gpumodel.units.plug import call_plug
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.views import emitted_at, long_at

__all__ = ["ATTRIBUTE_BYTES", "tick_binner"]

_RING: Final = TRIANGLE_RING - 1
#: One vec4 float32 of each of three vertices.
ATTRIBUTE_BYTES: Final = 48


@inner(types.int64(SYSTEM_T, types.int64))
def tick_binner(s: Record, frame: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    g = s.frame[frame]
    me = g.u_binner
    if g.binning < 0:
        if g.triangle_count == 0:
            account(s, me, IDLE)
            return NEVER
        g.binning = g.triangle[g.triangle_head]
        g.triangle_head = (g.triangle_head + 1) & _RING
        g.triangle_count -= 1
        g.triangle_used -= emitted_at(g.emitted, g.binning).entries
        g.bin_attribute = 0
        g.bin_attribute_line = 0
        g.bin_tile = 0
        g.bin_until = s.now + emitted_at(g.emitted, g.binning).test_cycles - 1
        notify(s, me, g.u_assembly)
    e = emitted_at(g.emitted, g.binning)
    is_written = g.bin_attribute >= e.attributes and g.bin_tile >= e.bin_count
    # A primitive that lies in no tile is not stored at all, and costs its look.
    if e.bin_count > 0 and not is_written:
        c = s.l1[g.tile_cache]
        if s.costs.count:
            c.who = g.cost_first + e.draw
        if s.plugs.bin.function and call_plug(s, s.plugs.bin, frame, g.binning, g.bin_attribute, g.bin_tile) == 0:
            account(s, me, QUEUE)
            return NEVER
        if g.bin_attribute < e.attributes:
            start = e.attribute_address + g.bin_attribute * ATTRIBUTE_BYTES
            line = (start >> 6) + g.bin_attribute_line
            if l1_write(s, c, line) == BLOCKED:
                account(s, me, RESOURCE)
                return NEVER
            g.bin_writes += 1
            if line < (start + ATTRIBUTE_BYTES - 1) >> 6:
                g.bin_attribute_line += 1
            else:
                g.bin_attribute_line = 0
                g.bin_attribute += 1
                g.attributes_binned += 1
        else:
            if l1_write(s, c, long_at(g.pointer_lines, e.bin_first + g.bin_tile)) == BLOCKED:
                account(s, me, RESOURCE)
                return NEVER
            g.pointer_writes += 1
            g.bin_tile += 1
    if (g.bin_attribute >= e.attributes and g.bin_tile >= e.bin_count) or e.bin_count == 0:
        if s.now < g.bin_until:
            account(s, me, BUSY)
            return g.bin_until
        g.binning = -1
        g.binned += 1
        notify(s, me, g.u_fetch_tiles)
    account(s, me, BUSY)
    return s.now + 1
