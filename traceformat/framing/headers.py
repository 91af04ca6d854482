"""Declarations of everything that lies in a trace file, in construct: the one source of the byte layouts.

``c`` is construct, as its documentation imports it.
Containers are parsed and built with these objects directly. What is written for each call goes through ``struct``
and numpy layouts that :func:`struct_of` and :func:`dtype_of` derive from them; a test builds the same bytes with
construct alone. FORMAT.md is this file in prose.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any, Final

import construct as c
import numpy as np

__all__ = [
    "BLOB_PIECE",
    "BOUNDARY",
    "CALLS_HEADER",
    "CHUNK_HEADER",
    "CHUNK_PREFIX",
    "FILE_HEADER",
    "FOOTER",
    "INDEX_ENTRY",
    "INDEX_HEADER",
    "LOCATION",
    "OUTPUT",
    "RING_COMMAND",
    "RING_HEADER",
    "RUN",
    "SEGMENT",
    "SHAPE",
    "STATE_HEADER",
    "STATE_POINT",
    "TABLE_POSITION",
    "TRACE_POSITION",
    "VALUE_LAYOUTS",
    "ChunkKind",
    "Codec",
    "ValueKind",
    "dtype_of",
    "struct_of",
]


class ChunkKind(IntEnum):
    """What a chunk holds; a reader skips kinds that it does not know, by their length."""

    CALLS = 1
    BLOBS = 2
    INDEX = 3
    STATE = 4
    #: Chunks of its own, which stand for those of their numbers that lie before them in the file.
    SAVED = 5
    FRAME = 16
    COLUMNS = 17
    PASS = 18
    FRAME_END = 19


class Codec(IntEnum):
    """How a chunk's payload is stored."""

    STORED = 0
    ZSTD = 1


class ValueKind(IntEnum):
    """How a value of a call is stored in its row."""

    NONE = 0
    I8 = 1
    U8 = 2
    I16 = 3
    U16 = 4
    I32 = 5
    U32 = 6
    I64 = 7
    U64 = 8
    F32 = 9
    F64 = 10
    OFFSET = 11
    #: References into the chunk's data: 2 * i is inline item i, 2 * j + 1 is item j of the list of blob numbers.
    BYTES = 12
    TEXT = 13
    #: A list of texts: u32 count, u32 lengths, then the texts.
    TEXTS = 14


#: Layout of a value in a row; NONE takes no bytes.
VALUE_LAYOUTS: Final[dict[ValueKind, Any]] = {
    ValueKind.I8: c.Int8sl,
    ValueKind.U8: c.Int8ul,
    ValueKind.I16: c.Int16sl,
    ValueKind.U16: c.Int16ul,
    ValueKind.I32: c.Int32sl,
    ValueKind.U32: c.Int32ul,
    ValueKind.I64: c.Int64sl,
    ValueKind.U64: c.Int64ul,
    ValueKind.F32: c.Float32l,
    ValueKind.F64: c.Float64l,
    ValueKind.OFFSET: c.Int64sl,
    ValueKind.BYTES: c.Int32ul,
    ValueKind.TEXT: c.Int32ul,
    ValueKind.TEXTS: c.Int32ul,
}

# -- the file ---------------------------------------------------------------------------------------------------------

#: Start of a file; ``properties_bytes`` of UTF-8 JSON and the CRC-32 of everything before it follow.
FILE_HEADER: Final = c.Struct(
    "magic" / c.Bytes(16),
    "major" / c.Int16ul,
    "minor" / c.Int16ul,
    "properties_bytes" / c.Int32ul,
)

#: Where a chunk of a .gltrace stands; the counts are of what lies before it in the file.
TRACE_POSITION: Final = c.Struct(
    "first_call" / c.Int64ul,
    "num_calls" / c.Int32ul,
    "markers" / c.Int32ul,
    "swaps" / c.Int32ul,
    "finishes" / c.Int32ul,
    "reads" / c.Int32ul,
    "num_blobs" / c.Int32ul,
    "first_blob" / c.Int64ul,
    "draws" / c.Int64ul,
)

