"""Closed forms of several Raster Units, tile pipelining and the pipelined Tile Fetcher, exact unless stated.

Terms: REQ = 6 requests of a primitive's four attributes (192 bytes from a line's beginning, two of them cross a line),
EZ latency of Early-Z, L = 1 + REQ + 1 + EZ + 1 + N + 1 from the dispatch of a tile with one quad of N instructions to
its end (test_model_raster_forms), F = 1 + REQ + 1 cycles until the simple Tile Fetcher turns to the next tile.
"""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import Scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine, MachineFrame
from traceformat.gputrace.frametrace import StoreOp

EZ = 2
REQ = 6
FETCH = 1 + REQ + 1
PIPELINED = ("tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true")


def tiles_of(
    instructions: list[int], *settings: str, stores: bool = False, primitives: int = 1, attributes: int = 4
) -> MachineFrame:
    """A row of 16x16 tiles, each with primitives of one quad of so many instructions, at one place."""
    scene = Scene(16 * len(instructions), 16)
    if not stores:
        scene.passes[0]["changes"]["color_store"] = np.full(8, StoreOp.DONT_CARE, np.uint8)
    vertex = scene.path(1)
    paths = {n: scene.path(n) for n in sorted(set(instructions))}
    draw = scene.draw(attributes=attributes, vertex_path=vertex)
    for _ in range(primitives):
        for k, n in enumerate(instructions):
            scene.quad_block(draw, 16 * k, 0, 2, 2, path=paths[n])
    config = apply_settings(
        load_config("mali450-vro").model_dump(), ["memory.paper.write_queue=64", "fragment.lanes=4", *settings]
    )
    return Machine(config).run_frame(scene.trace())


def latency(instructions: int) -> int:
    return 1 + REQ + 1 + EZ + 1 + instructions + 1


def start_to_end(frame: MachineFrame) -> int:
    tiles = frame.passes[0].streams.tiles
    return int(tiles["end"].max() - tiles["start"].min())


@pytest.mark.parametrize("units", [2, 3, 4, 8])
@pytest.mark.parametrize("assignment", ["static", "dynamic", "mixed"])
@pytest.mark.parametrize("count", [8, 9, 11])
def test_equal_tiles_on_several_units(units: int, assignment: str, count: int) -> None:
    """T compute-bound tiles on N units: the last one begins ((T-1) div N) L + ((T-1) mod N) F behind the first and
    takes L, for odd T too (L > N F).
    """
    frame = tiles_of([300] * count, f"raster.units={units}", f"raster.assignment='{assignment}'")
    last = count - 1
    assert start_to_end(frame) == last // units * latency(300) + last % units * FETCH + latency(300)
    owners = frame.passes[0].streams.tiles["raster_unit"].tolist()
    assert owners == [k % units for k in range(count)]


@pytest.mark.parametrize("units", [2, 3, 4, 8])
@pytest.mark.parametrize("count", [9, 11])
def test_equal_tiles_in_pipelined_units(units: int, count: int) -> None:
    """Tile pipelining: a unit ends a tile every 300 cycles, whatever the others do, and the first tiles of all units
    end within the (1 + REQ) N requests of theirs at the Tile Cache's port.
    """
    ends = tiles_of([300] * count, *PIPELINED, f"raster.units={units}").passes[0].streams.tiles["end"]
    assert (ends[units:] - ends[:-units] == 300).all()
    assert 0 < ends[units - 1] - ends[0] <= (1 + REQ) * units


def test_ties_between_empty_tile_queues() -> None:
    """F < L(1) < 2 F: at each dispatch the unit of the tile before is busy and the other three are free. Dynamic takes
    the first of these, mixed the one after the unit chosen last.
    """
    assert FETCH < latency(1) < 2 * FETCH
    for policy, period in (("dynamic", 2), ("mixed", 4), ("static", 4)):
        frame = tiles_of([1] * 11, "raster.units=4", f"raster.assignment='{policy}'")
        assert frame.passes[0].streams.tiles["raster_unit"].tolist() == [k % period for k in range(11)], policy


@pytest.mark.parametrize("light", [40, 90])
def test_a_heavy_tile_among_light_ones(light: int) -> None:
    """One heavy tile first, six light ones. Static: the third tile waits for the heavy one, so H + 3 light ones in turn
    on its unit. Dynamic and mixed: the other unit takes all light ones, behind F, and the heavy one decides.
    """
    heavy = 2000
    settings = ("raster.units=2", "raster.assignment='{}'")
    static = tiles_of([heavy] + [light] * 6, settings[0], settings[1].format("static"))
    assert start_to_end(static) == latency(heavy) + 3 * latency(light)
    for policy in ("dynamic", "mixed"):
        frame = tiles_of([heavy] + [light] * 6, settings[0], settings[1].format(policy))
        assert start_to_end(frame) == latency(heavy)
        assert frame.passes[0].streams.tiles["raster_unit"].tolist() == [0] + [1] * 6
        assert int(frame.passes[0].streams.tiles["end"][1:].max()) == FETCH + 6 * latency(light) + int(
            frame.passes[0].streams.tiles["start"][0]
        )


