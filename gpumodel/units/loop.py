"""The main loop: wake-up times, or every unit in every cycle, from the same ticks."""

from __future__ import annotations

from typing import Final

from numba import types

from gpumodel.units.assembly import tick_assembly
from gpumodel.units.binning import tick_binner
from gpumodel.units.blend import tick_blend
from gpumodel.units.command import tick_command
from gpumodel.units.cost_owners import follow_geometry, follow_unit, follow_units
from gpumodel.units.depth import stamp_queue, tick_depth
from gpumodel.units.events import NEVER, RING, count_trailing_zeros, remind
from gpumodel.units.flush import tick_flush
from gpumodel.units.fragment import tick_processor
from gpumodel.units.instruction import tick_instruction_cache
from gpumodel.units.kernels import Int, Record, inner, kernel
from gpumodel.units.l2 import tick_l2
from gpumodel.units.memory import end_memory
from gpumodel.units.memory_paper import tick_memory
from gpumodel.units.plug import call_plug
from gpumodel.units.raster import tick_raster
from gpumodel.units.state import WORD_BITS
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


@inner(types.void(SYSTEM_T, types.int64, types.int64))
def _follow(s: Record, kind: Int, parent: Int) -> None:
    """Find out whose the cycles are from now on, behind the tick of a unit."""
    if kind in (BLEND, PROCESSOR, DEPTH, RASTER, FLUSH, TILE_CONTROL):
        follow_unit(s, s.ru[parent])
    elif kind in (TILE_FETCHER, PIPELINED_FETCHER):
        follow_units(s, parent)
    elif kind in (MEMORY, PLUGGED):
        for frame in range(s.cfg.frames):
            follow_units(s, frame)
    elif kind in (BINNER, ASSEMBLY, VERTEX_PROCESSOR, VERTEX_FETCHER, COMMAND):
        follow_geometry(s, parent)


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
    words = (count + WORD_BITS - 1) // WORD_BITS
    idle = 0
    # What an earlier call has left in the ring costs a look.
    for u in range(count):
        if s.wake[u] < NEVER:
            remind(s, u, s.wake[u])
    while s.done != everything_done:
        acted = 0
        slot = s.now & (RING - 1)
        for word in range(words):
            if every:
                units = min(count - WORD_BITS * word, WORD_BITS)
                s.due[word, slot] = -1 if units == WORD_BITS else (1 << units) - 1
            above = -1
            while s.due[word, slot] & above:
                bit = count_trailing_zeros(s.due[word, slot] & above)
                above = -2 << bit
                s.due[word, slot] &= ~(1 << bit)
                u = WORD_BITS * word + bit
                if s.wake[u] <= s.now:
                    acted = 1
                elif not every:
                    # Ticked meanwhile for another reason, or further off than the ring is long.
                    if s.wake[u] < NEVER:
                        remind(s, u, s.wake[u])
                    continue
                s.wake[u] = NEVER
                # Written out here: a function of its own would be compiled with all units a second time.
                kind = s.kind[u]
                parent = s.parent[u]
                if kind == PROCESSOR:
                    following = tick_processor(s, parent, s.member[u])
                elif kind == MEMORY:
                    following = tick_memory(s)
                elif kind == SECOND_LEVEL:
                    following = tick_l2(s)
                elif kind == RASTER:
                    following = tick_raster(s, parent)
                elif kind == DEPTH:
                    following = tick_depth(s, parent)
                elif kind == BLEND:
                    following = tick_blend(s, parent)
                elif kind == FLUSH:
                    following = tick_flush(s, parent)
                elif kind == TILE_CONTROL:
                    following = tick_tiles(s, parent)
                elif kind == TILE_FETCHER:
                    following = tick_tile_fetcher(s, parent)
                elif kind == PIPELINED_FETCHER:
                    following = tick_pipelined_fetcher(s, parent)
                elif kind == INSTRUCTION_CACHE:
                    following = tick_instruction_cache(s, u, parent, s.member[u])
                elif kind == TEXTURE_CACHE:
                    following = tick_texture_cache(s, u, parent, s.member[u])
                elif kind == BINNER:
                    following = tick_binner(s, parent)
                elif kind == ASSEMBLY:
                    following = tick_assembly(s, parent)
                elif kind == VERTEX_PROCESSOR:
                    following = tick_vertex_processor(s, parent, s.member[u])
                elif kind == VERTEX_FETCHER:
                    following = tick_vertex_fetcher(s, parent)
                elif kind == COMMAND:
                    following = tick_command(s, parent)
                else:
                    following = call_plug(s, s.tick[u], u, parent, s.member[u], 0)
                if s.costs.count:
                    _follow(s, kind, parent)
                if following < s.wake[u]:
                    s.wake[u] = following
                    remind(s, u, following)
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
        left = 0
        for word in range(words):
            left |= s.due[word, slot]
        if left == 0:
            s.reminded &= ~(1 << slot)
        ahead = s.reminded & (-1 << slot)
        if ahead:
            s.now += count_trailing_zeros(ahead) - slot
        elif s.reminded:
            s.now += count_trailing_zeros(s.reminded) + RING - slot
        else:
            return 1
        if s.now >= s.pause_at:
            return 2
    end_memory(s)
    for u in range(count):
        if s.unit_since[u] > s.now:
            # Accounted for a cycle that is not part of the run any more.
            s.unit_cycles[u, s.unit_once[u]] -= s.unit_since[u] - s.now
        else:
            s.unit_cycles[u, s.unit_state[u]] += s.now - s.unit_since[u]
        s.unit_since[u] = s.now
    for k in range(s.cfg.raster_units):
        ru = s.ru[k]
        stamp_queue(s, ru, 0, ru.pair_used)
        stamp_queue(s, ru, 1, ru.queued)
        stamp_queue(s, ru, 2, ru.color_count)
        stamp_queue(s, ru, 3, ru.post_count)
    return 0
