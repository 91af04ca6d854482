"""``.gputrace``: FrameTraces on disk.

A file is a sequence of frames; a frame is COLUMNS chunks, which hold pieces of its columns, and behind them a FRAME
chunk (JSON), which names the columns and says how many chunks they take. Where its passes travel alone, these columns
are its head, and COLUMNS chunks with a PASS chunk follow for each pass, then a FRAME_END; a pass is read when it is
asked for. What is read equals what was written, array by array; a reader that asks for some columns decompresses only
the chunks that hold them.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import re
import struct
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import FOOTER_BYTES, MAX_RAW_BYTES, Chunk, Hole, read_footer, scan_chunks
from traceformat.framing.container import GPUTRACE, map_file, read_start
from traceformat.framing.damage import Damage, spell_range
from traceformat.framing.filters import undo_filter
from traceformat.framing.headers import SEGMENT, TABLE_POSITION, ChunkKind, struct_of
from traceformat.gputrace.check import check_frame, check_head, check_rows
from traceformat.gputrace.frametrace import (
    PASS_TABLES,
    SCHEMA,
    SCHEMA_VERSION,
    ColumnSet,
    FrameRole,
    FrameRule,
    FrameTrace,
    PassContent,
    Table,
)
from traceformat.gputrace.passes import announced
from traceformat.gputrace.writer import GpuTraceWriter
from traceformat.guards import check_process_memory, exceeded, guards

__all__ = ["GpuTraceReader", "GpuTraceWriter", "is_gputrace", "open_gputrace"]

_POSITION: Final = struct_of(TABLE_POSITION)
_SEGMENT: Final = struct_of(SEGMENT)
_COUNT: Final = struct.Struct("<I")
#: What types of columns are called; newer minor versions may have other ones than the schema.
_DTYPE: Final = re.compile(r"[<|](?:[iu][1248]|f[248]|b1)")
_OF_FRAMES: Final = (ChunkKind.COLUMNS, ChunkKind.FRAME, ChunkKind.PASS, ChunkKind.FRAME_END)


class _Position(NamedTuple):
    frame: int
    first_column: int
    last_column: int
    num_segments: int
    part: int
    reserved: bytes


def is_gputrace(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins like a .gputrace; False for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(16) == GPUTRACE.magic
    except OSError:
        return False


@dataclass(slots=True)
class _Part:
    """Chunks of a frame's head, or of one of its passes."""

    columns: list[tuple[Chunk, _Position]] = field(default_factory=list)
    description: Chunk | None = None


@dataclass(slots=True)
class _Stored:
    """Chunks of one frame in a file; part 0 is its head."""

    parts: dict[int, _Part] = field(default_factory=dict)
    has_end: bool = False
    is_broken: bool = False

    @property
    def head(self) -> _Part:
        """What the frame is announced with."""
        return self.parts.setdefault(0, _Part())


