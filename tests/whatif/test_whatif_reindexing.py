"""``--reindex``: the frame is that of a program which draws the same triangles in the other order."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from films import Film, kept

import gpureplay
import replay
from gpumodel.columns import VERIFIED_COLUMNS
from gpumodel.config import load_config
from gpumodel.runs import Run
from gpumodel.whatif.reindexing import reindexed
from gpumodel.whatif.scene import Scene
from gpumodel.whatif.tipsify import count_misses, tipsified
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameTrace

#: Squares of a side of the grid; more than the post-transform buffer has room for.
SIDE = 40


def grid_triangles() -> np.ndarray:
    """Row by row, (2 SIDE², 3)."""
    a = (np.arange(SIDE)[:, None] * (SIDE + 1) + np.arange(SIDE)).ravel()
    b, c, d = a + 1, a + SIDE + 1, a + SIDE + 2
    return np.stack([a, b, c, b, d, c], axis=1).reshape(-1, 3)


def film(path: Path, triangles: np.ndarray, mode: int = gl.GL_TRIANGLES) -> Path:
    """Two frames of a wavy grid that hides a part of itself, and of a square."""
    one = Film()
    v, u = np.mgrid[0 : SIDE + 1, 0 : SIDE + 1] / SIDE
    vertices = np.zeros((u.size, 8), np.float32)
    vertices[:, 0] = (1.5 * u - 0.75 + 0.3 * np.sin(9 * v)).ravel()
    vertices[:, 1] = (1.6 * v - 0.8).ravel()
    vertices[:, 2] = np.sin(7 * u + 5 * v).ravel() / 2
    vertices[:, 3:8] = np.stack([np.ones_like(u), u, v, 1 - u, np.ones_like(u)], axis=2).reshape(-1, 5)
    one.vertices(vertices, 7)
    one.indices(triangles.ravel(), 8)
    one("glEnable", gl.GL_DEPTH_TEST)
    for _ in range(2):
        one.clear()
        one.square(1)
        one("glDrawElements", mode, triangles.size, gl.GL_UNSIGNED_SHORT, Offset(0))
        one.swap()
    return one.write(path)


def frame_of(path: Path) -> FrameTrace:
    with replay.frames(path, columns=VERIFIED_COLUMNS) as frames:
        return kept(next(iter(frames)))


def figures(trace: FrameTrace) -> dict[str, float]:
    check_frame(trace, MODEL_COLUMNS)
    result, _ = Run(load_config("mali450-vro")).add(trace)
    return {**result.counters, "cycles": result.cycles}


def test_the_frame_is_that_of_the_other_program(tmp_path: Path) -> None:
    triangles = grid_triangles()
    before = frame_of(film(tmp_path / "before.gltrace", triangles))
    other = film(tmp_path / "other.gltrace", triangles[tipsified(triangles, 16)])
    after = reindexed(Scene(before), "all", "")
    assert after is not None
    assert figures(after) == figures(frame_of(other))
    assert figures(after)["vertices.shaded"] < 0.75 * figures(before)["vertices.shaded"]
    assert reindexed(Scene(frame_of(other)), "all", "") is None


def test_what_it_saves_and_that_the_picture_stays(tmp_path: Path) -> None:
    path = film(tmp_path / "before.gltrace", grid_triangles())
    (answer,) = gpureplay.whatif(path, [("reindex", "all")], frames=range(1, 2)).answers
    assert answer.saved_cycles > 0
    assert answer.picture.text == "stays as it is"
    assert answer.picture.of > 0
    assert answer.sign_holds
    assert len(answer.elsewhere) == 5


def test_only_lists_with_indices_are_changed(tmp_path: Path) -> None:
    strip = film(tmp_path / "strip.gltrace", grid_triangles(), gl.GL_TRIANGLE_STRIP)
    assert reindexed(Scene(frame_of(strip)), "all", "") is None


def plain_misses(index: list[int], entries: int) -> int:
    held: list[int] = []
    misses = 0
    for vertex in index:
        if vertex not in held:
            held = [*held, vertex][-entries:]
            misses += 1
    return misses


def plain_order(triangles: list[list[int]], entries: int) -> list[int]:
    """The paper's pseudo code."""
    around = {v: [t for t, corners in enumerate(triangles) for c in corners if c == v] for v in chain(*triangles)}
    names = sorted(around)
    live = {v: len(around[v]) for v in names}
    entered = dict.fromkeys(names, 0)
    clock, order, trail, rest = entries + 1, [], [], iter(names)
    fan: int | None = names[0]
    while fan is not None:
        recent = []
        for triangle in around[fan]:
            if triangle not in order:
                order.append(triangle)
                for v in triangles[triangle]:
                    recent.append(v)
                    live[v] -= 1
                    if clock - entered[v] > entries:
                        entered[v] = clock
                        clock += 1
        trail += recent
        ages = {v: clock - entered[v] if clock - entered[v] + 2 * live[v] <= entries else 0 for v in recent if live[v]}
        fan = max(ages, key=lambda v: ages[v], default=None)
        while fan is None and trail:
            last = trail.pop()
            fan = last if live[last] else None
        if fan is None:
            fan = next((v for v in rest if live[v]), None)
    return order


@pytest.mark.parametrize("seed", range(4))
def test_the_order_is_the_paper_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    triangles = grid_triangles()[:240] if seed == 0 else rng.integers(0, 5 + 20 * seed, (70, 3))
    order = tipsified(triangles, 16)
    assert sorted(order.tolist()) == list(range(len(triangles)))
    assert order.tolist() == plain_order(triangles.tolist(), 16)
    index = triangles[order].ravel()
    assert count_misses(index, 16) == plain_misses(index.tolist(), 16)
