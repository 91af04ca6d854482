"""Plain Visibility Graph: insertion and sort as VRO §3.2 and §4.3 tell them, with the accesses that they cost."""

from __future__ import annotations

from collections import deque


class PlainGraph:
    """Adjacency lists of a Graph Buffer with ``entries`` entries of ``width`` children, for ``nodes`` nodes."""

    def __init__(self, nodes: int, entries: int, width: int) -> None:
        self.nodes, self.entries, self.width = min(nodes, entries), entries, width
        self.children: list[list[int]] = [[] for _ in range(self.nodes)]
        self.in_degree = [0] * self.nodes
        self.overflows = self.duplicates = self.opposites = self.dropped = self.accesses = 0

    def is_touched(self, node: int) -> bool:
        return bool(self.children[node]) or self.in_degree[node] > 0

    def list_entries(self, node: int) -> int:
        return max(-(-len(self.children[node]) // self.width), 1)

    def _find(self, node: int, child: int) -> bool:
        """Search a list, an access an entry up to the one that holds the child."""
        if not self.is_touched(node):
            return False
        if child in self.children[node]:
            self.accesses += self.children[node].index(child) // self.width + 1
            return True
        self.accesses += self.list_entries(node)
        return False

    def insert(self, source: int, target: int) -> None:
        if source >= self.nodes or target >= self.nodes:
            self.dropped += 1
            self.accesses += 1
            return
        if self._find(source, target):
            self.duplicates += 1
            return
        if self._find(target, source):
            self.opposites += 1
            return
        held = self.children[source]
        if held and len(held) % self.width == 0:
            if self.entries - self.nodes - self.overflows <= 0:
                self.dropped += 1
                return
            self.overflows += 1
            self.accesses += 1
        # The entry, and the in-degree: read when the target was written before, written.
        self.accesses += 2 + self.is_touched(target)
        held.append(target)
        self.in_degree[target] += 1

    def sort(self) -> tuple[list[int], int, int]:
        """Kahn, first in, first out; a cycle is left by the smallest in-degree, first in program order.

        Returns
        -------
        order, picks of the heuristic, cycles without misses
        """
        degree = list(self.in_degree)
        left = set(range(self.nodes))
        roots = deque(node for node in range(self.nodes) if degree[node] == 0)
        order: list[int] = []
        picks, cycles = 0, self.nodes
        while left:
            if not roots:
                cycles += len(left)
                roots.append(min(left, key=lambda node: (degree[node], node)))
                picks += 1
            node = roots.popleft()
            order.append(node)
            cycles += 1
            if self.is_touched(node):
                # The other entries of the list, and the node marked as done.
                cycles += self.list_entries(node)
                for child in self.children[node]:
                    cycles += 1
                    if child in left:
                        cycles += 1
                        degree[child] -= 1
                        if degree[child] == 0:
                            roots.append(child)
            left.remove(node)
        return order, picks, cycles