@pytest.mark.parametrize(("assignment", "units"), [("static", 2), ("static", 3), ("dynamic", 2), ("mixed", 3)])
def test_a_heavy_tile_in_the_middle(assignment: str, units: int) -> None:
    """Tile 3 of seven is heavy. Static: its unit takes one more tile (N = 2: tile 5, N = 3: tile 6) behind it, and
    tiles are fetched in order, so that with N = 2 tile 6 comes F behind tile 5 although its unit is free. The other
    policies: the other units take what is left, and the heavy one ends last.
    """
    heavy, light = 2000, 90
    work = [light] * 3 + [heavy] + [light] * 3
    frame = tiles_of(work, f"raster.units={units}", f"raster.assignment='{assignment}'")
    tiles = frame.passes[0].streams.tiles
    behind = {("static", 2): FETCH + latency(light), ("static", 3): latency(light)}.get((assignment, units), 0)
    assert int(tiles["end"].max() - tiles["start"][3]) == latency(heavy) + behind
    if assignment == "static":
        assert tiles["raster_unit"].tolist() == [k % units for k in range(7)]
    else:
        assert tiles["raster_unit"].tolist().count(int(tiles["raster_unit"][3])) < 7 - units


def test_two_units_are_ready_to_flush_in_the_same_cycle() -> None:
    """The second tile begins F later with F instructions less: both end together, the one dispatched first is flushed
    first, the other waits for the W = 16 lines of a 16x16 tile.
    """
    machine_tiles = tiles_of([200, 200 - FETCH], "raster.units=2", stores=True)
    tiles = machine_tiles.passes[0].streams.tiles
    assert tiles["end"][0] == tiles["end"][1]
    assert machine_tiles.unit_cycles["flush.0"]["busy"] == machine_tiles.unit_cycles["flush.1"]["busy"] == 16
    # From the cycle in which both became ready: 1 until the arbiter grants, 16 of the first flush, 1 to hand over.
    assert machine_tiles.unit_cycles["flush.0"]["dependency"] == 0
    assert machine_tiles.unit_cycles["flush.1"]["dependency"] == 16


@pytest.mark.parametrize("units", [1, 2, 4])
def test_a_bandwidth_bound_frame_gains_nothing(units: int) -> None:
    """T tiles of 1 KB at 4 bytes a cycle: 256 T cycles of the memory's pipe whatever the number of units."""
    frame = tiles_of([1] * 32, f"raster.units={units}", stores=True)
    assert frame.unit_cycles["dram"]["busy"] >= 256 * 32
    # The pipe starts with the first line of the first flush and never pauses.
    assert 256 * 32 <= frame.raster_cycles <= 256 * 32 + 300


@pytest.mark.parametrize("units", [1, 2, 4])
@pytest.mark.parametrize("primitives", [5, 14])
def test_the_tile_fetcher_as_bottleneck(units: int, primitives: int) -> None:
    """Through the Tile Cache's one port go 1 + REQ requests a primitive: (1 + REQ) K cycles for K primitives, with one
    Raster Unit or several; behind them and before them only the latency of one primitive.
    """
    frame = tiles_of([1] * 8, *PIPELINED, f"raster.units={units}", primitives=primitives)
    requests = 8 * primitives * (1 + REQ)
    assert frame.counters["tile_fetch.requests"] == requests
    assert requests <= start_to_end(frame) <= requests + 3 * REQ + latency(1)


@pytest.mark.parametrize("attributes", [1, 2, 4, 8])
@pytest.mark.parametrize("cache_latency", [1, 2])
def test_pipelined_fetch_of_one_primitive(attributes: int, cache_latency: int) -> None:
    """Stage 1, request (1), pointer back after l: stage 2, request (1), back after l; each further request (l + 2);
    stage 4 in the next cycle: 3 + 2 l + (REQ - 1)(l + 2).
    """
    requests = (0, 1, 3, 5, 6, 7, 9, 11, 12)[attributes]
    frame = tiles_of([5], *PIPELINED, f"caches.tile.latency_cycles={cache_latency}", attributes=attributes)
    assert frame.counters["tile_fetch.cycles"] == 3 + 2 * cache_latency + (requests - 1) * (cache_latency + 2)


