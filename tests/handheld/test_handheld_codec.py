"""POOMA's blocks: every decoder value, bounded error, and a compressor that beats picking extremes."""

from __future__ import annotations

import numpy as np
import pytest
from handheld_scenes import noise

from replay.handheld.kernels.pooma import decode_blocks, diffuse, encode_blocks
from replay.handheld.textures import compressed
from traceformat.gputrace.accessstream import HandheldMode

#: The paper's table, entry 9 as its pattern gives it (the print has "bba" there and at 12).
_ROWS = (
    "aaa aab aac aba abb abc aca acb acc",
    "baa bab bac bba bbb bbc bca bcb bcc",
    "caa cab cac cba cbb cbc cca ccb ccc",
)
TABLE = [value for row in _ROWS for value in row.split()]


def words(image):
    return np.ascontiguousarray(image).view(np.uint32)[..., 0].copy()


def expand(color):
    r, g, b = color & 15, color >> 4 & 15, color >> 8 & 7
    return np.array([r * 17, g * 17, b << 5 | b << 2 | b >> 1])


def psnr(a, b):
    rgb = [np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, 4)[..., :3].astype(float) for x in (a, b)]
    return 10 * np.log10(255**2 / max(((rgb[0] - rgb[1]) ** 2).mean(), 1e-9))


def test_the_table():
    assert len(TABLE) == 27
    assert len(set(TABLE)) == 27
    a, b = 0x7FF & 0x123, 0x7FF & 0x6C4
    colors = {"a": expand(a), "b": expand(b), "c": (expand(a) + expand(b)) >> 1}
    for low in range(32):
        for high in range(32):
            blocks = np.array([[a | b << 11 | low << 22 | high << 27]], np.uint32)
            image = np.zeros((2, 3), np.uint32)
            decode_blocks(blocks, 0, image)
            octets = image.view(np.uint8).reshape(2, 3, 4)
            for row, value in enumerate((low, high)):
                for texel, letter in enumerate(TABLE[min(value, 26)]):
                    assert (octets[row, texel, :3] == colors[letter]).all(), (low, high)
            assert (octets[..., 3] == 255).all()


def test_the_papers_example():
    """ "if a texel mapping value of 18 is stored, the three texels should be c, a, a"."""
    assert TABLE[18] == "caa"
    assert TABLE[9] == "baa"


def test_every_reference_colour():
    a = np.arange(2048)
    blocks = (a | (2047 - a) << 11).astype(np.uint32)[None]
    image = np.zeros((2, 3 * 2048), np.uint32)
    decode_blocks(blocks, 0, image)
    found = image.view(np.uint8).reshape(2, 2048, 3, 4)[0, :, 0, :3]
    assert (found == np.array([expand(v) for v in a])).all()


@pytest.mark.parametrize("first_row", [0, 1])
def test_decoded_blocks_encode_to_the_same_picture(first_row):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2048, (2, 8, 9))
    maps = rng.integers(0, 27, (2, 8, 9))
    blocks = (a | b << 11 | maps[0] << 22 | maps[1] << 27).astype(np.uint32)
    image = np.zeros((16, 27), np.uint32)
    decode_blocks(blocks, first_row, image)
    again, back = np.zeros_like(blocks), np.zeros_like(image)
    encode_blocks(image, first_row, True, again)
    decode_blocks(again, first_row, back)
    assert psnr(image, back) > 45, "at most steps of a mean"


def test_one_colour_is_off_by_half_a_step_at_most():
    rng = np.random.default_rng(1)
    for color in rng.integers(0, 256, (60, 3)):
        image = np.full((2, 3, 4), 255, np.uint8)
        image[..., :3] = color
        blocks, back = np.zeros((1, 1), np.uint32), np.zeros((2, 3), np.uint32)
        encode_blocks(words(image), 0, True, blocks)
        decode_blocks(blocks, 0, back)
        error = np.abs(back.view(np.uint8).reshape(2, 3, 4)[..., :3].astype(int) - color).max(axis=(0, 1))
        assert (error <= (9, 9, 19)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dither", [False, True])
def test_the_search_is_never_worse_than_extremes(seed, dither):
    image = words(noise(64, seed))
    found = {}
    for compressor in ("extremes", "search"):
        first, second, _ = compressed(image, HandheldMode(compressor=compressor, dither=dither))
        found[compressor] = psnr(image, first), psnr(image, second)
    assert all(s >= e for s, e in zip(found["search"], found["extremes"], strict=True)), found
    if not dither:
        assert found["search"][0] > found["extremes"][0] + 0.3


def test_the_search_is_no_worse_in_any_block():
    image = words(noise(48, 9))
    blocks = {}
    for search in (False, True):
        packed, back = np.zeros((24, 16), np.uint32), np.zeros((48, 48), np.uint32)
        encode_blocks(image, 0, search, packed)
        decode_blocks(packed, 0, back)
        rgb = [x.view(np.uint8).reshape(48, 48, 4)[..., :3].astype(int) for x in (image, back)]
        blocks[search] = ((rgb[0] - rgb[1]) ** 2).sum(2).reshape(24, 2, 16, 3).sum((1, 3))
    assert (blocks[True] <= blocks[False]).all()
    assert (blocks[True] < blocks[False]).any()


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 7), (6, 4), (1, 8), (8, 1), (3, 2)])
def test_odd_sizes_wrap_around(size):
    """The second representation holds rows (1, 2), (3, 4) ... and, of even heights, the last with the first."""
    height, width = size
    rng = np.random.default_rng(4)
    image = words(
        np.dstack([rng.integers(0, 256, (height, width, 3)), np.full((height, width, 1), 255)]).astype(np.uint8)
    )
    first, second, blocks = compressed(image, HandheldMode(dither=False))
    assert blocks[0].shape == (-(-height // 2), -(-width // 3))
    assert blocks[1].shape == (height // 2, -(-width // 3))
    assert (first >> 24 == 255).all()
    covered = {(1 + 2 * k + line) % height for k in range(height // 2) for line in (0, 1)} if height > 1 else set()
    assert all(((second[row] >> 24 == 255).all()) == (row in covered) for row in range(height))


def test_dithering_gives_4_4_3_and_keeps_the_mean():
    ramp = np.zeros((32, 48, 4), np.uint8)
    ramp[..., 0] = np.linspace(40, 90, 48)
    ramp[..., 2] = np.linspace(10, 200, 48)
    ramp[..., 3] = 255
    out = np.zeros((32, 48), np.uint32)
    diffuse(words(ramp), out)
    octets = out.view(np.uint8).reshape(32, 48, 4)
    levels = {int(expand(v << 8)[2]) for v in range(8)}
    assert set(np.unique(octets[..., 2]).tolist()) <= levels
    assert set(np.unique(octets[..., 0] % 17)) == {0}
    assert abs(octets[..., 2].mean() - ramp[..., 2].mean()) < 1.5
    assert abs(octets[..., 0].mean() - ramp[..., 0].mean()) < 1.0
