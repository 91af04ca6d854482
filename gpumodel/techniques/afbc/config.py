"""Parameters of ``afbc``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["AfbcConfig"]


class AfbcConfig(TechniqueConfig):
    """Compression of the Frame Buffer."""

    pixels_per_cycle: int = parameter(
        16, ge=0, le=1024, source="ASSUMED", description="pixels that the coder takes a cycle; 0 = in no time"
    )
