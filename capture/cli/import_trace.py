"""``gpucapture import``."""

from __future__ import annotations

from pathlib import Path

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.cli.paths import GLTRACE, InputFile, OutputFile
from traceformat.cli.terminal import Progress
from traceformat.errors import TraceFormatError

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
@click.option("--strict", is_flag=True, help="Fail on anything that cannot be represented, and write nothing.")
@click.argument("source", type=InputFile(), metavar="FILE.trace")
def import_command(output: str, strict: bool, source: str) -> None:
    """Convert an apitrace file into a .gltrace.

    A cut file is converted up to its last whole call, with status 3.
    """
    from capture.importers.apitrace import import_trace

    with Progress("importing", unit="calls") as progress:

        def read(calls: int) -> None:
            progress.done = calls

        report = import_trace(Path(source), Path(output), strict=strict, progress=read)
    for line in report.warnings():
        click.echo(f"gpucapture: {line}", err=True)
    click.echo(f"gpucapture: {output}: {report.frames:,} frames, {report.calls_written:,} calls", err=True)
    if report.truncated:
        raise TraceFormatError(f"{source}: the file is cut", hint=f"{output} holds what came before")
