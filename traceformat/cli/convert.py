"""``gputrace convert``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from traceformat.cli.options import examples, output_beside, refuse_damage
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from traceformat.reader import TraceReader

__all__ = ["convert"]

_BINARY = "apitrace"
_BINARY_SUFFIX = ".trace"


@click.command(
    epilog=examples(
        "gputrace convert app.gltrace -o app.txt", "gputrace convert app.gltrace --to apitrace -o app.trace"
    )
)
@click.argument("trace", type=click.Path())
@click.option(
    "--to",
    "style",
    type=click.Choice(["apitrace-text", _BINARY]),
    default="apitrace-text",
    show_default=True,
    help="Text in the style of 'apitrace dump', or a file that apitrace's own tools open.",
)
@click.option("-o", "--output", type=click.Path(), help="File to write; default for text: standard output.")
def convert(trace: str, style: str, output: str | None) -> None:
    """Write a trace in the style of apitrace: as text, or in its binary format."""
    from traceformat.reader import open_trace

    if (style == _BINARY) != (output is not None and Path(output).suffix == _BINARY_SUFFIX):
        if style == _BINARY:
            raise UsageError("--to apitrace writes a binary file", hint=f"-o NAME{_BINARY_SUFFIX}")
        raise UsageError(f"{output}: text is no {_BINARY_SUFFIX} file", hint="--to apitrace writes one")
    with open_trace(trace) as reader:
        if output is not None:
            refuse_damage(trace, reader.damage)
        if style == _BINARY and output is not None:
            _write_binary(reader, Path(output))
        else:
            _write_text(reader, output)
        refuse_damage(trace, reader.damage)


def _write_text(reader: TraceReader, output: str | None) -> None:
    from traceformat.apitrace_text import apitrace_lines

    if output is None:
        for line in apitrace_lines(reader):
            sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
        return
    with output_beside(Path(output)) as part, part.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(line + "\n" for line in apitrace_lines(reader))


def _write_binary(reader: TraceReader, output: Path) -> None:
    from capture.importers.apitrace.export import Exporter
    from capture.importers.apitrace.writer import EventWriter

    exporter = Exporter()
    properties = {name: value for name, value in reader.properties.items() if isinstance(value, str)}
    with output_beside(output) as part, part.open("wb") as file:
        writer = EventWriter(file, properties)
        for event in exporter.events(reader):
            writer.write(event)
        writer.close()
    for name, count in exporter.lost.items():
        click.echo(f"gputrace: {name} has no counterpart in apitrace: {count} left out", err=True)
