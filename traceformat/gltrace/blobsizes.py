"""Sizes of the blobs of a trace, read from the starts of their chunks."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import Chunk
from traceformat.framing.headers import BLOB_PIECE, dtype_of

__all__ = ["blob_sizes"]

_COUNT = struct.Struct("<I")
_PIECE = dtype_of(BLOB_PIECE)


def blob_sizes(chunks: Iterable[tuple[Chunk, int]], data: mmap.mmap | bytes, num_blobs: int) -> NDArray[np.int64]:
    """Sizes of all blobs, in bytes; -1 for those that are lost.

    Only the headers of the pieces are decompressed, so that this is quick for a large trace.

    Parameters
    ----------
    chunks : sound chunks of blobs, and the number of the first blob of each
    data : the file
    num_blobs : blobs of the trace
    """
    sizes = np.full(num_blobs, -1, np.int64)
    for chunk, first_blob in chunks:
        head = chunk.read_start(data, _COUNT.size)
        count = _COUNT.unpack_from(head)[0] if len(head) >= _COUNT.size else 0
        need = _COUNT.size + count * _PIECE.itemsize
        if need > chunk.prefix.raw_bytes:
            raise TraceFormatError(f"{count} blobs do not fit in a chunk of {chunk.prefix.raw_bytes} bytes")
        pieces = np.frombuffer(chunk.read_start(data, need), _PIECE, count, _COUNT.size)
        ends = pieces["offset"] + pieces["num_bytes"] == pieces["total_bytes"]
        numbers = first_blob + np.concatenate(([0], np.cumsum(ends)[:-1])) if count else np.zeros(0, np.int64)
        known = numbers < num_blobs
        sizes[numbers[known]] = pieces["total_bytes"][known]
    return sizes
