"""A cache as units see it, in few lines: what is there, what is missed, and what is on its way."""

from __future__ import annotations

from collections import deque

from gpumodel.units.cache import BLOCKED, HIT, MISS, WAITS
from gpumodel.units.events import NEVER

__all__ = ["Cache"]


class Cache:
    """Lines that are there, misses with those who wait, and lines on their way: first come, first served."""

    def __init__(self, registers: int, size: int) -> None:
        self.lines: set[int] = set()
        self.size, self.registers = size, registers
        self.misses: dict[int, int] = {}
        self.asked: deque[int] = deque()
        self.fills: deque[tuple[int, int]] = deque()
        self.free = 0

    def read(self, line: int, waiters: int) -> int:
        if line in self.lines:
            return HIT
        if line in self.misses:
            found = WAITS if self.misses[line] & waiters else MISS
            self.misses[line] |= waiters
            return found
        if len(self.misses) == self.registers:
            return BLOCKED
        self.misses[line] = waiters
        self.asked.append(line)
        return MISS

    def due(self) -> int:
        return max(self.fills[0][0], self.free) if self.fills else NEVER

    def take(self) -> int:
        self.free = self.due() + 1
        line = self.fills.popleft()[1]
        if len(self.lines) == self.size:
            self.lines.discard(min(self.lines, key=lambda one: 37 * one % 11))
        self.lines.add(line)
        return self.misses.pop(line)
