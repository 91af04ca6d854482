"""Calls that are in no chunk yet, as the chunk SAVED that stands behind a trace's whole chunks until they are."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from traceformat.framing.chunks import ChunkWriter
from traceformat.framing.headers import TRACE_POSITION, ChunkKind, struct_of

if TYPE_CHECKING:
    from traceformat.gltrace.blobs import BlobStore
    from traceformat.gltrace.callbuilder import CallsBuilder

__all__ = ["pack_position", "saved_chunk"]

_POSITION: Final = struct_of(TRACE_POSITION)


def pack_position(
    first_call: int, num_calls: int, candidates: Sequence[int], num_pieces: int, first_blob: int, draws: int
) -> bytes:
    """Pack where a chunk stands."""
    return _POSITION.pack(first_call, num_calls, *candidates, num_pieces, first_blob, draws)


def saved_chunk(calls: CallsBuilder, blobs: BlobStore, number: int) -> bytes:
    """Give a chunk SAVED with everything that waits, stored.

    Parameters
    ----------
    calls, blobs : what waits; both go on as if nothing had been asked
    number : of the next chunk of the file
    """
    inner, saved = io.BytesIO(), io.BytesIO()
    rest = ChunkWriter(inner, 0, 0, number)
    raw = calls.snapshot() if calls.num_calls else b""
    before = calls.first_call, calls.draws_before, calls.candidates
    for first_blob, num_pieces, pieces in blobs.payloads():
        rest.write(ChunkKind.BLOBS, pieces, pack_position(before[0], 0, before[2], num_pieces, first_blob, before[1]))
    position = pack_position(before[0], calls.num_calls, before[2], 0, blobs.num_blobs, before[1])
    if raw:
        rest.write(ChunkKind.CALLS, raw, position)
    ChunkWriter(saved, 0, 0, number).write(ChunkKind.SAVED, inner.getvalue(), position)
    return saved.getvalue()
