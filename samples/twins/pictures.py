"""Pictures of the twins, RGBA, made by formulas; and how they are uploaded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from samples import font, textures
from samples.gles import GL

__all__ = ["CLEAR", "PICTURES", "mean_colour", "upload"]

Image = NDArray[np.uint8]


def _mixed(tone: NDArray[np.float64], dark: tuple[int, int, int], light: tuple[int, int, int]) -> Image:
    out = np.full((*tone.shape, 4), 255, np.uint8)
    out[..., :3] = np.clip(np.asarray(dark) + tone[..., None] * (np.subtract(light, dark)), 0, 255).astype(np.uint8)
    return out


def _leaves(size: int, seed: int) -> Image:
    out = textures.grass(size, seed)
    y, x = np.mgrid[0:size, 0:size] / size
    out[..., 3] = np.where(textures.fractal(size, seed + 3) + 0.3 * np.sin(9 * x) * np.sin(8 * y) > 0.42, 255, 0)
    return out


def _road(size: int, seed: int) -> Image:
    out = _mixed(textures.fractal(size, seed), (58, 58, 62), (92, 92, 96))
    y, x = np.mgrid[0:size, 0:size] / size
    out[((np.abs(x - 0.5) < 0.015) & (y % 0.5 < 0.3)) | (np.abs(np.abs(x - 0.5) - 0.46) < 0.012)] = (226, 224, 214, 255)
    return out


def _gem(size: int, seed: int) -> Image:
    """Glass sweets, one shape for each seed; white, to be tinted, clear around."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    power = (1.0, 2.0, 4.0, 1.4, 8.0, 2.6)[seed % 6]
    edge = (np.abs(x) ** power + np.abs(y) ** power) ** (1 / power)
    shine = np.exp(-((x + 0.3) ** 2 + (y - 0.35) ** 2) * 9)
    out = _mixed(np.clip(0.55 + 0.35 * (1 - edge) + 0.2 * y + shine, 0, 1), (60, 60, 70), (255, 255, 255))
    out[..., 3] = (np.clip((0.92 - edge) * size / 4, 0, 1) * 255).astype(np.uint8)
    return out


def _smoke(size: int, seed: int) -> Image:
    out = textures.disc(size)
    out[..., 3] = (out[..., 3] * (0.4 + 0.6 * textures.fractal(size, seed))).astype(np.uint8)
    return out


