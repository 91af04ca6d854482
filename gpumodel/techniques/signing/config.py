"""What techniques that sign have in common in their parameters."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field

__all__ = ["IDENTITY_BITS", "SignatureBits"]

#: A signature of so many bits is the whole identity: a perfect hash.
IDENTITY_BITS: Final = 64
_CRC_BITS: Final = 32


def _signature_bits(value: int) -> int:
    if value > _CRC_BITS and value != IDENTITY_BITS:
        raise ValueError(f"must be 1 to {_CRC_BITS}, or {IDENTITY_BITS}")
    return value


#: Bits of a CRC32 that are stored, or the whole identity.
SignatureBits = Annotated[int, Field(ge=1, le=IDENTITY_BITS), AfterValidator(_signature_bits)]
