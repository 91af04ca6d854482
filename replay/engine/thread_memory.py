"""Working memory of one thread that shades fragments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from replay.engine.kernels.records import CHUNK_QUADS, RECORD_ADDRESSES, THREAD
from replay.glsl.llvm.abi import ARGUMENTS
from replay.glsl.llvm.record_memory import RecordMemory
from traceformat.native.records import address_of

__all__ = ["ThreadMemory", "aligned_octets"]

_FIRST_RECORD_ROWS: Final = 1 << 15
_ALIGNMENT: Final = 64


def aligned_octets(num_bytes: int) -> Any:
    """Memory on a 64-byte boundary, content undefined."""
    raw = np.empty(num_bytes + _ALIGNMENT, np.uint8)
    return raw[-address_of(raw) % _ALIGNMENT :][:num_bytes]


class ThreadMemory:
    """A THREAD record and what it refers to.

    Attributes
    ----------
    record : the record
    """

    def __init__(self) -> None:
        self._arguments = np.zeros(ARGUMENTS.itemsize // 8, np.uint64)
        self._tested, self._arriving = np.empty(CHUNK_QUADS + 2, np.uint8), np.empty(CHUNK_QUADS + 2, np.uint8)
        self._depth = np.empty(4 * (CHUNK_QUADS + 2), np.uint32)
        self._scratch = aligned_octets(0)
        self._outputs = aligned_octets(0)
        self._record = RecordMemory(0)
        self._vertices, self._vertices_at = aligned_octets(0), 0
        self.record: Any = THREAD.row(
            arguments=address_of(self._arguments),
            tested=address_of(self._tested),
            arriving=address_of(self._arriving),
            depth=address_of(self._depth),
            output_width=4 * CHUNK_QUADS,
            record=self._record.row.address,
        )
        self._own = RECORD_ADDRESSES.packer(*RECORD_ADDRESSES.fields)

    def provide(self, output_rows: int, stage_bytes: int) -> None:
        """Make sure of room for stages with so many output rows, and so much scratch memory."""
        record = self.record
        if record.output_rows < output_rows or not record.outputs:
            record.output_rows = max(output_rows, 4)
            self._outputs = aligned_octets(4 * record.output_rows * record.output_width)
            record.outputs = address_of(self._outputs)
        if len(self._scratch) < stage_bytes or not record.scratch:
            self._scratch = aligned_octets(max(stage_bytes, _ALIGNMENT))
            record.scratch, record.scratch_bytes = address_of(self._scratch), len(self._scratch)

    @property
    def num_bytes(self) -> int:
        """Bytes that it takes."""
        return len(self._scratch) + len(self._outputs) + len(self._vertices) + self._record.num_bytes

    def vertices(self, num_bytes: int) -> int:
        """Where there is so much memory for a vertex stage, until the next time."""
        if len(self._vertices) < num_bytes:
            self._vertices = aligned_octets(2 * num_bytes)
            self._vertices_at = address_of(self._vertices)
        return self._vertices_at

    def provide_record(self, rows: int) -> None:
        """Make sure of room for a texture record with so many texture instructions."""
        if self.record.record_rows < rows:
            memory = self._record
            memory.provide(max(rows + rows // 4, _FIRST_RECORD_ROWS))
            columns = {"tex_ops": memory.ops, "texture_lines": memory.lines}
            addresses = {
                f"{table}_{key}": address_of(column) for table, own in columns.items() for key, column in own.items()
            }
            self._own.pack_into(self.record.memory, THREAD.place("own"), addresses)
            self.record.record_rows = memory.num_rows
