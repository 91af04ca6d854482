"""Memory for what the draws of a batch refer to: taken piece by piece, and let go of at once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from traceformat.native.records import address_of

__all__ = ["COPIED_BYTES", "OctetArena"]

_ALIGNMENT: Final = 64
_BLOCK_BYTES: Final = 1 << 17
#: A trace may refer to one large content from each of many draws: copies would multiply it.
COPIED_BYTES: Final = 1 << 14


class OctetArena:
    """Pieces of memory on 64-byte boundaries, which stay where they are until everything is cleared."""

    def __init__(self) -> None:
        self._kept: list[NDArray[np.uint8]] = []
        self._held: list[NDArray[np.uint8]] = []
        self._begin(_BLOCK_BYTES)

    def _begin(self, num_bytes: int) -> None:
        block = np.empty(num_bytes + _ALIGNMENT, np.uint8)
        self._kept.append(block)
        self._memory = block.data
        self._base = address_of(block)
        self._at = -self._base % _ALIGNMENT

    def take(self, num_bytes: int) -> tuple[int, memoryview]:
        """Take a piece, content undefined: its address and the memory from there on, which may be longer."""
        at = self._at
        end = at + num_bytes
        if end > len(self._memory):
            self._begin(max(num_bytes, _BLOCK_BYTES))
            at = self._at
            end = at + num_bytes
        self._at = end + -(self._base + end) % _ALIGNMENT
        return self._base + at, self._memory[at:end]

    def place(self, data: bytes | bytearray | memoryview) -> int:
        """Where data lie until everything is cleared: small ones are copied, large ones kept."""
        size = len(data)
        if size <= COPIED_BYTES:
            address, memory = self.take(size)
            memory[:] = data
            return address
        octets = np.frombuffer(data, np.uint8)
        self._held.append(octets)
        return address_of(octets)

    def clear(self) -> None:
        """Everything that was taken is free again."""
        self._held.clear()
        if len(self._kept) > 1:
            self._kept.clear()
            self._begin(_BLOCK_BYTES)
        self._at = -self._base % _ALIGNMENT
