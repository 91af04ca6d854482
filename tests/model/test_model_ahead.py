"""Passes that are arranged ahead on another thread: the same results, in the same order, and the same errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_passes import write_many_passes

import replay
from gpumodel import REQUIRED_COLUMNS, Run, load_config, run_all
from gpumodel import ahead as ahead_module
from gpumodel.ahead import PassesAhead
from gpumodel.streams import PassTables
from traceformat.errors import ReplayError, TraceFormatError
from traceformat.gputrace.frametrace import FrameTrace, Table
from traceformat.guards import VARIABLE


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ahead") / "passes.gltrace"
    write_many_passes(path, passes=12, fragments=40_000, frames=4, targets=3)
    return path


@pytest.fixture
def arranged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Threads that arranged ahead."""
    found: list[str] = []
    arrange = PassesAhead._arrange

    def noted(self: PassesAhead, passes: Sequence[FrameTrace], index: int) -> Any:
        found.append(threading.current_thread().name)
        return arrange(self, passes, index)

    monkeypatch.setattr(PassesAhead, "_arrange", noted)
    return found


def results(
    frames: Any, techniques: Sequence[str] = (), threads: int = 1, num_runs: int = 1, overlap: str = "none"
) -> list[Any]:
    config = load_config("mali450-vro", ("screen.scale_to_trace=true", f"binning.overlap={overlap}"))
    runs = [Run(config, techniques, keep_passes=False) for _ in range(num_runs)]
    given = [(frame.frame, [raw.frame for raw in raws]) for frame, raws in run_all(frames, runs, threads=threads)]
    for one in runs:
        one.close()
    return [given, *(one.result.as_json() for one in runs)]


def played(trace: Path) -> Iterator[FrameTrace]:
    with replay.frames(trace, columns=REQUIRED_COLUMNS) as frames:
        yield from frames


@pytest.mark.parametrize("techniques", [(), ("vro",), ("re", "te"), ("ptr",)])
def test_results_are_equal(techniques: Sequence[str], trace: Path, arranged: list[str]) -> None:
    alone = results(played(trace), techniques)
    assert not arranged
    assert results(played(trace), techniques, threads=2) == alone
    assert len(arranged) >= 4, "passes have been arranged ahead"
    assert threading.main_thread().name not in arranged


@pytest.mark.parametrize(("techniques", "num_runs"), [(("zprepass",), 1), (("no-early-z",), 1), (("pfr",), 1), ((), 2)])
def test_what_changes_passes_has_none_arranged(
    techniques: Sequence[str], num_runs: int, trace: Path, arranged: list[str]
) -> None:
    """Nor have runs that are as many as the threads."""
    alone = results(played(trace), techniques, num_runs=num_runs)
    assert results(played(trace), techniques, threads=2, num_runs=num_runs) == alone
    assert not arranged


def test_large_passes_do_not_wait(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[PassTables] = []
    alone = results(played(trace))
    monkeypatch.setattr(ahead_module, "_WAITING_BYTES", 1)
    begin = PassesAhead._arrange

    def noted(self: PassesAhead, passes: Sequence[FrameTrace], index: int) -> Any:
        found = begin(self, passes, index)
        made.extend(found[1] or ())
        return found

    monkeypatch.setattr(PassesAhead, "_arrange", noted)
    assert results(played(trace), threads=2) == alone
    assert not made


def test_errors_are_those_of_one_thread(trace: Path) -> None:
    def broken() -> Iterator[FrameTrace]:
        for frame in played(trace):
            if frame.frame == 2:
                emitted = frame["emitted"]
                wrong = Table("emitted", {**emitted, "draw": np.full_like(emitted["draw"], 9999)})
                frame = replace(frame, tables={**{name: frame[name] for name in frame.tables}, "emitted": wrong})
            yield frame

    said = []
    for threads in (1, 2):
        with pytest.raises(TraceFormatError) as raised:
            results(broken(), threads=threads)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_an_interruption_does_not_wait_for_the_frame(trace: Path) -> None:
    """What a thread is at ends soon, and no thread stays."""

    def interrupted() -> Iterator[FrameTrace]:
        frame = next(played(trace))
        for number in range(1000):
            if number == 2:
                raise KeyboardInterrupt
            yield frame

    before = threading.active_count()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        results(interrupted(), threads=2)
    assert time.monotonic() - began < 20
    assert threading.active_count() == before


def test_limits_hold_on_other_threads(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "frame_cycles=1000")
    with pytest.raises(ReplayError, match="frame_cycles"):
        results(played(trace), threads=2)
