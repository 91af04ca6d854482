"""Parameters of ``pfr``, and of ``memo`` that contains it."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["PfrConfig"]


class PfrConfig(TechniqueConfig):
    """Parallel Frame Rendering."""

    tiles_behind: int = parameter(
        0,
        ge=0,
        le=64,
        source="ASSUMED: in step",
        description="tiles that the second frame of a pair stays behind the first (what-if: fragments of the first have"
        " left their processors when the second's look for them)",
    )
