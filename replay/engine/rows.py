"""Rows of small tables, packed as they come: a dictionary a row costs more than a small draw."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.finished import PackedTable
from traceformat.gputrace.frametrace import SCHEMA, Table

__all__ = ["PackedRows"]

_WORD: Final = np.dtype("<u4")

_CODES: Final = {
    "<u1": "B",
    "<u2": "H",
    "<u4": "I",
    "<u8": "Q",
    "<i2": "h",
    "<i4": "i",
    "<i8": "q",
    "<f4": "f",
    "<f8": "d",
}


class _Group:
    """Columns that are packed together, one behind the other.

    Parameters
    ----------
    spec : columns of the table
    names : those of the group, in their order
    """

    def __init__(self, spec: Mapping[str, Any], names: tuple[str, ...]) -> None:
        self.names = names
        self.dtype = np.dtype([(key, spec[key].dtype, spec[key].shape) for key in names])
        codes = (_CODES[np.dtype(spec[key].dtype).str.replace("|", "<")] for key in names)
        #: Numbers of each column.
        self.sizes = tuple(math.prod(spec[key].shape) for key in names)
        layout = "".join(f"{size}{code}" for size, code in zip(self.sizes, codes, strict=True))
        self.width = sum(self.sizes)
        ends = accumulate(self.sizes)
        #: First number of each column, and how many it has.
        self.places = {key: (end - size, size) for key, end, size in zip(names, ends, self.sizes, strict=True)}
        #: For numbers that fit.
        self.packer = struct.Struct(f"<{layout}")

    def pack(self, values: tuple[Any, ...]) -> bytes:
        """Pack values, those of a vector one by one; numbers that no GL call can have set are clipped."""
        try:
            return self.packer.pack(*values)
        except (struct.error, OverflowError):
            pass
        row = np.zeros(1, self.dtype)
        at = 0
        for key in self.names:
            size = row[key].size
            row[key] = _clipped(np.array(values[at : at + size], object).reshape(row[key].shape), row[key].dtype)
            at += size
        return row.tobytes()


class PackedRows:
    """Rows of one table: some columns differ from row to row, the others are packed once by :meth:`pack`.

    Parameters
    ----------
    table : name in SCHEMA
    varying : columns that :meth:`append` takes, in its order; by default all required ones
    fixed : groups of columns that are packed beforehand
    """

    def __init__(self, table: str, varying: tuple[str, ...] = (), *fixed: tuple[str, ...]) -> None:
        self._name = table
        self._spec = SCHEMA[table]
        varying = varying or tuple(key for key, column in self._spec.items() if not column.optional)
        self._varying = _Group(self._spec, varying)
        self._pack = self._varying.packer.pack
        self._fixed = [_Group(self._spec, names) for names in fixed]
        self._groups = {group.names: group for group in self._fixed}
        self._group_of = {key: group for group in self._fixed for key in group.names}
        groups = [self._varying, *self._fixed]
        self._dtype = np.dtype([field for group in groups for field in group.dtype.descr])
        #: The columns that somebody asked for last, and those of them that there are, with rows and without.
        self._asked: Sequence[str] = ()
        self._handed: tuple[str, ...] = ()
        self._handed_empty: tuple[str, ...] = ()
        self._data = bytearray()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of packed rows."""
        return self._dtype

    def pack(self, **columns: Any) -> bytes:
        """A group of the fixed part of a row; of columns that are not given 0."""
        group = self._group_of[next(iter(columns))]
        assert columns.keys() <= group.places.keys()
        flat: list[Any] = [0] * group.width
        for key, value in columns.items():
            place, size = group.places[key]
            if size == 1 and not isinstance(value, list | tuple):
                flat[place] = value
                continue
            nested = isinstance(value[0], list)
            flat[place : place + size] = [part for inner in value for part in inner] if nested else value
        return group.pack(tuple(flat))

    def packer(self, names: tuple[str, ...]) -> Callable[..., bytes]:
        """What packs the group of these columns, given their values in this order, those of a vector one by one."""
        group = self._groups[names]
        return lambda *values: group.pack(values)

    def pack_row(self, *values: Any) -> bytes:
        """The varying part of a row, as :meth:`append` takes it, for :meth:`extend`."""
        try:
            return self._pack(*values)
        except (struct.error, OverflowError):
            return self._varying.pack(values)

    def append(self, *values: Any, fixed: bytes = b"") -> None:
        """Append a row: the values of the varying columns, those of a vector one by one, and the packed ones."""
        try:
            self._data += self._pack(*values)
        except (struct.error, OverflowError):
            self._data += self._varying.pack(values)
        self._data += fixed
        self._count += 1

    def extend(self, rows: bytes, count: int) -> None:
        """Append packed rows."""
        self._data += rows
        self._count += count

    def extend_columns(self, columns: Mapping[str, Any], fixed: Sequence[NDArray[np.uint8]]) -> None:
        """Append rows: the varying columns, or one value for all rows, and the packed ones, (rows, bytes) each."""
        count, begin = len(fixed[0]), self._varying.dtype.itemsize
        packed = np.empty((count, self._dtype.itemsize), np.uint8)
        varying = packed[:, :begin].view(self._varying.dtype)[:, 0]
        for key in self._varying.names:
            varying[key] = columns[key]
        for part in fixed:
            packed[:, begin : begin + part.shape[1]] = part
            begin += part.shape[1]
        self._data += packed.data
        self._count += count

    def update(self, number: int, key: str, value: int) -> None:
        """Change a column of a row that is there."""
        field = self._dtype.fields
        assert field is not None
        dtype, offset = field[key][:2]
        at = number * self._dtype.itemsize + offset
        self._data[at : at + dtype.itemsize] = np.array(value, dtype).tobytes()

    def fill(self, first: int, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Change columns of ``count`` rows from ``first`` on."""
        rows = np.frombuffer(self._data, self._dtype, count, first * self._dtype.itemsize)
        for key, values in columns.items():
            rows[key] = values

    def word_place(self, *names: str) -> int:
        """Offset in a row of columns of four bytes, for :meth:`fill_words`; raises ValueError unless they follow each
        other.
        """
        fields = self._dtype.fields
        assert fields is not None
        found = [fields[name] for name in names]
        first = int(found[0][1])
        if any([field[0] != _WORD or field[1] != first + 4 * k for k, field in enumerate(found)]):
            raise ValueError(f"columns {names} of {self._name} are no words that follow each other")
        return first

    def fill_words(self, first: int, place: int, values: NDArray[np.int64]) -> None:
        """Change columns of rows from ``first`` on.

        Parameters
        ----------
        place : of the columns, see :meth:`word_place`
        values : (rows, columns)
        """
        row = self._dtype.itemsize
        np.ndarray(values.shape, _WORD, self._data, first * row + place, (row, 4))[...] = values

    def get(self, number: int, key: str) -> int:
        """A column of a row that is there."""
        return int(np.frombuffer(self._data, self._dtype, 1, number * self._dtype.itemsize)[key][0])

    def clear(self) -> None:
        """Forget all rows."""
        self._data = bytearray()
        self._count = 0

    def finish(self, wanted: Sequence[str]) -> Table:
        """Hand over the wanted columns, in this order, and start anew; optional ones only if there are rows."""
        if wanted is not self._asked:
            names = [key for key in wanted if key in (self._dtype.names or ())]
            self._asked, self._handed = wanted, tuple(names)
            self._handed_empty = tuple([key for key in names if not self._spec[key].optional])
        if not self._count:
            return PackedTable(self._name, 0, self._handed_empty, bytearray(), self._dtype)
        done = PackedTable(self._name, self._count, self._handed, self._data, self._dtype)
        self._data, self._count = bytearray(), 0
        return done


def _clipped(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return np.asarray(value, np.float64)
    info = np.iinfo(dtype)
    return np.asarray(np.clip(np.array(value, object), info.min, info.max)).astype(dtype)
