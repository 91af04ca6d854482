"""The payload of a CALLS chunk, decoded as arrays or as calls (see ``headers.CALLS_HEADER``)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain, pairwise, repeat
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Call, CallFlags, Offset, Source, Value
from traceformat.errors import TraceFormatError
from traceformat.framing.headers import (
    BOUNDARY,
    CALLS_HEADER,
    LOCATION,
    OUTPUT,
    RUN,
    SHAPE,
    ValueKind,
    dtype_of,
    struct_of,
)
from traceformat.gltrace.callcolumns import CallColumns
from traceformat.gltrace.frames import Boundary
from traceformat.gltrace.records import REFERENCES, STORED_FLAGS, Shape
from traceformat.gputrace.frametrace import FrameRule

__all__ = ["CallsChunk"]

_HEADER: Final = struct_of(CALLS_HEADER)
_SHAPE: Final = struct_of(SHAPE)
_OUTPUT: Final = struct_of(OUTPUT)
_U32: Final = struct.Struct("<I")


def _unpack_texts(data: bytes) -> tuple[str, ...]:
    """Undo :func:`_pack_texts`."""
    count = _U32.unpack_from(data)[0] if len(data) >= 4 else len(data)
    start = 4 + 4 * count
    if len(data) < start:
        raise TraceFormatError(f"a list of {count} texts does not fit in {len(data)} bytes")
    texts = []
    for length in struct.unpack_from(f"<{count}I", data, 4):
        texts.append(data[start : start + length].decode("utf-8", "surrogateescape"))
        start += length
    if start != len(data):
        raise TraceFormatError(f"a list of texts takes {start} bytes, {len(data)} are there")
    return tuple(texts)


#: How a value of a row becomes one of a call; enumeration members are slow to compare and to look up.
_NOTHING: Final = 0
_PLAIN: Final = 1
_OFFSET: Final = 2
_REFERENCE: Final = 3
_BYTES: Final = ValueKind.BYTES
#: By number; an enumeration is slow to ask.
_KINDS: Final = tuple(ValueKind)


class _Step(NamedTuple):
    how: int
    kind: ValueKind


def _step(kind: ValueKind) -> _Step:
    if kind is ValueKind.NONE:
        return _Step(_NOTHING, kind)
    if kind is ValueKind.OFFSET:
        return _Step(_OFFSET, kind)
    return _Step(_REFERENCE if kind in REFERENCES else _PLAIN, kind)


@lru_cache(maxsize=4096)
def _steps(kinds: tuple[ValueKind, ...]) -> tuple[_Step, ...]:
    return tuple(map(_step, kinds))


class _Cursor:
    """Takes consecutive sections from a payload; every size is checked against what is there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, num_bytes: int) -> bytes:
        start, self._at = self._at, self._at + num_bytes
        if self._at > len(self._data):
            raise TraceFormatError(f"a section of {num_bytes} bytes reaches beyond its chunk")
        return self._data[start : self._at]

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        return layout.unpack(self.take(layout.size))

    def array(self, dtype: Any, count: int) -> NDArray[Any]:
        wanted = np.dtype(dtype)
        return np.frombuffer(self.take(wanted.itemsize * count), wanted)

    @property
    def rest(self) -> int:
        return len(self._data) - self._at


class _Run(NamedTuple):
    call: int
    thread: int
    context: int


_first_call: Final = attrgetter("call")


