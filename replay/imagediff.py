"""How far two pictures differ: share of pixels over a threshold, mean absolute error, PSNR and SSIM.

SSIM is that of Wang, Bovik, Sheikh and Simoncelli, "Image Quality Assessment: From Error Visibility to Structural
Similarity" (IEEE Transactions on Image Processing 13(4), 2004), §III.B: 11x11 Gaussian window with a standard deviation
of 1.5 pixels, K1 = 0.01, K2 = 0.03, on luma, averaged over all windows that lie within the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["ImageDifference", "compare_images", "difference_mask", "luma", "ssim"]

_WINDOW: Final = 11
_SIGMA: Final = 1.5
_RANGE: Final = 255.0
_K1: Final = 0.01
_K2: Final = 0.03
_TILE: Final = 16
#: Rows that are worked on at a time, so that memory does not grow with the picture (a multiple of _TILE).
_BAND: Final = 256
#: Rec. 601 luma, as PNG viewers and the paper's grey pictures use.
_LUMA: Final = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True, slots=True)
class ImageDifference:
    """Measures of the difference of a picture from its reference.

    Parameters
    ----------
    pixels : number of pixels
    different : of those, with a channel that is off by more than the threshold
    foreground : pixels of the reference that are unlike its most common colour
    foreground_different : different ones of those
    max_difference : largest difference of a channel, 0..255
    mean_absolute_error : over all channels, 0..255
    worst_tile_error : largest mean absolute error of a 16x16 tile (those at the edge may be smaller)
    mean_squared_error : over all channels
    ssim : -1..1, 1 for equal pictures
    """

    pixels: int
    different: int
    foreground: int
    foreground_different: int
    max_difference: int
    mean_absolute_error: float
    worst_tile_error: float
    mean_squared_error: float
    ssim: float

    @property
    def share(self) -> float:
        """Different pixels of all, 0..1."""
        return self.different / self.pixels

    @property
    def foreground_share(self) -> float:
        """Different pixels of the foreground, 0..1; 0 for a picture of one colour."""
        return self.foreground_different / self.foreground if self.foreground else 0.0

    @property
    def psnr_db(self) -> float:
        """Peak signal-to-noise ratio, dB; infinite for equal pictures."""
        return 10 * math.log10(_RANGE**2 / self.mean_squared_error) if self.mean_squared_error else math.inf


def compare_images(reference: NDArray[np.uint8], picture: NDArray[np.uint8], *, threshold: int = 2) -> ImageDifference:
    """Measure how far a picture is from its reference.

    Parameters
    ----------
    reference, picture : (height, width, channels) uint8, at least three channels, RGB first; further ones (alpha)
        count for everything but SSIM
    threshold : a channel that is off by more makes a pixel different

    Raises
    ------
    ValueError : the shapes differ or are no pictures
    """
    if reference.shape != picture.shape or reference.ndim != 3 or reference.shape[2] < 3 or not reference.size:
        raise ValueError(f"pictures of one size with RGB channels wanted, not {reference.shape} and {picture.shape}")
    common = _most_common(reference)
    absolute = squared = different = foreground = foreground_different = largest = 0
    worst = 0.0
    for start in range(0, reference.shape[0], _BAND):
        a, b = reference[start : start + _BAND], picture[start : start + _BAND]
        delta = np.abs(a.astype(np.int16) - b)
        off = delta.max(axis=2) > threshold
        is_foreground = (a != common).any(axis=2)
        absolute += int(delta.sum(dtype=np.int64))
        squared += int((delta.astype(np.int32) ** 2).sum(dtype=np.int64))
        largest = max(largest, int(delta.max()))
        different += int(off.sum())
        foreground += int(is_foreground.sum())
        foreground_different += int((off & is_foreground).sum())
        worst = max(worst, _worst_tile(delta))
    return ImageDifference(
        pixels=reference.shape[0] * reference.shape[1],
        different=different,
        foreground=foreground,
        foreground_different=foreground_different,
        max_difference=largest,
        mean_absolute_error=absolute / reference.size,
        worst_tile_error=worst,
        mean_squared_error=squared / reference.size,
        ssim=ssim(luma(reference), luma(picture)),
    )


def difference_mask(
    reference: NDArray[np.uint8], picture: NDArray[np.uint8], *, threshold: int = 2
) -> NDArray[np.uint8]:
    """Mask of the pixels that differ: (height, width) uint8, 255 where a channel is off by more than the threshold."""
    off = (np.maximum(reference, picture) - np.minimum(reference, picture)).max(axis=2) > threshold
    return np.where(off, np.uint8(255), np.uint8(0))


def luma(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Rec. 601 luma of a (height, width, 3 or more) uint8 RGB picture: (height, width) float64, 0..255."""
    grey: NDArray[np.float64] = picture[..., :3] @ _LUMA
    return grey


