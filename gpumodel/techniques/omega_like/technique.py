"""Last frame's depth in Early-Z as a technique: the prediction, its repair, hardware, counters. Reconstructed.

Hardware: when a tile ends, its Depth Buffer is kept (the farthest depth of each block of pixels); when the tile comes
in the next frame, a second comparator in Early-Z leaves out what lies behind. A plane of depths remembers what was left
out; entries of the list that have left something out come again, before what would show the difference or at the tile's
end, and then without the second comparator for what it left out.
Modelled: that, exactly (docs/technique_models.md). What is left out follows from the trace, so it is known before a
pass runs; fetching, rasterizing and testing what comes again, and moving depths, take their time. A tile's depths are
fetched while the one before is begun (ASSUMED; nothing that was read tells when).
Left out: the comparison of the two planes (beside the last quads of a tile, ASSUMED).
Source: the idea of Corbalan-Navarro et al., Omega-Test (TVCG 2022), of which the abstract was read; the repair is of
our own, so its results say nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.depth_lines.technique import LINE_BYTES, DepthLines
from gpumodel.techniques.omega_like.config import OmegaConfig
from gpumodel.techniques.omega_like.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import register
from gpumodel.techniques.signing.history import on_screen
from gpumodel.tile_figures import pass_key
from gpumodel.tile_lists import come_again
from gpumodel.units.state import RENDERED
from gpumodel.units.views import bind
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace, MemoryMap, quantize_depth

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_depths import Rules
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["OmegaTest"]

Array = NDArray[Any]
#: Of the depths of all passes, 64 MiB each.
_ADDRESS = MemoryMap.MODEL + (3 << 34) + (3 << 32)
_PASS_LINES = 1 << 20
_DEPTH_BITS = 24
#: Capacity of the energy table's row.
_ROW_BITS = 8192


@register
class OmegaTest(DepthLines):
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
        #: Of the last frame's passes, by their tiles' numbers.
        self._kept: dict[tuple[int, ...], Array] = {}
        self._places: dict[tuple[int, ...], int] = {}
        plugs = self._line_plugs(self._omega.cache_bytes, unit.FIELDS)
        plugs.hooks |= {"test": Hook(unit.decide, self.record), "tile_flush": Hook(unit.end_tile, self.record)}
        plugs.primitive_order, plugs.observers = self._predict, [self._keep]
        return plugs

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Cache, a tile's depths, the plane of what is left out, comparators, a bit an entry of the list."""
        p, omega, units = Prices(config), OmegaConfig.of(config), config.raster.units
        pixels = config.tile.width * config.tile.height
        # The tile's, what it shows, and where it is fetched ahead the next one's.
        kept_bits = (2 + omega.ahead) * pixels // omega.block**2 * omega.bits
        register = p.dynamic("gate_register_dff_bit").read_pj
        bits = {"omega-like.entries_again": register, "tile_fetch.primitives": register}
        return [
            self._cache_price(p, "omega_like.cache", omega.cache_bytes),
            p.array("omega_like.tile", "color_depth_buffer_1K", kept_bits / _ROW_BITS, units,
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
        own["active"] = own["stores"] = 0
        own["ending"] = -1
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
            own["stores"] = 1
        number = np.append(streams.tile_numbers, 0).astype(np.int32)
        self._bound = hidden, number
        bind(own["hidden"], hidden)
        bind(own["number"], number)
        lines = -(-(self._blocks() * self._omega.bits // 8) // LINE_BYTES)
        base = _ADDRESS // LINE_BYTES + self._places.setdefault(key, len(self._places)) * _PASS_LINES
        own["tile_lines"], own["base"] = lines, base
        if own["stores"] and key in self._kept:
            self._fetch(streams, base, lines)
        return streams.pairs

    def _fetch(self, streams: PassStreams, base: int, lines: int) -> None:
        """Let the unit fetch each tile's lines."""
        from gpumodel.techniques.depth_lines.unit import READS

        count = len(streams.tiles)
        of_tile = base + lines * streams.tile_numbers[:, np.newaxis] + np.arange(lines)
        arrays: dict[str, Array] = {
            "lines": np.append(of_tile.reshape(-1), 0).astype(np.int64),
            "kinds": np.full(lines * count + 1, READS, np.uint8),
            "cycles": np.ones(lines * count + 1, np.int32),
            "sorted": np.zeros(len(streams.emitted) + 1, np.int64),
            "tiles": lines * np.arange(count + 1, dtype=np.int64),
        }
        self._bind_lines(arrays, 0)
        self.record["ahead"] = self._omega.ahead

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
            place, entry = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
            behind, unsure = np.zeros(len(streams.quads), np.uint8), np.zeros(count + 1, np.uint8)
            out = Left(behind, unsure, place, entry, np.zeros(5, np.int64))
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
