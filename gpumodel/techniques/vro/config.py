"""Parameters of ``vro``."""

from __future__ import annotations

from typing import Final

from gpumodel.config.schema import CacheConfig
from gpumodel.config.section import PowerOfTwo, TechniqueConfig, parameter
from gpumodel.units.capacity import L1_BYTES, L1_MSHRS, L1_RING

__all__ = ["EDGES_RING", "FILTER_ENTRIES", "MAX_ENTRIES", "MAX_WIDTH", "GraphCacheConfig", "VroConfig"]

#: Entries of the Graph Buffer (13-bit node numbers), and children of an entry, at most.
MAX_ENTRIES: Final = 8192
MAX_WIDTH: Final = 64
#: Edges in the Edges Queue and in the Edge Filter, at most.
EDGES_RING: Final = 1024
FILTER_ENTRIES: Final = 256


class GraphCacheConfig(CacheConfig):
    """The Graph Cache."""

    size_bytes: PowerOfTwo = parameter(4096, ge=128, le=L1_BYTES, source="VRO Table 2", description="bytes")
    ways: PowerOfTwo = parameter(4, ge=1, le=32, source="VRO Table 2", description="associativity")
    latency_cycles: int = parameter(1, ge=1, le=256, source="VRO Table 2", description="hit latency, cycles")
    mshrs: int = parameter(1, ge=1, le=L1_MSHRS, source="ASSUMED", description="lines that can be missing at a time")
    request_queue: int = parameter(4, ge=1, le=L1_RING, source="ASSUMED", description="requests waiting for the L2")


class VroConfig(TechniqueConfig):
    """Visibility Rendering Order."""

    graph_entries: PowerOfTwo = parameter(
        8192, ge=16, le=MAX_ENTRIES, source="VRO Table 2", description="entries of the Graph Buffer"
    )
    nodes: PowerOfTwo = parameter(
        1024,
        ge=16,
        le=MAX_ENTRIES,
        source="ASSUMED, VRO's games have less than 256",
        description="nodes of a pass that can be ordered (queue of roots, tables of the order)",
    )
    children: int = parameter(
        36, ge=1, le=MAX_WIDTH, source="VRO Table 2", description="children of an entry of the Graph Buffer, W"
    )
    edge_filter: int = parameter(32, ge=1, le=FILTER_ENTRIES, source="VRO Table 2", description="Edge Filter, entries")
    searches_per_cycle: int = parameter(
        1, ge=1, le=16, source="ASSUMED", description="searches of the Edge Filter a cycle"
    )
    edges_queue: int = parameter(64, ge=1, le=EDGES_RING, source="VRO Table 2", description="Edges Queue, entries")
    order_queue: int = parameter(64, ge=1, le=1024, source="VRO Table 2", description="Order Queue, entries; priced")
    graph_cache: GraphCacheConfig = parameter(GraphCacheConfig(), source="VRO Table 2", description="Graph Cache")
    record_cycles: int = parameter(
        1, ge=0, le=64, source="ASSUMED", description="to match a node's first pointer, cycles"
    )
    match_ahead: bool = parameter(
        True,
        source="ASSUMED, VRO §4.3; false takes away what reading the list early is worth without an order",
        description="the Order Matcher reads the next tile's list while this tile is rendered, else behind it",
    )
    order_bits_per_cycle: int = parameter(
        64,
        ge=1,
        le=MAX_ENTRIES,
        source="ASSUMED",
        description="places of the rendering order that are scanned a cycle",
    )
