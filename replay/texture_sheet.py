"""All images of a texture in one picture: a row a level, a column a face or layer, with a name above each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay.extraction import TexturePicture

__all__ = ["texture_sheet"]

_FACES: Final = ("+x", "-x", "+y", "-y", "+z", "-z")
#: Pixels around an image, height of its name, and side of a check behind what is transparent.
_MARGIN, _NAME, _CHECK = 8, 14, 8
#: Narrowest column: names have to fit.
_LEAST: Final = 72
_PAPER, _INK, _CHECKS = 40, 230, (102, 153)
#: Sides above which a sheet is shown at half size, a quarter ...
_LARGEST: Final = 8192


def texture_sheet(images: Sequence[TexturePicture]) -> NDArray[np.uint8]:
    """Put a texture's images side by side; what is transparent lets a chequered ground through.

    Parameters
    ----------
    images : of one texture, at least one

    Returns
    -------
    (height, width, 3) RGB, the top row first
    """
    from PIL import Image, ImageDraw

    levels = sorted({one.level for one in images})
    columns = sorted({(one.face, one.layer) for one in images})
    is_cube = any(one.face for one in images)
    factor = 1
    while (max(one.pixels.shape[0] for one in images) * len(levels)) // factor > _LARGEST or (
        max(one.pixels.shape[1] for one in images) * len(columns)
    ) // factor > _LARGEST:
        factor *= 2
    sizes = {(one.level, one.face, one.layer): one.pixels[::factor, ::factor].shape[:2] for one in images}
    heights = [max(size[0] for key, size in sizes.items() if key[0] == level) for level in levels]
    widths = [max(_LEAST, *(size[1] for key, size in sizes.items() if key[1:] == column)) for column in columns]
    sheet = Image.new(
        "RGB",
        (sum(widths) + _MARGIN * (len(widths) + 1), sum(heights) + (_NAME + 2 * _MARGIN) * len(heights)),
        (_PAPER,) * 3,
    )
    draw = ImageDraw.Draw(sheet)
    tops = [sum(heights[:k]) + (_NAME + 2 * _MARGIN) * k for k in range(len(heights))]
    lefts = [_MARGIN + sum(widths[:k]) + _MARGIN * k for k in range(len(widths))]
    for one in images:
        top, left = tops[levels.index(one.level)], lefts[columns.index((one.face, one.layer))]
        name = f"level {one.level}" + (f" {_FACES[one.face]}" if is_cube else "")
        name += f" layer {one.layer}" if one.layer else ""
        draw.text((left, top + 2), name, (_INK,) * 3)
        sheet.paste(Image.fromarray(_on_checks(one.pixels[::-factor, ::factor])), (left, top + _NAME + _MARGIN))
    return np.asarray(sheet)


def _on_checks(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """RGBA over a chequered ground."""
    height, width = pixels.shape[:2]
    y, x = np.mgrid[:height, :width] // _CHECK
    ground = np.where((x + y) % 2, _CHECKS[0], _CHECKS[1])[..., None]
    alpha = pixels[..., 3:].astype(np.uint16)
    return np.asarray((pixels[..., :3] * alpha + ground * (255 - alpha) + 127) // 255, np.uint8)
