"""Parameters of ``ptr-shared``: units and assignment are ``ptr``'s."""

from __future__ import annotations

from gpumodel.config.schema import QuadMapName
from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.units.capacity import L1_MSHRS, SHARED_PORTS

__all__ = ["PtrSharedConfig"]


class PtrSharedConfig(TechniqueConfig):
    """Parallel Tile Rendering with shared Texture Caches."""

    quad_map: QuadMapName = parameter(
        "11-blocking", source="thesis §6.4: the best", description="map of quads to processors, see fragment.quad_map"
    )
    ports: int = parameter(
        1, ge=1, le=SHARED_PORTS, source="thesis §6.4", description="look-ups a cycle of a shared cache"
    )
    mshrs: int = parameter(
        0,
        ge=0,
        le=L1_MSHRS,
        source="ASSUMED: those of a private one",
        description="lines of a shared cache that can be missing at a time; 0 = caches.texture.mshrs",
    )
