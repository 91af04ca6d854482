"""Edge Inserter and Visibility Sort, step by step: each step ends with an access of the Graph Buffer, or with a cycle
without one.

Hardware: both units hold one entry of the Graph Buffer in the AdjacencyList register and search its children in a
single cycle. Which accesses they make does not depend on time; :mod:`.unit` makes them through the Graph Cache.
Modelled: insertion of (A, B) reads A's list until B or its end is found, then B's list for A (the opposite edge, found
first, stays), writes A's last entry (or a new overflow entry, and the link to it) and B's in-degree. The sort reads all
primary entries, then takes roots first in, first out: reads the list, reads and writes the in-degree of each child that
is left, writes the node as done. Without a root it reads every primary entry that is left and takes the smallest
in-degree, the first in program order. Entries that were never written are known from a bitmap and not read.
Source: VRO §3.2, §4.3.2, §4.3.3; check of the opposite edge: cost ASSUMED (reading B's list); bitmap ASSUMED.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import types

from gpumodel.techniques.vro.config import EDGES_RING, MAX_WIDTH
from gpumodel.techniques.vro.state import NONE, VRO_T, graph_of, vro
from gpumodel.units.kernels import Int, Record
from traceformat.kernels import kernel

__all__ = [
    "ENDED",
    "NO_ACCESS",
    "begin_sort",
    "begin_sort_at",
    "finish_edges",
    "insert_step",
    "order_graph",
    "sort_step",
]

_RING: Final = EDGES_RING - 1

#: What a step gives: 2 * entry + write, or one of these.
NO_ACCESS: Final = -2
ENDED: Final = -1

_FREE: Final = 0
_OWN: Final = 1
_OPPOSITE: Final = 2
_ADD: Final = 3
_LINK: Final = 4
_DEGREE: Final = 5
_DEGREE_WRITE: Final = 6

_SEARCH: Final = 0
_NEXT: Final = 1
_LIST: Final = 2
_CHILD: Final = 3
_SCAN: Final = 4


@kernel(types.int64(types.int64, types.int64, types.int64))
def _holds(address: Int, entry: Int, node: Int) -> Int:
    """Search the AdjacencyList register for a child."""
    graph = graph_of(address)
    for k in range(entry * MAX_WIDTH, entry * MAX_WIDTH + np.int64(graph.length[entry])):
        if np.int64(graph.child[k]) == node:
            return 1
    return 0


@kernel(types.void(types.int64, types.int64, types.int64))
def _append(address: Int, entry: Int, node: Int) -> None:
    """Add a child to an entry that has room."""
    graph = graph_of(address)
    graph.child[entry * MAX_WIDTH + graph.length[entry]] = node
    graph.length[entry] += 1
    graph.touched[entry] = 1


@kernel(types.int64(VRO_T))
def _begin_edge(own: Record) -> Int:
    """Take the next edge; gives the first access."""
    graph = graph_of(own.graph)
    edge = own.queue[own.queue_head]
    own.queue_head = (own.queue_head + 1) & _RING
    own.queue_count -= 1
    own.source = edge >> 16
    own.target = edge & 0xFFFF
    if own.source >= graph.num_nodes or own.target >= graph.num_nodes:
        # More nodes than the buffer has entries.
        own.edges_dropped += 1
        return NO_ACCESS
    own.entry = own.last = own.source
    if graph.touched[own.source]:
        own.insert_phase = _OWN
        return 2 * own.source
    own.entry = own.target
    if graph.touched[own.target]:
        own.insert_phase = _OPPOSITE
        return 2 * own.target
    own.insert_phase = _ADD
    return ENDED


@kernel(types.int64(VRO_T))
def insert_step(own: Record) -> Int:
    """Go on with the edge at hand; gives its next access, or ENDED when it is done."""
    graph = graph_of(own.graph)
    while True:
        phase = own.insert_phase
        if phase == _FREE:
            if own.queue_count == 0:
                return ENDED
            access = _begin_edge(own)
            if access != ENDED:
                return access
        elif phase == _OWN:
            own.list_searches += 1
            if _holds(own.graph, own.entry, own.target):
                own.edges_duplicate += 1
                own.insert_phase = _FREE
                return ENDED
            own.last = own.entry
            if graph.next[own.entry] >= 0:
                own.entry = graph.next[own.entry]
                return 2 * own.entry
            own.entry = own.target
            own.insert_phase = _ADD
            if graph.touched[own.target]:
                own.insert_phase = _OPPOSITE
                return 2 * own.target
        elif phase == _OPPOSITE:
            own.list_searches += 1
            if _holds(own.graph, own.entry, own.source):
                own.edges_opposite += 1
                own.insert_phase = _FREE
                return ENDED
            if graph.next[own.entry] >= 0:
                own.entry = graph.next[own.entry]
                return 2 * own.entry
            own.insert_phase = _ADD
        elif phase == _ADD:
            if graph.length[own.last] < graph.width:
                _append(own.graph, own.last, own.target)
                own.insert_phase = _DEGREE
                return 2 * own.last + 1
            if graph.free < graph.num_nodes:
                own.edges_dropped += 1
                own.insert_phase = _FREE
                return ENDED
            added = graph.free
            graph.free -= 1
            own.overflow_entries += 1
            graph.next[own.last] = added
            _append(own.graph, added, own.target)
            own.insert_phase = _LINK
            return 2 * added + 1
        elif phase == _LINK:
            own.insert_phase = _DEGREE
            return 2 * own.last + 1
        elif phase == _DEGREE:
            own.insert_phase = _DEGREE_WRITE
            if graph.touched[own.target]:
                return 2 * own.target
        else:
            graph.in_degree[own.target] += 1
            graph.touched[own.target] = 1
            own.edges += 1
            own.insert_phase = _FREE
            return 2 * own.target + 1


@kernel(types.int64(types.int64))
def finish_edges(address: Int) -> Int:
    """Insert what is left at the end of a pass; gives the number of accesses that it takes."""
    own = vro(address)
    accesses = 1 if own.access != ENDED else 0
    own.access = ENDED
    own.edges_late += own.queue_count + own.pending_count
    while own.queue_count > 0 or own.pending_count > 0 or own.insert_phase != _FREE:
        if own.queue_count == 0 and own.insert_phase == _FREE:
            for k in range(own.pending_count):
                own.queue[(own.queue_head + k) & _RING] = own.pending[k]
            own.queue_count = own.pending_count
            own.pending_count = 0
        if insert_step(own) != ENDED:
            accesses += 1
    return accesses


@kernel(types.void(VRO_T))
def begin_sort(own: Record) -> None:
    """Prepare the sort of the graph of the frame before."""
    graph = graph_of(own.previous)
    for k in range(graph.num_nodes):
        own.degree[k] = graph.in_degree[k]
        own.gone[k] = 0
    own.remaining = graph.num_nodes
    own.sort_phase = _SEARCH
    own.sort_node = own.roots_head = own.roots_tail = own.order_count = 0


@kernel(types.void(VRO_T, types.int64))
def _push_root(own: Record, node: Int) -> None:
    own.roots[own.roots_tail] = node
    own.roots_tail += 1


@kernel(types.int64(VRO_T))
def sort_step(own: Record) -> Int:
    """Go on with the sort; gives its next access, NO_ACCESS, or ENDED when all nodes are in order."""
    graph = graph_of(own.previous)
    while True:
        phase = own.sort_phase
        if phase == _SEARCH:
            node = own.sort_node
            if node < graph.num_nodes:
                own.sort_node = node + 1
                if own.degree[node] == 0:
                    _push_root(own, node)
                return 2 * node if graph.touched[node] else NO_ACCESS
            own.sort_phase = _NEXT
        elif phase == _NEXT:
            if own.roots_head < own.roots_tail:
                node = np.int64(own.roots[own.roots_head])
                own.roots_head += 1
                own.order[own.order_count] = node
                own.order_count += 1
                own.nodes_sorted += 1
                if graph.touched[node]:
                    own.root = own.sort_entry = node
                    own.sort_child = 0
                    own.sort_phase = _LIST
                    return 2 * node
                own.gone[node] = 1
                own.remaining -= 1
                return NO_ACCESS
            if own.remaining == 0:
                return ENDED
            own.sort_phase = _SCAN
            own.sort_node = 0
            own.best = NONE
        elif phase == _LIST:
            entry = own.sort_entry
            if own.sort_child < graph.length[entry]:
                own.child = graph.child[entry * MAX_WIDTH + own.sort_child]
                own.sort_child += 1
                if own.gone[own.child] == 0:
                    own.sort_phase = _CHILD
                return 2 * own.child
            if graph.next[entry] >= 0:
                own.sort_entry = graph.next[entry]
                own.sort_child = 0
                return 2 * own.sort_entry
            own.gone[own.root] = 1
            own.remaining -= 1
            own.sort_phase = _NEXT
            return 2 * own.root + 1
        elif phase == _CHILD:
            own.degree[own.child] -= 1
            own.degree_updates += 1
            # A node that the heuristic took has left the queue already.
            if own.degree[own.child] == 0:
                _push_root(own, own.child)
            own.sort_phase = _LIST
            return 2 * own.child + 1
        else:
            while own.sort_node < graph.num_nodes and own.gone[own.sort_node]:
                own.sort_node += 1
            if own.sort_node < graph.num_nodes:
                node = own.sort_node
                if own.best == NONE or own.degree[node] < own.degree[own.best]:
                    own.best = node
                own.sort_node = node + 1
                return 2 * node
            own.heuristic_picks += 1
            _push_root(own, own.best)
            own.sort_phase = _NEXT


@kernel(types.int64(types.int64))
def order_graph(address: Int) -> Int:
    """Sort the graph of the frame before without its time, into ``order``; gives the number of steps.

    Counters are left as they were: the unit will count them.
    """
    own = vro(address)
    picks, done, updates = own.heuristic_picks, own.nodes_sorted, own.degree_updates
    begin_sort(own)
    steps = 0
    while sort_step(own) != ENDED:
        steps += 1
    own.heuristic_picks, own.nodes_sorted, own.degree_updates = picks, done, updates
    return steps


@kernel(types.void(types.int64))
def begin_sort_at(address: Int) -> None:
    """Prepare the sort of the hardware at an address."""
    begin_sort(vro(address))
