"""Scaled copies as 2D libraries draw them, with as many coordinates as can be exactly between two texels.

A copy takes a rectangle of a texture to a rectangle of the target, with a nearest filter. The centre of pixel x lies at
texel ``s0 + (x + 1/2 - d0) * (s1 - s0) / (d1 - d0)``; where that is a whole number (a tie) the last bit of the
interpolated coordinate decides which texel is read. What each scene has of them is counted in exact arithmetic.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from gl_twin import Difference, NoDriver, Recording, compare

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["NoDriver", "Outcome", "run"]

_VERTEX = """#version 300 es
in vec2 p; in vec2 t; in vec4 c; out vec2 uv; out vec4 colour; uniform mat4 m;
void main() { gl_Position = m * vec4(p, 0.0, 1.0); uv = t; colour = c; }"""
_PLAIN_VERTEX = """#version 300 es
in vec2 p; in vec2 t; in vec4 c; out vec2 uv; out vec4 colour; uniform mat4 m;
void main() { gl_Position = vec4(p.x * m[0][0] + m[3][0], p.y * m[1][1] + m[3][1], 0.0, 1.0); uv = t; colour = c; }"""
_FRAGMENT = """#version 300 es
precision highp float; in vec2 uv; in vec4 colour; out vec4 o; uniform sampler2D image;
void main() { o = texture(image, uv) * colour; }"""
_WRAPS = (gl.GL_CLAMP_TO_EDGE, gl.GL_REPEAT, gl.GL_MIRRORED_REPEAT)
#: Texels of eight bits are sampled by another path of llvmpipe than those of floats.
_FORMATS = ((gl.GL_RGBA8, gl.GL_UNSIGNED_BYTE), (gl.GL_RGBA16F, gl.GL_FLOAT))
_STRIPS = {gl.GL_TRIANGLES: (0, 1, 2, 2, 1, 3), gl.GL_TRIANGLE_STRIP: (0, 1, 2, 3), gl.GL_TRIANGLE_FAN: (0, 1, 3, 2)}
_COPIES = 12


@dataclass
class Outcome:
    """What a scene gave: columns and rows of pixels that are ties, and where the replay differs from Mesa."""

    ties: int
    differences: list[Difference]


def _ties(d0: Fraction, d1: Fraction, s0: Fraction, s1: Fraction, pixels: int) -> int:
    """Columns (or rows) of the target whose centre lies exactly between two texels."""
    low, high = sorted((d0, d1))
    first, last = max(0, -((-2 * low + 1) // 2)), min(pixels, -((-2 * high + 1) // 2))
    scale = (s1 - s0) / (d1 - d0)
    return sum((s0 + (x + Fraction(1, 2) - d0) * scale).denominator == 1 for x in range(int(first), int(last)))


def _span(rng: random.Random, pixels: int, texels: int, outside: bool) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Target and source of one axis: d0, d1, s0, s1."""
    part = rng.randint(1, texels)
    s0 = Fraction(rng.randint(0, texels - part))
    scale = rng.choice([Fraction(1, 2), Fraction(1, 4), Fraction(3, 2), Fraction(5, 2), Fraction(2, 3), Fraction(1, 6)])
    scale = rng.choice([scale, scale, 1 / scale, Fraction(rng.randint(1, 9), rng.randint(1, 9))])
    while not outside and part * scale > pixels:
        scale /= 2
    length = part * scale
    if rng.random() < 0.2:
        s0 += Fraction(rng.randint(-8, 8), 2)
    # A quarter, a half, or anything that positions of the screen can have.
    step = rng.choice([1, 1, 2, 4, 256])
    least, most = (-length / 2, pixels - length / 2) if outside else (Fraction(0), max(pixels - length, Fraction(0)))
    d0 = Fraction(rng.randint(int(least * step), max(int(least * step), int(most * step))), step)
    if rng.random() < 0.25:
        return d0, d0 + length, s0 + part, s0
    return d0, d0 + length, s0, s0 + part


