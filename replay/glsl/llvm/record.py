"""Code that appends to the texture access record (:data:`TEXTURE_RECORD`), whatever way a group takes through a stage.

The first quad's rows go to the tables at once; those of the others wait until the group ends, since they come behind
all rows of those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from replay.glsl.llvm.abi import LATER_OP_BYTES, SPARE_LINES, TEXTURE_RECORD
from replay.glsl.llvm.distinct import Places, Pointers, advanced
from replay.glsl.llvm.listing import Touched, list_lines, move_rows
from replay.glsl.llvm.vectors import (
    IVEC,
    LANES,
    MASK_BITS,
    MVEC,
    QUADS,
    IntVec,
    LlvmOps,
    MaskVec,
    Scalar,
    lanes_literal,
)
from replay.glsl.llvm.writer import FunctionWriter, int_literal

__all__ = ["Fields", "GeneralRecorder", "Recorder", "Touched", "dead_lanes", "move_lines", "note_ops", "texels_of"]


class Fields:
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
        return self._ops.function.assign(f"getelementptr i{8 * size}, ptr {start}, i64 {number}")

    def places(self, number: Scalar, prefix: str = "") -> Pointers:
        """Addresses of a row of lines, and of its lanes."""
        return self.row(f"{prefix}line", number, 4), self.row(f"{prefix}lanes", number, 1)

    def put(self, column: str, number: Scalar, size: int, wide: Scalar) -> None:
        """Write the low ``size`` bytes of an i64 to a row."""
        value = self._ops.function.assign(f"trunc i64 {wide} to i{8 * size}")
        self._ops.function.line(f"store i{8 * size} {value}, ptr {self.row(column, number, size)}, align {size}")


class Recorder(Protocol):
    """Writes what records one group's texture accesses."""

    def group(self, number: Scalar, covered: MaskVec) -> AbstractContextManager[None]:
        """The ``with`` body is the group's code.

        Parameters
        ----------
        number : of the group in the chunk, i64
        covered : lanes that exist and are no helpers
        """
        ...

    def operands(self, ops: LlvmOps, instruction: int, live: MaskVec) -> list[tuple[str, Scalar]]:
        """Type and value of what :meth:`append` needs for an instruction that these lanes execute."""
        ...

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], touched: Touched) -> None:
        """Append one execution of a texture instruction, perhaps in a function that is called.

        Parameters
        ----------
        operands : as :meth:`operands` gives them, or their parameters in that function
        """
        ...

    def expect(self, taps: int) -> None:
        """Provide for an execution with so many taps."""
        ...


def dead_lanes(ops: LlvmOps, live: Scalar) -> IntVec:
    """All bits in lanes whose bit of MASK_BITS is clear."""
    dead = ops.mask_not(ops.bits_mask(live))
    return IntVec(ops.function.assign(f"sext {MVEC} {dead} to {IVEC}"))


def texels_of(ops: LlvmOps, texels: IntVec, dead: IntVec) -> list[Scalar]:
    """<4 x i8> of each quad, saturated; 0 where all bits of ``dead`` are set."""
    assign, kind = ops.function.assign, f"<{LANES} x i8>"
    counts = ops.iand(ops.umin(texels, ops.iconst(255)), ops.inot(dead))
    octets = assign(f"trunc {IVEC} {counts} to {kind}")
    return [
        assign(f"shufflevector {kind} {octets}, {kind} poison, <4 x i32> {lanes_literal(range(first, first + 4))}")
        for first in range(0, LANES, 4)
    ]


