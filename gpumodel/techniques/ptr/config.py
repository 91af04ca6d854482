"""Parameters of ``ptr`` and ``double``."""

from __future__ import annotations

from typing import Literal

from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.units.capacity import MAX_PROCESSORS, MAX_RASTER_UNITS

__all__ = ["DoubleConfig", "PtrConfig"]


class PtrConfig(TechniqueConfig):
    """Parallel Tile Rendering."""

    units: int = parameter(2, ge=1, le=MAX_RASTER_UNITS, source="thesis §5.1", description="Raster Units")
    assignment: Literal["static", "dynamic", "mixed"] = parameter(
        "static", source="thesis §5.1", description="of tiles to Raster Units, see raster.assignment"
    )


class DoubleConfig(TechniqueConfig):
    """A Raster Unit with twice the resources."""

    instruction_caches: int = parameter(
        0,
        ge=0,
        le=MAX_PROCESSORS,
        source="thesis §5.2: 8; Table 4.1 differs",
        description="of the doubled Raster Unit; 0 = twice as many as before",
    )
