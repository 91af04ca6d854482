"""Balance of processors within tiles, and texture blocks that tiles share, against plain walks."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from model_scene import Scene

from gpumodel import Run, load_config
from gpumodel.report.tile_work import TextureReuse, imbalance, processor_work, texture_reuse
from traceformat.gputrace.frametrace import FrameTrace


def run_frame(trace: FrameTrace, *settings: str):
    raw = Run(load_config("tbr-fhd", ("fragment.lanes=4", *settings))).add(trace)[1]
    return raw.passes[0]


def test_coarse_maps_are_less_balanced() -> None:
    """Fig. 6.5: the deviation of 1-quadrant lies above that of 5-UD-Q. A quarter of each tile is covered: by quadrants
    one processor does everything (deviation sqrt(3) times the mean), by quads each does its quarter.
    """
    scene = Scene(32 * 4, 32)
    path = scene.path(6)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    for k in range(4):
        scene.quad_block(draw, 32 * k, 0, 16, 16, path=path)
    trace = scene.trace()
    coarse = processor_work(run_frame(trace, "fragment.quad_map='1-quadrant'"))
    fine = processor_work(run_frame(trace, "fragment.quad_map='5-UD-Q'"))
    assert coarse.sum() == fine.sum() == 4 * 64 * 6
    np.testing.assert_allclose(imbalance(coarse), [np.sqrt(3)] * 4)
    np.testing.assert_allclose(imbalance(fine), [0.0] * 4)


def test_random_work_and_reuse_against_a_plain_walk() -> None:
    rng = np.random.default_rng(3)
    scene = Scene(32 * 5, 64)
    paths = [scene.path(2), scene.path(3, 1), scene.path(1, 1, 4)]
    for _ in range(12):
        draw = scene.draw(attributes=1, vertex_path=scene.path(1), depth_test=True, depth_write=True, depth_func=0x201)
        path = int(rng.integers(0, 3))
        x, y = int(rng.integers(0, 70)) * 2, int(rng.integers(0, 28)) * 2
        scene.quad_block(
            draw, x, y, 16, min(14, 64 - y), path=paths[path], depth=float(rng.random()),
            lines=[rng.integers(0, 60, 2).tolist() for _ in range(path)],
        )  # fmt: skip
    trace = scene.trace()
    done = run_frame(trace)
    work = np.zeros((len(done.streams.tiles), 4), np.int64)
    tiles_of: dict[int, set[int]] = {}
    table, ops, lines = trace["quads"], trace["tex_ops"], trace["texture_lines"]
    for k, quad in enumerate(done.streams.quads[: table.num_rows]):
        if not done.streams.early[k] & 15:
            continue
        row = int(quad["row"])
        work[quad["tile"], quad["processor"]] += int(trace["paths"]["issued"][table["path"][row]].sum())
        for op in range(int(table["tex_first"][row]), int(table["tex_first"][row]) + int(table["tex_count"][row])):
            first = int(ops["line_first"][op])
            for line in range(first, first + int(ops["line_count"][op])):
                if lines["lanes"][line] & done.streams.early[k] & 15:
                    tiles_of.setdefault(int(lines["line"][line]), set()).add(int(quad["tile"]))
    np.testing.assert_array_equal(processor_work(done), work)
    nearest = [
        min((b - a for a, b in itertools.pairwise(t)), default=0) for t in (sorted(t) for t in tiles_of.values())
    ]
    assert texture_reuse(done) == TextureReuse(
        len(nearest), nearest.count(1), nearest.count(2), sum(n > 2 for n in nearest)
    )
    assert nearest.count(1) > 0
    assert sum(n > 1 for n in nearest) > 0


def test_a_pass_without_textures() -> None:
    scene = Scene(32, 32)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    scene.quad_block(draw, 0, 0, 4, 4, path=scene.path(2))
    none = TextureReuse(0, 0, 0, 0)
    assert texture_reuse(run_frame(scene.trace())) == none
    assert none + TextureReuse(4, 1, 1, 1) == TextureReuse(4, 1, 1, 1)


@pytest.mark.parametrize("name", ["interleaved", "11-blocking"])
def test_empty_tiles_are_left_out(name: str) -> None:
    scene = Scene(96, 32)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    scene.quad_block(draw, 32, 0, 32, 32, path=scene.path(2))
    work = processor_work(run_frame(scene.trace(), f"fragment.quad_map='{name}'"))
    assert work.shape == (3, 4)
    assert imbalance(work).tolist() == [0.0]
