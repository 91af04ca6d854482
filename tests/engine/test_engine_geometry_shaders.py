"""Geometry shaders: pictures, captured vertices and counts are Mesa's; both executors agree; limits hold."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_scenes import SCENES, record
from gl_twin import NoDriver, Recording, compare

from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ALL_COLUMNS, STAGES, ColumnSet, FrameRule, FrameTrace

pytestmark = pytest.mark.gl
_COLUMNS = ColumnSet(ALL_COLUMNS - {"quads.identity", "quads.identity_excluded"})


def recorded(name: str, is_es: bool) -> Recording:
    try:
        return record(name, is_es)
    except NoDriver as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("is_es", [True, False], ids=["ES", "GL"])
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa(name: str, is_es: bool) -> None:
    calls = recorded(name, is_es).calls
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    assert len(np.unique(np.frombuffer(picture, np.uint32))) > 1
    assert compare(calls) == []


def frame_of(calls: list[Call], executor: str) -> FrameTrace:
    engine = Engine(_COLUMNS, executor=executor)
    tracker = Tracker(engine, remap=True)
    for call in calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
    return engine.end_frame(0, FrameRule.READ_PIXELS)


@pytest.mark.parametrize("name", SCENES)
def test_both_executors_record_the_same(name: str) -> None:
    calls = recorded(name, True).calls
    ours, theirs = (frame_of(calls, executor) for executor in ("llvm", "numpy"))
    for table in ours.tables:
        for key, column in ours[table].items():
            assert column.tobytes() == theirs[table][key].tobytes(), f"{table}.{key}"


def test_invocations_are_rows_of_vertex_work() -> None:
    """20 points and 20 invocations; each triangle waits for the invocation that emitted it."""
    frame = frame_of(recorded("captured", True).calls, "llvm")
    draws, vertices = frame["draws"], frame["vertices"]
    assert draws["vertex_count"].tolist() == [40, 60]
    assert draws["primitive_count"].tolist() == [60, 20]
    stage = frame["programs"]["stage"][frame["paths"]["program"][vertices["path"][:40]]]
    assert [STAGES[number] for number in stage] == ["vertex"] * 20 + ["geometry"] * 20
    assert (frame["primitives"]["vertex"][:60] == 20 + np.repeat(np.arange(20), 3)[:, None]).all()