class GpuTraceReader:
    """A .gputrace; iterating gives its FrameTraces, of a damaged file those that survive whole.

    Parameters
    ----------
    path : file
    columns : wanted; None for all. Pictures and pixels come with ``None`` only, or by :attr:`with_pixels`.
    with_pixels : read pictures and the passes' pixels

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : it is empty, no .gputrace, or of a newer major version

    Attributes
    ----------
    properties : of the writer
    damage : every loss; empty for a whole file
    """

    def __init__(
        self, path: str | os.PathLike[str], columns: ColumnSet | None = None, *, with_pixels: bool = True
    ) -> None:
        self.path = os.fspath(path)
        self.columns = columns
        self.with_pixels = with_pixels
        self.damage: list[Damage] = []
        self._data = map_file(path)
        self._frames: dict[int, _Stored] = {}
        self._is_complete = False
        try:
            self._survey(self._data)
        except TraceFormatError:
            self._data.close()
            raise

    def _survey(self, data: mmap.mmap) -> None:
        start = read_start(data, GPUTRACE, self.path)
        footer = read_footer(data)
        end = len(data) - FOOTER_BYTES if footer else len(data)
        found = list(scan_chunks(data, start.end if start else 0, end))
        if start is None:
            if not any(isinstance(piece, Chunk) for piece in found) and bytes(data[:16]) != GPUTRACE.magic:
                raise TraceFormatError(f"{self.path}: not a {GPUTRACE.suffix} file", hint="gpureplay run writes one")
            self.damage.append(Damage("start", "the start of the file is damaged: its properties are lost"))
        self.properties: dict[str, Any] = start.properties if start else {}
        if self.properties.get("schema", SCHEMA_VERSION) not in range(1, SCHEMA_VERSION + 1):
            raise TraceFormatError(
                f"{self.path}: schema {self.properties['schema']} of FrameTrace, {SCHEMA_VERSION} is known",
                hint="update gpureplay",
            )
        self.version = (start.major, start.minor) if start else (0, 0)
        total = -1
        for piece in found:
            if isinstance(piece, Hole):
                self.damage.append(Damage("bytes", f"bytes {piece.offset}-{piece.end - 1} of the file are damaged"))
                continue
            position = _Position(*_POSITION.unpack(piece.prefix.position))
            if not piece.is_whole:
                self.damage.append(Damage("bytes", f"the chunk at byte {piece.offset} is damaged"))
            if piece.prefix.kind == ChunkKind.INDEX:
                total = position.frame
            elif piece.prefix.kind in _OF_FRAMES:
                stored = self._frames.setdefault(position.frame, _Stored())
                stored.is_broken |= not piece.is_whole
                part = stored.parts.setdefault(position.part, _Part())
                if piece.prefix.kind == ChunkKind.COLUMNS:
                    part.columns.append((piece, position))
                elif piece.prefix.kind == ChunkKind.FRAME_END:
                    stored.has_end = True
                else:
                    part.description = piece
        if footer is None:
            self.damage.append(Damage("index", "the footer is lost"))
        self._name_losses(total)

    def _name_losses(self, total: int) -> None:
        """Keep whole frames; name the others."""
        seen = max(self._frames, default=-1) + 1
        for number, stored in list(self._frames.items()):
            if stored.is_broken or not self._is_whole(stored):
                del self._frames[number]
        expected = 0
        for number in [*sorted(self._frames), max(total, seen)]:
            if number > expected:
                frames = spell_range("frame", expected, number)
                self.damage.append(Damage("frame", f"lost: {frames} of the file", first_frame=expected))
            expected = number + 1
        if total < 0:
            self.damage.append(
                Damage("tail", f"cut: lost from frame {seen} of the file; end unknown", first_frame=seen)
            )

    def _is_whole(self, stored: _Stored) -> bool:
        """Whether no chunk of a frame is missing."""
        counts = None
        for number, part in sorted(stored.parts.items()):
            if part.description is None:
                return False
            description = self._describe(part.description)
            if description.get("chunks") != len(part.columns):
                return False
            counts = description.get("draw_counts") if number == 0 else counts
        if not isinstance(counts, list):
            return set(stored.parts) == {0}
        return stored.has_end and set(stored.parts) == set(range(len(counts) + 1))

    def _describe(self, chunk: Chunk) -> dict[str, Any]:
        try:
            description = json.loads(chunk.read(self._data, 1 << 26))
        except (ValueError, RecursionError):
            raise TraceFormatError(f"{self.path}: the description of a frame is no JSON") from None
        if not isinstance(description, dict):
            raise TraceFormatError(f"{self.path}: the description of a frame is no JSON object")
        return description

    def __len__(self) -> int:
        """Frames that survive."""
        return len(self._frames)

    def __iter__(self) -> Iterator[FrameTrace]:
        for number in sorted(self._frames):
            yield self.frame(number)

    def numbers(self) -> dict[int, int]:
        """Number, in the command trace, of the frame at each place that survives; the frames are not read."""
        return {
            place: int(self._describe(stored.head.description)["frame"])
            for place, stored in sorted(self._frames.items())
            if stored.head.description is not None
        }

    def frame(self, number: int) -> FrameTrace:
        """Read a frame by its place in the file.

        Raises
        ------
        IndexError : there is none, or it is lost
        TraceFormatError : its chunks contradict themselves, or a table refers to rows that do not exist
        """
        stored = self._frames.get(number)
        if stored is None or stored.head.description is None:
            raise IndexError(f"frame {number} of {self.path}")
        description = self._describe(stored.head.description)
        try:
            counts = description.get("draw_counts")
            if counts is None:
                frame = self._build(description, stored.head)
                check_frame(frame)
                return frame
            head = self._build(description, stored.head)
            check_head(head)
            source = _StoredPasses(self, head, stored, number)
            return announced(head, source, [int(count) for count in counts])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self.contradiction(number, error) from None

    def contradiction(self, number: int, error: Exception) -> TraceFormatError:
        """Error of a frame whose parts do not fit together."""
        return TraceFormatError(f"{self.path}: frame {number} contradicts itself: {error}")

    def _read_arrays(self, description: Mapping[str, Any], part: _Part) -> dict[str, NDArray[Any]]:
        """Wanted columns by name."""
        names = [column["name"] for column in description["columns"]]
        wanted = {number for number, name in enumerate(names) if self._wants(name)}
        pieces = self._read_parts(part, wanted)
        return {
            names[number]: _assemble(names[number], description["columns"][number], pieces.get(number, []))
            for number in sorted(wanted)
        }

    def _build(self, description: Mapping[str, Any], part: _Part) -> FrameTrace:
        arrays = self._read_arrays(description, part)
        frame = FrameTrace(
            int(description["frame"]),
            int(description["width"]),
            int(description["height"]),
            FrameRule(description["rule"]),
            # A table that the file does not have is one without columns: whoever needs them says so.
            {name: _table(name, arrays) for name in SCHEMA},
            [str(label) for label in description["labels"]],
            role=_role(description.get("role")),
        )
        if self.with_pixels:
            frame.pixels = [
                [arrays[f"pixels/{number}/{attachment}"] for attachment in range(count)]
                for number, count in enumerate(description.get("passes", []))
            ]
            frame.contents = [
                [
                    arrays[f"contents/{number}/{attachment}"] if is_kept else None
                    for attachment, is_kept in enumerate(kept)
                ]
                for number, kept in enumerate(description.get("contents", []))
            ]
            frame.picture = arrays.get("picture")
        return frame

    def read_pass(self, head: FrameTrace, stored: _Stored, index: int) -> PassContent:
        """Read a pass and check it."""
        part = stored.parts[index + 1]
        assert part.description is not None
        description = self._describe(part.description)
        arrays = self._read_arrays(description, part)
        content = PassContent({name: _table(name, arrays) for name in PASS_TABLES}, [], [])
        if self.with_pixels:
            content.pixels = [arrays[f"pixels/{number}"] for number in range(int(description["pixels"]))]
            content.contents = [
                arrays[f"contents/{number}"] if is_kept else None
                for number, is_kept in enumerate(description["contents"])
            ]
        if head["passes"].num_rows > index:
            check_rows(replace(head, tables={**head.tables, **content.tables}, index=index))
        return content

    def _wants(self, name: str) -> bool:
        if "." not in name:
            return self.with_pixels
        table, _, key = name.partition(".")
        # Columns that a newer minor version added are left alone.
        return key in SCHEMA.get(table, ()) and (self.columns is None or name in self.columns)

    def _read_parts(self, stored: _Part, wanted: set[int]) -> dict[int, list[tuple[int, NDArray[np.uint8]]]]:
        """Segments of the wanted columns: offset and bytes."""
        parts: dict[int, list[tuple[int, NDArray[np.uint8]]]] = {}
        size = 0
        order = sorted(wanted)
        for chunk, position in stored.columns:
            at = bisect_left(order, position.first_column)
            if at == len(order) or order[at] > position.last_column:
                continue
            size += chunk.prefix.raw_bytes
            if size > guards().frame_memory:
                raise exceeded(f"{self.path}: a frame of {size} bytes", "frame_memory")
            check_process_memory(chunk.prefix.raw_bytes)
            for number, offset, data in _read_segments(chunk.read(self._data, MAX_RAW_BYTES), wanted):
                parts.setdefault(number, []).append((offset, data))
        return parts

    def info(self) -> dict[str, Any]:
        """Summary of the file as JSON values."""
        try:
            tables = self._tables()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise TraceFormatError(f"{self.path}: a frame's description contradicts itself: {error}") from None
        return {
            "file": os.path.basename(self.path),
            "bytes": len(self._data),
            "format": ".".join(map(str, self.version)),
            "properties": self.properties,
            "frames": len(self._frames),
            "tables": tables,
            "damage": [str(loss) for loss in self.damage],
        }

    def _tables(self) -> dict[str, dict[str, int]]:
        """Rows and bytes of each table over all frames."""
        tables: dict[str, dict[str, int]] = {}
        for number in sorted(self._frames):
            for part in self._frames[number].parts.values():
                self._add_sizes(part, tables)
        return tables

    def _add_sizes(self, part: _Part, tables: dict[str, dict[str, int]]) -> None:
        """Add rows and bytes of a frame's head or pass."""
        largest: dict[str, int] = {}
        for column in self._describe(part.description)["columns"] if part.description else ():
            name = column["name"].partition(".")[0].partition("/")[0]
            entry = tables.setdefault(name, {"rows": 0, "bytes": 0})
            entry["bytes"] += _dtype(column).itemsize * math.prod(column["shape"])
            largest[name] = max(largest.get(name, 0), column["shape"][0])
        for name, rows in largest.items():
            tables[name]["rows"] += rows

    def close(self) -> None:
        """Let go of the file: it is closed with the last frame that still has passes in it."""

    def __enter__(self) -> GpuTraceReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _read_segments(payload: bytes, wanted: set[int]) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Column, offset and unfiltered bytes of the wanted segments of a COLUMNS payload."""
    count = _COUNT.unpack_from(payload)[0] if len(payload) >= 4 else 0
    at = 4 + count * _SEGMENT.size
    if at > len(payload):
        raise TraceFormatError(f"{count} segments do not fit in a chunk of {len(payload)} bytes")
    view = memoryview(payload)
    for index in range(count):
        number, kind, item_bytes, row_bytes, offset, size = _SEGMENT.unpack_from(payload, 4 + index * _SEGMENT.size)
        if at + size > len(payload):
            raise TraceFormatError(f"a segment of {size} bytes reaches beyond its chunk")
        if number in wanted:
            yield number, offset, undo_filter(view[at : at + size], kind, item_bytes, row_bytes)
        at += size


def _dtype(column: Mapping[str, Any]) -> np.dtype[Any]:
    """Type of a column's items. Numpy reads a language of its own from text, so it gets what is sure to be a name."""
    text = column["dtype"]
    if not isinstance(text, str) or _DTYPE.fullmatch(text) is None:
        raise ValueError(f"{text!r:.40} is no type of a column")
    return np.dtype(text)


