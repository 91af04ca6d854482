"""Passes that travel alone are what their frame has, wherever they wait."""

from __future__ import annotations

import contextlib
import gc
import os
from pathlib import Path

import numpy as np
import pytest
from many_passes import as_a_whole, write_many_passes

import replay
from replay.engine.pass_store import PassStore
from traceformat.errors import StorageError, TraceFormatError
from traceformat.gputrace.check import check_frame, references
from traceformat.gputrace.frametrace import (
    ALL_COLUMNS,
    MODEL_COLUMNS,
    PASS_TABLES,
    SCHEMA,
    ColumnSet,
    FrameTrace,
    PassContent,
    Table,
)
from traceformat.gputrace.passes import JoinedTables, passes_of
from traceformat.gputrace.reader import GpuTraceWriter, open_gputrace


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("passes") / "many.gltrace"
    write_many_passes(path, passes=7, fragments=70_000, frames=2, targets=3)
    return path


@pytest.fixture(scope="module")
def frame(trace: Path) -> FrameTrace:
    """A frame of seven passes, which wait in a store."""
    with replay.frames(trace, columns=ALL_COLUMNS, frames=(0, 0)) as played:
        (found,) = played
    assert isinstance(found.tables, JoinedTables)
    return found


def assert_same_pass(one: FrameTrace, other: FrameTrace) -> None:
    """Both have the same rows; what a cut pass shares with its frame is compared by what refers to it."""
    for name in ("vertices", "primitives", "emitted", "quads"):
        assert one[name].num_rows == other[name].num_rows
        for key in one[name]:
            if SCHEMA[name][key].refers not in ("attributes", "tex_ops", "texture_lines"):
                assert np.array_equal(one[name][key], other[name][key]), (name, key)
    for mine, theirs in ((one, other), (other, one)):
        assert len(mine.pixels[mine.index or 0]) == len(theirs.pixels[theirs.index or 0])
    for a, b in zip(one.pixels[one.index or 0], other.pixels[other.index or 0], strict=True):
        assert np.array_equal(a, b)
    lines = [
        np.concatenate(
            [np.zeros(0, np.uint32)]
            + [
                trace["texture_lines"]["line"][first : first + count]
                for first, count in zip(trace["tex_ops"]["line_first"], trace["tex_ops"]["line_count"], strict=True)
            ]
        )
        for trace in (one, other)
    ]
    assert np.array_equal(*lines)


def test_pictures_alone_have_no_passes(trace: Path, frame: FrameTrace) -> None:
    with replay.frames(trace, columns=ColumnSet(())) as played:
        pictures = [one.picture for one in played]
    assert len(pictures) == 2
    assert pictures[0] is not None
    assert np.array_equal(pictures[0], frame.picture)


def test_the_frame_as_a_whole_is_right(frame: FrameTrace) -> None:
    check_frame(frame, MODEL_COLUMNS)
    assert frame["passes"].num_rows == len(frame.pixels) == 7
    draws = frame["draws"]
    for prefix, table in (("vertex", "vertices"), ("quad", "quads")):
        assert draws[f"{prefix}_count"].sum() == frame[table].num_rows
        assert (np.cumsum(draws[f"{prefix}_count"]) - draws[f"{prefix}_count"] == draws[f"{prefix}_first"]).all()


def test_passes_from_a_store_and_cut_out_of_the_whole_are_the_same(frame: FrameTrace) -> None:
    stored, cut = passes_of(frame, MODEL_COLUMNS), passes_of(as_a_whole(frame), MODEL_COLUMNS)
    assert len(stored) == len(cut) == 7
    for index in range(7):
        assert stored[index].head is frame
        assert_same_pass(stored[index], cut[index])


@pytest.mark.parametrize("resident_bytes", [0, 200_000, 1 << 30])
def test_a_file_of_passes_gives_what_was_put_in(frame: FrameTrace, tmp_path: Path, resident_bytes: int) -> None:
    source = frame.tables.source
    store = PassStore(resident_bytes)
    for index in range(7):
        store.add(source.load(index))
    for index in (3, 0, 6, 3):
        found, given = store.load(index), source.load(index)
        assert store.load(index) is found
        for name in PASS_TABLES:
            assert {k: (v.dtype, v.tobytes()) for k, v in found.tables[name].items()} == {
                k: (v.dtype, v.tobytes()) for k, v in given.tables[name].items()
            }
        assert all(np.array_equal(a, b) for a, b in zip(found.pixels, given.pixels, strict=True))
    path = tmp_path / "a.gputrace"
    with GpuTraceWriter(path) as writer:
        writer.write(frame)
        writer.write(as_a_whole(frame))
    with open_gputrace(path) as reader:
        assert len(reader) == 2
        for read in reader:
            for name in SCHEMA:
                for key, column in frame[name].items():
                    assert np.array_equal(read[name][key], column), (name, key)
            assert len(read.pixels) == 7
            assert np.array_equal(read.pixels[-1][0], frame.pixels[-1][0])
            for index, one in enumerate(passes_of(read, MODEL_COLUMNS)):
                assert_same_pass(one, passes_of(frame)[index])


def test_a_pass_is_held_by_those_who_look_at_it_alone(frame: FrameTrace) -> None:
    source = frame.tables.source

    def nameless() -> int:
        """Open files without a name."""
        links = []
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                links.append(os.readlink(f"/proc/self/fd/{number}"))
        return sum("(deleted)" in link for link in links)

    before = nameless()
    store = PassStore(0)
    store.add(source.load(0))
    assert nameless() == before + 1
    first = store.load(0).tables["quads"]["depth"]
    assert store.load(0).tables["quads"]["depth"] is not first
    del store
    gc.collect()
    assert nameless() == before


def test_a_full_disk_is_an_error_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    content = PassContent({"quads": Table("quads", {"x": np.arange(9, dtype=np.uint16)})}, [], [])
    with pytest.raises(StorageError, match="No space left"):
        PassStore(0).add(content)


@pytest.mark.parametrize(("table", "column"), [(t, c) for t, c, _ in references() if t in PASS_TABLES], ids=str)
def test_a_pass_that_refers_to_what_it_has_not_is_refused(frame: FrameTrace, table: str, column: str) -> None:
    source = frame.tables.source
    table_of = source.load(3).tables[table]
    spoilt = table_of[column].copy()
    spoilt[-1] = np.iinfo(spoilt.dtype).max
    kept = source.load(3).tables
    kept[table] = Table(table, {**table_of, column: spoilt})
    try:
        passes = passes_of(frame, MODEL_COLUMNS)
        assert passes[2].index == 2
        with pytest.raises(TraceFormatError, match=table):
            passes[3]
    finally:
        kept[table] = table_of
