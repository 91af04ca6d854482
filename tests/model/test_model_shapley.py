"""Sampled Shapley values: those of games whose values are known, and of a frame."""

from __future__ import annotations

import itertools
import sys
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from test_model_oracle import random_scene

from gpumodel.attribution.judging import frame_cycles
from gpumodel.config import load_config

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from shapley import frame_value, sampled_shapley


def exact(value, players: int) -> np.ndarray:
    """By the definition: all orders."""
    out = np.zeros(players)
    for order in itertools.permutations(range(players)):
        there = np.zeros(players, bool)
        for player in order:
            before = value(there)
            there[player] = True
            out[player] += value(there) - before
    return out / factorial(players)


def test_what_adds_up_is_found_at_once() -> None:
    costs = np.array([5.0, 0.0, 7.0, 1.5])
    values, errors = sampled_shapley(lambda there: 3 + float(costs[there].sum()), 4, 2, np.random.default_rng(1))
    np.testing.assert_allclose(values, costs)
    np.testing.assert_allclose(errors, 0, atol=1e-12)


def test_values_come_near_those_of_all_orders_within_their_errors() -> None:
    weights = np.array([4.0, 3.0, 2.0, 2.0, 0.0])

    def value(there: np.ndarray) -> float:
        # The longest counts, and a quarter of the others: work that goes on at once.
        own = weights[there]
        return float(0.75 * own.max() + 0.25 * own.sum()) if there.any() else 0.0

    wanted = exact(value, 5)
    values, errors = sampled_shapley(value, 5, 200, np.random.default_rng(7))
    assert values.sum() == pytest.approx(wanted.sum())
    assert (np.abs(values - wanted) <= 4 * errors + 1e-9).all()
    assert errors.max() < 0.1
    assert values[4] == 0
    again, _ = sampled_shapley(value, 5, 200, np.random.default_rng(7))
    np.testing.assert_array_equal(values, again)


def test_values_of_a_frame_s_draws_add_up_to_what_they_cost() -> None:
    trace, config = random_scene(3).trace(), load_config("mali450-vro")
    count = trace["draws"].num_rows
    value = frame_value(config, trace, [[draw] for draw in range(count)])
    values, _ = sampled_shapley(value, count, 2, np.random.default_rng(2))
    assert value(np.ones(count, bool)) == frame_cycles(config, trace)
    assert values.sum() == pytest.approx(frame_cycles(config, trace) - value(np.zeros(count, bool)))
    assert values.max() > 0
