"""Parameters of ``dtexl-like``."""

from __future__ import annotations

from typing import Literal

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["DtexlConfig"]


class DtexlConfig(TechniqueConfig):
    """Texture locality with a barrier for each processor."""

    grouping: Literal["fine", "square", "columns", "rows"] = parameter(
        "square",
        source="reconstructed",
        description="quads of a tile that a processor shades: here and there, or a part",
    )
    flip: bool = parameter(
        True,
        source="reconstructed",
        description="neighbouring tiles mirror the parts: both sides of an edge are one's",
    )
    order: Literal["preset", "scanline", "z-order", "snake", "hilbert"] = parameter(
        "hilbert", source="reconstructed", description="order of the tiles; preset = as tile.order says"
    )
    decoupled: bool = parameter(
        True, source="reconstructed", description="a processor goes on with the next tile when its own part is done"
    )
