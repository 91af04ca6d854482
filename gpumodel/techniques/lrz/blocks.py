"""Low-resolution depths of a pass: made in the order of its primitives, and what they reject.

Hardware: the list builder's side keeps, for each block of 8x8 pixels, a depth that nothing in the block lies behind any
more. A primitive is compared block by block, with its nearest depth in the block; one that covers a block writes the
farthest there where that is nearer.
Modelled: 16 bits, rounded towards the eye for the test and away from it for what is kept, as exactness asks; nearest
and farthest depth are those of the primitive's fragments in the block (the hardware has the plane's at the corners,
ASSUMED to be as good); a block at the edge of the target is covered when its pixels there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numba import types

from gpumodel.techniques.lrz.rules import FINAL, SORTED, WRITES, Rules
from gpumodel.units.events import count_ones
from gpumodel.units.kernels import Array, Int, inner, kernel
from gpumodel.units.types import INT64S, UINT8S
from traceformat.gputrace.frametrace import FrameTrace, LoadOp, quantize_depth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpumodel.streams import PassStreams

__all__ = ["BLOCK", "REJECTED", "WRITTEN", "PassDepths", "build_depths"]

#: Pixels of a block's side; in quads, as a shift.
BLOCK: Final = 8
_SHIFT: Final = 2
_BITS: Final = 16
#: What comes of a primitive in a block, if anything does.
REJECTED: Final = 1
WRITTEN: Final = 2


@dataclass(frozen=True, slots=True)
class PassDepths:
    """What the depths of a pass say of its quads, in submission order.

    Parameters
    ----------
    across, count : blocks in a row, and all; ``block`` (quads,) int64 of each quad
    sorted_out, final_out : (quads,) bool, rejected while sorting, and before Early-Z
    primitive : (touches,) int64 emitted primitive of the part, ``touched_block`` the block, ``kind`` uint8 what came of
        it; in the order of the primitives
    """

    across: int
    count: int
    block: NDArray[np.int64]
    sorted_out: NDArray[np.bool_]
    final_out: NDArray[np.bool_]
    primitive: NDArray[np.int64]
    touched_block: NDArray[np.int64]
    kind: NDArray[np.uint8]


class _Quads(NamedTuple):
    """Quads of a pass: ``first`` (E + 1,) of each primitive; ``block``, ``coverage`` (Q,); ``depth`` (4 Q,), smaller is
    nearer; ``nearest`` (Q,) out: the primitive's nearest depth in the quad's block, of 16 bits.
    """

    first: Array
    block: Array
    coverage: Array
    depth: Array
    nearest: Array


class _Blocks(NamedTuple):
    """Blocks of a pass: ``area`` pixels of each; ``held`` depth of 16 bits, in and out; of the primitive at hand, at
    first 0, its pixels, and its nearest and farthest depth.
    """

    area: Array
    held: Array
    count: Array
    near: Array
    far: Array


class _Touches(NamedTuple):
    """Primitive and block of each touch, and what comes of it, out."""

    primitive: Array
    block: Array
    kind: Array


_QUADS: Final = types.NamedTuple([INT64S, INT64S, UINT8S, INT64S, INT64S], _Quads)
_BLOCKS: Final = types.NamedUniTuple(INT64S, 5, _Blocks)
_TOUCHES: Final = types.NamedTuple([INT64S, INT64S, UINT8S], _Touches)


@inner(types.int64(_QUADS, _BLOCKS, _TOUCHES, types.int64, types.int64))
def _gather(quads: _Quads, blocks: _Blocks, touches: _Touches, e: Int, total: Int) -> Int:
    """Find the blocks of a primitive, and its depths there; gives the number of touches."""
    for q in range(quads.first[e], quads.first[e + 1]):
        if quads.coverage[q] == 0:
            continue
        b = quads.block[q]
        if blocks.count[b] == 0:
            blocks.near[b] = 1 << 40
            blocks.far[b] = 0
            touches.primitive[total] = e
            touches.block[total] = b
            total += 1
        blocks.count[b] += count_ones(np.int64(quads.coverage[q]))
        for lane in range(4):
            if quads.coverage[q] >> lane & 1:
                blocks.near[b] = min(blocks.near[b], quads.depth[4 * q + lane])
                blocks.far[b] = max(blocks.far[b], quads.depth[4 * q + lane])
    return total


@kernel(types.int64(UINT8S, types.int64, _QUADS, _BLOCKS, _TOUCHES))
def _build(rule: Array, shift: Int, quads: _Quads, blocks: _Blocks, touches: _Touches) -> Int:
    """Go through the primitives in their order, with the rule of each one's draw; gives the number of touches.

    Parameters
    ----------
    shift : bits of a depth beyond the 16 that are kept
    """
    total: Int = 0
    for e in range(rule.size):
        if rule[e] == 0:
            continue
        first = total
        total = _gather(quads, blocks, touches, e, first)
        for q in range(quads.first[e], quads.first[e + 1]):
            quads.nearest[q] = blocks.near[quads.block[q]] >> shift
        for k in range(first, total):
            b = touches.block[k]
            farthest = (blocks.far[b] + (1 << shift) - 1) >> shift
            touches.kind[k] = 0
            if rule[e] & SORTED and blocks.near[b] >> shift > blocks.held[b]:
                touches.kind[k] = REJECTED
            elif rule[e] & WRITES and blocks.count[b] == blocks.area[b] and farthest < blocks.held[b]:
                touches.kind[k] = WRITTEN
                blocks.held[b] = farthest
            blocks.count[b] = 0
    return total


def build_depths(trace: FrameTrace, streams: PassStreams, rules: Rules) -> PassDepths:
    """Make the depths of a pass, and find what they reject."""
    passes, index = trace["passes"], streams.index
    one = int(quantize_depth(1.0, int(passes["depth_format"][index])))
    shift = max(one.bit_length() - _BITS, 0)
    q0, q1 = streams.quad_rows
    quads = trace["quads"]
    across, down = -(-streams.width // BLOCK), -(-streams.height // BLOCK)
    block = (quads["y"][q0:q1].astype(np.int64) >> _SHIFT) * across + (quads["x"][q0:q1].astype(np.int64) >> _SHIFT)
    e0, e1 = streams.part.emitted
    owner = quads["emitted"][q0:q1].astype(np.int64) - e0
    quad_range = np.searchsorted(owner, np.arange(e1 - e0 + 1)).astype(np.int64)
    rule = rules.of_draw[trace["emitted"]["draw"][e0:e1]]
    depth = quads["depth"][q0:q1].astype(np.int64).reshape(-1)
    clear = int(passes["clear_depth"][index])
    if not rules.nearer_is_less:
        depth, clear = one - depth, one - clear
    clears = int(passes["depth_load"][index]) == LoadOp.CLEAR and streams.part.number == 0
    held = np.full(across * down, (clear + (1 << shift) - 1 if clears else one << 1) >> shift, np.int64)
    sides = (
        np.minimum(BLOCK, size - BLOCK * np.arange(n)) for size, n in ((streams.height, down), (streams.width, across))
    )
    area = np.multiply.outer(*sides).astype(np.int64).reshape(-1)
    nearest, primitive, touched_block = (np.zeros(q1 - q0, np.int64) for _ in range(3))
    kind = np.zeros(q1 - q0, np.uint8)
    coverage = np.ascontiguousarray(quads["coverage"][q0:q1])
    total = _build(
        np.ascontiguousarray(rule), shift, _Quads(quad_range, block, coverage, depth, nearest),
        _Blocks(area, held, *(np.zeros(len(area), np.int64) for _ in range(3))),
        _Touches(primitive, touched_block, kind),
    )  # fmt: skip
    primitive, touched_block, kind = primitive[:total], touched_block[:total], kind[:total]
    behind = (primitive * len(area) + touched_block)[kind == REJECTED]
    final = (rule[owner] & FINAL) != 0
    return PassDepths(
        across, len(area), block, np.isin(owner * len(area) + block, behind), final & (nearest > held[block]),
        primitive, touched_block, kind,
    )  # fmt: skip
