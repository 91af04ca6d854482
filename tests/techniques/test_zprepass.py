"""Z-prepass on hand-made films with known answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from hidden_films import PIXELS, Played, one, random_states, stack
from object_films import Thing, object_film

from gpumodel.techniques.zprepass.doubling import add_prepass, plan_prepass
from traceformat.gles import enums as gl
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS


def play(path: Path, things: list[Thing]) -> Played:
    return Played(one(path, things), "zprepass")


@pytest.mark.parametrize("count", [1, 5])
def test_a_stack(tmp_path: Path, count: int) -> None:
    """Twice the vertices and rasterization, one shaded fragment a pixel."""
    for things in (stack(count), stack(count)[::-1]):
        frames = one(tmp_path, things)
        played, plain = Played(frames, "zprepass"), Played(frames, "")
        assert played.shaded == played.counter("visible") == PIXELS
        assert played.counter("null_fragments") == plain.shaded
        assert played.counter("draws") == count
        for name in ("vertices.shaded", "primitives.in", "fragments.rasterized", "primitives.binned"):
            assert played.counter(name) == 2 * plain.counter(name)
        assert played.counter("fs.alu_instructions") * plain.shaded == plain.counter("fs.alu_instructions") * PIXELS
        rasterized = played.counter("fragments.early_z_killed") + played.shaded + played.counter("null_fragments")
        assert rasterized == played.counter("fragments.rasterized")


def test_what_ends_the_prepass(tmp_path: Path) -> None:
    """Draws behind one that changes the depth without covering are drawn once."""
    far, near = Thing.plane("far", 0.5), Thing.plane("near", -0.5)
    middle = Thing.plane("glass", 0.0, blend=True)
    for state, twice in (
        (middle, 1), (replace(middle, writes_depth=False), 2), (replace(middle, foliage=True, blend=False), 1),
        (replace(middle, stencil=1), 1), (replace(middle, query=True), 1), (replace(middle, shader_depth=True), 1),
    ):  # fmt: skip
        played = play(tmp_path, [far, state, near])
        assert played.counter("draws") == twice, state
    assert play(tmp_path, [far, replace(near, clears=True)]).counter("draws") == 1


def test_ties(tmp_path: Path) -> None:
    """Equal depths, one shaded, the one that program order leaves (verified)."""
    for first, second in ((gl.GL_LESS, gl.GL_LESS), (gl.GL_LEQUAL, gl.GL_LEQUAL), (gl.GL_LESS, gl.GL_LEQUAL)):
        assert play(tmp_path, [Thing.plane("1st", 0.0, first), Thing.plane("2nd", 0.0, second)]).shaded == PIXELS


@pytest.mark.parametrize("seed", range(9))
def test_random_films_are_exact(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(900 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, int(rng.integers(4, 16)))])
    Played(frames, "zprepass", ("mali450-vro", "tbr-fhd", "mali450-re")[seed % 3])


def test_a_pass_that_is_cut(tmp_path: Path) -> None:
    """The first half's depths and numbers are found again in the later parts."""
    mesh = tuple((x / 40 - 1, y / 40 - 1, x / 40 - 0.9, y / 40 - 0.9, 0.0, 0.1) for x in range(80) for y in range(80))
    frames = object_film(tmp_path / "a.gltrace", [[Thing("many", mesh), *stack(3)]])
    played = Played(frames, "zprepass", settings=["binning.parameter_buffer_mib=1"])
    assert played.counter("parameter_buffer.overflows") > 0


def test_the_doubled_frame_is_a_frame(tmp_path: Path) -> None:
    """Its tables fit together, and the originals' rows are what they were."""
    rng = np.random.default_rng(3)
    trace = object_film(tmp_path / "a.gltrace", [random_states(rng, 9)], (WIDTH, HEIGHT))[0]
    doubled, original = add_prepass(trace, plan_prepass(trace))
    check_frame(doubled, MODEL_COLUMNS)
    assert (original >= 0).any()
    kept = original < 0
    for name in ("x", "y", "coverage", "depth", "path"):
        assert (doubled["quads"][name][kept] == trace["quads"][name]).all()
    copies = np.flatnonzero(~kept)
    for name in ("x", "y", "coverage", "depth"):
        assert (doubled["quads"][name][copies] == doubled["quads"][name][original[copies]]).all()
