"""What shows at the end of a tile, by a walk in program order: its farthest depth, its lowest layer, and poison.

Hardware: the Layer Buffer keeps, beside each pixel's colour, the layer of the fragment that replaced it last, the place
of that one among the tile's signed primitives, and two bits: an unsigned fragment shows, or has left its depth. Maximum
and minimum are taken when the tile ends.
Modelled: that, as a walk of what the trace says of each fragment. A depth counts where a signed fragment replaced
colours and wrote it; one that needs another's depth to pass (EQUAL, GREATER ...) replaces nothing for sure while an
unsigned primitive's depth is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from gpumodel.opacity import replacing_draws
from gpumodel.units.depth import compare
from gpumodel.units.kernels import Array, Int, Record, inner, kernel
from gpumodel.units.types import INT64S, PAIRS, QUAD_T, QUADS, TILES, UINT8S
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace, LoadOp, quantize_depth

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams

__all__ = ["NOTHING", "REPLACES", "TESTS", "TOWARD", "WRITES", "Rules", "find_rules", "walk"]

#: Farthest depth of a tile in which some pixel shows nothing that counts.
NOTHING: Final = 1 << 40
#: Bits of a draw: it replaces colours, tests depth, tests towards the eye, writes depth.
REPLACES: Final = 1
TESTS: Final = 2
TOWARD: Final = 4
WRITES: Final = 8
#: Bits of a pixel: an unsigned fragment may show; it may have left its depth.
_SHOWS: Final = 1
_LEFT_DEPTH: Final = 2

_LESS: Final = (gl.GL_LESS, gl.GL_LEQUAL)
_GREATER: Final = (gl.GL_GREATER, gl.GL_GEQUAL)
_STILL: Final = (gl.GL_NEVER, gl.GL_EQUAL)
#: Compare functions (minus GL_NEVER) with left and right exchanged.
_MIRRORED: Final = np.array([0, 4, 2, 6, 1, 5, 3, 7], np.int64)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the draws of a pass do, where smaller depths are nearer.

    Parameters
    ----------
    kind : (draws of the frame,) uint8
    func : (draws of the frame,) int64 compare functions, minus GL_NEVER
    mirror : depths are this one minus what they are; 0 = they are what they are
    clear : depth that the pass begins with
    """

    kind: NDArray[np.uint8]
    func: NDArray[np.int64]
    mirror: int
    clear: int


def find_rules(trace: FrameTrace, streams: PassStreams) -> Rules | None:
    """Find what the draws of a pass do; None where nothing can be predicted: depths that go both ways, come from memory
    or from shaders, or are cleared in the middle, stencil tests, effects, several samples, a pass that is cut.
    """
    passes, index, draws = trace["passes"], streams.index, trace["draws"]
    rows = slice(*streams.draw_range)
    flags, func = draws["flags"][rows], draws["depth_func"][rows]
    tests = draws["depth_test"][rows] != 0
    writes = tests & (draws["depth_write"][rows] != 0)
    moving = func[writes & ~np.isin(func, _STILL)]
    less, greater = np.isin(moving, _LESS).all(), len(moving) and np.isin(moving, _GREATER).all()
    loads = passes["depth_format"][index] != 0 and passes["depth_load"][index] != LoadOp.CLEAR
    if (
        not (less or greater)
        or (loads and tests.any())
        or len(streams.clears)
        or streams.part.count > 1
        or passes["samples"][index] > 1
        or (draws["stencil_test"][rows] != 0).any()
        or (flags & (DrawFlags.WRITES_DEPTH | DrawFlags.SIDE_EFFECTS)).any()
    ):
        return None
    one = int(quantize_depth(1.0, int(passes["depth_format"][index])))
    mirror = 0 if less else one
    kind = np.zeros(max(draws.num_rows, 1), np.uint8)
    toward = tests & np.isin(func, _LESS if less else _GREATER)
    kind[rows] = replacing_draws(trace, index, rows) * REPLACES | tests * TESTS | toward * TOWARD | writes * WRITES
    function = np.zeros(len(kind), np.int64)
    function[rows] = np.clip(func.astype(np.int64) - gl.GL_NEVER, 0, 7)
    clear = int(passes["clear_depth"][index])
    return Rules(kind, function if less else _MIRRORED[function], mirror, mirror - clear if mirror else clear)


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


@inner(types.void(INT64S, QUAD_T, *[types.int64] * 7))
def _draw_quad(
    pixel: Array, q: Record, across: Int, kind: Int, func: Int, mirror: Int, layer: Int, place: Int, signed: Int
) -> None:
    """Draw the fragments of a quad."""
    position = np.int64(q.position)
    corner = 4 * across * (position // across) + 2 * (position % across)
    for lane in range(4):
        if q.coverage & q.survives & 1 << lane:
            z = np.int64(q.depth[lane])
            at = 5 * (corner + 2 * across * (lane >> 1) + (lane & 1))
            _draw(pixel, at, kind, func, mirror - z if mirror else z, layer, place, signed)


@kernel(types.void(TILES, PAIRS, QUADS, UINT8S, INT64S, *[types.int64] * 3, UINT8S, *[INT64S] * 5, UINT8S))
def walk(
    tiles: Array, pairs: Array, quads: Array, kind: Array, func: Array, mirror: Int, clear: Int, across: Int,
    unsigned: Array, layer: Array, pixel: Array, far: Array, low: Array, place: Array, poison: Array,
) -> None:  # fmt: skip
    """Draw the tiles of a pass.

    Parameters
    ----------
    across : quads in a row of a tile
    unsigned, layer : (list entries,)
    pixel : (5 words a pixel of a tile,)
    far, low, place, poison : (tiles,) out: farthest depth that counts, lowest layer that shows (0 = not everywhere
        one), fewest signed entries before what replaced a pixel's colour last (-1 = not everywhere one), whether an
        unsigned fragment may show or have left its depth
    """
    for t in range(tiles.size):
        tile = tiles[t]
        for at in range(0, pixel.size, 5):
            pixel[at] = clear
            pixel[at + 1] = NOTHING
            pixel[at + 2] = 0
            pixel[at + 3] = -1
            pixel[at + 4] = 0
        signed = 0
        for k in range(tile.pair_first, tile.pair_first + tile.pair_count):
            pair = pairs[k]
            for q in range(pair.quad_first, pair.quad_first + pair.quad_count):
                _draw_quad(
                    pixel, quads[q], across, kind[pair.draw], func[pair.draw], mirror, layer[k], signed,
                    1 - unsigned[k],
                )  # fmt: skip
            signed += 1 - unsigned[k]
        far[t] = 0
        low[t] = place[t] = NOTHING
        poison[t] = 0
        for y in range(tile.height):
            for x in range(tile.width):
                at = 5 * (2 * across * y + x)
                far[t] = max(far[t], pixel[at + 1])
                low[t] = min(low[t], pixel[at + 2])
                place[t] = min(place[t], pixel[at + 3])
                poison[t] |= pixel[at + 4] != 0
