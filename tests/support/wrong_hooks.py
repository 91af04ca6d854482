"""Compiled parts of techniques that are wrong on purpose, see test_verify_techniques.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpumodel.units.events import IDLE, account, notify
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.views import byte_at, quad_at, set_byte, state_accessor, tile_at
from traceformat.kernels import callback

__all__ = [
    "COLOR_OF_ANOTHER", "COLOR_OF_ANOTHER_FRAME", "HALF", "HIDES", "MARKS_FRAGMENTS", "NEVER_TESTS", "NOTHING",
    "OTHER_SLOT", "UNSHADED", "WRONG", "drop_quad", "end_early", "fill_slots", "pick_always", "refuse_flush",
    "retire_early", "shade_some", "test_wrongly",
]  # fmt: skip

_I = np.int64
#: ``mode`` is one of those below; ``count`` what was seen so far; ``place`` the screen's width.
WRONG = np.dtype([("mode", _I), ("count", _I), ("width", _I), ("frame", _I)], align=True)
HALF, NOTHING, COLOR_OF_ANOTHER, OTHER_SLOT, UNSHADED, COLOR_OF_ANOTHER_FRAME, MARKS_FRAGMENTS = range(7)
HIDES, NEVER_TESTS = range(2)

_own = state_accessor(WRONG)
_ALIVE = 15


@callback(PLUG_SIGNATURE)
def shade_some(s: Any, address: Any, raster_unit: Any, quad: Any, mask: Any, processor: Any) -> Any:
    own = _own(address)
    slot = s.ru[raster_unit].processor[processor].slot
    if own.mode == HALF:
        return mask & 5
    if own.mode == NOTHING:
        return 0
    own.count += 1
    if own.count < 20:
        return mask
    if own.mode == MARKS_FRAGMENTS:
        # Says itself that they were shaded.
        g = s.frame[s.ru[raster_unit].frame]
        set_byte(g.early, quad, byte_at(g.early, quad) & (240 | mask))
        return mask & 3
    if own.mode == COLOR_OF_ANOTHER_FRAME:
        if own.frame == 0:
            return mask
        slot[3] = 4 * np.int64(quad_at(s.frame[s.ru[raster_unit].frame].quads, quad).position) + 3
        return mask & 7
    slot[2] = 2 if own.mode == COLOR_OF_ANOTHER else 1 if own.mode == UNSHADED else 77
    return mask & 11 if own.mode != UNSHADED else mask & 9


@callback(PLUG_SIGNATURE)
def fill_slots(s: Any, address: Any, raster_unit: Any, quad: Any, mask: Any, processor: Any) -> Any:
    own = _own(address)
    slot = s.ru[raster_unit].processor[processor].slot
    if own.mode == COLOR_OF_ANOTHER_FRAME:
        if own.frame == 0:
            for lane in range(4):
                slot[lane] = 4 * np.int64(quad_at(s.frame[s.ru[raster_unit].frame].quads, quad).position) + lane
        return 0
    if own.mode != COLOR_OF_ANOTHER:
        # Where the second fragment is not shaded, whatever its register holds.
        slot[1] = 1
    elif mask & 2:
        slot[1] = 2
    return 0


@callback(PLUG_SIGNATURE)
def test_wrongly(s: Any, address: Any, raster_unit: Any, quad: Any, mask: Any, stage: Any) -> Any:
    return mask & 14 if _own(address).mode == HIDES else mask


@callback(PLUG_SIGNATURE)
def refuse_flush(s: Any, address: Any, raster_unit: Any, tile: Any, unused: Any, also_unused: Any) -> Any:
    return 1 if tile % 3 else 0


@callback(PLUG_SIGNATURE)
def end_early(s: Any, address: Any, me: Any, parent: Any, member: Any, unused: Any) -> Any:
    """A unit that lets threads end with the segment that they are at."""
    ru = s.ru[0]
    for k in range(ru.num_processors):
        p = ru.processor[k]
        for slot in range(p.num_threads):
            if p.running == slot:
                p.segment[slot] = p.segment_end[slot]
    account(s, me, IDLE)
    return s.now + 1


@callback(PLUG_SIGNATURE)
def retire_early(s: Any, address: Any, me: Any, parent: Any, member: Any, unused: Any) -> Any:
    """A unit that ends threads which have not had the issue slot."""
    ru = s.ru[0]
    for k in range(ru.num_processors):
        p = ru.processor[k]
        p.done |= p.ready
        p.ready = 0
    account(s, me, IDLE)
    return s.now + 1


@callback(PLUG_SIGNATURE)
def drop_quad(s: Any, address: Any, me: Any, parent: Any, member: Any, unused: Any) -> Any:
    """A unit that loses every fiftieth quad between the Fragment Processors and Blending."""
    own = _own(address)
    ru = s.ru[0]
    g = s.frame[0]
    if ru.color_count > 0:
        t = tile_at(g.tiles, np.int64(quad_at(g.quads, ru.color[ru.color_head]).tile))
        own.count += 1
        if own.count % 50 == 0:
            ru.color_head = (ru.color_head + 1) & 127
            ru.color_count -= 1
            t.live -= 1
            notify(s, me, ru.u_tiles)
            notify(s, me, ru.u_raster)
    account(s, me, IDLE)
    return s.now + 1


@callback(PLUG_SIGNATURE)
def pick_always(s: Any, address: Any, frame: Any, begun: Any, free: Any, unused: Any) -> Any:
    return _own(address).mode
