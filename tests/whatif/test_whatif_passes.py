"""Changes of passes leave alone what somebody needs: each frame here is recorded, and its neighbour may not change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from films import HEIGHT, WIDTH, Film, film

from gpumodel.whatif.changes import invalidate_depth, joined
from gpumodel.whatif.scene import Scene
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace, StoreOp

_2D = gl.GL_TEXTURE_2D
_TARGET = 1


class Targets(Film):
    """A film with a framebuffer beside the screen, in texture 7, and its depth in texture 8."""

    def __init__(self) -> None:
        super().__init__()
        self.image(7, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        self.image(8, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT)
        self("glBindFramebuffer", gl.GL_FRAMEBUFFER, _TARGET)
        self("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, _2D, 7, 0)
        self("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, _2D, 8, 0)
        self("glEnable", gl.GL_DEPTH_TEST)
        self.bind(0)
        self.sample(1)

    def image(self, name: int, format: int, type: int) -> None:
        """Make a texture of the screen's size."""
        self("glBindTexture", _2D, name)
        self("glTexImage2D", _2D, 0, format, WIDTH, HEIGHT, 0, format, type, None)
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            self("glTexParameteri", _2D, parameter, gl.GL_NEAREST)
        for parameter in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
            self("glTexParameteri", _2D, parameter, gl.GL_CLAMP_TO_EDGE)

    def bind(self, framebuffer: int) -> None:
        """Draw into the screen (0) or the other framebuffer."""
        self("glBindFramebuffer", gl.GL_FRAMEBUFFER, framebuffer)

    def sample(self, texture: int) -> None:
        """Read this texture."""
        self("glBindTexture", _2D, texture)


Between = Callable[[Targets], None]


def frame(path: Path, between: Between, before: int = 1, after: int = 1) -> FrameTrace:
    """The screen's one half, something, its other half; textures that both read."""

    def scene(one: Targets, _: int) -> None:
        one.bind(0)
        one.clear()
        one.sample(before)
        one.square(0)
        between(one)
        one.bind(0)
        one.sample(after)
        one.square(1)

    return film(path, [scene, scene], make=Targets)[-1]


def other_pass(one: Targets) -> None:
    one.bind(_TARGET)
    one.sample(1)
    one.clear()
    one.square(2)


def read_back(one: Targets) -> None:
    one("glReadPixels", 0, 0, 8, 8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)


def copied(one: Targets) -> None:
    one.sample(7)
    one("glCopyTexSubImage2D", _2D, 0, 0, 0, 0, 0, WIDTH, HEIGHT)


def uploaded(one: Targets) -> None:
    other_pass(one)
    one.upload(5)


def test_a_pass_that_another_one_interrupts_is_joined(tmp_path: Path) -> None:
    trace = frame(tmp_path / "a.gltrace", other_pass)
    assert trace["passes"].num_rows == 3
    found = joined(Scene(trace), "all", "")
    assert found is not None
    assert found["passes"].num_rows == 2


@pytest.mark.parametrize("between", [read_back, copied, uploaded])
def test_what_is_read_or_replaced_between_keeps_passes_apart(tmp_path: Path, between: Between) -> None:
    """A pass that is joined comes later: what is read of it between would miss it, what it reads would be new."""
    trace = frame(tmp_path / "a.gltrace", between, after=7 if between is copied else 1)
    assert trace["passes"].num_rows in (2, 3)
    assert joined(Scene(trace), "all", "") is None


def test_a_pass_that_reads_what_is_drawn_between_stays_before_it(tmp_path: Path) -> None:
    """It read the picture of the frame before."""
    assert joined(Scene(frame(tmp_path / "a.gltrace", other_pass, before=7)), "all", "") is None


def stored(trace: FrameTrace, target: str = "all") -> list[int] | None:
    """Which passes still store their depth without what a change takes away; None where it changes nothing."""
    found = invalidate_depth(Scene(trace), target, "")
    return None if found is None else (found["passes"]["depth_store"] == StoreOp.STORE).tolist()


def test_depth_that_is_sampled_is_stored(tmp_path: Path) -> None:
    assert stored(frame(tmp_path / "free.gltrace", other_pass, after=7)) == [True, False, False]
    needed = frame(tmp_path / "needed.gltrace", other_pass, after=8)
    assert stored(needed, "framebuffer 1") is None


def test_depth_that_is_loaded_again_is_stored(tmp_path: Path) -> None:
    """The screen's goes on behind the other pass; behind the frame it is lost anyhow."""
    assert stored(frame(tmp_path / "a.gltrace", other_pass), "default") is None
