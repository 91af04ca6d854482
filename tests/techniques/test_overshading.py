"""Machines of VRO Figure 2: without Early-Z, and with the perfect order of objects."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from films import HEIGHT, WIDTH
from hidden_films import random_states
from object_films import Thing, object_film, random_things

from gpumodel.config.load import load_config
from gpumodel.quad_maps import quad_map
from gpumodel.results import FrameResult
from gpumodel.runs import Run
from gpumodel.streams import PassTables
from gpumodel.techniques.overshading.visibility import Visibility, find_visibility, rank_nodes
from gpumodel.techniques.vro.nodes import find_nodes
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

PIXELS = WIDTH * HEIGHT


def play(frames: list[FrameTrace], technique: str, preset: str = "mali450-vro") -> list[FrameResult]:
    run = Run(load_config(preset, ["screen.scale_to_trace=true"]), [technique] if technique else [], verify=True)
    out = [run.add(trace)[0] for trace in frames]
    assert run.result.verification is not None
    assert run.result.verification.mismatched_pixels == 0
    return out


@pytest.mark.parametrize("count", [1, 4])
def test_a_stack(tmp_path: Path, count: int) -> None:
    """Back to front or front to back: k without Early-Z, 1 in the perfect order, in the first frame already."""
    things = [Thing.plane(f"p{k}", 0.5 - 0.1 * k) for k in range(count)]
    for order in (things, things[::-1]):
        frames = object_film(tmp_path / "a.gltrace", [order])
        assert play(frames, "no-early-z")[0].counters["fragments.shaded"] == count * PIXELS
        ideal = play(frames, "ideal-order")[0].counters
        assert ideal["fragments.shaded"] == ideal["ideal-order.visible"] == PIXELS
        assert ideal["ideal-order.inter_object"] == (count - 1) * PIXELS
        assert ideal["ideal-order.intra_object"] == 0


def test_an_object_in_front_of_itself(tmp_path: Path) -> None:
    """Two layers of one object, the farther first: no order of objects helps."""
    thing = Thing("both", ((-1, -1, 1, 1, 0.5, 0.5), (-1, -1, 1, 1, 0.0, 0.0)))
    ideal = play(object_film(tmp_path / "a.gltrace", [[thing]]), "ideal-order")[0].counters
    assert ideal["ideal-order.intra_object"] == ideal["ideal-order.visible"] == PIXELS
    assert ideal["fragments.shaded"] == 2 * PIXELS


def test_a_cycle_begins_where_it_hides_most() -> None:
    """0 hides 1 at 5 pixels, 1 hides 2 at 7, 2 hides 0 at 2: 0 hides 3 more than are hidden of it."""
    seen = Visibility(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([5, 7, 2]), 0, 14, 0)
    assert rank_nodes(3, seen).tolist() == [0, 1, 2]
    seen.pixels[:] = 5, 1, 7
    assert rank_nodes(3, seen).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", range(4))
def test_who_hides_whom(tmp_path: Path, seed: int) -> None:
    """Of each pixel's fragments between two borders the nearest is visible; of equal ones the last that passes them, or
    else the first; it hides the others, its own node's among them.
    """
    rng = np.random.default_rng(40 + seed)
    things = random_states(rng, 14) if seed % 2 else random_things(rng, 9)
    trace = object_film(tmp_path / "a.gltrace", [things], (46, 35))[0]
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    streams = PassTables(trace, config, quad_map(config)).arrange(0)
    nodes = find_nodes(trace, streams, 1 << 20)
    seen = find_visibility(trace, streams, nodes)
    pixels: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
    for quad in streams.quads[: streams.num_quads]:
        draw, row = int(quad["draw"]), int(quad["row"])
        if not nodes.movable[draw]:
            continue
        func = int(trace["draws"]["depth_func"][draw])
        for f in range(4):
            if int(quad["coverage"]) >> f & 1:
                place = (int(nodes.run_of_draw[draw]), 2 * int(trace["quads"]["x"][row]) + (f & 1),
                         2 * int(trace["quads"]["y"][row]) + (f >> 1))  # fmt: skip
                depth = int(quad["depth"][f]) * (-1 if func in (gl.GL_GREATER, gl.GL_GEQUAL) else 1)
                tie = -row if func in (gl.GL_LEQUAL, gl.GL_GEQUAL) else 1 + row
                pixels.setdefault(place, []).append((depth, tie, int(nodes.node_of_draw[draw])))
    hides: Counter[tuple[int, int]] = Counter()
    intra = 0
    for fragments in pixels.values():
        (_, _, front), *others = sorted(fragments)
        hides.update((front, node) for _, _, node in others if node != front)
        intra += sum(node == front for _, _, node in others)
    found = zip(seen.front.tolist(), seen.behind.tolist(), seen.pixels.tolist(), strict=True)
    assert {(front, behind): count for front, behind, count in found} == hides
    assert (seen.visible, seen.inter, seen.intra) == (len(pixels), hides.total(), intra)
    assert len({front for front, _ in hides}) > 1 or seed % 2


@pytest.mark.parametrize("seed", range(6))
def test_random_films(tmp_path: Path, seed: int) -> None:
    """Exact; without Early-Z every fragment is shaded."""
    rng = np.random.default_rng(200 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_things(rng, int(rng.integers(3, 12)))] * 2)
    preset = ("mali450-vro", "tbr-fhd")[seed & 1]
    late, plain = (play(frames, technique, preset)[1].counters for technique in ("no-early-z", ""))
    play(frames, "ideal-order", preset)
    assert plain["fragments.shaded"] <= late["fragments.shaded"] == late["fragments.rasterized"]
