"""Texture locality with a barrier for each processor, as a technique: quad map, tile order, barrier, hardware,
counters. Reconstructed.

Hardware: a processor has a part of each tile instead of quads here and there, neighbouring tiles mirror the parts, and
tiles follow each other along a curve, so that a texture's neighbourhood stays in one Texture Cache. Parts are not
equally heavy, so the barrier between tiles is each processor's own: Depth and Colour Buffers are banked by part.
Modelled: that; a processor is at most a tile ahead of the oldest one, as there are two Colour Buffers, and blends there
while none of them is flushed; Early-Z still takes one tile at a time, flushes are of whole tiles.
Left out: flushes by bank. Without tile pipelining there is no next tile, and the barrier changes nothing.
Source: the idea of Joseph et al., DTexL (MICRO 2022), of which the abstract was read; everything else ASSUMED, so its
results say nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.streams import tile_order
from gpumodel.techniques.dtexl_like.config import DtexlConfig
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.counters import Counter, named
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.pass_run import PassRun

__all__ = ["DecoupledLocality", "part_map"]

#: Bits of a tile's number, and of the count of quads of a part, in a processor's barrier.
_TILE_BITS, _COUNT_BITS = 11, 8


def part_map(config: GpuConfig, grouping: str) -> NDArray[np.uint8]:
    """(rows of quads, quads in a row) processor of each quad of a tile."""
    across, down, count = config.tile.width // 2, config.tile.height // 2, config.fragment.processors
    y, x = np.mgrid[:down, :across]
    columns = 1 << (count.bit_length() // 2)
    rows = -(-count // columns)
    owner = {
        # The next row is shifted by two.
        "fine": (x + 2 * y) % count,
        "columns": x * count // across,
        "rows": y * count // down,
        "square": np.minimum(x * columns // across + columns * (y * rows // down), count - 1),
    }[grouping]
    return np.asarray(owner, np.uint8)


@register
class DecoupledLocality(Technique):
    """Texture locality with a barrier for each processor (reconstructed)."""

    id = "dtexl-like"
    source = "MICRO 2022, abstract"
    Config = DtexlConfig
    counters = named(
        "dtexl-like",
        Counter("tiles", "tiles", "whose quads were given to processors by the map"),
        Counter("spread_quads", "quads", "of the busiest processor of each tile beyond its fair share, rounded up"),
    )

    def plugs(self, config: GpuConfig) -> Plugs:
        """Give the map and the order."""
        own = self._own = DtexlConfig.of(config)
        self._processors = config.fragment.processors
        order = None if own.order == "preset" else self._order
        return Plugs(tile_order=order, quad_map=self._map, observers=[self._count])

    def _order(self, trace: FrameTrace, index: int, given: NDArray[Any], across: int) -> NDArray[Any]:
        """Slot ``tile_order``."""
        return np.asarray(tile_order(self._own.order, across, len(given) // across))

    def _map(self, config: GpuConfig) -> NDArray[Any]:
        """Slot ``quad_map``: the parts, mirrored in every second column and row of tiles."""
        parts = part_map(config, self._own.grouping)
        flips = [[parts, parts[:, ::-1]], [parts[::-1], parts[::-1, ::-1]]] if self._own.flip else [[parts]]
        return np.array(flips, np.uint8).reshape(len(flips), len(flips[0]), -1)

    def attach(self, machine: Machine) -> None:
        """Let the processors' barriers be their own."""
        config = machine.config
        machine.system["cfg"]["decoupled"] = DtexlConfig.of(config).decoupled and config.blend.color_buffers == 2

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """A barrier a processor: a tile's number with a comparator, and a count of its quads."""
        p, count = Prices(config), config.fragment.processors * config.raster.units
        bits = _TILE_BITS + _COUNT_BITS
        adder, register = p.dynamic("logic_adder_32b").read_pj, p.dynamic("gate_register_dff_bit").read_pj
        price = {"fs.quads": bits / 32 * adder + bits * register}
        return [
            p.logic("dtexl_like.barriers", bits * count, bits * count, price, "a comparator and a counter a processor"),
            p.logic("dtexl_like.flip", 2 * 2, 2, {"tiles.rendered": 2 * register}, "exclusive or of the position"),
        ]

    def _count(self, trace: FrameTrace, done: PassRun) -> None:
        """Count how unequal the parts are."""
        streams, count = done.streams, self._processors
        quads = streams.quads[: streams.num_quads]
        key = quads["tile"].astype(np.int64) * count + quads["processor"]
        of = np.bincount(key, minlength=len(streams.tiles) * count).reshape(-1, count)
        self.record["tiles"] += int((of.sum(axis=1) > 0).sum())
        self.record["spread_quads"] += int((of.max(axis=1) - -(-of.sum(axis=1) // count)).sum())
