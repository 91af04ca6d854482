"""Costs of draws: whose cycles and misses are whose, roll-ups, shares, and the judges."""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import SETTINGS, random_scene

from gpumodel.attribution.judges import absent, hollow
from gpumodel.attribution.judging import frame_cycles
from gpumodel.attribution.rollup import By, members, metric, roll_up, shared_costs
from gpumodel.attribution.table import GEOMETRY_CYCLES, RASTER_CYCLES, SHADING_CYCLES, Attribution
from gpumodel.config import apply_settings, load_config
from gpumodel.runs import Run
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, FrameTrace

CONFIG = load_config("mali450-vro")


def costs(trace: FrameTrace, *settings: str) -> Attribution:
    config = apply_settings(CONFIG.model_dump(), settings)
    result, _ = Run(config, attribution=True).add(trace)
    assert result.attribution is not None
    return result.attribution


def shared(rows: Attribution, name: str, kind: str) -> int:
    return int(sum(rows.count(name)[k] for k, own in enumerate(rows.shared) if own == kind))


def two_squares(*, same_line: bool = False, alu: tuple[int, int] = (8, 8)) -> FrameTrace:
    """Two draws, a square of a tile each, in different tiles of a row."""
    scene = Scene(64, 16)
    for number in range(2):
        path = scene.path(alu[number], 1)
        line = 5 if same_line else 5 + 4096 * number
        scene.quad_block(scene.draw(), 32 * number, 0, 16, 16, path=path, lines=[[line]])
    return scene.trace()


def test_a_miss_is_whose_who_asks_first() -> None:
    rows = costs(two_squares(same_line=True))
    assert rows.count("dram.read_bytes.texture")[:2].tolist() == [64, 0]
    apart = costs(two_squares())
    assert apart.count("dram.read_bytes.texture")[:2].tolist() == [64, 64]


def test_cycles_of_a_tile_are_its_draws() -> None:
    """One draw shades a hundred times as long as the other, and so long its Raster Unit is its own."""
    rows = costs(two_squares(alu=(1000, 10)))
    # While the first quads are shaded others are rasterized.
    assert rows.shading_cycles[0] > 0.99 * 64 // 4 * 1000
    assert rows.shading_cycles[0] > 20 * rows.shading_cycles[1] > 0
    # Nothing else is rasterized: the rest is fetching, and what no draw has.
    others = shared(rows, RASTER_CYCLES, "wait") + shared(rows, RASTER_CYCLES, "flush")
    assert rows.count(RASTER_CYCLES)[:2].sum() + others == rows.count(RASTER_CYCLES).sum()
    assert (rows.count(GEOMETRY_CYCLES)[:2] > 0).all()


def held_and_saved(scene: Scene) -> tuple[float, int]:
    """Cycles in which the quads of the one draw held the unit up, and what hollow saves of its raster phase."""
    trace = scene.trace()
    before, after = (costs(one).count(RASTER_CYCLES).sum() for one in (trace, hollow(trace, [0])))
    return float(costs(trace).count(SHADING_CYCLES[1])[0]), int(before - after)


def test_quads_hold_up_what_hollow_saves() -> None:
    scene = Scene(64, 16)
    scene.quad_block(scene.draw(), 0, 0, 64, 16, path=scene.path(200))
    held, saved = held_and_saved(scene)
    assert held == pytest.approx(saved, rel=0.1)
    assert saved > 0.9 * 64 * 200


def test_what_the_memory_has_to_write_anyway_is_not_held_up_by_quads() -> None:
    """Shading of a tile takes little longer than the flush of the one before: that is all there is to save."""
    scene = Scene(128, 64)
    scene.quad_block(scene.draw(), 0, 0, 128, 64, path=scene.path(5))
    rows = costs(scene.trace())
    held, saved = held_and_saved(scene)
    assert rows.count(RASTER_CYCLES)[0] > 2 * saved
    assert held == pytest.approx(saved, rel=0.25)


