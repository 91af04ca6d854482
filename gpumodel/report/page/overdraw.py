"""Fragments shaded in vain: what opaque draws shade and later ones of the same pass paint over, or tests throw away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gpumodel.machine import MachineFrame
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["shaded_in_vain"]


def shaded_in_vain(frame: FrameTrace, raw: MachineFrame) -> NDArray[np.int64]:
    """Fragments of each draw that it shades and that are not the last opaque ones of their pixel; 0 of blended draws.

    Returns
    -------
    (D,) int64
    """
    draws = frame["draws"]
    opaque = (draws["blend"] == 0) & (draws["color_mask"] != 0)
    shaded = np.zeros(len(opaque), np.int64)
    seen = np.zeros(len(opaque), np.int64)
    for done in raw.passes:
        streams = done.streams
        across = (streams.width + 1) // 2 * 2
        rows = done.retired[done.retired >= 0]
        rows = rows[opaque[streams.quads["draw"][rows]]]
        if not len(rows):
            continue
        draw, row = (streams.quads[name][rows] for name in ("draw", "row"))
        table: Any = done.tables.trace["quads"]
        first = (table["y"][row].astype(np.int32) * across + table["x"][row]) * 2
        last = np.full(across * ((streams.height + 1) // 2 * 2), -1, np.int32)
        executed, written = streams.executed[rows], streams.written[rows]
        for f in range(4):
            shaded += np.bincount(draw[executed >> f & 1 != 0], minlength=len(opaque))
            mine = written >> f & 1 != 0
            # Of several values for one place the last one stays: rows are in the order of their blending.
            last[first[mine] + ((f >> 1) * across + (f & 1))] = draw[mine]
        seen += np.bincount(last[last >= 0], minlength=len(opaque))
    in_vain: NDArray[np.int64] = np.maximum(shaded - seen, 0)
    return in_vain
