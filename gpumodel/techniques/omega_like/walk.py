"""What last frame's depths leave out of a pass, and what has to come again: a walk of its tiles in program order.

Hardware: beside the Depth Buffer a plane keeps, at each pixel, the nearest depth of the fragments that passed the depth
test and were left out. Where the Depth Buffer is nearer, they are hidden whatever comes. Where it is not, they have to
come before a fragment that is not an opaque one's is drawn there, or at the tile's end.
Modelled: that. All entries that have left something out then come again in their order, with those fragments alone.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import types

from gpumodel.pass_depths import RULES, TESTS, WRITES, Rules
from gpumodel.units.depth import compare
from gpumodel.units.events import count_ones
from gpumodel.units.kernels import Array, Int, Record, inner, kernel
from gpumodel.units.types import INT64S, PAIR_T, PAIRS, QUAD_T, QUADS, TILES, UINT8S

__all__ = ["ENTRIES", "NOTHING", "Kept", "Left", "Planes", "walk"]

#: No depth: farther than any.
NOTHING: Final = 1 << 40


#: Places among the totals: fragments compared and left out, tiles in which something comes again, what does.
COMPARED: Final = 0
LEFT_OUT: Final = 1
WRONG_TILES: Final = 2
ENTRIES: Final = 3
FRAGMENTS: Final = 4


class Kept(NamedTuple):
    """Last frame's depths, where smaller ones are nearer.

    Parameters
    ----------
    moves : (draws of the frame,) uint8, 1 where fragments of a draw may be left out
    held : (tiles, blocks of a tile) int64 farthest depth of each block, shifted
    shown : the same of what this frame shows, zeros, out
    shift : bits of a depth that are not kept
    margin : steps behind a depth by which nothing is left out yet
    side : of a block, pixels
    """

    moves: Array
    held: Array
    shown: Array
    shift: int
    margin: int
    side: int


class Left(NamedTuple):
    """What is left out, all of it out.

    Parameters
    ----------
    behind : (quads,) uint8, fragments behind last frame's depth
    unsure : (entries,) uint8, 1 where a fragment was left out that had passed
    place, entry : (entries,) int64, before which entry one comes again, and which
    totals : :data:`COMPARED` and so on
    """

    behind: Array
    unsure: Array
    place: Array
    entry: Array
    totals: Array


class Planes(NamedTuple):
    """A tile's pixels: its depths, and the nearest that was left out."""

    depth: Array
    left: Array


_GRID: Final = types.int64[:, ::1]
_KEPT: Final = types.NamedTuple([UINT8S, _GRID, _GRID, *[types.int64] * 3], Kept)
_LEFT: Final = types.NamedTuple([UINT8S, UINT8S, INT64S, INT64S, INT64S], Left)
_PLANES: Final = types.NamedUniTuple(INT64S, 2, Planes)


