"""Techniques at the depth test, in multisampled passes: each sample is the replay's, both loops agree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import implicit_samples
import numpy as np
import pytest
from hidden_films import PIXELS, Played, random_states, stack
from object_films import Thing, object_film, random_things

from gpumodel import load_config
from gpumodel.runs import Run
from traceformat.gputrace.frametrace import LoadOp

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


@pytest.mark.parametrize("kind", ["plain", "loaded", "split", "blended", "invalidated"])
def test_passes_of_several_samples_into_a_texture_are_exact(kind: str) -> None:
    """What a pass leaves in the texture, and the window shows of it, with each technique by both loops."""
    frames = implicit_samples.film(kind)
    passes = frames[1]["passes"]
    assert passes["samples"].tolist() == [4] * (len(passes["samples"]) - 1) + [1]
    assert (passes["color_load"][0][0] == LoadOp.LOAD) == (kind == "loaded")
    pixels = {
        verified_film(frames, preset, technique)
        for preset, technique in (
            *(("mali450-re", name) for name in ("re+te", "memo", "pfr", "ptr")),
            *(("mali450-vro", name) for name in ("vro", "dr", "zprepass", "lrz")),
        )
    }
    assert len(pixels) == 1


def verified_film(frames: list[Any], preset: str, techniques: str) -> int:
    """Run a film by both loops; gives the pixels that were compared."""
    found = []
    for every in (False, True):
        config = load_config(preset, ["screen.scale_to_trace=true"])
        run = Run(config, techniques.split("+"), verify=True, every_cycle=every)
        for frame in frames:
            run.feed(frame)
        run.finish()
        verification = run.result.verification
        assert verification is not None
        assert verification.mismatched_pixels == 0
        found.append(([frame.as_json() for frame in run.result.frames], verification.pixels))
    assert found[0] == found[1]
    return found[0][1]
