"""``gputrace dump``."""

from __future__ import annotations

import json
import re
import sys

import click

from traceformat.cli.options import parse_frames, refuse_damage

__all__ = ["dump"]


@click.command()
@click.argument("trace", type=click.Path())
@click.option("--calls", metavar="CALLSET", help="These calls only: 4, 10-20, 0-1000/draw, frame, @file ...")
@click.option("--frames", metavar="A-B", help="These frames only, both ends included.")
@click.option("--grep", metavar="REGEX", help="Lines that match only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--blobs", is_flag=True, help="With --json: contents in full, as hex.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def dump(
    trace: str, calls: str | None, frames: str | None, grep: str | None, as_json: bool, blobs: bool, color: str
) -> None:
    """Write the calls of a .gltrace, one a line.

    What is lost of a damaged trace is named on stderr, and the status is 3.
    """
    import os

    from traceformat.callset import parse_call_set
    from traceformat.dump import PLAIN, ColorStyle, call_to_dict, format_call
    from traceformat.errors import UsageError
    from traceformat.reader import open_trace

    wanted = parse_call_set(calls) if calls is not None else None
    frame_range = parse_frames(frames)
    try:
        pattern = re.compile(grep) if grep is not None else None
    except re.error as error:
        raise UsageError(f"--grep: '{grep}' is no regular expression: {error}") from None
    automatic = color == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    style = ColorStyle() if color == "always" or automatic else PLAIN
    with open_trace(trace) as reader:
        ends = {frame.end_call - 1 for frame in reader.frames} if wanted else set()
        start = wanted.first if wanted else 0
        stop = wanted.last + 1 if wanted and wanted.last is not None else None
        for call in reader.calls(frames=frame_range, start=start, stop=stop):
            if wanted and not wanted.has(call.number, call.name, call.number in ends):
                continue
            if as_json:
                line = json.dumps(call_to_dict(call, reader.frame_of(call.number), contents=blobs))
            else:
                line = format_call(call, style)
            if pattern is None or pattern.search(line):
                sys.stdout.write(line + "\n")
        refuse_damage(trace, reader.damage)
