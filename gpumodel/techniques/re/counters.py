"""Counters of ``re``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.techniques.re.reasons import REASONS
from gpumodel.tile_redundancy import CAUSES
from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "re",
    Counter("tiles_checked", "tiles", "signatures compared"),
    Counter("tiles_skipped", "tiles", "tiles not rendered: the same inputs as in their back buffer"),
    Counter("pixels_skipped", "pixels", "of those tiles"),
    Counter("tiles_equal_colors", "tiles", "tiles with the colours that their back buffer has already"),
    Counter("false_positives", "tiles", "tiles skipped although their inputs differ: signatures collided"),
    Counter("one_back.equal_inputs", "tiles", "tiles with the inputs of the frame before (perfect hash)"),
    Counter("one_back.equal_colors", "tiles", "tiles with other inputs, but the colours of the frame before"),
    Counter("one_back.different", "tiles", "tiles that look other than in the frame before"),
    Counter("two_back.equal_inputs", "tiles", "likewise, two frames before"),
    Counter("two_back.equal_colors", "tiles", "likewise, two frames before"),
    Counter("two_back.different", "tiles", "likewise, two frames before"),
    Counter("constant_bytes", "bytes", "constants signed: all live ones of each draw"),
    Counter("updated_constant_bytes", "bytes", "of those, updated by the application (RE §III-G counts these)"),
    Counter("state_bytes", "bytes", "numbers of fixed-function states and bindings that the driver adds"),
    Counter("compute_sub_blocks", "sub-blocks", "signed by the Compute CRC unit, a cycle each"),
    Counter("accumulate_sub_blocks", "sub-blocks", "shifted over by the Accumulate CRC unit, a cycle each"),
    Counter("signature_updates", "accesses", "reads and writes of the Signature Buffer while signing"),
    Counter("stall_cycles", "cycles", "the list builder waited for the Signature Unit (RE Fig. 14a's 0.64 %)"),
    *(Counter(f"changed.{name}", "tiles", f"not redundant; first: {why}") for name, why in CAUSES),
    *(Counter(f"off.{reason}", "frames", f"nothing skipped: {why}") for reason, why in REASONS.items()),
)
