"""Paths with the instructions that they issue and execute, many at a time."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["KnownPaths", "Paths", "count_paths"]

_NONE: Final = np.empty(0, np.int64)
#: Times that paths were taken which are kept, and steps of these.
_MAX_TAKEN: Final = 64
_MAX_TAKEN_STEPS: Final = 1 << 18


class Paths(NamedTuple):
    """Paths of one program.

    Parameters
    ----------
    steps : ``block << 8 | helper << 4 | active``, those of all paths one behind the other
    counts : (N,) steps of each
    issued, executed : (N, kinds) uint32 instructions
    """

    steps: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    issued: NDArray[np.uint32]
    executed: NDArray[np.uint32]

    def take(self, rows: NDArray[np.int64]) -> Paths:
        """Some of them."""
        from replay.engine.kernels.steps import take_steps

        counts = self.counts[rows]
        steps = np.empty(counts.sum(dtype=np.int64), np.uint32)
        take_steps(self.steps, np.cumsum(self.counts, dtype=np.int64), rows, counts, steps)
        return Paths(steps, counts, self.issued[rows], self.executed[rows])

    def counted(self) -> Paths:
        """The same without steps."""
        return self._replace(steps=self.steps[:0], counts=np.zeros_like(self.counts))


def count_paths(steps: NDArray[np.uint32], counts: NDArray[np.uint32], kinds: NDArray[np.int64]) -> Paths:
    """Count the instructions of paths.

    Parameters
    ----------
    steps, counts : see :class:`Paths`
    kinds : (blocks, kinds) instructions of each block
    """
    from replay.engine.kernels.paths import count_instructions

    issued, executed = np.empty((2, len(counts), kinds.shape[1]), np.uint32)
    count_instructions(kinds, np.ascontiguousarray(steps), counts, issued, executed)
    return Paths(steps, counts, issued, executed)


class KnownPaths:
    """Paths that a program has taken, by their hashes."""

    def __init__(self) -> None:
        self._num_paths = 0
        #: Their hashes in parts, in the order in which they came; those sorted, and the row of each.
        self._keys: list[NDArray[np.uint64]] = []
        self._sorted: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = None
        #: What there is to say of paths beside their steps, in parts; steps of all, with room for more.
        self._parts: list[tuple[NDArray[np.uint32], ...]] = []
        self._steps = np.empty(0, np.uint32)
        self.num_steps = 0
        #: Paths by the hashes that they were asked for with: frames that stand still ask for the same again.
        self._taken: dict[bytes, Paths] = {}
        self._taken_steps = 0
        #: Hashes that were asked for last, none of them unknown, and their rows.
        self._found: tuple[NDArray[np.uint64] | None, NDArray[np.int64]] = (None, _NONE)

    def __len__(self) -> int:
        return self._num_paths

    def missing(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Places of hashes that are not known."""
        if keys.tobytes() in self._taken:
            return _NONE
        rows = self._find(keys)
        missing = np.flatnonzero(rows < 0)
        if not len(missing):
            self._found = keys, rows
        return missing

    def _find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Rows of hashes, -1 where they are not known."""
        if not self._num_paths:
            return np.full(len(keys), -1)
        if self._sorted is None:
            self._keys = [np.concatenate(self._keys)]
            order = np.argsort(self._keys[0])
            self._sorted = self._keys[0][order], order
        own, rows = self._sorted
        places = np.minimum(np.searchsorted(own, keys), len(own) - 1)
        return np.where(own[places] == keys, rows[places], -1)

    def expect(self, steps: int) -> None:
        """Make room for so many steps of new paths: what is not needed of it takes no memory."""
        needed = self.num_steps + steps
        if needed > len(self._steps):
            # Paths that were handed out keep the memory that they have.
            grown = np.empty(max(needed, 2 * len(self._steps)), np.uint32)
            grown[: self.num_steps] = self._steps[: self.num_steps]
            self._steps = grown

    def add(
        self,
        keys: NDArray[np.uint64],
        log: NDArray[np.uint32],
        counts: NDArray[np.uint32],
        rows: NDArray[np.int64],
        kinds: NDArray[np.int64],
    ) -> None:
        """Remember paths that are not known.

        Parameters
        ----------
        keys : their hashes
        log, counts : (N, capacity) steps, and how many of each row there are, or would be with more room
        rows : of the log, in the order of the hashes
        kinds : (blocks, kinds) instructions of each block
        """
        from replay.engine.kernels.steps import pack_steps

        self._num_paths += len(keys)
        self._keys.append(keys)
        self._sorted = None
        kept = np.minimum(counts[rows], log.shape[1]).astype(np.uint32)
        num_steps = int(kept.sum(dtype=np.int64))
        self.expect(num_steps)
        steps = self._steps[self.num_steps : self.num_steps + num_steps]
        self.num_steps += num_steps
        pack_steps(log, kept, rows, steps)
        self._parts.append(count_paths(steps, kept, kinds)[1:])

    def take(self, keys: NDArray[np.uint64]) -> Paths:
        """The paths of these hashes, all of them known; the same object for hashes that were asked for lately."""
        key = keys.tobytes()
        taken = self._taken.get(key)
        if taken is not None:
            return taken
        if len(self._parts) > 1:
            self._parts = [tuple(map(np.concatenate, zip(*self._parts, strict=True)))]
        rows = self._found[1] if self._found[0] is keys else self._find(keys)
        # Of a frame whose paths are all new, they are all that there are.
        found = Paths(self._steps[: self.num_steps], *self._parts[0])
        if len(rows) != self._num_paths or (rows != np.arange(len(rows))).any():
            found = found.take(rows)
        self._taken_steps += len(found.steps)
        if len(self._taken) >= _MAX_TAKEN or self._taken_steps > _MAX_TAKEN_STEPS:
            self._taken.clear()
            self._taken_steps = len(found.steps)
        self._taken[key] = found
        return found
