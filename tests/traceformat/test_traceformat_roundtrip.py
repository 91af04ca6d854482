"""Any sequence of calls, written and read, equals itself."""

from __future__ import annotations

import math
import os
import random
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from traceformat.calls import Call, CallFlags, Offset, Source
from traceformat.errors import TraceFormatError
from traceformat.gles.entry_points import COMMANDS, Direction, ParamKind
from traceformat.gltrace import reader as reader_module
from traceformat.gltrace.blobs import BlobPiece
from traceformat.gltrace.reader import open_trace
from traceformat.gltrace.writer import TraceWriter

NAMES = sorted(COMMANDS)
TEXT = st.text(st.characters(codec="utf-8"), max_size=40) | st.just("x" * 1000)
DATA = st.binary(max_size=600) | st.builds(lambda seed: bytes(range(256)) * seed, st.integers(1, 8))
BITS = {
    "GLint": (-(2**31), 2**31 - 1),
    "GLsizei": (-(2**31), 2**31 - 1),
    "GLuint": (0, 2**32 - 1),
}


def value_for(param):
    if param.direction is Direction.OUT and param.is_pointer:
        return st.none()
    match param.kind:
        case ParamKind.ENUM | ParamKind.BITFIELD:
            # Programs pass wrong numbers too; all of 64 bits must survive.
            return st.integers(0, 0x9FFF) | st.integers(-(2**63), 2**64 - 1)
        case ParamKind.BOOLEAN:
            return st.integers(0, 255)
        case ParamKind.INTEGER | ParamKind.HANDLE:
            return st.integers(*BITS.get(param.c_type, (-(2**63), 2**64 - 1)))
        case ParamKind.FLOAT:
            return st.floats(width=32)
        case ParamKind.DOUBLE:
            return st.floats()
        case ParamKind.STRING:
            return TEXT | st.none()
        case ParamKind.STRINGS:
            return st.lists(TEXT, max_size=4).map(tuple)
        case ParamKind.DATA:
            return DATA | st.none() | st.builds(Offset, st.integers(-(2**63), 2**63 - 1))
        case _:
            return st.none()


@st.composite
def calls(draw):
    name = draw(st.sampled_from(NAMES) | st.just("glUnheardOf") | st.sampled_from(["glDrawArrays", "traceSwap"]))
    sources = st.builds(Source, st.sampled_from(["a.py", "dir/b.py", "long" * 100]), st.integers(0, 9999))
    common = {
        "thread": draw(st.integers(1, 3)),
        "context": draw(st.integers(0, 2)),
        "flags": draw(st.sampled_from([0, 0, 0, 1, 2, 3])),
        "source": draw(st.none() | sources),
    }
    if name not in COMMANDS:
        args = tuple(draw(st.lists(st.integers(0, 9) | DATA | TEXT | st.floats() | st.none(), max_size=4)))
        return Call(0, name, args=args, outputs={}, result=draw(st.integers(-9, 9) | st.none()), **common)
    command = COMMANDS[name]
    outputs = {
        param.name: draw(DATA)
        for param in command.params
        if param.is_pointer and param.direction is Direction.OUT and draw(st.booleans())
    }
    result = draw(value_for(command.result) if command.result.kind is not ParamKind.VOID else st.none())
    args = tuple(draw(value_for(param)) for param in command.params)
    return Call(0, name, args=args, outputs=outputs, result=result, **common)


def key(value):
    """Value with its type and bits, so that 1 is not True, 5 not Offset(5), and NaN equals itself."""
    if isinstance(value, float):
        return "float", "nan" if math.isnan(value) else struct.pack("<d", value)
    return type(value).__name__, value


def exact(call):
    return (
        call.name,
        call.thread,
        call.context,
        int(call.flags),
        [key(value) for value in call.args],
        {name: key(value) for name, value in call.outputs.items()},
        key(call.result),
        call.source,
    )


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(calls(), max_size=25), st.integers(0, 30))
@example([], 0)
def test_calls_survive(tmp_path_factory, sequence, flush_at):
    path = tmp_path_factory.mktemp("round") / "a.gltrace"
    with TraceWriter(path, {"program": "p"}) as trace:
        for number, call in enumerate(sequence):
            if number == flush_at:
                trace.flush()
            trace.write_call(call)
    with open_trace(path) as reader:
        read = list(reader)
        assert [exact(call) for call in read] == [exact(call) for call in sequence]
        assert [call.number for call in read] == list(range(len(sequence)))
        assert reader.num_calls == len(sequence)
        assert not reader.damage
        assert reader.content_hash == reader.compute_hash()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(calls(), max_size=25), st.lists(st.booleans(), min_size=25, max_size=25), st.integers(0, 30))
