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
from replay.glsl.llvm.record import Fields, Touched, dead_lanes, move_lines, note_ops, texels_of
from replay.glsl.llvm.vectors import MASK_BITS, QUADS, LlvmOps, MaskVec, Scalar

__all__ = ["StraightRecorder", "straight_lookups"]


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


def _line_of(quad: int) -> str:
    """Field with the row of lines that the next one of a quad behind the first takes."""
    return f"line_{quad}"


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
        waiting = [line]
        for _ in range(QUADS):
            waiting.append(assign(f"add i64 {waiting[-1]}, {most}"))
        ends = assign(f"add i64 {first}, {QUADS * self._count}"), waiting[-1]
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
        fields.set("live", assign(f"zext {MASK_BITS} {bits} to i64"))
        numbers, rows = [], [first]
        for quad in range(QUADS):
            own = assign(f"and {MASK_BITS} {bits}, {15 << 4 * quad}")
            some = assign(f"icmp ne {MASK_BITS} {own}, 0")
            numbers.append(assign(f"select i1 {some}, i64 {self._count}, i64 0"))
            rows.append(assign(f"add i64 {rows[-1]}, {numbers[-1]}"))
        self._rows = rows[:QUADS]
        if self._count > 1:
            for quad in range(1, QUADS):
                fields.set(_line_of(quad), waiting[quad])
        yield
        fields.set("ops", rows[QUADS])
        for quad in range(QUADS):
            note_ops(ops, fields, number, quad, rows[quad], numbers[quad])
        self._write_instructions(fields)
        if self._count > 1:
            for quad in range(1, QUADS):
                self._join(fields, quad, waiting[quad], numbers[quad])
        function.jump(behind)
        function.start(behind)
        function.keep(most, 4 * self._taps + SPARE_LINES)

    def _write_instructions(self, fields: Fields) -> None:
        """All quads execute the same; what one has not is overwritten by the next."""
        assert len(self._instructions) == self._count
        numbers = ", ".join(f"i16 {number}" for number in self._instructions)
        for row in self._rows:
            place = fields.row("instruction", row, 2)
            self._ops.function.line(f"store <{self._count} x i16> <{numbers}>, ptr {place}, align 2")

    def _join(self, fields: Fields, quad: int, waiting: Scalar, number: Scalar) -> None:
        """Let a quad's lines, from row ``waiting`` on, follow those of the one before; it has so many ops."""
        ops, assign = self._ops, self._ops.function.assign
        end = fields.number("lines")
        count = assign(f"sub i64 {fields.number(_line_of(quad))}, {waiting}")
        # A quad without a live lane has no rows: those that would be its own are another's.
        lives = assign(f"icmp ne i64 {number}, 0")
        distance = assign(f"select i1 {lives}, i64 {assign(f'sub i64 {waiting}, {end}')}, i64 0")
        distance = assign(f"trunc i64 {distance} to i32")
        start, at = fields.row("line_first", self._rows[quad], 4), 0
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

    def append(self, ops: LlvmOps, operands: Sequence[Scalar], touched: Touched) -> None:
        """Write the ops of all quads. A quad without live lanes has none: the next one's take their place."""
        assign, text = ops.function.assign, ops.function.line
        fields, rows = Fields(ops, operands[0]), operands[1:]
        live = ops.load(MASK_BITS, operands[0], TEXTURE_RECORD.place("live"), align=8)
        dead = dead_lanes(ops, live)
        waits = self._count > 1
        lines = [fields.number(_line_of(quad) if quad else "lines") for quad in range(QUADS if waits else 1)]
        places = Places({quad: fields.places(line) for quad, line in enumerate(lines)})
        counts = list_lines(ops, touched, dead, places)
        for quad, (row, texels) in enumerate(zip(rows, texels_of(ops, touched.texels, dead), strict=True)):
            if quad >= len(lines):
                lines.append(assign(f"add i64 {lines[-1]}, {counts[quad - 1]}"))
            fields.put("line_first", row, 4, lines[quad])
            fields.put("line_count", row, 1, counts[quad])
            text(f"store <4 x i8> {texels}, ptr {fields.row('texels', row, 4)}, align 4")
        ends = [assign(f"add i64 {line}, {count}") for line, count in zip(lines, counts, strict=True)]
        for quad in range(1, QUADS if waits else 1):
            fields.set(_line_of(quad), ends[quad])
        fields.set("lines", ends[0] if waits else ends[-1])