def test_a_tile_that_waits_for_a_colour_buffer_is_held_up_by_the_flush() -> None:
    """Shading of a tile is an eighth of what its flush takes: the next one's draw has no part in that."""
    scene = Scene(128, 64)
    draw, path = scene.draw(), scene.path(1)
    for tile in range(32):
        scene.quad_block(draw, 16 * (tile % 8), 16 * (tile // 8), 4, 4, path=path)
    rows = costs(scene.trace())
    assert shared(rows, RASTER_CYCLES, "flush") > 0.6 * rows.count(RASTER_CYCLES).sum()


def test_vertices_hold_up_what_hollow_saves() -> None:
    scene = Scene(64, 16)
    draw, path = scene.draw(), scene.path(1)
    draw.vertex_path = scene.path(200)
    for _ in range(40):
        scene.quad_block(draw, 0, 0, 2, 2, path=path)
    trace = scene.trace()
    before, after = (costs(one).count(GEOMETRY_CYCLES).sum() for one in (trace, hollow(trace, [0])))
    assert costs(trace).count(SHADING_CYCLES[0])[0] == pytest.approx(before - after, rel=0.1)
    assert before - after > 0.9 * 120 * 200


def test_a_unit_that_waits_for_primitives_is_not_held_up_by_quads() -> None:
    """Four hundred primitives of one quad each: shading ends long before the next one is fetched."""
    scene = Scene(64, 16)
    draw, path = scene.draw(), scene.path(3)
    for number in range(400):
        scene.quad_block(draw, 2 * (number % 8), 2 * (number // 8 % 8), 2, 2, path=path)
    held, saved = held_and_saved(scene)
    raster = costs(scene.trace()).count(RASTER_CYCLES)[0]
    assert held < 0.1 * raster
    assert saved < 0.1 * raster


def test_blending_holds_a_unit_up_where_quads_are_shaded_faster() -> None:
    """Four processors shade a quad of one instruction a cycle each, Blending takes one a cycle."""
    scene = Scene(64, 16)
    draw, path = scene.draw(blend=True), scene.path(1)
    for _ in range(20):
        scene.quad_block(draw, 0, 0, 64, 16, path=path)
    held, saved = held_and_saved(scene)
    assert saved < 0.1 * costs(scene.trace()).count(RASTER_CYCLES)[0]
    assert held < 0.1 * costs(scene.trace()).count(RASTER_CYCLES)[0]


def test_a_unit_of_several_counts_a_part() -> None:
    one, three = costs(two_squares()), costs(two_squares(), *SETTINGS["units"])
    assert three.raster_units == 3
    assert three.count(RASTER_CYCLES).sum() % 3 == 0
    assert shared(three, RASTER_CYCLES, "wait") > shared(one, RASTER_CYCLES, "wait")


def test_flushes_are_no_draws() -> None:
    rows = costs(two_squares())
    assert shared(rows, "dram.write_bytes.color", "flush") == rows.count("dram.write_bytes.color").sum() == 64 * 16 * 4


def test_a_line_is_written_back_for_its_last_writer() -> None:
    """An L2 of sixteen lines hands the lists of one frame to the memory in the next."""
    config = apply_settings(CONFIG.model_dump(), SETTINGS["narrow"])
    run = Run(config, attribution=True)
    frames = [run.add(random_scene(seed).trace())[0].attribution for seed in (1, 2)]
    name = "dram.write_bytes.parameter"
    assert frames[0] is not None
    assert frames[1] is not None
    assert shared(frames[0], name, "earlier") == 0
    assert frames[0].count(name)[: frames[0].num_draws].sum() > 0
    assert shared(frames[1], name, "earlier") > 0


@pytest.mark.parametrize("by", [By.DRAW, By.OBJECT, By.PROGRAM, By.PASS])
def test_groups_and_shared_work_are_the_frame(by: By) -> None:
    frames = [costs(random_scene(seed).trace()) for seed in (3, 4)]
    groups = roll_up(frames, by)
    for name in ("time", "energy", "dram", "fragments"):
        total = sum(metric(rows, name).sum() for rows in frames)
        own = sum(group.own[name] for group in groups)
        assert own + sum(shared_costs(frames, name).values()) == pytest.approx(total, rel=1e-9)
    assert sum(group.draws for group in groups) == sum(rows.num_draws for rows in frames)
    # What is shared is shared out.
    assert sum(group.time for group in groups) == pytest.approx(sum(rows.cycles.sum() for rows in frames))
    assert sum(group.energy for group in groups) == pytest.approx(sum(rows.total_energy_pj.sum() for rows in frames))


def test_hollow_draws_keep_their_fragments_and_shade_for_nothing() -> None:
    trace = random_scene(11).trace()
    before = costs(trace)
    draws = [0, 3]
    changed = hollow(trace, draws)
    check_frame(changed, MODEL_COLUMNS)
    after = costs(changed)
    # What is killed early among late draws depends on time, what is written does not.
    for name in ("fragments.rasterized", "fragments.written", "color_buffer.writes"):
        np.testing.assert_array_equal(before.count(name)[: before.num_draws], after.count(name)[: after.num_draws])
    for name in ("texels", "fs.alu_instructions", "vs.instructions", "cache.texture.accesses"):
        assert not after.count(name)[draws].any()
        assert after.count(name)[: after.num_draws].any()


@pytest.mark.parametrize("seed", range(5))
def test_absent_draws_do_nothing(seed: int) -> None:
    trace = random_scene(seed).trace()
    before = costs(trace)
    draws = [0, before.num_draws // 2]
    changed = absent(trace, draws)
    check_frame(changed, MODEL_COLUMNS)
    after = costs(changed)
    for name, values in after.counts.items():
        # Its commands are still read.
        if not name.startswith(("cache.command", "cache.l2", "dram.", "cycles.geometry", "draws", "l2.")):
            assert not values[draws].any(), name
    for name in ("vertices.shaded", "primitives.in", "fragments.rasterized"):
        np.testing.assert_array_equal(
            np.delete(before.count(name)[: before.num_draws], draws),
            np.delete(after.count(name)[: after.num_draws], draws),
        )
    whole = frame_cycles(CONFIG, trace)
    everything = absent(trace, range(before.num_draws))
    check_frame(everything, MODEL_COLUMNS)
    assert everything["quads"].num_rows == 0
    assert frame_cycles(CONFIG, everything) < whole


def test_a_texture_s_group_is_that_of_the_draws_that_bind_it() -> None:
    rows = costs(two_squares())
    assert list(members(rows, By.TEXTURE)) == []
