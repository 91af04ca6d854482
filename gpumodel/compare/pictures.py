"""Pictures kept for comparison: small, and apart as far as they differ."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["Picture", "PictureDifference", "kept_picture", "picture_difference"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame's picture, compressed.

    Parameters
    ----------
    shape : height, width, 4
    digest : of its pixels
    """

    shape: tuple[int, ...]
    digest: bytes
    packed: bytes


@dataclass(frozen=True, slots=True)
class PictureDifference:
    """How far two pictures differ.

    Parameters
    ----------
    first, second : frames
    pixels : that differ; all where the sizes do
    of : pixels
    largest : difference of a channel, -1 where the sizes differ
    squared : sum of the squared differences of red, green and blue
    """

    first: int
    second: int
    pixels: int
    of: int
    largest: int
    squared: int = 0


def kept_picture(picture: NDArray[np.uint8]) -> Picture:
    """Keep a picture, (height, width, 4) uint8."""
    from zstandard import ZstdCompressor

    content = np.ascontiguousarray(picture).tobytes()
    return Picture(picture.shape, blake2b(content, digest_size=16).digest(), ZstdCompressor(1).compress(content))


def picture_difference(first: Picture, second: Picture, frames: tuple[int, int]) -> PictureDifference | None:
    """Compare two pictures; None where they are equal."""
    if (first.shape, first.digest) == (second.shape, second.digest):
        return None
    pixels = first.shape[0] * first.shape[1]
    if first.shape != second.shape:
        return PictureDifference(*frames, pixels, pixels, -1)
    one, other = (_unpacked(picture).astype(np.int32) for picture in (first, second))
    apart = np.abs(one - other)
    distance = apart.max(axis=-1)
    squared = int((apart[..., :3] ** 2).sum())
    return PictureDifference(*frames, int((distance > 0).sum()), pixels, int(distance.max()), squared)


def _unpacked(picture: Picture) -> NDArray[np.uint8]:
    from zstandard import ZstdDecompressor

    return np.frombuffer(ZstdDecompressor().decompress(picture.packed), np.uint8).reshape(picture.shape)
