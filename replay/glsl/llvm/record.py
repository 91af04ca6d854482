"""LLVM functions that append an entry to the texture access record, with each quad's distinct lines.

Vectors hold the lines of all taps of an entry (or of four taps of a quad, where there are many), so that one
comparison finds every lane that touches a line.
"""

from __future__ import annotations

from typing import Final

from replay.glsl.llvm.vectors import LANES
from replay.glsl.llvm.writer import ModuleWriter
from replay.glsl.texturing import ENTRY_HEADER_WORDS, LINE_WORDS

__all__ = ["BLOCK_TAPS", "entry_function", "tap_lanes"]

#: Taps whose lines are compared at once by the function for many taps; rows of lines have room for a multiple of it.
BLOCK_TAPS: Final = 4
#: Taps up to which all lines of an entry are compared at once.
_MOST_AT_ONCE: Final = 8


def _numbers(count: int) -> str:
    """Mask of a shuffle that joins two vectors."""
    return f"<{count} x i32> <{', '.join(f'i32 {number}' for number in range(count))}>"


#: Distinct lines of one quad of an entry with many taps, in order of first appearance, to ``out``; gives their number.
#: Blocks of four taps are compared at once with the first line that is still to be listed.
_RECORD_QUAD: Final = f"""
define internal fastcc i32 @record.quad(ptr %rows, i32 %taps, i32 %live, ptr %out) nounwind {{
entry:
  %all = mul i32 %live, 4369
  %none = icmp eq i32 %live, 0
  br i1 %none, label %leave, label %block
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
  %lanemask = and i32 %all, %rowmask
  %start = and i32 %therewide, %lanemask
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
  %known = getelementptr [4 x i32], ptr %out, i64 %kwide
  %knownline = load i32, ptr %known, align 4
  %equal = icmp eq i32 %knownline, %line
  br i1 %equal, label %again, label %differs
differs:
  %kplus = add i32 %k, 1
  br label %search
again:
  %lanesat = getelementptr i8, ptr %known, i64 8
  %old = load i32, ptr %lanesat, align 4
  %joined = or i32 %old, %lanes
  store i32 %joined, ptr %lanesat, align 4
  br label %head
listed:
  %countwide = zext i32 %count to i64
  %new = getelementptr [4 x i32], ptr %out, i64 %countwide
  store i32 %line, ptr %new, align 4
  %newlanes = getelementptr i8, ptr %new, i64 8
  store i32 %lanes, ptr %newlanes, align 4
  %one = add i32 %count, 1
  br label %head
blockend:
  %after = phi i32 [ %count, %head ]
  %next = add i32 %first, {BLOCK_TAPS}
  br label %block
leave:
  %result = phi i32 [ 0, %entry ], [ %before, %block ]
  ret i32 %result
}}"""

#: Lists the lines of both quads one after the other.
_LIST_MANY: Final = f"""
  %live0 = and i32 %live, 15
  %live1 = lshr i32 %live, 4
  %n0 = call fastcc i32 @record.quad(ptr %rows, i32 %taps, i32 %live0, ptr %out)
  %rows1 = getelementptr i8, ptr %rows, i64 {2 * LANES}
  %out1 = getelementptr i8, ptr %out, i64 4
  %n1 = call fastcc i32 @record.quad(ptr %rows1, i32 %taps, i32 %live1, ptr %out1)
  br label %listed
listed:"""


def _signed(digits: str, size: int) -> int:
    """Hexadecimal digits as a signed number of ``size`` bits."""
    value = int(digits, 16)
    return value - (1 << size) if value >> (size - 1) else value


