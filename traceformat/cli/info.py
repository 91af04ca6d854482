"""``gputrace info``."""

from __future__ import annotations

import json
from typing import Any

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, refuse_damage
from traceformat.cli.paths import InputFile

__all__ = ["info"]

#: Functions, labels and the like that the text lists.
SHOWN = 20
#: Characters of a line that has several names.
LINE = 100
_COUNTED = ("functions", "formats", "markers")


@click.command(cls=Command, epilog=examples("gputrace info app.gltrace", "gputrace info app.gltrace --json"))
@click.argument("trace", type=InputFile())
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
@click.option("-v", "--verbose", is_flag=True, help="Functions, labels and chunks one by one, too.")
@click.option("--recover", is_flag=True, help="Only name what is lost, by call and frame, and what survives.")
def info(trace: str, as_json: bool, verbose: bool, recover: bool) -> None:
    """Tell what a .gltrace or .gputrace holds, and what of it is lost.

    A trace of a gigabyte takes seconds. A damaged file is shown as far as it survives, each loss is named by call and
    frame, and the status is 3.
    """
    from traceformat.gltrace.reader import TraceReader, open_trace
    from traceformat.gputrace.reader import is_gputrace, open_gputrace

    with open_gputrace(trace) if is_gputrace(trace) else open_trace(trace) as reader:
        if recover and isinstance(reader, TraceReader):
            summary = reader.losses()
            click.echo(json.dumps(summary, indent=2) if as_json else _losses(summary))
        else:
            summary = reader.info()
            click.echo(json.dumps(summary, indent=2) if as_json else _text(summary, verbose))
        refuse_damage(trace, reader.damage)


def _losses(summary: dict[str, Any]) -> str:
    lines = [
        f"calls        {summary['surviving_calls']:,} survive of {summary['calls']:,}"
        + ("" if summary["end_known"] else " that are known of; the end is unknown"),
        f"frames       {summary['whole_frames']:,} whole frames before the first loss, of {summary['frames']:,}",
    ]
    lines += [f"damage       {loss['message']}" for loss in summary["damage"]]
    return "\n".join(lines if summary["damage"] else [*lines, "damage       none"])


def _text(summary: dict[str, Any], verbose: bool) -> str:
    lines: list[str] = []
    for key, value in summary.items():
        label = key.replace("_", " ")
        if key in _COUNTED:
            lines += _counted(label, value, verbose)
        elif key in ("contexts", "drawables") and isinstance(value, list):
            lines += [f"{label[:-1]:<12} {_plain(entry, label[:-1])}" for entry in value]
        elif key == "per_frame":
            lines += _frames(value)
        elif key == "shaders":
            parts = [f"{number:,} {what.replace('_', ' ')}" for what, number in value.items() if what != "versions"]
            lines.append(f"{label:<12} {', '.join(parts)}")
            lines += _counted("versions", value["versions"], verbose)
        elif key == "chunks" and not verbose:
            lines.append(f"{label:<12} {', '.join(value)}")
        elif key in ("chunks", "tables", "objects", "bytes_by_kind"):
            lines.append(label)
            for name, entry in value.items():
                parts = [f"{number:,} {what.replace('_', ' ')}" for what, number in entry.items()]
                lines.append(f"  {name:<18} {', '.join(parts)}")
        elif key == "flags":
            parts = [f"{number:,} {what.replace('_', ' ')}" for what, number in value.items() if number]
            lines += [f"{label:<12} {', '.join(parts)}"] if parts else []
        elif key == "properties":
            # What a file says of itself must not steer the terminal.
            lines += [f"{name:<12} {text if str(text).isprintable() else repr(text)}" for name, text in value.items()]
        elif key == "warnings":
            lines += [f"warning      {text}" for text in value]
        elif key != "damage":
            lines.append(f"{label:<12} {value:,}" if isinstance(value, int) else f"{label:<12} {value}")
    return "\n".join(lines)


def _plain(entry: dict[str, Any], what: str) -> str:
    """An entry in words; it is called by its number."""
    parts = [f"{key.replace('_', ' ')} {value}" for key, value in entry.items() if key != what]
    return ", ".join([str(entry[what]), *parts] if what in entry else parts)


def _counted(label: str, counts: dict[str, int], verbose: bool) -> list[str]:
    if not counts:
        return []
    if not verbose:
        named = [f"{name if name.isprintable() else repr(name)} {count:,}" for name, count in counts.items()]
        line = f"{label:<12} {', '.join(named)}"
        return [line if len(line) <= LINE else f"{label:<12} {len(counts):,} different (-v lists them)"]
    shown = list(counts.items())[:SHOWN]
    lines = [label, *(f"  {count:>9,}  {name if name.isprintable() else repr(name)}" for name, count in shown)]
    if len(counts) > len(shown):
        lines.append(f"  {'':>9}  ... {len(counts) - len(shown)} more")
    return lines


def _frames(frames: list[dict[str, int]]) -> list[str]:
    lines = []
    for key in ("calls", "draws"):
        values = sorted(frame[key] for frame in frames)
        if values:
            middle = values[len(values) // 2]
            lines.append(f"{key + '/frame':<12} {values[0]:,} to {values[-1]:,}, median {middle:,}")
    return lines
