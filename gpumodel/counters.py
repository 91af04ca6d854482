"""Counters: their names, meaning and where they come from; one table for results, CSV and tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpumodel.memory.dram.state import active_cycles
from gpumodel.units import state
from gpumodel.units.traffic import TICK_FRACTION_BITS, TRAFFIC_NAMES
from gpumodel.workload import KIND_NAMES

__all__ = ["COUNTERS", "OWN_COUNTERS", "TIME_COUNTERS", "Counter", "read_counters", "subtract"]


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter: unit of measure and meaning."""

    unit: str
    help: str


#: Fields of the state's records that are counters, by result name.
_FRAME: Final = {
    "vertices.shaded": "vertices_shaded",
    "primitives.in": "primitives_in",
    "primitives.culled": "primitives_culled",
    "primitives.binned": "binned",
    "binning.attribute_writes": "bin_writes",
    "binning.pointer_writes": "pointer_writes",
    "binning.attributes": "attributes_binned",
    "tiles.rendered": "tiles_rendered",
    "tiles.skipped": "tiles_skipped",
    "tile_fetch.primitives": "fetch_primitives",
    "tile_fetch.cycles": "fetch_cycles",
    "tile_fetch.requests": "fetch_requests",
    "tile_fetch.attributes": "attributes_fetched",
}
_RASTER_UNIT: Final = {
    "tiles.flushed": "tiles_flushed",
    "primitive_tile_pairs": "pairs",
    "quads.rasterized": "quads_rasterized",
    "quads.early_z_killed": "quads_killed",
    "quads.blended": "quads_blended",
    "attributes.interpolated": "interpolated",
    "fragments.rasterized": "rasterized",
    "fragments.early_z_killed": "early_killed",
    "fragments.shaded": "shaded",
    "fragments.discarded": "discarded",
    "fragments.late_z_killed": "late_killed",
    "fragments.written": "written",
    "depth_buffer.reads": "depth_reads",
    "depth_buffer.writes": "depth_writes",
    "depth_buffer.transfer_bytes": "depth_bytes",
    "color_buffer.reads": "blend_reads",
    "color_buffer.writes": "blend_writes",
}
_PROCESSOR: Final = {
    "fs.issue_cycles": "instructions",
    "fs.quads": "quads",
    "fs.texture_quads": "texture_ops",
    "texels": "texels",
}
_QUEUES: Final = ("tile", "fragment", "color")
_CACHE: Final = ("accesses", "hits", "misses", "primary_misses", "writes", "write_backs")

#: Counters that each of several frames in flight has of its own.
OWN_COUNTERS: Final = frozenset(
    [*_FRAME, *_RASTER_UNIT, *_PROCESSOR]
    + [f"queue.{name}.entry_cycles" for name in _QUEUES]
    + [f"cache.{cache}.{name}" for cache in ("tile", "texture") for name in _CACHE]
)
#: Counters that grow with time.
TIME_COUNTERS: Final = frozenset({"dram.refreshes", "dram.rank_cycles", "dram.rank_active_cycles"})

