"""Short films of named objects made of rectangles: depth-tested, with the states that decide who may change places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from films import HEIGHT, WIDTH, kept
from gl_recorder import Recorder

import replay
from gpumodel.columns import VERIFIED_COLUMNS
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

__all__ = ["Thing", "object_film", "random_things"]

_VERTEX = """attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { v = c; gl_Position = p; }"""
_FRAGMENT = """precision highp float; varying vec4 v; void main() { gl_FragColor = v * 0.5 + fract(v * 17.0) * 0.5; }"""
_FOLIAGE = """precision highp float; varying vec4 v;
void main() { if (fract(gl_FragCoord.x * 0.3) < 0.4) discard; gl_FragColor = v; }"""

_VERTEX_3 = "#version 300 es\nin vec4 p; in vec4 c; out vec4 v; void main() { v = c; gl_Position = p; }"
_DEPTH = """#version 300 es
precision highp float; in vec4 v; out vec4 o; void main() { o = v; gl_FragDepth = gl_FragCoord.z - 0.05 * v.x; }"""


@dataclass(frozen=True)
class Thing:
    """An object: rectangles (x0, y0, x1, y1, depth at the left, depth at the right) in clip space, and its state."""

    name: str
    rectangles: tuple[tuple[float, float, float, float, float, float], ...]
    func: int = gl.GL_LESS
    blend: bool = False
    foliage: bool = False
    writes_depth: bool = True
    #: Of the stencil test: passes where the stencil is not above it, and counts up; None = off.
    stencil: int | None = None
    #: Only red and green are written.
    part: bool = False
    #: Inside an occlusion query.
    query: bool = False
    #: Depth is cleared before it, in the left half of the screen.
    clears: bool = False
    #: Its shader writes the depth that it had anyway, a bit nearer.
    shader_depth: bool = False
    depth_test: bool = True

    @classmethod
    def plane(cls, name: str, depth: float, func: int = gl.GL_LESS, **state: bool) -> Thing:
        """Give a thing that covers the screen."""
        return cls(name, ((-1, -1, 1, 1, depth, depth),), func, **state)


def object_film(
    path: Path,
    frames: Sequence[Sequence[Thing]],
    size: tuple[int, int] = (WIDTH, HEIGHT),
    columns: Sequence[str] = (),
    *,
    samples: int = 0,
) -> list[FrameTrace]:
    """Record the frames, each with its things in the order in which they are drawn, and replay them with further
    columns.

    ``samples`` makes them pass through a multisampled framebuffer, which is resolved into the screen.
    """
    one = Recorder(size=size)
    if samples:
        _multisampled(one, size, samples)
    foliage = one.program(_VERTEX, _FOLIAGE)
    solid = one.program(_VERTEX, _FRAGMENT)
    one("glEnable", gl.GL_DEPTH_TEST)
    one("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    one("glStencilOp", gl.GL_INCR, gl.GL_KEEP, gl.GL_INCR)
    one("glScissor", 0, 0, size[0] // 2, size[1])
    deep = one.program(_VERTEX_3, _DEPTH) if any(thing.shader_depth for frame in frames for thing in frame) else 0
    if any(thing.query for frame in frames for thing in frame):
        one("glGenQueries", 1, None)
        one.calls[-1].outputs = {"ids": (1).to_bytes(4, "little")}
    for things in frames:
        one("glDepthMask", 1)
        one("glColorMask", 1, 1, 1, 1)
        one.clear()
        for thing in things:
            if thing.clears:
                one("glDepthMask", 1)
                one("glEnable", gl.GL_SCISSOR_TEST)
                one("glClear", gl.GL_DEPTH_BUFFER_BIT)
                one("glDisable", gl.GL_SCISSOR_TEST)
            one("glUseProgram", deep if thing.shader_depth else foliage if thing.foliage else solid)
            one("glEnable" if thing.stencil is not None else "glDisable", gl.GL_STENCIL_TEST)
            one("glStencilFunc", gl.GL_GEQUAL, thing.stencil or 0, 255)
            one("glColorMask", 1, 1, 1 - int(thing.part), 1 - int(thing.part))
            one("glEnable" if thing.depth_test else "glDisable", gl.GL_DEPTH_TEST)
            one("glDepthFunc", thing.func)
            one("glDepthMask", int(thing.writes_depth))
            one("glEnable" if thing.blend else "glDisable", gl.GL_BLEND)
            one.vertices(_mesh(thing))
            one("glPushDebugGroup", gl.GL_DEBUG_SOURCE_APPLICATION, 0, -1, thing.name)
            if thing.query:
                one("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, 1)
            one("glDrawArrays", gl.GL_TRIANGLES, 0, 6 * len(thing.rectangles))
            if thing.query:
                one("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)
            one("glPopDebugGroup")
        if samples:
            _resolve(one, size)
        one.swap()
    one.write(path)
    with replay.frames(path, columns=ColumnSet([*VERIFIED_COLUMNS, *columns])) as played:
        return [kept(frame) for frame in played]


def _multisampled(one: Recorder, size: tuple[int, int], samples: int) -> None:
    """Make a framebuffer with several samples and draw into it."""
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    for number, kind, point in (
        (1, gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0),
        (2, gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH_STENCIL_ATTACHMENT),
    ):
        one("glBindRenderbuffer", gl.GL_RENDERBUFFER, number)
        one("glRenderbufferStorageMultisample", gl.GL_RENDERBUFFER, samples, kind, *size)
        one("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, number)


def _resolve(one: Recorder, size: tuple[int, int]) -> None:
    """Show what was drawn."""
    one("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, 0)
    one("glBlitFramebuffer", 0, 0, *size, 0, 0, *size, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    one("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, 1)


def _mesh(thing: Thing) -> np.ndarray:
    color = np.frombuffer(thing.name.encode().ljust(4, b"~")[:4], np.uint8) / 255.0
    out = []
    for x0, y0, x1, y1, left, right in thing.rectangles:
        corners = [(x0, y0, left), (x1, y0, right), (x1, y1, right), (x0, y1, left)]
        out += [[*corners[k], 1.0, *color] for k in (0, 1, 2, 0, 2, 3)]
    return np.array(out, np.float32)


def random_things(rng: np.random.Generator, count: int) -> list[Thing]:
    """Objects with many equal depths, of all kinds of state."""
    out = []
    for number in range(count):
        rectangles = []
        for _ in range(int(rng.integers(1, 4))):
            x, y = rng.integers(-8, 6, 2) / 8
            depth = float(rng.choice([-0.5, 0.0, 0.25]))
            slope = depth if rng.random() < 0.6 else float(rng.choice([-0.5, 0.0, 0.25]))
            rectangles.append((x, y, x + rng.integers(2, 8) / 8, y + rng.integers(2, 8) / 8, depth, slope))
        kind = float(rng.random())
        state = {"blend": kind < 0.05, "foliage": 0.05 <= kind < 0.1, "writes_depth": kind < 0.95}
        func = int(rng.choice([gl.GL_LESS, gl.GL_LEQUAL]))
        out.append(Thing(f"{number:x}ab", tuple(rectangles), func, **state))
    return out
