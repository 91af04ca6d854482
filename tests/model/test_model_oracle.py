"""Random frames: wake-up loop against tick-everything loop, pixels against program order, conservation laws."""

from __future__ import annotations

import numpy as np
import pytest
from model_laws import check_conservation
from model_scene import DEPTH24, Scene
from pass_rows import quad_rows

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace, LoadOp, MemoryMap, StoreOp

INSTRUCTION_CACHES = (
    "fragment.instruction_caches=2", "vertex.instruction_cache=true", "vertex.processors=2",
    "caches.instruction.size_bytes=128", "caches.instruction.ways=1",
    "caches.instruction.latency_cycles=1", "caches.instruction.mshrs=2", "caches.instruction.request_queue=2",
)  # fmt: skip
SETTINGS = {
    "vro": (),
    "narrow": (
        "raster.quads_per_cycle=4", "raster.attributes_per_cycle=16", "vertex.processors=4", "fragment.processors=2",
        "fragment.threads=2", "queues.fragment=4", "queues.color=2", "queues.tile=2", "early_z.in_flight_quads=3",
        "caches.texture.mshrs=1", "caches.texture.request_queue=1", "caches.l2.mshrs=2", "memory.paper.read_queue=2",
        "memory.paper.write_queue=3", "blend.color_buffers=1", "caches.texture.size_bytes=256",
        "caches.tile.size_bytes=512", "caches.tile.ways=2", "caches.tile.request_queue=1",
        "caches.l2.size_bytes=1024", "queues.vertex_input=2", "queues.vertex_output=1",
    ),
    "wide": (
        "fragment.queues='per-processor'", "fragment.processors=8", "tile.width=32", "tile.height=32",
        "raster.quads_per_cycle=4", "raster.attributes_per_cycle=16", "queues.fragment=16", "tile.order='snake'",
        "fragment.quad_map='rows'", "caches.texture.latency_cycles=2", "caches.l2.latency_cycles=18",
    ),
    "pipelined": (
        "tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true", "tile_fetcher.primitive_table=3",
        "queues.tile=3", "caches.tile.latency_cycles=2", "caches.tile.size_bytes=256", "caches.tile.ways=2",
        "caches.tile.mshrs=2", "fragment.queues='per-processor'", "raster.quads_per_cycle=4", *INSTRUCTION_CACHES,
    ),
    "units": (
        "binning.tests_per_cycle=2", "raster.units=3", "raster.assignment='mixed'", "tile_fetcher.design='pipelined'",
        "tile_fetcher.tile_pipelining=true", "blend.color_buffers=1", "fragment.processors=2", "queues.tile=4",
        "queues.color=3",
    ),
    "shared-textures": (
        "raster.units=2", "fragment.shared_texture_caches=true", "fragment.quad_map='1-quadrant'",
        "tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true", "fragment.threads=5",
        "caches.texture.mshrs=2", "caches.texture.request_queue=1", "caches.texture.size_bytes=512",
        "fragment.queues='per-processor'",
    ),
    "thesis-queues": (
        "tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true", "fragment.queues='per-processor'",
        "raster.quads_per_cycle=2", "raster.attributes_per_cycle=16", "queues.post_raster=64", "queues.fragment=8",
        "early_z.in_flight_quads=5", "blend.in_flight_quads=3", "blend.latency_cycles=4",
    ),
    "small-queues": (
        "raster.units=2", "tile_fetcher.design='pipelined'", "tile_fetcher.tile_pipelining=true",
        "blend.color_buffers=1", "queues.post_raster=3", "queues.fragment=2", "blend.in_flight_quads=1",
        "queues.color=2", "raster.quads_per_cycle=4", "raster.attributes_per_cycle=16",
    ),
    "queues-simple": (
        "queues.post_raster=7", "binning.tests_per_cycle=1", "blend.in_flight_quads=2", "blend.latency_cycles=1",
    ),
    "units-simple": ("raster.units=2", "raster.assignment='dynamic'", "tile.order='z-order'"),
}  # fmt: skip


