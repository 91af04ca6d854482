"""Edge Inserter and Visibility Sort against plain twins, networkx, and closed forms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from vro_twin import PlainGraph

from gpumodel.techniques.vro.graph import finish_edges, order_graph
from gpumodel.techniques.vro.state import GRAPH, VRO
from gpumodel.techniques.vro.technique import edges_of


class Hardware:
    """A graph with the hardware's steps."""

    def __init__(self, nodes: int, entries: int = 8192, width: int = 36) -> None:
        self.graph, self.own = np.zeros(1, GRAPH), np.zeros(1, VRO)
        graph, own = self.graph[0], self.own[0]
        graph["num_nodes"], graph["free"], graph["width"], graph["next"] = min(nodes, entries), entries - 1, width, -1
        own["access"] = -1
        own["graph"] = own["previous"] = self.graph.ctypes.data
        self.accesses = 0

    def insert(self, edges: Iterable[tuple[int, int]]) -> None:
        own = self.own[0]
        waiting = [source << 16 | target for source, target in edges]
        for first in range(0, len(waiting), 1000):
            part = waiting[first : first + 1000]
            own["queue_head"] = 0
            own["queue"][: len(part)] = part
            own["queue_count"] = len(part)
            self.accesses += int(finish_edges(self.own.ctypes.data))

    def sort(self) -> tuple[list[int], int]:
        steps = int(order_graph(self.own.ctypes.data))
        return self.own[0]["order"][: int(self.own[0]["order_count"])].tolist(), steps

    def edges(self) -> list[tuple[int, int]]:
        source, target = edges_of(self.graph[0])
        return list(zip(source.tolist(), target.tolist(), strict=True))


def check(nodes: int, edges: list[tuple[int, int]], entries: int = 8192, width: int = 36) -> Any:
    plain, hardware = PlainGraph(nodes, entries, width), Hardware(nodes, entries, width)
    for edge in edges:
        plain.insert(*edge)
    hardware.insert(edges)
    own = hardware.own[0]
    kept = [(node, child) for node in range(plain.nodes) for child in plain.children[node]]
    assert hardware.edges() == kept
    assert int(own["edges"]) == len(kept)
    for name, field in (
        ("duplicates", "edges_duplicate"), ("opposites", "edges_opposite"), ("dropped", "edges_dropped"),
        ("overflows", "overflow_entries"),
    ):  # fmt: skip
        assert int(own[field]) == getattr(plain, name), name
    assert hardware.accesses == plain.accesses
    order, steps = hardware.sort()
    expected, picks, cycles = plain.sort()
    assert order == expected
    assert sorted(order) == list(range(plain.nodes))
    assert steps == cycles
    return kept, order, picks


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part: int) -> None:
    """Of every density, with overflow entries and full buffers; acyclic ones are sorted forward."""
    rng = np.random.default_rng(part)
    cyclic = full = overflowing = 0
    for _ in range(500):
        nodes = int(rng.integers(1, 40))
        count = int(rng.integers(0, 4 * nodes + 1))
        edges = rng.integers(0, nodes, (count, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
        if rng.random() < 0.5:
            edges = np.sort(edges, axis=1)
            names = rng.permutation(nodes)
            edges = names[edges] if len(edges) else edges
        width = int(rng.choice([1, 2, 3, 36]))
        entries = int(rng.choice([8, 16, 64, 8192]))
        kept, order, picks = check(nodes, [(int(a), int(b)) for a, b in edges], entries, width)
        judge = nx.DiGraph(kept)
        place = {node: k for k, node in enumerate(order)}
        if nx.is_directed_acyclic_graph(judge):
            assert picks == 0
            assert all(place[a] < place[b] for a, b in kept)
        else:
            assert picks > 0
            cyclic += 1
        full += len(kept) < len({frozenset(edge) for edge in edges.tolist()})
        overflowing += any(len(children) > width for children in nx.to_dict_of_lists(judge).values())
    assert min(cyclic, full, overflowing) > 20


def test_large_graphs() -> None:
    rng = np.random.default_rng(9)
    for nodes, count in ((2000, 6000), (9000, 3000)):
        edges = rng.integers(0, nodes, (count, 2))
        check(nodes, [(int(a), int(b)) for a, b in edges if a != b])


@pytest.mark.parametrize("count", [2, 5, 100])
def test_chain(count: int) -> None:
    """0 > 1 > ... > N-1. An edge between fresh nodes is 2 writes; the next edge's source was written, so a read more.
    The sort reads N, and takes 2 cycles a node and 2 an edge."""
    hardware = Hardware(count)
    hardware.insert((k, k + 1) for k in range(count - 1))
    assert hardware.accesses == 2 + 3 * (count - 2)
    order, steps = hardware.sort()
    assert order == list(range(count))
    assert steps == count + 2 * count + 2 * (count - 1)


@pytest.mark.parametrize("leaves", [1, 36, 37, 72, 100])
def test_star(leaves: int) -> None:
    """One node in front of L others: edge k reads the centre's entries so far; each 36th but the first adds an entry
    and a link. The sort reads the list's entries beyond the first once."""
    hardware = Hardware(leaves + 1)
    hardware.insert((0, k + 1) for k in range(leaves))
    reads = sum(max(-(-k // 36), 1) for k in range(1, leaves))
    entries = -(-leaves // 36)
    assert hardware.accesses == reads + 2 * leaves + (entries - 1)
    order, steps = hardware.sort()
    assert order == list(range(leaves + 1))
    assert steps == 3 * (leaves + 1) + 2 * leaves + (entries - 1)


def test_interlaced_pair() -> None:
    """(A, B), then (B, A): B's list does not have A, A's has B: 2 reads, nothing added; found again: the same."""
    hardware = Hardware(2)
    hardware.insert([(1, 0), (0, 1), (1, 0), (0, 1)])
    assert hardware.edges() == [(1, 0)]
    assert hardware.accesses == 2 + 2 + 1 + 2
    assert hardware.sort()[0] == [1, 0]


def test_cycle_of_three() -> None:
    """Every in-degree is 1: the first in program order is taken, after a search of all three."""
    hardware = Hardware(3)
    hardware.insert([(2, 1), (1, 0), (0, 2)])
    order, steps = hardware.sort()
    assert order == [0, 2, 1]
    assert int(hardware.own[0]["heuristic_picks"]) == 0  # counted in time only
    # Search, scan, 3 x (list, done), the three children: read; the first of the cycle is done when its turn comes.
    assert steps == 3 + 3 + 3 * 2 + 2 * 2 + 1


def test_a_full_buffer_drops_edges() -> None:
    """Eight entries, eight nodes, one child each: no overflow entry is left."""
    hardware = Hardware(8, entries=8, width=1)
    hardware.insert([(0, 1), (0, 2), (1, 2), (9, 1)])
    assert hardware.edges() == [(0, 1), (1, 2)]
    assert int(hardware.own[0]["edges_dropped"]) == 2
