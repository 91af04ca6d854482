"""An order of triangles in which a small buffer of shaded vertices is used often.

Source: P. Sander, D. Nehab, J. Barczak, "Fast Triangle Reordering for Vertex Locality and Reduced Overdraw",
SIGGRAPH 2007, section 3 (Tipsify): fans around one vertex after the other, the next one being that of the last fan
which has been in the buffer longest and stays there until its own fan is drawn.
"""

from __future__ import annotations

import numpy as np
from numba import types

from gpumodel.units.kernels import Array, Int, inner, kernel
from gpumodel.units.types import INT64S

__all__ = ["count_misses", "tipsified"]


def tipsified(corners: Array, entries: int) -> Array:
    """Order triangles for a buffer of some vertices, first in, first out.

    Parameters
    ----------
    corners : (T, 3) int64, vertices of the triangles, in any numbers
    entries : of the buffer

    Returns
    -------
    (T,) int64, every triangle once
    """
    names, flat = np.unique(corners, return_inverse=True)
    flat = np.ascontiguousarray(flat.reshape(-1), np.int64)
    count = np.bincount(flat, minlength=len(names)).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    around = np.argsort(flat, kind="stable") // 3
    order = np.empty(len(corners), np.int64)
    _order(flat, first, around, count, entries, order)
    return order


@kernel(types.int64(INT64S, types.int64))
def count_misses(index: Array, entries: Int) -> int:
    """Vertices that are not among the last that were shaded, first in, first out.

    Parameters
    ----------
    index : (N,) int64, as fetched
    entries : of the buffer, one at least
    """
    held = np.full(entries, -1, np.int64)
    misses = 0
    for vertex in index:
        found = False
        for other in held:
            if other == vertex:
                found = True
        if not found:
            held[misses % entries] = vertex
            misses += 1
    return misses


@inner(types.int64(INT64S, INT64S, INT64S, types.int64, types.int64))
def _next_fan(recent: Array, live: Array, entered: Array, clock: Int, entries: Int) -> int:
    """The vertex of the last fan that is in the buffer longest, and until its own triangles are drawn; else -1."""
    best = -1
    most = -1
    for vertex in recent:
        if live[vertex] > 0:
            age = 0
            if clock - entered[vertex] + 2 * live[vertex] <= entries:
                age = clock - entered[vertex]
            if age > most:
                most = age
                best = vertex
    return best


@kernel(types.void(INT64S, INT64S, INT64S, INT64S, types.int64, INT64S))
def _order(flat: Array, first: Array, around: Array, live: Array, entries: Int, order: Array) -> None:
    """Fill the order.

    Parameters
    ----------
    flat : (3 T,) vertices from 0 on
    first, around : triangles around vertex v are around[first[v] : first[v + 1]]
    live : (V,) triangles around each vertex that are not drawn; 0 afterwards
    """
    entered = np.zeros(live.size, np.int64)
    is_drawn = np.zeros(order.size, np.uint8)
    # Vertices of drawn triangles, the last one at the end: where no fan goes on.
    trail = np.empty(flat.size, np.int64)
    num_trail = 0
    cursor = 0
    clock = entries + 1
    drawn = 0
    fan = 0
    while fan >= 0:
        begin = num_trail
        for place in range(first[fan], first[fan + 1]):
            triangle = around[place]
            if is_drawn[triangle]:
                continue
            is_drawn[triangle] = 1
            order[drawn] = triangle
            drawn += 1
            for corner in range(3):
                vertex = flat[3 * triangle + corner]
                trail[num_trail] = vertex
                num_trail += 1
                live[vertex] -= 1
                if clock - entered[vertex] > entries:
                    entered[vertex] = clock
                    clock += 1
        fan = _next_fan(trail[begin:num_trail], live, entered, clock, entries)
        while fan < 0 and num_trail > 0:
            num_trail -= 1
            if live[trail[num_trail]] > 0:
                fan = trail[num_trail]
        while fan < 0 and cursor < live.size:
            if live[cursor] > 0:
                fan = cursor
            cursor += 1
