"""Geometry shaders: pictures, captured vertices and counts are Mesa's; both executors agree; limits hold."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_programs import check
from geometry_scenes import SCENES, record
from gl_twin import NoDriver
from recorded_scenes import agree, check_picture, frame_of, recorded_or_skipped
from stage_playing import endless, play

from replay.engine.at_once import ShadedVertices
from replay.engine.engine import Engine
from traceformat.errors import ReplayError
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import STAGES, ColumnSet

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("is_es", [True, False], ids=["ES", "GL"])
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa(name: str, is_es: bool) -> None:
    check_picture(recorded_or_skipped(record, name, is_es).calls)


@pytest.mark.parametrize("name", SCENES)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name, True))


@pytest.mark.parametrize("seed", [3, 8, 14, 30])
def test_random_programs_are_those_of_mesa_in_both_executors(seed: int) -> None:
    """More of them: tests/fuzz/run_stage_programs.py."""
    try:
        assert check(seed) == ""
    except NoDriver as missing:
        pytest.skip(str(missing))


def test_endless_loops_and_too_many_vertices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = recorded_or_skipped(record, "sprites", True).calls
    with pytest.raises(ReplayError, match="loop iterations"):
        play(endless(calls, "EmitVertex", "k < 4", "size[0] > -1.0"))
    monkeypatch.setenv("GPUREPLAY_LIMITS", "draw_vertices=100")
    with pytest.raises(ReplayError, match="geometry shader emits 160 vertices"):
        play(calls)


def test_an_emitted_vertex_is_of_its_primitives_first_one() -> None:
    """What tools show beside it are the attributes of that vertex."""
    seen: list[ShadedVertices] = []
    engine = Engine(ColumnSet(()))
    engine.observe_vertices(seen.append)
    tracker = Tracker(engine, remap=True)
    for call in recorded_or_skipped(record, "sprites", True).calls:
        tracker.execute(call)
    (shaded,) = seen
    assert shaded.stream.arrays.index.tolist() == np.repeat(np.arange(40), 4).tolist()
    assert shaded.stream.num_lanes == 160


def test_invocations_are_rows_of_vertex_work() -> None:
    """20 points and 20 invocations; each triangle waits for the invocation that emitted it."""
    frame = frame_of(recorded_or_skipped(record, "captured", True))
    draws, vertices = frame["draws"], frame["vertices"]
    assert draws["vertex_count"].tolist() == [40, 60]
    assert draws["primitive_count"].tolist() == [60, 20]
    stage = frame["programs"]["stage"][frame["paths"]["program"][vertices["path"][:40]]]
    assert [STAGES[number] for number in stage] == ["vertex"] * 20 + ["geometry"] * 20
    assert (frame["primitives"]["vertex"][:60] == 20 + np.repeat(np.arange(20), 3)[:, None]).all()
