"""Transaction Elimination as a technique: driver, hardware, counters.

Hardware: the finished tile's colours are hashed (CRC32) and compared with the signature of what the same back buffer
holds there; if they are equal, the flush is left out.
Modelled: one signature a tile and frame buffer, from the real colours; for passes into the screen with one colour
attachment. Hashing costs energy and, as RE §IV-C, no time unless ``te.bytes_per_cycle`` says so.
Left out: the read of the Colour Buffer for hashing shares the flush's port.
Source: RE §IV-C and Figure 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.techniques.signing.buffers import FrameBuffers
from gpumodel.techniques.te.config import TeConfig
from gpumodel.techniques.te.counters import COUNTERS
from gpumodel.tile_redundancy import CHANGED, EQUAL_COLORS, Redundancy
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import FrameTrace, StoreOp

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.signing.history import Colors

__all__ = ["TransactionElimination"]

#: Capacity of the energy table's signature buffer row: 8,192 signatures.
_ROW_SIGNATURES = 8192


@register
class TransactionElimination(Technique):
    """Transaction Elimination: a finished tile with the colours of its back buffer is not written."""

    id = "te"
    source = "RE §IV-C"
    Config = TeConfig
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        #: What the memory of each frame buffer holds, by screen and buffer.
        self._held: dict[tuple[int, int], Colors] = {}
        self._trace: FrameTrace | None = None
        self._redundancy: Redundancy | None = None

    def history(self, config: GpuConfig) -> int:
        """A frame buffer holds what was rendered as many frames ago as there are buffers."""
        return config.screen.frame_buffers

    def plugs(self, config: GpuConfig) -> Plugs:
        """Hash and compare in front of the flush."""
        from gpumodel.techniques.te import unit

        self._config = config
        self._buffers = FrameBuffers(config.screen.frame_buffers)
        self.record = np.zeros(1, unit.TILE_HASH)
        self.record["bytes_per_cycle"] = TeConfig.of(config).bytes_per_cycle
        return Plugs(
            hooks={"tile_flush": Hook(unit.hash_tile, self.record)},
            before_raster=[self._prepare],
            observers=[self._tell],
        )

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """A Compute CRC unit with its tree, the signatures of all frame buffers, a comparator."""
        p = Prices(config)
        tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
        size = TeConfig.of(config).signature_bits / 32 * tiles * config.screen.frame_buffers / _ROW_SIGNATURES
        return [
            p.array("te.crc_luts", "crc_lut_1K", 1, 12, {"te.sub_blocks": "read*12"}),
            # An exclusive-or tree of 32 bits over the tables' results.
            p.array("te.crc_xor", "logic_xor_32b", 1, 12, {"te.sub_blocks": "read*12"}),
            p.array("te.signature_buffer", "signature_buffer_2f", size, 1, {"te.tiles_hashed": "read write"}),
            p.array("te.comparator", "logic_comparator_eq_32b", 1, 1, {"te.tiles_hashed": "read"}),
        ]

    def _tell(self, trace: FrameTrace, done: PassRun) -> None:
        """Leave with the pass which tiles had their colours already, unless it is known of their inputs too."""
        if self.record[0]["active"] and done.redundancy is None:
            done.redundancy = self._redundancy

    def _prepare(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Tell the unit what it will find."""
        if self._trace is not None and trace.head is not self._trace:
            self._buffers.end_frame(self._trace)
        self._trace = trace.head
        own, passes = self.record[0], trace["passes"]
        if passes["framebuffer"][streams.index]:
            own["active"] = 0
            return
        address = int(passes["color_address"][streams.index, 0])
        buffer = address, self._buffers.begin_write(address)
        on_screen = passes["num_colors"][streams.index] == 1
        # A tile of a pass that is cut in parts is flushed once a part: its colours on the way are not the picture's.
        whole = streams.part.count == 1
        own["active"] = on_screen and whole and passes["color_store"][streams.index, 0] == StoreOp.STORE
        if not own["active"]:
            self._held.pop(buffer, None)
            return
        from gpumodel.techniques.signing.history import sign_colors

        colors = sign_colors(trace, streams)
        held = self._held.get(buffer)
        equal = collides = redundant = np.zeros(len(streams.tiles), bool)
        if held is not None and len(held.numbers) == len(colors.numbers):
            held = held.ordered(colors.numbers)
        if held is not None and np.array_equal(held.num_bytes, colors.num_bytes):
            same, bits = held.identity == colors.identity, TeConfig.of(self._config).signature_bits
            equal = same if bits == 64 else (held.value ^ colors.value) & np.uint32((1 << bits) - 1) == 0
            collides = equal & ~same
            redundant = same
        self._held[buffer] = colors
        self._redundancy = Redundancy(np.where(redundant, EQUAL_COLORS, CHANGED).astype(np.uint8))
        self._bound = (equal.astype(np.uint8), collides.astype(np.uint8), colors.num_bytes)
        for name, array in zip(("equal", "collides", "num_bytes"), self._bound, strict=True):
            bind(own[name], array)
        own["tile"] = -1
