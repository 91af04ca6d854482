"""Code that lists the distinct lines of a look-up's taps for both quads of a group, in order of first appearance.

Vectors hold the lines of all taps of a look-up (or of four taps of a quad, where there are many), so that one
comparison finds every lane that touches a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from replay.glsl.llvm.abi import SPARE_LINES
from replay.glsl.llvm.distinct import (
    LEVEL_TAPS,
    Places,
    Pointers,
    Steps,
    advanced,
    are_single,
    box_fits,
    box_of,
    store_box,
    joined,
    store_one_tap,
    store_single,
)
from replay.glsl.llvm.vectors import LANES, IntVec, LlvmOps, Scalar
from replay.glsl.texturing import MAX_LINES, NO_LINE

__all__ = ["list_lines", "move_rows"]

#: Taps whose lines are compared at once in a look-up with many.
_BLOCK_TAPS: Final = 4
#: Taps up to which all lines of a look-up are compared at once.
_MOST_AT_ONCE: Final = 8
#: Lines of a level that are looked for before it is asked whether there are more.
_STEPS: Final = (2, 2)


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


def _signed(digits: str, size: int) -> int:
    """Hexadecimal digits as a signed number of ``size`` bits."""
    value = int(digits, 16)
    return value - (1 << size) if value >> (size - 1) else value


def _resized(ops: LlvmOps, value: Scalar, bits: int, wanted: int) -> Scalar:
    """An unsigned integer of other width."""
    if bits == wanted:
        return value
    return ops.function.assign(f"{'trunc' if bits > wanted else 'zext'} i{bits} {value} to i{wanted}")


def _list_few(ops: LlvmOps, lines: Sequence[IntVec], places: Places) -> tuple[Scalar, Scalar]:
    """List the lines of both quads at once; gives how many each has (i64).

    All taps' lines are compared with each quad's first one that is left. One row too many may be written.
    """
    function, assign, text = ops.function, ops.function.assign, ops.function.line
    num_rows = 1 << (len(lines) - 1).bit_length()
    size = LANES * num_rows
    vector, word = f"<{size} x i32>", f"i{size}"
    ops.module.declare(f"declare {word} @llvm.cttz.{word}({word}, i1)")
    rows = ops.allocate(IntVec, num_rows)
    for number, row in enumerate(lines):
        ops.store(row, rows, 4 * LANES * number)
    every = joined(ops, [*lines, *[ops.iconst(NO_LINE)] * (num_rows - len(lines))], LANES)
    low, high = (_signed(octet * num_rows, size) for octet in ("0F", "F0"))
    start = assign(f"bitcast <{size} x i1> {assign(f'icmp ne {vector} {every}, splat (i32 -1)')} to {word}")
    # How many the first quad has is known at the end: until then the other's wait behind all that there may be.
    waiting = places.of(ops, 1, str(4 * len(lines) + 1))
    begin, head, body, behind = function.label, *(function.new_label(name) for name in ("head", "body", "listed"))
    rest, next0, next1 = (f"%{function.new_label(name)}" for name in ("rest", "n", "n"))
    function.jump(head)
    function.start(head)
    todo = assign(f"phi {word} [ {start}, %{begin} ], [ {rest}, %{body} ]")
    n0 = assign(f"phi i64 [ 0, %{begin} ], [ {next0}, %{body} ]")
    n1 = assign(f"phi i64 [ 0, %{begin} ], [ {next1}, %{body} ]")
    function.branch(assign(f"icmp eq {word} {todo}, 0"), behind, body)
    function.start(body)
    top = _signed("80" + "00" * (num_rows - 1), size)
    firsts, some = [], []
    for mask in (low, high):
        own = assign(f"and {word} {todo}, {mask}")
        some.append(assign(f"zext i1 {assign(f'icmp ne {word} {own}, 0')} to i64"))
        safe = assign(f"or {word} {own}, {top}")
        at = _resized(ops, assign(f"call {word} @llvm.cttz.{word}({word} {safe}, i1 true)"), size, 64)
        firsts.append(assign(f"load i32, ptr {assign(f'getelementptr i32, ptr {rows}, i64 {at}')}, align 4"))
    each = _each_quads(ops, firsts, size)
    same = assign(f"bitcast <{size} x i1> {assign(f'icmp eq {vector} {every}, {each}')} to {word}")
    hit = assign(f"and {word} {same}, {todo}")
    text(f"{rest} = xor {word} {todo}, {hit}")
    step = size // 2
    while step >= LANES:
        hit = assign(f"or {word} {hit}, {assign(f'lshr {word} {hit}, {step}')}")
        step //= 2
    touching = _resized(ops, hit, size, 8)
    nibbles = assign(f"and i8 {touching}, 15"), assign(f"lshr i8 {touching}, 4")
    for own_places, count, value, nibble in zip((places.first, waiting), (n0, n1), firsts, nibbles, strict=True):
        line, lanes = advanced(ops, own_places, count)
        text(f"store i32 {value}, ptr {line}, align 4")
        text(f"store i8 {nibble}, ptr {lanes}, align 1")
    text(f"{next0} = add i64 {n0}, {some[0]}")
    text(f"{next1} = add i64 {n1}, {some[1]}")
    function.jump(head)
    function.start(behind)
    if places.second is None:
        for moved in range(0, 4 * len(lines), SPARE_LINES):
            move_rows(ops, advanced(ops, waiting, moved), advanced(ops, places.of(ops, 1, n0), moved))
    return n0, n1


def move_rows(ops: LlvmOps, source: Pointers, target: Pointers) -> None:
    """Copy SPARE_LINES rows."""
    for size, from_, to in zip((4, 1), source, target, strict=True):
        kind = f"<{SPARE_LINES} x i{8 * size}>"
        moved = ops.function.assign(f"load {kind}, ptr {from_}, align {size}")
        ops.function.line(f"store {kind} {moved}, ptr {to}, align {size}")


def _each_quads(ops: LlvmOps, values: Sequence[Scalar], size: int) -> Scalar:
    """The first value in the lanes of each group's first quad, the second in the others."""
    assign, vector = ops.function.assign, f"<{size} x i32>"
    splats = []
    for value in values:
        first = assign(f"insertelement {vector} poison, i32 {value}, i32 0")
        splats.append(assign(f"shufflevector {vector} {first}, {vector} poison, {vector} zeroinitializer"))
    lanes = ", ".join(f"i1 {lane % LANES < 4}".lower() for lane in range(size))
    return assign(f"select <{size} x i1> <{lanes}>, {vector} {splats[0]}, {vector} {splats[1]}")


