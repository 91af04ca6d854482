"""Packed floating-point formats: unsigned 11- and 10-bit floats and shared-exponent RGB9_E5 (ES 3.0.6 §2.1.3,
§2.1.4, §3.8.3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "decode_r11g11b10",
    "decode_rgb9e5",
    "decode_ufloat",
    "encode_r11g11b10",
    "encode_rgb9e5",
    "encode_ufloat",
    "truncate_to_half",
]


def truncate_to_half(values: NDArray[Any]) -> NDArray[np.float16]:
    """Half float next towards zero, as Mesa converts colours (ES 3.0.6 §2.1.2 allows either neighbour)."""
    single = np.asarray(values, np.float32)
    with np.errstate(over="ignore"):
        halves = single.astype(np.float16)
    away = np.abs(halves.astype(np.float32)) > np.abs(single)
    return (halves.view(np.uint16) - away).astype(np.uint16).view(np.float16)


def decode_ufloat(bits: NDArray[np.uint32], mantissa_bits: int) -> NDArray[np.float32]:
    """Unsigned float with five exponent bits: 6 mantissa bits for the 11-bit format, 5 for the 10-bit one."""
    # Half floats have the same exponent and ten mantissa bits, so widening is a shift.
    halves = (bits.astype(np.uint32) << np.uint32(10 - mantissa_bits)).astype(np.uint16)
    return halves.view(np.float16).astype(np.float32)


def encode_ufloat(values: NDArray[Any], mantissa_bits: int) -> NDArray[np.uint32]:
    """Unsigned float next below: as Mesa does it, truncated (ES 3.0.6 §2.1.3 allows either neighbour).

    Negative values give 0, finite overflow the largest finite value, NaN a NaN.
    """
    single = np.asarray(values, np.float32)
    positive = np.where(single > 0, single, np.float32(0))
    bits = positive.view(np.uint32)
    normal = (bits.astype(np.int64) - (112 << 23)) >> (23 - mantissa_bits)
    # Below 2**-14 values are multiples of 2**-(14 + mantissa_bits).
    small = np.where(bits < (113 << 23), positive, np.float32(0))
    denormal = np.floor(small.astype(np.float64) * 2.0 ** (14 + mantissa_bits)).astype(np.int64)
    code = np.where(bits < (113 << 23), denormal, normal)
    infinity = 31 << mantissa_bits
    code = np.minimum(code, infinity - 1)
    code = np.where(np.isposinf(single), infinity, code)
    word: NDArray[np.uint32] = np.where(np.isnan(single), infinity | 1, code).astype(np.uint32)
    return word


def decode_r11g11b10(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Three channels of GL_UNSIGNED_INT_10F_11F_11F_REV, shape (..., 3)."""
    red = decode_ufloat(words & np.uint32(0x7FF), 6)
    green = decode_ufloat((words >> np.uint32(11)) & np.uint32(0x7FF), 6)
    blue = decode_ufloat(words >> np.uint32(22), 5)
    return np.stack([red, green, blue], axis=-1)


def encode_r11g11b10(rgb: NDArray[Any]) -> NDArray[np.uint32]:
    """Words of GL_UNSIGNED_INT_10F_11F_11F_REV from (..., 3 or more) values."""
    red, green = encode_ufloat(rgb[..., 0], 6), encode_ufloat(rgb[..., 1], 6)
    word: NDArray[np.uint32] = red | green << np.uint32(11) | encode_ufloat(rgb[..., 2], 5) << np.uint32(22)
    return word


def decode_rgb9e5(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Three channels of GL_UNSIGNED_INT_5_9_9_9_REV, shape (..., 3)."""
    scale = np.exp2((words >> np.uint32(27)).astype(np.float32) - np.float32(24))
    channels = [((words >> np.uint32(shift)) & np.uint32(0x1FF)).astype(np.float32) * scale for shift in (0, 9, 18)]
    return np.stack(channels, axis=-1)


def encode_rgb9e5(rgb: NDArray[Any]) -> NDArray[np.uint32]:
    """Words of GL_UNSIGNED_INT_5_9_9_9_REV from (..., 3 or more) values, by the rules of ES 3.0.6 §3.8.3."""
    largest = 511.0 / 512.0 * 2.0**16
    values = np.asarray(rgb[..., :3], np.float64)
    clamped = np.clip(np.where(np.isnan(values), 0.0, values), 0.0, largest)
    peak = clamped.max(axis=-1)
    _, exponent = np.frexp(peak)  # peak = m * 2**exponent with m in [0.5, 1)
    shared = np.maximum(-16, np.where(peak > 0, exponent - 1, -16)) + 16
    overflow = np.floor(peak / np.exp2(shared - 24.0) + 0.5) >= 512
    shared = shared + overflow
    mantissas = np.floor(clamped / np.exp2(shared - 24.0)[..., None] + 0.5).astype(np.uint32)
    word: NDArray[np.uint32] = (
        mantissas[..., 0]
        | mantissas[..., 1] << np.uint32(9)
        | mantissas[..., 2] << np.uint32(18)
        | shared.astype(np.uint32) << np.uint32(27)
    )
    return word
