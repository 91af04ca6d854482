"""Framebuffers without attachments: what fragments write is Mesa's, executors agree, the model renders them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bare_scenes import SCENES, record
from gl_twin import Recording, compare
from recorded_scenes import agree, frame_of, recorded_or_skipped, resumed_at_last
from verified import verified_run

from replay.engine.engine import Engine
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS, SAMPLE_COLUMNS, VERIFY_COLUMNS, ColumnSet

pytestmark = pytest.mark.gl
_DRAWN = [name for name in SCENES if name != "mistakes"]


def recorded(name: str) -> Recording:
    return recorded_or_skipped(record, name)


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa_bit_by_bit(name: str) -> None:
    calls = recorded(name).calls
    picture = next(call for call in calls if call.name == "glReadPixels").outputs["pixels"]
    assert isinstance(picture, bytes)
    assert name not in _DRAWN or len(np.unique(np.frombuffer(picture, np.uint32))) > 4
    assert compare(calls, tolerance=0.0) == []


@pytest.mark.parametrize("name", _DRAWN)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded(name))


def test_state_is_kept_by_snapshots() -> None:
    recording = recorded("counted")
    calls = list(recording.calls)
    first = next(k for k, call in enumerate(calls) if call.name == "glDrawArrays")
    # The snapshot is taken in front of the draw that counts.
    recording.calls[:] = calls[: first + 1]
    again = resumed_at_last(recording, "glDrawArrays")
    assert compare([*again, *calls[first + 1 :]], tolerance=0.0) == []


def test_a_pass_without_attachments_is_modelled() -> None:
    columns = ColumnSet(MODEL_COLUMNS | VERIFY_COLUMNS | {f"quads.{key}" for key in SAMPLE_COLUMNS})
    frame = frame_of(recorded("counted"), columns)
    passes = frame["passes"]
    row = int(np.flatnonzero(passes["num_colors"] == 0)[0])
    assert (int(passes["width"][row]), int(passes["height"][row]), int(passes["draw_count"][row])) == (48, 40, 1)
    one, other = (verified_run([frame], "mali450-vro", "vro", every_cycle=each) for each in (False, True))
    assert one.result.frames[0].counters == other.result.frames[0].counters


def test_answers() -> None:
    session = Tracker(Engine(ColumnSet(())))

    def call(name: str, *args: Any) -> Any:
        return session.execute(Call(0, name, 1, 1, 0, args))

    call("traceContext", 1, 0, 3, 1, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    call("traceDrawable", 1, 8, 8, 0)
    call("traceMakeCurrent", 1, 1, 1)
    call("glGetFramebufferParameteriv", gl.GL_FRAMEBUFFER, gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, None)
    assert call("glGetError") == gl.GL_INVALID_OPERATION
    call("glGenFramebuffers", 1, None)
    call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    call("glFramebufferParameteri", gl.GL_FRAMEBUFFER, gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, 77)
    for pname, value in ((gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, 77), (gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT, 0)):
        call("glGetFramebufferParameteriv", gl.GL_FRAMEBUFFER, pname, None)
        assert session.outputs["params"] == value.to_bytes(4, "little")
    call("glGetIntegerv", gl.GL_MAX_FRAMEBUFFER_LAYERS, None)
    assert int.from_bytes(session.outputs["data"][:4], "little") >= 256
