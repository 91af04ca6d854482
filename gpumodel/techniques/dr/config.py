"""Parameters of ``dr`` and ``dr-seq``; the queues are the baseline's, as in VRO Table 2."""

from __future__ import annotations

from typing import Final, Literal

from gpumodel.config.section import TechniqueConfig, parameter

__all__ = ["HSR_ENTRIES", "DrConfig"]

#: Primitives that the HSR fetcher has under way, at most.
HSR_ENTRIES: Final = 16


class DrConfig(TechniqueConfig):
    """Deferred Rendering."""

    hsr_attributes: Literal["all", "position"] = parameter(
        "all",
        source="ASSUMED, as VRO Table 2 gives its Tile Queue whole entries",
        description="what HSR fetches of a primitive",
    )
    hsr_entries: int = parameter(
        0,
        ge=0,
        le=HSR_ENTRIES,
        source="VRO §4.2: one",
        description="primitives that the HSR fetcher has under way; 0 = as many as the Tile Fetcher has",
    )
