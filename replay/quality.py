"""Quality of sequences: VSSIM, the video structural similarity index.

Wang, Lu and Bovik, "Video quality assessment based on structural distortion measurement", Signal Processing: Image
Communication 19(2), 2004. Windows of 8x8 pixels are sampled in each frame; SSIM is taken of luminance and both
chrominances in each window and weighted 0.8, 0.1, 0.1; dark windows and frames with large motion count less. (PSNR and
SSIM of single pictures: :mod:`replay.imagediff`.)

The paper samples windows at random; here they lie on a grid of every fourth pixel (ASSUMED: the same every time).
Motion is that of 16x16 blocks of the reference to the next frame, by full search in whole pixels (ASSUMED: the paper
names block-based motion estimation and no range; ours is as far as motion has any effect on the weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["VideoQuality", "vssim"]

_WINDOW: Final = 8
_STEP: Final = 4
_C1: Final = (0.01 * 255) ** 2
_C2: Final = (0.03 * 255) ** 2
#: Luminance, blue and red difference (§3.1 of the paper).
_CHANNEL_WEIGHTS: Final = (0.8, 0.1, 0.1)
_DARK, _LIGHT = 40.0, 50.0
#: Motion of a frame, relative to K_M, from which its weight falls and at which it is zero (equation 9).
_STILL, _FAST = 0.8, 1.2
_MOTION_NORM: Final = 16.0
_BLOCK: Final = 16
#: K_M * 1.2, beyond which a frame has no weight, and a little more.
_REACH: Final = 20
_TO_YCBCR: Final = np.array(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], np.float64
)


@dataclass(frozen=True, slots=True)
class VideoQuality:
    """Quality of a sequence.

    Parameters
    ----------
    index : VSSIM of the sequence, 1 for equal ones
    frames : quality index of each frame
    weights : weight of each frame, by luminance and motion
    """

    index: float
    frames: tuple[float, ...]
    weights: tuple[float, ...]


def _planes(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Y, Cb and Cr, (3, height, width)."""
    planes = np.moveaxis(picture[..., :3] @ _TO_YCBCR.T, -1, 0) + np.array([0, 128, 128.0])[:, None, None]
    return np.ascontiguousarray(planes, np.float64)


def _means(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of the windows, by a summed-area table."""
    sums = np.zeros((plane.shape[0] + 1, plane.shape[1] + 1))
    sums[1:, 1:] = plane.cumsum(0).cumsum(1)
    window = _WINDOW
    total = sums[window:, window:] - sums[:-window, window:] - sums[window:, :-window] + sums[:-window, :-window]
    return np.asarray(total[::_STEP, ::_STEP] / window**2)


def _window_ssim(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """SSIM of each window of two planes."""
    ma, mb = _means(a), _means(b)
    unbiased = _WINDOW**2 / (_WINDOW**2 - 1)
    va = np.maximum(_means(a * a) - ma * ma, 0) * unbiased
    vb = np.maximum(_means(b * b) - mb * mb, 0) * unbiased
    cov = (_means(a * b) - ma * mb) * unbiased
    top = (2 * ma * mb + _C1) * (2 * cov + _C2)
    return np.asarray(top / ((ma * ma + mb * mb + _C1) * (va + vb + _C2)))


def _steps() -> NDArray[np.int64]:
    """Motion vectors, short ones first: of equal matches the shortest is taken."""
    reach = range(-_REACH, _REACH + 1)
    return np.array(
        sorted(((y, x) for y in reach for x in reach), key=lambda step: (step[0] ** 2 + step[1] ** 2, step)), np.int64
    )


def _motion(now: NDArray[np.float64], following: NDArray[np.float64]) -> float:
    """Mean length of the motion vectors from a luminance plane to the next, relative to K_M."""
    from replay.motion import match_blocks

    rows, columns = now.shape[0] // _BLOCK, now.shape[1] // _BLOCK
    if not rows or not columns:
        return 0.0
    height, width = rows * _BLOCK, columns * _BLOCK
    one, other = (np.rint(plane[:height, :width]).clip(0, 255).astype(np.uint8) for plane in (now, following))
    steps = _steps()
    found = np.empty((rows, columns), np.int64)
    padded = np.pad(other, _REACH, mode="edge")
    match_blocks(np.ascontiguousarray(one), padded, _BLOCK, _REACH, steps, found)
    return float(np.hypot(steps[:, 0], steps[:, 1])[found].mean() / _MOTION_NORM)


def vssim(reference: Sequence[NDArray[np.uint8]], pictures: Sequence[NDArray[np.uint8]]) -> VideoQuality:
    """Compare two sequences.

    Parameters
    ----------
    reference, pictures : (height, width, 3 or 4) uint8 frames of one size, as many of each; at least 8x8 pixels

    Raises
    ------
    ValueError : sequences do not fit together
    """
    if len(reference) != len(pictures) or not reference:
        raise ValueError(f"{len(reference)} and {len(pictures)} frames")
    if any(a.shape[:2] != b.shape[:2] for a, b in zip(reference, pictures, strict=True)):
        raise ValueError("frames of different sizes")
    if min(reference[0].shape[:2]) < _WINDOW:
        raise ValueError(f"frames are smaller than {_WINDOW}x{_WINDOW} pixels")
    indices, weights = [], []
    planes = [_planes(frame) for frame in reference]
    for number, picture in enumerate(pictures):
        a, b = planes[number], _planes(picture)
        quality = sum(weight * _window_ssim(x, y) for weight, x, y in zip(_CHANNEL_WEIGHTS, a, b, strict=True))
        mean = _means(a[0])
        local = np.clip((mean - _DARK) / (_LIGHT - _DARK), 0.0, 1.0)
        total = float(local.sum())
        # A frame that is dark all over has no weight of its own; its index is the plain mean.
        indices.append(float((local * quality).sum() / total) if total else float(np.mean(quality)))
        motion = 0.0
        if number + 1 < len(planes) and planes[number + 1].shape == a.shape:
            motion = _motion(a[0], planes[number + 1][0])
        weights.append(total * min(max((_FAST - motion) / (_FAST - _STILL), 0.0), 1.0))
    whole = sum(weights)
    if whole:
        index = sum(weight * value for weight, value in zip(weights, indices, strict=True)) / whole
    else:
        index = sum(indices) / len(indices)
    return VideoQuality(index, tuple(indices), tuple(weights))
