"""Calls of a trace executed straight from the rows that hold them: what is the same for like calls is done once.

Handlers are looked up and arguments decoded and checked a chunk at a time, all calls of a shape together, and prepared
for a handler that has less to do (:func:`~traceformat.gles.dispatch.prepares`); a call is made an object of its own
only where a handler asks for it. What is unusual (arguments that no C program can have
passed, lost content, entry points that are not supported) goes through
:meth:`~traceformat.gles.tracker.Tracker.execute`, which does the same for one call.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Call, CallFlags, Value
from traceformat.errors import UnsupportedCallError
from traceformat.framing.headers import ValueKind
from traceformat.gles import runs
from traceformat.gles.dispatch import Entry, Handler, find_entry
from traceformat.gles.runs import CallRun, RunCalls, calls_of, describe, find_runs
from traceformat.gles.tracking import Tracker
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.callcolumns import CallColumns
from traceformat.gltrace.reader import TraceReader

__all__ = ["TracePlayer"]

_Row = tuple[tuple[Handler, bool, int], tuple[Value, ...]]
#: In place of the row of a call that a run of draws has.
_LATER: Final = object()
_FIRST: Final = np.zeros(1, np.int64)


class _Shape(NamedTuple):
    """What like calls have in common: what :meth:`Tracker.find_handler` gives, the entry point, and one of them."""

    head: tuple[Handler, bool, int]
    entry: Entry | None
    like: Call


class TracePlayer:
    """Has a tracker execute the calls of a trace in order.

    Parameters
    ----------
    tracker : of a replay (``remap``)
    reader : the trace
    start, stop : first call, and the one before which the last :meth:`play` ends
    """

    def __init__(self, tracker: Tracker, reader: TraceReader, start: int, stop: int) -> None:
        assert tracker.remap
        self._tracker, self._reader = tracker, reader
        self._next = start
        self._chunks: Iterator[CallsChunk] = reader.chunks(start, stop)
        self._chunk: CallsChunk | None = None
        #: Handler and arguments of each call of the chunk; None for what the general way executes.
        self._rows: list[_Row | None] = []
        #: Places of the latter, ascending.
        self._unusual: list[int] = []
        #: Thread, first call and end of each run of calls of the chunk.
        self._runs: list[tuple[int, int, int]] = []
        #: Runs of draws of the chunk that are still to come, and what they may have of its shapes' calls.
        self._draw_runs: list[CallRun] = []
        self._run_calls: dict[int, RunCalls] = {}
        #: By entry point and kinds of arguments.
        self._shapes: dict[tuple[str, tuple[ValueKind, ...]], _Shape] = {}

    def play(self, stop: int, every: int, check: Callable[[int], Any]) -> None:
        """Execute the calls before ``stop`` that have not been; ``check`` is given the number of each ``every``-th."""
        while self._next < stop:
            chunk = self._chunk
            if chunk is None or self._next >= chunk.first_call + chunk.num_calls:
                chunk = self._chunk = next(self._chunks, None)
                if chunk is None:
                    return
                self._reader.reached = chunk.first_call
                self._rows = self._decoded(chunk)
                base = chunk.first_call
                self._runs = [(run.thread, base + run.call, base + run_end) for run, run_end in chunk.run_ends()]
                self._next = max(self._next, chunk.first_call)
            end = min(stop, chunk.first_call + chunk.num_calls)
            while self._next < end:
                if not self._next % every:
                    check(self._next)
                until = min(end, (self._next // every + 1) * every)
                if self._draw_runs:
                    start = chunk.first_call + self._draw_runs[0].first
                    if start <= self._next:
                        self._execute_run(chunk, end)
                        continue
                    until = min(until, start)
                self._execute(chunk, until)

    def _execute_run(self, chunk: CallsChunk, end: int) -> None:
        """Execute the run of draws that begins here, but for its last time, if it can be had as columns."""
        run, base = self._draw_runs.pop(0), chunk.first_call
        start, stop = base + run.first, base + run.first + run.period * run.repeats
        tracker, failures = self._tracker, self._tracker.num_failures
        thread = next((thread for thread, first, last in self._runs if first <= start and stop <= last), None)
        if self._next == start and stop <= end and thread is not None:
            self._execute(chunk, start + run.period)
            context = tracker.current.get(thread)
            if context is not None and not tracker.num_mapped and tracker.num_failures == failures:
                last = stop - run.period
                draws = range(self._next + run.period - 1, last, run.period)
                found = describe(context, draws, self._pattern(chunk, run))
                if found is not None and tracker.backend.draw_run(context, found):
                    found.note_uniforms(context)
                    self._next = last
                    return
        self._make_rows(chunk, run.between)

    def _pattern(self, chunk: CallsChunk, run: CallRun) -> list[tuple[RunCalls, CallColumns]]:
        """The calls of a run's pattern, but for those of the first and the last time."""
        found = []
        for place in range(run.between.start, run.between.start + run.period):
            number = int(chunk.order[place])
            # As many calls of the shape lie between two times as the pattern has.
            ranks = chunk.ranks[place : run.between.stop : run.period]
            first, step = int(ranks[0]), int(ranks[1] - ranks[0])
            own = slice(first, first + step * len(ranks), step)
            found.append((self._run_calls[number], chunk.columns(number, self._reader.blob).part(own)))
        return found

    def _execute(self, chunk: CallsChunk, end: int) -> None:
        """Execute calls of a chunk up to ``end``."""
        tracker, rows, base = self._tracker, self._rows, chunk.first_call
        for thread, begin, run_end in self._runs:
            first = max(self._next, begin)
            last = min(end, run_end)
            while first < last:
                at = bisect_left(self._unusual, first - base)
                after = min(self._unusual[at] + base, last) if at < len(self._unusual) else last
                if after == first:
                    tracker.execute(self._call_at(first))
                    first += 1
                    continue
                usual: list[Any] = rows[first - base : after - base]
                tracker.execute_rows(first, thread, usual, self._call_at)
                first = after
        self._next = end

    def _call_at(self, number: int) -> Call:
        assert self._chunk is not None
        return self._chunk.call_at(number - self._chunk.first_call, self._reader.blob)

    def _decoded(self, chunk: CallsChunk) -> list[_Row | None]:
        """Handlers and arguments of a chunk's calls, but of those that runs of draws have between their ends."""
        shapes = [self._shape(chunk, number) for number in range(len(chunk.shapes))]
        self._draw_runs = self._find_runs(chunk, shapes) if self._tracker.backend.takes_runs else []
        places: NDArray[np.int64] = chunk.places
        which: list[NDArray[np.int64] | None] = [None] * len(shapes)
        if self._draw_runs:
            places, which = self._made_at_once(chunk)
        columns = [self._rows_of(chunk, *each) for each in zip(range(len(shapes)), shapes, which, strict=True)]
        ordered, made = np.full(chunk.num_calls, _LATER, object), list(chain(*columns))
        ordered[places] = np.fromiter(made, object, len(places))
        rows: list[_Row | None] = ordered.tolist()
        # Rows are true: that of a call has two parts.
        self._unusual = [place for place, row in enumerate(rows) if row is None] if not all(made) else []
        return rows

    def _made_at_once(self, chunk: CallsChunk) -> tuple[NDArray[np.int64], list[NDArray[np.int64] | None]]:
        """Places of the calls that no run has between its ends, those of the first shape first; and which of each
        shape's calls these are, None for all of them.
        """
        is_made = np.ones(chunk.num_calls, bool)
        for run in self._draw_runs:
            is_made[run.between.start : run.between.stop] = False
        which: list[NDArray[np.int64] | None] = [None] * len(chunk.shapes)
        for number in self._run_calls:
            own = is_made[chunk.places_of(number)]
            which[number] = None if own.all() else np.flatnonzero(own)
        return chunk.places[is_made[chunk.places]], which

    def _shape(self, chunk: CallsChunk, number: int) -> _Shape | None:
        """What the calls of a shape have in common; None where they go the general way."""
        shape = chunk.shapes[number]
        if not shape.count:
            return None
        known = self._shapes.get((shape.name, shape.arguments))
        if known is None:
            first = chunk.arguments(number, self._reader.blob, _FIRST)
            if not first:
                return None
            like = Call(0, shape.name, 0, 0, CallFlags(0), first[0])
            try:
                known = _Shape(self._tracker.find_handler(like), find_entry(shape.name), like)
            except UnsupportedCallError:
                return None
            self._shapes[shape.name, shape.arguments] = known
        return known if self._tracker.arguments.are_plain(known.like, chunk.table(number)) else None

    def _find_runs(self, chunk: CallsChunk, shapes: list[_Shape | None]) -> list[CallRun]:
        """Runs of draws of a chunk, in order."""
        self._run_calls = {}
        for number, shape in enumerate(shapes):
            # What may change the state in more ways than a run knows is in none.
            if shape is None or shape.entry is None or shape.head[2] or chunk.shapes[number].count < runs.MIN_REPEATS:
                continue
            taken = calls_of(shape.entry)
            if taken is not None:
                self._run_calls[number] = taken
        if not any([taken.is_draw for taken in self._run_calls.values()]):
            return []
        # Calls that no run of draws has differ from all others.
        marks, ends_pattern = -1 - np.arange(chunk.num_calls), np.zeros(chunk.num_calls, bool)
        for number, taken in self._run_calls.items():
            if taken.are_usual(chunk.columns(number, self._reader.blob)):
                places = chunk.places_of(number)
                marks[places], ends_pattern[places] = taken.marks(chunk.table(number), number), taken.is_draw
        return find_runs(marks, ends_pattern)

    def _rows_of(
        self, chunk: CallsChunk, number: int, shape: _Shape | None, which: NDArray[np.int64] | None
    ) -> Sequence[_Row | None]:
        """Handlers and arguments of calls of a shape: of those at places ``which`` among them, or of all (None)."""
        count = chunk.shapes[number].count if which is None else len(which)
        arguments = chunk.arguments(number, self._reader.blob, which) if shape is not None else None
        if shape is None or not arguments:
            return [None] * count
        columns = chunk.table(number)
        prepare = shape.entry.prepare if shape.entry is not None else None
        prepared = prepare(columns if which is None else columns[which], arguments) if prepare is not None else None
        if prepared is None:
            return list(zip(repeat(shape.head), arguments))
        handler, own = prepared
        quick = (handler, *shape.head[1:])
        if None not in own:
            # Told by type alone: there is no None among them.
            usual: Any = zip(repeat(quick), own)
            return list(usual)
        pairs = zip(own, arguments, strict=True)
        return [(shape.head, general) if mine is None else (quick, mine) for mine, general in pairs]

    def _make_rows(self, chunk: CallsChunk, between: range) -> None:
        """Make the rows of calls that a run has, which is not taken."""
        order, ranks = chunk.order[between.start : between.stop], chunk.ranks[between.start : between.stop]
        for number in np.unique(order).tolist():
            own = np.flatnonzero(order == number)
            found = self._rows_of(chunk, number, self._shape(chunk, number), ranks[own])
            for place, row in zip((between.start + own).tolist(), found, strict=True):
                self._rows[place] = row
                if row is None:
                    insort(self._unusual, place)
