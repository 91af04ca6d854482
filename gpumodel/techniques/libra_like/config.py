"""Parameters of ``libra-like``; its Raster Units have those of ``ptr``."""

from __future__ import annotations

from typing import Literal

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["LibraConfig"]


class LibraConfig(TechniqueConfig):
    """Hot and cold tiles at the same time."""

    metric: Literal["misses", "instructions", "cycles"] = parameter(
        "misses",
        source="reconstructed",
        description="how hot a tile is: lines of textures asked of the L2, issue cycles, or from dispatch to end",
    )
    side: int = parameter(4, ge=1, le=16, source="reconstructed", description="of a super-tile at first, tiles")
    adapts: bool = parameter(
        True,
        source="reconstructed",
        description="sides are doubled and halved, and the order of tiles kept, by what the last frames took",
    )
    hit_percent: int = parameter(
        80,
        ge=0,
        le=100,
        source="ASSUMED",
        description="of Texture Cache look-ups from which order may be kept, percent",
    )
    gain_percent: int = parameter(
        1, ge=0, le=100, source="ASSUMED", description="less cycles than this are no gain, percent"
    )
    retry_frames: int = parameter(
        16, ge=1, le=1024, source="ASSUMED", description="until what was given up is tried again, frames"
    )
    sort_cycles: int = parameter(
        4, ge=0, le=256, source="ASSUMED", description="to sort a super-tile in, beside the geometry phase, cycles"
    )
    oracle: bool = parameter(
        False,
        source="no hardware",
        description="how hot a tile is, is known from this frame's trace: the lines that its quads look up",
    )
