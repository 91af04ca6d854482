"""Geometry beside the raster phase of the pass before: how long it takes, what waits for what, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from model_scene import Scene
from test_model_oracle import SETTINGS, random_scene

from gpumodel import Run, load_config
from gpumodel.runs import run_all
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace

#: Memory and Tile Cache without waiting, so that phases do not slow each other down.
FREE = ("memory.paper.row_hit_cycles=1", "memory.paper.row_miss_cycles=1", "memory.paper.bytes_per_cycle=64")


def overlapped(frames: list[FrameTrace], mode: str, *settings: str, every_cycle: bool = False) -> Run:
    """Run frames; each pass's log stays with its raw frame."""
    config = load_config("mali450-vro", [f"binning.overlap='{mode}'", "screen.scale_to_trace=true", *settings])
    run = Run(config, every_cycle=every_cycle)
    run.raws = [raw for _, (raw,) in run_all(frames, [run])]  # type: ignore[attr-defined]
    return run


def scene(frame: int, vertices: int, instructions: int, passes: int = 1, **changes: Any) -> Scene:
    """Passes of so many culled triangles, each of three vertices of 10 cycles, and a tile of quads in front of them."""
    out = Scene(16, 16, frame=frame)
    vertex, path = out.path(10), out.path(instructions)
    for number in range(passes):
        if number:
            out.begin_pass(**changes)
        draw = out.draw(vertex_path=vertex)
        out.quad_block(draw, 0, 0, 16, 16, path=path)
        for _ in range(vertices):
            out.cull(draw)
    return out


def cycles(run: Run) -> int:
    return sum(frame.cycles for frame in run.result.frames)


@pytest.mark.parametrize(("triangles", "instructions"), [(4, 90), (200, 5)])
def test_steps_take_as_long_as_their_longer_phase(triangles: int, instructions: int) -> None:
    """N frames of G and R cycles: G + (N - 1) max(G, R) + R, where neither phase waits for memory."""
    frames = [scene(k, triangles, instructions).trace() for k in range(6)]
    alone = overlapped(frames, "none", *FREE).result.frames
    geometry, raster = alone[3].geometry_cycles, alone[3].raster_cycles
    # The first frame finds the caches empty.
    assert (alone[4].geometry_cycles, alone[4].raster_cycles) == (geometry, raster)
    beside = overlapped(frames, "frame", *FREE).result.frames
    for frame in beside[2:5]:
        assert frame.cycles == pytest.approx(max(geometry, raster), abs=4)
    assert beside[5].cycles == pytest.approx(raster, abs=4)


def test_passes_of_a_frame() -> None:
    """A frame of P equal passes: G + (P - 1) max(G, R) + R; ``pass`` begins anew with each frame."""
    frames = [scene(k, 30, 20, passes=4).trace() for k in range(3)]
    alone = overlapped(frames, "none", *FREE).result.frames[2]
    geometry, raster = alone.geometry_cycles / 4, alone.raster_cycles / 4
    beside = overlapped(frames, "pass", *FREE).result.frames[2]
    assert beside.cycles == pytest.approx(geometry + 3 * max(geometry, raster) + raster, abs=16)
    assert beside.geometry_cycles >= geometry


@pytest.mark.parametrize("settings", ["vro", "narrow", "pipelined", "units", "thesis-queues"])
@pytest.mark.parametrize("mode", ["pass", "frame"])
def test_both_loops_agree_and_pixels_stay(mode: str, settings: str) -> None:
    frames = [random_scene(40 + seed).trace() for seed in range(5)]
    plain = overlapped(frames, "none", *SETTINGS[settings])
    wake = overlapped(frames, mode, *SETTINGS[settings])
    every = overlapped(frames, mode, *SETTINGS[settings], every_cycle=True)
    for a, b in zip(wake.result.frames, every.result.frames, strict=True):
        assert (a.geometry_cycles, a.raster_cycles) == (b.geometry_cycles, b.raster_cycles)
        assert a.counters == b.counters
        assert a.stalls == b.stalls
        assert all(sum(states.values()) == a.cycles for states in a.stalls.values())
    for a, b in zip(wake.raws, plain.raws, strict=True):  # type: ignore[attr-defined]
        for one, other in zip(a.passes, b.passes, strict=True):
            np.testing.assert_array_equal(one.streams.written, other.streams.written)
            np.testing.assert_array_equal(one.streams.tiles["shaded"], other.streams.tiles["shaded"])
    for name in ("fragments.shaded", "primitives.binned", "tiles.rendered", "tiles.flushed", "vertices.shaded"):
        assert sum(f.counters[name] for f in wake.result.frames) == sum(f.counters[name] for f in plain.result.frames)


def test_a_frame_of_one_pass_overlaps_with_no_pass_of_its_own() -> None:
    frames = [scene(k, 40, 30).trace() for k in range(3)]
    plain, beside = overlapped(frames, "none"), overlapped(frames, "pass")
    assert [f.counters for f in plain.result.frames] == [f.counters for f in beside.result.frames]
    assert [f.stalls for f in plain.result.frames] == [f.stalls for f in beside.result.frames]


def two_passes(change: str) -> FrameTrace:
    """Two passes, of which the second may have to wait for the first."""
    trace = scene(0, 40, 30, passes=2).trace()
    if change == "stores":
        trace["draws"]["flags"][0] |= DrawFlags.SIDE_EFFECTS
    elif change == "read back":
        trace["events"]["kind"][0] = EventKind.READBACK
        trace["events"]["draw"][0] = -1
    elif change == "samples":
        trace["programs"]["num_tex"][trace["draws"]["vertex_program"][1]] = 1
    return trace


@pytest.mark.parametrize("change", ["stores", "read back", "samples"])
def test_geometry_waits_for_what_it_may_read(change: str) -> None:
    frames = [two_passes(change)]
    assert cycles(overlapped(frames, "pass")) == cycles(overlapped(frames, "none"))
    assert cycles(overlapped([two_passes("")], "pass")) < cycles(overlapped([two_passes("")], "none"))


def test_a_pass_that_overflows_is_alone() -> None:
    """Its parts have the units for themselves: as without overlap, frame by frame."""
    big = Scene(64, 64)
    draw = big.draw(vertex_path=big.path(1), attributes=64)
    path = big.path(1)
    for _ in range(900):
        big.quad_block(draw, 0, 0, 2, 2, path=path)
    frames = [big.trace(), scene(1, 10, 5).trace(), big.trace()]
    settings = ("binning.parameter_buffer_mib=1", "binning.test='bounding-box'")
    plain, beside = (overlapped(frames, mode, *settings).result.frames for mode in ("none", "frame"))
    assert plain[0].counters["parameter_buffer.overflows"] > 0
    assert [f.counters["parameter_buffer.overflows"] for f in beside] == [
        f.counters["parameter_buffer.overflows"] for f in plain
    ]
    assert beside[0].cycles == plain[0].cycles


def test_what_cannot_overlap_is_refused() -> None:
    config = load_config("mali450-re", ["binning.overlap='frame'"])
    with pytest.raises(ConfigError, match=r"two frames .* binning\.overlap has to be none"):
        Run(config, ("pfr",))
    with pytest.raises(ConfigError, match=r"costs of draws .* binning\.overlap has to be none"):
        Run(config, attribution=True)
