"""Counters of ``omega-like``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.depth_lines.counters import LINE_COUNTERS
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "omega-like",
    Counter("compared", "fragments", "held against last frame's depth in Early-Z"),
    Counter("left_out", "fragments", "of those, behind it though nothing had covered them yet"),
    Counter("wrong_tiles", "tiles", "in which entries came again"),
    Counter("entries_again", "pairs", "that came again"),
    Counter("fragments_again", "fragments", "left out that came again"),
    *LINE_COUNTERS,
    Counter("off", "passes", "without a prediction, for what their draws do"),
)
