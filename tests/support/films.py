"""Short films: a screen of coloured squares, and what happens to it frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gl_recorder import Recorder

import replay
from gpumodel.columns import VERIFIED_COLUMNS
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

WIDTH, HEIGHT = 64, 48
VERTEX = """attribute vec4 p; attribute vec4 c; varying vec4 v; uniform vec2 shift;
void main() { v = c; gl_Position = p + vec4(shift, 0.0, 0.0); }"""
FRAGMENT = """precision highp float; varying vec4 v; uniform vec4 tint; uniform sampler2D t;
void main() { gl_FragColor = v * tint * texture2D(t, v.xy); }"""

Scene = Callable[["Film", int], None]


class Film(Recorder):
    """A program with uniforms ``shift`` and ``tint`` and a texture, and four squares in the screen's quarters."""

    def __init__(self, samples: int = 0) -> None:
        super().__init__(size=(WIDTH, HEIGHT), version=(3, 2), samples=samples)
        self.number = self.program(VERTEX, FRAGMENT)
        self.shift = self("glGetUniformLocation", self.number, "shift")
        self.tint = self("glGetUniformLocation", self.number, "tint")
        self("glUniform4f", self.tint, 1.0, 1.0, 1.0, 1.0)
        self.upload(1)
        self.vertices(squares())
        #: Calls around the squares of each frame, which the clear does not feel.
        self.around: tuple[Sequence[tuple[Any, ...]], Sequence[tuple[Any, ...]]] = ((), ())

    def upload(self, seed: int, name: int = 1) -> None:
        """New texels for the one texture, or another one."""
        self("glBindTexture", gl.GL_TEXTURE_2D, name)
        texels = np.random.default_rng(seed).integers(100, 256, (4, 4, 4)).astype(np.uint8).tobytes()
        self("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
        self("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)

    def square(self, number: int) -> None:
        """Draw one of the four."""
        self("glDrawArrays", gl.GL_TRIANGLES, 6 * number, 6)

    def all_squares(self) -> None:
        """Clear, and draw the four, a draw each."""
        self.clear()
        for call in self.around[0]:
            self(*call)
        for number in range(4):
            self.square(number)
        for call in self.around[1]:
            self(*call)


def squares() -> np.ndarray:
    """Four squares of 40 % of the screen's width, (24, 8) float32 positions and colours."""
    out = []
    for number in range(4):
        x, y = 2 * (number & 1) - 1, 2 * (number >> 1) - 1
        corners = [(0.5 * x + dx, 0.5 * y + dy) for dx, dy in ((-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4))]
        out += [[*corners[k], 0.0, 1.0, 0.3 + 0.2 * number, 0.1 * k, 0.5, 0.7] for k in (0, 1, 2, 0, 2, 3)]
    return np.array(out, np.float32)


def film(
    path: Path,
    scenes: Sequence[Callable[[Any, int], None]],
    columns: Sequence[str] = (),
    make: Callable[[], Film] = Film,
) -> list[FrameTrace]:
    """Record the scenes, one a frame, and replay them with further columns; the frames are copies that stay valid."""
    one = make()
    for frame, scene in enumerate(scenes):
        scene(one, frame)
        one.swap()
    one.write(path)
    with replay.frames(path, columns=ColumnSet([*VERIFIED_COLUMNS, *columns])) as frames:
        return [kept(frame) for frame in frames]


def kept(trace: FrameTrace) -> FrameTrace:
    """A copy of a frame, whose buffers the player would use again."""
    columns = {name: {key: array.copy() for key, array in table.items()} for name, table in trace.tables.items()}
    columns = {name: table for name, table in columns.items() if table}
    copy = FrameTrace.from_columns(
        columns, frame=trace.frame, width=trace.width, height=trace.height, rule=trace.rule, labels=list(trace.labels)
    )
    copy.pixels = [[image.copy() for image in images] for images in trace.pixels]
    copy.contents = [[None if image is None else image.copy() for image in images] for images in trace.contents]
    copy.picture = None if trace.picture is None else trace.picture.copy()
    return copy
