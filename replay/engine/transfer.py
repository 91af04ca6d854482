"""What moves pixels without shading them: clears, blits, resolves, copies and read-back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replay import formats
from replay.engine.passes import DEPTH_BIT, STENCIL_BIT
from replay.engine.samples import resolve
from replay.engine.targets import Surface, Targets
from replay.formats import Format, Storage
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import quantize_depth

__all__ = [
    "blit_pairs",
    "blit_region",
    "clear_color",
    "clear_depth",
    "clear_stencil",
    "clip_rect",
    "read_around",
    "read_block",
]

Rect = tuple[int, int, int, int]


def clip_rect(rect: Rect, width: int, height: int) -> Rect:
    """Part of (x, y, width, height) inside a target; width or height 0 where nothing is left."""
    x0, y0 = max(rect[0], 0), max(rect[1], 0)
    x1, y1 = min(rect[0] + rect[2], width), min(rect[1] + rect[3], height)
    return x0, y0, max(x1 - x0, 0), max(y1 - y0, 0)


def _window(rect: Rect) -> tuple[slice, slice, slice]:
    x, y, width, height = rect
    return slice(None), slice(y, y + height), slice(x, x + width)


def clear_color(surface: Surface, rect: Rect, value: NDArray[Any], mask: int, *, srgb: bool, is_whole: bool) -> None:
    """Fill a rectangle with one colour.

    Parameters
    ----------
    value : (4,) float32, int32 or uint32
    mask : channels to write, bit 0 = red
    srgb : convert to non-linear values (sRGB formats)
    is_whole : the rectangle is all of the framebuffer
    """
    format = surface.format
    window = _window(rect)
    present = format.channel_mask
    mask &= present
    is_part = mask != present or not is_whole
    texel = _texel(format, value.tobytes(), value.dtype.char, srgb=srgb, is_part=is_part)
    if format.storage in (Storage.UNORM8, Storage.SRGB8):
        if mask == present:
            surface.texels[window] = texel
        else:
            bits = np.uint32(sum(0xFF << (8 * channel) for channel in range(4) if mask >> channel & 1))
            kept = surface.texels[window] & ~bits
            surface.texels[window] = kept | (np.uint32(texel) & bits)
        return
    for channel in range(4):
        if mask >> channel & 1:
            surface.texels[(*window, channel)] = texel[channel]


@lru_cache(256)
def _texel(format: Format, octets: bytes, code: str, *, srgb: bool, is_part: bool) -> Any:
    """A colour as a format keeps it; Mesa draws the clear of a part of the pixels or channels."""
    value: NDArray[Any] = np.frombuffer(octets, code)
    if is_part and format.kind is formats.Kind.UNORM:
        return formats.rendered(format, value[None])[0]
    if format.kind is formats.Kind.UNORM and not format.is_exact_unorm8:
        # Mesa rounds halves up here, in float32.
        steps = np.array([(1 << bits) - 1 if bits else 255 for bits in format.bits], np.float32)
        value = np.floor(np.clip(np.nan_to_num(value), 0.0, 1.0) * steps + np.float32(0.5)) / steps
    if srgb or format.storage is not Storage.SRGB8:
        return formats.quantize(format, value[None])[0]
    return formats.quantize(formats.format_of(gl.GL_RGBA8), value[None])[0]


def clear_depth(surface: Surface, rect: Rect, depth: float) -> int:
    """Fill a rectangle with a depth; returns the value in the target's format."""
    value = _depth_value(depth, surface.format.internal)
    surface.texels[_window(rect)] = value
    return value


@lru_cache(256)
def _depth_value(depth: float, internal: int) -> int:
    return int(quantize_depth(depth, internal))


def clear_stencil(surface: Surface, rect: Rect, value: int, mask: int) -> None:
    """Fill a rectangle with a stencil value under a write mask."""
    assert surface.stencil is not None
    window = _window(rect)
    if mask & 255 == 255:
        surface.stencil[window] = value & 255
    else:
        kept = surface.stencil[window] & np.uint8(~mask & 255)
        surface.stencil[window] = kept | np.uint8(value & mask & 255)


def read_block(surface: Surface, rect: Rect) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """Texels (height, width[, 4]) and stencil of a rectangle inside the surface, resolved."""
    _, rows, columns = _window(rect)
    texels = resolve(surface.format, surface.texels[:, rows, columns])
    stencil = None if surface.stencil is None else surface.stencil[0, rows, columns]
    return texels, stencil


def read_around(surface: Surface, inside: Rect, rect: Rect) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """As :func:`read_block`, of a rectangle of which ``inside`` lies in the surface; 0 elsewhere."""
    texels, stencil = read_block(surface, inside)
    x, y, width, height = rect
    if inside != rect:
        at = (slice(inside[1] - y, inside[1] - y + inside[3]), slice(inside[0] - x, inside[0] - x + inside[2]))
        whole = np.zeros(surface.format.shape(height, width), texels.dtype)
        whole[at] = texels
        texels = whole
        if stencil is not None:
            whole_stencil = np.zeros((height, width), np.uint8)
            whole_stencil[at] = stencil
            stencil = whole_stencil
    return texels, stencil


