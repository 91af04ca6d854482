"""Writes a long trace quickly: a program of many frames, with what such programs do now and then.

usage: python tests/support/long_trace.py TRACE [--frames N] [--seed S] [--size PIXELS]

Every frame draws some thirty objects of twelve materials with their uniforms. Now and then a texture is replaced in
part, a vertex buffer is filled anew, a program is made and an old one deleted, a shadow map is drawn that later frames
read, and a HUD draws on what the frame before left. 20,000 frames are 2.3 million calls.
"""

from __future__ import annotations

import argparse
import math
import random
import struct
from pathlib import Path

from traceformat.calls import Offset, Value
from traceformat.gles import enums as gl
from traceformat.gltrace.writer import TraceWriter

__all__ = ["write_long_trace"]

VERTEX = """attribute vec3 position; attribute vec2 uv; uniform mat4 transform; uniform vec4 tint;
varying vec2 v_uv; varying vec4 v_tint;
void main() { v_uv = uv; v_tint = tint; gl_Position = transform * vec4(position, 1.0); }"""
FRAGMENT = """precision mediump float; uniform sampler2D image; uniform float gain;
varying vec2 v_uv; varying vec4 v_tint;
void main() { gl_FragColor = texture2D(image, v_uv) * v_tint * (gain + %d.0 / 64.0); }"""
NUM_TEXTURES, NUM_PROGRAMS, NUM_MESHES, NUM_DRAWS = 16, 6, 8, 20
TEXTURE_SIZE = 32
SHADOW_TEXTURE = 99


