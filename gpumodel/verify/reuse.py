"""Colours that a technique took from a table of shaded fragments instead of shading again (Fragment Memoization)."""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from gpumodel.verify.kernels import Array, Number, kernel
from traceformat.errors import InternalError

__all__ = ["HIT", "INSERT", "MAX_SLOTS", "REUSE", "ReuseTable"]

#: One access of the table, in the order in which it happened: a shaded fragment's colour is written to a slot, or a
#: fragment takes a slot's colour.
REUSE: Final = np.dtype([("quad", "<i4"), ("slot", "<i4"), ("lane", "u1"), ("kind", "u1")], align=True)
INSERT: Final = 0
HIT: Final = 1
MAX_SLOTS: Final = 1 << 20

_operations = numba.from_dtype(REUSE)[::1]


@kernel(numba.void(_operations, numba.int64[::1], numba.int64, numba.uint8[::1], numba.uint8[:, ::1]))
def _replay(operations: Array, first: Array, size: Number, colors: Array, table: Array) -> None:
    """Walk through the accesses: inserts copy from ``colors`` to ``table``, hits the other way."""
    for k in range(operations.size):
        at = first[k] + operations[k].lane * size
        slot = operations[k].slot
        for byte in range(size):
            if operations[k].kind == INSERT:
                table[slot, byte] = colors[at + byte]
            else:
                colors[at + byte] = table[slot, byte]


class ReuseTable:
    """The table of one attachment, over a run."""

    def __init__(self) -> None:
        self._table = np.zeros((0, 16), np.uint8)

    def apply(self, operations: NDArray[Any], first: NDArray[np.int64], size: int, colors: NDArray[np.uint8]) -> None:
        """Replace the colours of hits by what their slots hold.

        Parameters
        ----------
        operations : REUSE rows
        first : (N,) first byte of each operation's quad in ``colors``
        size : bytes of a fragment's colour
        colors : in and out
        """
        slots = operations["slot"]
        if int(slots.min(initial=0)) < 0 or int(slots.max(initial=0)) >= MAX_SLOTS or int(operations["lane"].max()) > 3:
            raise InternalError("the log of reused colours names a slot or lane that does not exist")
        needed = int(slots.max(initial=-1)) + 1
        if needed > len(self._table):
            self._table = np.concatenate([self._table, np.zeros((needed - len(self._table), 16), np.uint8)])
        _replay(operations, first, size, colors, self._table)
