"""Runs of draws that repeat one pattern of calls: 2D programs set a uniform, bind, point and draw thousands of times.

A pattern is the calls from behind one draw up to the next. Calls of it repeat each other in all that state follows
from (which uniform, which attribute and how its elements look, which texture) and differ in what draws read: values,
buffers, offsets, contents of client arrays, ranges. The first and the last time they are executed one by one, which
checks them and leaves the state that there is behind the run; those between are described as columns for
:meth:`~traceformat.gles.backend.Backend.draw_run`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.headers import ValueKind
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawRun, RunArray
from traceformat.gles.buffers import bind_buffer
from traceformat.gles.dispatch import Entry
from traceformat.gles.draws import MODES, draw_arrays, draw_elements, restart_index
from traceformat.gles.gets import HARMLESS, get_integer
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Buffer
from traceformat.gles.state import Context
from traceformat.gles.textures import bind_texture
from traceformat.gles.uniforms import ValuePreparer
from traceformat.gles.vertex_arrays import client_array, usual_layout, vertex_attrib_pointer
from traceformat.gltrace.callcolumns import CallColumns

__all__ = ["MIN_REPEATS", "CallRun", "RunCalls", "calls_of", "describe", "find_runs"]

#: How often a pattern is repeated from which on it counts as one: fewer draws cost less one by one.
MIN_REPEATS = 24
_SHAPE_BITS: Final = 32
#: Of an array in a buffer, bytes.
_MAX_OFFSET: Final = 1 << 40
_POINTERS: Final = (ValueKind.NONE, ValueKind.OFFSET)
#: Different layouts of pointers that are told apart one by one.
_FEW: Final = 4


class CallRun(NamedTuple):
    """Calls of a chunk: place of the first, calls of the pattern, and how often it is there."""

    first: int
    period: int
    repeats: int

    @property
    def between(self) -> range:
        """Places of its calls, but for those of the first and the last time."""
        return range(self.first + self.period, self.first + self.period * (self.repeats - 1))


class RunCalls(NamedTuple):
    """Calls of an entry point in patterns.

    Parameters
    ----------
    common : arguments that like calls of a pattern have in common
    are_usual : whether calls of a shape are what a pattern may have: none is an error by its arguments alone
    add : adds those of a place in the pattern to a run
    is_draw : they end a pattern
    """

    common: tuple[str, ...]
    are_usual: Callable[[CallColumns], bool]
    add: Callable[[_Described, CallColumns], None]
    is_draw: bool = False

    def marks(self, columns: NDArray[Any], number: int) -> NDArray[np.int64]:
        """(N,) numbers that calls of a shape share if they may be like calls of a pattern; ``number`` of the shape."""
        kinds, count = np.zeros(len(columns), np.int64), 1
        for name in self.common:
            values = columns[name]
            if (values == values[0]).all():
                continue
            low = int(values.min())
            span = int(values.max()) - low + 1
            if count * span <= 1 << _SHAPE_BITS:
                kinds, count = kinds * span + (values.astype(np.int64) - low), count * span
            else:
                _, own = np.unique(values, return_inverse=True)
                _, kinds = np.unique(kinds * len(columns) + own, return_inverse=True)
                count = len(columns)
        return kinds + (number << _SHAPE_BITS)


def calls_of(entry: Entry) -> RunCalls | None:
    """What patterns may have of an entry point's calls."""
    if isinstance(entry.prepare, ValuePreparer):
        preparer = entry.prepare
        return RunCalls(preparer.common, preparer.are_usual, lambda run, calls: run.set_uniform(preparer, calls))
    return _CALLS.get(entry.handler)


