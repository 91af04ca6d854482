"""List prefetch: what it reads, that it changes time alone, both loops."""

from __future__ import annotations

import pytest
from model_scene import Scene
from test_model_oracle import random_scene

from gpumodel import Run, load_config
from gpumodel.quad_maps import quad_map
from gpumodel.streams import PassTables
from gpumodel.tile_lists import list_lines
from traceformat.gputrace.frametrace import FrameTrace

SCALED = "screen.scale_to_trace=true"


@pytest.mark.parametrize("attributes", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_lines_are_those_that_a_walk_of_the_list_touches(seed: int, attributes: bool) -> None:
    config = load_config("mali450-vro", [SCALED])
    streams = PassTables(random_scene(seed).trace(), config, quad_map(config)).arrange(0)
    first, lines = list_lines(streams, attributes=attributes)
    assert len(first) == len(streams.tiles) + 1
    for tile, t in enumerate(streams.tiles):
        expected, block = [], None
        for p in streams.pairs[t["pair_first"] : t["pair_first"] + t["pair_count"]]:
            if p["pointer_line"] != block:
                block = int(p["pointer_line"])
                expected.append(block)
            if attributes and p["attributes"]:
                begin, end = int(p["attribute_address"]), int(p["attribute_address"]) + 48 * int(p["attributes"]) - 1
                expected += range(begin // 64, end // 64 + 1)
        assert lines[first[tile] : first[tile + 1]].tolist() == expected


def long_tiles(primitives: int, attributes: int = 2) -> FrameTrace:
    """Four tiles in a row, each with so many primitives of long shaders."""
    scene = Scene(64, 16)
    path = scene.path(200)
    draw = scene.draw(attributes=attributes, vertex_path=scene.path(1))
    for k in range(4):
        for _ in range(primitives):
            scene.quad_block(draw, 16 * k, 0, 2, 2, path=path)
    return scene.trace()


def run(trace: FrameTrace, *settings: str, technique: str = "list-prefetch", every_cycle: bool = False) -> Run:
    one = Run(
        load_config("mali450-vro", [SCALED, *settings]), [technique] if technique else [], every_cycle=every_cycle
    )
    one.add(trace)
    return one


@pytest.mark.parametrize(("attributes", "lines"), [("false", 2), ("true", 2 + 40)])
def test_tiles_with_time_have_their_whole_list_read(attributes: str, lines: int) -> None:
    """20 pointers are two blocks; two attributes of 48 bytes lie in two lines. The first tile has nobody before it."""
    result = run(long_tiles(20), f"list_prefetch.attributes={attributes}").result.frames[0]
    assert result.counters["list-prefetch.reads"] == pytest.approx(3 * lines, abs=3 * 10 if lines > 2 else 0)
    plain = run(long_tiles(20), technique="").result.frames[0]
    assert result.counters["fragments.shaded"] == plain.counters["fragments.shaded"]
    assert result.counters["tile_fetch.requests"] == plain.counters["tile_fetch.requests"]


def test_a_list_that_is_read_ahead_is_fetched_from_the_cache() -> None:
    """A Tile Cache that holds a tile's list but not those of all: its fetcher waits for fewer lines."""
    small = ("caches.tile.size_bytes=16384", "caches.tile.ways=8")
    cycles = {
        technique: run(long_tiles(60), *small, technique=technique).result.frames[0].counters["tile_fetch.cycles"]
        for technique in ("", "list-prefetch")
    }
    assert cycles["list-prefetch"] < cycles[""]


@pytest.mark.parametrize("memory", ["paper", "dram"])
@pytest.mark.parametrize("attributes", ["false", "true"])
@pytest.mark.parametrize("design", ["simple", "pipelined"])
def test_the_loops_agree(design: str, attributes: str, memory: str) -> None:
    settings = (
        f"memory.mode={memory}", f"tile_fetcher.design={design}", f"list_prefetch.attributes={attributes}",
        "caches.tile.size_bytes=256", "caches.tile.ways=2", "caches.tile.mshrs=1", "caches.tile.request_queue=1",
    )  # fmt: skip
    for trace in (random_scene(5).trace(), long_tiles(9)):
        wake, every = (run(trace, *settings, every_cycle=on).result.frames[0] for on in (False, True))
        assert wake.counters == every.counters
        assert wake.stalls == every.stalls
        assert wake.cycles == every.cycles
        assert wake.counters["list-prefetch.reads"] > 0
