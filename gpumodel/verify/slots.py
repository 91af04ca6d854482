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
from gpumodel.verify.kernels import Array, Number, kernel
from traceformat.errors import InternalError

if TYPE_CHECKING:
    from gpumodel.machine import SlotLog
    from gpumodel.streams import PassStreams
    from traceformat.frametrace import FrameTrace

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
    lanes : (rows,) uint8 bit f: fragment f has taken a colour that its slot held
    """

    row_of: NDArray[np.int32]
    colors: NDArray[np.uint8]
    lanes: NDArray[np.uint8]


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
        _accesses, numba.int64[::1], numba.int64, _bytes, _bytes, _bytes, _bytes,
        numba.uint8[:, ::1], _bytes, numba.uint8[:, :, ::1], _bytes,
    )
)  # fmt: skip
def _replay(
    accesses: Array,
    first: Array,
    size: Number,
    colors: Array,
    colors_beside: Array,
    shaded: Array,
    shaded_beside: Array,
    table: Array,
    held: Array,
    taken: Array,
    lanes: Array,
) -> None:
    """Walk through the accesses: shaded fragments fill slots, others take what these hold.

    Parameters
    ----------
    accesses : SLOT_ACCESS rows
    first : (rows,) first byte of each one's quad in its pass's colours, -1 = the attachment gets none
    colors, shaded : of the pass in place 0; those of place 1 are ``beside``
    table, held : (slots, 16) colours and (slots,) their sizes, 0 = none; in and out
    taken, lanes : see :class:`Taken`, out
    """
    for k in range(accesses.size):
        a = accesses[k]
        if first[k] < 0:
            continue
        for lane in range(4):
            slot = a.slot[lane]
            if slot < 0:
                continue
            if a.kind == FILLED:
                mask = shaded_beside[a.quad] if a.place else shaded[a.quad]
                held[slot] = size if mask >> lane & 1 else 0
                for byte in range(size):
                    at = first[k] + lane * size + byte
                    table[slot, byte] = colors_beside[at] if a.place else colors[at]
            elif held[slot] == size:
                lanes[k] |= 1 << lane
                for byte in range(size):
                    taken[k, lane, byte] = table[slot, byte]


class SlotTable:
    """The table as one attachment sees it, over a run."""

    def __init__(self) -> None:
        self._colors = np.zeros((0, _COLOR_BYTES), np.uint8)
        self._held = np.zeros(0, np.uint8)

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
        what was taken, by place
        """
        accesses = log.accesses
        highest = int(accesses["slot"].max(initial=-1))
        if highest >= MAX_SLOTS:
            raise InternalError(f"the log of a technique's table names slot {highest}, {MAX_SLOTS:,} are possible")
        if highest >= len(self._held):
            more = highest + 1 - len(self._held)
            self._colors = np.concatenate([self._colors, np.zeros((more, _COLOR_BYTES), np.uint8)])
            self._held = np.concatenate([self._held, np.zeros(more, np.uint8)])
        taken = np.zeros((len(accesses), 4, size), np.uint8)
        lanes = np.zeros(len(accesses), np.uint8)
        shaded = [shaded_lanes(trace, streams) for trace, streams in log.sides]
        _replay(
            accesses, first, size, colors[0], colors[-1], shaded[0], shaded[-1],
            self._colors, self._held, taken, lanes,
        )  # fmt: skip
        return [
            Taken(_rows(accesses, place, len(streams.quads)), taken, lanes)
            for place, (_, streams) in enumerate(log.sides)
        ]


def _rows(accesses: NDArray[Any], place: int, quads: int) -> NDArray[np.int32]:
    """Row of each quad of a pass that has taken something."""
    out = np.full(quads, -1, np.int32)
    rows = np.flatnonzero((accesses["kind"] != FILLED) & (accesses["place"] == place))
    out[accesses["quad"][rows]] = rows
    return out
