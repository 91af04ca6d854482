"""Energy of a frame: activity times price, leakage times time, memory apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpumodel.config.schema import GpuConfig
from gpumodel.energy.bill import Structure, bill
from gpumodel.memory.dram.config import load_dram_config
from gpumodel.memory.dram.energy import DramEnergy
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.errors import ConfigError

__all__ = [
    "FrameEnergy", "area_mm2", "derived_activity", "dram_dynamic_energy", "dynamic_energy", "evaluate",
]  # fmt: skip

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


def derived_activity(counters: Mapping[str, Any]) -> dict[str, Any]:
    """Activities that the bill charges and that follow from the counters, numbers or arrays."""
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
    seconds = cycles / (config.tech.clock_mhz * 1e6)
    parts = (*bill(config), *extra)
    dynamic = dynamic_energy(config, counters, parts)
    structures: dict[str, tuple[float, float]] = {}
    for part in parts:
        static = part.leak_mw * config.energy.static_scale * config.tech.voltage_v**3 * seconds * 1e9
        structures[part.name] = (dynamic[part.name], static)
    return FrameEnergy(
        gpu_dynamic=sum(dynamic.values()),
        gpu_static=sum(static for _, static in structures.values()),
        dram_dynamic=dram_dynamic_energy(config, counters),
        dram_static=_dram_static_energy(config, seconds, counters),
        structures=structures,
    )


def dynamic_energy(config: GpuConfig, counters: Mapping[str, Any], parts: Sequence[Structure]) -> dict[str, Any]:
    """Energy of each structure's accesses, pJ.

    Parameters
    ----------
    counters : of anything: numbers, or arrays with a value for each of several
    parts : the machine's structures, and those of techniques

    Raises
    ------
    ConfigError : a technique's structure names a counter that there is not
    """
    activity = {**counters, **derived_activity(counters)}
    volts = config.tech.voltage_v
    unknown = [
        f"structure {part.name}: no counter {name}" for part in parts for name in part.activity.keys() - activity
    ]
    if unknown:
        raise ConfigError(sorted(unknown), hint="see gpureplay counters")
    return {part.name: sum(activity[name] * pj for name, pj in part.activity.items()) * volts**2 for part in parts}


def dram_dynamic_energy(config: GpuConfig, counters: Mapping[str, Any]) -> Any:
    """Energy of the memory's commands, pJ; ``counters`` as for :func:`dynamic_energy`.

    Mode ``paper`` has bytes instead of commands: so many bursts of the same devices.
    """
    part = load_dram_config(config.memory.dram.config)
    price = DramEnergy.of(part)
    if config.memory.mode == "dram":
        reads, writes = counters["dram.read_commands"], counters["dram.write_commands"]
    else:
        reads, writes = (
            sum(counters[f"dram.{way}_bytes.{kind}"] for kind in TRAFFIC_NAMES) / part.request_bytes
            for way in ("read", "write")
        )
    return counters["dram.activates"] * price.activate_pj + reads * price.read_pj + writes * price.write_pj


def _dram_static_energy(config: GpuConfig, seconds: float, counters: Mapping[str, float]) -> float:
    """Static energy of main memory, pJ; refresh is static in both modes."""
    price = DramEnergy.of(load_dram_config(config.memory.dram.config))
    if config.memory.mode == "dram":
        active = counters["dram.rank_active_cycles"]
        return (
            counters["dram.refreshes"] * price.refresh_pj
            + active * price.active_standby_pj
            + (counters["dram.rank_cycles"] - active) * price.precharge_standby_pj
        )
    return price.idle_mw * seconds * 1e9


def area_mm2(config: GpuConfig) -> float:
    """Area of the baseline machine."""
    return sum(structure.area_mm2 for structure in bill(config))
