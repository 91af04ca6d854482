"""Parameters of ``omega-like``."""

from __future__ import annotations

from typing import Literal

from gpumodel.config.section import PowerOfTwo, TechniqueConfig, parameter

__all__ = ["OmegaConfig"]


class OmegaConfig(TechniqueConfig):
    """Last frame's depth in Early-Z."""

    block: Literal[1, 2, 4, 8] = parameter(
        8, source="reconstructed", description="side of a block that shares its farthest depth, pixels"
    )
    bits: Literal[16, 24, 32] = parameter(16, source="reconstructed", description="of a depth that is kept, bits")
    margin: int = parameter(
        1, ge=0, le=65535, source="reconstructed", description="behind a depth by which nothing is left out yet, steps"
    )
    cache_bytes: PowerOfTwo = parameter(
        2048, ge=256, le=65536, source="ASSUMED", description="in front of the depths, bytes"
    )
    ahead: bool = parameter(
        True, source="ASSUMED", description="a tile's depths are fetched while the tile before it is begun"
    )
    oracle: bool = parameter(
        False, source="no hardware", description="the depths are those that this very frame will have"
    )
