"""Busy cycles are work: so many as there are things to do, however long memory lets a unit wait."""

from __future__ import annotations

import pytest
from test_model_oracle import SETTINGS, random_scene

from gpumodel.config import apply_settings, load_config
from gpumodel.machine import Machine, MachineFrame

SLOW = ("memory.paper.bytes_per_cycle=1", "memory.paper.write_queue=1", "memory.paper.row_miss_cycles=400")
FAST = ("memory.paper.bytes_per_cycle=64", "memory.paper.row_hit_cycles=1", "memory.paper.row_miss_cycles=1")


def frame_of(seed: int, name: str, *settings: str) -> MachineFrame:
    config = apply_settings(load_config("mali450-vro").model_dump(), [*SETTINGS[name], *settings])
    return Machine(config).run_frame(random_scene(seed).trace())


def busy(frame: MachineFrame, kind: str) -> int:
    """Of all units of a kind."""
    return sum(states["busy"] for unit, states in frame.unit_cycles.items() if unit.partition(".")[0] == kind)


@pytest.mark.parametrize("memory", [SLOW, FAST], ids=["slow", "fast"])
@pytest.mark.parametrize("name", ["vro", "units-simple"])
def test_a_unit_is_busy_a_cycle_a_thing(name: str, memory: tuple[str, ...]) -> None:
    """A quad in Early-Z and Blending, an issue cycle of a processor, a write of the list builder, a primitive."""
    for seed in (3, 4, 7):
        frame = frame_of(seed, name, *memory)
        c = frame.counters
        assert busy(frame, "blend") == c["quads.blended"]
        assert busy(frame, "early_z") == c["quads.rasterized"]
        assert busy(frame, "fragment_processor") == c["fs.issue_cycles"]
        assert busy(frame, "primitive_assembly") == c["primitives.in"]
        outside = c["primitives.binned"] - sum(int((p.streams.bin_count > 0).sum()) for p in frame.passes)
        assert busy(frame, "polygon_list_builder") == c["cache.tile.writes"] + outside


@pytest.mark.parametrize("name", ["vro", "pipelined", "units", "small-queues"])
def test_waiting_for_memory_is_no_work(name: str) -> None:
    for seed in (3, 4):
        slow, fast = frame_of(seed, name, *SLOW), frame_of(seed, name, *FAST)
        assert slow.raster_cycles > 2 * fast.raster_cycles
        for kind in ("vertex_processor", "primitive_assembly", "polygon_list_builder"):
            assert busy(slow, kind) == busy(fast, kind), kind
        # Requests, and what a tile's flush and the loads before it begin and end with.
        moved = slow.counters["dram.write_requests"] + slow.counters["dram.read_requests"]
        assert busy(slow, "flush") <= moved + 8 * slow.counters["tiles.flushed"]
