"""Rows of a pass, which travels alone, among those of its frame."""

from __future__ import annotations

import numpy as np

from gpumodel.machine import PassRun
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["quad_rows"]


def quad_rows(frame: FrameTrace, done: PassRun) -> np.ndarray:
    """Row in the frame of each quad that a pass's streams have."""
    rows = done.streams.quads["row"][: done.streams.quad_rows[1] - done.streams.quad_rows[0]].astype(np.int64)
    first = int(frame["passes"]["draw_first"][done.streams.index])
    if not len(rows):
        return rows
    own, whole = (trace["draws"]["quad_first"][first] for trace in (done.tables.trace, frame))
    return rows + int(whole) - int(own)
