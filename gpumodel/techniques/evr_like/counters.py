"""Counters of ``evr-like``; it has those of ``re``, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "evr-like",
    Counter("entries", "pairs", "list entries that were looked up while sorting"),
    Counter("hidden_by_depth", "pairs", "of those, predicted to lie behind all that shows in their tile"),
    Counter("hidden_by_layer", "pairs", "of those, predicted to lie under all that shows in their tile"),
    Counter("moved", "pairs", "drawn behind others that come later in program order"),
    Counter("resolved_pixels", "pixels", "of rendered tiles, looked at when a tile ends"),
    Counter("poisoned", "tiles", "in which an unsigned primitive showed, or may have decided what does"),
    Counter("refused", "tiles", "with equal signatures, rendered because an unsigned primitive might show"),
    Counter("off", "passes", "without a prediction, for what their draws do"),
)
