"""Writes a trace whose first frame has many render passes, as games have that fill their atlases at start.

usage: python tests/support/many_passes.py TRACE [--passes N] [--fragments N] [--frames N] [--targets N]

Each pass of the first frame draws into one of several textures: a grid of squares with what another pass has made, and
a blended one over it, so that a pass has as many fragments as asked for. Further frames show the textures on screen.
"""

from __future__ import annotations

import argparse
import math
import struct
from pathlib import Path

import numpy as np

from traceformat.calls import Offset, Value
from traceformat.gles import enums as gl
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import SCHEMA, FrameTrace

__all__ = ["as_a_whole", "write_many_passes"]

VERTEX = """attribute vec4 position; uniform vec4 place; varying vec2 uv;
void main() { uv = position.zw; gl_Position = vec4(position.xy * place.xy + place.zw, 0.0, 1.0); }"""
FRAGMENT = """precision mediump float; varying vec2 uv; uniform sampler2D image; uniform vec4 tint;
void main() { gl_FragColor = texture2D(image, uv) * tint + vec4(0.1, 0.05, 0.0, 0.0); }"""
SCREEN = 256
SIDE = 256
#: Squares along a side of the grid.
GRID = 8


class _Writer:
    def __init__(self, trace: TraceWriter) -> None:
        self._trace = trace

    def __call__(self, name: str, *args: Value, result: Value = None, **outputs: Value) -> None:
        self._trace.append(name, args, outputs or None, result, 1, 1)


def _set_up(call: _Writer, targets: int) -> None:
    """Make program, grid, and textures with their framebuffers; texture ``targets`` + 1 is not drawn into."""
    call("traceContext", 1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
    call("traceDrawable", 1, SCREEN, SCREEN, 0)
    call("traceMakeCurrent", 1, 1, 1)
    call("glCreateProgram", result=1)
    for number, (kind, source) in enumerate(((gl.GL_VERTEX_SHADER, VERTEX), (gl.GL_FRAGMENT_SHADER, FRAGMENT)), 2):
        call("glCreateShader", kind, result=number)
        call("glShaderSource", number, 1, (source,), None)
        call("glCompileShader", number)
        call("glAttachShader", 1, number)
    call("glBindAttribLocation", 1, 0, "position")
    call("glLinkProgram", 1)
    call("glUseProgram", 1)
    for location, name in enumerate(("place", "tint", "image")):
        call("glGetUniformLocation", 1, name, result=location)
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)], np.float32)
    cells = np.stack(np.meshgrid(np.arange(GRID), np.arange(GRID)), axis=-1).reshape(-1, 1, 2)
    unit = ((cells + corners) / GRID).reshape(-1, 2)
    data = np.concatenate([2 * unit - 1, unit], axis=1).astype(np.float32).tobytes()
    call("glGenBuffers", 1, None, buffers=struct.pack("<I", 1))
    call("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
    call("glBufferData", gl.GL_ARRAY_BUFFER, len(data), data, gl.GL_STATIC_DRAW)
    call("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 16, Offset(0))
    call("glEnableVertexAttribArray", 0)
    texels = np.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 4), np.uint8).tobytes()
    for texture in range(1, targets + 2):
        call("glGenTextures", 1, None, textures=struct.pack("<I", texture))
        call("glBindTexture", gl.GL_TEXTURE_2D, texture)
        for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            call("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_LINEAR)
        size = (SIDE, SIDE)
        call("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, *size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
        if texture <= targets:
            call("glGenFramebuffers", 1, None, framebuffers=struct.pack("<I", texture))
            call("glBindFramebuffer", gl.GL_FRAMEBUFFER, texture)
            attach = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, texture, 0)
            call("glFramebufferTexture2D", *attach)


def _draw(call: _Writer, framebuffer: int, texture: int, scale: float, number: int) -> None:
    """One pass: a clear, an opaque grid, and a blended one over it."""
    call("glBindFramebuffer", gl.GL_FRAMEBUFFER, framebuffer)
    side = SIDE if framebuffer else SCREEN
    call("glViewport", 0, 0, side, side)
    call("glClear", gl.GL_COLOR_BUFFER_BIT)
    call("glBindTexture", gl.GL_TEXTURE_2D, texture)
    for blended in (False, True):
        call("glEnable" if blended else "glDisable", gl.GL_BLEND)
        if blended:
            call("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        call("glUniform4f", 0, scale, scale, 0.01 * (number % 7), 0.0)
        call("glUniform4f", 1, 0.9, 0.5 + 0.05 * (number % 9), 0.7, 0.6)
        call("glDrawArrays", gl.GL_TRIANGLES, 0, 6 * GRID * GRID)


def write_many_passes(
    path: Path, *, passes: int = 600, fragments: int = 25_000_000, frames: int = 3, targets: int = 16
) -> None:
    """Write the trace.

    Parameters
    ----------
    passes, fragments : of the first frame
    frames : in all; the others have one pass
    targets : textures that are drawn into
    """
    scale = math.sqrt(fragments / passes / 2) / SIDE
    with TraceWriter(path) as trace:
        call = _Writer(trace)
        _set_up(call, targets)
        for number in range(passes - 1):
            target = number % targets + 1
            source = targets + 1 if number < targets else (number + targets // 2) % targets + 1
            _draw(call, target, source, scale, number)
        for frame in range(frames):
            _draw(call, 0, frame % targets + 1, scale, frame)
            call("traceSwap", 1, "eglSwapBuffers")


def as_a_whole(frame: FrameTrace) -> FrameTrace:
    """A frame whose passes travel one by one, as one that is there as a whole."""
    columns = {name: dict(frame[name].items()) for name in SCHEMA}
    whole = FrameTrace.from_columns(
        columns, frame=frame.frame, width=frame.width, height=frame.height, rule=frame.rule, labels=frame.labels
    )
    whole.pixels, whole.contents, whole.picture = list(frame.pixels), list(frame.contents), frame.picture
    return whole


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--passes", type=int, default=600)
    parser.add_argument("--fragments", type=int, default=25_000_000)
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--targets", type=int, default=16)
    given = parser.parse_args()
    write_many_passes(
        given.trace, passes=given.passes, fragments=given.fragments, frames=given.frames, targets=given.targets
    )
