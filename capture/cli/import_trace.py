"""``gpucapture import``."""

from __future__ import annotations

from pathlib import Path

import click

from capture.cli.options import parse_frames
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import GLTRACE, InputFile, OutputFile
from traceformat.cli.terminal import Progress
from traceformat.errors import TraceFormatError
from traceformat.output import staged
from traceformat.voice import say

__all__ = ["import_command"]


@click.command(
    name="import",
    cls=Command,
    epilog=examples("apitrace trace -a egl -o game.trace python game.py", "gpucapture import game.trace"),
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(GLTRACE, default=lambda given: Path(given["source"]).stem + ".gltrace"),
    help="Trace to write (NAME.gltrace).",
)
@click.option(
    "--frames", metavar="A-B", help="Keep frames A to B and what they depend on; nothing behind them is read."
)
@click.option("--strict", is_flag=True, help="Fail on anything that cannot be represented, and write nothing.")
@click.argument("source", type=InputFile(), metavar="FILE")
def import_command(output: str, frames: str | None, strict: bool, source: str) -> None:
    """Convert a trace of apitrace (.trace) or ARM PATrace (.pat) into a .gltrace.

    A cut or damaged file is converted as far as it is whole, with status 3.
    """
    wanted = parse_frames(frames)
    from capture.importers import import_trace

    with Progress("importing", unit="calls") as progress:

        def read(calls: int) -> None:
            progress.done = calls

        # Frames are cut out of the whole trace: into a stream goes what is left.
        with staged(output) as part:
            report = import_trace(Path(source), part, strict=strict, frames=wanted, progress=read)
    for line in report.warnings():
        say(f"gpucapture: {line}")
    say(f"gpucapture: {output}: {report.frames:,} frames, {report.calls_written:,} calls")
    if report.damage:
        raise TraceFormatError(f"{source}: {report.damage}", hint=f"{output} holds what came before")
