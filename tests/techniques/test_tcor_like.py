"""Replacement by tile order: against a plain twin and Belady's rule on the accesses of a pass; lines that are dead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import random_states
from model_scene import Scene
from object_films import object_film
from test_model_oracle import SETTINGS, random_scene
from verified import verified_run

from gpumodel.config import apply_settings, load_config
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine
from gpumodel.quad_maps import quad_map
from gpumodel.streams import PassStreams, PassTables
from gpumodel.techniques.registry import combine, known_techniques
from traceformat.gputrace.frametrace import FrameTrace

#: Sixteen lines, any of which can be anywhere; one request at a time.
SMALL = ("caches.tile.size_bytes=1024", "caches.tile.ways=16", "tile_fetcher.design='simple'")
ATTRIBUTE_BYTES, LINES = 48, 16
NEVER = 1 << 30


def made(config: GpuConfig, **choices: Any) -> tuple[Machine, Any]:
    technique = known_techniques()["tcor-like"]()
    return Machine(config, combine([technique], config), **choices), technique


def scattered(seed: int, frame: int = 0) -> FrameTrace:
    """Primitives of all sizes, drawn in no order, in 4 x 4 tiles."""
    rng = np.random.default_rng(seed)
    scene = Scene(64, 64, frame)
    path = scene.path(1)
    for _ in range(6):
        draw = scene.draw(attributes=int(rng.integers(1, 5)))
        for _ in range(8):
            x, y = (rng.integers(0, 31, 2) * 2).tolist()
            width, height = (rng.integers(1, 16, 2) * 2).tolist()
            scene.quad_block(draw, x, y, min(width, 64 - x), min(height, 64 - y), path=path)
    return scene.trace()


def accesses(streams: PassStreams) -> list[tuple[int, int]]:
    """Tile (0 while the lists are written) and line of each access of the Tile Cache, in their order."""
    out: list[tuple[int, int]] = []

    def attributes(tile: int, address: int, count: int) -> None:
        for k in range(count):
            start = address + k * ATTRIBUTE_BYTES
            out.extend((tile, line) for line in range(start // 64, (start + ATTRIBUTE_BYTES - 1) // 64 + 1))

    for e in streams.emitted:
        if e["bin_count"]:
            attributes(0, int(e["attribute_address"]), int(e["attributes"]))
            out.extend(
                (0, int(line)) for line in streams.pointer_lines[e["bin_first"] : e["bin_first"] + e["bin_count"]]
            )
    out.append((-1, -1))
    for number, tile in enumerate(streams.tiles):
        for pair in streams.pairs[tile["pair_first"] : tile["pair_first"] + tile["pair_count"]]:
            if pair["link_line"] >= 0:
                out.append((number, int(pair["link_line"])))
            out.append((number, int(pair["pointer_line"])))
            attributes(number, int(pair["attribute_address"]), int(pair["attributes"]))
    return out


def misses(log: list[tuple[int, int]], policy: str) -> tuple[int, int]:
    """Misses of a cache of LINES lines with a policy (``lru``, ``tiles`` or ``belady``): of all accesses, of reads."""
    begin = log.index((-1, -1))
    log = log[:begin] + log[begin + 1 :]
    held: dict[int, int] = {}
    found = [0, 0]

    def worth(line: int, at: int, tile: int) -> tuple[int, int]:
        if policy == "lru":
            return 0, -held[line]
        if policy == "belady":
            return next((n for n in range(at, len(log)) if log[n][1] == line), NEVER), 0
        reads = (other for other, read in log[begin:] if read == line and other >= tile)
        return next(reads, NEVER), -held[line]

    for at, (tile, line) in enumerate(log):
        if line not in held:
            found[0] += 1
            found[1] += at >= begin
            if len(held) == LINES:
                del held[max((*worth(k, at, tile), k) for k in held)[2]]
        held[line] = at
    return found[0], found[1]


@pytest.mark.parametrize("seed", range(3))
def test_misses_are_those_of_the_rule(seed: int) -> None:
    """Fewer lines are fetched than by the least recently used one's; of all, Belady's rule misses the fewest."""
    config = load_config("mali450-vro", SMALL)
    trace = scattered(seed)
    log = accesses(PassTables(trace, config, quad_map(config)).arrange(0))
    expected = {policy: misses(log, policy) for policy in ("lru", "tiles", "belady")}
    plain = Machine(config).run_frame(trace).counters
    machine, technique = made(config)
    own = machine.run_frame(trace).counters
    assert plain["cache.tile.accesses"] == own["cache.tile.accesses"] == len(log) - 1
    assert (plain["cache.tile.misses"], plain["cache.tile.primary_misses"]) == expected["lru"]
    assert (own["cache.tile.misses"], own["cache.tile.primary_misses"]) == expected["tiles"]
    assert expected["tiles"][1] < expected["lru"][1]
    assert expected["belady"][0] <= min(expected["tiles"][0], expected["lru"][0])
    assert technique.read_counters()["tcor-like.dead_reads"] == 0


def test_dead_lines_are_never_written() -> None:
    """With a Tile Cache of a few lines all go through the L2; those of a pass that is over leave it unwritten."""
    settings = (*SMALL, "caches.l2.size_bytes=4096", "caches.l2.ways=4")
    written = {}
    for dead in ("true", "false"):
        machine, technique = made(load_config("mali450-vro", [*settings, f"tcor_like.dead_lines={dead}"]))
        runs = [machine.run_frame(scattered(5, frame)) for frame in range(3)]
        written[dead] = sum(run.counters["dram.write_bytes.parameter"] for run in runs)
        counted = technique.read_counters()
        assert counted["tcor-like.dead_reads"] == 0
        assert (counted["tcor-like.l2_dead_unwritten"] > 0) == (dead == "true")
        assert counted["tcor-like.dead"] > 0
    assert written["true"] < written["false"]


@pytest.mark.parametrize("settings", ["vro", "narrow", "pipelined", "units"])
def test_both_loops_agree(settings: str) -> None:
    config = apply_settings(load_config("mali450-vro").model_dump(), SETTINGS[settings])
    (wake, technique), (every, other) = made(config), made(config, every_cycle=True)
    for seed in range(2):
        trace = random_scene(300 + seed).trace()
        a, b = wake.run_frame(trace), every.run_frame(trace)
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles
    assert technique.read_counters() == other.read_counters()
    assert technique.read_counters()["tcor-like.dead_reads"] == 0


@pytest.mark.parametrize("techniques", ["tcor-like", "lrz+re+tcor-like", "fpk+frame-reverse+tcor-like"])
def test_pixels_are_exact(tmp_path: Path, techniques: str) -> None:
    frames = object_film(tmp_path / "a.gltrace", [random_states(np.random.default_rng(3), 12)] * 3)
    small = ("caches.tile.size_bytes=512", "caches.tile.ways=4", "caches.l2.size_bytes=2048")
    one = verified_run(frames, "mali450-re", techniques, *small)
    assert all(frame.counters["tcor-like.dead_reads"] == 0 for frame in one.result.frames)
