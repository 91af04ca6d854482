"""Changes made in a frame that was kept are answered as those in a frame that is replayed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from films import Film

import replay
from gpumodel import VERIFIED_COLUMNS, Run, load_config
from gpumodel.whatif.keeping import KeptFrames
from gpureplay import whatif
from traceformat.gputrace.frametrace import FrameRole, FrameTrace

CHANGES = [("without", "draw 1"), ("hollow", "all"), ("scale", "default", "0.5")]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Three frames of some squares."""
    film = Film()
    for squares in (2, 5, 3):
        film.clear()
        for _ in range(squares):
            film.square(1)
        film.square(2)
        film.swap()
    return str(film.write(tmp_path / "film.gltrace"))


def kept_of(trace: str, frames: tuple[int, int]) -> KeptFrames:
    """Keep what comes of frames of which the last one is asked for."""
    run = Run(load_config("mali450-vro"), attribution=True)
    kept = KeptFrames(run.machine.config, run)

    def played() -> Iterator[FrameTrace]:
        for frame in replay.frames(trace, columns=VERIFIED_COLUMNS, frames=frames):
            frame.role = FrameRole.MEASURED if frame.frame == frames[1] else FrameRole.WARM_UP
            yield frame

    for frame in kept.passing(played()):
        run.feed(frame)
    kept.results = run.result.frames
    run.close()
    return kept


@pytest.mark.parametrize("frames", [(0, 0), (0, 1)])
def test_kept_frames_answer_as_those_that_are_replayed(trace: str, frames: tuple[int, int]) -> None:
    kept = kept_of(trace, frames)
    assert len(kept.frames) == 1
    assert len(kept.results) == frames[1] - frames[0] + 1
    asked = range(frames[1], frames[1] + 1)
    first, other = (
        whatif(trace, CHANGES, frames=asked, both_memories=False, kept=each).document() for each in (kept, None)
    )
    assert first == other
    assert all(answer["picture"]["of"] for answer in first["answers"] if answer["sure"] == "exact")
    assert {answer["saves"]["cycles"] > 0 for answer in first["answers"]} == {True}


def test_what_is_kept_outlives_the_replay(trace: str) -> None:
    kept = kept_of(trace, (1, 1)).frames[0]
    (again,) = replay.frames(trace, columns=VERIFIED_COLUMNS, frames=(1, 1))
    for name, table in again.tables.items():
        for column, values in table.items():
            np.testing.assert_array_equal(kept[name][column], values, err_msg=f"{name}.{column}")
    assert kept.picture is not None
    np.testing.assert_array_equal(kept.picture, again.picture)


def test_what_is_too_large_is_not_kept(trace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpumodel.whatif.keeping._KEPT_BYTES", 1000)
    assert not kept_of(trace, (0, 1)).frames