class CallsChunk:
    """A decoded CALLS payload.

    Parameters
    ----------
    payload : uncompressed
    first_call : number of its first call

    Attributes
    ----------
    shapes : what the rows hold
    order : (num_calls,) uint16    row of ``shapes`` for each call
    rows : for each shape its packed rows, see :meth:`table`
    inline_sizes : (items,) int64    bytes of each content that lies in the chunk
    blob_numbers : of the blobs that its calls refer to
    boundaries : calls that may end frames

    Raises
    ------
    TraceFormatError : the payload contradicts itself
    """

    def __init__(self, payload: bytes, first_call: int) -> None:
        cursor = _Cursor(payload)
        (
            self.num_calls,
            self.num_draws,
            num_names,
            num_shapes,
            num_runs,
            num_boundaries,
            num_inline,
            num_blobs,
            inline_bytes,
            num_locations,
        ) = cursor.unpack(_HEADER)
        self.first_call = first_call
        names = [cursor.take(cursor.take(1)[0]).decode("ascii", "replace") for _ in range(num_names)]
        if not all(name.isascii() and name.isprintable() for name in names):
            raise TraceFormatError("the name of an entry point holds more than ASCII letters and signs")
        try:
            self.shapes = [self._read_shape(cursor, names) for _ in range(num_shapes)]
        except (ValueError, IndexError) as error:
            raise TraceFormatError(f"a description of calls is damaged: {error}") from None
        self.order: NDArray[np.uint16] = cursor.array("<u2", self.num_calls)
        self.runs = [_Run(*run) for run in cursor.array(dtype_of(RUN), num_runs).tolist()]
        boundaries = cursor.array(dtype_of(BOUNDARY), num_boundaries).tolist()
        self.boundaries = [Boundary(first_call + call, rule, draws) for call, rule, draws in boundaries]
        self.rows = [
            self._untransposed(cursor.take(shape.count * shape.row.size), shape.row.size) for shape in self.shapes
        ]
        self.inline_sizes: NDArray[np.int64] = cursor.array("<u4", num_inline).astype(np.int64)
        self._inline_ends = [0, *np.cumsum(self.inline_sizes).tolist()]
        self.blob_numbers: list[int] = cursor.array("<u8", num_blobs).tolist()
        self._inline = cursor.take(inline_bytes)
        self._locations = cursor.array(dtype_of(LOCATION), num_locations).tolist()
        self._tables: dict[int, NDArray[Any]] = {}
        self._sources: list[int] = cursor.array("<u4", self.num_calls).tolist() if num_locations else []
        self._check(cursor.rest, inline_bytes)

    @staticmethod
    def _read_shape(cursor: _Cursor, names: list[str]) -> Shape:
        name, flags, result, num_arguments, num_outputs, count = cursor.unpack(_SHAPE)
        arguments = tuple([_KINDS[kind] for kind in cursor.take(num_arguments)])
        outputs = [cursor.unpack(_OUTPUT) for _ in range(num_outputs)]
        kinds = tuple([(names[key], _KINDS[kind]) for key, kind in outputs])
        return Shape(names[name], flags & STORED_FLAGS, arguments, kinds, _KINDS[result], count)

    @staticmethod
    def _untransposed(rows: bytes, row_bytes: int) -> bytes:
        return np.frombuffer(rows, np.uint8).reshape(row_bytes, -1).T.tobytes() if row_bytes else b""

    def _check(self, rest: int, inline_bytes: int) -> None:
        counts = np.bincount(self.order, minlength=len(self.shapes)).tolist()
        if counts != [shape.count for shape in self.shapes]:
            raise TraceFormatError("the order of a chunk's calls contradicts their rows")
        starts = [run.call for run in self.runs]
        if starts != sorted(set(starts)) or (self.num_calls and starts[:1] != [0]):
            raise TraceFormatError("a chunk's threads and contexts are out of order")
        if self._inline_ends[-1] != inline_bytes:
            raise TraceFormatError("a chunk's content has other lengths than announced")
        if any(source > len(self._locations) for source in self._sources):
            raise TraceFormatError("a call's source is none of the chunk's locations")
        if any(rule > FrameRule.READ_PIXELS for _, rule, _ in self.boundaries):
            raise TraceFormatError("a chunk's frame boundary has an unknown rule")
        if rest:
            raise TraceFormatError(f"{rest} bytes are left over in a chunk")

    def table(self, shape: int) -> NDArray[Any]:
        """Rows of a shape as a structured array (``Shape.dtype``); references are not resolved."""
        found = self._tables.get(shape)
        if found is None:
            layout = self.shapes[shape]
            is_stored = layout.row.size > 0
            found = np.frombuffer(self.rows[shape], layout.dtype) if is_stored else np.zeros(layout.count, layout.dtype)
            self._tables[shape] = found
        return found

    @property
    def num_sourced(self) -> int:
        """Calls with a place in the program."""
        return sum(source > 0 for source in self._sources)

    def values(self, shape: int, column: str, blob: Callable[[int], bytes | None]) -> list[tuple[Value, int]]:
        """Different contents in a column of references, and how often each occurs.

        Parameters
        ----------
        shape : number of the shape
        column : field of its rows, such as ``a2``
        blob : gives a blob's content by number, None where it is lost
        """
        table = self.table(shape)
        kinds = [kind for kind in self.shapes[shape].kinds if kind is not ValueKind.NONE]
        if table.dtype.names is None or column not in table.dtype.names:
            return []
        kind = kinds[table.dtype.names.index(column)]
        if kind not in REFERENCES:
            return []
        references, counts = np.unique(table[column], return_counts=True)
        pairs = zip(references.tolist(), counts.tolist(), strict=True)
        return [(self._resolve(reference, kind, blob), count) for reference, count in pairs]

    def calls_with_blobs(self, lost: Callable[[int], bool]) -> list[int]:
        """Numbers of the calls whose content lies in a blob for which ``lost`` holds, in order."""
        wanted = {2 * i + 1 for i, number in enumerate(self.blob_numbers) if lost(number)}
        found: list[int] = []
        for number, shape in enumerate(self.shapes):
            hit = np.zeros(shape.count, bool)
            columns = self.table(number)
            if wanted and columns.dtype.names is not None:
                kinds = [kind for kind in shape.kinds if kind is not ValueKind.NONE]
                for name, kind in zip(columns.dtype.names, kinds, strict=True):
                    if kind in REFERENCES:
                        hit |= np.isin(columns[name], list(wanted))
            if hit.any():
                found += (self.first_call + np.flatnonzero(self.order == number)[hit]).tolist()
        return sorted(found)

    def _resolve(self, reference: int, kind: ValueKind, blob: Callable[[int], bytes | None]) -> Value:
        """Content that a row's reference stands for; None when its blob is lost."""
        index = reference >> 1
        data: bytes | None
        if reference & 1:
            if index >= len(self.blob_numbers):
                raise TraceFormatError(f"reference to blob {index} of {len(self.blob_numbers)}")
            data = blob(self.blob_numbers[index])
        else:
            if index + 1 >= len(self._inline_ends):
                raise TraceFormatError(f"reference to item {index} of {len(self._inline_ends) - 1}")
            data = self._inline[self._inline_ends[index] : self._inline_ends[index + 1]]
        if data is None or kind is _BYTES:
            return data
        return data.decode("utf-8", "surrogateescape") if kind is ValueKind.TEXT else _unpack_texts(data)

    def _decode(
        self, steps: list[tuple[int, int, ValueKind]], row: tuple[Any, ...], blob: Callable[[int], bytes | None]
    ) -> tuple[list[Value], bool]:
        """Values of a row, None included, and whether content is lost; ``steps`` are those of values that differ."""
        values: list[Value] = list(row)
        lost = False
        for at, how, kind in steps:
            if how == _NOTHING:
                values.insert(at, None)
            elif how == _OFFSET:
                values[at] = Offset(values[at])  # type: ignore[arg-type]
            else:
                value = values[at] = self._resolve(values[at], kind, blob)  # type: ignore[arg-type]
                lost |= value is None
        return values, lost

    def calls(self, blob: Callable[[int], bytes | None], start: int = 0) -> Iterator[Call]:
        """Iterate over the calls.

        Parameters
        ----------
        blob : gives a blob's content by number, None where it is lost
        start : number of the first call wanted

        Raises
        ------
        TraceFormatError : a row refers to what is not there
        """
        rows: list[Iterator[tuple[Any, ...]]] = [
            shape.row.iter_unpack(data) if shape.row.size else repeat(())
            for shape, data in zip(self.shapes, self.rows, strict=True)
        ]
        sources = self._source_table(blob)
        # A shape of plain numbers needs no decoding: its row is the tuple of arguments.
        whole = [_steps(shape.kinds) for shape in self.shapes]
        steps = [[(at, how, kind) for at, (how, kind) in enumerate(how_to) if how != _PLAIN] for how_to in whole]
        plain = [
            not shape.outputs and shape.result is ValueKind.NONE and all(how == _PLAIN for how, _ in how_to[:-1])
            for shape, how_to in zip(self.shapes, whole, strict=True)
        ]
        runs = iter(self.runs)
        run = next(runs, _Run(0, 0, 0))
        following = next(runs, None)
        number = self.first_call
        for place, shape_number in enumerate(self.order.tolist()):
            if following is not None and place >= following.call:
                run, following = following, next(runs, None)
            row = next(rows[shape_number])
            if number >= start:
                shape = self.shapes[shape_number]
                source = sources[self._sources[place]] if sources else None
                if plain[shape_number]:
                    yield Call(number, shape.name, run.thread, run.context, shape.flags, row, {}, None, source)
                else:
                    values, lost = self._decode(steps[shape_number], row, blob)
                    num_arguments = len(shape.arguments)
                    outputs: dict[str, Value] = {}
                    if shape.outputs:
                        outputs.update(zip((key for key, _ in shape.outputs), values[num_arguments:-1], strict=True))
                    flags = int(shape.flags | CallFlags.LOST) if lost else shape.flags
                    args = tuple(values[:num_arguments])
                    yield Call(number, shape.name, run.thread, run.context, flags, args, outputs, values[-1], source)
            number += 1

    def arguments(
        self, shape: int, blob: Callable[[int], bytes | None], which: NDArray[np.int64] | None = None
    ) -> list[tuple[Value, ...]] | None:
        """Arguments of calls of a shape, in their order; None where one cannot be read, or its content is lost.

        Parameters
        ----------
        shape : number of the shape
        blob : gives a blob's content by number, None where it is lost
        which : places among those of the shape; None = all
        """
        layout = self.shapes[shape]
        count = layout.count if which is None else len(which)
        if not count:
            return []
        kinds = layout.arguments
        data = self.rows[shape] if which is None else self.table(shape)[which].tobytes()
        rows: Any = layout.row.iter_unpack(data) if layout.row.size else repeat((), count)
        steps = _steps(kinds)
        if len(layout.stored) == len(kinds) and all([how == _PLAIN for how, _ in steps]):
            return list(rows)
        columns = zip(*rows, strict=True) if layout.row.size else iter(())
        values: list[Any] = []
        for how, kind in steps:
            if how == _NOTHING:
                values.append(repeat(None, count))
                continue
            column: Any = next(columns)
            if how == _OFFSET:
                column = map(Offset, column)
            elif how == _REFERENCE:
                column = self._contents(column, kind, blob)
                if column is None:
                    return None
            values.append(column)
        return list(zip(*values, strict=True)) if values else [()] * count

    def _contents(
        self, references: Iterable[int], kind: ValueKind, blob: Callable[[int], bytes | None]
    ) -> list[Any] | None:
        """What references stand for; None where one cannot be read, or is lost."""
        try:
            found: list[Any]
            if kind is _BYTES:
                known, wanted = self._known, list(references)
                for reference in sorted(set(wanted).difference(known)):
                    known[reference] = self._resolve(reference, _BYTES, blob)
                found = list(map(known.__getitem__, wanted))
            else:
                found = [self._resolve(reference, kind, blob) for reference in references]
        except TraceFormatError:
            return None
        return None if None in found else found

    def columns(self, shape: int, blob: Callable[[int], bytes | None]) -> CallColumns:
        """Calls of a shape as columns; ``blob`` as of :meth:`arguments`."""
        table, kinds = self.table(shape), self.shapes[shape].arguments

        def resolve(references: list[int]) -> list[bytes] | None:
            try:
                found = list(map(self._known.__getitem__, references))
            except KeyError:
                # All that the calls refer to, in the order in which it lies in the file.
                names = [f"a{argument}" for argument, kind in enumerate(kinds) if kind is _BYTES]
                self._contents(chain.from_iterable(table[name].tolist() for name in names), _BYTES, blob)
                return self._contents(references, _BYTES, blob)
            return None if None in found else found

        return CallColumns(table, kinds, resolve)

    def run_ends(self) -> list[tuple[_Run, int]]:
        """Runs of calls of one thread and context, each with the place behind its last one."""
        return list(zip(self.runs, [*(run.call for run in self.runs[1:]), self.num_calls], strict=False))

    @cached_property
    def _known(self) -> dict[int, Any]:
        """Contents by reference: those that lie in the chunk, and blobs that somebody has asked for, each read once."""
        inline, ends = self._inline, self._inline_ends
        items = [inline[first:last] for first, last in pairwise(ends)]
        return dict(zip(range(0, 2 * len(items), 2), items, strict=True))

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """(num_calls,) places of the calls of the first shape, then of the second, and so on."""
        return np.argsort(self.order, kind="stable")

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        """Where the calls of each shape begin in :attr:`places`, and where the last ones end."""
        return np.cumsum([0, *(shape.count for shape in self.shapes)])

    def places_of(self, shape: int) -> NDArray[np.int64]:
        """Places of the calls of a shape."""
        return self.places[self._firsts[shape] : self._firsts[shape + 1]]

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(num_calls,) place of each call among those of its shape."""
        places = self.places
        ranks = np.empty(self.num_calls, np.int64)
        ranks[places] = np.arange(self.num_calls) - self._firsts[self.order[places]]
        return ranks

    def call_at(self, place: int, blob: Callable[[int], bytes | None]) -> Call:
        """The call of that place in the chunk, as :meth:`calls` gives it.

        Raises
        ------
        TraceFormatError : its row refers to what is not there
        """
        number = int(self.order[place])
        shape = self.shapes[number]
        at = int(self.ranks[place]) * shape.row.size
        row = shape.row.unpack_from(self.rows[number], at) if shape.row.size else ()
        run = self.runs[bisect_right(self.runs, place, key=_first_call) - 1]
        steps = [(at, step.how, step.kind) for at, step in enumerate(_steps(shape.kinds)) if step.how != _PLAIN]
        values, lost = self._decode(steps, row, blob)
        count = len(shape.arguments)
        outputs = dict(zip((key for key, _ in shape.outputs), values[count:-1], strict=True))
        flags = int(shape.flags | CallFlags.LOST) if lost else shape.flags
        source = self._source_table(blob)[self._sources[place]] if self._sources else None
        args = tuple(values[:count])
        return Call(
            self.first_call + place, shape.name, run.thread, run.context, flags, args, outputs, values[-1], source
        )

    def _source_table(self, blob: Callable[[int], bytes | None]) -> list[Source | None]:
        table: list[Source | None] = []
        for file, line in self._locations:
            name = self._resolve(file, ValueKind.TEXT, blob)
            table.append(Source(name if isinstance(name, str) else "?", line))
        return [None, *table] if table else []