def random_scene(seed: int) -> Scene:
    """A frame with every kind of draw that decides depth and stencil."""
    rng = np.random.default_rng(seed)
    scene = Scene(int(rng.integers(20, 70)) & ~1, int(rng.integers(20, 70)) & ~1, frame=seed)
    paths = [scene.path(*rng.integers(0, 9, size=int(rng.integers(1, 4))).tolist()) for _ in range(4)]
    vertex_path = scene.path(int(rng.integers(1, 30)))
    for number in range(int(rng.integers(4, 14))):
        if number and rng.random() < 0.12:
            scene.begin_pass(
                depth_load=int(rng.choice([LoadOp.CLEAR, LoadOp.LOAD, LoadOp.DONT_CARE])),
                stencil_load=int(rng.choice([LoadOp.CLEAR, LoadOp.LOAD])),
                depth_address=MemoryMap.RENDER_TARGETS + (1 << 27),
                color_load=np.array([int(rng.choice([LoadOp.CLEAR, LoadOp.LOAD]))] + [0] * 7, np.uint8),
                depth_store=int(rng.choice([StoreOp.STORE, StoreOp.DONT_CARE])),
                transfer_read_bytes=int(rng.integers(0, 99)),
            )
        flags = int(rng.choice([0, 0, 0, DrawFlags.DISCARDS, DrawFlags.WRITES_DEPTH]))
        stencil = {}
        if rng.random() < 0.25:
            ops = [0x1E00, 0, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508]
            stencil = {
                "stencil_test": 1,
                "stencil_func": rng.choice(range(0x200, 0x208), 2).astype(np.uint16),
                "stencil_ref": rng.integers(0, 4, 2).astype(np.uint8),
                "stencil_read_mask": np.array([255, 3], np.uint8),
                "stencil_write_mask": np.array([255, 1], np.uint8),
                **{
                    name: rng.choice(ops, 2).astype(np.uint16)
                    for name in ("stencil_fail", "stencil_depth_fail", "stencil_depth_pass")
                },
            }
        draw = scene.draw(
            attributes=int(rng.integers(1, 12)), depth_test=bool(rng.random() < 0.8),
            depth_write=bool(rng.random() < 0.8),
            depth_func=int(rng.choice([0x201, 0x201, 0x203, *range(0x200, 0x208)])),
            flags=flags, blend=bool(rng.random() < 0.3), vertex_path=vertex_path, stencil=stencil,
            fetches=[(2 << 36, int(rng.integers(8, 80)), int(rng.integers(4, 48)))],
            indexed=bool(rng.random() < 0.5), constants_new_bytes=int(rng.integers(0, 300)),
        )  # fmt: skip
        for _ in range(int(rng.integers(0, 6))):
            if rng.random() < 0.2:
                scene.cull(draw)
                continue
            path = int(rng.choice(paths))
            textures = len(scene.paths[path].alu) - 1
            x, y = int(rng.integers(0, scene.width // 2)) * 2, int(rng.integers(0, scene.height // 2)) * 2
            scene.quad_block(
                draw, x, y, min(int(rng.integers(1, 16)) * 2, scene.width - x),
                min(int(rng.integers(1, 16)) * 2, scene.height - y), path=path, depth=float(rng.integers(0, 8)) / 8,
                lines=[rng.integers(0, 4000, int(rng.integers(1, 5))).tolist() for _ in range(textures)],
                survives=int(rng.integers(0, 16)) if flags else 15,
            )  # fmt: skip
        if rng.random() < 0.15:
            scene.clear_after(
                len(scene.draws), buffers=1 << 16 | 1 << 17, clear_depth=int(0.4 * 0xFFFFFF), stencil_mask=255,
                clear_stencil=1,
            )  # fmt: skip
    return scene


def in_program_order(trace: FrameTrace) -> tuple[list[int], int]:
    """Mask of written fragments of each quad by a plain walk in submission order, and the largest kept depth sum."""
    kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    passes, draws, quads, events = (trace[n] for n in ("passes", "draws", "quads", "events"))
    written = [0] * quads.num_rows
    total = 0

    def apply(op: int, stored: int, ref: int, mask: int) -> int:
        value = {
            0x1E00: stored, 0: 0, 0x1E01: ref, 0x1E02: min(stored + 1, 255), 0x1E03: max(stored - 1, 0),
            0x150A: stored ^ 255, 0x8507: (stored + 1) & 255, 0x8508: (stored - 1) & 255,
        }[op]  # fmt: skip
        return (stored & ~mask) | (value & mask)

    def holds(func: int, a: int, b: int) -> bool:
        return [False, a < b, a == b, a <= b, a > b, a != b, a >= b, True][func - 0x200]

    for p in range(passes.num_rows):
        w, h = int(passes["width"][p]), int(passes["height"][p])
        address = int(passes["depth_address"][p])
        # What is not loaded is undefined: whatever the target held, at first 0.
        depth, stencil = kept.get(address, (np.zeros((h, w), np.int64), np.zeros((h, w), np.int64)))
        if passes["depth_load"][p] == LoadOp.CLEAR:
            depth = np.full((h, w), int(passes["clear_depth"][p]), np.int64)
        if passes["stencil_load"][p] == LoadOp.CLEAR:
            stencil = np.full((h, w), int(passes["clear_stencil"][p]), np.int64)
        for k in range(int(passes["event_first"][p]), int(passes["event_first"][p]) + int(passes["event_count"][p])):
            if events["kind"][k] == EventKind.CLEAR:
                x0, y0 = max(int(events["x"][k]), 0), max(int(events["y"][k]), 0)
                x1, y1 = int(events["x"][k] + events["width"][k]), int(events["y"][k] + events["height"][k])
                if events["buffers"][k] >> 16 & 1:
                    depth[y0:y1, x0:x1] = events["clear_depth"][k]
                if events["buffers"][k] >> 17 & 1:
                    mask = int(events["stencil_mask"][k])
                    stencil[y0:y1, x0:x1] &= ~mask
                    stencil[y0:y1, x0:x1] |= int(events["clear_stencil"][k]) & mask
            if events["kind"][k] != EventKind.DRAW:
                continue
            d = int(events["draw"][k])
            q0 = int(draws["quad_first"][d])
            late_depth = bool(draws["flags"][d] & DrawFlags.WRITES_DEPTH)
            for q in range(q0, q0 + int(draws["quad_count"][d])):
                for f in range(4):
                    if not (quads["coverage"][q] & quads["survives"][q]) >> f & 1:
                        continue
                    y, x = 2 * int(quads["y"][q]) + (f >> 1), 2 * int(quads["x"][q]) + (f & 1)
                    z = int(quads["shader_depth"][q, f] if late_depth else quads["depth"][q, f])
                    passes_depth = not draws["depth_test"][d] or holds(int(draws["depth_func"][d]), z, depth[y, x])
                    if draws["stencil_test"][d]:
                        read, ref = int(draws["stencil_read_mask"][d][0]), int(draws["stencil_ref"][d][0])
                        mask = int(draws["stencil_write_mask"][d][0])
                        stored = int(stencil[y, x])
                        if not holds(int(draws["stencil_func"][d][0]), ref & read, stored & read):
                            stencil[y, x] = apply(int(draws["stencil_fail"][d][0]), stored, ref, mask)
                            continue
                        name = "stencil_depth_pass" if passes_depth else "stencil_depth_fail"
                        stencil[y, x] = apply(int(draws[name][d][0]), stored, ref, mask)
                    if not passes_depth:
                        continue
                    if draws["depth_write"][d]:
                        depth[y, x] = z
                    written[q] |= 1 << f
        kept[address] = depth, stencil
        total += int(depth.sum())
    return written, total


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("seed", range(8))
def test_wake_up_loop_equals_tick_everything_loop(seed: int, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    traces = [random_scene(100 * seed + k).trace() for k in range(2)]
    wake, every = Machine(config), Machine(config, every_cycle=True)
    for trace in traces:
        a, b = wake.run_frame(trace), every.run_frame(trace)
        assert (a.geometry_cycles, a.raster_cycles) == (b.geometry_cycles, b.raster_cycles)
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles
        for p, q in zip(a.passes, b.passes, strict=True):
            np.testing.assert_array_equal(p.retired, q.retired)
            np.testing.assert_array_equal(p.streams.tiles, q.streams.tiles)
        check_conservation(a, trace)


@pytest.mark.parametrize("settings", SETTINGS, ids=list(SETTINGS))
@pytest.mark.parametrize("seed", range(12))
def test_written_fragments_are_those_of_program_order(seed: int, settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    trace = random_scene(1000 + seed).trace()
    frame = Machine(config).run_frame(trace)
    expected, _ = in_program_order(trace)
    found = np.zeros(trace["quads"].num_rows, np.int64)
    for p in frame.passes:
        n = p.streams.quad_rows[1] - p.streams.quad_rows[0]
        found[quad_rows(trace, p)] = p.streams.written[:n]
    np.testing.assert_array_equal(found, expected)
    assert DEPTH24
