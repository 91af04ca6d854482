"""Lines with ends anywhere in a pixel, on its edges and in its middle too: their pixels are Mesa's."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import Recording, compare
from recorded_scenes import recorded_or_skipped

from traceformat.gles import enums as gl

pytestmark = pytest.mark.gl
_LINES = 60
_VERTEX = """#version 300 es
in vec2 p; in vec4 c; out vec4 v; void main() { gl_Position = vec4(p / 32.0 - 1.0, 0.0, 1.0); v = c; }"""
_FRAGMENT = "#version 300 es\nprecision highp float; in vec4 v; out vec4 o; void main() { o = v; }"


def lines(seed: int, steps: int, width: float, *, is_window: bool, reach: int) -> Recording:
    """Lines with ends at multiples of 1 / steps pixels, up to ``reach`` pixels outside of the target."""
    rng = np.random.default_rng(seed)
    r = Recording()
    if not is_window:
        r.framebuffer()
        r.target(gl.GL_RGBA8, 64, 64)
        r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r.program(_VERTEX, _FRAGMENT, p=0, c=1)
    ends = rng.integers(-reach * steps, (64 + reach) * steps, (_LINES, 2, 2)) / steps
    # A third each is upright, or lies flat.
    kind = rng.integers(0, 3, _LINES)
    for axis in range(2):
        ends[kind == axis, 1, axis] = ends[kind == axis, 0, axis]
    colours = np.repeat(rng.integers(1, 256, (_LINES, 4)) / 255, 2, axis=0)
    r("glLineWidth", width)
    r.vertices(p=(0, ends.reshape(-1, 2)), c=(1, colours))
    r("glDrawArrays", gl.GL_LINES, 0, 2 * _LINES)
    r.read()
    r.close()
    return r


@pytest.mark.parametrize("is_window", [False, True], ids=["texture", "window"])
@pytest.mark.parametrize("steps", [1, 2, 4, 16, 256])
@pytest.mark.parametrize(("width", "reach"), [(1.0, 0), (3.0, 30)])
def test_pixels_are_those_of_mesa(steps: int, width: float, reach: int, is_window: bool) -> None:
    recording = recorded_or_skipped(lambda: lines(steps, steps, width, is_window=is_window, reach=reach))
    assert compare(recording.calls) == []
