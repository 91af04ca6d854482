"""Means and intervals of headlines: workloads are drawn again, and frames in them.

A workload's value is a ratio of totals over its frames. The interval is a bootstrap at two levels (Davison and Hinkley,
Bootstrap Methods, 1997, sections 3.8 and 8.2): workloads with one of their variants first, then blocks of following
frames inside of each, since frames that follow each other are alike. It speaks of the choice of workloads and frames;
what the model's constants weigh is another band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "Mean", "interval", "mean_of"]

Floats = NDArray[np.floating[Any]]
Mean = Literal["arithmetic", "geometric"]

_DRAWS: Final = 2000
#: Ends of an interval of 95 %.
_SHARES: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends of an interval of 95 %."""

    low: float
    high: float


def mean_of(values: Any, mean: Mean, axis: int = -1) -> Any:
    """Mean over workloads; the geometric one is of positive values."""
    values = np.asarray(values, np.float64)
    if mean == "arithmetic":
        return values.mean(axis=axis)
    return np.exp(np.log(values).mean(axis=axis))


def interval(
    workloads: Sequence[Sequence[Floats]], read: Callable[[Floats], Floats], mean: Mean = "arithmetic"
) -> Interval:
    """Interval of the mean over workloads.

    Parameters
    ----------
    workloads : of each its variants: figures of the measured frames, (frames, parts)
    read : (..., parts) totals of the parts -> (...) the workload's value, a ratio of them

    Returns
    -------
    Interval : the same at every call
    """
    random = np.random.default_rng(len(workloads))
    variants = [[_drawn_totals(figures, random) for figures in own] for own in workloads]
    most = max(map(len, variants))
    values = np.array([[read(own[k % len(own)]) for k in range(most)] for own in variants])
    chosen = random.integers(len(values), size=(_DRAWS, len(values)))
    which = random.integers(most, size=chosen.shape)
    means = mean_of(values[chosen, which, np.arange(_DRAWS)[:, None]], mean)
    low, high = np.quantile(means, _SHARES)
    return Interval(float(low), float(high))


def _drawn_totals(figures: Floats, random: np.random.Generator) -> Floats:
    """Totals of the parts over frames drawn again in blocks, around the end: (draws, parts)."""
    count = len(figures)
    # Blocks grow as the cube root of the frames do (Davison and Hinkley, section 8.2.3).
    length = max(round(count ** (1 / 3)), 1)
    first = random.integers(count, size=(_DRAWS, -(-count // length)))
    frames = (first[:, :, None] + np.arange(length)) % count
    totals: Floats = figures[frames.reshape(_DRAWS, -1)[:, :count]].sum(axis=1)
    return totals
