"""Parameters of ``tcor-like``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["TcorConfig"]


class TcorConfig(TechniqueConfig):
    """Replacement by tile order."""

    tile_cache: bool = parameter(
        True, source="reconstructed", description="the Tile Cache gives up the line whose next tile comes last"
    )
    dead_lines: bool = parameter(
        True, source="reconstructed", description="the L2 gives up dead lines of the Parameter Buffer first, unwritten"
    )
