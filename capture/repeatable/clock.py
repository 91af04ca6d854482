"""A clock that goes by frames instead of by the machine's time."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from typing import Final

__all__ = ["DEFAULT_STEP", "FixedClock"]

#: Seconds a frame where none are given.
DEFAULT_STEP: Final = Fraction(1, 60)
_SECOND: Final = 1_000_000_000
#: Readings of one thread at one time before the clock goes on by itself: a loop that waits for it has to end.
_PATIENCE: Final = 100_000
_NUDGE_NS: Final = 1_000_000


class FixedClock:
    """Time since the program began: it stands still while a frame is made and goes on when one ends.

    The end of a frame waits, as a display does, until a step has passed since the end of the one before. ``sleep``
    moves the clock by what is slept, without waiting, in the main thread and in threads that end frames; other threads
    sleep as ever and move nothing.

    Parameters
    ----------
    step : seconds of a frame
    """

    def __init__(self, step: Fraction = DEFAULT_STEP) -> None:
        self.step = step
        self._step_ns = round(step * _SECOND)
        self._now_ns = 0
        self._frame_end_ns = 0
        self._movers = {threading.main_thread().ident}
        self._waiting = threading.local()
        self._lock = threading.Lock()
        self._sleep = time.sleep

    def read(self) -> int:
        """Nanoseconds since the program began."""
        waiting = self._waiting
        if getattr(waiting, "at", -1) != self._now_ns:
            waiting.at, waiting.readings = self._now_ns, 0
        waiting.readings += 1
        if waiting.readings > _PATIENCE:
            self._move(_NUDGE_NS)
            waiting.at = self._now_ns
        return self._now_ns

    def end_frame(self) -> None:
        """A frame has ended in this thread."""
        self._movers.add(threading.get_ident())
        with self._lock:
            self._now_ns = self._frame_end_ns = max(self._now_ns, self._frame_end_ns + self._step_ns)

    def sleep(self, seconds: float) -> None:
        """Let time pass.

        Raises
        ------
        TypeError, ValueError : as ``time.sleep`` does
        """
        if threading.get_ident() not in self._movers:
            self._sleep(seconds)
            return
        # Lets other threads run, and refuses what is no time.
        self._sleep(min(seconds, 0))
        self._move(round(seconds * _SECOND))

    def _move(self, nanoseconds: int) -> None:
        with self._lock:
            self._now_ns += nanoseconds
