"""Counters of ``afbc``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "afbc",
    Counter("tiles", "tiles", "written in compressed form"),
    Counter("plain_bytes", "bytes", "of their colours"),
    Counter("stored_bytes", "bytes", "written for them, headers included"),
    Counter("sub_blocks", "sub-blocks", "of 4 x 4 pixels coded"),
    Counter("coder_cycles", "cycles", "that tiles wait for the coder, beyond the time of their writes"),
    Counter(
        "sampled_bytes", "bytes", "of targets in compressed form, in lines that a pass's look-ups touch, each once"
    ),
    Counter("sampled_stored_bytes", "bytes", "of these lines' superblocks with their headers, as they lie in memory"),
    Counter("loads", "tiles", "of passes that read compressed colours back"),
)
