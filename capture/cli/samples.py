"""``gpucapture samples``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

__all__ = ["samples"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def samples(as_json: bool) -> None:
    """List the demo programs.

    Example: gpucapture samples
    """
    from samples import SAMPLES

    if as_json:
        click.echo(json.dumps([asdict(each) for each in SAMPLES.values()], indent=2))
        return
    for each in SAMPLES.values():
        click.echo(f"{each.name:<12} {each.api:<26} {each.summary}")
