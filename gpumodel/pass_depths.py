"""Which way the depths of a pass go, nearer being less or greater, and what its draws do to them: for all techniques
that ask what is hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from gpumodel.opacity import replacing_draws
from gpumodel.units.kernels import Array
from gpumodel.units.types import INT64S, UINT8S
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace, LoadOp, quantize_depth

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams

__all__ = [
    "LESS_IS_NEARER", "REPLACES", "RULES", "TESTS", "TOWARD", "WRITES", "Rules", "changes_depth", "find_rules",
    "way_of",
]  # fmt: skip

#: Bits of a draw: it replaces colours, tests depth, tests towards the eye, writes depth.
REPLACES: Final = 1
TESTS: Final = 2
TOWARD: Final = 4
WRITES: Final = 8

#: The way of a function that passes what is less; the other one is -1.
LESS_IS_NEARER: Final = 1
_LESS: Final = (gl.GL_LESS, gl.GL_LEQUAL)
_GREATER: Final = (gl.GL_GREATER, gl.GL_GEQUAL)
#: Functions that leave the stored depth as it is.
_STILL: Final = (gl.GL_NEVER, gl.GL_EQUAL)
#: Compare functions (minus GL_NEVER) with left and right exchanged.
_MIRRORED: Final = np.array([0, 4, 2, 6, 1, 5, 3, 7], np.int64)


class Rules(NamedTuple):
    """What the draws of a pass do, where smaller depths are nearer.

    Parameters
    ----------
    kind, func : (draws of the frame,) uint8, and int64 compare functions, minus GL_NEVER
    mirror : depths are this one minus what they are; 0 = they are what they are
    clear : depth that the pass begins with
    across : quads in a row of a tile
    """

    kind: Array
    func: Array
    mirror: int
    clear: int
    across: int


RULES: Final = types.NamedTuple([UINT8S, INT64S, *[types.int64] * 3], Rules)


def way_of(func: NDArray[Any]) -> NDArray[np.int64]:
    """Way of each compare function: LESS_IS_NEARER, -1 where greater is, 0 where neither."""
    return np.asarray(np.isin(func, _LESS) * 1 - np.isin(func, _GREATER) * 1)


def changes_depth(draws: Any, rows: slice) -> NDArray[np.bool_]:
    """Tell which of some draws may change a stored depth."""
    writes = (draws["depth_test"][rows] != 0) & (draws["depth_write"][rows] != 0)
    return np.asarray(writes & ~np.isin(draws["depth_func"][rows], _STILL))


def find_rules(trace: FrameTrace, streams: PassStreams, across: int) -> Rules | None:
    """Find what the draws of a pass do; None where nothing can be predicted: depths that go both ways, come from memory
    or from shaders, or are cleared in the middle, stencil tests, effects, several samples, a pass that is cut.
    """
    passes, index, draws = trace["passes"], streams.index, trace["draws"]
    rows = slice(*streams.draw_range)
    flags, func = draws["flags"][rows], draws["depth_func"][rows]
    tests = draws["depth_test"][rows] != 0
    writes = tests & (draws["depth_write"][rows] != 0)
    ways = np.unique(way_of(func)[changes_depth(draws, rows)])
    less, greater = set(ways) <= {LESS_IS_NEARER}, set(ways) == {-LESS_IS_NEARER}
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
    toward = tests & (way_of(func) == (LESS_IS_NEARER if less else -LESS_IS_NEARER))
    kind[rows] = replacing_draws(trace, index, rows) * REPLACES | tests * TESTS | toward * TOWARD | writes * WRITES
    function = np.zeros(len(kind), np.int64)
    function[rows] = np.clip(func.astype(np.int64) - gl.GL_NEVER, 0, 7)
    clear = int(passes["clear_depth"][index])
    return Rules(kind, function if less else _MIRRORED[function], mirror, mirror - clear if mirror else clear, across)
