"""Small contents of a chunk of calls: each is stored once where that is cheap to see, and known by its number."""

from __future__ import annotations

from array import array
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["INLINE_BYTES", "InlineContents"]

#: Content up to this size lies in the chunk itself, larger content in a blob.
INLINE_BYTES: Final = 256
_LENGTH_BYTES: Final = 4
#: Several at a time are remembered one by one where they are at most one in so many different ones.
_FEW: Final = 8
_SLOT_BITS: Final = 15
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


class InlineContents:
    """Contents in order of appearance.

    Attributes
    ----------
    known : numbers of those that were given one by one
    num_bytes : that all take in the chunk
    """

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}
        self.num_bytes = 0
        self._lengths = array("I")
        self._pieces: list[bytes | memoryview] = []

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def content_bytes(self) -> int:
        """Bytes of the contents alone."""
        return self.num_bytes - _LENGTH_BYTES * len(self._lengths)

    def add(self, data: bytes) -> int:
        """Give the number of a content."""
        number = self.known.get(data)
        if number is None:
            number = self.known[data] = len(self._lengths)
            self._lengths.append(len(data))
            self._pieces.append(data)
            self.num_bytes += len(data) + _LENGTH_BYTES
        return number

    def add_rows(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Give the numbers of contents of one size; most of those that are alike get one number.

        Parameters
        ----------
        rows : (n, bytes) uint8

        Returns
        -------
        (n,) int64
        """
        count, size = rows.shape
        if (rows[-1] == rows[0]).all() and (rows == rows[0]).all():
            return np.full(count, self.add(rows[0].tobytes()))
        contents = np.ascontiguousarray(rows).view(f"V{size}")[:, 0]
        first = _alike(contents)
        is_new = first == np.arange(count)
        different = contents if is_new.all() else contents[is_new]
        if len(different) * _FEW <= count:
            numbers = np.array([self.add(content.tobytes()) for content in different])
        else:
            numbers = len(self._lengths) + np.arange(len(different))
            self._lengths.extend(array("I", [size]) * len(different))
            self._pieces.append(different.view(np.uint8).data)
            self.num_bytes += (size + _LENGTH_BYTES) * len(different)
        return numbers if different is contents else numbers[(np.cumsum(is_new) - 1)[first]]

    def forget(self, count: int) -> None:
        """Forget those from a number on, which were given one by one."""
        while len(self) > count:
            self._lengths.pop()
            self.num_bytes -= len(self._pieces.pop()) + _LENGTH_BYTES
            self.known.popitem()

    def lengths(self) -> bytes:
        """Give the length of each."""
        return np.asarray(self._lengths, "<u4").tobytes()

    def pieces(self) -> list[bytes | memoryview]:
        """All of them, one after the other."""
        return self._pieces


def _alike(contents: NDArray[Any]) -> NDArray[Any]:
    """For each content the place of one that is equal: most of those that are alike have the same, which has itself."""
    places, size = np.arange(len(contents)), contents.dtype.itemsize
    words = contents.view(next(f"u{each}" for each in (8, 4, 2, 1) if size % each == 0)).reshape(len(contents), -1)
    # Odd numbers without a pattern; a product's upper bits depend on all bits of its factor.
    weights = _ODD * (2 * np.arange(1, words.shape[1] + 1, dtype=np.uint64) + np.uint64(1))
    hashes = words.astype(np.uint64, copy=False) @ weights
    slots = (hashes * _ODD >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
    table = np.empty(1 << _SLOT_BITS, np.intp)
    table[slots] = places
    first = table[slots]
    differs = np.flatnonzero(first != places)
    differs = differs[hashes[first[differs]] == hashes[differs]]
    differs = differs[(words[first[differs]] == words[differs]).all(axis=1)]
    places[differs] = first[differs]
    return places