def _list_few(num_rows: int) -> str:
    """Code that lists the lines of both quads at once: all taps' lines are compared with each quad's first one left."""
    size = LANES * num_rows
    lines = f"<{size} x i32>"
    word = f"i{size}"
    pattern = ", ".join(f"i32 {lane // 4}" for lane in list(range(LANES)) * num_rows)
    low, high, ones = (_signed(octet * num_rows, size) for octet in ("0F", "F0", "01"))
    folds, step, value = [], size // 2, "%hit"
    while step >= LANES:
        folds.append(f"  %down{step} = lshr {word} {value}, {step}\n  %fold{step} = or {word} {value}, %down{step}")
        value = f"%fold{step}"
        step //= 2
    lanes = f"  %lanes = trunc {word} {value} to i8" if size > LANES else f"  %lanes = add i8 {value}, 0"
    widen = f"zext i8 %live8 to {word}" if size > LANES else "add i8 %live8, 0"
    narrow = f"trunc i64 %tapmask to {word}" if size < 64 else "add i64 %tapmask, 0"
    top = _signed("80" + "00" * (num_rows - 1), size)
    index = f"zext {word} {{}} to i64" if size < 64 else "add i64 {}, 0"
    return f"""
  %lines = load {lines}, ptr %rows, align 4
  %there = icmp ne {lines} %lines, splat (i32 -1)
  %therebits = bitcast <{size} x i1> %there to {word}
  %live8 = trunc i32 %live to i8
  %livewide = {widen}
  %alive = mul {word} %livewide, {ones}
  %taps.narrow = {narrow}
  %wanted = and {word} %alive, %taps.narrow
  %start = and {word} %therebits, %wanted
  br label %head
head:
  %todo = phi {word} [ %start, %write ], [ %rest, %body ]
  %n0 = phi i32 [ 0, %write ], [ %n0next, %body ]
  %n1 = phi i32 [ 0, %write ], [ %n1next, %body ]
  %to = phi ptr [ %out, %write ], [ %tonext, %body ]
  %done = icmp eq {word} %todo, 0
  br i1 %done, label %listed, label %body
body:
  %todo0 = and {word} %todo, {low}
  %todo1 = and {word} %todo, {high}
  %some0 = icmp ne {word} %todo0, 0
  %some1 = icmp ne {word} %todo1, 0
  %safe0 = or {word} %todo0, {top}
  %safe1 = or {word} %todo1, {top}
  %at0 = call {word} @llvm.cttz.{word}({word} %safe0, i1 true)
  %at1 = call {word} @llvm.cttz.{word}({word} %safe1, i1 true)
  %index0 = {index.format("%at0")}
  %index1 = {index.format("%at1")}
  %place0 = getelementptr i32, ptr %rows, i64 %index0
  %place1 = getelementptr i32, ptr %rows, i64 %index1
  %line0 = load i32, ptr %place0, align 4
  %line1 = load i32, ptr %place1, align 4
  %pair0 = insertelement <{size} x i32> poison, i32 %line0, i32 0
  %pair1 = insertelement <{size} x i32> %pair0, i32 %line1, i32 1
  %each = shufflevector {lines} %pair1, {lines} poison, <{size} x i32> <{pattern}>
  %same = icmp eq {lines} %lines, %each
  %samebits = bitcast <{size} x i1> %same to {word}
  %hit = and {word} %samebits, %todo
  %rest = xor {word} %todo, %hit
{chr(10).join(folds)}
{lanes}
  %lanes0 = and i8 %lanes, 15
  %lanes1 = lshr i8 %lanes, 4
  %octet0 = zext i8 %lanes0 to i32
  %octet1 = zext i8 %lanes1 to i32
  store i32 %line0, ptr %to, align 4
  %to1 = getelementptr i8, ptr %to, i64 4
  store i32 %line1, ptr %to1, align 4
  %to2 = getelementptr i8, ptr %to, i64 8
  store i32 %octet0, ptr %to2, align 4
  %to3 = getelementptr i8, ptr %to, i64 12
  store i32 %octet1, ptr %to3, align 4
  %tonext = getelementptr i8, ptr %to, i64 16
  %add0 = zext i1 %some0 to i32
  %add1 = zext i1 %some1 to i32
  %n0next = add i32 %n0, %add0
  %n1next = add i32 %n1, %add1
  br label %head
listed:"""


def _record_entry(symbol: str, listing: str) -> str:
    """The function that appends an entry."""
    return f"""
define internal fastcc void {symbol}(ptr %rows, i32 %taps, i64 %tapmask, i32 %group, i32 %head_word, i64 %octets,
    ptr %buffer, i64 %capacity, ptr %cursor) nounwind {{
entry:
  %used = load i64, ptr %cursor, align 8
  %tapswide = zext i32 %taps to i64
  %most = mul i64 %tapswide, {LINE_WORDS * LANES // 2}
  %most_words = add i64 %most, {ENTRY_HEADER_WORDS}
  %bound = add i64 %used, %most_words
  %fits = icmp ule i64 %bound, %capacity
  br i1 %fits, label %write, label %drop
drop:
  store i64 %bound, ptr %cursor, align 8
  ret void
write:
  %entry_at = getelementptr i32, ptr %buffer, i64 %used
  %out = getelementptr i32, ptr %entry_at, i64 {ENTRY_HEADER_WORDS}
  %live = lshr i32 %head_word, 16
{listing}
  store i32 %group, ptr %entry_at, align 4
  %at1.word = getelementptr i32, ptr %entry_at, i64 1
  store i32 %head_word, ptr %at1.word, align 4
  %at2.word = getelementptr i32, ptr %entry_at, i64 2
  store i64 %octets, ptr %at2.word, align 4
  %n1high = shl i32 %n1, 16
  %counts = or i32 %n0, %n1high
  %at4.word = getelementptr i32, ptr %entry_at, i64 4
  store i32 %counts, ptr %at4.word, align 4
  %first_more = icmp ugt i32 %n0, %n1
  %largest = select i1 %first_more, i32 %n0, i32 %n1
  %largestwide = zext i32 %largest to i64
  %words = mul i64 %largestwide, {LINE_WORDS}
  %length = add i64 %words, {ENTRY_HEADER_WORDS}
  %end = add i64 %used, %length
  store i64 %end, ptr %cursor, align 8
  ret void
}}"""


def tap_lanes(num_taps: int) -> int:
    """Mask (as a signed i64) of the lanes of an entry's taps, as far as they are compared at once."""
    return _signed(f"{(1 << LANES * min(num_taps, _MOST_AT_ONCE)) - 1:x}", 64)


def entry_function(module: ModuleWriter, num_taps: int) -> str:
    """Name of the module's function that appends entries of so many taps, written on its first use.

    It is ``fastcc void (ptr rows, i32 taps, i64 tap_lanes, i32 group, i32 head, i64 texels, ptr buffer, i64 capacity,
    ptr cursor)``: ``rows`` has the line of each tap and lane, 8 words a tap, with room for a multiple of
    :data:`BLOCK_TAPS` taps; ``head`` and ``texels`` are words 1 to 3 of the entry.
    """
    num_rows = next((rows for rows in (1, BLOCK_TAPS, _MOST_AT_ONCE) if num_taps <= rows), 0)
    symbol = f"@record.entry.{num_rows}"
    if not module.has(symbol):
        if num_rows:
            listing = _list_few(num_rows)
            word = f"i{LANES * num_rows}"
            module.declare(f"declare {word} @llvm.cttz.{word}({word}, i1)")
        else:
            listing = _LIST_MANY
            module.declare("declare i32 @llvm.cttz.i32(i32, i1)")
            module.define("@record.quad", _RECORD_QUAD)
        module.define(symbol, _record_entry(symbol, listing))
    return symbol
