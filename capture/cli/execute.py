"""``gpucapture exec``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from capture.cli.options import (
    add_index,
    device_option,
    driver_option,
    output_option,
    parse_frames,
    readback_option,
)
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.errors import FindingError
from traceformat.voice import say

if TYPE_CHECKING:
    from capture.drivers.base import DriverName, ReadbackName

__all__ = ["execute_command"]


@click.command(
    "exec",
    cls=Command,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples("gpucapture exec -o game.gltrace ./game --level 2", "gpucapture exec --frames 0-9 glxgears"),
)
@output_option(lambda given: Path(given["program"]).stem)
@driver_option
@readback_option
@device_option
@click.option("--frames", metavar="A-B", help="Record frames A to B, then end the program.")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def execute_command(
    output: str,
    driver: DriverName,
    readback: ReadbackName,
    device: str | None,
    frames: str | None,
    program: str,
    arguments: tuple[str, ...],
) -> int:
    """Run PROGRAM, of any language, with its ARGUMENTS, and write its trace.

    The recorder is loaded into it with LD_PRELOAD and starts once a library of GL is there. Processes that it starts
    write traces of their own beside it. Of a program that crashes or is killed the trace holds all but the last moment.
    """
    first, last = parse_frames(frames)
    from capture.execution import execute
    from capture.options import CaptureOptions
    from traceformat.gltrace.reader import open_trace

    options = CaptureOptions(Path(output), driver, readback, Path(device) if device else None, first, last)
    done = execute(options, (program, *arguments))
    for path in done.traces:
        add_index(path)
        with open_trace(path) as reader:
            found = f"{len(reader.frames):,} frames, {reader.num_calls:,} calls, {path.stat().st_size:,} bytes"
        recovered = " of what was recorded before the end" if done.is_recovered and path == done.traces[0] else ""
        say(f"gpucapture: {path}: {found}{recovered}, {done.seconds:.1f} s")
    if done.status:
        say(f"gpucapture: the program ended with status {done.status}")
    elif not done.traces:
        raise FindingError(
            "the program called no GL",
            hint="programs that are linked statically, or have rights of their own, load nothing of ours",
        )
    return done.status
