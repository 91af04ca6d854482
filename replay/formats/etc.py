"""ETC1, ETC2 and EAC blocks (OES_compressed_ETC1_RGB8_texture; OpenGL ES 3.0.6 appendix C).

All decoders take (n, bytes) uint8 blocks and give (n, 4, 4, channels), [block, y, x, channel]. Block words are
big-endian, and their pixels go down the columns.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["EAC_MODIFIERS", "INTENSITIES", "PIXEL", "decode_eac", "decode_punch_through", "decode_rgb", "decode_rgba"]

INTENSITIES: Final = np.array([[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]], np.int32)
_DISTANCES: Final = np.array([3, 6, 11, 16, 23, 32, 41, 64], np.int32)
EAC_MODIFIERS: Final = np.array(
    [
        [-3, -6, -9, -15, 2, 5, 8, 14],
        [-3, -7, -10, -13, 2, 6, 9, 12],
        [-2, -5, -8, -13, 1, 4, 7, 12],
        [-2, -4, -6, -13, 1, 3, 5, 12],
        [-3, -6, -8, -12, 2, 5, 7, 11],
        [-3, -7, -9, -11, 2, 6, 8, 10],
        [-4, -7, -8, -11, 3, 6, 7, 10],
        [-3, -5, -8, -11, 2, 4, 7, 10],
        [-2, -6, -8, -10, 1, 5, 7, 9],
        [-2, -5, -8, -10, 1, 4, 7, 9],
        [-2, -4, -8, -10, 1, 3, 7, 9],
        [-2, -5, -7, -10, 1, 4, 6, 9],
        [-3, -4, -7, -10, 2, 3, 6, 9],
        [-1, -2, -3, -10, 0, 1, 2, 9],
        [-4, -6, -8, -9, 3, 5, 7, 8],
        [-3, -5, -7, -9, 2, 4, 6, 8],
    ],
    np.int32,
)
#: Pixel number of (y, x), column by column.
PIXEL: Final = (np.arange(4)[None, :] * 4 + np.arange(4)[:, None]).reshape(16)
_X: Final = np.tile(np.arange(4), 4)
_Y: Final = np.repeat(np.arange(4), 4)

Ints = NDArray[np.int32]


def _indices(blocks: Ints) -> Ints:
    """Two-bit index of each pixel, (n, 16) in row order."""
    low = blocks[:, 6] << 8 | blocks[:, 7]
    high = blocks[:, 4] << 8 | blocks[:, 5]
    index: Ints = (high[:, None] >> PIXEL & 1) << 1 | (low[:, None] >> PIXEL & 1)
    return index


def _clamp(values: Any) -> NDArray[np.uint8]:
    octets: NDArray[np.uint8] = np.clip(values, 0, 255).astype(np.uint8)
    return octets


def _two_tables(blocks: Ints, first: Ints, second: Ints, index: Ints, opaque: NDArray[np.bool_]) -> Ints:
    """Individual and differential mode: (n, 16, 3), given the two base colours (n, 3)."""
    flip = (blocks[:, 3] & 1).astype(bool)
    in_second = np.where(flip[:, None], _Y >= 2, _X >= 2)
    table = np.where(in_second, (blocks[:, 3] >> 2 & 7)[:, None], (blocks[:, 3] >> 5)[:, None])
    magnitude = INTENSITIES[table, index & 1]
    magnitude = np.where(~opaque[:, None] & ((index & 1) == 0), 0, magnitude)
    modifier = np.where(index & 2, -magnitude, magnitude)
    base = np.where(in_second[:, :, None], second[:, None, :], first[:, None, :])
    colors: Ints = base + modifier[:, :, None]
    return colors


def _painted(paint: Ints, index: Ints) -> Ints:
    """T and H mode: (n, 16, 3) from the four paint colours (n, 4, 3)."""
    return np.take_along_axis(paint, index[:, :, None].repeat(3, axis=2), axis=1)


def _t_mode(octets: Ints, index: Ints) -> Ints:
    first = (
        np.stack([(octets[:, 0] >> 3 & 3) << 2 | (octets[:, 0] & 3), octets[:, 1] >> 4, octets[:, 1] & 15], axis=-1)
        * 17
    )
    second = np.stack([octets[:, 2] >> 4, octets[:, 2] & 15, octets[:, 3] >> 4], axis=-1) * 17
    distance = _DISTANCES[(octets[:, 3] >> 2 & 3) << 1 | (octets[:, 3] & 1)][:, None]
    return _painted(np.stack([first, second + distance, second, second - distance], axis=1), index)


def _h_mode(octets: Ints, index: Ints) -> Ints:
    first = np.stack(
        [
            octets[:, 0] >> 3 & 15,
            (octets[:, 0] & 7) << 1 | (octets[:, 1] >> 4 & 1),
            (octets[:, 1] & 8) | (octets[:, 1] & 3) << 1 | octets[:, 2] >> 7,
        ],
        axis=-1,
    )
    second = np.stack(
        [octets[:, 2] >> 3 & 15, (octets[:, 2] & 7) << 1 | octets[:, 3] >> 7, octets[:, 3] >> 3 & 15], axis=-1
    )
    weights = np.array([256, 16, 1], np.int32)
    order = (first @ weights >= second @ weights).astype(np.int32)
    distance = _DISTANCES[(octets[:, 3] & 4) | (octets[:, 3] & 1) << 1 | order][:, None]
    first, second = first * 17, second * 17
    return _painted(np.stack([first + distance, first - distance, second + distance, second - distance], axis=1), index)


def _planar(octets: Ints) -> Ints:
    origin = np.stack(
        [
            octets[:, 0] >> 1 & 63,
            (octets[:, 0] & 1) << 6 | (octets[:, 1] >> 1 & 63),
            (octets[:, 1] & 1) << 5 | (octets[:, 2] & 0x18) | (octets[:, 2] & 3) << 1 | octets[:, 3] >> 7,
        ],
        axis=-1,
    )
    across = np.stack(
        [
            (octets[:, 3] >> 1 & 0x3E) | (octets[:, 3] & 1),
            octets[:, 4] >> 1,
            (octets[:, 4] & 1) << 5 | octets[:, 5] >> 3,
        ],
        axis=-1,
    )
    down = np.stack(
        [(octets[:, 5] & 7) << 3 | octets[:, 6] >> 5, (octets[:, 6] & 31) << 2 | octets[:, 7] >> 6, octets[:, 7] & 63],
        axis=-1,
    )
    # Six bits of red and blue, seven of green, widened by repeating the high bits.
    left, right = np.array([2, 1, 2]), np.array([4, 6, 4])
    origin, across, down = (color << left | color >> right for color in (origin, across, down))
    slope_x, slope_y = (across - origin)[:, None, :], (down - origin)[:, None, :]
    colors: Ints = (_X[:, None] * slope_x + _Y[:, None] * slope_y + 4 * origin[:, None, :] + 2) >> 2
    return colors.astype(np.int32)


def _decode(blocks: NDArray[np.uint8], *, etc1: bool, punch_through: bool) -> NDArray[np.uint8]:
    octets = blocks.astype(np.int32)
    index = _indices(octets)
    differential = (octets[:, 3] & 2).astype(bool) | punch_through
    opaque = (octets[:, 3] & 2).astype(bool) | (not punch_through)
    base5 = octets[:, :3] >> 3
    delta = (octets[:, :3] & 7 ^ 4) - 4
    sum5 = base5 + delta
    first = np.where(differential[:, None], base5 << 3 | base5 >> 2, (octets[:, :3] >> 4) * 17)
    wrapped = sum5 & 31
    second = np.where(differential[:, None], wrapped << 3 | wrapped >> 2, (octets[:, :3] & 15) * 17)
    rgb = _two_tables(octets, first, second, index, opaque)
    planar = np.zeros(len(octets), bool)
    if not etc1:
        over = differential[:, None] & ((sum5 < 0) | (sum5 > 31))
        t_mode = over[:, 0]
        h_mode = over[:, 1] & ~t_mode
        planar = over[:, 2] & ~t_mode & ~h_mode
        for chosen, colors in ((t_mode, _t_mode), (h_mode, _h_mode)):
            if chosen.any():
                rgb[chosen] = colors(octets[chosen], index[chosen])
        if planar.any():
            rgb[planar] = _planar(octets[planar])
    out = np.empty((len(octets), 16, 4), np.uint8)
    out[..., :3] = _clamp(rgb)
    out[..., 3] = 255
    out[~opaque[:, None] & ~planar[:, None] & (index == 2)] = 0
    return out.reshape(-1, 4, 4, 4)


def decode_rgb(blocks: NDArray[np.uint8], *, etc1: bool = False) -> NDArray[np.uint8]:
    """ETC1 or ETC2 RGB: (n, 8) to (n, 4, 4, 4) opaque RGBA."""
    return _decode(blocks, etc1=etc1, punch_through=False)


def decode_punch_through(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """ETC2 RGB with one bit of alpha: (n, 8) to (n, 4, 4, 4); transparent texels are black."""
    return _decode(blocks, etc1=False, punch_through=True)


def _eac_modifiers(blocks: Ints) -> Ints:
    """Table value of each pixel, (n, 16) in row order."""
    bits = np.zeros(len(blocks), np.int64)
    for byte in range(2, 8):
        bits = bits << 8 | blocks[:, byte]
    index = bits[:, None] >> (45 - 3 * PIXEL) & 7
    modifiers: Ints = EAC_MODIFIERS[(blocks[:, 1] & 15)[:, None], index]
    return modifiers


def decode_rgba(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """ETC2 RGB with EAC alpha: (n, 16) to (n, 4, 4, 4)."""
    texels = decode_rgb(blocks[:, 8:])
    octets = blocks[:, :8].astype(np.int32)
    alpha = octets[:, :1] + _eac_modifiers(octets) * (octets[:, 1:2] >> 4)
    texels[..., 3] = _clamp(alpha).reshape(-1, 4, 4)
    return texels


def decode_eac(blocks: NDArray[np.uint8], channels: int, *, signed: bool) -> NDArray[np.float32]:
    """R11 and RG11 EAC: (n, 8 * channels) to (n, 4, 4, channels) in 0..1 or -1..1."""
    out = np.empty((len(blocks), 16, channels), np.float32)
    for channel in range(channels):
        octets = blocks[:, 8 * channel : 8 * channel + 8].astype(np.int32)
        modifiers = _eac_modifiers(octets)
        multiplier = octets[:, 1:2] >> 4
        scaled = np.where(multiplier > 0, modifiers * multiplier * 8, modifiers)
        if signed:
            base = np.maximum((octets[:, :1] ^ 128) - 128, -127)
            out[..., channel] = np.clip(base * 8 + scaled, -1023, 1023) / 1023.0
        else:
            out[..., channel] = np.clip(octets[:, :1] * 8 + 4 + scaled, 0, 2047) / 2047.0
    return out.reshape(-1, 4, 4, channels)
