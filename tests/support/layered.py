"""Frames of opaque and blended layers, for tests of verification."""

from __future__ import annotations

import numpy as np
from gl_program import COLOR_FS, Program, triangles

from gpumodel import VERIFIED_COLUMNS
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["layers"]

LAYERED = """attribute vec4 p; attribute vec4 c; varying vec4 v; uniform vec4 move;
void main() { gl_Position = p + move; v = c; }"""


def layers(count: int = 3, *, clear: bool = True, moving: bool = True) -> list[FrameTrace]:
    """Opaque and blended triangles with a depth test; a square moves from frame to frame."""
    rng = np.random.default_rng(2)
    p = Program(VERIFIED_COLUMNS)
    program = p.program(LAYERED, COLOR_FS, p=0, c=1)
    square = np.zeros((1, 6, 8), np.float32)
    square[0, :, :2] = np.array([[0, 0], [0.3, 0], [0, 0.3], [0, 0.3], [0.3, 0], [0.3, 0.3]]) - 0.9
    square[0, :, 2:4] = -0.9, 1
    square[0, :, 4:] = 0.1, 0.9, 0.2, 1
    p.buffer(np.concatenate([triangles(rng, 40, 0.7).reshape(-1, 8), square.reshape(-1, 8)]))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    move = p.uniform(program, "move")
    frames = []
    for number in range(count):
        both = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT
        p.clear(0.3, 0.2, 0.1, 1.0, mask=both if clear or number == 0 else gl.GL_DEPTH_BUFFER_BIT)
        p("glEnable", gl.GL_DEPTH_TEST)
        p("glDisable", gl.GL_BLEND)
        p("glUniform4f", move, 0.0, 0.0, 0.0, 0.0)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 60)
        p("glUniform4f", move, 0.4 * number if moving else 0.0, 0.0, 0.0, 0.0)
        p("glDrawArrays", gl.GL_TRIANGLES, 120, 6)
        p("glUniform4f", move, 0.0, 0.0, 0.0, 0.0)
        p("glEnable", gl.GL_BLEND)
        p("glDrawArrays", gl.GL_TRIANGLES, 60, 60)
        frames.append(p.swap(number))
    p.engine.close()
    return frames
