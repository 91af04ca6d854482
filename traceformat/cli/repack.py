"""``gputrace repack``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from traceformat.cli.options import examples, output_beside, refuse_damage

__all__ = ["repack"]


@click.command(epilog=examples("gputrace repack app.gltrace --level 19 -o small.gltrace"))
@click.argument("trace", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="File to write; default: TRACE itself, once it is whole.")
@click.option("--level", type=click.IntRange(0, 19), default=3, show_default=True, help="Of zstd; 0 stores.")
@click.option("--dedupe", is_flag=True, help="Store each content once, however many there are.")
@click.option("--drop-sources", is_flag=True, help="Leave out the lines of the program that made the calls.")
@click.option("--recover", is_flag=True, help="Write what survives of a damaged trace; the status is still 3.")
@click.option("--json", "as_json", is_flag=True, help="Tell the result as JSON.")
def repack(
    trace: str, output: str | None, level: int, dedupe: bool, drop_sources: bool, recover: bool, as_json: bool
) -> None:
    """Write a trace anew; the calls stay what they are, unless sources are dropped so does the content hash."""
    from traceformat.cli.playing import reflecting_backend, tell_indexing
    from traceformat.reader import open_trace
    from traceformat.repack import repack as write_anew
    from traceformat.trim.index import index_file

    target = Path(output or trace)
    with open_trace(trace) as reader:
        if not recover:
            refuse_damage(trace, reader.damage)
        before = os.path.getsize(trace)
        with output_beside(target) as part:
            count = write_anew(reader, part, level=level, dedupe=dedupe, sources=not drop_sources)
            index_file(part, reflecting_backend(), progress=tell_indexing)
            size = os.path.getsize(part)
        summary = {"output": str(target), "calls": count, "bytes": size, "bytes_before": before}
        if as_json:
            click.echo(json.dumps(summary, indent=2))
        else:
            click.echo(f"{target}: {count} calls; {size} bytes, {before} before")
        refuse_damage(trace, reader.damage)
