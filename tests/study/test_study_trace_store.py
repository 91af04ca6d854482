"""Replayed frames that are kept: what finds them again, what does not, and what goes when room is short."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study_films import SIZE, film, films, study, table_bytes

import gpureplay
from gpumodel.cli import cli
from gpumodel.columns import REQUIRED_COLUMNS
from gpumodel.sampling.features import FEATURE_COLUMNS
from gpureplay import trace_store
from gpureplay.sources import Source, open_source
from gpureplay.trace_store import TraceStore
from replay import player
from traceformat.cli.door import run
from traceformat.errors import ToolWarning, UsageError
from traceformat.gputrace.frametrace import SCHEMA, ColumnSet, FrameRole


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    films(tmp_path)
    return tmp_path


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows by one with each replay."""
    begun: list[object] = []
    make = player.PlayedFrames._make_engine

    def noted(self: Any, most: int) -> Any:
        begun.append(self)
        return make(self, most)

    monkeypatch.setattr(player.PlayedFrames, "_make_engine", noted)
    return begun


@contextmanager
def opened(
    store: TraceStore | None, frames: range | None, around: range | None = None, **more: Any
) -> Iterator[Source]:
    columns = more.get("columns", REQUIRED_COLUMNS)
    path, parts = more.get("path", "film0.gltrace"), more.get("parts")
    with open_source(path, frames, 1, columns, around, None, store, parts) as source:
        yield source


def content(source: Source) -> list[tuple[Any, ...]]:
    """All that a run reads of its frames."""
    found = []
    for frame in source.frames:
        columns = {
            f"{table}.{name}": np.array(frame[table][name])
            for table in SCHEMA for name in frame[table] if f"{table}.{name}" in REQUIRED_COLUMNS
        }  # fmt: skip
        found.append((frame.frame, frame.role, frame.width, frame.height, frame.rule, frame.labels, columns))
    return found


def assert_same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    assert [entry[:-1] for entry in one] == [entry[:-1] for entry in other]
    for (*_, mine), (*_, theirs) in zip(one, other, strict=True):
        assert mine.keys() == theirs.keys()
        for name, column in mine.items():
            np.testing.assert_array_equal(column, theirs[name], name)


@pytest.mark.parametrize("address", ["kept", "memory://kept", "file://{folder}/kept"])
def test_kept_frames_are_those_of_a_replay(address: str, here: Path, replays: list[object]) -> None:
    store = TraceStore(address.format(folder=here))
    with opened(store, None) as source:
        first = content(source)
    assert len(replays) == 1
    for frames, around in ((None, None), (range(2, 4), range(1, 4)), (range(4, 5), None)):
        with opened(store, frames, around) as source:
            again, about = content(source), source
        before = len(replays)
        with opened(None, frames, around) as source:
            alone = content(source)
        assert len(replays) == before + 1, "the store has not replayed"
        assert_same(again, alone)
        assert (about.name, about.sha256, about.num_frames, about.wanted, about.asked) == (
            source.name, source.sha256, source.num_frames, source.wanted, source.asked,
        )  # fmt: skip
    assert len(first) == 5
    assert [role for _, role, *_ in first] == [FrameRole.MEASURED] * 5


def test_each_part_is_a_file(here: Path, replays: list[object]) -> None:
    """Frames between parts are neither given nor kept, and parts are found one by one."""
    store, parts = TraceStore("kept"), [range(0, 1), range(2, 4)]
    with opened(None, None) as source:
        whole = content(source)
    before = len(replays)
    with opened(store, range(0, 4), parts=parts) as source:
        assert source.wanted == 3
        assert_same(content(source), [whole[0], *whole[2:4]])
    assert len(list(Path("kept").iterdir())) == 2
    for asked, wanted in ((parts, [0, 2, 3]), ([range(3, 9)], [3]), (None, [2, 3])):
        with opened(store, range(asked[0].start if asked else 2, 4), parts=asked) as source:
            assert_same(content(source), [whole[number] for number in wanted])
    assert len(replays) == before + 1
    with opened(store, range(0, 5), parts=[range(0, 1), range(3, 5)]) as source:
        assert_same(content(source), [whole[0], *whole[3:5]])
    assert len(replays) == before + 2, "frame 4 was not there"
    assert run(cli, ["run", "film0.gltrace", "--save-gputrace", "film0.gputrace"]) == 0
    with opened(None, range(0, 4), path="film0.gputrace", parts=parts) as source:
        assert [frame.frame for frame in source.frames] == [0, 2, 3]


