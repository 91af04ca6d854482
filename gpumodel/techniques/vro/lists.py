"""Tile lists as the Order Matcher reads them: where a node's pointers begin, and the blocks of each list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.techniques.vro.nodes import Nodes
from gpumodel.tile_lists import opens_block
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["TileLists", "read_lists"]

Array = NDArray[Any]


@dataclass(slots=True)
class TileLists:
    """What the Order Matcher reads of each tile.

    Parameters
    ----------
    starts : (tiles,) runs of pointers of one node in each list, in rendering order of the tiles
    blocks : (tiles,) blocks of its list
    block_first : (tiles,) its first block among those of all tiles
    block_lines : (blocks,) line of each
    """

    starts: Array
    blocks: Array
    block_first: Array
    block_lines: Array

    @classmethod
    def none(cls) -> TileLists:
        """Give those of a pass that is not ordered."""
        empty = np.zeros(0, np.int64)
        return cls(empty, empty, empty, empty)


def read_lists(trace: FrameTrace, streams: PassStreams, nodes: Nodes) -> TileLists:
    """Find the starts of nodes in the lists of a pass, which are in program order."""
    tiles = len(streams.tiles)
    count = int(streams.tiles["pair_count"].sum())
    pairs = streams.pairs[:count]
    tile = pairs["tile"].astype(np.int64)
    is_clear = pairs["clear"] >= 0
    node = np.full(count, -1, np.int64)
    if len(nodes.node_of_draw):
        draw = trace["emitted"]["draw"][pairs["emitted"][~is_clear]].astype(np.int64) - streams.draw_range[0]
        node[~is_clear] = nodes.node_of_draw[draw]
    opens, starts = opens_block(streams), np.ones(count, bool)
    starts[1:] = (tile[1:] != tile[:-1]) | (node[1:] != node[:-1])
    blocks = np.bincount(tile[opens], minlength=tiles)
    return TileLists(
        np.bincount(tile[starts & ~is_clear], minlength=tiles),
        blocks,
        np.cumsum(blocks) - blocks,
        pairs["pointer_line"][opens].astype(np.int64),
    )
