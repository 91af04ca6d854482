"""Fragment Memoization as a technique: what of a frame may be looked up, the table's hardware, counters.

Hardware: on the units of Parallel Frame Rendering, one table for both frames, with its ports and the hash units.
Modelled: a fragment's inputs are FrameTrace's 64-bit identity (program, live constants, textures with samplers,
varyings, level of detail of each look-up; no position), cut to the hash's width. Left out of memoization: draws that
read their position or explicit derivatives, discard, write depth, have side effects, read the frame buffer, or write
none or several attachments; attachments of more than 8 bits a channel (an entry has 4 bytes of colour). The driver
empties the table when the format of the attachment changes.
Left out: faults of a hash that forgets what the identity has; energy of comparing quads' fragments with each other.
Source: RE §V-A, which models Arnau et al. (ISCA 2014) with 2,048 entries; ports and hash unit ASSUMED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpumodel.energy.bill import Prices, Structure
from gpumodel.techniques.memo.config import MemoConfig
from gpumodel.techniques.memo.counters import COUNTERS
from gpumodel.techniques.memo.oracle import PairOracle
from gpumodel.techniques.pfr.technique import ParallelFrameRendering
from gpumodel.techniques.plugs import Hook, Plugs
from gpumodel.techniques.registry import register
from gpumodel.units.views import bind
from traceformat.errors import UsageError
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS
from traceformat.gles.formats import FORMATS, source_bytes
from traceformat.gputrace.frametrace import SRGB_BIT, DrawFlags, FrameTrace

if TYPE_CHECKING:
    from gpumodel.config.schema import GpuConfig
    from gpumodel.pass_run import PassRun
    from gpumodel.streams import PassStreams

__all__ = ["FragmentMemoization"]

Array = NDArray[Any]

_LEFT_OUT: Final = (
    DrawFlags.DISCARDS | DrawFlags.WRITES_DEPTH | DrawFlags.READS_FRAMEBUFFER | DrawFlags.READS_POSITION
    | DrawFlags.READS_DERIVATIVES | DrawFlags.SIDE_EFFECTS
)  # fmt: skip
_COLOR_BYTES: Final = 4


@register
class FragmentMemoization(ParallelFrameRendering):
    """Fragment Memoization: colours of fragments with equal inputs come from a table."""

    id = "memo"
    source = "RE §V-A (ISCA 2014)"
    implies = ("pfr",)
    columns = ("quads.identity", "quads.identity_excluded")
    Config = MemoConfig
    counters = COUNTERS

    def __init__(self) -> None:
        super().__init__()
        #: Arrays that are bound, by frame in flight.
        self._kept: dict[int, dict[str, Array]] = {}
        self._format: tuple[int, bool] | None = None
        self._oracle = PairOracle()

    def hash_bits(self, config: GpuConfig) -> int:
        """What is stored beside a colour."""
        return MemoConfig.of(config).hash_bits

    def plugs(self, config: GpuConfig) -> Plugs:
        """Put the table in front of the Fragment Processors."""
        from gpumodel.techniques.memo import state, table

        plugs = super().plugs(config)
        memo = MemoConfig.of(config)
        self._table = np.zeros(memo.entries, state.ENTRY)
        self.record = own = np.zeros(1, state.MEMO)
        bind(own[0]["table"], self._table)
        own["ways"] = memo.ways
        own["set_mask"] = memo.entries // memo.ways - 1
        own["hash_mask"] = (1 << memo.hash_bits) - 1 if memo.hash_bits < 64 else -1
        own["ports"], own["hash_cycles"] = memo.ports, memo.hash_cycles
        plugs.hooks |= {"shade": Hook(table.look_up_quad, own), "shaded": Hook(table.insert_quad, own)}
        plugs.before_pass.append(self._load)
        plugs.observers.append(self._unload)
        return plugs

    def hardware(self, config: GpuConfig) -> Sequence[Structure]:
        """Table with its ports, and comparators and a hash unit a port."""
        p, memo = Prices(config), MemoConfig.of(config)
        row, entries = ("fm_lut_512", 512) if memo.entries <= 512 else ("fm_lut_2048", 2048)
        accesses = {"memo.lookups": "read", "memo.inserts": "write"}
        return [
            *super().hardware(config),
            p.array("memo.table", row, memo.entries / entries, 1, accesses, ports=memo.ports),
            p.array("memo.comparators", "logic_comparator_eq_32b", 1, memo.ways * memo.ports, {"memo.lookups": "read"}),
            p.array("memo.hash_xor", "logic_xor_32b", 1, memo.ports, {"memo.hashed_words": "read"}),
            p.array("memo.hash_registers", "logic_register_32b", 1, memo.ports, {"memo.hashed_words": "read"}),
        ]

    def _load(self, trace: FrameTrace, streams: PassStreams) -> None:
        """Tell the table what it may look up in a pass."""
        if "identity" not in trace["quads"]:
            raise UsageError(
                f"frame {trace.frame} has no identities of fragments to memoize with",
                hint="replay the .gltrace, or make the .gputrace with -t memo --save-gputrace",
            )
        own, frame_index = self.record[0], streams.frame_index
        if frame_index == 0:
            self._kept.clear()
            own["active"] = 0
            self._oracle.begin()
        own["turn"] = 0
        own["quad"] = -1
        key = self._key(trace, streams.index)
        words = _words_of_draws(trace)
        if key is None or streams.part.count > 1 or not words.any():
            return
        if key != self._format:
            if own["active"].any():
                # The table is the other frame's.
                return
            self._format = key
            self._table["stamp"] = 0
        own["active"][frame_index] = 1
        quads = trace["quads"]
        excluded = np.ascontiguousarray(quads["identity_excluded"], np.uint8)
        arrays = {
            "words": words,
            "identity": np.ascontiguousarray(quads["identity"]).reshape(-1).view(np.int64),
            "excluded": excluded,
        }
        # A stream is never empty.
        self._kept[frame_index] = {
            name: array if len(array) else np.zeros(1, array.dtype) for name, array in arrays.items()
        }
        for name, array in self._kept[frame_index].items():
            bind(own[name][frame_index], array)

    @staticmethod
    def _key(trace: FrameTrace, index: int) -> tuple[int, bool] | None:
        """Format of what the pass shades, None where an entry cannot hold it."""
        passes, draws = trace["passes"], trace["draws"]
        begin = int(passes["draw_first"][index])
        rows = slice(begin, begin + int(passes["draw_count"][index]))
        if int(passes["num_colors"][index]) < 1 or rows.start == rows.stop:
            return None
        converts = bool((draws["output_mask"][rows, 0] & SRGB_BIT).any()) if "output_mask" in draws else False
        if np.isin(draws["blend_equation"][rows, 0], [*ADVANCED_EQUATIONS]).any():
            return None  # whose colours are floats before they are blended
        internal = int(passes["color_format"][index][0])
        if internal not in FORMATS or source_bytes(FORMATS[internal], converts=converts) != _COLOR_BYTES:
            return None
        return internal, converts

    def _unload(self, trace: FrameTrace, done: PassRun) -> None:
        """Compare with a table without limits."""
        own, frame_index = self.record[0], done.streams.frame_index
        if own["active"][frame_index]:
            own["unlimited_hits"][frame_index] += self._oracle.hits(
                trace, done.streams, self._kept[frame_index]["words"]
            )


def _words_of_draws(trace: FrameTrace) -> Array:
    """Words that the hash unit takes of a fragment of each draw: its varyings and the draw's own hash; 0 = left out."""
    draws = trace["draws"]
    attributes = draws["num_attributes"].astype(np.int64)
    words = 4 * np.maximum(attributes - 1, 0) + 1
    kept = (draws["flags"] & np.uint32(_LEFT_OUT)) == 0
    kept &= (draws["alpha_to_coverage"] == 0) & (draws["draw_buffers"] == 1)
    return np.where(kept, words, 0).astype(np.int32)
