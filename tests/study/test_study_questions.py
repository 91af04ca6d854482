"""Answers of studies, by hand."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from study_films import GRID, films, study

import gpureplay
from gpumodel.cli import cli
from gpumodel.cli.results import results
from gpumodel.study.questions import QUESTIONS, answer
from traceformat.cli.door import run


def row(trace: str, size: int, technique: str, ms: float, mj: float, area: float) -> dict[str, Any]:
    return {
        "trace": trace, "config": f"gpu@{size}", "config.l2": size, "config.same": 1, "memory": "paper",
        "technique": technique, "frames": 2, "ms": 2 * ms, "energy_pj": 2e9 * mj, "area_mm2": area,
    }  # fmt: skip


CATALOGUE = [
    row("a", 1, "baseline", 4, 4, 10), row("b", 1, "baseline", 1, 4, 10),
    row("a", 1, "re", 2, 2, 11), row("b", 1, "re", 1, 2, 11),
    row("a", 2, "baseline", 2, 8, 12), row("b", 2, "baseline", 2, 8, 12),
    row("a", 2, "re", 1, 8, 13), row("b", 2, "re", 1, 8, 13),
]  # fmt: skip


def test_speed_up_is_a_geometric_mean_to_the_own_baseline() -> None:
    rows = answer("speedup", CATALOGUE).rows
    assert [(one["l2"], one["technique"]) for one in rows] == [(2, "re"), (1, "re")]
    assert [one["speed_up"] for one in rows] == pytest.approx([2, math.sqrt(2)])
    assert [one["energy_ratio"] for one in rows] == pytest.approx([1, 0.5])
    assert list(rows[0]) == ["config", "l2", "technique", "speed_up", "energy_ratio", "area_mm2"]
    assert rows[0]["config"] == "gpu", "settings stand in place of the hash"


def test_best_under_an_area() -> None:
    rows = answer("best", CATALOGUE, 12).rows
    assert [(one["l2"], one["technique"], one["ms"]) for one in rows] == [
        (1, "re", pytest.approx(math.sqrt(2))), (1, "baseline", pytest.approx(2)), (2, "baseline", pytest.approx(2)),
    ]  # fmt: skip


def test_pareto_front() -> None:
    rows = answer("pareto", CATALOGUE).rows
    assert [(one["l2"], one["technique"]) for one in rows if one["on_front"]] == [(2, "re"), (1, "re")]


def test_only_traces_that_all_have_run_count() -> None:
    found = answer("speedup", CATALOGUE[:-1])
    assert found.left_out == ("b",)
    assert [one["speed_up"] for one in found.rows] == pytest.approx([2, 2])
    assert answer("best", []).rows == []


def test_the_command_knows_all_questions() -> None:
    (option,) = [param for param in results.params if param.name == "pivot"]
    assert tuple(option.type.choices) == tuple(QUESTIONS)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("swept")
    films(folder, 2)
    given = study(traces=[str(folder / "film*.gltrace")], techniques=["re"], grid=GRID)
    gpureplay.sweep(given, folder / "out", store=folder / "store")
    return folder / "out"


def test_table_and_csv(swept: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(cli, ["results", str(swept)], name="gpureplay") == 0
    assert len(capfd.readouterr().out.splitlines()) == 1 + 8
    for question in QUESTIONS:
        out = tmp_path / f"{question}.csv"
        assert run(cli, ["results", str(swept), "--pivot", question, "--csv", str(out)], name="gpureplay") == 0
        rows = list(csv.DictReader(out.open()))
        assert len(capfd.readouterr().out.splitlines()) == 1 + len(rows)
        assert len(rows) == (2 if question == "speedup" else 4)
        table = gpureplay.StudyResult(swept).ask(question)
        assert [float(one["area_mm2" if question != "pareto" else "ms"]) for one in rows] == list(
            table["area_mm2" if question != "pareto" else "ms"]
        )


def test_pictures_are_the_same_every_time(swept: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'gpureplay[plot]'")
    for question in QUESTIONS:
        for name in ("one", "two"):
            path = tmp_path / f"{name}.svg"
            assert run(cli, ["results", str(swept), "--pivot", question, "--plot", str(path)], name="gpureplay") == 0
        text = (tmp_path / "one.svg").read_text()
        assert text == (tmp_path / "two.svg").read_text()
        assert "re" in text


def test_no_results(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(cli, ["results", str(tmp_path)], name="gpureplay") == 2
    assert "no results of gpureplay sweep" in capfd.readouterr().err
    (tmp_path / "catalogue.parquet").write_bytes(b"PAR1 no table")
    assert run(cli, ["results", str(tmp_path)], name="gpureplay") == 2
    assert len(capfd.readouterr().err.splitlines()) == 1
