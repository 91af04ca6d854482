"""Passes of a frame in progress, and until nobody needs the frame any more: in memory, or in a file.

The first ones that fit in a budget stay in memory; further ones wait in a file (:mod:`traceformat.spill`). A pass that
is asked for is read again, once for all who hold it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import PassContent, Table
from traceformat.guards import guards
from traceformat.spill import SpillFile

__all__ = ["PassStore", "resident_bytes"]

Array = NDArray[Any]
#: Bytes of a frame's passes that stay in memory.
_RESIDENT_BYTES: Final = 1 << 28
#: And at most this part of what the process may hold.
_RESIDENT_SHARE: Final = 16


def resident_bytes() -> int:
    """Bytes of a frame's passes that may stay in memory."""
    return min(_RESIDENT_BYTES, guards().process_memory // _RESIDENT_SHARE)


@dataclass(frozen=True, slots=True)
class _Stored:
    """Where an array lies in the file."""

    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _StoredPass:
    tables: dict[str, dict[str, _Stored]]
    pixels: list[_Stored]
    contents: list[_Stored | None]


class PassStore:
    """The passes of one frame, in order.

    Parameters
    ----------
    resident_bytes : that stay in memory
    """

    def __init__(self, resident_bytes: int) -> None:
        #: Bytes that may still stay.
        self._room = resident_bytes
        self._passes: list[PassContent | _StoredPass] = []
        #: Made when it is needed: most frames stay in memory.
        self._file: SpillFile | None = None
        self._read: WeakValueDictionary[int, PassContent] | None = None
        #: Several runs ask at a time.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._passes)

    def add(self, content: PassContent, table_bytes: int | None = None) -> None:
        """Take the next pass; its arrays are the store's from now on.

        Parameters
        ----------
        table_bytes : memory that its tables lie in; by default what they fill
        """
        size = table_bytes
        if size is None:
            size = sum([table.nbytes for table in content.tables.values()])
        size += sum([pixels.nbytes for pixels in (*content.pixels, *content.contents) if pixels is not None])
        if size <= self._room:
            self._room -= size
            self._passes.append(content)
            return
        self._room = 0
        self._passes.append(self._write(content))

    def _write(self, content: PassContent) -> _StoredPass:
        return _StoredPass(
            {name: {key: self._put(column) for key, column in table.items()} for name, table in content.tables.items()},
            [self._put(pixels) for pixels in content.pixels],
            [None if pixels is None else self._put(pixels) for pixels in content.contents],
        )

    def _put(self, array: Array) -> _Stored:
        if self._file is None:
            self._file = SpillFile("a frame's passes")
        return _Stored(self._file.put(array), array.dtype, array.shape)

    def load(self, index: int) -> PassContent:
        """Give a pass; the same one while somebody holds it."""
        kept = self._passes[index]
        if isinstance(kept, PassContent):
            return kept
        with self._lock:
            if self._read is None:
                self._read = WeakValueDictionary()
            found = self._read.get(index)
            if found is None:
                found = self._read[index] = PassContent(
                    {name: Table(name, {key: self._get(one) for key, one in table.items()})
                     for name, table in kept.tables.items()},
                    [self._get(one) for one in kept.pixels],
                    [None if one is None else self._get(one) for one in kept.contents],
                )  # fmt: skip
            return found

    def _get(self, stored: _Stored) -> Array:
        assert self._file is not None
        return self._file.read(stored.offset, stored.dtype, stored.shape)
