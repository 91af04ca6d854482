"""Bloom: chains of float targets that are filtered down, and up again with additive blending."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_HEAD = "#version 320 es\nprecision highp float; precision highp int; precision highp sampler2D;\n"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_VERTEX = _HEAD + "in vec4 p; out vec2 t; void main() { t = p.xy * 0.5 + 0.5; gl_Position = p; }"
#: Thirteen taps, of which five boxes are made (Jimenez, "Next Generation Post Processing in Call of Duty", 2014).
_DOWN = """in vec2 t; out vec4 o; uniform sampler2D s; void main() { vec2 d = 1.0 / vec2(textureSize(s, 0));
  vec3 a = texture(s, t + d * vec2(-2, 2)).rgb, b = texture(s, t + d * vec2(0, 2)).rgb;
  vec3 c = texture(s, t + d * vec2(2, 2)).rgb, e = texture(s, t + d * vec2(-2, 0)).rgb, f = texture(s, t).rgb;
  vec3 g = texture(s, t + d * vec2(2, 0)).rgb, h = texture(s, t + d * vec2(-2, -2)).rgb;
  vec3 i = texture(s, t + d * vec2(0, -2)).rgb, j = texture(s, t + d * vec2(2, -2)).rgb;
  vec3 k = texture(s, t + d * vec2(-1, 1)).rgb, l = texture(s, t + d).rgb, m = texture(s, t - d).rgb;
  vec3 n = texture(s, t + d * vec2(1, -1)).rgb;
  o = vec4(f * 0.125 + (a + c + h + j) * 0.03125 + (b + e + g + i) * 0.0625 + (k + l + m + n) * 0.125, 1); }"""
#: A tent of three by three.
_UP = """in vec2 t; out vec4 o; uniform sampler2D s; void main() { vec2 d = vec2(0.005, 0.0075); vec3 v = vec3(0);
  for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)
    v += texture(s, t + vec2(x, y) * d).rgb * float((2 - abs(x)) * (2 - abs(y)));
  o = vec4(v / 16.0, 0.5); }"""
_SHOWN = """in vec2 t; out vec4 o; uniform sampler2D s; void main() { vec3 c = texture(s, t).rgb * 0.2;
  o = vec4(c / (c + 1.0), 1); }"""
_LEVELS = 5
_WIDTH, _HEIGHT = 96, 64


def _target(r: Recording, internal: int, width: int, height: int) -> tuple[int, int]:
    """A texture, and a framebuffer that draws to it."""
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, name)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, internal, width, height)
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_LINEAR)
    for pname in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
        r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_CLAMP_TO_EDGE)
    framebuffer = r.framebuffer()
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
    return name, framebuffer


def _lights(r: Recording) -> None:
    """Triangles far brighter than white."""
    r.program(
        _HEAD + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }",
        _HEAD + "in vec4 v; out vec4 o; void main() { o = v * 6.0; }",
        p=0,
        c=1,
    )
    rng = np.random.default_rng(12)
    place = np.concatenate([rng.uniform(-1, 1, (36, 2)), np.ones((36, 2)) * (0, 1)], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))
    r("glClearColor", 0.02, 0.01, 0.03, 1.0)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r("glEnable", gl.GL_BLEND)
    r("glBlendFunc", gl.GL_ONE, gl.GL_ONE)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    r("glDisable", gl.GL_BLEND)


def _bloom(r: Recording, internal: int) -> None:
    # What is rounded to halves hides in which order Mesa's compiler sums up.
    precise = "precise " if internal == gl.GL_RGBA32F else ""
    sizes = [(_WIDTH >> level, _HEIGHT >> level) for level in range(_LEVELS)]
    targets = [_target(r, internal, *size) for size in sizes]
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, targets[0][1])
    r("glViewport", 0, 0, *sizes[0])
    _lights(r)
    r.read(type=gl.GL_FLOAT, size=sizes[0])
    r.vertices(p=(0, _QUAD))
    r.program(_VERTEX, _HEAD + _DOWN.replace("out", precise + "out"), p=0)
    for level in range(1, _LEVELS):
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, targets[level][1])
        r("glBindTexture", gl.GL_TEXTURE_2D, targets[level - 1][0])
        r("glViewport", 0, 0, *sizes[level])
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        r.read(type=gl.GL_FLOAT, size=sizes[level])
    r.program(_VERTEX, _HEAD + _UP.replace("out", precise + "out").replace("vec3 v =", precise + "vec3 v ="), p=0)
    r("glEnable", gl.GL_BLEND)
    for level in reversed(range(_LEVELS - 1)):
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, targets[level][1])
        r("glBindTexture", gl.GL_TEXTURE_2D, targets[level + 1][0])
        r("glViewport", 0, 0, *sizes[level])
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        r.read(type=gl.GL_FLOAT, size=sizes[level])
    r("glDisable", gl.GL_BLEND)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glViewport", 0, 0, *r.size)
    r("glBindTexture", gl.GL_TEXTURE_2D, targets[0][0])
    r.program(_VERTEX, _HEAD + _SHOWN, p=0)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def _chain(name: str) -> Callable[[Recording], None]:
    return lambda r: _bloom(r, getattr(gl, f"GL_{name}"))


SCENES: dict[str, Callable[[Recording], None]] = {
    name: _chain(name) for name in ("RGBA16F", "R11F_G11F_B10F", "RGBA32F")
}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    return record_scene(SCENES[name])
