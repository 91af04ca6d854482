"""Transaction Elimination: a finished tile with the colours that its back buffer has already is not written.

Hardware: the finished tile's colours are hashed (CRC32) and compared with the signature of what the same back buffer
holds there; if they are equal, the flush is left out.
Modelled: one signature a tile and frame buffer, from the real colours; for passes into the screen with one colour
attachment. Hashing costs energy and, as RE §IV-C, no time unless ``te.bytes_per_cycle`` says so.
Left out: the read of the Colour Buffer for hashing shares the flush's port.
Source: RE §IV-C and Figure 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gpumodel.counters import Counter
from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.plugs import Plugs
from gpumodel.techniques.registry import Technique, register
from traceformat.frametrace import FrameTrace, StoreOp

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams
    from gpumodel.techniques.signing.history import Colors

__all__ = ["TransactionElimination"]

#: Capacity of the energy table's signature buffer row: 8,192 signatures.
_ROW_SIGNATURES = 8192


@register
class TransactionElimination(Technique):
    """``te``."""

    id = "te"
    source = "RE §IV-C"
    counters: ClassVar[Mapping[str, Counter]] = {
        "te.tiles_hashed": Counter("tiles", "finished tiles that were hashed"),
        "te.bytes_hashed": Counter("bytes", "colours hashed"),
        "te.sub_blocks": Counter("sub-blocks", "of 8 bytes hashed: 8 Sign and 4 Shift look-ups each"),
        "te.flushes_skipped": Counter("tiles", "tiles not written, because the back buffer has their colours"),
        "te.saved_bytes": Counter("bytes", "colours not written"),
        "te.false_positives": Counter("tiles", "of those, with other colours: signatures collided"),
    }

    def __init__(self) -> None:
        self._counts = dict.fromkeys(self.counters, 0)
        #: What the memory of each frame buffer holds, by frame buffer.
        self._held: dict[int, Colors] = {}
        self._trace: FrameTrace | None = None
        self._frame = -1
        self._buffers = 1
        self._mask = 0xFFFFFFFF

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put a gate in front of the flush."""
        self._buffers = config.screen.frame_buffers
        self._mask = (1 << config.te.signature_bits) - 1
        return Plugs(tile_flush=[self._gate])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """A Compute CRC unit, the signatures of all frame buffers, a comparator."""
        p = Prices(config)
        tiles = -(-config.screen.width // config.tile.width) * -(-config.screen.height // config.tile.height)
        size = config.te.signature_bits / 32 * tiles * config.screen.frame_buffers / _ROW_SIGNATURES
        return [
            p.array("te.crc_luts", "crc_lut_1K", 1, 12, {"te.sub_blocks": "read*12"}),
            p.array("te.signature_buffer", "signature_buffer_2f", size, 1, {"te.tiles_hashed": "read write"}),
            p.array("te.comparator", "logic_comparator_eq_32b", 1, 1, {"te.tiles_hashed": "read"}),
        ]

    def read_counters(self) -> Mapping[str, float]:
        """Values since the run began."""
        return dict(self._counts)

    def _gate(self, trace: FrameTrace, streams: PassStreams) -> NDArray[Any]:
        """Which tiles of a pass are written."""
        if trace is not self._trace:
            self._trace = trace
            self._frame += 1
        passes = trace["passes"]
        everything = np.ones(len(streams.tiles), bool)
        on_screen = not passes["framebuffer"][streams.index] and passes["num_colors"][streams.index] == 1
        if not on_screen or passes["color_store"][streams.index, 0] != StoreOp.STORE:
            return everything
        from gpumodel.techniques.signing.history import sign_colors

        colors = sign_colors(trace, streams)
        buffer = self._frame % self._buffers
        held = self._held.get(buffer)
        rendered = streams.tiles["render"].astype(bool)
        equal = ~everything
        if held is not None and np.array_equal(held.num_bytes, colors.num_bytes):
            equal = (held.value ^ colors.value) & np.uint32(self._mask) == 0
            self._counts["te.false_positives"] += int((rendered & equal & (held.identity != colors.identity)).sum())
        skipped = rendered & equal
        self._held[buffer] = colors
        self._counts["te.tiles_hashed"] += int(rendered.sum())
        self._counts["te.bytes_hashed"] += int(colors.num_bytes[rendered].sum())
        self._counts["te.sub_blocks"] += int((-(-colors.num_bytes[rendered] // 8)).sum())
        self._counts["te.flushes_skipped"] += int(skipped.sum())
        self._counts["te.saved_bytes"] += int(colors.num_bytes[skipped].sum())
        return ~equal
