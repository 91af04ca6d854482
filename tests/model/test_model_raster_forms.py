"""Closed forms of the raster side: each docstring has the formula that pencil and paper give, and the test holds it
exactly.

Times are counted from a tile's start: the fetcher's first request. A unit sees what another unit did in the same cycle
if it comes later in the order of a cycle, else in the next one; from the hand-over of a primitive at P its first quad
enters Early-Z at P + 1, leaves at P + 1 + latency, is taken by its processor a cycle later and is blended in the cycle
after its last instruction.
"""

from __future__ import annotations

import numpy as np
import pytest
from model_scene import Scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine, MachineFrame
from traceformat.gputrace.frametrace import StoreOp

EZ = 2
#: Requests of the first primitive's attributes: 48 bytes each, so that the second and third of four cross a line.
REQUESTS = (0, 1, 3, 5, 6, 7, 9, 11, 12, 13, 15, 17, 18)


def machine(*settings: str) -> Machine:
    # A quad at once, so that the formulas count instructions.
    return Machine(apply_settings(load_config("mali450-vro").model_dump(), ["fragment.lanes=4", *settings]))


def one_tile(
    *settings: str,
    quads: tuple[int, int] = (8, 8),
    path: tuple[int, ...] = (4,),
    attributes: int = 2,
    lines=None,
    texels=1,
) -> MachineFrame:
    """A 16x16 frame with a block of quads (across, down) of one primitive."""
    scene = Scene(16, 16)
    p, v = scene.path(*path), scene.path(1)
    draw = scene.draw(attributes=attributes, vertex_path=v)
    scene.quad_block(draw, 0, 0, 2 * quads[0], 2 * quads[1], path=p, lines=lines, texels=texels)
    return machine(*settings).run_frame(scene.trace())


def tile_cycles(frame: MachineFrame, tile: int = 0) -> int:
    t = frame.passes[0].streams.tiles[tile]
    return int(t["end"] - t["start"])


def processors(frame: MachineFrame, state: str) -> int:
    return sum(v[state] for k, v in frame.unit_cycles.items() if k.startswith("fragment_processor"))


@pytest.mark.parametrize("alu", [1, 2, 7, 50])
@pytest.mark.parametrize("attributes", [1, 2, 3, 4, 8, 12])
def test_latency_of_one_quad(alu: int, attributes: int) -> None:
    """(1 + requests) to fetch + 1 + EZ latency + 1 + N instructions + 1 to blend."""
    frame = one_tile(quads=(1, 1), path=(alu,), attributes=attributes)
    assert tile_cycles(frame) == 1 + REQUESTS[attributes] + 1 + EZ + 1 + alu + 1


@pytest.mark.parametrize("alu", [4, 5, 20, 100])
@pytest.mark.parametrize(("count", "first"), [(1, 0), (2, 1), (4, 9)])
def test_tile_of_n_instruction_fragments(count: int, first: int, alu: int) -> None:
    """64 quads on F processors: the last processor takes its first quad ``first`` cycles after the first one, then
    64/F x N.
    """
    frame = one_tile(f"fragment.processors={count}", "fragment.threads=62", path=(alu,), attributes=1)
    assert tile_cycles(frame) == 2 + 1 + EZ + 1 + first + 64 // count * alu + 1
    assert processors(frame, "busy") == 64 * alu


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_fragments_that_issue_together(lanes: int) -> None:
    """L fragments a cycle: a quad's N instructions take N x 4 / L cycles, whichever of its fragments live."""
    whole = one_tile(
        "fragment.processors=1", "fragment.threads=62", f"fragment.lanes={lanes}", path=(20,), attributes=1
    )
    assert tile_cycles(whole) == 2 + 1 + EZ + 1 + 64 * 20 * 4 // lanes + 1
    assert processors(whole, "busy") == whole.counters["fs.issue_cycles"] == 64 * 20 * 4 // lanes
    assert whole.counters["fragments.shaded"] == 256