def find_runs(marks: NDArray[np.int64], is_draw: NDArray[np.bool_]) -> list[CallRun]:
    """Runs of a chunk, in order.

    Parameters
    ----------
    marks : of each call, see :meth:`RunCalls.marks`; one of its own below 0 for a call that no pattern has
    is_draw : the call ends a pattern
    """
    draws = np.flatnonzero(is_draw)
    if len(draws) < MIN_REPEATS:
        return []
    periods = np.empty_like(draws)
    periods[0], periods[1:] = draws[0] + 1, draws[1:] - draws[:-1]
    is_like = np.zeros(len(draws), bool)
    for period in np.flatnonzero(np.bincount(periods) >= MIN_REPEATS - 1).tolist():
        sums = np.zeros(len(marks) - period + 1, np.int64)
        np.cumsum(marks[period:] == marks[:-period], out=sums[1:])
        own = np.flatnonzero((periods == period) & (draws >= 2 * period - 1))
        ends = draws[own] - period + 1
        is_like[own] = sums[ends] - sums[ends - period] == period
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_like, [False]]).astype(np.int8)))
    found = []
    for begin, end in edges.reshape(-1, 2).tolist():
        period = int(periods[begin])
        # Draws of another period begin another run.
        others = np.flatnonzero(periods[begin:end] != period)
        end = begin + int(others[0]) if len(others) else end
        if end - begin + 1 >= MIN_REPEATS:
            found.append(CallRun(int(draws[begin]) - 2 * period + 1, period, end - begin + 1))
    return found


class _Unusual(Exception):
    """What only single calls do."""


def describe(context: Context, calls: range, pattern: Sequence[tuple[RunCalls, CallColumns]]) -> DrawRun | None:
    """Draws of a pattern, of which the first has just been executed without an error; None where they go one by one.

    Parameters
    ----------
    calls : number of each draw call
    pattern : its calls, each as often as it is made
    """
    array = context.vertex_array
    is_usual = not (
        context.pipeline is not None
        or context.program is None
        or context.program is not context.used_program
        or context.program.executable is None
        or context.transform_feedback.active
        or context.skips_rendering
        or array.bindings
    )
    if not is_usual:
        return None
    run = _Described(context, calls)
    try:
        for taken, columns in pattern:
            taken.add(run, columns)
        return run.finish()
    except _Unusual:
        return None


class _Described:
    """A run in the making."""

    def __init__(self, context: Context, calls: range) -> None:
        self._context = context
        self._run = DrawRun(calls)
        #: Buffers bound for arrays: None before the pattern has bound any.
        self._bound: list[Buffer] | None = None
        self._points_first = False

    def set_uniform(self, preparer: ValuePreparer, calls: CallColumns) -> None:
        """Calls that write one element of a uniform."""
        place, data = preparer.place(self._context, calls.table), preparer.data(calls)
        if place is None or data is None:
            raise _Unusual
        self._run.uniforms.append((*place, data))

    def take_clients(self, calls: CallColumns) -> None:
        """TraceClientArray."""
        location, contents = int(calls.table["a0"][0]), calls.contents(2)
        if location >= len(self._context.vertex_array.attribs) or contents is None:
            raise _Unusual
        own = self._run.arrays.setdefault(location, RunArray())
        own.client_firsts, own.contents = calls.numbers(1), contents
        own.sizes = np.fromiter(map(len, contents), np.int64, len(contents))

    def bind_texture(self, calls: CallColumns) -> None:
        """GlBindTexture of what is bound."""
        target, name = calls.table[["a0", "a1"]][0].tolist()
        bound = self._context.units[self._context.active_unit].textures.get(target)
        if not name or bound is None or self._context.group.textures.objects.get(name) is not bound:
            raise _Unusual

    def bind_buffer(self, calls: CallColumns) -> None:
        """GlBindBuffer."""
        buffers: list[Any] = list(map(self._context.group.buffers.objects.get, calls.table["a1"].tolist()))
        if None in buffers:
            raise _Unusual
        target = int(calls.table["a0"][0])
        if target == gl.GL_ELEMENT_ARRAY_BUFFER:
            self._run.index_buffers = buffers
        elif target == gl.GL_ARRAY_BUFFER:
            if self._points_first:
                raise _Unusual  # to what the pattern bound the time before
            self._bound = buffers
        else:
            raise _Unusual

    def point(self, calls: CallColumns) -> None:
        """GlVertexAttribPointer."""
        context = self._context
        location, offsets = int(calls.table["a0"][0]), calls.numbers(5)
        if location >= len(context.vertex_array.attribs) or offsets.min() < 0 or offsets.max() > _MAX_OFFSET:
            raise _Unusual
        if self._bound is None:
            self._points_first = True
        buffer = context.buffers.get(gl.GL_ARRAY_BUFFER)
        buffers = self._bound or ([buffer] * len(offsets) if buffer is not None else None)
        if buffers is None and offsets.any():
            raise _Unusual
        self._run.arrays[location] = RunArray(buffers, offsets)

    def draw(self, calls: CallColumns) -> None:
        """GlDrawArrays."""
        run = self._run
        run.mode, run.firsts, run.counts = int(calls.table["a0"][0]), calls.numbers(1), calls.numbers(2)

    def draw_indexed(self, calls: CallColumns) -> None:
        """GlDrawElements."""
        run, element_buffer = self._run, self._context.vertex_array.element_buffer
        run.mode, run.index_type = calls.table[["a0", "a2"]][0].tolist()
        run.counts, run.firsts = calls.numbers(1), calls.numbers(3)
        run.restart_index = restart_index(self._context, run.index_type)
        if not run.index_buffers:
            if element_buffer is None:
                raise _Unusual
            run.index_buffers = [element_buffer] * len(run.counts)
        sizes = np.fromiter([len(buffer.store) for buffer in run.index_buffers], np.int64, len(run.index_buffers))
        ends = run.firsts + INDEX_BYTES[run.index_type] * run.counts
        if run.firsts.min() < 0 or run.firsts.max() > _MAX_OFFSET or (ends > sizes).any():
            raise _Unusual

    def finish(self) -> DrawRun:
        """The run; arrays in client memory of enabled attributes have contents."""
        attribs = self._context.vertex_array.attribs
        for location in self._context.vertex_array.enabled:
            own = self._run.arrays.get(location)
            has_buffer = attribs[location].buffer is not None if own is None or not len(own.offsets) else own.buffers
            if not has_buffer and (own is None or not own.contents):
                raise _Unusual
        return self._run


