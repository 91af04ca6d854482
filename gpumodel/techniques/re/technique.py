"""Rendering Elimination as a technique: driver, hardware, counters.

A tile whose signature is that of the same tile B frames ago, B the number of frame buffers, is not rendered; its
colours are in the back buffer already.
Source: RE §III.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.section import TechniqueConfig
from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Hook, PluggedUnit, Plugs
from gpumodel.techniques.re.config import ReConfig
from gpumodel.techniques.re.counters import COUNTERS
from gpumodel.techniques.re.reasons import reasons_to_render, screen_pass
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.signing.buffers import FrameBuffers
from gpumodel.tile_redundancy import CAUSES, CHANGED, EQUAL_COLORS, EQUAL_INPUTS, Redundancy
from gpumodel.units.capacity import BINNED_AHEAD, MAX_FRAMES
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.re.signatures import PassSignatures, SignatureSets
    from gpumodel.techniques.signing.history import History

__all__ = ["RenderingElimination"]

Array = NDArray[Any]
#: Capacity of the energy table's rows.
_ROW_SIGNATURES = 8192
_ROW_BITS = 4096
_ROW_QUEUE = 64


@register
class RenderingElimination(Technique):
    """Rendering Elimination: a tile with the inputs of its back buffer is not rendered."""

    id = "re"
    source = "RE §III"
    Config: ClassVar[type[TechniqueConfig] | None] = ReConfig
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        self._sets: SignatureSets | None = None
        self._history: History | None = None
        self._trace: FrameTrace | None = None
        #: Screen and frame buffer that the screen pass writes.
        self._buffer = (0, 0)
        self._screen_pass: int | None = None
        self._why: list[str] = []
        self._redundancy: Redundancy | None = None
        #: What was found of the passes in flight.
        self._found: list[tuple[PassStreams, Redundancy | None, Mapping[str, Array]]] = []

    def history(self, config: GpuConfig) -> int:
        """A frame buffer holds what was rendered as many frames ago as there are buffers."""
        return config.screen.frame_buffers

    def needed_frames(self, config: GpuConfig, asked: range) -> range:
        """One more: what the frame before has left out decides about what its caches leave."""
        needed = super().needed_frames(config, asked)
        return range(needed.start - 1, needed.stop)

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the Signature Unit beside the Polygon List Builder, and its check in front of the Tile Fetcher."""
        from gpumodel.techniques.re import unit
        from gpumodel.techniques.re.message import StateNumbers
        from gpumodel.techniques.re.signatures import SignatureSets
        from gpumodel.techniques.signing.history import History

        self._config = config
        self._numbers = StateNumbers()
        self._sets = SignatureSets()
        self._buffers = FrameBuffers(config.screen.frame_buffers)
        self._history = History(max(2, config.screen.frame_buffers))
        # Of the pass whose tiles are rendered, and of one that may be signed beside it.
        self.record = np.zeros(MAX_FRAMES, unit.SIGNATURE_UNIT)
        self._signs_ahead = config.binning.overlap != "none"
        re = ReConfig.of(config)
        self.record["depth"] = re.ot_queue
        self.record["check_cycles"] = re.check_cycles
        # The exclusive or of words needs no shift.
        self.record["single"] = re.signature == "xor" or re.accumulate == "single"
        self.record["free"] = re.signing == "free"
        return Plugs(
            # The check comes before work on a tile that other techniques would begin.
            hooks={"bin": Hook(unit.sign_bin, self.record), "tile_render": Hook(unit.check_tile, self.record, rank=-1)},
            units=[PluggedUnit("signature_unit", Hook(unit.tick_signature_unit, self.record), before="tile_fetcher")],
            before_pass=[self._prepare],
            before_raster=[self._take_turns],
            observers=[self._tell],
        )

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Compute and Accumulate CRC units, OT queue, bitmap, Signature Buffer, comparator."""
        p, re = Prices(config), ReConfig.of(config)
        tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
        sets = config.screen.frame_buffers + 1
        luts = re.sub_block_bytes + 4
        size = tiles * sets * re.signature_bits / 32 / _ROW_SIGNATURES
        signed, shifted, updated = "re.compute_sub_blocks", "re.accumulate_sub_blocks", "re.signature_updates"
        checked = "re.tiles_checked"
        return [
            p.array("re.compute_luts", "crc_lut_1K", 1, luts, {signed: f"read*{luts}"}),
            p.array("re.accumulate_luts", "crc_lut_1K", 1, 4, {shifted: "read*4"}),
            # Two exclusive-or trees of 32 bits over the tables' results, and the sum of both.
            p.array("re.compute_xor", "logic_xor_32b", 1, luts, {signed: f"read*{luts}"}),
            p.array("re.accumulate_xor", "logic_xor_32b", 1, 4, {shifted: "read*4"}),
            # CRC and shift amount of the primitive and of the constants, and the two units' outputs.
            p.array("re.registers", "logic_register_32b", 1, 6, {signed: "read", shifted: "read"}),
            p.array("re.ot_queue", "queue_ot", re.ot_queue / _ROW_QUEUE, 1, {updated: "read write"}),
            p.array("re.bitmap", "constants_bitmap", tiles / _ROW_BITS, 1, {updated: "read write"}),
            p.array("re.signature_buffer", "signature_buffer_2f", size, 1, {updated: "read write", checked: "read*2"}),
            p.array("re.comparator", "logic_comparator_eq_32b", 1, 1, {checked: "read"}),
        ]

    def _prepare(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Tell the unit what it will sign, and which tiles its signatures will say to leave out."""
        if trace.head is not self._trace:
            self._begin_frame(trace)
        if streams.index == self._screen_pass and streams.part.count > 1:
            # A tile is rendered once a part, and no part's message says what the others draw.
            self.record[0]["off.parameter_overflow"] += 1
            self._leave_out([self._buffer])
        own = self.record[self._signing]
        own["active"] = streams.index == self._screen_pass
        if not own["active"]:
            return
        from gpumodel.techniques.re.signatures import equal_signatures, sign_pass
        from gpumodel.techniques.signing.history import on_screen, sign_colors

        assert self._sets is not None
        assert self._history is not None
        re, counts = ReConfig.of(self._config), self.record[0]
        signed = sign_pass(
            trace, streams, self._numbers, sub_block_bytes=re.sub_block_bytes, fold=re.signature == "xor",
            entries=self._signed_entries(streams),
        )  # fmt: skip
        previous = self._sets.previous(self._buffer)
        if previous is not None:
            previous = previous.ordered(signed.numbers)
        skip = np.zeros(len(streams.tiles), bool)
        checking = not self._why and previous is not None
        if checking and previous is not None:
            skip = self._permit(streams, equal_signatures(signed, previous, re.signature_bits))
            counts["tiles_skipped"] += int(skip.sum())
            sizes = streams.tiles["width"].astype(np.int64) * streams.tiles["height"]
            counts["pixels_skipped"] += int(sizes[skip].sum())
            counts["false_positives"] += int((skip & (signed.identity != previous.identity)).sum())
        self._load_unit(trace, streams, signed, skip, checking)
        colors = on_screen(signed.numbers, sign_colors(trace, streams).identity)
        inputs = on_screen(signed.numbers, signed.identity)
        self._explain(signed, previous, colors)
        buffers = self._config.screen.frame_buffers
        counts["tiles_equal_colors"] += int(self._history.equal_colors(buffers, colors).sum())
        for back, name in ((1, "one_back"), (2, "two_back")):
            classes = self._history.classes(back, inputs, colors)
            for kind, value in zip(("equal_inputs", "equal_colors", "different"), classes, strict=True):
                counts[f"{name}.{kind}"] += value
        counts["state_bytes"] += 8 * len(signed.draw_sub_blocks)
        counts["constant_bytes"] += signed.constant_bytes
        counts["updated_constant_bytes"] += signed.new_constant_bytes
        self._found = [*self._found[1 - MAX_FRAMES :], (streams, self._redundancy, self._bound)]
        self._history.add(inputs, colors)
        self._sets.store(self._buffer, signed)

    def _signed_entries(self, streams: PassStreams) -> Array | None:
        """(list entries,) bool, those of a pass that are signed, in program order; None = all."""
        return None

    def _permit(self, streams: PassStreams, equal: Array) -> Array:
        """Of the tiles with equal signatures, those that are left out."""
        return equal

    def _explain(self, signed: PassSignatures, previous: PassSignatures | None, colors: Array) -> None:
        """Classify the tiles against what their frame buffer holds, and find what changed; ``colors`` are by number."""
        from gpumodel.techniques.re.causes import first_changes

        assert self._history is not None
        equal_colors = self._history.equal_colors(self._config.screen.frame_buffers, colors)[signed.numbers]
        self._redundancy = Redundancy(np.where(equal_colors, EQUAL_COLORS, CHANGED).astype(np.uint8))
        if previous is None:
            return
        equal = signed.identity == previous.identity
        self._redundancy.classes[equal & equal_colors] = EQUAL_INPUTS
        causes = first_changes(signed.lists, previous.lists, np.flatnonzero(~equal))
        self._redundancy.causes = causes
        for kind, (name, _) in enumerate(CAUSES):
            self.record[0][f"changed.{name}"] += int((causes["kind"] == kind).sum())

    def _tell(self, trace: FrameTrace, done: PassRun) -> None:
        """Leave what was found with the pass."""
        for streams, redundancy, _ in self._found:
            if streams is done.streams:
                done.redundancy = redundancy

    def _take_turns(self, trace: FrameTrace, streams: PassStreams) -> None:
        """What has been signed beside another pass's tiles is checked now."""
        if self._signs_ahead:
            self.record[[0, self._signing]] = self.record[[self._signing, 0]]

    @property
    def _signing(self) -> int:
        """Record of the pass that is signed next."""
        return BINNED_AHEAD if self._signs_ahead else 0

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        return {name: self.record[counter.field].sum().item() for name, counter in self.counters.items()}

    def _load_unit(
        self, trace: FrameTrace, streams: PassStreams, signed: PassSignatures, skip: Array, checking: bool
    ) -> None:
        """Bind a pass's lengths and tiles to the unit, which is empty."""
        own = self.record[self._signing]
        d0, d1 = streams.draw_range
        e0 = int(trace["draws"]["emitted_first"][d0]) if d1 > d0 else 0
        draws = trace["emitted"]["draw"][e0 : e0 + len(streams.emitted)].astype(np.int32) - d0
        pairs = streams.pairs[: int(streams.tiles["pair_count"].sum())]
        lines, rows = np.unique(pairs["pointer_line"], return_index=True)
        place = np.searchsorted(lines, streams.pointer_lines) if len(lines) else streams.pointer_lines
        tile_of = pairs["tile"][rows][np.minimum(place, len(rows) - 1)] if len(lines) else place
        count: Array = streams.emitted["bin_count"]
        entries = self._signed_entries(streams)
        if entries is not None:
            written = np.flatnonzero(pairs["clear"] < 0)
            written = written[np.lexsort((streams.tile_numbers[pairs["tile"][written]], pairs["emitted"][written]))]
            tile_of = np.where(entries[written], tile_of, -1)
            begin = streams.part.emitted[0]
            count = np.bincount(pairs["emitted"][written][entries[written]] - begin, minlength=len(count))
        arrays = {
            "lengths": signed.primitive_sub_blocks,
            "draws": draws.astype(np.int32),
            "constants": signed.draw_sub_blocks,
            "tile_of": tile_of.astype(np.int32),
            "signed": count.astype(np.int32),
            "touched": np.full(len(streams.tiles), -1, np.int32),
            "skip": skip.astype(np.uint8),
        }
        for name, array in arrays.items():
            # A stream is never empty.
            arrays[name] = array if len(array) else np.zeros(1, array.dtype)
            bind(own[name], arrays[name])
        self._bound = arrays
        for name in ("head", "count", "compute", "tiles_left", "accumulating", "pushed"):
            own[name] = 0
        for name in ("offered", "draw", "check_tile", "stalled_since"):
            own[name] = -1
        own["checking"] = checking
        own["signing"] = 1

    def _begin_frame(self, trace: FrameTrace) -> None:
        """Decide whether tiles may be skipped in this frame."""
        assert self._sets is not None
        assert self._history is not None
        if self._trace is not None:
            self._buffers.end_frame(self._trace)
        self._trace = trace.head
        self._screen_pass = screen_pass(trace)
        passes = trace["passes"]
        written = [
            (int(address), self._buffers.begin_write(int(address)))
            for address in passes["color_address"][passes["framebuffer"] == 0, 0]
        ]
        if written:
            self._buffer = written[-1]
        why = ["resized"] if self._sets.resize(trace.width, trace.height) else []
        why += reasons_to_render(trace, self._screen_pass)
        if "reloaded" in why:
            self._sets.invalidate()
        period = ReConfig.of(self._config).refresh_frames
        if period and trace.frame % period == period - 1:
            why.append("refresh")
        if set(why) - {"refresh", "reloaded", "resized", "side_effects"}:
            self._leave_out(written)
        elif self._sets.previous(self._buffer) is None:
            why.append("no_signatures")
        self._why = why
        for reason in why:
            self.record[0][f"off.{reason}"] += 1

    def _leave_out(self, written: Sequence[tuple[int, int]]) -> None:
        """Render the frame as without the technique.

        What the message leaves out is in this frame's picture: later frames must not be compared with it.
        """
        assert self._sets is not None
        assert self._history is not None
        for buffer in written:
            self._sets.store(buffer, None)
        self._history.forget()
        self._screen_pass = None
