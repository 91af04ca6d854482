"""Nodes of the Visibility Graph: which draws may change places, and how objects are known again in the next frame.

Movable: depth test and write on, a function of LESS/LEQUAL or of GREATER/GEQUAL, everything written, and no blending,
stencil, discard, depth from the shader, alpha to coverage, query or side effect. Consecutive movable draws of one
family make a *run*; any other draw, and a clear, ends it. A *node* is consecutive draws of one object in one run.
Source: VRO §3.4; DESIGN §5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.opacity import replacing_draws
from gpumodel.pass_depths import LESS_IS_NEARER, way_of
from gpumodel.streams import PassStreams
from traceformat.gputrace.frametrace import DrawFlags, EventKind, FrameTrace

__all__ = ["Nodes", "covering_draws", "find_nodes", "order_pairs"]

Array = NDArray[Any]
_FIXED_FLAGS: Final = DrawFlags.DISCARDS | DrawFlags.WRITES_DEPTH | DrawFlags.SIDE_EFFECTS


@dataclass(slots=True)
class Nodes:
    """Nodes of a pass.

    Parameters
    ----------
    node_of_draw : (draws of the pass,) int32
    movable : (draws of the pass,) bool
    run_of_draw : (draws of the pass,) int64, runs and what lies between them, in program order
    clear_run : (clears of the pass,) int64, likewise
    run_first : (nodes,) int32, first node of each node's run
    keys : (object id, class, number among those) of each node, which the next frame knows it by
    """

    node_of_draw: Array
    movable: Array
    run_of_draw: Array
    clear_run: Array
    run_first: Array
    keys: list[tuple[int, int, int]]

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.keys)


def find_nodes(trace: FrameTrace, streams: PassStreams, limit: int) -> Nodes:
    """Find the runs and nodes of a pass; draws behind the first ``limit`` nodes may not move."""
    family = _families(trace, streams)
    nodes = _group(trace, streams, family)
    if nodes.count > limit:
        family[nodes.node_of_draw >= limit] = 0
        nodes = _group(trace, streams, family)
    return nodes


def _group(trace: FrameTrace, streams: PassStreams, family: NDArray[np.int64]) -> Nodes:
    """Group the draws of a pass by run and object."""
    d0, d1 = streams.draw_range
    draws = trace["draws"]
    rows = slice(d0, d1)
    objects = trace["objects"]["id"][draws["object"][rows]].astype(np.int64)
    clears_before, following = _clears(trace, streams)
    changed = np.ones(d1 - d0, np.int64)
    if d1 > d0:
        changed[1:] = (family[1:] != family[:-1]) | (clears_before[1:] > clears_before[:-1])
    # A clear is a place of its own between two runs.
    run = np.cumsum(changed) + clears_before if d1 > d0 else np.zeros(0, np.int64)
    clear_run = np.array([(run[draw] - 1 if draw < len(run) else 1 << 40) for draw in following], np.int64)
    starts = changed.astype(bool)
    if d1 > d0:
        starts[1:] |= objects[1:] != objects[:-1]
    node_of_draw = (np.cumsum(starts) - 1).astype(np.int32)
    first = np.flatnonzero(starts)
    run_nodes = run[first]
    run_first = np.searchsorted(run_nodes, run_nodes).astype(np.int32)
    seen: dict[tuple[int, int], int] = {}
    keys: list[tuple[int, int, int]] = []
    for draw in first.tolist():
        kind = int(objects[draw]), int(family[draw])
        seen[kind] = seen.get(kind, 0) + 1
        keys.append((*kind, seen[kind]))
    return Nodes(node_of_draw, family > 0, run, clear_run, run_first, keys)


def order_pairs(trace: FrameTrace, streams: PassStreams, nodes: Nodes, rank: Array) -> Array:
    """Put the entries of the tile lists into the rendering order.

    Parameters
    ----------
    rank : (nodes,) place of each node in the rendering order

    Returns
    -------
    ``streams.pairs`` in the new order; the first entry of a node has no link, because its record has its place
    """
    count = int(streams.tiles["pair_count"].sum())
    pairs = streams.pairs[:count]
    is_clear = pairs["clear"] >= 0
    draw = np.zeros(count, np.int64)
    draw[~is_clear] = trace["emitted"]["draw"][pairs["emitted"][~is_clear]].astype(np.int64) - streams.draw_range[0]
    run = np.zeros(count, np.int64)
    place = np.zeros(count, np.int64)
    node = np.full(count, -1, np.int64)
    run[is_clear] = nodes.clear_run[pairs["clear"][is_clear]] if is_clear.any() else 0
    if len(nodes.node_of_draw):
        run[~is_clear] = nodes.run_of_draw[draw[~is_clear]]
        node[~is_clear] = nodes.node_of_draw[draw[~is_clear]]
        place[~is_clear] = rank[node[~is_clear]]
    order = np.lexsort((np.arange(count), place, run, pairs["tile"]))
    out = streams.pairs.copy()
    out[:count] = pairs[order]
    tile, node = out["tile"][:count], node[order]
    starts = np.ones(count, bool)
    if count:
        starts[1:] = (node[1:] != node[:-1]) | (tile[1:] != tile[:-1])
    out["link_line"][:count][starts] = -1
    return out


def covering_draws(trace: FrameTrace, index: int, rows: slice) -> NDArray[np.bool_]:
    """Tell which draws of a pass leave nothing of what was at a pixel where they pass: depth test and write on,
    everything written, and no blending, stencil, discard, depth from the shader, alpha to coverage, query or side
    effect.

    Parameters
    ----------
    rows : of draws, all of pass ``index``
    """
    draws = trace["draws"]
    free = replacing_draws(trace, index, rows) & ((draws["flags"][rows] & _FIXED_FLAGS) == 0)
    for name in ("stencil_test", "query_active"):
        free &= draws[name][rows] == 0
    for name in ("depth_test", "depth_write"):
        free &= draws[name][rows] != 0
    return np.asarray(free)


def _families(trace: FrameTrace, streams: PassStreams) -> NDArray[np.int64]:
    """1 for movable draws that test LESS or LEQUAL, 2 for GREATER or GEQUAL, 0 for those that stay in their place."""
    d0, d1 = streams.draw_range
    rows = slice(d0, d1)
    way = way_of(trace["draws"]["depth_func"][rows])
    family = np.where(way == LESS_IS_NEARER, 1, 2 * np.abs(way))
    return np.where(covering_draws(trace, streams.index, rows), family, 0).astype(np.int64)


def _clears(trace: FrameTrace, streams: PassStreams) -> tuple[NDArray[np.int64], list[int]]:
    """Number of clears that the tiles execute before each draw of the pass, and the draw that follows each clear."""
    d0, d1 = streams.draw_range
    events, passes = trace["events"], trace["passes"]
    first = int(passes["event_first"][streams.index])
    before = np.zeros(d1 - d0, np.int64)
    following: list[int] = []
    executed = set(streams.clear_events.tolist())
    draw = 0
    for k in range(first, first + int(passes["event_count"][streams.index])):
        if int(events["kind"][k]) == EventKind.DRAW and d0 <= int(events["draw"][k]) < d1:
            draw = int(events["draw"][k]) - d0 + 1
        elif k in executed:
            before[draw:] += 1
            following.append(draw)
    return before, following