def _panel(size: int, seed: int) -> Image:
    """A button with a light rim and round corners."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    edge = (np.abs(x) ** 6 + np.abs(y) ** 6) ** (1 / 6)
    out = _mixed(0.5 + 0.3 * y + 0.1 * textures.fractal(size, seed), (70, 80, 110), (190, 205, 235))
    out[edge > 0.86, :3] = (236, 240, 250)
    out[..., 3] = (np.clip((0.98 - edge) * size / 4, 0, 1) * 255).astype(np.uint8)
    return out


def _letters(size: int, seed: int) -> Image:
    """The font's atlas, several times as large; ``seed`` has no say."""
    atlas = font.atlas()
    factor = max(size // atlas.shape[1], 1)
    return np.repeat(np.repeat(atlas, factor, 0), factor, 1)


def _house(size: int, seed: int) -> Image:
    """An isometric house with a roof, clear around."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    tone = textures.fractal(size, seed)
    out = np.zeros((size, size, 4), np.uint8)
    left, right = (x < 0) & (y > -0.9 - 0.5 * x - 0.5) & (y < 0.15), (x >= 0) & (y > -0.9 + 0.5 * x - 0.5) & (y < 0.15)
    wall = (np.abs(x) < 0.8) & (y > -0.85 + 0.45 * np.abs(x)) & (y < 0.12 + 0.1 * np.abs(x))
    roof = (np.abs(x) < 0.95) & (y > 0.0 + 0.25 * np.abs(x)) & (y < 0.85 - 0.75 * np.abs(x))
    out[wall & left] = _mixed(tone, (150, 120, 90), (186, 156, 120))[wall & left]
    out[wall & right] = _mixed(tone, (196, 168, 130), (232, 206, 166))[wall & right]
    shade = 0.6 + 0.4 * (np.floor(y * 14) % 2)
    out[roof] = _mixed(tone * shade, (120 + 10 * (seed % 7), 40 + 17 * (seed % 5), 34), (216, 120, 70))[roof]
    return out


PICTURES: Final[dict[str, Callable[[int, int], Image]]] = {
    "bricks": textures.bricks,
    "planks": textures.planks,
    "metal": textures.metal,
    "marble": textures.marble,
    "grass": textures.grass,
    "clouds": textures.clouds,
    "windows": textures.windows,
    "leaves": _leaves,
    "road": _road,
    "gem": _gem,
    "smoke": _smoke,
    "panel": _panel,
    "letters": _letters,
    "house": _house,
    "grain": lambda size, seed: _mixed(textures.fractal(size, seed, 6), (98, 98, 98), (160, 160, 160)),
    "sand": lambda size, seed: _mixed(textures.fractal(size, seed), (196, 164, 112), (236, 212, 164)),
    "snow": lambda size, seed: _mixed(textures.fractal(size, seed), (206, 220, 236), (250, 252, 255)),
    "cloth": lambda size, seed: _mixed(textures.fractal(size, seed, 6), (176, 176, 176), (250, 250, 250)),
    "stars": lambda size, seed: _mixed(
        0.15 * textures.fractal(size, seed) + (np.random.default_rng(seed).random((size, size)) > 0.997),
        (4, 6, 16),
        (235, 240, 255),
    ),
}


#: Pictures with clear parts: a thing that shows one is nothing without it.
CLEAR: Final = frozenset({"leaves", "gem", "smoke", "panel", "letters", "house"})


@cache
def mean_colour(name: str) -> tuple[float, ...]:
    """Mean red, green, blue and alpha of a picture, 0 to 1."""
    return tuple(float(value) for value in _made(name, 64, 0).reshape(-1, 4).mean(axis=0) / 255)


@cache
def _made(name: str, size: int, seed: int) -> Image:
    return PICTURES[name](size, seed)


def upload(name: str, size: int, seed: int, kind: str, filtered: str) -> int:
    """Upload a picture and give the texture's name.

    Parameters
    ----------
    size : of its side, texels
    kind : ``rgba8``, ``rgb8``, ``rgb565`` or ``rgba4``; pictures with clear parts keep theirs
    filtered : ``trilinear``, ``mipmapped`` (the nearest level) or ``plain``
    """
    image = np.ascontiguousarray(_made(name, size, seed))
    height, width = image.shape[:2]
    texture = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
    has_alpha = bool((image[..., 3] < 255).any())
    wide = image.astype(np.uint16)
    if has_alpha and kind in ("rgb8", "rgb565"):
        kind = "rgba8" if kind == "rgb8" else "rgba4"
    if kind == "rgb8":
        form, storage, data = GL.GL_RGB, GL.GL_UNSIGNED_BYTE, np.ascontiguousarray(image[..., :3])
    elif kind == "rgb565":
        form, storage = GL.GL_RGB, GL.GL_UNSIGNED_SHORT_5_6_5
        data = wide[..., 0] >> 3 << 11 | wide[..., 1] >> 2 << 5 | wide[..., 2] >> 3
    elif kind == "rgba4":
        form, storage = GL.GL_RGBA, GL.GL_UNSIGNED_SHORT_4_4_4_4
        data = wide[..., 0] >> 4 << 12 | wide[..., 1] >> 4 << 8 | wide[..., 2] >> 4 << 4 | wide[..., 3] >> 4
    else:
        form, storage, data = GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, image
    GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, form, width, height, 0, form, storage, np.ascontiguousarray(data))
    least = {
        "trilinear": GL.GL_LINEAR_MIPMAP_LINEAR,
        "mipmapped": GL.GL_LINEAR_MIPMAP_NEAREST,
        "plain": GL.GL_LINEAR,
    }[filtered]
    if filtered != "plain":
        GL.glGenerateMipmap(GL.GL_TEXTURE_2D)
    for parameter, value in (
        (GL.GL_TEXTURE_MIN_FILTER, least),
        (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
        (GL.GL_TEXTURE_WRAP_S, GL.GL_REPEAT),
        (GL.GL_TEXTURE_WRAP_T, GL.GL_REPEAT),
    ):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, parameter, value)
    return texture
