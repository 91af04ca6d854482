"""Parallel Tile Rendering (PTR).

Hardware: N Raster Units, each with its Tile Queue, Rasterizer, Early-Z, buffers, fragment queues, Fragment Processors,
caches and Blending; a control unit that gives a tile to one of them; an arbiter in front of the flush. L2 and memory
are shared and stay as they are.
Modelled: all of that; the units are the machine's own (:mod:`gpumodel.units.tiles` and
:mod:`gpumodel.units.tile_fetch` have assignment and barriers, :mod:`gpumodel.units.flush` the arbiter). The replicated
hardware is priced by the bill of the enlarged configuration, control unit and arbiter here.
Left out: nothing known.
Source: thesis §5.1, Fig. 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gpumodel.config.change import changed
from gpumodel.config.section import TechniqueConfig
from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.ptr.config import PtrConfig
from gpumodel.techniques.ptr.counters import COUNTERS
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.capacity import MAX_RASTER_UNITS
from gpumodel.units.counters import Counter, named

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine

__all__ = ["ParallelTileRendering"]

#: Bits of a Tile Queue's occupancy, and of a tile's number.
_OCCUPANCY_BITS: Final = 7
_TILE_BITS: Final = 11


@register
class ParallelTileRendering(Technique):
    """Parallel Tile Rendering: several Raster Units behind one Tile Fetcher."""

    id = "ptr"
    source = "thesis ch. 5"
    Config: ClassVar[type[TechniqueConfig] | None] = PtrConfig
    counters: ClassVar[Mapping[str, Counter]] = named("ptr", *COUNTERS)

    def __init__(self) -> None:
        super().__init__()
        self._system: Any = None
        self._units = 0

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Give the machine its Raster Units."""
        ptr = PtrConfig.of(config)
        return changed(config, {"raster.units": ptr.units, "raster.assignment": ptr.assignment})

    def plugs(self, config: GpuConfig) -> Plugs:
        """Plug nothing in: the Raster Units are the configuration's."""
        return Plugs()

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Control unit and flush arbiter: a comparator and a register for each Raster Unit but the first."""
        if config.fragment.shared_texture_caches and self.id == ParallelTileRendering.id:
            # Beside ``ptr-shared``, which has them.
            return []
        p = Prices(config)
        others = config.raster.units - 1
        adder, register_pj = p.dynamic("logic_adder_32b").read_pj / 32, p.dynamic("logic_register_32b").read_pj / 32
        return [
            p.logic(
                "ptr.control",
                others * _OCCUPANCY_BITS,
                config.raster.units * _OCCUPANCY_BITS + 3,
                {"tiles.rendered": others * _OCCUPANCY_BITS * (adder + register_pj)},
                "comparators of the Tile Queues' occupancies, the unit chosen last",
            ),
            p.logic(
                "ptr.flush_arbiter",
                others * _TILE_BITS,
                config.raster.units * _TILE_BITS,
                {"tiles.flushed": others * _TILE_BITS * (adder + register_pj)},
                "comparators of the numbers of the tiles that are ready",
            ),
        ]

    def attach(self, machine: Machine) -> None:
        """Remember the record that the counters are in."""
        self._system, self._units = machine.system, machine.config.raster.units

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        units = [self._system["ru"][k] for k in range(self._units)]
        own = self.record[0]
        for k, unit in enumerate(units):
            own[f"tiles.{k}"] = unit["tiles"]
        own["flush_wait_cycles"] = sum(unit["flush_wait_cycles"] for unit in units)
        absent = {f"{self.id}.tiles.{k}" for k in range(self._units, MAX_RASTER_UNITS)}
        return {name: value for name, value in super().read_counters().items() if name not in absent}
