"""Collects calls into the payload of a CALLS chunk (see ``headers.CALLS_HEADER``)."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.framing.headers import BOUNDARY, CALLS_HEADER, LOCATION, OUTPUT, RUN, SHAPE, ValueKind, struct_of
from traceformat.gltrace.blobs import BlobStore
from traceformat.gltrace.frames import DRAW_ROLE, Boundary, role_of
from traceformat.gltrace.inline import INLINE_BYTES, InlineContents
from traceformat.gltrace.payload import Payload
from traceformat.gltrace.records import REFERENCES, STORED_FLAGS, Shape, kind_of, plan_of
from traceformat.gputrace.frametrace import FrameRule

__all__ = [
    "INLINE_BYTES",
    "CallBatch",
    "CallColumns",
    "CallsBuilder",
    "LargeContent",
    "PackedCalls",
    "PackedGroup",
]

_HEADER: Final = struct_of(CALLS_HEADER)
_SHAPE: Final = struct_of(SHAPE)
_OUTPUT: Final = struct_of(OUTPUT)
_RUN: Final = struct_of(RUN)
_BOUNDARY: Final = struct_of(BOUNDARY)
_LOCATION: Final = struct_of(LOCATION)
_REFERENCE: Final = struct.Struct("<I")
#: Python types of the values that a row stores other than as numbers.
_POINTER_TYPES: Final = {
    ValueKind.NONE: type(None),
    ValueKind.OFFSET: Offset,
    ValueKind.BYTES: bytes,
    ValueKind.TEXT: str,
    ValueKind.TEXTS: tuple,
}


class CallColumns(NamedTuple):
    """Like calls of a batch, their values by columns.

    Parameters
    ----------
    name, flags : of all of them
    arguments, result : kinds of the values; the only references are BYTES among the arguments
    places : (n,) int64    places in the batch, ascending
    values : one entry a stored value, the result last: (n,) numbers; for BYTES n contents
    """

    name: str
    flags: int
    arguments: tuple[ValueKind, ...]
    result: ValueKind
    places: NDArray[np.int64]
    values: Sequence[NDArray[Any] | Sequence[bytes]]


class CallBatch(NamedTuple):
    """Consecutive calls, most of them as columns.

    Parameters
    ----------
    columns : groups of like calls
    singles : the other calls, at their places in the batch (``number``), ascending
    threads, contexts : (calls,) uint32    of every call of the batch
    """

    columns: Sequence[CallColumns]
    singles: Sequence[Call]
    threads: NDArray[np.uint32]
    contexts: NDArray[np.uint32]


class PackedGroup(NamedTuple):
    """Like calls, without outputs, flags and result, that end no frames.

    Parameters
    ----------
    name : of all of them
    arguments : kinds of the values; the only references are BYTES
    num_calls : calls
    rows : packed as a chunk has them, references to small contents set
    """

    name: str
    arguments: tuple[ValueKind, ...]
    num_calls: int
    rows: memoryview


class LargeContent(NamedTuple):
    """Content that belongs into a blob.

    Parameters
    ----------
    group, at : where the reference to it is to be set: place of the group, and in its rows, bytes
    data : the content
    """

    group: int
    at: int
    data: bytes


class PackedCalls(NamedTuple):
    """Consecutive calls of one thread and context.

    Parameters
    ----------
    groups : the calls, each group's in their order
    order : (calls,) uint16    place of each call's group
    lengths : (n,) uint32    of the small contents, which get the next numbers of the chunk
    contents : these contents, one after the other; not to be changed before the chunk is whole
    large : the other contents
    thread, context : of all of them
    """

    groups: Sequence[PackedGroup]
    order: NDArray[np.uint16]
    lengths: NDArray[np.uint32]
    contents: memoryview
    large: Sequence[LargeContent]
    thread: int
    context: int


def _pack_texts(texts: Sequence[str]) -> bytes:
    """Encode a tuple of strings as one item of data."""
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a list of texts holds something else")
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    lengths = struct.pack(f"<{len(encoded) + 1}I", len(encoded), *map(len, encoded))
    return lengths + b"".join(encoded)


def _encode(value: Value, kind: ValueKind) -> bytes:
    """Bytes of a value that lies in the chunk's data."""
    if kind is ValueKind.TEXT:
        assert isinstance(value, str)
        return value.encode("utf-8", "surrogateescape")
    if kind is ValueKind.TEXTS:
        assert isinstance(value, tuple)
        return _pack_texts(value)
    return bytes(value)  # type: ignore[arg-type]