@pytest.mark.parametrize("count", [1, 2, 5, 14])
@pytest.mark.parametrize("cache_latency", [1, 3])
def test_a_table_of_one_entry(count: int, cache_latency: int) -> None:
    """One entry: a primitive holds it from its reservation to its hand-over, H = 3 + 2 l + (REQ - 1)(l + 2) cycles;
    stage 1 reserves the entry again in the cycle of the hand-over: K H in all.
    """
    frame = tiles_of(
        [1], *PIPELINED, "tile_fetcher.primitive_table=1", f"caches.tile.latency_cycles={cache_latency}",
        primitives=count,
    )  # fmt: skip
    hold = 3 + 2 * cache_latency + (REQ - 1) * (cache_latency + 2)
    assert frame.counters["tile_fetch.cycles"] == hold * count
    # Rasterizer, Early-Z, shading and Blending of the last one come behind.
    assert start_to_end(frame) == hold * count + latency(1) - REQ - 1


@pytest.mark.parametrize("table", [2, 3])
def test_a_table_of_several_entries(table: int) -> None:
    """E entries: while the port is not full ((1 + REQ) E <= H), E primitives share H cycles: K H / E to within one."""
    count, cache_latency = 12, 4
    frame = tiles_of(
        [1], *PIPELINED, f"tile_fetcher.primitive_table={table}", f"caches.tile.latency_cycles={cache_latency}",
        primitives=count,
    )  # fmt: skip
    hold = 3 + 2 * cache_latency + (REQ - 1) * (cache_latency + 2)
    assert (1 + REQ) * table <= hold
    assert abs(start_to_end(frame) - (hold * count // table + latency(1) - REQ - 1)) <= hold // table + table


@pytest.mark.parametrize("instructions", [12, 40])
def test_barrier_between_tiles(instructions: int) -> None:
    """Tile pipelining: the next tile waits in the fragment queue, and a processor takes its first quad in the cycle in
    which the last one of the tile before leaves: tiles of one quad end every N cycles (N > 1 + REQ), without pipelining
    every L + 1.
    """
    frame = tiles_of([instructions] * 6, *PIPELINED)
    assert (np.diff(frame.passes[0].streams.tiles["end"]) == instructions).all()
    plain = tiles_of([instructions] * 6)
    assert (np.diff(plain.passes[0].streams.tiles["end"]) == latency(instructions) + 1).all()


def test_barrier_of_the_fragment_stage() -> None:
    """Thesis §5.2: the Fragment stage begins a tile when it has finished the one before, so one slow quad on
    processor 0 keeps the other processors of the Raster Unit from the next tile: two tiles take N + n, not N.
    """
    scene = Scene(32, 16)
    scene.passes[0]["changes"]["color_store"] = np.full(8, StoreOp.DONT_CARE, np.uint8)
    slow, fast = scene.path(500), scene.path(100)
    draw = scene.draw(attributes=4, vertex_path=scene.path(1))
    scene.quad_block(draw, 0, 0, 2, 2, path=slow)
    scene.quad_block(draw, 16 + 2, 0, 2, 2, path=fast)
    config = apply_settings(
        load_config("mali450-vro").model_dump(), [*PIPELINED, "fragment.lanes=4", "fragment.queues='per-processor'"]
    )
    tiles = Machine(config).run_frame(scene.trace()).passes[0].streams.tiles
    # The other processor is later in the cycle's order and takes its quad in the cycle in which the barrier opens.
    assert tiles["end"][1] - tiles["end"][0] == 100


def test_one_unit_is_the_baseline() -> None:
    """N = 1: every cycle and counter is the baseline's."""
    for design in ((), PIPELINED):
        base = tiles_of([7, 30, 2, 90], *design, stores=True)
        one = tiles_of([7, 30, 2, 90], *design, "raster.units=1", "raster.assignment='mixed'", stores=True)
        assert (base.raster_cycles, base.counters, base.unit_cycles) == (
            one.raster_cycles, one.counters, one.unit_cycles,
        )  # fmt: skip


@pytest.mark.parametrize("processors", [5, 6])
def test_ports_of_the_l2_take_turns_over_their_words(processors: int) -> None:
    """40 Texture Caches end with the last port of a word of 48, 48 of them begin a second: a line of its own for each
    quad comes to all of them, in both loops.
    """
    scene = Scene(128, 16)
    draw = scene.draw(attributes=1, vertex_path=scene.path(1))
    path = scene.path(1, 1)
    for k in range(8):
        scene.quad_block(draw, 16 * k, 0, 16, 16, path=path, lines=lambda x, y, k=k: [[1000 * k + 64 * y + x]])
    settings = (*PIPELINED, "raster.units=8", f"fragment.processors={processors}", "caches.l2.banks=1")
    config = apply_settings(load_config("mali450-vro").model_dump(), settings)
    a, b = (Machine(config, every_cycle=every).run_frame(scene.trace()) for every in (False, True))
    assert a.counters == b.counters
    assert a.unit_cycles == b.unit_cycles
    assert a.counters["cache.texture.primary_misses"] == 8 * 64