class GeneralRecorder:
    """Implements :class:`Recorder` for stages of which groups may take any way.

    Parameters
    ----------
    ops : toolkit of the stage
    record : pointer to a TEXTURE_RECORD
    """

    def __init__(self, ops: LlvmOps, record: Scalar) -> None:
        self._ops, self._record = ops, record

    @contextmanager
    def group(self, number: Scalar, covered: MaskVec) -> Iterator[None]:
        """Let the rows of each quad follow those of the one before in the end; note which ops are whose."""
        module = self._ops.module
        first = Fields(self._ops, self._record).number("ops")
        yield
        if not module.has("@record.end"):
            inner = LlvmOps(module, FunctionWriter())
            _write_end(inner)
            head = "define internal fastcc void @record.end(ptr %record, i64 %group, i64 %first) nounwind {"
            module.define("@record.end", f"{head}\n{inner.function.body()}\nret void\n}}")
        self._ops.function.line(f"call fastcc void @record.end(ptr {self._record}, i64 {number}, i64 {first})")

    def operands(self, ops: LlvmOps, instruction: int, live: MaskVec) -> list[tuple[str, Scalar]]:
        """The record; bits 0-15 number of the instruction, those above the live lanes."""
        assign = ops.function.assign
        bits = assign(f"zext {MASK_BITS} {ops.mask_bits(live)} to i32")
        head = assign(f"or i32 {assign(f'shl i32 {bits}, 16')}, {int_literal(instruction)}")
        return [("ptr", self._record), ("i32", head)]

    def expect(self, taps: int) -> None:
        """Each execution looks for room itself."""

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], touched: Touched) -> None:
        """Append if a lane is live."""
        function, assign = ops.function, ops.function.assign
        record, head = operands
        live = assign(f"trunc i32 {assign(f'lshr i32 {head}, 16')} to {MASK_BITS}")
        fields = Fields(ops, record)
        most = 4 * len(touched.lines) + SPARE_LINES
        write, drop, behind = (function.new_label(name) for name in ("write", "drop", "recorded"))
        with ops.when(assign(f"icmp ne {MASK_BITS} {live}, 0")):
            needed = {"ops": 1, "lines": most, "later_used": most}
            before = {name: fields.number(name) for name in needed}
            fits = ""
            for (name, more), room in zip(needed.items(), ("ops_room", "lines_room", "later_room"), strict=True):
                own = assign(f"icmp ule i64 {assign(f'add i64 {before[name]}, {more}')}, {fields.number(room)}")
                fits = assign(f"and i1 {fits}, {own}") if fits else own
            function.branch(fits, write, drop)
            function.start(drop)
            for name, more in (("ops", QUADS), ("lines", QUADS * most), ("later_used", most)):
                fields.add(name, more)
            function.jump(behind)
            function.start(write)
            fields.set("later_used", assign(f"add i64 {before['later_used']}, {most - SPARE_LINES}"))
            _write_rows(ops, fields, (head, live), touched)
            function.jump(behind)
            function.start(behind)


def _later(ops: LlvmOps, fields: Fields, quad: int, number: Scalar) -> Scalar:
    """Row of what waits of a quad behind the first (i64)."""
    if quad == 1:
        return number
    room = fields.number("later_room")
    before = ops.function.assign(f"mul i64 {room}, {quad - 1}")
    return ops.function.assign(f"add i64 {number}, {before}")


def _write_rows(ops: LlvmOps, fields: Fields, heads: tuple[Scalar, Scalar], touched: Touched) -> None:
    """Write the rows of all quads behind those that there are; ``heads``: instruction's operand, and its live lanes."""
    assign, text = ops.function.assign, ops.function.line
    head, live = heads
    dead = dead_lanes(ops, live)
    texels = texels_of(ops, touched.texels, dead)
    num_ops, num_lines = fields.number("ops"), fields.number("lines")
    later = [_later(ops, fields, quad, fields.number(f"lines_{quad}")) for quad in range(1, QUADS)]
    starts = {quad: fields.places(row, "later_") for quad, row in enumerate(later, 1)}
    counts = list_lines(ops, touched, dead, Places({0: fields.places(num_lines)} | starts))
    instruction = assign(f"trunc i32 {head} to i16")
    fields.put("line_first", num_ops, 4, num_lines)
    fields.put("line_count", num_ops, 1, counts[0])
    text(f"store <4 x i8> {texels[0]}, ptr {fields.row('texels', num_ops, 4)}, align 4")
    text(f"store i16 {instruction}, ptr {fields.row('instruction', num_ops, 2)}, align 2")
    for quad in range(QUADS):
        names = (f"ops_{quad}", f"lines_{quad}") if quad else ("ops", "lines")
        if quad:
            row = _later(ops, fields, quad, fields.number(names[0]))
            place = fields.row("later_ops", row, LATER_OP_BYTES)
            listed = assign(f"shl i32 {assign(f'trunc i64 {counts[quad]} to i32')}, 16")
            both = assign(f"or i32 {assign(f'and i32 {head}, 65535')}, {listed}")
            text(f"store i32 {assign(f'trunc i64 {fields.number(names[1])} to i32')}, ptr {place}, align 4")
            text(f"store <4 x i8> {texels[quad]}, ptr {ops.offset(place, 4)}, align 4")
            text(f"store i32 {both}, ptr {ops.offset(place, 8)}, align 4")
        own = assign(f"and {MASK_BITS} {live}, {15 << 4 * quad}")
        fields.add(names[0], assign(f"zext i1 {assign(f'icmp ne {MASK_BITS} {own}, 0')} to i64"))
        fields.add(names[1], counts[quad])


