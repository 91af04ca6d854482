"""Figures of frames and runs, and their sums; ``resultfile`` writes and reads them.

Everything in a result is a function of trace, configuration and program version: host times are not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpumodel.attribution.table import Attribution
from gpumodel.config.origin import flatten
from gpumodel.config.schema import GpuConfig
from gpumodel.counters import COUNTERS, ratio_counters
from gpumodel.energy import FrameEnergy, Structure, area_mm2, bill, evaluate
from gpumodel.machine import MachineFrame
from gpumodel.units.traffic import TRAFFIC_NAMES
from gpumodel.verify.result import Verification
from traceformat.gputrace.frametrace import FrameRole

__all__ = ["FrameResult", "RunResult", "dram_bytes", "frame_result", "measured", "total_of"]

_LARGEST: Final = ("parameter_buffer.bytes",)


@dataclass(slots=True)
class FrameResult:
    """A frame's figures; ``stalls`` maps each unit to the cycles in each of its states, which add up to ``cycles``.

    ``attribution`` has them by draw, where that was asked for.
    """

    frame: int
    geometry_cycles: int
    raster_cycles: int
    energy: FrameEnergy
    counters: dict[str, float]
    stalls: dict[str, dict[str, int]]
    role: FrameRole = FrameRole.MEASURED
    attribution: Attribution | None = None

    @property
    def cycles(self) -> int:
        """All cycles."""
        return self.geometry_cycles + self.raster_cycles

    def as_json(self) -> dict[str, Any]:
        """F of DESIGN §8; energies in pJ, rounded to a thousandth."""
        energy = self.energy
        attribution = {} if self.attribution is None else {"attribution": self.attribution.as_json()}
        return {
            "frame": self.frame,
            "role": str(self.role),
            "cycles": {"total": self.cycles, "geometry": self.geometry_cycles, "raster": self.raster_cycles},
            "energy_pj": {
                "total": round(energy.total, 3),
                "gpu_dynamic": round(energy.gpu_dynamic, 3),
                "gpu_static": round(energy.gpu_static, 3),
                "dram_dynamic": round(energy.dram_dynamic, 3),
                "dram_static": round(energy.dram_static, 3),
                "structures": {
                    name: {"dynamic": round(dynamic, 3), "static": round(static, 3)}
                    for name, (dynamic, static) in energy.structures.items()
                },
            },
            "counters": self.counters,
            "stalls": self.stalls,
            **attribution,
        }


@dataclass(slots=True)
class RunResult:
    """One technique's run over the frames.

    Parameters
    ----------
    config : that was asked for
    configured : with the units that the technique enlarges or multiplies
    hardware : what the technique adds beside them
    verification : of its pixels, None where that was not asked for
    first_costs : of the first measured frame by draw, where that alone was counted
    """

    technique: str
    memory: str
    config: GpuConfig
    configured: GpuConfig
    frames: list[FrameResult] = field(default_factory=list)
    hardware: Sequence[Structure] = ()
    verification: Verification | None = None
    first_costs: Attribution | None = None

    @property
    def measured(self) -> list[FrameResult]:
        """The frames that count."""
        return measured(self.frames)

    def frame(self, number: int) -> FrameResult:
        """Give the result of a frame, whatever its role."""
        return next(frame for frame in reversed(self.frames) if frame.frame == number)

    @property
    def area_mm2(self) -> float:
        """Area with all that the technique adds."""
        return area_mm2(self.configured) + sum(structure.area_mm2 for structure in self.hardware)

    @property
    def area_share(self) -> float:
        """What the technique adds, as a share of the area without it."""
        return self.area_mm2 / area_mm2(self.config) - 1

    @property
    def stored_bytes(self) -> float:
        """Bytes on chip with all that the technique adds, without the tags of caches."""
        return sum(part.stored_bytes for part in (*bill(self.configured), *self.hardware))

    def as_json(self) -> dict[str, Any]:
        """An entry of ``runs``, without what it is a run of."""
        before, after = (flatten(config.model_dump(mode="json")) for config in (self.config, self.configured))
        entry: dict[str, Any] = {
            "set_by_technique": {key: value for key, value in after.items() if before.get(key) != value},
            "frames": [frame.as_json() for frame in self.frames],
            "total": total_of(self.measured).as_json(),
            "hardware": {"area_mm2": round(self.area_mm2, 6), "area_share": round(self.area_share, 6)},
        }
        if self.verification is not None:
            entry["verify"] = self.verification.as_json()
        return entry


def frame_result(
    config: GpuConfig,
    raw: MachineFrame,
    own: Mapping[str, float] | None = None,
    hardware: Sequence[Structure] = (),
) -> FrameResult:
    """Complete a machine's raw figures: workload counters, ratios, energy.

    Parameters
    ----------
    own, hardware : counters and structures of techniques
    """
    counters: dict[str, float] = dict.fromkeys(COUNTERS, 0)
    counters.update(raw.counters)
    counters.update(raw.work.counters())
    counters.update(ratio_counters(counters))
    counters.update(own or {})
    energy = evaluate(config, raw.geometry_cycles + raw.raster_cycles, counters, hardware)
    result = FrameResult(raw.frame, raw.geometry_cycles, raw.raster_cycles, energy, counters, raw.unit_cycles, raw.role)
    if raw.costs is not None:
        from gpumodel.attribution.frame import FrameTotals, attribute

        totals = FrameTotals(
            raw.frame, raw.geometry_cycles, raw.raster_cycles, counters, energy, hardware, frozenset(own or ())
        )
        result.attribution = attribute(config, raw.costs, totals)
    return result


def measured(frames: Sequence[FrameResult]) -> list[FrameResult]:
    """The frames that were asked for, without those that warm up or set up."""
    return [frame for frame in frames if frame.role is FrameRole.MEASURED]


def total_of(frames: Sequence[FrameResult]) -> FrameResult:
    """Sum of frames; ratios are ratios of sums, largest values stay largest values, and ``frame`` counts the frames."""
    counters: dict[str, float] = {} if frames else dict.fromkeys(COUNTERS, 0)
    stalls: dict[str, dict[str, int]] = {}
    structures: dict[str, tuple[float, float]] = {}
    for frame in frames:
        for name, value in frame.counters.items():
            counters[name] = max(counters.get(name, 0), value) if name in _LARGEST else counters.get(name, 0) + value
        for unit, states in frame.stalls.items():
            mine = stalls.setdefault(unit, dict.fromkeys(states, 0))
            for state, cycles in states.items():
                mine[state] += cycles
        for name, (dynamic, static) in frame.energy.structures.items():
            before = structures.get(name, (0.0, 0.0))
            structures[name] = before[0] + dynamic, before[1] + static
    if counters:
        counters.update(ratio_counters(counters))
    energy = FrameEnergy(
        gpu_dynamic=sum(frame.energy.gpu_dynamic for frame in frames),
        gpu_static=sum(frame.energy.gpu_static for frame in frames),
        dram_dynamic=sum(frame.energy.dram_dynamic for frame in frames),
        dram_static=sum(frame.energy.dram_static for frame in frames),
        structures=structures,
    )
    return FrameResult(
        len(frames),
        sum(frame.geometry_cycles for frame in frames),
        sum(frame.raster_cycles for frame in frames),
        energy,
        counters,
        stalls,
    )


def dram_bytes(counters: dict[str, float]) -> dict[str, float]:
    """Memory traffic by client, both ways."""
    return {kind: counters[f"dram.read_bytes.{kind}"] + counters[f"dram.write_bytes.{kind}"] for kind in TRAFFIC_NAMES}