class _Entry(NamedTuple):
    """A shape of the chunk and its rows so far.

    Parameters
    ----------
    shape, rows, number : the shape, its packed rows, its place in the chunk
    role : see ``frames.role_of``
    row_bytes : bytes that a call adds to the chunk
    add_like : stores arguments and result of a call without outputs and flags; False where they do not fit the shape
    """

    shape: Shape
    rows: bytearray
    number: int
    role: int | None
    row_bytes: int
    add_like: Callable[[Sequence[Value], Value], bool]


def _plain_adder(shape: Shape, rows: bytearray) -> Callable[[Sequence[Value], Value], bool]:
    """Store calls of numbers alone."""
    pack, extend = shape.row.pack, rows.extend
    if shape.result is ValueKind.NONE:

        def add_like(args: Sequence[Value], result: Value) -> bool:
            if result is not None:
                return False
            try:
                extend(pack(*args))
            except (struct.error, OverflowError):
                return False
            return True

        return add_like

    def add_with_result(args: Sequence[Value], result: Value) -> bool:
        if type(result) is not int:
            return False
        try:
            extend(pack(*args, result))
        except (struct.error, OverflowError):
            return False
        return True

    return add_with_result


def _content_adder(
    shape: Shape, rows: bytearray, known_inline: Callable[[bytes], int | None], reference: Callable[[bytes], int]
) -> Callable[[Sequence[Value], Value], bool]:
    """Store calls of which one argument has content behind it, and that have no result."""
    pack, extend = shape.row.pack, rows.extend
    place = shape.arguments.index(ValueKind.BYTES)

    def add_like(args: Sequence[Value], result: Value) -> bool:
        data = args[place] if place < len(args) else None
        if type(data) is not bytes or result is not None:
            return False
        # Small content is often the same as before.
        known = known_inline(data) if len(data) <= INLINE_BYTES else None
        values = list(args)
        values[place] = 2 * known if known is not None else reference(data)
        try:
            extend(pack(*values))
        except (struct.error, OverflowError):
            return False
        return True

    return add_like


def _pointer_adder(
    shape: Shape, rows: bytearray, reference: Callable[[bytes], int]
) -> Callable[[Sequence[Value], Value], bool]:
    """Store calls with any kinds of arguments."""
    pack, extend, count = shape.row.pack, rows.extend, len(shape.arguments)
    result_type = type(None) if shape.result is ValueKind.NONE else int
    # From the last to the first, so that taking a NULL out leaves the places of the others.
    pointers = [
        (place, kind, _POINTER_TYPES[kind])
        for place, kind in reversed(list(enumerate(shape.arguments)))
        if kind in _POINTER_TYPES
    ]

    def add_like(args: Sequence[Value], result: Value) -> bool:
        if type(result) is not result_type or len(args) != count:
            return False
        values = list(args)
        for place, kind, wanted in pointers:
            value = values[place]
            if type(value) is not wanted:
                return False
            if kind is ValueKind.NONE:
                del values[place]
            elif kind is not ValueKind.OFFSET:
                values[place] = reference(_encode(value, kind))
        try:
            extend(pack(*values) if result is None else pack(*values, result))
        except (struct.error, OverflowError):
            return False
        return True

    return add_like


