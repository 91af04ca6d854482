"""``gputrace repack``."""

from __future__ import annotations

import json
import os

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import GLTRACE, InputFile, OutputFile
from traceformat.cli.terminal import reading

__all__ = ["repack"]


@click.command(cls=Command, epilog=examples("gputrace repack app.gltrace --level 19 -o small.gltrace"))
@click.argument("trace", type=InputFile())
@click.option(
    "-o",
    "--output",
    type=OutputFile(GLTRACE, default=lambda given: str(given["trace"]), replaces="trace"),
    help="File to write; default: TRACE itself, once it is whole.",
)
@click.option("--level", type=click.IntRange(0, 19), default=3, show_default=True, help="Of zstd; 0 stores.")
@click.option("--dedupe", is_flag=True, help="Store each content once, however many there are.")
@click.option("--drop-sources", is_flag=True, help="Leave out the lines of the program that made the calls.")
@click.option("--recover", is_flag=True, help="Write what survives of a damaged trace; the status is still 3.")
@click.option("--json", "as_json", is_flag=True, help="Tell the result as JSON.")
def repack(trace: str, output: str, level: int, dedupe: bool, drop_sources: bool, recover: bool, as_json: bool) -> None:
    """Write a trace anew; the calls stay what they are, unless sources are dropped so does the content hash."""
    from traceformat.cli.playing import indexing, reflecting_backend
    from traceformat.gltrace.reader import open_trace
    from traceformat.output import staged
    from traceformat.tools.repack import repack as write_anew
    from traceformat.tools.trim.index import index_file

    with open_trace(trace) as reader:
        if not recover:
            refuse_damage(trace, reader.damage)
        before = os.path.getsize(trace)
        with staged(output) as part, reading("writing", reader):
            count = write_anew(reader, part, level=level, dedupe=dedupe, sources=not drop_sources, recover=recover)
            with indexing() as progress:
                index_file(part, reflecting_backend(), progress=progress)
            size = os.path.getsize(part)
        summary = {"output": output, "calls": count, "bytes": size, "bytes_before": before}
        if as_json:
            click.echo(json.dumps(summary, indent=2))
        else:
            click.echo(f"{output}: {count} calls; {size} bytes, {before} before")
        refuse_damage(trace, reader.damage)