@pytest.mark.parametrize("alu", [20, 50, 200])
@pytest.mark.parametrize("quads", [(8, 8), (8, 4), (6, 8)])
def test_twice_the_machine_halves_a_compute_bound_tile(quads: tuple[int, int], alu: int) -> None:
    """Processors, queues, in-flight limits and rates doubled: n/F x N cycles become n/2F x N. What is left is the fill
    of the pipeline, at most 2 + 1 + EZ + 1 + 9 + 1 cycles (9: the last processor's first quad behind the first one's).
    """
    both = {}
    for k in (1, 2):
        both[k] = tile_cycles(one_tile(
            f"fragment.processors={2 * k}", f"queues.tile={16 * k}", f"queues.fragment={64 * k}",
            f"queues.color={64 * k}", f"early_z.in_flight_quads={32 * k}", f"raster.attributes_per_cycle={4 * k}",
            f"raster.quads_per_cycle={k}", "fragment.threads=62", quads=quads, path=(alu,), attributes=1,
        ))  # fmt: skip
    fill = 2 + 1 + EZ + 1 + 9 + 1
    work = quads[0] * quads[1] * alu
    assert work // 2 <= both[1] <= work // 2 + fill
    assert work // 4 <= both[2] <= work // 4 + fill
    assert 0 <= 2 * both[2] - both[1] <= 2 * fill


