"""Writing .gputrace files; ``gputrace.py`` reads them."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.framing.chunks import Chunk, ChunkWriter
from traceformat.framing.codecs import DEFAULT_LEVEL
from traceformat.framing.container import GPUTRACE, pack_start
from traceformat.framing.filters import apply_filter, choose_filter
from traceformat.framing.headers import SEGMENT, TABLE_POSITION, ChunkKind, struct_of
from traceformat.gputrace.frametrace import SCHEMA, SCHEMA_VERSION, FrameRole, FrameTrace, PassContent, Table
from traceformat.gputrace.passes import JoinedTables
from traceformat.output import Output

__all__ = ["GpuTraceWriter"]

#: A column is cut into segments of about this size, a chunk holds about as much.
SEGMENT_BYTES: Final = 1 << 18

_POSITION: Final = struct_of(TABLE_POSITION)
_SEGMENT: Final = struct_of(SEGMENT)
_COUNT: Final = struct.Struct("<I")
_NOTHING: Final = bytes(28)


class GpuTraceWriter:
    """Writes FrameTraces one after the other; memory is bounded by a chunk and a pass.

    The file gets its name when it is whole: at :meth:`close`. A ``with`` block that an exception leaves throws it away.

    Parameters
    ----------
    path : target
    properties : JSON values that the result file needs: name and sha256 of the trace, configuration, versions
    level : of zstd

    Raises
    ------
    UsageError, StorageError : the file cannot be written
    """

    def __init__(
        self, path: str | os.PathLike[str], properties: Mapping[str, Any] | None = None, level: int = DEFAULT_LEVEL
    ) -> None:
        start = pack_start(GPUTRACE, {**(properties or {}), "schema": SCHEMA_VERSION})
        self._output = Output(path)
        self._output.stream.write(start)
        self._chunks = ChunkWriter(self._output.stream, len(start), level)
        self._digest = sha256(start)
        self._is_open = True
        self._part = 0
        self._segments: list[tuple[bytes, bytes]] = []
        self._waiting_bytes = 0
        self._first_column = self._last_column = 0
        self.num_frames = 0

    @property
    def num_bytes(self) -> int:
        """Size of the file so far."""
        return self._chunks.offset

    def write(self, frame: FrameTrace) -> None:
        """Append one frame: its head, and its passes one by one where they wait elsewhere.

        Raises
        ------
        StorageError : the disk is full or gone
        """
        description = {
            "frame": frame.frame,
            "width": frame.width,
            "height": frame.height,
            "rule": int(frame.rule),
            "labels": frame.labels,
            **({} if frame.role is FrameRole.MEASURED else {"role": str(frame.role)}),
            "tables": list(SCHEMA),
        }
        picture = [] if frame.picture is None else [("picture", frame.picture)]
        tables = frame.tables
        if not isinstance(tables, JoinedTables):
            passes = {
                "passes": [len(attachments) for attachments in frame.pixels],
                "contents": [[pixels is not None for pixels in attachments] for attachments in frame.contents],
            }
            self._write_part(ChunkKind.FRAME, {**description, **passes}, (*_columns_of(frame), *picture))
        else:
            self._write_part(
                ChunkKind.FRAME, {**description, "draw_counts": list(tables.draw_counts)},
                (*_columns_in(tables.head), *picture),
            )  # fmt: skip
            for index in range(len(tables.draw_counts)):
                self._part = index + 1
                self._write_pass(tables.source.load(index))
            self._write_part(ChunkKind.FRAME_END, {"passes": len(tables.draw_counts)}, ())
            self._part = 0
        self.num_frames += 1

    def _write_pass(self, content: PassContent) -> None:
        pixels = {str(number): array for number, array in enumerate(content.pixels)}
        begun = {str(number): array for number, array in enumerate(content.contents) if array is not None}
        columns = [
            *_columns_in(content.tables),
            *((f"pixels/{number}", array) for number, array in pixels.items()),
            *((f"contents/{number}", array) for number, array in begun.items()),
        ]
        kept = [array is not None for array in content.contents]
        self._write_part(ChunkKind.PASS, {"pixels": len(content.pixels), "contents": kept}, columns)

    def _write_part(
        self, kind: ChunkKind, description: Mapping[str, Any], arrays: Iterable[tuple[str, NDArray[Any]]]
    ) -> None:
        """Write columns, and behind them the chunk that describes them."""
        first = len(self._chunks.chunks)
        columns = []
        for number, (name, array) in enumerate(arrays):
            self._write_column(number, array)
            columns.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape)})
        self._flush()
        self._first_column = self._last_column = 0
        chunks = len(self._chunks.chunks) - first
        self._write_chunk(kind, _json({**description, "columns": columns, "chunks": chunks}), 0)

    def _write_column(self, number: int, array: NDArray[Any]) -> None:
        # A picture's rows are its pixels, so that the filter works on what is alike.
        rows = np.ascontiguousarray(array)
        row_bytes = max(1, rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64)))
        kind = choose_filter(rows.dtype)
        step = max(1, SEGMENT_BYTES // row_bytes)
        for first in range(0, len(rows), step):
            data = rows[first : first + step].tobytes()
            head = _SEGMENT.pack(number, kind, rows.dtype.itemsize, row_bytes, first * row_bytes, len(data))
            if self._segments and self._waiting_bytes + len(data) > SEGMENT_BYTES:
                self._flush()
            if not self._segments:
                self._first_column = number
            self._last_column = number
            self._segments.append((head, apply_filter(data, kind, rows.dtype.itemsize, row_bytes)))
            self._waiting_bytes += len(data)

    def _flush(self) -> None:
        if self._segments:
            count = len(self._segments)
            heads, parts = zip(*self._segments, strict=True)
            self._write_chunk(ChunkKind.COLUMNS, b"".join((_COUNT.pack(count), *heads, *parts)), count)
            self._segments.clear()
            self._waiting_bytes = 0

    def _write_chunk(self, kind: ChunkKind, raw: bytes, num_segments: int) -> Chunk:
        position = _POSITION.pack(
            self.num_frames, self._first_column, self._last_column, num_segments, self._part, _NOTHING
        )
        self._digest.update(int(kind).to_bytes(2, "little") + len(raw).to_bytes(4, "little") + position)
        self._digest.update(raw)
        return self._chunks.write(kind, raw, position)

    def close(self) -> None:
        """Write the end and give the file its name; a second call does nothing."""
        if not self._is_open:
            return
        self._is_open = False
        with self._output:
            raw = _json({"frames": self.num_frames, "sha256": self._digest.hexdigest()})
            self._chunks.write_footer(self._write_chunk(ChunkKind.INDEX, raw, 0))

    def abort(self) -> None:
        """Throw away what was written."""
        if self._is_open:
            self._is_open = False
            self._output.discard()

    def __enter__(self) -> GpuTraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.abort()


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _columns_of(frame: FrameTrace) -> Iterator[tuple[str, NDArray[Any]]]:
    """Every array of a frame that is there as a whole, but its picture, with its name in the file."""
    yield from _columns_in(frame.tables)
    for number, attachments in enumerate(frame.pixels):
        for attachment, pixels in enumerate(attachments):
            yield f"pixels/{number}/{attachment}", pixels
    for number, begun in enumerate(frame.contents):
        for attachment, content in enumerate(begun):
            if content is not None:
                yield f"contents/{number}/{attachment}", content


def _columns_in(tables: Mapping[str, Table]) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, table in tables.items():
        for key, array in table.items():
            yield f"{name}.{key}", array
