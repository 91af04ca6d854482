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
    table = frame["draws"]
    opaque = (table["blend"] == 0) & (table["color_mask"] != 0)
    shaded = np.zeros(len(opaque), np.int64)
    seen = np.zeros(len(opaque), np.int64)
    for done in raw.passes:
        streams = done.streams
        across = (streams.width + 1) // 2 * 2
        rows = done.retired[done.retired >= 0]
        quads = streams.quads[rows]
        kept = opaque[quads["draw"]]
        rows, quads = rows[kept], quads[kept]
        if not len(rows):
            continue
        tables: Any = done.tables.trace["quads"]
        x, y = (tables[name][quads["row"]].astype(np.int64) * 2 for name in ("x", "y"))
        last = np.full(across * ((streams.height + 1) // 2 * 2), -1)
        for f in range(4):
            mask = streams.executed[rows] >> f & 1 != 0
            shaded += np.bincount(quads["draw"][mask], minlength=len(opaque))
            written = streams.written[rows] >> f & 1 != 0
            # Of several values for one place the last one stays: rows are in the order of their blending.
            last[(y[written] + (f >> 1)) * across + x[written] + (f & 1)] = quads["draw"][written]
        seen += np.bincount(last[last >= 0], minlength=len(opaque))
    in_vain: NDArray[np.int64] = np.maximum(shaded - seen, 0)
    return in_vain
