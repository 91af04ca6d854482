"""Counters of ``dr`` and ``dr-seq``. Of a multisampled pass, fragments are samples where Early-Z tells them apart."""

from __future__ import annotations

from typing import Final

from gpumodel.units.counters import Counter

__all__ = ["COUNTERS"]

COUNTERS: Final = (
    Counter("hsr_tiles", "tiles", "tiles whose hidden surfaces were removed"),
    Counter("hsr_cycles", "cycles", "from the begin of a tile's HSR to its end, summed"),
    Counter(
        "hsr_fetch_cycles", "cycles", "from the first request of a list entry to its hand-over to the HSR front, summed"
    ),
    Counter("hsr_requests", "accesses", "Tile Cache reads of the HSR fetcher"),
    Counter("hsr_attributes", "attributes", "attributes of three vertices that it read"),
    Counter("hsr_wait_cycles", "cycles", "tiles waited for their HSR"),
    Counter("hsr_yields", "cycles", "the HSR fetcher left the Tile Cache's port to the Tile Fetcher"),
    Counter("hsr_wasted", "tiles", "tiles with HSR that another technique left out"),
    Counter("hsr_primitives", "pairs", "list entries that the HSR front rasterized"),
    Counter("hsr_quads", "quads", "quads that the HSR front tested"),
    Counter("hsr_fragments", "fragments", "fragments of those"),
    Counter("hsr_depth_reads", "quads", "quad reads of HSR's Depth Buffer"),
    Counter("hsr_depth_writes", "quads", "quad writes of HSR's Depth Buffer"),
    Counter("tag_writes", "quads", "quads that left a tag"),
    Counter("tag_reads", "quads", "quads that Early-Z tested by their pixels' tags"),
    Counter("killed", "fragments", "killed by Early-Z because a later fragment covers them"),
    Counter("visible", "fragments", "passed Early-Z as the fragment that covers its pixel last"),
    Counter(
        "behind_discard", "fragments", "passed Early-Z at a pixel given up for a draw that discards or writes its depth"
    ),
    Counter("behind_state", "fragments", "passed Early-Z at a pixel given up for stencil or a query"),
    Counter(
        "other", "fragments", "passed Early-Z behind the covering fragment, such as blended ones, or where none covers"
    ),
    Counter("passes_off", "passes", "without HSR: loaded depth, or no draw that covers"),
)
