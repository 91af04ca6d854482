"""Smooth lines on Mesa's desktop GL: single ones, plots, films of a wire frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from gl_twin import Recording

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_VERTEX: Final = (
    "#version 330\nin vec4 p; in vec4 c; out vec4 v; flat out vec4 f;"
    "void main() { gl_Position = p; v = c; f = c.bgra; gl_PointSize = 5.0; }"
)
_FRAGMENT: Final = "#version 330\nin vec4 v; flat in vec4 f; out vec4 o; void main() { o = v; }"


def _vertices(r: Recording, positions: np.ndarray, seed: int = 3) -> int:
    rng = np.random.default_rng(seed)
    colors = rng.uniform(0.3, 1, (len(positions), 4))
    r.vertices(p=(0, positions), c=(1, colors))
    return len(positions)


def _random(seed: int, count: int, reach: float = 0.95) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.ones((count, 4))
    found[:, :3] = rng.uniform(-reach, reach, (count, 3))
    return found


def _draw(r: Recording, mode: int, count: int) -> None:
    r("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
    r("glDrawArrays", mode, 0, count)
    r.read()


def _begin(r: Recording, fragment: str = _FRAGMENT) -> None:
    r.program(_VERTEX, fragment, p=0, c=1)
    r("glEnable", gl.GL_LINE_SMOOTH)
    r("glEnable", gl.GL_BLEND)
    r("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)


def widths(r: Recording) -> None:
    """Lines of all directions, thin and wide."""
    _begin(r)
    count = _vertices(r, _random(1, 24))
    for width in (0.5, 1.0, 1.5, 3.0, 7.25):
        r("glLineWidth", width)
        _draw(r, gl.GL_LINES, count)


def modes(r: Recording) -> None:
    """Strips and loops; what is no line; edges of triangles; none where it is switched off."""
    _begin(r)
    count = _vertices(r, _random(2, 18))
    for mode in (gl.GL_LINE_STRIP, gl.GL_LINE_LOOP, gl.GL_TRIANGLES, gl.GL_POINTS):
        _draw(r, mode, count)
    r("glPolygonMode", gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    _draw(r, gl.GL_TRIANGLES, count)
    r("glPolygonMode", gl.GL_FRONT_AND_BACK, gl.GL_FILL)
    r("glDisable", gl.GL_LINE_SMOOTH)
    _draw(r, gl.GL_TRIANGLES, count)


def culled(r: Recording) -> None:
    """Faces that are culled are no lines."""
    _begin(r)
    count = _vertices(r, _random(3, 12))
    r("glEnable", gl.GL_CULL_FACE)
    for face, winding in ((gl.GL_FRONT, gl.GL_CCW), (gl.GL_BACK, gl.GL_CCW), (gl.GL_BACK, gl.GL_CW)):
        r("glCullFace", face)
        r("glFrontFace", winding)
        _draw(r, gl.GL_LINES, count)


def stages(r: Recording) -> None:
    """Flat values, discarded fragments, depths, no blending, into a texture of floats."""
    _begin(r, _FRAGMENT.replace("o = v;", "if (v.r < 0.45) discard; o = f; gl_FragDepth = v.g;"))
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glDisable", gl.GL_BLEND)
    r("glLineWidth", 2.5)
    count = _vertices(r, _random(4, 16))
    _draw(r, gl.GL_LINES, count)
    r.framebuffer()
    r.target(gl.GL_RGBA16F, 64, 64)
    r("glEnable", gl.GL_BLEND)
    _draw(r, gl.GL_LINE_STRIP, count)


def in_space(r: Recording) -> None:
    """Ends at different depths, near and beyond the borders, behind the eye."""
    _begin(r)
    positions = _random(5, 30, 1.6)
    positions[:, 3] = np.random.default_rng(6).uniform(0.4, 2.0, 30)
    positions[::7, 3] *= -0.4
    for width in (1.0, 3.0):
        r("glLineWidth", width)
        _draw(r, gl.GL_LINES, _vertices(r, positions))
    r("glViewport", 8, 12, 40, 30)
    _draw(r, gl.GL_LINES, _vertices(r, _random(7, 30, 0.85)))


def plot(r: Recording) -> None:
    """A curve of many short lines over a grid."""
    _begin(r)
    x = np.linspace(-1, 1, 200)
    curve = np.stack([x, 0.8 * np.sin(7 * x) * np.cos(3 * x), 0 * x, 0 * x + 1], axis=1)
    grid = np.array([(a, b, 0, 1) for k in range(-4, 5) for a, b in ((k / 5, -1), (k / 5, 1), (-1, k / 5), (1, k / 5))])
    _draw(r, gl.GL_LINE_STRIP, _vertices(r, curve))
    _draw(r, gl.GL_LINES, _vertices(r, grid))


SCENES: dict[str, Callable[[Recording], None]] = {
    one.__name__: one for one in (widths, modes, culled, stages, in_space, plot)
}


def record(name: str) -> Recording:
    """A scene on Mesa, each of whose pictures is read back.

    Raises
    ------
    NoDriver : there is no Mesa with desktop GL
    """
    recording = Recording(1, (3, 3))
    recording("glBindVertexArray", recording.generate("VertexArrays"))
    SCENES[name](recording)
    recording.close()
    return recording
