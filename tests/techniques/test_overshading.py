"""Machines of VRO Figure 2: without Early-Z, and with the perfect order of objects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from object_films import Thing, object_film, random_things

from gpumodel.config.load import load_config
from gpumodel.results import FrameResult
from gpumodel.runs import Run
from gpumodel.techniques.overshading.visibility import Visibility, rank_nodes
from traceformat.gputrace.frametrace import FrameTrace

PIXELS = WIDTH * HEIGHT


def play(frames: list[FrameTrace], technique: str, preset: str = "mali450-vro") -> list[FrameResult]:
    run = Run(load_config(preset, ["screen.scale_to_trace=true"]), [technique] if technique else [], verify=True)
    out = [run.add(trace)[0] for trace in frames]
    assert run.result.verification is not None
    assert run.result.verification.mismatched_pixels == 0
    return out


@pytest.mark.parametrize("count", [1, 4])
def test_a_stack(tmp_path: Path, count: int) -> None:
    """Back to front or front to back: k without Early-Z, 1 in the perfect order, in the first frame already."""
    things = [Thing.plane(f"p{k}", 0.5 - 0.1 * k) for k in range(count)]
    for order in (things, things[::-1]):
        frames = object_film(tmp_path / "a.gltrace", [order])
        assert play(frames, "no-early-z")[0].counters["fragments.shaded"] == count * PIXELS
        ideal = play(frames, "ideal-order")[0].counters
        assert ideal["fragments.shaded"] == ideal["ideal-order.visible"] == PIXELS
        assert ideal["ideal-order.inter_object"] == (count - 1) * PIXELS
        assert ideal["ideal-order.intra_object"] == 0


def test_an_object_in_front_of_itself(tmp_path: Path) -> None:
    """Two layers of one object, the farther first: no order of objects helps."""
    thing = Thing("both", ((-1, -1, 1, 1, 0.5, 0.5), (-1, -1, 1, 1, 0.0, 0.0)))
    ideal = play(object_film(tmp_path / "a.gltrace", [[thing]]), "ideal-order")[0].counters
    assert ideal["ideal-order.intra_object"] == ideal["ideal-order.visible"] == PIXELS
    assert ideal["fragments.shaded"] == 2 * PIXELS


def test_a_cycle_begins_where_it_hides_most() -> None:
    """0 hides 1 at 5 pixels, 1 hides 2 at 7, 2 hides 0 at 2: 0 hides 3 more than are hidden of it."""
    seen = Visibility(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([5, 7, 2]), 0, 14, 0)
    assert rank_nodes(3, seen).tolist() == [0, 1, 2]
    seen.pixels[:] = 5, 1, 7
    assert rank_nodes(3, seen).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", range(6))
def test_random_films(tmp_path: Path, seed: int) -> None:
    """Exact; without Early-Z every fragment is shaded."""
    rng = np.random.default_rng(200 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_things(rng, int(rng.integers(3, 12)))] * 2)
    preset = ("mali450-vro", "tbr-fhd")[seed & 1]
    late, plain = (play(frames, technique, preset)[1].counters for technique in ("no-early-z", ""))
    play(frames, "ideal-order", preset)
    assert plain["fragments.shaded"] <= late["fragments.shaded"] == late["fragments.rasterized"]
