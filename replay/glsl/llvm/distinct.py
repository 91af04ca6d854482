"""Code that makes the lines of up to eight taps distinct without a loop, for both quads of a group at once.

Many quads touch one line: :func:`are_single` tells, and :func:`store_single` writes it. A quad's four fragments rarely
touch more than four lines of a level. Those of one tap are found in all lanes, and sorted by the fragment that is the
first to touch them (:func:`store_one_tap`). Those of several taps are found in steps (:class:`Steps`): the line
of the first tap and fragment that no line so far stands for is the next one. A step is no more than a comparison of all
taps with a line in memory, and what it finds is all that the next one needs. Two levels are looked through side by
side. Where there are more lines than steps, or those of two levels might be the same, a loop has to do it
(:mod:`~replay.glsl.llvm.listing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from replay.glsl.llvm.vectors import IVEC, LANES, IntVec, LlvmOps, MaskVec, Scalar, lanes_literal
from replay.glsl.llvm.writer import int_literal
from replay.glsl.texturing import NO_LINE

__all__ = [
    "LEVEL_TAPS",
    "Places",
    "Pointers",
    "Steps",
    "advanced",
    "are_single",
    "joined",
    "store_one_tap",
    "store_single",
]

#: Where lines, and their lanes, go.
Pointers: TypeAlias = tuple[Scalar, Scalar]

#: Taps of one level.
LEVEL_TAPS: Final = 4
#: The lines of a quad's taps of one level.
_TAPS: Final = "<16 x i32>"
_FRAGMENTS: Final = (0, 1, 2, 3, 0, 1, 2, 3)
#: Of a key: number of the candidate, then the fragments that touch it, then the first fragment that does.
_LANES_SHIFT: Final = 4
_FIRST_SHIFT: Final = 8
#: Row of a quad's lines that no step finds, the place of the first of no bits of 32, and what lies there: lines are
#: numbered from the first one of all textures, of which there are no more than 2**30.
_NOWHERE: Final = 32
_NO_LINE_AT_ALL: Final = NO_LINE - 1


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
        total = reduce(combine, values)
        for order in ((1, 0, 3, 2), (2, 3, 0, 1)):
            total = combine(total, self.turned(total, order))
        return IntVec(total)

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


def store_one_tap(ops: LlvmOps, line: IntVec, places: Places) -> tuple[Scalar, Scalar]:
    """Store the lines of one tap: each fragment is a candidate, unless one before it has the same line.

    Four rows a quad are written, whatever their number.

    Returns
    -------
    tuple of Scalar
        how many each quad has (i64)
    """
    lanes, assign, text = _Lanes(ops), ops.function.assign, ops.function.line
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
    keys = lanes.sorted(lanes.excluded(keys, ops.ieq(line, lanes.none)))
    odd, upper = (ops.ine(ops.iand(keys, ops.iconst(bit)), ops.iconst(0)) for bit in (1, 2))
    low, high = (ops.select(odd, ops.quad_lane(line, at + 1), ops.quad_lane(line, at)) for at in (0, 2))
    chosen = ops.select(upper, high, low)
    octets = ops.iand(ops.lshr(keys, ops.iconst(_LANES_SHIFT)), ops.iconst(15))
    masks = assign(f"trunc {IVEC} {octets} to <{LANES} x i8>")
    there = ops.mask_bits(ops.ine(keys, ops.iconst(NO_LINE)))
    ops.module.declare("declare i8 @llvm.ctpop.i8(i8)")
    counts: list[Scalar] = []
    for quad in range(2):
        at, lanes_at = places.of(ops, quad, *counts)
        four = lanes_literal(range(4 * quad, 4 * quad + 4))
        half = assign(f"shufflevector {IVEC} {chosen}, {IVEC} poison, <4 x i32> {four}")
        text(f"store <4 x i32> {half}, ptr {at}, align 4")
        some = assign(f"shufflevector <{LANES} x i8> {masks}, <{LANES} x i8> poison, <4 x i32> {four}")
        text(f"store <4 x i8> {some}, ptr {lanes_at}, align 1")
        own = assign(f"lshr i8 {there}, 4") if quad else assign(f"and i8 {there}, 15")
        counts.append(assign(f"zext i8 {assign(f'call i8 @llvm.ctpop.i8(i8 {own})')} to i64"))
    return counts[0], counts[1]


def box_of(ops, box):
    lanes = _Lanes(ops)
    columns, rows, _ = box
    corner = [lanes.spread([axis[0]], "umin") for axis in (columns, rows)]
    away = [ops.isub(number, first) for axis, first in zip((columns, rows), corner) for number in axis]
    return corner, away


def box_fits(ops, away):
    return ops.all(ops.ult(reduce(ops.ior, away), ops.iconst(2)))


def store_box(ops, box, corner, away, dead, places):
    lanes, assign, text = _Lanes(ops), ops.function.assign, ops.function.line
    bits = [0x01010101 << (7 - fragment) for fragment in _FRAGMENTS]
    word = reduce(ops.ior, [ops.shl(d, ops.iconst(8 * n)) if n else d for n, d in enumerate(away)])
    word = ops.shl(word, ops.lane_iconsts([7 - fragment for fragment in _FRAGMENTS]))
    word = lanes.spread([word], "ior")
    gone = lanes.spread([ops.iand(dead, ops.lane_iconsts(bits))], "ior")
    other = ops.ixor(word, ops.lane_iconsts([(0xF0F0 if at & 1 else 0) | (0xF0F00000 if at & 2 else 0) for at in _FRAGMENTS]))
    octets = f"<{4 * LANES} x i8>"
    parts = []
    as_octets = assign(f"bitcast {IVEC} {other} to {octets}")
    for order in ((0, 1, 0, 1), (2, 2, 3, 3)):
        every = ", ".join(f"i32 {4 * lane + at}" for lane in range(LANES) for at in order)
        moved = assign(f"shufflevector {octets} {as_octets}, {octets} poison, <{4 * LANES} x i32> <{every}>")
        parts.append(IntVec(assign(f"bitcast {octets} {moved} to {IVEC}")))
    keys = reduce(ops.ior, [*parts, gone, ops.lane_iconsts(list(_FRAGMENTS))])
    keys = lanes.sorted(keys)
    one = ops.iconst(1)
    line = box[2](ops.iadd(corner[0], ops.iand(keys, one)), ops.iadd(corner[1], ops.iand(ops.lshr(keys, one), one)))
    touching = ops.iand(ops.inot(keys), ops.iconst(0xF0F0F0F0))
    there = ops.mask_bits(ops.ine(touching, ops.iconst(0)))
    for distance in (16, 8):
        touching = ops.ior(touching, ops.lshr(touching, ops.iconst(distance)))
    ops.module.declare(f"declare <{LANES} x i8> @llvm.bitreverse.v{LANES}i8(<{LANES} x i8>)")
    ops.module.declare("declare i8 @llvm.ctpop.i8(i8)")
    masks = assign(f"trunc {IVEC} {touching} to <{LANES} x i8>")
    masks = assign(f"call <{LANES} x i8> @llvm.bitreverse.v{LANES}i8(<{LANES} x i8> {masks})")
    counts = []
    for quad in range(2):
        at, lanes_at = places.of(ops, quad, *counts)
        four = lanes_literal(range(4 * quad, 4 * quad + 4))
        half = assign(f"shufflevector {IVEC} {line}, {IVEC} poison, <4 x i32> {four}")
        text(f"store <4 x i32> {half}, ptr {at}, align 4")
        some = assign(f"shufflevector <{LANES} x i8> {masks}, <{LANES} x i8> poison, <4 x i32> {four}")
        text(f"store <4 x i8> {some}, ptr {lanes_at}, align 1")
        own = assign(f"lshr i8 {there}, 4") if quad else assign(f"and i8 {there}, 15")
        counts.append(assign(f"zext i8 {assign(f'call i8 @llvm.ctpop.i8(i8 {own})')} to i64"))
    return counts[0], counts[1]


def are_single(ops: LlvmOps, lines: Sequence[IntVec]) -> Scalar:
    """I1: whether all taps of each quad touch one line."""
    first = ops.quad_lane(lines[0], 0)
    differences = reduce(ops.ior, [ops.ixor(line, first) for line in lines])
    return ops.all(ops.mask_and(ops.ieq(differences, ops.iconst(0)), ops.ine(first, ops.iconst(NO_LINE))))


def store_single(ops: LlvmOps, line: IntVec, places: Places) -> tuple[Scalar, Scalar]:
    """As :func:`store_one_tap`, where :func:`are_single` holds."""
    for quad in range(2):
        place, lanes = places.of(ops, quad, "1")
        ops.function.line(f"store i32 {ops.extract(line, 4 * quad)}, ptr {place}, align 4")
        ops.function.line(f"store i8 15, ptr {lanes}, align 1")
    return "1", "1"


def joined(ops: LlvmOps, parts: Sequence[Scalar], size: int) -> Scalar:
    """A power of two of vectors of ``size`` words, one behind the other."""
    assign = ops.function.assign
    while len(parts) > 1:
        kind, lanes = f"<{size} x i32>", f"<{2 * size} x i32> {lanes_literal(range(2 * size))}"
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [assign(f"shufflevector {kind} {a}, {kind} {b}, {lanes}") for a, b in pairs]
        size *= 2
    return parts[0]


class _Block:
    """What is left of the lines of a quad's taps of one level, and what was found of them.

    Parameters
    ----------
    lines : of up to four taps, those of both quads; NO_LINE in lanes without one and in dead ones
    quad : whose
    """

    def __init__(self, ops: LlvmOps, lines: Sequence[IntVec], quad: int) -> None:
        assign = ops.function.assign
        self._ops = ops
        own = lanes_literal(range(4 * quad, 4 * quad + 4))
        every = [*lines, *[ops.iconst(NO_LINE)] * (LEVEL_TAPS - len(lines))]
        parts = [assign(f"shufflevector {IVEC} {line}, {IVEC} poison, <4 x i32> {own}") for line in every]
        self._lines = joined(ops, parts, 4)
        self._rows = ops.function.allocate("i32", _NOWHERE + 1, align=64)
        ops.function.line(f"store {_TAPS} {self._lines}, ptr {self._rows}, align 64")
        ops.function.line(f"store i32 {int_literal(_NO_LINE_AT_ALL)}, ptr {ops.offset(self._rows, 4 * _NOWHERE)}")
        self.left = self._compared("ne", f"splat (i32 {int_literal(NO_LINE)})")
        self._found: list[tuple[Scalar, Scalar]] = []

    def _compared(self, how: str, line: Scalar) -> Scalar:
        """I32: bit 4t + f for tap t and fragment f whose line compares so."""
        assign = self._ops.function.assign
        bits = assign(f"icmp {how} {_TAPS} {self._lines}, {line}")
        return assign(f"zext i16 {assign(f'bitcast <16 x i1> {bits} to i16')} to i32")

    def step(self) -> None:
        """Find the next line."""
        ops, assign = self._ops, self._ops.function.assign
        at = assign(f"zext i32 {assign(f'call i32 @llvm.cttz.i32(i32 {self.left}, i1 false)')} to i64")
        line = ops.load("i32", assign(f"getelementptr i32, ptr {self._rows}, i64 {at}"))
        one = assign(f"insertelement {_TAPS} poison, i32 {line}, i32 0")
        touching = self._compared("eq", assign(f"shufflevector {_TAPS} {one}, {_TAPS} poison, {_TAPS} zeroinitializer"))
        self.left = assign(f"xor i32 {self.left}, {touching}")
        self._found.append((line, touching))

    def store(self, place: Pointers) -> Scalar:
        """Store the lines found, four at most, and their lanes; gives how many (i64)."""
        ops, assign, text = self._ops, self._ops.function.assign, self._ops.function.line
        every = "0"
        for number, (line, touching) in enumerate(self._found):
            text(f"store i32 {line}, ptr {advanced(ops, place, number)[0]}, align 4")
            wide = assign(f"zext i32 {touching} to i64")
            every = assign(f"or i64 {every}, {assign(f'shl i64 {wide}, {16 * number}')}")
        # Sixteen bits for each line, one for each tap and fragment: fragments alone are left.
        folded = every
        for distance in (8, 4):
            folded = assign(f"or i64 {folded}, {assign(f'lshr i64 {folded}, {distance}')}")
        masks = assign(f"and i64 {folded}, {0x000F000F000F000F}")
        octets = assign(f"trunc <4 x i16> {assign(f'bitcast i64 {masks} to <4 x i16>')} to <4 x i8>")
        text(f"store <4 x i8> {octets}, ptr {place[1]}, align 1")
        unused = assign(f"call i64 @llvm.ctlz.i64(i64 {every}, i1 false)")
        return assign(f"lshr i64 {assign(f'sub i64 79, {unused}')}, 4")


class Steps:
    """The distinct lines of two to four taps of a level, or of two levels, found one after the other for both quads.

    Parameters
    ----------
    lines : of each tap; NO_LINE in lanes without one and in dead ones
    """

    def __init__(self, ops: LlvmOps, lines: Sequence[IntVec]) -> None:
        ops.module.declare("declare i32 @llvm.cttz.i32(i32, i1)")
        ops.module.declare("declare i64 @llvm.ctlz.i64(i64, i1)")
        self._ops = ops
        levels = [lines[at : at + LEVEL_TAPS] for at in range(0, len(lines), LEVEL_TAPS)]
        self._quads = [[_Block(ops, level, quad) for level in levels] for quad in range(2)]
        #: Whether lines of the second level lie behind those of the first: only then none of them is the same.
        self._are_apart = "true"
        if len(levels) > 1:
            # NO_LINE is the greatest unsigned number and the least signed one, which holds where a side has no line.
            lanes = _Lanes(ops)
            most, least = lanes.spread(levels[0], "imax"), lanes.spread(levels[1], "umin")
            self._are_apart = ops.all(ops.ule(ops.iadd(most, ops.iconst(1)), least))

    def take(self, number: int) -> Scalar:
        """Find so many more of each level; gives whether there are no others (i1)."""
        assign = self._ops.function.assign
        for _ in range(number):
            for quad in self._quads:
                for block in quad:
                    block.step()
        left = reduce(lambda a, b: assign(f"or i32 {a}, {b}"), [block.left for quad in self._quads for block in quad])
        return assign(f"and i1 {self._are_apart}, {assign(f'icmp eq i32 {left}, 0')}")

    def store(self, places: Places) -> tuple[Scalar, Scalar]:
        """Store what was found; gives how many each quad has (i64). Rows behind them may be written."""
        counts: list[Scalar] = []
        for number, quad in enumerate(self._quads):
            place, count = places.of(self._ops, number, *counts), "0"
            for block in quad:
                more = block.store(advanced(self._ops, place, count))
                count = self._ops.function.assign(f"add i64 {count}, {more}")
            counts.append(count)
        return counts[0], counts[1]
