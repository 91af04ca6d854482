"""Compression of chunk payloads, with hard limits on what a reader will allocate."""

from __future__ import annotations

import threading
from typing import Any

import zstandard

from traceformat.errors import TraceFormatError
from traceformat.framing.headers import Codec

__all__ = ["DEFAULT_LEVEL", "compress", "decompress", "decompress_start"]

DEFAULT_LEVEL = 3


class _Contexts(threading.local):
    """A thread's own contexts: zstd releases the interpreter lock while it works, and a context is for one use."""

    def __init__(self) -> None:
        self.decompressor: Any = zstandard.ZstdDecompressor()
        self.compressors: dict[int, Any] = {}

    def compressor(self, level: int) -> Any:
        """Give the compressor of a level."""
        if level not in self.compressors:
            # The content size stands in zstd's own header: a reader compares it with the chunk's before it allocates.
            self.compressors[level] = zstandard.ZstdCompressor(
                level=level, write_content_size=True, write_checksum=False, threads=0
            )
        return self.compressors[level]


_contexts = _Contexts()


def compress(raw: bytes | memoryview, level: int = DEFAULT_LEVEL) -> tuple[Codec, bytes | memoryview]:
    """Compress a payload, or leave it as it is where that is smaller.

    Parameters
    ----------
    raw : payload
    level : of zstd, 1 to 19; 0 stores

    Returns
    -------
    Codec and stored bytes
    """
    if level > 0 and len(raw) > 32:
        packed: bytes = _contexts.compressor(level).compress(raw)
        if len(packed) < len(raw):
            return Codec.ZSTD, packed
    return Codec.STORED, raw


def decompress(codec: int, stored: bytes | memoryview, raw_bytes: int, limit: int) -> bytes:
    """Undo :func:`compress`; nothing is allocated before its size is known and allowed.

    Parameters
    ----------
    codec : of the chunk's header
    stored : payload as it lies in the file
    raw_bytes : size that the header promises
    limit : largest size to accept, bytes

    Raises
    ------
    TraceFormatError : unknown codec, a size over the limit or other than promised, or damaged data
    """
    if raw_bytes > limit:
        raise TraceFormatError(f"a chunk of {raw_bytes} bytes is over the limit of {limit}")
    if codec == Codec.STORED:
        if len(stored) != raw_bytes:
            raise TraceFormatError(f"a stored chunk has {len(stored)} bytes, its header says {raw_bytes}")
        return bytes(stored)
    if codec != Codec.ZSTD:
        raise TraceFormatError(f"unknown compression {codec}", hint="the file may need a newer version")
    try:
        content_bytes = zstandard.frame_content_size(stored)
        if content_bytes != raw_bytes:
            raise TraceFormatError(f"compressed data holds {content_bytes} bytes, the chunk's header says {raw_bytes}")
        raw: bytes = _contexts.decompressor.decompress(stored, max_output_size=raw_bytes, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise TraceFormatError(f"damaged compressed data: {error}") from None
    if len(raw) != raw_bytes:
        raise TraceFormatError(f"compressed data holds {len(raw)} bytes, the chunk's header says {raw_bytes}")
    return raw


def decompress_start(codec: int, stored: bytes | memoryview, num_bytes: int) -> bytes:
    """Give the first bytes of a payload, fewer where it has fewer, without decompressing the rest.

    Raises
    ------
    TraceFormatError : unknown codec, or damaged data
    """
    if codec == Codec.STORED:
        return bytes(stored[:num_bytes])
    if codec != Codec.ZSTD:
        raise TraceFormatError(f"unknown compression {codec}", hint="the file may need a newer version")
    try:
        # A context of its own: a stream that is not read to its end would stay in the one that decompress uses.
        start: bytes = zstandard.ZstdDecompressor().stream_reader(stored).read(num_bytes)
    except zstandard.ZstdError as error:
        raise TraceFormatError(f"damaged compressed data: {error}") from None
    return start
