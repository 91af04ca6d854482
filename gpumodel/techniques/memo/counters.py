"""Counters of ``memo`` beside those of ``pfr``, one value a frame in flight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.pfr.counters import COUNTERS as PFR_COUNTERS
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = PFR_COUNTERS | named(
    "memo",
    Counter("lookups", "fragments", "looked up in the table"),
    Counter("hits", "fragments", "of those, not shaded: their colours came from the table"),
    Counter("inserts", "fragments", "shaded fragments whose colour was put into the table"),
    Counter("evictions", "fragments", "of those, in place of another one's"),
    Counter("false_positives", "fragments", "hits whose inputs differ: hashes collided"),
    Counter("left_out", "fragments", "shaded without a look-up: position, derivatives, discard, side effects"),
    Counter("hashed_words", "words", "of 4 bytes that the hash units took"),
    Counter("wait_cycles", "cycles", "quads waited for the hash and the table's ports, summed"),
    Counter(
        "unlimited_hits",
        "fragments",
        "hits of an unlimited table with perfect hashes that is emptied at each pair of passes",
    ),
)
