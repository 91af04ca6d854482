"""Functions of fragment shaders: every bit is that of Mesa's llvmpipe."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import NoDriver, Recording

from replay.engine.engine import Engine
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import ColumnSet

pytestmark = pytest.mark.gl

SIDE = 64
_QUAD = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], np.float32)
_HEAD = "#version 320 es\nprecision highp float; precision highp int; precision highp sampler2D;\n"
_VERTEX = f"{_HEAD}in vec2 p; void main() {{ gl_Position = vec4(p, 0, 1); }}"

FUNCTIONS = [
    *("sin(x)", "cos(x)", "tan(x)", "sin(x * 1e30)", "cos(x * 1e20)", "exp2(x)", "exp(x)", "log2(x)", "log(abs(x))"),
    *("pow(abs(x), y * 0.01)", "pow(abs(x), 2.0)", "pow(abs(x), 4.0)", "pow(abs(x), 1.0)", "pow(abs(x), 3.0)"),
    *("pow(2.0, x)", "pow(x * 0.0, 0.0)", "atan(x)", "atan(y, x)", "atan(0.0, x)", "asin(fract(x))", "acos(fract(x))"),
    *("sinh(x)", "cosh(x)", "asinh(x)", "acosh(abs(x))", "atanh(fract(x))", "smoothstep(0.2, 0.7, fract(x))"),
    *("mix(x, y, 0.3)", "mix(v.xyz, v.yzw, vec3(0.3, 0.2, 0.1)).y"),
    *("dot(v, v.yxwz)", "dot(v.xyz, v.xyz)", "dot(v, vec4(1.1, 2.3, 3.7, 4.9))", "length(v)", "normalize(v.xyz).x"),
    *("distance(v.xyz, v.wzy)", "(v * mat4(v, v.yxwz, v.wzyx, v.zyxw)).y", "determinant(mat3(v.xyz, v.yxw, v.wzx))"),
    *("sin(1.3) + pow(2.3, 1.7) * x", "atan(0.7, -0.3) * x", "exp2(3.3) + log2(3.3) * x"),
]
#: Of all numbers one result.
_ALIKE = ("-7 % 3", "pow(x * 0.0, 0.0)", "cos(x * 1e20)")
INTEGERS = ["int(x) % 7", "-int(x) % 7", "(int(x) % 5 + 5) % 5", "int(x) % (int(y) | 1)", "-7 % 3", "ivec4(v).z % 9"]


def _numbers() -> np.ndarray:
    rng = np.random.default_rng(1)
    count = SIDE * SIDE
    spread = rng.normal(0, 1, (count, 4)) * 10.0 ** rng.uniform(-5, 5, (count, 4))
    near = rng.uniform(-10, 10, (count, 4))
    values = np.where(rng.random((count, 4)) < 0.5, near, spread)
    values[:, 0][:10] = (0, -0.0, 1, -1, 0.5, 2, 128, -126, -130, 200)
    return values.astype(np.float32)


def _results(expressions: list[str]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """(expression, ours, Mesa's) of numbers that the compiler does not know."""
    try:
        recording = Recording(version=(3, 2), size=(SIDE, SIDE))
    except NoDriver as missing:
        pytest.skip(str(missing))
    recording("glBindTexture", gl.GL_TEXTURE_2D, recording.generate("Textures"))
    recording("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA32F, SIDE, SIDE)
    texels = _numbers().tobytes()
    recording("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, gl.GL_RGBA, gl.GL_FLOAT, texels)
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        recording("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)
    recording.framebuffer()
    recording.target(gl.GL_RGBA32F, SIDE, SIDE)
    recording.vertices(p=(0, _QUAD))
    for expression in expressions:
        body = f"vec4 v = texelFetch(s, ivec2(gl_FragCoord.xy), 0); float x = v.x, y = v.y; o = vec4({expression});"
        recording.program(_VERTEX, f"{_HEAD}uniform sampler2D s; out vec4 o; void main() {{ {body} }}", p=0)
        recording("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        recording.read(type=gl.GL_FLOAT)
    recording.close()
    tracker = Tracker(Engine(ColumnSet(())), remap=True)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for call in recording.calls:
        tracker.execute(call)
        if call.name == "glReadPixels":
            ours, mesa = tracker.outputs["pixels"], call.outputs["pixels"]
            found.append((np.frombuffer(ours, np.float32).copy(), np.frombuffer(mesa, np.float32).copy()))
    return [(expression, *pair) for expression, pair in zip(expressions, found, strict=True)]


@pytest.mark.parametrize("expressions", [FUNCTIONS, INTEGERS], ids=["functions", "integers"])
def test_bits_are_those_of_mesa(expressions: list[str]) -> None:
    wrong = []
    for expression, ours, mesa in _results(expressions):
        assert len(np.unique(mesa)) > 1 or expression in _ALIKE, expression
        # llvmpipe flushes subnormal numbers, the engine keeps them.
        tiny = (np.abs(ours) < 2.0**-126) & (np.abs(mesa) < 2.0**-126)
        same = (ours.view(np.uint32) == mesa.view(np.uint32)) | (np.isnan(ours) & np.isnan(mesa)) | tiny
        if not same.all():
            k = int(np.argmin(same))
            wrong.append(f"{expression}: {(~same).sum()} differ, first {ours[k]!r}, Mesa {mesa[k]!r}")
    assert wrong == []
