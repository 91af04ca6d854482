"""``gputrace convert``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from traceformat.cli.options import examples, output_beside, refuse_damage

__all__ = ["convert"]


@click.command(epilog=examples("gputrace convert app.gltrace -o app.txt"))
@click.argument("trace", type=click.Path())
@click.option("--to", "style", type=click.Choice(["apitrace"]), default="apitrace", show_default=True, help="Style.")
@click.option("-o", "--output", type=click.Path(), help="File to write; default: standard output.")
def convert(trace: str, style: str, output: str | None) -> None:
    """Write a trace as text in the style of ``apitrace dump``."""
    from traceformat.apitrace_text import apitrace_lines
    from traceformat.reader import open_trace

    with open_trace(trace) as reader:
        if output is None:
            for line in apitrace_lines(reader):
                sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
        else:
            refuse_damage(trace, reader.damage)
            with (
                output_beside(Path(output)) as part,
                part.open("w", encoding="utf-8", errors="backslashreplace") as file,
            ):
                file.writelines(line + "\n" for line in apitrace_lines(reader))
        refuse_damage(trace, reader.damage)
