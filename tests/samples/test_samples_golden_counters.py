"""The baseline does not change by accident: counters of twelve frames, both memories, all presets, compared exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import golden_counters
import pytest


@pytest.mark.parametrize("name", sorted(golden_counters.FRAMES))
def test_baseline_counters(captured: Callable[..., Path], name: str) -> None:
    golden = golden_counters.load(name)["figures"]
    found = json.loads(json.dumps(golden_counters.measure(captured(name), golden_counters.FRAMES[name])))
    assert list(found) == list(golden)
    for run, figures in golden.items():
        differs = {
            f"{part} {key}": (figures[part].get(key), found[run][part].get(key))
            for part in ("counters", "states")
            for key in {*figures[part], *found[run][part]}
            if figures[part].get(key) != found[run][part].get(key)
        }
        assert (found[run]["cycles"], differs) == (figures["cycles"], {}), (
            f"{name} frame {run}: the baseline changed (golden, found). If that is meant: "
            "python tests/support/golden_counters.py --reason '...'"
        )


def test_there_are_twelve_frames() -> None:
    assert sum(map(len, golden_counters.FRAMES.values())) == 12