#: Where a chunk of a .gputrace stands: ordinal of its frame, which columns it holds parts of, and what these belong to:
#: 0 = the frame's head, k + 1 = pass k.
TABLE_POSITION: Final = c.Struct(
    "frame" / c.Int32ul,
    "first_column" / c.Int32ul,
    "last_column" / c.Int32ul,
    "num_segments" / c.Int32ul,
    "part" / c.Int32ul,
    "reserved" / c.Bytes(28),
)

#: Start of every chunk, up to its check sums.
CHUNK_PREFIX: Final = c.Struct(
    "sync" / c.Bytes(8),
    "kind" / c.Int16ul,
    "codec" / c.Int16ul,
    "stored_bytes" / c.Int32ul,
    "raw_bytes" / c.Int32ul,
    "sequence" / c.Int32ul,
    "position" / c.Bytes(TRACE_POSITION.sizeof()),
)

#: ``header_crc`` is the CRC-32 of the prefix; ``crc`` that of prefix and stored payload together.
CHUNK_HEADER: Final = c.Struct(
    "prefix" / CHUNK_PREFIX,
    "header_crc" / c.Int32ul,
    "crc" / c.Int32ul,
)

#: Last bytes of a whole file; ``crc`` is the CRC-32 of what stands before it here.
FOOTER: Final = c.Struct(
    "magic" / c.Bytes(8),
    "index_offset" / c.Int64ul,
    "num_chunks" / c.Int32ul,
    "crc" / c.Int32ul,
)

# -- chunks of a .gltrace ---------------------------------------------------------------------------------------------

#: Start of a CALLS payload. Behind it, in this order: names (u8 length and ASCII each), shapes, order (u16 a call),
#: runs, boundaries, rows (shape by shape), inline lengths (u32), blob numbers (u64), inline data, locations, and
#: with any location the source of every call (u32; 0 = none, else 1 + its location).
CALLS_HEADER: Final = c.Struct(
    "num_calls" / c.Int32ul,
    "num_draws" / c.Int32ul,
    "num_names" / c.Int16ul,
    "num_shapes" / c.Int16ul,
    "num_runs" / c.Int32ul,
    "num_boundaries" / c.Int32ul,
    "num_inline" / c.Int32ul,
    "num_blobs" / c.Int32ul,
    "inline_bytes" / c.Int32ul,
    "num_locations" / c.Int32ul,
)

#: What calls of one kind share. ``arguments`` ValueKinds (u8) and ``outputs`` OUTPUTs follow. A row holds the
#: arguments, the outputs and the result, in this order.
SHAPE: Final = c.Struct(
    "name" / c.Int16ul,
    "flags" / c.Int8ul,
    "result" / c.Int8ul,
    "arguments" / c.Int8ul,
    "outputs" / c.Int8ul,
    "count" / c.Int32ul,
)
#: Name and ValueKind of an output.
OUTPUT: Final = c.Struct("name" / c.Int16ul, "kind" / c.Int8ul)
#: From this call of the chunk on, calls are of this thread and context.
RUN: Final = c.Struct("call" / c.Int32ul, "thread" / c.Int32ul, "context" / c.Int32ul)
#: A call that may end a frame: its place in the chunk, FrameRule, and draws before it in the trace.
BOUNDARY: Final = c.Struct("call" / c.Int32ul, "rule" / c.Int8ul, "draws" / c.Int64ul)
#: A place in the program: reference to the file's name (as in a row), and the line.
LOCATION: Final = c.Struct("file" / c.Int32ul, "line" / c.Int32ul)

#: One piece of a blob; a BLOBS payload is u32 count, the pieces' headers, then their bytes. A piece that reaches
#: ``total_bytes`` ends its blob; the next piece belongs to the next blob number.
BLOB_PIECE: Final = c.Struct(
    "digest" / c.Bytes(16),
    "total_bytes" / c.Int64ul,
    "offset" / c.Int64ul,
    "num_bytes" / c.Int32ul,
)

#: Start of an INDEX payload; entries (one a chunk) and the end call of each frame (u64) follow.
INDEX_HEADER: Final = c.Struct(
    "num_calls" / c.Int64ul,
    "num_draws" / c.Int64ul,
    "num_blobs" / c.Int64ul,
    "num_chunks" / c.Int32ul,
    "num_frames" / c.Int32ul,
    "rule" / c.Int8ul,
    "last_rule" / c.Int8ul,
    "content_sha256" / c.Bytes(32),
)
INDEX_ENTRY: Final = c.Struct("offset" / c.Int64ul, "prefix" / CHUNK_PREFIX)

