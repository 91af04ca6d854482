"""Mipmap generation: each level from the one below, as Mesa's llvmpipe does it.

Mesa draws each level with a linear filter over the level below, so an even size is a 2x2 box and an odd size is
sampled at the texel centres of the smaller level. Formats of at most eight bits are filtered in fixed point with
eight bits of weight and rounded to eight bits after each axis; all others in float32. sRGB is filtered in linear
space. ES 3.0.6 §3.8.10.5 recommends a box filter and leaves the rest open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.formats import Format, Storage

__all__ = ["reduce_level"]


def reduce_level(format: Format, texels: NDArray[Any], extent: tuple[int, int, int]) -> NDArray[Any]:
    """Next smaller level.

    Parameters
    ----------
    texels : canonical texels, ``format.shape(depth, height, width)``
    extent : depth, height and width of the result

    Returns
    -------
    canonical texels, ``format.shape(*extent)``
    """
    if format.is_integer or format.is_depth:
        return _nearest(texels, extent)
    if format.storage is Storage.UNORM8:
        words: NDArray[np.uint32] = np.ascontiguousarray(texels, "<u4")
        for axis in (2, 1, 0):
            words = _filter_octets(words, axis, extent[axis])
        return formats.narrowed(format, words)
    channels = formats.expand(format, texels)
    for axis in (2, 1, 0):
        channels = _filter_floats(channels, axis, extent[axis])
    return formats.rendered(format, channels)


def _nearest(texels: NDArray[Any], extent: tuple[int, int, int]) -> NDArray[Any]:
    picks = [
        (2 * np.arange(count) + 1) * size // (2 * count) for count, size in zip(extent, texels.shape[:3], strict=True)
    ]
    return texels[np.ix_(*picks)]


def _pairs(values: NDArray[Any], axis: int, count: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int32] | None]:
    """Neighbours of each new texel along an axis, and the weight of the second in 1/256; None = 128 everywhere."""
    size = values.shape[axis]
    if size == 2 * count:
        even = [slice(None)] * values.ndim
        odd = list(even)
        even[axis], odd[axis] = slice(0, None, 2), slice(1, None, 2)
        return values[tuple(even)], values[tuple(odd)], None
    # Position of each new texel's centre among the old ones, in 1/256 texel.
    position = np.rint((np.arange(count) + 0.5) * (size * 256.0 / count)).astype(np.int64) - 128
    low = position >> 8
    shape = [1] * values.ndim
    shape[axis] = count
    weight = (position & 255).astype(np.int32).reshape(shape)
    return values.take(np.maximum(low, 0), axis), values.take(np.minimum(low + 1, size - 1), axis), weight


def _filter_octets(words: NDArray[np.uint32], axis: int, count: int) -> NDArray[np.uint32]:
    if words.shape[axis] == count:
        return words
    first, second, weight = _pairs(words, axis, count)
    if weight is None:
        # Mean of each octet, halves rounded up, in the whole word at once.
        means: NDArray[np.uint32] = (first | second) - (((first ^ second) >> np.uint32(1)) & np.uint32(0x7F7F7F7F))
        return means
    blended = np.zeros(first.shape, np.uint32)
    for shift in (0, 8, 16, 24):
        a = (first >> np.uint32(shift)).astype(np.int32) & 255
        b = (second >> np.uint32(shift)).astype(np.int32) & 255
        blended |= (a + (((b - a) * weight + 128) >> 8)).astype(np.uint32) << np.uint32(shift)
    return blended


def _filter_floats(values: NDArray[np.float32], axis: int, count: int) -> NDArray[np.float32]:
    if values.shape[axis] == count:
        return values
    first, second, weight = _pairs(values, axis, count)
    fraction = np.float32(0.5) if weight is None else weight.astype(np.float32) / np.float32(256)
    blended: NDArray[np.float32] = first + (second - first) * fraction
    return blended
