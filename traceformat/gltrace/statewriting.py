"""Writing an index of state into a .gltrace that is whole: its other bytes stay what they are."""

from __future__ import annotations

import os
from typing import Final

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import Chunk, ChunkWriter, scan_chunks
from traceformat.framing.container import map_file
from traceformat.framing.headers import INDEX_ENTRY, INDEX_HEADER, ChunkKind, struct_of
from traceformat.gltrace.stateindex import StateIndex
from traceformat.gltrace.survey import survey
from traceformat.output import Output

__all__ = ["write_with_state"]

_INDEX: Final = struct_of(INDEX_HEADER)
_ENTRY: Final = struct_of(INDEX_ENTRY)
_NUM_CHUNKS: Final = 3


def write_with_state(path: str | os.PathLike[str], index: StateIndex, output: str | os.PathLike[str]) -> None:
    """Write a trace with an index of state behind its last call; one that it has is replaced.

    Parameters
    ----------
    path : of a whole trace
    index : to write
    output : file to write; may be the trace itself

    Raises
    ------
    UsageError, StorageError : the output cannot be written
    TraceFormatError : the trace is damaged
    """
    data = map_file(path)
    try:
        found = survey(data, os.fspath(path))
        if found.damage or found.index is None or found.start is None:
            raise TraceFormatError(f"{path}: the trace is damaged: {found.damage[0]}")
        chunks = [piece for piece in scan_chunks(data, found.start.end, len(data)) if isinstance(piece, Chunk)]
        end = next(
            place for place, chunk in enumerate(chunks) if chunk.prefix.kind in (ChunkKind.STATE, ChunkKind.INDEX)
        )
        totals = chunks[-1].prefix.position
        with Output(output) as part:
            part.stream.write(data[: chunks[end].offset])
            writer = ChunkWriter(part.stream, chunks[end].offset)
            writer.chunks += chunks[:end]
            writer.write(ChunkKind.STATE, index.pack(), totals)
            writer.write_footer(writer.write(ChunkKind.INDEX, _index(found.index, writer.chunks), totals))
    finally:
        data.close()


def _index(old: bytes, chunks: list[Chunk]) -> bytes:
    """Index of the same trace in other chunks."""
    head = list(_INDEX.unpack_from(old))
    ends = old[_INDEX.size + head[_NUM_CHUNKS] * _ENTRY.size :]
    head[_NUM_CHUNKS] = len(chunks)
    return _INDEX.pack(*head) + b"".join(_ENTRY.pack(chunk.offset, *chunk.prefix) for chunk in chunks) + ends
