"""Counters of ``ptr``, which ``ptr-shared`` has too."""

from __future__ import annotations

from typing import Final

from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import Counter

__all__ = ["COUNTERS"]

COUNTERS: Final = (
    *(Counter(f"tiles.{k}", "tiles", f"tiles that Raster Unit {k} rendered") for k in range(MAX_RASTER_UNITS)),
    Counter("flush_wait_cycles", "cycles", "from a complete tile to its grant by the flush arbiter, summed"),
)
