"""Counters that techniques with depths in memory have."""

from __future__ import annotations

from typing import Final

from gpumodel.units.counters import Counter

__all__ = ["LINE_COUNTERS"]

LINE_COUNTERS: Final = (
    Counter("line_reads", "accesses", "of the cache, by the unit"),
    Counter("line_writes", "accesses", "of the cache, by the unit"),
    Counter("lines_fetched", "lines", "of 64 bytes, from the L2 into the cache"),
    Counter("lines_evicted", "lines", "written back to the L2"),
    Counter("clear_lines", "accesses", "left out: the line is known to be clear"),
    Counter("binning_wait_cycles", "cycles", "that the list builder waited for the unit"),
    Counter("tile_wait_cycles", "cycles", "that tiles waited for their depths"),
)
