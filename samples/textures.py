"""Procedural textures for the samples, ``(size, size, 4)`` uint8 RGBA, tileable, row 0 at the bottom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["bricks", "clouds", "disc", "grass", "marble", "metal", "normals", "planks", "windows"]

Image = NDArray[np.uint8]
Field = NDArray[np.float64]


def _noise(size: int, cells: int, seed: int) -> Field:
    """Smooth tileable value noise in 0..1 with ``cells`` lattice cells a side."""
    lattice = np.random.default_rng(seed).random((cells, cells))
    at = np.arange(size) * cells / size
    low = at.astype(int)
    share = at - low
    share = share * share * (3 - 2 * share)
    high = (low + 1) % cells
    rows = lattice[low] * (1 - share)[:, None] + lattice[high] * share[:, None]
    mixed: Field = rows[:, low] * (1 - share) + rows[:, high] * share
    return mixed


def fractal(size: int, seed: int, octaves: int = 5) -> Field:
    """Sum of noise octaves, in 0..1."""
    total = np.zeros((size, size))
    for octave in range(octaves):
        total += _noise(size, 4 << octave, seed + octave) / (1 << octave)
    return (total - total.min()) / (total.max() - total.min())


def _colour(value: Field, dark: tuple[int, int, int], light: tuple[int, int, int]) -> Image:
    mixed = np.asarray(dark) + value[..., None] * (np.asarray(light) - np.asarray(dark))
    out = np.full((*value.shape, 4), 255, np.uint8)
    out[..., :3] = np.clip(mixed, 0, 255).astype(np.uint8)
    return out


def bricks(size: int = 256, seed: int = 1) -> Image:
    """Red bricks in mortar."""
    y, x = np.mgrid[0:size, 0:size]
    height, width = size // 8, size // 4
    row = y // height
    column = (x + (row % 2) * width // 2) // width % 4
    tone = np.random.default_rng(seed).random((8, 4))[row, column] * 0.5 + fractal(size, seed) * 0.5
    out = _colour(tone, (110, 40, 30), (190, 90, 70))
    mortar = (y % height < size // 64) | ((x + (row % 2) * width // 2) % width < size // 64)
    out[mortar] = _colour(fractal(size, seed + 9), (140, 135, 125), (185, 180, 170))[mortar]
    return out


def planks(size: int = 256, seed: int = 2) -> Image:
    """Wooden boards with a frame."""
    y, x = np.mgrid[0:size, 0:size] / size
    grain = 0.5 + 0.5 * np.sin(70 * y + 4 * fractal(size, seed, 2) + 3 * np.floor(y * 5))
    tone = 0.7 * grain + 0.3 * fractal(size, seed + 5)
    tone *= np.where((y * 5) % 1 < 0.06, 0.3, 1.0)
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y)) < 0.07
    return _colour(np.where(edge, tone * 0.6, tone), (70, 42, 20), (205, 150, 95))


def metal(size: int = 256, seed: int = 3) -> Image:
    """Brushed plates with rivets."""
    y, x = np.mgrid[0:size, 0:size] / size
    tone = 0.55 + 0.25 * (_noise(size, size // 2, seed).mean(axis=1)[:, None] - 0.5) + 0.2 * fractal(size, seed)
    seam = np.minimum((x * 2) % 1, (y * 2) % 1) < 0.03
    rivet = ((x * 8) % 1 - 0.5) ** 2 + ((y * 8) % 1 - 0.5) ** 2 < 0.03
    tone = np.where(seam, tone * 0.4, tone) + np.where(rivet, 0.2, 0.0)
    return _colour(tone, (40, 46, 56), (190, 198, 210))


def marble(size: int = 256, seed: int = 4) -> Image:
    """White stone with dark veins."""
    y, x = np.mgrid[0:size, 0:size] / size
    vein = np.abs(np.sin(2 * np.pi * (x + y) + 5 * fractal(size, seed)))
    return _colour(vein**0.5, (60, 62, 74), (238, 236, 228))


def grass(size: int = 256, seed: int = 5) -> Image:
    """Meadow."""
    tone = 0.6 * fractal(size, seed, 6) + 0.4 * _noise(size, size // 2, seed + 8)
    return _colour(tone, (30, 62, 18), (120, 170, 62))


def clouds(size: int = 256, seed: int = 6) -> Image:
    """Sky with clouds."""
    return _colour(np.clip(fractal(size, seed) * 1.8 - 0.6, 0, 1), (78, 130, 200), (250, 250, 252))


def windows(size: int = 256, seed: int = 7) -> Image:
    """House front: rows of windows, some of them lit."""
    y, x = np.mgrid[0:size, 0:size]
    cell = size // 8
    lit = np.random.default_rng(seed).random((8, 8))[y // cell, x // cell]
    inside = (x % cell > cell // 5) & (x % cell < cell * 4 // 5) & (y % cell > cell // 4) & (y % cell < cell * 9 // 10)
    out = _colour(fractal(size, seed), (98, 96, 100), (140, 136, 134))
    out[inside] = (44, 58, 76, 255)
    out[inside & (lit > 0.6)] = (250, 226, 150, 255)
    return out


def disc(size: int = 64) -> Image:
    """White spot that fades to transparent at the rim."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    out = np.full((size, size, 4), 255, np.uint8)
    out[..., 3] = (np.clip(1 - np.hypot(x, y), 0, 1) ** 1.5 * 255).astype(np.uint8)
    return out


def normals(height: Field, strength: float = 3.0) -> Image:
    """Tangent-space normal map of a tileable height field."""
    dx = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) * strength
    dy = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) * strength
    vector = np.stack([-dx, -dy, np.ones_like(dx)], axis=2)
    vector /= np.linalg.norm(vector, axis=2, keepdims=True)
    out = np.full((*height.shape, 4), 255, np.uint8)
    out[..., :3] = ((vector * 0.5 + 0.5) * 255).astype(np.uint8)
    return out