@inner(types.int64(QUAD_T, types.int64, types.int64))
def _pixel(q: Record, lane: Int, across: Int) -> Int:
    """Place in its tile of a fragment; ``across`` quads make a row."""
    position = np.int64(q.position)
    return 4 * across * (position // across) + 2 * (position % across) + 2 * across * (lane >> 1) + (lane & 1)


@inner(types.int64(QUAD_T, types.int64, RULES))
def _depth(q: Record, lane: Int, rules: Rules) -> Int:
    z = np.int64(q.depth[lane])
    return rules.mirror - z if rules.mirror else z


@inner(types.int64(_PLANES, types.int64))
def _is_unsure(planes: Planes, at: Int) -> Int:
    """Tell whether something was left out of a pixel that may show."""
    return 1 if planes.left[at] < NOTHING and planes.left[at] <= planes.depth[at] else 0


@inner(types.int64(QUADS, PAIR_T, _PLANES, types.int64))
def _meets_unsure(quads: Array, pair: Record, planes: Planes, across: Int) -> Int:
    """Tell whether an entry covers a pixel of which something was left out that may show."""
    for k in range(pair.quad_first, pair.quad_first + pair.quad_count):
        for lane in range(4):
            if quads[k].coverage >> lane & 1 and _is_unsure(planes, _pixel(quads[k], lane, across)):
                return 1
    return 0


@inner(types.int64(QUAD_T, types.int64, RULES, _KEPT, _LEFT, _PLANES, types.int64))
def _draw(q: Record, quad: Int, rules: Rules, kept: Kept, out: Left, planes: Planes, tile: Int) -> Int:
    """Draw a quad for the first time; 1 when a fragment was left out that had passed."""
    across, row = rules.across, 2 * rules.across // kept.side
    kind, func = np.int64(rules.kind[q.draw]), rules.func[q.draw]
    unsure = 0
    for lane in range(4):
        if q.coverage >> lane & 1 == 0:
            continue
        at = _pixel(q, lane, across)
        z = _depth(q, lane, rules)
        passes = kind & TESTS == 0 or compare(func, z, planes.depth[at])
        if kept.moves[q.draw]:
            block = at // (2 * across) // kept.side * row + at % (2 * across) // kept.side
            out.totals[COMPARED] += 1
            if z >> kept.shift > kept.held[tile, block] + kept.margin:
                out.behind[quad] |= 1 << lane
                if passes:
                    out.totals[LEFT_OUT] += 1
                    planes.left[at] = min(planes.left[at], z)
                    unsure = 1
                continue
        if q.survives >> lane & 1 and passes and kind & WRITES:
            planes.depth[at] = z
    return unsure


@inner(types.void(PAIRS, QUADS, types.int64, types.int64, RULES, _LEFT, _PLANES))
def _come_again(pairs: Array, quads: Array, first: Int, end: Int, rules: Rules, out: Left, planes: Planes) -> None:
    """Let those of the entries from ``first`` on that are unsure come again, before ``end``."""
    for k in range(first, end):
        if out.unsure[k] == 0:
            continue
        pair = pairs[k]
        out.unsure[k] = 0
        out.place[out.totals[ENTRIES]] = end
        out.entry[out.totals[ENTRIES]] = k
        out.totals[ENTRIES] += 1
        for j in range(pair.quad_first, pair.quad_first + pair.quad_count):
            out.totals[FRAGMENTS] += count_ones(np.int64(out.behind[j]))
            for lane in range(4):
                if out.behind[j] >> lane & 1:
                    at = _pixel(quads[j], lane, rules.across)
                    z = _depth(quads[j], lane, rules)
                    if compare(rules.func[pair.draw], z, planes.depth[at]):
                        planes.depth[at] = z
    planes.left[:] = NOTHING


@inner(types.void(RULES, _KEPT, _PLANES, types.int64, types.int64, types.int64))
def _keep(rules: Rules, kept: Kept, planes: Planes, tile: Int, width: Int, height: Int) -> None:
    """Keep the farthest depth of each block of a tile."""
    side, row = kept.side, 2 * rules.across // kept.side
    for y in range(height):
        for x in range(width):
            z = planes.depth[2 * rules.across * y + x] + (1 << kept.shift) - 1 >> kept.shift
            block = y // side * row + x // side
            kept.shown[tile, block] = max(kept.shown[tile, block], z)


@kernel(types.void(TILES, PAIRS, QUADS, RULES, _KEPT, _LEFT, _PLANES))
def walk(tiles: Array, pairs: Array, quads: Array, rules: Rules, kept: Kept, out: Left, planes: Planes) -> None:
    """Draw the tiles of a pass; ``planes`` are scratch."""
    for t in range(tiles.size):
        tile = tiles[t]
        planes.depth[:] = rules.clear
        planes.left[:] = NOTHING
        begun = out.totals[ENTRIES]
        first: Int = np.int64(tile.pair_first)
        end = first + tile.pair_count
        for k in range(tile.pair_first, end):
            pair = pairs[k]
            if kept.moves[pair.draw] == 0 and _meets_unsure(quads, pair, planes, rules.across):
                _come_again(pairs, quads, first, k, rules, out, planes)
                first = k
            for j in range(pair.quad_first, pair.quad_first + pair.quad_count):
                out.unsure[k] |= _draw(quads[j], j, rules, kept, out, planes, t)
        for at in range(planes.left.size):
            if _is_unsure(planes, at):
                _come_again(pairs, quads, first, end, rules, out, planes)
                break
        out.totals[WRONG_TILES] += out.totals[ENTRIES] > begun
        _keep(rules, kept, planes, t, np.int64(tile.width), np.int64(tile.height))
