"""Counters of ``pfr``, one value a frame in flight."""

from __future__ import annotations

from typing import Final

import numpy as np

from gpumodel.techniques.pfr.pairing import REASONS
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[dict[str, Counter]] = named(
    "pfr",
    Counter("side_by_side", "frames", "frames that were rendered beside another one"),
    Counter(
        "lag_cycles",
        "cycles",
        "a picture comes this much later after its input than one by one at the same rate: the first frame of a pair"
        " waits for the input of the second, and both need twice as long (RE §V-A: input response lag)",
        np.float64,
    ),
    *(Counter(f"alone.{reason}", "pairs", f"not side by side: {why}") for reason, why in REASONS.items()),
)
