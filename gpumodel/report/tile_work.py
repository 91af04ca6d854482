"""What tiles have to do with each other: balance of their processors' work, and texture blocks that they share.

Both follow from a finished pass's log and the frame's tables, not from time.
Source: thesis Fig. 5.12 (reuse by distance) and Fig. 6.5 (deviation over mean of the processors' work).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun

__all__ = ["TextureReuse", "imbalance", "processor_work", "spread", "texture_reuse"]


@dataclass(frozen=True, slots=True)
class TextureReuse:
    """Texture blocks (cache lines) of a pass.

    Parameters
    ----------
    blocks : that any tile looks up
    next_tile : of those, looked up by two tiles that follow each other in rendering order
    after_next : of the others, by two tiles with one tile between them
    further : of the others, by two tiles at all
    """

    blocks: int
    next_tile: int
    after_next: int
    further: int

    def __add__(self, other: TextureReuse) -> TextureReuse:
        """Sum of two passes."""
        return TextureReuse(
            self.blocks + other.blocks,
            self.next_tile + other.next_tile,
            self.after_next + other.after_next,
            self.further + other.further,
        )


def processor_work(done: PassRun) -> NDArray[np.int64]:
    """Issue cycles of the shaded quads of a pass by tile and processor of the Raster Unit.

    Returns
    -------
    (tiles, processors) int64, tiles in rendering order
    """
    quads, _ = _shaded(done)
    streams = done.tables
    total = np.concatenate([[0], np.cumsum(streams.segments["cycles"], dtype=np.int64)])
    cycles = total[quads["segment_end"]] - total[quads["segment"]]
    processors = streams.config.fragment.processors
    cell = quads["tile"].astype(np.int64) * processors + quads["processor"]
    size = len(done.streams.tiles) * processors
    # Floating-point sums of integers below 2**53 are exact.
    return np.bincount(cell, weights=cycles, minlength=size).astype(np.int64).reshape(-1, processors)


def imbalance(work: NDArray[np.int64]) -> NDArray[np.float64]:
    """Coefficient of variation (standard deviation over mean) of the processors of each tile that has work."""
    work = work[work.any(axis=1)]
    return np.asarray(work.std(axis=1) / work.mean(axis=1), np.float64)


def texture_reuse(done: PassRun) -> TextureReuse:
    """Count the texture blocks of a pass by the smallest distance of two tiles that look them up."""
    quads, alive = _shaded(done)
    streams = done.tables
    counts = streams.trace["quads"]["tex_count"][quads["row"]].astype(np.int64)
    of_quad, op = spread(quads["op"].astype(np.int64), counts)
    of_op, line = spread(streams.ops["line_first"][op].astype(np.int64), streams.ops["line_count"][op].astype(np.int64))
    owner = of_quad[of_op]
    wanted = (streams.lanes[line] & alive[owner]) != 0
    tiles = len(done.streams.tiles)
    keys = np.unique(
        streams.lines[line[wanted]].astype(np.int64) * tiles + quads["tile"][owner[wanted]].astype(np.int64)
    )
    block, tile = keys // tiles, keys % tiles
    first = np.flatnonzero(np.diff(block, prepend=-1))
    if not len(first):
        return TextureReuse(0, 0, 0, 0)
    distance = np.diff(tile, append=0)
    distance[np.diff(block, append=-1) != 0] = tiles
    nearest = np.minimum.reduceat(distance, first)
    return TextureReuse(
        len(first), int((nearest == 1).sum()), int((nearest == 2).sum()), int(((nearest > 2) & (nearest < tiles)).sum())
    )


def _shaded(done: PassRun) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Quads with a shaded fragment, and which ones these are."""
    executed = done.streams.executed[: done.streams.num_quads]
    kept = executed != 0
    return done.streams.quads[: done.streams.num_quads][kept], executed[kept]


def spread(first: NDArray[np.int64], count: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows ``first[k]`` ... ``first[k] + count[k] - 1`` of each k, one behind the other: (k, row)."""
    owner = np.repeat(np.arange(len(first)), count)
    begin = np.cumsum(count) - count
    return owner, np.arange(int(count.sum())) - begin[owner] + first[owner]
