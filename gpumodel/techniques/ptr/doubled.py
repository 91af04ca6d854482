"""One Raster Unit with twice the resources: the fair rival of Parallel Tile Rendering.

Hardware: twice the quads a cycle of Rasterizer, Early-Z and Blending, twice the interpolators and the quads in flight,
twice the Fragment Processors with their queues, Texture and Instruction Caches.
Modelled: that, as a configuration. Where one fragment queue is shared it gets twice the entries.
Left out: what §5.2 does not name stays: Tile Queue, Post-Rasterization queue, colour queue, buffers.
Source: thesis §5.2; Instruction Caches: Table 4.1 and §5.2 differ, ``double.instruction_caches`` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpumodel.config.change import changed
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.ptr.config import DoubleConfig
from gpumodel.techniques.registry import Technique, register

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.energy import Structure

__all__ = ["DoubledResources"]


@register
class DoubledResources(Technique):
    """One Raster Unit with twice the resources: the fair rival of Parallel Tile Rendering."""

    id = "double"
    source = "thesis §5.2"
    Config = DoubleConfig

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Double what §5.2 names."""
        caches = DoubleConfig.of(config).instruction_caches or 2 * config.fragment.instruction_caches
        values = {
            "raster.attributes_per_cycle": 2 * config.raster.attributes_per_cycle,
            "raster.quads_per_cycle": 2 * config.raster.quads_per_cycle,
            "early_z.in_flight_quads": 2 * config.early_z.in_flight_quads,
            "blend.in_flight_quads": 2 * config.blend.in_flight_quads,
            "fragment.processors": 2 * config.fragment.processors,
            "fragment.instruction_caches": caches if config.caches.instruction else 0,
        }
        if config.fragment.queues == "shared":
            values["queues.fragment"] = 2 * config.queues.fragment
        return changed(config, values)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Plug nothing in."""
        return Plugs()

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Nothing beside the enlarged units, which the bill of the configuration prices."""
        return []
