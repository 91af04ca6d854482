"""What POOMA's blocks are compared with: S3TC (DXT1), and the distance of two images in decibels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["dxt1", "psnr"]


def _octets(words: NDArray[np.uint32]) -> NDArray[np.float64]:
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 4)
    return octets[..., :3].astype(np.float64)


def psnr(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> float:
    """Peak signal to noise ratio of two images, (H, W) uint32 of bytes R, G, B, A; dB over red, green and blue."""
    error = float(((_octets(a) - _octets(b)) ** 2).mean())
    return float("inf") if error == 0 else float(10 * np.log10(255**2 / error))


def _quantized(colors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nearest colours of 5-6-5 bits."""
    most = np.array([31, 63, 31])
    return np.asarray(np.rint(np.clip(np.rint(colors / 255 * most), 0, most) * 255 / most))


def _error(
    texels: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Squared error of each block with these ends, and each texel's entry: (N,), (N, 16)."""
    palette = np.stack([a, b, (2 * a + b) / 3, (a + 2 * b) / 3], axis=1)
    distance = ((texels[:, :, None] - palette[:, None]) ** 2).sum(3)
    return distance.min(2).sum(1), distance.argmin(2)


def dxt1(image: NDArray[np.uint32], rounds: int = 8) -> NDArray[np.uint32]:
    """An image as S3TC stores it (4x4 blocks in 64 bits, four colours), decoded again.

    Ends begin at the extremes along the first principal axis of each block's colours and are fitted to their texels by
    least squares as long as that helps.

    Parameters
    ----------
    image : (H, W) uint32, bytes R, G, B, A; edges repeat beyond it
    """
    height, width = image.shape
    padded = np.pad(image, ((0, -height % 4), (0, -width % 4)), mode="edge")
    rows, columns = padded.shape[0] // 4, padded.shape[1] // 4
    texels = _octets(padded).reshape(rows, 4, columns, 4, 3).swapaxes(1, 2).reshape(-1, 16, 3)
    mean = texels.mean(1, keepdims=True)
    centred = texels - mean
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    along = (centred * axes[:, :1]).sum(2)
    ends = [mean[:, 0] + getattr(along, kind)(1)[:, None] * axes[:, 0] for kind in ("min", "max")]
    a, b = (_quantized(end) for end in ends)
    best, choice = _error(texels, a, b)
    weights = np.array([1, 0, 2 / 3, 1 / 3])
    for _ in range(rounds):
        weight = weights[choice]
        aa, ab, bb = (weight * weight).sum(1), (weight * (1 - weight)).sum(1), ((1 - weight) ** 2).sum(1)
        ra, rb = (weight[..., None] * texels).sum(1), ((1 - weight)[..., None] * texels).sum(1)
        det = aa * bb - ab * ab
        fits = det > 1e-9
        det = np.where(fits, det, 1)[:, None]
        pa = _quantized((ra * bb[:, None] - rb * ab[:, None]) / det)
        pb = _quantized((rb * aa[:, None] - ra * ab[:, None]) / det)
        error, other = _error(texels, pa, pb)
        better = fits & (error < best)
        if not better.any():
            break
        a[better], b[better], best[better], choice[better] = pa[better], pb[better], error[better], other[better]
    palette = np.stack([a, b, (2 * a + b) / 3, (a + 2 * b) / 3], axis=1)
    decoded = np.take_along_axis(palette, choice[:, :, None], 1)
    out = np.full((len(decoded), 16, 4), 255, np.uint8)
    out[..., :3] = np.rint(decoded).clip(0, 255)
    blocks = out.view(np.uint32)[..., 0].reshape(rows, columns, 4, 4).swapaxes(1, 2).reshape(rows * 4, columns * 4)
    return np.ascontiguousarray(blocks[:height, :width])
