"""Pixel data on its way between client memory (or pixel buffers) and a backend: ES 3.0.6 §3.7.1 and §4.3.2.

A backend sees tightly packed pixels only; alignment, row length and skips are undone and applied here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gles.backend import Pixels
from traceformat.gles.buffers import resolve_pointer
from traceformat.gles.dispatch import OverGuard, invalid_operation
from traceformat.gles.formats import PACKED_TYPES, TYPE_BYTES, pixel_bytes
from traceformat.gles.state import Context, PixelStore

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

__all__ = ["Layout", "layout_of", "pack", "tightly", "unpack", "unpack_compressed"]


@dataclass(slots=True, frozen=True)
class Layout:
    """Where the pixels of an image lie behind a pointer, in bytes.

    Parameters
    ----------
    start : of the first pixel
    row_bytes : of one row's pixels
    row_stride, image_stride : between rows, between images
    size : from the pointer to the end of the last pixel; 0 for an empty image
    """

    start: int
    row_bytes: int
    row_stride: int
    image_stride: int
    size: int


def layout_of(
    store: PixelStore, format: int, type: int, width: int, height: int, depth: int, *, volume: bool
) -> Layout:
    """Lay out an image by pack or unpack parameters; ``volume`` for 3D calls, which also obey the image parameters."""
    size = pixel_bytes(format, type)
    row = (store.row_length or width) * size
    row_stride = -(-row // store.alignment) * store.alignment
    image_stride = row_stride * ((store.image_height if volume else 0) or height)
    start = store.skip_rows * row_stride + store.skip_pixels * size
    if volume:
        start += store.skip_images * image_stride
    if not (width and height and depth):
        return Layout(start, 0, row_stride, image_stride, 0)
    end = start + (depth - 1) * image_stride + (height - 1) * row_stride + width * size
    return Layout(start, width * size, row_stride, image_stride, end)


def _strided(data: memoryview | bytearray, layout: Layout, height: int, depth: int) -> np.ndarray:
    flat = np.frombuffer(data, np.uint8)[layout.start :]
    return np.lib.stride_tricks.as_strided(
        flat, (depth, height, layout.row_bytes), (layout.image_stride, layout.row_stride, 1)
    )


def _check_alignment(pointer: object, type: int) -> None:
    size = PACKED_TYPES[type][0] if type in PACKED_TYPES else TYPE_BYTES[type]
    if isinstance(pointer, Offset) and pointer % min(size, 4):
        raise invalid_operation(f"offset {int(pointer)} is not a multiple of the pixel type's {size} bytes")


def unpack(
    context: Context,
    format: int,
    type: int,
    width: int,
    height: int,
    depth: int,
    pointer: object,
    *,
    volume: bool,
    required: bool,
) -> Pixels | None:
    """Read an image from client memory or from the bound pixel-unpack buffer.

    Parameters
    ----------
    volume : a 3D call
    required : sub-image calls read from NULL as from any address, so nothing is what they upload then

    Returns
    -------
    Pixels, tightly packed; None for a NULL pointer or an empty image
    """
    buffer = context.buffers.get(gl.GL_PIXEL_UNPACK_BUFFER)
    if buffer is not None:
        _check_alignment(pointer, type)
    layout = layout_of(context.unpack, format, type, width, height, depth, volume=volume)
    if layout.size == 0 and (buffer is None or not required):
        return None
    data = resolve_pointer(pointer, buffer, layout.size)
    if data is None or layout.size == 0:
        return None
    return Pixels(format, type, tightly(data, layout, height, depth))


def tightly(data: memoryview, layout: Layout, height: int, depth: int) -> memoryview:
    """Pixels behind a pointer, without what lies between rows and images."""
    if layout.row_stride == layout.row_bytes and (depth == 1 or layout.image_stride == layout.row_bytes * height):
        return data[layout.start : layout.size]
    return memoryview(_strided(data, layout, height, depth).tobytes())


def unpack_compressed(context: Context, format: int, size: int, pointer: object) -> Pixels | None:
    """Read ``size`` bytes of compressed blocks; None for a NULL pointer."""
    data = resolve_pointer(pointer, context.buffers.get(gl.GL_PIXEL_UNPACK_BUFFER), size)
    return None if data is None else Pixels(format, 0, data)


def pack(
    tracker: Tracker,
    context: Context,
    pixels: bytes,
    layout: Layout,
    height: int,
    depth: int,
    pointer: object,
    parameter: str,
) -> None:
    """Write tightly packed pixels to the bound pixel-pack buffer, or to output ``parameter``.

    :func:`check_pack` has been called before, so that an erring call reads nothing.
    """
    buffer = context.buffers.get(gl.GL_PIXEL_PACK_BUFFER)
    if buffer is not None:
        offset = int(pointer) if isinstance(pointer, Offset) else 0
        view = memoryview(buffer.change())[offset : offset + layout.size]
    else:
        target = bytearray(layout.size)
        view = memoryview(target)
    if layout.size:
        rows = np.frombuffer(pixels, np.uint8).reshape(depth, height, layout.row_bytes)
        flat = np.frombuffer(view, np.uint8)[layout.start :]
        shape, strides = rows.shape, (layout.image_stride, layout.row_stride, 1)
        np.lib.stride_tricks.as_strided(flat, shape, strides, writeable=True)[...] = rows
    if buffer is None:
        tracker.outputs[parameter] = bytes(view)


def check_pack(context: Context, layout: Layout, type: int, pointer: object) -> None:
    """Check that a pixel-pack buffer, if one is bound, has room; GL_INVALID_OPERATION if not.

    What goes to client memory is limited by ``max_image_bytes``: GL_OUT_OF_MEMORY.
    """
    buffer = context.buffers.get(gl.GL_PIXEL_PACK_BUFFER)
    if buffer is not None:
        _check_alignment(pointer, type)
        resolve_pointer(pointer, buffer, layout.size)
    elif layout.size > context.limits.max_image_bytes:
        raise OverGuard(f"{layout.size} bytes to read", "image", context.limits.max_image_bytes)
