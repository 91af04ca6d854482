"""Code that makes the lines of up to eight taps distinct without a loop, for both quads of a group at once.

Most quads touch no more than two lines of a level: then these are its least and its greatest one, and the line of the
first tap and fragment is the first of them. :func:`are_pairs` tells, and :func:`store_pairs` writes them. A quad's four
fragments rarely touch more than four lines of a level: these two, the second least and the second greatest are then all
that there are. For each of them the first tap and fragment that touch it, and the fragments that do, are found in all
lanes; four keys a quad are sorted in one vector. Where a quad has more lines, or those of two levels might be the same,
:func:`list_blocks` says so, and a loop has to do it (:mod:`~replay.glsl.llvm.listing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final, TypeAlias

from replay.glsl.llvm.vectors import IVEC, LANES, IntVec, LlvmOps, MaskVec, Scalar, lanes_literal
from replay.glsl.texturing import NO_LINE

__all__ = [
    "BLOCK_TAPS",
    "Block",
    "Ends",
    "Places",
    "Pointers",
    "advanced",
    "are_pairs",
    "are_single",
    "find_ends",
    "list_blocks",
    "store_blocks",
    "store_pairs",
    "store_single",
]

#: Where lines, and their lanes, go.
Pointers: TypeAlias = tuple[Scalar, Scalar]

#: Taps of one level.
BLOCK_TAPS: Final = 4
_FRAGMENTS: Final = (0, 1, 2, 3, 0, 1, 2, 3)
#: Of a key: number of the candidate, then the fragments that touch it, then the first tap and fragment that do.
_LANES_SHIFT: Final = 4
_FIRST_SHIFT: Final = 8


def advanced(ops: LlvmOps, pointers: Pointers, rows: int | Scalar) -> Pointers:
    """Pointers so many rows (a number, or an i64 operand) further on."""
    line, lanes = pointers
    return ops.function.assign(f"getelementptr i32, ptr {line}, i64 {rows}"), ops.offset(lanes, rows)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the lines of a look-up go.

    Parameters
    ----------
    first : those of the first quad
    second : those of the second one; None: behind the first's
    """

    first: Pointers
    second: Pointers | None = None

    def of(self, ops: LlvmOps, quad: int, before: Scalar = "0") -> Pointers:
        """Those of a quad, where the first one has ``before`` lines (i64)."""
        return self.first if quad == 0 else self.second or advanced(ops, self.first, before)


@dataclass(frozen=True, slots=True)
class Ends:
    """The least and the greatest line of each quad of up to four taps.

    Parameters
    ----------
    lines : of the taps, NO_LINE in lanes without one and in dead ones
    least, most : line of each quad (NO_LINE without any)
    first, other : the same two, that of the first tap and fragment first; what they are if this has none is no matter
    """

    lines: Sequence[IntVec]
    least: IntVec
    most: IntVec
    first: IntVec
    other: IntVec


@dataclass(frozen=True, slots=True)
class Block:
    """The distinct lines of some taps.

    Parameters
    ----------
    keys : of up to four lines a quad in order of first appearance, NO_LINE behind the last one
    lines : the four candidates, each in all lanes of its quad
    are_all : there are no lines but these (None: for certain)
    """

    keys: IntVec
    lines: Sequence[IntVec]
    are_all: MaskVec | None = None


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


def _of_taps(lanes: _Lanes, ends: Ends) -> Block:
    """The least, the greatest, the second least and the second greatest line are candidates."""
    ops, none, lines, least, most = lanes.ops, lanes.none, ends.lines, ends.least, ends.most
    equal = [[ops.ieq(line, end) for line in lines] for end in (least, most)]
    second = lanes.spread([lanes.excluded(*pair) for pair in zip(lines, equal[0], strict=True)], "umin")
    third = lanes.spread([lanes.excluded(*pair) for pair in zip(lines, equal[1], strict=True)], "imax")
    equal += [[ops.ieq(line, other) for line in lines] for other in (second, third)]
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
    return Block(lanes.sorted(keys), (least, most, second, third), are_all)


