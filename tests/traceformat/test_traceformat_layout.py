"""The bytes that the writer makes are those that the construct declarations describe."""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import construct as c
import numpy as np
import pytest

from traceformat.calls import Offset
from traceformat.framing import headers
from traceformat.framing.chunks import Chunk, read_footer, scan_chunks
from traceformat.framing.codecs import decompress
from traceformat.framing.headers import VALUE_LAYOUTS, ChunkKind, ValueKind, dtype_of, struct_of
from traceformat.gltrace.blobs import read_pieces
from traceformat.gltrace.callchunk import CallsChunk
from traceformat.gltrace.writer import TraceWriter

LAYOUTS = {name: getattr(headers, name) for name in headers.__all__ if isinstance(getattr(headers, name), c.Struct)}


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_derived_layouts_have_constructs_bytes(name):
    layout = LAYOUTS[name]
    packed, dtype = struct_of(layout), dtype_of(layout)
    assert packed.size == layout.sizeof() == dtype.itemsize
    rng = np.random.default_rng(1)
    data = rng.bytes(layout.sizeof())
    parsed = layout.parse(data)
    assert layout.build(parsed) == data

    def flat(value, field):
        if isinstance(field, c.Struct):
            return [item for sub in field.subcons for item in flat(value[sub.name], sub.subcon)]
        return [value]

    assert list(packed.unpack(data)) == flat(parsed, layout)
    record = np.frombuffer(data, dtype)[0]
    for sub in layout.subcons:
        if isinstance(sub.subcon, c.FormatField):
            assert record[sub.name] == parsed[sub.name]


@pytest.mark.parametrize("kind", list(VALUE_LAYOUTS))
def test_values(kind):
    layout = VALUE_LAYOUTS[kind]
    dtype = dtype_of(layout)
    assert dtype.itemsize == layout.sizeof()
    data = bytes(range(1, 1 + layout.sizeof()))
    assert np.frombuffer(data, dtype)[0] == layout.parse(data)


