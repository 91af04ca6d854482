"""Energy of a frame: activity times price, leakage times time, memory apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpumodel.config.schema import GpuConfig
from gpumodel.energy.bill import Structure, bill
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.memory.dram.energy import DramEnergy
from gpumodel.units.traffic import TRAFFIC_NAMES

__all__ = ["FrameEnergy", "area_mm2", "derived_activity", "evaluate"]

_LINE_BYTES: Final = 64
_PORT_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class FrameEnergy:
    """Energy of a frame, pJ; ``structures`` maps each structure to (dynamic, static)."""

    gpu_dynamic: float
    gpu_static: float
    dram_dynamic: float
    dram_static: float
    structures: Mapping[str, tuple[float, float]]

    @property
    def total(self) -> float:
        """Everything."""
        return self.gpu_dynamic + self.gpu_static + self.dram_dynamic + self.dram_static


def derived_activity(counters: Mapping[str, float]) -> dict[str, float]:
    """Activities that the bill charges and that follow from the counters."""
    c = counters
    color_bytes = c["dram.write_bytes.color"] + c["dram.read_bytes.color"]
    return {
        "l2.line_reads": c["cache.l2.accesses"] - c["cache.l2.writes"],
        "l2.line_writes": c["cache.l2.writes"] + c["cache.l2.primary_misses"],
        "color_buffer.transfers": color_bytes / _PORT_BYTES,
        "depth_buffer.transfers": c["depth_buffer.transfer_bytes"] / _PORT_BYTES,
        "vertices.queued": c["vertices.shaded"],
        # An entry of A attributes is 3 A slices of 16 bytes and its state.
        "queue.triangle.slices": 3 * c["binning.attributes"] + c["primitives.binned"],
        "queue.tile.slices": 3 * c["tile_fetch.attributes"] + c["tile_fetch.primitives"],
        "tile_fetch.pointers": c["tile_fetch.primitives"],
        "command.words": c["cache.command.accesses"] * _LINE_BYTES / 4,
        "dram.lines.color": color_bytes / _LINE_BYTES,
        "dram.requests": c["dram.read_requests"] + c["dram.write_requests"],
    }


def evaluate(
    config: GpuConfig, cycles: int, counters: Mapping[str, float], extra: Sequence[Structure] = ()
) -> FrameEnergy:
    """Price a frame.

    Parameters
    ----------
    config : node, device classes, voltage, memory figures
    cycles : GPU cycles of the frame
    counters : its counters
    extra : structures of techniques

    Notes
    -----
    Table rows are for 1.0 V: energy goes with the square of the voltage, leakage with its cube (the table's own rule).
    """
    activity = {**counters, **derived_activity(counters)}
    seconds = cycles / (config.tech.clock_mhz * 1e6)
    volts = config.tech.voltage_v
    structures: dict[str, tuple[float, float]] = {}
    for structure in (*bill(config), *extra):
        dynamic = sum(activity[name] * pj for name, pj in structure.activity.items()) * volts**2
        static = structure.leak_mw * config.energy.static_scale * volts**3 * seconds * 1e9
        structures[structure.name] = (dynamic, static)
    dram_dynamic, dram_static = _dram_energy(config, seconds, counters)
    return FrameEnergy(
        gpu_dynamic=sum(dynamic for dynamic, _ in structures.values()),
        gpu_static=sum(static for _, static in structures.values()),
        dram_dynamic=dram_dynamic,
        dram_static=dram_static,
        structures=structures,
    )


def _dram_energy(config: GpuConfig, seconds: float, counters: Mapping[str, float]) -> tuple[float, float]:
    """Dynamic and static energy of main memory, pJ; refresh is static in both modes."""
    if config.memory.mode == "dram":
        price = DramEnergy.of(load_dram_config(config.memory.dram.config))
        active = counters["dram.rank_active_cycles"]
        return (
            counters["dram.activates"] * price.activate_pj
            + counters["dram.read_commands"] * price.read_pj
            + counters["dram.write_commands"] * price.write_pj,
            counters["dram.refreshes"] * price.refresh_pj
            + active * price.active_standby_pj
            + (counters["dram.rank_cycles"] - active) * price.precharge_standby_pj,
        )
    moved = sum(counters[f"dram.{way}_bytes.{kind}"] for way in ("read", "write") for kind in TRAFFIC_NAMES)
    return (
        moved * config.energy.dram_pj_per_byte + counters["dram.activates"] * config.energy.dram_activate_pj,
        config.energy.dram_background_mw * seconds * 1e9,
    )


def area_mm2(config: GpuConfig) -> float:
    """Area of the baseline machine."""
    return sum(structure.area_mm2 for structure in bill(config))
