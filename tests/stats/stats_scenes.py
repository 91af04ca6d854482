"""Small GL programs as .gltrace files: what the statistics' tests count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gl_recorder import Recorder as GlRecorder

from traceformat.calls import Offset
from traceformat.gles import enums as gl

WIDTH, HEIGHT = 132, 90

COLOR_VS = "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { gl_Position = p; v = c; }"
COLOR_FS = "precision highp float; varying vec4 v; void main() { gl_FragColor = v; }"
HOLES_FS = """precision highp float; varying vec4 v; uniform sampler2D t;
void main() { if (fract(v.x * 8.0) < 0.4) discard; gl_FragColor = v + texture2D(t, v.xy); }"""
POINT_VS = """attribute vec4 p; attribute vec4 c; varying vec4 v;
void main() { gl_Position = p; gl_PointSize = 1.0 + 9.0 * c.x; v = c; }"""
DEPTH_FS = """#version 300 es
precision highp float; in vec4 v; out vec4 o; void main() { gl_FragDepth = v.x; o = v; }"""
DEPTH_VS = """#version 300 es
in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }"""


class Recorder(GlRecorder):
    """On the statistics' screen."""

    def __init__(self, *, version: tuple[int, int] = (3, 0), size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        super().__init__(version=version, size=size)


def triangles(seed: int, count: int, size: float = 0.5) -> np.ndarray:
    """Triangles all over the screen and beyond it, at different depths, some behind the eye."""
    rng = np.random.default_rng(seed)
    data = np.zeros((count, 3, 8), np.float32)
    data[:, :, :2] = rng.uniform(-1.2, 1.2, (count, 1, 2)) + rng.uniform(-size, size, (count, 3, 2))
    data[:, :, 2] = rng.uniform(-1, 1, (count, 1)) + rng.uniform(-0.1, 0.1, (count, 3))
    data[:, :, 3] = 1
    data[:, :, :4] *= rng.uniform(0.5, 2, (count, 3, 1))
    data[: count // 8, 0, 3] *= -1
    data[:, :, 4:] = rng.uniform(0, 1, (count, 3, 4))
    return data.reshape(-1, 8)


def overlapping(path: Path) -> Path:
    """Opaque, culled, scissored and indexed draws behind each other, two frames; every test is early."""
    r = Recorder()
    r.program(COLOR_VS, COLOR_FS)
    r.vertices(triangles(1, 80))
    r.indices(np.random.default_rng(2).permutation(240)[:150])
    r("glEnable", gl.GL_DEPTH_TEST)
    for frame in range(2):
        r.clear()
        r("glDisable", gl.GL_CULL_FACE)
        r("glPushDebugGroup", gl.GL_DEBUG_SOURCE_APPLICATION, 0, -1, "ground")
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 120)
        r("glPopDebugGroup")
        r("glEnable", gl.GL_CULL_FACE)
        r("glPushDebugGroup", gl.GL_DEBUG_SOURCE_APPLICATION, 0, -1, "house")
        r("glDrawElements", gl.GL_TRIANGLES, 150, gl.GL_UNSIGNED_SHORT, Offset(0))
        r("glEnable", gl.GL_SCISSOR_TEST)
        r("glScissor", 11, 7, 60, 50)
        r("glDrawArrays", gl.GL_TRIANGLES, 60, 60 + 30 * frame)
        r("glDisable", gl.GL_SCISSOR_TEST)
        r("glPopDebugGroup")
        r.swap()
    return r.write(path)


def shapes(path: Path) -> Path:
    """Points, lines, strips, fans, primitive restart and instances."""
    r = Recorder()
    r.program(POINT_VS, COLOR_FS)
    # Centres inside the view: GLES keeps a point whose centre is outside, desktop GL, which counts for us, does not.
    points = triangles(3, 40)
    reach = 0.95 * np.abs(points[:, 3:4])
    points[:, :2] = np.clip(points[:, :2], -reach, reach)
    r.vertices(points)
    r.clear()
    r("glDrawArrays", gl.GL_POINTS, 0, 60)
    r.vertices(triangles(3, 40))
    r("glDrawArrays", gl.GL_LINES, 0, 40)
    r("glDrawArrays", gl.GL_LINE_LOOP, 3, 17)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 20, 30)
    r("glDrawArrays", gl.GL_TRIANGLE_FAN, 40, 12)
    r("glEnable", gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
    r.indices([0, 1, 2, 3, 4, 65535, 7, 8, 9, 10, 65535, 30, 31, 32, 33, 34, 35])
    r("glDrawElements", gl.GL_TRIANGLE_STRIP, 17, gl.GL_UNSIGNED_SHORT, Offset(0))
    r("glDrawArraysInstanced", gl.GL_TRIANGLES, 60, 9, 3)
    r.swap()
    return r.write(path)


def late(path: Path) -> Path:
    """Discards, written depth, stencil and an off-screen pass: draws whose tests come late."""
    r = Recorder()
    plain = r.program(COLOR_VS, COLOR_FS)
    depth = r.program(DEPTH_VS, DEPTH_FS)
    holes = r.program(COLOR_VS, HOLES_FS)
    r.vertices(triangles(4, 60, 0.8))
    r.texture()
    r("glBindTexture", gl.GL_TEXTURE_2D, 2)
    r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 64, 48, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 2, 0)
    r("glBindTexture", gl.GL_TEXTURE_2D, 1)
    r("glViewport", 0, 0, 64, 48)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 30)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glViewport", 0, 0, WIDTH, HEIGHT)
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glEnable", gl.GL_STENCIL_TEST)
    r.clear()
    r("glStencilFunc", gl.GL_ALWAYS, 1, 255)
    r("glStencilOp", gl.GL_KEEP, gl.GL_INCR, gl.GL_REPLACE)
    r("glUseProgram", plain)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 90)
    r("glUseProgram", holes)
    r("glStencilFunc", gl.GL_NOTEQUAL, 1, 255)
    r("glDrawArrays", gl.GL_TRIANGLES, 30, 90)
    r("glDisable", gl.GL_STENCIL_TEST)
    r("glDepthFunc", gl.GL_LEQUAL)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 60)
    r("glUseProgram", depth)
    r("glDrawArrays", gl.GL_TRIANGLES, 60, 60)
    r("glClear", gl.GL_STENCIL_BUFFER_BIT)
    # Elsewhere and back again: depth and stencil are stored and loaded.
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 15)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glUseProgram", plain)
    r("glEnable", gl.GL_STENCIL_TEST)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 180)
    r.swap()
    return r.write(path)


SCENES = {"overlapping": overlapping, "shapes": shapes, "late": late}