#: Start of a STATE payload: content hash of the trace that it is of, version of the rules that it was made by. Behind
#: it the points, the calls that each adds (u64, filtered DELTA_SHUFFLE) and removes (u32 places, likewise).
STATE_HEADER: Final = c.Struct("content_sha256" / c.Bytes(32), "rules" / c.Int32ul, "num_points" / c.Int32ul)
#: A point: the first call behind it; how many calls the list of needed ones has more and less than that of the point
#: before. What is added is ascending; what is removed are places in the list before, ascending.
STATE_POINT: Final = c.Struct("call" / c.Int64ul, "num_added" / c.Int32ul, "num_removed" / c.Int32ul)

# -- the file beside a .gltrace that is being written -----------------------------------------------------------------

#: Its first bytes, written by machine code (``capture.native.ring``): the buffer's control block, then what is the same
#: of all calls that it holds: number of the first one in the trace, thread, context. See ``gltrace.ringfile``.
RING_HEADER: Final = c.Struct(
    "magic" / c.Bytes(8),
    "lock" / c.Int64ul,
    "owner" / c.Int64ul,
    "count" / c.Int64ul,
    "used" / c.Int64ul,
    "flags" / c.Int64ul,
    "arrays" / c.Int64ul,
    "first_call" / c.Int64ul,
    "thread" / c.Int64ul,
    "context" / c.Int64ul,
    "num_commands" / c.Int64ul,
)
#: An entry point: name (zeros behind it), place of its rows in the file, ValueKinds of its arguments, of content the
#: argument that points at it (-1: there is none), bytes of an item, and the argument that counts items.
RING_COMMAND: Final = c.Struct(
    "name" / c.Bytes(64),
    "rows" / c.Int64ul,
    "kinds" / c.Bytes(24),
    "num_kinds" / c.Int32ul,
    "pointer" / c.Int32sl,
    "item_bytes" / c.Int32ul,
    "counter" / c.Int32ul,
)

# -- chunks of a .gputrace --------------------------------------------------------------------------------------------

#: A piece of a column in a COLUMNS payload (u32 count, the segments' headers, then their bytes): its column
#: (by the FRAME chunk's numbering), the filter that was applied, bytes of an element, place in the column, length.
SEGMENT: Final = c.Struct(
    "column" / c.Int16ul,
    "filter" / c.Int8ul,
    "item_bytes" / c.Int8ul,
    "row_bytes" / c.Int32ul,
    "offset" / c.Int64ul,
    "num_bytes" / c.Int32ul,
)

# construct spells 32 bits 'L'/'l'; with '<' struct reads that as 4 bytes, numpy as 8.
_NUMPY: Final = {
    "L": "u4",
    "l": "i4",
    "Q": "u8",
    "q": "i8",
    "H": "u2",
    "h": "i2",
    "B": "u1",
    "b": "i1",
    "f": "f4",
    "d": "f8",
}


def _fields(layout: Any) -> list[tuple[str, Any]]:
    """Name and innermost field of each member of a construct Struct."""
    fields = []
    for sub in layout.subcons:
        inner = sub.subcon
        fields.append((str(sub.name), inner))
    return fields


def struct_of(layout: Any) -> struct.Struct:
    """Derive a ``struct.Struct`` from a construct Struct of fixed fields (nested ones are flattened)."""

    def spell(field: Any) -> str:
        if isinstance(field, c.Struct):
            return "".join(spell(inner) for _, inner in _fields(field))
        if isinstance(field, c.Bytes):
            return f"{field.length}s"
        return str(field.fmtstr).lstrip("<>=!@")

    return struct.Struct("<" + spell(layout))


def dtype_of(layout: Any) -> np.dtype[Any]:
    """Derive a packed little-endian numpy dtype from a construct Struct of fixed fields, or from a single field."""
    if isinstance(layout, c.Struct):
        return np.dtype([(name, dtype_of(field)) for name, field in _fields(layout)])
    if isinstance(layout, c.Bytes):
        return np.dtype(f"S{layout.length}") if layout.length == 0 else np.dtype(("u1", (int(layout.length),)))
    return np.dtype("<" + _NUMPY[str(layout.fmtstr).lstrip("<>=!@")])
