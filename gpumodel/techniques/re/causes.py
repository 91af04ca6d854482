"""Why tiles are not redundant: the first block of their message that differs from the one before.

Messages are compared by the 64-bit identities of their blocks, so this is what the inputs say, whatever the signatures'
width; the driver of a real GPU could not afford to keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.tile_redundancy import ATTRIBUTES, BEGIN, CAUSE, CONSTANTS, LIST, STATE

__all__ = ["TileLists", "first_changes"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class TileLists:
    """The messages of a pass's tiles, block by block.

    Parameters
    ----------
    begin : identity of what the pass begins with
    first, count : (tiles,) int64 entries of each tile
    block : (entries,) uint64 identity of a primitive's attributes, or of a clear
    draw : (entries,) int64 draw of the frame, -1 = a clear
    state, constants : (draws of the pass,) uint64 identities; ``first_draw`` is the first of them
    """

    begin: int
    first: Array
    count: Array
    block: Array
    draw: Array
    state: Array
    constants: Array
    first_draw: int

    def _of_draw(self, values: Array, entry: Array) -> Array:
        """Values of the draws of entries, 0 for clears."""
        draw = self.draw[entry]
        return np.where(draw < 0, np.uint64(0), values[np.maximum(draw - self.first_draw, 0)] if len(values) else 0)

    def states(self, entry: Array) -> Array:
        """State of each entry's draw."""
        return self._of_draw(self.state, entry)

    def live_constants(self, entry: Array) -> Array:
        """Constants of each entry's draw."""
        return self._of_draw(self.constants, entry)

    def ordinals(self, entry: Array) -> Array:
        """Number of each entry's draw in the pass, -1 for clears."""
        return np.where(self.draw[entry] < 0, -1, self.draw[entry] - self.first_draw)


def first_changes(now: TileLists, before: TileLists, tiles: Array) -> Array:
    """CAUSE rows of tiles whose messages differ.

    Parameters
    ----------
    tiles : (n,) numbers of the tiles, in rendering order
    """
    out = np.zeros(len(tiles), CAUSE)
    out["tile"], out["draw"] = tiles, -1
    if now.begin != before.begin:
        out["kind"] = BEGIN
        return out
    common = np.minimum(now.count[tiles], before.count[tiles])
    owner = np.repeat(np.arange(len(tiles)), common)
    step = np.arange(int(common.sum())) - np.repeat(np.cumsum(common) - common, common)
    mine, others = now.first[tiles][owner] + step, before.first[tiles][owner] + step
    differs = [
        (now.ordinals(mine) != before.ordinals(others), LIST),
        (now.states(mine) != before.states(others), STATE),
        (now.live_constants(mine) != before.live_constants(others), CONSTANTS),
        (now.block[mine] != before.block[others], ATTRIBUTES),
    ]
    kind = np.full(len(mine), -1)
    for where, code in reversed(differs):
        kind[where] = code
    # A clear has no attributes: it begins a part of the picture.
    kind[(kind == ATTRIBUTES) & (now.draw[mine] < 0)] = BEGIN
    at = np.flatnonzero(kind >= 0)
    found, first = np.unique(owner[at], return_index=True)
    out["kind"] = LIST
    out["kind"][found] = kind[at[first]]
    out["draw"][found] = now.draw[mine[at[first]]]
    # Equal as far as both go: one list is longer.
    longer = np.setdiff1d(np.flatnonzero(now.count[tiles] > common), found)
    out["draw"][longer] = now.draw[now.first[tiles][longer] + common[longer]]
    return out
