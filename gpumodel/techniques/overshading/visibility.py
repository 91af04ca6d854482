"""Who hides whom in a finished frame, and the order of objects that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.techniques.vro.nodes import Nodes
from traceformat.frametrace import FrameTrace

__all__ = ["Visibility", "find_visibility", "rank_nodes"]

Array = NDArray[Any]
_LEQUAL, _GEQUAL = 0x0203, 0x0206
_GREATER = 0x0204


@dataclass(slots=True)
class Visibility:
    """What the movable fragments of a pass are at its end, each within its run.

    Parameters
    ----------
    front, behind, pixels : (pairs,) int64: node ``front`` hides node ``behind`` at so many pixels
    visible, inter, intra : fragments that none hides, that another node hides, that their own node hides
    """

    front: NDArray[np.int64]
    behind: NDArray[np.int64]
    pixels: NDArray[np.int64]
    visible: int
    inter: int
    intra: int


def find_visibility(trace: FrameTrace, streams: PassStreams, nodes: Nodes) -> Visibility:
    """Find the visible fragment of each pixel and run, ties broken as program order does."""
    empty = np.zeros(0, np.int64)
    quads = streams.quads[: streams.quad_rows[1] - streams.quad_rows[0]]
    draw = quads["draw"].astype(np.int64) - streams.draw_range[0]
    moves = nodes.movable[draw] if len(draw) else np.zeros(0, bool)
    quads, draw = quads[moves], draw[moves]
    rows = quads["row"].astype(np.int64)
    lane = np.arange(4)
    covered = (quads["coverage"][:, None] >> lane & 1).astype(bool)
    if not covered.any():
        return Visibility(empty, empty, empty, 0, 0, 0)
    x = 2 * trace["quads"]["x"][rows].astype(np.int64)[:, None] + (lane & 1)
    y = 2 * trace["quads"]["y"][rows].astype(np.int64)[:, None] + (lane >> 1)
    func = trace["draws"]["depth_func"][draw + streams.draw_range[0]]
    depth = quads["depth"].astype(np.int64)
    depth[(func == _GREATER) | (func == _GEQUAL)] *= -1
    # Of equal depths the last that passes them wins, or else the first fragment.
    tie = np.where((func == _LEQUAL) | (func == _GEQUAL), -rows - 1, rows)
    place = ((nodes.run_of_draw[draw][:, None] << 32) + y * streams.width + x)[covered]
    node = np.broadcast_to(nodes.node_of_draw[draw].astype(np.int64)[:, None], covered.shape)[covered]
    tie = np.broadcast_to(tie[:, None], covered.shape)[covered]
    order = np.lexsort((tie, depth[covered], place))
    place, node = place[order], node[order]
    first = np.ones(len(place), bool)
    first[1:] = place[1:] != place[:-1]
    winner = node[first][np.cumsum(first) - 1]
    hidden = ~first
    inter = hidden & (winner != node)
    pairs, pixels = np.unique(winner[inter] * nodes.count + node[inter], return_counts=True)
    front, behind = np.divmod(pairs, nodes.count)
    return Visibility(
        front, behind, pixels.astype(np.int64), int(first.sum()), int(inter.sum()), int((hidden & ~inter).sum())
    )


def rank_nodes(count: int, seen: Visibility) -> NDArray[np.int64]:
    """Place of each node: always the one next of whose fragments the fewest are hidden by nodes that are still to come.

    Without cycles that number is 0 each time, and no fragment is shaded that another node hides. Ties go to program
    order.
    """
    waiting = np.bincount(seen.behind, seen.pixels, count).astype(np.int64)
    first = np.searchsorted(seen.front, np.arange(count + 1))
    rank = np.zeros(count, np.int64)
    for place in range(count):
        node = int(waiting.argmin())
        rank[node] = place
        out = slice(first[node], first[node + 1])
        waiting[seen.behind[out]] -= seen.pixels[out]
        waiting[node] = np.iinfo(np.int64).max
    return rank
