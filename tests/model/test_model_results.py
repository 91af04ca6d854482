"""Results: frames that are not measured, what a result says of itself, and results of older versions."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.report.compare import comparison_rows
from gpumodel.report.table import print_summary
from gpumodel.resultfile import Subject, result_json, results_csv
from gpumodel.results import FrameRole, RunResult, total_of
from gpumodel.run import Run

CONFIG = load_config("mali450-vro")
TRACE = {"name": "film.gltrace", "sha256": "ab" * 32, "frames": 3, "width": 64, "height": 64}
SUBJECT = Subject(TRACE)


def three_frames() -> RunResult:
    one = Run(CONFIG)
    for seed in range(3):
        one.add(random_scene(seed).trace())
    return one.result


def printed(run: RunResult) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    print_summary(console, [run], title="film")
    return console.export_text()


def test_frames_that_warm_up_or_set_up_are_in_no_sum_and_no_mean() -> None:
    run = three_frames()
    alone = run.frames[2]
    whole = total_of(run.frames).cycles
    run.frames[0].role, run.frames[1].role = FrameRole.SET_UP, FrameRole.WARM_UP
    (entry,) = json.loads(result_json(SUBJECT, [run]))["runs"]
    assert [frame["role"] for frame in entry["frames"]] == ["set-up", "warm-up", "measured"]
    assert entry["total"]["cycles"]["total"] == alone.cycles < whole
    assert entry["total"]["counters"] == {
        name: pytest.approx(value) for name, value in json.loads(json.dumps(alone.counters)).items()
    }
    assert comparison_rows([run])[0][1] == f"{alone.cycles / 1e6:.3f}"
    assert [row["role"] for row in csv.DictReader(io.StringIO(results_csv(SUBJECT, [run])))] == [
        "set-up", "warm-up", "measured",
    ]  # fmt: skip
    text = printed(run)
    assert "1 frame, without warm-up frame 1, without set-up frame 0" in text.replace("\n", " ")
    assert f"{alone.cycles:,}" in text


def test_a_run_without_a_measured_frame_says_so() -> None:
    run = three_frames()
    for frame in run.frames:
        frame.role = FrameRole.SET_UP
    assert "nothing was measured" in printed(run)
    (entry,) = json.loads(result_json(SUBJECT, [run]))["runs"]
    assert entry["total"]["cycles"]["total"] == 0
    assert comparison_rows([run])
