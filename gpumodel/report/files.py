"""Output files: written beside their target and renamed when whole."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from traceformat.container import PartFile
from traceformat.errors import UsageError

__all__ = ["make_folder", "picture_png", "write_file"]


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file whole or not at all; raises UsageError where it cannot be written."""
    part = PartFile(path)
    try:
        part.stream.write(content.encode() if isinstance(content, str) else content)
        part.finish()
    except OSError as error:
        part.discard()
        raise UsageError(f"{path}: cannot write: {error.strerror}") from None
    except BaseException:
        part.discard()
        raise


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder with its parents; raises UsageError where that fails."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot make the folder: {error.strerror}") from None
    return folder


def picture_png(picture: NDArray[np.uint8]) -> bytes:
    """PNG of a (height, width, 4) RGBA picture whose row 0 is at the bottom; alpha is left out, as a screen does."""
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    Image.fromarray(np.ascontiguousarray(picture[::-1, :, :3])).save(stream, "PNG")
    return stream.getvalue()
