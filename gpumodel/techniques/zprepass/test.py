"""The depth tests of both halves of a pass with a Z-prepass.

Hardware: the first half's tests leave, beside each depth, the sequence number of the primitive that it belongs to. In
the second half a fragment of a smaller number dies, that of the same number passes, one of a larger number is tested as
ever. Without the number, exact ties could not be decided as program order does: an application that sets its compare
function to EQUAL accepts another picture there.
Modelled: that; the number is the row of the fragment's quad in the second half. Quads of the first half go on to the
Fragment Processors, as its null fragment shader asks for: a place in each queue and a thread, and no instruction.
Left out: the numbers are not spilled with the depth of a pass whose Parameter Buffer overflows (no traffic).
Source: VRO §2; sequence numbers DESIGN §5.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.units.depth import TEST_EARLY, TEST_KILL, TEST_LATE, test_sample
from gpumodel.units.events import count_ones
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import draw_at, int_at, quad_at, set_byte, set_int, state_accessor, tile_at, word_at
from traceformat.kernels import callback

__all__ = ["PREPASS", "shade_nothing", "test_prepass"]

_I: Final = np.int64
#: ``original`` is by row of quads: the quad that it is a copy of; ``number`` by pixel of the pass: the row of the quad
#: whose depth it has, -1 = none.
PREPASS: Final = np.dtype(
    [
        ("original", STREAM), ("number", STREAM),
        ("null_fragments", _I), ("null_quads", _I), ("tests", _I), ("number_writes", _I), ("killed", _I),
        ("visible", _I),
    ],
    align=True,
)  # fmt: skip

_prepass: Final = state_accessor(PREPASS)


@callback(PLUG_SIGNATURE)
def test_prepass(s: Record, address: Int, unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test`` of passes with a Z-prepass: test the fragments of ``mask``; gives those that pass."""
    own = _prepass(address)
    ru = s.ru[unit]
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    d = draw_at(g.draws, q.draw)
    t = tile_at(g.tiles, q.tile)
    across = s.cfg.tile_quads_x
    position = np.int64(q.position)
    x = 2 * (position % across)
    y = 2 * (position // across)
    row = np.int64(q.row)
    original = int_at(own.original, row)
    left = 0
    for f in range(4):
        if mask >> f & 1 == 0:
            continue
        depth = np.int64(q.depth[f])
        if stage == TEST_LATE and d.shader_depth:
            depth = word_at(g.shader_depth, 4 * row + f)
        place = (y + (f >> 1)) * s.cfg.tile_width + x + (f & 1)
        pixel = (t.y0 + y + (f >> 1)) * g.width + t.x0 + x + (f & 1)
        number = int_at(own.number, pixel)
        if original >= 0:
            if test_sample(s, ru, d, q.back, place, depth, TEST_EARLY):
                set_int(own.number, pixel, original)
                left = 1
            else:
                mask &= ~(1 << f)
        elif row < number:
            mask &= ~(1 << f)
            own.killed += stage != TEST_LATE
        elif row == number:
            own.visible += stage != TEST_LATE
            if stage != TEST_KILL:
                ru.depth[place] = depth
        elif test_sample(s, ru, d, q.back, place, depth, stage) == 0:
            mask &= ~(1 << f)
    own.number_writes += left
    own.tests += stage != TEST_LATE
    return mask


@callback(PLUG_SIGNATURE)
def shade_nothing(s: Record, address: Int, unit: Int, quad: Int, mask: Int, processor: Int) -> Int:
    """Hook ``shade``: a copy's quad has no fragment to shade, and none that is written."""
    own = _prepass(address)
    g = s.frame[s.ru[unit].frame]
    if int_at(own.original, quad_at(g.quads, quad).row) < 0:
        return mask
    own.null_fragments += count_ones(mask)
    own.null_quads += 1
    set_byte(g.early, quad, 0)
    return 0
