"""Trimming a trace file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from traceformat.errors import FindingError, TraceFormatError, UsageError
from traceformat.frame_numbers import check_frames
from traceformat.gles.backend import Backend
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.writer import TraceWriter
from traceformat.tools.trim.index import calls_to_follow
from traceformat.tools.trim.slicing import Plan, find_needed

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader
    from traceformat.tools.callset import CallSet

__all__ = ["Trimmed", "trim"]


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A trimmed trace.

    Parameters
    ----------
    plan : calls of the original that it consists of
    frames : pairs of a frame that was kept whole and its number in the trimmed trace
    last_call : number, in the trimmed trace, of the last call that was asked for
    """

    plan: Plan
    frames: tuple[tuple[int, int], ...]
    last_call: int


def plan_trim(
    reader: TraceReader,
    *,
    frames: range | None,
    calls: CallSet | None,
    backend: Backend | None = None,
    trust_file: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Find the calls that a trimmed trace needs; see :func:`trim`."""
    if (frames is None) == (calls is None):
        raise UsageError("give either frames or calls to keep", hint="--frames 10-12 or --calls 0-1000/draw")
    if reader.damage:
        raise TraceFormatError(f"{reader.path}: cannot trim a damaged trace: {reader.damage[0]}")
    backend = backend or Backend()
    if frames is not None:
        check_frames(reader.path, frames, len(reader.frames))
        first = reader.frames[frames.start].first_call
        end = reader.frames[min(frames.stop, len(reader.frames)) - 1].end_call
        followed = calls_to_follow(reader, first - 1, end, backend, trust_file=trust_file, progress=progress)
        tracker = Tracker(backend, remap=True)
        return find_needed(followed, tracker, lambda call: call.number >= first, lambda call: call.number == first - 1)
    assert calls is not None
    ends = {frame.end_call - 1 for frame in reader.frames}
    stop = calls.last + 1 if calls.last is not None else reader.num_calls
    found = find_needed(
        calls_to_follow(reader, calls.first, stop, backend, trust_file=trust_file, progress=progress),
        Tracker(backend, remap=True),
        lambda call: calls.has(call.number, call.name, call.number in ends),
        lambda call: False,
    )
    if not found.wanted:
        raise FindingError("cannot trim: no call of the trace is in the call set")
    return found


def trim(
    reader: TraceReader,
    output: str | os.PathLike[str],
    *,
    frames: range | None = None,
    calls: CallSet | None = None,
    backend: Backend | None = None,
    trust_file: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Trimmed:
    """Write the part of a trace that frames or calls need.

    The calls of the frames stay as they are. Of the calls before them those stay that made what the frames use:
    objects and their content, draws whose pixels are read later, state. They are a frame of their own in front,
    which ends as the frame before the first one kept did.

    Parameters
    ----------
    reader : a whole trace
    output : file to write
    frames, calls : what to keep; one of them
    backend : of the tracker that follows the calls; one that reflects programs makes the result smaller
    trust_file : believe the index of state that the file holds; a long trace has its own made otherwise, once
    progress : told the calls followed so far and all calls while that is made

    Raises
    ------
    UsageError : no such frames, or the output cannot be written
    TraceFormatError : the trace is damaged
    FindingError : it cannot be done, with the reason; nothing is written
    """
    plan = plan_trim(reader, frames=frames, calls=calls, backend=backend, trust_file=trust_file, progress=progress)
    keep = {*plan.needed, *plan.wanted}
    kept_ends: dict[int, int] = {}
    ends = {frame.end_call - 1: frame for frame in reader.frames}
    chosen = set(plan.wanted)
    trimmed = {"sha256": reader.content_hash, "calls": len(keep)}
    if frames is not None:
        trimmed["set_up"] = _set_up_frames(reader, plan, frames)
    properties = {**reader.properties, "trimmed": trimmed}
    writer = TraceWriter(output, properties)
    last_call = 0
    try:
        for call in reader.selected(np.array(sorted(keep), np.int64)):
            number = writer.num_calls
            writer.write_call(call)
            frame = ends.get(call.number)
            if call.number in chosen:
                last_call = number
                if frame is not None and _is_whole(frame.first_call, frame.end_call, keep):
                    kept_ends[frame.number] = number
    except BaseException:
        writer.abort()
        raise
    writer.close()
    return Trimmed(plan, _pairs(output, kept_ends), last_call)


def _set_up_frames(reader: TraceReader, plan: Plan, frames: range) -> int:
    """Frames in front of those that were asked for: ended by calls that these need, or such frames themselves."""
    needed = set(plan.needed)
    in_front = sum(frame.end_call - 1 in needed for frame in reader.frames[: frames.start])
    again = min(frames.stop, reader.set_up_frames) - frames.start
    return in_front + max(again, 0)


def _is_whole(first: int, end: int, keep: set[int]) -> bool:
    return all(number in keep for number in range(first, end))


def _pairs(output: str | os.PathLike[str], kept_ends: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Frames of the trimmed trace that the kept frames are, by the calls that end them."""
    from traceformat.gltrace.reader import open_trace

    with open_trace(output) as trimmed:
        return tuple((frame, trimmed.frame_of(end)) for frame, end in kept_ends.items())
