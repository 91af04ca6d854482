"""Code that makes the lines of a look-up's taps distinct without a loop, for all quads of a group at once.

The four taps of a linear filter are the corners of a box (:class:`~replay.glsl.texturing.LineBox`), and those of a
quad's fragments nearly always lie in two columns and two rows of lines: four lines at most, and two bits of each tap
say which (:class:`FoundBox`). Those of a nearest filter are the quad's fragments' own (:func:`store_one_tap`). In both
cases a quad has four candidates, one in each of its lanes, which are sorted by who is touched first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from replay.glsl.llvm.arithmetic import MASK_BITS
from replay.glsl.llvm.vectors import IVEC, LANES, QUADS, IntVec, LlvmOps, Scalar, lanes_literal
from replay.glsl.texturing import NO_LINE, LineBox

__all__ = ["Found", "FoundBox", "Places", "Pointers", "advanced", "one_tap", "store_found"]

#: Where lines, and their lanes, go.
Pointers: TypeAlias = tuple[Scalar, Scalar]

_FRAGMENTS: Final = (0, 1, 2, 3) * QUADS
#: Of a key of :func:`one_tap`: number of the candidate, then the fragments that touch it, then the first one.
_LANES_SHIFT: Final = 4
_FIRST_SHIFT: Final = 8
#: Octets of a key of :class:`FoundBox`: a tap each, the first one on top; fragments in the upper half, too.
_TAPS_MASK: Final = 0xF0F0F0F0
_COLUMN_TAPS: Final = 0x0000F0F0
_ROW_TAPS: Final = 0xF0F00000
_OCTETS: Final = f"<{4 * LANES} x i8>"
_LANE_OCTETS: Final = f"<{LANES} x i8>"


def advanced(ops: LlvmOps, pointers: Pointers, rows: int | Scalar) -> Pointers:
    """Pointers so many rows (a number, or an i64 operand) further on."""
    line, lanes = pointers
    return ops.function.assign(f"getelementptr i32, ptr {line}, i64 {rows}"), ops.offset(lanes, rows)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the lines of a look-up go.

    Parameters
    ----------
    starts : by quad; those of a quad without one lie behind those of the quad before
    """

    starts: dict[int, Pointers]

    def of(self, ops: LlvmOps, quad: int, before: Pointers | None, count: Scalar) -> Pointers:
        """Those of a quad, where those of the one before begin at ``before`` and are ``count`` (i64)."""
        start = self.starts.get(quad)
        if start is None:
            assert before is not None
            start = advanced(ops, before, count)
        return start


@dataclass(frozen=True, slots=True)
class Found:
    """Up to four distinct lines of each quad, in its lanes, in the order in which they are touched.

    Parameters
    ----------
    lines : line numbers
    lanes : (LANES octets) fragments that touch each
    there : (MASK_BITS) bit i: lane i has a line
    """

    lines: IntVec
    lanes: Scalar
    there: Scalar


def _spread(ops: LlvmOps, value: IntVec, name: str) -> IntVec:
    """The least (umin) of a quad's values, or all their bits (ior), in all of its lanes."""
    combine = getattr(ops, name)
    for order in ((1, 0, 3, 2), (2, 3, 0, 1)):
        value = combine(value, ops.turned(value, order))
    return value


def _sorted(ops: LlvmOps, keys: IntVec) -> IntVec:
    """The four keys of each quad, unsigned, the least first."""
    for partner, high in (((1, 0, 3, 2), (1, 3)), ((2, 3, 0, 1), (2, 3)), ((0, 2, 1, 3), (2,))):
        other = ops.turned(keys, partner)
        least, most = ops.umin(keys, other), ops.umax(keys, other)
        chosen = [lane + LANES * (lane % 4 in high) for lane in range(LANES)]
        keys = IntVec(
            ops.function.assign(f"shufflevector {IVEC} {least}, {IVEC} {most}, {IVEC} {lanes_literal(chosen)}")
        )
    return keys


def _octets(ops: LlvmOps, words: IntVec) -> Scalar:
    """The low octet of each lane."""
    return ops.function.assign(f"trunc {IVEC} {words} to {_LANE_OCTETS}")


def one_tap(ops: LlvmOps, line: IntVec) -> Found:
    """The lines of one tap (NO_LINE in lanes without): a fragment is a candidate unless one before it has its line."""
    touching = ops.lane_iconsts([1 << fragment for fragment in _FRAGMENTS])
    none, zero = ops.iconst(NO_LINE), ops.iconst(0)
    for turn in (1, 2, 3):
        order = [(lane + turn) % 4 for lane in range(4)]
        bits = ops.lane_iconsts([1 << lane for lane in order] * QUADS)
        touching = ops.ior(touching, ops.select(ops.ieq(line, ops.turned(line, order)), bits, zero))
    before = ops.iand(touching, ops.lane_iconsts([(1 << fragment) - 1 for fragment in _FRAGMENTS]))
    keys = ops.ior(
        ops.shl(touching, ops.iconst(_LANES_SHIFT)),
        ops.lane_iconsts([fragment << _FIRST_SHIFT | fragment for fragment in _FRAGMENTS]),
    )
    keys = ops.select(ops.mask_or(ops.ine(before, zero), ops.ieq(line, none)), none, keys)
    keys = _sorted(ops, keys)
    odd, upper = (ops.ine(ops.iand(keys, ops.iconst(bit)), zero) for bit in (1, 2))
    low, high = (ops.select(odd, ops.quad_lane(line, at + 1), ops.quad_lane(line, at)) for at in (0, 2))
    lanes = _octets(ops, ops.iand(ops.lshr(keys, ops.iconst(_LANES_SHIFT)), ops.iconst(15)))
    return Found(ops.select(upper, high, low), lanes, ops.mask_bits(ops.ine(keys, none)))


