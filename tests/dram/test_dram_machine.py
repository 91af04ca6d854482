"""The DRAM model as the machine's main memory: crossing of clocks, wake-up times, conservation, energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from model_laws import check_conservation
from model_scene import Scene
from numba import njit, types

from gpumodel.config.load import apply_settings, load_config
from gpumodel.config.schema import GpuConfig
from gpumodel.machine import Machine
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.memory.dram.energy import DramEnergy
from gpumodel.runs import Run
from gpumodel.units.events import STATE_NAMES
from gpumodel.units.memory import memory_read, memory_write
from gpumodel.units.plug import call_plug
from gpumodel.units.traffic import TEXTURE
from gpumodel.units.types import SYSTEM_T
from traceformat.errors import ConfigError


@njit(types.int64(SYSTEM_T))
def tick_memory(s: Any) -> Any:
    """Tick the memory, which is plugged in as unit 0."""
    return call_plug(s, s.tick[0], 0, 0, 0, 0)


@njit(types.int64(SYSTEM_T, *[types.int64] * 4))
def read_memory(s: Any, line: Any, size: Any, traffic: Any, tag: Any) -> Any:
    return memory_read(s, line, size, traffic, tag)


@njit(types.int64(SYSTEM_T, *[types.int64] * 3))
def write_memory(s: Any, line: Any, size: Any, traffic: Any) -> Any:
    return memory_write(s, line, size, traffic)


def configured(*settings: str, preset: str = "mali450-vro") -> GpuConfig:
    wide = ["memory.mode='dram'", "memory.dram.config='lpddr3_1600_trefi'"]
    return apply_settings(load_config(preset).model_dump(), [*wide, *settings])


def textured_scene(seed: int) -> Scene:
    """Blocks of quads with random texture lines, in one or two passes with loads and stores."""
    rng = np.random.default_rng(seed)
    scene = Scene(64, 48, frame=seed)
    path = scene.path(*rng.integers(1, 6, size=3).tolist())
    for number in range(6):
        if number == 3 and seed % 2:
            scene.begin_pass(transfer_read_bytes=200, transfer_write_bytes=900)
        draw = scene.draw(
            attributes=3, depth_test=True, depth_write=True, depth_func=0x203, vertex_path=scene.path(8),
            fetches=[(2 << 36, 64, 32)],
        )  # fmt: skip
        for _ in range(3):
            x, y = int(rng.integers(0, 16)) * 2, int(rng.integers(0, 12)) * 2
            lines = [rng.integers(0, 60_000, int(rng.integers(1, 5))).tolist() for _ in range(2)]
            scene.quad_block(draw, x, y, 32, 24, path=path, depth=float(rng.integers(0, 8)) / 8, lines=lines)
    return scene


def run_until_answered(machine: Machine, start: int) -> int:
    """GPU cycle in which the L2 finds the line that was asked for in cycle ``start``."""
    s = machine.system
    for now in range(start, start + 10_000):
        s["now"] = now
        tick_memory(s)
        if s["l2"]["fill_count"]:
            return now
    raise AssertionError("no answer")


@pytest.mark.parametrize("dram", ["lpddr4_2400_bus32", "lpddr3_1600_trefi", "lpddr3_1333_trefi"])
@pytest.mark.parametrize("mhz", [100.0, 400.0, 800.0, 1333.0])
@pytest.mark.parametrize("start", [3, 1000, 1001])
def test_an_isolated_read_crosses_both_clocks(dram: str, mhz: float, start: int) -> None:
    """Asked for in GPU cycle g: accepted behind tick floor(g r), answered 1 + tRCD + CL + BL/2 ticks later.

    The L2 has it in the first GPU cycle that begins behind that tick: ceil((tick + 1) / r).
    """
    config = configured(f"memory.dram.config='{dram}'", f"tech.clock_mhz={mhz}")
    machine = Machine(config)
    part = load_dram_config(dram)
    ratio = int(machine.system["lpddr"]["ticks_per_cycle"])
    assert ratio / 65536 == pytest.approx(1000 / part.timing.tCK / mhz, rel=1e-4)
    machine.system["now"] = start
    assert read_memory(machine.system, 12345, 64, TEXTURE, -1) == 1
    latency = 1 + part.timing.tRCD + part.timing.CL + part.burst_cycles
    done = (start * ratio >> 16) + 1 + latency
    assert run_until_answered(machine, start) == -(-(done + 1 << 16) // ratio)
    assert int(machine.system["l2"]["fill"][0]) == 12345
    assert int(machine.system["dram"]["reads"]) == 0


@pytest.mark.parametrize(
    ("dram", "bursts"), [("lpddr3_1600_2x16", 4), ("lpddr4_2400_2x16", 2), ("lpddr4_2400_2x32", 1)]
)
def test_a_line_of_several_bursts_is_there_with_its_last_one(dram: str, bursts: int) -> None:
    """A closed row: 1 + tRCD + CL + BL/2 ticks for the first burst, each further one the distance of columns later.

    The line is one request to the counters of the GPU, and its slots are free again behind it.
    """
    machine = Machine(configured(f"memory.dram.config='{dram}'"))
    part = load_dram_config(dram)
    s = machine.system
    ratio, slots = int(s["lpddr"]["ticks_per_cycle"]), int(s["lpddr"]["free_count"])
    s["now"] = 1000
    assert read_memory(s, 12345, 64, TEXTURE, -1) == 1
    assert int(s["lpddr"]["free_count"]) == slots - bursts
    t = part.timing
    distance = max(part.burst_cycles, t.tCCD_S if part.dram_structure.bankgroups == 1 else t.tCCD_L)
    done = (1000 * ratio >> 16) + 2 + t.tRCD + t.CL + part.burst_cycles + (bursts - 1) * distance
    assert run_until_answered(machine, 1000) == -(-(done + 1 << 16) // ratio)
    assert int(s["dram"]["read_requests"]) == 1
    assert int(s["dram"]["read_bytes"][TEXTURE]) == 64
    assert int(s["lpddr"]["memory"]["channel"]["read_commands"].sum()) == bursts
    assert int(s["lpddr"]["free_count"]) == slots
    assert int(s["lpddr"]["memory"]["input_count"]) == 0


@pytest.mark.parametrize(("size", "commands"), [(16, 1), (20, 2), (33, 3), (64, 4)])
def test_a_piece_of_a_line_is_written_by_the_bursts_that_hold_it(size: int, commands: int) -> None:
    machine = Machine(configured("memory.dram.config='lpddr3_1600_2x16'"))
    s = machine.system
    s["now"] = 10
    assert write_memory(s, 77, size, TEXTURE) == 1
    assert int(s["lpddr"]["memory"]["input_count"]) == commands


@pytest.mark.parametrize(("width", "cycles"), [(4, 16), (16, 4)])
def test_a_cap_lets_a_line_in_every_so_many_cycles(width: int, cycles: int) -> None:
    """Lines asked for in one cycle are offered to the controller 64 / width GPU cycles apart."""
    machine = Machine(configured("memory.dram.config='lpddr4_2400_2x32'", f"memory.dram.bytes_per_cycle={width}"))
    s = machine.system
    s["now"] = 100
    assert [int(read_memory(s, line, 64, TEXTURE, -1)) for line in range(5)] == [1] * 5
    requests, ratio = s["lpddr"]["requests"], int(s["lpddr"]["ticks_per_cycle"])
    offered = sorted(int(cycle) for cycle in requests["cycle"][requests["cycle"] > 0])
    assert offered == [(100 + cycles * k) * ratio >> 16 for k in range(5)]


@pytest.mark.parametrize("mhz", [100.0, 400.0, 1200.0])
def test_a_burst_keeps_the_unit_busy(mhz: float) -> None:
    """Of an isolated read's time, BL/2 ticks are busy, the rest waits for data: to within a GPU cycle at each end."""
    machine = Machine(configured("memory.dram.config='lpddr4_2400_bus32'", f"tech.clock_mhz={mhz}"))
    s = machine.system
    s["now"] = 50
    s["unit_since"] = 50
    read_memory(s, 7, 64, TEXTURE, -1)
    end = run_until_answered(machine, 50)
    cycles = {name: int(s["unit_cycles"][0][k]) for k, name in enumerate(STATE_NAMES)}
    burst_cycles = 8 * 65536 / int(s["lpddr"]["ticks_per_cycle"])
    assert abs(cycles["busy"] - burst_cycles) <= 1
    assert sum(cycles.values()) == end - 50
    assert cycles["data"] > 0 or mhz == 100.0


