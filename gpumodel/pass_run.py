"""What the units have done in a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from gpumodel.streams import PassStreams, PassTables
    from gpumodel.tile_redundancy import Redundancy
    from traceformat.gputrace.frametrace import FrameTrace

__all__ = ["PassRun", "SlotLog"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SlotLog:
    """Accesses of a technique's table by passes that run in parallel, as the Fragment Processors made them.

    Parameters
    ----------
    accesses : SLOT_ACCESS rows in the order in which they happened
    sides : frame and streams of each pass, by frame in flight
    """

    accesses: Array
    sides: Sequence[tuple[FrameTrace, PassStreams]]


@dataclass(slots=True)
class PassRun:
    """What the units did in one pass: the log that verification and the observers read.

    Parameters
    ----------
    streams : the pass as arranged; ``streams.tiles`` holds start, end, quads and shaded fragments of each tile
    retired : rows of ``streams.quads`` in the order in which Blending retired them; -1 - k is entry k of
    ``streams.pairs``, a clear
    start, raster_start, end : cycles since the machine was made
    slots : what was filled into and taken from a technique's table, where that was logged; passes that run in parallel
        have one log
    redundancy : which tiles were as before, where a technique finds that out
    tables : what the streams refer to
    """

    tables: PassTables
    streams: PassStreams
    retired: Array
    start: int
    raster_start: int
    end: int
    slots: SlotLog | None = None
    redundancy: Redundancy | None = None
