"""The machine's counters by the names of results, and their values in its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpumodel.memory.dram.state import active_cycles
from gpumodel.units import capacity, state
from gpumodel.units.counters import (
    CACHE_COUNTERS,
    DRAM_COUNTERS,
    GEOMETRY_COUNTERS,
    L2_COUNTERS,
    PROCESSOR_COUNTERS,
    RASTER_UNIT_COUNTERS,
    Counter,
)
from gpumodel.units.traffic import TICK_FRACTION_BITS, TRAFFIC_NAMES
from gpumodel.workload import KIND_NAMES

__all__ = [
    "COUNTERS",
    "OWN_COUNTERS",
    "QUEUES",
    "RATIOS",
    "TIME_COUNTERS",
    "Counter",
    "ratio_counters",
    "read_counters",
    "subtract",
]

#: Queues of a Raster Unit, in the order of ``RASTER_UNIT.entry_cycles``.
QUEUES: Final = ("tile", "fragment", "color", "post_raster")
_CACHES: Final = ("command", "vertex", "tile", "texture", "instruction", "l2")

#: Counters that each of several frames in flight has of its own.
OWN_COUNTERS: Final = frozenset(
    [*GEOMETRY_COUNTERS, *RASTER_UNIT_COUNTERS, *PROCESSOR_COUNTERS]
    + [f"queue.{name}.entry_cycles" for name in QUEUES]
    + [f"cache.{cache}.{name}" for cache in ("tile", "texture") for name in CACHE_COUNTERS]
)
#: Counters that grow with time.
TIME_COUNTERS: Final = frozenset({"dram.refreshes", "dram.rank_cycles", "dram.rank_active_cycles"})


#: Instructions of fragments, without moves.
_INSTRUCTIONS: Final = tuple(f"fs.executed.{kind}" for kind in KIND_NAMES if kind != "move")
#: Counters that are ratios: a factor, what is divided, and what it is divided by.
RATIOS: Final[Mapping[str, tuple[float, str, tuple[str, ...]]]] = {
    "tile_fetch.cycles_per_primitive": (1, "tile_fetch.cycles", ("tile_fetch.primitives",)),
    "cache.texture.mpki": (1000, "cache.texture.primary_misses", _INSTRUCTIONS),
    "cache.texture.mpki_merged": (1000, "cache.texture.misses", _INSTRUCTIONS),
    "cache.l2.texture_mpki": (1000 / 64, "dram.read_bytes.texture", _INSTRUCTIONS),
}


def ratio_counters(counters: Mapping[str, float]) -> dict[str, float]:
    """Values of :data:`RATIOS`, rounded to a millionth; 0 where there is nothing to divide by."""
    out = {}
    for name, (factor, above, below) in RATIOS.items():
        divisor = sum(counters[key] for key in below)
        out[name] = round(factor * counters[above] / divisor, 6) if divisor else 0.0
    return out


def _computed(unit: str, meaning: str) -> Counter:
    """Counter without a field of its own."""
    return Counter("", unit, meaning)


COUNTERS: Final[Mapping[str, Counter]] = {
    "draws": _computed("draws", "draws of the frame"),
    "passes": _computed("passes", "render passes of the frame"),
    "vertices.in": _computed("vertices", "rows of the index stream"),
    **GEOMETRY_COUNTERS,
    **RASTER_UNIT_COUNTERS,
    "parameter_buffer.bytes": _computed("bytes", "largest use of the Parameter Buffer in a pass"),
    "parameter_buffer.overflows": _computed("times", "the Parameter Buffer was full and its content rendered"),
    "tiles.total": _computed("tiles", "tiles of all passes"),
    "vs.instructions": _computed("instructions", "instructions of shaded vertices, without moves"),
    "vs.issue_cycles": _computed("cycles", "cycles in which the Vertex Processors issued"),
    **{
        f"{stage}.executed.{kind}": _computed("instructions", f"{kind} instructions times live {lanes}")
        for stage, lanes in (("vs", "vertices"), ("fs", "fragments"))
        for kind in KIND_NAMES
    },
    "fs.alu_instructions": _computed("instructions", "arithmetic instructions times live fragments, without moves"),
    "fs.tex_instructions": _computed("instructions", "texture instructions times live fragments"),
    **PROCESSOR_COUNTERS,
    "tile_fetch.cycles_per_primitive": _computed("cycles", "mean of tile_fetch.cycles, 0 when there was none"),
    **DRAM_COUNTERS,
    "dram.read_commands": _computed("commands", "read bursts; dram mode only, as what follows"),
    "dram.write_commands": _computed("commands", "write bursts"),
    "dram.row_hits": _computed("commands", "of both, those to a row that has served one since its activate"),
    "dram.refreshes": _computed("commands", "all-bank refreshes"),
    "dram.rank_cycles": _computed("DRAM cycles", "cycles of the DRAM clock times ranks"),
    "dram.rank_active_cycles": _computed("DRAM cycles", "of those, with a bank open"),
    **L2_COUNTERS,
    **{
        f"queue.{name}.entry_cycles": _computed("entries x cycles", f"occupancy of the {name} queue") for name in QUEUES
    },
    **{
        f"cache.{cache}.{name}": _computed(counter.unit, f"{cache} cache: {counter.meaning}")
        for cache in _CACHES
        for name, counter in CACHE_COUNTERS.items()
    },
    "cache.texture.mpki": _computed(
        "misses", "of Texture Caches, the first of a line alone, a 1,000 instructions of fragments without moves"
    ),
    "cache.texture.mpki_merged": _computed(
        "misses", "the same with the misses that were merged with another of their line"
    ),
    "cache.l2.texture_mpki": _computed("misses", "lines of textures read from memory, a 1,000 such instructions"),
    **{
        f"dram.{way}_bytes.{kind}": _computed("bytes", f"{kind} traffic")
        for way in ("read", "write")
        for kind in TRAFFIC_NAMES
    },
}


def read_counters(system: Any, frame_index: int | None = None) -> dict[str, int]:
    """Counters that live in the machine's state, since it was made.

    Parameters
    ----------
    frame_index : of the frames in flight the one to read, where a counter is kept a frame
        (:data:`OWN_COUNTERS`); the others are those of all
    """
    out: dict[str, int] = {}
    in_flight = range(int(system["cfg"]["frames"])) if frame_index is None else (frame_index,)
    units = range(int(system["cfg"]["raster_units"])) if frame_index is None else (frame_index,)
    processors = int(system["cfg"]["processors"])
    l1, dram = system["l1"], system["dram"]
    for declared, records in (
        # A pass that was sorted into tiles beside another one has counted in the other record.
        (GEOMETRY_COUNTERS, list(system["frame"]) if frame_index is None else [system["frame"][frame_index]]),
        (RASTER_UNIT_COUNTERS, [system["ru"][k] for k in units]),
        (
            PROCESSOR_COUNTERS,
            [system["ru"][k]["processor"][processor] for k in units for processor in range(processors)],
        ),
        (DRAM_COUNTERS, [dram]),
        (L2_COUNTERS, [system["l2"]]),
    ):
        out |= _sums(declared, records)
    for index, queue in enumerate(QUEUES):
        out[f"queue.{queue}.entry_cycles"] = sum(int(system["ru"][k]["entry_cycles"][index]) for k in units)
    caches = {
        "command": [l1[state.L1_COMMAND]],
        "vertex": [l1[state.L1_VERTEX]],
        "tile": [l1[int(system["frame"][k]["tile_cache"])] for k in in_flight],
        "texture": [
            l1[state.L1_TEXTURE + k * processors + processor] for k in units for processor in range(processors)
        ],
        "instruction": [
            l1[state.L1_VERTEX_INSTRUCTION],
            *(l1[state.L1_INSTRUCTION + k] for k in range(capacity.MAX_RASTER_PROCESSORS)),
        ],
        "l2": [system["l2"]],
    }
    for cache, records in caches.items():
        out |= {f"cache.{cache}.{name}": value for name, value in _sums(CACHE_COUNTERS, records).items()}
    for index, kind in enumerate(TRAFFIC_NAMES):
        out[f"dram.read_bytes.{kind}"] = int(dram["read_bytes"][index])
        out[f"dram.write_bytes.{kind}"] = int(dram["write_bytes"][index])
    if dram["command_level"]:
        out |= _read_dram(system)
    return out


def _sums(declared: Mapping[str, Counter], records: list[Any]) -> dict[str, int]:
    """Values of counters over records that have their fields."""
    return {name: sum(int(record[counter.field]) for record in records) for name, counter in declared.items()}


def _read_dram(system: Any) -> dict[str, int]:
    """Counters of the command-level memory."""
    lpddr = system["lpddr"]
    memory = lpddr["memory"]
    channels, par = memory["channel"], memory["par"]
    ticks = int(system["now"]) * int(lpddr["ticks_per_cycle"]) >> TICK_FRACTION_BITS
    return {
        "dram.activates": int(channels["activates"].sum()),
        "dram.read_commands": int(channels["read_commands"].sum() + lpddr["transfer_reads"]),
        "dram.write_commands": int(channels["write_commands"].sum() + lpddr["transfer_writes"]),
        "dram.row_hits": int(channels["read_hits"].sum() + channels["write_hits"].sum()),
        "dram.refreshes": int(channels["refreshes"].sum()),
        "dram.rank_cycles": ticks * int(par["ranks"]) * int(par["channels"]),
        "dram.rank_active_cycles": active_cycles(memory, ticks),
    }


def subtract(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    """Differences by name."""
    return {name: value - before[name] for name, value in now.items()}
