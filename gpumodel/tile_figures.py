"""What a frame's tiles have cost, for the next frame: a pass is known by its target and place, a tile by its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["TileFigures", "pass_key", "tile_figures"]


@dataclass(frozen=True, slots=True)
class TileFigures:
    """Figures of a pass's tiles, in rendering order; a tile that a technique left out has none.

    Parameters
    ----------
    misses : (tiles,) int64, lines of textures that the tile's quads asked the L2 for
    instructions : (tiles, processors of a Raster Unit) int64, issue cycles of the tile's quads
    cycles : (tiles,) int64, from its dispatch to its end, beside other tiles
    """

    misses: NDArray[np.int64]
    instructions: NDArray[np.int64]
    cycles: NDArray[np.int64]


def pass_key(trace: FrameTrace, streams: PassStreams) -> tuple[int, ...]:
    """What the next frame knows a pass by: framebuffer, size, and its number among those of the frame."""
    passes, index = trace["passes"], streams.index
    names = ("framebuffer", "width", "height")
    same = np.logical_and.reduce([passes[name][:index] == passes[name][index] for name in names])
    return *(int(passes[name][index]) for name in names), int(np.sum(same))


def tile_figures(done: PassRun, processors: int) -> TileFigures:
    """Figures of a pass that has run on Raster Units of so many processors."""
    streams, tiles = done.streams, done.streams.tiles
    quads = streams.quads[: streams.num_quads]
    shaded = np.flatnonzero(streams.executed[: len(quads)])
    cycles = done.tables.path_cycles[done.tables.trace["quads"]["path"][quads["row"][shaded]]]
    key = quads["tile"][shaded].astype(np.int64) * processors + quads["processor"][shaded]
    issued = np.bincount(key, cycles, len(tiles) * processors).astype(np.int64)
    spent = np.where(tiles["start"] >= 0, tiles["end"] - tiles["start"], 0)
    return TileFigures(tiles["misses"].astype(np.int64), issued.reshape(-1, processors), spent)
