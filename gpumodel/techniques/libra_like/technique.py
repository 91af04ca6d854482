"""Tiles by last frame's heat as a technique: the prediction, its hardware, counters. Reconstructed.

Hardware: each tile's misses are counted and kept for the next frame; squares of tiles (super-tiles) are sorted by their
sums while the next frame's geometry runs. One half of the Raster Units takes super-tiles from the hot end, the other
from the cold end, so that what asks much of the memory runs beside what asks little. Squares keep what neighbours share
in the caches.
Modelled: that, on top of ``ptr``. A pass is known by its framebuffer, size and number; the first of its kind, one that
is cut, and one that gains nothing by heat while its textures hit keep the order of tiles. A super-tile's side is
doubled or halved after a frame, the other way after one that took longer (:mod:`.schedule`).
Left out: time of counting and of summing up (beside the tiles, ASSUMED).
Source: the idea of LIBRA (MICRO 2024), of which the abstract was read; the rules are of our own, so its results say
nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.libra_like.config import LibraConfig
from gpumodel.techniques.libra_like.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.ptr import ParallelTileRendering
from gpumodel.techniques.registry import register
from gpumodel.techniques.signing.history import on_screen
from gpumodel.tile_figures import pass_key, tile_figures
from gpumodel.units.state import L1_TEXTURE
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.libra_like.schedule import Choice
    from gpumodel.units.counters import Counter

__all__ = ["BalancedTiles"]

Array = NDArray[Any]
#: Bits of a tile's figure, of the sum of a super-tile's, of a super-tile's number.
_HEAT_BITS, _SUM_BITS, _NUMBER_BITS = 16, 24, 12
#: Capacity of the energy table's row.
_ROW_BITS = 8192


@register
class BalancedTiles(ParallelTileRendering):
    """Tiles by last frame's heat (reconstructed): hot and cold ones at the same time."""

    id = "libra-like"
    source = "MICRO 2024, abstract"
    Config = LibraConfig
    counters: ClassVar[Mapping[str, Counter]] = COUNTERS
    implies = ("ptr",)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Pick the tiles, and learn what they cost."""
        from gpumodel.techniques.libra_like import unit

        if config.binning.overlap != "none":
            raise ConfigError(["libra-like knows the tiles of the frame before: binning.overlap has to be none"])
        self.record = np.zeros(1, unit.LIBRA)
        self._libra = LibraConfig.of(config)
        self._choices: dict[tuple[int, ...], Choice] = {}
        self._heat: dict[tuple[int, ...], Array] = {}
        hooks = {"tile_pick": Hook(unit.pick, self.record)}
        return Plugs(hooks=hooks, before_raster=[self._schedule], observers=[self._learn])

    def attach(self, machine: Machine) -> None:
        """Note where look-ups of textures are counted."""
        super().attach(machine)
        processors = machine.config.fragment.processors
        self._processors = processors
        self._caches = slice(L1_TEXTURE, L1_TEXTURE + self._units * processors)

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Last frame's figures, counters of misses, sums with their numbers and a comparator, places of the units."""
        p, units = Prices(config), config.raster.units
        tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
        adder, register = p.dynamic("logic_adder_32b").read_pj, p.dynamic("gate_register_dff_bit").read_pj
        side = LibraConfig.of(config).side
        figures = {"libra-like.looked_up_tiles": "read", "libra-like.learned_tiles": "write"}
        sorted_ones = {"libra-like.super_tiles": "read*2 write*2"}
        counted = {"cache.texture.primary_misses": _HEAT_BITS / 32 * adder}
        place = {"tiles.rendered": 2 * _NUMBER_BITS / 32 * adder + 2 * _NUMBER_BITS * register}
        shared = config.fragment.shared_texture_caches
        return [
            # Beside ``ptr-shared``, that one has what the Raster Units need.
            *([] if shared else super().hardware(config)),
            p.array("libra_like.figures", "color_depth_buffer_1K", tiles * _HEAT_BITS / _ROW_BITS, 1, figures),
            p.array(
                "libra_like.sorted", "color_depth_buffer_1K",
                (1 if LibraConfig.of(config).adapts else 1 / side**2) * tiles * (_SUM_BITS + _NUMBER_BITS) / _ROW_BITS,
                1, sorted_ones,
            ),
            p.array("libra_like.comparator", "logic_comparator_mag_12b", _SUM_BITS / 12, 1,
                    {"libra-like.super_tiles": "read*4"}),
            p.logic("libra_like.miss_counters", units * _HEAT_BITS, units * _HEAT_BITS, counted, "one a Raster Unit"),
            p.logic("libra_like.places", (2 + 2 * units) * _NUMBER_BITS, (2 + 2 * units) * _NUMBER_BITS, place,
                    "two ends, and two places a Raster Unit"),
        ]  # fmt: skip

    def _schedule(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Sort the super-tiles of a pass."""
        from gpumodel.techniques.libra_like.schedule import Choice, super_tiles

        own, count, key = self.record[0], len(streams.tiles), pass_key(trace, streams)
        choice = self._choices.setdefault(key, Choice(self._libra.side))
        heat = self._foreseen(trace, streams) if self._libra.oracle else self._heat.get(key)
        by_heat = heat is not None and streams.part.count == 1 and (choice.by_heat or self._libra.oracle)
        tiles, first = np.arange(count, dtype=np.int32), np.arange(count + 1, dtype=np.int32)
        own["until"] = self._system["now"]
        if by_heat:
            assert heat is not None
            tiles, first = super_tiles(streams, choice.side, heat[streams.tile_numbers])
            own["super_tiles"] += len(first) - 1
            own["looked_up_tiles"] += count
            own["until"] += self._libra.sort_cycles * (len(first) - 1)
        own["passes_by_heat" if by_heat else "passes_in_order"] += 1
        own["hot"], own["cold"], own["both_ends"] = 0, len(first) - 1, by_heat
        own["at"] = own["end"] = 0
        own["asked_since"], own["last"] = -1, self._units - 1
        self._bound = tiles, first
        bind(own["tiles"], tiles)
        bind(own["first"], first)
        self._by_heat, self._since = by_heat, self._lookups()

    def _lookups(self) -> NDArray[np.int64]:
        """Look-ups of textures so far, and hits."""
        caches = self._system["l1"][self._caches]
        return np.array([caches["accesses"].sum(), caches["hits"].sum()], np.int64)

    @staticmethod
    def _foreseen(trace: FrameTrace, streams: PassStreams) -> Array:
        """(tiles,) by number: lines that the texture instructions of the tile's quads look up."""
        quads, ops = streams.quads[: streams.num_quads], trace["tex_ops"]
        lines = np.concatenate([[0], np.cumsum(ops["line_count"], dtype=np.int64)])
        first = quads["op"].astype(np.int64)
        own = lines[first + quads["segment_end"] - quads["segment"] - 1] - lines[first]
        by_tile = np.bincount(quads["tile"], np.maximum(own, 0), len(streams.tiles)).astype(np.int64)
        return on_screen(streams.tile_numbers, by_tile)

    def _learn(self, trace: FrameTrace, done: PassRun) -> None:
        """Keep the tiles' figures, and choose for the next frame."""
        from gpumodel.techniques.libra_like.schedule import bound_cycles

        own, streams, key = self.record[0], done.streams, pass_key(trace, done.streams)
        figures = tile_figures(done, self._processors)
        heat = getattr(figures, self._libra.metric).reshape(len(streams.tiles), -1).sum(axis=1)
        heat = np.minimum(heat, (1 << _HEAT_BITS) - 1)
        self._heat[key] = on_screen(streams.tile_numbers, heat)
        own["learned_tiles"] += len(heat)
        own["bound_cycles"] += bound_cycles(figures.instructions, self._units)
        if streams.part.count == 1:
            looked_up, hit = self._lookups() - self._since
            self._choices[key].learn(self._libra, done.end - done.raster_start, 100 * hit / max(looked_up, 1))
