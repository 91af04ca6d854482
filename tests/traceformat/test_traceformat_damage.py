"""A damaged file is never read as if it were whole: what is lost is named, the rest survives."""

from __future__ import annotations

import io
import random

import pytest

from traceformat.calls import CallFlags
from traceformat.errors import TraceFormatError, UsageError
from traceformat.framing.chunks import Chunk, scan_chunks
from traceformat.framing.container import GLTRACE
from traceformat.framing.headers import ChunkKind
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Bytes of a trace of six frames in as many chunks, with two blobs; and its calls."""
    path = tmp_path_factory.mktemp("small") / "small.gltrace"
    with TraceWriter(path, {"program": "small"}) as trace:
        trace.write("traceContext", (1, 0, 2, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))
        for frame in range(6):
            trace.write("glClear", (0x4000,), context=1)
            if frame in (1, 3):
                trace.write("glBufferData", (0x8892, 700, bytes([frame]) * 700, 0x88E4), context=1)
            trace.write("glDrawArrays", (4, 0, 3 * frame), context=1)
            trace.write("traceSwap", (1, "eglSwapBuffers"), context=1)
            trace.flush()
    with open_trace(path) as reader:
        assert not reader.damage
        return path.read_bytes(), list(reader), list(reader.frames)


def chunks_of(data: bytes) -> list[Chunk]:
    return [piece for piece in scan_chunks(data, 0, len(data)) if isinstance(piece, Chunk)]


def read(tmp_path, data):
    path = tmp_path / "broken.gltrace"
    path.write_bytes(data)
    with open_trace(path) as reader:
        return list(reader), reader.damage, reader


def test_every_truncation(tmp_path, small):
    data, calls, _ = small
    chunks = chunks_of(data)
    ends = [chunk.end for chunk in chunks if chunk.prefix.kind == ChunkKind.CALLS]
    counts = [4, 8, 11, 15, 18, 21]
    index_offset = chunks[-1].offset
    start = chunks[0].offset
    for size in range(len(data)):
        if size < 16:
            with pytest.raises(TraceFormatError, match=r"not a|empty"):
                read(tmp_path, data[:size])
            continue
        survivors, damage, reader = read(tmp_path, data[:size])
        whole = sum(end <= size for end in ends)
        assert survivors == calls[: counts[whole - 1] if whole else 0], size
        assert damage, size
        if start <= size < index_offset:
            tails = [loss for loss in damage if loss.kind == "tail"]
            assert len(tails) == 1, size
            lost_from = counts[whole - 1] if whole else 0
            assert str(tails[0]) == f"cut: lost from call {lost_from}, frame {whole}; end unknown"
            assert reader.num_whole_frames == whole
        if size == len(data) - 1:
            assert {loss.kind for loss in damage} <= {"index", "bytes"}
            assert reader.num_whole_frames == 6


def test_a_gap_is_named_exactly(tmp_path, small):
    data, calls, _ = small
    chunk = [chunk for chunk in chunks_of(data) if chunk.prefix.kind == ChunkKind.CALLS][2]
    # A byte of the payload: the header still says which calls are lost. Then the header, then the whole chunk.
    payload = data[: chunk.end - 1] + bytes([data[chunk.end - 1] ^ 0xFF]) + data[chunk.end :]
    header = data[: chunk.offset] + b"\0" * 40 + data[chunk.offset + 40 :]
    removed = data[: chunk.offset] + data[chunk.end :]
    for broken in (payload, header, removed):
        survivors, damage, reader = read(tmp_path, broken)
        assert survivors == calls[:8] + calls[11:]
        losses = [str(loss) for loss in damage if loss.kind == "calls"]
        assert losses == ["lost: calls 8-10 (frame 2)"]
        assert reader.num_whole_frames == 2
        assert len(reader.frames) == 6


def test_a_lost_blob_names_its_calls(tmp_path, small):
    data, calls, _ = small
    chunk = [chunk for chunk in chunks_of(data) if chunk.prefix.kind == ChunkKind.BLOBS][1]
    for broken in (data[: chunk.end - 5] + b"?" + data[chunk.end - 4 :], data[: chunk.offset] + data[chunk.end :]):
        survivors, damage, reader = read(tmp_path, broken)
        assert [str(loss) for loss in damage if loss.kind == "content"] == ["lost: the content of call 12 (frame 3)"]
        assert survivors[12].flags & CallFlags.LOST
        assert survivors[12].args[2] is None
        assert survivors[:12] + survivors[13:] == calls[:12] + calls[13:]
        assert reader.num_whole_frames == 3


def test_index_is_rebuilt(tmp_path, small):
    data, calls, frames = small
    index = chunks_of(data)[-1]
    broken = data[: index.end - 3] + b"\0\0\0" + data[index.end :]
    survivors, damage, reader = read(tmp_path, broken)
    assert survivors == calls
    assert list(reader.frames) == frames
    assert any(loss.kind == "index" for loss in damage)
    assert reader.num_whole_frames == 6


def test_chunks_of_unknown_kind_are_skipped(tmp_path, small):
    data, calls, _ = small
    import io

    from traceformat.framing.chunks import ChunkWriter
    from traceformat.framing.container import pack_start

    stream = io.BytesIO()
    start = pack_start(GLTRACE, {"program": "small"})
    stream.write(start)
    writer = ChunkWriter(stream, len(start))
    for chunk in chunks_of(data):
        if chunk.prefix.kind == ChunkKind.INDEX:
            continue
        writer.write(777, b"something new", chunk.prefix.position)
        writer.write(chunk.prefix.kind, chunk.read(data), chunk.prefix.position)
    survivors, _, _ = read(tmp_path, stream.getvalue())
    assert survivors == calls


def test_newer_major_version_is_refused(tmp_path, small):
    from zlib import crc32

    data, _, _ = small
    start = chunks_of(data)[0].offset
    head = bytearray(data[: start - 4])
    head[16] = 2
    newer = bytes(head) + crc32(head).to_bytes(4, "little") + data[start:]
    with pytest.raises(TraceFormatError, match=r"version 2\.0 .* newer than 1\.0"):
        read(tmp_path, newer)
    # A newer minor version is read.
    head[16], head[18] = 1, 9
    survivors, damage, _ = read(tmp_path, bytes(head) + crc32(head).to_bytes(4, "little") + data[start:])
    assert len(survivors) == 21
    assert not damage


def test_not_a_trace(tmp_path):
    for content, pattern in ((b"", "empty"), (b"hello\n", "not a"), (b"\0" * 5000, "not a")):
        with pytest.raises(TraceFormatError, match=pattern):
            read(tmp_path, content)
    with pytest.raises(UsageError, match="No such file"):
        open_trace(tmp_path / "missing.gltrace")
    with pytest.raises(UsageError, match="directory"):
        open_trace(tmp_path)


def rebuild(data, change):
    """Write the chunks again, with sound check sums, after changing the payload of the first CALLS chunk."""
    import io

    from traceformat.framing.chunks import ChunkWriter

    chunks = chunks_of(data)
    stream = io.BytesIO()
    stream.write(data[: chunks[0].offset])
    writer = ChunkWriter(stream, chunks[0].offset, 0)
    for chunk in chunks:
        raw = chunk.read(data)
        raw = change(raw) if chunk is chunks[0] else raw
        last = writer.write(chunk.prefix.kind, raw, chunk.prefix.position)
    writer.write_footer(last)
    return stream.getvalue()


def test_hostile_payloads_with_sound_check_sums(tmp_path, small):
    """Whatever a chunk holds, reading it gives calls or a TraceFormatError, nothing else."""
    data, calls, _ = small
    rng = random.Random(7)
    refused = 0
    for _ in range(1500):

        def change(raw: bytes) -> bytes:
            out = bytearray(raw)
            for _ in range(rng.choice((1, 1, 2, 8))):
                place = rng.randrange(len(out))
                if rng.random() < 0.3:
                    out[place : place + 4] = rng.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80"))
                else:
                    out[place] = rng.randrange(256)
            return bytes(out[: rng.choice((len(out), len(out), rng.randrange(len(out))))])

        try:
            survivors, _, _ = read(tmp_path, rebuild(data, change))
        except TraceFormatError:
            refused += 1
        else:
            assert len(survivors) == len(calls)
    assert refused > 300


def test_sizes_are_checked_before_anything_is_allocated(tmp_path, small):
    """A kilobyte that unpacks to gigabytes is refused by its header."""
    import zstandard

    from traceformat.framing.codecs import decompress
    from traceformat.framing.headers import Codec

    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26))
    with pytest.raises(TraceFormatError, match="over the limit"):
        decompress(Codec.ZSTD, bomb, 1 << 26, 1 << 22)
    with pytest.raises(TraceFormatError, match="header says"):
        decompress(Codec.ZSTD, bomb, 1 << 20, 1 << 22)
    with pytest.raises(TraceFormatError, match="unknown compression"):
        decompress(9, bomb, len(bomb), 1 << 22)
    with pytest.raises(TraceFormatError):
        decompress(Codec.ZSTD, bomb[:-1], 1 << 26, 1 << 27)


def test_a_header_that_counts_frames_without_end_is_damage(tmp_path):
    """The ends of lost frames are listed: their number must not come from a header as it is."""
    from traceformat.framing.chunks import ChunkWriter
    from traceformat.gltrace.survey import _POSITION

    stream, stream_path = io.BytesIO(), tmp_path / "a.gltrace"
    with TraceWriter(stream_path) as writer:
        writer.write("glFlush", ())
    data = stream_path.read_bytes()
    chunks = chunks_of(data)
    stream.write(data[: chunks[0].offset])
    out = ChunkWriter(stream, chunks[0].offset, 0)
    for chunk in chunks:
        position = list(_POSITION.unpack(chunk.prefix.position))
        position[2:6] = [0xFFFFFFFF] * 4
        out.write(chunk.prefix.kind, bytes(chunk.read(data)), _POSITION.pack(*position))
    stream_path.write_bytes(stream.getvalue())
    with open_trace(stream_path) as reader:
        assert any("out of order" in str(damage) for damage in reader.damage)


def test_properties_that_are_no_object_are_damage(tmp_path, small):
    """Deep nesting must not end in a RecursionError."""
    from zlib import crc32

    data, calls, _ = small
    start = chunks_of(data)[0].offset
    for text in (b"[" * 100_000, b"[]", b"{", b"\xff"):
        head = data[:20] + len(text).to_bytes(4, "little") + text
        survivors, damage, reader = read(tmp_path, head + crc32(head).to_bytes(4, "little") + data[start:])
        assert survivors == calls
        assert reader.properties == {}
        assert "start" in {loss.kind for loss in damage}


def test_nothing_in_a_trace_steers_the_terminal(tmp_path):
    from traceformat.tools.dump import format_call

    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        with pytest.raises(ValueError, match="name of an entry point"):
            trace.write("gl\x1b[2J")
        trace.write("glPushGroupMarkerEXT", (0, "\x1b[2J"), source=("\x1b[2J.py", 1))
        trace.write("glGetShaderInfoLog", (1, 9, None, None), {"infoLog": b"\x1b[2J\0"})
    with open_trace(path) as reader:
        assert all(format_call(call).isprintable() for call in reader)
