"""Laws that every modelled frame keeps, whatever it shows."""

from __future__ import annotations

import numpy as np

from gpumodel.machine import MachineFrame
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["check_conservation"]


def check_conservation(frame: MachineFrame, trace: FrameTrace) -> None:
    """DESIGN §8's laws, and that a unit's cycles are all accounted for."""
    c = frame.counters
    assert c["fragments.rasterized"] == c["fragments.early_z_killed"] + c["fragments.shaded"]
    assert c["fragments.shaded"] == c["fragments.discarded"] + c["fragments.late_z_killed"] + c["fragments.written"]
    assert c["quads.rasterized"] == c["quads.early_z_killed"] + c["quads.blended"] == trace["quads"].num_rows
    assert c["fs.quads"] == c["quads.blended"]
    assert c["fragments.rasterized"] == sum(int(m).bit_count() for m in trace["quads"]["coverage"])
    for cache in ("command", "vertex", "tile", "texture", "l2"):
        assert c[f"cache.{cache}.hits"] + c[f"cache.{cache}.misses"] == c[f"cache.{cache}.accesses"]
    level_one = sum(
        c[f"cache.{k}.primary_misses"] + c[f"cache.{k}.write_backs"]
        for k in ("command", "vertex", "tile", "texture", "instruction")
    )
    assert c["cache.l2.accesses"] == level_one
    tiles = sum(len(p.streams.tiles) for p in frame.passes)
    assert c["tiles.rendered"] == tiles == c["tiles.flushed"]
    assert c["primitives.in"] == trace["primitives"].num_rows
    assert c["primitives.binned"] == trace["emitted"].num_rows
    pixels = sum(p.streams.width * p.streams.height for p in frame.passes)
    assert c["dram.write_bytes.color"] == 4 * pixels
    total = frame.geometry_cycles + frame.raster_cycles
    for unit, states in frame.unit_cycles.items():
        assert sum(states.values()) == total, unit
    for p in frame.passes:
        quads = p.retired[p.retired >= 0]
        assert sorted(quads) == sorted(np.flatnonzero(p.streams.early[: len(p.streams.quads)] & 15))
