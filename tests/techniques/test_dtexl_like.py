"""Parts of tiles, their mirrors, and a barrier for each processor: closed forms, exact pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import random_states
from model_scene import Scene
from object_films import object_film
from verified import verified_run

from gpumodel.config import load_config
from gpumodel.machine import Machine, MachineFrame
from gpumodel.techniques.dtexl_like.technique import part_map
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.gputrace.frametrace import FrameTrace

PRESET, SIDE, HEAVY = "tbr-fhd", 32, 20000


def run(trace: FrameTrace, *settings: str, **choices: Any) -> tuple[MachineFrame, dict[str, float]]:
    config = load_config(PRESET, settings)
    technique = known_techniques()["dtexl-like"]()
    machine = Machine(config, combine([technique], config), **choices)
    technique.attach(machine)
    return machine.run_frame(trace), dict(technique.read_counters())


@pytest.mark.parametrize("grouping", ["fine", "square", "columns", "rows"])
@pytest.mark.parametrize("processors", [1, 2, 4, 8])
def test_every_processor_has_its_part(grouping: str, processors: int) -> None:
    parts = part_map(load_config(PRESET, [f"fragment.processors={processors}"]), grouping)
    assert parts.shape == (SIDE // 2, SIDE // 2)
    assert np.bincount(parts.reshape(-1)).tolist() == [parts.size // processors] * processors


def scene(tiles: int, busy: int | None = None) -> FrameTrace:
    """A row of tiles; ``busy`` quarters of each tile in turn are heavy, by default all of each are light."""
    one = Scene(SIDE * tiles, SIDE)
    draw, light, heavy = one.draw(), one.path(1), one.path(HEAVY)
    for tile in range(tiles):
        if busy is None:
            one.quad_block(draw, SIDE * tile, 0, SIDE, SIDE, path=light)
        else:
            y, x = divmod(tile % busy, 2)
            one.quad_block(draw, SIDE * tile + x * SIDE // 2, y * SIDE // 2, 2, 2, path=heavy)
    return one.trace()


def test_both_sides_of_an_edge_are_one_processor_s() -> None:
    for flip, agree in ((True, SIDE // 2), (False, 0)):
        done, own = run(scene(4), f"dtexl_like.flip={str(flip).lower()}", "dtexl_like.order='scanline'")
        quads = done.passes[0].streams.quads
        at = quads["position"].reshape(4, -1)
        of = {
            (t, int(p)): int(c)
            for t in range(4)
            for p, c in zip(at[t], quads["processor"].reshape(4, -1)[t], strict=True)
        }
        row = SIDE // 2
        for tile in range(3):
            pairs = [(of[tile, row * y + row - 1], of[tile + 1, row * y]) for y in range(row)]
            assert sum(a == b for a, b in pairs) == agree
        assert (own["dtexl-like.tiles"], own["dtexl-like.spread_quads"]) == (4, 0)


@pytest.mark.parametrize("tiles", [2, 4, 8])
def test_a_barrier_for_each_processor(tiles: int) -> None:
    """Each tile has one heavy quad, another processor's each time: one after the other with a barrier for all, two
    tiles at a time without.
    """
    keep = ("dtexl_like.flip=false", "dtexl_like.order='scanline'", "tile_fetcher.tile_pipelining=true")
    cycles = {
        on: run(scene(tiles, 4), *keep, f"dtexl_like.decoupled={on}")[0].raster_cycles
        for on in ("true", "false")
    }  # fmt: skip
    quad = HEAVY * (4 // load_config(PRESET).fragment.lanes)
    assert tiles * quad < cycles["false"] < (tiles + 0.2) * quad
    assert tiles / 2 * quad < cycles["true"] < (tiles / 2 + 0.2) * quad


def test_without_pipelined_tiles_the_barrier_changes_nothing() -> None:
    keep = ("tile_fetcher.tile_pipelining=false", "tile_fetcher.design='simple'")
    a, b = (run(scene(4, 4), *keep, f"dtexl_like.decoupled={on}")[0].raster_cycles for on in ("true", "false"))
    assert a == b


@pytest.mark.parametrize("seed", range(6))
def test_exact_and_both_loops_agree(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(40 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 12)], (96, 64), samples=4 * (seed == 5))
    grouping = ("fine", "square", "columns", "rows")[seed % 4]
    order = ("preset", "z-order", "snake", "hilbert")[seed % 4]
    settings = (f"dtexl_like.grouping='{grouping}'", f"dtexl_like.order='{order}'", "tile.width=16", "tile.height=16",
                f"fragment.queues='{('shared', 'per-processor')[seed % 2]}'", "queues.color=8")  # fmt: skip
    techniques = ("dtexl-like", "dtexl-like+ptr", "dtexl-like+fpk+re", "dtexl-like+lrz+te")[seed % 4]
    runs = [verified_run(frames, PRESET, techniques, *settings, every_cycle=loop) for loop in (False, True)]
    wake, every = (one.result.frames[0] for one in runs)
    assert (wake.counters, wake.cycles, wake.stalls) == (every.counters, every.cycles, every.stalls)