class FoundBox:
    """The lines of a box, if each quad has no more than two columns and two rows of them.

    Parameters
    ----------
    dead : all bits where a lane is not to be listed
    """

    def __init__(self, ops: LlvmOps, box: LineBox, dead: IntVec) -> None:
        self._ops, self._box = ops, box
        self._dead = dead
        if box.there is not None:
            self._dead = ops.select(box.there, dead, ops.iconst(-1))
        axes = (box.columns, box.rows)
        self._first = [_spread(ops, low, "umin") for low, _ in axes]
        #: Of each tap along each axis, how far it lies behind the first.
        self._away = [ops.isub(number, first) for axis, first in zip(axes, self._first, strict=True) for number in axis]

    def fits(self) -> IntVec:
        """Bits above the lowest one, in lanes that do not fit."""
        ops = self._ops
        beyond = reduce(ops.ior, self._away)
        for own in self._box.same:
            other = ops.ixor(own, ops.quad_lane(own, 0))
            beyond = ops.ior(beyond, ops.shl(other, ops.iconst(1)))
        return beyond

    def find(self) -> Found:
        """The lines, where they fit: candidate k has column k & 1 and row k >> 1 of two."""
        ops, assign = self._ops, self._ops.function.assign
        # An octet for each of the two taps of each axis, a bit of it for each fragment: which of both it touches.
        words = [ops.shl(number, ops.iconst(8 * at)) if at else number for at, number in enumerate(self._away)]
        fragments = ops.lane_iconsts([7 - fragment for fragment in _FRAGMENTS])
        touched = _spread(ops, IntVec(assign(f"shl {IVEC} {reduce(ops.ior, words)}, {fragments}")), "ior")
        absent = ops.iand(self._dead, ops.lane_iconsts([0x01010101 << 7 - fragment for fragment in _FRAGMENTS]))
        missed = _spread(ops, absent, "ior")
        wanted = [(_COLUMN_TAPS if lane & 1 else 0) | (_ROW_TAPS if lane & 2 else 0) for lane in _FRAGMENTS]
        differs = assign(f"bitcast {IVEC} {ops.ixor(touched, ops.lane_iconsts(wanted))} to {_OCTETS}")
        # Tap k of four, the first one in the top octet, has column k & 1 and row k >> 1: a fragment touches a candidate
        # if it has neither other.
        for order in ((1, 0, 1, 0), (3, 3, 2, 2)):
            lanes = lanes_literal([4 * lane + at for lane in range(LANES) for at in order])
            moved = assign(f"shufflevector {_OCTETS} {differs}, {_OCTETS} poison, <{4 * LANES} x i32> {lanes}")
            missed = ops.ior(missed, IntVec(assign(f"bitcast {_OCTETS} {moved} to {IVEC}")))
        # The least has the first bit that is clear; the candidate's number lies below all of them.
        keys = _sorted(ops, ops.ior(missed, ops.lane_iconsts(_FRAGMENTS)))
        one = ops.iconst(1)
        column = ops.iadd(self._first[0], ops.iand(keys, one))
        row = ops.iadd(self._first[1], ops.iand(ops.lshr(keys, one), one))
        touching = ops.ixor(ops.iand(keys, ops.iconst(_TAPS_MASK)), ops.iconst(_TAPS_MASK))
        there = ops.mask_bits(ops.ine(touching, ops.iconst(0)))
        for distance in (16, 8):
            touching = ops.ior(touching, ops.lshr(touching, ops.iconst(distance)))
        name = f"@llvm.bitreverse.v{LANES}i8"
        ops.module.declare(f"declare {_LANE_OCTETS} {name}({_LANE_OCTETS})")
        lanes = assign(f"call {_LANE_OCTETS} {name}({_LANE_OCTETS} {_octets(ops, touching)})")
        return Found(self._box.line(column, row), lanes, there)


def store_found(ops: LlvmOps, found: Sequence[Found], places: Places) -> list[Scalar]:
    """Store lines, one look-up's after the other for each quad; gives how many each has (i64).

    Four rows are written, whatever their number.
    """
    assign, text = ops.function.assign, ops.function.line
    ops.module.declare(f"declare {MASK_BITS} @llvm.ctpop.{MASK_BITS}({MASK_BITS})")
    counts: list[Scalar] = []
    place: Pointers | None = None
    for quad in range(QUADS):
        four = lanes_literal(range(4 * quad, 4 * quad + 4))
        place = places.of(ops, quad, place, counts[-1] if counts else "0")
        total: Scalar = "0"
        for own in found:
            line_at, lanes_at = advanced(ops, place, total) if total != "0" else place
            lines = assign(f"shufflevector {IVEC} {own.lines}, {IVEC} poison, <4 x i32> {four}")
            text(f"store <4 x i32> {lines}, ptr {line_at}, align 4")
            lanes = assign(f"shufflevector {_LANE_OCTETS} {own.lanes}, {_LANE_OCTETS} poison, <4 x i32> {four}")
            text(f"store <4 x i8> {lanes}, ptr {lanes_at}, align 1")
            bits = assign(f"and {MASK_BITS} {own.there}, {15 << 4 * quad}")
            number = assign(f"call {MASK_BITS} @llvm.ctpop.{MASK_BITS}({MASK_BITS} {bits})")
            wide = assign(f"zext {MASK_BITS} {number} to i64")
            total = assign(f"add i64 {total}, {wide}") if total != "0" else wide
        counts.append(total)
    return counts
