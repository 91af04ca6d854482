"""Early Visibility Resolution as a technique: the prediction, its use for lists and signatures, hardware, counters.
Reconstructed.

Hardware: what a tile showed in the frame before is kept as two numbers: its farthest depth, and the lowest layer (of
draws, as they come in the tile) that shows. While primitives are sorted, one behind that depth, or one that writes no
depth and has a lower layer, is predicted hidden. A hidden opaque one goes into the tile's second list, which is drawn
behind the first; hidden ones are left out of the tile's signature, so that Rendering Elimination finds more tiles.
Modelled: that, on top of ``re``. A tile with equal signatures is left out only if it was not poisoned when it was
rendered, and what is unsigned now lies behind all that it showed then; so pixels stay exact (docs/technique_models.md).
Left out: where both lists of a tile lie (entries take each other's places in one chain, ASSUMED); time of the look-up
and of the maximum (ASSUMED hidden).
Source: the idea of Anglada et al., Early Visibility Resolution (HPCA 2019), of which the abstract was read; the rules
are of our own, so its results say nothing of the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.evr_like.config import EvrConfig
from gpumodel.techniques.evr_like.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.re.counters import COUNTERS as ELIMINATION
from gpumodel.techniques.re.technique import RenderingElimination
from gpumodel.techniques.registry import register
from gpumodel.techniques.signing.history import on_screen
from gpumodel.tile_figures import pass_key
from gpumodel.units.counters import Counter, counter_fields
from traceformat.errors import ConfigError
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_depths import Rules
    from gpumodel.streams import PassStreams

__all__ = ["EarlyVisibility"]

Array = NDArray[Any]
#: Bits of a tile's depth with its type, of a layer or command, of a place and the poison; of a pixel in the Layer
#: Buffer, of a place in the list with a function.
_FAR_BITS, _LAYER_BITS, _KEPT_BITS, _PIXEL_BITS, _OWNER_BITS = 25, 16, 24 + 16 + 1, 34, 17
#: Capacity of the energy table's row.
_ROW_BITS = 8192


@dataclass(slots=True)
class _Seen:
    """What the tiles of a pass showed, by their numbers on the screen, see :func:`.visibility.walk`."""

    far: Array
    low: Array
    place: Array
    poison: Array


@dataclass(slots=True)
class _Predicted:
    """What is predicted of a pass's list entries, and the depths (by tile, in rendering order) that it is held by."""

    by_depth: Array
    by_layer: Array
    layer: Array
    far: Array

    @property
    def hidden(self) -> Array:
        """(entries,) bool, both."""
        return np.asarray(self.by_depth | self.by_layer)


