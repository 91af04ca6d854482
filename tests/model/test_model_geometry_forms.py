"""Closed forms of geometry, tiling, memory and energy; the formula is in each docstring, deviations are 0."""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import INSTRUCTION_CACHES
from test_model_raster_forms import machine, one_tile

from gpumodel.machine import Machine, MachineFrame
from gpumodel.results import frame_result
from traceformat.gputrace.frametrace import DrawFlags, LoadOp, MemoryMap

MISS = 1 + 100 + 16 + 2


def mesh(
    *settings: str, triangles: int, shader: int = 1, stride: int = 0, indices=None, culled=True, fetches=True
) -> MachineFrame:
    """A draw of separate triangles outside the picture (culled), 3 vertices each."""
    scene = Scene(16, 16)
    v = scene.path(shader)
    draw = scene.draw(vertex_path=v, fetches=[(MemoryMap.VERTEX, stride, 16)] if fetches else [])
    for _ in range(triangles):
        if culled:
            scene.cull(draw)
        else:
            scene.quad_block(draw, 0, 0, 2, 2, path=v)
    if indices is not None:
        draw.indices = list(indices)
    return machine(*settings).run_frame(scene.trace())


@pytest.mark.parametrize("processors", [1, 2, 4, 8])
@pytest.mark.parametrize("shader", [20, 64])
def test_vertex_processors(processors: int, shader: int) -> None:
    """V vertices of C cycles on P processors: each further P vertices cost C."""
    settings = (f"vertex.processors={processors}", "vertex.reuse_entries=0")
    a, b = (mesh(*settings, triangles=n, shader=shader).geometry_cycles for n in (16, 32))
    assert b - a == 16 * 3 // processors * shader


def test_vertex_fetch_is_one_vertex_a_cycle() -> None:
    """Vertices whose line was looked up before (stride 0) and whose shader takes a cycle: one a cycle."""
    a, b = (mesh(triangles=n).geometry_cycles for n in (20, 40))
    assert b - a == 3 * 20


@pytest.mark.parametrize(("stride", "lines"), [(16, 1), (32, 1), (64, 1), (48, 2)])
def test_vertex_lines(stride: int, lines: int) -> None:
    """16 bytes at a stride of 48 cross a line never (48 k mod 64 is 0, 16, 32 or 48); look-ups are one a vertex."""
    frame = mesh(triangles=20, stride=stride)
    assert frame.counters["cache.vertex.accesses"] == 60
    assert frame.counters["cache.vertex.primary_misses"] == -(-60 * stride // 64)
    assert lines


def test_vertex_attribute_across_a_line() -> None:
    """Stride 40, 32 bytes: vertex k looks up two lines when 40 k mod 64 is above 32."""
    scene = Scene(16, 16)
    draw = scene.draw(vertex_path=scene.path(1), fetches=[(MemoryMap.VERTEX, 40, 32)])
    for _ in range(16):
        scene.cull(draw)
    frame = machine().run_frame(scene.trace())
    assert frame.counters["cache.vertex.accesses"] == sum(2 if 40 * k % 64 > 32 else 1 for k in range(48))


@pytest.mark.parametrize(
    ("entries", "distinct", "shaded"), [(16, 4, 4), (16, 16, 16), (16, 17, 48), (4, 4, 4), (3, 4, 48), (0, 4, 48)]
)
def test_vertex_reuse(entries: int, distinct: int, shaded: int) -> None:
    """A cycle of D indices over 48 rows: first in, first out of E entries shades D when E >= D, else all of them."""
    frame = mesh(f"vertex.reuse_entries={entries}", triangles=16, indices=[k % distinct for k in range(48)])
    assert frame.counters["vertices.shaded"] == shaded


@pytest.mark.parametrize("alu", [1, 20, 60])
def test_each_vertex_reads_its_code(alu: int) -> None:
    """Culled primitives leave the vertex stage alone: each shaded vertex looks up the lines of its program once, and a
    line that was missed once more.
    """
    frame = mesh(*INSTRUCTION_CACHES, triangles=8, shader=alu)
    (streams,) = (done.streams for done in frame.passes)
    looked_up = streams.vertices["code_count"][streams.vertices["shaded"] > 0]
    assert looked_up.min() >= 1
    c = frame.counters
    assert c["cache.instruction.accesses"] - c["cache.instruction.misses"] == looked_up.sum()


@pytest.mark.parametrize("triangles", [1, 10, 64])
def test_assembly_takes_a_cycle_a_primitive(triangles: int) -> None:
    """Culled primitives cost their cycle too: busy cycles = primitives."""
    frame = mesh(triangles=triangles)
    assert frame.unit_cycles["primitive_assembly"]["busy"] == triangles
    assert frame.counters["primitives.culled"] == triangles


@pytest.mark.parametrize(("attributes", "writes"), [(1, 1), (2, 3), (4, 6), (12, 18)])
@pytest.mark.parametrize(("size", "tiles"), [(16, 1), (32, 4), (64, 16)])
def test_list_builder(attributes: int, writes: int, size: int, tiles: int) -> None:
    """One Tile Cache write a line of attributes and one a tile: busy = requests(A) + tiles."""
    scene = Scene(64, 64)
    p = scene.path(1)
    draw = scene.draw(attributes=attributes, vertex_path=p)
    scene.quad_block(draw, 0, 0, size, size, path=p)
    frame = machine().run_frame(scene.trace())
    assert frame.unit_cycles["polygon_list_builder"]["busy"] == writes + tiles
    assert frame.counters["binning.pointer_writes"] == tiles == frame.counters["primitive_tile_pairs"]


def test_binning_by_edges_and_by_bounds() -> None:
    """A right triangle over 4x4 tiles without a covered quad beyond its bounds: edges name 10 tiles, the bounding box
    16.
    """
    for test, tiles in (("exact", 10), ("bounding-box", 16)):
        scene = Scene(64, 64)
        p = scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=p)
        scene.quad_block(draw, 0, 0, 2, 2, path=p)
        trace = scene.trace()
        trace["emitted"]["x"][0] = np.array([0, 63, 0]) * 256
        trace["emitted"]["y"][0] = np.array([0, 0, 63]) * 256
        trace["emitted"]["bounds"][0] = [0, 0, 63, 63]
        frame = machine(f"binning.test={test!r}").run_frame(trace)
        assert frame.counters["primitive_tile_pairs"] == tiles