def _all_in(column: NDArray[Any], values: Container[Any]) -> bool:
    return all([value in values for value in set(column.tolist())])


def _are_draws(calls: CallColumns) -> bool:
    table = calls.table
    return _all_in(table["a0"], MODES) and bool(table["a1"].min() >= 0) and bool(table["a2"].min() > 0)


def _are_indexed(calls: CallColumns) -> bool:
    table = calls.table
    return (
        calls.kind(3) in _POINTERS
        and _all_in(table["a0"], MODES)
        and _all_in(table["a2"], INDEX_BYTES)
        and bool(table["a1"].min() > 0)
    )


def _are_pointers(calls: CallColumns) -> bool:
    table = calls.table
    return (
        calls.kind(5) in _POINTERS
        and bool(table["a0"].min() >= 0)
        and all([usual_layout(*layout) is not None for layout in _different(table, ("a1", "a2", "a3", "a4"))])
    )


def _different(table: NDArray[Any], fields: Sequence[str]) -> set[tuple[Any, ...]]:
    """Different values of some columns: one by one as long as there are few, which is quicker than a set of all."""
    columns, found = [table[name] for name in fields], set[tuple[Any, ...]]()
    is_left = np.ones(len(table), bool)
    for _ in range(_FEW):
        at = int(is_left.argmax())
        if not is_left[at]:
            return found
        found.add(tuple([column[at].item() for column in columns]))
        is_other = columns[0] != columns[0][at]
        for column in columns[1:]:
            is_other |= column != column[at]
        is_left &= is_other
    return found.union(zip(*[column[is_left].tolist() for column in columns], strict=True))


def _are_clients(calls: CallColumns) -> bool:
    return calls.kind(2) is ValueKind.BYTES and bool(calls.table["a0"].min() >= 0)


#: By handler; those that write uniforms are beside them (:func:`calls_of`).
_CALLS: Final[dict[Any, RunCalls]] = {
    draw_arrays: RunCalls(("a0",), _are_draws, _Described.draw, is_draw=True),
    draw_elements: RunCalls(("a0", "a2"), _are_indexed, _Described.draw_indexed, is_draw=True),
    bind_buffer: RunCalls(("a0",), lambda calls: True, _Described.bind_buffer),
    bind_texture: RunCalls(("a0", "a1"), lambda calls: True, _Described.bind_texture),
    get_integer: RunCalls((), lambda calls: _all_in(calls.table["a0"], HARMLESS), lambda run, calls: None),
    vertex_attrib_pointer: RunCalls(("a0", "a1", "a2", "a3", "a4"), _are_pointers, _Described.point),
    client_array: RunCalls(("a0",), _are_clients, _Described.take_clients),
}
