"""Tessellation in the model: invocations are vertex work without fetches; loops agree; pixels are verified."""

from __future__ import annotations

import numpy as np
import pytest
from stage_playing import frames_of
from tessellation_scenes import record
from verified import verified_run

from gpumodel import load_config
from gpumodel.machine import Machine
from traceformat.gputrace.frametrace import STAGES

pytestmark = pytest.mark.gl


def test_invocations_fetch_nothing_and_loops_agree() -> None:
    (frame,) = frames_of(record, "explained", 1)
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    a, b = (Machine(config, every_cycle=every).run_frame(frame) for every in (False, True))
    assert (a.geometry_cycles, a.raster_cycles, a.counters, a.unit_cycles) == (
        b.geometry_cycles, b.raster_cycles, b.counters, b.unit_cycles,
    )  # fmt: skip
    vertices = np.concatenate([one.streams.vertices[: one.streams.rows[1] - one.streams.rows[0]] for one in a.passes])
    stage = frame["programs"]["stage"][frame["paths"]["program"][frame["vertices"]["path"]]]
    for name in ("tess_control", "tess_evaluation", "geometry"):
        own = stage == STAGES.index(name)
        assert own.any()
        assert (vertices["line_count"][own] == 0).all()
        assert (vertices["cycles"][own] > 0).all()
    assert (vertices["shaded"] == 1).all()


@pytest.mark.parametrize("techniques", ["re+te", "vro"])
def test_pixels_are_verified_with_techniques(techniques: str) -> None:
    preset = "mali450-re" if techniques == "re+te" else "mali450-vro"
    verified_run(frames_of(record, "waves"), preset, techniques)
