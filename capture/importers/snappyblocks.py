"""Raw snappy blocks, as both apitrace and PATrace store them: sizes are checked before memory is asked for."""

from __future__ import annotations

from typing import Final

from traceformat.errors import TraceFormatError

__all__ = ["MAX_BLOCK_BYTES", "unpack_block"]

#: Tracers write blocks of 1 MiB, and larger ones where a single call is larger; a reader takes any size up to this.
MAX_BLOCK_BYTES: Final = 512 << 20
#: The longest copy, 64 bytes, takes three: no block unpacks to more.
_MAX_RATIO: Final = 22


def unpack_block(block: bytes, where: str) -> bytes:
    """Decompress one block.

    Parameters
    ----------
    block : varint of the uncompressed length, then raw snappy
    where : file and offset, for the error

    Raises
    ------
    TraceFormatError : the block is damaged
    """
    from cramjam import snappy

    if _varint(block) > min(MAX_BLOCK_BYTES, _MAX_RATIO * len(block)):
        raise TraceFormatError(f"{where} unpacks to too much", hint="the file is damaged")
    try:
        return bytes(snappy.decompress_raw(block))
    except Exception as error:
        raise TraceFormatError(f"{where} is damaged: {error}") from None


def _varint(block: bytes) -> int:
    value = shift = 0
    for byte in block[:5]:
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    return value
