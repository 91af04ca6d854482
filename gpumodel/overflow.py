"""Overflow of the Parameter Buffer: a pass is cut into parts that fit.

Hardware: when the buffer is full, what is binned so far is rendered; colour, depth and stencil are stored whole and
loaded again by the rest of the pass (VRO §4.1: highly uncommon).
Modelled: cuts between primitives, as late as possible. Vertices that were shaded for an earlier part are not shaded
again; the commands of a draw that is cut are read again. Gates of techniques have no say in a pass that is cut.
"""

from __future__ import annotations

import numpy as np

from gpumodel.streams import Part, PassStreams, PassTables
from traceformat.errors import ConfigError

__all__ = ["cut_pass"]

_MIB = 1 << 20


def cut_pass(frame: PassTables, whole: PassStreams, capacity_mib: int) -> list[Part]:
    """Parts of a pass that fit in the Parameter Buffer, one where the pass does.

    Raises
    ------
    ConfigError : a single primitive does not fit
    """
    capacity = capacity_mib * _MIB
    if whole.parameter_bytes <= capacity:
        return [whole.part]
    trace, all_of_it = frame.trace, whole.part
    primitives = trace["primitives"]
    p0, p1 = all_of_it.primitives
    emitted_end = all_of_it.emitted[0] + np.cumsum(primitives["emitted_count"][p0:p1].astype(np.int64))
    vertex_end = np.maximum.accumulate(primitives["vertex"][p0:p1].astype(np.int64).max(axis=1)) + 1
    draw = primitives["draw"][p0:p1].astype(np.int64)
    quad_owner = trace["quads"]["emitted"]

    def part(first: int, end: int) -> Part:
        """Primitives ``first`` to ``end``, counted from the pass's first."""
        e0 = int(emitted_end[first - 1]) if first else all_of_it.emitted[0]
        e1 = int(emitted_end[end - 1])
        v0 = int(vertex_end[first - 1]) if first else all_of_it.vertices[0]
        d0 = all_of_it.draws[0]
        if first:
            d0 = int(draw[first]) if draw[first] == draw[first - 1] else int(draw[first - 1]) + 1
        last = end == p1 - p0
        return Part(
            number=0 if first == 0 else 1,
            count=2,
            draws=(d0, all_of_it.draws[1] if last else int(draw[end - 1]) + 1),
            vertices=(v0, all_of_it.vertices[1] if last else int(vertex_end[end - 1])),
            primitives=(p0 + first, p0 + end),
            emitted=(e0, all_of_it.emitted[1] if last else e1),
            quads=(int(np.searchsorted(quad_owner, e0)), int(np.searchsorted(quad_owner, e1))),
        )

    parts: list[Part] = []
    first = 0
    while first < p1 - p0:
        low, high = first + 1, p1 - p0
        if frame.arrange(whole.index, part(first, low)).parameter_bytes > capacity:
            raise ConfigError(
                [
                    f"binning.parameter_buffer_mib = {capacity_mib}: frame {trace.frame} pass {whole.index} has a "
                    "primitive that does not fit"
                ],
                hint=f"--set binning.parameter_buffer_mib={-(-whole.parameter_bytes // _MIB)}",
            )
        while low < high:
            middle = (low + high + 1) // 2
            if frame.arrange(whole.index, part(first, middle)).parameter_bytes <= capacity:
                low = middle
            else:
                high = middle - 1
        parts.append(part(first, low))
        first = low
    return [
        Part(k, len(parts), one.draws, one.vertices, one.primitives, one.emitted, one.quads)
        for k, one in enumerate(parts)
    ]
