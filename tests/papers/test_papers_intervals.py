"""Intervals of headlines: held against closed forms and a plain twin."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpumodel.papers.intervals import interval, mean_of


def ratio(totals):
    return totals[..., 0] / totals[..., 1]


def constant(value, frames=6):
    """A workload whose frames all have the same ratio, at different costs."""
    below = np.arange(1.0, frames + 1)
    return [np.array([value * below, below]).T]


def test_means_are_what_they_are_called():
    assert mean_of([1.0, 4.0], "arithmetic") == 2.5
    assert mean_of([1.0, 4.0], "geometric") == pytest.approx(2.0)
    # A ratio's geometric mean is the other way round's inverse, its arithmetic mean is not.
    assert mean_of([0.5, 2.0], "geometric") == pytest.approx(1)
    assert mean_of([0.5, 2.0], "arithmetic") == 1.25


def test_equal_workloads_have_no_interval():
    ends = interval([constant(1.5)] * 5, ratio)
    assert (ends.low, ends.high) == pytest.approx((1.5, 1.5))


def test_two_workloads_are_both_one_or_mixed():
    """A mean of two drawn from {1, 2}: 1, 1.5 and 2 at a quarter, a half, a quarter; so 95 % reach from 1 to 2."""
    ends = interval([constant(1.0), constant(2.0)], ratio)
    assert (ends.low, ends.high) == pytest.approx((1, 2))


@pytest.mark.parametrize("mean", ["arithmetic", "geometric"])
def test_many_workloads_are_as_the_normal_law_says(mean):
    """Of 60 workloads with constant ratios the mean varies by their deviation over the root of 60."""
    values = np.random.default_rng(1).lognormal(0.2, 0.1, 60)
    ends = interval([constant(value) for value in values], ratio, mean)
    shown = np.log(values) if mean == "geometric" else values
    middle, error = shown.mean(), shown.std() / math.sqrt(60)
    low, high = (math.log(end) if mean == "geometric" else end for end in (ends.low, ends.high))
    assert low == pytest.approx(middle - 1.96 * error, abs=0.25 * error)
    assert high == pytest.approx(middle + 1.96 * error, abs=0.25 * error)


def test_frames_of_one_workload_are_drawn_in_blocks():
    """Against a plain twin: 50 frames in blocks of four, which follow each other slowly, so single frames would be
    far too sure of themselves.
    """
    random = np.random.default_rng(2)
    slow = np.cumsum(random.normal(0, 0.05, 50)) + 3
    figures = np.array([slow, np.ones(50)]).T
    ends = interval([[figures]], ratio)
    plain = []
    for _ in range(2000):
        frames = []
        while len(frames) < 50:
            first = int(random.integers(50))
            frames += [(first + k) % 50 for k in range(4)]
        plain.append(np.mean([slow[k] for k in frames[:50]]))
    low, high = np.quantile(plain, [0.025, 0.975])
    assert (ends.low, ends.high) == pytest.approx((low, high), abs=0.15 * (high - low))
    single = np.quantile(slow[random.integers(50, size=(2000, 50))].mean(axis=1), [0.025, 0.975])
    assert ends.high - ends.low > 1.25 * (single[1] - single[0])


def test_a_ratio_is_total_over_total():
    """A long frame weighs by its length: 1 and 99 cycles at ratios 3 and 1 are 1.02, wherever the frames are drawn."""
    figures = np.array([[3.0, 1.0], [99.0, 99.0]])
    ends = interval([[figures]], ratio)
    # Both frames (1.02), or twice the same one (3 or 1).
    assert (ends.low, ends.high) == pytest.approx((1, 3))
    seen = []
    interval([[figures]], lambda totals: seen.append(totals) or ratio(totals))
    assert set(np.round(ratio(seen[0]), 6)) == {1.0, 1.02, 3.0}


def test_intervals_of_95_percent_hold_what_they_claim():
    """Films drawn anew have their true mean inside of about nine of ten intervals (few workloads: a little less)."""
    random = np.random.default_rng(3)
    held = 0
    for _ in range(60):
        films = [[np.array([random.normal(random.normal(2, 0.2), 0.1, 8), np.ones(8)]).T] for _ in range(12)]
        ends = interval(films, ratio)
        held += ends.low <= 2 <= ends.high
    assert 48 <= held <= 60


def test_variants_of_a_workload_are_drawn_too():
    ends = interval([[*constant(1.0), *constant(3.0)]], ratio)
    assert (ends.low, ends.high) == pytest.approx((1, 3))


def test_the_same_interval_at_every_call():
    figures = np.random.default_rng(4).uniform(1, 2, (9, 2))
    assert interval([[figures]] * 3, ratio) == interval([[figures]] * 3, ratio)
