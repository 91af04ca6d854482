"""Framing: chunks with sync mark, check sums and positions; the same in .gltrace and .gputrace.

A chunk's header carries two CRC-32: one over the header alone, so that its length and position can be trusted even
where the payload is damaged, and one over header and payload.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple
from zlib import crc32

from traceformat.errors import TraceFormatError
from traceformat.framing.codecs import DEFAULT_LEVEL, compress, decompress, decompress_start
from traceformat.framing.headers import CHUNK_HEADER, CHUNK_PREFIX, FOOTER, ChunkKind, struct_of

__all__ = [
    "CHUNK_BYTES",
    "FOOTER_BYTES",
    "MAX_RAW_BYTES",
    "Chunk",
    "ChunkWriter",
    "Hole",
    "Prefix",
    "read_footer",
    "scan_chunks",
]

#: A payload is closed when it reaches this size (facts: 64 KiB cost 1 % of the ratio and bound a loss).
CHUNK_BYTES: Final = 1 << 16
#: Largest payload that a reader accepts, except for an index.
MAX_RAW_BYTES: Final = 1 << 22

SYNC: Final = b"\xabGLCHK\r\n"
FOOTER_MAGIC: Final = b"\xabGLEND\r\n"
_PREFIX: Final = struct_of(CHUNK_PREFIX)
_HEADER: Final = struct_of(CHUNK_HEADER)
_FOOTER: Final = struct_of(FOOTER)
FOOTER_BYTES: Final = _FOOTER.size


class Prefix(NamedTuple):
    """Fields of a chunk's header, in the order of ``headers.CHUNK_PREFIX``."""

    sync: bytes
    kind: int
    codec: int
    stored_bytes: int
    raw_bytes: int
    sequence: int
    position: bytes


@dataclass(slots=True)
class Chunk:
    """A chunk in a file whose header is sound.

    Parameters
    ----------
    offset : of its header in the file, bytes
    prefix : header fields
    is_whole : False when its payload is damaged or cut
    """

    offset: int
    prefix: Prefix
    is_whole: bool = True

    @property
    def end(self) -> int:
        """Offset of the first byte behind the chunk."""
        return self.offset + _HEADER.size + self.prefix.stored_bytes

    def read(self, data: mmap.mmap | bytes, limit: int = MAX_RAW_BYTES) -> bytes:
        """Give the uncompressed payload.

        Raises
        ------
        TraceFormatError : its check sum is wrong, or see :func:`codecs.decompress`
        """
        start = self.offset + _HEADER.size
        with memoryview(data) as view:
            stored = bytes(view[start : start + self.prefix.stored_bytes])
        if payload_crc(_PREFIX.pack(*self.prefix), stored) != _HEADER.unpack_from(data, self.offset)[-1]:
            raise TraceFormatError(f"the chunk at byte {self.offset} is damaged: its check sum is wrong")
        return decompress(self.prefix.codec, stored, self.prefix.raw_bytes, limit)

    def read_start(self, data: mmap.mmap | bytes, num_bytes: int) -> bytes:
        """Give the first bytes of the uncompressed payload; the check sum is not verified again.

        Raises
        ------
        TraceFormatError : see :func:`codecs.decompress_start`
        """
        start = self.offset + _HEADER.size
        with memoryview(data) as view, view[start : start + self.prefix.stored_bytes] as stored:
            return decompress_start(self.prefix.codec, stored, num_bytes)


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes of a file that belong to no sound chunk."""

    offset: int
    end: int


def payload_crc(prefix: bytes, stored: bytes | memoryview) -> int:
    """CRC-32 over a chunk's packed prefix and stored payload."""
    return crc32(stored, crc32(prefix))


class ChunkWriter:
    """Appends chunks to a binary file and remembers where they lie.

    Parameters
    ----------
    stream : open for writing; its position is ``offset``
    offset : bytes already written
    level : of zstd
    sequence : chunks that are in the file already
    """

    def __init__(self, stream: BinaryIO, offset: int, level: int = DEFAULT_LEVEL, sequence: int = 0) -> None:
        self._stream = stream
        self._level = level
        self._sequence = sequence
        self.offset = offset
        self.chunks: list[Chunk] = []

    def write(self, kind: int, raw: bytes | memoryview, position: bytes, level: int | None = None) -> Chunk:
        """Append one chunk and return it; ``level`` is for this one alone."""
        codec, stored = compress(raw, self._level if level is None else level)
        prefix = Prefix(SYNC, int(kind), int(codec), len(stored), len(raw), self._sequence + len(self.chunks), position)
        packed = _PREFIX.pack(*prefix)
        header = _HEADER.pack(*prefix, crc32(packed), payload_crc(packed, stored))
        self._stream.write(header)
        self._stream.write(stored)
        chunk = Chunk(self.offset, prefix)
        self.offset = chunk.end
        self.chunks.append(chunk)
        return chunk

    def write_footer(self, index: Chunk) -> None:
        """Append the footer that points at the index."""
        body = _FOOTER.pack(FOOTER_MAGIC, index.offset, len(self.chunks), 0)[:-4]
        self._stream.write(body + crc32(body).to_bytes(4, "little"))


def read_footer(data: mmap.mmap | bytes) -> tuple[int, int] | None:
    """Offset of the index and number of chunks, or None where the file has no sound footer."""
    if len(data) < FOOTER_BYTES:
        return None
    tail = data[len(data) - FOOTER_BYTES :]
    magic, index_offset, num_chunks, crc = _FOOTER.unpack(tail)
    if magic != FOOTER_MAGIC or crc32(tail[:-4]) != crc:
        return None
    return index_offset, num_chunks


def chunk_at(data: mmap.mmap | bytes, offset: int, end: int) -> Chunk | None:
    """Chunk whose header starts at ``offset``, or None where there is no sound header.

    The payload may be damaged or reach beyond ``end``: ``is_whole`` says so.
    """
    if offset < 0 or offset + _HEADER.size > end:
        return None
    fields: tuple[Any, ...] = _HEADER.unpack_from(data, offset)
    prefix = Prefix(*fields[:-2])
    packed = _PREFIX.pack(*prefix)
    if prefix.sync != SYNC or crc32(packed) != fields[-2]:
        return None
    chunk = Chunk(offset, prefix)
    if chunk.end > end:
        chunk.is_whole = False
    else:
        with memoryview(data) as view, view[offset + _HEADER.size : chunk.end] as stored:
            chunk.is_whole = payload_crc(packed, stored) == fields[-1]
    return chunk


def scan_chunks(data: mmap.mmap | bytes, start: int, end: int) -> Iterator[Chunk | Hole]:
    """Walk over ``data[start:end]``; between chunks, search for the next sync mark.

    Every byte is either in a chunk or in a hole. Check sums of all payloads are computed. Where a payload is damaged,
    bytes may be missing from it, so the next chunk is searched from its header on. Chunks within a chunk SAVED follow
    it.
    """
    offset = hole = start
    while offset < end:
        chunk = chunk_at(data, offset, end)
        if chunk is None:
            offset = data.find(SYNC, offset + 1, end)
            if offset < 0:
                break
            continue
        if chunk.offset > hole:
            yield Hole(hole, chunk.offset)
        yield chunk
        hole = min(chunk.end, end)
        if not chunk.is_whole:
            offset = data.find(SYNC, offset + 1, end)
        elif chunk.prefix.kind == ChunkKind.SAVED:
            offset = hole = chunk.offset + _HEADER.size
        else:
            offset = hole
        if offset < 0:
            break
    if hole < end:
        yield Hole(hole, end)
