"""Parameters of ``fpk``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.units.capacity import FRAGMENT_RING

__all__ = ["FpkConfig"]


class FpkConfig(TechniqueConfig):
    """Forward Pixel Kill."""

    quads: int = parameter(
        0,
        ge=0,
        le=FRAGMENT_RING,
        source="ASSUMED: Arm names no depth; 0 = that of the machine's fragment queue",
        description="depth of the buffer, which takes the place of queues.fragment",
    )
