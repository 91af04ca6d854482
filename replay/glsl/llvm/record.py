"""Code that appends to the texture access record (:data:`TEXTURE_RECORD`), whatever way a group takes through a stage.

The first quad's rows go to the tables at once; those of the second one wait until its group ends, since they come
behind all rows of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from replay.glsl.llvm.abi import LATER_OP_BYTES, SPARE_LINES, TEXTURE_RECORD
from replay.glsl.llvm.distinct import Places, Pointers, advanced
from replay.glsl.llvm.listing import list_lines, move_rows
from replay.glsl.llvm.vectors import IVEC, LANES, IntVec, LlvmOps, MaskVec, Scalar
from replay.glsl.llvm.writer import FunctionWriter, int_literal

__all__ = ["Fields", "GeneralRecorder", "Recorder", "move_lines", "note_ops", "octets_of"]


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

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], lines: Sequence[IntVec], texels: IntVec, box=None) -> None:
        """Append one execution of a texture instruction, perhaps in a function that is called.

        Parameters
        ----------
        operands : as :meth:`operands` gives them, or their parameters in that function
        lines : line of each tap
        texels : texels read by each lane
        """
        ...

    def expect(self, taps: int) -> None:
        """Provide for an execution with so many taps."""
        ...


def octets_of(ops: LlvmOps, texels: IntVec, dead: IntVec) -> Scalar:
    """I64: an octet a lane, saturated; 0 where all bits of ``dead`` are set."""
    assign = ops.function.assign
    counts = ops.iand(ops.umin(texels, ops.iconst(255)), ops.inot(dead))
    return assign(f"bitcast <{LANES} x i8> {assign(f'trunc {IVEC} {counts} to <{LANES} x i8>')} to i64")


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
        """Let the rows of the second quad follow those of the first in the end; note which ops are whose."""
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
        """The record; bits 0-15 number of the instruction, 16-23 live lanes."""
        assign = ops.function.assign
        bits = assign(f"zext i8 {ops.mask_bits(live)} to i32")
        head = assign(f"or i32 {assign(f'shl i32 {bits}, 16')}, {int_literal(instruction)}")
        return [("ptr", self._record), ("i32", head)]

    def expect(self, taps: int) -> None:
        """Each execution looks for room itself."""

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], lines: Sequence[IntVec], texels: IntVec, box=None) -> None:
        """Append if a lane is live."""
        function, assign = ops.function, ops.function.assign
        record, head = operands
        live = assign(f"trunc i32 {assign(f'lshr i32 {head}, 16')} to i8")
        fields = Fields(ops, record)
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
            _write_rows(ops, fields, before, head, live, lines, texels, box)
            function.jump(behind)
            function.start(behind)


def _write_rows(
    ops: LlvmOps,
    fields: Fields,
    before: Sequence[Scalar],
    head: Scalar,
    live: Scalar,
    lines: Sequence[IntVec],
    texels: IntVec,
    box=None,
) -> None:
    """Write the rows of both quads behind those that there are."""
    assign, text = ops.function.assign, ops.function.line
    bits = ops.iand(
        ops.splat_i(assign(f"zext i8 {live} to i32")), ops.lane_iconsts([1 << lane for lane in range(LANES)])
    )
    dead = ops.select(ops.ieq(bits, ops.iconst(0)), ops.iconst(-1), ops.iconst(0))
    octets = octets_of(ops, texels, dead)
    num_ops, num_lines, num_later, num_later_lines = before
    places = Places(fields.places(num_lines), fields.places(num_later_lines, "later_"))
    n0, n1 = list_lines(ops, [ops.ior(line, dead) for line in lines], places, repeats=False, box=box, dead=dead)
    instruction = assign(f"trunc i32 {head} to i16")
    fields.put("line_first", num_ops, 4, num_lines)
    fields.put("line_count", num_ops, 1, n0)
    fields.put("texels", num_ops, 4, octets)
    text(f"store i16 {instruction}, ptr {fields.row('instruction', num_ops, 2)}, align 2")
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


def note_ops(ops: LlvmOps, fields: Fields, group: Scalar, firsts: Sequence[Scalar], numbers: Sequence[Scalar]) -> None:
    """Note which ops belong to each of a group's quads (all i64)."""
    for quad, (first, number) in enumerate(zip(firsts, numbers, strict=True)):
        own = ops.function.assign(f"add i64 {ops.function.assign(f'shl i64 {group}, 1')}, {quad}")
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
    assign, text = ops.function.assign, ops.function.line
    fields = Fields(ops, "%record")
    num_ops, num_lines = fields.number("ops"), fields.number("lines")
    later_ops, later_lines = fields.number("num_later_ops"), fields.number("num_later_lines")
    note_ops(ops, fields, "%group", ("%first", num_ops), (assign(f"sub i64 {num_ops}, %first"), later_ops))
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
        # What follows takes the place of rows behind the last one.
        move_lines(ops, fields.places("0", "later_"), fields.places(num_lines), later_lines)
    fields.set("ops", all_ops)
    fields.set("lines", all_lines)
    fields.set("num_later_ops", "0")
    fields.set("num_later_lines", "0")