def note_ops(ops: LlvmOps, fields: Fields, group: Scalar, quad: int, first: Scalar, number: Scalar) -> None:
    """Note which ops belong to a quad of a group (all i64)."""
    assign = ops.function.assign
    own = assign(f"add i64 {assign(f'mul i64 {group}, {QUADS}')}, {quad}")
    fields.put("tex_first", own, 4, first)
    fields.put("tex_count", own, 2, number)


def move_lines(ops: LlvmOps, source: Pointers, target: Pointers, count: Scalar) -> None:
    """Move so many lines (i64) to a place before; rows behind the last one are moved too."""
    assign = ops.function.assign
    rounded = assign(f"add i64 {count}, {SPARE_LINES - 1}")
    moves = assign(f"trunc i64 {assign(f'udiv i64 {rounded}, {SPARE_LINES}')} to i32")
    with ops.repeat(moves) as number:
        row = assign(f"mul i64 {assign(f'zext i32 {number} to i64')}, {SPARE_LINES}")
        move_rows(ops, advanced(ops, source, row), advanced(ops, target, row))


def _write_end(ops: LlvmOps) -> None:
    """The body of the function that ends a group."""
    assign = ops.function.assign
    fields = Fields(ops, "%record")
    all_ops, all_lines = fields.number("ops"), fields.number("lines")
    note_ops(ops, fields, "%group", 0, "%first", assign(f"sub i64 {all_ops}, %first"))
    numbers = {name: fields.number(name) for quad in range(1, QUADS) for name in (f"ops_{quad}", f"lines_{quad}")}
    name = "@llvm.umax.i64"
    ops.module.declare(f"declare i64 {name}(i64, i64)")
    most = assign(f"add i64 {fields.number('later_used')}, {SPARE_LINES}")
    fields.set("most_later", assign(f"call i64 {name}(i64 {most}, i64 {fields.number('most_later')})"))
    for quad in range(1, QUADS):
        all_ops = assign(f"add i64 {all_ops}, {numbers[f'ops_{quad}']}")
        all_lines = assign(f"add i64 {all_lines}, {numbers[f'lines_{quad}']}")
    fits = assign(f"icmp ule i64 {most}, {fields.number('later_room')}")
    with_spare = assign(f"add i64 {all_lines}, {SPARE_LINES}")
    for number, room in ((all_ops, "ops_room"), (with_spare, "lines_room")):
        fits = assign(f"and i1 {fits}, {assign(f'icmp ule i64 {number}, {fields.number(room)}')}")
    with ops.when(fits):
        first, line = fields.number("ops"), fields.number("lines")
        for quad in range(1, QUADS):
            num_ops, num_lines = numbers[f"ops_{quad}"], numbers[f"lines_{quad}"]
            with ops.repeat(assign(f"trunc i64 {num_ops} to i32")) as number:
                wide = assign(f"zext i32 {number} to i64")
                _move_op(ops, fields, _later(ops, fields, quad, wide), assign(f"add i64 {first}, {wide}"), line)
            # What follows takes the place of rows behind the last one.
            move_lines(ops, fields.places(_later(ops, fields, quad, "0"), "later_"), fields.places(line), num_lines)
            note_ops(ops, fields, "%group", quad, first, num_ops)
            first = assign(f"add i64 {first}, {num_ops}")
            line = assign(f"add i64 {line}, {num_lines}")
    fields.set("ops", all_ops)
    fields.set("lines", all_lines)
    for name in ("later_used", *numbers):
        fields.set(name, "0")


def _move_op(ops: LlvmOps, fields: Fields, source: Scalar, target: Scalar, line: Scalar) -> None:
    """Move an op that has waited to another row; its quad's lines begin at row ``line``."""
    assign, text = ops.function.assign, ops.function.line
    place = fields.row("later_ops", source, LATER_OP_BYTES)
    both = ops.load("i32", place, 8)
    start = assign(f"add i32 {ops.load('i32', place)}, {assign(f'trunc i64 {line} to i32')}")
    text(f"store i32 {start}, ptr {fields.row('line_first', target, 4)}, align 4")
    text(f"store i32 {ops.load('i32', place, 4)}, ptr {fields.row('texels', target, 4)}, align 4")
    text(f"store i16 {assign(f'trunc i32 {both} to i16')}, ptr {fields.row('instruction', target, 2)}, align 2")
    count = assign(f"trunc i32 {assign(f'lshr i32 {both}, 16')} to i8")
    text(f"store i8 {count}, ptr {fields.row('line_count', target, 1)}, align 1")
