"""The rows of a frame in which the machine counts what each draw costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.attribution.geometry import count_geometry_work
from gpumodel.attribution.raster import count_raster_work
from gpumodel.lane_instructions import lane_instructions
from gpumodel.streams import PassStreams
from gpumodel.units.costs import COST, SHARED_KINDS
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["FrameCosts", "frame_costs"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class FrameCosts:
    """Rows of a frame: its draws, the kinds of shared work of each pass, those of the frame as a whole.

    Parameters
    ----------
    trace : the frame as the machine renders it
    table : COST rows of this frame and of those that are rendered beside it
    first : row of its first draw
    path, lanes : of its quads, see :func:`.raster.count_raster_work`
    """

    trace: FrameTrace
    table: Array
    first: int
    path: Array
    lanes: Array

    @property
    def num_rows(self) -> int:
        """Rows of the frame."""
        return _num_rows(self.trace)

    @property
    def rows(self) -> Array:
        """Rows of this frame alone."""
        return self.table[self.first : self.first + self.num_rows]

    def shared(self, index: int | None, kind: int = 0) -> int:
        """Row in ``table`` of shared work of a pass, or (None) of the frame."""
        place = self.trace["passes"].num_rows if index is None else index
        return self.first + self.trace["draws"].num_rows + place * SHARED_KINDS + kind

    def add_pass(self, geometry: Any, streams: PassStreams) -> None:
        """Count what a pass, or a part of it, has done.

        Parameters
        ----------
        geometry : its row of ``SYSTEM.frame``, with the pass's streams
        """
        trace = self.trace
        count_geometry_work(trace, streams, self.rows[: trace["draws"].num_rows])
        count_raster_work(geometry, self.table, self.first, self.shared(streams.index), self.path, self.lanes)


def frame_costs(traces: tuple[FrameTrace, ...]) -> list[FrameCosts]:
    """Rows, all 0, of frames that are rendered together."""
    sizes = [_num_rows(trace) for trace in traces]
    table = np.zeros(sum(sizes), COST)
    return [
        FrameCosts(
            trace, table, sum(sizes[:place]), np.ascontiguousarray(trace["quads"]["path"], np.int64),
            lane_instructions(trace).reshape(-1),
        )
        for place, trace in enumerate(traces)
    ]  # fmt: skip


def _num_rows(trace: FrameTrace) -> int:
    return trace["draws"].num_rows + (trace["passes"].num_rows + 1) * SHARED_KINDS
