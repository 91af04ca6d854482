"""What each draw of a frame costs: a row of counters for each of them, and for what draws share.

A row has the fields of the units' own counters, so that a sum over rows is to be the counter. Rows of a frame: its
draws in order, then for each pass, and last for the frame as a whole, one for each kind of shared work
(docs/ATTRIBUTION.md). ``SYSTEM.costs`` refers to the rows; where it is empty nothing is counted.
"""

from __future__ import annotations

from enum import IntEnum, unique
from typing import Final

import numpy as np

from gpumodel.units.counters import (
    CACHE_COUNTERS,
    DRAM_COUNTERS,
    GEOMETRY_COUNTERS,
    L2_COUNTERS,
    PROCESSOR_COUNTERS,
    RASTER_UNIT_COUNTERS,
    counter_fields,
)
from gpumodel.units.traffic import TRAFFIC_NAMES
from traceformat.native.access import row_accessor

__all__ = ["CACHE_NAMES", "COST", "SHARED_KINDS", "TEXTURE_COST", "Shared", "cost_at", "texture_at"]

_I: Final = np.int64


@unique
class Shared(IntEnum):
    """Work that no single draw is the reason of."""

    #: Tiles read from their target before the first draw.
    LOAD = 0
    #: Tiles written to their target.
    FLUSH = 1
    #: Clears in the middle of a pass.
    CLEAR = 2
    #: Copies, blits, read-backs and mipmap generation around a pass.
    COPY = 3
    #: A unit has nothing of any draw: before the first tile, behind the last one, at a barrier.
    WAIT = 4
    #: What a technique's own units do.
    TECHNIQUE = 5
    #: Lines written back whose last writer was an earlier frame.
    EARLIER = 6
    #: Between the frames of a pair, of which results give each a half of what they share.
    PAIR = 7
    #: The machine's own: tiles as such, occupancy of queues, refreshes, leakage.
    MACHINE = 8


SHARED_KINDS: Final = len(Shared)

#: Caches by place in ``COST.cache``; the last one is that of techniques.
CACHE_NAMES: Final = ("command", "vertex", "tile", "texture", "instruction", "l2", "technique")

_CACHE: Final = np.dtype(counter_fields(CACHE_COUNTERS), align=True)

#: A row; ``raster_cycles`` are cycles of a Raster Unit; ``geometry_shading_cycles`` and ``raster_shading_cycles`` are
#: those that the row's shading or its textures alone hold up, whosever they are; ``fs_executed`` and ``vs_executed``
#: are by InstructionKind.
COST: Final = np.dtype(
    [
        *(
            field
            for counters in (
                GEOMETRY_COUNTERS, RASTER_UNIT_COUNTERS, PROCESSOR_COUNTERS, DRAM_COUNTERS, L2_COUNTERS,
            )
            for field in counter_fields(counters)
        ),
        ("cache", _CACHE, (len(CACHE_NAMES),)),
        ("read_bytes", _I, (len(TRAFFIC_NAMES),)), ("write_bytes", _I, (len(TRAFFIC_NAMES),)),
        ("read_commands", _I), ("write_commands", _I), ("row_hits", _I),
        ("vertices_in", _I), ("vs_issue_cycles", _I), ("vs_executed", _I, (6,)), ("fs_executed", _I, (6,)),
        ("geometry_cycles", _I), ("raster_cycles", _I),
        ("geometry_shading_cycles", _I), ("raster_shading_cycles", _I),
    ],
    align=True,
)  # fmt: skip

#: What the lines of a texture cost; a line is that of the last texture that begins at it or before.
TEXTURE_COST: Final = np.dtype([("first_line", _I), ("primary_misses", _I), ("read_bytes", _I)], align=True)

cost_at: Final = row_accessor(COST)
texture_at: Final = row_accessor(TEXTURE_COST)
