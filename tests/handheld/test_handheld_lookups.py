"""Closed forms of §3 and §4.2: accesses of a look-up, from addresses, by enumeration and over random positions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from handheld_scenes import noise, quad, textured

from replay.glsl.texturing import Dimension, Lookup, LookupKind, TextureOperands
from traceformat.gputrace.accessstream import AccessKind, HandheldMode

SIZE = 96
MODES = {
    "nearest": ({"texture_filter": "nearest"}, Fraction(1)),
    "bilinear": ({"texture_filter": "bilinear"}, Fraction(3)),
    "trilinear": ({"texture_filter": "trilinear"}, Fraction(6)),
    "bilinear-average": ({"texture_filter": "bilinear-average"}, Fraction(3)),
    "compressed": ({"texture_filter": "bilinear-average", "compression": True}, Fraction(2)),
    "overlapping": ({"texture_filter": "bilinear-average", "compression": True, "overlap": True}, Fraction(4, 3)),
}


class Sampler:
    """The machine's look-ups through the NumPy executor: positions and level of detail in, words and colours out."""

    def __init__(self, size=SIZE, wrap=None, image=None, **mode):
        from replay.handheld.targets import MemoryPlaces
        from replay.handheld.textures import HandheldTextures
        from replay.texture.binding import Rules
        from replay.texture.reference import SamplerReference
        from replay.texture.storage import TextureMemory
        from traceformat.gles import enums as gl
        from traceformat.gles.backend import Pixels
        from traceformat.gles.objects import Image, Texture

        memory = TextureMemory()
        texture = Texture(1, 1, gl.GL_TEXTURE_2D)
        self.image = noise(size) if image is None else image
        height, width = self.image.shape[:2]
        for level in range(max(width, height).bit_length()):
            w, h = max(width >> level, 1), max(height >> level, 1)
            small = self.image[:: 1 << level, :: 1 << level][:h, :w]
            described = Image(w, h, 1, gl.GL_RGBA8)
            texture.images[0, level] = described
            pixels = Pixels(gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, np.ascontiguousarray(small).tobytes())
            memory.define_image(texture, 0, level, described, pixels)
        texture.sampling.min_filter, texture.sampling.mag_filter = gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_LINEAR
        if wrap is not None:
            texture.sampling.wrap_s = texture.sampling.wrap_t = wrap
        textures = HandheldTextures(memory, HandheldMode(**mode), MemoryPlaces(), 0.0)
        self.binding = textures.bind(texture, texture.sampling, Rules())
        self._reference = SamplerReference([self.binding])
        self.size = (width, height)

    def __call__(self, x, y, detail):
        """Look up at positions in texels of level 0; words (taps, n), colours (n, 4)."""
        lanes = -(-len(x) // 4) * 4
        u, v, lod = np.zeros((3, lanes), np.float32)
        u[: len(x)], v[: len(x)] = np.asarray(x) / self.size[0], np.asarray(y) / self.size[1]
        lod[:] = detail
        live = np.ones(lanes, bool)
        lookup = Lookup(0, 0, LookupKind.LOD, Dimension.D2)
        found = self._reference.lookup(lookup, TextureOperands((u, v), live, live, lod=lod), record=True)
        return found.lines[:, : len(x)], np.stack(found.rgba, 1)[: len(x)]


def accesses(words):
    """Distinct words of each look-up."""
    ordered = np.sort(words.astype(np.int64), axis=0)
    real = ordered != 0xFFFFFFFF
    return (np.diff(ordered, axis=0, prepend=-1) != 0).__and__(real).sum(0)


@pytest.mark.parametrize("name", MODES)
def test_by_enumeration(name):
    """Every 2x2 neighbourhood of the texture once; trilinear: every pair of neighbourhoods is independent."""
    mode, expected = MODES[name]
    sampler = Sampler(**mode)
    y, x = (v.ravel() for v in np.mgrid[0:SIZE, 0:SIZE])
    minified = 0.5 if name != "trilinear" else 0.25
    counts = accesses(sampler(x + 1.0, y + 1.0, minified)[0])
    if name == "trilinear":
        # Both levels from one position: 3 each on average.
        near = accesses(Sampler(texture_filter="bilinear")(x + 1.0, y + 1.0, 0.0)[0])
        assert Fraction(int(near.sum()), len(x)) == 3
        assert abs(counts.mean() - 6) < 0.07
        return
    assert Fraction(int(counts.sum()), len(x)) == expected


@pytest.mark.parametrize("name", MODES)
def test_at_random_positions(name):
    mode, expected = MODES[name]
    rng = np.random.default_rng(8)
    x, y = rng.uniform(0, SIZE, (2, 40_000))
    counts = accesses(Sampler(**mode)(x, y, 0.4)[0])
    error = 4 * counts.std() / np.sqrt(len(counts))
    assert abs(counts.mean() - float(expected)) <= error


def test_a_third_a_half_and_a_sixth():
    """§4.2: one block in 1/3 of the cases, two in 1/2, four in 1/6; overlapping: one in 2/3, two in 1/3."""
    y, x = (v.ravel() for v in np.mgrid[0:SIZE, 0:SIZE])
    total = len(x)
    counts = np.bincount(accesses(Sampler(**MODES["compressed"][0])(x + 1.0, y + 1.0, 0.5)[0]), minlength=5)
    assert [Fraction(int(n), total) for n in counts] == [0, Fraction(1, 3), Fraction(1, 2), 0, Fraction(1, 6)]
    counts = np.bincount(accesses(Sampler(**MODES["overlapping"][0])(x + 1.0, y + 1.0, 0.5)[0]), minlength=5)
    assert [Fraction(int(n), total) for n in counts] == [0, Fraction(2, 3), Fraction(1, 3), 0, 0]


def test_magnification_does_not_overlap():
    """ "the redundant blocks are not used during magnification, and two memory accesses are thus required"."""
    y, x = (v.ravel() for v in np.mgrid[0:SIZE, 0:SIZE])
    counts = accesses(Sampler(**MODES["overlapping"][0])(x + 1.0, y + 1.0, -0.5)[0])
    assert Fraction(int(counts.sum()), len(x)) == 2


def test_bilinear_average_is_the_mix_it_says():
    """Bilinear at a whole level, the average of the four texels just before the next one, a blend between."""
    sampler = Sampler(texture_filter="bilinear-average")
    rng = np.random.default_rng(2)
    # Away from the border between neighbourhoods, which positions of eight bits may lie on either side of.
    x, y = rng.integers(1, SIZE - 2, (2, 500)) + 0.5 + rng.uniform(0.05, 0.95, (2, 500))
    bilinear = Sampler(texture_filter="bilinear")
    np.testing.assert_array_equal(sampler(x, y, 0.0)[1], bilinear(x, y, 0.0)[1])
    cx, cy = np.floor(x - 0.5) + 1.0, np.floor(y - 0.5) + 1.0
    average = bilinear(cx, cy, 0.0)[1]
    assert np.abs(sampler(x, y, 0.999)[1] - average).max() < 3 / 255
    half = 0.5 * (bilinear(x, y, 0.0)[1] + average)
    assert np.abs(sampler(x, y, 0.5)[1] - half).max() < 3 / 255
    # One level up it begins again.
    np.testing.assert_array_equal(sampler(x, y, 1.0)[1], bilinear(x, y, 1.0)[1])


def test_overlapping_reads_the_block_that_holds_both_rows():
    from replay.handheld.textures import compressed

    mode = HandheldMode(texture_filter="bilinear-average", compression=True, overlap=True)
    sampler = Sampler(size=24, texture_filter="bilinear-average", compression=True, overlap=True)
    words = np.ascontiguousarray(sampler.image).view(np.uint32)[..., 0]
    first, second, _ = compressed(words, mode)
    octets = [a.view(np.uint8).reshape(24, 24, 4) / 255 for a in (first, second)]
    for y in range(23):
        # In the middle of four texels with equal weights: the average, at any level below 1.
        colour = sampler(np.array([5.0]), np.array([y + 1.0]), 0.01)[1][0]
        wanted = octets[y % 2][y : y + 2, 4:6].mean((0, 1))
        assert np.abs(colour - wanted).max() < 2 / 255


@pytest.mark.parametrize("wrap", ["GL_REPEAT", "GL_CLAMP_TO_EDGE", "GL_MIRRORED_REPEAT"])
@pytest.mark.parametrize("size", [(5, 7), (6, 6), (1, 4), (33, 20)])
def test_any_size_and_wrap_mode_stays_inside(wrap, size):
    from traceformat.gles import enums as gl

    rng = np.random.default_rng(1)
    image = np.full((size[1], size[0], 4), 255, np.uint8)
    image[..., :3] = rng.integers(0, 256, (size[1], size[0], 3))
    sampler = Sampler(image=image, wrap=getattr(gl, wrap), **MODES["overlapping"][0])
    x, y = rng.uniform(-3 * 40, 3 * 40, (2, 2000))
    for detail in (-1.0, 0.3, 0.9, 1.5, 9.0):
        words, colors = sampler(x, y, detail)
        real = words[words != 0xFFFFFFFF]
        assert real.max() * 4 < 4 * 4 * image.size
        assert np.isfinite(colors).all()
        assert (colors[:, 3] == 1).all(), "both representations hold what is looked up"


def test_equation_5(play, tmp_path):
    """Depth complexity 4 in random order, trilinear, two values a word: 4 accesses a fragment."""
    from gpumodel.handheld.evaluate import KIND_NAMES

    rng = np.random.default_rng(5)
    totals, fragments, passed = 0.0, 0, 0
    for trial in range(6):
        layers = [quad(-1, -1, 1, 1, z, 1.7, 2.1) for z in rng.permutation([-0.6, -0.2, 0.2, 0.6])]
        run = play(textured(tmp_path / f"{trial}.gltrace", np.concatenate(layers), noise(128), depth=True),
                   texture_filter="trilinear")  # fmt: skip
        totals += sum(run.values[k] / (1 if k == AccessKind.TEXTURE else 2) for k in KIND_NAMES)
        fragments += run.total("fragments.rasterized")
        passed += run.total("fragments.written")
    beta = passed / fragments
    # o(4) / 4 = 0.52 for random order; the orders drawn here give what they give, and the equation holds for it.
    assert 0.3 < beta < 0.8
    assert totals / fragments == pytest.approx(0.5 + beta * (0.5 + 0.5 + 6), rel=0.03)


def test_equation_5_over_all_orders(play, tmp_path):
    """All 24 orders of four layers: o(4) = 25/12, beta = 25/48, and 0.5 + 25/48 x 7 = 4.15 a fragment (paper: 4)."""
    from itertools import permutations

    orders = list(permutations((-0.6, -0.2, 0.2, 0.6)))
    # Four layers a strip of the screen, each strip in an order of its own.
    data = []
    for layer in range(4):
        for number, order in enumerate(orders):
            x0, x1 = -1 + number / 12, -1 + (number + 1) / 12
            data.append(quad(x0, -1, x1, 1, order[layer], 0.4, 9.0))
    size = (192, 96)
    run = play(textured(tmp_path / "all.gltrace", np.concatenate(data), noise(128), size, depth=True),
               texture_filter="trilinear")  # fmt: skip
    fragments, passed = run.total("fragments.rasterized"), run.total("fragments.written")
    assert Fraction(passed, fragments) == Fraction(25, 48)
    per_lookup = run.values[AccessKind.TEXTURE] / passed
    assert per_lookup == pytest.approx(6, rel=0.02)
    sixteen = run.values[AccessKind.Z_READ] + run.values[AccessKind.Z_WRITE] + run.values[AccessKind.COLOR_WRITE]
    assert sixteen / 2 / fragments == pytest.approx(0.5 + 25 / 48, abs=1e-9)
