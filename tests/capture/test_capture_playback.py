"""What was recorded is enough to draw the same pictures again."""

from __future__ import annotations

import numpy as np
import pytest

from capture.playback import Playback


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
