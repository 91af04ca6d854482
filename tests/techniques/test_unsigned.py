"""What a tile's attributes and constants do not show: siblings of textures, numbers of primitives, counts, stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH, Film, film, kept, squares
from gl_recorder import Recorder

import replay
from gpumodel import load_config
from gpumodel.columns import VERIFIED_COLUMNS
from gpumodel.runs import Run
from gpumodel.techniques.memo import FragmentMemoization
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet, FrameTrace

TILES = WIDTH // 16 * (HEIGHT // 16)
_EGL_GL_TEXTURE_2D = 0x30B1
_EGL_GL_RENDERBUFFER = 0x30B9


def play(frames: Sequence[FrameTrace], technique: str = "re") -> Run:
    one = Run(load_config("mali450-re"), [technique], verify=True)
    for frame in frames:
        one.feed(frame)
    one.finish()
    assert one.result.verification is not None
    assert one.result.verification.pixels
    return one


def skipped(one: Run, name: str = "re.tiles_skipped") -> list[int]:
    return [int(frame.counters[name]) for frame in one.result.frames]


def sibling_texture(one: Film) -> None:
    """Textures 1 and 9 share their texels."""
    one("glBindTexture", gl.GL_TEXTURE_2D, 9)
    one("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(64)))
    image = one("eglCreateImageKHR", 1, 1, _EGL_GL_TEXTURE_2D, 9, None)
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
    one("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 9, 0)
    one("glBindTexture", gl.GL_TEXTURE_2D, 1)
    one("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, image)


def sibling_renderbuffer(one: Film) -> None:
    """Texture 1 shares its texels with a renderbuffer."""
    one("glBindRenderbuffer", gl.GL_RENDERBUFFER, 4)
    one("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_RGBA8, 4, 4)
    image = one("eglCreateImageKHR", 1, 1, _EGL_GL_RENDERBUFFER, 4, None)
    one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
    one("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, 4)
    one("glBindTexture", gl.GL_TEXTURE_2D, 1)
    one("glEGLImageTargetTexture2DOES", gl.GL_TEXTURE_2D, image)


@pytest.mark.parametrize("share", [sibling_texture, sibling_renderbuffer])
@pytest.mark.parametrize("technique", ["re", "memo"])
def test_what_is_drawn_into_a_sibling(tmp_path: Path, share: Callable[[Film], None], technique: str) -> None:
    """An EGLImage: drawing into one of its objects changes the texels of the other."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            share(one)
        if frame in (0, 5):
            one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 3)
            one("glClearColor", 1.0, 0.25 if frame else 1.0, 1.0, 1.0)
            one("glClear", gl.GL_COLOR_BUFFER_BIT)
            one("glClearColor", 0.0, 0.0, 0.0, 0.0)
        one("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        one.all_squares()

    frames = film(tmp_path / "a.gltrace", [scene] * 9, FragmentMemoization.columns)
    assert not np.array_equal(frames[4].pixels[-1][0], frames[6].pixels[-1][0])
    one = play(frames, technique)
    assert one.result.verification is not None
    assert one.result.verification.identical
    assert sum(skipped(one, "re.tiles_skipped" if technique == "re" else "memo.hits")) > 0


_NUMBERS = """#version 150
flat in vec4 v; out vec4 o; void main() { o = vec4(v.xy, 0.1 * float(gl_PrimitiveID), 1.0); }"""
_NUMBERED = "#version 150\nin vec4 p; in vec4 c; flat out vec4 v; void main() { v = c; gl_Position = p; }"


def test_numbers_of_primitives(tmp_path: Path) -> None:
    """The same triangles from another place in the buffer, with culled ones in front: only gl_PrimitiveID differs."""
    one = Recorder(size=(WIDTH, HEIGHT))
    one("traceContext", 2, 1, 3, 3, 2, 8, 8, 8, 8, 24, 8, 0, 0)
    one("traceMakeCurrent", 2, 1, 1)
    one("glViewport", 0, 0, WIDTH, HEIGHT)
    one.program(_NUMBERED, _NUMBERS)
    data = np.concatenate([np.zeros((3, 8)), squares()]).astype(np.float32)
    one("glBindBuffer", gl.GL_ARRAY_BUFFER, 1)
    one("glBufferData", gl.GL_ARRAY_BUFFER, data.nbytes, data.tobytes(), gl.GL_STATIC_DRAW)
    for location in (0, 1):
        one("glVertexAttribPointer", location, 4, gl.GL_FLOAT, 0, 32, Offset(16 * location))
        one("glEnableVertexAttribArray", location)
    for frame in range(8):
        one.clear()
        one("glDrawArrays", gl.GL_TRIANGLES, *((0, 27) if frame == 5 else (3, 24)))
        one.swap()
    one.write(tmp_path / "a.gltrace")
    with replay.frames(tmp_path / "a.gltrace", columns=ColumnSet(VERIFIED_COLUMNS)) as played:
        frames = [kept(frame) for frame in played]
    assert not np.array_equal(frames[4].pixels[0][0], frames[5].pixels[0][0])
    run = play(frames)
    assert run.result.verification is not None
    assert run.result.verification.identical
    assert skipped(run)[4] == TILES


def test_counted_fragments(tmp_path: Path) -> None:
    """A tile that is left out would not count its fragments."""

    def scene(one: Film, frame: int) -> None:
        if frame == 0:
            one("glGenQueries", 1, None)
            one.calls[-1].outputs = {"ids": (1).to_bytes(4, "little")}
        one.clear()
        if frame == 5:
            one("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, 1)
        for number in range(4):
            one.square(number)
        if frame == 5:
            one("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)

    one = play(film(tmp_path / "a.gltrace", [scene] * 9))
    assert skipped(one) == [0, 0, TILES, TILES, TILES, 0, TILES, TILES, TILES]
    assert one.result.frames[5].counters["re.off.side_effects"] == 1


def test_a_picture_that_is_thrown_away(tmp_path: Path) -> None:
    """Colours that the program invalidates are not in the frame buffer two frames later."""

    def scene(one: Film, frame: int) -> None:
        one.all_squares()
        if frame == 5:
            one("glInvalidateFramebuffer", gl.GL_FRAMEBUFFER, 1, gl.GL_COLOR.to_bytes(4, "little"))

    one = play(film(tmp_path / "a.gltrace", [scene] * 9))
    assert skipped(one)[4] == TILES
    assert skipped(one)[5] == skipped(one)[7] == 0
    assert skipped(one)[8] == TILES
    assert one.result.frames[5].counters["re.off.not_stored"] == 1
