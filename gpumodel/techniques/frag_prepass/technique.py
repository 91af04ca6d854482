"""Fragment prepass as a technique: which tiles have one, what its end costs, its counters.

Hardware: a prepass over a tile's fragments finds what shows, beside the rendering of the tile before; geometry is
neither submitted nor sorted twice. A filter leaves tiles out that would gain nothing, and primitives that show nowhere
are left out of the rendering.
Modelled: the prepass is ``dr``'s front with its tags (:mod:`gpumodel.techniques.dr`); the filter goes by the
bounding boxes of what covers, summed while primitives are sorted; the list without hidden primitives is :mod:`.unit`'s.
Left out: the record buffer of earlier GPUs; what Arm does for transparent draws.
Source: Arm's text on the Fragment Prepass (T. Øygard, 2024) and Mesa's names of its switches; rules and sizes ASSUMED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.dr.technique import DeferredRendering
from gpumodel.techniques.frag_prepass.config import FragPrepassConfig
from gpumodel.techniques.frag_prepass.counters import COUNTERS
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import register
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams

__all__ = ["FragmentPrepass"]

#: Bits of a tile's estimate: sixteen layers, to a pixel of 32x32.
_ESTIMATE_BITS = 14
#: Entries of a list that have a bit.
_ENTRY_BITS = 4096
#: Capacities of the energy table's rows.
_ROW_BYTES = 1024
_ROW_BITS = 4096


@register
class FragmentPrepass(DeferredRendering):
    """Fragment prepass: what hides is found on chip before a tile is rendered, where that pays."""

    id = "frag-prepass"
    source = "Arm, Øygard 2024"
    Config = FragPrepassConfig
    counters = COUNTERS

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the front beside the Raster Unit, and the scan at the end of its tiles."""
        from gpumodel.techniques.frag_prepass import unit

        plugs = super().plugs(config)
        own = FragPrepassConfig.of(config)
        self._filter, self._culls = own.filter_percent, own.cull
        self.record = record = plugs.extend(self.record, unit.PREPASS)
        record["position_only"] = own.attributes == "position"
        record["filters"], record["marks"] = self._filter > 0, own.cull
        record["scan_tags"] = own.scan_tags if own.cull else 0
        for one in plugs.units:
            if one.name == "hsr_fetcher":
                one.tick.function = unit.tick_prepass_fetcher
        return plugs

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """What the front duplicates, the estimates of the tiles, a bit an entry, comparators of the scan."""
        p, own = Prices(config), FragPrepassConfig.of(config)
        out = list(super().hardware(config))
        if own.filter_percent:
            tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
            estimated = {"frag-prepass.estimated": "read write"}
            adder, product = p.dynamic("logic_adder_32b").read_pj, p.dynamic("op_int32_mul_horowitz").read_pj
            out += [
                p.array(
                    "frag-prepass.estimates", "color_depth_buffer_1K", tiles * _ESTIMATE_BITS / 8 / _ROW_BYTES, 1,
                    estimated,
                ),
                # Sides of the box and of its part in the tile, their products, the smaller one, the sum.
                p.logic(
                    "frag-prepass.estimator", 12 * 12 + 6 * 6 + 6 * 32, _ESTIMATE_BITS,
                    {"frag-prepass.estimated": 6 * adder + product * (12 * 12 + 6 * 6) / 32**2},
                    "four sides, products of 12 and 6 bits, a comparison, a sum",
                ),
            ]  # fmt: skip
        if own.cull:
            marks = {"frag-prepass.hsr_quads": "write", "frag-prepass.tags_scanned": "write"}
            out.append(p.array("frag-prepass.entry_bits", "constants_bitmap", _ENTRY_BITS / _ROW_BITS, 2, marks))
        return out

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Find the tiles that go without, and put the front into its first state."""
        super()._load(trace, streams)
        own = self.record[0]
        own["scanned"] = -1
        skips = self._filtered(trace, streams) if own["active"] and self._filter else np.zeros(1, np.uint8)
        own["tiles_filtered"] += int(skips.sum())
        if own["active"] and self._culls:
            # The lists may be another run's, too.
            streams.pairs = streams.pairs.copy()
        self._streams: dict[str, NDArray[Any]] = {"skips": skips, "noted": np.zeros(len(streams.quads) + 1, np.uint8)}
        for name, array in self._streams.items():
            bind(own[name], array)

    def _filtered(self, trace: FrameTrace, streams: PassStreams) -> NDArray[np.uint8]:
        """Tiles that what covers them fills too little of."""
        from gpumodel.techniques.dr.kinds import COVERS

        tiles, pairs = streams.tiles, streams.pairs[: int(streams.tiles["pair_count"].sum())]
        pairs = pairs[pairs["clear"] < 0]
        pairs = pairs[self._bound[pairs["draw"]] & COVERS != 0]
        self.record[0]["estimated"] += len(pairs)
        tile = pairs["tile"]
        box = trace["emitted"]["bounds"][pairs["emitted"]].astype(np.int64)
        half = (box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1) / 2
        sides = [
            np.minimum(box[:, k + 2] + 1, tiles[begin][tile] + tiles[size][tile])
            - np.maximum(box[:, k], tiles[begin][tile])
            for k, (begin, size) in enumerate((("x0", "width"), ("y0", "height")))
        ]
        inside = np.maximum(sides[0], 0) * np.maximum(sides[1], 0)
        filled = np.bincount(tile, np.minimum(inside, half), len(tiles))
        area = tiles["width"].astype(np.int64) * tiles["height"]
        return np.asarray(100 * filled <= self._filter * area, np.uint8)
