"""What was recorded is enough to draw the same pictures again."""

from __future__ import annotations

import numpy as np
import pytest

import replay
from capture.playback import Playback
from replay.reflect import ReflectingBackend
from traceformat.gltrace.reader import open_trace
from traceformat.tools.trim.writing import trim


@pytest.mark.gl
def test_playback_draws_what_the_program_read_back(captured):
    done = captured("gles2_glfw", driver="system")
    calls = done.calls()
    playback = Playback(calls)
    recorded, played = [], []
    for call in calls:
        if call.name == "glReadPixels":
            recorded.append(np.frombuffer(call.outputs["pixels"], np.uint8).reshape(48, 64, 4))
            played.append(np.array(playback.read_frame()))
        playback.execute(call)
    assert len(recorded) == 3
    assert len({picture.tobytes() for picture in recorded}) == 3
    for left, right in zip(recorded, played, strict=True):
        assert (left[..., :3] == right[..., :3]).all()


@pytest.mark.gl
@pytest.mark.parametrize(("program", "frames"), [("direct_state", 2), ("cube_arrays", 1)])
def test_playback_and_replay_draw_the_same(captured, program, frames):
    done = captured(program, driver="system")
    calls = done.calls()
    playback, played = Playback(calls), []
    for call in calls:
        if call.name == "traceSwap":
            played.append(playback.read_frame()[..., :3].astype(int))
        playback.execute(call)
    shown = [picture[..., :3].astype(int) for _, picture in replay.pictures(done.trace)]
    assert len(shown) == len(played) == frames
    for ours, mesas in zip(shown, played, strict=True):
        assert abs(ours - mesas).max() <= 1
        assert (ours[0, 0] != ours[10, 20]).any()


@pytest.mark.gl
def test_what_direct_state_access_sets_up_is_not_trimmed_away(captured, tmp_path):
    done = captured("direct_state", driver="system")
    (_, whole), (_, last) = replay.pictures(done.trace)
    with open_trace(done.trace) as reader:
        trim(reader, tmp_path / "last.gltrace", frames=range(1, 2), backend=ReflectingBackend())
    *_, (_, shown) = replay.pictures(tmp_path / "last.gltrace")
    assert (shown == last).all()
    assert (shown != whole).any()