def blit_pairs(
    sources: tuple[Surface | None, Surface | None, Surface | None], targets: Targets, mask: int
) -> list[tuple[Surface, Surface, str, int]]:
    """What a blit copies: from, to, "color", "depth" or "stencil", and the buffer's bit in FrameTrace's events.

    Parameters
    ----------
    sources : colour, depth and stencil
    """
    color, depth, stencil = sources
    pairs: list[tuple[Surface | None, Surface | None, str, int]] = []
    if mask & gl.GL_COLOR_BUFFER_BIT:
        pairs += [(color, surface, "color", 1 << k) for k, surface in enumerate(targets.colors)]
    if mask & gl.GL_DEPTH_BUFFER_BIT:
        pairs.append((depth, targets.depth, "depth", DEPTH_BIT))
    if mask & gl.GL_STENCIL_BUFFER_BIT:
        pairs.append((stencil, targets.stencil, "stencil", STENCIL_BIT))
    return [(one, other, what, bit) for one, other, what, bit in pairs if one is not None and other is not None]


def _places(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Any:
    """Index of a block of texels; where these follow each other a slice, which is many times as fast."""
    if all(int(axis[-1]) - int(axis[0]) == len(axis) - 1 and (np.diff(axis) == 1).all() for axis in (rows, columns)):
        return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
    return np.ix_(rows, columns)


def blit_region(
    source: Surface,
    target: Surface,
    source_rect: tuple[int, int, int, int],
    target_rect: tuple[int, int, int, int],
    scissor: Rect,
    *,
    linear: bool,
    what: str,
) -> int:
    """Copy a rectangle with scaling and mirroring (GLES 3.0 §4.3.3).

    Parameters
    ----------
    source_rect, target_rect : x0, y0, x1, y1; mirrored where x1 < x0
    scissor : pixels of the target that may be written
    linear : filter colours
    what : "color", "depth" or "stencil"

    Returns
    -------
    Number of pixels written.
    """
    sx0, sy0, sx1, sy1 = source_rect
    tx0, ty0, tx1, ty1 = target_rect
    if tx1 < tx0:
        tx0, tx1, sx0, sx1 = tx1, tx0, sx1, sx0
    if ty1 < ty0:
        ty0, ty1, sy0, sy1 = ty1, ty0, sy1, sy0
    if tx1 == tx0 or ty1 == ty0 or sx1 == sx0 or sy1 == sy0:
        return 0
    x0, y0 = max(tx0, scissor[0], 0), max(ty0, scissor[1], 0)
    x1 = min(tx1, scissor[0] + scissor[2], target.image.width)
    y1 = min(ty1, scissor[1] + scissor[3], target.image.height)
    if x1 <= x0 or y1 <= y0:
        return 0
    # Only what lies inside the target is computed, however large the rectangle.
    px = sx0 + (np.arange(x0, x1) + 0.5 - tx0) * (sx1 - sx0) / (tx1 - tx0)
    py = sy0 + (np.arange(y0, y1) + 0.5 - ty0) * (sy1 - sy0) / (ty1 - ty0)
    height, width = source.texels.shape[1:3]
    keep_x = (px >= 0) & (px < width)
    keep_y = (py >= 0) & (py < height)
    xs, ys = np.arange(x0, x1)[keep_x], np.arange(y0, y1)[keep_y]
    px, py = px[keep_x], py[keep_y]
    if not len(xs) or not len(ys):
        return 0
    grid = slice(int(ys[0]), int(ys[-1]) + 1), slice(int(xs[0]), int(xs[-1]) + 1)
    near = _places(np.floor(py).astype(np.int64), np.floor(px).astype(np.int64))
    if what == "stencil":
        assert source.stencil is not None
        assert target.stencil is not None
        for sample in target.stencil:
            sample[grid] = source.stencil[0][near]
        return len(xs) * len(ys)
    flat = resolve(source.format, source.texels)
    scaled = abs(tx1 - tx0) != abs(sx1 - sx0) or abs(ty1 - ty0) != abs(sy1 - sy0)
    if what == "color" and linear and scaled and not source.format.is_integer:
        texels = _bilinear(source.format, flat, px, py)
        block = formats.rendered(target.format, texels)
    else:
        block = flat[near].copy() if source.image is target.image else flat[near]
        if source.format.internal != target.format.internal and what == "color":
            block = formats.convert(target.format, source.format, block)
    for sample in target.texels:
        sample[grid] = block
    return len(xs) * len(ys)


def _bilinear(format: Format, texels: NDArray[Any], px: NDArray[np.float64], py: NDArray[np.float64]) -> NDArray[Any]:
    """Linear interpolation at the outer product of coordinates, clamped to the edge."""
    height, width = texels.shape[:2]
    fx, fy = px - 0.5, py - 0.5
    x0, y0 = np.floor(fx).astype(np.int64), np.floor(fy).astype(np.int64)
    ax = (fx - x0).astype(np.float32)[None, :, None]
    ay = (fy - y0).astype(np.float32)[:, None, None]
    columns = [np.clip(x0, 0, width - 1), np.clip(x0 + 1, 0, width - 1)]
    lines = [np.clip(y0, 0, height - 1), np.clip(y0 + 1, 0, height - 1)]
    corner = [[formats.expand(format, texels[np.ix_(y, x)]) for x in columns] for y in lines]
    bottom = corner[0][0] * (1 - ax) + corner[0][1] * ax
    top = corner[1][0] * (1 - ax) + corner[1][1] * ax
    return np.asarray(bottom * (1 - ay) + top * ay)