def test_what_was_saved_is_there_and_the_file_is_the_same(tmp_path_factory, sequence, saves, flush_at):
    folder = tmp_path_factory.mktemp("saved")
    for name in ("plain", "saved"):
        with TraceWriter(folder / name) as trace:
            for number, call in enumerate(sequence):
                if number == flush_at:
                    trace.flush()
                trace.write_call(call)
                if name == "saved" and saves[number]:
                    trace.save()
                    assert [exact(call) for call in cut(trace)] == [exact(call) for call in sequence[: number + 1]]
    assert (folder / "plain").read_bytes() == (folder / "saved").read_bytes()


def cut(trace: TraceWriter) -> list[Call]:
    """Calls of a trace whose writer ends now."""
    path = trace.part_path.with_suffix(".cut")
    path.write_bytes(trace.part_path.read_bytes())
    with open_trace(path) as reader:
        return list(reader)


def test_chunks_that_were_saved_before_they_were_whole(tmp_path):
    with TraceWriter(tmp_path / "plain") as trace:
        many_calls(trace)
    trace = TraceWriter(tmp_path / "saved")
    append = trace.append

    def append_and_save(*call):
        append(*call)
        if trace.num_calls % 37 == 0:
            trace.save()
            if trace.num_calls % (37 * 40) == 0:
                assert len(cut(trace)) == trace.num_calls
        elif trace.num_calls % 1201 == 0:
            assert trace.num_calls - len(cut(trace)) <= 37

    trace.append = append_and_save
    many_calls(trace)
    trace.close()
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "saved").read_bytes()


