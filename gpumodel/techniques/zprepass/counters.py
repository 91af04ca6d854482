"""Counters of ``zprepass``. Of a multisampled pass, killed and visible fragments are samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "zprepass",
    Counter("draws", "draws", "draws that come twice"),
    Counter("null_fragments", "fragments", "of the first half, passed Early-Z; nothing is shaded"),
    Counter("null_quads", "quads", "of the first half, through the Fragment Processors"),
    Counter("tests", "quads", "tested with sequence numbers in Early-Z"),
    Counter("number_writes", "quads", "quad writes of sequence numbers"),
    Counter("killed", "fragments", "of the second half, killed because a later fragment covers them"),
    Counter("visible", "fragments", "of the second half, those whose depth the first half has left"),
)