def test_the_crossing_refuses_what_it_cannot_hold() -> None:
    machine = Machine(configured("memory.dram.request_queue=3"))
    s = machine.system
    s["now"] = 10
    assert [int(read_memory(s, line, 64, TEXTURE, -1)) for line in range(5)] == [1, 1, 1, 0, 0]
    s["now"] = 20
    tick_memory(s)
    assert write_memory(s, 9, 64, TEXTURE) == 1


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("memory.dram.config='lpddr4_2400_stock'", "memory.dram.request_queue=1"),
        ("memory.dram.config='lpddr4_2400_bus32_2ch'", "tech.clock_mhz=800.0", "caches.l2.size_bytes=4096"),
        ("memory.dram.config='lpddr3_1333_trefi'", "tech.clock_mhz=1200.0", "caches.l2.mshrs=2"),
        ("memory.dram.config='lpddr3_1600_2x16'", "memory.dram.request_queue=1", "caches.l2.size_bytes=4096"),
        ("memory.dram.config='lpddr4_2400_2x16'", "tech.clock_mhz=800.0", "memory.dram.bytes_per_cycle=4"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_wake_up_loop_equals_tick_everything_loop_in_dram_mode(seed: int, settings: tuple[str, ...]) -> None:
    config = configured(*settings)
    wake, every = Machine(config), Machine(config, every_cycle=True)
    for trace in (textured_scene(seed).trace(), textured_scene(seed + 10).trace()):
        a, b = wake.run_frame(trace), every.run_frame(trace)
        assert (a.geometry_cycles, a.raster_cycles) == (b.geometry_cycles, b.raster_cycles)
        assert a.counters == b.counters
        assert a.unit_cycles == b.unit_cycles
        check_conservation(a, trace)


def frame_counters(config: GpuConfig, seed: int = 1) -> tuple[int, dict[str, Any]]:
    frame = Machine(config).run_frame(textured_scene(seed).trace())
    return frame.geometry_cycles + frame.raster_cycles, frame.counters


def test_commands_follow_from_requests() -> None:
    """A read is a burst unless it merged or was forwarded; a copy's bursts come on top; activates open rows."""
    _, c = frame_counters(configured())
    copies = -(-200 // 64), -(-900 // 64)
    assert 0 < c["dram.read_commands"] - copies[0] <= c["dram.read_requests"]
    assert c["dram.write_commands"] - copies[1] <= c["dram.write_requests"]
    assert c["dram.activates"] + c["dram.row_hits"] >= c["dram.read_commands"] - copies[0]
    assert 0 < c["dram.rank_active_cycles"] <= c["dram.rank_cycles"]


def test_time_passes_in_both_clocks() -> None:
    cycles, c = frame_counters(configured("tech.clock_mhz=400.0", "memory.dram.config='lpddr4_2400_bus32_2ch'"))
    assert c["dram.rank_cycles"] == pytest.approx(2 * cycles * 1000 / 0.83 / 400, rel=1e-3)
    assert c["dram.refreshes"] == pytest.approx(c["dram.rank_cycles"] / 8660, abs=2)


def test_energy_is_that_of_the_commands() -> None:
    result, _ = Run(configured("screen.scale_to_trace=true")).add(textured_scene(1).trace())
    c, energy = result.counters, result.energy
    price = DramEnergy.of(load_dram_config("lpddr3_1600_trefi"))
    assert energy.dram_dynamic == pytest.approx(
        c["dram.activates"] * price.activate_pj
        + c["dram.read_commands"] * price.read_pj
        + c["dram.write_commands"] * price.write_pj
    )
    assert energy.dram_static == pytest.approx(
        c["dram.refreshes"] * price.refresh_pj
        + c["dram.rank_active_cycles"] * price.active_standby_pj
        + (c["dram.rank_cycles"] - c["dram.rank_active_cycles"]) * price.precharge_standby_pj
    )


def test_a_wider_memory_is_not_slower() -> None:
    narrow, _ = frame_counters(configured("memory.dram.config='lpddr4_2400_bus32'", "caches.l2.size_bytes=4096"))
    wide, _ = frame_counters(configured("memory.dram.config='lpddr4_2400_bus32_2ch'", "caches.l2.size_bytes=4096"))
    assert wide <= narrow * 1.01


def test_the_papers_memory_is_untouched_by_the_other_one() -> None:
    config = load_config("mali450-vro")
    other = apply_settings(config.model_dump(), ["memory.dram.config='lpddr4_2400_stock'"])
    assert frame_counters(config) == frame_counters(other)
    assert not [name for name in frame_counters(config)[1] if name.startswith("dram.rank")]


def test_an_unknown_dram_configuration_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match=r"memory\.dram\.config"):
        configured("memory.dram.config='ddr5'")
