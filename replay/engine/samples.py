"""Several samples a pixel: how they become one, and textures of one sample that are drawn to with several.

EXT_multisampled_render_to_texture attaches a texture of one sample a pixel and has it drawn to with several. Passes
then draw into an image of four samples that nobody else sees: it begins with what the texture holds, in all samples,
and what it holds when the pass ends is resolved into the texture, as a tiler does on its way to memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.targets import Surface
from replay.formats import Format, Storage

__all__ = ["resolve", "resolve_samples", "spread_samples"]


def spread_samples(surface: Surface) -> None:
    """Begin a pass: what the texture holds, in all samples."""
    single = surface.single
    assert single is not None
    surface.texels[...] = single.texels
    surface.stored.filled = None
    if surface.stencil is not None and single.stencil is not None:
        surface.stencil[...] = single.stencil


def resolve_samples(surface: Surface) -> None:
    """End a pass: the texture holds the resolved samples."""
    single = surface.single
    assert single is not None
    single.texels[0] = resolve(surface.format, surface.texels)
    single.stored.filled = None
    if surface.stencil is not None and single.stencil is not None:
        single.stencil[0] = surface.stencil[0]


def resolve(format: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """One texel a pixel from samples: the mean of colours, sample 0 of integers and depth.

    Parameters
    ----------
    texels : (samples, height, width[, 4])
    """
    if texels.shape[0] == 1 or format.is_integer or format.is_depth:
        first: NDArray[Any] = texels[0]
        return first
    if format.storage not in (Storage.SRGB8, Storage.UNORM8):
        return _mean(format, texels)
    # Samples differ at edges alone.
    resolved: NDArray[Any] = texels[0].copy()
    mixed = (texels[1:] != texels[0]).any(axis=0)
    if mixed.any():
        resolved[mixed] = _mean(format, texels[:, mixed])
    return resolved


def _mean(format: Format, texels: NDArray[Any]) -> NDArray[Any]:
    """Means over the first axis in binary32, as a shader would find them: ties fall as its output is rounded."""
    total: NDArray[Any] = np.zeros(4, np.float32)
    for sample in texels:
        total = total + (sample if format.storage is Storage.FLOAT else formats.expand(format, sample))
    return formats.rendered(format, total / np.float32(len(texels)))
