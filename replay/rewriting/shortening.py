"""Shaders that compute in 16 bits what their precision lets them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from replay.rewriting.images import Rewriter
from traceformat.calls import Call
from traceformat.errors import UsageError
from traceformat.gles.roles import core_name

__all__ = ["Shortening"]

#: What asks the compiler for it; behind the text, so that lines keep their numbers.
_PRAGMA: Final = "\n#pragma gpureplay mediump(16)\n"
#: Calls that bring sources, with the parameter that has them.
_SOURCES: Final = {"glShaderSource": "string", "glCreateShaderProgramv": "strings"}


class Shortening(Rewriter):
    """Asks every shader to compute what is mediump or lowp in 16 bits.

    Raises
    ------
    UsageError : another precision, or other bits
    """

    nothing = "the trace has no shaders"

    def __init__(self, target: str, value: str) -> None:
        super().__init__()
        if (target, value) != ("mediump", "16"):
            raise UsageError(f"precision {target}={value} is not known", hint="--precision mediump=16")

    def calls(self, call: Call) -> Iterator[Call]:
        """Give the calls in the place of one."""
        name = _SOURCES.get(core_name(call.name))
        sources = call[name] if name is not None else None
        if name is None or not isinstance(sources, tuple) or not sources:
            yield call
            return
        self.is_there = True
        self.touched += 1
        own: dict[str, object] = {name: (*sources[:-1], str(sources[-1]) + _PRAGMA)}
        if name == "string":
            # The strings were recorded as long as they are.
            own["length"] = None
        yield self._other(call, **own)
