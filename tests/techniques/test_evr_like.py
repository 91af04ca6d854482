"""Early Visibility Resolution: known answers, what must not be left out, exact pixels on films made against it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from hidden_films import covered_film, random_states
from object_films import Thing, object_film
from verified import counter, verified_run

from gpumodel import Run, load_config
from gpumodel.techniques.registry import known_techniques

TILES = -(-WIDTH // 16) * -(-HEIGHT // 16)
PIXELS = WIDTH * HEIGHT


def box(name: str, left: float, depth: float, **state: bool) -> Thing:
    return Thing(name, ((left, -0.5, left + 0.5, 0.5, depth, depth),), **state)


def test_what_was_hidden_is_drawn_last(tmp_path: Path) -> None:
    """The first frame shades what its order shades, the second each pixel once: no order does with less."""
    things = [box("a", -0.9, 0.5), box("b", 0.1, 0.25), Thing.plane("plane", 0.0)]
    frames = object_film(tmp_path / "a.gltrace", [things] * 2)
    one = verified_run(frames, "mali450-vro", "evr-like")
    ideal = verified_run(frames, "mali450-vro", "ideal-order")
    first, second = counter(one, "fragments.shaded")
    assert first > PIXELS == second == counter(ideal, "fragments.shaded")[1]
    hidden = counter(one, "evr-like.hidden_by_depth")
    assert hidden[0] == 0 < hidden[1]
    assert counter(one, "evr-like.moved") == hidden


@pytest.mark.parametrize("flat", [False, True])
def test_tiles_whose_hidden_part_changes(tmp_path: Path, flat: bool) -> None:
    """What moves behind a plane, or under it, is signed in the first frame alone; the fourth meets the second's tiles
    in its buffer, the third the first's.
    """
    plane = Thing.plane("plane", 0.0, depth_test=not flat)
    film = [[box("a", -0.9 + 0.01 * k, 0.5, depth_test=not flat), plane] for k in range(6)]
    frames = object_film(tmp_path / "a.gltrace", film)
    own, re = (verified_run(frames, "mali450-re", name) for name in ("evr-like", "re"))
    assert counter(own, "re.tiles_skipped")[3:] == [TILES] * 3 == counter(own, "re.tiles_equal_colors")[3:]
    assert max(counter(re, "re.tiles_skipped")) < TILES
    hidden = counter(own, "evr-like.hidden_by_layer" if flat else "evr-like.hidden_by_depth")
    assert hidden[0] == 0 < min(hidden[1:])
    # What no one has drawn upon is refused nowhere, whether a tile's inputs are what they were or not.
    assert counter(own, "evr-like.refused")[3:] == [0] * 3
    signed, of_all = (counter(run, "re.signature_updates") for run in (own, re))
    assert signed[0] == of_all[0]
    assert all(mine < other for mine, other in zip(signed[1:], of_all[1:], strict=True))


def test_what_comes_to_the_front(tmp_path: Path) -> None:
    """A thing that was hidden and comes nearer than the plane is signed; a plane that goes leaves poison."""
    plane = Thing.plane("plane", 0.0)
    film = [[box("a", -0.9, 0.5), plane]] * 4 + [[box("a", -0.9, -0.5), plane]] * 2 + [[box("a", -0.9, 0.5)]] * 3
    one = verified_run(object_film(tmp_path / "a.gltrace", film), "mali450-re", "evr-like")
    skipped = counter(one, "re.tiles_skipped")
    assert skipped[3] == TILES > skipped[4]
    poisoned = counter(one, "evr-like.poisoned")
    assert poisoned[:6] == [0] * 6
    assert poisoned[6] > 0


@pytest.mark.parametrize("seed", range(10))
def test_films_made_against_it_are_exact(tmp_path: Path, seed: int) -> None:
    """Verified, and no more tiles are left out than look as they did."""
    frames = covered_film(tmp_path / "a.gltrace", 50 + seed)
    preset = ("mali450-re", "tbr-fhd")[seed % 2]
    one = verified_run(frames, preset, "evr-like")
    skipped, equal, wrong = (
        np.array(counter(one, f"re.{name}")) for name in ("tiles_skipped", "tiles_equal_colors", "false_positives")
    )
    assert (skipped <= equal + wrong).all()
    assert sum(counter(one, "evr-like.hidden_by_depth")) > 0


@pytest.mark.parametrize("guard", ["poison", "place", "far"])
def test_each_guard_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: str) -> None:
    """Without what is kept with a signature there are films that come out wrong."""
    kind = known_techniques()["evr-like"]
    permit = kind._permit

    def careless(self: object, *given: object) -> object:
        held = self._held.get(self._buffer)
        if held is not None:
            getattr(held, guard)[:] = {"poison": False, "place": 1 << 30, "far": -1}[guard]
        return permit(self, *given)

    monkeypatch.setattr(kind, "_permit", careless)
    frames = covered_film(tmp_path / "a.gltrace", {"poison": 3, "place": 2, "far": 4}[guard])
    one = Run(load_config("mali450-re", ["screen.scale_to_trace=true"]), ["evr-like"], verify=True)
    for frame in frames:
        one.add(frame)
    assert one.result.verification is not None
    assert one.result.verification.mismatched_pixels > 0


@pytest.mark.parametrize("techniques", ["evr-like", "evr-like+te", "evr-like+ptr", "evr-like+fpk+lrz"])
def test_the_loops_agree(tmp_path: Path, techniques: str) -> None:
    frames = covered_film(tmp_path / "a.gltrace", 7, 5)
    small = ("re.ot_queue=1", "caches.tile.size_bytes=256", "caches.tile.ways=2")
    runs = [verified_run(frames, "tbr-fhd", techniques, *small, every_cycle=loop) for loop in (False, True)]
    for wake, every in zip(*(run.result.frames for run in runs), strict=True):
        assert (wake.counters, wake.cycles, wake.stalls) == (every.counters, every.cycles, every.stalls)


@pytest.mark.parametrize("seed", range(4))
def test_any_state(tmp_path: Path, seed: int) -> None:
    things = [random_states(np.random.default_rng(70 + seed + k), 10) for k in range(2)]
    frames = object_film(tmp_path / "a.gltrace", [*things, *things, *things], samples=4 * (seed == 3))
    verified_run(frames, "mali450-re", "evr-like")


def test_without_its_parts_it_is_re(tmp_path: Path) -> None:
    frames = covered_film(tmp_path / "a.gltrace", 5, 6)
    bare = [f"evr_like.{name}=false" for name in ("reorder", "unsigned_depth", "unsigned_layers")]
    own, re = verified_run(frames, "mali450-re", "evr-like", *bare), verified_run(frames, "mali450-re", "re")
    for mine, other in zip(own.result.frames, re.result.frames, strict=True):
        assert mine.cycles == other.cycles
        assert {name: mine.counters[name] for name in other.counters} == other.counters
