"""pygame: its time is SDL's, which no hook sees; a fixed clock tells it in ``pygame.time``."""

from __future__ import annotations

from collections import deque
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from capture.adapters.base import Capture
    from capture.repeatable.clock import FixedClock

__all__ = ["PygameTimeAdapter"]

_MILLISECOND: Final = 1_000_000
#: Ticks that a clock takes the mean of.
_TICKS: Final = 10


class PygameTimeAdapter:
    """Replaces what of ``pygame.time`` tells time or waits for it.

    Parameters
    ----------
    capture : has the clock
    """

    module = "pygame.time"

    def __init__(self, capture: Capture) -> None:
        self._clock = capture.clock

    def before(self) -> None:
        """Nothing has to be there before."""

    def after(self, module: ModuleType) -> None:
        """Replace the functions and the clock, where there is a fixed one."""
        clock = self._clock
        if clock is None:
            return

        def wait(milliseconds: int) -> int:
            clock.sleep(max(milliseconds, 0) / 1000)
            return max(milliseconds, 0)

        replaced = {
            "get_ticks": lambda: clock.read() // _MILLISECOND,
            "wait": wait,
            "delay": wait,
            "Clock": lambda: _PygameClock(clock),
        }
        for name, value in replaced.items():
            setattr(module, name, value)


class _PygameClock:
    """``pygame.time.Clock``."""

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock
        self._last = clock.read()
        self._time = self._raw = 0
        self._ticks: deque[int] = deque(maxlen=_TICKS)

    def tick(self, framerate: float = 0) -> int:
        """Milliseconds since the tick before, at least those of a frame."""
        self._raw = (self._clock.read() - self._last) // _MILLISECOND
        if framerate > 0:
            self._clock.sleep(max(1 / framerate - (self._clock.read() - self._last) / 1e9, 0))
        now = self._clock.read()
        self._time = (now - self._last) // _MILLISECOND
        self._last = now
        self._ticks.append(self._time)
        return self._time

    tick_busy_loop = tick

    def get_time(self) -> int:
        """Milliseconds between the last two ticks."""
        return self._time

    def get_rawtime(self) -> int:
        """The same without what was waited."""
        return self._raw

    def get_fps(self) -> float:
        """Ticks a second, over the last ten."""
        passed = sum(self._ticks)
        return 1000 * len(self._ticks) / passed if passed and len(self._ticks) == _TICKS else 0.0
