"""The NumPy executor gives the same result in chunks as at once."""

from __future__ import annotations

import numpy as np
import pytest

from replay.glsl import compile_shader, link_program, numpy_executor
from replay.glsl.numpy_executor import NumpyStage

VERTEX = "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }"
FRAGMENT = """#extension GL_OES_standard_derivatives : require
precision highp float; varying vec4 v; uniform float k;
void main() {
    float s = 0.0;
    for (int i = 0; i < 9; i++) { if (s > v.x) break; s += abs(v.y) + k; if (s > 6.0) discard; }
    gl_FragColor = vec4(s, dFdx(v.z), dFdy(v.w), 1.0);
}"""


def test_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    program = link_program([compile_shader(VERTEX, "vertex"), compile_shader(FRAGMENT, "fragment")])
    assert program.fragment is not None, program.log
    rng = np.random.default_rng(1)
    lanes = 1000
    inputs = [(rng.normal(size=(4, lanes)) * 3).astype(np.float32)]
    covered = rng.integers(0, 4, lanes) > 0
    stage = NumpyStage(program.fragment)
    for areas in ([np.full(4, 0.25, np.float32)], [rng.random((4, lanes), np.float32)]):
        whole = stage.run(lanes, inputs, areas, covered)
        monkeypatch.setattr(numpy_executor, "LANES_PER_CHUNK", 64)
        parts = stage.run(lanes, inputs, areas, covered)
        monkeypatch.undo()
        assert np.array_equal(whole.alive, parts.alive)
        assert 0 < whole.alive.sum() < covered.sum()
        for one, other in zip(whole.outputs, parts.outputs, strict=True):
            assert one.shape == other.shape
            assert np.array_equal(one[:, whole.alive], other[:, whole.alive])
