"""Counters of ``lrz``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "lrz",
    Counter("blocks", "blocks", "of 8x8 pixels and a primitive, looked at while sorting"),
    Counter("blocks_written", "blocks", "of those, with a nearer depth"),
    Counter("blocks_rejected", "blocks", "of those, behind what was drawn before"),
    Counter("entries_dropped", "pairs", "of primitive and tile that were not put into a list"),
    Counter("binning_quads", "quads", "rejected while sorting"),
    Counter("rendering_blocks", "blocks", "of a list entry, looked at before Early-Z"),
    Counter("rendering_quads", "quads", "rejected before Early-Z, behind what may be drawn later"),
    Counter("line_reads", "accesses", "of the cache, by the unit"),
    Counter("line_writes", "accesses", "of the cache, by the unit"),
    Counter("lines_fetched", "lines", "of 64 bytes, from the L2 into the cache"),
    Counter("lines_evicted", "lines", "written back to the L2"),
    Counter("clear_lines", "accesses", "left out: the line is known to be clear"),
    Counter("binning_wait_cycles", "cycles", "that the list builder waited for the unit"),
    Counter("off.samples", "passes", "without: multisampled"),
    Counter("off.no_depth", "passes", "without: no draw gives a direction"),
)
