"""What techniques have in common whose depths lie in memory: the unit with its cache, and its accesses of a pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.schema import CacheConfig
from gpumodel.techniques.plugs import Hook, PluggedCache, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique
from gpumodel.units.counters import counter_fields
from gpumodel.units.traffic import OTHER
from gpumodel.units.views import bind

if TYPE_CHECKING:
    from gpumodel.energy.bill import Prices, Structure
    from gpumodel.machine import Machine

__all__ = ["LINE_BYTES", "DepthLines"]

LINE_BYTES = 64
#: Capacity of the energy table's row.
_ROW_BYTES = 4096


class DepthLines(Technique):
    """A technique whose depths lie in memory; its counters include those of :mod:`.counters`."""

    def _line_plugs(self, cache_bytes: int, fields: tuple[tuple[Any, ...], ...] = ()) -> Plugs:
        """Unit, cache, and the hook before a tile.

        Parameters
        ----------
        fields : of ``record`` beside the unit's and the counters
        """
        from gpumodel.techniques.depth_lines import unit

        known = [(name, kind[0]) for name, kind in (unit.LINES.fields or {}).items()]
        own = [field for field in counter_fields(self.counters) if field[0] not in (unit.LINES.names or ())]
        self.record = np.zeros(1, np.dtype([*known, *fields, *own], align=True))
        cache = CacheConfig(size_bytes=cache_bytes, ways=4, latency_cycles=1, mshrs=2, request_queue=4)
        return Plugs(
            hooks={"tile_render": Hook(unit.begin_tile, self.record)},
            units=[PluggedUnit(self.id, Hook(unit.tick_lines, self.record), before="tile_fetcher")],
            caches=[PluggedCache(self.id, cache, self.id, OTHER)],
        )

    def attach(self, machine: Machine) -> None:
        """Note the numbers of unit and cache."""
        number = machine.cache_number(self.id)
        self.record[0]["unit"], self.record[0]["cache"] = machine.unit_number(self.id), number
        self._cache = machine.system["l1"][number]

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began, those of the cache among them."""
        own = self.record[0]
        own["lines_fetched"], own["lines_evicted"] = self._cache["primary_misses"], self._cache["write_backs"]
        return super().read_counters()

    def _cache_price(self, p: Prices, name: str, cache_bytes: int) -> Structure:
        """Price of the cache."""
        accesses = {
            f"{self.id}.line_reads": "read*4",
            f"{self.id}.line_writes": "write*4",
            f"{self.id}.lines_fetched": "write*4",
            f"{self.id}.lines_evicted": "read*4",
        }
        return p.array(name, "vertex_cache", cache_bytes / _ROW_BYTES, 1, accesses)

    def _bind_lines(self, arrays: Mapping[str, NDArray[Any]], end: int) -> None:
        """Give the unit the accesses of a pass, see :data:`.unit.LINES`.

        Parameters
        ----------
        end : of the accesses of primitives; those of tiles follow
        """
        own = self.record[0]
        self._bound_lines = dict(arrays)
        for name, array in self._bound_lines.items():
            bind(own[name], array)
        for name in ("at", "goal", "fetched", "waits", "until", "rendering"):
            own[name] = 0
        own["tile"] = own["next_tile"] = own["stalled_since"] = own["asked_since"] = -1
        own["end"], own["active"] = end, 1
