"""Oracles that no technique passes: what is visible, and what each processor looks up."""

from __future__ import annotations

import numpy as np
import pytest
from hidden_films import stack
from model_scene import Scene
from object_films import Thing, object_film
from verified import counter, verified_run

from gpumodel import load_config
from gpumodel.machine import Machine
from gpumodel.techniques import known_techniques
from gpumodel.techniques.registry import combine
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

PRESET = "mali450-vro"
#: Those that leave out what is hidden, and whether they leave out all of it in a second frame that is like the first.
HIDDEN = {
    "fpk": False, "lrz": False, "omega-like": False, "evr-like": False, "vro": False, "ideal-order": False,
    "triangle-dropping-like": False, "fpk+lrz+te": False, "dr": True, "frag-prepass": True, "zprepass": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def opaque(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    """Two equal frames of opaque things behind and through each other."""
    rng = np.random.default_rng(8)
    things = []
    for number in range(14):
        x, y = rng.integers(-8, 6, 2) / 8
        ends = rng.uniform(-0.8, 0.8, 2)
        place = (x, y, x + rng.integers(2, 8) / 8, y + rng.integers(2, 8) / 8, *ends)
        things.append(Thing(f"{number:x}ab", (place,), int(rng.choice([gl.GL_LESS, gl.GL_LEQUAL]))))
    return object_film(tmp_path_factory.mktemp("film") / "a.gltrace", [[*stack(3), *things]] * 2)


def visible(trace: FrameTrace) -> int:
    """Pixels that a fragment covers: of opaque things, that many are seen."""
    quads = trace["quads"]
    lanes = np.arange(4)
    covered = (quads["coverage"][:][:, None] >> lanes & 1).astype(bool)
    x = 2 * quads["x"][:].astype(int)[:, None] + (lanes & 1)
    y = 2 * quads["y"][:].astype(int)[:, None] + (lanes >> 1)
    return len(set(zip(x[covered].tolist(), y[covered].tolist(), strict=True)))


@pytest.mark.parametrize("technique", HIDDEN)
def test_what_is_visible_is_shaded(opaque: list[FrameTrace], technique: str) -> None:
    """Nobody shades fewer fragments than are seen, or more than the bare machine; a prepass shades just those."""
    seen = [visible(trace) for trace in opaque]
    bare = counter(verified_run(opaque, PRESET, "frame-reverse"), "fragments.shaded")
    shaded = counter(verified_run(opaque, PRESET, technique), "fragments.shaded")
    assert seen[0] < bare[0], "something is hidden"
    assert all(least <= own <= most for least, own, most in zip(seen, shaded, bare, strict=True))
    assert shaded[1] < bare[1]
    assert (shaded == seen) == HIDDEN[technique]


@pytest.mark.parametrize(("grouping", "times"), [("square", 1), ("fine", 4)])
def test_each_line_is_fetched_once_at_least(grouping: str, times: int) -> None:
    """Squares of 4x4 quads share a line: quarters of a tile fetch each once, which is the least; interleaved quads
    fetch it for each processor.
    """
    scene = Scene(64, 64)
    draw, path = scene.draw(), scene.path(1, 1)
    scene.quad_block(draw, 0, 0, 64, 64, path=path, lines=lambda qx, qy: [[qy // 4 * 8 + qx // 4]])
    config = load_config("tbr-fhd", [f"dtexl_like.grouping='{grouping}'"])
    machine = Machine(config, combine([known_techniques()["dtexl-like"]()], config))
    assert machine.run_frame(scene.trace()).counters["cache.texture.primary_misses"] == times * 64
