"""``gpucapture import``."""

from __future__ import annotations

from pathlib import Path

import click

from traceformat.errors import TraceFormatError

__all__ = ["import_command"]


@click.command(name="import")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Trace to write (NAME.gltrace).")
@click.option("--strict", is_flag=True, help="Fail on anything that cannot be represented, and write nothing.")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE.trace")
def import_command(output: Path | None, strict: bool, source: Path) -> None:
    """Convert an apitrace file into a .gltrace.

    A cut file is converted up to its last whole call, with status 3.

    Example: apitrace trace -a egl -o game.trace python game.py; gpucapture import game.trace -o game.gltrace
    """
    from capture.cli.options import add_index
    from capture.importers.apitrace import import_trace

    target = output or Path(source.stem + ".gltrace")
    report = import_trace(source, target, strict=strict)
    add_index(target)
    for line in report.warnings():
        click.echo(f"gpucapture: {line}", err=True)
    click.echo(f"gpucapture: {target}: {report.frames:,} frames, {report.calls_written:,} calls", err=True)
    if report.truncated:
        raise TraceFormatError(f"{source}: the file is cut", hint=f"{target} holds what came before")
