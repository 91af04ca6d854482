"""S3TC (DXT1, DXT3, DXT5) and RGTC blocks (EXT_texture_compression_s3tc, EXT_texture_compression_rgtc).

The specification gives real-valued weights between the two end points. Blocks are decoded as Mesa's llvmpipe does it,
with weights in 1/256 and truncation, within 2/255 of the exact value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["decode_bc1", "decode_bc2", "decode_bc3", "decode_rgtc"]


def _little(blocks: NDArray[np.uint8], dtype: str) -> NDArray[np.int64]:
    return np.ascontiguousarray(blocks).view(dtype)[:, 0].astype(np.int64)


def _expand565(colors: NDArray[np.int64]) -> NDArray[np.int64]:
    red, green, blue = colors >> 11, (colors >> 5) & 63, colors & 31
    return np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2], axis=-1)


def _between(first: NDArray[np.int64], second: NDArray[np.int64], weight: int) -> NDArray[np.int64]:
    return first + ((second - first) * weight >> 8)


def _color_block(blocks: NDArray[np.uint8], *, three_colors: bool, alpha: bool) -> NDArray[np.uint8]:
    """(n, 8) bytes to (n, 4, 4, 4) RGBA; ``three_colors``: the order of the end points may select three-colour mode."""
    code0, code1 = _little(blocks[:, 0:2], "<u2"), _little(blocks[:, 2:4], "<u2")
    first, second = _expand565(code0), _expand565(code1)
    palette = np.full((len(blocks), 4, 4), 255, np.int64)
    palette[:, 0, :3] = first
    palette[:, 1, :3] = second
    palette[:, 2, :3] = _between(first, second, 85)
    palette[:, 3, :3] = _between(first, second, 170)
    if three_colors:
        three = code0 <= code1
        palette[three, 2, :3] = (first[three] + second[three] + 1) // 2
        palette[three, 3, :3] = 0
        if alpha:
            palette[three, 3, 3] = 0
    bits = _little(blocks[:, 4:8], "<u4")
    index = (bits[:, None] >> (2 * np.arange(16))) & 3
    texels = np.take_along_axis(palette, index[:, :, None].repeat(4, axis=2), axis=1)
    return texels.astype(np.uint8).reshape(-1, 4, 4, 4)


def _palette(first: NDArray[np.int64], second: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    """Eight values of an interpolated block; ``low`` and ``high`` complete those with four steps."""
    palette = np.zeros((len(first), 8), np.int64)
    palette[:, 0], palette[:, 1], palette[:, 6], palette[:, 7] = first, second, low, high
    eight = first > second
    for step, weight in enumerate((51, 102, 153, 204)):
        palette[:, step + 2] = _between(first, second, weight)
    for step, weight in enumerate((36, 72, 109, 145, 182, 218)):
        palette[eight, step + 2] = _between(first, second, weight)[eight]
    return palette


def _indices48(blocks: NDArray[np.uint8]) -> NDArray[np.int64]:
    bits = np.zeros(len(blocks), np.int64)
    for byte in range(6):
        bits |= blocks[:, 2 + byte].astype(np.int64) << (8 * byte)
    return (bits[:, None] >> (3 * np.arange(16))) & 7


def decode_bc1(blocks: NDArray[np.uint8], *, alpha: bool) -> NDArray[np.uint8]:
    """DXT1: (n, 8) to (n, 4, 4, 4) RGBA; without ``alpha`` the fourth colour of three-colour blocks is opaque black."""
    return _color_block(blocks, three_colors=True, alpha=alpha)


def decode_bc2(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """DXT3: (n, 16) to (n, 4, 4, 4) RGBA with four bits of explicit alpha."""
    texels = _color_block(blocks[:, 8:], three_colors=False, alpha=False)
    nibbles = np.stack([blocks[:, :8] & 15, blocks[:, :8] >> 4], axis=-1).reshape(-1, 4, 4)
    texels[..., 3] = nibbles * np.uint8(17)
    return texels


def decode_bc3(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """DXT5: (n, 16) to (n, 4, 4, 4) RGBA with interpolated alpha."""
    texels = _color_block(blocks[:, 8:], three_colors=False, alpha=False)
    palette = _palette(blocks[:, 0].astype(np.int64), blocks[:, 1].astype(np.int64), 0, 255)
    texels[..., 3] = np.take_along_axis(palette, _indices48(blocks), axis=1).reshape(-1, 4, 4)
    return texels


def decode_rgtc(blocks: NDArray[np.uint8], channels: int, *, signed: bool) -> NDArray[np.float32]:
    """RGTC1 and RGTC2: (n, 8 * channels) to (n, 4, 4, channels) in 0..1 or -1..1."""
    out = np.empty((len(blocks), 4, 4, channels), np.float32)
    for channel in range(channels):
        part = np.ascontiguousarray(blocks[:, 8 * channel : 8 * channel + 8])
        ends = part[:, :2].view(np.int8).astype(np.int64) if signed else part[:, :2].astype(np.int64)
        low, high, scale = (-127, 127, 127.0) if signed else (0, 255, 255.0)
        palette = _palette(ends[:, 0], ends[:, 1], low, high)
        values = np.take_along_axis(palette, _indices48(part), axis=1) / scale
        out[..., channel] = np.maximum(values, -1.0).reshape(-1, 4, 4)
    return out
