"""Options that subcommands share, and what they print at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from traceformat.errors import UsageError

if TYPE_CHECKING:
    from capture.options import CaptureOptions
    from capture.session import CaptureResult

__all__ = [
    "add_index",
    "device_option",
    "driver_option",
    "output_option",
    "parse_frames",
    "progress",
    "readback_option",
    "report",
]

#: Seconds between two signs of progress.
PROGRESS_SECONDS = 0.5
Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(function: Command) -> Command:
    """``-o OUT``."""
    option = click.option("-o", "--output", type=click.Path(path_type=Path), help="Trace to write (NAME.gltrace).")
    return option(function)


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
        type=click.Path(path_type=Path),
        metavar="FILE.toml",
        help="Strings and limits of the null driver; gpucapture device prints them.",
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


def progress(what: str = "frames") -> Callable[[int], None] | None:
    """Show a number of frames or of something else on a terminal, a few times a second; None where stderr is none."""
    if not sys.stderr.isatty():
        return None
    shown = 0.0

    def show(number: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= PROGRESS_SECONDS:
            shown = now
            sys.stderr.write(f"\rgpucapture: {number:,} {what} ")
            sys.stderr.flush()

    return show


def add_index(path: Path) -> None:
    """Write the index of state into a long trace, so that parts of it can be taken out quickly."""
    from replay.reflect import ReflectingBackend
    from traceformat.trim.index import index_file

    def tell(calls: int, all_calls: int) -> None:
        if calls and calls % (1 << 18) == 0:
            click.echo(f"gpucapture: index of state: {100 * calls // all_calls} %", err=True)

    if path.is_file():
        index_file(path, ReflectingBackend(), progress=tell)


def report(options: CaptureOptions, result: CaptureResult) -> int:
    """Say on stderr what was captured; raises the finding of a program that ended well.

    Returns
    -------
    exit status
    """
    if options.progress is not None:
        click.echo("\r", err=True, nl=False)
    frames = "1 frame" if result.frames == 1 else f"{result.frames:,} frames"
    click.echo(
        f"gpucapture: {options.output}: {frames}, {result.calls:,} calls, {result.num_bytes:,} bytes,"
        f" {result.seconds:.1f} s",
        err=True,
    )
    add_index(options.output)
    if result.status:
        if result.finding is not None:
            click.echo(f"gpucapture: {result.finding}", err=True)
        click.echo(f"gpucapture: the program ended with status {result.status}", err=True)
        return result.status
    if result.finding is not None:
        raise result.finding
    return 0
