"""Techniques at the depth test, in multisampled passes: each sample is the replay's, both loops agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hidden_films import PIXELS, Played, random_states, stack
from object_films import Thing, object_film, random_things

SAMPLES = 4
TECHNIQUES = ("vro", "dr", "dr-seq", "zprepass", "ideal-order", "no-early-z")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("things", [random_things, random_states])
def test_random_films_are_exact(
    tmp_path: Path, seed: int, things: Callable[[np.random.Generator, int], list[Thing]]
) -> None:
    rng = np.random.default_rng(4400 + seed)
    frames = object_film(tmp_path / "a.gltrace", [things(rng, int(rng.integers(4, 14)))] * 2, samples=SAMPLES)
    assert int(frames[0]["passes"]["samples"][0]) == SAMPLES
    for technique in TECHNIQUES:
        a, b = (Played(frames, technique, every_cycle=every) for every in (False, True))
        assert [frame.as_json() for frame in a.results] == [frame.as_json() for frame in b.results]


@pytest.mark.parametrize("technique", ["vro", "dr", "dr-seq", "zprepass"])
def test_what_is_hidden_is_not_shaded(tmp_path: Path, technique: str) -> None:
    """Planes behind each other, the farthest first: one of them is shaded (``vro``: in the second frame)."""
    frames = object_film(tmp_path / "a.gltrace", [stack(5)] * 2, samples=SAMPLES)
    played, plain = Played(frames, technique), Played(frames, "")
    # Where a plane's two triangles meet, both are shaded.
    assert plain.counter("fragments.shaded", 1) == 5 * played.counter("fragments.shaded", 1) >= 5 * PIXELS
