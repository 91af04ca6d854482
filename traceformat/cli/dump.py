"""``gputrace dump``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, parse_frames, refuse_damage
from traceformat.cli.paths import CallSetText, InputFile

__all__ = ["dump"]


@click.command(
    cls=Command,
    epilog=examples(
        "gputrace dump app.gltrace --calls 0-40/draw", "gputrace dump app.gltrace --frames 1 --grep Uniform --json"
    ),
)
@click.argument("trace", type=InputFile())
@click.option(
    "--calls", type=CallSetText(), metavar="CALLSET", help="These calls only: 4, 10-20, 0-1000/draw, frame, @file ..."
)
@click.option("--frames", metavar="A-B", help="These frames only, both ends included.")
@click.option("--grep", metavar="REGEX", help="Lines that match only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--blobs", is_flag=True, help="With --json: contents in full, as hex.")
@click.option("--pager", is_flag=True, help="Show the text page by page; reads on as far as you do.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def dump(
    trace: str,
    calls: str | None,
    frames: str | None,
    grep: str | None,
    as_json: bool,
    blobs: bool,
    pager: bool,
    color: str,
) -> None:
    """Write the calls of a .gltrace, one a line.

    What is lost of a damaged trace is named on stderr, and the status is 3.
    """
    import os

    from traceformat.errors import UsageError
    from traceformat.frame_numbers import check_frames
    from traceformat.gltrace.reader import open_trace
    from traceformat.tools.callset import parse_call_set
    from traceformat.tools.dump import PLAIN, ColorStyle, call_to_dict, format_call

    wanted = parse_call_set(calls) if calls is not None else None
    frame_range = parse_frames(frames)
    try:
        pattern = re.compile(grep) if grep is not None else None
    except re.error as error:
        raise UsageError(f"--grep: '{grep}' is no regular expression: {error}") from None
    automatic = color == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    style = ColorStyle() if color == "always" or automatic else PLAIN
    with open_trace(trace) as reader:
        if reader.num_calls and not reader.damage:
            # Calls behind the last frame count as one frame more.
            check_frames(trace, frame_range, reader.frame_of(reader.num_calls - 1) + 1)
        ends = {frame.end_call - 1 for frame in reader.frames} if wanted else set()
        start = wanted.first if wanted else 0
        stop = wanted.last + 1 if wanted and wanted.last is not None else None

        def lines() -> Iterator[str]:
            for call in reader.calls(frames=frame_range, start=start, stop=stop):
                if wanted and not wanted.has(call.number, call.name, call.number in ends):
                    continue
                if as_json:
                    line = json.dumps(call_to_dict(call, reader.frame_of(call.number), contents=blobs))
                else:
                    line = format_call(call, style)
                if pattern is None or pattern.search(line):
                    yield line + "\n"

        if pager:
            click.echo_via_pager(lines(), color=style is not PLAIN)
        else:
            for line in lines():
                sys.stdout.write(line)
        refuse_damage(trace, reader.damage)
