"""What a technique can put into the machine: slots, gates and observers, all empty in the baseline.

slot      exactly one technique     primitive_order (entries of the tile lists), quad_map
gate      any number, ANDed         tile_render, tile_flush: a mask over the tiles of a pass, False = leave the work out
observer  any number                reads a finished pass (its log and per-tile figures), cannot change anything

The compiled units read the results of slots and gates as data (list entries, tile flags, the quad map), so that an
empty plug costs nothing and there is no branch on a technique in a unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from traceformat.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["Observer", "Plugs", "PrimitiveOrder", "QuadMap", "TileGate"]

TileGate: TypeAlias = "Callable[[FrameTrace, PassStreams], NDArray[Any]]"
PrimitiveOrder: TypeAlias = "Callable[[PassStreams], NDArray[Any]]"
QuadMap: TypeAlias = "Callable[[GpuConfig], NDArray[Any]]"
Observer: TypeAlias = "Callable[[FrameTrace, PassRun], None]"


@dataclass(slots=True)
class Plugs:
    """The plugs of one run.

    Parameters
    ----------
    tile_render : each (trace, pass) -> mask (tiles,) in rendering order: which tiles are rendered
    tile_flush : each (trace, pass) -> mask (tiles,): which finished tiles are written to memory
    primitive_order : pass -> the tile lists' entries in another order within each tile
    quad_map : configuration -> (tile quads,) processor of each quad position
    observers : called with every finished pass
    """

    tile_render: list[TileGate] = field(default_factory=list)
    tile_flush: list[TileGate] = field(default_factory=list)
    primitive_order: PrimitiveOrder | None = None
    quad_map: QuadMap | None = None
    observers: list[Observer] = field(default_factory=list)
