"""Inter-tile texture sharing: Parallel Tile Rendering whose Raster Units share their Texture Caches.

Hardware: processor p of Raster Unit 0 and processor p of Raster Unit 1 share Texture Cache p, of the size of a private
one and with its single port; a quad map that lets neighbouring tiles use the same cache on both sides of their edge.
Modelled: that (:mod:`gpumodel.units.texture_cache`). The map names the order of tiles that it is made for. A tile's map
follows from its number in rendering order, whatever unit the tile is given to.
Beyond two units: units 2j and 2j + 1 share; an odd number is refused. Static assignment gives the tiles n and n + 1 to
two units that share; the other policies need not. Other than four processors: refused by the maps of thesis §6.3.
Left out: bank conflicts between two ports.
Source: thesis §6.2, Fig. 6.2, §6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpumodel.config.change import changed
from gpumodel.quad_maps import MAPPINGS, quad_map
from gpumodel.techniques.ptr import ParallelTileRendering
from gpumodel.techniques.ptr.config import PtrConfig
from gpumodel.techniques.ptr.counters import COUNTERS
from gpumodel.techniques.ptr_shared.config import PtrSharedConfig
from gpumodel.techniques.registry import register
from gpumodel.units.counters import Counter, named
from gpumodel.units.state import L1_TEXTURE
from traceformat.errors import ConfigError

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine

__all__ = ["SharedTextures"]


@register
class SharedTextures(ParallelTileRendering):
    """Parallel Tile Rendering whose Raster Units share their Texture Caches two by two."""

    id = "ptr-shared"
    source = "thesis ch. 6"
    Config = PtrSharedConfig
    counters = named(
        "ptr-shared",
        *COUNTERS,
        Counter(
            "port_conflicts", "cycles", "a processor could not look up because the other one did, at the only port"
        ),
        Counter(
            "register_waits",
            "cycles",
            "a processor could not look up for want of a miss register, or left its turn to one in want",
        ),
    )

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Give the machine its Raster Units, their caches, and the quad map with its order of tiles.

        Raises
        ------
        ConfigError : an odd number of Raster Units, or a map that is not made for the number of processors
        """
        shared, ptr = PtrSharedConfig.of(config), PtrConfig.of(config)
        if ptr.units % 2:
            raise ConfigError(
                [f"ptr.units = {ptr.units}: ptr-shared needs an even number, two and two share their caches"]
            )
        values: dict[str, Any] = {
            "fragment.shared_texture_caches": True,
            "fragment.texture_ports": shared.ports,
            "fragment.quad_map": shared.quad_map,
            "caches.texture.mshrs": shared.mshrs or config.caches.texture.mshrs,
            "raster.units": ptr.units,
            "raster.assignment": ptr.assignment,
        }
        if shared.quad_map in MAPPINGS:
            values["tile.order"] = MAPPINGS[shared.quad_map].order
        configured = changed(config, values)
        quad_map(configured)
        return configured

    def attach(self, machine: Machine) -> None:
        """Remember the record that the counters are in."""
        super().attach(machine)
        self._caches = range(L1_TEXTURE, L1_TEXTURE + self._units * machine.config.fragment.processors)

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        for name in ("port_conflicts", "register_waits"):
            self.record[0][name] = sum(self._system["l1"][cache][name] for cache in self._caches)
        return super().read_counters()
