"""Counters of ``te``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpumodel.units.counters import Counter, named

__all__ = ["COUNTERS"]

COUNTERS: Final[Mapping[str, Counter]] = named(
    "te",
    Counter("tiles_hashed", "tiles", "finished tiles that were hashed"),
    Counter("bytes_hashed", "bytes", "colours hashed"),
    Counter("sub_blocks", "sub-blocks", "of 8 bytes hashed: 8 Sign and 4 Shift look-ups each"),
    Counter("flushes_skipped", "tiles", "tiles not written, because the back buffer has their colours"),
    Counter("saved_bytes", "bytes", "colours not written"),
    Counter("false_positives", "tiles", "of those, with other colours: signatures collided"),
)
