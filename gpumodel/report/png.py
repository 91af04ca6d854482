"""Pictures as PNG."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["picture_png", "png"]


def png(pixels: NDArray[np.uint8]) -> bytes:
    """PNG of (height, width) grey or (height, width, 3 or 4) colours, the top row first."""
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(stream, "PNG")
    return stream.getvalue()


def picture_png(picture: NDArray[np.uint8]) -> bytes:
    """PNG of a (height, width, 4) RGBA picture whose row 0 is at the bottom; alpha is left out, as a screen does."""
    return png(picture[::-1, :, :3])
