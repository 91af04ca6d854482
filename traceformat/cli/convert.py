"""``gputrace convert``."""

from __future__ import annotations

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import TEXT, InputFile, OutputFile

__all__ = ["convert"]


@click.command(cls=Command, epilog=examples("gputrace convert app.gltrace -o app.txt"))
@click.argument("trace", type=InputFile())
@click.option("--to", "style", type=click.Choice(["apitrace"]), default="apitrace", show_default=True, help="Style.")
@click.option("-o", "--output", type=OutputFile(TEXT), default="-", help="File to write; default: standard output.")
def convert(trace: str, style: str, output: str) -> None:
    """Write a trace as text in the style of ``apitrace dump``."""
    from traceformat.apitrace_text import apitrace_lines
    from traceformat.output import STDOUT, Output
    from traceformat.reader import open_trace

    with open_trace(trace) as reader:
        if output != STDOUT:
            refuse_damage(trace, reader.damage)
        with Output(output) as written:
            for line in apitrace_lines(reader):
                written.stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
        refuse_damage(trace, reader.damage)
