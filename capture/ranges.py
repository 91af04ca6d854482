"""Keeping parts of a recorded trace: each with the state before it in front, so that it replays alone.

A session always records from the program's first call on, for only so is all state known. What was asked for is cut out
when the program has ended: the calls before a part are replayed (with pixels, since what they drew may be needed), and
the state they lead to is written as a snapshot (:mod:`traceformat.gles.snapshot`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from capture.dead_draws import DeadDraws
from traceformat.calls import Call, CallFlags
from traceformat.errors import FindingError, ToolError
from traceformat.gles.roles import shows_frame
from traceformat.gltrace.reader import TraceReader, open_trace
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import FrameRule

if TYPE_CHECKING:
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker

__all__ = ["CallRange", "cut_trace", "frame_range"]


class CallRange(NamedTuple):
    """Calls ``start`` to ``stop - 1``."""

    start: int
    stop: int


def frame_range(path: Path, first: int, last: int) -> CallRange:
    """Calls of frames ``first`` to ``last`` of a trace, as far as it has them.

    Raises
    ------
    FindingError : the trace ends before the first of them
    """
    with open_trace(path) as reader:
        frames = reader.frames
        if first >= len(frames):
            raise FindingError(
                f"the program ended after {len(frames)} frames, before frame {first}", hint="the trace holds them all"
            )
        return CallRange(frames[first].first_call, frames[min(last, len(frames) - 1)].end_call)


def cut_trace(path: Path, ranges: Sequence[CallRange], progress: Callable[[int, int], None] | None = None) -> int:
    """Replace a trace by parts of it.

    Parameters
    ----------
    path : trace; untouched where this fails
    ranges : parts to keep, ascending and apart from each other
    progress : told the number of calls replayed so far, and of all that have to be

    Returns
    -------
    number of calls in the new trace

    Raises
    ------
    ToolError : the state at the begin of a part cannot be restored
    """
    with open_trace(path) as reader:
        kept = [CallRange(start, min(stop, reader.num_calls)) for start, stop in ranges if start < stop]
        first = kept[0] if kept else CallRange(0, 0)
        properties = reader.properties | {"first_call": first.start, "first_frame": reader.frame_of(first.start)}
        with TraceWriter(path, properties) as writer:
            try:
                for call in _parts(reader, kept, progress):
                    writer.write_call(call)
            except ToolError:
                writer.abort()
                raise
            return writer.num_calls


def _parts(
    reader: TraceReader, ranges: Sequence[CallRange], progress: Callable[[int, int], None] | None
) -> Iterator[Call]:
    from traceformat.gles.snapshot import snapshot_calls

    player, unseen = _Player(), DeadDraws()
    last = ranges[-1].start if ranges else 0
    done, is_first = 0, True
    for start, stop in ranges:
        player.skipped = unseen.find(reader.calls(start=done, stop=start))
        for call in reader.calls(start=done, stop=start):
            player.execute(call)
            if progress is not None and call.number % 1000 == 0:
                progress(call.number, last)
        if start > done or not is_first:
            if not is_first:
                yield from _forget(player.tracker)
            yield from snapshot_calls(player.tracker)
        is_first = False
        for call in reader.calls(start=start, stop=stop):
            # Of the last part nothing more is needed.
            if stop <= last:
                player.execute(call)
            yield call
        if stop <= last:
            unseen.find(reader.calls(start=start, stop=stop))
        done = stop


def _forget(tracker: Tracker) -> Iterator[Call]:
    """End everything that the part before has made, for the snapshot that follows makes it again."""
    for thread in sorted(tracker.current):
        yield Call(0, "traceMakeCurrent", thread, 0, CallFlags.SYNTHETIC, (0, 0, 0))
    for name in sorted(tracker.contexts):
        yield Call(0, "traceDestroyContext", 1, 0, CallFlags.SYNTHETIC, (name,))


class _Player:
    """Replays calls for the state that they lead to.

    Attributes
    ----------
    skipped : numbers of calls that are left out
    """

    def __init__(self) -> None:
        from replay.engine.engine import Engine
        from traceformat.gles.tracker import Tracker
        from traceformat.gputrace.frametrace import ColumnSet

        self._engine: Engine = Engine(ColumnSet(()))
        self.tracker = Tracker(self._engine, remap=True)
        self.skipped: set[int] = set()

    def execute(self, call: Call) -> None:
        """Execute a call, unless it is to be left out."""
        if call.number not in self.skipped:
            self.tracker.execute(call)
        if shows_frame(call.name):
            self._engine.end_frame(0, FrameRule.SWAP)
