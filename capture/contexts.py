"""Contexts, drawables and threads of the program, numbered from 1 in order of appearance.

Adapters and window-system hooks report what the program does with *handles* (addresses, objects); this registry
turns them into the numbers that the trace holds and says so to the recorder as trace commands. A context appears
when it is first made current, because only then can a driver be asked what it really is; one that a program makes
and never uses leaves no mark.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from capture.context_records import ContextAttributes, ContextRecord, Handle
from capture.shadow import ContextShadow, ShareShadow
from capture.threads import NO_SHADOW, Threads, ThreadState
from traceformat.calls import Value

__all__ = ["ContextRegistry"]


@dataclass(slots=True, eq=False)
class _DrawableRecord:
    width: int
    height: int
    kind: int
    number: int = 0


class TraceSink(Protocol):
    """Who writes the trace commands."""

    def command(self, name: str, *args: Value) -> None:
        """Write one trace command of this thread."""


class ContextRegistry:
    """Numbers of contexts, drawables and threads, and what is current where.

    Parameters
    ----------
    sink : the recorder
    threads : of the program
    describe : asks the driver about the context that is current in this thread; gets what the program requested
    """

    def __init__(
        self, sink: TraceSink, threads: Threads, describe: Callable[[ContextAttributes], ContextAttributes]
    ) -> None:
        self._sink = sink
        self._threads = threads
        self._describe = describe
        self._lock = threading.RLock()
        self._contexts: dict[Handle, ContextRecord] = {}
        self._drawables: dict[Handle, _DrawableRecord] = {}
        self._num_contexts = 0
        self._num_drawables = 0

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        return self._threads.state()

    def current_handle(self) -> Handle | None:
        """Handle of the context that is current in this thread."""
        return self.thread().handle

    # -- what the program makes and destroys ------------------------------------------------------------------------

    def create_context(self, handle: Handle, requested: ContextAttributes, share: Handle | None = None) -> None:
        """Note a new context.

        Parameters
        ----------
        handle : what the window system calls it
        requested : what the program asked for
        share : context whose objects it shares
        """
        with self._lock:
            other = self._contexts.get(share) if share is not None else None
            group = other.shadow.share if other is not None else ShareShadow()
            self._contexts[handle] = ContextRecord(requested, ContextShadow(group), other)

    def destroy_context(self, handle: Handle) -> None:
        """Note that the program destroyed a context."""
        with self._lock:
            record = self._contexts.pop(handle, None)
            for other in [other for other, same in self._contexts.items() if same is record]:
                del self._contexts[other]
        if record is not None and record.number:
            self._sink.command("traceDestroyContext", record.number)

    def create_drawable(self, handle: Handle, width: int, height: int, kind: int) -> None:
        """Note a new drawable: its size in pixels, and WINDOW, PBUFFER or SURFACELESS."""
        with self._lock:
            self._drawables[handle] = _DrawableRecord(width, height, kind)

    def destroy_drawable(self, handle: Handle) -> None:
        """Note that the program destroyed a drawable."""
        with self._lock:
            self._drawables.pop(handle, None)

    def resize(self, handle: Handle, width: int, height: int) -> None:
        """Note the size of a drawable, in pixels; written if it changed."""
        record = self._drawables.get(handle)
        if record is None or (record.width, record.height) == (width, height):
            return
        record.width, record.height = width, height
        if record.number:
            self._sink.command("traceResize", record.number, width, height)

    def knows_context(self, handle: Handle) -> bool:
        """Tell whether this context is known."""
        return handle in self._contexts

    def alias(self, handle: Handle, known: Handle) -> None:
        """Note another handle of a known context: that of the window system below a window library."""
        with self._lock:
            self._contexts[handle] = self._contexts[known]

    def is_current(self, handle: Handle) -> bool:
        """Tell whether this context, by whatever handle, is current in this thread."""
        record = self._contexts.get(handle)
        return record is not None and record is self.thread().context

    def knows_drawable(self, handle: Handle) -> bool:
        """Tell whether this drawable is known."""
        return handle in self._drawables

    # -- what is current --------------------------------------------------------------------------------------------

    def make_current(self, context: Handle | None, draw: Handle | None = None, read: Handle | None = None) -> None:
        """Note what became current in this thread; to be called when it is current already.

        Parameters
        ----------
        context : None releases what is current
        draw, read : drawables; None where the context has none
        """
        state = self.thread()
        if (state.handle, state.draw, state.read) == (context, draw, read):
            return
        state.handle, state.draw, state.read = context, draw, read
        if context is None:
            state.context = None
            state.context_number = 0
            state.shadow = NO_SHADOW
            self._sink.command("traceMakeCurrent", 0, 0, 0)
            return
        with self._lock:
            record = self._contexts.get(context)
            if record is None:
                record = self._contexts[context] = ContextRecord(ContextAttributes(), ContextShadow(ShareShadow()))
        if record.number == 0:
            record.requested = self._describe(record.requested)
            self._appear(record)
        drawables = [self._drawable_number(handle) for handle in (draw, read)]
        state.context = record
        state.context_number = record.number
        state.shadow = record.shadow
        self._sink.command("traceMakeCurrent", record.number, *drawables)

    def swap(self, drawable: Handle | None, origin: str) -> None:
        """Note a swap of the drawable, done by the function ``origin``."""
        if self.thread().is_opening:
            return
        number = self._drawable_number(drawable)
        self._sink.command("traceSwap", number, origin)

    def restart_in_child(self) -> Callable[[], None]:
        """Forget all numbers after a fork: the child writes a trace of its own, in which nothing has appeared yet.

        Returns
        -------
        a function that makes current what was current at the fork, for the beginning of that trace
        """
        before = self._threads.state()
        handle, draw, read = before.handle, before.draw, before.read
        self._threads.restart_in_child()
        self._lock = threading.RLock()
        self._num_contexts = self._num_drawables = 0
        for record in self._contexts.values():
            record.number = 0
        for drawable in self._drawables.values():
            drawable.number = 0
        return lambda: self.make_current(handle, draw, read)

    def _appear(self, record: ContextRecord) -> None:
        share = record.share
        if share is not None and share.number == 0:
            # Never current itself: all that is known of it is what the program asked for.
            share.requested = replace(record.requested, **_request_of(share.requested))
            self._appear(share)
        with self._lock:
            self._num_contexts += 1
            record.number = self._num_contexts
        self._sink.command(
            "traceContext", record.number, *record.requested.arguments(), share.number if share is not None else 0
        )

    def _drawable_number(self, handle: Handle | None) -> int:
        record = self._drawables.get(handle) if handle is not None else None
        if record is None:
            return 0
        if record.number == 0:
            with self._lock:
                self._num_drawables += 1
                record.number = self._num_drawables
            self._sink.command("traceDrawable", record.number, record.width, record.height, record.kind)
        return record.number


def _request_of(attributes: ContextAttributes) -> dict[str, int]:
    return {"api": attributes.api, "profile": attributes.profile}
