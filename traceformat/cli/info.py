"""``gputrace info``."""

from __future__ import annotations

import json
from typing import Any

import click

from traceformat.cli.options import refuse_damage

__all__ = ["info"]

#: Functions that the text lists.
SHOWN_FUNCTIONS = 20


@click.command()
@click.argument("trace", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def info(trace: str, as_json: bool) -> None:
    """Tell what a .gltrace or .gputrace holds, and what of it is lost.

    A damaged file is shown as far as it survives, each loss is named by call and frame, and the status is 3.
    """
    from traceformat.gputrace import is_gputrace, open_gputrace
    from traceformat.reader import open_trace

    with open_gputrace(trace) if is_gputrace(trace) else open_trace(trace) as reader:
        summary = reader.info()
        click.echo(json.dumps(summary, indent=2) if as_json else _text(summary))
        refuse_damage(trace, reader.damage)


def _text(summary: dict[str, Any]) -> str:
    lines = []
    for key, value in summary.items():
        if key == "functions":
            lines.append("functions")
            shown = list(value.items())[:SHOWN_FUNCTIONS]
            lines += [f"  {count:>9,}  {name}" for name, count in shown]
            if len(value) > len(shown):
                lines.append(f"  {'':>9}  ... {len(value) - len(shown)} more")
        elif key in ("chunks", "tables"):
            lines.append(key)
            for name, entry in value.items():
                parts = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in entry.items())
                lines.append(f"  {name:<16} {parts}")
        elif key == "properties":
            # What a file says of itself must not steer the terminal.
            lines += [
                f"{name:<12} {text}" if str(text).isprintable() else f"{name:<12} {text!r}"
                for name, text in value.items()
            ]
        elif key != "damage":
            lines.append(
                f"{key.replace('_', ' '):<12} {value:,}"
                if isinstance(value, int)
                else f"{key.replace('_', ' '):<12} {value}"
            )
    return "\n".join(lines)
