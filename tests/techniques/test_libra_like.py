"""Tiles by last frame's heat: figures and places in closed form, what is chosen, exact pixels, rules."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import random_states
from model_scene import Scene
from object_films import object_film
from test_model_oracle import random_scene
from verified import counter, verified_run

from gpumodel.config import load_config
from gpumodel.machine import Machine, MachineFrame
from gpumodel.techniques.libra_like.config import LibraConfig
from gpumodel.techniques.libra_like.schedule import Choice, bound_cycles, super_tiles
from gpumodel.techniques.matrix import why_refused
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import combine, known_techniques
from gpumodel.tile_figures import pass_key, tile_figures
from traceformat.errors import InternalError
from traceformat.gputrace.frametrace import FrameTrace

PRESET, SIDE, ACROSS = "tbr-fhd", 32, 4
#: Lines of textures that each tile reads, all its own.
HEAT = (3, 50, 7, 20, 1, 64, 9, 30, 5, 40, 11, 2, 13, 60, 17, 25)


def heated(frame: int = 0) -> FrameTrace:
    """4x4 tiles of 16x16 quads, each with as many lines as it is hot."""
    scene = Scene(SIDE * ACROSS, SIDE * ACROSS, frame)
    draw, path = scene.draw(), scene.path(1, 1)
    for tile, heat in enumerate(HEAT):
        x, y = SIDE * (tile % ACROSS), SIDE * (tile // ACROSS)

        def lines(qx: int, qy: int, first: int = 64 * tile, heat: int = heat) -> list[list[int]]:
            return [[first + (qy % 16 * 16 + qx % 16) % heat]]

        scene.quad_block(draw, x, y, SIDE, SIDE, path=path, lines=lines)
    return scene.trace()


class Player:
    """A machine with the technique."""

    def __init__(self, *settings: str, **choices: Any) -> None:
        self.technique = known_techniques()["libra-like"]()
        config = self.technique.configure(load_config(PRESET, settings))
        self.machine = Machine(config, combine([self.technique], config), **choices)
        self.technique.attach(self.machine)

    def play(self, frame: FrameTrace) -> MachineFrame:
        return self.machine.run_frame(frame)

    def counter(self, name: str) -> float:
        return dict(self.technique.read_counters())[f"libra-like.{name}"]


def test_figures_of_tiles() -> None:
    """Each line of a tile misses once in each Texture Cache that its quads use; nothing is counted twice."""
    done = Player("caches.texture.size_bytes=65536", "fragment.processors=1").play(heated())
    run = done.passes[0]
    streams, figures = run.streams, tile_figures(run, 1)
    of = dict(zip(streams.tile_numbers.tolist(), figures.misses.tolist(), strict=True))
    assert [of[tile] for tile in range(16)] == list(HEAT)
    assert figures.misses.sum() == done.counters["cache.texture.primary_misses"]
    assert figures.instructions.sum() == done.counters["fs.issue_cycles"]
    assert (figures.cycles == streams.tiles["end"] - streams.tiles["start"]).all()
    assert pass_key(run.tables.trace, streams)[1:] == (SIDE * ACROSS, SIDE * ACROSS, 0)


@pytest.mark.parametrize("units", [2, 3, 4])
def test_hot_and_cold_tiles_at_the_same_time(units: int) -> None:
    """In the second frame each half of the units takes its end's tiles, one after the other."""
    player = Player(f"ptr.units={units}", "libra_like.side=1", "libra_like.adapts=false")
    first, second = player.play(heated()), player.play(heated(1))
    assert first.passes[0].streams.tiles["raster_unit"].tolist() == [k % units for k in range(16)]
    streams = second.passes[0].streams
    order = np.argsort(streams.tiles["dispatch"])
    tiles, misses = streams.tiles[order], tile_figures(first.passes[0], 4).misses
    heat = misses[np.argsort(first.passes[0].streams.tile_numbers)][streams.tile_numbers[order]]
    hot = heat[2 * tiles["raster_unit"] < units]
    cold = heat[2 * tiles["raster_unit"] >= units]
    assert (np.diff(hot) <= 0).all()
    assert (np.diff(cold) >= 0).all()
    assert hot.min() >= cold.max()
    assert (player.counter("passes_in_order"), player.counter("passes_by_heat")) == (1, 1)
    assert (player.counter("super_tiles"), player.counter("looked_up_tiles")) == (16, 16)
    assert player.counter("learned_tiles") == 32


