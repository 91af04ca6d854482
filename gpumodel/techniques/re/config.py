"""Parameters of ``re``."""

from __future__ import annotations

from typing import Final, Literal

from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.techniques.signing.config import SignatureBits

__all__ = ["OT_QUEUE_ENTRIES", "ReConfig"]

#: Entries of the Overlapped Tiles queue, at most.
OT_QUEUE_ENTRIES: Final = 1024


class ReConfig(TechniqueConfig):
    """Rendering Elimination."""

    signature: Literal["crc32", "xor"] = parameter(
        "crc32", source="RE §III-B", description="what a signature is: CRC32, or the words' exclusive or"
    )
    signature_bits: SignatureBits = parameter(
        32, source="RE §III-B", description="bits of a signature that are stored; 64 = a perfect hash (what-if)"
    )
    sub_block_bytes: Literal[4, 8, 16] = parameter(8, source="RE §III-G", description="bytes signed a cycle")
    ot_queue: int = parameter(
        16,
        ge=1,
        le=OT_QUEUE_ENTRIES,
        source="ASSUMED, RE gives no size",
        description="Overlapped Tiles queue, entries",
    )
    accumulate: Literal["iterative", "single"] = parameter(
        "iterative",
        source="RE Algorithm 3",
        description="the Accumulate CRC unit shifts a tile's signature over a block a sub-block a cycle, or over any"
        " length in one cycle (what-if)",
    )
    signing: Literal["timed", "free"] = parameter(
        "timed",
        source="RE §III-F",
        description="free: signing takes no cycles, which tells what it costs (what-if)",
    )
    refresh_frames: int = parameter(
        0, ge=0, le=1 << 20, source="RE §III-E", description="every so many frames nothing is skipped, 0 = never"
    )
    check_cycles: int = parameter(
        2,
        ge=1,
        le=64,
        source="RE §V: a few; 2 ASSUMED",
        description="signature check when a tile is scheduled, cycles",
    )
