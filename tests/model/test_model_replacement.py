"""Caches against least recently used lines, in lists; stencils of random draws against a walk in program order."""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import Scene
from pass_rows import quad_rows
from test_model_oracle import in_program_order

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine


class Lru:
    """Sets of lines, the least recently used one first."""

    def __init__(self, sets: int, ways: int) -> None:
        self._sets: list[list[int]] = [[] for _ in range(sets)]
        self._ways = ways
        self.hits = 0

    def holds(self, line: int) -> bool:
        """Look a line up, and take it in."""
        own = self._sets[line % len(self._sets)]
        found = line in own
        self.hits += found
        own[:] = [*(one for one in own if one != line), line][-self._ways :]
        return found


@pytest.mark.parametrize(("l1_lines", "l1_ways", "ways"), [(2, 1, 16), (4, 2, 8), (4, 4, 4), (8, 2, 2)])
@pytest.mark.parametrize("seed", range(2))
def test_hits_are_those_of_recent_lines(seed: int, l1_lines: int, l1_ways: int, ways: int) -> None:
    """A thread that waits for each line before it asks for the next: hits of both levels, and what memory is read."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(0, 28, 400)
    # Begin behind whatever geometry has left in the L2: it is 16 lines.
    wanted[:60] = np.arange(60) % 28
    scene = Scene(16, 16)
    path = scene.path(*[1] * 101)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    for part in np.split(wanted, 4):
        scene.quad_block(draw, 0, 0, 2, 2, path=path, lines=[[int(line)] for line in part])
    config = apply_settings(
        load_config("mali450-vro").model_dump(),
        ["fragment.processors=1", "fragment.threads=1", f"caches.texture.size_bytes={64 * l1_lines}",
         f"caches.texture.ways={l1_ways}", "caches.l2.size_bytes=1024", f"caches.l2.ways={ways}",
         "caches.l2.banks=1"],
    )  # fmt: skip
    counters = Machine(config).run_frame(scene.trace()).counters
    near, far = Lru(l1_lines // l1_ways, l1_ways), Lru(16 // ways, ways)
    reads = sum(not near.holds(line) and not far.holds(line) for line in wanted.tolist())
    assert counters["cache.texture.accesses"] == len(wanted)
    assert counters["cache.texture.hits"] == near.hits
    assert counters["dram.read_bytes.texture"] == 64 * reads


@pytest.mark.parametrize("seed", range(8))
def test_stencils_of_random_draws(seed: int) -> None:
    """Every operation, function, mask and reference, values at both ends, and clears of some bits between draws."""
    rng = np.random.default_rng(seed)
    operations = [0x1E00, 0, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508]
    scene = Scene(20, 20)
    path, vertex = scene.path(2), scene.path(1)
    for number in range(24):
        draw = scene.draw(
            attributes=1, vertex_path=vertex, depth_test=bool(rng.random() < 0.6), depth_write=bool(rng.random() < 0.5),
            depth_func=int(rng.integers(0x200, 0x208)),
            stencil={
                "stencil_test": 1, "stencil_func": np.full(2, rng.choice([0x207, *range(0x201, 0x207)]), np.uint16),
                "stencil_ref": np.full(2, rng.choice([0, 1, 2, 3, 128, 254, 255]), np.uint8),
                "stencil_read_mask": np.full(2, rng.choice([255, 255, 3, 129]), np.uint8),
                "stencil_write_mask": np.full(2, rng.choice([255, 255, 15, 129]), np.uint8),
                **{name: np.full(2, rng.choice(operations), np.uint16)
                   for name in ("stencil_fail", "stencil_depth_fail", "stencil_depth_pass")},
            },
        )  # fmt: skip
        x, y = (2 * rng.integers(0, 5, 2)).tolist()
        scene.quad_block(draw, x, y, 10, 10, path=path, depth=float(rng.integers(0, 4)) / 4)
        if number % 5 == 3:
            scene.clear_after(
                len(scene.draws), buffers=1 << 17, stencil_mask=int(rng.choice([255, 240, 3])),
                clear_stencil=int(rng.integers(0, 256)),
            )  # fmt: skip
    trace = scene.trace()
    frame = Machine(load_config("mali450-vro")).run_frame(trace)
    (p,) = frame.passes
    found = np.zeros(trace["quads"].num_rows, np.int64)
    found[quad_rows(trace, p)] = p.streams.written[: trace["quads"].num_rows]
    np.testing.assert_array_equal(found, in_program_order(trace)[0])
