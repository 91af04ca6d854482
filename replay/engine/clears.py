"""Clears: what they write into the planes of targets, and what a pass notes of them."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine import transfer
from replay.engine.merge_state import color_mask_of, uses_srgb
from replay.engine.passes import DEPTH_BIT, STENCIL_BIT, Clear
from replay.engine.targets import Surface, Targets
from replay.texture.filled import Filled
from replay.texture.storage import ImageStorage
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gputrace.frametrace import SRGB_BIT

__all__ = [
    "FollowedPlanes",
    "attachment_bits",
    "begin",
    "clear_all",
    "clear_color",
    "clear_depth",
    "clear_stencil",
    "color_value",
]

#: Storage of planes that is followed.
_MAX_FOLLOWED: Final = 32
_COLOR: Final = struct.Struct("<4d")


class FollowedPlanes:
    """Storage that may know what clears have filled it with."""

    def __init__(self) -> None:
        self._stored: list[ImageStorage] = []
        #: Whose planes they have been since the last one.
        self._last: Targets | None = None

    def follow(self, targets: Targets) -> None:
        """From here on whatever writes to these must say where, or have all forget."""
        if targets is self._last:
            return
        if len(self._stored) > _MAX_FOLLOWED:
            self.forget()
        self._last = targets
        for surface in targets.surfaces():
            if all([surface.stored is not known for known in self._stored]):
                self._stored.append(surface.stored)

    def forget(self) -> None:
        """Something is about to write to them, or may be."""
        for stored in self._stored:
            stored.filled = None
        self._stored.clear()
        self._last = None


def begin(context: Context, targets: Targets, followed: FollowedPlanes | None) -> Clear:
    """A clear of the pixels that the scissor leaves, which has cleared nothing yet.

    Parameters
    ----------
    followed : planes that may know what they are filled with; None where none may
    """
    if followed is not None:
        followed.follow(targets)
    whole, follows = (0, 0, targets.width, targets.height), followed is not None
    if gl.GL_SCISSOR_TEST not in context.enabled:
        return Clear(0, whole, True, follows=follows)
    rect = transfer.clip_rect(context.scissor, targets.width, targets.height)
    return Clear(0, rect, rect == whole, follows=follows)


def clear_all(context: Context, targets: Targets, clear: Clear, mask: int) -> None:
    """Clear the buffers of a mask by the clear values."""
    if mask & gl.GL_COLOR_BUFFER_BIT:
        clear.color = context.clear_color
        value = _float_color(_COLOR.pack(*context.clear_color))
        for buffer in range(len(targets.colors)):
            _fill_color(context, targets, clear, buffer, value)
    if mask & gl.GL_DEPTH_BUFFER_BIT:
        clear_depth(context, targets, clear, context.clear_depth)
    if mask & gl.GL_STENCIL_BUFFER_BIT:
        clear_stencil(context, targets, clear, context.clear_stencil)


@lru_cache(256)
def _float_color(octets: bytes) -> NDArray[np.float32]:
    return np.frombuffer(octets, np.float64).astype(np.float32)


def color_value(color: tuple[float, ...] | tuple[int, ...], type: int) -> NDArray[Any]:
    """Components of a colour of this type, (4,)."""
    dtype = {gl.GL_INT: np.int32, gl.GL_UNSIGNED_INT: np.uint32}.get(type, np.float32)
    return np.array(color, np.int64 if dtype is not np.float32 else np.float64).astype(dtype)


def clear_color(context: Context, targets: Targets, clear: Clear, buffer: int, value: NDArray[Any]) -> None:
    """Clear one draw buffer."""
    if buffer < len(targets.colors) and targets.colors[buffer] is not None:
        bits = value.view(np.float32)
        clear.color = (float(bits[0]), float(bits[1]), float(bits[2]), float(bits[3]))
        _fill_color(context, targets, clear, buffer, value)


def _fill_color(context: Context, targets: Targets, clear: Clear, buffer: int, value: NDArray[Any]) -> None:
    surface = targets.colors[buffer]
    if surface is None:
        return
    mask = color_mask_of(context, buffer)
    is_srgb = uses_srgb(context, surface)
    clear.color_mask = mask | (SRGB_BIT if is_srgb else 0)
    if mask:
        clear.buffers |= 1 << buffer
        # As bytes a colour's zeros have signs.
        filling = (surface.format.internal, value.dtype.char, value.tobytes(), is_srgb) if mask & 15 == 15 else None
        rect = _remaining(surface, clear, filling)
        transfer.clear_color(surface, rect, value, mask, srgb=is_srgb, is_whole=clear.is_whole)


def clear_depth(context: Context, targets: Targets, clear: Clear, depth: float) -> None:
    """Clear the depth, if it may be written and there is any."""
    if context.depth_mask and targets.depth is not None:
        clear.buffers |= DEPTH_BIT
        clear.depth = transfer.clear_depth(
            targets.depth, _remaining(targets.depth, clear, (targets.depth.format.internal, depth)), depth
        )


def _remaining(surface: Surface, clear: Clear, filling: object) -> transfer.Rect:
    """What a clear has to write of its rectangle: the whole plane holds what it is filled with, but for that.

    Parameters
    ----------
    filling : what it is filled with; None for a clear of some channels
    """
    stored, (x, y, width, height) = surface.stored, clear.rect
    filled = stored.filled
    planes = surface.texels.shape[:3]
    if filling is None or stored.texels.shape[:3] != planes or planes[1:] != (height, width):
        if filled is not None:
            filled.touch((x, y, x + width, y + height))
        return clear.rect
    if not clear.follows or stored.chain is not None:
        return clear.rect
    stored.filled = Filled(filling)
    if filled is None or filled.value != filling:
        return clear.rect
    x0, y0, x1, y1 = filled.area
    if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
        return transfer.clip_rect((x0, y0, x1 - x0, y1 - y0), width, height)
    return (x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else (0, 0, 0, 0)


def clear_stencil(context: Context, targets: Targets, clear: Clear, value: int) -> None:
    """Clear the stencil, if there is any."""
    if targets.stencil is not None:
        clear.stencil = value & 255
        clear.stencil_mask = context.stencil_front.write_mask & 255
        clear.buffers |= STENCIL_BIT
        transfer.clear_stencil(targets.stencil, clear.rect, clear.stencil, clear.stencil_mask)


def attachment_bits(targets: Targets, points: tuple[int, ...]) -> int:
    """Buffers of attachment points, as in FrameTrace's events."""
    buffers = 0
    for point in points:
        if point in (gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH, gl.GL_DEPTH_STENCIL_ATTACHMENT):
            buffers |= DEPTH_BIT
        if point in (gl.GL_STENCIL_ATTACHMENT, gl.GL_STENCIL, gl.GL_DEPTH_STENCIL_ATTACHMENT):
            buffers |= STENCIL_BIT
        for k, surface in enumerate(targets.colors):
            if surface is not None and (
                point == gl.GL_COLOR
                or (
                    gl.GL_COLOR_ATTACHMENT0 <= point < gl.GL_COLOR_ATTACHMENT0 + 8
                    and targets.framebuffer.color[point - gl.GL_COLOR_ATTACHMENT0] is surface.attachment
                )
            ):
                buffers |= 1 << k
    return buffers
