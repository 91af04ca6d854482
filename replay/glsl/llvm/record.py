"""Code that appends to the texture access record, with each quad's distinct lines (:data:`TEXTURE_RECORD`).

Vectors hold the lines of all taps of a look-up (or of four taps of a quad, where there are many), so that one
comparison finds every lane that touches a line. The first quad's rows go to the tables at once; those of the second one
wait until its group ends, since they come behind all rows of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from replay.glsl.llvm.abi import LATER_OP_BYTES, SPARE_LINES, TEXTURE_RECORD
from replay.glsl.llvm.distinct import BLOCK_TAPS, are_ends, find_ends, list_blocks, store_blocks, store_ends
from replay.glsl.llvm.vectors import LANES, IntVec, LlvmOps, Scalar
from replay.glsl.llvm.writer import FunctionWriter
from replay.glsl.texturing import MAX_LINES, NO_LINE

__all__ = ["append_access", "begin_group", "end_group"]

#: For each quad of a group where its lines and their lanes go.
_Places: TypeAlias = Sequence[tuple[Scalar, Scalar]]
#: Taps whose lines are compared at once in a look-up with many.
_BLOCK_TAPS: Final = 4
#: Taps up to which all lines of a look-up are compared at once.
_MOST_AT_ONCE: Final = 8


def _numbers(count: int) -> str:
    """Mask of a shuffle that joins two vectors."""
    return f"<{count} x i32> <{', '.join(f'i32 {number}' for number in range(count))}>"


#: Distinct lines of one quad of a look-up with many taps, in order of first appearance, to rows of line and lanes at
#: ``out``; gives their number.
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
  %result = phi i32 [ 0, %entry ], [ %before, %block ]
  ret i32 %result
}}"""


class _Fields:
    """Fields of a record at a pointer."""

    def __init__(self, ops: LlvmOps, record: Scalar) -> None:
        self._ops, self._record = ops, record

    def number(self, name: str) -> Scalar:
        """A number, i64."""
        return self._ops.load("i64", self._record, TEXTURE_RECORD.place(name), align=8)

    def set(self, name: str, value: Scalar) -> None:
        """Change a number."""
        place = self._ops.offset(self._record, TEXTURE_RECORD.place(name))
        self._ops.function.line(f"store i64 {value}, ptr {place}, align 8")

    def add(self, name: str, more: Scalar | int) -> None:
        """Add to a number."""
        self.set(name, self._ops.function.assign(f"add i64 {self.number(name)}, {more}"))

    def row(self, column: str, number: Scalar, size: int) -> Scalar:
        """Address of a row of so many bytes."""
        start = self._ops.load("ptr", self._record, TEXTURE_RECORD.place(column), align=8)
        if size == 1:
            return self._ops.offset(start, number)
        return self._ops.offset(start, self._ops.function.assign(f"mul i64 {number}, {size}"))


def _signed(digits: str, size: int) -> int:
    """Hexadecimal digits as a signed number of ``size`` bits."""
    value = int(digits, 16)
    return value - (1 << size) if value >> (size - 1) else value


def _resized(ops: LlvmOps, value: Scalar, bits: int, wanted: int) -> Scalar:
    """An unsigned integer of other width."""
    if bits == wanted:
        return value
    return ops.function.assign(f"{'trunc' if bits > wanted else 'zext'} i{bits} {value} to i{wanted}")


def _joined(ops: LlvmOps, lines: Sequence[IntVec]) -> Scalar:
    """The lanes of a power of two of vectors, one behind the other."""
    parts, size = [str(line) for line in lines], LANES
    while len(parts) > 1:
        kind = f"<{size} x i32>"
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [ops.function.assign(f"shufflevector {kind} {a}, {kind} {b}, {_numbers(2 * size)}") for a, b in pairs]
        size *= 2
    return parts[0]


