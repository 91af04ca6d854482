"""What shows at the end of a tile, by a walk in program order: its farthest depth, its lowest layer, and poison.

Hardware: the Layer Buffer keeps, beside each pixel's colour, the layer of the fragment that replaced it last, the place
of that one among the tile's signed primitives, and two bits: an unsigned fragment shows, or has left its depth. Maximum
and minimum are taken when the tile ends.
Modelled: that, as a walk of what the trace says of each fragment. A depth counts where a signed fragment replaced
colours and wrote it; one that needs another's depth to pass (EQUAL, GREATER ...) replaces nothing for sure while an
unsigned primitive's depth is there.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import types

from gpumodel.pass_depths import REPLACES, RULES, TESTS, TOWARD, WRITES, Rules
from gpumodel.units.depth import compare
from gpumodel.units.kernels import Array, Int, Record, inner, kernel
from gpumodel.units.types import INT64S, PAIRS, QUAD_T, QUADS, TILES, UINT8S

__all__ = ["NOTHING", "Shown", "walk"]

#: Farthest depth of a tile in which some pixel shows nothing that counts.
NOTHING: Final = 1 << 40
#: Bits of a pixel: an unsigned fragment may show; it may have left its depth.
_SHOWS: Final = 1
_LEFT_DEPTH: Final = 2


class Shown(NamedTuple):
    """Of the tiles, out: farthest depth that counts, lowest layer that shows (0 = not everywhere one), fewest signed
    entries before what replaced a pixel's colour last (-1 = not everywhere one), whether an unsigned fragment may show
    or have left its depth.
    """

    far: Array
    low: Array
    place: Array
    poison: Array


_SHOWN: Final = types.NamedTuple([INT64S, INT64S, INT64S, UINT8S], Shown)


@inner(types.void(INT64S, *[types.int64] * 7))
def _draw(pixel: Array, at: Int, kind: Int, func: Int, z: Int, layer: Int, place: Int, signed: Int) -> None:
    """A fragment that survives its shader: test it, and note what it leaves at its pixel's five words: depth, depth
    that counts, layer, place, bits.
    """
    if kind & TESTS and compare(func, z, pixel[at]) == 0:
        return
    if kind & WRITES:
        pixel[at] = z
    if kind & REPLACES:
        pixel[at + 2] = layer
    if signed == 0:
        pixel[at + 4] |= _SHOWS | (_LEFT_DEPTH if kind & WRITES else 0)
        return
    certain = kind & TESTS == 0 or kind & TOWARD or pixel[at + 4] & _LEFT_DEPTH == 0
    if kind & REPLACES == 0 or not certain:
        return
    pixel[at + 3] = place
    pixel[at + 4] &= ~_SHOWS
    if kind & WRITES:
        pixel[at + 1] = z
        pixel[at + 4] &= ~_LEFT_DEPTH


@inner(types.void(INT64S, QUAD_T, RULES, *[types.int64] * 4))
def _draw_quad(pixel: Array, q: Record, rules: Rules, draw: Int, layer: Int, place: Int, signed: Int) -> None:
    """Draw the fragments of a quad."""
    position, across = np.int64(q.position), rules.across
    corner = 4 * across * (position // across) + 2 * (position % across)
    for lane in range(4):
        if q.coverage & q.survives & 1 << lane:
            z = np.int64(q.depth[lane])
            at = 5 * (corner + 2 * across * (lane >> 1) + (lane & 1))
            z = rules.mirror - z if rules.mirror else z
            _draw(pixel, at, np.int64(rules.kind[draw]), rules.func[draw], z, layer, place, signed)


@kernel(types.void(TILES, PAIRS, QUADS, RULES, INT64S, INT64S, _SHOWN))
def walk(tiles: Array, pairs: Array, quads: Array, rules: Rules, entry: Array, pixel: Array, shown: Shown) -> None:
    """Draw the tiles of a pass.

    Parameters
    ----------
    entry : (list entries,) 2 * layer in its tile + whether it is signed
    pixel : (5 words a pixel of a tile,)
    shown : what they show, out
    """
    for t in range(tiles.size):
        tile = tiles[t]
        for at in range(0, pixel.size, 5):
            pixel[at] = rules.clear
            pixel[at + 1] = NOTHING
            pixel[at + 2] = 0
            pixel[at + 3] = -1
            pixel[at + 4] = 0
        signed = 0
        for k in range(tile.pair_first, tile.pair_first + tile.pair_count):
            pair = pairs[k]
            is_signed = entry[k] & 1
            for q in range(pair.quad_first, pair.quad_first + pair.quad_count):
                _draw_quad(pixel, quads[q], rules, np.int64(pair.draw), entry[k] >> 1, signed, is_signed)
            signed += is_signed
        shown.far[t] = 0
        shown.low[t] = shown.place[t] = NOTHING
        shown.poison[t] = 0
        for y in range(tile.height):
            for x in range(tile.width):
                at = 5 * (2 * rules.across * y + x)
                shown.far[t] = max(shown.far[t], pixel[at + 1])
                shown.low[t] = min(shown.low[t], pixel[at + 2])
                shown.place[t] = min(shown.place[t], pixel[at + 3])
                shown.poison[t] |= pixel[at + 4] != 0
