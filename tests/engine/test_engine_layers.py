"""Layered framebuffers: pictures of all layers are Mesa's, both executors agree, and each layer is a pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from gl_twin import compare
from layer_scenes import SCENES, record
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from verified import verified_run

from gpumodel.columns import VERIFIED_COLUMNS
from traceformat.gputrace.frametrace import LoadOp

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa_bit_by_bit(name: str) -> None:
    calls = recorded_or_skipped(record, name).calls
    pictures = {call.outputs["pixels"] for call in calls if call.name == "glReadPixels"}
    assert len(pictures) > 3
    assert compare(calls, tolerance=0.0) == []


def test_attachments_go_together_as_in_mesa() -> None:
    assert compare(recorded_or_skipped(record, "mixed").calls) == []


@pytest.mark.parametrize("name", ["numbers", "provoking", "depth_and_stencil"])
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name))


def test_state_is_kept_by_snapshots_and_trimming(tmp_path: Path) -> None:
    recording = recorded_or_skipped(record, "each_layer")
    assert compare(resumed_at_last(recording, "glDrawArrays"), tolerance=0.0) == []
    last = max(k for k, call in enumerate(recording.calls) if call.name == "glDrawArrays")
    assert compare(trimmed(recording, tmp_path, f"{last}-{len(recording.calls)}"), tolerance=0.0) == []


def test_each_layer_is_a_pass_with_the_primitives_that_go_there() -> None:
    frame = frame_of(recorded_or_skipped(record, "each_layer"))
    passes, draws = frame["passes"], frame["draws"]
    layers = passes["color_address"][1:7, 0].tolist()
    assert layers == sorted(set(layers), reverse=True)
    # Cleared from the last one to the first, which is drawn to first; then the second draw goes to all again.
    assert passes["color_address"][7:, 0].tolist() == layers[::-1][1:] + layers[::-1]
    assert (passes["color_load"][1:7, 0] == LoadOp.CLEAR).all()
    assert draws["pass"].tolist() == list(range(6, 18))
    assert draws["primitive_count"].tolist() == [6] * 12


@pytest.mark.parametrize("techniques", ["vro", "re+te"])
def test_pixels_of_the_model_are_those_of_the_replay(techniques: str) -> None:
    """Of all passes, in both loops."""
    frame = frame_of(recorded_or_skipped(record, "each_layer"), VERIFIED_COLUMNS)
    one, other = (verified_run([frame], "mali450-vro", techniques, every_cycle=each) for each in (False, True))
    assert one.result.frames[0].counters == other.result.frames[0].counters
