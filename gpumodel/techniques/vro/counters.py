"""Counters of ``vro`` and the state's fields that they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.counters import Counter

__all__ = ["COUNTERS", "UNIT_COUNTERS"]

#: Counters that the hardware keeps.
UNIT_COUNTERS: Final = {
    "vro.comparisons": "comparisons",
    "vro.edges_found": "edges",
    "vro.edges_merged": "merged",
    "vro.filter_searches": "searches",
    "vro.filter_hits": "filter_hits",
    "vro.edges_queued": "queued",
    "vro.edges_duplicate": "duplicates",
    "vro.edges_opposite": "opposites",
    "vro.edges_dropped": "dropped",
    "vro.edges": "inserted",
    "vro.edges_late": "late",
    "vro.overflow_entries": "overflows",
    "vro.list_searches": "list_searches",
    "vro.inserter_cycles": "inserter_cycles",
    "vro.queue_stall_cycles": "queue_stalls",
    "vro.filter_stall_cycles": "filter_stalls",
    "vro.nodes_sorted": "sorted",
    "vro.heuristic_picks": "picks",
    "vro.degree_updates": "degree_updates",
    "vro.sort_cycles": "sort_cycles",
    "vro.sort_wait_cycles": "sort_wait",
    "vro.matcher_reads": "record_reads",
    "vro.match_wait_cycles": "match_wait",
    "vro.ties": "ties",
    "vro.owner_writes": "owner_writes",
}

COUNTERS: Final[Mapping[str, Counter]] = {
    "vro.nodes": Counter("nodes", "nodes of the passes' graphs"),
    "vro.movable_nodes": Counter("nodes", "of those, nodes that may change places"),
    "vro.comparisons": Counter("fragments", "Early-Z compared a fragment with another node of its run"),
    "vro.edges_found": Counter("edges", "edges that quads showed, equal ones of a quad once"),
    "vro.edges_merged": Counter("edges", "equal to another of the quad, or to the one searched last"),
    "vro.filter_searches": Counter("searches", "of the Edge Filter"),
    "vro.filter_hits": Counter("searches", "of those, found: dropped"),
    "vro.edges_queued": Counter("edges", "into the Edges Queue"),
    "vro.edges_duplicate": Counter("edges", "dropped by the Edge Inserter: in the graph already"),
    "vro.edges_opposite": Counter("edges", "dropped: the opposite edge is in the graph (interlaced objects)"),
    "vro.edges_dropped": Counter("edges", "dropped: no entry free in the Graph Buffer, or a node without one"),
    "vro.edges": Counter("edges", "added to the graph"),
    "vro.edges_late": Counter("edges", "of the queue, left when the pass ended"),
    "vro.edges_right": Counter("edges", "of the graph's, those that this frame's order had right"),
    "vro.overflow_entries": Counter("entries", "overflow entries taken"),
    "vro.list_searches": Counter("entries", "AdjacencyList register searched"),
    "vro.inserter_cycles": Counter("cycles", "accesses of the Edge Inserter"),
    "vro.queue_stall_cycles": Counter("cycles", "Early-Z waited for room in the Edges Queue"),
    "vro.filter_stall_cycles": Counter("cycles", "Early-Z waited for searches of the Edge Filter"),
    "vro.nodes_sorted": Counter("nodes", "through the Order Queue"),
    "vro.heuristic_picks": Counter("nodes", "of those, taken by the heuristic for cycles"),
    "vro.degree_updates": Counter("updates", "in-degrees decremented by the sort"),
    "vro.sort_cycles": Counter("cycles", "from the begin of the pass to the end of the sort"),
    "vro.sort_wait_cycles": Counter("cycles", "the first tile waited for the end of the sort"),
    "vro.nodes_new": Counter("nodes", "movable, not in the graph of the frame before: behind the sorted ones"),
    "vro.nodes_vanished": Counter("nodes", "in the order, not in this frame"),
    "vro.list_starts": Counter("starts", "changes of the node in tile lists, which the Order Matcher finds"),
    "vro.matcher_reads": Counter("accesses", "blocks of tile lists read by the Order Matcher"),
    "vro.match_wait_cycles": Counter("cycles", "tiles waited for the Order Matcher"),
    "vro.ties": Counter("fragments", "equal depths that arrived against program order"),
    "vro.owner_writes": Counter("quads", "quad writes of owners"),
    "vro.list_max": Counter("nodes", "longest adjacency list"),
    "vro.list_p75": Counter("nodes", "75th percentile of the lists' lengths (VRO Fig. 11), summed over passes"),
    "vro.list_p85": Counter("nodes", "85th percentile"),
    "vro.list_p95": Counter("nodes", "95th percentile"),
    "vro.graph_cache.accesses": Counter("accesses", "reads and writes of the Graph Cache"),
    "vro.graph_cache.misses": Counter("accesses", "of those, misses"),
    "vro.graph_cache.bytes": Counter("bytes", "moved between Graph Cache and L2"),
}
