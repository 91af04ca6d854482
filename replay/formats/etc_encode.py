"""Encodes ETC2 blocks, for what a trace would cost with a compressed texture.

Colours are in individual mode, the better of both halvings; alpha is in EAC. Encoders of products do better: what the
picture loses here is more than it has to lose, what the memory saves is the same.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.formats.etc import EAC_MODIFIERS, INTENSITIES, PIXEL

__all__ = ["encode_image"]

Ints = NDArray[np.int64]

#: Modifiers of each table by two-bit index.
_MODIFIERS: Final = np.stack([INTENSITIES[:, 0], INTENSITIES[:, 1], -INTENSITIES[:, 0], -INTENSITIES[:, 1]], axis=1)
#: Blocks at a time: bounds the memory that trying all tables takes.
_CHUNK: Final = 1 << 14


def encode_image(texels: NDArray[np.uint8], *, alpha: bool) -> bytes:
    """Encode an image; blocks at the edges repeat the last texels.

    Parameters
    ----------
    texels : (height, width, 4) uint8 RGBA
    alpha : ETC2 RGB with EAC alpha, 16 bytes a block, in the place of ETC2 RGB, 8 bytes
    """
    height, width = texels.shape[:2]
    down, across = -(-height // 4), -(-width // 4)
    padded = np.pad(texels, ((0, 4 * down - height), (0, 4 * across - width), (0, 0)), "edge")
    blocks = padded.reshape(down, 4, across, 4, 4).swapaxes(1, 2).reshape(-1, 4, 4, 4)
    return b"".join(_encode(blocks[k : k + _CHUNK], alpha=alpha).tobytes() for k in range(0, len(blocks), _CHUNK))


def _encode(blocks: NDArray[np.uint8], *, alpha: bool) -> NDArray[np.uint8]:
    colors = _encode_rgb(blocks[..., :3].astype(np.int64))
    return np.concatenate([_encode_alpha(blocks[..., 3].astype(np.int64)), colors], axis=1) if alpha else colors


def _encode_rgb(colors: Ints) -> NDArray[np.uint8]:
    """(n, 4, 4, 3) to (n, 8)."""
    upright, upright_error = _halved(colors, flip=False)
    flat, flat_error = _halved(colors, flip=True)
    return np.where((flat_error < upright_error)[:, None], flat, upright)


def _halved(colors: Ints, *, flip: bool) -> tuple[NDArray[np.uint8], Ints]:
    """Blocks of two halves, side by side or (``flip``) one above the other, and their squared errors."""
    rows = colors.swapaxes(1, 2) if flip else colors
    halves = np.stack([rows[:, :, :2], rows[:, :, 2:]], axis=1).reshape(-1, 2, 8, 3)
    base = np.clip(np.rint(halves.mean(axis=2) / 17), 0, 15).astype(np.int64)
    # A modifier moves all channels alike: what is left of the mean decides.
    off = (halves - base[:, :, None] * 17).mean(axis=-1)
    best, index = np.full(off.shape[:2], np.inf), np.zeros(off.shape, np.int64)
    table = np.zeros(off.shape[:2], np.int64)
    for number, modifiers in enumerate(_MODIFIERS):
        distance = (off[..., None] - modifiers) ** 2
        nearest = distance.argmin(axis=-1)
        error = distance.min(axis=-1).sum(axis=-1)
        better = error < best
        best, table = np.where(better, error, best), np.where(better, number, table)
        index = np.where(better[..., None], nearest, index)
    chosen = index.reshape(-1, 2, 4, 2)
    texels = np.concatenate([chosen[:, 0], chosen[:, 1]], axis=-1)
    texels = (texels.swapaxes(1, 2) if flip else texels).reshape(-1, 16)
    shown = halves - base[:, :, None] * 17 - _MODIFIERS[table[..., None], index][..., None]
    out = np.empty((len(colors), 8), np.uint8)
    out[:, :3] = base[:, 0] << 4 | base[:, 1]
    out[:, 3] = table[:, 0] << 5 | table[:, 1] << 2 | flip
    for first, bit in ((4, 1), (6, 0)):
        word = ((texels >> bit & 1) << PIXEL).sum(axis=1)
        out[:, first], out[:, first + 1] = word >> 8, word & 255
    return out, (shown**2).sum(axis=(1, 2, 3))


def _encode_alpha(alpha: Ints) -> NDArray[np.uint8]:
    """(n, 4, 4) to (n, 8)."""
    flat = alpha.reshape(-1, 16)
    low, high = flat.min(axis=1), flat.max(axis=1)
    base = (low + high + 1) // 2
    best = np.full(len(flat), np.iinfo(np.int64).max)
    choice: dict[str, Any] = {name: np.zeros(len(flat), np.int64) for name in ("table", "multiplier")}
    index = np.zeros(flat.shape, np.int64)
    for number, modifiers in enumerate(EAC_MODIFIERS.astype(np.int64)):
        reach = int(modifiers.max() - modifiers.min())
        multiplier = np.where(high > low, np.clip(-(-(high - low) // reach), 1, 15), 0)
        values = np.clip(base[:, None] + multiplier[:, None] * modifiers, 0, 255)
        distance = (flat[:, :, None] - values[:, None, :]) ** 2
        error = distance.min(axis=-1).sum(axis=-1)
        better = error < best
        best = np.where(better, error, best)
        choice["table"] = np.where(better, number, choice["table"])
        choice["multiplier"] = np.where(better, multiplier, choice["multiplier"])
        index = np.where(better[:, None], distance.argmin(axis=-1), index)
    word = (index << 45 - 3 * PIXEL).sum(axis=1)
    out = np.empty((len(flat), 8), np.uint8)
    out[:, 0], out[:, 1] = base, choice["multiplier"] << 4 | choice["table"]
    for byte in range(6):
        out[:, 2 + byte] = word >> 40 - 8 * byte & 255
    return out
