"""Orders of tiles that a technique gives, and frames that go back the way that the last one came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from object_films import Thing, object_film, random_things
from verified import counter, verified_run

from gpumodel.config import load_config
from gpumodel.machine import Machine
from gpumodel.runs import Run
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

LINES_A_TILE = 64


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> list[FrameTrace]:
    rng = np.random.default_rng(21)
    things = random_things(rng, 9)
    corner = Thing("z", ((-1, -1, -0.5, -0.5, -0.9, -0.9),))
    film = [[*things, corner] if k in {3, 5} else things for k in range(6)]
    return object_film(tmp_path_factory.mktemp("film") / "a.gltrace", film)


def textured(frame: int) -> FrameTrace:
    """A frame of 4 x 4 tiles, each of which reads lines of its own."""
    scene = Scene(64, 64, frame)
    draw = scene.draw()
    path = scene.path(1, 1)
    for tile in range(16):
        x, y = 16 * (tile % 4), 16 * (tile // 4)

        def lines(qx: int, qy: int, tile: int = tile) -> list[list[int]]:
            return [[LINES_A_TILE * tile + 8 * (qy % 8) + qx % 8]]

        scene.quad_block(draw, x, y, 16, 16, path=path, lines=lines)
    return scene.trace()


def reversing(settings: tuple[str, ...] = (), **choices: Any) -> tuple[Machine, Machine]:
    """The baseline, and the machine that reverses frames."""
    config = load_config("mali450-vro", settings)
    return Machine(config, **choices), Machine(
        config, combine([known_techniques()["frame-reverse"]()], config), **choices
    )


def test_every_second_frame_goes_back() -> None:
    _, machine = reversing()
    ways = []
    for frame in range(4):
        done = machine.run_frame(textured(frame)).passes[0].streams
        dispatched = done.tiles[np.argsort(done.tiles["dispatch"])]
        ways.append((dispatched["y0"] // 16 * 4 + dispatched["x0"] // 16).tolist())
        assert done.tile_numbers.tolist() == ways[-1]
    forward = list(range(16))
    assert ways == [forward, forward[::-1]] * 2


def test_what_was_read_last_is_read_first() -> None:
    """A cache of c lines, n > c lines a frame: going round in circles finds none of them, going back and forth c.

    The Parameter Buffer takes a few of the L2's lines; its contents are the same in every frame.
    """
    n, c = 16 * LINES_A_TILE, 512
    settings = (f"caches.l2.size_bytes={64 * c}", "caches.l2.ways=8", "caches.texture.size_bytes=256")
    read = []
    for machine in reversing(settings):
        runs = [machine.run_frame(textured(frame)) for frame in range(3)]
        read.append([run.counters["dram.read_bytes.texture"] // 64 for run in runs])
    round_in_circles, back_and_forth = read
    assert round_in_circles == [n, n, n]
    assert back_and_forth[0] == n
    for lines in back_and_forth[1:]:
        assert n - c <= lines <= n - 0.9 * c


def test_both_loops_agree() -> None:
    settings = ("raster.units=2", "raster.assignment='dynamic'", "tile.order='hilbert'", "caches.l2.size_bytes=8192")
    _, wake = reversing(settings)
    _, every = reversing(settings, every_cycle=True)
    for frame in range(2):
        a, b = wake.run_frame(textured(frame)), every.run_frame(textured(frame))
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles


@pytest.mark.parametrize("other", ["re", "te", "vro"])
def test_tiles_are_known_by_their_place(frames: list[FrameTrace], other: str) -> None:
    """What a technique keeps of a tile is that tile's, whichever order it came in."""

    def play(techniques: str) -> Run:
        return verified_run(frames, "mali450-re", techniques)

    alone, both = play(other), play(f"frame-reverse+{other}")
    names = ("re.tiles_skipped", "re.two_back.equal_inputs", "re.one_back.equal_colors", "re.changed.attributes",
             "re.changed.list", "te.flushes_skipped", "te.false_positives")  # fmt: skip
    for name in names:
        if name.startswith(other):
            assert counter(both, name) == counter(alone, name)
    if other != "vro":
        assert sum(counter(both, "re.tiles_skipped" if other == "re" else "te.flushes_skipped")) > 0
    assert counter(both, "frame-reverse.passes") == [0, 1] * 3


def test_an_order_that_is_none(frames: list[FrameTrace]) -> None:
    """Twice the same tile, or a mask: a line that says what is wrong."""
    config = load_config("mali450-vro", ["screen.scale_to_trace=true"])
    for wrong in (lambda *given: np.zeros_like(given[2]), lambda *given: given[2][1:], lambda *given: given[2] > 0):
        machine = Machine(config, Plugs(tile_order=wrong))
        with pytest.raises(
            ConfigError, match="frame 0 pass 0: tile_order of a technique gave no order of its 12 tiles"
        ):
            machine.run_frame(frames[0])
