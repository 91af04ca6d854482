"""Where records begin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.kernels import kernel

__all__ = ["walk"]


@kernel("int64(uint32[::1], int64, int64, int32[::1], int32[::1])")
def walk(words: NDArray[Any], begin: int, end: int, lengths: NDArray[Any], starts: NDArray[Any]) -> int:
    """Step over records.

    Parameters
    ----------
    words : (n,) uint32    records from word ``begin`` to ``end``
    lengths : words of the records of each function: 0 = told by the record's second word, -1 = not known
    starts : (m,) int32    takes the words at which records begin, and behind the last one the word at which it ends

    Returns
    -------
    number of records; the last of ``starts`` is short of ``end`` where ``starts`` was full or no record fits
    """
    at: Any = begin
    count = 0
    starts[0] = at
    while at < end and count + 1 < starts.size:
        function: Any = np.int64(words[at]) & 0xFFFF
        size: Any = np.int64(lengths[function]) if function < lengths.size else np.int64(-1)
        if size < 0:
            break
        if size == 0:
            if at + 1 >= end:
                break
            size = np.int64(words[at + 1])
            if size < 8 or size & 3 != 0:
                break
            size >>= 2
        if size > end - at:
            break
        at += size
        count += 1
        starts[count] = at
    return count
