"""Counters: each is declared once, with its field, unit and meaning; records, results and documents follow from that.

Those of the machine's units are here, by the record that counts them; a technique's are in its own folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

__all__ = [
    "CACHE_COUNTERS", "DRAM_COUNTERS", "GEOMETRY_COUNTERS", "L2_COUNTERS", "PROCESSOR_COUNTERS",
    "RASTER_UNIT_COUNTERS", "Counter", "counter_fields", "named",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter.

    Parameters
    ----------
    field : of the record that counts it; empty: it is computed from others, or from the frame
    unit : of measure
    meaning : what is counted
    kind : type of the field
    """

    field: str
    unit: str
    meaning: str
    kind: type = np.int64


def named(prefix: str, *counters: Counter) -> dict[str, Counter]:
    """Counters of a technique by the names that results have: ``prefix.field``."""
    return {f"{prefix}.{counter.field}": counter for counter in counters}


def counter_fields(counters: Mapping[str, Counter], shape: tuple[int, ...] = ()) -> list[tuple[str, Any, Any]]:
    """Fields of a record for its counters, to be put into a ``np.dtype``.

    Parameters
    ----------
    shape : of each field, such as one value a frame in flight
    """
    return [(counter.field, counter.kind, shape) for counter in counters.values() if counter.field]


#: Of one frame in flight: geometry and tiling.
GEOMETRY_COUNTERS: Final[Mapping[str, Counter]] = {
    "vertices.shaded": Counter("vertices_shaded", "vertices", "vertices that a Vertex Processor ran"),
    "primitives.in": Counter("primitives_in", "primitives", "primitives that Primitive Assembly took"),
    "primitives.culled": Counter("primitives_culled", "primitives", "of those, without output: culled or clipped away"),
    "primitives.binned": Counter("binned", "primitives", "pieces that the Polygon List Builder took"),
    "binning.attribute_writes": Counter("bin_writes", "accesses", "Tile Cache writes of attributes"),
    "binning.pointer_writes": Counter("pointer_writes", "accesses", "Tile Cache writes of list pointers"),
    "binning.attributes": Counter(
        "attributes_binned", "attributes", "attributes of three vertices written to the Parameter Buffer"
    ),
    "tiles.rendered": Counter("tiles_rendered", "tiles", "tiles that the Tile Scheduler rendered"),
    "tiles.skipped": Counter("tiles_skipped", "tiles", "tiles that a technique skipped"),
    "tile_fetch.primitives": Counter("fetch_primitives", "pairs", "list entries that the Tile Fetcher handed over"),
    "tile_fetch.cycles": Counter(
        "fetch_cycles", "cycles", "from the first request of a list entry to its hand-over, summed"
    ),
    "tile_fetch.requests": Counter("fetch_requests", "accesses", "Tile Cache reads of the Tile Fetcher"),
    "tile_fetch.attributes": Counter(
        "attributes_fetched", "attributes", "attributes of three vertices read from the Parameter Buffer"
    ),
}
#: Of a Raster Unit.
RASTER_UNIT_COUNTERS: Final[Mapping[str, Counter]] = {
    "tiles.flushed": Counter("tiles_flushed", "tiles", "tiles written to memory"),
    "primitive_tile_pairs": Counter(
        "pairs", "pairs", "primitives times tiles they were rasterized in, clears included"
    ),
    "quads.rasterized": Counter("quads_rasterized", "quads", "quads that entered Early-Z"),
    "quads.early_z_killed": Counter("quads_killed", "quads", "of those, without a live fragment behind it"),
    "quads.blended": Counter("quads_blended", "quads", "quads that Blending retired"),
    "attributes.interpolated": Counter("interpolated", "attributes", "quads times their attributes"),
    "fragments.rasterized": Counter("rasterized", "fragments", "covered fragments"),
    "fragments.early_z_killed": Counter("early_killed", "fragments", "killed before shading"),
    "fragments.shaded": Counter("shaded", "fragments", "fragments that a Fragment Processor took"),
    "fragments.discarded": Counter("discarded", "fragments", "discarded by the shader"),
    "fragments.late_z_killed": Counter("late_killed", "fragments", "killed by a late depth or stencil test"),
    "fragments.written": Counter("written", "fragments", "fragments that reached the Colour Buffer"),
    "depth_buffer.reads": Counter("depth_reads", "quads", "quad reads of the Depth Buffer"),
    "depth_buffer.writes": Counter("depth_writes", "quads", "quad writes of the Depth Buffer"),
    "depth_buffer.transfer_bytes": Counter("depth_bytes", "bytes", "depth loaded from and stored to memory"),
    "color_buffer.reads": Counter("blend_reads", "quads", "quads that read the Colour Buffer to blend"),
    "color_buffer.writes": Counter("blend_writes", "quads", "quads that wrote the Colour Buffer"),
}
#: Of a Fragment Processor.
PROCESSOR_COUNTERS: Final[Mapping[str, Counter]] = {
    "fs.issue_cycles": Counter("instructions", "cycles", "cycles in which the Fragment Processors issued"),
    "fs.quads": Counter("quads", "quads", "quads that the Fragment Processors took"),
    "fs.texture_quads": Counter("texture_ops", "instructions", "texture instructions times quads"),
    "texels": Counter("texels", "texels", "texels filtered for live fragments"),
}
#: Of a cache, behind its name.
CACHE_COUNTERS: Final[Mapping[str, Counter]] = {
    "accesses": Counter("accesses", "accesses", "look-ups that were taken"),
    "hits": Counter("hits", "accesses", "of those, found"),
    "misses": Counter("misses", "accesses", "of those, not found, merged with others of their line included"),
    "primary_misses": Counter("primary_misses", "accesses", "of those, the first of their line"),
    "writes": Counter("writes", "accesses", "of the accesses, writes"),
    "write_backs": Counter("write_backs", "accesses", "lines written back"),
}
L2_COUNTERS: Final[Mapping[str, Counter]] = {
    "l2.bank_conflicts": Counter(
        "bank_conflicts", "requests", "requests that found their bank taken, summed over cycles"
    ),
}
#: Of the memory; by way and kind of traffic beside these.
DRAM_COUNTERS: Final[Mapping[str, Counter]] = {
    "dram.activates": Counter("activates", "rows", "requests that opened a row"),
    "dram.read_requests": Counter("read_requests", "requests", "reads"),
    "dram.write_requests": Counter("write_requests", "requests", "writes"),
    "dram.read_latency_cycles": Counter("read_latency", "cycles", "from request to the last byte, summed over reads"),
}
