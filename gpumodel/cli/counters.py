"""``gpureplay counters``."""

from __future__ import annotations

import json
from dataclasses import asdict
from fnmatch import fnmatchcase

import click

from gpumodel.cli.options import CounterName
from traceformat.cli.door import Command
from traceformat.cli.options import examples
from traceformat.errors import UsageError

__all__ = ["counters"]


@click.command(
    cls=Command,
    epilog=examples("gpureplay counters", "gpureplay counters 'fragments.*' 'cache.l2.*'", "gpureplay counters --json"),
)
@click.argument("patterns", metavar="[NAME]...", nargs=-1, type=CounterName())
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def counters(patterns: tuple[str, ...], as_json: bool) -> None:
    """List the counters of results: name, unit, meaning, and who counts it: the machine, or a technique.

    A name may have * and ? in it; cache.l2 stands for all that begin so.
    """
    from gpumodel.counter_list import known_counters
    from traceformat.cli.terminal import listing

    rows = known_counters()
    for pattern in patterns:
        if not any(_matches(row.name, pattern) for row in rows):
            raise UsageError(f"there is no counter {pattern!r}", hint="gpureplay counters lists them")
    chosen = [row for row in rows if not patterns or any(_matches(row.name, pattern) for pattern in patterns)]
    if as_json:
        click.echo(json.dumps([asdict(row) for row in chosen], indent=2))
    else:
        listing(
            [(row.name, row.unit, row.meaning, row.source) for row in chosen], ("counter", "unit", "meaning", "source")
        )


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or name.startswith(f"{pattern}.")
