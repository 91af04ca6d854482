"""Tessellation shaders: points, pictures and counts are Mesa's; both executors agree; limits hold."""

from __future__ import annotations

import numpy as np
import pytest
from gl_twin import NoDriver
from recorded_scenes import agree, check_picture, frame_of, recorded_or_skipped
from stage_playing import endless, play
from tessellation_programs import check
from tessellation_scenes import SCENES, captured_points, record

from replay.engine.tessellator import tessellate
from traceformat.errors import ReplayError
from traceformat.gputrace.frametrace import STAGES

_SPACINGS = ("equal_spacing", "fractional_even_spacing", "fractional_odd_spacing")


def levels(count: int, seed: int) -> np.ndarray:
    """Some that are whole, small or large, none, and not even numbers."""
    rng = np.random.default_rng(seed)
    found = np.where(rng.random((count, 6)) < 0.5, rng.integers(0, 9, (count, 6)), rng.uniform(0, 12, (count, 6)))
    found[rng.random((count, 6)) < 0.05] = rng.uniform(40, 80)
    found[0, 4:] = np.nan
    return found.astype(np.float32)


def points(primitive: str, layout: str, given: np.ndarray, *, is_points: bool) -> np.ndarray:
    """Rows of coordinates and patch, as :func:`captured_points` gives them."""
    spacing, order = layout.split(", ")
    out = []
    for number, row in enumerate(given.tolist()):
        patch = tessellate(
            primitive, spacing, clockwise=order == "cw", point_mode=is_points, outer=row[:4], inner=row[4:]
        )
        own = patch.coordinates[patch.primitives.reshape(-1)]
        out.append(np.concatenate([own, np.full((len(own), 1), number, np.float32)], 1))
    return np.concatenate(out)


@pytest.mark.gl
@pytest.mark.parametrize("spacing", _SPACINGS)
@pytest.mark.parametrize("primitive", ["triangles", "quads", "isolines"])
def test_points_and_their_order_are_those_of_mesa(primitive: str, spacing: str) -> None:
    for order, is_points in (("ccw", False), ("cw", False), ("ccw", True)):
        given = levels(60, 7)
        if primitive == "isolines":
            given[:, 0] = np.minimum(given[:, 0], 20)
        try:
            theirs = captured_points(primitive, f"{spacing}, {order}", given, is_points=is_points)
        except NoDriver as missing:
            pytest.skip(str(missing))
        ours = points(primitive, f"{spacing}, {order}", given, is_points=is_points)
        assert len(ours) > 1000
        np.testing.assert_array_equal(ours, theirs[: len(ours)])
        assert not theirs[len(ours) :].any()


@pytest.mark.parametrize("spacing", _SPACINGS)
@pytest.mark.parametrize("primitive", ["triangles", "quads"])
def test_a_patch_is_covered_once_and_points_are_used(primitive: str, spacing: str) -> None:
    for row in np.maximum(np.nan_to_num(levels(60, 8)), 0.5).tolist():
        patch = tessellate(primitive, spacing, clockwise=False, point_mode=False, outer=row[:4], inner=row[4:])
        corners = patch.coordinates.astype(np.float64)[patch.primitives]
        (ax, ay), (bx, by) = ((corners[:, k] - corners[:, 0])[:, :2].T for k in (1, 2))
        area = (ax * by - ay * bx) / 2
        whole = 0.5 if primitive == "triangles" else 1.0
        assert abs(abs(area.sum()) - whole) < 1e-3
        assert abs(np.abs(area).sum() - whole) < 1e-3
        assert len(np.unique(patch.primitives)) == len(patch.coordinates)


@pytest.mark.gl
@pytest.mark.parametrize("is_es", [True, False], ids=["ES", "GL"])
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa(name: str, is_es: bool) -> None:
    check_picture(recorded_or_skipped(record, name, is_es).calls)


@pytest.mark.gl
@pytest.mark.parametrize("name", SCENES)
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name, True))


@pytest.mark.gl
@pytest.mark.parametrize("seed", [1, 4, 9])
def test_random_programs_are_those_of_mesa_in_both_executors(seed: int) -> None:
    """More of them: tests/fuzz/run_stage_programs.py."""
    try:
        assert check(seed) == ""
    except NoDriver as missing:
        pytest.skip(str(missing))


@pytest.mark.gl
def test_invocations_are_rows_of_vertex_work() -> None:
    """Each point of a patch is shaded once, whatever primitives share it."""
    frame = frame_of(recorded_or_skipped(record, "wide", True))
    vertices = frame["vertices"]
    stage = frame["programs"]["stage"][frame["paths"]["program"][vertices["path"]]]
    names = [STAGES[number] for number in stage]
    patch = tessellate(
        "quads", "fractional_odd_spacing", clockwise=False, point_mode=False, outer=[4, 5, 6, 7], inner=[5, 6]
    )
    own = 3 * len(patch.coordinates)
    assert names == ["vertex"] * 48 + ["tess_control"] * 48 + ["tess_evaluation"] * own
    used = frame["primitives"]["vertex"]
    assert used.min() == 96
    assert (np.unique(used) == np.arange(96, 96 + own)).all()
    assert len(used) == 3 * len(patch.primitives)


@pytest.mark.gl
def test_endless_loops_and_too_many_points_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = recorded_or_skipped(record, "wide", True).calls
    with pytest.raises(ReplayError, match="loop iterations"):
        play(endless(calls, "barrier", "k < 16", "far > -9.0"))
    monkeypatch.setenv("GPUREPLAY_LIMITS", "draw_vertices=100")
    with pytest.raises(ReplayError, match="invocations of a tessellation shader"):
        play(calls)
