"""Colours that a technique took from a table of shaded fragments instead of shading again (Fragment Memoization)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from gpumodel.verify.kernels import Array, Number, kernel
from traceformat.errors import InternalError

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams
    from traceformat.frametrace import FrameTrace

__all__ = ["HIT", "INSERT", "MAX_SLOTS", "REUSE", "ReuseLog", "ReuseTable"]

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


@dataclass(slots=True)
class ReuseLog:
    """Accesses of passes that run in parallel and share the table, in the order in which they happened.

    Parameters
    ----------
    operations : REUSE rows
    side : (operations,) uint8 place in ``sides`` of each one's pass
    sides : frame and streams of each pass; ``streams.place`` is its place
    colors : of each attachment the colours of each pass, once they have been replayed
    """

    operations: NDArray[Any]
    side: NDArray[np.uint8]
    sides: Sequence[tuple[FrameTrace, PassStreams]]
    colors: dict[int, list[NDArray[np.uint8]]] = field(default_factory=dict)


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
