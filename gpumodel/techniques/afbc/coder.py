"""Sizes of superblocks: a stand-in for AFBC's coder, which is not public.

A superblock is 16 x 16 pixels of 4 bytes, in 16 sub-blocks of 4 x 4. Colours go through YCoCg-R (lossless), a pixel is
predicted from its left neighbour, the first of a row from the one above; each plane's differences take as many bits as
the widest needs. A sub-block that gets no smaller is kept raw; a superblock of one colour is its header alone.
Ratios are those of this stand-in, not of a product.
Source: container, sub-blocks, raw and solid ones: Mesa's and Linux's documentation of AFBC; coder ASSUMED.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["PIXEL_BYTES", "RAW_BYTES", "SIDE", "superblock_bytes"]

#: Pixels along a superblock and a sub-block.
SIDE: Final = 16
_SUB: Final = 4
PIXEL_BYTES: Final = 4
#: A superblock that is not compressed, and a sub-block.
RAW_BYTES: Final = SIDE * SIDE * PIXEL_BYTES
_RAW_SUB_BYTES: Final = _SUB * _SUB * PIXEL_BYTES
#: The first pixel of a sub-block: Y and alpha in 8 bits, both differences of colour in 9; a width of 4 bits a plane.
_FIRST_BITS: Final = 8 + 9 + 9 + 8 + 4 * 4
_ALIGNMENT_BYTES: Final = 16

#: Bits of a number with its sign, by its size; nothing but zeros takes none.
_WIDTH: Final = np.array([0, *(int(n).bit_length() + 1 for n in range(1, 1024))], np.uint8)


def superblock_bytes(image: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Bytes of payload of each superblock.

    Parameters
    ----------
    image : (height, width, 4) uint8, red, green, blue, alpha; what is missing at its edges repeats the last pixels

    Returns
    -------
    (down, across) int64, multiples of 16, from 0 (one colour) to :data:`RAW_BYTES`
    """
    height, width = image.shape[:2]
    padded = np.pad(image, ((0, -height % SIDE), (0, -width % SIDE), (0, 0)), mode="edge")
    down, across = padded.shape[0] // SIDE, padded.shape[1] // SIDE
    words = np.ascontiguousarray(padded).view("<u4")[..., 0]
    blocks = words.reshape(down, SIDE, across, SIDE).swapaxes(1, 2)
    is_solid = (blocks == blocks[:, :, :1, :1]).all(axis=(2, 3))
    subs = padded.shape[0] // _SUB, padded.shape[1] // _SUB
    bits = np.full(subs, _FIRST_BITS, np.int64)
    for plane in _planes(padded):
        bits += 15 * _widths(plane, *subs)
    sizes = np.minimum(-(-bits // 8), _RAW_SUB_BYTES)
    payload = sizes.reshape(down, SIDE // _SUB, across, SIDE // _SUB).sum(axis=(1, 3))
    payload = -(-payload // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
    payload[is_solid] = 0
    return np.asarray(payload, np.int64)


def _planes(image: NDArray[np.uint8]) -> list[NDArray[Any]]:
    """Y, both differences of colour, and alpha: YCoCg-R."""
    red, green, blue, alpha = (image[..., k].astype(np.int16) for k in range(4))
    orange = red - blue
    middle = blue + (orange >> 1)
    rest = green - middle
    return [middle + (rest >> 1), orange, rest, alpha]


def _widths(plane: NDArray[Any], down: int, across: int) -> NDArray[np.int64]:
    """Bits that the differences of a plane take in each sub-block: those of the widest."""
    blocks = plane.reshape(down, _SUB, across, _SUB)
    left = blocks[..., 1:] - blocks[..., :-1]
    above = blocks[:, 1:, :, 0] - blocks[:, :-1, :, 0]
    largest = np.maximum(np.abs(left).max(axis=(1, 3)), np.abs(above).max(axis=1))
    return np.asarray(_WIDTH[largest], np.int64)
