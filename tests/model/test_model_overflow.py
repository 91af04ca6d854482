"""Overflow of the Parameter Buffer: the pass is cut, spilled and reloaded, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from model_laws import check_conservation
from model_scene import Scene
from pass_rows import quad_rows
from test_model_oracle import in_program_order

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine, MachineFrame
from traceformat.gputrace.frametrace import FrameTrace


def long_pass(primitives: int, *, draws: int = 3) -> FrameTrace:
    """A 32x32 pass whose primitives of 16 attributes take 768 bytes each, with depth that decides."""
    rng = np.random.default_rng(7)
    scene = Scene(32, 32)
    path, vertex = scene.path(3), scene.path(2)
    for _ in range(draws):
        draw = scene.draw(attributes=16, vertex_path=vertex, depth_test=True, depth_write=True)
        for _ in range(primitives // draws):
            x, y = (int(v) for v in rng.integers(0, 16, 2) * 2)
            scene.quad_block(draw, x, y, 2, 2, path=path, depth=float(rng.integers(0, 16)) / 16)
    return scene.trace()


def run(trace: FrameTrace, *settings: str, every_cycle: bool = False) -> MachineFrame:
    config = apply_settings(
        load_config("mali450-vro").model_dump(),
        ["binning.parameter_buffer_mib=1", "binning.test='bounding-box'", *settings],
    )
    return Machine(config, every_cycle=every_cycle).run_frame(trace)


@pytest.mark.parametrize(("primitives", "parts"), [(1200, 1), (1500, 2), (3000, 3)])
def test_parts_of_a_pass(primitives: int, parts: int) -> None:
    """K primitives of 768 bytes and a 4-byte pointer in a buffer of 1 MiB; colour (4 KB) and depth (4 KB) are stored by
    every part but the last, which stores colour alone, and loaded by every one but the first.
    """
    trace = long_pass(primitives)
    frame = run(trace)
    assert len(frame.passes) == parts
    assert [done.streams.part.number for done in frame.passes] == list(range(parts))
    assert all(done.streams.parameter_bytes <= 1 << 20 for done in frame.passes)
    # Cut as late as possible: not another primitive with its pointer's block fits.
    assert all(done.streams.parameter_bytes > (1 << 20) - 768 - 64 for done in frame.passes[:-1])
    image = 32 * 32 * 4
    assert frame.counters["dram.write_bytes.color"] == parts * image
    assert frame.counters["dram.read_bytes.color"] == (parts - 1) * image
    assert frame.counters["depth_buffer.transfer_bytes"] == 2 * (parts - 1) * image
    assert frame.counters["vertices.shaded"] == 3 * trace["primitives"].num_rows
    assert frame.counters["primitives.in"] == trace["primitives"].num_rows
    check_conservation(frame, trace)


@pytest.mark.parametrize("settings", [(), ("raster.units=2", "tile_fetcher.tile_pipelining=true")])
def test_pixels_and_loops_agree(settings: tuple[str, ...]) -> None:
    trace = long_pass(1800)
    frame, every = run(trace, *settings), run(trace, *settings, every_cycle=True)
    assert (frame.counters, frame.unit_cycles) == (every.counters, every.unit_cycles)
    expected, _ = in_program_order(trace)
    found = np.zeros(trace["quads"].num_rows, np.int64)
    for done in frame.passes:
        count = done.streams.quad_rows[1] - done.streams.quad_rows[0]
        found[quad_rows(trace, done)] = done.streams.written[:count]
    np.testing.assert_array_equal(found, expected)
    assert len(frame.passes) == 2
