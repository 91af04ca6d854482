"""Sweeps in one process: what they run, what they do not run again, and what becomes of bad traces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from study_films import GRID, SIZE, film, films, study, table_bytes

import gpureplay
from gpumodel.study import identity
from gpumodel.study.store import RunStore
from gpureplay.study_traces import ReplayedTraces
from gpureplay.sweeping import Stores, UnseenSweep, described, run_studies
from traceformat.cli.door import run
from traceformat.errors import UsageError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    films(tmp_path)
    return tmp_path


def sweep(given: dict[str, Any], out: str = "out", **more: Any) -> gpureplay.StudyResult:
    return gpureplay.sweep(given, out, **{"store": "store", **more})


def num_run(out: str = "out") -> int:
    """Runs that the last sweep has done."""
    return sum(task["runs"] for task in json.loads(Path(out, "host.json").read_text())["tasks"])


def test_studies_that_run_together_share_their_runs(here: Path) -> None:
    """Runs of both are done once; each has the tables and failures that it has alone."""
    given = {
        Path("one"): study(frames="1-3", techniques=["vro"]),
        Path("two"): study(frames="1-3", techniques=["vro", "re"]),
        Path("three"): study(frames="2", techniques=["vro"]),
    }
    files = {out: described(one) for out, one in given.items()}
    outcomes = run_studies(
        files, Path("traces"), UnseenSweep(), workers=0, scheduler=None, stores=Stores(Path("together")), fresh=False
    )
    keys = {run.key for outcome in outcomes for run in outcome.plan.runs}
    assert len(keys) == len(list(Path("together").rglob("*.run")))
    assert sum(len(outcome.plan.runs) for outcome in outcomes) > len(keys)
    for out, one in given.items():
        sweep(one, f"{out}-alone", store=f"{out}-store")
        assert table_bytes(out) == table_bytes(Path(f"{out}-alone"))


def test_a_failure_is_of_the_study_that_has_the_run(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpumodel.techniques.te import TransactionElimination

    def fail(*_: Any) -> None:
        raise ValueError("on purpose")

    monkeypatch.setattr(TransactionElimination, "prepare", fail)
    files = {Path(name): described(study(techniques=[name])) for name in ("te", "re")}
    with_te, without = run_studies(
        files, Path("traces"), UnseenSweep(), workers=0, scheduler=None, stores=Stores(Path("store")), fresh=False
    )
    assert {name for name, *_ in with_te.failures} == {"film0", "film1"}
    assert (with_te.num_recorded, len(with_te.failed)) == (2, 2)
    assert (without.failures, without.num_recorded) == ([], 4)


FULL = study(frames="1-3", techniques=["vro", "re+te", "pfr"], grid=GRID)


def test_rows_are_those_of_single_runs(here: Path) -> None:
    found = sweep(FULL)
    table = found.to_pandas()
    assert len(found.runs) == 2 * 2 * 4
    assert num_run() == 16
    for trace in ("film0", "film1"):
        for size in (64 << 10, 128 << 10):
            one = gpureplay.run(
                f"{trace}.gltrace", techniques=["vro", "re+te", "pfr"], frames=range(1, 4),
                set={**SIZE, "caches.l2.size_bytes": size},
            )  # fmt: skip
            mine = table[(table.trace == trace) & (table["config.caches.l2.size_bytes"] == size)]
            for each in one.runs:
                rows = mine[mine.technique == each.technique].set_index("frame")
                assert list(rows.index) == [frame.frame for frame in each.frames]
                for frame in each.frames:
                    row = rows.loc[frame.frame]
                    assert row["role"] == str(frame.role)
                    assert row["cycles.total"] == frame.cycles
                    assert row["energy_pj.total"] == round(frame.energy.total, 3)
                    for name, (dynamic, static) in frame.energy.structures.items():
                        assert row[f"energy_pj.{name}.dynamic"] == round(dynamic, 3)
                        assert row[f"energy_pj.{name}.static"] == round(static, 3)
                    for name, value in frame.counters.items():
                        assert row[name] == value
                    for unit, states in frame.stalls.items():
                        for state, cycles in states.items():
                            assert row[f"stalls.{unit}.{state}"] == cycles


def test_catalogue_sums_the_measured_frames(here: Path) -> None:
    found = sweep(FULL)
    table = found.to_pandas()
    for row in found.runs:
        frames = table[(table.run == row["run"]) & (table.role == "measured")]
        assert row["frames"] == len(frames) == 3
        assert row["cycles"] == frames["cycles.total"].sum()
        assert row["ms"] == pytest.approx(row["cycles"] / 1e3 / 500, rel=0.5)
        assert row["energy_pj"] == pytest.approx(frames["energy_pj.total"].sum())
        assert row["dram_bytes"] == frames.filter(regex=r"^dram\.(read|write)_bytes\.").sum().sum()


def test_frames_apart_are_as_in_runs_of_their_own(here: Path) -> None:
    """Each range has machines of its own, warmed up with what its techniques look back on."""
    found = sweep(study(traces="film1.gltrace", frames=["every 3", "4"], techniques=["re"]))
    table = found.to_pandas()
    measured = table[(table.technique == "re") & (table.role == "measured")]
    assert list(measured.frame) == [0, 3, 4]
    assert list(measured.segment) == [0, 1, 1]
    alone = gpureplay.run("film1.gltrace", techniques=["re"], set=SIZE, frames=range(3, 5)).runs[1]
    assert list(measured["cycles.total"])[1:] == [frame.cycles for frame in alone.measured]
    assert len(table[(table.technique == "re") & (table.segment == 1)]) == len(alone.frames)


def test_frames_between_are_not_recorded(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, ...]] = []
    plain = ReplayedTraces.open

    @contextmanager
    def noted(self: ReplayedTraces, path: str, *args: Any) -> Iterator[Any]:
        with plain(self, path, *args) as source:
            frames = list(source.frames)
            given.append(tuple(frame.frame for frame in frames))
            source.frames = iter(frames)
            yield source

    monkeypatch.setattr(ReplayedTraces, "open", noted)
    sweep(study(traces="film1.gltrace", frames=["0", "4"], techniques=["frame-reverse"]), workers=0)
    assert given == [(0, 3, 4)]


def test_what_is_done_is_not_done_again(here: Path) -> None:
    sweep(FULL)
    before = table_bytes(Path("out"))
    sweep(FULL)
    assert num_run() == 0
    assert table_bytes(Path("out")) == before
    sweep({**FULL, "techniques": ["re+te", "te", "vro"], "set": {**SIZE, "memory.mode": "paper"}}, "other")
    assert num_run("other") == 4, "te alone is new, by two sizes and two traces, though the study is another one"
    sweep(FULL, fresh=True)
    assert num_run() == 16
    assert table_bytes(Path("out")) == before


def test_the_order_of_techniques_makes_no_other_run(here: Path) -> None:
    sweep(study(techniques=["re+te"]))
    sweep(study(techniques=["te+re"]))
    assert num_run() == 0


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"frames": "1-4"}, 4),
        ({"warm_up": 2}, 2),  # vro looks back on two frames, the baseline on one
        ({"set": {**SIZE, "caches.l2.size_bytes": "64K"}}, 4),
        ({"set": {**SIZE, "vro.nodes": 64}}, 2),  # the baseline does not read it
    ],
    ids=str,
)
def test_a_change_runs_what_it_must(change: dict[str, Any], again: int, here: Path) -> None:
    given = study(frames="1-3", techniques=["vro"])
    sweep(given)
    sweep({**given, **change})
    assert num_run() == again
    sweep(given)
    assert num_run() == 0


def test_a_grid_of_a_technique_s_values_runs_the_baseline_once(here: Path) -> None:
    """Tables have its row for each configuration all the same."""
    found = sweep(study(frames="1-3", techniques=["vro"], grid={"vro.nodes": [64, 128]}))
    assert num_run() == 2 * 3
    rows = found.runs
    of_baseline = rows["technique"] == "baseline"
    assert (len(of_baseline), of_baseline.sum(), len(set(rows["config"]))) == (8, 4, 2)
    assert len(set(rows["run_sha256"][of_baseline])) == 2
    assert len(found.ask("speedup")) == 2


def test_another_trace_of_the_same_name_is_another_run(here: Path) -> None:
    sweep(study(frames="1-3"))
    film(here / "film0.gltrace", 5, 7)
    sweep(study(frames="1-3"))
    assert num_run() == 1


def test_another_program_version_runs_everything(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(study())
    now = identity.versions()
    changed = [
        identity.Versions("0" * 64, now.libraries),
        identity.Versions(now.sources, (*now.libraries[:-1], ("numpy", "9.9"))),
    ]
    for other in changed:
        with monkeypatch.context() as patched:
            for module in ("identity", "work", "sweep"):
                patched.setattr(f"gpumodel.study.{module}.versions", lambda other=other: other)
            sweep(study(), "other")
            assert num_run("other") == 2
    sweep(study())
    assert num_run() == 0


def test_a_damaged_record_is_run_again(here: Path) -> None:
    sweep(study())
    before = table_bytes(Path("out"))
    records = sorted(Path("store").rglob("*.run"))
    content = bytearray(records[0].read_bytes())
    content[len(content) // 2] ^= 8
    records[0].write_bytes(content)
    records[1].write_bytes(records[1].read_bytes()[:100])
    sweep(study())
    assert num_run() == 2
    assert table_bytes(Path("out")) == before


def test_a_record_under_another_name_is_none(here: Path) -> None:
    sweep(study())
    one = next(iter(Path("store").rglob("*.run")))
    one.rename(one.with_name("0" * 64 + ".run"))
    assert RunStore(Path("store")).read(one.stem) is None


def test_a_corrupt_trace_among_good_ones(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It is reported, the rest is finished, and the exit status says so."""
    sweep(study(techniques=["vro"]), "good")
    content = bytearray((here / "film0.gltrace").read_bytes())
    content[len(content) // 2] ^= 4
    (here / "film2.gltrace").write_bytes(content)
    (here / "film3.gltrace").write_bytes(b"no trace")
    (here / "study.toml").write_text(
        "traces = 'film*.gltrace'\ntechniques = ['vro']\nset.screen.scale_to_trace = true\n"
    )
    from gpumodel.cli import cli

    arguments = ["sweep", "study.toml", "-o", "out", "--workers", "0", "--store", "store"]
    capfd.readouterr()
    assert run(cli, arguments, name="gpureplay") == 3
    said = capfd.readouterr()
    failed = [line for line in said.err.splitlines() if line.startswith("failed")]
    assert [line.split(":")[1] for line in failed] == [" film2", " film3"]
    assert "out: 4 of 4 runs" in said.out
    for name in ("film0", "film1"):
        place = f"frames/trace={name}/frames.parquet"
        assert table_bytes(Path("out"))[place] == table_bytes(Path("good"))[place]
    assert [one["trace"] for one in json.loads(Path("out/study.json").read_text())["failures"]] == ["film2", "film3"]


def test_a_configuration_that_cannot_run_stops_no_other(here: Path) -> None:
    found = sweep(study(set={}, settings=[{"screen.scale_to_trace": True}, {"screen.scale_to_trace": False}]))
    assert len(found.failures) == 2
    assert "set screen.scale_to_trace=true" in found.failures[0][1]
    assert len(found.runs) == 2


def test_a_technique_that_fails_stops_no_other(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpumodel.techniques.te import TransactionElimination

    def broken(self: object, trace: object) -> object:
        raise KeyError("tiles")

    monkeypatch.setattr(TransactionElimination, "prepare", broken)
    found = sweep(study(techniques=["te", "re"], traces="film0.gltrace"))
    assert found.failures == [("film0", "te on mali450-vro: internal error: KeyError: 'tiles'")]
    assert list(found.runs["technique"]) == ["baseline", "re"]


def test_tables_of_an_earlier_study_go(here: Path) -> None:
    sweep(study())
    Path("out/frames/trace=mine").mkdir()
    Path("out/frames/trace=mine/notes.txt").write_text("kept")
    sweep(study(traces="film1.gltrace"))
    assert sorted(path.name for path in Path("out/frames").iterdir()) == ["trace=film1", "trace=mine"]


def test_gpu_traces_are_read(here: Path) -> None:
    from gpumodel.cli import cli

    assert run(cli, ["run", "film1.gltrace", "--save-gputrace", "film1.gputrace", "--json", "x.json",
                     "--set", "screen.scale_to_trace=true"]) == 0  # fmt: skip
    replayed = sweep(study(traces="film1.gltrace", frames="2-3")).to_pandas()
    read = sweep(study(traces="film1.gputrace", frames="2-3"), "read").to_pandas()
    assert (replayed["cycles.total"] == read["cycles.total"]).all()


def test_equal_names_are_told_apart(here: Path) -> None:
    (here / "more").mkdir()
    film(here / "more" / "film0.gltrace", 5, 9)
    found = sweep(study(traces=["film0.gltrace", "more/*.gltrace", "./film0.gltrace"]))
    assert sorted(found.runs["trace"]) == ["film0", "film0+"]


def test_tables_of_draws_and_tiles(here: Path) -> None:
    """Their sums are those of frames and single runs; a study that asks for them later runs what lacks them."""
    given = study(frames="1-3", techniques=["vro"], grid=GRID)
    sweep(given)
    before = table_bytes(Path("out"))
    found = sweep({**given, "tables": ["draws", "tiles"]})
    assert num_run() == 8
    after = table_bytes(Path("out"))
    assert {name: after[name] for name in before if name != "study.json"} == {
        name: content for name, content in before.items() if name != "study.json"
    }
    frames = found.to_pandas()
    frames = frames[frames.role == "measured"].set_index(["trace", "run", "frame"]).sort_index()
    draws = found.to_pandas("draws").groupby(["trace", "run", "frame"], observed=True).sum(numeric_only=True)
    assert list(draws.index) == list(frames.index)
    names = [name for name in frames if name in draws and name != "segment" and not name.startswith("config")]
    counted = [name for name in names if draws[name].dtype == int]
    assert {"vertices.shaded", "fragments.shaded", "cycles.geometry"} < set(counted)
    for name in counted:
        assert (draws[name] == frames[name].fillna(0)).all(), name
    tiles = found.to_pandas("tiles")
    per_frame = tiles.groupby(["trace", "run", "frame"], observed=True)
    assert (per_frame["shaded"].sum() == frames["fragments.shaded"]).all()
    assert (tiles.end_cycle >= tiles.start_cycle).all()
    assert set(tiles.columns) >= {"config", "technique", "config.caches.l2.size_bytes", "pass", "x0", "y0", "segment"}
    sweep({**given, "tables": ["tiles"]})
    assert num_run() == 0
    assert not Path("out/draws").exists()
    with pytest.raises(UsageError, match="tables = "):
        found.to_pandas("draws")
