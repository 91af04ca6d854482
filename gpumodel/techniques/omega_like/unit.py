"""Depths of the last frame on their way: read before a tile is rendered, written when it ends; the test that heeds
them.

Hardware: a tile's depths lie together in memory, behind a small cache; a comparator beside Early-Z's.
Modelled: before a tile is dispatched its lines are looked up one after the other, a look-up a cycle, and awaited; when
it ends they are written, one a cycle, before its flush begins. The comparison is within Early-Z's latency (ASSUMED).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from gpumodel.techniques.omega_like.counters import COUNTERS
from gpumodel.units.cache import BLOCKED, HIT, fill_due, l1_fill, l1_read, l1_write
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import counter_fields
from gpumodel.units.depth import sample_loop, sample_passes, sample_signature
from gpumodel.units.events import BUSY, DATA, IDLE, NEVER, RESOURCE, account, notify, wake_at
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import byte_at, draw_at, int_at, state_accessor
from traceformat.kernels import callback, inner

__all__ = ["OMEGA", "begin_tile", "decide", "end_tile", "tick_omega"]

_I: Final = np.int64
#: ``reads`` and ``stores``: whether the pass has depths to read, and keeps some. Tile t has ``lines`` lines from
#: ``base`` + lines * ``number``[t] on. Of the tile ``tile`` those up to ``at`` are asked for; ``waits`` for one. By
#: Raster Unit: the tile that ends, and how many lines are written. ``hidden``: what of each quad is left out.
OMEGA: Final = np.dtype(
    [
        ("unit", _I), ("cache", _I), ("reads", _I), ("stores", _I), ("base", _I), ("lines", _I),
        ("number", STREAM), ("hidden", STREAM), ("tile", _I), ("at", _I), ("waits", _I), ("asked_since", _I),
        ("ending", _I, (MAX_RASTER_UNITS,)), ("written", _I, (MAX_RASTER_UNITS,)),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip
_own: Final = state_accessor(OMEGA)
_OMEGA_T: Final = from_dtype(OMEGA)


@callback(PLUG_SIGNATURE)
def begin_tile(s: Record, address: Int, frame: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_render``: wait for the tile's depths."""
    own = _own(address)
    if own.reads == 0:
        return 1
    if own.tile != tile:
        own.tile = tile
        own.at = 0
        own.asked_since = s.now
        notify(s, s.frame[frame].u_fetch_tiles, own.unit)
        return -1
    if own.at < own.lines or own.waits:
        return -1
    if own.asked_since >= 0:
        own.tile_wait_cycles += s.now - own.asked_since
        own.asked_since = -1
    return 1


@callback(PLUG_SIGNATURE)
def end_tile(s: Record, address: Int, raster_unit: Int, tile: Int, unused: Int, also_unused: Int) -> Int:
    """Hook ``tile_flush``: write the tile's depths first."""
    own = _own(address)
    if own.stores == 0:
        return 1
    if own.ending[raster_unit] != tile:
        own.ending[raster_unit] = tile
        own.written[raster_unit] = 0
    if own.written[raster_unit] >= own.lines:
        return 1
    c = s.l1[own.cache]
    c.who = s.cost_technique
    line = own.base + own.lines * int_at(own.number, tile) + own.written[raster_unit]
    if l1_write(s, c, line) != BLOCKED:
        own.line_writes += 1
        own.written[raster_unit] += 1
    wake_at(s, s.ru[raster_unit].u_tiles, s.now + 1)
    return -1


@callback(PLUG_SIGNATURE)
def tick_omega(s: Record, address: Int, me: Int, parent: Int, member: Int, unused: Int) -> Int:
    """Advance by one cycle; gives the next cycle with work."""
    own = _own(address)
    c = s.l1[own.cache]
    if fill_due(s, c) and l1_fill(s, c):
        own.waits = 0
        notify(s, me, s.frame[0].u_fetch_tiles)
    # A write-back that found no room is tried again.
    again = max(np.int64(c.fill_time[c.fill_head]), s.now + 1) if c.fill_count else NEVER
    if own.waits:
        account(s, me, DATA)
        return np.int64(again)
    if own.reads == 0 or own.tile < 0 or own.at >= own.lines:
        account(s, me, IDLE)
        return np.int64(again)
    c.who = s.cost_technique
    found = l1_read(s, c, own.base + own.lines * int_at(own.number, own.tile) + own.at, 1)
    if found == BLOCKED:
        account(s, me, RESOURCE)
        return s.now + 1
    own.line_reads += 1
    own.at += 1
    own.waits = found != HIT
    if own.at >= own.lines and own.waits == 0:
        notify(s, me, s.frame[0].u_fetch_tiles)
    account(s, me, BUSY)
    return s.now + 1


@inner(sample_signature(_OMEGA_T))
def _test(s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int) -> Int:
    """Test a sample as the baseline does."""
    return sample_passes(s, ru, draw_at(s.frame[ru.frame].draws, q.draw), q.back, sample, depth, stage)


_test_quad: Final = sample_loop(_OMEGA_T, _test)


@callback(PLUG_SIGNATURE)
def decide(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test``: the baseline's test of what is not left out."""
    own = _own(address)
    ru = s.ru[raster_unit]
    if own.hidden.count:
        mask &= ~byte_at(own.hidden, quad)
    return _test_quad(s, own, ru, quad, mask, stage)
