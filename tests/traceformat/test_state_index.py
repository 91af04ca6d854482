"""The index of state: with it a trim is what it is without it, and no index that is damaged or lies is believed."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest
from fuzz_scenes import SCENES
from long_trace import write_long_trace
from trim_programs import random_frames, uploads, write

from replay.player import pictures
from replay.reflect import ReflectingBackend
from traceformat.cli.playing import reflecting_backend
from traceformat.errors import FindingError, ToolError, TraceFormatError
from traceformat.framing.codecs import DEFAULT_LEVEL, compress
from traceformat.framing.filters import Filter, apply_filter
from traceformat.framing.headers import STATE_HEADER, STATE_POINT, dtype_of, struct_of
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.reader import TraceReader, open_trace
from traceformat.gltrace.stateindex import RULES, StateIndex, StatePoint
from traceformat.gltrace.statewriting import write_with_state
from traceformat.tools.trim import index as indices
from traceformat.tools.trim import slicing
from traceformat.tools.trim.index import NeededCalls, build_index, find_index, index_file
from traceformat.tools.trim.slicing import find_needed
from traceformat.tools.trim.writing import trim


@pytest.fixture(autouse=True)
def short_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Short traces have an index here, of many points, in a cache of their own."""
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(indices, "MIN_CALLS", 1)
    monkeypatch.setattr(indices, "MAX_SHARE", 100)
    monkeypatch.setattr(indices, "POINT_CALLS", 97)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_long_trace(tmp_path_factory.mktemp("long") / "long.gltrace", 14)


def trimmed(path: Path, frames: range, output: Path, **options: bool) -> bytes:
    with open_trace(path) as reader:
        trim(reader, output, frames=frames, backend=reflecting_backend(), **options)
    return output.read_bytes()


