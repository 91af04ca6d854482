"""Texture blocks that tiles of a frame share: cache lines of textures by the distance of the tiles that read them.

As the thesis counts them for Figure 5.12: a block counts once, at the least distance between two tiles that read it,
in the order in which tiles are rendered. Quads of which Early-Z leaves something read; each pass's tiles follow those
of the pass before.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams, PassTables
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["SHARES", "TextureBlocks"]

#: Shares of a frame's distinct blocks: read by several tiles, and by the least distance of two of them.
SHARES: Final = ("texture_blocks.shared", "texture_blocks.next", "texture_blocks.second", "texture_blocks.farther")
_LINE_BITS: Final = 32
_ALIVE: Final = 15


class TextureBlocks:
    """Collects the passes of a frame (:meth:`see`), then gives its shares."""

    def __init__(self) -> None:
        self._num_tiles = 0
        self._read: list[NDArray[np.int64]] = []

    def see(self, trace: FrameTrace, _: PassTables, arranged: PassStreams) -> None:
        """Take a pass whose quads have been tested."""
        shaded = (arranged.early[: arranged.num_quads] & _ALIVE) != 0
        placed = arranged.quads[: arranged.num_quads][shaded]
        rows, tile = placed["row"], placed["tile"].astype(np.int64) + self._num_tiles
        self._num_tiles += len(arranged.tiles)
        quads, ops = trace["quads"], trace["tex_ops"]
        op, of_quad = _ranges(quads["tex_first"][rows], quads["tex_count"][rows])
        line, of_op = _ranges(ops["line_first"][op], ops["line_count"][op])
        pairs = trace["texture_lines"]["line"][line].astype(np.int64) | tile[of_quad[of_op]] << _LINE_BITS
        self._read.append(np.unique(pairs))

    def shares(self) -> dict[str, float]:
        """SHARES of the frame, which is forgotten; 0 where nothing reads a texture."""
        pairs = np.concatenate([*self._read, np.zeros(0, np.int64)])
        line, tile = pairs & (1 << _LINE_BITS) - 1, pairs >> _LINE_BITS
        order = np.lexsort((tile, line))
        line, tile = line[order], tile[order]
        _, first = np.unique(line, return_index=True)
        distance = np.diff(tile, prepend=0)
        distance[first] = np.iinfo(np.int64).max
        least = np.minimum.reduceat(distance, first) if len(first) else np.zeros(0, np.int64)
        self._read, self._num_tiles = [], 0
        is_shared = least < np.iinfo(np.int64).max
        kinds = (is_shared, least == 1, least == 2, is_shared & (least > 2))
        return {name: float(kind.mean()) if len(first) else 0.0 for name, kind in zip(SHARES, kinds, strict=True)}


def _ranges(first: NDArray[np.integer], count: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of many ranges behind each other, and the range that each is of."""
    count = count.astype(np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(owner)) - (np.cumsum(count) - count)[owner]
    return first.astype(np.int64)[owner] + within, owner