COUNTERS: Final[Mapping[str, Counter]] = {
    "draws": Counter("draws", "draws of the frame"),
    "passes": Counter("passes", "render passes of the frame"),
    "vertices.in": Counter("vertices", "rows of the index stream"),
    "vertices.shaded": Counter("vertices", "vertices that a Vertex Processor ran"),
    "primitives.in": Counter("primitives", "primitives that Primitive Assembly took"),
    "primitives.culled": Counter("primitives", "of those, without output: culled or clipped away"),
    "primitives.binned": Counter("primitives", "pieces that the Polygon List Builder took"),
    "binning.attribute_writes": Counter("accesses", "Tile Cache writes of attributes"),
    "binning.pointer_writes": Counter("accesses", "Tile Cache writes of list pointers"),
    "binning.attributes": Counter("attributes", "attributes of three vertices written to the Parameter Buffer"),
    "parameter_buffer.bytes": Counter("bytes", "largest use of the Parameter Buffer in a pass"),
    "parameter_buffer.overflows": Counter("times", "the Parameter Buffer was full and its content rendered"),
    "tiles.total": Counter("tiles", "tiles of all passes"),
    "tiles.rendered": Counter("tiles", "tiles that the Tile Scheduler rendered"),
    "tiles.skipped": Counter("tiles", "tiles that a technique skipped"),
    "tiles.flushed": Counter("tiles", "tiles written to memory"),
    "primitive_tile_pairs": Counter("pairs", "primitives times tiles they were rasterized in, clears included"),
    "quads.rasterized": Counter("quads", "quads that entered Early-Z"),
    "quads.early_z_killed": Counter("quads", "of those, without a live fragment behind it"),
    "quads.blended": Counter("quads", "quads that Blending retired"),
    "attributes.interpolated": Counter("attributes", "quads times their attributes"),
    "fragments.rasterized": Counter("fragments", "covered fragments"),
    "fragments.early_z_killed": Counter("fragments", "killed before shading"),
    "fragments.shaded": Counter("fragments", "fragments that a Fragment Processor took"),
    "fragments.discarded": Counter("fragments", "discarded by the shader"),
    "fragments.late_z_killed": Counter("fragments", "killed by a late depth or stencil test"),
    "fragments.written": Counter("fragments", "fragments that reached the Colour Buffer"),
    "depth_buffer.reads": Counter("quads", "quad reads of the Depth Buffer"),
    "depth_buffer.writes": Counter("quads", "quad writes of the Depth Buffer"),
    "depth_buffer.transfer_bytes": Counter("bytes", "depth loaded from and stored to memory"),
    "color_buffer.reads": Counter("quads", "quads that read the Colour Buffer to blend"),
    "color_buffer.writes": Counter("quads", "quads that wrote the Colour Buffer"),
    "vs.instructions": Counter("instructions", "instructions of shaded vertices, without moves"),
    "vs.issue_cycles": Counter("cycles", "cycles in which the Vertex Processors issued"),
    **{
        f"{stage}.executed.{kind}": Counter("instructions", f"{kind} instructions times live {lanes}")
        for stage, lanes in (("vs", "vertices"), ("fs", "fragments"))
        for kind in KIND_NAMES
    },
    "fs.alu_instructions": Counter("instructions", "arithmetic instructions times live fragments, without moves"),
    "fs.tex_instructions": Counter("instructions", "texture instructions times live fragments"),
    "fs.issue_cycles": Counter("cycles", "cycles in which the Fragment Processors issued"),
    "fs.quads": Counter("quads", "quads that the Fragment Processors took"),
    "fs.texture_quads": Counter("instructions", "texture instructions times quads"),
    "texels": Counter("texels", "texels filtered for live fragments"),
    "tile_fetch.primitives": Counter("pairs", "list entries that the Tile Fetcher handed over"),
    "tile_fetch.cycles": Counter("cycles", "from the first request of a list entry to its hand-over, summed"),
    "tile_fetch.requests": Counter("accesses", "Tile Cache reads of the Tile Fetcher"),
    "tile_fetch.attributes": Counter("attributes", "attributes of three vertices read from the Parameter Buffer"),
    "tile_fetch.cycles_per_primitive": Counter("cycles", "mean of the above, 0 when there was none"),
    "dram.activates": Counter("rows", "requests that opened a row"),
    "dram.read_requests": Counter("requests", "reads"),
    "dram.write_requests": Counter("requests", "writes"),
    "dram.read_latency_cycles": Counter("cycles", "from request to the last byte, summed over reads"),
    "dram.read_commands": Counter("commands", "read bursts; dram mode only, as what follows"),
    "dram.write_commands": Counter("commands", "write bursts"),
    "dram.row_hits": Counter("commands", "of both, those to a row that has served one since its activate"),
    "dram.refreshes": Counter("commands", "all-bank refreshes"),
    "dram.rank_cycles": Counter("DRAM cycles", "cycles of the DRAM clock times ranks"),
    "dram.rank_active_cycles": Counter("DRAM cycles", "of those, with a bank open"),
    "l2.bank_conflicts": Counter("requests", "requests that found their bank taken, summed over cycles"),
    **{f"queue.{name}.entry_cycles": Counter("entries x cycles", f"occupancy of the {name} queue") for name in _QUEUES},
    **{
        f"cache.{cache}.{name}": Counter("accesses", f"{name.replace('_', ' ')} of the {cache} cache")
        for cache in ("command", "vertex", "tile", "texture", "instruction", "l2")
        for name in _CACHE
    },
    **{
        f"dram.{way}_bytes.{kind}": Counter("bytes", f"{kind} traffic")
        for way in ("read", "write")
        for kind in TRAFFIC_NAMES
    },
}


def read_counters(system: Any, place: int | None = None) -> dict[str, int]:
    """Counters that live in the machine's state, since it was made.

    Parameters
    ----------
    place : of the frames that are rendered in parallel the one to read, where a counter is kept a frame
        (:data:`OWN_COUNTERS`); the others are those of all
    """
    out: dict[str, int] = {}
    places = range(int(system["cfg"]["frames"])) if place is None else (place,)
    units = range(int(system["cfg"]["raster_units"])) if place is None else (place,)
    processors = int(system["cfg"]["processors"])
    for name, field in _FRAME.items():
        out[name] = sum(int(system["frame"][k][field]) for k in places)
    for name, field in _RASTER_UNIT.items():
        out[name] = sum(int(system["ru"][k][field]) for k in units)
    for name, field in _PROCESSOR.items():
        out[name] = sum(int(system["ru"][k]["processor"][p][field]) for k in units for p in range(processors))
    for index, queue in enumerate(_QUEUES):
        out[f"queue.{queue}.entry_cycles"] = sum(int(system["ru"][k]["entry_cycles"][index]) for k in units)
    l1 = system["l1"]
    caches = {
        "command": [l1[state.L1_COMMAND]],
        "vertex": [l1[state.L1_VERTEX]],
        "tile": [l1[int(system["frame"][k]["tile_cache"])] for k in places],
        "texture": [l1[state.L1_TEXTURE + k * processors + p] for k in units for p in range(processors)],
        "instruction": [
            l1[state.L1_VERTEX_INSTRUCTION],
            *(l1[state.L1_INSTRUCTION + k] for k in range(state.MAX_RASTER_PROCESSORS)),
        ],
        "l2": [system["l2"]],
    }
    for cache, records in caches.items():
        for name in _CACHE:
            out[f"cache.{cache}.{name}"] = sum(int(record[name]) for record in records)
    dram = system["dram"]
    for index, kind in enumerate(TRAFFIC_NAMES):
        out[f"dram.read_bytes.{kind}"] = int(dram["read_bytes"][index])
        out[f"dram.write_bytes.{kind}"] = int(dram["write_bytes"][index])
    out["dram.activates"] = int(dram["activates"])
    out["dram.read_requests"] = int(dram["read_requests"])
    out["dram.write_requests"] = int(dram["write_requests"])
    out["dram.read_latency_cycles"] = int(dram["read_latency"])
    out["l2.bank_conflicts"] = int(system["l2"]["bank_conflicts"])
    if dram["command_level"]:
        out |= _read_dram(system)
    return out


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
