"""``gputrace convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import APITRACE, TEXT, InputFile, OutputFile
from traceformat.errors import UsageError

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader
    from traceformat.output import Output, Target

__all__ = ["convert"]

_BINARY: Final = "apitrace"


class _Converted(OutputFile):
    """Text or apitrace's binary format, as ``--to`` says."""

    def check(self, target: Target) -> None:
        """Refuse a name that does not go with the style."""
        if click.get_current_context().params["style"] != _BINARY:
            super().check(target)
            return
        OutputFile(APITRACE).check(target)
        if target.file is not None and not target.path.endswith(APITRACE.suffixes):
            raise UsageError(f"{target.path}: {APITRACE.what} would be written", hint="name it NAME.trace")


@click.command(
    cls=Command,
    epilog=examples(
        "gputrace convert app.gltrace -o app.txt", "gputrace convert app.gltrace --to apitrace -o app.trace"
    ),
)
@click.argument("trace", type=InputFile())
@click.option(
    "--to",
    "style",
    type=click.Choice(["apitrace-text", _BINARY]),
    default="apitrace-text",
    show_default=True,
    help="Text in the style of 'apitrace dump', or a file that apitrace's own tools open.",
)
@click.option("-o", "--output", type=_Converted(TEXT), default="-", help="File to write; default: standard output.")
def convert(trace: str, style: str, output: str) -> None:
    """Write a trace in the style of apitrace: as text, or in its binary format."""
    from traceformat.gltrace.reader import open_trace
    from traceformat.output import STDOUT, Output

    with open_trace(trace) as reader:
        if output != STDOUT or style == _BINARY:
            refuse_damage(trace, reader.damage)
        with Output(output) as written:
            if style == _BINARY:
                _write_binary(reader, written)
            else:
                _write_text(reader, written)
        refuse_damage(trace, reader.damage)


def _write_text(reader: TraceReader, written: Output) -> None:
    from traceformat.tools.apitrace_text import apitrace_lines

    for line in apitrace_lines(reader):
        written.stream.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _write_binary(reader: TraceReader, written: Output) -> None:
    from capture.importers.apitrace.export import Exporter
    from capture.importers.apitrace.writer import EventWriter

    exporter = Exporter()
    properties = {name: value for name, value in reader.properties.items() if isinstance(value, str)}
    writer = EventWriter(written.stream, properties)
    for event in exporter.events(reader):
        writer.write(event)
    writer.close()
    for name, count in exporter.lost.items():
        click.echo(f"gputrace: {name} has no counterpart in apitrace: {count} left out", err=True)
