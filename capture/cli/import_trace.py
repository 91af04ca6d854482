"""``gpucapture import``."""

from __future__ import annotations

from pathlib import Path

import click

from capture.cli.options import add_index, parse_frames, progress
from traceformat.errors import TraceFormatError, UsageError

__all__ = ["import_command"]


@click.command(name="import")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Trace to write (NAME.gltrace).")
@click.option("--frames", metavar="A-B", help="Keep frames A to B; nothing behind them is read.")
@click.option("--strict", is_flag=True, help="Fail on anything that cannot be represented, and write nothing.")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE")
def import_command(output: Path | None, frames: str | None, strict: bool, source: Path) -> None:
    """Convert a trace of apitrace (.trace) or ARM PATrace (.pat) into a .gltrace.

    A cut or damaged file is converted as far as it is whole, with status 3.

    Example: apitrace trace -a egl -o game.trace python game.py; gpucapture import game.trace -o game.gltrace
    """
    wanted = parse_frames(frames)
    target = output or Path(source.stem + ".gltrace")
    if target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target}: the trace would replace the file itself", hint="choose another -o")
    from capture.importers import import_trace

    show = progress("calls")
    report = import_trace(source, target, strict=strict, frames=wanted, progress=show)
    if show is not None:
        click.echo("\r", err=True, nl=False)
    add_index(target)
    for line in report.warnings():
        click.echo(f"gpucapture: {line}", err=True)
    click.echo(f"gpucapture: {target}: {report.frames:,} frames, {report.calls_written:,} calls", err=True)
    if report.damage:
        raise TraceFormatError(f"{source}: {report.damage}", hint=f"{target} holds what came before")