def ssim(reference: NDArray[np.float64], picture: NDArray[np.float64]) -> float:
    """Mean structural similarity of two grey pictures.

    Parameters
    ----------
    reference, picture : (height, width) float64, 0..255; a picture that is smaller than the window is compared with the
        largest odd window that fits

    Returns
    -------
    -1..1

    Notes
    -----
    Source: Wang et al. 2004, equations 13 to 17.
    """
    size = min(_WINDOW, *(side - 1 + side % 2 for side in reference.shape))
    taps = np.exp(-(((np.arange(size) - size // 2) / _SIGMA) ** 2) / 2)
    taps /= taps.sum()
    c1, c2 = (_K1 * _RANGE) ** 2, (_K2 * _RANGE) ** 2
    total = 0.0
    count = 0
    for x, y in _bands(reference, picture, size - 1):
        mean_x, mean_y = _blur(x, taps), _blur(y, taps)
        variance_x = _blur(x * x, taps) - mean_x**2
        variance_y = _blur(y * y, taps) - mean_y**2
        covariance = _blur(x * y, taps) - mean_x * mean_y
        similarity = ((2 * mean_x * mean_y + c1) * (2 * covariance + c2)) / (
            (mean_x**2 + mean_y**2 + c1) * (variance_x + variance_y + c2)
        )
        total += float(similarity.sum())
        count += similarity.size
    return total / count


def _bands(
    x: NDArray[np.float64], y: NDArray[np.float64], overlap: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Bands of rows, each with the rows that its last windows reach into."""
    for start in range(0, len(x) - overlap, _BAND):
        rows = slice(start, start + _BAND + overlap)
        yield x[rows], y[rows]


def _blur(values: NDArray[np.float64], taps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted means of all windows that lie within the array."""
    across = sum(tap * values[:, k : values.shape[1] - len(taps) + 1 + k] for k, tap in enumerate(taps))
    assert isinstance(across, np.ndarray)
    down = sum(tap * across[k : len(values) - len(taps) + 1 + k] for k, tap in enumerate(taps))
    assert isinstance(down, np.ndarray)
    return down


def _most_common(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture's most common colour; the smallest of those that are equally common."""
    code = np.zeros(picture.shape[:2], np.uint32)
    for channel in range(min(picture.shape[2], 4)):
        code |= picture[..., channel].astype(np.uint32) << np.uint32(8 * channel)
    values, counts = np.unique(code, return_counts=True)
    best = int(values[int(counts.argmax())])
    return np.array([best >> 8 * channel & 255 for channel in range(picture.shape[2])], np.uint8)


def _worst_tile(delta: NDArray[Any]) -> float:
    """Largest mean of the tiles of a band."""
    rows, columns = np.arange(0, delta.shape[0], _TILE), np.arange(0, delta.shape[1], _TILE)
    sums = np.add.reduceat(np.add.reduceat(delta.sum(axis=2, dtype=np.int64), rows, axis=0), columns, axis=1)
    heights = np.diff(rows, append=delta.shape[0])
    widths = np.diff(columns, append=delta.shape[1])
    return float((sums / (heights[:, None] * widths * delta.shape[2])).max())
