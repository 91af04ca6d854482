"""Counters of ``vro``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "vro",
    Counter("nodes", "nodes", "nodes of the passes' graphs"),
    Counter("movable_nodes", "nodes", "of those, nodes that may change places"),
    Counter("comparisons", "fragments", "Early-Z compared a fragment with another node of its run"),
    Counter("edges_found", "edges", "edges that quads showed, equal ones of a quad once"),
    Counter("edges_merged", "edges", "equal to another of the quad, or to the one searched last"),
    Counter("filter_searches", "searches", "of the Edge Filter"),
    Counter("filter_hits", "searches", "of those, found: dropped"),
    Counter("edges_queued", "edges", "into the Edges Queue"),
    Counter("edges_duplicate", "edges", "dropped by the Edge Inserter: in the graph already"),
    Counter("edges_opposite", "edges", "dropped: the opposite edge is in the graph (interlaced objects)"),
    Counter("edges_dropped", "edges", "dropped: no entry free in the Graph Buffer, or a node without one"),
    Counter("edges", "edges", "added to the graph"),
    Counter("edges_late", "edges", "of the queue, left when the pass ended"),
    Counter("edges_right", "edges", "of the graph's, those that this frame's order had right"),
    Counter("order_pairs", "pairs", "of nodes that this frame's graph and that of the frame before order, either way"),
    Counter("order_kept", "pairs", "of those, the same way as in the frame before (VRO §3: over 99 %)"),
    Counter("overflow_entries", "entries", "overflow entries taken"),
    Counter("list_searches", "entries", "AdjacencyList register searched"),
    Counter("inserter_cycles", "cycles", "in which the Edge Inserter made a step"),
    Counter(
        "inserter_accesses",
        "accesses",
        "of the Graph Cache's, those of the Edge Inserter (VRO §4.3: below 1 a 1,000 fragments)",
    ),
    Counter("queue_stall_cycles", "cycles", "Early-Z waited for room in the Edges Queue"),
    Counter("filter_stall_cycles", "cycles", "Early-Z waited for searches of the Edge Filter"),
    Counter("nodes_sorted", "nodes", "through the Order Queue"),
    Counter("heuristic_picks", "nodes", "of those, taken by the heuristic for cycles"),
    Counter("degree_updates", "updates", "in-degrees decremented by the sort"),
    Counter("sort_cycles", "cycles", "from the begin of the pass to the end of the sort"),
    Counter("sort_wait_cycles", "cycles", "the first tile waited for the end of the sort"),
    Counter("nodes_new", "nodes", "movable, not in the graph of the frame before: behind the sorted ones"),
    Counter("nodes_vanished", "nodes", "in the order, not in this frame"),
    Counter("list_starts", "starts", "changes of the node in tile lists, which the Order Matcher finds"),
    Counter("matcher_reads", "accesses", "blocks of tile lists read by the Order Matcher"),
    Counter("match_wait_cycles", "cycles", "tiles waited for the Order Matcher"),
    Counter("ties", "fragments", "equal depths that arrived against program order"),
    Counter("owner_writes", "quads", "quad writes of owners"),
    Counter("list_max", "nodes", "longest adjacency list"),
    Counter("list_p75", "nodes", "75th percentile of the lists' lengths (VRO Fig. 11), summed over passes"),
    Counter("list_p85", "nodes", "85th percentile"),
    Counter("list_p95", "nodes", "95th percentile"),
    Counter("graph_cache.accesses", "accesses", "reads and writes of the Graph Cache"),
    Counter("graph_cache.misses", "accesses", "of those, misses"),
    Counter("graph_cache.bytes", "bytes", "moved between Graph Cache and L2"),
)
