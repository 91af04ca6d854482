"""Low-resolution depth as a technique: what a pass's depths reject, their memory, their hardware, counters.

Hardware: while primitives are sorted into the tiles, the nearest depth that hides each block of 8x8 pixels is kept. A
primitive all of whose blocks in a tile are hidden is not put into the tile's list; when the tile is rendered, blocks
behind the pass's final depths are left out before Early-Z, whatever order the application draws in.
Modelled: :mod:`.rules`, :mod:`.blocks` and :mod:`gpumodel.techniques.depth_lines.unit`. What is rejected depends on
the trace alone, so it is known before a pass runs; the unit spends the time and the traffic. Passes with several
samples go without.
Left out: depths that are kept for another pass on the same target; what shaders that discard learn while rendering
(Mesa: LRZ feedback); time of the comparison before Early-Z, which the Rasterizer's walk over blocks hides (ASSUMED).
Source: Mesa's freedreno documentation and code, reverse-engineered: Qualcomm describes no more than the idea.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.depth_lines.technique import LINE_BYTES, DepthLines
from gpumodel.techniques.lrz.config import LrzConfig
from gpumodel.techniques.lrz.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import register
from gpumodel.tile_lists import leave_out
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace, MemoryMap

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.lrz.blocks import PassDepths

__all__ = ["LowResolutionZ"]

Array = NDArray[Any]
#: Of the depths of all targets, 8 MiB each: no target has more.
_ADDRESS = MemoryMap.MODEL + (3 << 34) + (1 << 33)
_TARGET_LINES = 1 << 17
#: Blocks of a line.
_LINE_WIDTH, _LINE_HEIGHT = 8, 4
_DEPTH_BITS = 16


@register
class LowResolutionZ(DepthLines):
    """Low-resolution depth: hidden blocks are left out of tile lists, and before Early-Z."""

    id = "lrz"
    source = "Mesa, freedreno"
    Config = LrzConfig
    cuts = True
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        self._targets: dict[int, int] = {}

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the unit with its cache in front of the list builder."""
        from gpumodel.techniques.depth_lines import unit

        if config.binning.overlap != "none":
            raise ConfigError(["lrz keeps the depths of one pass: binning.overlap has to be none"])
        self._config = config
        plugs = self._line_plugs(LrzConfig.of(config).cache_bytes)
        plugs.hooks["bin"] = Hook(unit.sort_primitive, self.record)
        plugs.before_pass = [self._load]
        return plugs

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Cache, comparators of sorting and of rendering, a plane's depth at corners, bits of clear lines."""
        p, lrz = Prices(config), LrzConfig.of(config)
        adder, multiplier = p.dynamic("logic_adder_32b").read_pj, p.dynamic("op_int32_mul_horowitz").read_pj
        register = p.dynamic("gate_register_dff_bit").read_pj
        lines = -(-config.screen.width // (8 * _LINE_WIDTH)) * -(-config.screen.height // (8 * _LINE_HEIGHT))
        rate, compared = lrz.blocks_per_cycle, {"lrz.blocks": "read", "lrz.rendering_blocks": "read"}
        bits = dict.fromkeys(("lrz.line_reads", "lrz.line_writes", "lrz.clear_lines"), register)
        return [
            self._cache_price(p, "lrz.cache", lrz.cache_bytes),
            p.array("lrz.comparators", "logic_comparator_mag_12b", _DEPTH_BITS / 12, 2 * rate, compared),
            # Two multiply-adds a block, of the nearest and of the farthest corner.
            p.logic(
                "lrz.plane", 2 * rate * 24 * 24, rate * 64, {"lrz.blocks": 2 * (multiplier + adder)}, "two corners"
            ),
            p.logic("lrz.clear_bits", 0, lines, bits, "a bit a line of the screen's depths"),
        ]

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Find what the pass's depths reject, take it out, and give the unit its accesses."""
        own = self.record[0]
        own["active"] = 0
        if int(trace["passes"]["samples"][streams.index]) > 1:
            own["off.samples"] += 1
            return
        from gpumodel.techniques.lrz.blocks import REJECTED, WRITTEN, build_depths
        from gpumodel.techniques.lrz.rules import find_rules

        rules = find_rules(trace, streams)
        if rules is None:
            own["off.no_depth"] += 1
            return
        depths = build_depths(trace, streams, rules)
        own["blocks"] += len(depths.kind)
        own["blocks_written"] += int((depths.kind == WRITTEN).sum())
        own["blocks_rejected"] += int((depths.kind == REJECTED).sum())
        self._bind_accesses(trace, streams, depths)
        self._take_out(streams, depths)

    def _take_out(self, streams: PassStreams, depths: PassDepths) -> None:
        """Take out of the lists what is hidden, and out of the entries that stay what will be."""
        own, lrz = self.record[0], LrzConfig.of(self._config)
        count = streams.num_quads
        row = streams.quads["row"][:count] - streams.quad_rows[0]
        hidden, final = depths.sorted_out[row] & lrz.binning, depths.final_out[row] & lrz.rendering
        entries = int(streams.tiles["pair_count"].sum())
        owner = np.repeat(np.arange(entries), streams.pairs["quad_count"][:entries])
        left = np.bincount(owner[~hidden], minlength=entries)
        dropped = (left == 0) & (streams.pairs["quad_count"][:entries] > 0)
        late = final & ~dropped[owner]
        own["entries_dropped"] += int(dropped.sum())
        own["binning_quads"] += int(dropped[owner].sum())
        own["rendering_quads"] += int(late.sum())
        if lrz.rendering:
            own["rendering_blocks"] += len(np.unique(owner.astype(np.int64) << 32 | depths.block[row]))
        leave_out(streams, late | dropped[owner], entries=dropped)

    def _bind_accesses(self, trace: FrameTrace, streams: PassStreams, depths: PassDepths) -> None:
        """Lines that each primitive's blocks lie in, with what happens to them, and those of each tile."""
        from gpumodel.techniques.depth_lines.unit import READS, WRITES
        from gpumodel.techniques.lrz.blocks import WRITTEN

        lrz = LrzConfig.of(self._config)
        line_of = self._lines(depths)
        lines = int(line_of.max(initial=-1)) + 1
        key, place, blocks = np.unique(
            depths.primitive * lines + line_of[depths.touched_block], return_inverse=True, return_counts=True
        )
        primitive, line = np.divmod(key, max(lines, 1))
        writes = np.bincount(place[depths.kind == WRITTEN], minlength=len(key)) > 0
        first_write = np.full(lines, len(key), np.int64)
        np.minimum.at(first_write, line[writes], np.flatnonzero(writes))
        reads = np.arange(len(key)) > first_write[line]
        tile, tile_line = self._tile_lines(streams, line_of, depths.across)
        used = first_write[tile_line] < len(key)
        tile, tile_line = tile[used], tile_line[used]
        target = self._targets.setdefault(int(trace["passes"]["depth_address"][streams.index]), len(self._targets))
        base = _ADDRESS // LINE_BYTES + target * _TARGET_LINES
        shown = len(tile) if lrz.rendering else 0
        arrays: dict[str, Array] = {
            "lines": base + np.concatenate([line, tile_line[:shown], [0]]),
            "kinds": np.concatenate([reads * READS | writes * WRITES, np.full(shown + 1, READS)]).astype(np.uint8),
            "cycles": np.concatenate([-(-blocks // lrz.blocks_per_cycle), np.ones(shown + 1)]).astype(np.int32),
            "sorted": np.searchsorted(primitive, np.arange(len(streams.emitted) + 1)).astype(np.int64),
            "tiles": len(key) + np.searchsorted(tile[:shown], np.arange(len(streams.tiles) + 1)).astype(np.int64),
        }
        self._bind_lines(arrays, len(key))

    @staticmethod
    def _lines(depths: PassDepths) -> NDArray[np.int64]:
        """Line of each block."""
        y, x = np.divmod(np.arange(depths.count, dtype=np.int64), depths.across)
        return np.asarray(y // _LINE_HEIGHT * -(-depths.across // _LINE_WIDTH) + x // _LINE_WIDTH)

    @staticmethod
    def _tile_lines(streams: PassStreams, line_of: Array, across: int) -> tuple[Array, Array]:
        """Tiles in rendering order, and a line of theirs, each once."""
        tiles = streams.tiles
        keys = []
        for dy in range(0, int(tiles["height"].max()), 8):
            for dx in range(0, int(tiles["width"].max()), 8):
                inside = np.flatnonzero((dx < tiles["width"]) & (dy < tiles["height"]))
                block = (tiles["y0"][inside] + dy) // 8 * across + (tiles["x0"][inside] + dx) // 8
                keys.append(inside.astype(np.int64) << 32 | line_of[block])
        found = np.unique(np.concatenate(keys))
        return found >> 32, found & 0xFFFFFFFF
