"""Calls of a trace executed straight from the rows that hold them: what is the same for like calls is done once.

Handlers are looked up and arguments decoded and checked a chunk at a time, all calls of a shape together, and prepared
for a handler that has less to do (:func:`~traceformat.gles.dispatch.prepares`); a call is made an object of its own
only where a handler asks for it. What is unusual (arguments that no C program can have
passed, lost content, entry points that are not supported) goes through
:meth:`~traceformat.gles.tracker.Tracker.execute`, which does the same for one call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from traceformat.calls import Call, CallFlags, Value
from traceformat.errors import UnsupportedCallError
from traceformat.gles import runs
from traceformat.gles.dispatch import Handler, find_entry
from traceformat.gles.runs import CallRun, describe, find_runs, is_draw, marks_of
from traceformat.gles.tracking import Tracker
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.reader import TraceReader

__all__ = ["TracePlayer"]

_Row = tuple[tuple[Handler, bool, int], tuple[Value, ...]]


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
        #: Runs of draws of the chunk that are still to come.
        self._draw_runs: list[CallRun] = []

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
                    until = self._execute_run(chunk, until, end)
                self._execute(chunk, until)

    def _execute_run(self, chunk: CallsChunk, until: int, end: int) -> int:
        """Execute the run of draws that begins here, but for its last time; gives where to go on to one by one."""
        run, base = self._draw_runs[0], chunk.first_call
        start, stop = base + run.first, base + run.first + run.period * run.repeats
        if self._next < start:
            return min(until, start)
        del self._draw_runs[0]
        thread = next((thread for thread, first, last in self._runs if first <= start and stop <= last), None)
        if self._next > start or stop > end or thread is None:
            return until
        tracker, failures = self._tracker, self._tracker.num_failures
        self._execute(chunk, start + run.period)
        context = tracker.current.get(thread)
        if context is None or tracker.num_mapped or tracker.num_failures > failures:
            return self._next
        last = stop - run.period
        rows: list[Any] = self._rows
        columns = [
            rows[place - base : last - base : run.period] for place in range(self._next, self._next + run.period)
        ]
        found = describe(context, range(self._next + run.period - 1, last, run.period), columns)
        if found is not None and tracker.backend.draw_run(context, found):
            found.note_uniforms(context)
            self._next = last
        return self._next

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
        """Handlers and arguments of a chunk's calls."""
        # Calls that no run of draws has differ from all others.
        marks, ends_pattern = -1 - np.arange(chunk.num_calls), np.zeros(chunk.num_calls, bool)
        columns, takes_runs = [], self._tracker.backend.takes_runs
        for number in range(len(chunk.shapes)):
            found, head = self._shape_rows(chunk, number)
            columns.append(found)
            if not takes_runs or head is None or head[2] or len(found) < runs.MIN_REPEATS:
                continue
            own = marks_of(head[0], chunk.table(number), number)
            if own is not None:
                places = chunk.order == number
                marks[places], ends_pattern[places] = own, is_draw(head[0])
        ordered = np.empty(chunk.num_calls, object)
        ordered[np.argsort(chunk.order, kind="stable")] = np.fromiter(chain(*columns), object, chunk.num_calls)
        rows: list[_Row | None] = ordered.tolist()
        # Rows are true: that of a call has two parts.
        self._unusual = [place for place, row in enumerate(rows) if row is None] if not all(rows) else []
        self._draw_runs = find_runs(marks, ends_pattern) if takes_runs else []
        return rows

    def _shape_rows(
        self, chunk: CallsChunk, number: int
    ) -> tuple[Sequence[_Row | None], tuple[Handler, bool, int] | None]:
        """Handlers and arguments of a shape's calls; the handler of all, None where they have none in common."""
        shape = chunk.shapes[number]
        none = [None] * shape.count
        arguments = chunk.arguments(number, self._reader.blob)
        if not arguments:
            return none, None
        like = Call(0, shape.name, 0, 0, CallFlags(0), arguments[0])
        try:
            found = self._tracker.find_handler(like)
        except UnsupportedCallError:
            return none, None
        columns = chunk.table(number)
        if not self._tracker.arguments.are_plain(like, columns):
            return none, None
        entry = find_entry(shape.name)
        prepared = entry.prepare(columns, arguments) if entry is not None and entry.prepare is not None else None
        if prepared is None:
            return list(zip(repeat(found), arguments)), found
        handler, own = prepared
        quick = (handler, *found[1:])
        if None not in own:
            # Told by type alone: there is no None among them.
            usual: Any = zip(repeat(quick), own)
            return list(usual), quick
        pairs = zip(own, arguments, strict=True)
        return [(found, general) if mine is None else (quick, mine) for mine, general in pairs], None
