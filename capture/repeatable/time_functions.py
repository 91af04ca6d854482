"""The functions of ``time`` and ``datetime``, told by a fixed clock."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from capture.repeatable.callers import is_the_programs
from capture.repeatable.clock import FixedClock
from capture.repeatable.dates import fixed_dates

__all__ = ["TimeFunctions"]

#: When programs begin, by the wall clock: 2026-01-01, 0:00 UTC.
_EPOCH_NS: Final = 1_767_225_600_000_000_000
#: When they begin, by clocks that count from anywhere: not 0, which programs take for "never".
_START_NS: Final = 1_000_000_000_000


class _Replaced:
    """Stands for a function of C: like one, it is no method where a class has it as an attribute."""

    __slots__ = ("_ours", "_real")

    def __init__(self, ours: Callable[..., Any], real: Callable[..., Any]) -> None:
        self._ours = ours
        self._real = real

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        function = self._ours if is_the_programs(sys._getframe(1)) else self._real
        return function(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class TimeFunctions:
    """Puts a clock into ``time`` and ``datetime``.

    Parameters
    ----------
    clock : that tells the time
    """

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock
        self._real: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        """Replace the functions; modules that the program imports from here on take the new ones with them."""
        for name, function in self._functions().items():
            real = getattr(time, name, None)
            if real is not None:
                self._replace(time, name, _Replaced(function, real))
        for name, kind in fixed_dates(self._wall).items():
            self._replace(datetime, name, kind)

    def remove(self) -> None:
        """Put everything back."""
        for place, name, real in reversed(self._real):
            setattr(place, name, real)
        self._real.clear()

    def _replace(self, place: Any, name: str, value: Any) -> None:
        self._real.append((place, name, getattr(place, name)))
        setattr(place, name, value)

    def _wall(self) -> int:
        return _EPOCH_NS + self._clock.read()

    def _since_start(self) -> int:
        return _START_NS + self._clock.read()

    def _functions(self) -> dict[str, Callable[..., Any]]:
        read = {
            "time": self._wall,
            "monotonic": self._since_start,
            "perf_counter": self._since_start,
            "process_time": self._clock.read,
            "thread_time": self._clock.read,
        }
        told: dict[str, Callable[..., Any]] = {f"{name}_ns": function for name, function in read.items()}
        told |= {name: _in_seconds(function) for name, function in read.items()}
        return told | {
            "sleep": self._clock.sleep,
            "localtime": self._broken_down(time.localtime),
            "gmtime": self._broken_down(time.gmtime),
            "ctime": self._broken_down(time.ctime),
            "asctime": self._formatted(time.asctime, 0),
            "strftime": self._formatted(time.strftime, 1),
            "clock_gettime": lambda clock: self._of(clock) / 1e9,
            "clock_gettime_ns": self._of,
        }

    def _of(self, clock: int) -> int:
        return self._wall() if clock == time.CLOCK_REALTIME else self._since_start()

    def _broken_down(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Function of a time in seconds, now where none is given."""
        return lambda seconds=None: real(self._wall() / 1e9 if seconds is None else seconds)

    def _formatted(self, real: Callable[..., Any], place: int) -> Callable[..., Any]:
        """Function of a broken-down time as its last argument, now where none is given."""
        broken_down = self._broken_down(time.localtime)
        return lambda *given: real(*given) if len(given) != place else real(*given, broken_down())


def _in_seconds(function: Callable[[], int]) -> Callable[[], float]:
    return lambda: function() / 1e9
