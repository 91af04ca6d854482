"""Representative frames: how they are chosen, what their bound is worth, and studies of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from study_films import SIZE, scenes, study

import gpureplay
from gpumodel.cli import cli
from gpumodel.sampling.choice import choose
from gpumodel.sampling.estimate import estimate_ratio, estimate_total
from gpumodel.study.selection import FrameChoice
from gpureplay import estimating
from traceformat.cli.door import run
from traceformat.errors import ConfigError, UsageError


def features(frames: int = 500, seed: int = 1) -> np.ndarray:
    """Four scenes whose work drifts, and a burst."""
    draw = np.random.default_rng(seed)
    scene = np.repeat([1.0, 3.0, 2.0, 7.0], frames // 4)
    rows = np.stack([scene * (1 + 0.2 * np.sin(np.arange(frames) / (5 + k))) for k in range(6)], axis=1)
    rows[100:110] *= 5
    return rows * draw.uniform(0.97, 1.03, rows.shape)


def test_every_frame_has_one_that_stands_for_it() -> None:
    rows = features()
    chosen = choose(range(500), rows, 12)
    assert len(chosen.frames) == 12
    assert list(chosen.frames) == sorted(set(chosen.frames.tolist()))
    assert chosen.weights.sum() == 500
    assert np.bincount(chosen.strata).tolist() == chosen.weights.tolist()
    assert chosen.strata[chosen.places].tolist() == list(range(12))


def test_frames_of_a_stratum_are_alike() -> None:
    rows = features()
    strata = choose(range(500), rows, 12).strata
    within = sum(((rows[strata == k] - rows[strata == k].mean(axis=0)) ** 2).sum() for k in range(12))
    assert within < 0.1 * ((rows - rows.mean(axis=0)) ** 2).sum()


def test_choice_is_a_function_of_film_and_seed() -> None:
    rows = features()
    assert choose(range(500), rows, 12).frames.tolist() == choose(range(500), rows, 12).frames.tolist()
    assert choose(range(500), rows, 12).frames.tolist() != choose(range(500), rows, 12, seed=1).frames.tolist()


def test_frames_without_difference_are_spread_over_the_film() -> None:
    chosen = choose(range(10, 250), np.ones((240, 3)), 8)
    assert (np.diff(chosen.frames) > 0).all()
    assert chosen.weights[0] == 1
    assert chosen.weights[1:].max() <= 35
    found = estimate_total(chosen, np.full(8, 7.0))
    assert found.value == pytest.approx(240 * 7)
    assert found.bound == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("frames", [0, 1, 5, 6, 7])
def test_a_short_film_is_taken_whole(frames: int) -> None:
    chosen = choose(range(frames), features(500)[:frames], 8)
    values = np.arange(frames, dtype=float)
    assert chosen.frames.tolist() == list(range(frames))
    assert (estimate_total(chosen, values).value, estimate_total(chosen, values).bound) == (values.sum(), 0)


def test_the_first_frame_and_those_that_stand_out_stand_for_themselves() -> None:
    rows = features()
    rows[:, 0] = 1
    rows[77, 0] = 400
    chosen = choose(range(500), rows, 9)
    assert chosen.weights[chosen.frames == 0] == 1
    assert chosen.weights[chosen.frames == 77] == 1
    values = rows @ [100, 1, 1, 0, 0, 0]
    found = estimate_total(chosen, values[chosen.places])
    assert abs(found.value - values.sum()) <= found.bound < 0.1 * values.sum()


def test_work_and_not_frames_decides_where_to_look() -> None:
    """A tenth of the frames with nearly all of the work has most of the chosen frames."""
    rows = np.ones((400, 2))
    rows[40:80] *= np.linspace(50, 150, 40)[:, None]
    chosen = choose(range(400), rows, 10)
    assert ((chosen.frames >= 40) & (chosen.frames < 80)).sum() >= 7


def test_the_bound_holds() -> None:
    """Over many films and draws the true total lies within the bound in 95 of 100 cases or more."""
    within, ratios, relative = [], [], []
    for seed in range(300):
        rows = features(seed=seed)
        draw = np.random.default_rng(seed)
        own = (rows @ [5, 3, 0, 0, 1, 1] + 4) * draw.normal(1, 0.03, 500)
        other = (rows @ [1, 3, 0, 2, 1, 1] + 9) * draw.normal(1, 0.03, 500)
        chosen = choose(range(500), rows, 12, seed)
        found = estimate_total(chosen, own[chosen.places])
        within.append(abs(found.value - own.sum()) <= found.bound)
        relative.append(found.relative_bound)
        ratio = estimate_ratio(chosen, own[chosen.places], other[chosen.places])
        ratios.append(abs(ratio.value - own.sum() / other.sum()) <= ratio.bound)
    assert np.mean(within) >= 0.95
    assert np.mean(ratios) >= 0.95
    assert np.median(relative) < 0.1, "and it is no empty promise"


def test_what_features_tell_is_no_error() -> None:
    """A figure that follows the frames' main direction is known far better than a mean of the frames tells it."""
    rows = np.outer(np.linspace(1, 4, 300), [1.0, 2.0, 5.0])
    chosen = choose(range(300), rows, 8)
    values = 3 * rows[:, 1] + 11
    found = estimate_total(chosen, values[chosen.places])
    assert found.value == pytest.approx(values.sum(), rel=0.01)
    scatter = values[chosen.places].std() / np.sqrt(8) / values.mean()
    assert found.relative_bound < scatter, "Student's bound of a mean is more than twice that"


