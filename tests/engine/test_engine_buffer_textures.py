"""Buffer textures: pictures and answers are Mesa's, both executors agree, techniques see what changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gl_twin import Recording, compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from texel_scenes import DESKTOP_SCENES, SCENES, record
from verified import verified_run

from replay.engine.engine import Engine
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import (
    MODEL_COLUMNS,
    VERIFY_COLUMNS,
    ColumnSet,
)

pytestmark = pytest.mark.gl
_DRAWN = [name for name in SCENES if name not in ("mistakes", "asked")]


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


@pytest.mark.parametrize("name", [*SCENES, *DESKTOP_SCENES])
def test_scenes_are_those_of_mesa(name: str) -> None:
    calls = recorded(name).calls
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    if name in _DRAWN:
        assert len(np.unique(np.frombuffer(picture, np.uint32))) > 1
    assert compare(calls, tolerance=0.0 if name in _DRAWN else 1.0) == []


@pytest.mark.parametrize("name", _DRAWN)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded(name))


def test_answers_are_those_of_mesa() -> None:
    calls = recorded("asked").calls
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
        if call.name in ("glGetTexLevelParameteriv", "glGetIntegerv"):
            (ours,), (theirs,) = tracker.outputs.values(), call.outputs.values()
            assert ours[:4] == theirs[:4], call.args  # type: ignore[index]


def test_lines_are_those_of_an_array() -> None:
    """61 texels of 16 bytes, read from the first on: 16 lines, one behind the other."""
    frame = frame_of(recorded("pulled_vertices"))
    row = frame["texture_bindings"]
    assert (int(row["width"][0]), int(row["height"][0])) == (60, 1)
    frame = frame_of(recorded("written_as_storage"))
    lines = np.unique(frame["texture_lines"]["line"])
    assert len(lines) == 4096 * 4 // 64
    assert np.all(np.diff(lines.astype(np.int64)) == 1)


def test_a_changed_buffer_is_another_version() -> None:
    """Rendering Elimination signs versions: each change of the buffer that a draw finds is one."""
    frame = frame_of(recorded("changed_between_draws"))
    versions = frame["texture_bindings"]["version"].tolist()
    assert len(set(versions)) == len(versions) == 6
    address = frame["texture_bindings"]["address"].tolist()
    assert address[0] == address[1] == address[2]


@pytest.mark.parametrize("techniques", ["re+te", "vro"])
def test_techniques_leave_the_picture(techniques: str) -> None:
    frames = [
        frame_of(recorded(name), ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS))
        for name in ("changed_between_draws", "pulled_vertices", "changed_between_draws")
    ]
    verified_run(frames, "mali450-vro" if techniques == "vro" else "mali450-re", techniques)


def test_a_snapshot_has_buffers_and_their_textures() -> None:
    for name in ("images_of_buffers", "ranges", "deleted_buffers"):
        again = resumed_at_last(recorded(name), "glDrawArrays")
        assert compare(again, tolerance=0.0) == [], name


def test_trimmed_traces_keep_what_buffer_textures_hold(tmp_path: Path) -> None:
    recording = recorded("changed_between_draws")
    first = [call.number for call in recording.calls if call.name == "glDrawArrays"][2]
    calls = trimmed(recording, tmp_path, f"{first}-{len(recording.calls)}")
    names = [call.name for call in calls]
    assert names.count("glCopyBufferSubData") == 1
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in calls:
        tracker.execute(call)
        if call.name == "glReadPixels":
            ours = np.frombuffer(tracker.outputs["pixels"], np.uint32).reshape(64, 64)
            theirs = np.frombuffer(call.outputs["pixels"], np.uint32).reshape(64, 64)  # type: ignore[arg-type]
            assert np.array_equal(ours[20:60], theirs[20:60])
