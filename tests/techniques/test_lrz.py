"""Low-resolution depth: closed forms, a plain twin, which draws are tested and write, shorter lists, exact pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hidden_films import Played, random_states
from model_scene import Scene
from object_films import object_film
from test_model_oracle import SETTINGS, random_scene
from verified import verified_run

from gpumodel.config import apply_settings, load_config
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine, MachineFrame
from gpumodel.quad_maps import quad_map
from gpumodel.streams import PassStreams, PassTables
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import combine, known_techniques
from gpumodel.tile_lists import leave_out
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace, LoadOp

GREATER = 0x0204
WIDTH, HEIGHT = 64, 48
BLOCKS, TILES, QUADS = 48, 12, WIDTH * HEIGHT // 4


def machine(*settings: str, **choices: Any) -> tuple[Machine, Any]:
    return made(load_config("mali450-vro", settings), **choices)


def made(config: GpuConfig, **choices: Any) -> tuple[Machine, Any]:
    technique = known_techniques()["lrz"]()
    one_machine = Machine(config, combine([technique], config), **choices)
    technique.attach(one_machine)
    return one_machine, technique


def run(trace: FrameTrace, *settings: str) -> tuple[MachineFrame, dict[str, float]]:
    one_machine, technique = machine(*settings)
    return one_machine.run_frame(trace), {name[4:]: value for name, value in technique.read_counters().items()}


def planes(depths: list[float], **states: Any) -> Scene:
    """Planes that cover the screen, a draw each."""
    scene = Scene(WIDTH, HEIGHT)
    path = scene.path(1)
    for k, depth in enumerate(depths):
        draw = scene.draw(**{"depth_test": True, "depth_write": True, **states.get(f"plane{k}", {})})
        scene.quad_block(draw, 0, 0, WIDTH, HEIGHT, path=path, depth=depth)
    return scene


def test_front_to_back() -> None:
    """What comes behind the first plane is in no list."""
    frame, own = run(planes([0.2, 0.4, 0.6]).trace())
    assert (own["blocks"], own["blocks_written"], own["blocks_rejected"]) == (3 * BLOCKS, BLOCKS, 2 * BLOCKS)
    assert own["entries_dropped"] == 2 * TILES == own["binning_quads"] / QUADS * TILES
    assert frame.counters["binning.pointer_writes"] == frame.counters["tile_fetch.primitives"] == TILES
    assert frame.counters["quads.rasterized"] == QUADS


def test_back_to_front() -> None:
    """Each is in front of what is known when it is sorted; the last one hides all when they are rendered."""
    frame, own = run(planes([0.6, 0.4, 0.2]).trace())
    assert own["blocks_written"] == 3 * BLOCKS
    assert own["entries_dropped"] == 0
    assert own["rendering_blocks"] == 3 * BLOCKS
    assert own["rendering_quads"] == 2 * QUADS
    assert frame.counters["tile_fetch.primitives"] == 3 * TILES
    assert frame.counters["quads.rasterized"] == QUADS
    # Of 8 x 6 blocks a line holds 8 x 4. The first plane finds both clear; each tile reads one.
    assert own["line_writes"] == 3 * 2
    assert own["line_reads"] == 2 * 2 + TILES


@pytest.mark.parametrize(("part", "quads"), [("binning", 2 * QUADS), ("rendering", QUADS)])
def test_parts_by_themselves(part: str, quads: int) -> None:
    """Of 0.4, 0.2 and 0.6 sorting knows that the third is hidden; rendering alone knows it of two."""
    off = "rendering" if part == "binning" else "binning"
    frame, _ = run(planes([0.4, 0.2, 0.6]).trace(), f"lrz.{off}=false")
    assert frame.counters["quads.rasterized"] == quads


@pytest.mark.parametrize(
    ("states", "dropped", "late"),
    [
        # Planes 0.3, 0.2, 0.6, 0.1: without limits the third is dropped, and the first two are hidden by the last.
        ({}, 1, 2),
        ({"plane0": {"flags": DrawFlags.DISCARDS}, "plane1": {"flags": DrawFlags.DISCARDS}}, 0, 3),
        # Something of what is below a draw that blends and writes depth is seen: none before it is left out.
        ({"plane1": {"blend": True}}, 1, 0),
        ({"plane1": {"blend": True, "depth_write": False}}, 1, 2),
        # The depth of a shader is not known, nor what it hides.
        ({"plane1": {"flags": DrawFlags.WRITES_DEPTH}}, 1, 1), ({"plane2": {"flags": DrawFlags.WRITES_DEPTH}}, 0, 2),
        # Another direction ends it for what comes behind; nothing is farther than what the depths begin with.
        ({"plane2": {"depth_func": GREATER}}, 0, 1), ({"plane0": {"depth_func": GREATER}}, 1, 0),
        # No test in the pass's direction.
        ({"plane2": {"depth_func": 0x0207, "depth_write": False}}, 0, 2), ({"plane2": {"depth_test": False}}, 0, 2),
        ({"plane2": {"depth_func": 0x0202}}, 1, 2),
        ({"plane0": {"depth_write": False}}, 1, 2),
        # What writes to memory whether it passes or not is not tested, and tells who was there before it.
        ({"plane2": {"flags": DrawFlags.SIDE_EFFECTS}}, 0, 0),
        ({"plane2": {"flags": DrawFlags.SIDE_EFFECTS | DrawFlags.EARLY_TESTS}}, 1, 0),
    ],
)  # fmt: skip
def test_who_is_tested_and_who_writes(states: dict[str, Any], dropped: int, late: int) -> None:
    _, own = run(planes([0.3, 0.2, 0.6, 0.1], **states).trace())
    assert own["binning_quads"] == dropped * QUADS
    assert own["rendering_quads"] == late * QUADS


def test_stencil_clears_and_loads() -> None:
    """A draw that changes stencil; a clear of depth; depths that are loaded, which nothing is known of."""
    zero = np.zeros(2, np.uint16)
    stencil = {
        "stencil_test": 1, "stencil_func": zero + 0x207, "stencil_write_mask": np.array([255, 255], np.uint8),
        "stencil_fail": zero + 0x1E00, "stencil_depth_fail": zero + 0x1E02, "stencil_depth_pass": zero + 0x1E00,
    }  # fmt: skip
    _, own = run(planes([0.3, 0.6, 0.1], plane1={"stencil": stencil}).trace())
    assert (own["binning_quads"], own["rendering_quads"]) == (0, 0)
    scene = planes([0.3, 0.6, 0.1])
    scene.clear_after(1, buffers=1 << 16, clear_depth=(1 << 24) - 1)
    _, own = run(scene.trace())
    assert (own["binning_quads"], own["rendering_quads"]) == (0, 0)
    scene = planes([0.3, 0.6])
    scene.passes[0]["changes"] = {"depth_load": LoadOp.LOAD}
    _, own = run(scene.trace())
    assert own["binning_quads"] == QUADS
    scene.passes[0]["changes"] = {"clear_depth": int(0.5 * 0xFFFFFF)}
    scene.draws = scene.draws[1:]
    _, own = run(scene.trace())
    assert own["binning_quads"] == QUADS


def test_the_other_direction() -> None:
    states = {f"plane{k}": {"depth_func": GREATER} for k in range(3)}
    scene = planes([0.6, 0.2, 0.8], **states)
    scene.passes[0]["changes"] = {"clear_depth": 0}
    _, own = run(scene.trace())
    assert (own["binning_quads"], own["rendering_quads"]) == (QUADS, QUADS)


def test_rounding_never_hides_what_is_seen() -> None:
    """Of 24 bits the upper 16 are kept: a step of the lower 8 hides nothing."""
    scene = planes([0.5, 0.5])
    trace = scene.trace()
    trace["quads"]["depth"][:QUADS] = 0x800001
    for depth, rejected in ((0x800002, 0), (0x8000FF, 0), (0x8001FF, 0), (0x800200, QUADS)):
        trace["quads"]["depth"][QUADS:] = depth
        assert run(trace)[1]["binning_quads"] == rejected


def plain_depths(
    trace: FrameTrace, streams: PassStreams, rule: np.ndarray
) -> tuple[list[tuple[int, int, int]], dict[Any, int]]:
    """Touches (primitive, block, outcome) and final depths of a pass, fragment by fragment."""
    quads, across = trace["quads"], -(-streams.width // 8)
    clear = int(trace["passes"]["clear_depth"][streams.index])
    loads = int(trace["passes"]["depth_load"][streams.index]) != LoadOp.CLEAR
    held: dict[Any, int] = {}
    out = []
    first = streams.part.emitted[0]
    for e in range(*streams.part.emitted):
        bits = int(rule[trace["emitted"]["draw"][e]])
        found: dict[int, list[int]] = {}
        for q in range(*streams.quad_rows):
            if int(quads["emitted"][q]) != e or not bits:
                continue
            block = int(quads["y"][q]) // 4 * across + int(quads["x"][q]) // 4
            for f in range(4):
                if quads["coverage"][q] >> f & 1:
                    found.setdefault(block, []).append(int(quads["depth"][q, f]))
        for block, depths in found.items():
            width = min(8, streams.width - block % across * 8)
            height = min(8, streams.height - block // across * 8)
            now = held.get(block, 0x1FFFF if loads else -(-clear // 256))
            kind = 0
            if bits & 1 and min(depths) // 256 > now:
                kind = 1
            elif bits & 4 and len(depths) == width * height and -(-max(depths) // 256) < now:
                kind = 2
                held[block] = -(-max(depths) // 256)
            out.append((e - first, block, kind))
    return out, held


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_against_its_twin(seed: int) -> None:
    from gpumodel.techniques.lrz.blocks import build_depths
    from gpumodel.techniques.lrz.rules import SORTED, WRITES, Rules

    trace = random_scene(600 + seed).trace()
    config = load_config("mali450-vro")
    tables = PassTables(trace, config, quad_map(config))
    rng = np.random.default_rng(seed)
    rule = (
        rng.integers(0, 2, trace["draws"].num_rows) * SORTED | rng.integers(0, 2, trace["draws"].num_rows) * WRITES
    ).astype(np.uint8)
    # A pass that does not begin with a clear knows of no depth yet; one that does may be cleared to any.
    trace["passes"]["depth_load"][:] = LoadOp.LOAD if seed % 3 == 2 else LoadOp.CLEAR
    trace["passes"]["clear_depth"][:] = 0x900000 if seed % 3 else 0xFFFFFF
    for index in range(trace["passes"].num_rows):
        streams = tables.arrange(index)
        found = build_depths(trace, streams, Rules(rule, True))
        touches, _ = plain_depths(trace, streams, rule)
        assert (
            list(zip(found.primitive.tolist(), found.touched_block.tolist(), found.kind.tolist(), strict=True))
            == touches
        )


@pytest.mark.parametrize("seed", range(6))
def test_entries_that_are_left_out(seed: int) -> None:
    """Lists are those of the entries that stay, in blocks of 15; what the list builder writes is what is read."""
    rng = np.random.default_rng(seed)
    trace = random_scene(650 + seed).trace()
    config = load_config("mali450-vro", ["tile.order='snake'"])
    streams = PassTables(trace, config, quad_map(config)).arrange(0)
    count = int(streams.tiles["pair_count"].sum())
    before, tiles, quads = streams.pairs[:count].copy(), streams.tiles.copy(), streams.quads.copy()
    owner = np.repeat(np.arange(count), before["quad_count"])
    entries = (rng.random(count) < 0.5) & (before["clear"] < 0)
    dropped = (rng.random(len(owner)) < 0.3) | entries[owner]
    leave_out(streams, dropped, entries=entries)
    after = streams.pairs[: int(streams.tiles["pair_count"].sum())]
    assert after["emitted"].tolist() == before["emitted"][~entries].tolist()
    at = 0
    for number, tile in enumerate(streams.tiles):
        assert tile["pair_first"] == at
        lines = [tiles["first_line"][number]]
        for k in range(int(tile["pair_count"])):
            pair = after[at + k]
            if k and k % 15 == 0:
                assert pair["link_line"] == lines[-1]
                lines.append(pair["pointer_line"])
            else:
                assert pair["link_line"] == -1
            assert pair["pointer_line"] == lines[-1]
        at += int(tile["pair_count"])
    kept = [quads["row"][k] for k in np.flatnonzero(~dropped)]
    found = [
        row
        for pair in after
        for row in streams.quads["row"][pair["quad_first"] : pair["quad_first"] + pair["quad_count"]]
    ]
    assert sorted(found) == sorted(kept)
    drawn = after[after["clear"] < 0]
    bins = np.bincount(drawn["emitted"], minlength=len(streams.emitted))
    assert streams.emitted["bin_count"].tolist() == bins.tolist()
    for row, e in enumerate(streams.emitted):
        written = streams.pointer_lines[e["bin_first"] : e["bin_first"] + e["bin_count"]].tolist()
        assert sorted(written) == sorted(drawn["pointer_line"][drawn["emitted"] == row].tolist())


def test_to_leave_out_nothing_changes_nothing() -> None:
    config = load_config("mali450-vro")

    def nothing(trace: FrameTrace, streams: PassStreams) -> None:
        count = int(streams.tiles["pair_count"].sum())
        quads = int(streams.pairs["quad_count"][:count].sum())
        leave_out(streams, np.zeros(quads, bool), entries=np.zeros(count, bool))

    plain, other = Machine(config), Machine(config, Plugs(before_pass=[nothing]))
    for seed in range(3):
        trace = random_scene(700 + seed).trace()
        assert plain.run_frame(trace).counters == other.run_frame(trace).counters


@pytest.mark.parametrize("settings", ["vro", "narrow", "pipelined", "units", "small-queues"])
def test_both_loops_agree(settings: str) -> None:
    config = apply_settings(load_config("mali450-vro", ["lrz.cache_bytes=256"]).model_dump(), SETTINGS[settings])
    (wake, technique), (every, other) = made(config), made(config, every_cycle=True)
    for seed in range(3):
        trace = random_scene(300 + seed).trace()
        a, b = wake.run_frame(trace), every.run_frame(trace)
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles
        assert technique.read_counters() == other.read_counters()
    assert technique.read_counters()["lrz.blocks"] > 0


def test_blocks_that_the_cache_has_lost_are_read_again() -> None:
    """Planes over 128x128 fragments have eight lines of 8x4 blocks each; a cache of four has lost what a plane before
    has written, so each plane but the first reads all, and waits.
    """
    scene = Scene(128, 128)
    path = scene.path(1)
    for depth in (0.6, 0.4, 0.2):
        draw = scene.draw(depth_test=True, depth_write=True)
        scene.quad_block(draw, 0, 0, 128, 128, path=path, depth=depth)
    trace, found = scene.trace(), {}
    for size in (256, 4096):
        runs = []
        for every_cycle in (False, True):
            one_machine, technique = machine(f"lrz.cache_bytes={size}", every_cycle=every_cycle)
            frame = one_machine.run_frame(trace)
            own = technique.read_counters()
            assert own["lrz.line_writes"] == 3 * 8
            assert own["lrz.line_reads"] == 2 * 8 + 64
            runs.append((frame, own))
        (frame, own), (other, other_own) = runs
        assert (frame.counters, frame.unit_cycles, own) == (other.counters, other.unit_cycles, other_own)
        assert frame.counters["quads.rasterized"] == 128 * 128 // 4
        found[size] = frame
    small, large = found[256], found[4096]
    assert small.geometry_cycles > large.geometry_cycles
    # All 16 reads of the geometry phase; the L2 has the lines.
    assert small.counters["cache.l2.accesses"] - large.counters["cache.l2.accesses"] >= 2 * 8
    assert small.counters["dram.read_requests"] == large.counters["dram.read_requests"]


@pytest.mark.parametrize("preset", ["mali450-vro", "tbr-fhd"])
@pytest.mark.parametrize("seed", range(3))
def test_pixels_are_exact(tmp_path: Path, preset: str, seed: int) -> None:
    rng = np.random.default_rng(60 + seed)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 14) for _ in range(2)])
    Played(frames, "lrz", preset)


@pytest.mark.parametrize(
    "techniques", ["lrz+vro", "dr+lrz", "lrz+re+te", "fpk+lrz", "lrz+zprepass", "frame-reverse+lrz"]
)
def test_together(tmp_path: Path, techniques: str) -> None:
    """Exact beside others, and both loops agree."""
    rng = np.random.default_rng(9)
    frames = object_film(tmp_path / "a.gltrace", [random_states(rng, 10)] * 3)
    results = [
        verified_run(frames, "mali450-vro", techniques, every_cycle=loop).result.frames for loop in (False, True)
    ]
    for wake, every in zip(*results, strict=True):
        assert wake.counters == every.counters
        assert wake.cycles == every.cycles
