"""Say what a replay had to leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from replay.player import PlayedFrames

__all__ = ["tell_what_is_missing"]

#: Programs that are named; the others are counted.
SHOWN = 5


def tell_what_is_missing(trace: str, played: PlayedFrames) -> None:
    """Name on standard error what a limit refused, and the trace's programs that could not be used."""
    lines = played.missing
    for line in lines[:SHOWN]:
        click.echo(f"warning: {trace}: {line}", err=True)
    if len(lines) > SHOWN:
        click.echo(f"warning: {trace}: {len(lines) - SHOWN} more programs are not linked", err=True)
