"""Parameters of ``lrz``."""

from __future__ import annotations

from gpumodel.config.section import PowerOfTwo, TechniqueConfig, parameter

__all__ = ["LrzConfig"]


class LrzConfig(TechniqueConfig):
    """Low-resolution depth."""

    binning: bool = parameter(
        True, source="Mesa: rejects in the binning pass", description="leave hidden primitives out of tile lists"
    )
    rendering: bool = parameter(
        True, source="Mesa: rejects in the rendering pass", description="leave hidden blocks out before Early-Z"
    )
    blocks_per_cycle: int = parameter(
        4, ge=1, le=64, source="ASSUMED: those of a tile of 16x16", description="blocks compared while sorting, a cycle"
    )
    cache_bytes: PowerOfTwo = parameter(
        2048, ge=256, le=65536, source="ASSUMED", description="cache in front of the depths, bytes"
    )
