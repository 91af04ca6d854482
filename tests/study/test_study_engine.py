"""Studies on workers: the same bytes whoever works, and whatever happens to them."""

from __future__ import annotations

import random
import socket
import subprocess
from pathlib import Path

import pytest
from sweep_faults import by_hand, command, interrupted, killed, make_study, undisturbed

from gpumodel.study.description import read_study
from gpumodel.study.engine import InProcess
from gpumodel.study.plan import make_plan
from gpumodel.study.store import RunStore
from gpumodel.study.sweep import tasks_of
from gpureplay.study_traces import ReplayedTraces

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'gpureplay[sweep]'")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_study(tmp_path_factory.mktemp("engine"), 2, 3)


@pytest.fixture(scope="module")
def wanted(small: Path) -> dict[str, bytes]:
    return undisturbed(small, "wanted", "--workers", "0")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Fleet(InProcess):
    """So many workers, with room for so many runs each."""

    def __init__(self, workers: int, runs_at_once: int) -> None:
        self.workers, self.runs_at_once = workers, runs_at_once


@pytest.mark.parametrize(("workers", "room", "sizes"), [(1, 64, [12, 12]), (1, 5, [5, 5, 2] * 2), (2, 64, [4] * 6)])
def test_tasks(small: Path, workers: int, room: int, sizes: list[int]) -> None:
    """Each run is in one task, over one trace; tasks fit the memory, and there are enough for all workers."""
    traces = ReplayedTraces()
    plan = make_plan(read_study(str(small), []), traces, small.parent, RunStore(small.parent / "runs"))
    tasks = tasks_of(plan.runs, Fleet(workers, room), None)
    assert sorted(len(task.runs) for task in tasks) == sorted(sizes)
    assert sorted(run.key for task in tasks for run in task.runs) == sorted(run.key for run in plan.runs)
    assert all(len({run.trace.path for run in task.runs}) == 1 for task in tasks)
    lengths = [task.num_frames for task in tasks]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.slow
def test_workers_that_are_killed(small: Path, wanted: dict[str, bytes]) -> None:
    found = killed(small, "killed", kills=1, seconds=2, chance=random.Random(2), workers=1)
    assert (found.status, found.num_faults) == (0, 1), found.errors
    assert found.tables == wanted


@pytest.mark.slow
def test_a_study_that_is_interrupted_goes_on(small: Path, wanted: dict[str, bytes]) -> None:
    found = interrupted(small, "interrupted", times=1, seconds=6, chance=random.Random(3), workers=1)
    assert found.tables == wanted


@pytest.mark.slow
def test_a_scheduler_of_others_and_its_death(small: Path, wanted: dict[str, bytes]) -> None:
    with by_hand(1, free_port()) as (address, scheduler):
        assert undisturbed(small, "by-hand", "--scheduler", address) == wanted
        scheduler.kill()
        scheduler.wait()
        line = command(small, "lost", "--scheduler", address)
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, len(done.stderr.splitlines())) == (4, 1), done.stderr
        assert "no scheduler answers" in done.stderr


def test_no_scheduler(small: Path) -> None:
    done = subprocess.run(
        command(small, "nobody", "--scheduler", "nonsense://x"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
