"""Quality of pictures and sequences: against scikit-image, by hand, and against the supersampled reference."""

from __future__ import annotations

import json

import numpy as np
import pytest
from handheld_scenes import colored, noise, screen, soup, textured
from PIL import Image

from gpumodel.cli import cli
from replay.handheld.comparison import dxt1, psnr
from replay.handheld.player import supersampled
from replay.quality import vssim
from traceformat.cli.door import run


def sequence(count, height=64, width=80, seed=0, move=0):
    rng = np.random.default_rng(seed)
    base = np.kron(rng.integers(60, 230, (height // 8, width // 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    return [np.roll(base, k * move, axis=1) for k in range(count)]


def test_equal_sequences_are_perfect():
    frames = sequence(3)
    assert vssim(frames, frames).index == pytest.approx(1.0)


def test_windows_are_scikit_images_ssim():
    """Uniform 8x8 windows with unbiased variances: scikit-image's SSIM, sampled where our windows lie."""
    metrics = pytest.importorskip("skimage.metrics")
    from replay.quality import _planes, _window_ssim

    rng = np.random.default_rng(3)
    a = sequence(1)[0]
    b = np.clip(a + rng.normal(0, 14, a.shape), 0, 255).astype(np.uint8)
    for x, y in zip(_planes(a), _planes(b), strict=True):
        # Its filter needs odd windows: 7x7 of the same formula, by our code with the window changed.
        from replay import quality

        old, quality._WINDOW = quality._WINDOW, 7
        try:
            ours = _window_ssim(x, y)
        finally:
            quality._WINDOW = old
        _, full = metrics.structural_similarity(x, y, win_size=7, data_range=255, full=True)
        theirs = full[3:-3, 3:-3][::4, ::4]
        np.testing.assert_allclose(ours, theirs[: ours.shape[0], : ours.shape[1]], atol=1e-9)


def test_psnr_and_ssim_are_scikit_images():
    metrics = pytest.importorskip("skimage.metrics")
    from replay.imagediff import compare_images

    rng = np.random.default_rng(4)
    a = sequence(1)[0]
    b = np.clip(a + rng.normal(0, 9, a.shape), 0, 255).astype(np.uint8)
    found = compare_images(a, b)
    assert found.psnr_db == pytest.approx(metrics.peak_signal_noise_ratio(a, b), abs=1e-9)
    luma = [x @ np.array([0.299, 0.587, 0.114]) for x in (a, b)]
    wanted = metrics.structural_similarity(
        *luma, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255
    )
    assert found.ssim == pytest.approx(wanted, abs=2e-3)


def test_dark_windows_and_fast_frames_count_less():
    light = sequence(2)
    noisy = [np.clip(f.astype(int) + np.random.default_rng(k).normal(0, 20, f.shape), 0, 255).astype(np.uint8)
             for k, f in enumerate(light)]  # fmt: skip
    half = [f.copy() for f in light]
    for f in half:
        f[:, :40] = 5
    broken = [f.copy() for f in half]
    for f, n in zip(broken, noisy, strict=True):
        f[:, :32] = n[:, :32] // 20
    assert vssim(half, broken).index > 0.999, "errors in the dark half alone"


@pytest.mark.parametrize(("motion", "weight"), [(0, 1), (0.8, 1), (0.9, 0.75), (1.1, 0.25), (1.2, 0), (3, 0)])
def test_motion_lowers_the_weight_of_a_frame(monkeypatch, motion, weight):
    """Equation 9: whole up to 0.8, nothing from 1.2 on, a straight line between them."""
    from replay import quality

    monkeypatch.setattr(quality, "_motion", lambda now, following: motion)
    frames = sequence(2)
    found = vssim(frames, frames)
    assert found.weights[0] == pytest.approx(weight * found.weights[1])


def test_fast_pictures_are_found_to_be_fast():
    from replay import quality

    wide = np.random.default_rng(5).integers(60, 230, (64, 250, 3)).astype(np.uint8)
    a, b = (quality._planes(wide[:, at : at + 192])[0] for at in (20, 0))
    # Of the twelve columns of blocks the last two leave the picture.
    assert quality._motion(a, b) > 20 / 16 * 10 / 12
    frames = [wide[:, at : at + 192] for at in (20, 0)]
    assert vssim(frames, frames).weights[0] < 0.5 * vssim(frames, frames).weights[1]


@pytest.mark.parametrize("seed", [0, 1])
def test_motion_is_that_of_a_plain_search(seed):
    from replay import quality

    rng = np.random.default_rng(seed)
    a = rng.integers(0, 255, (32, 48)).astype(np.float64)
    b = np.roll(a, (3, -7), (0, 1)) + rng.integers(-9, 9, a.shape)
    padded = np.pad(b.clip(0, 255), 20, mode="edge")
    total = 0.0
    for top in range(0, 32, 16):
        for left in range(0, 48, 16):
            total += min(
                (
                    np.abs(a[top : top + 16, left : left + 16]
                           - padded[top + 20 + y : top + 36 + y, left + 20 + x : left + 36 + x]).sum(),
                    y * y + x * x,
                )
                for y in range(-20, 21)
                for x in range(-20, 21)
            )[1] ** 0.5  # fmt: skip
    assert quality._motion(a, b) == pytest.approx(total / 6 / 16)


def test_sequences_must_fit():
    with pytest.raises(ValueError, match="frames"):
        vssim(sequence(2), sequence(1))
    with pytest.raises(ValueError, match="sizes"):
        vssim(sequence(1), sequence(1, height=48))


def test_the_reference_is_exact_coverage(tmp_path):
    """16x16 samples of a triangle: its area in each pixel to 1/256."""
    from test_handheld_patterns import exact_coverage

    data = np.array(
        [(-0.8, -0.7, 0, 1, 1, 1, 1, 1), (0.9, -0.2, 0, 1, 1, 1, 1, 1), (-0.1, 0.85, 0, 1, 1, 1, 1, 1)], np.float32
    )
    path = colored(tmp_path / "t.gltrace", data, depth=False)
    ((_, picture),) = list(supersampled(path))
    wanted = exact_coverage(data, 64, 48)
    assert np.abs(picture[..., 1] / 255 - wanted).max() <= 3 / 256


def test_the_reference_needs_no_more_than_its_samples(tmp_path):
    """One sample a pixel is the precise machine; sums over parts of the grid give the same mean."""
    path = colored(tmp_path / "s.gltrace", soup(1, 12))
    ((_, four),) = list(supersampled(path, grid=2))
    from replay.handheld.player import HandheldFrames
    from traceformat.gputrace.accessstream import HandheldMode

    mode = HandheldMode(texture_filter="trilinear", precise=True, sample_grid=2)
    total = np.zeros(four.shape)
    for number in range(4):
        with HandheldFrames(path, mode, samples=range(number, number + 1)) as played:
            total += next(played).picture
    np.testing.assert_array_equal(np.rint(total / 4), four)


def test_better_schemes_are_nearer_to_the_reference(play, tmp_path):
    from replay.imagediff import compare_images

    data = np.concatenate([screen(0.9), soup(2, 14)])
    data[:3, 4:6] *= 9
    path = textured(tmp_path / "q.gltrace", data, noise(64), depth=True)
    ((_, reference),) = list(supersampled(path, grid=8))
    found = {}
    for name, mode in {
        "nearest": {}, "bilinear-average": {"texture_filter": "bilinear-average"},
        "trilinear": {"texture_filter": "trilinear"},
        "flipquad": {"texture_filter": "trilinear", "antialiasing": "flipquad"},
        "rgss": {"texture_filter": "trilinear", "antialiasing": "rgss"},
    }.items():  # fmt: skip
        picture = play(path, **mode).frames[0].picture
        found[name] = compare_images(reference[..., :3], picture[..., :3]).psnr_db
    assert found["nearest"] < found["bilinear-average"] <= found["trilinear"] + 0.5
    assert found["trilinear"] < found["rgss"]


def test_the_command(tmp_path, capsys):
    path = colored(tmp_path / "c.gltrace", soup(6, 15), frames=2)
    assert run(cli, ["run", str(path), "-c", "handheld-2003", "--images", str(tmp_path / "png"),
                     "--set", "screen.width=64", "--set", "screen.height=48"]) == 0  # fmt: skip
    capsys.readouterr()
    arguments = ["quality", str(tmp_path / "png"), str(path), "--reference", "supersampled", "--grid", "2", "--json"]
    assert run(cli, arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert [f["frame"] for f in found["frames"]] == [0, 1]
    assert 10 < found["psnr_db"] < 60
    assert 0.3 < found["vssim"] <= 1
    assert run(cli, ["quality", str(tmp_path / "png"), str(tmp_path / "png")]) == 0
    assert "equal" in capsys.readouterr().out
    assert run(cli, ["quality", str(tmp_path / "none"), str(path)]) == 2
    assert "no such file" in capsys.readouterr().err
    Image.new("RGB", (64, 47)).save(tmp_path / "odd.png")
    assert run(cli, ["quality", str(tmp_path / "odd.png"), str(path)]) == 2
    assert "of one size" in capsys.readouterr().err


def test_s3tc_is_what_it_was_for_flat_blocks():
    flat = np.full((8, 8, 4), 255, np.uint8)
    flat[..., :3] = (136, 68, 204)
    words = flat.view(np.uint32)[..., 0]
    assert psnr(words, dxt1(words)) > 39
    image = np.ascontiguousarray(noise(48, 3)).view(np.uint32)[..., 0]
    assert 25 < psnr(image, dxt1(image)) < 60
