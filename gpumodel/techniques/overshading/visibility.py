"""Who hides whom in a finished frame, and the order of objects that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.techniques.vro.nodes import Nodes
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["Visibility", "find_visibility", "rank_nodes"]

Array = NDArray[Any]


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
    quads = streams.quads[: streams.num_quads]
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
    depth[(func == gl.GL_GREATER) | (func == gl.GL_GEQUAL)] *= -1
    # Of equal depths the last that passes them wins, or else the first fragment.
    tie = np.where((func == gl.GL_LEQUAL) | (func == gl.GL_GEQUAL), -rows - 1, rows)
    pixel = ((nodes.run_of_draw[draw][:, None] << 32) + y * streams.width + x)[covered]
    node = np.broadcast_to(nodes.node_of_draw[draw].astype(np.int64)[:, None], covered.shape)[covered]
    tie = np.broadcast_to(tie[:, None], covered.shape)[covered]
    order = np.lexsort((tie, depth[covered], pixel))
    pixel, node = pixel[order], node[order]
    first = np.ones(len(pixel), bool)
    first[1:] = pixel[1:] != pixel[:-1]
    winner = node[first][np.cumsum(first) - 1]
    hidden = ~first
    inter = hidden & (winner != node)
    pairs, pixels = np.unique(winner[inter] * nodes.count + node[inter], return_counts=True)
    front, behind = np.divmod(pairs, nodes.count)
    return Visibility(
        front, behind, pixels.astype(np.int64), int(first.sum()), int(inter.sum()), int((hidden & ~inter).sum())
    )


def rank_nodes(count: int, seen: Visibility) -> NDArray[np.int64]:
    """Place of each node: those that nothing left hides first, those that hide nothing left last.

    Without cycles no fragment is shaded that another node hides. In a cycle the node goes first that hides most more
    pixels than are hidden of it (Eades, Lin and Smyth's heuristic for feedback arcs); ties go to program order.
    """
    hidden = np.bincount(seen.behind, seen.pixels, count).astype(np.int64)
    hides = np.bincount(seen.front, seen.pixels, count).astype(np.int64)
    fronts = _by_node(count, seen.front)
    behinds = _by_node(count, seen.behind)
    left = np.ones(count, bool)
    rank = np.zeros(count, np.int64)
    first, last = 0, count - 1
    while first <= last:
        free = left & (hidden == 0)
        sinks = left & (hides == 0) & ~free
        if free.any():
            node, pixel = int(free.argmax()), first
        elif sinks.any():
            node, pixel = int(np.flatnonzero(sinks)[-1]), last
        else:
            node, pixel = int(np.where(left, hides - hidden, np.iinfo(np.int64).min).argmax()), first
        rank[node] = pixel
        left[node] = False
        if free.any() or not sinks.any():
            first += 1
        else:
            last -= 1
        for edges, other, weight in ((fronts[node], seen.behind, hidden), (behinds[node], seen.front, hides)):
            np.subtract.at(weight, other[edges], seen.pixels[edges])
    return rank


def _by_node(count: int, nodes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Rows of each node."""
    order = np.argsort(nodes, kind="stable")
    return np.split(order, np.searchsorted(nodes[order], np.arange(1, count))) if count else []
