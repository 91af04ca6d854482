"""Replacement by tile order as a technique: which tile reads which line, the ranks' hardware, counters. Reconstructed.

Hardware: when a primitive is sorted, all tiles that will read it are known, and so is their order; each line of the
Parameter Buffer carries the rank of its next tile, with which the Tile Cache replaces as Belady's rule does, to a
tile's precision. The L2 gives up lines that no tile will read, and does not write them to memory.
Modelled: the choice of victims in both caches. The baseline's Tile Cache forgets its lines at the end of a pass
already, so the gain is in misses for want of room and in the L2.
Left out: the split into a cache of lists and one of attributes by primitive; writes that pass a full cache by; where a
rank is computed (it takes no time, ASSUMED).
Source: the idea of Joseph et al., TCOR (HPCA 2022), of which the abstract was read; everything else ASSUMED, so its
results say nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.streams import ATTRIBUTE_ADDRESS, LIST_ADDRESS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.tcor_like.config import TcorConfig
from gpumodel.techniques.tcor_like.counters import COUNTERS
from gpumodel.tile_lists import list_lines
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams

__all__ = ["TileOrderReplacement"]

_LINE_BYTES = 64
#: A tile's rank, and a mark of dead lines.
_RANK_BITS = 12
#: Bytes of the energy table's row.
_ROW_BYTES = 1024


@register
class TileOrderReplacement(Technique):
    """Replacement by tile order (reconstructed): lines that tiles read last go first."""

    id = "tcor-like"
    source = "HPCA 2022, abstract"
    Config = TcorConfig
    # The rank of an entry's next tile.
    takes = ("the spare bits of list pointers",)
    looks_ahead = True
    counters = COUNTERS

    def plugs(self, config: GpuConfig) -> Plugs:
        """Choose the victims."""
        from gpumodel.techniques.tcor_like import policy

        if config.binning.overlap != "none":
            raise ConfigError(["tcor-like knows the lists of one pass: binning.overlap has to be none"])
        self.record = np.zeros(1, policy.TCOR)
        tcor, own = TcorConfig.of(config), self.record[0]
        own["tile_cache"], own["dead_lines"] = tcor.tile_cache, tcor.dead_lines
        # Lists and attributes of all passes lie in two regions behind each other.
        own["region"] = LIST_ADDRESS // _LINE_BYTES
        own["region_end"] = (2 * ATTRIBUTE_ADDRESS - LIST_ADDRESS) // _LINE_BYTES
        own["lists"], own["attributes"] = LIST_ADDRESS // _LINE_BYTES, ATTRIBUTE_ADDRESS // _LINE_BYTES
        return Plugs(hooks={"victim": Hook(policy.choose, self.record)}, before_pass=[self._load])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Ranks of the lines of both caches, and comparators over the ways of a set."""
        p, caches = Prices(config), config.caches
        out = []
        for name, cache in (("tile", caches.tile), ("l2", caches.l2)):
            size = _RANK_BITS * cache.size_bytes / _LINE_BYTES / 8 / _ROW_BYTES
            # A line that comes takes the place of one.
            counter = f"cache.{name}.misses"
            ranks = {counter: f"read*{cache.ways} write"}
            out += [
                p.array(f"tcor_like.{name}_ranks", "color_depth_buffer_1K", size, 1, ranks),
                p.array(
                    f"tcor_like.{name}_comparators", "logic_comparator_mag_12b", 1, cache.ways - 1,
                    {counter: f"read*{cache.ways - 1}"},
                ),
            ]  # fmt: skip
        return out

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Find the tiles that read each line."""
        own = self.record[0]
        first, lines = list_lines(streams, attributes=True)
        tile = np.repeat(np.arange(len(streams.tiles)), np.diff(first))
        is_list = lines < own["attributes"]
        number = lines - np.where(is_list, own["lists"], own["attributes"])
        own["list_lines"] = int(number[is_list].max(initial=-1)) + 1
        own["attribute_lines"] = int(number[~is_list].max(initial=-1)) + 1
        count = int(own["list_lines"] + own["attribute_lines"])
        key = np.unique((number + np.where(is_list, 0, own["list_lines"])) << 32 | tile)
        place = np.searchsorted(key >> 32, np.arange(count + 1)).astype(np.int64)
        tiles = np.append(key & 0xFFFFFFFF, 0).astype(np.int32)
        at = np.append(place[:-1], 0).astype(np.int32)
        self._bound: dict[str, NDArray[Any]] = {"first": place, "tiles": tiles, "at": at}
        for name, array in self._bound.items():
            bind(own[name], array)