def write_sample(path):
    with TraceWriter(path, {"program": "x"}) as trace:
        for number in range(5):
            trace.write("glViewport", (0, -number, 640, 480), context=1)
            trace.write("glDrawElements", (4, 6, 0x1403, Offset(number)), context=1, thread=1 + number // 3)
        trace.write("glShaderSource", (3, 2, ("void", "main"), None), context=1, source=("a.py", 7))
        trace.write("glBufferData", (0x8892, 600, bytes(600), 0x88E4), context=1, flags=1)
        trace.write("glGenBuffers", (1, None), {"buffers": b"\5\0\0\0"}, context=1)
        trace.write("glCreateProgram", result=9, context=1)
        trace.write("traceSwap", (1, "swap"))
    return path.read_bytes()


def build_calls_with_construct(chunk: CallsChunk, names: list[str], data: list[bytes]) -> bytes:
    """A CALLS payload built by construct alone, from the decoded chunk."""
    u4, u8 = c.Int32ul, c.Int64ul
    parts = [
        headers.CALLS_HEADER.build(
            {
                "num_calls": chunk.num_calls,
                "num_draws": chunk.num_draws,
                "num_names": len(names),
                "num_shapes": len(chunk.shapes),
                "num_runs": len(chunk.runs),
                "num_boundaries": len(chunk.boundaries),
                "num_inline": len(data),
                "num_blobs": len(chunk.blob_numbers),
                "inline_bytes": sum(map(len, data)),
                "num_locations": len(chunk._locations),
            }
        ),
        *(c.PascalString(c.Int8ul, "ascii").build(name) for name in names),
    ]
    for shape in chunk.shapes:
        parts.append(
            headers.SHAPE.build(
                {
                    "name": names.index(shape.name),
                    "flags": shape.flags,
                    "result": shape.result,
                    "arguments": len(shape.arguments),
                    "outputs": len(shape.outputs),
                    "count": shape.count,
                }
            )
        )
        parts.append(c.Array(len(shape.arguments), c.Int8ul).build(shape.arguments))
        parts += [headers.OUTPUT.build({"name": names.index(key), "kind": kind}) for key, kind in shape.outputs]
    parts.append(c.Array(chunk.num_calls, c.Int16ul).build(chunk.order.tolist()))
    parts += [headers.RUN.build(run._asdict()) for run in chunk.runs]
    parts += [
        headers.BOUNDARY.build({"call": mark.call, "rule": mark.rule, "draws": mark.draws}) for mark in chunk.boundaries
    ]
    for number, shape in enumerate(chunk.shapes):
        stored = [kind for kind in shape.kinds if kind is not ValueKind.NONE]
        if not stored:
            continue
        rows = c.Array(shape.count, c.Sequence(*(VALUE_LAYOUTS[kind] for kind in stored)))
        packed = rows.build([list(row) for row in chunk.table(number).tolist()])
        size = len(packed) // shape.count
        parts.append(b"".join(packed[byte::size] for byte in range(size)))
    parts.append(c.Array(len(data), u4).build(list(map(len, data))))
    parts.append(c.Array(len(chunk.blob_numbers), u8).build(chunk.blob_numbers))
    parts += data
    parts += [headers.LOCATION.build({"file": file, "line": line}) for file, line in chunk._locations]
    parts.append(c.Array(len(chunk._sources), u4).build(chunk._sources))
    return b"".join(parts)


def test_file_built_by_construct(tmp_path):
    """Start, chunk headers, payloads, index and footer: parsed and built again by construct, byte by byte."""
    data = write_sample(tmp_path / "a.gltrace")
    start = headers.FILE_HEADER.parse(data)
    properties = data[headers.FILE_HEADER.sizeof() :][: start.properties_bytes]
    assert properties == b'{"program":"x"}'
    head = headers.FILE_HEADER.build(start) + properties
    rebuilt = head + c.Int32ul.build(crc32(head))
    chunks = [piece for piece in scan_chunks(data, len(rebuilt), len(data) - 24) if isinstance(piece, Chunk)]
    assert [chunk.prefix.kind for chunk in chunks] == [ChunkKind.BLOBS, ChunkKind.CALLS, ChunkKind.INDEX]
    offsets = []
    for chunk in chunks:
        header = headers.CHUNK_HEADER.parse(data[chunk.offset :])
        stored = data[chunk.offset + headers.CHUNK_HEADER.sizeof() : chunk.end]
        prefix = headers.CHUNK_PREFIX.build(header.prefix)
        offsets.append((len(rebuilt), header.prefix))
        header.header_crc, header.crc = crc32(prefix), crc32(prefix + stored)
        position = headers.TRACE_POSITION.parse(header.prefix.position)
        assert headers.TRACE_POSITION.build(position) == header.prefix.position
        raw = decompress(header.prefix.codec, stored, header.prefix.raw_bytes, 1 << 22)
        if header.prefix.kind == ChunkKind.CALLS:
            calls = CallsChunk(raw, position.first_call)
            names = []
            for shape in calls.shapes:
                for name in (*(key for key, _ in shape.outputs), shape.name):
                    if name not in names:
                        names.append(name)
            ends = calls._inline_ends
            inline = [calls._inline[a:b] for a, b in pairwise(ends)]
            assert build_calls_with_construct(calls, names, inline) == raw
        elif header.prefix.kind == ChunkKind.BLOBS:
            pieces = read_pieces(raw, position.first_blob)
            built = c.Int32ul.build(len(pieces)) + b"".join(
                headers.BLOB_PIECE.build({**piece._asdict(), "num_bytes": len(piece.data)}) for piece in pieces
            )
            assert built + b"".join(piece.data for piece in pieces) == raw
        else:
            index = headers.INDEX_HEADER.parse(raw)
            entries = [headers.INDEX_ENTRY.build({"offset": at, "prefix": prefix}) for at, prefix in offsets[:-1]]
            ends = c.Array(index.num_frames, c.Int64ul).build([15])
            assert headers.INDEX_HEADER.build(index) + b"".join(entries) + ends == raw
        rebuilt += headers.CHUNK_HEADER.build(header) + stored
    footer = headers.FOOTER.parse(data[-24:])
    assert (footer.index_offset, footer.num_chunks) == read_footer(data) == (chunks[-1].offset, 3)
    footer.crc = crc32(headers.FOOTER.build(footer)[:-4])
    assert rebuilt + headers.FOOTER.build(footer) == data
