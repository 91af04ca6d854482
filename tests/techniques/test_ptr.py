"""Techniques ``ptr`` and ``double``: what they make of a configuration, their counters, and what they leave alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from model_scene import Scene

from gpumodel import Run, load_config, preset_names
from gpumodel.energy.bill import Prices
from gpumodel.machine import Machine, MachineFrame
from gpumodel.report.table import summary_rows
from gpumodel.techniques.ptr import DoubledResources, ParallelTileRendering
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace, StoreOp


def frame_of(tiles: int, instructions: list[int]) -> FrameTrace:
    """A row of 32x32 tiles, each with a block of quads of its own shader."""
    scene = Scene(32 * tiles, 32)
    paths = [scene.path(n) for n in instructions]
    draw = scene.draw(attributes=4, vertex_path=scene.path(1))
    for k in range(tiles):
        scene.quad_block(draw, 32 * k, 0, 8, 8, path=paths[k % len(paths)])
    return scene.trace()


@pytest.mark.parametrize("preset", preset_names())
@pytest.mark.parametrize("units", [1, 2, 4])
def test_tiles_of_the_units_add_up(preset: str, units: int) -> None:
    config = load_config(preset, [f"ptr.units={units}"])
    run = Run(config, ["ptr"])
    result, raw = run.add(frame_of(8, [100, 40, 7]))
    tiles = [result.counters.get(f"ptr.tiles.{k}", 0) for k in range(units)]
    assert sum(tiles) == result.counters["tiles.rendered"] == len(raw.passes[0].streams.tiles)
    assert max(tiles) - min(tiles) <= 1
    assert result.counters["ptr.flush_wait_cycles"] == 0 or units > 1


def test_the_summary_says_how_the_units_share_the_work() -> None:
    """Tile 0 has 16 quads of 300 instructions, the other 16 of 100: three quarters and one quarter of the work."""
    run = Run(load_config("tbr-fhd"), ["ptr"])
    run.add(frame_of(2, [300, 100]))
    rows = {name: (value, remark) for name, value, remark in summary_rows(run.result)}
    assert rows["Raster Units"] == ("2", "25% to 75% of the work, 1 to 1 tiles each")
    assert rows["  flush"][0] == "0.0% of the time"
    assert "  shared Texture Caches" not in rows
    shared = Run(load_config("tbr-fhd"), ["ptr-shared"])
    shared.add(frame_of(2, [300, 100]))
    assert ("  shared Texture Caches", "0.00 port conflicts") in [row[:2] for row in summary_rows(shared.result)]
    base = Run(load_config("tbr-fhd"))
    base.add(frame_of(2, [300, 100]))
    assert "Raster Units" not in [row[0] for row in summary_rows(base.result)]


def test_one_unit_is_the_baseline_to_the_cycle() -> None:
    for preset in preset_names():
        config = load_config(preset, ["ptr.units=1"])
        trace = frame_of(6, [30, 3, 80])
        base, one = Run(config).add(trace)[1], Run(config, ["ptr"]).add(trace)[1]
        assert (base.geometry_cycles, base.raster_cycles) == (one.geometry_cycles, one.raster_cycles)
        assert base.counters == one.counters
        assert base.unit_cycles == one.unit_cycles


def test_two_units_halve_a_compute_bound_frame() -> None:
    """64 quads of 400 instructions a tile on four processors: 24 tiles in half of the time, under every policy, but for
    the pipeline's fill and the last flushes, of one tile (1,024 cycles) in the baseline and of two here.
    """
    scene = Scene(32 * 24, 32)
    path = scene.path(400)
    draw = scene.draw(attributes=4, vertex_path=scene.path(1))
    for k in range(24):
        scene.quad_block(draw, 32 * k, 0, 16, 16, path=path)
    trace = scene.trace()
    base = Run(load_config("tbr-fhd")).add(trace)[1].raster_cycles
    for policy in ("static", "dynamic", "mixed"):
        config = load_config("tbr-fhd", [f"ptr.assignment='{policy}'"])
        both = Run(config, ["ptr"]).add(trace)[1].raster_cycles
        assert 0 <= both - base / 2 <= 2 * 1024 - 1024 / 2 + 150, policy
    double = Run(load_config("tbr-fhd"), ["double"]).add(trace)[1].raster_cycles
    assert 0 <= double - base / 2 <= 1024 / 2 + 150


def test_the_flush_arbiter_makes_the_younger_tile_wait() -> None:
    """Two equal tiles that end close together: the second waits for what is left of the first one's flush."""
    config = load_config("tbr-fhd", ["memory.mode=paper", "memory.paper.write_queue=64"])
    result, raw = Run(config, ["ptr"]).add(frame_of(2, [300]))
    ends = raw.passes[0].streams.tiles["end"]
    # 32 rows of two lines go into the queue one a cycle; the arbiter hands over in the cycle behind the last one.
    assert result.counters["ptr.flush_wait_cycles"] == 64 - (ends[1] - ends[0])


