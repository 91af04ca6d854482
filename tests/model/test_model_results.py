"""Results: frames that are not measured, what a result says of itself, and results of older versions."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from test_model_oracle import random_scene

from gpumodel import load_config
from gpumodel.cli import cli
from gpumodel.config.origin import flatten
from gpumodel.report.compare import comparison_rows
from gpumodel.report.labels import run_labels
from gpumodel.report.table import print_summary
from gpumodel.resultfile import Subject, program_version, read_result, result_json, results_csv
from gpumodel.results import RunResult, total_of
from gpumodel.runs import Run
from traceformat.cli.door import run as run_command
from traceformat.errors import UsageError
from traceformat.gputrace.frametrace import FrameRole
from traceformat.gputrace.reader import GpuTraceWriter

CONFIG = load_config("mali450-vro")
DATA = Path(__file__).parents[1] / "data" / "results"
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


def test_results_of_schema_1_can_be_read() -> None:
    document = read_result(DATA / "schema_1.json")
    assert document["schema"] == 2
    assert (document["command"], document["program"]["sha256"]) == ([], "")
    assert document["program"]["version"] == "0.1.0"
    (run,) = document["runs"]
    assert run["config"]["label"] == "mali450-vro"
    assert [frame["role"] for frame in run["frames"]] == ["measured"]
    assert run["frames"][0]["cycles"]["total"] == run["total"]["cycles"]["total"] > 0


def test_results_of_this_schema_can_be_read_and_newer_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    text = result_json(SUBJECT, [three_frames()])
    path.write_text(text)
    assert read_result(path) == json.loads(text)
    path.write_text(json.dumps({**json.loads(text), "schema": 3}))
    with pytest.raises(UsageError, match="schema 3"):
        read_result(path)
    for bad in ("", "{}", "[1]", '{"schema": 1}', "[" * 100_000):
        path.write_text(bad)
        with pytest.raises(UsageError, match="no result"):
            read_result(path)


def film(tmp_path: Path) -> str:
    path = tmp_path / "film.gputrace"
    with GpuTraceWriter(path) as writer:
        writer.write(random_scene(0).trace())
    return str(path)


def test_a_result_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "gpu.toml").write_text('base = "mali450-vro"\n[fragment]\nthreads = 3\n')
    config, out, table = (str(tmp_path / name) for name in ("gpu.toml", "out.json", "out.csv"))
    line = [
        "run", film(tmp_path), "-c", config, "-c", "mali450-vro", "--set", "tile.width=32", "--set", "tile.height=32",
        "--memory", "paper", "--json", out, "--csv", table,
    ]  # fmt: skip
    assert run_command(cli, line, name="gpureplay") == 0
    document = json.loads(Path(out).read_text())
    assert document["command"] == ["gpureplay", *line]
    assert document["program"]["sha256"] == program_version()["sha256"] != ""
    assert document["config"] == document["runs"][0]["config"]
    mine, preset = (run["config"] for run in document["runs"])
    assert mine["overrides"] == {"fragment.threads": 3, "tile.width": 32, "tile.height": 32, "memory.mode": "paper"}
    assert "fragment.threads" not in preset["overrides"]
    assert mine["values"]["fragment.threads"] == {"value": 3, "source": f"file {config}"}
    assert mine["values"]["tile.width"] == {"value": 32, "source": "--set"}
    assert mine["values"]["memory.mode"] == {"value": "paper", "source": "--memory"}
    assert preset["values"]["fragment.threads"]["source"] == "preset mali450-vro"
    assert set(flatten(CONFIG.model_dump(mode="json"))) == set(mine["values"])
    # Two configurations of one name are told apart.
    assert mine["name"] == preset["name"]
    assert mine["label"] != preset["label"]
    rows = list(csv.DictReader(io.StringIO(Path(table).read_text())))
    assert [row["config"] for row in rows] == [mine["label"], preset["label"]]
    assert [row["config.fragment.threads"] for row in rows] == ["3", str(CONFIG.fragment.threads)]
    assert [row["config.tile.width"] for row in rows] == ["32", "32"]
    assert {row["trace"] for row in rows} == {"film.gputrace"}
    assert [row["config_sha256"] for row in rows] == [mine["sha256"], preset["sha256"]]
    assert "--memory paper" in rows[0]["command"]


def test_configurations_of_one_name_have_rows_and_folders_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, threads in (("a", 2), ("b", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gpu.toml").write_text(f'base = "mali450-vro"\n[fragment]\nthreads = {threads}\n')
    (tmp_path / "copy.toml").write_text('base = "mali450-vro"\n[fragment]\nthreads = 2\n')
    files = [part for name in ("a/gpu.toml", "b/gpu.toml", "copy.toml") for part in ("-c", str(tmp_path / name))]
    pictures = tmp_path / "pictures"
    assert run_command(cli, ["run", film(tmp_path), *files, "--images", str(pictures)]) == 0
    folders = sorted(path.name for path in pictures.iterdir() if path.is_dir())
    assert len(folders) == 2
    assert all(name.startswith("baseline-mali450-vro@") for name in folders)
    said = capsys.readouterr()
    assert "copy.toml: the same configuration as" in said.err
    # Each table says of which configuration it is.
    assert all(name.partition("-")[2] in said.out for name in folders)


def test_names_of_configurations_are_fit_for_files() -> None:
    odd = CONFIG.model_copy(update={"name": "../../etc/x y"})
    runs = [RunResult("baseline", "paper", config, config) for config in (odd, CONFIG)]
    assert not any("/" in label or " " in label for label in run_labels(runs))
