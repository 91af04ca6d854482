"""Counters of ``fpk``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "fpk",
    Counter("searches", "quads", "that looked for others at their place: all that entered the buffer"),
    Counter("killers", "quads", "of those, opaque ones, whose fragments nothing can take away any more"),
    Counter("marks", "quads", "some fragments of which a killer has hidden"),
    Counter("quads_killed", "quads", "all fragments of which were hidden: they left the buffer unshaded"),
    Counter("fragments_killed", "fragments", "of those quads"),
    Counter("kept_late", "quads", "at a killer's place, not to be killed: their depth test is still to come"),
    Counter("kept_effects", "quads", "likewise: their shader writes to memory, or decides what a query counts"),
)
