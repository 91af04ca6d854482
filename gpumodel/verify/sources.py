"""Source colours of the fragments that a log composes: where they lie in ``color_data``, or in a technique's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.verify.slots import Taken
from traceformat.errors import TraceFormatError
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["FLOAT_COLOR_BYTES", "Colors", "first_bytes", "writes"]

#: Bytes of a colour of four floats.
FLOAT_COLOR_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Colors:
    """Source colours of a pass in one attachment: shaded ones from the trace, others from a table.

    Parameters
    ----------
    data : bytes of all colours that shading gives
    size : bytes of a fragment's colour
    shaded : (quads,) fragments that were shaded
    taken : what others have taken from a table
    resolved : what is taken by a collision is left where it is
    """

    data: NDArray[np.uint8]
    size: int
    shaded: NDArray[np.uint8]
    taken: Taken | None
    resolved: bool

    def lanes(self, quads: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Fragments of quads that have a source."""
        out = self.shaded[quads]
        if self.taken is not None:
            rows = self.taken.row_of[quads]
            out[rows >= 0] |= np.packbits(self.taken.has[rows[rows >= 0]], axis=1, bitorder="little")[:, 0]
        return out

    def gather(
        self, quads: NDArray[np.int64], first: NDArray[np.int64], written: NDArray[np.bool_]
    ) -> NDArray[np.uint8]:
        """Colours (quads, bytes of four fragments): of quads whose first byte in ``data`` is given where they write."""
        out = np.zeros((len(quads), 4 * self.size), np.uint8)
        out[written] = self.data[first[written][:, None] + np.arange(4 * self.size)]
        if self.taken is not None:
            rows = self.taken.row_of[quads]
            took = np.flatnonzero(rows >= 0)
            rows = rows[took]
            has = self.taken.has[rows]
            chosen = has == 1 if self.resolved else has != 0
            colors = out.reshape(len(quads), 4, self.size)
            colors[took] = np.where(chosen[:, :, None], self.taken.colors[rows], colors[took])
        return out


def writes(trace: FrameTrace, draw: NDArray[np.int64], attachment: int) -> NDArray[np.bool_]:
    """Whether each draw writes the attachment."""
    return np.asarray(trace["draws"]["draw_buffers"][draw] >> np.uint8(attachment) & 1, bool)


def first_bytes(
    trace: FrameTrace, rows: NDArray[np.int64], draw: NDArray[np.int64], attachment: int, quad_bytes: int
) -> NDArray[np.int64]:
    """First byte of quads' colours, 0 where their draws do not write the attachment.

    Raises
    ------
    TraceFormatError : they lie outside the table
    """
    draws = trace["draws"]
    first: NDArray[np.int64] = draws["color_first"][draw, attachment].astype(np.int64)
    first += (rows - draws["quad_first"][draw].astype(np.int64)) * quad_bytes
    written = writes(trace, draw, attachment)
    first[~written] = 0
    room = trace["color_data"].num_rows
    if written.any() and (int(first.min()) < 0 or int(first[written].max()) + quad_bytes > room):
        raise TraceFormatError(f"frame {trace.frame}: draws.color_first reaches beyond color_data")
    return first
