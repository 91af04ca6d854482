"""What the geometry phase of a pass did for each draw: a function of the arranged pass, whatever the timing was."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.streams import PassStreams
from gpumodel.units.binning import ATTRIBUTE_BYTES
from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["count_geometry_work"]

Array = NDArray[Any]


def count_geometry_work(trace: FrameTrace, streams: PassStreams, costs: Array) -> None:
    """Add up what vertices and primitives of a pass, or of a part of it, cost each draw.

    Parameters
    ----------
    costs : (D,) COST rows of the frame's draws
    """
    _count_vertices(trace, streams, costs)
    _count_primitives(trace, streams, costs)
    _count_binning(streams, costs)


def _add(costs: Array, field: str, draw: Array, amount: Array | None = None) -> None:
    """Add amounts (or 1) to a field of the rows of their draws; sums below 2**53 are exact."""
    costs[field] += np.bincount(draw, amount, minlength=len(costs)).astype(np.int64)


def _count_vertices(trace: FrameTrace, streams: PassStreams, costs: Array) -> None:
    first, end = streams.rows
    if first == end:
        return
    vertices = streams.vertices
    _add(costs, "vertices_in", vertices["draw"])
    is_shaded = vertices["shaded"] != 0
    draw = vertices["draw"][is_shaded]
    _add(costs, "vertices_shaded", draw)
    _add(costs, "vs_issue_cycles", draw, vertices["cycles"][is_shaded])
    issued = trace["paths"]["issued"][trace["vertices"]["path"][first:end][is_shaded]]
    for kind in range(issued.shape[1]):
        costs["vs_executed"][:, kind] += np.bincount(draw, issued[:, kind], minlength=len(costs)).astype(np.int64)


def _count_primitives(trace: FrameTrace, streams: PassStreams, costs: Array) -> None:
    first, end = streams.part.primitives
    primitives = streams.primitives[: end - first]
    _add(costs, "primitives_in", primitives["draw"])
    _add(costs, "primitives_culled", primitives["draw"][primitives["emitted_count"] == 0])


def _count_binning(streams: PassStreams, costs: Array) -> None:
    emitted = streams.emitted
    _add(costs, "binned", emitted["draw"])
    _add(costs, "pointer_writes", emitted["draw"], emitted["bin_count"])
    stored = emitted[emitted["bin_count"] > 0]
    _add(costs, "attributes_binned", stored["draw"], stored["attributes"])
    count = stored["attributes"].astype(np.int64)
    number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    start = np.repeat(stored["attribute_address"], count) + ATTRIBUTE_BYTES * number
    lines = ((start + ATTRIBUTE_BYTES - 1) >> 6) - (start >> 6) + 1
    _add(costs, "bin_writes", np.repeat(stored["draw"], count), lines)
