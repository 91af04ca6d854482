"""``gputrace validate``."""

from __future__ import annotations

import click

from traceformat.cli.options import refuse_damage

__all__ = ["validate"]


@click.command()
@click.argument("trace", type=click.Path())
def validate(trace: str) -> None:
    """Read a trace from its first to its last byte and check it.

    Check sums, structure, the arguments of each call against the table of entry points, and the content hash.
    """
    from traceformat.errors import FindingError
    from traceformat.gputrace import is_gputrace, open_gputrace
    from traceformat.reader import open_trace
    from traceformat.validate import check_calls

    if is_gputrace(trace):
        with open_gputrace(trace) as frames:
            count = sum(1 for _ in frames)
            refuse_damage(trace, frames.damage)
            click.echo(f"{trace}: ok, {count} frames")
            return
    with open_trace(trace) as reader:
        refuse_damage(trace, reader.damage)
        problems = 0
        for problem in check_calls(reader):
            click.echo(problem)
            problems += 1
        if reader.compute_hash() != reader.content_hash:
            click.echo("the content hash in the index is wrong")
            problems += 1
        if problems:
            raise FindingError(f"{trace}: {problems} problems found")
        click.echo(
            f"{trace}: ok, {reader.num_calls} calls in {len(reader.frames)} frames, sha256 {reader.content_hash}"
        )
