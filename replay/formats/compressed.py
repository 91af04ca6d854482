"""Block-compressed formats: from blocks to canonical texels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import replay.formats.etc as etc
import replay.formats.s3tc as s3tc
from replay.formats.table import Codec, Format, Kind, Storage

__all__ = ["block_grid", "decode_blocks"]

_OPAQUE: Final = np.uint32(0xFF000000)


def block_grid(format: Format, extent: tuple[int, int, int]) -> tuple[int, int, int]:
    """Layers, rows and columns of blocks of an image of ``extent`` (depth, height, width)."""
    depth, height, width = extent
    return depth, -(-height // format.block[1]), -(-width // format.block[0])


def _octets_of(decoder: Callable[..., NDArray[np.uint8]], **options: Any) -> Callable[[NDArray[np.uint8], Format], Any]:
    def decode(blocks: NDArray[np.uint8], format: Format) -> NDArray[np.uint8]:
        return decoder(blocks, **options)

    return decode


def _astc(blocks: NDArray[np.uint8], format: Format) -> NDArray[np.uint8]:
    import replay.formats.astc as astc

    return astc.decode(blocks, format.block, srgb=format.srgb)


_DECODERS: Final[dict[Codec, Callable[[NDArray[np.uint8], Format], NDArray[Any]]]] = {
    Codec.ETC1: _octets_of(etc.decode_rgb, etc1=True),
    Codec.ETC2_RGB: _octets_of(etc.decode_rgb),
    Codec.ETC2_PUNCH: _octets_of(etc.decode_punch_through),
    Codec.ETC2_RGBA: _octets_of(etc.decode_rgba),
    Codec.EAC_R: lambda blocks, format: etc.decode_eac(blocks, 1, signed=format.kind is Kind.SNORM),
    Codec.EAC_RG: lambda blocks, format: etc.decode_eac(blocks, 2, signed=format.kind is Kind.SNORM),
    Codec.BC1: _octets_of(s3tc.decode_bc1, alpha=False),
    Codec.BC1A: _octets_of(s3tc.decode_bc1, alpha=True),
    Codec.BC2: _octets_of(s3tc.decode_bc2),
    Codec.BC3: _octets_of(s3tc.decode_bc3),
    Codec.BC4: lambda blocks, format: s3tc.decode_rgtc(blocks, 1, signed=format.kind is Kind.SNORM),
    Codec.BC5: lambda blocks, format: s3tc.decode_rgtc(blocks, 2, signed=format.kind is Kind.SNORM),
    Codec.ASTC: _astc,
}


def decode_blocks(format: Format, data: Any, extent: tuple[int, int, int]) -> NDArray[Any]:
    """Canonical texels of a compressed image.

    Parameters
    ----------
    format : a compressed format
    data : bytes-like, blocks in rows from the first, layers one after the other
    extent : (depth, height, width) in texels

    Returns
    -------
    ``format.shape(*extent)``

    Raises
    ------
    ValueError : too few bytes, or a format that is not compressed
    """
    if format.codec is None:
        raise ValueError("the format is not block-compressed")
    layers, rows, columns = block_grid(format, extent)
    count = layers * rows * columns
    octets = np.frombuffer(data, np.uint8)
    if len(octets) < count * format.block_bytes:
        raise ValueError(f"{len(octets)} bytes where {count} blocks take {count * format.block_bytes}")
    blocks = octets[: count * format.block_bytes].reshape(count, format.block_bytes)
    across, down = format.block
    texels = _DECODERS[format.codec](blocks, format)  # (count, down, across, channels)
    channels = texels.shape[-1]
    image = texels.reshape(layers, rows, columns, down, across, channels).transpose(0, 1, 3, 2, 4, 5)
    image = image.reshape(layers, rows * down, columns * across, channels)[:, : extent[1], : extent[2]]
    if format.storage is Storage.FLOAT:
        out = np.zeros((*image.shape[:3], 4), np.float32)
        out[..., 3] = 1.0
        out[..., :channels] = image
        return out
    word: NDArray[np.uint32] = np.ascontiguousarray(image).view("<u4")[..., 0]
    return word if format.channels[3] else word | _OPAQUE
