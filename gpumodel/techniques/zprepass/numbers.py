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
from numba import from_dtype

from gpumodel.techniques.zprepass.counters import COUNTERS
from gpumodel.units.counters import counter_fields
from gpumodel.units.depth import TEST_EARLY, TEST_KILL, TEST_LATE, sample_loop, sample_passes, sample_signature
from gpumodel.units.events import count_ones
from gpumodel.units.kernels import Int, Record
from gpumodel.units.plug import PLUG_SIGNATURE
from gpumodel.units.state import STREAM
from gpumodel.units.views import draw_at, int_at, quad_at, set_byte, set_int, state_accessor, tile_at
from traceformat.kernels import callback, inner

__all__ = ["PREPASS", "decide_numbered", "shade_nothing"]

_I: Final = np.int64
#: ``original`` is by row of quads: the quad that it is a copy of; ``number`` by sample of the pass: the row of the quad
#: whose depth it has, -1 = none; ``left``: the quad at hand has left its number.
PREPASS: Final = np.dtype(
    [
        ("original", STREAM), ("number", STREAM), ("left", _I),
        *counter_fields(COUNTERS),
    ],
    align=True,
)  # fmt: skip

_prepass: Final = state_accessor(PREPASS)
PREPASS_T: Final = from_dtype(PREPASS)


@inner(sample_signature(PREPASS_T))
def _test_numbered(
    s: Record, own: Record, ru: Record, q: Record, quad: Int, sample: Int, depth: Int, stage: Int
) -> Int:
    """Test a sample by the number beside its depth; in the first half, leave the number."""
    d = draw_at(s.frame[ru.frame].draws, q.draw)
    g = s.frame[ru.frame]
    t = tile_at(g.tiles, q.tile)
    pixel = sample // g.samples
    y = t.y0 + pixel // s.cfg.tile_width
    at = g.samples * (y * g.width + t.x0 + pixel % s.cfg.tile_width) + sample % g.samples
    number = int_at(own.number, at)
    row = np.int64(q.row)
    original = int_at(own.original, row)
    if original >= 0:
        passed = sample_passes(s, ru, d, q.back, sample, depth, TEST_EARLY)
        if passed:
            set_int(own.number, at, original)
            own.left = 1
        return passed
    if row < number:
        own.killed += stage != TEST_LATE
        return 0
    if row == number:
        own.visible += stage != TEST_LATE
        if stage != TEST_KILL:
            ru.depth[sample] = depth
        return 1
    return sample_passes(s, ru, d, q.back, sample, depth, stage)


_numbered_quad: Final = sample_loop(PREPASS_T, _test_numbered)


@callback(PLUG_SIGNATURE)
def decide_numbered(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, stage: Int) -> Int:
    """Hook ``test`` of passes with a Z-prepass: test the fragments of ``mask``; gives those that pass."""
    own = _prepass(address)
    own.left = 0
    mask = _numbered_quad(s, own, s.ru[raster_unit], quad, mask, stage)
    own.number_writes += own.left
    own.tests += stage != TEST_LATE
    return mask


@callback(PLUG_SIGNATURE)
def shade_nothing(s: Record, address: Int, raster_unit: Int, quad: Int, mask: Int, processor: Int) -> Int:
    """Hook ``shade``: a copy's quad has no fragment to shade, and none that is written."""
    own = _prepass(address)
    g = s.frame[s.ru[raster_unit].frame]
    if int_at(own.original, quad_at(g.quads, quad).row) < 0:
        return mask
    own.null_fragments += count_ones(mask)
    own.null_quads += 1
    set_byte(g.early, quad, 0)
    return 0
