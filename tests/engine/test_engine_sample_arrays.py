"""Arrays of multisampled textures: samples, resolves, errors and answers are Mesa's, state and techniques keep them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gl_twin import Recording, compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from sample_array_scenes import DESKTOP_SCENES, SCENES, record
from verified import verified_run

from replay.engine.engine import Engine
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS, SAMPLE_COLUMNS, VERIFY_COLUMNS, ColumnSet

pytestmark = pytest.mark.gl
_QUESTIONS = ("mistakes", "asked")
#: Five bits a channel are kept as octets; sRGB is rounded twice, on its way in and out.
_TOLERANCES = {"formats": 1.0, "srgb": 3.0}


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


@pytest.mark.parametrize("name", [*SCENES, *DESKTOP_SCENES])
def test_scenes_are_those_of_mesa(name: str) -> None:
    calls = recorded(name).calls
    pictures = [call.outputs["pixels"] for call in calls if call.name == "glReadPixels"]
    if name not in _QUESTIONS:
        assert max(len(np.unique(np.frombuffer(picture, np.uint32))) for picture in pictures) > 100  # type: ignore[arg-type]
    assert compare(calls, tolerance=_TOLERANCES.get(name, 0.0)) == []


@pytest.mark.parametrize("name", ["fetched", "formats", "depths", "all_layers"])
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded(name))


def test_answers_are_those_of_mesa() -> None:
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    for call in recorded("asked").calls:
        tracker.execute(call)
        assert tracker.failure is None, f"{call.name}: {tracker.failure}"
        if call.name in ("glGetTexLevelParameteriv", "glGetIntegerv"):
            (ours,), (theirs,) = tracker.outputs.values(), call.outputs.values()
            assert ours[:4] == theirs[:4], call.args  # type: ignore[index]
        if call.name == "glGetActiveUniform":
            assert tracker.outputs["type"][:4] == call.outputs["type"][:4]  # type: ignore[index]


def test_lines_are_those_of_all_samples() -> None:
    """Each of twelve samples of a texel lies in a line of its own: what is read is as much as is drawn to."""
    frame = frame_of(recorded("fetched"))
    lines = np.unique(frame["texture_lines"]["line"])
    # 32 x 32 texels of four bytes, three layers of four samples.
    assert len(lines) == 12 * 32 * 32 * 4 // 64


def test_state_is_kept_by_snapshots_and_trimming(tmp_path: Path) -> None:
    for name in ("fetched", "depths", "all_layers", "mutable"):
        again = resumed_at_last(recorded(name), "glDrawArrays")
        assert compare(again, tolerance=0.0) == [], name
    recording = recorded("fetched")
    reads = [k for k, call in enumerate(recording.calls) if call.name == "glReadPixels"]
    assert compare(trimmed(recording, tmp_path, f"{reads[0] - 1}-{reads[0]}"), tolerance=0.0) == []


@pytest.mark.parametrize("techniques", ["re+te", "vro"])
def test_techniques_leave_the_picture(techniques: str) -> None:
    columns = ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS | {f"quads.{key}" for key in SAMPLE_COLUMNS})
    frames = [frame_of(recorded(name), columns) for name in ("fetched", "all_layers", "fetched")]
    verified_run(frames, "mali450-vro" if techniques == "vro" else "mali450-re", techniques)
