"""Last frame's depth in Early-Z as a technique: the prediction, its repair, hardware, counters. Reconstructed.

Hardware: when a tile ends, its Depth Buffer is kept (the farthest depth of each block of pixels); when the tile comes
in the next frame, a second comparator in Early-Z leaves out what lies behind. A plane of depths remembers what was left
out; entries of the list that have left something out come again, before what would show the difference or at the tile's
end, and then without the second comparator for what it left out.
Modelled: that, exactly (docs/technique_models.md). What is left out follows from the trace, so it is known before a
pass runs; fetching, rasterizing and testing what comes again, and moving depths, take their time.
Left out: the comparison of the two planes (beside the last quads of a tile, ASSUMED).
Source: the idea of Corbalan-Navarro et al., Omega-Test (TVCG 2022), of which the abstract was read; the repair is of
our own, so its results say nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.schema import CacheConfig
from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.omega_like.config import OmegaConfig
from gpumodel.techniques.omega_like.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, PluggedCache, PluggedUnit, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.signing.history import on_screen
from gpumodel.tile_figures import pass_key
from gpumodel.tile_lists import come_again
from gpumodel.units.state import RENDERED
from gpumodel.units.traffic import OTHER
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace, MemoryMap, quantize_depth

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.machine import Machine
    from gpumodel.pass_depths import Rules
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["OmegaTest"]

Array = NDArray[Any]
#: Of the depths of all passes, 64 MiB each.
_ADDRESS = MemoryMap.MODEL + (3 << 34) + (3 << 32)
_PASS_LINES = 1 << 20
_LINE_BYTES = 64
_DEPTH_BITS = 24
#: Capacity of the energy table's rows.
_ROW_BYTES, _ROW_BITS = 4096, 8192


@register
class OmegaTest(Technique):
    """Last frame's depth in Early-Z (reconstructed): what lies behind it is left out, and comes again where needed."""

    id = "omega-like"
    source = "TVCG 2022, abstract"
    Config = OmegaConfig
    counters = COUNTERS

    def plugs(self, config: GpuConfig) -> Plugs:
        """Test, repeat entries, and move depths."""
        from gpumodel.techniques.omega_like import unit

        if config.binning.overlap != "none":
            raise ConfigError(["omega-like knows the depths of the frame before: binning.overlap has to be none"])
        self._config, self._omega = config, OmegaConfig.of(config)
        self.record = np.zeros(1, unit.OMEGA)
        #: Of the last frame's passes, by their tiles' numbers.
        self._kept: dict[tuple[int, ...], Array] = {}
        self._places: dict[tuple[int, ...], int] = {}
        cache = CacheConfig(size_bytes=self._omega.cache_bytes, ways=4, latency_cycles=1, mshrs=2, request_queue=4)
        hooks = {"test": unit.decide, "tile_render": unit.begin_tile, "tile_flush": unit.end_tile}
        return Plugs(
            hooks={name: Hook(function, self.record) for name, function in hooks.items()},
            units=[PluggedUnit("omega", Hook(unit.tick_omega, self.record), before="tile_fetcher")],
            caches=[PluggedCache("omega", cache, "omega", OTHER)],
            primitive_order=self._predict,
            observers=[self._keep],
        )

    def attach(self, machine: Machine) -> None:
        """Note the numbers of unit and cache."""
        number = machine.cache_number("omega")
        self.record[0]["unit"], self.record[0]["cache"] = machine.unit_number("omega"), number
        self._cache = machine.system["l1"][number]

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began, those of the cache among them."""
        own = self.record[0]
        own["lines_fetched"], own["lines_evicted"] = self._cache["primary_misses"], self._cache["write_backs"]
        return super().read_counters()

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Cache, a tile's depths, the plane of what is left out, comparators, a bit an entry of the list."""
        p, omega, units = Prices(config), OmegaConfig.of(config), config.raster.units
        pixels = config.tile.width * config.tile.height
        accesses = {
            "omega-like.line_reads": "read*4", "omega-like.line_writes": "write*4",
            "omega-like.lines_fetched": "write*4", "omega-like.lines_evicted": "read*4",
        }  # fmt: skip
        tile_bits = pixels // omega.block**2 * omega.bits
        register = p.dynamic("gate_register_dff_bit").read_pj
        bits = {"omega-like.entries_again": register, "tile_fetch.primitives": register}
        return [
            p.array("omega_like.cache", "vertex_cache", omega.cache_bytes / _ROW_BYTES, 1, accesses),
            p.array("omega_like.tile", "color_depth_buffer_1K", 2 * tile_bits / _ROW_BITS, units,
                    {"omega-like.compared": "read", "omega-like.line_reads": "write*4"}),
            p.array("omega_like.left_out", "color_depth_buffer_1K", pixels * _DEPTH_BITS / _ROW_BITS, units,
                    {"omega-like.left_out": "read write", "quads.rasterized": "read"}),
            p.array("omega_like.comparators", "logic_comparator_mag_12b", omega.bits / 12 + 2 * _DEPTH_BITS / 12,
                    4 * units, {"omega-like.compared": "read"}),
            p.array("omega_like.extremes", "logic_comparator_mag_12b", omega.bits / 12, 4 * units,
                    {"fragments.written": "read"}),
            p.logic("omega_like.entry_bits", 0, units * config.queues.tile, bits, "which entries come again"),
        ]  # fmt: skip

    def _predict(self, trace: FrameTrace, streams: PassStreams) -> Array:
        """Slot ``primitive_order``: leave out what last frame's depths hide, and let come again what has to."""
        from gpumodel.pass_depths import find_rules

        own, key = self.record[0], pass_key(trace, streams)
        for name in ("reads", "stores", "waits"):
            own[name] = 0
        own["tile"], own["ending"], own["asked_since"] = -1, -1, -1
        self._shown: Array | None = None
        rules = find_rules(trace, streams, self._config.tile.width // 2)
        one = int(quantize_depth(1.0, int(trace["passes"]["depth_format"][streams.index])))
        hidden = np.zeros(0, np.uint8)
        if rules is None or not len(streams.binned):
            own["off"] += 1
            self._kept.pop(key, None)
        else:
            shift = max(one.bit_length() - self._omega.bits, 0)
            hidden = self._leave_out(trace, streams, rules, shift)
            own["reads"], own["stores"] = key in self._kept, 1
        number = np.append(streams.tile_numbers, 0).astype(np.int32)
        self._bound = hidden, number
        bind(own["hidden"], hidden)
        bind(own["number"], number)
        size = self._blocks() * self._omega.bits // 8
        own["lines"] = -(-size // _LINE_BYTES)
        own["base"] = _ADDRESS // _LINE_BYTES + self._places.setdefault(key, len(self._places)) * _PASS_LINES
        return streams.pairs

    def _blocks(self) -> int:
        """Blocks of a tile."""
        tile, side = self._config.tile, self._omega.block
        return -(-tile.width // side) * -(-tile.height // side)

    def _leave_out(self, trace: FrameTrace, streams: PassStreams, rules: Rules, shift: int) -> NDArray[np.uint8]:
        """Walk through the tiles; gives the fragments of each quad that are left out where it comes."""
        from gpumodel.pass_depths import TOWARD
        from gpumodel.techniques.omega_like.walk import ENTRIES, NOTHING, Kept, Left, Planes, walk
        from gpumodel.techniques.vro.nodes import covering_draws

        own, omega, tiles = self.record[0], self._omega, streams.tiles
        rows, count = slice(*streams.draw_range), int(tiles["pair_count"].sum())
        moves = np.zeros(len(rules.kind), np.uint8)
        moves[rows] = covering_draws(trace, streams.index, rows) & (rules.kind[rows] & TOWARD != 0)
        kept = self._kept.get(pass_key(trace, streams))
        held = np.full((len(tiles), self._blocks()), NOTHING, np.int64)
        if kept is not None:
            held = np.ascontiguousarray(kept[streams.tile_numbers])
        pixels = self._config.tile.width * self._config.tile.height
        planes = Planes(np.zeros(pixels, np.int64), np.zeros(pixels, np.int64))

        def drawn(held: Array) -> tuple[Left, Array]:
            empty = (np.zeros(len(streams.quads), np.uint8), np.zeros(count + 1, np.uint8))
            out = Left(*empty, *(np.zeros(count + 1, np.int64) for _ in range(2)), np.zeros(5, np.int64))
            shown = np.zeros_like(held)
            one = Kept(moves, held, shown, shift, omega.margin, omega.block)
            walk(tiles, streams.pairs, streams.quads, rules, one, out, planes)
            return out, shown

        left, self._shown = drawn(held)
        if omega.oracle:
            left, _ = drawn(self._shown)
        names = ("compared", "left_out", "wrong_tiles", "entries_again", "fragments_again")
        for name, total in zip(names, left.totals.tolist(), strict=True):
            own[name] += total
        again = int(left.totals[ENTRIES])
        before = streams.num_quads
        copied = come_again(streams, left.place[:again], left.entry[:again])
        # What comes again is what was left out.
        return np.concatenate([left.behind[:before], ~left.behind[copied] & 15])

    def _keep(self, trace: FrameTrace, done: PassRun) -> None:
        """Keep what the tiles that were rendered have shown."""
        if self._shown is None:
            return
        streams, key = done.streams, pass_key(trace, done.streams)
        shown = on_screen(streams.tile_numbers, self._shown)
        left = on_screen(streams.tile_numbers, streams.tiles["outcome"] & RENDERED == 0)
        if key in self._kept:
            shown[left] = self._kept[key][left]
        self._kept[key] = shown
