"""FrameTraces, written and read, equal themselves; columns can be chosen; damage is named."""

from __future__ import annotations

import io
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traceformat.errors import TraceFormatError
from traceformat.framing.chunks import Chunk, ChunkWriter, scan_chunks
from traceformat.framing.filters import Filter, apply_filter, undo_filter
from traceformat.framing.headers import ChunkKind
from traceformat.gputrace.check import check_frame, references
from traceformat.gputrace.frametrace import ALL_COLUMNS, SCHEMA, ColumnSet, FrameRule, FrameTrace
from traceformat.gputrace.reader import GpuTraceWriter, is_gputrace, open_gputrace

#: Columns that refer to rows, in whichever way.
REFERENCES = [
    *((table, column) for table, column, _ in references()),
    *((table, column) for table, spec in SCHEMA.items() for column in spec if column.endswith("_count")),
    *(("objects", "label"), ("programs", "source"), ("draws", "num_attributes"), ("draws", "draw_buffers")),
]


def make_frame(number: int, rows: int, *, optional: bool = False) -> FrameTrace:
    rng = np.random.default_rng(number)
    columns = {}
    for table, spec in SCHEMA.items():
        count = rows if table in ("quads", "tex_ops", "color_data") else -(-rows // 7)
        columns[table] = {
            key: np.frombuffer(rng.bytes(count * int(np.prod(c.shape)) * np.dtype(c.dtype).itemsize), c.dtype)
            .reshape(count, *c.shape)
            .copy()
            for key, c in spec.items()
            if optional or not c.optional
        }
    for table, column in REFERENCES:
        if column in columns[table]:
            columns[table][column][:] = 0
    frame = FrameTrace.from_columns(
        columns, frame=number, width=64, height=32, rule=FrameRule.SWAP, labels=["cube", "Würfel", ""]
    )
    frame.pixels = [[rng.integers(0, 255, (32, 64, 4), np.uint8)], [], [rng.integers(0, 9, (8, 8, 1), np.uint8)] * 2]
    frame.contents = [[None], [], [None, rng.integers(0, 9, (8, 8, 1), np.uint8)]] if number % 2 else []
    frame.picture = rng.integers(0, 255, (32, 64, 4), np.uint8) if number % 2 else None
    return frame


def assert_equal(one: FrameTrace, other: FrameTrace) -> None:
    assert (one.frame, one.width, one.height, one.rule) == (other.frame, other.width, other.height, other.rule)
    assert one.labels == other.labels
    assert list(one.tables) == list(other.tables)
    for name, table in one.tables.items():
        assert list(table) == list(other[name]), name
        for key, array in table.items():
            read = other[name][key]
            assert read.dtype == array.dtype
            assert read.shape == array.shape
            assert read.tobytes() == array.tobytes(), (name, key)
    assert [len(each) for each in one.pixels] == [len(each) for each in other.pixels]
    for mine, theirs in zip(one.pixels, other.pixels, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert np.array_equal(a, b)
    assert [[a is None for a in each] for each in one.contents] == [
        [a is None for a in each] for each in other.contents
    ]
    for mine, theirs in zip(one.contents, other.contents, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))
    assert (one.picture is None) == (other.picture is None)
    if one.picture is not None:
        assert np.array_equal(one.picture, other.picture)


def write(path, frames):
    with GpuTraceWriter(path, {"trace": {"name": "a", "sha256": "00"}}) as out:
        for frame in frames:
            out.write(frame)
    return path


@pytest.mark.parametrize("rows", [0, 1, 700, 60000])
def test_round_trip(tmp_path, rows):
    frames = [make_frame(number, rows, optional=number == 1) for number in range(2)]
    path = write(tmp_path / "a.gputrace", frames)
    assert is_gputrace(path)
    with open_gputrace(path) as reader:
        assert reader.properties["trace"] == {"name": "a", "sha256": "00"}
        assert len(reader) == 2
        assert not reader.damage
        for frame, read in zip(frames, reader, strict=True):
            assert_equal(frame, read)
        assert_equal(frames[1], reader.frame(1))
        info = reader.info()
    assert info["frames"] == 2
    assert info["tables"]["quads"]["rows"] == 2 * rows


def test_absent_columns_stay_absent(tmp_path):
    frame = make_frame(0, 50)
    part = FrameTrace.from_columns(
        {"quads": {"x": frame["quads"]["x"]}, "draws": {}}, frame=0, width=1, height=1, rule=FrameRule.MARKER
    )
    with open_gputrace(write(tmp_path / "a.gputrace", [part])) as reader:
        read = reader.frame(0)
    assert_equal(part, read)
    with pytest.raises(KeyError, match=r"quads\.y"):
        read["quads"]["y"]


def test_a_table_that_the_file_lacks_has_no_columns(tmp_path):
    """As in a hostile file, or one of a writer that did not know the table."""
    frame = make_frame(0, 9)
    del frame.tables["texture_lines"]
    with open_gputrace(write(tmp_path / "a.gputrace", [frame])) as reader:
        read = reader.frame(0)
    assert list(read.tables) == list(SCHEMA)
    assert not read["texture_lines"]


def test_chosen_columns_only(tmp_path):
    frame = make_frame(1, 60000)
    path = write(tmp_path / "a.gputrace", [frame])
    wanted = ColumnSet(["quads.depth", "draws"])
    with open_gputrace(path, wanted, with_pixels=False) as reader:
        read = reader.frame(0)
    assert set(read["quads"]) == {"depth"}
    assert np.array_equal(read["quads"]["depth"], frame["quads"]["depth"])
    assert set(read["draws"]) == {key for key, column in SCHEMA["draws"].items() if not column.optional}
    assert len(read["vertices"]) == 0
    assert read.picture is None
    with open_gputrace(path, ALL_COLUMNS) as reader:
        assert_equal(frame, reader.frame(0))


def test_same_frames_same_bytes(tmp_path):
    one, other = (write(tmp_path / name, [make_frame(0, 900)]) for name in ("a.gputrace", "b.gputrace"))
    assert one.read_bytes() == other.read_bytes()


def test_every_kind_of_damage_is_named(tmp_path):
    frames = [make_frame(number, 20) for number in range(3)]
    data = write(tmp_path / "a.gputrace", frames).read_bytes()
    rng = random.Random(3)
    path = tmp_path / "b.gputrace"
    for turn in range(250):
        broken = bytearray(data)
        if turn % 2:
            broken = broken[: rng.randrange(16, len(data))]
        else:
            broken[rng.randrange(24, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(broken)
        with open_gputrace(path) as reader:
            assert reader.damage
            survivors = list(reader)
            lost = [loss.first_frame for loss in reader.damage if loss.kind == "frame"]
            open_end = any(loss.kind == "tail" for loss in reader.damage)
        assert open_end or len(survivors) == 3 or len(survivors) + len(lost) == 3
        for survivor in survivors:
            assert_equal(frames[survivor.frame], survivor)


def test_exception_leaves_nothing(tmp_path):
    with pytest.raises(AttributeError), GpuTraceWriter(tmp_path / "a.gputrace") as out:
        out.write(None)
    assert list(tmp_path.iterdir()) == []


def test_newer_schema_is_refused(tmp_path):
    from traceformat.framing.container import GPUTRACE, pack_start

    path = tmp_path / "a.gputrace"
    path.write_bytes(pack_start(GPUTRACE, {"schema": 3}))
    with pytest.raises(TraceFormatError, match="schema 3"):
        open_gputrace(path)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(list(Filter)),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 5),
    st.integers(0, 40),
    st.randoms(use_true_random=False),
)
def test_filters_are_reversible(kind, item_bytes, items, rows, rng):
    data = rng.randbytes(item_bytes * items * rows)
    packed = apply_filter(data, kind, item_bytes, item_bytes * items)
    assert len(packed) == len(data)
    assert undo_filter(packed, kind, item_bytes, item_bytes * items).tobytes() == data


@pytest.mark.parametrize(("kind", "item", "row"), [(9, 4, 4), (1, 3, 3), (1, 4, 0), (1, 4, 6), (2, 8, 24), (1, 0, 8)])
def test_filters_refuse_what_does_not_fit(kind, item, row):
    with pytest.raises(TraceFormatError):
        undo_filter(bytes(16), kind, item, row)


def test_hostile_chunks_with_sound_check_sums(tmp_path):
    """Whatever chunks hold, reading gives a FrameTrace that fits the schema or a TraceFormatError."""
    data = write(tmp_path / "a.gputrace", [make_frame(1, 9)]).read_bytes()
    chunks = [piece for piece in scan_chunks(data, 0, len(data)) if isinstance(piece, Chunk)]
    rng = random.Random(5)
    path = tmp_path / "b.gputrace"
    refused = 0
    for _ in range(400):
        stream = io.BytesIO()
        stream.write(data[: chunks[0].offset])
        writer = ChunkWriter(stream, chunks[0].offset, 0)
        for chunk in chunks:
            raw = bytearray(chunk.read(data))
            if chunk.prefix.kind != ChunkKind.INDEX and rng.random() < 0.7:
                place = rng.randrange(len(raw))
                raw[place] = rng.choice(b'0129-[]{},:"etx\xff\x80') if rng.random() < 0.8 else rng.randrange(256)
            last = writer.write(chunk.prefix.kind, bytes(raw), chunk.prefix.position)
        writer.write_footer(last)
        path.write_bytes(stream.getvalue())
        try:
            with open_gputrace(path) as reader:
                reader.info()
                for frame in reader:
                    for name, table in frame.tables.items():
                        for key, array in table.items():
                            assert array.shape[1:] == SCHEMA[name][key].shape
        except TraceFormatError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("text", ['"<,4"', '"(1,"', '"O"', '"u4,u4"', '[["a", "u4"]]', "null", '"<f9"', '"V8"', '"q" '])
def test_only_types_of_columns_are_types(tmp_path, text):
    """A file's text is not given to numpy, which reads a language of its own there."""
    data = write(tmp_path / "a.gputrace", [make_frame(1, 9)]).read_bytes()
    stream = io.BytesIO()
    chunks = [piece for piece in scan_chunks(data, 0, len(data)) if isinstance(piece, Chunk)]
    stream.write(data[: chunks[0].offset])
    writer = ChunkWriter(stream, chunks[0].offset, 0)
    for chunk in chunks:
        raw = chunk.read(data)
        if chunk.prefix.kind == ChunkKind.FRAME:
            raw = re.sub(rb'"dtype": ?"[^"]*"', f'"dtype":{text}'.encode(), raw, count=1)
        last = writer.write(chunk.prefix.kind, bytes(raw), chunk.prefix.position)
    writer.write_footer(last)
    path = tmp_path / "b.gputrace"
    path.write_bytes(stream.getvalue())
    with open_gputrace(path) as reader:
        with pytest.raises(TraceFormatError, match="contradicts itself"):
            reader.info()
        with pytest.raises(TraceFormatError, match="contradicts itself"):
            reader.frame(0)


def breaking_changes():
    for table, column, target in references():
        count = column.removesuffix("first") + "count"
        if count in SCHEMA[table]:
            yield {(table, count): 255}
            yield {(table, column): 2**32 - 1, (table, count): 1}
        elif target not in ("attributes", "color_data", "draws"):
            yield {(table, column): 2**32 - 1}
    yield {("objects", "label"): 3}
    yield {("events", "draw"): -2}
    yield {("primitives", "draw"): 2**32 - 1}
    yield {("emitted", "draw"): 2**32 - 1}
    yield {("emitted", "attribute_first"): 2**32 - 1, ("draws", "num_attributes"): 1}
    yield {("draws", "num_attributes"): 255}
    yield {("draws", "color_first"): 2**64 - 1, ("draws", "draw_buffers"): 1, ("draws", "quad_count"): 1}


@pytest.mark.parametrize("change", list(breaking_changes()), ids=str)
def test_references_to_rows_that_do_not_exist_are_refused(tmp_path, change):
    """Kernels without bounds checks read these tables."""
    frame = make_frame(1, 60)
    frame["passes"]["color_bytes"][:] = 4
    check_frame(frame)
    for (table, column), value in change.items():
        frame[table][column][:] = value
    with pytest.raises(TraceFormatError, match=r"refers to row|reach beyond"):
        check_frame(frame)
    with open_gputrace(write(tmp_path / "a.gputrace", [frame])) as reader, pytest.raises(TraceFormatError):
        reader.frame(0)


def test_no_draw_is_minus_one():
    frame = make_frame(1, 60)
    frame["events"]["draw"][:] = -1
    check_frame(frame)
