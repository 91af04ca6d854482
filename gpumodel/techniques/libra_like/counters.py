"""Counters of ``libra-like``; it has those of ``ptr``, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.ptr.counters import COUNTERS as UNITS
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "libra-like",
    *UNITS,
    Counter("passes_by_heat", "passes", "whose super-tiles were taken from the hot and from the cold end"),
    Counter("passes_in_order", "passes", "whose tiles were taken in their order"),
    Counter("super_tiles", "super-tiles", "sorted by how hot they were in the last frame"),
    Counter("looked_up_tiles", "tiles", "of passes by heat: last frame's figure is read"),
    Counter("learned_tiles", "tiles", "whose figure is kept for the next frame"),
    Counter("moved_tiles", "tiles", "of a super-tile that another Raster Unit had begun"),
    Counter("sort_wait_cycles", "cycles", "tiles waited for the end of sorting"),
    Counter(
        "bound_cycles",
        "cycles",
        "of the raster phases at least, whatever unit has which tile: the issue cycles of the busiest tile on its"
        " busiest processor, or of all tiles on all processors",
    ),
)
