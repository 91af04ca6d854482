"""Running a paper's experiments, small: what is shared is done once, what is done is kept, what fails is told."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import gpureplay.papers
from gpumodel.cli import cli
from gpumodel.papers.description import experiments, in_parts
from gpumodel.papers.reading import Bar, Ran
from traceformat.cli.door import run


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(gpureplay.papers, "_QUICK_SHRINK", 12)


def paper(folder, *more):
    arguments = ["paper", "run", *more, "--quick", "--workload", "ccs", "--workers", "0"]
    return run(cli, [*arguments, "-o", str(folder / "out"), "--store", str(folder / "store")], name="gpureplay")


def contents(folder):
    return {
        path.name: path.read_bytes() for path in (folder / "out").iterdir() if path.suffix in (".csv", ".svg", ".html")
    }


@pytest.mark.usefixtures("small")
def test_a_run_leaves_table_plot_and_page_and_is_not_done_twice(tmp_path: Path, capfd) -> None:
    assert paper(tmp_path, "thesis:5.5") == 0
    out, _ = capfd.readouterr()
    assert out.startswith("thesis:5.5: Energy of PTR (change of the energy)\n")
    rows = list(csv.DictReader((tmp_path / "out" / "thesis-5.5.csv").open()))
    assert [(row["series"], row["workload"], row["paper"]) for row in rows] == [
        ("PTR", "ccs", ""),
        ("PTR", "mean", "-0.0986"),
    ]
    assert float(rows[0]["ours"]) != 0
    first, records = contents(tmp_path), sorted((tmp_path / "store").rglob("*.run"))
    assert set(first) == {"thesis-5.5.csv", "thesis-5.5.svg", "headlines.csv", "index.html"}
    assert len(records) == 2
    stamps = [path.stat().st_mtime_ns for path in records]
    assert paper(tmp_path, "thesis:5.5") == 0
    assert contents(tmp_path) == first
    assert [path.stat().st_mtime_ns for path in sorted((tmp_path / "store").rglob("*.run"))] == stamps
    # Another experiment on the same runs does nothing but read them.
    assert paper(tmp_path, "thesis:5.9") == 0
    assert len(list((tmp_path / "store").rglob("*.run"))) == 2
    assert len(list((tmp_path / "out" / "studies" / "traces").iterdir())) == 1


@pytest.mark.parametrize("is_quick", [True, False])
def test_a_setting_changes_every_gpu_but_for_what_an_experiment_sets_itself(is_quick: bool) -> None:
    from gpumodel.papers.description import runnable
    from gpureplay.papers import Asked, _study_of

    one = next(
        one for one in runnable() if one.study and any("ptr.assignment" in own for own in one.study.settings[:1])
    )
    asked = Asked(is_quick=is_quick, settings={"memory.mode": "paper", "ptr.assignment": "mixed"})
    study = _study_of(one, [("ccs", "a")], asked).study
    values = {**study.set, **(study.settings or [{}])[0]}
    assert (values["memory.mode"], values["ptr.assignment"]) == ("paper", "static")


def test_the_handheld_machine_plays_scenes_and_twins(tmp_path: Path, capfd, monkeypatch) -> None:
    drawn: list[Path] = []
    monkeypatch.setattr(gpureplay.papers, "draw_handheld_figures", drawn.append)
    for given in (
        ["masses:11"],
        ["masses:twins", "--workload", "ccs"],
        ["masses:8"],
        ["masses:8", "--workload", "ccs"],
    ):
        status = run(cli, ["paper", "run", *given, "--quick", "-o", str(tmp_path / given[0])], name="gpureplay")
        assert status == (2 if given[0] == "masses:8" and len(given) > 1 else 0)
    assert "masses:8 does not run on twins" in capfd.readouterr().err
    assert drawn == [tmp_path / "masses:11" / "pictures", tmp_path / "masses:8" / "pictures"]
    accesses = {
        row["series"]: float(row["ours"])
        for row in csv.DictReader((tmp_path / "masses:11" / "masses-11.csv").open())
        if row["workload"] == "testcard"
    }
    assert accesses["A nearest"] == 1.0
    assert 2.9 < accesses["B bilinear"] <= 3.0 <= accesses["D trilinear"] / 2 + 0.1
    rows = list(csv.DictReader((tmp_path / "masses:twins" / "masses-twins.csv").open()))
    assert [row["workload"] for row in rows] == ["ccs", "mean"] * 2
    assert all(-0.9 < float(row["ours"]) < 0.3 for row in rows)
    assert "pictures/figure_8.png" in (tmp_path / "masses:8" / "index.html").read_text()


def test_a_wrong_setting_is_told(tmp_path: Path, capfd) -> None:
    assert paper(tmp_path, "thesis:5.5", "--set", "memory.mood=paper") == 2
    assert "memory.mood: unknown key" in capfd.readouterr().err


@pytest.mark.usefixtures("small")
def test_a_run_that_fails_is_told_and_has_no_bars(tmp_path: Path, capfd, monkeypatch) -> None:
    from gpumodel.techniques.ptr import ParallelTileRendering

    def fail(*_):
        raise ValueError("on purpose")

    monkeypatch.setattr(ParallelTileRendering, "prepare", fail)
    assert paper(tmp_path, "thesis:5.5") == 1
    _, err = capfd.readouterr()
    assert err.splitlines()[-1].startswith("failed: ccs-160x90: ptr on ")
    assert "on purpose" in (tmp_path / "out" / "index.html").read_text()
    assert not (tmp_path / "out" / "thesis-5.5.svg").exists()


def test_a_run_of_everything_has_its_page_after_each_part(tmp_path: Path, monkeypatch) -> None:
    """What is stopped has the page of all parts before, headlines first."""
    begun: list[list[str]] = []

    def stopped(experiments, *_):
        begun.append([one.id for one in experiments])
        if len(begun) == 3:
            raise KeyboardInterrupt
        return [Ran(one, [Bar("mean", "it", 1.0, 1.0, 1.0, 2.0, "")]) for one in experiments]

    monkeypatch.setattr(gpureplay.papers, "run_experiments", stopped)
    monkeypatch.setattr("gpumodel.papers.drawing.picture", lambda *_: "")
    assert run(cli, ["paper", "run", "all", "-o", str(tmp_path / "out")], name="gpureplay") == 130
    page, heads = (tmp_path / "out" / name for name in ("index.html", "headlines.csv"))
    done = [*begun[0], *begun[1]]
    assert [row["experiment"] for row in csv.DictReader(heads.open())] == done
    assert "vro:14" in begun[0]
    assert "re:14a" in begun[1]
    assert "thesis:5.3" in begun[2]
    assert all(f">{one}: " in page.read_text() for one in done)
    assert sorted(one.id for part in in_parts(experiments()) for one in part) == sorted(one.id for one in experiments())


def test_what_a_quick_run_is():
    from gpumodel.papers.description import experiment
    from gpureplay.papers import Asked, _study_of

    one = experiment("thesis:5.3")
    quick, full = (_study_of(one, [("ccs", "a"), ("maz", "a")], Asked(is_quick=quick)).study for quick in (True, False))
    assert [sample.name for sample in quick.sample] == [["ccs", "maz"]]
    assert (quick.sample[0].size, quick.sample[0].frames, quick.frames) == (["960x540"], 4, ["3"])
    assert (full.sample[0].size, full.sample[0].frames, full.frames) == (["1920x1080"], 226, ["every 75"])
    assert (quick.settings, quick.set["ptr.assignment"]) == ([], "static")
    assert [values["ptr.assignment"] for values in full.settings] == ["static", "dynamic", "mixed"]


def test_variants_are_those_that_were_asked_for():
    from gpumodel.papers.description import experiment
    from gpureplay.papers import Asked, _variants
    from samples.twins.recipe import read_recipe

    one, there = experiment("re:14a"), list(read_recipe("ccs").variants)
    assert _variants(one, Asked(["ccs"], is_quick=True)) == [("ccs", "a")]
    assert _variants(one, Asked(["ccs"])) == [("ccs", letter) for letter in there]
    assert _variants(one, Asked(["ccs"], is_quick=True, letters="ba")) == [("ccs", letter) for letter in there[:2]]
    first = experiment("re:16")
    assert _variants(first, Asked(["ccs"])) == [("ccs", "a")]
    assert _variants(first, Asked(["ccs"], letters="cb")) == [("ccs", letter) for letter in there[1:]]
