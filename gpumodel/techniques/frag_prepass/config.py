"""Parameters of ``frag-prepass``; its front is that of ``dr``."""

from __future__ import annotations

from typing import Literal

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["FragPrepassConfig"]


class FragPrepassConfig(TechniqueConfig):
    """Fragment prepass."""

    filter_percent: int = parameter(
        100,
        ge=0,
        le=10000,
        source="ASSUMED: one layer; Mesa names a filter, not its rule",
        description="tiles whose covering primitives take no more than this share of the tile, by the parts of their"
        " bounding boxes in it (of a box at most half), go without a prepass, percent; 0 = none does",
    )
    cull: bool = parameter(
        True, source="Arm's patent, by its abstract", description="leave hidden primitives out of the tile's list"
    )
    attributes: Literal["all", "position"] = parameter(
        "position", source="ASSUMED", description="what the prepass fetches of a primitive"
    )
    scan_tags: int = parameter(
        16, ge=1, le=1024, source="ASSUMED", description="tags that are scanned for visible primitives, a cycle"
    )
