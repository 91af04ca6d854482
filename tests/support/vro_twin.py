"""Plain Visibility Graph: insertion and sort as VRO §3.2 and §4.3 tell them, with the accesses that they cost; and a
plain cache to count their misses.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable


class PlainGraph:
    """Adjacency lists of a Graph Buffer with ``entries`` entries of ``width`` children, for ``nodes`` nodes.

    ``log`` has each access as (entry, whether it writes), None where a cycle has none.
    """

    def __init__(self, nodes: int, entries: int, width: int) -> None:
        self.nodes, self.entries, self.width = min(nodes, entries), entries, width
        self.children: list[list[int]] = [[] for _ in range(self.nodes)]
        self.further: list[list[int]] = [[] for _ in range(self.nodes)]
        self.in_degree = [0] * self.nodes
        self.overflows = self.duplicates = self.opposites = self.dropped = 0
        self.log: list[tuple[int, bool] | None] = []

    @property
    def accesses(self) -> int:
        return len(self.log)

    def is_touched(self, node: int) -> bool:
        return bool(self.children[node]) or self.in_degree[node] > 0

    def _find(self, node: int, child: int) -> bool:
        """Search a list, an access an entry up to the one that holds the child."""
        if not self.is_touched(node):
            return False
        entries = [node, *self.further[node]]
        found = child in self.children[node]
        if found:
            entries = entries[: self.children[node].index(child) // self.width + 1]
        self.log += [(entry, False) for entry in entries]
        return found

    def insert(self, source: int, target: int) -> None:
        if source >= self.nodes or target >= self.nodes:
            self.dropped += 1
            self.log.append(None)
            return
        if self._find(source, target):
            self.duplicates += 1
            return
        if self._find(target, source):
            self.opposites += 1
            return
        held = self.children[source]
        last = [source, *self.further[source]][-1]
        if held and len(held) % self.width == 0:
            added = self.entries - 1 - self.overflows
            if added < self.nodes:
                self.dropped += 1
                return
            self.overflows += 1
            self.further[source].append(added)
            self.log.append((added, True))
        # The last entry, or its link; and the in-degree: read when the target was written before, written.
        self.log.append((last, True))
        if self.is_touched(target):
            self.log.append((target, False))
        self.log.append((target, True))
        held.append(target)
        self.in_degree[target] += 1

    def sort(self) -> tuple[list[int], int, int]:
        """Kahn, first in, first out; a cycle is left by the smallest in-degree, first in program order.

        Returns
        -------
        order, picks of the heuristic, cycles without misses
        """
        before = len(self.log)
        degree = list(self.in_degree)
        left = set(range(self.nodes))
        roots = deque(node for node in range(self.nodes) if degree[node] == 0)
        order: list[int] = []
        picks = 0
        self.log += [(node, False) if self.is_touched(node) else None for node in range(self.nodes)]
        while left:
            if not roots:
                self.log += [(node, False) for node in sorted(left)]
                roots.append(min(left, key=lambda node: (degree[node], node)))
                picks += 1
            node = roots.popleft()
            order.append(node)
            if self.is_touched(node):
                self._take(node, left, degree, roots)
            else:
                self.log.append(None)
            left.remove(node)
        return order, picks, len(self.log) - before

    def _take(self, node: int, left: set[int], degree: list[int], roots: deque[int]) -> None:
        """Read a list entry by entry, the in-degree of each child, and write what is still to come; mark the node."""
        for k, entry in enumerate([node, *self.further[node]]):
            self.log.append((entry, False))
            for child in self.children[node][k * self.width : (k + 1) * self.width]:
                self.log.append((child, False))
                if child in left:
                    self.log.append((child, True))
                    degree[child] -= 1
                    if degree[child] == 0:
                        roots.append(child)
        self.log.append((node, True))


class PlainCache:
    """Sets of least recently used lines; a line that is written needs no fetch."""

    def __init__(self, sets: int, ways: int) -> None:
        self.sets: list[OrderedDict[int, bool]] = [OrderedDict() for _ in range(sets)]
        self.ways = ways
        self.accesses = self.misses = self.fetches = self.write_backs = 0

    def run(self, log: Iterable[tuple[int, bool] | None]) -> None:
        for line, writes in (access for access in log if access is not None):
            held = self.sets[line % len(self.sets)]
            self.accesses += 1
            if line in held:
                held.move_to_end(line)
                held[line] |= writes
                continue
            self.misses += 1
            self.fetches += not writes
            if len(held) == self.ways:
                self.write_backs += held.popitem(last=False)[1]
            held[line] = writes
