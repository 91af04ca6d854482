"""``gpureplay top``: what it prints, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_model_oracle import random_scene

from gpumodel.cli import cli
from traceformat.cli.door import run as run_command
from traceformat.gputrace.reader import GpuTraceWriter


@pytest.fixture
def film(tmp_path: Path) -> str:
    path = tmp_path / "film.gputrace"
    with GpuTraceWriter(path) as writer:
        for seed in range(3):
            scene = random_scene(seed)
            scene.frame = seed
            writer.write(scene.trace())
    return str(path)


def top(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert run_command(cli, ["top", *words, "--json"], name="gpureplay") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_figure_is_cut_however_narrow_the_terminal(
    film: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run_command(cli, ["top", film, "--judge", "absent"], name="gpureplay") == 0
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert max(map(len, printed.splitlines())) <= columns
    assert "absent" in printed
    assert ("issued" in printed) is (columns >= 100)


def test_groups_and_shared_work_add_up(film: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = top(capsys, film, "--by", "draw", "-n", "1000")
    assert document["frames"] == 3
    for name in ("time", "energy"):
        own = sum(group["own"][name] for group in document["groups"])
        assert own + sum(document["shared"][name].values()) == pytest.approx(document["total"][name])
        spread = sum(group["shared"][name] for group in document["groups"])
        assert spread == pytest.approx(sum(document["shared"][name].values()))
    times = [group["own"]["time"] + group["shared"]["time"] for group in document["groups"]]
    assert times == sorted(times, reverse=True)


def test_rows_are_sorted_by_any_counter(film: str, capsys: pytest.CaptureFixture[str]) -> None:
    groups = top(capsys, film, "--frames", "1-1", "--by", "draw", "--metric", "cache.l2.misses", "-n", "4")["groups"]
    misses = [group["own"]["cache.l2.misses"] for group in groups]
    assert len(groups) == 4
    assert misses == sorted(misses, reverse=True)
    assert misses[0] > 0


def test_judges_say_what_a_change_saves(film: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = top(capsys, film, "--frames", "1-2", "--by", "pass", "--judge", "hollow", "--judge", "absent")
    for group in document["groups"]:
        # Without its draws a pass is its tiles alone; to shade for nothing saves a part of that.
        assert 0 < group["hollow"] < group["absent"] < document["total"]["time"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "beauty"], "unknown metric"),
        (["-t", "te", "-t", "re"], "one run"),
        (["-t", "te", "--judge", "hollow"], "baseline"),
    ],
)
def test_what_makes_no_sense_is_refused(
    film: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(cli, ["top", film, *words], name="gpureplay") == 2
    assert message in capsys.readouterr().err


def test_the_table_names_the_object(film: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(cli, ["top", film, "--frames", "1-1"], name="gpureplay") == 0
    out = capsys.readouterr().out
    assert "object" in out
    assert "film.gputrace: baseline on mali450-vro, mean of 1 frame" in out
    assert run_command(cli, ["run", film, "--frames", "1-1", "--attribution"], name="gpureplay") == 0
    assert "Dearest is object with" in " ".join(capsys.readouterr().out.split())