class CallsBuilder:
    """Collects calls of one chunk; :meth:`build` gives the payload and starts the next chunk.

    Parameters
    ----------
    blobs : where content larger than INLINE_BYTES goes
    first_call, draws, candidates : what comes before the first chunk
    """

    def __init__(
        self, blobs: BlobStore, first_call: int = 0, draws: int = 0, candidates: Sequence[int] = (0, 0, 0, 0)
    ) -> None:
        self._blobs = blobs
        self.first_call = first_call
        self.draws = draws
        #: Candidates before the chunk, by rule: markers, swaps, finishes, reads.
        self.candidates = list(candidates)
        self._draws_at_read = 0
        self._payload = Payload()
        self._reset()

    def _reset(self) -> None:
        self._shapes: dict[Any, _Entry] = {}
        self._recent: dict[str, _Entry] = {}
        self._order = array("H")
        self._thread = self._context = -1
        self._runs: list[tuple[int, int, int]] = []
        self.boundaries: list[Boundary] = []
        self._inline = InlineContents()
        self._blob_numbers: dict[int, int] = {}
        self._locations: dict[tuple[str, int], int] = {}
        self._sources: list[int] = []
        self.row_bytes = 0
        self.draws_before = self.draws

    @property
    def num_calls(self) -> int:
        """Calls in the chunk so far."""
        return len(self._order)

    @property
    def num_bytes(self) -> int:
        """Bytes of the chunk so far, about."""
        return self.row_bytes + self._inline.num_bytes

    @property
    def num_contents(self) -> int:
        """Small contents in the chunk so far."""
        return len(self._inline)

    def add(
        self,
        name: str,
        args: Sequence[Value],
        outputs: Mapping[str, Value] | None,
        result: Value,
        thread: int,
        context: int,
        flags: int,
        source: tuple[str, int] | None,
    ) -> None:
        """Append one call; see :meth:`writer.TraceWriter.write`."""
        order = self._order
        recent = self._recent.get(name)
        # Most calls look like the one of this name before them; what does not is looked at value by value.
        if recent is None or outputs or flags or not recent.add_like(args, result):
            recent = self._add_any(name, args, outputs, result, flags)
        else:
            self.row_bytes += recent.row_bytes
        role = recent.role
        if thread != self._thread or context != self._context:
            self._begin_run(len(order), thread, context)
        if source is not None or self._sources:
            self._add_source(source)
        order.append(recent.number)
        if role is not None and not flags & CallFlags.FAILED:
            self._note(role)

    def add_batch(self, batch: CallBatch) -> None:
        """Append calls without looking at each; see :meth:`writer.TraceWriter.append_batch`."""
        start, count = len(self._order), len(batch.threads)
        order = np.zeros(count, np.uint16)
        roles = np.full(count, -1, np.int16)
        for group in batch.columns:
            entry = self._add_columns(group)
            order[group.places] = entry.number
            if entry.role is not None and not group.flags & CallFlags.FAILED:
                roles[group.places] = entry.role
        for call in batch.singles:
            entry = self._add_any(call.name, call.args, call.outputs, call.result, call.flags)
            order[call.number] = entry.number
            if entry.role is not None and not call.flags & CallFlags.FAILED:
                roles[call.number] = entry.role
        changes = np.flatnonzero((np.diff(batch.threads) != 0) | (np.diff(batch.contexts) != 0)) + 1
        for place in (0, *changes.tolist()):
            thread, context = int(batch.threads[place]), int(batch.contexts[place])
            if thread != self._thread or context != self._context:
                self._begin_run(start + place, thread, context)
        if self._sources:
            self._sources.extend(repeat(0, start + count - len(self._sources)))
        draws = self.draws + np.cumsum(roles == DRAW_ROLE)
        for place in np.flatnonzero((roles >= 0) & (roles != DRAW_ROLE)).tolist():
            self._order.frombytes(order[len(self._order) - start : place + 1].tobytes())
            self.draws = int(draws[place])
            self._note(int(roles[place]))
        self._order.frombytes(order[len(self._order) - start :].tobytes())
        self.draws = int(draws[-1])

    def add_packed(self, calls: PackedCalls) -> None:
        """Append calls as they are; see :meth:`writer.TraceWriter.append_packed`."""
        start, count = len(self._order), len(calls.order)
        numbers = np.zeros(len(calls.groups), np.uint16)
        entries, starts = [], []
        for place, group in enumerate(calls.groups):
            key = (group.name, 0, group.arguments, (), ValueKind.NONE)
            entry = self._shapes.get(key)
            if entry is None:
                entry = self._shapes[key] = self._new_shape(Shape(group.name, 0, group.arguments, (), ValueKind.NONE))
            entries.append(entry)
            starts.append(len(entry.rows))
            entry.rows.extend(group.rows)
            numbers[place] = entry.number
            self.row_bytes += entry.row_bytes * group.num_calls
            if entry.role == DRAW_ROLE:
                self.draws += group.num_calls
        for place, at, data in calls.large:
            _REFERENCE.pack_into(entries[place].rows, starts[place] + at, self._reference(data))
        self._inline.add_packed(calls.contents, calls.lengths)
        if calls.thread != self._thread or calls.context != self._context:
            self._begin_run(start, calls.thread, calls.context)
        if self._sources:
            self._sources.extend(repeat(0, start + count - len(self._sources)))
        self._order.frombytes(numbers.take(calls.order).tobytes())

    def _begin_run(self, place: int, thread: int, context: int) -> None:
        """From this call of the chunk on, calls are of another thread or context."""
        self._thread, self._context = thread, context
        self._runs.append((place, thread, context))
        self.row_bytes += _RUN.size

    def _add_columns(self, group: CallColumns) -> _Entry:
        """Store the rows of like calls; gives their shape's entry."""
        key = ("columns", group.name, group.flags, group.arguments, group.result)
        entry = self._shapes.get(key)
        if entry is None:
            shape = Shape(group.name, group.flags, group.arguments, (), group.result)
            entry = self._shapes[key] = self._new_shape(shape)
        shape, count = entry.shape, len(group.places)
        rows = np.empty(count, shape.dtype)
        for field, kind, values in zip(shape.dtype.names or (), shape.stored, group.values, strict=True):
            rows[field] = list(map(self._reference, values)) if kind in REFERENCES else values
        entry.rows.extend(rows.tobytes())
        self.row_bytes += entry.row_bytes * count
        return entry

    def _add_any(
        self, name: str, args: Sequence[Value], outputs: Mapping[str, Value] | None, result: Value, flags: int
    ) -> _Entry:
        """Store a call's row; gives its shape's entry."""
        plan = plan_of(name)
        if plan is None:
            kinds = [kind_of(value, ValueKind.I64) for value in args]
            result_kind = ValueKind.I64
        else:
            if len(args) != len(plan.arguments):
                raise ValueError(f"{name} takes {len(plan.arguments)} arguments, not {len(args)}")
            kinds = [kind_of(value, wanted) for value, wanted in zip(args, plan.arguments, strict=True)]
            result_kind = plan.result
        values: list[Value] = list(args)
        output_kinds: tuple[tuple[str, ValueKind], ...] = ()
        if outputs:
            output_kinds = tuple((key, kind_of(value, ValueKind.I64)) for key, value in outputs.items())
            values += outputs.values()
        if result is not None and result_kind is ValueKind.NONE:
            result_kind = ValueKind.I64
        result_kind = kind_of(result, result_kind)
        values.append(result)
        key = (name, flags, tuple(kinds), output_kinds, result_kind)
        entry = self._shapes.get(key)
        if entry is None:
            entry = self._new_shape(Shape(name, flags, tuple(kinds), output_kinds, result_kind))
            self._shapes[key] = entry
        shape = entry.shape
        stored = [
            self._reference(_encode(value, kind)) if kind in REFERENCES else value
            for value, kind in zip(values, shape.kinds, strict=True)
            if kind is not ValueKind.NONE
        ]
        entry.rows.extend(shape.row.pack(*stored))
        self.row_bytes += shape.row.size + 2
        if plan is not None and not flags and not outputs and (result is None or type(result) is int):
            self._recent[name] = entry
        return entry

    def _new_shape(self, shape: Shape) -> _Entry:
        if shape.flags & ~STORED_FLAGS:
            raise ValueError(f"flags {shape.flags:#x} cannot be stored")
        if len(shape.arguments) > 255 or len(shape.outputs) > 255:
            raise ValueError(f"{shape.name} has more values than a shape can hold")
        for name in (shape.name, *(key for key, _ in shape.outputs)):
            if not 0 < len(name) < 256 or not (name.isascii() and name.isprintable()):
                raise ValueError(f"{name!r} is no name of an entry point or parameter")
        self.row_bytes += _SHAPE.size + len(shape.kinds)
        rows = bytearray()
        pointers = [kind for kind in shape.arguments if kind in _POINTER_TYPES]
        if not pointers:
            add_like = _plain_adder(shape, rows)
        elif pointers == [ValueKind.BYTES] and shape.result is ValueKind.NONE:
            add_like = _content_adder(shape, rows, self._inline.known.get, self._reference)
        else:
            add_like = _pointer_adder(shape, rows, self._reference)
        return _Entry(shape, rows, len(self._shapes), role_of(shape.name), shape.row.size + 2, add_like)

    def _reference(self, data: bytes) -> int:
        """Put content where it belongs and give the reference that a row holds."""
        if len(data) > INLINE_BYTES:
            number = self._blobs.add(data)
            return 2 * self._blob_numbers.setdefault(number, len(self._blob_numbers)) + 1
        return 2 * self._inline.add(data)

    def _add_source(self, source: tuple[str, int] | None) -> None:
        missing = len(self._order) - len(self._sources)
        self._sources.extend(repeat(0, missing))
        if source is None:
            self._sources.append(0)
        else:
            if len(source[0]) > INLINE_BYTES // 4 and source not in self._locations:
                # A blob gets its number now, whether or not a snapshot is taken before the chunk is whole.
                self._reference(source[0].encode("utf-8", "surrogateescape"))
            self._sources.append(1 + self._locations.setdefault((source[0], source[1]), len(self._locations)))
        self.row_bytes += 4

    def _note(self, role: int) -> None:
        """Count a draw, or write down a call that may end a frame."""
        if role == DRAW_ROLE:
            self.draws += 1
            return
        if role == FrameRule.READ_PIXELS:
            if self.draws == self._draws_at_read:
                return
            self._draws_at_read = self.draws
        self.boundaries.append(Boundary(self.first_call + len(self._order) - 1, role, self.draws))
        self.row_bytes += _BOUNDARY.size

    def build(self) -> bytes | memoryview:
        """Give the payload of the calls so far and start the next chunk behind them; good until the next is given."""
        payload = self.snapshot()
        for _, rule, _ in self.boundaries:
            self.candidates[rule] += 1
        self.first_call += len(self._order)
        self._reset()
        return payload

    def snapshot(self) -> bytes | memoryview:
        """Give the payload of the calls so far, good until the next is given; the chunk goes on as it would have."""
        names: dict[str, int] = {}
        shapes: list[bytes] = []
        rows: list[NDArray[np.uint8]] = []
        for entry in self._shapes.values():
            shape, data = entry.shape, entry.rows
            outputs = b"".join(_OUTPUT.pack(names.setdefault(key, len(names)), kind) for key, kind in shape.outputs)
            # Rows are not counted one by one as they come.
            shape.count = len(data) // shape.row.size if shape.row.size else self._order.count(len(shapes))
            head = _SHAPE.pack(
                names.setdefault(shape.name, len(names)),
                shape.flags,
                shape.result,
                len(shape.arguments),
                len(shape.outputs),
                shape.count,
            )
            shapes.append(head + bytes(shape.arguments) + outputs)
            rows.append(_transposed(data, shape.row.size))
        known = len(self._inline)
        locations = b"".join(
            _LOCATION.pack(self._reference(file.encode("utf-8", "surrogateescape")), line)
            for file, line in self._locations
        )
        header = _HEADER.pack(
            len(self._order),
            self.draws - self.draws_before,
            len(names),
            len(shapes),
            len(self._runs),
            len(self.boundaries),
            len(self._inline),
            len(self._blob_numbers),
            self._inline.content_bytes,
            len(self._locations),
        )
        sections: list[bytes | memoryview | NDArray[np.uint8]] = [
            header,
            *(bytes((len(name),)) + name.encode("ascii") for name in names),
            *shapes,
            np.asarray(self._order, "<u2").tobytes(),
            *(_RUN.pack(*run) for run in self._runs),
            *(_BOUNDARY.pack(call - self.first_call, rule, draws) for call, rule, draws in self.boundaries),
            *rows,
            self._inline.lengths(),
            np.fromiter(self._blob_numbers, "<u8", len(self._blob_numbers)).tobytes(),
            *self._inline.pieces(),
            locations,
            np.asarray(self._sources, "<u4").tobytes() if locations else b"",
        ]
        payload = self._payload.join(sections)
        self._inline.forget(known)
        return payload


def _transposed(rows: bytes | bytearray, row_bytes: int) -> NDArray[np.uint8]:
    """Order rows by byte position, so that equal bytes of neighbouring calls stand side by side."""
    return np.frombuffer(rows, np.uint8).reshape(-1, row_bytes or 1).T
