"""The payload of a CALLS chunk: built call by call, decoded as arrays or as calls (see ``headers.CALLS_HEADER``)."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.blobs import BlobStore
from traceformat.calls import Call, CallFlags, Offset, Source, Value
from traceformat.errors import TraceFormatError
from traceformat.frames import DRAW_ROLE, Boundary, role_of
from traceformat.frametrace import FrameRule
from traceformat.headers import (
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
from traceformat.records import REFERENCES, Shape, kind_of, plan_of

__all__ = ["INLINE_BYTES", "CallsBuilder", "CallsChunk"]

#: Content up to this size lies in the chunk itself, larger content in a blob.
INLINE_BYTES: Final = 256
#: Flags that a file can hold.
STORED_FLAGS: Final = int(CallFlags.SYNTHETIC | CallFlags.FAILED)

_HEADER: Final = struct_of(CALLS_HEADER)
_SHAPE: Final = struct_of(SHAPE)
_OUTPUT: Final = struct_of(OUTPUT)
_RUN: Final = struct_of(RUN)
_BOUNDARY: Final = struct_of(BOUNDARY)
_LOCATION: Final = struct_of(LOCATION)
_U32: Final = struct.Struct("<I")


def _pack_texts(texts: Sequence[str]) -> bytes:
    """Encode a tuple of strings as one item of data."""
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    lengths = struct.pack(f"<{len(encoded) + 1}I", len(encoded), *map(len, encoded))
    return lengths + b"".join(encoded)


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


def _encode(value: Value, kind: ValueKind) -> bytes:
    """Bytes of a value that lies in the chunk's data."""
    if kind is ValueKind.TEXT:
        assert isinstance(value, str)
        return value.encode("utf-8", "surrogateescape")
    if kind is ValueKind.TEXTS:
        assert isinstance(value, tuple)
        return _pack_texts(value)
    return bytes(value)  # type: ignore[arg-type]