def are_single(ops: LlvmOps, lines: Sequence[IntVec]) -> Scalar:
    """I1: whether all taps of each quad touch one line."""
    first = ops.quad_lane(lines[0], 0)
    differences = reduce(ops.ior, [ops.ixor(line, first) for line in lines])
    return ops.all(ops.mask_and(ops.ieq(differences, ops.iconst(0)), ops.ine(first, ops.iconst(NO_LINE))))


def store_single(ops: LlvmOps, line: IntVec, places: Places) -> tuple[Scalar, Scalar]:
    """As :func:`store_blocks`, where :func:`are_single` holds."""
    for quad in range(2):
        place, lanes = places.of(ops, quad, "1")
        ops.function.line(f"store i32 {ops.extract(line, 4 * quad)}, ptr {place}, align 4")
        ops.function.line(f"store i8 15, ptr {lanes}, align 1")
    return "1", "1"


def find_ends(ops: LlvmOps, lines: Sequence[IntVec]) -> list[Ends]:
    """The least and greatest lines of up to four taps, or of eight: then of each four."""
    lanes = _Lanes(ops)
    found = []
    for at in range(0, len(lines), BLOCK_TAPS):
        part = lines[at : at + BLOCK_TAPS]
        # NO_LINE is the greatest unsigned number and the least signed one.
        least, most = lanes.spread(part, "umin"), lanes.spread(part, "imax")
        first = ops.quad_lane(part[0], 0)
        found.append(Ends(part, least, most, first, ops.ixor(first, ops.ixor(least, most))))
    return found


def _follow_each_other(ops: LlvmOps, ends: Sequence[Ends]) -> MaskVec:
    """Levels lie one behind the other; without a line on one side (0, the greatest number) it holds as well."""
    found = ops.mask_const(True)
    for before, behind in pairwise(ends):
        found = ops.mask_and(found, ops.ule(ops.iadd(before.most, ops.iconst(1)), behind.least))
    return found


def _differences(ops: LlvmOps, block: Ends, end: IntVec) -> list[IntVec]:
    """0 in lanes of taps that touch a line."""
    return [ops.ixor(line, end) for line in block.lines]


def are_pairs(ops: LlvmOps, ends: Sequence[Ends]) -> Scalar:
    """I1: whether there are no lines but the least and the greatest, one of them that of the first tap and fragment."""
    found, none = _follow_each_other(ops, ends), ops.iconst(NO_LINE)
    for block in ends:
        # Vectors of numbers: those of bits are slow to combine, and to compare into, with AVX-512.
        pairs = zip(_differences(ops, block, block.first), _differences(ops, block, block.other), strict=True)
        neither = reduce(ops.ior, [ops.umin(*pair) for pair in pairs])
        without = ops.ieq(reduce(ops.iand, block.lines), none)
        found = ops.mask_and(found, ops.mask_or(ops.ieq(neither, ops.iconst(0)), without))
        found = ops.mask_and(found, ops.mask_or(ops.ine(block.first, none), ops.ieq(block.least, none)))
    return ops.all(found)