def _assemble(name: str, column: Mapping[str, Any], parts: Sequence[tuple[int, NDArray[np.uint8]]]) -> NDArray[Any]:
    """Put a column together; nothing is allocated that was not read."""
    table, _, key = name.partition(".")
    dtype = _dtype(column)
    shape = tuple(int(extent) for extent in column["shape"])
    if key:
        spec = SCHEMA[table][key]
        if dtype != np.dtype(spec.dtype) or shape[1:] != spec.shape:
            raise TraceFormatError(f"{name} is {dtype}{shape[1:]}, not {spec.dtype}{spec.shape}")
    elif dtype != np.uint8:
        raise TraceFormatError(f"{name} is {dtype}, not uint8")
    size = 0
    for offset, data in parts:
        if offset != size:
            raise TraceFormatError(f"{name} lacks bytes {size}-{offset - 1}")
        size += data.size
    expected = dtype.itemsize
    for extent in shape:
        expected *= extent
    if size != expected or min(shape, default=0) < 0:
        raise TraceFormatError(f"{name} holds {size} bytes, its shape {shape} needs {expected}")
    whole = np.empty(size, np.uint8)
    for offset, data in parts:
        whole[offset : offset + data.size] = data
    return whole.view(dtype).reshape(shape)


def _table(name: str, arrays: Mapping[str, NDArray[Any]]) -> Table:
    return Table(name, {key: arrays[f"{name}.{key}"] for key in SCHEMA[name] if f"{name}.{key}" in arrays})