def without_index(path: Path, frames: range, output: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    with monkeypatch.context() as patch:
        patch.setattr(indices, "MIN_CALLS", 1 << 60)
        return trimmed(path, frames, output)


@pytest.mark.parametrize("scene", SCENES)
def test_random_programs_are_trimmed_as_without_it(scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(f"state {scene}")
    compared = 0
    for case in range(6):
        path = write(tmp_path / f"{case}.gltrace", random_frames(scene, rng))
        with open_trace(path) as reader:
            frame = rng.randrange(1, len(reader.frames))
        try:
            plain = without_index(path, range(frame, frame + 1), tmp_path / "plain.gltrace", monkeypatch)
        except FindingError:
            # Pieces of the scene in any order: some upload less than they say.
            continue
        compared += 1
        with monkeypatch.context() as patch:
            patch.setattr(indices, "POINT_CALLS", rng.randint(5, 60))
            assert trimmed(path, range(frame, frame + 1), tmp_path / "indexed.gltrace") == plain
    assert compared >= 2


def test_a_point_after_another_lists_what_it_would_list_alone(long: Path) -> None:
    """Points are made from the point before; the calls that it left out are needed by nobody later either."""
    with open_trace(long) as reader:
        index = build_index(reader, reflecting_backend())
        assert index is not None
        assert len(index.points) > 15
        for point in index.points[:: len(index.points) // 5]:
            slicer = indices.Slicer(Tracker(reflecting_backend(), remap=True))
            for call in reader.calls(stop=point.call):
                slicer.follow(call, is_kept=False)
            assert slicer.fold() == point.needed.tolist()


def test_few_calls_are_read(long: Path) -> None:
    with open_trace(long) as reader:
        first, end = reader.frames[13].first_call, reader.frames[13].end_call
        index = find_index(reader, reflecting_backend())
        assert index is not None
        point = index.before(first - 1)
        assert point is not None
        calls = list(reader.calls_from(point, end))
        plan = find_needed(
            calls, Tracker(reflecting_backend(), remap=True), lambda call: call.number >= first, lambda call: False
        )
        assert plan.num_read == len(point.needed) + end - point.call < reader.num_calls // 3


def test_objects_that_are_gone_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn into, uploaded and linked for objects that were deleted is in no later point."""
    steps = uploads(1)
    for name in range(100, 160):
        data = name.to_bytes(4, "little")
        steps += [
            ("glGenTextures", (1, None), {"textures": data}, None),
            ("glBindTexture", (0x0DE1, name), None, None),
            ("glTexImage2D", (0x0DE1, 0, 0x1908, 4, 4, 0, 0x1908, 0x1401, bytes([name]) * 64), None, None),
            ("traceSwap", (1, "swap"), None, None),
            ("glDeleteTextures", (1, data), None, None),
        ]
    path = write(tmp_path / "a.gltrace", steps)
    with open_trace(path) as reader:
        index = build_index(reader, reflecting_backend())
        assert index is not None
        names = [reader[number].name for number in index.points[-1].needed.tolist()]
    assert names.count("glTexImage2D") <= 2


def test_pictures_of_a_range_are_those_of_the_whole(long: Path) -> None:
    """What may be executed alone before a frame gives the pictures of that frame and of every later one."""
    with open_trace(long) as reader:
        assert NeededCalls(reader, reflecting_backend()).before(8) is None
        expected = [picture.copy() for number, picture in pictures(reader) if number >= 8]
        find_index(reader, reflecting_backend())
        needed = NeededCalls(reader, reflecting_backend()).before(8)
        assert needed is not None
        assert needed == sorted(needed)
        assert len(needed) < reader.frames[8].first_call * 2 // 3
        found = [picture.copy() for _, picture in pictures(reader, frames=(8, 13))]
    assert len(found) == len(expected) == 6
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("calls", [1, 1 << 60])
def test_what_has_been_followed_is_not_followed_again(long: Path, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indices, "MIN_CALLS", calls)
    monkeypatch.setattr(indices, "MIN_PIXELS", 0)
    followed, plain = [], slicing.Slicer.follow
    with open_trace(long) as reader:
        find_index(reader, reflecting_backend())
        wanted = [2, 3, 7, 8, 12]
        alone = [NeededCalls(reader, reflecting_backend()).before(frame) for frame in wanted]
        monkeypatch.setattr(slicing.Slicer, "follow", lambda *args, **more: (followed.append(1), plain(*args, **more)))
        together = NeededCalls(reader, reflecting_backend())
        assert [together.before(frame) for frame in wanted] == alone
        assert None not in alone
        assert len(followed) <= reader.frames[12].first_call


def test_a_short_trace_is_followed_from_its_beginning(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no index, and needs none: frames before a range run without pixels that nobody looks at."""
    monkeypatch.setattr(indices, "MIN_PIXELS", 1)
    with open_trace(long) as reader:
        find_index(reader, reflecting_backend())
        by_index = NeededCalls(reader, reflecting_backend()).before(8)
        expected = [picture.copy() for number, picture in pictures(reader) if number >= 8]
        monkeypatch.setattr(indices, "MIN_CALLS", reader.num_calls + 1)
        assert find_index(reader, reflecting_backend()) is None
        assert NeededCalls(reader, reflecting_backend()).before(8) == by_index
        found = [picture.copy() for _, picture in pictures(reader, frames=(8, 13))]
        monkeypatch.setattr(indices, "MIN_PIXELS", 1 << 40)
        assert NeededCalls(reader, reflecting_backend()).before(8) is None, (
            "few pixels a call: to execute them costs less"
        )
    assert all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True))


def test_the_index_of_a_file_tells_it_too(long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none was made here, who trusts the file takes its index; not one of another trace."""
    output = tmp_path / "indexed.gltrace"
    assert index_file(long, reflecting_backend(), output)
    with open_trace(output) as reader:
        made = NeededCalls(reader, reflecting_backend()).before(8)
        monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "empty"))
        assert NeededCalls(reader, reflecting_backend()).before(8) is None
        assert NeededCalls(reader, reflecting_backend(), trust_file=True).before(8) == made
    foreign = StateIndex("0" * 64, (StatePoint(7, np.arange(3)),))
    with open_trace(lying(long, tmp_path / "foreign.gltrace", foreign)) as reader:
        assert NeededCalls(reader, reflecting_backend(), trust_file=True).before(8) is None


@pytest.mark.parametrize("scene", SCENES)
def test_pictures_of_random_programs_are_those_of_the_whole(scene: str, tmp_path: Path) -> None:
    rng = random.Random(f"pictures {scene}")
    compared = 0
    for case in range(4):
        path = write(tmp_path / f"{case}.gltrace", random_frames(scene, rng))
        with open_trace(path) as reader:
            last = len(reader.frames) - 1
            try:
                expected = {number: picture.copy() for number, picture in pictures(reader)}
            except ToolError:
                # Pieces of the scene in any order: some upload less than they say.
                continue
            find_index(reader, reflecting_backend())
            if NeededCalls(reader, reflecting_backend()).before(last) is None:
                continue
            for number, picture in pictures(reader, frames=(last - 1, last)):
                assert np.array_equal(picture, expected[number])
                compared += 1
    assert compared >= 2


def test_the_chunk_holds_what_was_found(long: Path, tmp_path: Path) -> None:
    output = tmp_path / "indexed.gltrace"
    assert index_file(long, reflecting_backend(), output)
    again = tmp_path / "again.gltrace"
    assert index_file(output, reflecting_backend(), again)
    assert again.read_bytes() == output.read_bytes()
    with open_trace(long) as plain, open_trace(output) as indexed:
        assert not indexed.damage
        assert indexed.content_hash == plain.content_hash == indexed.compute_hash()
        assert list(indexed) == list(plain)
        assert list(indexed.frames) == list(plain.frames)
        stored, made = indexed.state_index(), find_index(plain, reflecting_backend())
        assert stored is not None
        assert made is not None
        assert stored.pack() == made.pack()
        assert plain.state_index() is None


def test_it_takes_its_share_of_the_file_and_no_more(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_trace(long) as reader:
        whole = build_index(reader, reflecting_backend())
        assert whole is not None
        num_bytes = len(compress(whole.pack(), DEFAULT_LEVEL)[1])
        for part in (0.8, 0.3):
            monkeypatch.setattr(indices, "MAX_SHARE", (part * num_bytes + 256) / reader.num_bytes)
            index = build_index(reader, reflecting_backend())
            assert index is not None
            assert 0 < len(index.points) < len(whole.points)
            assert len(compress(index.pack(), DEFAULT_LEVEL)[1]) <= part * num_bytes
            assert {point.call for point in index.points} < {point.call for point in whole.points}
        monkeypatch.setattr(indices, "MAX_SHARE", 1e-4)
        assert build_index(reader, reflecting_backend()) is None


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_needed_are_those_that_nothing_writes(seed: int) -> None:
    """Held against a mask of bytes; the last one stands for all behind the buffer's end."""
    rng = random.Random(seed)
    total = 3 * slicing._BLOCK_BYTES + 100
    for _ in range(4):
        found, mask = slicing._Bytes(), np.ones(total + 1, bool)
        for _ in range(rng.choice((10, 400))):
            size = rng.choice((1, 7, 64, 5000, slicing._BLOCK_BYTES, 40000))
            first = rng.randrange(0, total - size + 1) // rng.choice((1, size))
            is_last = rng.random() < 0.02
            part = mask[first:] if is_last else mask[first : first + size]
            assert found.remove(first, slicing.WHOLE if is_last else first + size) == part.any()
            part[:] = False


def test_a_write_costs_the_same_whatever_their_number() -> None:
    def seconds(count: int) -> float:
        found = slicing._Bytes()
        places = np.random.default_rng(1).permutation(count).tolist()
        started = time.process_time()
        for place in places:
            found.remove(100 * place, 100 * place + 64)
        return time.process_time() - started

    assert min(seconds(32000) for _ in range(3)) < 24 * min(seconds(4000) for _ in range(3))


def test_what_it_holds_while_it_is_made_is_bounded(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_trace(long) as reader:
        monkeypatch.setattr(indices, "MAX_SHARE", 1e9)
        whole = build_index(reader, ReflectingBackend())
        assert whole is not None
        assert len(whole.points) > 8
        listed = {point.call: point.needed.tolist() for point in whole.points}
        monkeypatch.setattr(indices, "MAX_LISTED", sum(map(len, listed.values())) // 3)
        few = build_index(reader, ReflectingBackend())
        assert few is not None
        assert 1 < len(few.points) < len(whole.points) // 2
        assert sum(len(point.needed) for point in few.points) <= indices.MAX_LISTED
        assert all(point.needed.tolist() == listed[point.call] for point in few.points)
        assert few.points[-1].call > max(listed) // 2
        monkeypatch.setattr(indices, "MAX_NEEDED", len(listed[max(listed)]) - 1)
        short = build_index(reader, ReflectingBackend())
        assert short is None or max(len(point.needed) for point in short.points) <= indices.MAX_NEEDED


def test_short_traces_have_none(long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indices, "MIN_CALLS", 1 << 17)
    assert not index_file(long, reflecting_backend(), tmp_path / "a.gltrace")
    assert not (tmp_path / "a.gltrace").exists()


# -- damage and lies --------------------------------------------------------------------------------------------------


def lying(path: Path, output: Path, index: StateIndex) -> Path:
    """Write a trace with an index that need not be true."""
    write_with_state(path, index, output)
    return output


def test_an_index_that_lies_is_not_believed(long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_trace(long) as reader:
        content = reader.content_hash
        points = tuple(StatePoint(call, np.zeros(0, np.int64)) for call in range(100, reader.num_calls, 400))
    plain = without_index(long, range(12, 13), tmp_path / "plain.gltrace", monkeypatch)
    liar = lying(long, tmp_path / "liar.gltrace", StateIndex(content, points))
    assert trimmed(liar, range(12, 13), tmp_path / "b.gltrace") == plain
    # Who trusts it gets what it says.
    with pytest.raises(FindingError, match="drawable 1 does not exist"):
        trimmed(liar, range(12, 13), tmp_path / "c.gltrace", trust_file=True)


def test_an_index_of_another_trace_is_refused(long: Path, tmp_path: Path) -> None:
    index = StateIndex("0" * 64, (StatePoint(7, np.arange(3)),))
    with (
        open_trace(lying(long, tmp_path / "a.gltrace", index)) as reader,
        pytest.raises(TraceFormatError, match="of another trace"),
    ):
        find_index(reader, reflecting_backend(), trust_file=True)


def test_a_content_hash_that_lies_finds_no_other_traces_index(long: Path, tmp_path: Path) -> None:
    """The cache is searched by what the calls are, not by what the file says that they are."""
    other = write_long_trace(tmp_path / "other.gltrace", 14, seed=2)
    with open_trace(long) as reader:
        find_index(reader, reflecting_backend())
        content = bytes.fromhex(reader.content_hash)
    data = other.read_bytes()
    with TraceReader(data) as reader:
        mine = bytes.fromhex(reader.content_hash)
        expected = build_index(reader, reflecting_backend())
        reader.__dict__["content_hash"] = content.hex()
        found = find_index(reader, reflecting_backend())
    assert found is not None
    assert expected is not None
    assert found.content_sha256 == mine.hex()
    assert found.pack() == expected.pack()


def test_a_damaged_cache_is_made_again(long: Path, tmp_path: Path) -> None:
    with open_trace(long) as reader:
        index = find_index(reader, reflecting_backend())
        assert index is not None
        (path,) = (tmp_path / "cache" / "state").iterdir()
        data = bytearray(path.read_bytes())
        for place in (3, 40, len(data) // 2, len(data) - 1):
            broken = bytes(data[:place]) + bytes([data[place] ^ 1]) + bytes(data[place + 1 :])
            path.write_bytes(broken)
            found = find_index(reader, reflecting_backend())
            assert found is not None
            assert found.pack() == index.pack()
            assert path.read_bytes() == data
        path.write_bytes(b"")
        assert find_index(reader, reflecting_backend()) is not None


def test_a_damaged_chunk_is_named_and_no_call_is_lost(long: Path, tmp_path: Path) -> None:
    index_file(long, reflecting_backend(), tmp_path / "a.gltrace")
    with open_trace(tmp_path / "a.gltrace") as reader:
        assert reader._survey.state is not None
        place = reader._survey.state.offset + 90
        calls = list(reader)
    data = bytearray((tmp_path / "a.gltrace").read_bytes())
    data[place] ^= 16
    with TraceReader(bytes(data)) as reader:
        assert [str(loss) for loss in reader.damage] == [
            "the index of state is damaged; it is made anew where it is needed"
        ]
        assert list(reader) == calls


def payload(points: list[tuple[int, int, int]], added: list[int], removed: list[int], rules: int = RULES) -> bytes:
    head = struct_of(STATE_HEADER).pack(bytes(32), rules, len(points))
    table = np.array(points, dtype_of(STATE_POINT)).tobytes()
    return (
        head
        + table
        + apply_filter(np.array(added, "<u8").tobytes(), Filter.DELTA_SHUFFLE, 8, 8)
        + apply_filter(np.array(removed, "<u4").tobytes(), Filter.DELTA_SHUFFLE, 4, 4)
    )


def test_the_layout_is_the_one_declared() -> None:
    index = StateIndex("00" * 32, (StatePoint(9, np.array([1, 4, 8])), StatePoint(12, np.array([4, 9, 11]))))
    assert index.pack() == payload([(9, 3, 0), (12, 2, 2)], [1, 4, 8, 9, 11], [0, 2])
    read = StateIndex.unpack(index.pack(), 12)
    assert read is not None
    assert [point.needed.tolist() for point in read.points] == [[1, 4, 8], [4, 9, 11]]
    assert StateIndex.unpack(payload([(9, 0, 0)], [], [], rules=RULES + 1), 12) is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"short", "too short"),
        (payload([], [], []), "0 points"),
        (payload([(9, 3, 0)], [1], []), "other lengths"),
        (payload([(13, 1, 0)], [1], []), "out of order"),
        (payload([(9, 1, 0), (9, 1, 0)], [1, 2], []), "out of order"),
        (payload([(9, 2, 0)], [3, 3], []), "calls of the point at call 9"),
        (payload([(9, 1, 0)], [9], []), "calls of the point at call 9"),
        (payload([(9, 1, 0)], [1 << 63], []), "calls of the point at call 9"),
        (payload([(4, 1, 0), (9, 1, 0)], [1, 2], []), "calls of the point at call 9"),
        (payload([(4, 1, 0), (9, 0, 1)], [1], [1]), "does not have"),
        (struct_of(STATE_HEADER).pack(bytes(32), RULES, 0xFFFFFFFF), "4294967295 points"),
    ],
)
def test_a_payload_that_contradicts_itself_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(TraceFormatError, match=words):
        StateIndex.unpack(data, 12)
