"""The main loop: wake-up times, or every unit in every cycle, from the same ticks."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.assembly import tick_assembly
from gpumodel.units.binning import tick_binner
from gpumodel.units.blend import tick_blend
from gpumodel.units.command import tick_command
from gpumodel.units.depth import stamp_queue, tick_depth
from gpumodel.units.events import NEVER
from gpumodel.units.flush import tick_flush
from gpumodel.units.fragment import tick_processor
from gpumodel.units.kernels import Array, Int, Record, kernel
from gpumodel.units.l2 import tick_l2
from gpumodel.units.memory import end_memory, tick_memory
from gpumodel.units.raster import tick_raster
from gpumodel.units.tile_fetch import tick_tile_fetcher
from gpumodel.units.types import (
    CLEARS,
    DRAWS,
    EMITTEDS,
    INT32S,
    INT64S,
    PAIRS,
    PRIMITIVES,
    QUADS,
    SYSTEM_T,
    TEX_OPS,
    TILES,
    UINT8S,
    UINT32S,
    VERTICES,
)
from gpumodel.units.vertex import tick_vertex_fetcher, tick_vertex_processor

__all__ = [
    "ASSEMBLY",
    "BINNER",
    "BLEND",
    "COMMAND",
    "DEPTH",
    "FLUSH",
    "MEMORY",
    "PROCESSOR",
    "RASTER",
    "SECOND_LEVEL",
    "TILE_FETCHER",
    "VERTEX_FETCHER",
    "VERTEX_PROCESSOR",
    "run",
]

#: Kinds of units, by what ``SYSTEM.kind`` says.
MEMORY: Final = 0
SECOND_LEVEL: Final = 1
FLUSH: Final = 2
BLEND: Final = 3
PROCESSOR: Final = 4
DEPTH: Final = 5
RASTER: Final = 6
TILE_FETCHER: Final = 7
BINNER: Final = 8
ASSEMBLY: Final = 9
VERTEX_PROCESSOR: Final = 10
VERTEX_FETCHER: Final = 11
COMMAND: Final = 12

_ARRAYS: Final = (
    DRAWS, VERTICES, INT64S, PRIMITIVES, EMITTEDS, INT64S, PAIRS, TILES, QUADS, TEX_OPS, UINT32S, UINT8S, INT32S,
    CLEARS, UINT32S, UINT32S, UINT8S, UINT8S, UINT8S, INT32S,
)  # fmt: skip


@kernel(types.int64(SYSTEM_T, types.int64, types.int64, *_ARRAYS))
def run(
    s: Record,
    every: Int,
    everything_done: Int,
    draws: Array,
    vertices: Array,
    vertex_lines: Array,
    primitives: Array,
    emitted: Array,
    pointer_lines: Array,
    pairs: Array,
    tiles: Array,
    quads: Array,
    ops: Array,
    lines: Array,
    lanes: Array,
    segments: Array,
    clears: Array,
    shader_depth: Array,
    depth_image: Array,
    stencil_image: Array,
    early: Array,
    written: Array,
    log: Array,
) -> Int:
    """Run until all frames in flight are done.

    Parameters
    ----------
    every : 1 ticks every unit in every cycle (the oracle), 0 uses the wake-up times
    everything_done : bits of the frames in flight
    draws ... log : the streams, see :mod:`gpumodel.units.state`; ``early``, ``written`` and ``log`` are written

    Returns
    -------
    0, or 1 when no unit can ever go on (a bug of the model)
    """
    count = s.cfg.num_units
    idle = 0
    while s.done != everything_done:
        s.ticks += 1
        acted = 0
        for u in range(count):
            if not every and s.wake[u] > s.now:
                continue
            if s.wake[u] <= s.now:
                acted = 1
            s.wake[u] = NEVER
            kind = s.kind[u]
            part = s.part[u]
            following = NEVER
            if kind == PROCESSOR:
                following = tick_processor(s, part, s.sub[u], quads, ops, lines, lanes, segments, early)
            elif kind == MEMORY:
                following = tick_memory(s)
            elif kind == SECOND_LEVEL:
                following = tick_l2(s)
            elif kind == RASTER:
                following = tick_raster(s, part, pairs, quads, draws, clears, tiles, early, log)
            elif kind == DEPTH:
                following = tick_depth(s, part, quads, early)
            elif kind == BLEND:
                following = tick_blend(s, part, quads, draws, tiles, early, written, shader_depth, log)
            elif kind == FLUSH:
                following = tick_flush(s, part, tiles)
            elif kind == TILE_FETCHER:
                following = tick_tile_fetcher(s, part, pairs, tiles, depth_image, stencil_image)
            elif kind == BINNER:
                following = tick_binner(s, part, emitted, pointer_lines)
            elif kind == ASSEMBLY:
                following = tick_assembly(s, part, primitives, emitted)
            elif kind == VERTEX_PROCESSOR:
                following = tick_vertex_processor(s, part, s.sub[u], vertices)
            elif kind == VERTEX_FETCHER:
                following = tick_vertex_fetcher(s, part, vertices, vertex_lines)
            elif kind == COMMAND:
                following = tick_command(s, part, draws)
            s.wake[u] = min(following, s.wake[u])
        if s.done == everything_done:
            break
        if every:
            s.now += 1
            # The longest wait of a working machine is a memory latency.
            idle = 0 if acted else idle + 1
            if idle > 1 << 24:
                return 1
            continue
        earliest = s.wake[0]
        for u in range(1, count):
            earliest = min(earliest, s.wake[u])
        if earliest >= NEVER:
            return 1
        s.now = earliest
    end_memory(s)
    for u in range(count):
        s.unit_cycles[u, s.unit_state[u]] += s.now - s.unit_since[u]
        s.unit_since[u] = s.now
    for k in range(s.cfg.raster_units):
        ru = s.ru[k]
        stamp_queue(s, ru, 0, ru.pair_used)
        stamp_queue(s, ru, 1, ru.queued)
        stamp_queue(s, ru, 2, ru.color_count)
    return 0
