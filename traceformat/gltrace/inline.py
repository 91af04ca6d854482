"""Small contents of a chunk of calls: each is stored once where that is cheap to see, and known by its number."""

from __future__ import annotations

from array import array
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["INLINE_BYTES", "InlineContents"]

#: Content up to this size lies in the chunk itself, larger content in a blob.
INLINE_BYTES: Final = 256
_LENGTH_BYTES: Final = 4


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

    def add_packed(self, contents: memoryview, lengths: NDArray[np.uint32]) -> None:
        """Add contents that lie one after the other; they get the next numbers.

        Parameters
        ----------
        contents : all of them; not to be changed as long as this is used
        lengths : (n,) uint32
        """
        if len(lengths):
            self._lengths.frombytes(lengths.tobytes())
            self._pieces.append(contents)
            self.num_bytes += len(contents) + _LENGTH_BYTES * len(lengths)

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
