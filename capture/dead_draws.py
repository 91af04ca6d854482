"""Draws whose pixels nobody gets to see: those to a window that is cleared again before anything reads it.

Replaying a long run for the state behind it is mostly drawing, and most of what a program draws is gone with its frame.
A first pass over the calls, without any pixels, finds the draws to default framebuffers of which every plane that they
write is cleared whole later on; the second pass leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable

from replay.reflect import ReflectingBackend
from traceformat.calls import Call
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box, DrawCall
from traceformat.gles.objects import Drawable, Image, Texture
from traceformat.gles.state import Context
from traceformat.gles.tracker import Tracker

__all__ = ["DeadDraws"]

_COLOR, _DEPTH, _STENCIL = gl.GL_COLOR_BUFFER_BIT, gl.GL_DEPTH_BUFFER_BIT, gl.GL_STENCIL_BUFFER_BIT


class _Watcher(ReflectingBackend):
    """Collects draws as long as what they wrote is there. Programs are linked: what they capture has to be known.

    Attributes
    ----------
    dead : numbers of the draws and clears that need not be executed
    """

    def __init__(self) -> None:
        super().__init__()
        self.dead: set[int] = set()
        #: Number of each draw, and the planes in which it can still be seen, by drawable.
        self._seen: dict[Drawable, list[tuple[int, int]]] = {}

    def draw(self, context: Context, call: DrawCall) -> None:
        """Note a draw and what it may write; one that is counted, captured or writes to memory is needed anyway."""
        if context.current_queries or context.transform_feedback.active:
            return
        executable = context.program.executable if context.program is not None else None
        if executable is not None and executable.reflection.draws_write_memory:
            return
        written = _COLOR
        if gl.GL_DEPTH_TEST in context.enabled and context.depth_mask:
            written |= _DEPTH
        if gl.GL_STENCIL_TEST in context.enabled:
            written |= _STENCIL
        self._write(context, written)

    def clear(self, context: Context, mask: int) -> None:
        """Note a clear; what it covers whole is not seen any more."""
        drawable = context.draw_drawable
        if context.draw_framebuffer.name == 0 and drawable is not None:
            whole = self._cleared_whole(context, mask)
            left = []
            for number, planes in self._seen.get(drawable, ()):
                if planes & ~whole:
                    left.append((number, planes & ~whole))
                else:
                    self.dead.add(number)
            self._seen[drawable] = left
        self._write(context, mask)

    @staticmethod
    def _cleared_whole(context: Context, mask: int) -> int:
        if gl.GL_SCISSOR_TEST in context.enabled or context.draw_framebuffer.draw_buffers == [gl.GL_NONE]:
            return 0
        if not all(context.color_masks[0]):
            mask &= ~_COLOR
        if not context.depth_mask:
            mask &= ~_DEPTH
        if context.stencil_front.write_mask & 0xFF != 0xFF:
            mask &= ~_STENCIL
        return mask

    def _write(self, context: Context, planes: int) -> None:
        if context.draw_framebuffer.name == 0 and context.draw_drawable is not None:
            self._seen.setdefault(context.draw_drawable, []).append((context.call_number, planes))

    def _read(self, context: Context) -> None:
        """What is in the read framebuffer is needed."""
        if context.read_framebuffer.name == 0 and context.read_drawable is not None:
            self._seen.pop(context.read_drawable, None)

    def blit(
        self,
        context: Context,
        source: tuple[int, int, int, int],
        target: tuple[int, int, int, int],
        mask: int,
        filter: int,
    ) -> None:
        """Read the read framebuffer; what is written stays."""
        self._read(context)

    def copy_to_image(
        self, context: Context, texture: Texture, face: int, level: int, image: Image, box: Box, x: int, y: int
    ) -> None:
        """Read the read framebuffer."""
        self._read(context)

    def read_pixels(self, context: Context, x: int, y: int, width: int, height: int, format: int, type: int) -> bytes:
        """Read the read framebuffer, perhaps into a buffer."""
        self._read(context)
        return super().read_pixels(context, x, y, width, height, format, type)


class DeadDraws:
    """Finds draws that need not be executed for the state behind them; follows a trace from its begin."""

    def __init__(self) -> None:
        self._watcher = _Watcher()
        self._tracker = Tracker(self._watcher, remap=True)

    def find(self, calls: Iterable[Call]) -> set[int]:
        """Numbers of the draws and clears among the calls whose pixels are not seen when the last one is done."""
        self._watcher.dead = set()
        for call in calls:
            self._tracker.execute(call)
        return self._watcher.dead
