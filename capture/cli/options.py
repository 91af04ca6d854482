"""Options that subcommands share, and what they print at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from traceformat.cli.paths import GLTRACE, InputFile, OutputFile
from traceformat.cli.terminal import Progress
from traceformat.errors import UsageError
from traceformat.voice import say

if TYPE_CHECKING:
    from capture.options import CaptureOptions
    from capture.program import Program

__all__ = [
    "add_index",
    "captured",
    "clock_option",
    "device_option",
    "driver_option",
    "output_option",
    "parse_frames",
    "readback_option",
]

#: Seconds of a frame by a fixed clock.
_SHORTEST_STEP: Final = 1e-6
_LONGEST_STEP: Final = 3600
Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(name: Callable[[Mapping[str, Any]], str]) -> Callable[[Command], Command]:
    """``-o OUT``.

    Parameters
    ----------
    name : stem of the default name, from the other parameters
    """
    # Processes that the program starts write beside it, and parts are cut out of it.
    kind = OutputFile(GLTRACE, default=lambda given: f"{name(given)}.gltrace", only_files=True)
    return click.option("-o", "--output", type=kind, help="Trace to write (NAME.gltrace).")


def driver_option(function: Command) -> Command:
    """``--driver auto|system|null``."""
    option = click.option(
        "--driver",
        type=click.Choice(["auto", "system", "null"]),
        default="auto",
        show_default=True,
        help="system forwards to the installed GL, null needs none; auto takes system where a context can be made.",
    )
    return option(function)


def readback_option(function: Command) -> Command:
    """``--readback engine|zero``."""
    option = click.option(
        "--readback",
        type=click.Choice(["engine", "zero"]),
        default="engine",
        show_default=True,
        help="Who answers glReadPixels, queries and the like under the null driver: the replay engine, or nobody.",
    )
    return option(function)


def device_option(function: Command) -> Command:
    """``--device FILE.toml``."""
    option = click.option(
        "--device",
        type=InputFile(),
        metavar="FILE.toml",
        help="Strings and limits of the null driver; gpucapture device prints them.",
    )
    return option(function)


class _Clock(click.ParamType):  # type: ignore[type-arg]
    """``fixed`` or ``fixed:SECONDS``, as seconds of a frame."""

    name = "clock"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from fractions import Fraction

        if isinstance(value, Fraction):
            return value
        kind, _, text = value.partition(":")
        try:
            step = Fraction(text or "1/60")
        except (ValueError, ZeroDivisionError):
            step = Fraction(0)
        if kind != "fixed" or not _SHORTEST_STEP <= step <= _LONGEST_STEP:
            self.fail(f"{value}: not fixed or fixed:SECONDS, such as fixed:1/30", param, ctx)
        return step


def clock_option(function: Command) -> Command:
    """``--clock fixed[:SECONDS]``."""
    option = click.option(
        "--clock",
        type=_Clock(),
        metavar="fixed[:1/60]",
        help="A clock that stands still in a frame and goes on so many seconds where one ends, for repeatable traces.",
    )
    return option(function)


def parse_frames(text: str | None) -> tuple[int, int | None]:
    """First and last frame of ``A-B``; ``(0, None)`` where nothing is given.

    Raises
    ------
    UsageError : no such range
    """
    if text is None:
        return 0, None
    first, dash, last = text.partition("-")
    if not (first.isdigit() and (last.isdigit() or not dash)):
        raise UsageError(f"--frames {text}: not a range of frames", hint="A-B includes both, e.g. 0-59")
    begin, end = int(first), int(last) if dash else int(first)
    if end < begin:
        raise UsageError(f"--frames {text}: the range is empty")
    return begin, end


def add_index(path: Path) -> None:
    """Write the index of state into a long trace, so that parts of it can be taken out quickly."""
    from replay.reflect import ReflectingBackend
    from traceformat.cli.playing import indexing
    from traceformat.tools.trim.index import index_file

    if path.is_file():
        with indexing() as progress:
            index_file(path, ReflectingBackend(), progress=progress)


def captured(options: CaptureOptions, program: Program) -> int:
    """Run a program and say on stderr what was captured; raises the finding of a program that ended well.

    Returns
    -------
    exit status
    """
    from capture.session import Session

    # Without a thread of its own: the program's threads are the program's.
    progress = Progress("recording")

    def show(frames: int) -> None:
        progress.done = frames
        progress.look()

    result = Session(replace(options, progress=show), program).run()
    progress.clear()
    frames = "1 frame" if result.frames == 1 else f"{result.frames:,} frames"
    if result.num_bytes:
        say(
            f"gpucapture: {options.output}: {frames}, {result.calls:,} calls, {result.num_bytes:,} bytes,"
            f" {result.seconds:.1f} s"
        )
        add_index(options.output)
    if result.status:
        if result.finding is not None:
            say(f"gpucapture: {result.finding}")
        say(f"gpucapture: the program ended with status {result.status}")
        return result.status
    if result.finding is not None:
        raise result.finding
    return 0
