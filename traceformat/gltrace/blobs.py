"""Blobs: content that is stored once, whatever the number of calls that use it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import CHUNK_BYTES
from traceformat.framing.headers import BLOB_PIECE, struct_of

__all__ = ["MAX_KNOWN", "BlobPiece", "BlobStore", "read_pieces"]

#: A larger blob is cut into pieces of this size, so that no chunk grows beyond what a reader accepts.
PIECE_BYTES: Final = 1 << 20
#: Largest blob; GL's largest texture image of ordinary programs (8192 x 8192 RGBA float) is 1 GiB.
MAX_BLOB_BYTES: Final = 1 << 30
#: Contents that the writer remembers; beyond, the oldest are forgotten and may be stored again.
MAX_KNOWN: Final = 1 << 18

_PIECE: Final = struct_of(BLOB_PIECE)
_COUNT: Final = struct.Struct("<I")


class BlobPiece(NamedTuple):
    """Piece of a blob in a BLOBS chunk.

    Parameters
    ----------
    blob : number of the blob
    digest : first 16 bytes of the BLAKE2b of the whole blob
    total_bytes, offset : of the whole blob, and where in it the piece lies
    data : the piece
    """

    blob: int
    digest: bytes
    total_bytes: int
    offset: int
    data: bytes


class BlobStore:
    """Numbers blobs by content and collects new ones until the writer takes them as chunks.

    Parameters
    ----------
    max_known : contents to remember; None for all
    first : number of the first blob
    """

    def __init__(self, max_known: int | None = MAX_KNOWN, first: int = 0) -> None:
        self._max_known = max_known
        self._known: dict[bytes, int] = {}
        self.num_blobs = first
        self._waiting: list[tuple[bytes, bytes]] = []
        self.waiting_bytes = 0
        self._first_waiting = first

    def add(self, data: bytes) -> int:
        """Number of the blob with this content.

        Raises
        ------
        ValueError : it is larger than a trace can hold
        """
        if len(data) > MAX_BLOB_BYTES:
            raise ValueError(f"content of {len(data)} bytes is over the format's limit of {MAX_BLOB_BYTES}")
        digest = blake2b(data, digest_size=16).digest()
        number = self._known.get(digest)
        if number is None:
            number = self._known[digest] = self.num_blobs
            self.num_blobs += 1
            self._waiting.append((digest, data))
            self.waiting_bytes += len(data)
            if self._max_known is not None and len(self._known) > self._max_known:
                del self._known[next(iter(self._known))]
        return number

    def payloads(self) -> Iterator[tuple[int, int, bytes]]:
        """Give first blob, number of pieces and payload of the chunks that hold all waiting blobs."""
        heads: list[bytes] = []
        parts: list[bytes] = []
        size = 0
        number = first = self._first_waiting
        for digest, data in self._waiting:
            for offset in range(0, len(data), PIECE_BYTES):
                part = data[offset : offset + PIECE_BYTES]
                if heads and size + len(part) > CHUNK_BYTES:
                    yield first, len(heads), b"".join((_COUNT.pack(len(heads)), *heads, *parts))
                    heads, parts, size, first = [], [], 0, number
                heads.append(_PIECE.pack(digest, len(data), offset, len(part)))
                parts.append(part)
                size += len(part)
            number += 1
        if heads:
            yield first, len(heads), b"".join((_COUNT.pack(len(heads)), *heads, *parts))

    def forget_waiting(self) -> None:
        """The waiting blobs have been written."""
        self._first_waiting += len(self._waiting)
        self._waiting.clear()
        self.waiting_bytes = 0


def read_pieces(payload: bytes, first_blob: int) -> list[BlobPiece]:
    """Pieces in a BLOBS payload.

    Raises
    ------
    TraceFormatError : the payload contradicts itself
    """
    count = _COUNT.unpack_from(payload)[0] if len(payload) >= 4 else 0
    at = 4 + count * _PIECE.size
    if at > len(payload) or len(payload) < 4:
        raise TraceFormatError(f"{count} blobs do not fit in a chunk of {len(payload)} bytes")
    pieces = []
    number, end = first_blob, len(payload)
    for digest, total, offset, size in _PIECE.iter_unpack(payload[4:at]):
        after = at + size
        if after > end or offset + size > total or total > MAX_BLOB_BYTES:
            raise TraceFormatError(f"a piece of blob {number} reaches beyond its chunk or blob")
        pieces.append(BlobPiece(number, digest, total, offset, payload[at:after]))
        at = after
        number += offset + size == total
    if at != len(payload):
        raise TraceFormatError(f"{len(payload) - at} bytes are left over in a chunk of blobs")
    return pieces
