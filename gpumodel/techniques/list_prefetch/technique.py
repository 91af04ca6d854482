"""List prefetch as a technique: a unit beside the Tile Fetcher, its price, its counter.

Source: the comparator of VRO §4.3 and §4.2: both techniques read the next tile's list while this one is rendered, which
is worth something without any order or visibility.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.list_prefetch.config import ListPrefetchConfig
from gpumodel.techniques.list_prefetch.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.streams import PassStreams

__all__ = ["ListPrefetch"]


@register
class ListPrefetch(Technique):
    """List prefetch: the next tile's list is read while this tile is rendered."""

    id = "list-prefetch"
    source = "comparator of VRO §4.2, §4.3"
    Config = ListPrefetchConfig
    counters = COUNTERS
    takes = ("the port beside the Tile Fetcher",)
    looks_ahead = True
    excludes = "it tells what reading ahead is worth by itself, and others have the port that it reads by"

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the unit in front of the fetcher."""
        from gpumodel.techniques.list_prefetch import unit

        self._attributes = ListPrefetchConfig.of(config).attributes
        self.record = np.zeros(1, unit.PREFETCH)
        return Plugs(
            hooks={"tile_render": Hook(unit.follow_tile, self.record, rank=1)},
            units=[PluggedUnit("list_prefetch", Hook(unit.tick_prefetch, self.record), before="tile_fetcher")],
            before_raster=[self._load],
        )

    def attach(self, machine: Machine) -> None:
        """Note the unit's number, by which the Tile Cache's fills find it."""
        self.record[0]["unit"] = machine.unit_number("list_prefetch")
        machine.system["frame"][0]["u_beside"] = self.record[0]["unit"]

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Address register and adder, and the comparator with the list's end."""
        p = Prices(config)
        adder, register_pj = p.dynamic("logic_adder_32b").read_pj, p.dynamic("logic_register_32b").read_pj
        price = {"list-prefetch.reads": 2 * adder + 2 * register_pj}
        return [p.logic("list_prefetch", 2 * 32, 2 * 32, price, "adder and comparator, address and end")]

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Bind the lines of each tile's list."""
        from gpumodel.tile_lists import list_lines

        first, lines = list_lines(streams, attributes=self._attributes)
        own = self.record[0]
        self._bound: list[NDArray[Any]] = [first, lines if len(lines) else np.zeros(1, np.int64)]
        for name, array in zip(("first", "lines"), self._bound, strict=True):
            bind(own[name], array)
        own["num_tiles"] = len(first) - 1
        own["at"] = own["end"] = own["ready"] = 0
        own["ahead_of"] = -1
