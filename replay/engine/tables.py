"""The tables of the frame in progress that draws write their bulk into."""

from __future__ import annotations

from dataclasses import dataclass

from replay.engine.columns import GrowingTable

__all__ = ["Tables"]


@dataclass(slots=True)
class Tables:
    """The tables that draws write their bulk into."""

    vertices: GrowingTable
    primitives: GrowingTable
    emitted: GrowingTable
    attributes: GrowingTable
    quads: GrowingTable
    tex_ops: GrowingTable
    texture_lines: GrowingTable
    color_data: GrowingTable

    def clear(self) -> None:
        """Forget all rows, keep the memory."""
        for table in self._all():
            table.clear()

    def leave(self) -> None:
        """Let go of the memory, see :meth:`~replay.engine.columns.GrowingTable.leave`."""
        for table in self._all():
            table.leave()

    def _all(self) -> tuple[GrowingTable, ...]:
        return (
            self.vertices,
            self.primitives,
            self.emitted,
            self.attributes,
            self.quads,
            self.tex_ops,
            self.texture_lines,
            self.color_data,
        )
