"""Columns of a pass or a frame that has ended: each becomes an array when somebody asks for it.

A frame has twenty tables, and eight more for each further pass, most of them of a few rows, and who reads a frame reads
some columns of some tables. Making arrays of all took a tenth of a small frame's time.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import SCHEMA, Table

__all__ = ["ComputedTable", "CopiedTable", "FinishedTable", "Layout", "PackedTable", "packed"]

#: Columns of a table in their order: type, shape of an element and bytes a row.
Layout = Mapping[str, tuple[np.dtype[Any], tuple[int, ...], int]]
#: Packed columns begin at multiples of it.
_ALIGNMENT: Final = 8
_PAST: Final = _ALIGNMENT - 1


class _DeferredTable(Table):
    """A table whose columns are made when somebody asks for them.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    names : its columns, in their order
    """

    __slots__ = ("_names", "_rows")

    # Frames have many tables, and a chain of constructors takes longer than all that they do: each class sets what the
    # ones above have.
    _columns: dict[str, NDArray[Any]]
    _names: Collection[str]
    _rows: int

    @abstractmethod
    def _made(self, key: str) -> NDArray[Any]:
        """Make a column."""

    def __getitem__(self, key: str) -> NDArray[Any]:
        """Give the column; raises KeyError ``table.column`` if it is not kept."""
        if key not in self._columns and key in self._names:
            self._columns[key] = self._made(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        """Number of columns present; see ``num_rows``."""
        return len(self._names)

    @property
    def num_rows(self) -> int:
        """Rows of the table."""
        return self._rows if self._names else 0

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        spec = SCHEMA[self.name]
        return self._rows * sum([np.dtype(spec[key].dtype).itemsize * math.prod(spec[key].shape) for key in self])


class CopiedTable(_DeferredTable):
    """A table of copies of columns that lie somewhere else.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    known : the columns, which nobody changes
    names : those to give, in their order
    """

    __slots__ = ("_known",)

    def __init__(self, name: str, rows: int, known: Mapping[str, NDArray[Any]], names: Collection[str]) -> None:
        self.name = name
        self._columns = {}
        self._rows, self._names = rows, names
        self._known = known

    def _made(self, key: str) -> NDArray[Any]:
        return self._known[key].copy()


class PackedTable(_DeferredTable):
    """A table whose rows were packed one after the other.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    names : its columns, in their order
    data, dtype : the rows, which nobody changes, and what is packed in each
    """

    __slots__ = ("_data", "_dtype")

    def __init__(self, name: str, rows: int, names: Collection[str], data: bytearray, dtype: np.dtype[Any]) -> None:
        self.name = name
        self._columns = {}
        self._rows, self._names = rows, names
        self._data, self._dtype = data, dtype

    def _made(self, key: str) -> NDArray[Any]:
        return np.ndarray(self._rows, self._dtype, self._data)[key].copy()


class ComputedTable(_DeferredTable):
    """A table whose columns are computed together, when somebody asks for the first of them.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    names : its columns, in their order
    compute : gives the columns, and perhaps others, from what nobody changes
    """

    __slots__ = ("_compute", "_found")

    def __init__(
        self, name: str, rows: int, names: Collection[str], compute: Callable[[], Mapping[str, NDArray[Any]]]
    ) -> None:
        self.name = name
        self._columns = {}
        self._rows, self._names = rows, names
        self._compute = compute
        self._found: Mapping[str, NDArray[Any]] | None = None

    def _made(self, key: str) -> NDArray[Any]:
        if self._found is None:
            self._found = self._compute()
        return self._found[key]

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes get the columns."""
        return Table, (self.name, {key: self[key] for key in self._names})


class FinishedTable(_DeferredTable):
    """A table whose columns lie in one block of memory.

    Parameters
    ----------
    name : of the table in SCHEMA
    rows : of the table
    layout : its columns
    row_bytes : of all of them
    block : memory that they lie in
    places : where each begins; None where they are :func:`packed`
    """

    __slots__ = ("_block", "_layout", "_places", "_row_bytes")

    def __init__(
        self,
        name: str,
        rows: int,
        layout: Layout,
        row_bytes: int,
        block: NDArray[np.uint8] | bytearray,
        places: Mapping[str, int] | None,
    ) -> None:
        self.name = name
        self._columns = {}
        self._rows, self._names = rows, layout
        self._layout = layout
        self._row_bytes = row_bytes
        self._block = block
        self._places = places

    def _made(self, key: str) -> NDArray[Any]:
        if self._places is None:
            self._places = _packed_places(self._layout, self._rows)
        dtype, shape, _ = self._layout[key]
        return np.ndarray((self._rows, *shape), dtype, self._block, self._places[key])

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return self._rows * self._row_bytes


def packed(block: NDArray[np.uint8], rows: int, layout: Layout, places: Mapping[str, int]) -> bytearray:
    """So many rows of columns one behind the other; bytes that fill up are whatever lies behind a column."""
    octets = block.data
    return bytearray().join(
        [
            octets[(at := places[key]) : at + (rows * row_bytes + _PAST & -_ALIGNMENT)]
            for key, (_, _, row_bytes) in layout.items()
        ]
    )


def _packed_places(layout: Layout, rows: int) -> dict[str, int]:
    out, at = {}, 0
    for key, (_, _, row_bytes) in layout.items():
        out[key] = at
        at += rows * row_bytes + _PAST & -_ALIGNMENT
    return out
