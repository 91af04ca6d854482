"""How far two series are apart, and whether they go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

__all__ = ["rank_correlation", "relative_error", "slope", "spread"]


def relative_error(ours: float, theirs: float) -> float:
    """Deviation of ours, as a share of theirs; infinite where theirs is 0 and ours is not."""
    if theirs == 0:
        return 0.0 if ours == 0 else math.inf
    return ours / theirs - 1


def _ranks(values: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks, the mean of them for equal values."""
    array = np.asarray(values, np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], np.float64)


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None where there are fewer than three, or one of them is constant."""
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def slope(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    """Median of the slopes between all pairs, logarithms of both (Theil and Sen): 1 where ours grows as theirs."""
    points = [(math.log(x), math.log(y)) for x, y in zip(theirs, ours, strict=True) if x > 0 and y > 0]
    found = [
        (second[1] - first[1]) / (second[0] - first[0])
        for k, first in enumerate(points)
        for second in points[k + 1 :]
        if second[0] != first[0]
    ]
    return median(found) if len(points) > 2 and found else None


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and half of the range of the middle half."""
    low, middle, high = np.percentile(np.asarray(values, np.float64), (25, 50, 75))
    return float(middle), float(high - low) / 2