@pytest.mark.parametrize("side", [1, 2, 3, 4, 16])
def test_super_tiles(side: int) -> None:
    """Hottest sum first, whole squares, rendering order within; held against a plain sort."""
    streams = Player().play(heated()).passes[0].streams
    heat = np.array(HEAT)[streams.tile_numbers]
    tiles, first = super_tiles(streams, side, heat)
    squares: dict[tuple[int, int], list[int]] = {}
    for row, number in enumerate(streams.tile_numbers.tolist()):
        squares.setdefault((number // ACROSS // side, number % ACROSS // side), []).append(row)
    expected = sorted(squares.values(), key=lambda rows: (-sum(heat[rows]), rows[0]))
    assert [tiles[a:b].tolist() for a, b in pairwise(first)] == expected


def test_tiles_wait_for_the_end_of_sorting() -> None:
    price = 256
    settings = ("libra_like.side=1", "libra_like.adapts=false")
    waits = []
    for cycles in (0, price):
        player = Player(*settings, f"libra_like.sort_cycles={cycles}")
        player.play(heated())
        done = player.play(heated(1))
        waits.append(player.counter("sort_wait_cycles"))
        assert done.raster_cycles > waits[-1]
    assert waits == [0, 16 * price - done.geometry_cycles]


def test_no_unit_is_idle_while_another_has_tiles() -> None:
    """One super-tile of all: the other unit takes from its end."""
    player = Player("libra_like.side=16", "libra_like.adapts=false")
    player.play(heated())
    units = player.play(heated(1)).passes[0].streams.tiles["raster_unit"]
    assert np.bincount(units).min() > 5
    assert player.counter("moved_tiles") == np.bincount(units)[1]


def test_what_is_chosen() -> None:
    libra = LibraConfig()
    choice = Choice(libra.side)
    choice.learn(libra, 1000, 50)
    assert (choice.by_heat, choice.side) == (True, 4)
    sides = []
    for cycles in (990, 900, 895, 950, 940, 930):  # first, faster, the same, slower, slower by too little, faster
        choice.learn(libra, cycles, 50)
        sides.append(choice.side)
    assert sides == [8, 16, 16, 8, 4, 2]
    choice.learn(libra, 1000, 81)
    assert not choice.by_heat, "textures hit, and nothing is gained"
    for _ in range(libra.retry_frames - 1):
        choice.learn(libra, 1000, 81)
        assert not choice.by_heat
    choice.learn(libra, 1000, 81)
    assert choice.by_heat
    choice.learn(libra, 980, 81)
    assert choice.by_heat, "a gain is kept, whatever hits"


@pytest.mark.parametrize(("grows", "end"), [(False, 1), (True, 16)])
def test_a_side_has_an_end(grows: bool, end: int) -> None:
    """Frames that are faster each time change it the same way, as far as there is one."""
    libra = LibraConfig()
    choice = Choice(4, by_heat=True, grows=grows)
    sides = []
    for turn in range(6):
        choice.learn(libra, 10**6 >> turn, 50)
        sides.append(choice.side)
    assert sides == sorted(sides, reverse=not grows)
    assert sides[1:] == [end] * 5


@pytest.mark.parametrize("side", [2, 4])
def test_what_is_sorted_is_as_many_as_there_can_be(side: int) -> None:
    """Of a side that is fixed there are that much fewer super-tiles; of one that adapts as many as tiles."""
    found = []
    for adapts in ("true", "false"):
        config = load_config("mali450-vro", [f"libra_like.adapts={adapts}", f"libra_like.side={side}"])
        technique = known_techniques()["libra-like"]()
        structures = technique.hardware(technique.configure(config))
        found += [structure.area_mm2 for structure in structures if structure.name == "libra_like.sorted"]
    assert found[0] == pytest.approx(side**2 * found[1])


def test_bound_of_every_assignment() -> None:
    """The least that any dealing out takes is the bound's or more; what was run is not below it either."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        issued = rng.integers(0, 50, (7, 2))
        best = min(
            max(issued[(deal >> np.arange(7) & 1) == unit].sum(axis=0).max(initial=0) for unit in (0, 1))
            for deal in range(1 << 7)
        )
        assert bound_cycles(issued, 2) <= best
    player = Player()
    cycles = sum(player.play(heated(frame)).raster_cycles for frame in range(3))
    assert 0 < player.counter("bound_cycles") <= cycles


@pytest.mark.parametrize("settings", [
    ("tile_fetcher.design='pipelined'", "libra_like.side=1"),
    ("tile_fetcher.design='simple'", "tile_fetcher.tile_pipelining=false", "libra_like.side=2"),
    ("ptr.units=3", "libra_like.oracle=true", "libra_like.sort_cycles=100"),
])  # fmt: skip
def test_both_loops_agree(settings: tuple[str, ...]) -> None:
    wake, every = (Player(*settings, every_cycle=loop) for loop in (False, True))
    for seed in (4, 5):
        a, b = (player.play(random_scene(seed).trace()) for player in (wake, every))
        assert (a.counters, a.unit_cycles) == (b.counters, b.unit_cycles)
    assert wake.technique.read_counters() == every.technique.read_counters()


COMBINATIONS = (
    "libra-like", "libra-like+re+te", "evr-like+libra-like", "fpk+libra-like+lrz", "afbc+dtexl-like+libra-like",
    "frame-reverse+libra-like+ptr-shared",
)  # fmt: skip


@pytest.mark.parametrize("techniques", COMBINATIONS)
def test_exact(tmp_path: Path, techniques: str) -> None:
    rng = np.random.default_rng(12)
    things = random_states(rng, 12)
    film = [things, things, things[:9]]
    frames = object_film(tmp_path / "a.gltrace", film, (96, 64))
    done = verified_run(frames, PRESET, techniques, "tile.width=16", "tile.height=16", "libra_like.side=2")
    assert counter(done, "libra-like.passes_by_heat")[1:] == [1, 1]


def test_who_needs_the_order_of_tiles_is_refused() -> None:
    for other in ("dr", "frag-prepass", "vro", "tcor-like"):
        text = f"{other} relies on the order of tiles, which libra-like makes up as they are rendered"
        one_unit = "works with one Raster Unit"
        assert one_unit in (found := why_refused(other, "libra-like", PRESET)) or found == text
    assert why_refused("libra-like", "ptr", PRESET) == "libra-like contains ptr"


@pytest.mark.parametrize("answer", [0, 1 << 20, 7 << 32, 1 << 62])
def test_a_pick_that_is_none(answer: int) -> None:
    """The same tile again, none of the pass, a unit that is not there: nothing is overrun, the run ends."""
    from wrong_hooks import WRONG, pick_always

    own = np.zeros(1, WRONG)
    own["mode"] = answer
    machine = Machine(load_config(PRESET), Plugs(hooks={"tile_pick": Hook(pick_always, own)}))
    with pytest.raises(InternalError, match="no unit can go on"):
        machine.run_frame(heated())
