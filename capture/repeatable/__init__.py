"""Programs made repeatable on request: a clock that goes by frames, and random numbers from a seed."""

from __future__ import annotations

from fractions import Fraction

from capture.repeatable.clock import FixedClock
from capture.repeatable.randomness import SeededRandomness
from capture.repeatable.time_functions import TimeFunctions

__all__ = ["Repeatable"]


class Repeatable:
    """What a program gets in place of the machine's time and chance.

    Parameters
    ----------
    step : seconds of a frame; None leaves it the machine's time
    seed : of its random numbers; None leaves them to chance
    with_secrets : the seed is for ``os.urandom`` and what stands on it, too

    Attributes
    ----------
    clock : to be told when frames end; None where there is none
    properties : of the trace: what was done
    """

    def __init__(self, step: Fraction | None, seed: int | None, *, with_secrets: bool = False) -> None:
        self.clock = FixedClock(step) if step is not None else None
        self.properties: dict[str, str | int] = {}
        self._parts: list[TimeFunctions | SeededRandomness] = []
        if self.clock is not None:
            self._parts.append(TimeFunctions(self.clock))
            self.properties["clock"] = f"fixed, {step} s a frame"
        if seed is not None:
            self._parts.append(SeededRandomness(seed, with_secrets=with_secrets))
            self.properties["seed"] = f"{seed}, secrets too" if with_secrets else seed

    def install(self) -> None:
        """Do it, before the program imports anything."""
        for part in self._parts:
            part.install()

    def remove(self) -> None:
        """Put everything back."""
        for part in reversed(self._parts):
            part.remove()
