"""Early-Z without time: which fragments of a pass are shaded and written when every quad ends before the next begins.

Drives the machine's own test unit (:mod:`gpumodel.units.depth`) over the tile lists. No quad is ever pending behind
another one, so a fragment is shaded here exactly if it is in a pipeline of no depth: the rules of DESIGN §4.7 hold for
draws that discard or write depth, which are killed early only where that cannot change the outcome.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from gpumodel.config.schema import GpuConfig
from gpumodel.streams import FrameStreams, PassStreams
from gpumodel.units import state
from gpumodel.units.depth import LATE, accept, begin_tile, keep_tile, test_fragment
from gpumodel.units.kernels import Array, Int, Record, kernel
from gpumodel.units.types import (
    CLEARS,
    DRAWS,
    INT64S,
    PAIRS,
    QUADS,
    RASTER_UNIT_T,
    SYSTEM_T,
    TILES,
    UINT8S,
    UINT32S,
)
from traceformat.frametrace import FrameTrace, LoadOp, StoreOp

__all__ = ["FRAGMENT_COLUMNS", "EarlyZ", "count_fragments"]

_ALIVE: Final = 15
#: GL depth formats and the stored value of depth 1.0, which a target holds before anything is known of it.
_FAR_DEPTH: Final = {0x81A5: 0xFFFF, 0x81A6: 0xFFFFFF, 0x88F0: 0xFFFFFF, 0x81A7: 0xFFFFFFFF}
_FAR_FLOAT: Final = 0x3F800000

#: Columns that :func:`count_fragments` adds up for each draw; ``executed`` takes six, by InstructionKind.
FRAGMENT_COLUMNS: Final = (
    "quads.rasterized", "quads.shaded", "fragments.rasterized", "fragments.shaded", "fragments.discarded",
    "fragments.written", "texels", "executed",
)  # fmt: skip
_EXECUTED: Final = len(FRAGMENT_COLUMNS) - 1


@kernel(types.void(SYSTEM_T, CLEARS, types.int64, TILES, types.int64))
def _clear(s: Record, clears: Array, clear: Int, tiles: Array, tile: Int) -> None:
    """Apply a clear of depth and stencil to the part of a tile that it covers."""
    c = clears[clear]
    t = tiles[tile]
    ru = s.ru[0]
    for y in range(max(c.y0 - t.y0, 0), min(c.y1 - t.y0, t.height)):
        for x in range(max(c.x0 - t.x0, 0), min(c.x1 - t.x0, t.width)):
            pixel = y * s.cfg.tile_width + x
            if c.depth_on:
                ru.depth[pixel] = c.depth
            ru.stencil[pixel] = (ru.stencil[pixel] & (255 ^ c.stencil_mask)) | (c.stencil & c.stencil_mask)


@kernel(types.void(SYSTEM_T, RASTER_UNIT_T, types.int64, QUADS, DRAWS, UINT32S, UINT8S, UINT8S))
def _test_quad(
    s: Record, ru: Record, quad: Int, quads: Array, draws: Array, shader_depth: Array, early: Array, written: Array
) -> None:
    """Early test, shader's discard, late test of one quad; nothing of it stays behind."""
    accept(s, ru, quad, quads, draws, early)
    ru.in_flight_count = 0
    ru.live_quads = 0
    q = quads[quad]
    passed = np.int64(early[quad]) & _ALIVE & np.int64(q.survives)
    if early[quad] & LATE:
        position = np.int64(q.position)
        row = s.cfg.tile_width
        across = s.cfg.tile_quads_x
        corner = 2 * (position // across) * row + 2 * (position % across)
        for f in range(4):
            if passed >> f & 1:
                depth = np.int64(q.depth[f])
                if draws[q.draw].shader_depth:
                    depth = np.int64(shader_depth[4 * q.row + f])
                pixel = corner + (f >> 1) * row + (f & 1)
                if test_fragment(s, ru, draws, q.draw, q.back, pixel, depth) == 0:
                    passed &= ~(1 << f)
        ru.pending[position] -= 1
    written[quad] = passed


@kernel(types.void(SYSTEM_T, DRAWS, PAIRS, TILES, QUADS, CLEARS, UINT32S, UINT32S, UINT8S, UINT8S, UINT8S))
def _test_pass(
    s: Record,
    draws: Array,
    pairs: Array,
    tiles: Array,
    quads: Array,
    clears: Array,
    shader_depth: Array,
    depth_image: Array,
    stencil_image: Array,
    early: Array,
    written: Array,
) -> None:
    """Test all quads of a pass, tile by tile, in each tile in submission order."""
    ru = s.ru[0]
    g = s.frame[0]
    for tile in range(tiles.size):
        begin_tile(s, g, ru, tile, tiles, depth_image, stencil_image)
        for pair in range(tiles[tile].pair_first, tiles[tile].pair_first + tiles[tile].pair_count):
            if pairs[pair].clear >= 0:
                _clear(s, clears, pairs[pair].clear, tiles, tile)
            for quad in range(pairs[pair].quad_first, pairs[pair].quad_first + pairs[pair].quad_count):
                _test_quad(s, ru, quad, quads, draws, shader_depth, early, written)
        keep_tile(s, g, ru, tile, tiles, depth_image, stencil_image)


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
        self._kept: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}

    def test(self, trace: FrameTrace, frame_streams: FrameStreams, streams: PassStreams) -> None:
        """Fill ``streams.early`` and ``streams.written`` of a pass."""
        passes, index = trace["passes"], streams.index
        g = self._system["frame"][0]
        for name in ("depth_load", "depth_store", "clear_stencil", "width", "height"):
            g[name] = passes[name][index]
        far = _FAR_DEPTH.get(int(passes["depth_format"][index]), _FAR_FLOAT)
        clears = int(passes["depth_load"][index]) == LoadOp.CLEAR
        g["clear_depth"] = int(passes["clear_depth"][index]) if clears else far
        depth_image, stencil_image = self._images(trace, index, far)
        _test_pass(
            self._system, frame_streams.draws, streams.pairs, streams.tiles, streams.quads, streams.clears,
            frame_streams.shader_depth, depth_image, stencil_image, streams.early, streams.written,
        )  # fmt: skip

    def _images(self, trace: FrameTrace, index: int, far: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Depth and stencil of the pass's target, where a pass stores or loads them; else empty arrays."""
        passes = trace["passes"]
        load, store = int(passes["depth_load"][index]), int(passes["depth_store"][index])
        if load != LoadOp.LOAD and store != StoreOp.STORE:
            return np.zeros(0, np.uint32), np.zeros(0, np.uint8)
        size = int(passes["width"][index]) * int(passes["height"][index])
        address = int(passes["depth_address"][index])
        kept = self._kept.get(address)
        if kept is None or len(kept[0]) != size:
            kept = self._kept[address] = np.full(size, far, np.uint32), np.zeros(size, np.uint8)
        return kept
