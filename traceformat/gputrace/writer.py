"""Writing .gputrace files; ``gputrace.py`` reads them."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping
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
from traceformat.gputrace.frametrace import SCHEMA_VERSION, FrameRole, FrameTrace
from traceformat.output import Output

__all__ = ["GpuTraceWriter"]

#: A column is cut into segments of about this size, a chunk holds about as much.
SEGMENT_BYTES: Final = 1 << 18

_POSITION: Final = struct_of(TABLE_POSITION)
_SEGMENT: Final = struct_of(SEGMENT)
_COUNT: Final = struct.Struct("<I")
_NOTHING: Final = bytes(32)


class GpuTraceWriter:
    """Writes FrameTraces one after the other; memory is bounded by a chunk.

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
        self._first_chunk = 0
        self._segments: list[tuple[bytes, bytes]] = []
        self._waiting_bytes = 0
        self._first_column = self._last_column = 0
        self.num_frames = 0

    def write(self, frame: FrameTrace) -> None:
        """Append one frame; absent columns stay absent.

        Raises
        ------
        StorageError : the disk is full or gone
        """
        self._first_chunk = len(self._chunks.chunks)
        columns = []
        for number, (name, array) in enumerate(_columns_of(frame)):
            self._write_column(number, array)
            columns.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape)})
        self._flush()
        description = {
            "frame": frame.frame,
            "width": frame.width,
            "height": frame.height,
            "rule": int(frame.rule),
            "labels": frame.labels,
            **({} if frame.role is FrameRole.MEASURED else {"role": str(frame.role)}),
            "tables": list(frame.tables),
            "passes": [len(attachments) for attachments in frame.pixels],
            "contents": [[pixels is not None for pixels in attachments] for attachments in frame.contents],
            "columns": columns,
            "chunks": len(self._chunks.chunks) - self._first_chunk,
        }
        raw = _json(description)
        self._first_column = self._last_column = 0
        self._write_chunk(ChunkKind.FRAME, raw, 0)
        self.num_frames += 1

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
        position = _POSITION.pack(self.num_frames, self._first_column, self._last_column, num_segments, _NOTHING)
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
    """Every array of a frame with its name in the file."""
    for name, table in frame.tables.items():
        for key, array in table.items():
            yield f"{name}.{key}", array
    for number, attachments in enumerate(frame.pixels):
        for attachment, pixels in enumerate(attachments):
            yield f"pixels/{number}/{attachment}", pixels
    for number, begun in enumerate(frame.contents):
        for attachment, content in enumerate(begun):
            if content is not None:
                yield f"contents/{number}/{attachment}", content
    if frame.picture is not None:
        yield "picture", frame.picture