def _list_many(ops: LlvmOps, lines: Sequence[IntVec], places: Places) -> tuple[Scalar, Scalar]:
    """As :func:`_list_few`, one quad after the other, for any number of taps."""
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
    for quad in range(2):
        listed = assign(
            f"call fastcc i32 @record.quad(ptr {ops.offset(rows, 4 * 4 * quad)}, i32 {len(lines)}, ptr {own})"
        )
        count = assign(f"call i32 @llvm.umin.i32(i32 {listed}, i32 {MAX_LINES})")
        place = places.of(ops, quad, *found)
        with ops.repeat(count) as index:
            at = assign(f"zext i32 {index} to i64")
            source = assign(f"getelementptr i64, ptr {own}, i64 {at}")
            value, mask = ops.load("i32", source), ops.load("i8", source, 4)
            line, lanes = advanced(ops, place, at)
            text(f"store i32 {value}, ptr {line}, align 4")
            text(f"store i8 {mask}, ptr {lanes}, align 1")
        found.append(assign(f"zext i32 {count} to i64"))
    return found[0], found[1]


def _list_in_blocks(ops: LlvmOps, lines: Sequence[IntVec], places: Places) -> tuple[Scalar, Scalar]:
    """As :func:`_list_few`, without a loop where the lines are few."""
    function = ops.function
    # Nothing but the numbers goes past a branch: vectors of bits would be packed for it.
    counts = function.allocate("i64", 2)

    def keep(numbers: Sequence[Scalar]) -> None:
        for quad, number in enumerate(numbers):
            function.line(f"store i64 {number}, ptr {ops.offset(counts, 8 * quad)}, align 8")

    single, several, behind = (function.new_label(name) for name in ("single", "several", "listed"))
    if len(lines) <= LEVEL_TAPS:
        function.branch(are_single(ops, lines), single, several)
        function.start(single)
        keep(store_single(ops, lines[0], places))
        function.jump(behind)
        function.start(several)
    if len(lines) == 1:
        keep(store_one_tap(ops, lines[0], places))
    else:
        steps = Steps(ops, lines)
        for number in _STEPS:
            done, more = function.new_label("done"), function.new_label("more")
            function.branch(steps.take(number), done, more)
            function.start(done)
            keep(steps.store(places))
            function.jump(behind)
            function.start(more)
        keep(_list_few(ops, lines, places))
    function.jump(behind)
    function.start(behind)
    return ops.load("i64", counts, 0, align=8), ops.load("i64", counts, 8, align=8)


def _list_box(ops, lines, places, box, dead):
    function = ops.function
    counts = function.allocate("i64", 2)

    def keep(numbers: Sequence[Scalar]) -> None:
        for quad, number in enumerate(numbers):
            function.line(f"store i64 {number}, ptr {ops.offset(counts, 8 * quad)}, align 8")

    fits, wide, behind = (function.new_label(name) for name in ("fits", "wide", "boxed"))
    corner, away = box_of(ops, box)
    function.branch(box_fits(ops, away), fits, wide)
    function.start(fits)
    keep(store_box(ops, box, corner, away, dead, places))
    function.jump(behind)
    function.start(wide)
    keep(_list_in_blocks(ops, lines, places))
    function.jump(behind)
    function.start(behind)
    return ops.load("i64", counts, 0, align=8), ops.load("i64", counts, 8, align=8)


def list_lines(ops: LlvmOps, lines: Sequence[IntVec], places: Places, *, repeats: bool, box=None, dead=None) -> tuple[Scalar, Scalar]:
    """List the lines of both quads; gives how many each has (i64).

    Some rows more are written than there are: no more than four a tap for each quad, and SPARE_LINES.

    Parameters
    ----------
    lines : line of each tap, NO_LINE in lanes without one and in dead ones
    places : where they go
    repeats : what a group's many look-ups touch repeats itself in the next, and so branches may depend on it
    """
    if not lines:
        return "0", "0"
    if box is not None:
        return _list_box(ops, lines, places, box, dead)
    if len(lines) == 1 and not repeats:
        return store_one_tap(ops, lines[0], places)
    if len(lines) <= LEVEL_TAPS or len(lines) == 2 * LEVEL_TAPS:
        return _list_in_blocks(ops, lines, places)
    return (_list_few if len(lines) <= _MOST_AT_ONCE else _list_many)(ops, lines, places)
