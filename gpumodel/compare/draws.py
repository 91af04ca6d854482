"""Which draws of two frames are the same: by name, then program and geometry, then order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from gpumodel.compare.figures import Draws

__all__ = ["Matched", "match"]

_Key = Callable[[Draws, int], Hashable]


@dataclass(frozen=True, slots=True)
class Matched:
    """Pairs of rows, in the first's order, and rows that have none."""

    pairs: list[tuple[int, int]]
    only_first: list[int]
    only_second: list[int]

    @property
    def num_moved(self) -> int:
        """Pairs that would have to move for the order to be the same: those outside of a longest run in order."""
        from bisect import bisect_left

        ends: list[int] = []
        for _, row in self.pairs:
            place = bisect_left(ends, row)
            ends[place : place + 1] = [row]
        return len(self.pairs) - len(ends)


#: From what agrees in everything to what agrees in little; None = the draw has no such key.
_KEYS: tuple[_Key, ...] = (
    lambda draws, k: (draws.name[k], draws.program[k], draws.mesh[k], draws.textures[k]),
    lambda draws, k: (draws.name[k], draws.program[k], draws.mesh[k]),
    lambda draws, k: (draws.name[k], draws.mesh[k]),
    lambda draws, k: (draws.name[k], draws.program[k]),
    lambda draws, k: draws.name[k] or None,
    # Whatever they are called now.
    lambda draws, k: (draws.program[k], draws.mesh[k]),
)


def match(first: Draws, second: Draws) -> Matched:
    """Match the draws of two frames; those with equal keys in their order."""
    left, right = list(range(len(first))), list(range(len(second)))
    pairs: list[tuple[int, int]] = []
    for key in _KEYS:
        if not left or not right:
            break
        found = list(_equal(first, second, (left, right), key))
        pairs += found
        done = {one for one, _ in found}, {other for _, other in found}
        left = [k for k in left if k not in done[0]]
        right = [k for k in right if k not in done[1]]
    return Matched(sorted(pairs), left, right)


def _equal(first: Draws, second: Draws, rows: tuple[list[int], list[int]], key: _Key) -> Iterator[tuple[int, int]]:
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for k in reversed(rows[1]):
        waiting[key(second, k)].append(k)
    for k in rows[0]:
        wanted = key(first, k)
        if wanted is not None and waiting.get(wanted):
            yield k, waiting[wanted].pop()
