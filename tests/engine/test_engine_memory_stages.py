"""Storage, images and counters of geometry and tessellation stages: traffic, and what must stay."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import Recording
from layered import layers
from recorded_scenes import frame_of, recorded_or_skipped
from stage_memory_scenes import SCENES, record

from gpumodel.techniques.pfr.pairing import reason_to_wait
from gpumodel.techniques.zprepass.doubling import prepass_draws
from replay.reflect import ReflectingBackend
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import DrawFlags, EventKind

pytestmark = pytest.mark.gl


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


def test_lines_that_the_stages_touch_are_traffic_of_the_draw() -> None:
    """40 floats are 3 lines; marks and the counters are read by atomic functions, one line each, and written."""
    events = frame_of(recorded("geometry_storage"))["events"]
    first = np.flatnonzero(events["kind"] == EventKind.STORAGE)[0]
    assert (events["read_bytes"][first], events["write_bytes"][first]) == (64 * (3 + 1 + 1), 64 * (3 + 1))


def test_effects_before_the_fragments_have_a_flag() -> None:
    effects = DrawFlags.SIDE_EFFECTS | DrawFlags.VERTEX_EFFECTS
    for name in SCENES:
        flags = frame_of(recorded(name))["draws"]["flags"] & np.uint32(effects)
        assert flags.tolist() == [DrawFlags.VERTEX_EFFECTS, DrawFlags.SIDE_EFFECTS]


def test_a_draw_whose_vertices_write_has_no_copy_in_a_prepass() -> None:
    (frame,) = layers()[:1]
    drawn_twice = prepass_draws(frame, 0)
    assert len(drawn_twice) > 1
    frame["draws"]["flags"][drawn_twice[0]] |= np.uint32(DrawFlags.VERTEX_EFFECTS)
    assert prepass_draws(frame, 0).tolist() == drawn_twice[1:].tolist()


def test_frames_that_write_storage_are_not_rendered_side_by_side() -> None:
    first, second = layers()[:2]
    assert reason_to_wait(first, second) is None
    second["events"]["kind"][0] = EventKind.STORAGE
    assert reason_to_wait(first, second) is None
    second["events"]["write_bytes"][0] = 64
    assert reason_to_wait(first, second) == reason_to_wait(second, first) == "storage"


@pytest.mark.parametrize("stage", ["GEOMETRY", "TESS_CONTROL", "TESS_EVALUATION"])
def test_the_stages_reach_as_much_as_vertices_do(stage: str) -> None:
    tracker = Tracker(ReflectingBackend())
    for call in recorded("tessellated").calls[:3]:
        tracker.execute(call)
    for what in ("SHADER_STORAGE_BLOCKS", "IMAGE_UNIFORMS", "ATOMIC_COUNTERS", "ATOMIC_COUNTER_BUFFERS"):
        values = []
        for name in (stage, "VERTEX"):
            number = getattr(gl, f"GL_MAX_{name}_{what}")
            tracker.execute(Call(9, "glGetIntegerv", 1, 1, 0, (number, None), {}, None, None))
            assert tracker.failure is None
            values.append(tracker.outputs["data"])
        assert values[0] == values[1] != bytes(4)
