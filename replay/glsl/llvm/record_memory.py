"""Memory that a texture access record is written to, where that is not the tables of a frame."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.glsl.llvm.abi import LATER_OP_BYTES, QUADS, SPARE_LINES, TEXTURE_RECORD
from traceformat.native.records import address_of

__all__ = ["LINES_PER_OP", "RecordMemory"]

#: Room for lines, a row of ops.
LINES_PER_OP: Final = 4
_FIRST_ROWS: Final = 1 << 10


class RecordMemory:
    """Room for the texture accesses of a chunk, and the TEXTURE_RECORD that refers to it.

    Attributes
    ----------
    ops, lines : columns by name, see TEXTURE_RECORD
    row : the record
    tex_first, tex_count : for each quad of the chunk its first op, and how many it has
    num_rows : rows of ops, and of what waits for the end of a group
    """

    def __init__(self, rows: int = _FIRST_ROWS) -> None:
        self.row: Any = TEXTURE_RECORD.row()
        self.ops: dict[str, NDArray[Any]] = {}
        self.lines: dict[str, NDArray[Any]] = {}
        self.tex_first, self.tex_count = np.zeros(0, np.uint32), np.zeros(0, np.uint16)
        self._later: list[NDArray[np.uint8]] = []
        self.num_rows = 0
        self.provide(rows)

    def provide(self, rows: int) -> None:
        """Make sure of room for so many ops and as many times :data:`LINES_PER_OP` lines; content is lost."""
        if rows <= self.num_rows:
            return
        self.num_rows, num_lines = rows, LINES_PER_OP * rows
        self.ops = {
            "line_first": np.empty(rows, np.uint32),
            "line_count": np.empty(rows, np.uint8),
            "texels": np.empty((rows, 4), np.uint8),
            "instruction": np.empty(rows, np.uint16),
        }
        self.lines = {"line": np.empty(num_lines, np.uint32), "lanes": np.empty(num_lines, np.uint8)}
        self._later = [np.empty((QUADS - 1) * rows * size, np.uint8) for size in (LATER_OP_BYTES, 4, 1)]
        row = self.row
        for name, column in (self.ops | self.lines).items():
            setattr(row, name, address_of(column))
        row.ops_room, row.lines_room, row.later_room = rows, num_lines, rows
        row.later_ops, row.later_line, row.later_lanes = map(address_of, self._later)

    @property
    def num_bytes(self) -> int:
        """Bytes of its columns."""
        return sum([column.nbytes for column in (*self.ops.values(), *self.lines.values(), *self._later)])

    def begin(self, quads: int) -> None:
        """Empty the record, for a chunk of so many quads, whole groups."""
        row = self.row
        row.ops = row.lines = row.later_used = row.most_later = 0
        row.ops_1 = row.ops_2 = row.ops_3 = row.lines_1 = row.lines_2 = row.lines_3 = 0
        if len(self.tex_first) < quads:
            self.tex_first, self.tex_count = np.zeros(quads, np.uint32), np.zeros(quads, np.uint16)
            row.tex_first, row.tex_count = address_of(self.tex_first), address_of(self.tex_count)

    def has_room(self) -> bool:
        """Whether what was written fitted; if it did not, there is more room now."""
        row = self.row
        needed = max(row.ops, -(-(row.lines + SPARE_LINES) // LINES_PER_OP), row.most_later)
        if needed <= self.num_rows:
            return True
        self.provide(2 * needed)
        return False
