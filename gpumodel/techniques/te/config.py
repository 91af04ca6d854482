"""Parameters of ``te``."""

from __future__ import annotations

from gpumodel.config.section import TechniqueConfig, parameter
from gpumodel.techniques.signing.config import SignatureBits

__all__ = ["TeConfig"]


class TeConfig(TechniqueConfig):
    """Transaction Elimination."""

    signature_bits: SignatureBits = parameter(
        32, source="RE §IV-C", description="bits of a signature that are stored; 64 = a perfect hash (what-if)"
    )
    bytes_per_cycle: int = parameter(
        0,
        ge=0,
        le=64,
        source="RE §IV-C: no time",
        description="colours hashed in front of a flush, bytes a cycle; 0 = in no time",
    )
