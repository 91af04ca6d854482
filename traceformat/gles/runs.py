"""Runs of draws that repeat one pattern of calls: 2D programs set a uniform, bind, point and draw thousands of times.

A pattern is the calls from behind one draw up to the next. Calls of it repeat each other in all that state follows
from (which uniform, which attribute and how its elements look, which texture) and differ in what draws read: values,
buffers, offsets, contents of client arrays, ranges. The first and the last time they are executed one by one, which
checks them and leaves the state that there is behind the run; those between are described as columns for
:meth:`~traceformat.gles.backend.Backend.draw_run`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawRun, RunArray
from traceformat.gles.buffers import bind_buffer
from traceformat.gles.draws import draw_indexed, draw_range, restart_index
from traceformat.gles.gets import answer_nobody
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gles.objects import Buffer
from traceformat.gles.state import Context
from traceformat.gles.textures import bind_texture
from traceformat.gles.uniforms import is_one_value, place_of_value
from traceformat.gles.vertex_arrays import set_usual_pointer, take_client_array

__all__ = ["MIN_REPEATS", "CallRun", "describe", "find_runs", "is_draw", "marks_of"]

#: How often a pattern is repeated from which on it counts as one: fewer draws cost less one by one.
MIN_REPEATS = 64
_SHAPE_BITS: Final = 32
#: Of an array in a buffer, bytes.
_MAX_OFFSET: Final = 1 << 40
#: Arguments that like calls of a pattern have in common, by what executes them.
_COMMON: Final[dict[Any, tuple[str, ...]]] = {
    draw_range: ("a0",),
    draw_indexed: ("a0", "a2"),
    bind_buffer: ("a0",),
    bind_texture: ("a0", "a1"),
    answer_nobody: (),
    set_usual_pointer: ("a0", "a1", "a2", "a3", "a4"),
    take_client_array: ("a0",),
}
_DRAWS: Final = (draw_range, draw_indexed)
#: Calls of a place in the pattern, as :class:`~traceformat.gles.playing.TracePlayer` has them.
_Rows = Sequence[tuple[tuple[Any, bool, int], tuple[Any, ...]]]


class CallRun(NamedTuple):
    """Calls of a chunk: place of the first, calls of the pattern, and how often it is there."""

    first: int
    period: int
    repeats: int


def marks_of(handler: Any, columns: NDArray[Any], number: int) -> NDArray[np.int64] | None:
    """Numbers that calls of one shape share if they may be like calls of a pattern; None where there can be no such.

    Parameters
    ----------
    handler : executes all of them
    columns : their arguments
    number : of the shape
    """
    # Locations of uniforms, behind the program where there is one.
    names = ("a0", "a1")[: is_one_value(handler)] or _COMMON.get(handler)
    if names is None:
        return None
    kinds = np.zeros(len(columns), np.int64)
    for name in names:
        values = columns[name]
        if (values != values[0]).any():
            _, own = np.unique(values, return_inverse=True)
            _, kinds = np.unique(kinds * len(columns) + own, return_inverse=True)
    return kinds + (number << _SHAPE_BITS)


def is_draw(handler: Any) -> bool:
    """Whether calls with this handler end a pattern."""
    return handler in _DRAWS


def find_runs(marks: NDArray[np.int64], is_draw: NDArray[np.bool_]) -> list[CallRun]:
    """Runs of a chunk, in order.

    Parameters
    ----------
    marks : of each call, see :func:`marks_of`; one of its own below 0 for a call that no pattern has
    is_draw : the call ends a pattern
    """
    draws = np.flatnonzero(is_draw)
    if len(draws) < MIN_REPEATS:
        return []
    periods = np.diff(draws, prepend=-1)
    is_like = np.zeros(len(draws), bool)
    lengths, counts = np.unique(periods, return_counts=True)
    for period in lengths[counts >= MIN_REPEATS - 1].tolist():
        sums = np.concatenate([[0], np.cumsum(marks[period:] == marks[:-period])])
        own = np.flatnonzero((periods == period) & (draws >= 2 * period - 1))
        ends = draws[own] - period + 1
        is_like[own] = sums[ends] - sums[ends - period] == period
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_like, [False]]).astype(np.int8)))
    found = []
    for begin, end in edges.reshape(-1, 2).tolist():
        period = int(periods[begin])
        # Draws of another period begin another run.
        end = begin + int(np.argmax(np.append(periods[begin:end] != period, True)))
        if end - begin + 1 >= MIN_REPEATS:
            found.append(CallRun(int(draws[begin]) - 2 * period + 1, period, end - begin + 1))
    return found


class _Unusual(Exception):
    """What only single calls do."""


def describe(context: Context, calls: range, columns: Sequence[_Rows]) -> DrawRun | None:
    """Draws of a pattern, of which the first has just been executed without an error; None where they go one by one.

    Parameters
    ----------
    calls : number of each draw call
    columns : for each call of the pattern handler and arguments, each time it is made
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
        for rows in columns:
            run.add(rows[0][0][0], [arguments for _, arguments in rows])
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

    def add(self, handler: Any, arguments: list[tuple[Any, ...]]) -> None:
        if handler is set_usual_pointer:
            self._point(arguments)
        elif handler is take_client_array:
            own = self._run.arrays.setdefault(arguments[0][0], RunArray())
            if arguments[0][0] >= len(self._context.vertex_array.attribs):
                raise _Unusual
            own.clients = [client for _, client in arguments]
        elif handler is bind_buffer:
            self._bind(arguments)
        elif handler is bind_texture:
            target, name = arguments[0]
            bound = self._context.units[self._context.active_unit].textures.get(target)
            if not name or bound is None or self._context.group.textures.objects.get(name) is not bound:
                raise _Unusual
        elif handler is draw_range:
            self._run.mode = arguments[0][0].mode
            self._run.firsts = [call.first for (call,) in arguments]
            self._run.counts = [call.count for (call,) in arguments]
        elif handler is draw_indexed:
            self._draw_indexed(arguments)
        elif handler is not answer_nobody:
            place = place_of_value(self._context, handler, arguments[0])
            if place is None:
                raise _Unusual
            self._run.uniforms.append((*place, b"".join([values[-1] for values in arguments])))

    def _bind(self, arguments: list[tuple[Any, ...]]) -> None:
        objects = self._context.group.buffers.objects
        buffers = [objects.get(name) for _, name in arguments]
        found = [buffer for buffer in buffers if buffer is not None]
        if len(found) < len(buffers):
            raise _Unusual
        target = arguments[0][0]
        if target == gl.GL_ELEMENT_ARRAY_BUFFER:
            self._run.index_buffers = found
        elif target == gl.GL_ARRAY_BUFFER:
            if self._points_first:
                raise _Unusual  # to what the pattern bound the time before
            self._bound = found
        else:
            raise _Unusual

    def _point(self, arguments: list[tuple[Any, ...]]) -> None:
        context = self._context
        location, offsets = arguments[0][0], [offset for _, _, offset in arguments]
        if location >= len(context.vertex_array.attribs) or min(offsets) < 0 or max(offsets) > _MAX_OFFSET:
            raise _Unusual
        if self._bound is None:
            self._points_first = True
        buffer = context.buffers.get(gl.GL_ARRAY_BUFFER)
        buffers = self._bound or ([buffer] * len(offsets) if buffer is not None else None)
        if buffers is None and any(offsets):
            raise _Unusual
        self._run.arrays[location] = RunArray(buffers, offsets)

    def _draw_indexed(self, arguments: list[tuple[Any, ...]]) -> None:
        run, element_buffer = self._run, self._context.vertex_array.element_buffer
        run.mode, _, run.index_type, _ = arguments[0]
        run.firsts = [offset for *_, offset in arguments]
        run.counts = [count for _, count, _, _ in arguments]
        run.restart_index = restart_index(self._context, run.index_type)
        if not run.index_buffers:
            if element_buffer is None:
                raise _Unusual
            run.index_buffers = [element_buffer] * len(arguments)
        size = INDEX_BYTES[run.index_type]
        for buffer, offset, count in zip(run.index_buffers, run.firsts, run.counts, strict=True):
            if offset < 0 or offset + size * count > len(buffer.store):
                raise _Unusual

    def finish(self) -> DrawRun:
        """The run; arrays in client memory of enabled attributes have contents."""
        attribs = self._context.vertex_array.attribs
        for location in self._context.vertex_array.enabled:
            own = self._run.arrays.get(location)
            has_buffer = attribs[location].buffer is not None if own is None or not own.offsets else own.buffers
            if not has_buffer and (own is None or not own.clients):
                raise _Unusual
        return self._run
