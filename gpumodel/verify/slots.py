"""The table of a technique, rebuilt from the log of the Fragment Processors: what each slot held when it was read.

A slot holds a colour when a fragment was put into it that had been shaded to its end; any other content is no source.
A table may tell fragments apart by a short hash of their inputs, and says how many bits that has. Taking another
fragment's colour is a collision where the inputs of both are in the FrameTrace (``quads.identity``, without exclusion),
differ, and agree in these bits: proved from the trace and the log of who was put where, not from what the table says.
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

__all__ = ["COLLIDED", "MAX_SLOTS", "SlotTable", "Taken", "shaded_lanes"]

MAX_SLOTS: Final = 1 << 20
#: Beside 0 and 1: the colour is that of other inputs, and the table's hash cannot tell them apart.
COLLIDED: Final = 2
#: Bytes of the largest fragment's colour.
_COLOR_BYTES: Final = 16

#: What a slot holds: a colour and its bytes, 0 = none; inputs of its fragment, where they are known.
_HELD: Final = np.dtype(
    [("color", np.uint8, (_COLOR_BYTES,)), ("size", np.uint8), ("known", np.uint8), ("identity", np.uint64)], align=True
)
_accesses = numba.from_dtype(SLOT_ACCESS)[::1]
_held = numba.from_dtype(_HELD)[::1]
_bytes = numba.uint8[::1]


@dataclass(frozen=True, slots=True)
class Taken:
    """What fragments of a pass have taken from the table.

    Parameters
    ----------
    row_of : (quads,) int32 row of the others for each quad, -1 = it has taken nothing
    colors : (rows, 4 fragments, size) uint8
    has : (rows, 4) uint8, 1 where a fragment has taken a colour that its slot held, COLLIDED where that is another
        one's by a collision of the hash
    """

    row_of: NDArray[np.int32]
    colors: NDArray[np.uint8]
    has: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Inputs of the fragments of each access.

    Parameters
    ----------
    identity : (accesses, 4) uint64
    known : (accesses,) uint8 bit f: nothing but the identity enters fragment f
    """

    identity: NDArray[np.uint64]
    known: NDArray[np.uint8]

    @classmethod
    def of(cls, log: SlotLog) -> _Inputs:
        """Look them up; where a trace has none, nothing is known."""
        out = cls(np.zeros((len(log.accesses), 4), np.uint64), np.zeros(len(log.accesses), np.uint8))
        for side, (trace, streams) in enumerate(log.sides):
            quads = trace["quads"]
            if "identity" not in quads or "identity_excluded" not in quads:
                continue
            mine = np.flatnonzero(log.accesses["frame"] == side)
            rows = streams.quads["row"][log.accesses["quad"][mine]].astype(np.int64)
            out.identity[mine] = quads["identity"][rows]
            out.known[mine] = ~quads["identity_excluded"][rows]
        return out


def shaded_lanes(trace: FrameTrace, streams: PassStreams) -> NDArray[np.uint8]:
    """Fragments of each quad that have a colour of their own: covered, shaded to the end, not discarded."""
    quads = trace["quads"]
    count = streams.num_quads
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
        numba.types.Tuple([numba.uint64[:, ::1], _bytes, numba.uint64]),
        _held,
        numba.uint8[:, :, ::1],
    )
)
def _replay(
    accesses: Array, first: Array, colors: Array, shaded: Array, inputs: Array, table: Array, taken: Array
) -> None:
    """Walk through the accesses: shaded fragments fill slots, others take what these hold.

    Parameters
    ----------
    accesses : SLOT_ACCESS rows
    first : (rows,) first byte of each one's quad in its pass's colours, -1 = the attachment gets none
    colors, shaded : of the passes of both frames in flight
    inputs : identities and which are known, see :class:`_Inputs`, and the bits that the table's hash has of them
    table : (slots,) _HELD; in and out
    taken : (rows, 4, size + 1) colours and, last, 1 where the slot held one of that size, COLLIDED where it was another
        fragment's with the same hash; out
    """
    size = taken.shape[2] - 1
    identity, known, hashed = inputs
    for k in range(accesses.size):
        access = accesses[k]
        if first[k] < 0:
            continue
        for lane in range(4):
            slot = access.slot[lane]
            if slot < 0:
                continue
            held = table[slot]
            if access.kind == FILLED:
                held.size = size if shaded[access.frame][access.quad] >> lane & 1 else 0
                held.identity = identity[k, lane]
                held.known = known[k] >> lane & 1
                for byte in range(size):
                    held.color[byte] = colors[access.frame][first[k] + lane * size + byte]
            elif held.size == size:
                differs = held.identity ^ identity[k, lane]
                collides = differs != 0 and differs & hashed == 0 and held.known & known[k] >> lane & 1
                taken[k, lane, size] = COLLIDED if collides else 1
                for byte in range(size):
                    taken[k, lane, byte] = held.color[byte]


class SlotTable:
    """The table as one attachment sees it, over a run.

    Parameters
    ----------
    hash_bits : low bits of a fragment's identity by which alone the table tells fragments apart, 0 = by whole inputs
    """

    def __init__(self, hash_bits: int = 0) -> None:
        self._table = np.zeros(0, _HELD)
        # No two identities that differ agree in all bits.
        self._hashed = np.uint64((1 << (hash_bits or 64)) - 1)

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
            more = np.zeros(highest + 1 - len(self._table), _HELD)
            self._table = np.concatenate([self._table, more])
        taken = np.zeros((len(accesses), 4, size + 1), np.uint8)
        shaded = [shaded_lanes(trace, streams) for trace, streams in log.sides]
        inputs = _Inputs.of(log)
        _replay(
            accesses, first, (colors[0], colors[-1]), (shaded[0], shaded[-1]),
            (inputs.identity, inputs.known, self._hashed), self._table, taken,
        )  # fmt: skip
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