@pytest.mark.parametrize(
    ("texts", "said"),
    [(["representative 5"], "too few"), (["representative", "3"], "no other"), (["some"], "no frames")],
)
def test_what_is_no_choice_is_said(texts: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FrameChoice.parse(texts)


def test_two_kinds_of_frames_give_no_wild_fit() -> None:
    """Chosen frames that are alike in a direction say nothing of it."""
    rows = np.tile([[1.0, 2.0, 1.0], [1.0, 5.0, 1.0]], (200, 1))
    rows[:, 2] += np.linspace(0, 1e-6, 400)
    rows[5, 0] = 30
    values = rows[:, 1] * 10
    for seed in range(40):
        chosen = choose(range(400), rows, 8, seed)
        noisy = values + np.random.default_rng(seed).normal(0, 1, 400)
        found = estimate_total(chosen, noisy[chosen.places])
        assert abs(found.value / noisy.sum() - 1) < 0.15


def test_too_few_frames_are_refused() -> None:
    with pytest.raises(UsageError, match="too few"):
        choose(range(500), features(), 5)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scenes(tmp_path_factory.mktemp("scenes") / "film0.gltrace", frames=120)


def test_a_study_estimates_its_film(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(film.parent)
    full = gpureplay.sweep(study(techniques=["te"]), tmp_path / "full", store=tmp_path / "store")
    part = gpureplay.sweep(
        study(techniques=["te"], frames="representative 10"), tmp_path / "part", store=tmp_path / "store"
    )
    before = {row["technique"]: row for row in full.runs}
    for row in part.runs:
        true = before[row["technique"]]
        assert row["frames"] == true["frames"] == 120
        assert row["frames_modelled"] <= 10 * (2 if row["technique"] == "baseline" else 3)
        for name in ("cycles", "energy_pj", "dram_bytes"):
            # Frames of a kind that no chosen one is of, such as the first of a scene, are in no bound.
            assert abs(row[name] - true[name]) <= row[f"{name}_bound"] + 5e-3 * true[name], name
            if row["technique"] == "baseline":
                assert row[f"{name}_bound"] < 0.2 * true[name]
        for name in ("cycles", "energy_pj"):
            ratio = true[name] / before["baseline"][name]
            assert row[f"{name}_ratio"] == pytest.approx(ratio, abs=row[f"{name}_ratio_bound"] + 5e-3)
    asked = {row["technique"]: row["speed_up"] for row in part.ask("speedup")}
    assert asked["te"] == pytest.approx(before["baseline"]["cycles"] / before["te"]["cycles"], rel=0.05)
    again = gpureplay.sweep(
        study(techniques=["te"], frames="representative 10"), tmp_path / "again", store=tmp_path / "store"
    )
    assert repr(again.runs) == repr(part.runs)


def test_estimate_is_what_the_study_says(film: Path, tmp_path: Path) -> None:
    found = gpureplay.estimate(film, techniques=["te"], frames=10, set=SIZE, store=tmp_path / "store")
    assert [row["technique"] for row in found.table] == ["baseline", "te"]
    assert found.chosen.weights.sum() == 120
    with pytest.raises(ConfigError, match="too few"):
        gpureplay.estimate(film, frames=3)
    with pytest.raises(ConfigError, match="no trace"):
        gpureplay.estimate(tmp_path / "none.gltrace")


def test_the_command_shows_totals_with_their_error(film: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(estimating, "default_store", lambda: tmp_path)
    line = ["run", str(film), "-t", "te", "--set", "screen.scale_to_trace=true", "--frames", "representative 10"]
    assert run(cli, line) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split()[:3] == ["config", "technique", "frames"]
    assert [text.split()[1] for text in out[1:]] == ["baseline", "te"]
    assert all("of 120" in text and text.count("±") == 5 for text in out[1:])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--frames", "representative 3"], "too few"),
        (["--frames", "representative x"], "no frames"),
        (["--frames", "representative", "--csv", "x.csv"], "--csv goes with no representative frames"),
        (["--frames", "representative", "-c", "handheld-2003"], "no representative frames"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_the_command_cannot_do_is_said(more: list[str], said: str, film: Path, capsys) -> None:
    assert run(cli, ["run", str(film), *more]) == 2
    assert said in capsys.readouterr().err
