"""What a technique can put into the machine: slots, gates, hooks, units, caches, observers; all empty in the baseline.

slot      exactly one technique     tile_order, primitive_order (entries of the tile lists), quad_map, most hooks, a
                                    unit's place
gate      any number, ANDed         tile_render, tile_flush: a mask over the tiles of a pass, False = leave the work out
hook      one, or several in a row  a compiled function that a unit asks at a certain point, see :data:`HOOKS`; several
                                    techniques may share those of :data:`ASKED_AGAIN`
unit      any number                a compiled tick function in the order of a cycle, or in place of a unit
cache     any number                a level-one cache with a port at the L2
observer  any number                reads a finished pass (its log and per-tile figures), cannot change anything

The compiled units read slots and gates as data and hooks as addresses in the machine's record, so that an empty plug
costs a test and the baseline is one compiled kernel whatever is plugged in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import CacheConfig, GpuConfig
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams, PassTables, TileOrder

__all__ = [
    "ASKED_AGAIN", "HOOKS", "Hook", "Observer", "PluggedCache", "PluggedUnit", "Plugs", "PrimitiveOrder", "QuadMap",
    "TileGate",
]  # fmt: skip

TileGate: TypeAlias = "Callable[[FrameTrace, PassStreams], NDArray[Any]]"
PrimitiveOrder: TypeAlias = "Callable[[FrameTrace, PassStreams], NDArray[Any]]"
QuadMap: TypeAlias = "Callable[[GpuConfig], NDArray[Any]]"
Observer: TypeAlias = "Callable[[FrameTrace, PassRun], None]"

#: Points at which a unit asks: who asks, with which integers, and what the answer means. Waiting units are woken by the
#: technique (``notify`` or ``wake_at``).
HOOKS: Final[Mapping[str, str]] = {
    "quad_ready": "before a quad enters Early-Z: (raster unit, quad) -> 1, or 0 = stall",
    "test": "Early-Z and Blending, in place of the depth and stencil test: (raster unit, quad, mask, stage) -> mask"
    " that passes; stage TEST_KILL (no update), TEST_EARLY, TEST_LATE of units/depth.py",
    "queued": "Early-Z, when a quad has entered its fragment queue: (raster unit, quad, fragments alive, 0) -> ignored;"
    " quads before it can be taken out with ``kill_queued`` of units/fragment.py",
    "shade": "Fragment Processor that takes a quad: (raster unit, quad, mask, processor) -> fragments to shade; those"
    " left out take the colours of the rows of a table that the hook names in the processor's ``slot``, by fragment,"
    " and retire as the others do; -1 = ask again",
    "shaded": "Fragment Processor whose quad leaves for Blending: (raster unit, quad, shaded mask, processor) ->"
    " ignored; the hook names in ``slot`` the rows that the colours are put into",
    "bin": "Polygon List Builder, before a write: (frame, emitted, attribute, tile) -> 1, or 0 = stall",
    "tile_render": "Tile Scheduler, before a tile is dispatched: (frame, tile) -> 1 render, 0 skip, -1 ask again",
    "tile_flush": "tile control, when a tile is complete: (raster unit, tile) -> 1 flush, 0 skip, -1 ask again",
    "tile_pick": "Tile Scheduler, in place of order and assignment: (frame, tiles begun so far, Raster Units with room"
    " as bits, 0) -> a tile that waits, plus PICKED_UNIT of units/tile_fetch.py times a unit with room; -1 = ask again",
    "victim": "a cache that needs room: (its number, -1 = the L2; first way of the set, ways, line that comes) -> the"
    " way to take, plus DEAD of units/cache.py where what it holds is not written back; -1 = the least recently used",
}

#: Hooks that several techniques can share, all of whom have to agree, and the answer with which one asks to be asked
#: again.
ASKED_AGAIN: Final[Mapping[str, int]] = {"quad_ready": 0, "bin": 0, "tile_render": -1, "tile_flush": -1}


@dataclass(slots=True)
class Hook:
    """A compiled function with its state.

    Parameters
    ----------
    function : of a ``callback(PLUG_SIGNATURE)``: (machine, address of own, a, b, c, d)
    own : (1,) structured array, its state, kept alive here; None = it has none
    rank : among several techniques at one hook the lowest is asked first; equal ones by the techniques' ids
    kept : what else has to stay alive
    """

    function: Any
    own: NDArray[Any] | None = None
    rank: int = 0
    kept: tuple[Hook, ...] = ()


@dataclass(slots=True)
class PluggedUnit:
    """A unit of a technique: its tick gets (machine, own, unit, parent, member, 0), gives the next cycle with work.

    Parameters
    ----------
    name : how results call it
    tick : function and state
    before : name of the baseline unit that it comes before in the order of a cycle (the first of that name)
    replaces : name of the baseline unit whose place it takes (all of that name); ``before`` is ignored then
    parent, member : passed through: the Raster Unit or frame in flight that it belongs to, and which one of it
    """

    name: str
    tick: Hook
    before: str = "tile_fetcher"
    replaces: str | None = None
    parent: int = 0
    member: int = 0


@dataclass(slots=True)
class PluggedCache:
    """A level-one cache of a technique.

    Parameters
    ----------
    name : its counters are ``cache.NAME.*``
    owner : name of the unit that takes its fills
    traffic : kind of memory traffic, see :mod:`gpumodel.units.traffic`
    """

    name: str
    config: CacheConfig
    owner: str
    traffic: int


@dataclass(slots=True)
class Plugs:
    """The plugs of one run.

    Parameters
    ----------
    tile_render : each (trace, pass) -> mask (tiles,) in rendering order: which tiles are rendered
    tile_flush : each (trace, pass) -> mask (tiles,): which finished tiles are written to memory
    tile_order : (trace, pass, order of the configuration, tiles in a row) -> order in which the pass's tiles are
        rendered: row * tiles in a row + column of each. It follows from the pass alone, for it is asked while an
        earlier pass is still on its way
    primitive_order : (trace, pass) -> the tile lists' entries in another order within each tile
    quad_map : configuration -> (tile quads,), (period, tile quads) by the tile's number in rendering order, or (period
        in y, period in x, tile quads) by its place: processor of each quad position, see :mod:`gpumodel.quad_maps`
    hooks : by name, see :data:`HOOKS`
    units, caches : hardware of its own
    frames : that are rendered in parallel, 1 or 2
    in_parallel : (frame, next frame) -> whether the two can be rendered in parallel; needed with two frames
    before_frame : called with every pass's tables for the machine, such as to change rules of its draws
    before_pass : called with every arranged pass before its geometry runs, such as to fill the state of hooks
    before_raster : called with every arranged pass before its tiles are rendered; at the same time, behind
        ``before_pass``, where nothing of two passes overlaps. ``primitive_order`` is asked just before it
    observers : called with every finished pass
    """

    tile_render: list[TileGate] = field(default_factory=list)
    tile_flush: list[TileGate] = field(default_factory=list)
    tile_order: TileOrder | None = None
    primitive_order: PrimitiveOrder | None = None
    quad_map: QuadMap | None = None
    hooks: dict[str, Hook] = field(default_factory=dict)
    units: list[PluggedUnit] = field(default_factory=list)
    caches: list[PluggedCache] = field(default_factory=list)
    frames: int = 1
    in_parallel: Callable[[FrameTrace, FrameTrace], bool] | None = None
    before_frame: list[Callable[[FrameTrace, PassTables], None]] = field(default_factory=list)
    before_pass: list[Callable[[FrameTrace, PassStreams], None]] = field(default_factory=list)
    before_raster: list[Callable[[FrameTrace, PassStreams], None]] = field(default_factory=list)
    observers: list[Observer] = field(default_factory=list)

    def extend(self, record: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Give the hooks and units of a technique that another is made of a record that goes on behind theirs.

        Parameters
        ----------
        record : (1,) that they have
        dtype : of the new one, whose first fields are those of ``record``

        Returns
        -------
        (1,) the new one
        """
        out = np.zeros(1, dtype)
        for name in record.dtype.names or ():
            out[name] = record[name]
        for hook in (*self.hooks.values(), *(unit.tick for unit in self.units)):
            hook.own = out
        return out
