"""The table of a technique, rebuilt from the log of the Fragment Processors: what each slot held when it was read.

A slot holds a colour when a fragment was put into it that had been shaded to its end; any other content is no source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from gpumodel.units.state import FILLED, SLOT_ACCESS
from gpumodel.verify.kernels import Array, kernel
from traceformat.errors import InternalError

if TYPE_CHECKING:
    from gpumodel.pass_run import SlotLog
    from gpumodel.streams import PassStreams
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["MAX_SLOTS", "SlotTable", "Taken", "shaded_lanes"]

MAX_SLOTS: Final = 1 << 20
#: Bytes of the largest fragment's colour.
_COLOR_BYTES: Final = 16

_accesses = numba.from_dtype(SLOT_ACCESS)[::1]
_bytes = numba.uint8[::1]


@dataclass(frozen=True, slots=True)
class Taken:
    """What fragments of a pass have taken from the table.

    Parameters
    ----------
    row_of : (quads,) int32 row of the others for each quad, -1 = it has taken nothing
    colors : (rows, 4 fragments, size) uint8
    has : (rows, 4) uint8, 1 where a fragment has taken a colour that its slot held
    """

    row_of: NDArray[np.int32]
    colors: NDArray[np.uint8]
    has: NDArray[np.uint8]


def shaded_lanes(trace: FrameTrace, streams: PassStreams) -> NDArray[np.uint8]:
    """Fragments of each quad that have a colour of their own: covered, shaded to the end, not discarded."""
    quads = trace["quads"]
    count = streams.quad_rows[1] - streams.quad_rows[0]
    rows = streams.quads["row"][:count]
    out = streams.executed.copy()
    out[:count] &= quads["coverage"][rows] & quads["survives"][rows]
    return out


@kernel(
    numba.void(
        _accesses,
        numba.int64[::1],
        numba.types.UniTuple(_bytes, 2),
        numba.types.UniTuple(_bytes, 2),
        numba.uint8[:, ::1],
        numba.uint8[:, :, ::1],
    )
)
def _replay(accesses: Array, first: Array, colors: Array, shaded: Array, table: Array, taken: Array) -> None:
    """Walk through the accesses: shaded fragments fill slots, others take what these hold.

    Parameters
    ----------
    accesses : SLOT_ACCESS rows
    first : (rows,) first byte of each one's quad in its pass's colours, -1 = the attachment gets none
    colors, shaded : of the passes of both frames in flight
    table : (slots, 17) colours and, last, their sizes, 0 = none; in and out
    taken : (rows, 4, size + 1) colours and, last, 1 where the slot held one of that size; out
    """
    size = taken.shape[2] - 1
    for k in range(accesses.size):
        access = accesses[k]
        if first[k] < 0:
            continue
        for lane in range(4):
            slot = access.slot[lane]
            if slot < 0:
                continue
            if access.kind == FILLED:
                table[slot, _COLOR_BYTES] = size if shaded[access.frame][access.quad] >> lane & 1 else 0
                for byte in range(size):
                    table[slot, byte] = colors[access.frame][first[k] + lane * size + byte]
            elif table[slot, _COLOR_BYTES] == size:
                taken[k, lane, size] = 1
                for byte in range(size):
                    taken[k, lane, byte] = table[slot, byte]


class SlotTable:
    """The table as one attachment sees it, over a run."""

    def __init__(self) -> None:
        self._table = np.zeros((0, _COLOR_BYTES + 1), np.uint8)

    def replay(
        self, log: SlotLog, first: NDArray[np.int64], size: int, colors: Sequence[NDArray[np.uint8]]
    ) -> list[Taken]:
        """Go through a log.

        Parameters
        ----------
        first : (accesses,) first byte of each one's quad in the colours of its pass, -1 = its draw leaves the
            attachment as it is
        size : bytes of a fragment's colour
        colors : bytes of all colours of each pass's frame

        Returns
        -------
        what was taken, by frame in flight
        """
        accesses = log.accesses
        highest = int(accesses["slot"].max(initial=-1))
        if highest >= MAX_SLOTS:
            raise InternalError(f"the log of a technique's table names slot {highest}, {MAX_SLOTS:,} are possible")
        if highest >= len(self._table):
            more = np.zeros((highest + 1 - len(self._table), _COLOR_BYTES + 1), np.uint8)
            self._table = np.concatenate([self._table, more])
        taken = np.zeros((len(accesses), 4, size + 1), np.uint8)
        shaded = [shaded_lanes(trace, streams) for trace, streams in log.sides]
        _replay(accesses, first, (colors[0], colors[-1]), (shaded[0], shaded[-1]), self._table, taken)
        return [
            Taken(_rows(accesses, frame_index, len(streams.quads)), taken[:, :, :size], taken[:, :, size])
            for frame_index, (_, streams) in enumerate(log.sides)
        ]


def _rows(accesses: NDArray[Any], frame_index: int, quads: int) -> NDArray[np.int32]:
    """Row of each quad of a pass that has taken something."""
    out = np.full(quads, -1, np.int32)
    rows = np.flatnonzero((accesses["kind"] != FILLED) & (accesses["frame"] == frame_index))
    out[accesses["quad"][rows]] = rows
    return out
