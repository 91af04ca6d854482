"""Geometry shaders in the model: invocations are vertex work without fetches; loops agree; pixels are verified."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_scenes import record
from stage_playing import frames_of
from verified import verified_run

from gpumodel import load_config
from gpumodel.machine import Machine
from traceformat.gputrace.frametrace import STAGES

pytestmark = pytest.mark.gl


def test_an_invocation_fetches_nothing_and_costs_its_path() -> None:
    (frame,) = frames_of(record, "sprites", 1)
    done = Machine(load_config("mali450-vro", ["screen.scale_to_trace=true"])).run_frame(frame)
    vertices = np.concatenate(
        [one.streams.vertices[: one.streams.rows[1] - one.streams.rows[0]] for one in done.passes]
    )
    stage = frame["programs"]["stage"][frame["paths"]["program"][frame["vertices"]["path"]]]
    of_geometry = stage == STAGES.index("geometry")
    assert of_geometry.sum() == 40
    assert (vertices["shaded"] == 1).all()
    assert (vertices["line_count"][of_geometry] == 0).all()
    assert (vertices["line_count"][~of_geometry] > 0).any()
    assert (vertices["cycles"][of_geometry] > vertices["cycles"][~of_geometry].max()).all()


def test_loops_agree() -> None:
    (frame,) = frames_of(record, "repeated", 1)
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    a, b = (Machine(config, every_cycle=every).run_frame(frame) for every in (False, True))
    assert (a.geometry_cycles, a.raster_cycles, a.counters, a.unit_cycles) == (
        b.geometry_cycles, b.raster_cycles, b.counters, b.unit_cycles,
    )  # fmt: skip


@pytest.mark.parametrize("techniques", ["re+te", "vro", "dr", "zprepass"])
def test_pixels_are_verified_with_techniques(techniques: str) -> None:
    preset = "mali450-re" if techniques == "re+te" else "mali450-vro"
    verified_run(frames_of(record, "outlines"), preset, techniques)