def store_pairs(ops: LlvmOps, ends: Sequence[Ends], places: Places) -> tuple[Scalar, Scalar]:
    """As :func:`store_blocks`, where :func:`are_pairs` holds; two rows a block are written, whatever their number."""
    assign, text = ops.function.assign, ops.function.line
    parts = []
    for block in ends:
        touching = []
        for end in (block.first, block.other):
            nearest = reduce(ops.umin, _differences(ops, block, end))
            touching.append(assign(f"zext i8 {ops.mask_bits(ops.ieq(nearest, ops.iconst(0)))} to i16"))
        octets = assign(f"or i16 {touching[0]}, {assign(f'shl i16 {touching[1]}, 8')}")
        there = ops.mask_bits(ops.ine(block.first, ops.iconst(NO_LINE)))
        parts.append((block, octets, (there, ops.mask_bits(ops.ine(block.first, block.other)))))
    counts: list[Scalar] = []
    for quad in range(2):
        place, count = places.of(ops, quad, *counts), "0"
        two = f"<2 x i32> {lanes_literal([4 * quad, LANES + 4 * quad])}"
        for block, octets, bits in parts:
            line, lanes = advanced(ops, place, count)
            both = assign(f"shufflevector {IVEC} {block.first}, {IVEC} {block.other}, {two}")
            text(f"store <2 x i32> {both}, ptr {line}, align 4")
            own = assign(f"lshr i16 {octets}, 4") if quad else octets
            text(f"store i16 {assign(f'and i16 {own}, 3855')}, ptr {lanes}, align 1")
            for mask in bits:
                lowest = assign(f"and i8 {assign(f'lshr i8 {mask}, 4') if quad else mask}, 1")
                count = assign(f"add i64 {count}, {assign(f'zext i8 {lowest} to i64')}")
        counts.append(count)
    return counts[0], counts[1]


def list_blocks(ops: LlvmOps, ends: Sequence[Ends]) -> tuple[list[Block], Scalar]:
    """Find the distinct lines of taps; and whether they are all that there are (i1)."""
    lanes = _Lanes(ops)
    if len(ends) == len(ends[0].lines) == 1:
        return [_of_one_tap(lanes, ends[0].lines[0])], "true"
    blocks = [_of_taps(lanes, one) for one in ends]
    are_all = _follow_each_other(ops, ends)
    for block in blocks:
        assert block.are_all is not None
        are_all = ops.mask_and(are_all, block.are_all)
    return blocks, ops.all(are_all)


def store_blocks(ops: LlvmOps, blocks: Sequence[Block], places: Places) -> tuple[Scalar, Scalar]:
    """Store lines and lanes of blocks one behind the other; gives how many each quad has (i64).

    Four rows a block are written, whatever their number.
    """
    assign, text = ops.function.assign, ops.function.line
    ops.module.declare("declare i8 @llvm.ctpop.i8(i8)")
    parts = []
    for block in blocks:
        keys = block.keys
        odd, upper = (ops.ine(ops.iand(keys, ops.iconst(bit)), ops.iconst(0)) for bit in (1, 2))
        low, high = (ops.select(odd, block.lines[at + 1], block.lines[at]) for at in (0, 2))
        touching = ops.iand(ops.lshr(keys, ops.iconst(_LANES_SHIFT)), ops.iconst(15))
        octets = assign(f"trunc {IVEC} {touching} to <{LANES} x i8>")
        parts.append((ops.select(upper, high, low), octets, ops.mask_bits(ops.ine(keys, ops.iconst(NO_LINE)))))
    counts: list[Scalar] = []
    for quad in range(2):
        place, count = places.of(ops, quad, *counts), "0"
        four = lanes_literal(range(4 * quad, 4 * quad + 4))
        for line, octets, there in parts:
            at, lanes_at = advanced(ops, place, count)
            half = assign(f"shufflevector {IVEC} {line}, {IVEC} poison, <4 x i32> {four}")
            text(f"store <4 x i32> {half}, ptr {at}, align 4")
            some = assign(f"shufflevector <{LANES} x i8> {octets}, <{LANES} x i8> poison, <4 x i32> {four}")
            text(f"store <4 x i8> {some}, ptr {lanes_at}, align 1")
            own = assign(f"lshr i8 {there}, 4") if quad else assign(f"and i8 {there}, 15")
            more = assign(f"zext i8 {assign(f'call i8 @llvm.ctpop.i8(i8 {own})')} to i64")
            count = assign(f"add i64 {count}, {more}")
        counts.append(count)
    return counts[0], counts[1]
