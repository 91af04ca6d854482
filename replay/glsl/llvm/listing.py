"""Code that lists the distinct lines of a look-up's taps for all quads of a group, in order of first appearance.

Where a look-up has one tap, or its taps are boxes that fit, no loop is needed (:mod:`~replay.glsl.llvm.distinct`).
Otherwise vectors hold the lines of four taps of a quad, so that one comparison finds every lane that touches a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from replay.glsl.llvm.abi import SPARE_LINES
from replay.glsl.llvm.distinct import FoundBox, Places, Pointers, advanced, one_tap, store_found
from replay.glsl.llvm.vectors import LANES, QUADS, IntVec, LlvmOps, Scalar
from replay.glsl.texturing import MAX_LINES, LineBox

__all__ = ["Touched", "list_lines", "move_rows"]

#: Taps whose lines are compared at once in a look-up with many.
_BLOCK_TAPS: Final = 4


@dataclass(frozen=True, slots=True)
class Touched:
    """What an execution of a texture instruction touches.

    Parameters
    ----------
    lines : line of each tap, NO_LINE in lanes without one
    texels : texels read by each lane
    boxes : the lines once more, if they are nothing but boxes
    """

    lines: Sequence[IntVec]
    texels: IntVec
    boxes: Sequence[LineBox]


def _numbers(count: int) -> str:
    """Mask of a shuffle that joins two vectors."""
    return f"<{count} x i32> <{', '.join(f'i32 {number}' for number in range(count))}>"


#: Distinct lines of one quad of a look-up with many taps to rows of line and lanes at ``out``; gives their number.
#: Blocks of four taps are compared at once with the first line that is still to be listed.
_RECORD_QUAD: Final = f"""
define internal fastcc i32 @record.quad(ptr %rows, i32 %taps, ptr %out) nounwind {{
entry:
  br label %block
block:
  %first = phi i32 [ 0, %entry ], [ %next, %blockend ]
  %before = phi i32 [ 0, %entry ], [ %after, %blockend ]
  %more = icmp ult i32 %first, %taps
  br i1 %more, label %load, label %leave
load:
  %row = zext i32 %first to i64
  %byte = mul i64 %row, {4 * LANES}
  %p0 = getelementptr i8, ptr %rows, i64 %byte
  %p1 = getelementptr i8, ptr %p0, i64 {4 * LANES}
  %p2 = getelementptr i8, ptr %p1, i64 {4 * LANES}
  %p3 = getelementptr i8, ptr %p2, i64 {4 * LANES}
  %r0 = load <4 x i32>, ptr %p0, align 4
  %r1 = load <4 x i32>, ptr %p1, align 4
  %r2 = load <4 x i32>, ptr %p2, align 4
  %r3 = load <4 x i32>, ptr %p3, align 4
  %low = shufflevector <4 x i32> %r0, <4 x i32> %r1, {_numbers(8)}
  %high = shufflevector <4 x i32> %r2, <4 x i32> %r3, {_numbers(8)}
  %lines = shufflevector <8 x i32> %low, <8 x i32> %high, {_numbers(16)}
  %left = sub i32 %taps, %first
  %whole = icmp uge i32 %left, 4
  %some = shl i32 %left, 2
  %wide = select i1 %whole, i32 16, i32 %some
  %past = shl i32 1, %wide
  %rowmask = sub i32 %past, 1
  %there = icmp ne <16 x i32> %lines, splat (i32 -1)
  %therebits = bitcast <16 x i1> %there to i16
  %therewide = zext i16 %therebits to i32
  %start = and i32 %therewide, %rowmask
  br label %head
head:
  %todo = phi i32 [ %start, %load ], [ %rest, %listed ], [ %rest, %again ]
  %count = phi i32 [ %before, %load ], [ %one, %listed ], [ %count, %again ]
  %done = icmp eq i32 %todo, 0
  br i1 %done, label %blockend, label %body
body:
  %at = call i32 @llvm.cttz.i32(i32 %todo, i1 true)
  %tap = lshr i32 %at, 2
  %lane = and i32 %at, 3
  %rowat = mul i32 %tap, {LANES}
  %word = add i32 %rowat, %lane
  %wordwide = zext i32 %word to i64
  %place = getelementptr i32, ptr %p0, i64 %wordwide
  %line = load i32, ptr %place, align 4
  %insert = insertelement <16 x i32> poison, i32 %line, i32 0
  %splat = shufflevector <16 x i32> %insert, <16 x i32> poison, <16 x i32> zeroinitializer
  %same = icmp eq <16 x i32> %lines, %splat
  %samebits = bitcast <16 x i1> %same to i16
  %samewide = zext i16 %samebits to i32
  %hit = and i32 %samewide, %todo
  %rest = xor i32 %todo, %hit
  %half = lshr i32 %hit, 8
  %fold = or i32 %hit, %half
  %quarter = lshr i32 %fold, 4
  %folded = or i32 %fold, %quarter
  %lanes = and i32 %folded, 15
  br label %search
search:
  %k = phi i32 [ 0, %body ], [ %kplus, %differs ]
  %unknown = icmp uge i32 %k, %before
  br i1 %unknown, label %listed, label %compare
compare:
  %kwide = zext i32 %k to i64
  %known = getelementptr [2 x i32], ptr %out, i64 %kwide
  %knownline = load i32, ptr %known, align 4
  %equal = icmp eq i32 %knownline, %line
  br i1 %equal, label %again, label %differs
differs:
  %kplus = add i32 %k, 1
  br label %search
again:
  %lanesat = getelementptr i8, ptr %known, i64 4
  %old = load i32, ptr %lanesat, align 4
  %joined = or i32 %old, %lanes
  store i32 %joined, ptr %lanesat, align 4
  br label %head
listed:
  %countwide = zext i32 %count to i64
  %new = getelementptr [2 x i32], ptr %out, i64 %countwide
  store i32 %line, ptr %new, align 4
  %newlanes = getelementptr i8, ptr %new, i64 4
  store i32 %lanes, ptr %newlanes, align 4
  %one = add i32 %count, 1
  br label %head
blockend:
  %after = phi i32 [ %count, %head ]
  %next = add i32 %first, {_BLOCK_TAPS}
  br label %block
leave:
  ret i32 %before
}}"""


def move_rows(ops: LlvmOps, source: Pointers, target: Pointers) -> None:
    """Copy SPARE_LINES rows."""
    for size, from_, to in zip((4, 1), source, target, strict=True):
        kind = f"<{SPARE_LINES} x i{8 * size}>"
        moved = ops.function.assign(f"load {kind}, ptr {from_}, align {size}")
        ops.function.line(f"store {kind} {moved}, ptr {to}, align {size}")


def _list_many(ops: LlvmOps, lines: Sequence[IntVec], places: Places) -> list[Scalar]:
    """List the lines of one quad after the other, for any number of taps."""
    assign, text = ops.function.assign, ops.function.line
    if not ops.module.has("@record.quad"):
        ops.module.declare("declare i32 @llvm.cttz.i32(i32, i1)")
        ops.module.define("@record.quad", _RECORD_QUAD)
    ops.module.declare("declare i32 @llvm.umin.i32(i32, i32)")
    rows = ops.allocate(IntVec, -(-len(lines) // _BLOCK_TAPS) * _BLOCK_TAPS)
    for number, row in enumerate(lines):
        ops.store(row, rows, 4 * LANES * number)
    own = ops.function.allocate("i64", 4 * len(lines))
    found: list[Scalar] = []
    place: Pointers | None = None
    for quad in range(QUADS):
        listed = assign(
            f"call fastcc i32 @record.quad(ptr {ops.offset(rows, 4 * 4 * quad)}, i32 {len(lines)}, ptr {own})"
        )
        count = assign(f"call i32 @llvm.umin.i32(i32 {listed}, i32 {MAX_LINES})")
        place = places.of(ops, quad, place, found[-1] if found else "0")
        with ops.repeat(count) as index:
            at = assign(f"zext i32 {index} to i64")
            source = assign(f"getelementptr i64, ptr {own}, i64 {at}")
            value, mask = ops.load("i32", source), ops.load("i8", source, 4)
            line, lanes = advanced(ops, place, at)
            text(f"store i32 {value}, ptr {line}, align 4")
            text(f"store i8 {mask}, ptr {lanes}, align 1")
        found.append(assign(f"zext i32 {count} to i64"))
    return found


def _list_boxes(ops: LlvmOps, touched: Touched, dead: IntVec, places: Places) -> list[Scalar]:
    """List the lines of boxes: without a loop where they fit."""
    function = ops.function
    # Nothing but the numbers goes past a branch: vectors of bits would be packed for it.
    counts = function.allocate("i64", QUADS)

    def keep(numbers: Sequence[Scalar]) -> None:
        for quad, number in enumerate(numbers):
            function.line(f"store i64 {number}, ptr {ops.offset(counts, 8 * quad)}, align 8")

    boxes = [FoundBox(ops, box, dead) for box in touched.boxes]
    fit, several, behind = (function.new_label(name) for name in ("fit", "several", "listed"))
    beyond = reduce(ops.ior, [box.fits() for box in boxes])
    function.branch(ops.all(ops.ult(beyond, ops.iconst(2))), fit, several)
    function.start(fit)
    keep(store_found(ops, [box.find() for box in boxes], places))
    function.jump(behind)
    function.start(several)
    keep(_list_many(ops, [ops.ior(line, dead) for line in touched.lines], places))
    function.jump(behind)
    function.start(behind)
    return [ops.load("i64", counts, 8 * quad, align=8) for quad in range(QUADS)]


def list_lines(ops: LlvmOps, touched: Touched, dead: IntVec, places: Places) -> list[Scalar]:
    """List the lines of all quads; gives how many each has (i64).

    Some rows more are written than there are: no more than four a tap for each quad, and SPARE_LINES.

    Parameters
    ----------
    dead : all bits where a lane is not to be listed
    places : where they go
    """
    if not touched.lines:
        return ["0"] * QUADS
    if touched.boxes:
        return _list_boxes(ops, touched, dead, places)
    lines = [ops.ior(line, dead) for line in touched.lines]
    if len(lines) == 1:
        return store_found(ops, [one_tap(ops, lines[0])], places)
    return _list_many(ops, lines, places)