#: Room for few quads behind the Tile Queue: a thread a processor, one quad in each queue and in Early-Z.
SHORT = (
    "fragment.lanes=4", "fragment.threads=1", "queues.fragment=1", "early_z.in_flight_quads=1", "queues.post_raster=1",
    "queues.tile={}",
)  # fmt: skip


def deep_and_light(depth: int, policy: str = "static", *more: str) -> MachineFrame:
    """A tile of 40 primitives of 300 instructions each at one place, and eight tiles of one of 30 instructions."""
    scene = Scene(32 * 9, 32)
    scene.passes[0]["changes"]["color_store"] = np.full(8, StoreOp.DONT_CARE, np.uint8)
    slow, fast = scene.path(300), scene.path(30)
    draw = scene.draw(attributes=4, vertex_path=scene.path(1))
    for _ in range(40):
        scene.quad_block(draw, 0, 0, 2, 2, path=slow)
    for k in range(1, 9):
        scene.quad_block(draw, 32 * k, 0, 2, 2, path=fast)
    settings = [text.format(depth) for text in SHORT] + [f"ptr.assignment='{policy}'", *more]
    return Run(load_config("tbr-fhd", settings), ["ptr"]).add(scene.trace())[1]


def test_a_tile_longer_than_the_tile_queue_keeps_the_other_unit_waiting() -> None:
    """Thesis §5.1: one tile is fetched at a time, and a full Tile Queue blocks the fetcher. A primitive of the 40
    leaves its unit every 300 cycles; the second tile is dispatched when the last one is in the Primitive Table. Behind
    a Tile Queue of D there are one in the processor, one in its queue, one in Early-Z, one in the Post-Rasterization
    queue and one in the Rasterizer, before it the table's 16: 40 - D - 21 primitives have to leave, and the first one
    has to come (less than 300 cycles).
    """
    starts = {depth: deep_and_light(depth).passes[0].streams.tiles["start"] for depth in (2, 6, 12, 64)}
    waits = {depth: int(start[1] - start[0]) for depth, start in starts.items()}
    for depth in (2, 6, 12):
        assert waits[depth] // 300 == 40 - depth - 21
        assert waits[depth] % 300 == waits[2] % 300
    # Deep enough: the time to fetch the 40.
    assert waits[64] < 40 * 10


def test_policies_with_a_long_tile_and_light_ones() -> None:
    """With room for the long tile: static gives four of the eight light ones to its unit, behind it; the other policies
    look at the Tile Queues and give it none.
    """
    tiles = {policy: deep_and_light(64, policy).passes[0].streams.tiles for policy in ("static", "dynamic", "mixed")}
    assert tiles["static"]["raster_unit"].tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    for policy in ("dynamic", "mixed"):
        assert tiles[policy]["raster_unit"].tolist() == [0] + [1] * 8
        assert tiles[policy]["end"].max() == tiles[policy]["end"][0] == tiles["static"]["end"][0]
    behind = tiles["static"]["end"][2::2] - tiles["static"]["end"][0]
    assert behind.tolist() == [30, 60, 90, 120]


