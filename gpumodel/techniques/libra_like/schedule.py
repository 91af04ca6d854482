"""Super-tiles by how hot they are, and what the last frames say of their size and of whether it pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.libra_like.config import LibraConfig

__all__ = ["Choice", "bound_cycles", "super_tiles"]

_LARGEST_SIDE = 16


@dataclass(slots=True)
class Choice:
    """How a pass is scheduled, frame by frame.

    Parameters
    ----------
    side : of a super-tile, tiles
    by_heat : hot and cold super-tiles at the same time, else tiles in their order
    grows : the side was doubled last, or would be
    last : cycles of the last frame by heat, 0 = there was none
    in_order : cycles of the last one in order
    given_up : frames since order was kept
    """

    side: int
    by_heat: bool = False
    grows: bool = True
    last: int = 0
    in_order: int = 0
    given_up: int = 0

    def learn(self, libra: LibraConfig, cycles: int, hit_percent: float) -> None:
        """Choose for the next frame, by what this one has taken.

        Parameters
        ----------
        cycles : of the pass's raster phase
        hit_percent : of its look-ups in Texture Caches, percent
        """
        if not libra.adapts:
            self.by_heat = True
            return
        margin = 100 + libra.gain_percent
        if not self.by_heat:
            self.in_order = cycles
            self.given_up += 1
            # With nothing learned yet, and now and then, heat is tried.
            if self.given_up >= libra.retry_frames or self.last == 0:
                self.by_heat, self.last, self.given_up = True, 0, 0
            return
        slower = self.last > 0 and 100 * cycles > margin * self.last
        if slower:
            self.grows = not self.grows
        if slower or self.last == 0 or margin * cycles < 100 * self.last:
            self.side = min(2 * self.side, _LARGEST_SIDE) if self.grows else max(self.side // 2, 1)
        self.last = cycles
        self.by_heat = hit_percent < libra.hit_percent or margin * cycles <= 100 * self.in_order


def super_tiles(
    streams: PassStreams, side: int, heat: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Tiles of super-tiles, the hottest first; equal ones, and tiles of one, in rendering order.

    Parameters
    ----------
    side : of a super-tile, tiles
    heat : (tiles,) of each tile, in rendering order

    Returns
    -------
    (tiles,) rows of ``streams.tiles``; (super-tiles + 1,) where each one's begin
    """
    row, column = np.divmod(streams.tile_numbers, streams.tiles_across)
    _, first, of_tile = np.unique(
        row // side * streams.tiles_across + column // side, return_index=True, return_inverse=True
    )
    total = np.bincount(of_tile, weights=heat, minlength=len(first))
    rank = np.empty(len(first), np.int64)
    rank[np.lexsort((first, -total))] = np.arange(len(first))
    by_tile = rank[of_tile]
    begin = np.searchsorted(np.sort(by_tile), np.arange(len(first) + 1))
    return np.argsort(by_tile, kind="stable").astype(np.int32), begin.astype(np.int32)


def bound_cycles(issued: NDArray[np.int64], units: int) -> int:
    """Cycles that shading takes at least with tiles on so many Raster Units, the best way that they can be dealt out.

    Parameters
    ----------
    issued : (tiles, processors of a unit) int64, issue cycles of each tile on each processor
    """
    share: int = -(-int(issued.sum()) // (units * issued.shape[1]))
    busiest: int = issued.max(initial=0)
    return max(share, int(busiest))