@pytest.mark.parametrize("rate", [1, 4, 16])
@pytest.mark.parametrize("attributes", [1, 3, 4, 5, 8, 12])
def test_raster_rate(rate: int, attributes: int) -> None:
    """A quad of A attributes takes ceil(A / rate) cycles; the last of Q enters (Q - 1) of those after the first."""
    cost = -(-attributes // rate)
    frame = one_tile(f"raster.attributes_per_cycle={rate}", path=(1,), attributes=attributes)
    assert tile_cycles(frame) == 1 + REQUESTS[attributes] + 1 + 63 * cost + EZ + 1 + 1 + 1
    assert frame.unit_cycles["rasterizer"]["busy"] == 64 * cost


@pytest.mark.parametrize(("attributes", "burst"), [(1, 4), (4, 4), (5, 3), (8, 2), (9, 1), (16, 1)])
def test_several_quads_a_cycle(attributes: int, burst: int) -> None:
    """min(4, 16 // A) quads a cycle when A < 16: ceil(64 / burst) cycles of the rasterizer."""
    frame = one_tile(
        "raster.attributes_per_cycle=16", "raster.quads_per_cycle=4", "fragment.queues='per-processor'",
        "queues.fragment=128", "early_z.in_flight_quads=64", path=(1,), attributes=attributes,
    )  # fmt: skip
    assert frame.unit_cycles["rasterizer"]["busy"] == -(-64 // burst)


@pytest.mark.parametrize(("flight", "latency"), [(1, 2), (2, 8), (3, 10), (8, 8)])
def test_early_z_in_flight_limit(flight: int, latency: int) -> None:
    """Quad i enters at (i div F) x L + i mod F when F quads in flight stay L cycles each (F <= L)."""
    frame = one_tile(f"early_z.in_flight_quads={flight}", f"early_z.latency_cycles={latency}", path=(1,), attributes=1)
    last = 63 // flight * latency + 63 % flight
    assert tile_cycles(frame) == 2 + 1 + last + latency + 1 + 1 + 1


@pytest.mark.parametrize(("threads", "queue", "flight"), [(4, 8, 6), (1, 1, 4), (16, 4, 8)])
@pytest.mark.parametrize("alu", [10, 33])
def test_full_queue_stalls_the_rasterizer(threads: int, queue: int, flight: int, alu: int) -> None:
    """One processor: the last of Q quads enters when Q - threads - queue - in flight have retired, at 3 + EZ + N x
    that, so the rasterizer is stalled for all cycles since its first quad (at 1) that it did not spend on Q quads.
    """
    frame = one_tile(
        "fragment.processors=1", f"fragment.threads={threads}", f"queues.fragment={queue}",
        f"early_z.in_flight_quads={flight}", path=(alu,), attributes=1,
    )  # fmt: skip
    last = 2 + EZ + alu * (64 - threads - queue - flight)
    assert frame.unit_cycles["rasterizer"]["queue"] == last - 1 + 1 - 64
    assert tile_cycles(frame) == 2 + 2 + EZ + 64 * alu + 1


@pytest.mark.parametrize(("entries", "flight"), [(1, 6), (9, 6), (20, 1), (40, 6)])
@pytest.mark.parametrize("alu", [10, 33])
def test_full_post_rasterization_queue(entries: int, flight: int, alu: int) -> None:
    """Thesis Table 4.1: a queue of E quads in front of Early-Z. It costs a quad a cycle, and the last of Q quads enters
    it when Q - threads - fragment queue - in flight - E have retired, at 4 + EZ + N x that: the Rasterizer is stalled
    for all cycles since its first quad (at 1) that it did not spend on Q quads, and not at all where E holds the rest.
    """
    frame = one_tile(
        "fragment.processors=1", "fragment.threads=4", "queues.fragment=8", f"early_z.in_flight_quads={flight}",
        f"queues.post_raster={entries}", path=(alu,), attributes=1,
    )  # fmt: skip
    last = 3 + EZ + alu * (64 - 4 - 8 - flight - entries)
    assert frame.unit_cycles["rasterizer"]["queue"] == last - 64
    assert frame.unit_cycles["rasterizer"]["busy"] == 64
    assert tile_cycles(frame) == 2 + 3 + EZ + 64 * alu + 1
    roomy = one_tile("fragment.processors=1", "queues.post_raster=64", path=(alu,), attributes=1)
    assert roomy.unit_cycles["rasterizer"]["queue"] == 0


@pytest.mark.parametrize(("flight", "latency"), [(1, 2), (2, 8), (3, 10), (8, 8)])
def test_blending_in_flight_limit(flight: int, latency: int) -> None:
    """Quad i enters Blending at (i div F) x L + i mod F when F quads in flight stay L cycles each (F <= L)."""
    frame = one_tile(
        f"blend.in_flight_quads={flight}", f"blend.latency_cycles={latency}", path=(1,), attributes=1
    )  # fmt: skip
    last = 63 // flight * latency + 63 % flight
    assert tile_cycles(frame) == 2 + 1 + EZ + 1 + 1 + last + latency + 1


def test_the_rasterizer_goes_on_with_the_next_tile() -> None:
    """Two tiles of 64 quads on one processor of N instructions: without a Post-Rasterization queue the Rasterizer waits
    for the second one until Early-Z has passed on the first, about 64 N cycles less threads and queue; with one of 128
    quads it has rasterized both 128 cycles after its first quad, whatever N is.
    """
    done = {}
    for entries in (0, 128):
        scene = Scene(32, 16)
        path = scene.path(50)
        draw = scene.draw(attributes=1, vertex_path=scene.path(1))
        scene.quad_block(draw, 0, 0, 32, 16, path=path)
        frame = machine(
            "fragment.processors=1", "fragment.queues='per-processor'", "tile_fetcher.design='pipelined'",
            "tile_fetcher.tile_pipelining=true", f"queues.post_raster={entries}",
        ).run_frame(scene.trace())  # fmt: skip
        states = frame.unit_cycles["rasterizer"]
        done[entries] = states["busy"] + states["queue"] + states["dependency"] + states["data"]
        assert states["busy"] == 128
    assert done[128] == 128
    assert done[0] > 64 * 50 // 4


def test_a_full_processor_blocks_the_shared_queue() -> None:
    """Thesis §4.1.1: all quads of two rows of quads are one processor's (map `rows`); with a thread each and a queue
    of one, the processors work one after the other: 64 N in all; with a queue each they overlap.
    """
    shared = one_tile("fragment.quad_map='rows'", "fragment.threads=1", "queues.fragment=1", path=(100,), attributes=1)
    apart = one_tile(
        "fragment.quad_map='rows'", "fragment.threads=1", "queues.fragment=16", "fragment.queues='per-processor'",
        path=(100,), attributes=1,
    )  # fmt: skip
    # In each group of four rows a processor's eight quads come together; two of the next row's hide behind the last
    # one.
    assert tile_cycles(apart) == 2 + 2 + EZ + 24 + 16 * 100 + 1
    assert tile_cycles(shared) > 3 * tile_cycles(apart)


def test_front_to_back_kills_early_and_back_to_front_does_not() -> None:
    """Two planes: front to back shades one (64 N cycles of issue), back to front both (128 N)."""
    for depths, layers in (((0.25, 0.75), 1), ((0.75, 0.25), 2)):
        scene = Scene(16, 16)
        p, v = scene.path(5), scene.path(1)
        draw = scene.draw(depth_test=True, depth_write=True, vertex_path=v)
        for depth in depths:
            scene.quad_block(draw, 0, 0, 16, 16, path=p, depth=depth)
        frame = machine().run_frame(scene.trace())
        assert frame.counters["fragments.shaded"] == 256 * layers
        assert frame.counters["fragments.early_z_killed"] == 256 * (2 - layers)
        assert processors(frame, "busy") == 64 * 5 * layers


@pytest.mark.parametrize("texels", [1, 4, 16])
@pytest.mark.parametrize("rate", [1, 4, 8])
def test_filter_rate(texels: int, rate: int) -> None:
    """A look-up of t texels a lane occupies the texture unit for ceil(4 t / rate) cycles: a thread's quad takes 1 +
    that + 1.
    """

    def cycles(rows: int) -> int:
        return tile_cycles(
            one_tile("fragment.processors=1", "fragment.threads=1", f"fragment.texels_per_cycle={rate}",
                     quads=(8, rows),
                     path=(0, 1), attributes=1, lines=[[5]], texels=texels)
        )  # fmt: skip

    assert cycles(8) - cycles(4) == 32 * (1 + -(-4 * texels // rate) + 1)


@pytest.mark.parametrize(("near", "far", "width", "l2"), [(50, 100, 4, 2), (10, 300, 8, 18), (5, 7, 64, 1)])
def test_isolated_texture_miss(near: int, far: int, width: int, l2: int) -> None:
    """A miss is back after 1 (to the L2) + row latency + 64 / width + L2 latency cycles; a hit after 1."""
    settings = (
        f"memory.paper.row_hit_cycles={near}", f"memory.paper.row_miss_cycles={far}",
        f"memory.paper.bytes_per_cycle={width}", f"caches.l2.latency_cycles={l2}",
    )  # fmt: skip
    hit = tile_cycles(one_tile(*settings, quads=(1, 1), path=(1, 1), attributes=1, lines=[[]]))
    miss = tile_cycles(one_tile(*settings, quads=(1, 1), path=(1, 1), attributes=1, lines=[[9]]))
    assert miss - hit == 1 + far + 64 // width + l2 - 1
    # Lines 0 and 2 lie in one channel and row: the second one finds the row open.
    two = tile_cycles(one_tile(*settings, quads=(1, 1), path=(1, 0, 1), attributes=1, lines=[[0], [2]]))
    assert two - miss == 1 + (1 + near + 64 // width + l2)


def test_l2_hit_after_eviction() -> None:
    """Three lines of a set of two ways: the first one again is an L1 miss and an L2 hit: 1 + L2 latency."""
    sets = 8192 // 64 // 2
    three = [[0], [sets], [2 * sets]]
    base = tile_cycles(one_tile(quads=(1, 1), path=(1, 0, 0, 1), attributes=1, lines=three))
    again = one_tile(quads=(1, 1), path=(1, 0, 0, 0, 1), attributes=1, lines=[*three, [0]])
    assert again.counters["cache.texture.primary_misses"] == 4
    assert tile_cycles(again) - base == 1 + (1 + 2)


@pytest.mark.parametrize("mshrs", [1, 2, 4])
def test_miss_registers_full(mshrs: int) -> None:
    """Misses of M registers: with one, a line every 119 cycles (1 + 100 + 16 + 2); with more, as many of them in that
    time.
    """

    def cycles(count: int) -> int:
        # Each line in a row of its own, so that every one is a row miss; one channel in turn.
        return tile_cycles(
            one_tile("fragment.processors=1", "fragment.threads=62", f"caches.texture.mshrs={mshrs}", quads=(count, 1),
                     path=(0, 1), attributes=1, lines=lambda x, y: [[128 * x]])
        )  # fmt: skip

    assert cycles(8) - cycles(8 - mshrs) == 119


def test_memory_bound_stream() -> None:
    """Enough registers: a line every 64 / width cycles, whatever the latency."""
    for width in (2, 4, 8):

        def cycles(count: int, width: int = width) -> int:
            return tile_cycles(
                one_tile("fragment.processors=1", "fragment.threads=62", "caches.texture.mshrs=32",
                         "caches.texture.request_queue=32", f"memory.paper.bytes_per_cycle={width}", quads=(8, count),
                         path=(0, 1), attributes=1, lines=lambda x, y: [[128 * (8 * y + x)]])
            )  # fmt: skip

        assert cycles(4) - cycles(3) == 8 * 64 // width


def test_misses_to_one_line_merge() -> None:
    """64 quads that want one line: one request to memory; those that come before it is back count as misses too."""
    frame = one_tile("fragment.processors=1", "fragment.threads=16", path=(1, 1), attributes=1, lines=[[3]])
    assert frame.counters["cache.texture.primary_misses"] == 1
    assert frame.counters["dram.read_bytes.texture"] == 64
    assert frame.counters["cache.texture.misses"] == 16
    assert frame.counters["cache.texture.hits"] == 48


@pytest.mark.parametrize(("ways", "hits"), [(1, 0), (2, 0), (4, 192 - 3)])
def test_conflict_misses(ways: int, hits: int) -> None:
    """Three lines of one set in turn: LRU of one or two ways never hits, of four only misses three times."""
    sets = 8192 // 64 // ways
    frame = one_tile(
        "fragment.processors=1", "fragment.threads=1", f"caches.texture.ways={ways}", path=(0, 0, 0, 1), attributes=1,
        lines=[[0], [sets], [2 * sets]],
    )  # fmt: skip
    assert frame.counters["cache.texture.hits"] == hits
    assert frame.counters["cache.texture.accesses"] == 192


@pytest.mark.parametrize("size", [4096, 8192, 16384])
def test_a_working_set_fits_or_not(size: int) -> None:
    """128 lines (8 KB) read twice in order: the second time all hit from 8 KB on, none below (LRU)."""
    frame = one_tile(
        "fragment.processors=1", "fragment.threads=1", f"caches.texture.size_bytes={size}", path=(0, 1), attributes=1,
        lines=lambda x, y: [[4 * ((8 * y + x) % 32) + k for k in range(4)]],
    )  # fmt: skip
    assert frame.counters["cache.texture.hits"] == (128 if size >= 8192 else 0)


@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_threads_hide_a_texture_miss(threads: int) -> None:
    """N instructions, a miss of M cycles, 1 instruction, wide memory: T threads finish T quads in N + 1 + M + 1
    cycles.
    """
    miss = 1 + 100 + 1 + 2

    def cycles(count: int) -> int:
        return tile_cycles(
            one_tile("fragment.processors=1", f"fragment.threads={threads}", "memory.paper.bytes_per_cycle=64",
                     "caches.texture.mshrs=32", "caches.texture.request_queue=32", quads=(8, count), path=(4, 1),
                     attributes=1, lines=lambda x, y: [[128 * (8 * y + x)]])
        )  # fmt: skip

    assert cycles(4) - cycles(3) == 8 // threads * (4 + 1 + miss + 1)


@pytest.mark.parametrize("latency", [1, 2, 5])
@pytest.mark.parametrize("attributes", [1, 2, 3, 4, 12])
def test_tile_fetch_time(latency: int, attributes: int) -> None:
    """Simple fetcher on hits: (pointer + attribute requests) x latency a primitive."""
    frame = one_tile(f"caches.tile.latency_cycles={latency}", attributes=attributes)
    assert frame.counters["tile_fetch.cycles"] == (1 + REQUESTS[attributes]) * latency
    assert frame.counters["tile_fetch.requests"] == 1 + REQUESTS[attributes]


@pytest.mark.parametrize("count", [1, 15, 16, 31, 40])
def test_list_blocks_are_chained(count: int) -> None:
    """A block holds 15 pointers; each further block costs a request for its link."""
    scene = Scene(16, 16)
    p, v = scene.path(1), scene.path(1)
    draw = scene.draw(attributes=1, vertex_path=v)
    for _ in range(count):
        scene.quad_block(draw, 0, 0, 2, 2, path=p)
    frame = machine().run_frame(scene.trace())
    # Of four attributes in a row (192 bytes) two cross a line.
    attributes = sum((0, 1, 1, 0)[k % 4] + 1 for k in range(count))
    assert frame.counters["tile_fetch.requests"] == count + attributes + (count - 1) // 15
    assert frame.passes[0].streams.parameter_bytes == 64 * (1 + (count - 1) // 15) + 48 * count


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_tile_flush(width: int) -> None:
    """Empty tiles of 16x16 at 4 bytes a pixel: one every 1024 / width cycles."""

    def cycles(tiles: int) -> int:
        return machine(f"memory.paper.bytes_per_cycle={width}").run_frame(Scene(16 * tiles, 16).trace()).raster_cycles

    assert cycles(24) - cycles(12) == 12 * 1024 // width


@pytest.mark.parametrize(("width", "height"), [(10, 6), (16, 3), (23, 17)])
def test_edge_tiles_flush_their_pixels_only(width: int, height: int) -> None:
    """Written bytes are 4 x width x height, whatever the tiles."""
    frame = machine().run_frame(Scene(width, height).trace())
    assert frame.counters["dram.write_bytes.color"] == 4 * width * height
    assert frame.counters["tiles.flushed"] == -(-width // 16) * -(-height // 16)


def test_depth_store_doubles_the_flush() -> None:
    """Colour and depth of 4 bytes each: 2048 / 4 cycles a tile."""

    def cycles(tiles: int) -> int:
        scene = Scene(16 * tiles, 16)
        scene.passes[0]["changes"] = {"depth_store": StoreOp.STORE}
        return machine().run_frame(scene.trace()).raster_cycles

    assert cycles(24) - cycles(12) == 12 * 2048 // 4


@pytest.mark.parametrize("pipelined", [True, False])
def test_a_stored_depth_buffer_keeps_early_z_waiting(pipelined: bool) -> None:
    """Tiles of one quad of N instructions, a write queue of one. Colours are flushed beside the next tile, 16 requests
    at 16 cycles; depths that are stored too have one buffer: the next tile's tests wait for all 32 requests, request k
    of which is queued at 16 (k - 2), whether tiles are pipelined or not.
    """

    def per_tile(depth_store: StoreOp) -> float:
        def cycles(tiles: int) -> int:
            scene = Scene(16 * tiles, 16)
            scene.passes[0]["changes"] = {"depth_store": depth_store}
            p, v = scene.path(400), scene.path(1)
            draw = scene.draw(attributes=1, vertex_path=v, depth_test=True, depth_write=True)
            for k in range(tiles):
                scene.quad_block(draw, 16 * k, 0, 2, 2, path=p)
            how = ("tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true") if pipelined else ()
            return machine("memory.paper.write_queue=1", *how).run_frame(scene.trace()).raster_cycles

        return (cycles(9) - cycles(5)) / 4

    assert 400 <= per_tile(StoreOp.DONT_CARE) <= 430
    assert 400 + 30 * 16 <= per_tile(StoreOp.STORE) <= 430 + 30 * 16


@pytest.mark.parametrize("buffers", [1, 2])
def test_flush_overlaps_with_two_buffers(buffers: int) -> None:
    """A tile of 64 N / 4 cycles longer than its flush (256): with two Colour Buffers only the tiles count; with one,
    blending of a tile waits for the flush's requests, which are queued behind each other at 16 cycles.
    """

    def cycles(tiles: int, alu: int = 100) -> int:
        scene = Scene(16 * tiles, 16)
        p, v = scene.path(alu), scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=v)
        for k in range(tiles):
            scene.quad_block(draw, 16 * k, 0, 16, 16, path=p)
        return machine(f"blend.color_buffers={buffers}").run_frame(scene.trace()).raster_cycles

    # 16 requests of a tile fit in the write queue, so that one buffer costs nothing either here.
    per_tile = 2 + 1 + EZ + 1 + 9 + 16 * 100 + 1 + 1
    # Every fourth tile's attribute starts at a line's begin; two of four cross a line.
    assert cycles(9) - cycles(5) == 4 * per_tile + 2


def test_one_colour_buffer_waits_for_the_flush() -> None:
    """A flush of 16 requests through a write queue of one. The first flush starts on an idle memory: its request k is
    queued at 2 + 16 (k - 2), the last at 226; the later ones at 16 k behind the one before, the last at 256. A tile's
    quad would be blended 9 cycles after the tile before has ended, 10 where its attribute crosses a line (the second
    and third of four).
    """

    def stalled(buffers: int) -> int:
        scene = Scene(64, 16)
        p, v = scene.path(1), scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=v)
        for k in range(4):
            scene.quad_block(draw, 16 * k, 0, 2, 2, path=p)
        frame = machine(f"blend.color_buffers={buffers}", "memory.paper.write_queue=1").run_frame(scene.trace())
        return frame.unit_cycles["blend"]["dependency"]

    assert stalled(2) == 0
    assert stalled(1) == (226 - 10) + (256 - 10) + (256 - 9)


def test_tiles_do_not_overlap() -> None:
    """The simple scheduler fetches tile i + 1 in the cycle after tile i has ended: the barrier costs one cycle."""
    scene = Scene(64, 32)
    p, v = scene.path(3), scene.path(1)
    draw = scene.draw(attributes=2, vertex_path=v)
    scene.quad_block(draw, 0, 0, 64, 32, path=p)
    frame = machine("memory.paper.bytes_per_cycle=64").run_frame(scene.trace())
    tiles = frame.passes[0].streams.tiles
    np.testing.assert_array_equal(tiles["start"][1:] - tiles["end"][:-1], 1)


def test_tile_queue_entries_hold_eight_attributes() -> None:
    """A primitive of 9 attributes takes two entries: a Tile Queue of four holds two of them, of four with 8."""

    def stalls(attributes: int) -> int:
        scene = Scene(16, 16)
        p, v = scene.path(200), scene.path(1)
        draw = scene.draw(attributes=attributes, vertex_path=v)
        for _ in range(12):
            scene.quad_block(draw, 0, 0, 2, 2, path=p)
        frame = machine("queues.tile=4", "fragment.threads=1", "queues.fragment=1", "early_z.in_flight_quads=1")
        result = frame.run_frame(scene.trace())
        return int(max(result.passes[0].streams.pairs["entries"]))

    assert (stalls(8), stalls(9)) == (1, 2)


def test_clear_in_a_pass_waits_for_the_tile() -> None:
    """A clear between two draws of a quad: the second quad enters after the first has been blended."""

    def cycles(clear: bool) -> int:
        scene = Scene(16, 16)
        p, v = scene.path(50), scene.path(1)
        for k in range(2):
            draw = scene.draw(attributes=1, vertex_path=v)
            scene.quad_block(draw, 4 * k, 0, 2, 2, path=p)
        if clear:
            scene.clear_after(1, buffers=1 << 16, clear_depth=5)
        return tile_cycles(machine("fragment.processors=1").run_frame(scene.trace()))

    # Quad 1 is blended at 2 + 1 + EZ + 1 + 50 + 1 = 57; the rasterizer clears in that cycle and sends quad 2 in the
    # next.
    assert cycles(True) == 57 + 1 + EZ + 1 + 50 + 1
    assert cycles(False) == 57 + 50


def test_texture_lookups_take_a_cycle_a_line() -> None:
    """A quad of L lines that all hit costs max(L, texel cycles) in the texture unit: from 32 to 64 quads, 32 L more."""
    for count in (2, 5):

        def cycles(rows: int, count: int = count) -> int:
            return tile_cycles(
                one_tile("fragment.processors=1", "fragment.threads=1", quads=(8, rows), path=(0, 1), attributes=1,
                         lines=[list(range(count))])
            )  # fmt: skip

        # One thread: issue of the look-up 1, lines L with the last one's latency 1, last instruction 1.
        assert cycles(8) - cycles(4) == 32 * (1 + count + 1)


def test_reads_go_before_posted_writes() -> None:
    """A miss while the tile before is flushed (16 writes queued) waits for the write under way: under 16 cycles."""

    def second_tile(lines: list[list[int]]) -> int:
        scene = Scene(32, 16)
        p, v = scene.path(1, 1), scene.path(1)
        draw = scene.draw(attributes=1, vertex_path=v)
        scene.quad_block(draw, 0, 0, 2, 2, path=p, lines=[[]])
        scene.quad_block(draw, 16, 0, 2, 2, path=p, lines=lines)
        return tile_cycles(machine().run_frame(scene.trace()), 1)

    delay = second_tile([[9]]) - second_tile([[]])
    assert 0 <= delay - (1 + 100 + 16 + 2 - 1) < 16
