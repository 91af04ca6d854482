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
from gpumodel.units.instruction import tick_instruction_cache
from gpumodel.units.kernels import Int, Record, kernel
from gpumodel.units.l2 import tick_l2
from gpumodel.units.memory import end_memory
from gpumodel.units.memory_paper import tick_memory
from gpumodel.units.plug import call_plug
from gpumodel.units.raster import tick_raster
from gpumodel.units.texture_cache import tick_texture_cache
from gpumodel.units.tile_fetch import tick_tile_fetcher
from gpumodel.units.tile_fetch_pipelined import tick_pipelined_fetcher
from gpumodel.units.tiles import tick_tiles
from gpumodel.units.types import SYSTEM_T
from gpumodel.units.vertex import tick_vertex_fetcher, tick_vertex_processor

__all__ = [
    "ASSEMBLY",
    "BINNER",
    "BLEND",
    "COMMAND",
    "DEPTH",
    "FLUSH",
    "INSTRUCTION_CACHE",
    "MEMORY",
    "PIPELINED_FETCHER",
    "PLUGGED",
    "PROCESSOR",
    "RASTER",
    "SECOND_LEVEL",
    "TEXTURE_CACHE",
    "TILE_CONTROL",
    "TILE_FETCHER",
    "VERTEX_FETCHER",
    "VERTEX_PROCESSOR",
    "run",
    "tick_unit",
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
#: A unit of a technique or back end: ``SYSTEM.tick`` has its function.
PLUGGED: Final = 13
TILE_CONTROL: Final = 14
PIPELINED_FETCHER: Final = 15
INSTRUCTION_CACHE: Final = 16
#: A Texture Cache that two Raster Units share.
TEXTURE_CACHE: Final = 17


@kernel(types.int64(SYSTEM_T, types.int64))
def tick_unit(s: Record, u: Int) -> Int:
    """Tick a unit by its kind; gives the next cycle in which it has work."""
    kind = s.kind[u]
    part = s.part[u]
    if kind == PROCESSOR:
        return tick_processor(s, part, s.sub[u])
    if kind == MEMORY:
        return tick_memory(s)
    if kind == SECOND_LEVEL:
        return tick_l2(s)
    if kind == RASTER:
        return tick_raster(s, part)
    if kind == DEPTH:
        return tick_depth(s, part)
    if kind == BLEND:
        return tick_blend(s, part)
    if kind == FLUSH:
        return tick_flush(s, part)
    if kind == TILE_CONTROL:
        return tick_tiles(s, part)
    if kind == TILE_FETCHER:
        return tick_tile_fetcher(s, part)
    if kind == PIPELINED_FETCHER:
        return tick_pipelined_fetcher(s, part)
    if kind == INSTRUCTION_CACHE:
        return tick_instruction_cache(s, u, part, s.sub[u])
    if kind == TEXTURE_CACHE:
        return tick_texture_cache(s, u, part, s.sub[u])
    if kind == BINNER:
        return tick_binner(s, part)
    if kind == ASSEMBLY:
        return tick_assembly(s, part)
    if kind == VERTEX_PROCESSOR:
        return tick_vertex_processor(s, part, s.sub[u])
    if kind == VERTEX_FETCHER:
        return tick_vertex_fetcher(s, part)
    if kind == COMMAND:
        return tick_command(s, part)
    return call_plug(s, s.tick[u], u, part, s.sub[u], 0)


@kernel(types.int64(SYSTEM_T, types.int64, types.int64))
def run(s: Record, every: Int, everything_done: Int) -> Int:
    """Run until all frames in flight are done.

    Parameters
    ----------
    every : 1 ticks every unit in every cycle (the oracle), 0 uses the wake-up times
    everything_done : bits of the frames in flight

    Returns
    -------
    0, 1 when no unit can ever go on (a bug of the model), or 2 in the first cycle from ``pause_at`` on: it can be
    called again
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
            following = tick_unit(s, u)
            s.wake[u] = min(following, s.wake[u])
        if s.done == everything_done:
            break
        if every:
            s.now += 1
            # The longest wait of a working machine is a memory latency.
            idle = 0 if acted else idle + 1
            if idle > 1 << 24:
                return 1
            if s.now >= s.pause_at:
                return 2
            continue
        earliest = s.wake[0]
        for u in range(1, count):
            earliest = min(earliest, s.wake[u])
        if earliest >= NEVER:
            return 1
        s.now = earliest
        if s.now >= s.pause_at:
            return 2
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
