"""Picture metrics against plain definitions and scikit-image."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replay.imagediff import compare_images, difference_mask, luma, ssim


def noisy(seed, height, width, amount=20):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 255 / max(width, 2), y * 255 / max(height, 2), (x ^ y) & 255], axis=2)
    other = base + rng.normal(0, amount, base.shape)
    return np.clip(base, 0, 255).astype(np.uint8), np.clip(other, 0, 255).astype(np.uint8)


def naive_ssim(a, b):
    """Equations 13 to 17 of Wang et al. window by window."""
    taps = np.array([[math.exp(-((i - 5) ** 2 + (j - 5) ** 2) / (2 * 1.5**2)) for i in range(11)] for j in range(11)])
    taps /= taps.sum()
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    values = []
    for y in range(a.shape[0] - 10):
        for x in range(a.shape[1] - 10):
            p, q = a[y : y + 11, x : x + 11], b[y : y + 11, x : x + 11]
            mp, mq = (taps * p).sum(), (taps * q).sum()
            vp, vq = (taps * (p - mp) ** 2).sum(), (taps * (q - mq) ** 2).sum()
            cov = (taps * (p - mp) * (q - mq)).sum()
            values.append((2 * mp * mq + c1) * (2 * cov + c2) / ((mp**2 + mq**2 + c1) * (vp + vq + c2)))
    return float(np.mean(values))


def test_ssim_equals_its_definition():
    a, b = (luma(picture) for picture in noisy(1, 24, 31))
    assert ssim(a, b) == pytest.approx(naive_ssim(a, b), abs=1e-9)


@pytest.mark.parametrize("shape", [(60, 80), (255, 40), (267, 30), (600, 33)])
def test_ssim_equals_scikit_images(shape):
    metrics = pytest.importorskip("skimage.metrics", reason="scikit-image is not installed")
    a, b = (luma(picture) for picture in noisy(2, *shape))
    wanted = metrics.structural_similarity(
        a, b, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False
    )
    assert ssim(a, b) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (3, 40), (10, 10), (11, 2)])
def test_small_pictures(shape):
    a, b = noisy(3, *shape)
    assert compare_images(a, a).ssim == pytest.approx(1)
    assert compare_images(a, 255 - a).ssim < 1
    assert -1 <= compare_images(a, b).ssim <= 1


@pytest.mark.parametrize("shape", [(40, 50), (259, 17), (520, 20)])
def test_measures_equal_their_definitions(shape):
    a, b = noisy(4, *shape, amount=3)
    got = compare_images(a, b, threshold=4)
    delta = np.abs(a.astype(int) - b.astype(int))
    off = delta.max(axis=2) > 4
    assert got.pixels == off.size
    assert got.different == off.sum() > 0
    assert got.share == off.mean()
    assert got.max_difference == delta.max()
    assert got.mean_absolute_error == pytest.approx(delta.mean())
    assert got.psnr_db == pytest.approx(10 * math.log10(255**2 / (delta**2).mean()))
    tiles = [delta[y : y + 16, x : x + 16].mean() for y in range(0, shape[0], 16) for x in range(0, shape[1], 16)]
    assert got.worst_tile_error == pytest.approx(max(tiles))
    assert (difference_mask(a, b, threshold=4) == np.where(off, 255, 0)).all()


def test_equal_pictures():
    a, _ = noisy(5, 40, 40)
    got = compare_images(a, a.copy())
    assert (got.different, got.max_difference, got.mean_absolute_error) == (0, 0, 0)
    assert got.psnr_db == math.inf
    assert got.ssim == pytest.approx(1, abs=1e-12)


def test_the_threshold_is_what_is_still_equal():
    a = np.full((20, 20, 3), 100, np.uint8)
    b = a.copy()
    b[3, 4, 1] += 2
    b[5, 6, 2] -= 3
    assert compare_images(a, b).different == 1
    assert compare_images(a, b, threshold=1).different == 2
    assert compare_images(a, b, threshold=3).different == 0
    assert difference_mask(a, b)[5, 6] == 255


def test_foreground_is_what_is_unlike_the_most_common_colour():
    a = np.zeros((20, 20, 4), np.uint8)
    a[..., 2] = 30
    a[2:4, 2:7] = (200, 10, 10, 255)
    b = a.copy()
    b[2, 2:5] = 0
    b[10, 10] = 255
    got = compare_images(a, b)
    assert got.foreground == 10
    assert got.foreground_share == 0.3
    assert got.different == 4
    assert compare_images(a[10:], b[10:]).foreground_share == 0


@pytest.mark.parametrize(
    ("a", "b"), [((4, 5, 3), (5, 4, 3)), ((4, 5), (4, 5)), ((4, 5, 1), (4, 5, 1)), ((0, 5, 3),) * 2]
)
def test_what_are_no_two_pictures(a, b):
    with pytest.raises(ValueError, match="RGB"):
        compare_images(np.zeros(a, np.uint8), np.zeros(b, np.uint8))
