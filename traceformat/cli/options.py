"""What the subcommands share: arguments, and how damage is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from traceformat.errors import TraceFormatError, UsageError

if TYPE_CHECKING:
    from traceformat.framing.damage import Damage

__all__ = ["examples", "parse_frames", "refuse_damage"]


def examples(*lines: str) -> str:
    """Epilog of a command's help: commands that work as they stand, on a trace called ``app.gltrace``."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {line}" for line in lines)])


def parse_frames(text: str | None) -> range | None:
    """Frames ``A-B`` (both included), ``A-`` or ``A``; None for all.

    Raises
    ------
    UsageError : the text is no range of frames
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)(?:(-)(\d+)?)?", text.strip())
    if match is None:
        raise UsageError(f"'{text}' is no range of frames", hint="e.g. 3, 2-5 or 10-")
    first = int(match[1])
    last = int(match[3]) if match[3] else (1 << 62 if match[2] else first)
    if last < first:
        raise UsageError(f"the frames '{text}' end before they begin")
    return range(first, last + 1)


def refuse_damage(path: str, damage: list[Damage]) -> None:
    """Name every loss on stderr and end with the status of a bad trace; do nothing for a whole file.

    Raises
    ------
    TraceFormatError : there is damage
    """
    if not damage:
        return
    for loss in damage:
        click.echo(f"{path}: {loss}", err=True)
    raise TraceFormatError(f"{path}: the trace is damaged ({len(damage)} losses named above)")
