"""Shapley values of draws, sampled: what each adds to the time of a frame, meaned over the orders in which all of them
could have come.

They are the one division of the whole in which what changes nothing gets nothing, equals get the same, and all values
add up to the whole. Source: L. S. Shapley, "A Value for n-Person Games", 1953; sampled as in J. Castro, D. Gómez,
J. Tejada, "Polynomial calculation of the Shapley value based on sampling", 2009, with each order and its reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.judges import absent
from gpumodel.attribution.judging import frame_cycles
from gpumodel.config.schema import GpuConfig
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["frame_value", "sampled_shapley"]

Array = NDArray[Any]


def frame_value(config: GpuConfig, trace: FrameTrace, players: Sequence[Sequence[int]]) -> Callable[[Array], float]:
    """Cycles of the frame that only some players' draws are in, from an empty machine, as a function of who is there.

    Parameters
    ----------
    players : draws of each; draws of none are always there
    """

    def value(is_there: Array) -> float:
        gone = [draw for own, there in zip(players, is_there.tolist(), strict=True) if not there for draw in own]
        return float(frame_cycles(config, absent(trace, gone) if gone else trace))

    return value


def sampled_shapley(
    value: Callable[[Array], float], players: int, pairs: int, random: np.random.Generator
) -> tuple[Array, Array]:
    """Sample Shapley values.

    Parameters
    ----------
    value : of a coalition, given as (P,) bool
    players : P
    pairs : orders that are drawn; each is gone through forwards and backwards

    Returns
    -------
    (P,) float64 values, whose sum is that of all players less that of none; (P,) their standard errors, 0 for one pair
    """
    known: dict[bytes, float] = {}

    def cached(is_there: Array) -> float:
        key = is_there.tobytes()
        if key not in known:
            known[key] = value(is_there)
        return known[key]

    means = np.zeros((pairs, players))
    for pair in range(pairs):
        order = random.permutation(players)
        for way in (order, order[::-1]):
            is_there = np.zeros(players, bool)
            before = cached(is_there)
            for player in way.tolist():
                is_there[player] = True
                after = cached(is_there)
                means[pair, player] += (after - before) / 2
                before = after
    error = means.std(axis=0, ddof=1) / np.sqrt(pairs) if pairs > 1 else np.zeros(players)
    return means.mean(axis=0), error