class _Program:
    """The program that is written: one context, one window."""

    def __init__(self, trace: TraceWriter, rng: random.Random, size: int) -> None:
        self._trace = trace
        self._rng = rng
        self._size = size
        self._programs: list[int] = []
        self._next_name = 1

    def call(self, name: str, *args: Value, result: Value = None, **outputs: Value) -> None:
        """Write one call."""
        self._trace.append(name, args, outputs or None, result, 1, 1)

    def set_up(self) -> None:
        """Make context, textures, meshes, the shadow map's framebuffer and the first programs."""
        self.call("traceContext", 1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)
        self.call("traceDrawable", 1, self._size, self._size, 0)
        self.call("traceMakeCurrent", 1, 1, 1)
        self.call("glViewport", 0, 0, self._size, self._size)
        self.call("glEnable", gl.GL_DEPTH_TEST)
        for texture in (*range(1, NUM_TEXTURES + 1), SHADOW_TEXTURE):
            self.call("glGenTextures", 1, None, textures=struct.pack("<I", texture))
            self.call("glBindTexture", gl.GL_TEXTURE_2D, texture)
            for name, value in ((gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR), (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)):
                self.call("glTexParameteri", gl.GL_TEXTURE_2D, name, value)
            self._image(self._rng.randbytes(4 * TEXTURE_SIZE * TEXTURE_SIZE))
        for mesh in range(1, NUM_MESHES + 1):
            for target, name in ((gl.GL_ARRAY_BUFFER, mesh), (gl.GL_ELEMENT_ARRAY_BUFFER, 100 + mesh)):
                self.call("glGenBuffers", 1, None, buffers=struct.pack("<I", name))
                self.call("glBindBuffer", target, name)
            self._vertices(mesh, 0.0)
            self.call("glBufferData", gl.GL_ELEMENT_ARRAY_BUFFER, 12, struct.pack("<6H", 0, 1, 2, 2, 1, 3), 0x88E4)
        self.call("glEnableVertexAttribArray", 0)
        self.call("glEnableVertexAttribArray", 1)
        self.call("glGenFramebuffers", 1, None, framebuffers=struct.pack("<I", 1))
        self.call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        attach = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, SHADOW_TEXTURE, 0)
        self.call("glFramebufferTexture2D", *attach)
        self.call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        for _ in range(NUM_PROGRAMS):
            self._new_program()

    def _image(self, texels: bytes) -> None:
        size = (TEXTURE_SIZE, TEXTURE_SIZE)
        self.call("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, *size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)

    def _vertices(self, mesh: int, shift: float) -> None:
        corners = [(-0.2, -0.2, 0, 0), (0.2, -0.2, 1, 0), (-0.2, 0.2, 0, 1), (0.2, 0.2, 1, 1)]
        data = b"".join(struct.pack("<5f", x + shift, y, mesh / 20, u, v) for x, y, u, v in corners)
        self.call("glBufferData", gl.GL_ARRAY_BUFFER, len(data), data, gl.GL_DYNAMIC_DRAW)

    def _new_program(self) -> None:
        name, shaders = self._next_name, (self._next_name + 1, self._next_name + 2)
        self._next_name += 3
        self.call("glCreateProgram", result=name)
        sources = (VERTEX, FRAGMENT % (name % 16))
        for shader, kind, source in zip(shaders, (gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER), sources, strict=True):
            self.call("glCreateShader", kind, result=shader)
            self.call("glShaderSource", shader, 1, (source,), None)
            self.call("glCompileShader", shader)
            self.call("glAttachShader", name, shader)
        self.call("glBindAttribLocation", name, 0, "position")
        self.call("glBindAttribLocation", name, 1, "uv")
        self.call("glLinkProgram", name)
        for location, uniform in enumerate(("transform", "tint", "image", "gain")):
            self.call("glGetUniformLocation", name, uniform, result=location)
        for shader in shaders:
            self.call("glDeleteShader", shader)
        self.call("glUseProgram", name)
        self.call("glUniform1i", 2, 0)
        self.call("glUniform1f", 3, 0.5)
        self._programs.append(name)

    def frame(self, number: int) -> None:
        """Write one frame."""
        rng = self._rng
        if number % 7 == 3:
            self.call("glBindTexture", gl.GL_TEXTURE_2D, rng.randint(1, NUM_TEXTURES))
            part = (0, rng.randrange(16), rng.randrange(16), 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, rng.randbytes(64))
            self.call("glTexSubImage2D", gl.GL_TEXTURE_2D, *part)
        if number % 50 == 20:
            self.call("glBindTexture", gl.GL_TEXTURE_2D, rng.randint(1, NUM_TEXTURES))
            self._image(rng.randbytes(4 * TEXTURE_SIZE * TEXTURE_SIZE))
        if number % 11 == 5:
            self.call("glBindBuffer", gl.GL_ARRAY_BUFFER, mesh := rng.randint(1, NUM_MESHES))
            self._vertices(mesh, rng.random() / 4)
        if number % 400 == 399:
            self._new_program()
            self.call("glDeleteProgram", self._programs.pop(0))
        if number % 90 == 45:
            self._shadow_map(number)
        self.call("glClearColor", 0.1, 0.1, number % 100 / 100, 1.0)
        self.call("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT if number % 5 else gl.GL_DEPTH_BUFFER_BIT)
        for place in range(NUM_DRAWS):
            self._draw(number, place, rng)
        self.call("traceSwap", 1, "eglSwapBuffers")

    def _shadow_map(self, number: int) -> None:
        self.call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        self.call("glViewport", 0, 0, TEXTURE_SIZE, TEXTURE_SIZE)
        self.call("glClear", gl.GL_COLOR_BUFFER_BIT)
        self._draw(number, 0, self._rng)
        self.call("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        self.call("glViewport", 0, 0, self._size, self._size)

    def _draw(self, number: int, place: int, rng: random.Random) -> None:
        if place % 4 == 0:
            self.call("glUseProgram", self._programs[place // 4 % len(self._programs)])
            mesh = 1 + (number + place) % NUM_MESHES
            self.call("glBindBuffer", gl.GL_ARRAY_BUFFER, mesh)
            self.call("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, 100 + mesh)
            self.call("glVertexAttribPointer", 0, 3, gl.GL_FLOAT, 0, 20, Offset(0))
            self.call("glVertexAttribPointer", 1, 2, gl.GL_FLOAT, 0, 20, Offset(12))
        texture = SHADOW_TEXTURE if place == 9 else 1 + (number // 3 + place) % NUM_TEXTURES
        self.call("glBindTexture", gl.GL_TEXTURE_2D, texture)
        angle = number / 60 + place
        c, s = math.cos(angle), math.sin(angle)
        matrix = (c, s, 0.0, 0.0, -s, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, c * 0.6, s * 0.6, 0.0, 1.0)
        self.call("glUniformMatrix4fv", 0, 1, 0, struct.pack("<16f", *matrix))
        self.call("glUniform4f", 1, rng.random(), 1.0, place / NUM_DRAWS, 1.0)
        self.call("glDrawElements", gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_SHORT, Offset(0))


def write_long_trace(path: Path, num_frames: int = 20_000, *, seed: int = 1, size: int = 32) -> Path:
    """Write a trace of many frames; the same arguments give the same bytes.

    Parameters
    ----------
    path : of the trace
    num_frames : frames; each has 115 calls or so
    seed : of what is random
    size : width and height of the window, pixels
    """
    with TraceWriter(path, {"program": "long trace"}) as trace:
        program = _Program(trace, random.Random(seed), size)
        program.set_up()
        for number in range(num_frames):
            program.frame(number)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a long trace.")
    parser.add_argument("trace", type=Path)
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=32)
    args = parser.parse_args()
    write_long_trace(args.trace, args.frames, seed=args.seed, size=args.size)
