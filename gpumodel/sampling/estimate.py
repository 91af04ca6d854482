"""What representative frames say of their film: totals and ratios, each with a bound of its error.

The estimate is the generalised regression estimator of survey sampling (Särndal, Swensson and Wretman 1992, ch. 6): the
sampled frames tell how a figure follows the main directions of the features, which are known of all frames; the rest is
weighted by what each frame stands for. The bound is Student's of the rest's variance, with each rest enlarged by the
frame's own pull on the fit (Davidson and MacKinnon 1993, HC3), as if strata had been drawn from all frames: that they
are alike within makes the error smaller, so the bound is on the safe side. It does not cover what a frame's warm-up
lacks (:mod:`gpumodel.warm_up`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.sampling.choice import Representatives

__all__ = ["Estimate", "estimate_ratio", "estimate_total"]

#: 97.5 % point of the normal distribution.
_NORMAL: Final = 1.959963984540054
#: Directions of the features that a figure is fitted to.
_DIRECTIONS: Final = 2
#: Share of a frame's value that the fit leaves to itself, at the least.
_LEAST_OWN: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of a whole film.

    Parameters
    ----------
    value : in the unit of what was measured
    bound : the true one lies within ``value`` ± ``bound`` in 95 % of films
    """

    value: float
    bound: float

    @property
    def relative_bound(self) -> float:
        """``bound`` as a share of the value."""
        return self.bound / abs(self.value) if self.value else math.inf if self.bound else 0.0


def estimate_total(chosen: Representatives, values: NDArray[np.float64]) -> Estimate:
    """Estimate a film's total.

    Parameters
    ----------
    values : (n,) what each representative frame has measured
    """
    total, rests = _fitted(chosen, np.asarray(values, np.float64))
    return Estimate(total, _bound(chosen, rests))


def estimate_ratio(
    chosen: Representatives, numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> Estimate:
    """Estimate the ratio of two totals, such as cycles with a technique and without; its frames' errors go together.

    Parameters
    ----------
    numerators, denominators : (n,) of each representative frame
    """
    above, rests_above = _fitted(chosen, np.asarray(numerators, np.float64))
    below, rests_below = _fitted(chosen, np.asarray(denominators, np.float64))
    if not below:
        return Estimate(math.nan, math.nan)
    ratio = above / below
    return Estimate(ratio, _bound(chosen, (rests_above - ratio * rests_below) / below))


def _fitted(chosen: Representatives, values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The total, and what each frame's value times its weight adds to its error, (n,)."""
    alone = chosen.weights == 1
    total, rests = float(values[alone].sum()), np.zeros(len(values))
    if alone.all():
        return total, rests
    known = _regressors(chosen, alone)
    others, weights = ~alone[chosen.strata], chosen.weights[~alone].astype(np.float64)
    own = known[np.searchsorted(chosen.all_frames[others], chosen.frames[~alone])]
    root = np.sqrt(weights)
    # One more frame, of which each direction says 0: without it a direction that the frames chosen hardly differ in
    # would tell anything (ridge; Bardsley and Chambers 1984).
    prior = np.diag([0.0, *[math.sqrt(weights.mean())] * (own.shape[1] - 1)])
    inverse = np.linalg.pinv(np.concatenate([own * root[:, None], prior]))[:, : len(own)]
    fit = inverse @ (values[~alone] * root)
    rest = weights * (values[~alone] - own @ fit)
    pull = np.einsum("ij,ji->i", own * root[:, None], inverse)
    rests[~alone] = rest / np.maximum(1 - pull, _LEAST_OWN)
    return total + float((known @ fit).sum() + rest.sum()), rests


def _regressors(chosen: Representatives, alone: NDArray[np.bool_]) -> NDArray[np.float64]:
    """One, and the features along the directions in which frames differ most, each with a standard deviation of one; a
    row each frame that another one may stand for.
    """
    features = chosen.features[~alone[chosen.strata]]
    middle = features - features.mean(axis=0)
    directions = np.linalg.svd(middle, full_matrices=False)[2][: _num_directions(chosen)]
    along = middle @ directions.T
    spread = along.std(axis=0)
    return np.concatenate([np.ones((len(middle), 1)), along / np.where(spread > 0, spread, 1)], axis=1)


def _num_others(chosen: Representatives) -> int:
    """Frames that stand for more than themselves."""
    return int((chosen.weights > 1).sum())


def _num_directions(chosen: Representatives) -> int:
    """Directions that the frames can tell: two more frames each, that the error is told from."""
    return min(_DIRECTIONS, max(0, (_num_others(chosen) - 2) // 3))


def _bound(chosen: Representatives, rests: NDArray[np.float64]) -> float:
    freedom = max(_num_others(chosen) - 1 - _num_directions(chosen), 1)
    left_out = 1 - 1 / chosen.weights
    return student_95(freedom) * math.sqrt(float((left_out * rests**2).sum()))


def student_95(freedom: int) -> float:
    """97.5 % point of Student's t, by Abramowitz and Stegun 26.7.5; within 0.3 % from three degrees of freedom on."""
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum([z, *(term / math.pow(freedom, power + 1) for power, term in enumerate(terms))])
