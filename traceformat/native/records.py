"""Records of native interfaces, each declared once: fields with their types and meanings.

A declaration gives the layout (a dtype), packs rows by the names of their fields, and lets Python set fields of a row
in place; :mod:`traceformat.native.access` reads the same record by reference inside compiled code. Whoever adds a field
adds it here, and uses it where it is meant for: nothing counts positions.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = [
    "STREAM",
    "Field",
    "Record",
    "Row",
    "address_of",
    "address_of_octets",
    "bind",
    "count",
    "inline",
    "pointer",
    "record_type",
]

_ALIGNMENT: Final = 64


def record_type(**fields: Any) -> np.dtype[Any]:
    """Record type from ``name=dtype`` or ``name=(dtype, shape)``, aligned as C aligns it."""
    spec: list[tuple[str, DTypeLike] | tuple[str, DTypeLike, Any]] = [
        (name, *value) if isinstance(value, tuple) else (name, value) for name, value in fields.items()
    ]
    return np.dtype(spec, align=True)


#: Place and rows of an array outside of the record that refers to it.
STREAM: Final = record_type(address=np.int64, count=np.int64)


def bind(stream: Any, array: NDArray[Any]) -> None:
    """Let a stream's record refer to an array, which the caller keeps alive."""
    assert array.flags.c_contiguous
    stream["address"] = array.ctypes.data
    stream["count"] = len(array)


def address_of(array: NDArray[Any]) -> int:
    """Where an array lies."""
    if array.dtype.kind != "V":  # the interface of a structured array is slow to make
        try:
            return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]  # it has a buffer
        except (TypeError, ValueError, BufferError):
            pass  # empty, read-only, or not in one piece
    # Three times as slow.
    return int(array.ctypes.data)


def address_of_octets(octets: bytes | bytearray | memoryview) -> int:
    """Where octets lie that are not empty."""
    if type(octets) is bytearray:
        return addressof(c_char.from_buffer(octets))
    return int(np.frombuffer(octets, np.uint8).ctypes.data)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record.

    Parameters
    ----------
    help : what it means, with its unit
    record : of which records it holds one within itself; None: 64 bits, a number or an address
    """

    help: str
    record: Record | None = None


def count(help: str) -> Field:
    """A number, 64 bits."""
    return Field(help)


def pointer(help: str) -> Field:
    """An address, 0 for none. Whoever fills the record keeps what is there alive."""
    return Field(help)


def inline(record: Record, help: str) -> Field:
    """A record within the record."""
    return Field(help, record)


class Record:
    """A kind of record.

    Parameters
    ----------
    help : what it describes
    fields : by name

    Attributes
    ----------
    dtype : its layout
    size : bytes
    """

    def __init__(self, help: str, /, **fields: Field) -> None:
        self.help = help
        self.fields: Mapping[str, Field] = fields
        types: dict[str, Any] = {
            name: np.int64 if one.record is None else one.record.dtype for name, one in fields.items()
        }
        self.dtype: np.dtype[Any] = record_type(**types)
        self.size = self.dtype.itemsize
        places: Any = self.dtype.fields
        self._places: dict[str, int] = {name: places[name][1] for name in fields}
        self._whole = self.packer(*fields) if all(one.record is None for one in fields.values()) else None
        self._words = {name: at // 8 for name, at in self._places.items() if fields[name].record is None}
        plain = {name: _property(name, word) for name, word in self._words.items()}
        self._row_class = type("_Row", (Row,), {"__slots__": (), **plain})

    def place(self, name: str) -> int:
        """Offset of a field in bytes."""
        return self._places[name]

    def rows(self, number: int) -> NDArray[Any]:
        """That many records, all zero, on a 64-byte boundary."""
        return _octets(number * self.size)[0].view(self.dtype)

    def row(self, **values: int) -> Any:
        """A record with these fields, the others zero, and Python's view of it, see :class:`Row`."""
        row = self._row_class(*_octets(self.size), self.dtype)
        words, places = row._words, self._words
        for name, value in values.items():
            words[places[name]] = value
        return row

    def packer(self, *names: str) -> Packer:
        """What packs these fields, which follow each other."""
        return Packer(names, [self._places[name] for name in names])

    def words(self, *names: str) -> slice:
        """Which words of the record these fields are, which follow each other."""
        first = self.packer(*names).first // 8
        return slice(first, first + len(names))

    def pack_into(self, memory: memoryview, number: int, values: Mapping[str, int]) -> None:
        """Fill the record of that number; every field must be given."""
        assert self._whole is not None
        self._whole.pack_into(memory, number * self.size, values)


class Packer:
    """Packs fields that follow each other, by their names.

    Parameters
    ----------
    names, places : of the fields, and their offsets in the record

    Attributes
    ----------
    first : offset of the first one
    """

    def __init__(self, names: Sequence[str], places: Sequence[int]) -> None:
        if list(places) != [places[0] + 8 * number for number in range(len(places))]:
            raise ValueError(f"fields {names} do not follow each other")
        self._count = len(names)
        self.first = places[0]
        self._pick: Any = itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)
        layout = struct.Struct(f"<{len(names)}q")
        self._pack, self._unpack = layout.pack_into, layout.unpack_from

    def pack_into(self, memory: memoryview, at: int, values: Mapping[str, int]) -> None:
        """Fill the fields of the record at an offset.

        Raises
        ------
        TypeError : names that are no fields of it
        KeyError : fields that lack
        """
        if len(values) > self._count:
            raise TypeError("more values than fields")
        self._pack(memory, at + self.first, *self._pick(values))

    def put(self, memory: memoryview, at: int, *values: int) -> None:
        """As :meth:`pack_into`, the values in the order of the names: where a dictionary would cost too much."""
        self._pack(memory, at + self.first, *values)

    def take(self, memory: memoryview, at: int) -> tuple[int, ...]:
        """The fields of the record at an offset."""
        return self._unpack(memory, at + self.first)


def _octets(size: int) -> tuple[NDArray[np.uint8], int]:
    """So many bytes, all zero, on a 64-byte boundary, and where they lie."""
    raw = np.zeros(size + _ALIGNMENT, np.uint8)
    address = address_of(raw)
    start = -address % _ALIGNMENT
    return raw[start : start + size], address + start


class Row:
    """One record as Python sees it: its plain fields are attributes; ``address`` says where it lies."""

    __slots__ = ("_dtype", "_words", "address", "memory")

    def __init__(self, octets: NDArray[np.uint8], address: int, dtype: np.dtype[Any]) -> None:
        self.address = address
        self.memory = octets.data
        self._words = self.memory.cast("q")
        self._dtype = dtype

    @property
    def data(self) -> NDArray[Any]:
        """The record as an array of one row."""
        return np.frombuffer(self.memory, self._dtype)


def _property(name: str, word: int) -> property:
    def read(row: Row) -> int:
        return row._words[word]

    def write(row: Row, value: int) -> None:
        row._words[word] = value

    return property(read, write, doc=name)
