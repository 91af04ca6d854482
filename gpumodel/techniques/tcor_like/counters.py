"""Counters of ``tcor-like``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "tcor-like",
    Counter("dead", "lines", "replaced in the Tile Cache that no tile to come reads"),
    Counter("dead_unwritten", "lines", "of those, changed, and not written back"),
    Counter("l2_dead", "lines", "replaced in the L2 that no tile to come reads"),
    Counter("l2_dead_unwritten", "lines", "of those, changed, and not written to memory"),
    Counter("dead_reads", "lines", "read although they had been dead; 0, or the machine is wrong"),
)