@pytest.mark.parametrize(("tests", "attributes"), [(0, 1), (1, 1), (2, 1), (3, 2), (1, 12), (16, 1)])
@pytest.mark.parametrize("every_cycle", [False, True])
def test_tests_of_tiles_that_a_primitive_misses(tests: int, attributes: int, every_cycle: bool) -> None:
    """10 of the 16 tiles of its bounds: the larger of ceil(16 / tests) and of the writes, a cycle each."""
    scene = Scene(64, 64)
    p = scene.path(1)
    draw = scene.draw(attributes=attributes, vertex_path=p)
    for _ in range(3):
        scene.quad_block(draw, 0, 0, 2, 2, path=p)
    trace = scene.trace()
    for row in range(3):
        trace["emitted"]["x"][row] = np.array([0, 63, 0]) * 256
        trace["emitted"]["y"][row] = np.array([0, 0, 63]) * 256
        trace["emitted"]["bounds"][row] = [0, 0, 63, 63]
    config = machine(f"binning.tests_per_cycle={tests}").config
    frame = Machine(config, every_cycle=every_cycle).run_frame(trace)
    ends = [(48 * k, 48 * k + 47) for k in range(3 * attributes)]
    lines = sum(last // 64 - first // 64 + 1 for first, last in ends)
    writes = [sum(last // 64 - first // 64 + 1 for first, last in ends[k * attributes : (k + 1) * attributes]) + 10
              for k in range(3)]  # fmt: skip
    assert sum(writes) == lines + 30
    expected = sum(max(own, -(-16 // tests) if tests else 0) for own in writes)
    assert frame.unit_cycles["polygon_list_builder"]["busy"] == expected


@pytest.mark.parametrize("cycles", [16, 500])
def test_draw_commands(cycles: int) -> None:
    """Empty draws: a line of commands each (a row miss for the first of each channel, then row hits, and the request a
    cycle after the draw before), then the decode cycles.
    """

    def geometry(draws: int) -> int:
        scene = Scene(16, 16)
        for _ in range(draws):
            scene.draw(attributes=1)
        return machine(f"command.cycles_per_draw={cycles}").run_frame(scene.trace()).geometry_cycles

    assert geometry(12) - geometry(4) == 8 * (MISS - 50 + cycles + 1)


def test_constants_are_read_with_the_commands() -> None:
    """64 command bytes and B bytes of new constants: ceil((64 + B) / 64) lines."""
    for size in (0, 1, 64, 65, 1000):
        scene = Scene(16, 16)
        scene.draw(constants_new_bytes=size)
        frame = machine().run_frame(scene.trace())
        assert frame.counters["cache.command.accesses"] == -(-(64 + size) // 64)
        assert frame.counters["dram.read_bytes.other"] == 64 * -(-(64 + size) // 64)


def test_loaded_colours_are_read() -> None:
    """LOAD reads 4 bytes a pixel before each tile."""
    scene = Scene(40, 24)
    scene.passes[0]["changes"] = {"color_load": np.array([LoadOp.LOAD] + [0] * 7, np.uint8)}
    frame = machine().run_frame(scene.trace())
    assert frame.counters["dram.read_bytes.color"] == 4 * 40 * 24 == frame.counters["dram.write_bytes.color"]


@pytest.mark.parametrize("width", [2, 4, 16])
def test_copies_take_the_pipe(width: int) -> None:
    """B bytes read and written around a pass: 2 ceil(B / width) cycles."""

    def cycles(size: int) -> int:
        scene = Scene(16, 16)
        scene.passes[0]["changes"] = {"transfer_read_bytes": size, "transfer_write_bytes": size}
        frame = machine(f"memory.paper.bytes_per_cycle={width}").run_frame(scene.trace())
        assert all(sum(v.values()) == frame.geometry_cycles + frame.raster_cycles for v in frame.unit_cycles.values())
        return frame.raster_cycles

    assert cycles(1000) - cycles(0) == 2 * -(-1000 // width)


def test_activates() -> None:
    """Two channels by line, rows of 2 KB each: 128 consecutive lines open 2 x 2 rows; every 64th line opens one each
    time.
    """
    base = one_tile("fragment.processors=1", "fragment.threads=1", path=(0, 1), attributes=1, lines=[[]])
    run = one_tile(
        "fragment.processors=1", "fragment.threads=1", path=(0, 1), attributes=1,
        lines=lambda x, y: [[2 * (8 * y + x), 2 * (8 * y + x) + 1]],
    )  # fmt: skip
    rows = one_tile(
        "fragment.processors=1",
        "fragment.threads=1",
        path=(0, 1),
        attributes=1,
        lines=lambda x, y: [[64 * (8 * y + x)]],
    )
    assert run.counters["dram.activates"] - base.counters["dram.activates"] == 4
    assert rows.counters["dram.activates"] - base.counters["dram.activates"] == 64


def test_bank_conflicts() -> None:
    """Two processors ask for two lines of one L2 bank in one cycle: one waits a cycle; of two banks: none."""
    found = []
    for other in (8, 1):
        scene = Scene(16, 16)
        p, v = scene.path(3, 1), scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=v)
        # Two quads a cycle reach two processors in the same cycle.
        scene.quad_block(draw, 0, 0, 4, 2, path=p, lines=lambda x, y, other=other: [[other if x else 0]])
        frame = machine(
            "raster.quads_per_cycle=2", "raster.attributes_per_cycle=2", "fragment.queues='per-processor'"
        ).run_frame(scene.trace())
        found.append(frame.counters["l2.bank_conflicts"])
    assert found == [1, 0]


def test_discarding_draws_are_late() -> None:
    """Back to back planes whose shader discards half: the second one's fragments that pass early are shaded, and
    killed late where the first one's have been written by then; nothing is lost or counted twice.
    """
    scene = Scene(16, 16)
    p, v = scene.path(30), scene.path(1)
    for depth in (0.25, 0.75):
        draw = scene.draw(attributes=1, vertex_path=v, depth_test=True, depth_write=True, flags=DrawFlags.DISCARDS)
        scene.quad_block(draw, 0, 0, 16, 16, path=p, depth=depth, survives=5)
    c = machine("queues.fragment=128").run_frame(scene.trace()).counters
    assert c["fragments.written"] == 128
    assert c["fragments.discarded"] == 256
    assert c["fragments.late_z_killed"] + c["fragments.early_z_killed"] == 128
    assert c["fragments.late_z_killed"] > 0


def test_energy_is_activity_times_price() -> None:
    """Twice the instructions: the processors' dynamic energy per instruction stays, leakage goes with the cycles."""
    model: Machine = machine("fragment.processors=1")
    results = []
    for alu in (20, 40):
        scene = Scene(16, 16)
        draw = scene.draw(attributes=1, vertex_path=scene.path(1))
        scene.quad_block(draw, 0, 0, 16, 16, path=scene.path(alu))
        results.append(frame_result(model.config, Machine(model.config).run_frame(scene.trace())))
    one, two = results
    assert two.energy.structures["fragment.processor"][0] == pytest.approx(
        2 * one.energy.structures["fragment.processor"][0]
    )
    assert two.energy.gpu_static / one.energy.gpu_static == pytest.approx(two.cycles / one.cycles)
    assert one.energy.dram_dynamic == pytest.approx(two.energy.dram_dynamic)
    for result in results:
        parts = sum(dynamic + static for dynamic, static in result.energy.structures.values())
        assert result.energy.total == pytest.approx(parts + result.energy.dram_dynamic + result.energy.dram_static)


@pytest.mark.parametrize("size", [2, 6])
def test_instructions_follow_the_live_lanes(size: int) -> None:
    """A quad of which Early-Z kills two fragments counts N instructions for the other two."""
    scene = Scene(16, 16)
    p, v = scene.path(size), scene.path(9)
    draw = scene.draw(attributes=1, vertex_path=v, depth_test=True, depth_write=True)
    scene.quad_block(draw, 0, 0, 2, 2, path=p, depth=0.5)
    scene.quad_block(draw, 0, 0, 2, 2, path=p, depth=0.7)
    trace = scene.trace()
    trace["quads"]["depth"][1, :2] = 0
    result = frame_result(machine().config, machine().run_frame(trace))
    assert result.counters["fs.alu_instructions"] == (4 + 2) * size
    assert result.counters["fs.issue_cycles"] == 2 * size
    assert result.counters["vs.instructions"] == 6 * 9
