"""Techniques where the geometry of the next pass runs beside this one's tiles: pixels, both loops, what it is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hidden_films import random_states
from object_films import object_film
from random_films import random_film

from gpumodel import Run, load_config, run_all
from traceformat.gputrace.frametrace import FrameTrace

TECHNIQUES = {
    "mali450-vro": ("vro", "dr", "dr-seq", "zprepass", "list-prefetch"),
    "mali450-re": ("re", "te", "vro+re+te", "dr+re"),
    "tbr-fhd": ("ptr", "ptr+re", "double+re+vro"),
}


def run_of(preset: str, technique: str, mode: str, *, every_cycle: bool = False) -> Run:
    config = load_config(preset, ["screen.scale_to_trace=true", f"binning.overlap='{mode}'"])
    return Run(config, technique.split("+"), verify=True, every_cycle=every_cycle)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    """Frames of several passes in which anything may change, then one of objects that hide each other."""
    folder = tmp_path_factory.mktemp("films")
    things = random_states(np.random.default_rng(5), 8)
    return [*random_film(folder / "a.gltrace", 3)[:4], *object_film(folder / "b.gltrace", [things, things])]


@pytest.mark.parametrize("preset", TECHNIQUES)
def test_pixels_are_the_replays_and_both_loops_agree(film: list[FrameTrace], preset: str) -> None:
    runs = {
        (technique, mode, every): run_of(preset, technique, mode, every_cycle=every)
        for technique in TECHNIQUES[preset]
        for mode, every in (("none", False), ("pass", False), ("frame", False), ("frame", True))
    }
    for _ in run_all(film, list(runs.values())):
        pass
    for (technique, mode, every), run in runs.items():
        checked = run.result.verification
        assert checked is not None
        assert checked.pixels
        assert checked.identical, (technique, mode, checked.located[:1])
        if every:
            for a, b in zip(run.result.frames, runs[technique, mode, False].result.frames, strict=True):
                assert a.counters == b.counters, technique
                assert a.stalls == b.stalls, technique
    for technique in TECHNIQUES[preset]:
        plain, beside = (runs[technique, mode, False].result.frames for mode in ("none", "frame"))
        assert sum(f.cycles for f in beside) < sum(f.cycles for f in plain)
        for name in ("re.tiles_skipped", "re.tiles_checked", "re.compute_sub_blocks", "te.flushes_skipped"):
            if name in plain[0].counters:
                assert sum(f.counters[name] for f in beside) == sum(f.counters[name] for f in plain), (technique, name)
