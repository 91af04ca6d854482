"""Memory in which the payloads of chunks are put together, one after the other.

Fresh memory of a megabyte costs more than what is written into it: each page comes from the system, zeroed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Payload"]

#: Sections of fewer bytes are joined before they are copied.
_LARGE_BYTES: Final = 1 << 16


class Payload:
    """The memory; what :meth:`join` gives is good until it is called again."""

    def __init__(self) -> None:
        self._memory = np.zeros(0, np.uint8)

    def join(self, sections: Iterable[bytes | memoryview | NDArray[Any]]) -> bytes | memoryview:
        """Put sections one behind the other; an array gives its elements in C order, whatever its strides."""
        parts: list[bytes | memoryview | NDArray[Any]] = []
        small: list[bytes | memoryview] = []
        for section in sections:
            size = section.nbytes if isinstance(section, np.ndarray) else len(section)
            if size < _LARGE_BYTES:
                small.append(section.tobytes() if isinstance(section, np.ndarray) else section)
                continue
            parts += b"".join(small), section
            small.clear()
        if not parts:
            return b"".join(small)
        parts.append(b"".join(small))
        return self._copy(parts)

    def _copy(self, parts: list[bytes | memoryview | NDArray[Any]]) -> memoryview:
        arrays = [part if isinstance(part, np.ndarray) else np.frombuffer(part, np.uint8) for part in parts]
        total = sum(array.nbytes for array in arrays)
        if total > len(self._memory):
            self._memory = np.zeros(total + total // 4, np.uint8)
        at = 0
        for array in arrays:
            self._memory[at : at + array.nbytes].view(array.dtype).reshape(array.shape)[...] = array
            at += array.nbytes
        return self._memory[:total].data