class CallsBuilder:
    """Collects calls of one chunk; :meth:`build` gives the payload and starts the next chunk.

    Parameters
    ----------
    blobs : where content larger than INLINE_BYTES goes
    """

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self.first_call = 0
        self.draws = 0
        #: Candidates before the chunk, by rule: markers, swaps, finishes, reads.
        self.candidates = [0, 0, 0, 0]
        self._draws_at_read = 0
        self._reset()

    def _reset(self) -> None:
        self._shapes: dict[Any, tuple[Shape, bytearray, int]] = {}
        self._plain: dict[str, tuple[Callable[..., bytes], bytearray, int, int | None]] = {}
        self._order = array("H")
        self._thread = self._context = -1
        self._runs: list[tuple[int, int, int]] = []
        self.boundaries: list[Boundary] = []
        self._inline: dict[bytes, int] = {}
        self._inline_bytes = 0
        self._blob_numbers: dict[int, int] = {}
        self._locations: dict[tuple[str, int], int] = {}
        self._sources: list[int] = []
        self._row_bytes = 0
        self.draws_before = self.draws

    @property
    def num_calls(self) -> int:
        """Calls in the chunk so far."""
        return len(self._order)

    @property
    def num_bytes(self) -> int:
        """About how large the payload is so far."""
        return self._row_bytes + self._inline_bytes

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
        plain = self._plain.get(name)
        if plain is not None and result is None and not outputs and not flags:
            pack, rows, number, role = plain
            try:
                rows += pack(*args)
            except (struct.error, OverflowError):
                number, role = self._add_any(name, args, None, None, 0)
            else:
                self._row_bytes += 2
        else:
            number, role = self._add_any(name, args, outputs, result, flags)
        if thread != self._thread or context != self._context:
            self._thread, self._context = thread, context
            self._runs.append((len(order), thread, context))
            self._row_bytes += _RUN.size
        if source is not None or self._sources:
            self._add_source(source)
        order.append(number)
        if role is not None and not flags & CallFlags.FAILED:
            self._note(role)

    def _add_any(
        self, name: str, args: Sequence[Value], outputs: Mapping[str, Value] | None, result: Value, flags: int
    ) -> tuple[int, int | None]:
        """Store a call's row; gives its shape's number and its role for frames."""
        plan = plan_of(name)
        if plan is None:
            kinds = [kind_of(value, ValueKind.I64) for value in args]
            result_kind = ValueKind.I64
        else:
            if len(args) != len(plan.arguments):
                raise ValueError(f"{name} takes {len(plan.arguments)} arguments, not {len(args)}")
            kinds = [kind_of(value, wanted) for value, wanted in zip(args, plan.arguments, strict=True)]
            result_kind = plan.result
        values = list(args)
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
        shape, rows, number = entry
        stored = [
            self._reference(_encode(value, kind)) if kind in REFERENCES else value
            for value, kind in zip(values, shape.kinds, strict=True)
            if kind is not ValueKind.NONE
        ]
        rows += shape.row.pack(*stored)
        self._row_bytes += shape.row.size + 2
        return number, role_of(name)

    def _new_shape(self, shape: Shape) -> tuple[Shape, bytearray, int]:
        if shape.flags & ~STORED_FLAGS:
            raise ValueError(f"flags {shape.flags:#x} cannot be stored")
        if len(shape.arguments) > 255 or len(shape.outputs) > 255:
            raise ValueError(f"{shape.name} has more values than a shape can hold")
        for name in (shape.name, *(key for key, _ in shape.outputs)):
            if not 0 < len(name) < 256 or not name.isascii():
                raise ValueError(f"{name!r} is no name of an entry point or parameter")
        entry = shape, bytearray(), len(self._shapes)
        plan = plan_of(shape.name)
        is_plain = plan is not None and shape.kinds == (*plan.arguments, ValueKind.NONE) and not shape.flags
        if is_plain and plan is not None and plan.pack is not None:
            self._plain[shape.name] = plan.pack.pack, entry[1], entry[2], role_of(shape.name)
        self._row_bytes += _SHAPE.size + len(shape.kinds)
        return entry

    def _reference(self, data: bytes) -> int:
        """Put content where it belongs and give the reference that a row holds."""
        if len(data) > INLINE_BYTES:
            number = self._blobs.add(data)
            return 2 * self._blob_numbers.setdefault(number, len(self._blob_numbers)) + 1
        known = self._inline.get(data)
        if known is None:
            known = self._inline[data] = len(self._inline)
            self._inline_bytes += len(data) + 4
        return 2 * known

    def _add_source(self, source: tuple[str, int] | None) -> None:
        missing = len(self._order) - len(self._sources)
        self._sources.extend(repeat(0, missing))
        if source is None:
            self._sources.append(0)
        else:
            self._sources.append(1 + self._locations.setdefault((source[0], source[1]), len(self._locations)))
        self._row_bytes += 4

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
        self._row_bytes += _BOUNDARY.size

    def build(self) -> bytes:
        """Give the payload of the calls so far and start the next chunk behind them."""
        names: dict[str, int] = {}
        shapes: list[bytes] = []
        rows: list[bytes] = []
        for shape, data, _ in self._shapes.values():
            outputs = b"".join(_OUTPUT.pack(names.setdefault(key, len(names)), kind) for key, kind in shape.outputs)
            # Rows of values that went through the plain path are not counted one by one.
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
            rows.append(_transpose(data, shape.row.size))
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
            sum(map(len, self._inline)),
            len(self._locations),
        )
        sections = [
            header,
            *(bytes((len(name),)) + name.encode("ascii") for name in names),
            *shapes,
            np.asarray(self._order, "<u2").tobytes(),
            *(_RUN.pack(*run) for run in self._runs),
            *(_BOUNDARY.pack(call - self.first_call, rule, draws) for call, rule, draws in self.boundaries),
            *rows,
            np.fromiter(map(len, self._inline), "<u4", len(self._inline)).tobytes(),
            np.fromiter(self._blob_numbers, "<u8", len(self._blob_numbers)).tobytes(),
            *self._inline,
            locations,
            np.asarray(self._sources, "<u4").tobytes() if locations else b"",
        ]
        for _, rule, _ in self.boundaries:
            self.candidates[rule] += 1
        self.first_call += len(self._order)
        self._reset()
        return b"".join(sections)