def _list_few(ops: LlvmOps, lines: Sequence[IntVec], live: Scalar, places: _Places) -> tuple[Scalar, Scalar]:
    """List the lines of both quads at once; gives how many each has (i64).

    All taps' lines are compared with each quad's first one that is left. One row too many may be written.

    Parameters
    ----------
    live : i8
    places : for each quad where its lines and their lanes go
    """
    function, assign, text = ops.function, ops.function.assign, ops.function.line
    num_rows = 1 << (len(lines) - 1).bit_length()
    size = LANES * num_rows
    vector, word = f"<{size} x i32>", f"i{size}"
    ops.module.declare(f"declare {word} @llvm.cttz.{word}({word}, i1)")
    rows = ops.allocate(IntVec, num_rows)
    for number, row in enumerate(lines):
        ops.store(row, rows, 4 * LANES * number)
    every = _joined(ops, [*lines, *[ops.iconst(NO_LINE)] * (num_rows - len(lines))])
    low, high, ones = (_signed(octet * num_rows, size) for octet in ("0F", "F0", "01"))
    there = assign(f"bitcast <{size} x i1> {assign(f'icmp ne {vector} {every}, splat (i32 -1)')} to {word}")
    alive = assign(f"mul {word} {_resized(ops, live, 8, size)}, {ones}")
    start = assign(f"and {word} {there}, {alive}")
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
    for (line, lanes), count, value, nibble in zip(places, (n0, n1), firsts, nibbles, strict=True):
        text(f"store i32 {value}, ptr {assign(f'getelementptr i32, ptr {line}, i64 {count}')}, align 4")
        text(f"store i8 {nibble}, ptr {ops.offset(lanes, count)}, align 1")
    text(f"{next0} = add i64 {n0}, {some[0]}")
    text(f"{next1} = add i64 {n1}, {some[1]}")
    function.jump(head)
    function.start(behind)
    return n0, n1


def _each_quads(ops: LlvmOps, values: Sequence[Scalar], size: int) -> Scalar:
    """The first value in the lanes of each group's first quad, the second in the others."""
    assign, vector = ops.function.assign, f"<{size} x i32>"
    splats = []
    for value in values:
        first = assign(f"insertelement {vector} poison, i32 {value}, i32 0")
        splats.append(assign(f"shufflevector {vector} {first}, {vector} poison, {vector} zeroinitializer"))
    lanes = ", ".join(f"i1 {lane % LANES < 4}".lower() for lane in range(size))
    return assign(f"select <{size} x i1> <{lanes}>, {vector} {splats[0]}, {vector} {splats[1]}")


def _list_many(ops: LlvmOps, lines: Sequence[IntVec], live: Scalar, places: _Places) -> tuple[Scalar, Scalar]:
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
    wide = assign(f"zext i8 {live} to i32")
    found = []
    for quad, (line, lanes) in enumerate(places):
        there = assign(f"lshr i32 {wide}, 4") if quad else assign(f"and i32 {wide}, 15")
        taps = f"ptr {ops.offset(rows, 4 * 4 * quad)}, i32 {len(lines)}, i32 {there}"
        listed = assign(f"call fastcc i32 @record.quad({taps}, ptr {own})")
        count = assign(f"call i32 @llvm.umin.i32(i32 {listed}, i32 {MAX_LINES})")
        with ops.repeat(count) as index:
            at = assign(f"zext i32 {index} to i64")
            source = assign(f"getelementptr i64, ptr {own}, i64 {at}")
            value, mask = ops.load("i32", source), ops.load("i8", source, 4)
            text(f"store i32 {value}, ptr {assign(f'getelementptr i32, ptr {line}, i64 {at}')}, align 4")
            text(f"store i8 {mask}, ptr {ops.offset(lanes, at)}, align 1")
        found.append(assign(f"zext i32 {count} to i64"))
    return found[0], found[1]


def _list_in_blocks(ops: LlvmOps, lines: Sequence[IntVec], live: Scalar, places: _Places) -> tuple[Scalar, Scalar]:
    """As :func:`_list_few`, without a loop where the lines are few."""
    function = ops.function
    ends = find_ends(ops, lines, live)
    if len(lines) == 1:
        return store_blocks(ops, list_blocks(ops, ends)[0], places)
    # Nothing but the numbers goes past a branch: vectors of bits would be packed for it.
    counts = function.allocate("i64", 2)

    def keep(numbers: Sequence[Scalar]) -> None:
        for quad, number in enumerate(numbers):
            function.line(f"store i64 {number}, ptr {ops.offset(counts, 8 * quad)}, align 8")

    quick, slow, behind = (function.new_label(name) for name in ("ends", "blocks", "listed"))
    function.branch(are_ends(ops, ends), quick, slow)
    function.start(quick)
    keep(store_ends(ops, ends, places))
    function.jump(behind)
    function.start(slow)
    blocks, are_all = list_blocks(ops, ends)
    keep(store_blocks(ops, blocks, places))
    with ops.when(function.assign(f"xor i1 {are_all}, true")):
        keep(_list_few(ops, lines, live, places))
    function.jump(behind)
    function.start(behind)
    return ops.load("i64", counts, 0, align=8), ops.load("i64", counts, 8, align=8)


