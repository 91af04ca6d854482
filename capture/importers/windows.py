"""Contexts, drawables and threads of an imported trace: numbered from 1 in order of appearance.

The importers say what a window-system call did, in the handles of their own file; what comes back are the trace
commands that stand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from traceformat.calls import Value

__all__ = ["DEFAULT_BITS", "SWAP", "ContextFacts", "Current", "TraceCommand", "Windows", "attributes_of"]

#: Name and arguments of a trace command.
TraceCommand: TypeAlias = tuple[str, tuple[Value, ...]]
Size: TypeAlias = tuple[int, int]

WINDOW: Final = 0
PBUFFER: Final = 1
SURFACELESS: Final = 2
#: Red, green, blue, alpha, depth, stencil, samples where a file does not say: what Mesa gives first.
DEFAULT_BITS: Final = (8, 8, 8, 8, 24, 8, 0)
#: Functions that end a frame.
SWAP: Final = (
    "eglSwapBuffers",
    "eglSwapBuffersWithDamageKHR",
    "eglSwapBuffersWithDamageEXT",
    "eglPostSubBufferNV",
    "glXSwapBuffers",
    "glXCopySubBufferMESA",
)


def attributes_of(flat: Sequence[int]) -> dict[int, int]:
    """An attribute list of alternating names and values."""
    return dict(zip(flat[::2], flat[1::2], strict=False))


@dataclass(slots=True)
class Current:
    """What is current in a thread: handles, 0 = none."""

    context: int = 0
    draw: int = 0
    read: int = 0


@dataclass(slots=True)
class ContextFacts:
    """What is known of a context: API (0 GLES, 1 GL), version, profile, bits, the handle it shares with."""

    api: int
    major: int
    minor: int
    profile: int
    bits: tuple[int, ...]
    share: int


class Windows:
    """The windows, contexts and threads of one file; threads go by the file's own numbers.

    Parameters
    ----------
    size_of : width and height of a window when it is first made current, by its handle; (0, 0) where not known
    """

    def __init__(self, size_of: Callable[[int], Size]) -> None:
        self._size_of = size_of
        self._contexts: dict[int, int] = {}
        self._drawables: dict[int, int] = {}
        self._kinds: dict[int, int] = {}
        self._sizes: dict[int, Size] = {}
        self._threads: dict[int, int] = {}
        self._current: dict[int, Current] = {}
        self._num_contexts = self._num_drawables = 0

    def thread(self, thread: int) -> int:
        """Number of a thread."""
        return self._threads.setdefault(thread, len(self._threads) + 1)

    def current(self, thread: int) -> Current:
        """What is current in a thread."""
        return self._current.setdefault(thread, Current())

    def context(self, thread: int) -> int:
        """Number of the context that is current in a thread, 0 = none."""
        here = self._current.get(thread)
        return self._contexts.get(here.context, 0) if here else 0

    def is_window(self, handle: int) -> bool:
        """Whether a surface is a window that was current once."""
        return handle in self._drawables and self._kinds[handle] == WINDOW

    def create_context(self, handle: int, facts: ContextFacts) -> list[TraceCommand]:
        """A context was made."""
        self._num_contexts += 1
        number = self._contexts[handle] = self._num_contexts
        share = self._contexts.get(facts.share, 0)
        of = facts.api, facts.major, facts.minor, facts.profile
        return [("traceContext", (number, *of, *facts.bits, share))]

    def destroy_context(self, handle: int) -> list[TraceCommand]:
        """A context was destroyed."""
        number = self._contexts.pop(handle, 0)
        return [("traceDestroyContext", (number,))] if number else []

    def create_pbuffer(self, handle: int, width: int, height: int) -> list[TraceCommand]:
        """A pbuffer was made."""
        return [self._drawable(handle, max(width, 1), max(height, 1), PBUFFER)]

    def destroy_surface(self, handle: int) -> None:
        """A surface was destroyed: the next one may have its handle."""
        self._drawables.pop(handle, None)

    def make_current(self, thread: int, context: int, draw: int, read: int) -> list[TraceCommand]:
        """Context and surfaces, by their handles, became current in a thread."""
        here = self.current(thread)
        here.context, here.draw, here.read = context, draw, read
        if not context:
            return [("traceMakeCurrent", (0, 0, 0))]
        out: list[TraceCommand] = []
        for handle in dict.fromkeys((draw, read)):
            # A surfaceless context gets a drawable of its own that has no size.
            key = handle or -context
            if key not in self._drawables:
                size = self._size_of(handle) if handle else (0, 0)
                out.append(self._drawable(key, *size, WINDOW if handle else SURFACELESS))
        numbers = [self._drawables[handle or -context] for handle in (draw, read)]
        return [*out, ("traceMakeCurrent", (self._contexts.get(context, 0), *numbers))]

    def swap(self, handle: int, origin: str) -> list[TraceCommand]:
        """A surface was swapped by the function ``origin``."""
        number = self._drawables.get(handle, 0)
        return [("traceSwap", (number, origin))] if number else []

    def resize(self, handle: int, size: Size) -> list[TraceCommand]:
        """A window has a size; nothing where it had that before."""
        if handle not in self._drawables or size == self._sizes.get(handle) or 0 in size:
            return []
        self._sizes[handle] = size
        return [("traceResize", (self._drawables[handle], *size))]

    def _drawable(self, handle: int, width: int, height: int, kind: int) -> TraceCommand:
        self._num_drawables += 1
        number = self._drawables[handle] = self._num_drawables
        self._kinds[handle] = kind
        self._sizes[handle] = (width, height)
        return "traceDrawable", (number, width, height, kind)
