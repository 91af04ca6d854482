"""``gputrace trim``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from traceformat.cli.door import Command
from traceformat.cli.options import examples, parse_frames
from traceformat.cli.paths import GLTRACE, CallSetText, InputFile, OutputFile
from traceformat.cli.terminal import reading

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader
    from traceformat.tools.trim.writing import Trimmed

__all__ = ["trim"]


@click.command(cls=Command, epilog=examples("gputrace trim app.gltrace --frames 1 -o frame.gltrace --verify"))
@click.argument("trace", type=InputFile())
@click.option("--frames", metavar="A-B", help="Keep these frames, both ends included.")
@click.option(
    "--calls", type=CallSetText(), metavar="CALLSET", help="Keep these calls: 4, 10-20, 0-1000/draw, frame, @file ..."
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(GLTRACE, default=lambda given: str(Path(given["trace"]).with_suffix(".trim.gltrace"))),
    help="File to write; default TRACE.trim.gltrace.",
)
@click.option(
    "--verify", is_flag=True, help="Replay both traces and compare the pixels; different: nothing is written."
)
@click.option("--trust-index", is_flag=True, help="Believe the index of state in TRACE; else one is made here, once.")
@click.option("--json", "as_json", is_flag=True, help="Tell the result as JSON.")
def trim(
    trace: str,
    frames: str | None,
    calls: str | None,
    output: str,
    verify: bool,
    trust_index: bool,
    as_json: bool,
) -> None:
    """Cut a trace down to frames or calls, and what these depend on.

    What is kept are the program's own calls: those that were asked for, and before them those that made what they use,
    draws into textures and frames that are not cleared included. These are a frame of their own in front.
    """
    from traceformat.cli.playing import reflecting_backend
    from traceformat.gltrace.reader import open_trace
    from traceformat.output import staged
    from traceformat.tools.callset import parse_call_set
    from traceformat.tools.trim.writing import trim as write_trimmed

    wanted = parse_call_set(calls) if calls is not None else None
    with open_trace(trace) as reader, staged(output) as part:
        with reading("trimming", reader):
            done = write_trimmed(
                reader,
                part,
                frames=parse_frames(frames),
                calls=wanted,
                backend=reflecting_backend(),
                trust_file=trust_index,
            )
        with reading("replaying", reader):
            verified = _verify(reader, part, done) if verify else None
        size = os.path.getsize(part)
        before = os.path.getsize(trace)
    summary = {
        "output": output,
        "bytes": size,
        "bytes_before": before,
        "calls": len(done.plan.wanted),
        "calls_needed": len(done.plan.needed),
        "calls_before": reader.num_calls,
        "frames": {str(old): new for old, new in done.frames},
        "verified": verified,
    }
    click.echo(json.dumps(summary, indent=2) if as_json else _text(summary))


def _text(summary: dict[str, object]) -> str:
    text = (
        f"{summary['output']}: {summary['calls']} calls and {summary['calls_needed']} that they need, "
        f"of {summary['calls_before']}; {summary['bytes']} bytes, {summary['bytes_before']} before"
    )
    return text + (f"; {summary['verified']}" if summary["verified"] else "")


def _verify(reader: TraceReader, part: Path, done: Trimmed) -> str:
    """Compare pixels of both traces: pictures of the frames that are kept whole, else the framebuffer at the end.

    Raises
    ------
    FindingError : they differ
    """
    import numpy as np

    from traceformat.cli.playing import drawn_pixels
    from traceformat.errors import FindingError
    from traceformat.gles.roles import is_drawing
    from traceformat.gltrace.reader import open_trace

    with open_trace(part) as trimmed:
        if done.frames:
            return _verify_frames(reader, trimmed, done)
        keep = set(done.plan.wanted)
        drawing = [
            call.number for call in reader.calls(stop=max(keep) + 1) if call.number in keep and is_drawing(call.name)
        ]
        if not drawing:
            raise FindingError("cannot verify: no call of the set draws", hint="trim without --verify, or keep a draw")
        kept = sorted({*done.plan.needed, *keep})
        old = drawn_pixels(reader, drawing[-1])
        new = drawn_pixels(trimmed, kept.index(drawing[-1]))
        same = len(old) == len(new) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(old, new, strict=True))
        if not same:
            raise FindingError(f"not trimmed: the framebuffer behind call {drawing[-1]} would differ")
        return f"verified: the framebuffer behind call {drawing[-1]} is the same"


def _verify_frames(reader: TraceReader, trimmed: TraceReader, done: Trimmed) -> str:
    import numpy as np

    from replay.player import pictures
    from traceformat.errors import FindingError

    numbers = dict(done.frames)
    first, last = min(numbers), max(numbers)
    expected = {
        numbers[frame]: (frame, picture)
        for frame, picture in pictures(reader, frames=(first, last))
        if frame in numbers
    }
    found = dict(pictures(trimmed, frames=(min(numbers.values()), max(numbers.values()))))
    for number, (frame, picture) in expected.items():
        other = found.get(number)
        if other is None or other.shape != picture.shape or not np.array_equal(other, picture):
            share = (
                "all" if other is None or other.shape != picture.shape else str(int((other != picture).any(-1).sum()))
            )
            raise FindingError(f"not trimmed: frame {frame} would differ in {share} pixels")
    return f"verified: {len(expected)} pictures are the same"