def _lister(num_taps: int) -> Callable[[LlvmOps, Sequence[IntVec], Scalar, _Places], tuple[Scalar, Scalar]]:
    """What lists the lines of so many taps."""
    if num_taps <= BLOCK_TAPS or num_taps == 2 * BLOCK_TAPS:
        return _list_in_blocks
    return _list_few if num_taps <= _MOST_AT_ONCE else _list_many


def begin_group(ops: LlvmOps, record: Scalar) -> Scalar:
    """Rows of ops before a group, for :func:`end_group`."""
    return _Fields(ops, record).number("ops")


def append_access(ops: LlvmOps, record: Scalar, head: Scalar, lines: Sequence[IntVec], texels: IntVec) -> None:
    """Append one execution of a texture instruction if a lane is live.

    Parameters
    ----------
    record : pointer to a TEXTURE_RECORD
    head : i32: bits 0-15 number of the instruction, 16-23 live lanes
    lines : line of each tap
    texels : texels read by each lane
    """
    function, assign = ops.function, ops.function.assign
    live = assign(f"trunc i32 {assign(f'lshr i32 {head}, 16')} to i8")
    fields = _Fields(ops, record)
    most = 4 * len(lines) + SPARE_LINES
    write, drop, behind = (function.new_label(name) for name in ("write", "drop", "recorded"))
    with ops.when(assign(f"icmp ne i8 {live}, 0")):
        before = [fields.number(name) for name in ("ops", "lines", "num_later_ops", "num_later_lines")]
        rooms = [fields.number(name) for name in ("ops_room", "lines_room", "later_room")]
        fits = ""
        for number, more, room in zip(before, (1, most, 1, most), (*rooms, rooms[2]), strict=True):
            own = assign(f"icmp ule i64 {assign(f'add i64 {number}, {more}')}, {room}")
            fits = assign(f"and i1 {fits}, {own}") if fits else own
        function.branch(fits, write, drop)
        function.start(drop)
        for name, more in (("ops", 1), ("lines", most), ("num_later_ops", 1), ("num_later_lines", most)):
            fields.add(name, more)
        function.jump(behind)
        function.start(write)
        _write_rows(ops, fields, before, head, live, lines, texels)
        function.jump(behind)
        function.start(behind)


def _write_rows(
    ops: LlvmOps,
    fields: _Fields,
    before: Sequence[Scalar],
    head: Scalar,
    live: Scalar,
    lines: Sequence[IntVec],
    texels: IntVec,
) -> None:
    """Write the rows of both quads behind those that there are."""
    assign, text = ops.function.assign, ops.function.line
    counts = ops.select(ops.bits_mask(live), ops.umin(texels, ops.iconst(255)), ops.iconst(0))
    octets = assign(f"bitcast <{LANES} x i8> {assign(f'trunc {counts.type} {counts} to <{LANES} x i8>')} to i64")
    num_ops, num_lines, num_later, num_later_lines = before
    n0 = n1 = "0"
    if lines:
        places = (
            (fields.row("line", num_lines, 4), fields.row("lanes", num_lines, 1)),
            (fields.row("later_line", num_later_lines, 4), fields.row("later_lanes", num_later_lines, 1)),
        )
        n0, n1 = _lister(len(lines))(ops, lines, live, places)
    instruction = assign(f"trunc i32 {head} to i16")
    for column, kind, size, value in (
        ("line_first", "i32", 4, assign(f"trunc i64 {num_lines} to i32")),
        ("line_count", "i8", 1, assign(f"trunc i64 {n0} to i8")),
        ("texels", "i32", 4, assign(f"trunc i64 {octets} to i32")),
        ("instruction", "i16", 2, instruction),
    ):
        text(f"store {kind} {value}, ptr {fields.row(column, num_ops, size)}, align {size}")
    later = fields.row("later_ops", num_later, LATER_OP_BYTES)
    upper = assign(f"lshr i64 {octets}, 32")
    listed = assign(f"shl i32 {assign(f'trunc i64 {n1} to i32')}, 16")
    for number, value in enumerate(
        (
            assign(f"trunc i64 {num_later_lines} to i32"),
            assign(f"trunc i64 {upper} to i32"),
            assign(f"or i32 {assign(f'and i32 {head}, 65535')}, {listed}"),
        )
    ):
        text(f"store i32 {value}, ptr {ops.offset(later, 4 * number)}, align 4")
    for mask, names, more in ((15, ("ops", "lines"), n0), (-16, ("num_later_ops", "num_later_lines"), n1)):
        some = assign(f"icmp ne i8 {assign(f'and i8 {live}, {mask}')}, 0")
        fields.add(names[0], assign(f"zext i1 {some} to i64"))
        fields.add(names[1], more)


