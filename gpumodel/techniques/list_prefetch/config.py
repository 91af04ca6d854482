"""Parameters of ``list-prefetch``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["ListPrefetchConfig"]


class ListPrefetchConfig(TechniqueConfig):
    """List prefetch."""

    attributes: bool = parameter(
        False,
        source="pointers alone: what VRO's Order Matcher reads; with attributes: what DR's HSR reads",
        description="read the attributes of the list's primitives, too",
    )
