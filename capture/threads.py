"""What each thread of the program is doing: its number in the trace, what it has current, whether it is in a call."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final

from capture.context_records import ContextRecord, Handle
from capture.shadow import ContextShadow, ShareShadow

__all__ = ["NO_SHADOW", "ThreadState", "Threads"]


#: For calls without a current context: GL ignores them, nothing needs sizing.
NO_SHADOW: Final = ContextShadow(ShareShadow())
_keep_thread: Final = ctypes.pythonapi.PyGILState_Ensure


class ThreadState:
    """One thread.

    Attributes
    ----------
    number : in the trace, from 1 in order of appearance
    inside : a call of this thread is being recorded: what is called from within is not the program's
    is_opening : a window is being made: its first swap shows nothing of the program
    context : current context, and its number (0 = none)
    shadow : what is remembered of the current context
    handle, draw, read : what the window system calls the current context and drawables
    """

    __slots__ = ("context", "context_number", "draw", "handle", "inside", "is_opening", "number", "read", "shadow")

    def __init__(self, number: int) -> None:
        self.number = number
        self.inside = False
        self.is_opening = False
        self.context: ContextRecord | None = None
        self.context_number = 0
        self.shadow = NO_SHADOW
        self.handle: Handle | None = None
        self.draw: Handle | None = None
        self.read: Handle | None = None


class Threads:
    """Numbers threads as they appear.

    Attributes
    ----------
    local : has ``state`` in threads that have appeared; for code that cannot afford a call
    """

    def __init__(self) -> None:
        self.local = threading.local()
        self._lock = threading.Lock()
        self._num_threads = 0

    def state(self) -> ThreadState:
        """The state of the calling thread; numbers it when it is asked for the first time."""
        state: ThreadState | None = getattr(self.local, "state", None)
        if state is None:
            # A thread that Python did not start would lose what is local to it whenever a callback returns.
            _keep_thread()
            with self._lock:
                self._num_threads += 1
                state = self.local.state = ThreadState(self._num_threads)
        return state

    def unrecorded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function of a library whose own GL calls are not the program's."""

        def call(*arguments: Any) -> Any:
            state = self.state()
            before, state.inside = state.inside, True
            try:
                return function(*arguments)
            finally:
                state.inside = before

        return call

    def restart_in_child(self) -> ThreadState:
        """After a fork there is one thread; gives its new state."""
        self.local = threading.local()
        self._lock = threading.Lock()
        self._num_threads = 0
        return self.state()
