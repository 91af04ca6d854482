"""Counters of ``list-prefetch``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "list-prefetch",
    Counter("reads", "accesses", "lines of the Parameter Buffer that were read ahead of the Tile Fetcher"),
)
