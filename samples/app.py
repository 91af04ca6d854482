"""What the samples share as programs: arguments, an OpenGL ES window, debug groups."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["DebugGroups", "Options", "add_options", "es_window", "gl_window", "options"]


@dataclass(frozen=True)
class Options:
    """How many frames to draw, and the size of the picture in pixels."""

    frames: int
    width: int
    height: int

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not WIDTHxHEIGHT, e.g. 1200x768") from None
    if not (16 <= width <= 4096 and 16 <= height <= 4096):
        raise argparse.ArgumentTypeError(f"'{text}': each side must lie between 16 and 4096")
    return width, height


def _frames(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of frames from 1 to 100000")
    return int(text)


def options(description: str | None) -> Options:
    """Read ``--frames N`` and ``--size WxH`` from the command line."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    add_options(parser, frames=60, size=(1200, 768))
    given = parser.parse_args()
    return Options(given.frames, *given.size)


def add_options(parser: argparse.ArgumentParser, *, frames: int, size: tuple[int, int] | None) -> None:
    """Let a program take ``--frames N`` and ``--size WxH``, with these defaults; a size of None is its own."""
    parser.add_argument("--frames", type=_frames, default=frames, help=f"frames to draw ({frames})")
    shown = "its own" if size is None else f"{size[0]}x{size[1]}"
    parser.add_argument("--size", type=_size, default=size, help=f"size of the picture ({shown})")


def _open(title: str, wanted: Options, hints: dict[int, int]) -> Any:
    import glfw

    if not glfw.init():
        sys.exit(f"{title}: GLFW finds no display")
    for hint, value in hints.items():
        glfw.window_hint(hint, value)
    window = glfw.create_window(wanted.width, wanted.height, title, None, None)
    if not window:
        glfw.terminate()
        sys.exit(f"{title}: no window with the OpenGL version that this sample asks for")
    glfw.make_context_current(window)
    return window


def es_window(title: str, wanted: Options, major: int) -> Any:
    """Open a glfw window with an OpenGL ES context of the version and make it current."""
    import glfw

    return _open(
        title,
        wanted,
        {
            glfw.CLIENT_API: glfw.OPENGL_ES_API,
            glfw.CONTEXT_CREATION_API: glfw.EGL_CONTEXT_API,
            glfw.CONTEXT_VERSION_MAJOR: major,
            glfw.CONTEXT_VERSION_MINOR: 0,
            glfw.DEPTH_BITS: 24,
            glfw.STENCIL_BITS: 8,
            glfw.RESIZABLE: 0,
        },
    )


def gl_window(title: str, wanted: Options) -> Any:
    """Open a glfw window with a desktop OpenGL 3.3 core context and make it current."""
    import glfw

    return _open(
        title,
        wanted,
        {
            glfw.CONTEXT_VERSION_MAJOR: 3,
            glfw.CONTEXT_VERSION_MINOR: 3,
            glfw.OPENGL_PROFILE: glfw.OPENGL_CORE_PROFILE,
            glfw.OPENGL_FORWARD_COMPAT: 1,
            glfw.DEPTH_BITS: 24,
            glfw.STENCIL_BITS: 8,
            glfw.RESIZABLE: 0,
        },
    )


class DebugGroups:
    """Debug groups of GL_KHR_debug for GLES programs, where the driver has them; silent where not."""

    def __init__(self) -> None:
        from OpenGL.GLES2.KHR import debug

        self._debug = debug
        # PyOpenGL looks an extension's functions up in the driver's list of extensions; absent ones are false.
        self._present = bool(debug.glPushDebugGroupKHR)

    @contextmanager
    def __call__(self, label: str) -> Iterator[None]:
        """Name what is drawn inside the ``with`` block."""
        if not self._present:
            yield
            return
        name = label.encode()
        self._debug.glPushDebugGroupKHR(self._debug.GL_DEBUG_SOURCE_APPLICATION_KHR, 0, len(name), name)
        try:
            yield
        finally:
            self._debug.glPopDebugGroupKHR()
