"""The soak with a few cases of each mode and kind, and that it sees what it looks for."""

from __future__ import annotations

import mmap
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import run_soak
import soak


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("soak")
    limits = os.environ.get("GPUREPLAY_LIMITS")
    soak.prepare(folder, rounds=3)
    yield folder
    os.environ.pop("GPUREPLAY_LIMITS")
    if limits is not None:
        os.environ["GPUREPLAY_LIMITS"] = limits


def test_a_few_cases_of_each_kind(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_soak, "TURN", {"parse": 8, "execute": 6, "entry": 2, "fresh": 1, "kill": 2})
    monkeypatch.setattr(run_soak, "TARGETS", {"parse": 60, "execute": 12, "entry": 12, "fresh": 1, "kill": 2})
    state = run_soak.State(tmp_path / "state.json", seed=7)
    findings = run_soak.soak(state, folder, seconds=120, cases=30, modes=list(soak.MODES))
    assert not findings, state.data["findings"]
    # It goes on where it was.
    again = run_soak.State(tmp_path / "state.json", seed=8)
    assert again.data == state.data
    run_soak.soak(again, folder, seconds=120, cases=200, modes=list(soak.MODES))
    assert not again.data["findings"]
    assert [again.done(mode) >= wanted for mode, wanted in run_soak.TARGETS.items()] == [True] * 5
    kinds = {name.split()[1] for name, row in again.data["rows"].items() if row["next"]}
    assert kinds == set(soak.MODES["parse"])


def test_a_case_is_a_function_of_its_number(folder: Path) -> None:
    for kind in soak.MODES["parse"]:
        first, second = (soak.make_input("parse", kind, 3, 5, folder) for _ in range(2))
        assert first == second
        assert first != soak.make_input("parse", kind, 3, 6, folder)


@pytest.mark.parametrize("fault", ["raise", "crash", "hang", "wait", "grow"])
def test_faults_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    held: list[bytes] = []
    # A process that has served a suite has more mapped than a case may use.
    much = mmap.mmap(-1, 7 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)

    def faulty(mode: str, kind: str, seed: int, number: int, folder: Path) -> soak.Result:
        if number == 1:
            if fault == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            if fault == "hang":
                while True:
                    pass
            if fault == "wait":
                threading.Event().wait()
            if fault == "grow":
                held.append(b"x" * (100 << 20))
        return run_case("no mode" if fault == "raise" and number == 1 else mode, kind, seed, number, folder)

    run_case = soak.run_case
    monkeypatch.setattr(soak, "run_case", faulty)
    monkeypatch.setattr(run_soak, "HANG_SECONDS", 0.5)
    monkeypatch.setattr(run_soak, "WAIT_SECONDS", 3.0 if fault == "wait" else 100.0)
    monkeypatch.setattr(run_soak, "GROWTH_BYTES", 80 << 20)
    worker = run_soak.Worker(folder / "work")
    try:
        ended = list(worker.run("parse", "shader", 1, range(3)))
    finally:
        worker.close()
        much.close()
    assert [number for number, _, _ in ended] == [0, 1, 2]
    assert [bool(finding) for _, _, finding in ended] == [False, True, False]
    said = {"raise": "KeyError", "crash": "crash", "hang": "processor time", "wait": "no answer", "grow": "grew by"}
    assert said[fault] in " ".join(ended[1][1:])


@pytest.mark.parametrize(
    ("status", "said", "left", "what"),
    [
        (70, "internal error", (), "status 70"),
        (3, "", (), "without a word"),
        (0, "Traceback (most recent call last)", (), "Traceback"),
        (0, "", ("out.json.part-1",), "leaves"),
        (0, "", ("strange",), "leaves"),
        (0, "", ("out.json",), "half-written"),
        (0, "", ("out.gltrace",), "half-written"),
    ],
)
def test_what_commands_must_not_do_is_seen(
    tmp_path: Path, status: int, said: str, left: tuple[str, ...], what: str
) -> None:
    for name in left:
        (tmp_path / name).write_bytes(b'{"cut')
    assert what in soak.judge(tmp_path, ["gputrace", "info"], status, said, set()).finding
    assert not soak.judge(tmp_path, ["gputrace", "info"], 0, "", set(left)).finding or left[0].startswith("out.")


def test_memory_of_replays_is_measured(folder: Path) -> None:
    held, _ = run_soak.replays(folder, 8)
    assert len(held) == 8
    assert min(held) > 50 << 20
