"""How evenly a quad map spreads a tile's work over the Fragment Processors, as the thesis's Figure 6.5 has it.

Work is the cycles in which a processor issues, of the quads of which Early-Z leaves something: its active cycles
without what it waits for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams, PassTables
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["ProcessorBalance"]

_ALIVE = 15


class ProcessorBalance:
    """Collects the passes of a frame (:meth:`see`), then gives its variation.

    Parameters
    ----------
    processors : of a Raster Unit
    """

    def __init__(self, processors: int) -> None:
        self._processors = processors
        self._work: list[NDArray[np.int64]] = []

    def see(self, _: FrameTrace, streams: PassTables, arranged: PassStreams) -> None:
        """Take a pass whose quads have been tested."""
        quads = arranged.quads[: arranged.num_quads]
        quads = quads[(arranged.early[: arranged.num_quads] & _ALIVE) != 0]
        before = np.concatenate([[0], np.cumsum(streams.segments["cycles"], dtype=np.int64)])
        cycles = before[quads["segment_end"]] - before[quads["segment"]]
        place = quads["tile"].astype(np.int64) * self._processors + quads["processor"]
        work = np.bincount(place, weights=cycles, minlength=len(arranged.tiles) * self._processors)
        self._work.append(work.astype(np.int64).reshape(-1, self._processors))

    def variation(self) -> float:
        """Standard deviation over mean of the processors' work, mean over tiles with any; the frame is forgotten."""
        work = np.concatenate([*self._work, np.zeros((0, self._processors), np.int64)])
        work = work[work.any(axis=1)]
        self._work = []
        return float((work.std(axis=1) / work.mean(axis=1)).mean()) if len(work) else 0.0
