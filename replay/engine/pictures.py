"""Attachments as pictures that can be looked at."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.columns import PixelMemory
from replay.engine.targets import Surface, Targets
from replay.engine.transfer import read_block
from replay.formats import Storage
from traceformat.gputrace.frametrace import MAX_COLOR_ATTACHMENTS

__all__ = ["ATTACHMENTS", "READ", "attachment_picture", "first_color", "first_color_picture", "is_plain"]

#: What glReadPixels reads.
READ: Final = "read"
#: Names of attachments.
ATTACHMENTS: Final = (*(f"color{k}" for k in range(MAX_COLOR_ATTACHMENTS)), "depth", "stencil", READ)


def is_plain(surface: Surface) -> bool:
    """Whether a picture has the texels as they are stored."""
    return surface.format.storage in (Storage.UNORM8, Storage.SRGB8)


def _color(surface: Surface, width: int, height: int, memory: PixelMemory) -> NDArray[np.uint8]:
    texels, _ = read_block(surface, (0, 0, width, height))
    if is_plain(surface):
        return memory.copy(texels, surface.stored.filled if surface.samples == 1 else None)
    if surface.format.is_integer:
        return np.asarray(np.clip(texels, 0, 255).astype(np.uint8))
    channels = formats.raw(surface.format, texels)
    return np.asarray(np.rint(np.clip(np.nan_to_num(channels), 0, 1) * 255).astype(np.uint8))


def first_color(targets: Targets | None) -> Surface | None:
    """First colour attachment of a framebuffer."""
    return next((surface for surface in targets.colors if surface is not None), None) if targets is not None else None


def first_color_picture(targets: Targets | None, memory: PixelMemory) -> NDArray[np.uint8] | None:
    """Picture of a framebuffer's first colour attachment: (height, width, 4) RGBA, row 0 at the bottom."""
    surface = first_color(targets)
    if surface is None or targets is None:
        return None
    return _color(surface, targets.width, targets.height, memory)


def attachment_picture(targets: Targets | None, name: str) -> NDArray[np.uint8] | None:
    """Picture of one attachment, None where there is none.

    Parameters
    ----------
    name : one of :data:`ATTACHMENTS` but :data:`READ`; ``colorK`` is draw buffer K. Depth is shown from black (near,
        0) to white (far, 1), stencil as its value.

    Returns
    -------
    (height, width, 4) uint8 RGBA, row 0 at the bottom
    """
    if targets is None:
        return None
    if name.startswith("color"):
        number = int(name.removeprefix("color"))
        surface = targets.colors[number] if number < len(targets.colors) else None
        return None if surface is None else _color(surface, targets.width, targets.height, PixelMemory())
    surface = targets.depth if name == "depth" else targets.stencil
    if surface is None:
        return None
    texels, stencil = read_block(surface, (0, 0, targets.width, targets.height))
    if name == "depth":
        gray = np.rint(np.clip(np.nan_to_num(formats.depth_values(surface.format, texels)), 0, 1) * 255).astype(
            np.uint8
        )
    else:
        assert stencil is not None
        gray = stencil
    return np.asarray(np.stack([gray, gray, gray, np.full_like(gray, 255)], axis=-1))
