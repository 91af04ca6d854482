"""Counters of ``omega-like``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "omega-like",
    Counter("compared", "fragments", "held against last frame's depth in Early-Z"),
    Counter("left_out", "fragments", "of those, behind it though nothing had covered them yet"),
    Counter("wrong_tiles", "tiles", "in which entries came again"),
    Counter("entries_again", "pairs", "that came again"),
    Counter("fragments_again", "fragments", "left out that came again"),
    Counter("line_reads", "accesses", "lines of depths read before a tile"),
    Counter("line_writes", "accesses", "lines of depths written behind a tile"),
    Counter("lines_fetched", "lines", "that the cache read from the L2"),
    Counter("lines_evicted", "lines", "that the cache wrote to the L2"),
    Counter("tile_wait_cycles", "cycles", "tiles waited for their depths"),
    Counter("off", "passes", "without a prediction, for what their draws do"),
)