def test_a_post_rasterization_queue_hides_a_long_tile_from_the_policies() -> None:
    """They look at the Tile Queues: a unit whose primitives are rasterized already, and wait as quads in front of
    Early-Z, seems free, so that light tiles come behind the long one.
    """
    for policy in ("dynamic", "mixed"):
        tiles = deep_and_light(64, policy, "queues.post_raster=512").passes[0].streams.tiles
        assert (tiles["raster_unit"][1:] == 0).any()
        assert tiles["end"].max() > tiles["end"][0]


@pytest.mark.parametrize("preset", preset_names())
def test_doubled_resources(preset: str) -> None:
    """Thesis §5.2: 8 quads and 32 attributes a cycle, 40 in flight, 8 processors on the thesis's preset."""
    base = load_config(preset)
    double = DoubledResources().configure(base)
    assert double.raster.quads_per_cycle == 2 * base.raster.quads_per_cycle
    assert double.raster.attributes_per_cycle == 2 * base.raster.attributes_per_cycle
    assert double.early_z.in_flight_quads == 2 * base.early_z.in_flight_quads
    assert double.fragment.processors == 2 * base.fragment.processors
    assert double.caches == base.caches
    # One queue for all processors grows with them; a queue a processor comes with each.
    assert double.queues.fragment == base.queues.fragment * (2 if base.fragment.queues == "shared" else 1)
    if preset == "tbr-fhd":
        assert (double.raster.quads_per_cycle, double.raster.attributes_per_cycle) == (8, 32)
        assert (double.early_z.in_flight_quads, double.fragment.processors) == (40, 8)
        for wanted, caches in ((0, 2), (4, 4), (8, 8)):
            config = load_config(preset, [f"double.instruction_caches={wanted}"])
            assert DoubledResources().configure(config).fragment.instruction_caches == caches


def test_control_unit_and_arbiter_cost_a_comparator_for_each_unit_but_the_first() -> None:
    """Registers of N occupancies of 7 bits and 3 bits of the unit chosen last, of N numbers of tiles of 11 bits."""
    areas, energies = {}, {}
    for units in (1, 2, 4):
        parts = ParallelTileRendering().hardware(
            ParallelTileRendering().configure(load_config("tbr-fhd", [f"ptr.units={units}"]))
        )
        areas[units] = [part.area_mm2 for part in parts]
        energies[units] = [sum(part.activity.values()) for part in parts]
    assert energies[1] == [0, 0]
    np.testing.assert_allclose(energies[4], 3 * np.array(energies[2]))
    prices = Prices(load_config("tbr-fhd"))
    comparator, register = (prices.static(name).area_mm2 for name in ("gate_full_adder_bit", "gate_register_dff_bit"))
    for n, (control, arbiter) in areas.items():
        assert control == pytest.approx((n - 1) * 7 * comparator + (7 * n + 3) * register)
        assert arbiter == pytest.approx((n - 1) * 11 * comparator + 11 * n * register)


def test_out_of_range_is_a_problem_of_the_configuration() -> None:
    with pytest.raises(ConfigError, match="processors"):
        ParallelTileRendering().configure(load_config("tbr-fhd", ["ptr.units=8", "fragment.processors=16"]))


@pytest.mark.parametrize("technique", ["ptr", "double"])
@pytest.mark.parametrize("instructions", [[3, 120, 40], [3]])
def test_both_loops_agree(technique: str, instructions: list[int]) -> None:
    """Also where flushes wait for each other."""
    trace = frame_of(7, instructions)
    config = load_config("tbr-fhd", ["ptr.units=3", "ptr.assignment='dynamic'"])
    machine = Run(config, [technique]).machine
    every = Machine(machine.config, every_cycle=True)
    a, b = machine.run_frame(trace), every.run_frame(trace)
    assert (a.counters, a.unit_cycles) == (b.counters, b.unit_cycles)
    np.testing.assert_array_equal(a.passes[0].streams.tiles, b.passes[0].streams.tiles)
