"""Columns of a pass that has ended: each becomes an array when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import Table

__all__ = ["FinishedTable", "Layout", "packed"]

#: Columns of a table in their order: type, shape of an element and bytes a row.
Layout = Mapping[str, tuple[np.dtype[Any], tuple[int, ...], int]]
#: Packed columns begin at multiples of it.
_ALIGNMENT: Final = 8


class FinishedTable(Table):
    """A table whose columns lie in one block of memory.

    A frame of many passes has eight tables of a few rows for each of them, and who reads a frame reads some columns of
    some tables: making arrays of all took a tenth of such a frame's time.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    layout : its columns
    block : memory that they lie in
    places : where each begins; None where they are :func:`packed`
    """

    __slots__ = ("_block", "_layout", "_places", "_rows")

    def __init__(
        self,
        name: str,
        rows: int,
        layout: Layout,
        block: NDArray[np.uint8] | bytearray,
        places: Mapping[str, int] | None,
    ) -> None:
        super().__init__(name, {})
        self._rows = rows
        self._layout = layout
        self._block = block
        self._places = places

    def __getitem__(self, key: str) -> NDArray[Any]:
        """Give the column; raises KeyError ``table.column`` if it is not kept."""
        if key not in self._columns and key in self._layout:
            if self._places is None:
                self._places = _packed_places(self._layout, self._rows)
            dtype, shape, _ = self._layout[key]
            self._columns[key] = np.ndarray((self._rows, *shape), dtype, self._block, self._places[key])
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        """Number of columns present; see ``num_rows``."""
        return len(self._layout)

    @property
    def num_rows(self) -> int:
        """Rows of the table."""
        return self._rows if self._layout else 0

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return self._rows * sum([row_bytes for _, _, row_bytes in self._layout.values()])


def packed(block: NDArray[np.uint8], rows: int, layout: Layout, places: Mapping[str, int]) -> bytearray:
    """So many rows of columns one behind the other; bytes that fill up are whatever lies behind a column."""
    octets = block.data
    return bytearray().join(
        [octets[(at := places[key]) : at + _padded(rows * row_bytes)] for key, (_, _, row_bytes) in layout.items()]
    )


def _packed_places(layout: Layout, rows: int) -> dict[str, int]:
    out, at = {}, 0
    for key, (_, _, row_bytes) in layout.items():
        out[key] = at
        at += _padded(rows * row_bytes)
    return out


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
