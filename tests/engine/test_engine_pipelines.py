"""Program pipelines: pictures, errors and answers are Mesa's; executors agree; snapshots and trimming keep them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gl_twin import Recording, compare
from pipeline_scenes import DESKTOP_SCENES, SCENES, record
from recorded_scenes import agree, recorded_or_skipped, resumed_at_last, trimmed

from replay.engine.engine import Engine
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet, FrameRule

pytestmark = pytest.mark.gl
_DRAWN = [name for name in SCENES if name not in ("mistakes", "asked", "refused_draws")]


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


@pytest.mark.parametrize("name", [*SCENES, *DESKTOP_SCENES])
def test_scenes_are_those_of_mesa(name: str) -> None:
    calls = recorded(name).calls
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    if name not in ("mistakes", "asked"):
        assert any(picture)
    assert compare(calls) == []


@pytest.mark.parametrize("name", _DRAWN)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded(name))


def test_answers_are_those_of_mesa() -> None:
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    asked = 0
    for call in recorded("asked").calls:
        result: Any = tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
        if call.name.startswith("glIs"):
            assert result == call.result
        if call.name in ("glGetProgramPipelineiv", "glGetIntegerv", "glGetProgramiv"):
            (ours,), (theirs,) = tracker.outputs.values(), call.outputs.values()
            assert ours[:4] == theirs[:4], (call.number, call.name, call.args)  # type: ignore[index]
            asked += 1
    assert asked == 28


@pytest.mark.parametrize("name", ["stages_change", "names_apart", "active_program", "relinked", "with_geometry"])
def test_a_snapshot_has_pipelines_and_their_programs(name: str) -> None:
    again = resumed_at_last(recorded(name), "glDrawArrays")
    assert compare(again) == []


def test_trimmed_traces_keep_pipelines(tmp_path: Path) -> None:
    recording = recorded("stages_change")
    last = max(call.number for call in recording.calls if call.name == "glDrawArrays")
    calls = trimmed(recording, tmp_path, str(last))
    engine = Engine(ColumnSet(()))
    tracker = Tracker(engine, remap=True)
    for call in calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
    assert {"glCreateShaderProgramv", "glUseProgramStages", "glBindProgramPipeline"} <= {call.name for call in calls}
    picture = engine.end_frame(0, FrameRule.READ_PIXELS).picture
    theirs = np.frombuffer(recording.calls[-2].outputs["pixels"], np.uint8).reshape(64, 64, 4)  # type: ignore[arg-type]
    assert picture is not None
    assert np.array_equal(picture[:, 56:], theirs[:, 56:])