class Killable:
    """Stands for ``os`` where ends are saved, and looks at the file wherever a process could be killed."""

    def __init__(self, look):
        self.look = look

    def pwrite(self, descriptor, data, place):
        middle = len(data) // 2 or 1
        self.look()
        os.pwrite(descriptor, data[:middle], place)
        self.look()
        return middle

    def ftruncate(self, descriptor, length):
        self.look()
        os.ftruncate(descriptor, length)
        self.look()


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_within_a_save_or_a_chunk_loses_nothing_that_was_saved(tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    trace = TraceWriter(tmp_path / "saved")
    written, safe, looks = [], [0], [0]

    def look():
        looks[0] += 1
        if safe[0] and rng.random() < (0.01 if len(written) > 200 else 0.2):
            found = [call.args[2] for call in cut(trace)]
            assert found[: safe[0]] == written[: safe[0]]
            assert found[: len(written)] == written[: len(found)]

    monkeypatch.setattr("traceformat.saved_end.os", Killable(look))
    while len(written) < 1500:
        for _ in range(rng.choice((1, 1, 3, 100))):
            size = rng.choice((8, 300, 70_000)) if rng.random() < 0.02 else 40
            content = rng.randbytes(size)
            trace.write("glBufferData", (0x8892, size, content, 0x88E4), context=1)
            written.append(content)
            look()
            if rng.random() < 0.1:
                trace.save()
                safe[0] = len(written)
    trace.close()
    assert looks[0] > 1500


def many_calls(trace: TraceWriter) -> None:
    """Enough for several chunks of calls and of blobs, with every feature in between."""
    trace.write("traceContext", (1, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0))
    for frame in range(40):
        for draw in range(60):
            trace.write("glBindTexture", (0x0DE1, draw), context=1)
            trace.write("glUniform4f", (draw, 0.5, 1.0, frame / 64, -0.0), context=1)
            matrix = struct.pack("<16f", *range(frame, frame + 16))
            trace.write("glUniformMatrix4fv", (2, 1, 0, matrix), context=1, source=("app.py", draw))
            trace.write("glDrawElements", (4, 36, 0x1403, Offset(72 * draw)), context=1)
        image = bytes([frame]) * (300 << (frame % 6))
        trace.write("glTexImage2D", (0x0DE1, 0, 6408, 5, 5, 0, 6408, 0x1401, image), context=1)
        trace.write("glGetError", result=0, context=1)
        trace.write("traceSwap", (1, "swap"), context=1, thread=1 + frame % 2)


def test_many_chunks(tmp_path):
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        many_calls(trace)
    with open_trace(path) as reader:
        info = reader.info()
        assert info["chunks"]["calls"]["count"] >= 3
        assert len(reader.frames) == 40
        whole = list(reader)
        assert len(whole) == reader.num_calls == 1 + 40 * 243
        # Access by frame gives the same calls as reading from the start.
        for frame in (0, 17, 39):
            wanted = reader.frames[frame]
            part = list(reader.calls(frames=range(frame, frame + 1)))
            assert part == whole[wanted.first_call : wanted.end_call]
            assert part[-1].name == "traceSwap"
            assert reader.frame_of(part[0].number) == reader.frame_of(part[-1].number) == frame
        assert list(reader.calls(start=5000, stop=5010)) == whole[5000:5010]
        assert list(reader.calls(frames=range(41, 50))) == []


def test_same_calls_same_bytes(tmp_path):
    paths = [tmp_path / name for name in ("a.gltrace", "b.gltrace")]
    for path in paths:
        with TraceWriter(path, {"b": 1, "a": 2} if path.name[0] == "a" else {"a": 2, "b": 1}) as trace:
            many_calls(trace)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_content_hash_does_not_depend_on_compression(tmp_path):
    hashes = []
    for level in (0, 1, 9):
        path = tmp_path / f"{level}.gltrace"
        with TraceWriter(path, level=level) as trace:
            many_calls(trace)
        with open_trace(path) as reader:
            hashes.append(reader.content_hash)
            assert reader.compute_hash() == hashes[0]
    assert len(set(hashes)) == 1
    with TraceWriter(path) as trace:
        many_calls(trace)
        trace.write("glFlush")
    with open_trace(path) as reader:
        assert reader.content_hash != hashes[0]


def test_large_blobs_are_stored_once_and_in_pieces(tmp_path):
    path = tmp_path / "a.gltrace"
    data = bytes(range(251)) * 12000
    with TraceWriter(path, level=0) as trace:
        for _ in range(5):
            trace.write("glBufferData", (0x8892, len(data), data, 0x88E4))
            trace.write("glBufferSubData", (0x8892, 0, 1000, data[:1000]))
    assert len(data) < path.stat().st_size < len(data) + 10000
    with open_trace(path) as reader:
        assert reader.info()["chunks"]["blobs"]["count"] > 2
        assert [call.args[-2 if call.name == "glBufferData" else -1] for call in reader] == [data, data[:1000]] * 5


def test_blobs_are_those_of_their_pieces_in_order(tmp_path, monkeypatch):
    """What contradicts itself is read as it always was: by offsets, and each time anew."""
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        trace.write("glBufferData", (0x8892, 5000, bytes(5000), 0x88E4))

    def blob(*pieces):
        payload = [BlobPiece(0, b"", 4, offset, data) for offset, data in pieces]
        monkeypatch.setattr(reader_module, "read_pieces", lambda raw, first: payload)
        with open_trace(path) as reader:
            return reader.blob(0)

    assert blob((0, b"abcd")) == b"abcd"
    assert blob((0, b"ab"), (2, b"cd")) == b"abcd"
    assert blob((0, b"ab"), (0, b"wxyz"), (2, b"cd")) == b"abcd"
    assert blob((2, b"cd"), (0, b"wxyz")) == b"wxyz"
    assert blob((0, b"ab")) is None

    def contradicts(raw, first):
        raise TraceFormatError("it contradicts itself")

    monkeypatch.setattr(reader_module, "read_pieces", contradicts)
    with open_trace(path) as reader:
        for _ in range(2):
            with pytest.raises(TraceFormatError, match="contradicts itself"):
                reader.blob(0)


def test_an_exception_leaves_a_whole_trace(tmp_path):
    path = tmp_path / "a.gltrace"

    def program():
        with TraceWriter(path) as trace:
            trace.write("glFlush")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        program()
    with open_trace(path) as reader:
        assert [call.name for call in reader] == ["glFlush"]
        assert not reader.damage
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.gltrace"]


def test_abort_leaves_nothing(tmp_path):
    trace = TraceWriter(tmp_path / "a.gltrace")
    trace.write("glFlush")
    trace.abort()
    assert list(tmp_path.iterdir()) == []


def test_what_a_call_cannot_hold_is_refused_and_not_written(tmp_path):
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        trace.write("glFlush")
        with pytest.raises(TypeError, match="pointer"):
            trace.write("glBufferData", (0x8892, 4, 0x7FFF12345678, 0x88E4))
        with pytest.raises(ValueError, match="64 bits"):
            trace.write("glEnable", (1 << 64,))
        with pytest.raises(ValueError, match="takes 1 argument"):
            trace.write("glEnable", (1, 2))
        with pytest.raises(ValueError, match="flags"):
            trace.write("glEnable", (1,), flags=CallFlags.LOST)
        with pytest.raises(TypeError, match="list of texts"):
            trace.write("glShaderSource", (1, 2, ("a", None), None))
        trace.write("glFinish")
    with open_trace(path) as reader:
        assert [call.name for call in reader] == ["glFlush", "glFinish"]
        assert [call.number for call in reader] == [0, 1]


def test_floats_of_single_parameters_are_stored_as_the_call_receives_them(tmp_path):
    path = tmp_path / "a.gltrace"
    with TraceWriter(path) as trace:
        trace.write("glLineWidth", (0.1,))
        trace.write("glLineWidth", (1e300,))
        trace.write("glClearDepth", (0.1,))
    with open_trace(path) as reader:
        single, huge, double = (call.args[0] for call in reader)
    assert single == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert huge == 1e300
    assert double == 0.1


def test_unwritable_target(tmp_path: Path):
    from traceformat.errors import UsageError

    with pytest.raises(UsageError, match="cannot write"):
        TraceWriter(tmp_path / "missing" / "a.gltrace")
    with pytest.raises(UsageError, match="folder"):
        TraceWriter(tmp_path)