class _StoredPasses:
    """Passes of a frame that wait in its file."""

    def __init__(self, reader: GpuTraceReader, head: FrameTrace, stored: _Stored, number: int) -> None:
        self._reader = reader
        self._head = head
        self._stored = stored
        self._number = number
        self._read: WeakValueDictionary[int, PassContent] = WeakValueDictionary()
        #: Several runs ask at a time.
        self._lock = threading.Lock()

    def load(self, index: int) -> PassContent:
        """Give a pass; the same one while somebody holds it."""
        with self._lock:
            found = self._read.get(index)
            if found is None:
                try:
                    found = self._reader.read_pass(self._head, self._stored, index)
                except (KeyError, TypeError, ValueError, OverflowError) as error:
                    raise self._reader.contradiction(self._number, error) from None
                self._read[index] = found
            return found


def _role(text: object) -> FrameRole:
    """Role of a frame; those that a newer minor version added are measured."""
    return next((role for role in FrameRole if role == text), FrameRole.MEASURED)


def open_gputrace(
    path: str | os.PathLike[str], columns: ColumnSet | None = None, *, with_pixels: bool = True
) -> GpuTraceReader:
    """Open a .gputrace for reading; see :class:`GpuTraceReader`."""
    return GpuTraceReader(path, columns, with_pixels=with_pixels)
