"""Kinds of memory traffic, as the results name them, and the resolution of the memory's clock."""

from __future__ import annotations

from typing import Final

__all__ = ["COLOR", "GRAPH", "OTHER", "PARAMETER", "TEXTURE", "TICK_FRACTION_BITS", "TRAFFIC_NAMES", "VERTEX"]

VERTEX: Final = 0
TEXTURE: Final = 1
PARAMETER: Final = 2
COLOR: Final = 3
OTHER: Final = 4
#: The Graph Buffer of ``vro``.
GRAPH: Final = 5
TRAFFIC_NAMES: Final = ("vertex", "texture", "parameter", "color", "other", "graph")

#: Fraction bits of the ratio of DRAM clock to GPU clock.
TICK_FRACTION_BITS: Final = 16
