"""Counters of ``frag-prepass``: those of ``dr``'s front, and what it adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.dr.counters import COUNTERS as FRONT
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS", "OWN"]

OWN: Final[Mapping[str, Counter]] = named(
    "frag-prepass",
    Counter("estimated", "pairs", "covering primitives whose share of a tile was estimated while sorting"),
    Counter("tiles_filtered", "tiles", "without a prepass: what covers them would hide too little"),
    Counter("tags_scanned", "samples", "looked at for visible primitives when a tile's prepass ends"),
    Counter("scan_cycles", "cycles", "of that"),
    Counter("entries_dropped", "pairs", "list entries that the tile's rendering does not fetch"),
    Counter("quads_dropped", "quads", "of those"),
)
COUNTERS: Final[Mapping[str, Counter]] = {**named("frag-prepass", *FRONT), **OWN}