def test_what_makes_other_frames_is_replayed(
    here: Path, replays: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TraceStore("kept")
    with opened(store, range(1, 3)) as source:
        content(source)

    def num_replays(**more: Any) -> int:
        before = len(replays)
        with opened(store, more.pop("frames", range(1, 3)), **more) as source:
            content(source)
        return len(replays) - before

    assert num_replays() == 0
    assert num_replays(frames=range(0, 2)) == 1
    assert num_replays(path="film1.gltrace") == 1
    assert num_replays(columns=ColumnSet([*REQUIRED_COLUMNS, "quads.identity"])) == 1
    assert num_replays(columns=FEATURE_COLUMNS) == 0, "less than a run needs is there, too"
    monkeypatch.setattr(trace_store, "versions", lambda packages: (packages, "other"))
    assert num_replays() == 1


def test_what_no_run_could_use_is_not_kept(here: Path) -> None:
    with opened(TraceStore("kept"), None, columns=FEATURE_COLUMNS) as source:
        assert len(list(source.frames)) == 5
    assert not list(Path("kept").iterdir())


def test_frames_that_did_not_all_come_are_not_kept(here: Path) -> None:
    with opened(TraceStore("kept"), None) as source:
        next(source.frames)
        source.frames.close()  # type: ignore[attr-defined]
    assert not list(Path("kept").iterdir())


def test_a_damaged_file_goes(here: Path, replays: list[object]) -> None:
    store = TraceStore("kept")
    with opened(store, None) as source:
        good = content(source)
    (path,) = Path("kept").iterdir()
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", whole[:3000] + b"?" + whole[3001:]):
        path.write_bytes(damaged)
        before = len(replays)
        with opened(store, None) as source:
            assert_same(content(source), good)
        assert len(replays) == before + 1
        assert path.read_bytes() == whole


@pytest.mark.parametrize("address", ["kept", "memory://room"])
def test_what_was_used_longest_ago_goes_first(address: str, here: Path) -> None:
    paths = [film(here / f"more{number}.gltrace", 3, number + 5) for number in range(4)]

    def names() -> set[str]:
        return {entry.name for entry in store.place().entries()}

    def use(path: Path) -> set[str]:
        with opened(store, None, path=str(path)) as source:
            list(source.frames)
        time.sleep(0.02)
        return names()

    store = TraceStore(address)
    (first,) = use(paths[0])
    size = store.place().entries()[0].num_bytes
    store = TraceStore(address, 3 * size + size // 2)
    kept = use(paths[1]) and use(paths[2])
    assert len(kept) == 3
    use(paths[0])
    after = use(paths[3])
    assert len(after) == 3
    # A folder knows when a file was used; this address only when it was written.
    assert (first in after) == (address == "kept")


def test_what_is_too_large_is_not_kept(here: Path) -> None:
    told = pytest.warns(ToolWarning, match="frames are not kept: they take more than 9.31e-08 GiB")
    with told, opened(TraceStore("kept", 100), None) as source:
        assert len(list(source.frames)) == 5
    assert not list(Path("kept").iterdir())


def test_what_dead_processes_left_goes(here: Path) -> None:
    Path("kept").mkdir()
    for name, age in ((".film.gputrace.abc.part", 7200), (".film.gputrace.def.part", 60), ("notes.txt", 7200)):
        Path("kept", name).write_bytes(b"x")
        os.utime(Path("kept", name), (time.time() - age,) * 2)
    with opened(TraceStore("kept"), None) as source:
        list(source.frames)
    left = {path.name for path in Path("kept").iterdir() if not path.name.endswith(".gputrace")}
    assert left == {".film.gputrace.def.part", "notes.txt"}


def test_a_store_that_cannot_be_used_is_told_at_once(here: Path) -> None:
    with pytest.raises(UsageError, match="cannot make the folder"):
        gpureplay.sweep(study(), "out", store="store", trace_store="film0.gltrace/kept")
    with pytest.raises(UsageError, match="nonsense"):
        gpureplay.sweep(study(), "out", store="store", trace_store="nonsense://kept")


def test_a_study_replays_what_no_run_and_no_study_has(here: Path, replays: list[object]) -> None:
    arguments = ["--set", "screen.scale_to_trace=true", "--trace-store", "kept"]
    assert run(cli, ["run", "film0.gltrace", *arguments]) == 0
    assert len(replays) == 1
    first = gpureplay.sweep(study(techniques=["vro"]), "out", store="store", trace_store="kept")
    assert len(replays) == 2, "the other film alone"
    tables = table_bytes(Path("out"))
    gpureplay.sweep(study(techniques=["vro"]), "out", store="other", trace_store="kept")
    assert len(replays) == 2
    assert table_bytes(Path("out")) == tables
    gpureplay.sweep(study(techniques=["vro"]), "out", store="third")
    assert len(replays) == 4
    assert table_bytes(Path("out")) == tables
    assert len(first.runs) == 4


def test_features_of_a_film_are_counted_once(tmp_path: Path, replays: list[object]) -> None:
    one = film(tmp_path / "film.gltrace", 30)
    chosen = [
        gpureplay.estimate(one, techniques=ids, frames=8, set=SIZE, store=tmp_path / "store").chosen.frames.tolist()
        for ids in ([], ["vro"])
    ]
    assert chosen[0] == chosen[1]
    # To count them; to run the baseline; to run vro.
    assert len(replays) == 3
    gpureplay.estimate(one, frames=9, set=SIZE, store=tmp_path / "store")
    assert len(replays) == 4, "another number of frames is chosen by what was counted before"
