"""glClipControl: pictures of both origins and both depth modes are Mesa's; executors agree; snapshots keep it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from gl_twin import Recording
from recorded_scenes import agree, check_picture, record_scene, recorded_or_skipped, resumed_at_last

from replay.engine.engine import Engine
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet

pytestmark = pytest.mark.gl

ORIGINS = {"lower": gl.GL_LOWER_LEFT, "upper": gl.GL_UPPER_LEFT}
DEPTHS = {"symmetric": gl.GL_NEGATIVE_ONE_TO_ONE, "positive": gl.GL_ZERO_TO_ONE}
_VS = "#version 450\nin vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; gl_PointSize = 9.0; v = c; }"
_FS = (
    "#version 450\nin vec4 v; out vec4 o;"
    "void main() { o = vec4(v.rgb * (gl_FrontFacing ? 1.0 : 0.5), 1) + vec4(0, 0, gl_FragCoord.z * 0.25, 0);"
    "if (fract(gl_FragCoord.y / 16.0) < 0.2) o.r = 1.0; }"
)


def scene(r: Recording, origin: str, depth: str, in_texture: bool) -> None:
    """Reversed depths of random triangles, cut by both planes; then lines and points, and one face culled."""
    rng = np.random.default_rng(7)
    if in_texture:
        r.framebuffer()
        r.target(gl.GL_RGBA8, 64, 64)
        r.target(gl.GL_DEPTH_COMPONENT32F, 64, 64, point=gl.GL_DEPTH_ATTACHMENT)
        r("glViewport", 0, 0, 64, 64)
    r("glClipControl", ORIGINS[origin], DEPTHS[depth])
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glDepthFunc", gl.GL_GREATER)
    r("glClearDepthf", 0.0)
    r("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
    r.program(_VS, _FS, p=0, c=1)
    count = 24
    positions = np.ones((3 * count, 4), np.float32)
    around = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-0.5, 0.5, (count, 3, 2))
    positions[:, :2] = around.reshape(-1, 2)
    positions[:, 2] = rng.uniform(-0.6, 1.3, 3 * count)
    positions *= rng.uniform(0.7, 1.6, (3 * count, 1)).astype(np.float32)
    r.vertices(p=(0, positions), c=(1, rng.uniform(0, 1, (3 * count, 4))))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 48)
    r("glEnable", gl.GL_CULL_FACE)
    r("glFrontFace", gl.GL_CW)
    r("glDrawArrays", gl.GL_TRIANGLES, 48, 15)
    r("glEnable", gl.GL_PROGRAM_POINT_SIZE)
    r("glDrawArrays", gl.GL_POINTS, 63, 5)
    r("glDrawArrays", gl.GL_LINES, 66, 6)


def recorded(origin: str, depth: str, in_texture: bool) -> Recording:
    made = partial(scene, origin=origin, depth=depth, in_texture=in_texture)
    return recorded_or_skipped(record_scene, made, (4, 5))


@pytest.mark.parametrize("in_texture", [False, True], ids=["window", "texture"])
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("origin", ORIGINS)
def test_pictures_are_those_of_mesa(origin: str, depth: str, in_texture: bool) -> None:
    check_picture(recorded(origin, depth, in_texture).calls, colors=50)


def test_both_executors_record_the_same() -> None:
    agree(recorded("upper", "positive", in_texture=True))


def test_a_snapshot_keeps_it() -> None:
    recording = recorded("upper", "positive", in_texture=True)
    pictures = []
    for calls in (recording.calls, resumed_at_last(recording, "glDrawArrays")):
        tracker = Tracker(Engine(ColumnSet(())), remap=True)
        for call in calls:
            tracker.execute(call)
            if call.name == "glReadPixels":
                pictures.append(tracker.outputs["pixels"])
    assert pictures[0] == pictures[1]
