"""Rows of small tables, packed as they come: a dictionary a row costs more than a small draw."""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import SCHEMA

__all__ = ["PackedRows"]

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


class PackedRows:
    """Rows of one table: some columns differ from row to row, the others are packed once by :meth:`pack`.

    Parameters
    ----------
    table : name in SCHEMA
    varying : columns that :meth:`append` takes, in its order; by default all required ones
    fixed : columns that are packed beforehand
    """

    def __init__(self, table: str, varying: tuple[str, ...] = (), fixed: tuple[str, ...] = ()) -> None:
        self._spec = SCHEMA[table]
        varying = varying or tuple(key for key, column in self._spec.items() if not column.optional)
        self._varying = np.dtype([self._field(key) for key in varying])
        self._fixed = np.dtype([self._field(key) for key in fixed])
        self._dtype = np.dtype([self._field(key) for key in (*varying, *fixed)])
        self._struct = self._struct_of(varying)
        self._fixed_struct = self._struct_of(fixed)
        self._data = bytearray()
        self._count = 0

    def _field(self, key: str) -> tuple[str, str, tuple[int, ...]]:
        column = self._spec[key]
        return (key, column.dtype, column.shape)

    def _struct_of(self, keys: tuple[str, ...]) -> struct.Struct:
        codes = (_CODES[np.dtype(self._spec[key].dtype).str.replace("|", "<")] for key in keys)
        sizes = (int(np.prod(self._spec[key].shape, dtype=int)) for key in keys)
        return struct.Struct("<" + "".join(f"{size}{code}" for size, code in zip(sizes, codes, strict=True)))

    def __len__(self) -> int:
        return self._count

    def pack(self, **columns: Any) -> bytes:
        """The fixed part of a row; numbers that no GL call can have set, from a hostile trace, are clipped."""
        names = self._fixed.names or ()
        flat: list[Any] = []
        for key in names:
            value = columns[key]
            if isinstance(value, list | tuple):
                flat.extend(value if not isinstance(value[0], list) else (part for inner in value for part in inner))
            else:
                flat.append(value)
        try:
            return self._fixed_struct.pack(*flat)
        except (struct.error, OverflowError):
            row = np.zeros(1, self._fixed)
            for key in names:
                row[key] = _clipped(columns[key], row[key].dtype)
            return row.tobytes()

    def append(self, *values: Any, fixed: bytes = b"") -> None:
        """Append a row: the values of the varying columns, those of a vector one by one, and the packed ones."""
        try:
            self._data += self._struct.pack(*values)
        except (struct.error, OverflowError):
            self._data += self._pack_clipped(values)
        self._data += fixed
        self._count += 1

    def _pack_clipped(self, values: tuple[Any, ...]) -> bytes:
        row = np.zeros(1, self._varying)
        at = 0
        for key in self._varying.names or ():
            size = row[key].size
            row[key] = _clipped(np.array(values[at : at + size], object).reshape(row[key].shape), row[key].dtype)
            at += size
        return row.tobytes()

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

    def get(self, number: int, key: str) -> int:
        """A column of a row that is there."""
        return int(np.frombuffer(self._data, self._dtype, 1, number * self._dtype.itemsize)[key][0])

    def finish(self) -> dict[str, NDArray[Any]]:
        """Hand over the columns, in the schema's order, and start anew; optional ones only if there are rows."""
        rows = np.frombuffer(bytes(self._data), self._dtype, self._count)
        names = {key for key in self._dtype.names or () if self._count or not self._spec[key].optional}
        self._data = bytearray()
        self._count = 0
        return {key: rows[key].copy() for key in self._spec if key in names}


def _clipped(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return np.asarray(value, np.float64)
    info = np.iinfo(dtype)
    return np.asarray(np.clip(np.array(value, object), info.min, info.max)).astype(dtype)