def _texture(rng: random.Random, r: Recording) -> tuple[int, int]:
    width, height = (rng.choice([1 << rng.randint(0, 8), rng.randint(1, 200)]) for _ in range(2))
    internal, kind = rng.choice(_FORMATS)
    y, x = np.mgrid[0:height, 0:width]
    texels = np.stack([x, y, (x * 7 + y * 13) % 251, np.full_like(x, 255)], axis=2).astype(np.uint8)
    data = texels.tobytes() if kind == gl.GL_UNSIGNED_BYTE else (texels / np.float32(255)).astype(np.float32).tobytes()
    r("glBindTexture", gl.GL_TEXTURE_2D, r.generate("Textures"))
    r("glTexImage2D", gl.GL_TEXTURE_2D, 0, internal, width, height, 0, gl.GL_RGBA, kind, data)
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)
    for name in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
        r("glTexParameteri", gl.GL_TEXTURE_2D, name, rng.choice(_WRAPS))
    return width, height


def _projection(width: int, height: int, from_top: bool) -> Any:
    """As SDL and raylib have it: pixels to clip coordinates, column by column."""
    m = np.zeros((4, 4), np.float32)
    m[0, 0], m[3, 0] = np.float32(2.0) / np.float32(width), -1.0
    m[1, 1], m[3, 1] = np.float32(2.0) / np.float32(height), -1.0
    if from_top:
        m[1, 1], m[3, 1] = -m[1, 1], 1.0
    m[2, 2] = m[3, 3] = 1.0
    return m


def _draw(rng: random.Random, r: Recording, target: tuple[int, int], texture: tuple[int, int], outside: bool) -> int:
    (dx0, dx1, sx0, sx1), (dy0, dy1, sy0, sy1) = (
        _span(rng, pixels, texels, outside) for pixels, texels in zip(target, texture, strict=True)
    )
    mode = rng.choice(list(_STRIPS))
    order = _STRIPS[mode]
    corners = [(x, y) for y in (0, 1) for x in (0, 1)]
    rows = []
    for index in order:
        x, y = corners[index]
        s, t = (sx0, sx1)[x] / texture[0], (sy0, sy1)[y] / texture[1]
        rows.append(((dx0, dx1)[x], (dy0, dy1)[y], s, t, 1, 1, 1, 1))
    data = np.array([[float(v) for v in row] for row in rows], np.float32)
    r.buffer(data)
    for location, size, offset in ((0, 2, 0), (1, 2, 8), (2, 4, 16)):
        r("glVertexAttribPointer", location, size, gl.GL_FLOAT, 0, 32, Offset(offset))
        r("glEnableVertexAttribArray", location)
    if mode == gl.GL_TRIANGLES and rng.random() < 0.5:
        r.buffer(np.array(rng.choice([(0, 1, 2, 3, 4, 5), (2, 1, 0, 5, 4, 3)]), np.uint16), gl.GL_ELEMENT_ARRAY_BUFFER)
        r("glDrawElements", mode, 6, gl.GL_UNSIGNED_SHORT, Offset(0))
    else:
        r("glDrawArrays", mode, 0, len(order))
    return _ties(dx0, dx1, sx0, sx1, target[0]) + _ties(dy0, dy1, sy0, sy1, target[1])


def run(seed: int, *, outside: bool) -> Outcome:
    """Draw one scene of copies with both.

    Parameters
    ----------
    outside : whether copies may reach over the target's edges

    Raises
    ------
    NoDriver : there is no Mesa
    """
    rng = random.Random(seed)
    size = (rng.randint(16, 320), rng.randint(16, 320))
    r = Recording(size=size)
    program = r.program(rng.choice([_VERTEX, _PLAIN_VERTEX]), _FRAGMENT, p=0, t=1, c=2)
    if rng.random() < 0.5:
        r.framebuffer()
        r.target(gl.GL_RGBA8, *size)
    r("glDisable", gl.GL_DITHER)
    location = r.uniform(program, "m")
    ties = 0
    texture = _texture(rng, r)
    for _ in range(_COPIES):
        if rng.random() < 0.3:
            texture = _texture(rng, r)
        matrix = _projection(*size, rng.random() < 0.5)
        r("glUniformMatrix4fv", location, 1, 0, matrix.tobytes())
        ties += _draw(rng, r, size, texture, outside)
    r.read()
    r.close()
    return Outcome(ties, compare(r.calls, 0.0))
