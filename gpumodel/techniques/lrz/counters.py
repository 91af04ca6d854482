"""Counters of ``lrz``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.depth_lines.counters import LINE_COUNTERS
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
    *LINE_COUNTERS,
    Counter("off.samples", "passes", "without: multisampled"),
    Counter("off.no_depth", "passes", "without: no draw gives a direction"),
)