def end_group(ops: LlvmOps, record: Scalar, group: Scalar, first: Scalar) -> None:
    """Let the rows of a group's second quad follow those of the first; note which ops are whose.

    Parameters
    ----------
    group : i64, number of the group in the chunk
    first : what :func:`begin_group` gave
    """
    if not ops.module.has("@record.end"):
        inner = LlvmOps(ops.module, FunctionWriter())
        _write_end(inner)
        head = "define internal fastcc void @record.end(ptr %record, i64 %group, i64 %first) nounwind {"
        ops.module.define("@record.end", f"{head}\n{inner.function.body()}\nret void\n}}")
    ops.function.line(f"call fastcc void @record.end(ptr {record}, i64 {group}, i64 {first})")


def _write_end(ops: LlvmOps) -> None:
    """The body of the function that ends a group."""
    assign, text = ops.function.assign, ops.function.line
    fields = _Fields(ops, "%record")
    num_ops, num_lines = fields.number("ops"), fields.number("lines")
    later_ops, later_lines = fields.number("num_later_ops"), fields.number("num_later_lines")
    firsts, counts = fields.row("tex_first", "%group", 8), fields.row("tex_count", "%group", 4)
    own = assign(f"sub i64 {num_ops}, %first")
    for quad, (start, number) in enumerate((("%first", own), (num_ops, later_ops))):
        text(f"store i32 {assign(f'trunc i64 {start} to i32')}, ptr {ops.offset(firsts, 4 * quad)}, align 4")
        text(f"store i16 {assign(f'trunc i64 {number} to i16')}, ptr {ops.offset(counts, 2 * quad)}, align 2")
    all_ops, all_lines = assign(f"add i64 {num_ops}, {later_ops}"), assign(f"add i64 {num_lines}, {later_lines}")
    name = "@llvm.umax.i64"
    ops.module.declare(f"declare i64 {name}(i64, i64)")
    most = assign(f"call i64 {name}(i64 {later_ops}, i64 {later_lines})")
    fields.set("most_later", assign(f"call i64 {name}(i64 {most}, i64 {fields.number('most_later')})"))
    fits = assign(f"icmp ule i64 {most}, {fields.number('later_room')}")
    with_spare = assign(f"add i64 {all_lines}, {SPARE_LINES}")
    for number, room in ((all_ops, "ops_room"), (with_spare, "lines_room")):
        fits = assign(f"and i1 {fits}, {assign(f'icmp ule i64 {number}, {fields.number(room)}')}")
    with ops.when(fits):
        with ops.repeat(assign(f"trunc i64 {later_ops} to i32")) as number:
            wide = assign(f"zext i32 {number} to i64")
            at = assign(f"add i64 {num_ops}, {wide}")
            source = fields.row("later_ops", wide, LATER_OP_BYTES)
            both = ops.load("i32", source, 8)
            start = assign(f"add i32 {ops.load('i32', source)}, {assign(f'trunc i64 {num_lines} to i32')}")
            text(f"store i32 {start}, ptr {fields.row('line_first', at, 4)}, align 4")
            text(f"store i32 {ops.load('i32', source, 4)}, ptr {fields.row('texels', at, 4)}, align 4")
            text(f"store i16 {assign(f'trunc i32 {both} to i16')}, ptr {fields.row('instruction', at, 2)}, align 2")
            lines = assign(f"trunc i32 {assign(f'lshr i32 {both}, 16')} to i8")
            text(f"store i8 {lines}, ptr {fields.row('line_count', at, 1)}, align 1")
        # Rows behind the last one are moved too; what follows takes their place.
        rounded = assign(f"add i64 {later_lines}, {SPARE_LINES - 1}")
        moves = assign(f"trunc i64 {assign(f'udiv i64 {rounded}, {SPARE_LINES}')} to i32")
        with ops.repeat(moves) as number:
            from_row = assign(f"mul i64 {assign(f'zext i32 {number} to i64')}, {SPARE_LINES}")
            to_row = assign(f"add i64 {num_lines}, {from_row}")
            for column, size in (("line", 4), ("lanes", 1)):
                kind = f"<{SPARE_LINES} x i{8 * size}>"
                moved = assign(f"load {kind}, ptr {fields.row(f'later_{column}', from_row, size)}, align {size}")
                text(f"store {kind} {moved}, ptr {fields.row(column, to_row, size)}, align {size}")
    fields.set("ops", all_ops)
    fields.set("lines", all_lines)
    fields.set("num_later_ops", "0")
    fields.set("num_later_lines", "0")
