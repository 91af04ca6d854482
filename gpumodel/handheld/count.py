"""Counting accesses: values by kind, and the 32-bit words that they take.

Two values of 16 bits lie in a word of memory, and "can be queued up so that two values are read/written in one 32-bit
memory access" (§3). Three readings of that, all counted at once:

* **order**: for each kind of access one word is pending. A value that lies in the pending word shares its access; any
  other opens a new one. Between triangles nothing stays pending (unless the configuration says so): the machine works
  on one triangle at a time, and what it has read may have changed.
* **ideal**: two values a word always, as the paper's Equation 5 counts.
* **none**: an access a value.

Texture accesses are words in themselves.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numba
import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.accessstream import KIND_SHIFT, NUM_KINDS, PLACE_MASK, AccessKind
from traceformat.kernels import kernel

__all__ = ["AccessCounter", "count_accesses"]

Array: TypeAlias = NDArray[Any]
_TRIANGLE = int(AccessKind.TRIANGLE)
_TEXTURE = int(AccessKind.TEXTURE)
_NUM = NUM_KINDS


@kernel(numba.void(numba.uint32[::1], numba.boolean, numba.int64[::1], numba.int64[::1], numba.int64[::1]))
def count_accesses(codes: Array, across_triangles: bool, pending: Array, values: Array, words: Array) -> None:
    """Count a piece of the stream.

    Parameters
    ----------
    codes : accesses, see :mod:`traceformat.gputrace.accessstream`
    across_triangles : pending words outlive their triangle
    pending : (kinds,) pending word of each kind, -1 = none; carried from piece to piece
    values, words : (kinds,) added to
    """
    for i in range(codes.shape[0]):
        code = np.int64(codes[i])
        kind = code >> KIND_SHIFT
        if kind == _TRIANGLE:
            values[kind] += 1
            if not across_triangles:
                for k in range(_NUM):
                    pending[k] = -1
            continue
        values[kind] += 1
        word = (code & PLACE_MASK) >> 1
        if kind == _TEXTURE:
            words[kind] += 1
        elif pending[kind] != word:
            words[kind] += 1
            pending[kind] = word


class AccessCounter:
    """Takes accesses (:class:`~traceformat.gputrace.accessstream.AccessSink`) and counts them.

    Parameters
    ----------
    across_triangles : pending words outlive their triangle
    """

    def __init__(self, across_triangles: bool = False) -> None:
        self._across = across_triangles
        self.values = np.zeros(NUM_KINDS, np.int64)
        self.words = np.zeros(NUM_KINDS, np.int64)
        self._pending = np.full(NUM_KINDS, -1, np.int64)

    def __call__(self, codes: NDArray[np.uint32]) -> None:
        """Count a piece of the stream."""
        count_accesses(codes, self._across, self._pending, self.values, self.words)

    def take(self) -> tuple[dict[AccessKind, int], dict[AccessKind, int]]:
        """Values and words by kind since the last call."""
        values, words = ({kind: int(array[kind]) for kind in AccessKind} for array in (self.values, self.words))
        self.values[:] = 0
        self.words[:] = 0
        self._pending[:] = -1
        return values, words
