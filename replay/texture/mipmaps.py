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
        octets = np.ascontiguousarray(texels, "<u4").view(np.uint8).reshape(*texels.shape, 4).astype(np.int32)
        for axis in (2, 1, 0):
            octets = _filter(octets, axis, extent[axis], fixed=True)
        words: NDArray[np.uint32] = octets.astype(np.uint8).view("<u4")[..., 0]
        return formats.quantize(format, formats.raw(format, words)) if not format.is_exact_unorm8 else words
    channels = formats.expand(format, texels)
    for axis in (2, 1, 0):
        channels = _filter(channels, axis, extent[axis], fixed=False)
    return formats.quantize(format, channels)


def _nearest(texels: NDArray[Any], extent: tuple[int, int, int]) -> NDArray[Any]:
    picks = [
        (2 * np.arange(count) + 1) * size // (2 * count) for count, size in zip(extent, texels.shape[:3], strict=True)
    ]
    return texels[np.ix_(*picks)]


def _filter(values: NDArray[Any], axis: int, count: int, *, fixed: bool) -> NDArray[Any]:
    size = values.shape[axis]
    if size == count:
        return values
    # Position of each new texel's centre among the old ones, in 1/256 texel.
    position = np.rint((np.arange(count) + 0.5) * (size * 256.0 / count)).astype(np.int64) - 128
    low = position >> 8
    weight = (position & 255).astype(np.int32)
    first = values.take(np.maximum(low, 0), axis)
    second = values.take(np.minimum(low + 1, size - 1), axis)
    shape = [1] * values.ndim
    shape[axis] = count
    if fixed:
        octets: NDArray[Any] = first + (((second - first) * weight.reshape(shape) + 128) >> 8)
        return octets
    fraction = (weight.astype(np.float32) / np.float32(256)).reshape(shape)
    blended: NDArray[Any] = first + (second - first) * fraction
    return blended
