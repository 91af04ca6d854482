"""Code that makes the lines of up to eight taps distinct without a loop, for both quads of a group at once.

A quad's four fragments rarely touch more than four lines of a level: the least one, the greatest one, the second least
and the second greatest are then all that there are. For each of these the first tap and fragment that touch it, and the
fragments that do, are found in all lanes; four keys a quad are sorted in one vector. Where a quad has more lines, or
those of two levels might be the same, :func:`list_blocks` says so, and a loop has to do it
(:mod:`~replay.glsl.llvm.record`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from replay.glsl.llvm.vectors import IVEC, LANES, IntVec, LlvmOps, MaskVec, Scalar, lanes_literal
from replay.glsl.texturing import NO_LINE

__all__ = ["BLOCK_TAPS", "Block", "list_blocks", "store_blocks"]

#: Taps of one level.
BLOCK_TAPS: Final = 4
_FRAGMENTS: Final = (0, 1, 2, 3, 0, 1, 2, 3)
#: Of a key: number of the candidate, then the fragments that touch it, then the first tap and fragment that do.
_LANES_SHIFT: Final = 4
_FIRST_SHIFT: Final = 8


class Block:
    """The distinct lines of some taps.

    Attributes
    ----------
    keys : of up to four lines a quad in order of first appearance, NO_LINE behind the last one
    lines : the four candidates, each in all lanes of its quad
    are_all : there are no lines but these (None: for certain)
    least, most : line of each quad (NO_LINE without any), None where nobody asks
    """

    def __init__(
        self,
        keys: IntVec,
        lines: Sequence[IntVec],
        are_all: MaskVec | None = None,
        least: IntVec | None = None,
        most: IntVec | None = None,
    ) -> None:
        self.keys = keys
        self.lines = lines
        self.are_all = are_all
        self.least = least
        self.most = most


class _Lanes:
    """Operations over the four lanes of each quad."""

    def __init__(self, ops: LlvmOps) -> None:
        self.ops = ops
        self.none = ops.iconst(NO_LINE)

    def two(self, a: IntVec, b: IntVec, lanes: Sequence[int]) -> IntVec:
        """Four lanes of a quad chosen from four of ``a`` (0-3) and four of ``b`` (4-7)."""
        every = [lane % 4 + LANES * (lane // 4) + quad for quad in (0, 4) for lane in lanes]
        return IntVec(self.ops.function.assign(f"shufflevector {IVEC} {a}, {IVEC} {b}, {IVEC} {lanes_literal(every)}"))

    def turned(self, a: IntVec, lanes: Sequence[int]) -> IntVec:
        """The lanes of each quad in another order."""
        return self.ops.shuffle(a, [*lanes, *(lane + 4 for lane in lanes)])

    def spread(self, values: Sequence[IntVec], name: str) -> IntVec:
        """The least (umin) or greatest (imax) of all values of a quad, in all of its lanes."""
        combine = getattr(self.ops, name)
        total = values[0]
        for value in values[1:]:
            total = combine(total, value)
        total = combine(total, self.turned(total, (1, 0, 3, 2)))
        found: IntVec = combine(total, self.turned(total, (2, 3, 0, 1)))
        return found

    def gathered(self, values: Sequence[IntVec], name: str) -> IntVec:
        """Lane k of a quad: the lanes of its k-th value combined (umin, ior)."""
        combine = getattr(self.ops, name)
        first, second = (
            combine(self.two(a, b, (0, 4, 1, 5)), self.two(a, b, (2, 6, 3, 7))) for a, b in (values[:2], values[2:])
        )
        found: IntVec = combine(self.two(first, second, (0, 1, 4, 5)), self.two(first, second, (2, 3, 6, 7)))
        return found

    def ones(self, mask: MaskVec) -> IntVec:
        """All bits where the mask is set."""
        return self.ops.select(mask, self.none, self.ops.iconst(0))

    def excluded(self, value: IntVec, mask: MaskVec) -> IntVec:
        """NO_LINE where the mask is set."""
        return self.ops.ior(value, self.ones(mask))

    def sorted(self, keys: IntVec) -> IntVec:
        """The four keys of each quad, unsigned, the least first."""
        ops = self.ops
        for partner, high in (((1, 0, 3, 2), (1, 3)), ((2, 3, 0, 1), (2, 3)), ((0, 2, 1, 3), (2,))):
            other = self.turned(keys, partner)
            lanes = [lane if lane not in high else 4 + lane for lane in range(4)]
            keys = self.two(ops.umin(keys, other), ops.umax(keys, other), lanes)
        return keys


def _of_one_tap(lanes: _Lanes, line: IntVec) -> Block:
    """Each fragment is a candidate, unless one before it has the same line."""
    ops = lanes.ops
    touching = ops.lane_iconsts([1 << fragment for fragment in _FRAGMENTS])
    for turn in (1, 2, 3):
        order = [(lane + turn) % 4 for lane in range(4)]
        same = lanes.ones(ops.ieq(line, lanes.turned(line, order)))
        touching = ops.ior(touching, ops.iand(same, ops.lane_iconsts([1 << lane for lane in order] * 2)))
    before = ops.iand(touching, ops.lane_iconsts([(1 << fragment) - 1 for fragment in _FRAGMENTS]))
    keys = ops.ior(
        ops.shl(touching, ops.iconst(_LANES_SHIFT)),
        ops.lane_iconsts([fragment << _FIRST_SHIFT | fragment for fragment in _FRAGMENTS]),
    )
    keys = lanes.excluded(keys, ops.ine(before, ops.iconst(0)))
    keys = lanes.excluded(keys, ops.ieq(line, lanes.none))
    return Block(lanes.sorted(keys), [ops.quad_lane(line, fragment) for fragment in range(4)])


def _of_taps(lanes: _Lanes, lines: Sequence[IntVec]) -> Block:
    """The least, the greatest, the second least and the second greatest line are candidates."""
    ops, none = lanes.ops, lanes.none
    # NO_LINE is the greatest unsigned number and the least signed one.
    least, most = lanes.spread(lines, "umin"), lanes.spread(lines, "imax")
    are_least = [ops.ieq(line, least) for line in lines]
    are_most = [ops.ieq(line, most) for line in lines]
    second = lanes.spread([lanes.excluded(*pair) for pair in zip(lines, are_least, strict=True)], "umin")
    third = lanes.spread([lanes.excluded(*pair) for pair in zip(lines, are_most, strict=True)], "imax")
    equal = [are_least, are_most, *([ops.ieq(line, other) for line in lines] for other in (second, third))]
    are_all = ops.mask_const(True)
    for number, line in enumerate(lines):
        found = ops.ieq(line, none)
        for of_candidate in equal:
            found = ops.mask_or(found, of_candidate[number])
        are_all = ops.mask_and(are_all, found)
    missing = [ops.ieq(candidate, none) for candidate in (least, most, second, third)]
    for number, others in ((1, (least,)), (2, (most,)), (3, (least, second))):
        candidate = (least, most, second, third)[number]
        for other in others:
            missing[number] = ops.mask_or(missing[number], ops.ieq(candidate, other))
    firsts, touching = [], []
    for number, of_candidate in enumerate(equal):
        first = none
        for tap in reversed(range(len(lines))):
            place = [(4 * tap + fragment) << _FIRST_SHIFT | number for fragment in _FRAGMENTS]
            first = ops.select(of_candidate[tap], ops.lane_iconsts(place), first)
        own = ops.lane_iconsts([1 << fragment + _LANES_SHIFT for fragment in _FRAGMENTS])
        touching.append(ops.select(ops.ieq(first, none), ops.iconst(0), own))
        firsts.append(lanes.excluded(first, missing[number]))
    keys = ops.ior(lanes.gathered(firsts, "umin"), lanes.gathered(touching, "ior"))
    return Block(lanes.sorted(keys), (least, most, second, third), are_all, least, most)


def list_blocks(ops: LlvmOps, lines: Sequence[IntVec], live: Scalar) -> tuple[list[Block], Scalar]:
    """Find the distinct lines of up to four taps, or of eight; and whether they are all that there are (i1).

    Parameters
    ----------
    lines : line of each tap, NO_LINE in lanes without it
    live : i8, lanes that count
    """
    lanes = _Lanes(ops)
    bits = ops.iand(
        ops.splat_i(ops.function.assign(f"zext i8 {live} to i32")),
        ops.lane_iconsts([1 << lane for lane in range(LANES)]),
    )
    dead = lanes.ones(ops.ieq(bits, ops.iconst(0)))
    own = [ops.ior(line, dead) for line in lines]
    if len(own) == 1:
        return [_of_one_tap(lanes, own[0])], "true"
    blocks = [_of_taps(lanes, own[at : at + BLOCK_TAPS]) for at in range(0, len(own), BLOCK_TAPS)]
    are_all = ops.mask_const(True)
    for block in blocks:
        assert block.are_all is not None
        are_all = ops.mask_and(are_all, block.are_all)
    for before, behind in pairwise(blocks):
        # Levels lie one behind the other; without a line on one side (0, the greatest number) it holds as well.
        assert before.most is not None
        assert behind.least is not None
        are_all = ops.mask_and(are_all, ops.ule(ops.iadd(before.most, ops.iconst(1)), behind.least))
    return blocks, ops.all(are_all)


def store_blocks(
    ops: LlvmOps, blocks: Sequence[Block], places: Sequence[tuple[Scalar, Scalar]]
) -> tuple[Scalar, Scalar]:
    """Store lines and lanes of blocks one behind the other; gives how many each quad has (i64).

    Four rows a block are written, whatever their number.

    Parameters
    ----------
    places : for each quad where its lines and their lanes go
    """
    assign, text = ops.function.assign, ops.function.line
    ops.module.declare("declare i8 @llvm.ctpop.i8(i8)")
    counts: list[Scalar] = ["0", "0"]
    for block in blocks:
        keys = block.keys
        odd, upper = (ops.ine(ops.iand(keys, ops.iconst(bit)), ops.iconst(0)) for bit in (1, 2))
        low, high = (ops.select(odd, block.lines[at + 1], block.lines[at]) for at in (0, 2))
        line = ops.select(upper, high, low)
        touching = ops.iand(ops.lshr(keys, ops.iconst(_LANES_SHIFT)), ops.iconst(15))
        octets = assign(f"trunc {IVEC} {touching} to <{LANES} x i8>")
        there = ops.mask_bits(ops.ine(keys, ops.iconst(NO_LINE)))
        for quad, (lines_at, lanes_at) in enumerate(places):
            part = lanes_literal(range(4 * quad, 4 * quad + 4))
            half = assign(f"shufflevector {IVEC} {line}, {IVEC} poison, <4 x i32> {part}")
            place = assign(f"getelementptr i32, ptr {lines_at}, i64 {counts[quad]}")
            text(f"store <4 x i32> {half}, ptr {place}, align 4")
            some = assign(f"shufflevector <{LANES} x i8> {octets}, <{LANES} x i8> poison, <4 x i32> {part}")
            text(f"store <4 x i8> {some}, ptr {ops.offset(lanes_at, counts[quad])}, align 1")
            own = assign(f"lshr i8 {there}, 4") if quad else assign(f"and i8 {there}, 15")
            more = assign(f"zext i8 {assign(f'call i8 @llvm.ctpop.i8(i8 {own})')} to i64")
            counts[quad] = more if counts[quad] == "0" else assign(f"add i64 {counts[quad]}, {more}")
    return counts[0], counts[1]
