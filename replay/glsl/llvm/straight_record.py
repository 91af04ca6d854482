"""Code that appends to the texture access record of stages of which every group executes the same texture instructions.

How many ops each quad of a group has is then known beforehand: all rows go to their places at once, and room is looked
for once a group. If there is none, the group is left out: the stage is run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from replay.glsl.ir import Block, Region
from replay.glsl.llvm.abi import SPARE_LINES, TEXTURE_RECORD
from replay.glsl.llvm.control import effects
from replay.glsl.llvm.distinct import Places
from replay.glsl.llvm.listing import list_lines
from replay.glsl.llvm.record import Fields, move_lines, note_ops, octets_of
from replay.glsl.llvm.vectors import IVEC, LANES, MVEC, IntVec, LlvmOps, MaskVec, Scalar

__all__ = ["StraightRecorder", "straight_lookups"]


#: Columns of an op but its instruction, and their bytes.
_OP_COLUMNS: Final = (("line_first", 4), ("line_count", 1), ("texels", 4))
#: So many look-ups are those of a filter: each touches the same number of lines in nearly all groups.
_MANY_LOOKUPS: Final = 4
#: Rows that are changed at once.
_PIECES: Final = (8, 4, 2, 1)


def straight_lookups(body: Region) -> int:
    """Texture instructions of a stage if every group executes all of them for all of its lanes; else 0."""
    count, leaves = 0, False
    for node in body.nodes:
        if isinstance(node, Block):
            own = sum(instruction.op == "tex" for instruction in node.instructions)
            if own and leaves:
                return 0
            count += own
        else:
            leaves = leaves or effects([node]).any
    every = sum(instruction.op == "tex" for instruction in body.instructions())
    return count if count == every else 0


class StraightRecorder:
    """Implements :class:`~replay.glsl.llvm.record.Recorder` for one group.

    Parameters
    ----------
    ops : toolkit of the stage
    record : pointer to a TEXTURE_RECORD
    count : texture instructions that each quad with a live lane executes, at least one
    """

    def __init__(self, ops: LlvmOps, record: Scalar, count: int) -> None:
        self._ops, self._record, self._count = ops, record, count
        self._rows: Sequence[Scalar] = ()
        self._instructions: list[int] = []
        self._taps = 0

    @contextmanager
    def group(self, number: Scalar, covered: MaskVec) -> Iterator[None]:
        """Look for room, say where rows go, and note in the end what there is now."""
        ops, function, assign = self._ops, self._ops.function, self._ops.function.assign
        fields = Fields(ops, self._record)
        most = function.promise()
        first, line = fields.number("ops"), fields.number("lines")
        waiting = assign(f"add i64 {line}, {most}")
        ends = assign(f"add i64 {first}, {2 * self._count}"), assign(f"add i64 {waiting}, {most}")
        fits = [
            assign(f"icmp ule i64 {end}, {fields.number(room)}")
            for end, room in zip(ends, ("ops_room", "lines_room"), strict=True)
        ]
        write, drop, behind = (function.new_label(name) for name in ("write", "drop", "recorded"))
        function.branch(assign(f"and i1 {fits[0]}, {fits[1]}"), write, drop)
        function.start(drop)
        for name, end in zip(("ops", "lines"), ends, strict=True):
            fields.set(name, end)
        function.jump(behind)
        function.start(write)
        bits = ops.mask_bits(covered)
        live = [assign(f"icmp ne i8 {assign(f'and i8 {bits}, {mask}')}, 0") for mask in (15, -16)]
        numbers = [assign(f"select i1 {some}, i64 {self._count}, i64 0") for some in live]
        self._rows = first, assign(f"add i64 {first}, {numbers[0]}")
        dead = assign(f"sext {MVEC} {ops.mask_not(covered)} to <{LANES} x i8>")
        fields.set("dead", assign(f"bitcast <{LANES} x i8> {dead} to i64"))
        if self._count > 1:
            fields.set("second_line", waiting)
        yield
        fields.set("ops", assign(f"add i64 {self._rows[1]}, {numbers[1]}"))
        note_ops(ops, fields, number, self._rows, numbers)
        self._write_instructions(fields)
        if self._count > 1:
            self._join(fields, waiting)
        function.jump(behind)
        function.start(behind)
        function.keep(most, 4 * self._taps + SPARE_LINES)

    def _write_instructions(self, fields: Fields) -> None:
        """Both quads execute the same; what the second one has not is overwritten."""
        assert len(self._instructions) == self._count
        numbers = ", ".join(f"i16 {number}" for number in self._instructions * 2)
        place = fields.row("instruction", self._rows[0], 2)
        self._ops.function.line(f"store <{2 * self._count} x i16> <{numbers}>, ptr {place}, align 2")

    def _join(self, fields: Fields, waiting: Scalar) -> None:
        """Let the second quad's lines, from row ``waiting`` on, follow those of the first."""
        ops, assign = self._ops, self._ops.function.assign
        end = fields.number("lines")
        count = assign(f"sub i64 {fields.number('second_line')}, {waiting}")
        distance = assign(f"trunc i64 {assign(f'sub i64 {waiting}, {end}')} to i32")
        start, at = fields.row("line_first", self._rows[1], 4), 0
        for size in _PIECES:
            kind = f"<{size} x i32>"
            one = assign(f"insertelement {kind} poison, i32 {distance}, i32 0")
            every = assign(f"shufflevector {kind} {one}, {kind} poison, {kind} zeroinitializer")
            while at + size <= self._count:
                place = ops.offset(start, 4 * at)
                moved = assign(f"sub {kind} {assign(f'load {kind}, ptr {place}, align 4')}, {every}")
                ops.function.line(f"store {kind} {moved}, ptr {place}, align 4")
                at += size
        move_lines(ops, fields.places(waiting), fields.places(end), count)
        fields.set("lines", assign(f"add i64 {end}, {count}"))

    def operands(self, ops: LlvmOps, instruction: int, live: MaskVec) -> list[tuple[str, Scalar]]:
        """The record, and the op that is written for each quad."""
        number = len(self._instructions)
        self._instructions.append(instruction)
        rows = [ops.function.assign(f"add i64 {row}, {number}") for row in self._rows]
        return [("ptr", self._record), *(("i64", row) for row in rows)]

    def expect(self, taps: int) -> None:
        """Count the lines that there may be."""
        self._taps += taps

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], lines: Sequence[IntVec], texels: IntVec, box=None) -> None:
        """Write both ops. A quad without live lanes has none: what is written for the other one takes its place."""
        assign = ops.function.assign
        fields, rows = Fields(ops, operands[0]), operands[1:]
        octets = ops.offset(operands[0], TEXTURE_RECORD.place("dead"))
        dead = IntVec(assign(f"sext <{LANES} x i8> {assign(f'load <{LANES} x i8>, ptr {octets}, align 8')} to {IVEC}"))
        line = fields.number("lines")
        second = fields.number("second_line") if self._count > 1 else ""
        places = Places(fields.places(line), fields.places(second) if second else None)
        own = [ops.ior(line, dead) for line in lines]
        counts = list_lines(ops, own, places, repeats=self._count >= _MANY_LOOKUPS, box=box, dead=dead)
        end = assign(f"add i64 {line}, {counts[0]}")
        texels_read = octets_of(ops, texels, dead)
        for row, values in zip(
            rows,
            ((line, counts[0], texels_read), (second or end, counts[1], assign(f"lshr i64 {texels_read}, 32"))),
            strict=True,
        ):
            for (column, size), value in zip(_OP_COLUMNS, values, strict=True):
                fields.put(column, row, size, value)
        fields.set("lines", end if second else assign(f"add i64 {end}, {counts[1]}"))
        if second:
            fields.set("second_line", assign(f"add i64 {second}, {counts[1]}"))
