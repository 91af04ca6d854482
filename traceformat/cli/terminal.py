"""What the three commands share of the terminal: tables on standard output, progress on standard error."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

import click

from traceformat.kernels import compiling
from traceformat.voice import say, voice

if TYPE_CHECKING:
    from rich.console import Console

    from traceformat.gltrace.reader import TraceReader

__all__ = ["Position", "Progress", "console", "followed", "listing", "reading"]

T = TypeVar("T")
#: Columns where nobody says how wide a line is, in pipes and files: as many as a table needs.
PIPE_COLUMNS: Final = 10_000
#: 0 in this variable of the environment keeps progress off standard error.
VARIABLE: Final = "GPUREPLAY_PROGRESS"
#: Seconds between two looks of the thread at where the work is.
LOOK_SECONDS = 0.1
#: Seconds between two signs on a terminal, and between two lines elsewhere.
TERMINAL_SECONDS, LINE_SECONDS = 0.4, 10.0
#: A kernel that takes this long is being compiled, not loaded.
COMPILE_SECONDS: Final = 0.5


def console() -> Console:
    """Console of standard output; no line is broken where that is no terminal and ``COLUMNS`` is not set."""
    from rich.console import Console

    class Stdout(Console):
        def on_broken_pipe(self) -> None:
            # Rich ends with status 1; the door knows better.
            raise

    made = Stdout(highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made.file = _WithoutBlanks()  # type: ignore[assignment]
        if "COLUMNS" not in os.environ:
            made.width = PIPE_COLUMNS
    return made


class _WithoutBlanks:
    """Standard output without the blanks that tables have at the ends of lines."""

    def write(self, text: str) -> int:
        """Write whole lines."""
        sys.stdout.write("\n".join(line.rstrip(" ") for line in text.split("\n")))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)


def listing(rows: Sequence[Sequence[str]], headings: Sequence[str] = (), title: str = "") -> None:
    """Print rows in columns; on a terminal the last ones are broken, in a pipe nothing is."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(headings))
    for number in range(max(map(len, rows), default=len(headings))):
        # The first column is what people copy.
        table.add_column(
            headings[number] if headings else "", no_wrap=number == 0, overflow="fold", header_style="bold"
        )
    for row in rows:
        table.add_row(*map(Text, row))
    out = console()
    if title:
        out.print(Text(title), style="bold")
    out.print(table)


class Position(Protocol):
    """Work that says how far it is, looked at from another thread."""

    @property
    def done(self) -> int:
        """Frames, calls ... that are done."""

    @property
    def total(self) -> int | None:
        """Of how many, as far as that is known."""

    @property
    def what(self) -> str:
        """What is going on, such as ``replaying``."""


class Progress:
    """Shows how far work is: one line on a terminal, a line every ten seconds elsewhere, nothing of short work.

    Whoever works sets ``what``, ``done`` and ``total``; a thread looks at them in a ``with`` block, :meth:`look` does
    without one.

    Parameters
    ----------
    what : such as ``modelling``
    total : of the work; None where that is not known
    unit : of ``done``; empty where nothing is counted
    """

    def __init__(self, what: str, total: int | None = None, unit: str = "frames") -> None:
        self.what, self.done, self.total, self.unit = what, 0, total, unit
        #: Work in front of ours, as long as it lasts: shown in its place.
        self.ahead: Position | None = None
        #: Said behind the count, such as how long it will take.
        self.remark = ""
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
        self._began = self._shown = time.monotonic()
        self._is_drawn = False
        # A context belongs to its thread.
        context = click.get_current_context(silent=True)
        self._program = f"{context.find_root().info_name}: " if context else ""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()
        self.clear()

    def advance(self, count: int = 1) -> None:
        """So much more is done."""
        self.done += count

    def text(self) -> str:
        """Where the work is."""
        kernel, since = compiling()
        if kernel and time.monotonic() - since > COMPILE_SECONDS:
            return f"compiling the kernels, once for this version ({kernel})"
        at = self.ahead if self.ahead is not None and self.done == 0 and self.ahead.what else self
        of = f" of {at.total:,}" if at.total else ""
        remark = f", {self.remark}" if self.remark else ""
        return (f"{at.what}: {at.done:,}{of} {self.unit}" if self.unit else at.what) + remark

    def say(self, text: str) -> None:
        """Say a line that stays."""
        self.clear()
        say(f"{self._program}{text}")

    def look(self) -> None:
        """Show where the work is, if it is time to."""
        if os.environ.get(VARIABLE) == "0":
            return
        now = time.monotonic()
        is_terminal = voice().isatty()
        if now - self._shown < (TERMINAL_SECONDS if is_terminal else LINE_SECONDS):
            return
        self._shown = now
        text = f"{self._program}{self.text()}, {now - self._began:.0f} s"
        # Where nobody can be told the work goes on.
        with suppress(OSError, ValueError):
            voice().write(f"\r\x1b[2K{text}" if is_terminal else f"{text}\n")
            voice().flush()
            self._is_drawn = is_terminal

    def clear(self) -> None:
        """Take the line off the terminal."""
        if self._is_drawn:
            self._is_drawn = False
            with suppress(OSError, ValueError):
                voice().write("\r\x1b[2K")
                voice().flush()

    def _watch(self) -> None:
        while not self._end.wait(LOOK_SECONDS):
            self.look()


class Reading:
    """Where readers of traces are, the one that is ahead.

    Parameters
    ----------
    what : is done with the calls
    """

    def __init__(self, what: str, *readers: TraceReader) -> None:
        self.what = what
        self._readers = readers

    @property
    def total(self) -> int:
        """Calls of the longest trace."""
        return max(reader.num_calls for reader in self._readers)

    @property
    def done(self) -> int:
        """Calls read so far."""
        return max(reader.reached for reader in self._readers)


@contextmanager
def reading(what: str, *readers: TraceReader) -> Iterator[None]:
    """Show how far work is that goes through the calls of traces."""
    with Progress(what, unit="calls") as progress:
        progress.ahead = Reading(what, *readers)
        yield


def followed(items: Iterable[T], total: int | None, what: str, ahead: Position | None = None) -> Iterator[T]:
    """Pass items on and show how many there were.

    Parameters
    ----------
    total : of the items
    ahead : what has to be done before the first of them
    """
    with Progress(what, total) as progress:
        progress.ahead = ahead
        for item in items:
            yield item
            progress.advance()