@register
class EarlyVisibility(RenderingElimination):
    """Early Visibility Resolution (reconstructed): what was hidden is drawn last, and signed no more."""

    id = "evr-like"
    source = "HPCA 2019, abstract"
    Config = EvrConfig
    counters: ClassVar[Mapping[str, Counter]] = {**ELIMINATION, **COUNTERS}
    implies = ("re",)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Predict before Rendering Elimination signs; test the lists by their entries' places."""
        from gpumodel.techniques.evr_like import owners

        if config.binning.overlap != "none":
            raise ConfigError(["evr-like predicts by the tiles of the frame before: binning.overlap has to be none"])
        plugs = super().plugs(config)
        signs = [(name, kind[0]) for name, kind in (self.record.dtype.fields or {}).items()]
        self.record = plugs.extend(self.record[:1], np.dtype([*signs, *counter_fields(COUNTERS)], align=True))
        self._evr = EvrConfig.of(config)
        self._owners = np.zeros(1, owners.OWNERS)
        plugs.hooks["test"] = Hook(owners.decide_by_place, self._owners)
        plugs.primitive_order = self._order
        #: Of the last frame's passes, and of what the frame buffers hold.
        self._last: dict[tuple[int, ...], _Seen] = {}
        self._held: dict[tuple[int, int], _Seen] = {}
        self._predicted: _Predicted | None = None
        self._rules: Rules | None = None
        return plugs

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Tables by tile, the Layer Buffer, places beside depths, comparators; what is kept with each signature."""
        p = Prices(config)
        tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
        pixels = config.tile.width * config.tile.height
        sets = config.screen.frame_buffers + 1
        looked_up, units = {"evr-like.entries": "read write"}, config.raster.units
        seen = {"evr-like.resolved_pixels": "read", "fragments.written": "write"}
        owned = {"quads.rasterized": "read", "depth_buffer.writes": "write"}

        def table(name: str, bits: float, count: float, activity: dict[str, str]) -> Structure:
            return p.array(f"evr_like.{name}", "color_depth_buffer_1K", bits / _ROW_BITS, count, activity)

        return [
            *super().hardware(config),
            table("layers", tiles * 2 * _LAYER_BITS, 1, looked_up),
            table("far_points", tiles * _FAR_BITS, 1, {"evr-like.entries": "read", "re.tiles_checked": "write"}),
            table("kept", tiles * sets * _KEPT_BITS, 1, {"re.tiles_checked": "read write"}),
            table("layer_buffer", pixels * _PIXEL_BITS, units, seen),
            table("places", pixels * _OWNER_BITS, units, owned),
            p.array("evr_like.place_comparators", "logic_comparator_mag_12b", _OWNER_BITS / 12, 4 * units,
                    {"quads.rasterized": "read*4"}),
            p.array("evr_like.comparators", "logic_comparator_mag_12b", 2, 2, {"evr-like.entries": "read*2"}),
            p.array("evr_like.extremes", "logic_comparator_mag_12b", 2, 3 * units,
                    {"evr-like.resolved_pixels": "read*3"}),
        ]  # fmt: skip

    def _prepare(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Predict, let signatures be made of the rest, and see what the tiles show."""
        from gpumodel.pass_depths import find_rules

        own = self.record[0]
        rules = self._rules = find_rules(trace, streams, self._config.tile.width // 2)
        key = pass_key(trace, streams)
        own["off"] += rules is None
        predicted = self._predicted = self._predict(trace, streams, rules, self._last.get(key))
        own["entries"] += len(predicted.layer)
        own["hidden_by_depth"] += int(predicted.by_depth.sum())
        own["hidden_by_layer"] += int(predicted.by_layer.sum())
        self._skipped = np.zeros(len(streams.tiles), bool)
        super()._prepare(trace, streams)
        signs = bool(own["active"])
        seen = self._resolve(streams, rules, predicted, self._held.get(self._buffer) if signs else None)
        self._last[key] = seen
        if signs:
            self._held[self._buffer] = seen

    def _predict(self, trace: FrameTrace, streams: PassStreams, rules: Rules | None, last: _Seen | None) -> _Predicted:
        """Look up each list entry."""
        from gpumodel.pass_depths import TESTS, TOWARD, WRITES
        from gpumodel.techniques.evr_like.visibility import NOTHING

        pairs = streams.binned[: int(streams.tiles["pair_count"].sum())]
        tile, draw = pairs["tile"].astype(np.int64), pairs["draw"].astype(np.int64)
        opens = np.ones(len(pairs), np.int64)
        opens[1:] = (draw[1:] != draw[:-1]) | (tile[1:] != tile[:-1])
        layer = np.cumsum(opens)
        layer -= layer[streams.tiles["pair_first"][tile]] - 1
        nothing = np.zeros(len(pairs), bool)
        if rules is None or last is None or not len(pairs):
            return _Predicted(nothing, nothing, layer, np.full(len(streams.tiles), NOTHING))
        far, low = last.far[streams.tile_numbers], last.low[streams.tile_numbers]
        kind = rules.kind[draw]
        toward = kind & (TESTS | TOWARD) == TESTS | TOWARD
        return _Predicted(
            toward & (_nearest(trace, streams, rules)[pairs["emitted"] - streams.part.emitted[0]] > far[tile]),
            (kind & WRITES == 0) & (layer < low[tile]) & self._evr.unsigned_layers,
            layer, far,
        )  # fmt: skip

    def _signed_entries(self, streams: PassStreams) -> Array | None:
        """(list entries,) bool, those that are signed."""
        return ~self._unsigned

    @property
    def _unsigned(self) -> Array:
        """(list entries,) bool, those that are not signed."""
        assert self._predicted is not None
        return np.asarray(self._predicted.by_depth & self._evr.unsigned_depth | self._predicted.by_layer)

    def _permit(self, streams: PassStreams, equal: Array) -> Array:
        """Of the tiles with equal signatures, those in which nothing unsigned can show."""
        predicted, held = self._predicted, self._held.get(self._buffer)
        assert predicted is not None
        tile = streams.binned["tile"][: len(predicted.layer)].astype(np.int64)
        unsigned = self._unsigned
        before = np.cumsum(~unsigned) - ~unsigned
        first = streams.tiles["pair_first"].astype(np.int64)
        before -= before[np.minimum(first, len(before) - 1)][tile] if len(before) else 0
        count = len(streams.tiles)
        latest = np.full(count, -2, np.int64)
        np.maximum.at(latest, tile[predicted.by_layer], before[predicted.by_layer])
        by_depth = np.bincount(tile[unsigned & predicted.by_depth], minlength=count) > 0
        if held is None:
            permitted = equal & (np.bincount(tile[unsigned], minlength=count) == 0)
        else:
            far, place, poison = (on[streams.tile_numbers] for on in (held.far, held.place, held.poison))
            permitted = equal & ~poison & (~by_depth | (predicted.far >= far)) & (latest <= place)
        self.record[0]["refused"] += int((equal & ~permitted).sum())
        self._skipped = permitted
        return np.asarray(permitted)

    def _resolve(self, streams: PassStreams, rules: Rules | None, predicted: _Predicted, held: _Seen | None) -> _Seen:
        """See what the tiles show; of those that are left out, what their frame buffer has of them holds."""
        from gpumodel.techniques.evr_like.visibility import NOTHING, Shown, walk

        tiles, numbers = streams.tiles, streams.tile_numbers
        far, low, place = (np.full(len(tiles), value, np.int64) for value in (NOTHING, 0, -1))
        poison = np.zeros(len(tiles), np.uint8)
        if rules is not None:
            entry = 2 * np.append(predicted.layer, 0) + np.append(~self._unsigned, False)
            pixels = 2 * rules.across * self._config.tile.height
            shown = Shown(far, low, place, poison)
            walk(tiles, streams.binned, streams.quads, rules, entry, np.zeros(5 * pixels, np.int64), shown)
            own, rendered = self.record[0], ~self._skipped
            own["resolved_pixels"] += int((tiles["width"].astype(np.int64) * tiles["height"])[rendered].sum())
            own["poisoned"] += int(poison[rendered].sum())
        seen = _Seen(*(on_screen(numbers, column) for column in (far, low, place, poison.astype(bool))))
        if held is not None:
            kept = on_screen(numbers, self._skipped)
            for name in ("far", "low", "place", "poison"):
                getattr(seen, name)[kept] = getattr(held, name)[kept]
        return seen

    def _order(self, trace: FrameTrace, streams: PassStreams) -> Array:
        """Slot ``primitive_order``: hidden ones behind the others, as far as each tile's order allows."""
        from gpumodel.pass_depths import TOWARD
        from gpumodel.techniques.vro.nodes import covering_draws

        self._owners["tile"] = -1
        predicted, rules = self._predicted, self._rules
        assert predicted is not None
        count = len(predicted.layer)
        if rules is None or not self._evr.reorder or not predicted.by_depth.any():
            return streams.pairs
        pairs, rows = streams.pairs[:count], slice(*streams.draw_range)
        moves = np.zeros(trace["draws"].num_rows, bool)
        moves[rows] = covering_draws(trace, streams.index, rows)
        free = moves[pairs["draw"]] & (rules.kind[pairs["draw"]] & TOWARD != 0)
        # What stays in its place is a segment of its own.
        starts = np.ones(count, bool)
        starts[1:] = ~free[1:] | ~free[:-1]
        second = predicted.by_depth & free
        order = np.lexsort((np.arange(count), second, np.cumsum(starts), pairs["tile"]))
        self.record[0]["moved"] += int((np.argsort(order) > np.arange(count)).sum())
        out = streams.pairs.copy()
        out[:count] = pairs[order]
        for name in ("pointer_line", "link_line"):
            out[name][:count] = pairs[name]
        return out


def _nearest(trace: FrameTrace, streams: PassStreams, rules: Rules) -> NDArray[np.int64]:
    """(emitted primitives of the part,) nearest depth of each one's fragments."""
    (e0, e1), (q0, q1) = streams.part.emitted, streams.quad_rows
    quads = trace["quads"]
    depth = quads["depth"][q0:q1].astype(np.int64)
    if rules.mirror:
        depth = rules.mirror - depth
    out = np.full(e1 - e0, 1 << 40, np.int64)
    covered = (quads["coverage"][q0:q1, np.newaxis] >> np.arange(4) & 1) != 0
    owner = quads["emitted"][q0:q1].astype(np.int64) - e0
    np.minimum.at(out, owner, np.where(covered, depth, 1 << 40).min(axis=1))
    return out
