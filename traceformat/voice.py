"""Where a command says what it has to say: standard error as it was when the command began.

A program that runs inside the command (``gpucapture run``) may replace ``sys.stderr``, close it, or lead descriptor 2
elsewhere; our own words are not its.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

__all__ = ["kept_voice", "say", "voice"]

#: Descriptors below are those that programs close, pass on and count on.
_LOWEST_DESCRIPTOR: Final = 200
_kept: list[TextIO] = []


def voice() -> TextIO:
    """Stream to write to; standard error of this moment where no command keeps its own."""
    return _kept[-1] if _kept else sys.stderr


def say(text: str) -> None:
    """Say a line; where nobody can be told, nothing happens. Names in traces may hold what is no text."""
    with suppress(OSError, ValueError):
        print(text.encode("utf-8", "backslashreplace").decode(), file=voice(), flush=True)


@contextmanager
def kept_voice() -> Iterator[None]:
    """Keep today's standard error as our own until the end of the block."""
    stream = sys.stderr
    with suppress(OSError, ValueError, AttributeError):
        if stream.fileno() == 2:
            handle = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
            stream = os.fdopen(handle, "w", buffering=1, encoding=stream.encoding, errors="backslashreplace")
    _kept.append(stream)
    try:
        yield
    finally:
        _kept.pop()
        if stream is not sys.stderr and stream.fileno() >= _LOWEST_DESCRIPTOR:
            with suppress(OSError):
                stream.close()
