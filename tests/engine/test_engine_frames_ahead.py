"""Frames before a range: executed for what they leave, which is all that is needed, to the last number."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from fuzz_scenes import SCENES
from long_trace import write_long_trace
from random_films import RandomFilm
from trim_programs import random_frames, write

import replay
from replay.engine.draws import DrawPipeline
from replay.engine.engine import Engine
from replay.engine.targets import Targets
from traceformat.cli.playing import reflecting_backend
from traceformat.errors import ToolError
from traceformat.gles.backend import DrawCall
from traceformat.gles.state import Context
from traceformat.gltrace.reader import open_trace
from traceformat.gputrace.frametrace import ALL_COLUMNS, FrameTrace
from traceformat.tools.trim import index as indices


@pytest.fixture(autouse=True)
def short_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Short traces have an index of state here, of many points, in a cache of their own."""
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(indices, "MIN_CALLS", 1)
    monkeypatch.setattr(indices, "MAX_SHARE", 100)
    monkeypatch.setattr(indices, "POINT_CALLS", 37)


def contents(frame: FrameTrace) -> dict[str, object]:
    """Everything of a frame, to compare."""
    found: dict[str, object] = {
        f"{name}.{key}": (column.shape, column.tobytes())
        for name, table in frame.tables.items()
        for key, column in table.items()
    }
    assert frame.picture is not None
    found |= {"picture": frame.picture.tobytes(), "labels": list(frame.labels), "size": (frame.width, frame.height)}
    found |= {f"pixels {k}": part.tobytes() for k, parts in enumerate(frame.pixels) for part in parts}
    return found


def compare(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Hold the last frames against those of the whole trace; gives how many draws were passed over, and of how many."""
    passed = []

    def count(self: DrawPipeline, context: Context, call: DrawCall, targets: Targets) -> None:
        passed.append(call)
        plain(self, context, call, targets)

    plain = DrawPipeline.pass_over
    with open_trace(path) as reader:
        last = len(reader.frames) - 1
        whole = [contents(frame) for frame in replay.frames(reader, columns=ALL_COLUMNS)][last - 1 :]
        draws = sum(call.name.startswith("glDraw") for call in reader.calls(stop=reader.frames[last - 1].first_call))
        if reader.state_index() is None:
            indices.find_index(reader, reflecting_backend())
        with monkeypatch.context() as patch:
            patch.setattr(DrawPipeline, "pass_over", count)
            behind = [contents(frame) for frame in replay.frames(reader, columns=ALL_COLUMNS, frames=(last - 1, last))]
    assert len(behind) == 2
    for one, other in zip(whole, behind, strict=True):
        assert one.keys() == other.keys()
        assert [key for key in one if one[key] != other[key]] == []
    return len(passed), draws


def test_a_long_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_long_trace(tmp_path / "long.gltrace", 14)
    passed, draws = compare(path, monkeypatch)
    assert passed > 0.9 * draws


def test_the_index_that_the_file_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_long_trace(tmp_path / "long.gltrace", 14)
    indexed = tmp_path / "indexed.gltrace"
    assert indices.index_file(path, reflecting_backend(), indexed)
    monkeypatch.setenv("GPUREPLAY_CACHE", str(tmp_path / "another"))
    passed, draws = compare(indexed, monkeypatch)
    assert passed > 0.9 * draws


@pytest.mark.parametrize("scene", SCENES)
def test_random_programs(scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(f"ahead {scene}")
    passed = 0
    for case in range(2):
        path = write(tmp_path / f"{case}.gltrace", random_frames(scene, rng))
        try:
            with open_trace(path) as reader:
                for _ in replay.frames(reader, columns=ALL_COLUMNS):
                    pass
        except ToolError:
            continue  # pieces of the scene in any order: some upload less than they say
        passed += compare(path, monkeypatch)[0]
    assert passed


@pytest.mark.parametrize("seed", range(3))
def test_random_films(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(RandomFilm(seed).record(tmp_path / "film.gltrace"), monkeypatch)


def test_without_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indices, "MIN_CALLS", 1 << 60)
    path = write_long_trace(tmp_path / "long.gltrace", 5)
    with open_trace(path) as reader:
        whole = [contents(frame) for frame in replay.frames(reader, columns=ALL_COLUMNS)]
        (behind,) = (contents(frame) for frame in replay.frames(reader, columns=ALL_COLUMNS, frames=(3, 3)))
        pictures = dict(replay.pictures(reader, frames=(3, 4)))
    assert behind == whole[3]
    assert sorted(pictures) == [3, 4]
    assert all(np.asarray(picture).tobytes() == whole[number]["picture"] for number, picture in pictures.items())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("calls", [1, 1 << 60])
def test_parts_of_a_range(seed: int, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies between is passed over; with an index of state, and followed from the beginning."""
    monkeypatch.setattr(indices, "MIN_CALLS", calls)
    monkeypatch.setattr(indices, "MIN_PIXELS", 0)
    if seed:
        path = RandomFilm(seed).record(tmp_path / "film.gltrace")
    else:
        path = write_long_trace(tmp_path / "long.gltrace", 9)
    ended, plain = [], Engine.end_frame_ahead
    monkeypatch.setattr(Engine, "end_frame_ahead", lambda self: (ended.append(1), plain(self)))
    with open_trace(path) as reader:
        count = len(reader.frames)
        assert count > 6
        indices.find_index(reader, reflecting_backend())
        parts = [range(1, 2), range(3, 5), range(6, 7)]
        whole = [contents(frame) for frame in replay.frames(reader, columns=ALL_COLUMNS, frames=(0, 6))]
        assert not ended
        with replay.frames(reader, columns=ALL_COLUMNS, frames=(1, count - 1), parts=parts) as played:
            found = [(frame.frame, contents(frame)) for frame in played]
            assert played.executed == 7
    assert [number for number, _ in found] == [1, 3, 4, 6]
    assert len(ended) == 3
    for number, frame in found:
        assert frame.keys() == whole[number].keys()
        assert [key for key in frame if frame[key] != whole[number][key]] == []
