"""Shading of samples: pictures are Mesa's; both executors record the same; quads, state and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gl_twin import Recording, compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last, trimmed
from sample_scenes import SCENES, record

from replay.engine.engine import Engine
from replay.glsl.sample_pattern import SAMPLES
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet, DrawFlags, FrameTrace
from traceformat.gputrace.passes import passes_of

pytestmark = pytest.mark.gl
#: Scenes in which each sample is shaded.
_PER_SAMPLE = ("sample_in", "sample_id", "position", "minimum")


#: Each scene in one kind of target; all in all of them passed when this was written.
_PLACES = [(name, ("renderbuffer", "window", "window", "sample")[k % 4]) for k, name in enumerate(SCENES)]


@pytest.mark.parametrize(
    ("name", "where"),
    [
        *_PLACES,
        ("sample_in", "window"),
        ("at_sample", "renderbuffer"),
        ("points", "window"),
        ("points", "renderbuffer"),
    ],
)
def test_scenes_are_those_of_mesa(name: str, where: str) -> None:
    calls = recorded_or_skipped(record, name, where).calls
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    assert len(np.unique(np.frombuffer(picture, np.uint32))) > 4
    assert compare(calls) == []


@pytest.mark.parametrize("name", ["centroid", "mask_out", "flow", "at_sample", "minimum"])
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name, "window"))


def drawn(name: str) -> FrameTrace:
    """The pass of a scene in which it is drawn."""
    frame = frame_of(recorded_or_skipped(record, name, "renderbuffer"))
    return next(one for one in passes_of(frame) if "raster_samples" in one["quads"] and one["quads"].num_rows)


@pytest.mark.parametrize("name", ["centroid", "minimum_of_a_quarter", "mask_in", *_PER_SAMPLE])
def test_each_sample_has_quads_of_its_own_where_it_is_shaded(name: str) -> None:
    frame = drawn(name)
    quads = frame["quads"]
    covered = quads["raster_samples"].astype(np.int64)
    per_quad = np.bitwise_or.reduce(covered[:, None] >> np.arange(0, 16, SAMPLES) & 15, axis=1)
    is_shaded = bool(frame["draws"]["flags"][0] & DrawFlags.SHADES_SAMPLES)
    assert is_shaded == (name in _PER_SAMPLE)
    assert bool(np.isin(per_quad, (1, 2, 4, 8)).all()) == is_shaded
    fragments = np.where(covered[:, None] >> np.arange(0, 16, SAMPLES) & 15, 1, 0) @ (1 << np.arange(4))
    assert (quads["coverage"] == fragments).all()


def test_a_mask_takes_samples_from_the_coverage() -> None:
    frame = drawn("mask_and_alpha")
    before, after = (frame["quads"][key].astype(np.int64) for key in ("raster_samples", "sample_coverage"))
    assert (after & ~before == 0).all()
    assert (after & 0x4444 == 0).all()
    assert before.max() & 0x4444
    assert frame["draws"]["flags"][0] & DrawFlags.DISCARDS


def test_state_is_kept_by_snapshots_and_trimming(tmp_path: Path) -> None:
    recording = recorded_or_skipped(record, "minimum", "window")
    assert compare(resumed_at_last(recording, "glDrawArrays")) == []
    last = max(k for k, call in enumerate(recording.calls) if call.name == "glDrawArrays")
    assert compare(trimmed(recording, tmp_path, f"{last}-{len(recording.calls)}")) == []


def test_positions_and_limits_are_those_of_mesa() -> None:
    for samples in (0, 4):
        recording = recorded_or_skipped(Recording, 0, (3, 2), (64, 64), samples)
        for index in range(samples):
            recording("glGetMultisamplefv", gl.GL_SAMPLE_POSITION, index, None)
        recording("glMinSampleShading", 0.75)
        for name in (
            gl.GL_MIN_SAMPLE_SHADING_VALUE,
            gl.GL_MIN_FRAGMENT_INTERPOLATION_OFFSET,
            gl.GL_MAX_FRAGMENT_INTERPOLATION_OFFSET,
            gl.GL_FRAGMENT_INTERPOLATION_OFFSET_BITS,
        ):
            recording("glGetFloatv", name, None)
        recording("glEnable", gl.GL_SAMPLE_SHADING)
        recording("glIsEnabled", gl.GL_SAMPLE_SHADING)
        recording("glGetError")
        recording.close()
        tracker = Tracker(Engine(ColumnSet(())), remap=True)
        for call in recording.calls:
            result = tracker.execute(call)
            if call.name.startswith("glGetMulti"):
                assert tracker.outputs["val"][:8] == bytes(call.outputs["val"])[:8], call
            elif call.name == "glGetFloatv":
                assert tracker.outputs["data"][:4] == bytes(call.outputs["data"])[:4], call
            elif call.name in ("glIsEnabled", "glGetError"):
                assert result == call.result, call
