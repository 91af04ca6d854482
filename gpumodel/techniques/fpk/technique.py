"""Forward Pixel Kill as a technique: what of a pass kills and may be killed, the buffer's hardware, counters.

Hardware: quads that have passed Early-Z wait in a buffer in front of the Fragment Processors; an opaque quad that comes
behind them drops those that it hides, whatever order the application draws in, as far back as the buffer reaches.
Modelled: the buffer is the machine's fragment queue (each of them where there is one a processor). A killer has passed
its tests in Early-Z, is opaque and writes every channel of every attachment; in multisampled passes a fragment of it
kills where all its samples pass. Kept are quads whose depth test comes late, and whose shader has effects beyond the
colour. No test is lost: depth, stencil and queries are done in Early-Z, before the buffer.
Left out: the kill of threads that have been started.
Source: Arm's text on Forward Pixel Kill (S. Ellis, 2013) and its counters' descriptions; structure and sizes ASSUMED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpumodel.config.change import changed
from gpumodel.energy.bill import Prices, Structure
from gpumodel.opacity import replacing_draws
from gpumodel.techniques.fpk.config import FpkConfig
from gpumodel.techniques.fpk.counters import COUNTERS
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import Technique, register
from gpumodel.units.views import bind
from traceformat.gputrace.frametrace import DrawFlags, FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.streams import PassStreams

__all__ = ["ForwardPixelKill"]

#: Entries of the energy table's row, whose tags are those of lines.
_ROW_ENTRIES = 8
#: Of a quad, for each entry of the buffer.
_FRAGMENT_BITS = 4


@register
class ForwardPixelKill(Technique):
    """Forward Pixel Kill: quads that wait are dropped when an opaque one hides them."""

    id = "fpk"
    source = "Arm, Ellis 2013"
    Config = FpkConfig
    counters = COUNTERS

    def configure(self, config: GpuConfig) -> GpuConfig:
        """Give the fragment queue the buffer's depth."""
        quads = FpkConfig.of(config).quads
        return changed(config, {"queues.fragment": quads}) if quads else config

    def plugs(self, config: GpuConfig) -> Plugs:
        """Search the buffer behind Early-Z."""
        from gpumodel.techniques.fpk import buffer

        self.record = np.zeros(1, buffer.TAGS)
        return Plugs(hooks={"queued": Hook(buffer.enter_buffer, self.record)}, before_raster=[self._load])

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Tags of the buffer's entries, and their bits a fragment."""
        p = Prices(config)
        entries = config.queues.fragment
        queues = config.raster.units
        if config.fragment.queues == "per-processor":
            queues *= config.fragment.processors
        register = p.dynamic("gate_register_dff_bit").read_pj
        marks = {"fpk.marks": _FRAGMENT_BITS * register, "fpk.searches": _FRAGMENT_BITS * register}
        tags = {"fpk.searches": "search write"}
        return [
            p.array("fpk.tags", "mshr_8", entries / _ROW_ENTRIES, queues, tags),
            p.logic("fpk.hidden", 0, _FRAGMENT_BITS * entries * queues, marks, "a bit a fragment of each entry"),
        ]

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Tell the buffer what the draws are."""
        from gpumodel.techniques.fpk.buffer import COVERS, HAS_EFFECTS, READS_BEFORE

        draws = trace["draws"]
        kind = np.zeros(max(draws.num_rows, 1), np.uint8)
        rows = slice(*streams.draw_range)
        flags = draws["flags"][rows]
        discards = flags & DrawFlags.DISCARDS != 0
        chosen = discards | (draws["alpha_to_coverage"][rows] != 0)
        effects = (flags & DrawFlags.SIDE_EFFECTS != 0) | (chosen & (draws["query_active"][rows] != 0))
        kind[rows] = (
            (replacing_draws(trace, streams.index, rows) & ~discards) * COVERS
            | effects * HAS_EFFECTS
            | (flags & DrawFlags.READS_FRAMEBUFFER != 0) * READS_BEFORE
        )
        count = len(streams.quads)
        arrays: dict[str, NDArray[Any]] = {
            "kind": kind, "hidden": np.zeros(count, np.uint8),
            "before": np.full(count, -1, np.int32), "turn": np.zeros(count, np.int32),
        }  # fmt: skip
        self._bound = arrays
        for name, array in arrays.items():
            bind(self.record[0][name], array)
        self.record["tile"] = -1
