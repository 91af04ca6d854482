"""``gpucapture samples``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples

__all__ = ["samples"]


@click.command(cls=Command, epilog=examples("gpucapture samples"))
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def samples(as_json: bool) -> None:
    """List the demo programs and twins."""
    from samples import PROGRAMS

    if as_json:
        click.echo(json.dumps([asdict(each) for each in PROGRAMS.values()], indent=2))
        return
    for each in PROGRAMS.values():
        click.echo(f"{each.name:<12} {each.api:<26} {each.summary}")