def _transpose(rows: bytes | bytearray, row_bytes: int) -> bytes:
    """Order rows by byte position, so that equal bytes of neighbouring calls stand side by side."""
    return np.frombuffer(rows, np.uint8).reshape(-1, row_bytes).T.tobytes() if row_bytes else b""


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
        ends = np.cumsum(cursor.array("<u4", num_inline), dtype=np.int64)
        self._inline_ends = [0, *ends.tolist()]
        self.blob_numbers: list[int] = cursor.array("<u8", num_blobs).tolist()
        self._inline = cursor.take(inline_bytes)
        self._locations = cursor.array(dtype_of(LOCATION), num_locations).tolist()
        self._sources: list[int] = cursor.array("<u4", self.num_calls).tolist() if num_locations else []
        self._check(cursor.rest, inline_bytes)

    @staticmethod
    def _read_shape(cursor: _Cursor, names: list[str]) -> Shape:
        name, flags, result, num_arguments, num_outputs, count = cursor.unpack(_SHAPE)
        arguments = tuple(map(ValueKind, cursor.take(num_arguments)))
        outputs = [cursor.unpack(_OUTPUT) for _ in range(num_outputs)]
        kinds = tuple((names[key], ValueKind(kind)) for key, kind in outputs)
        return Shape(names[name], flags & STORED_FLAGS, arguments, kinds, ValueKind(result), count)

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
        return np.frombuffer(self.rows[shape], self.shapes[shape].dtype)

    def calls_with_blobs(self, lost: Callable[[int], bool]) -> list[int]:
        """Numbers of the calls whose content lies in a blob for which ``lost`` holds, in order."""
        wanted = {2 * i + 1 for i, number in enumerate(self.blob_numbers) if lost(number)}
        found: list[int] = []
        for number, shape in enumerate(self.shapes):
            hit = np.zeros(shape.count, bool)
            columns = self.table(number) if shape.row.size and wanted else None
            if columns is not None and columns.dtype.names is not None:
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
        if data is None or kind is ValueKind.BYTES:
            return data
        return data.decode("utf-8", "surrogateescape") if kind is ValueKind.TEXT else _unpack_texts(data)

    def _decode(
        self, shape: Shape, row: tuple[Any, ...], blob: Callable[[int], bytes | None]
    ) -> tuple[list[Value], bool]:
        """Values of a row, None included, and whether content is lost."""
        stored = iter(row)
        values: list[Value] = []
        lost = False
        for kind in shape.kinds:
            if kind is ValueKind.NONE:
                values.append(None)
            elif kind in REFERENCES:
                values.append(self._resolve(next(stored), kind, blob))
                lost |= values[-1] is None
            elif kind is ValueKind.OFFSET:
                values.append(Offset(next(stored)))
            else:
                values.append(next(stored))
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
        plain = [
            not shape.outputs
            and shape.result is ValueKind.NONE
            and not any(kind in REFERENCES or kind in (ValueKind.NONE, ValueKind.OFFSET) for kind in shape.arguments)
            for shape in self.shapes
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
                    values, lost = self._decode(shape, row, blob)
                    num_arguments = len(shape.arguments)
                    outputs = dict(zip((key for key, _ in shape.outputs), values[num_arguments:-1], strict=True))
                    flags = shape.flags | CallFlags.LOST if lost else shape.flags
                    args = tuple(values[:num_arguments])
                    yield Call(
                        number, shape.name, run.thread, run.context, int(flags), args, outputs, values[-1], source
                    )
            number += 1

    def _source_table(self, blob: Callable[[int], bytes | None]) -> list[Source | None]:
        table: list[Source | None] = []
        for file, line in self._locations:
            name = self._resolve(file, ValueKind.TEXT, blob)
            table.append(Source(name if isinstance(name, str) else "?", line))
        return [None, *table] if table else []
