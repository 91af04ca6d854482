"""Parameters of ``evr-like``; its Rendering Elimination has those of ``re``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["EvrConfig"]


class EvrConfig(TechniqueConfig):
    """Early visibility."""

    reorder: bool = parameter(
        True, source="reconstructed", description="primitives that are predicted hidden are drawn behind the others"
    )
    unsigned_depth: bool = parameter(
        True,
        source="reconstructed",
        description="leave those out of signatures that lie behind a tile's farthest depth",
    )
    unsigned_layers: bool = parameter(
        True, source="reconstructed", description="leave those out of signatures that later layers cover"
    )
