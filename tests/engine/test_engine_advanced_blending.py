"""Advanced blend equations: Mesa's pictures bit by bit, what is an error, and what else has to know of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blend_scenes import SCENES, record
from gl_twin import compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from verified import verified_run

from gpumodel.columns import VERIFIED_COLUMNS

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa_bit_by_bit(name: str) -> None:
    """Each equation, in targets of bytes, of fewer bits and of floats; errors and queries, too."""
    calls = recorded_or_skipped(record, name).calls
    (picture,) = (call.outputs["pixels"] for call in calls if call.name == "glReadPixels")
    assert isinstance(picture, bytes)
    assert len(set(picture)) > 30
    assert compare(calls, tolerance=0.0) == []


def test_both_executors_record_the_same() -> None:
    agree(recorded_or_skipped(record, "mixed"))


def test_state_is_kept_by_snapshots_and_trimming(tmp_path: Path) -> None:
    recording = recorded_or_skipped(record, "mixed")
    assert compare(resumed_at_last(recording, "glScissor"), tolerance=0.0) == []
    blended = [k for k, call in enumerate(recording.calls) if call.name == "glDrawArrays"]
    assert compare(trimmed(recording, tmp_path, f"{blended[3]}-{len(recording.calls)}"), tolerance=0.0) == []


@pytest.mark.parametrize("techniques", ["vro", "re+te", "dr"])
def test_pixels_of_the_model_are_those_of_the_replay(techniques: str) -> None:
    """Of colours that are bytes for some draws of a pass and floats for others, in both loops."""
    frame = frame_of(recorded_or_skipped(record, "mixed"), VERIFIED_COLUMNS)
    sizes = np.diff(np.sort(frame["draws"]["color_first"][:, 0].astype(np.int64)))
    quads = frame["draws"]["quad_count"][:-1].astype(np.int64)
    assert set((sizes // quads).tolist()) == {16, 64}
    one, other = (verified_run([frame], "mali450-vro", techniques, every_cycle=each) for each in (False, True))
    assert one.result.frames[0].counters == other.result.frames[0].counters
