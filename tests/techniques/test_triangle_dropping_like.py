"""Dropped triangles, a bound: known answers, exact pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hidden_films import PIXELS, covered_film, one, random_states, stack
from object_films import Thing, object_film
from verified import counter, verified_run


def test_what_shows_nowhere_is_not_sorted(tmp_path: Path) -> None:
    """Of n planes one is left, whatever the order; a wall with a hole keeps what is seen through it."""
    n = 5
    for things in (stack(n), stack(n)[::-1]):
        frames = one(tmp_path, things)
        own, bare = (verified_run(frames, "mali450-vro", name) for name in ("triangle-dropping-like", "lrz"))
        assert counter(own, "fragments.shaded") == [PIXELS]
        (primitives,), (dropped,) = (
            counter(own, f"triangle-dropping-like.{name}") for name in ("primitives", "dropped")
        )
        assert dropped * n == primitives * (n - 1)
        (entries,) = counter(own, "triangle-dropping-like.entries_dropped")
        (pointers,) = counter(own, "binning.pointer_writes")
        assert entries == (n - 1) * pointers
        assert pointers <= counter(bare, "binning.pointer_writes")[0]
    far = Thing.plane("far", 0.5)
    wall = Thing("wall", ((-1, -1, 0.5, 1, 0, 0),))
    done = verified_run(one(tmp_path, [far, wall]), "mali450-vro", "triangle-dropping-like")
    assert counter(done, "triangle-dropping-like.dropped")[0] <= 1


def test_what_is_seen_through_glass_stays(tmp_path: Path) -> None:
    """Glass that writes depth hides nothing; a plane behind which something blends does."""
    glass = Thing.plane("glass", 0.0, blend=True)
    done = verified_run(one(tmp_path, [*stack(2), glass]), "mali450-vro", "triangle-dropping-like")
    assert counter(done, "triangle-dropping-like.dropped") == [0]


@pytest.mark.parametrize("seed", range(6))
def test_exact_and_both_loops_agree(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(60 + seed)
    if seed % 2:
        frames = covered_film(tmp_path / "a.gltrace", 80 + seed, 4)
    else:
        frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 14)], samples=4 * (seed == 4))
    techniques = ("triangle-dropping-like", "lrz+triangle-dropping-like", "re+triangle-dropping-like+te")[seed % 3]
    wake, every = (verified_run(frames, "mali450-re", techniques, every_cycle=loop) for loop in (False, True))
    for one_frame, other in zip(wake.result.frames, every.result.frames, strict=True):
        assert (one_frame.counters, one_frame.cycles, one_frame.stalls) == (other.counters, other.cycles, other.stalls)
