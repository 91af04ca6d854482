"""Early-Z without time: which fragments of a pass are shaded and written when every quad ends before the next begins.

Drives the machine's own test unit (:mod:`gpumodel.units.depth`) over the tile lists. No quad is ever pending behind
another one, so a fragment is shaded here exactly if it is in a pipeline of no depth: the rules of DESIGN §4.7 hold for
draws that discard or write depth, which are killed early only where that cannot change the outcome.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gpumodel.config.schema import GpuConfig
from gpumodel.depth_images import DepthImages
from gpumodel.machine import bind_streams
from gpumodel.streams import PassStreams, PassTables
from gpumodel.units import state
from gpumodel.units.depth import LATE, TEST_LATE, begin_tile, decide_early, keep_tile, passing_fragments
from gpumodel.units.kernels import Array, Int, Record, kernel
from gpumodel.units.raster import clear_tile
from gpumodel.units.types import INT64S, QUADS, RASTER_UNIT_T, SYSTEM_T, UINT8S
from gpumodel.units.views import pair_at, quad_at, set_byte, tile_at
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["FRAGMENT_COLUMNS", "EarlyZ", "count_fragments"]

_ALIVE: Final = 15

#: Columns that :func:`count_fragments` adds up for each draw; ``executed`` takes six, by InstructionKind.
FRAGMENT_COLUMNS: Final = (
    "quads.rasterized", "quads.shaded", "fragments.rasterized", "fragments.shaded", "fragments.discarded",
    "fragments.written", "texels", "executed",
)  # fmt: skip


@kernel(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64))
def _test_quad(s: Record, ru: Record, quad: Int) -> None:
    """Early test, shader's discard, late test of one quad; nothing of it stays behind."""
    g = s.frame[ru.frame]
    q = quad_at(g.quads, quad)
    early = decide_early(s, ru, quad)
    passed = early & _ALIVE & np.int64(q.survives)
    if early & LATE:
        passed = passing_fragments(s, ru, quad, passed, TEST_LATE)
        ru.pending[q.position] -= 1
    set_byte(g.written, quad, passed)


@kernel(types.void(SYSTEM_T))
def _test_pass(s: Record) -> None:
    """Test all quads of a pass, tile by tile, in each tile in submission order."""
    ru = s.ru[0]
    g = s.frame[0]
    for tile in range(g.tiles.count):
        ru.front = tile
        begin_tile(s, g, ru, tile)
        t = tile_at(g.tiles, tile)
        for row in range(t.pair_first, t.pair_first + t.pair_count):
            pair = pair_at(g.pairs, row)
            if pair.clear >= 0:
                clear_tile(s, ru, pair.clear)
            for quad in range(pair.quad_first, pair.quad_first + pair.quad_count):
                _test_quad(s, ru, quad)
        keep_tile(s, g, ru, tile)


@kernel(
    types.void(
        types.int64, QUADS, types.int64, UINT8S, UINT8S, INT64S, INT64S, INT64S, INT64S, UINT8S, types.int64, INT64S,
    )
)  # fmt: skip
def count_fragments(
    count: Int,
    quads: Array,
    first_draw: Int,
    early: Array,
    written: Array,
    path: Array,
    lane_instructions: Array,
    tex_first: Array,
    tex_count: Array,
    texels: Array,
    num_columns: Int,
    out: Array,
) -> None:
    """Add the quads of a pass up for each draw.

    Parameters
    ----------
    count : quads of the pass
    quads : in tile order; ``row`` is the row of the frame's quads
    first_draw : the pass's first row of draws
    early, written : (count,) uint8, live fragments after Early-Z and fragments that were written
    path, tex_first, tex_count : columns of the frame's quads
    lane_instructions : (P * 24,) int64, instructions that lane f of path p executes at 24 p + 6 f + kind
    texels : (4 T,) uint8, of each lane of the frame's texture instructions
    num_columns : columns of ``out``
    out : (draws * num_columns,) int64, FRAGMENT_COLUMNS of each draw of the pass
    """
    for k in range(count):
        q = quads[k]
        base = (q.draw - first_draw) * num_columns
        live = np.int64(early[k]) & 15
        out[base] += 1
        if live:
            out[base + 1] += 1
        row = q.row
        for f in range(4):
            if q.coverage >> f & 1:
                out[base + 2] += 1
            if live >> f & 1:
                out[base + 3] += 1
                if (np.int64(q.survives) >> f & 1) == 0:
                    out[base + 4] += 1
                place = 24 * path[row] + 6 * f
                for kind in range(6):
                    out[base + 7 + kind] += lane_instructions[place + kind]
                for op in range(tex_first[row], tex_first[row] + tex_count[row]):
                    out[base + 6] += texels[4 * op + f]
            if np.int64(written[k]) >> f & 1:
                out[base + 5] += 1


class EarlyZ:
    """Depth and stencil of a trace's render targets, from pass to pass and frame to frame.

    Parameters
    ----------
    config : the GPU, for its tiles
    """

    def __init__(self, config: GpuConfig) -> None:
        self._memory = np.zeros(1, state.SYSTEM)
        self._system: Any = self._memory[0]
        self._system["cfg"]["tile_width"] = config.tile.width
        self._system["cfg"]["tile_height"] = config.tile.height
        self._system["cfg"]["tile_quads_x"] = config.tile.width // 2
        self._kept = DepthImages()

    def test(self, trace: FrameTrace, frame_streams: PassTables, streams: PassStreams) -> None:
        """Fill ``streams.early`` and ``streams.written`` of a pass."""
        passes, index = trace["passes"], streams.index
        g = self._system["frame"][0]
        for name in ("depth_load", "stencil_load", "clear_stencil", "width", "height", "samples"):
            g[name] = passes[name][index]
        g["clear_depth"] = passes["clear_depth"][index]
        bind_streams(g, frame_streams, streams, self._kept.images(trace, index))
        _test_pass(self._system)
