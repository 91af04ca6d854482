"""glPolygonMode: triangles drawn as lines and points are Mesa's, in both executors."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import Recording
from recorded_scenes import agree, check_picture, frame_of, recorded_or_skipped

from traceformat.gles import enums as gl

pytestmark = pytest.mark.gl

_VERTEX = """#version 330
in vec3 p; in vec3 c; flat out vec3 whole; out vec3 way;
void main() { way = c; whole = c; gl_Position = vec4(p.xy * 0.5, p.z * 0.3, 1.0 + 0.4 * p.z); }"""
_FRAGMENT = """#version 330
flat in vec3 whole; in vec3 way; out vec4 o; void main() { o = vec4(mix(whole, way, 0.5), 1.0); }"""
#: Mode of triangles, of polygons, what is culled, width of lines.
SCENES = {
    "separate": (gl.GL_TRIANGLES, gl.GL_LINE, 0, 1),
    "front culled": (gl.GL_TRIANGLES, gl.GL_LINE, gl.GL_FRONT, 1),
    "strip": (gl.GL_TRIANGLE_STRIP, gl.GL_LINE, gl.GL_BACK, 1),
    "fan": (gl.GL_TRIANGLE_FAN, gl.GL_LINE, 0, 1),
    "corners": (gl.GL_TRIANGLES, gl.GL_POINT, gl.GL_BACK, 1),
    "all culled": (gl.GL_TRIANGLES, gl.GL_LINE, gl.GL_FRONT_AND_BACK, 1),
}


def record(name: str, is_es: bool) -> Recording:
    """Random triangles, in front of lines that have no polygons."""
    assert not is_es
    mode, polygons, cull, width = SCENES[name]
    r = Recording(1, (3, 3))
    r("glBindVertexArray", r.generate("VertexArrays"))
    r.program(_VERTEX, _FRAGMENT, p=0, c=1)
    random = np.random.default_rng(4)
    r.vertices(p=(0, random.uniform(-1.0, 1.0, (12, 3))), c=(1, random.uniform(0, 1, (12, 3))))
    if mode == gl.GL_TRIANGLES:
        # Of an edge that two triangles share the depths are equal but for their last bit, which is the set-up's.
        r("glEnable", gl.GL_DEPTH_TEST)
    if cull:
        r("glEnable", gl.GL_CULL_FACE)
        r("glCullFace", cull)
    r("glPolygonMode", gl.GL_FRONT_AND_BACK, polygons)
    r("glLineWidth", float(width))
    r("glPointSize", 3.0)
    r("glDrawArrays", mode, 0, 12)
    r("glDisable", gl.GL_CULL_FACE)
    r("glPolygonMode", gl.GL_FRONT_AND_BACK, gl.GL_FILL)
    r("glDrawArrays", gl.GL_TRIANGLES, 9, 3)
    r.read()
    r.close()
    return r


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa_in_both_executors(name: str) -> None:
    recording = recorded_or_skipped(record, name, False)
    check_picture(recording.calls)
    agree(recording)


def test_lines_are_primitives_of_the_fetched_vertices() -> None:
    frame = frame_of(recorded_or_skipped(record, "separate", False))
    assert frame["draws"]["primitive_count"].tolist() == [12, 1]
    corners = np.array([2, 0, 0, 1, 1, 2]).reshape(3, 2) + 3 * np.arange(4)[:, None, None]
    assert frame["vertices"]["index"][:12].tolist() == list(range(12))
    assert (frame["primitives"]["vertex"][:12, :2] == corners.reshape(12, 2)).all()
