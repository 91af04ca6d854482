"""Keeps what was recorded from being lost with the process: soon after it was, it goes into the temporary file.

What survives by itself (``capture.native.memory``) needs nobody, so that the thread rests where nothing else is
recorded: each of its turns takes the interpreter from the program, whose caches are cold then.

A thread that Python's ``threading`` does not know of, so that a program that counts its threads counts its own. What
the program left for the collector is not finalized in it: finalizers call GL, and GL is the program's threads' own.
"""

from __future__ import annotations

import gc
import signal
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from capture.interrupts import Faults

__all__ = ["Keeper"]

#: With the 5 ms after which Python takes the interpreter from a thread that computes, what is lost is 10 ms at most.
_PERIOD_SECONDS: Final = 0.003
#: Where the turn came at once last time, as it does where libraries let the interpreter go around each call.
_CALM_SECONDS: Final = 0.005
#: A turn that came later than this did not come at once.
_AT_ONCE_SECONDS: Final = 0.001
#: The longest rest.
_REST_SECONDS: Final = 0.25


class Keeper:
    """Calls a function every few milliseconds until it is stopped.

    Parameters
    ----------
    save : lets what was recorded survive; must not wait for long for a thread of the program, which may wait for us
    may_rest : nothing has to be saved until :meth:`wake` is called
    faults : takes what goes wrong, which is the end of it
    """

    def __init__(self, save: Callable[[], None], may_rest: Callable[[], bool], faults: Faults) -> None:
        self._save = save
        self._may_rest = may_rest
        self._faults = faults
        #: Held while the thread runs; given back to end it.
        self._running = allocate_lock()
        self._ended = allocate_lock()
        #: Free where there is something to save.
        self._rest = allocate_lock()

    @property
    def is_running(self) -> bool:
        """Between :meth:`start` and :meth:`stop`."""
        return self._running.locked()

    def start(self) -> None:
        """Begin; of a system that gives no thread nothing more is wanted."""
        if self._running.acquire(blocking=False):
            self._ended.acquire()
            try:
                start_new_thread(self._run, ())
            except RuntimeError:
                self._ended.release()
                self._running.release()

    def stop(self) -> bool:
        """End; gives whether it was running. When this returns the thread touches nothing any more."""
        if not self._running.locked():
            return False
        self._running.release()
        self.wake()
        with self._ended:
            return True

    def wake(self) -> None:
        """Say that something has to be saved; may be called by any thread at any time."""
        # Two at a time may both find it held.
        with suppress(RuntimeError):
            self._rest.release()

    def _run(self) -> None:
        # Signals are for the program's threads.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        running, period = self._running, _PERIOD_SECONDS
        try:
            began = monotonic()
            while not running.acquire(timeout=period):
                lag = monotonic() - began - period
                self._tick()
                period = _CALM_SECONDS if lag < _AT_ONCE_SECONDS else _PERIOD_SECONDS
                if self._may_rest():
                    self._rest.acquire(timeout=_REST_SECONDS)
                began = monotonic()
            running.release()
        except Exception as error:
            self._faults.handle(error, "what a sudden end would lose")
        finally:
            self._ended.release()

    def _tick(self) -> None:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            self._save()
        finally:
            if was_enabled:
                gc.enable()
