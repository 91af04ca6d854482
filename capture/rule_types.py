"""What a rule of an entry point is: a function that runs before the driver sees a call, or after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from capture.shadow import ContextShadow
from traceformat.calls import Value

__all__ = ["After", "Before", "Synthesizer"]


class Synthesizer(Protocol):
    """Who writes the calls that the program did not make."""

    def synthesize(self, name: str, *args: Value) -> None:
        """Write a trace command with the SYNTHETIC flag; the null driver executes it too."""


Before = Callable[[Synthesizer, ContextShadow, Sequence[Any]], None]
#: (shadow, raw arguments, recorded arguments, result)
After = Callable[[ContextShadow, Sequence[Any], Sequence[Value], Any], None]
