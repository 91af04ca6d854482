"""What one trace may use of this machine: guards against hostile or runaway traces, which a user may raise.

The environment variable ``GPUREPLAY_LIMITS`` sets them, as in ``memory=8G,frame_memory=16G``. The names are the
fields of :class:`Guards`; numbers take K, M and G (times 1024). Memory that GL has an error for ends in
GL_OUT_OF_MEMORY, as on a device, of which replays tell; everything else in a ReplayError that names the guard.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cache
from typing import Final

from traceformat.errors import ReplayError, UsageError
from traceformat.process_memory import machine_bytes, process_bytes, resident_bytes

__all__ = ["VARIABLE", "Budget", "Guards", "check_process_memory", "exceeded", "guards", "how_to_raise", "number_of"]

VARIABLE: Final = "GPUREPLAY_LIMITS"
_NUMBER: Final = re.compile(r"(\d{1,18})(?:([KMG])(?:iB)?)?", re.IGNORECASE)
#: What numbers of rows and counters of shaders have room for.
_HIGHEST: Final = {"draw_vertices": (1 << 31) - 1, "loop_iterations": (1 << 31) - 1}
#: Between two looks at time and memory; each takes some microseconds.
_CHECK_SECONDS: Final = 0.02
_FACTORS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Guards:
    """Limits of one replay, and of what is done with its frames.

    Parameters
    ----------
    memory : bytes of all buffers and images together
    buffer : bytes of one buffer
    image : bytes of one image, and of one read-back
    contexts, names : contexts; names of one kind of object
    draw_vertices : count times instances of one draw
    frame_memory : bytes of everything that is recorded of the frames in use
    loop_iterations : of all loops of one group of eight shader invocations
    draw_iterations : of all loops of all groups of one draw's vertices, and of its fragments
    frame_passes : render passes of one frame
    frame_cycles : GPU cycles that one frame is modelled for
    wall_seconds : time that one replay, or one model, may take
    process_memory : bytes that the process of a command holds, whatever for, but for pages of files; by default seven
        eighths of what the machine has for it
    """

    memory: int = 4 << 30
    buffer: int = 1 << 30
    image: int = 1 << 30
    contexts: int = 1024
    names: int = 1 << 18
    draw_vertices: int = 1 << 24
    frame_memory: int = 8 << 30
    loop_iterations: int = 1 << 20
    draw_iterations: int = 1 << 32
    frame_passes: int = 1 << 16
    frame_cycles: int = 1 << 32
    wall_seconds: int = 7 * 24 * 3600
    process_memory: int = field(default_factory=lambda: machine_bytes() // 8 * 7)


def guards() -> Guards:
    """The guards in force.

    Raises
    ------
    UsageError : the environment variable names no guard, or no number
    """
    return _parsed(os.environ.get(VARIABLE, ""))


def number_of(text: str) -> int | None:
    """Number of a text such as 512, 64K, 2MiB or 8G (powers of 1,024); None where it is none."""
    found = _NUMBER.fullmatch(text)
    return int(found[1]) * _FACTORS[(found[2] or "").upper()] if found else None


@cache
def _parsed(text: str) -> Guards:
    known = [field.name for field in fields(Guards)]
    values: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name not in known:
            near = get_close_matches(name, known, 1)
            raise UsageError(f"{VARIABLE}: no limit {name!r}", hint=f"did you mean {near[0]!r}?" if near else "")
        found = number_of(number)
        if found is None:
            raise UsageError(f"{VARIABLE}: {name}={number} is no number", hint="such as 512M or 8G")
        values[name] = found
        if name in _HIGHEST and values[name] > _HIGHEST[name]:
            raise UsageError(f"{VARIABLE}: {name} is at most {_HIGHEST[name]}")
    return replace(Guards(), **values)


def how_to_raise(name: str) -> str:
    """What raises a guard."""
    return f"{VARIABLE}={name}=... raises it"


def exceeded(found: str, name: str) -> ReplayError:
    """Error for something that is over a guard.

    Parameters
    ----------
    found : what was found
    name : the guard, a field of :class:`Guards`
    """
    limit = getattr(guards(), name)
    return ReplayError(f"{found}, more than the limit {name}={limit}", hint=how_to_raise(name))


def check_process_memory(more: int = 0) -> None:
    """Look whether this process may hold so many bytes more; takes some microseconds.

    Raises
    ------
    ReplayError : it may not
    """
    limit = guards().process_memory
    if resident_bytes() + more <= limit:
        return
    held = process_bytes() + more
    if held > limit:
        raise exceeded(f"the process needs {held} bytes", "process_memory")


class Budget:
    """What a piece of work that begins now may use of time and memory."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._next = self._begin

    def check(self, where: str) -> None:
        """Raise a ReplayError where it has used more; ``where`` says how far the work has come.

        May be called often: it looks at most once in some milliseconds.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _CHECK_SECONDS
        seconds = now - self._begin
        if seconds > guards().wall_seconds:
            raise exceeded(f"{where}: {seconds:.0f} seconds of work", "wall_seconds")
        check_process_memory()
