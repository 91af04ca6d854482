"""Compressed texture images."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.objects import Image
from traceformat.gles.pixel_transfer import unpack_compressed
from traceformat.gles.state import Changes, Context
from traceformat.gles.texture_levels import (
    PLANAR_TARGETS,
    VOLUME_TARGETS,
    check_memory,
    check_size,
    define_image,
    existing_image,
    locate,
)

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def _compressed_image(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    size: tuple[int, int, int],
    border: int,
    num_bytes: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(context, target, level, targets)
    format = FORMATS.get(internal)
    if format is None or not format.compressed:
        raise invalid_enum(f"internal format {internal:#x} is not a compressed format")
    if border:
        raise invalid_value(f"border {border}")
    width, height, depth = size
    check_size(context, texture.target, level, width, height, depth)
    if num_bytes != format.image_bytes(width, height, depth):
        raise invalid_value(f"{num_bytes} bytes for {width} x {height} x {depth} of format {internal:#x}")
    if texture.target == gl.GL_TEXTURE_3D:
        raise invalid_operation("a compressed 3D texture")
    if texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable")
    accounted = check_memory(context, format, width, height, depth)
    data = unpack_compressed(context, internal, num_bytes, pixels)
    image = Image(width, height, depth, internal, 0, internal)
    define_image(tracker, context, texture, face, level, image, accounted)
    tracker.backend.define_image(context, texture, face, level, image, data)


@handles("glCompressedTexImage2D", touches=Changes.IMAGES)
def compressed_tex_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    width: int,
    height: int,
    border: int,
    num_bytes: int,
    pixels: object,
) -> None:
    size = (width, height, 1)
    _compressed_image(tracker, context, target, level, internal, size, border, num_bytes, pixels, PLANAR_TARGETS)


@handles("glCompressedTexImage3D", touches=Changes.IMAGES)
def compressed_tex_image_3d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    width: int,
    height: int,
    depth: int,
    border: int,
    num_bytes: int,
    pixels: object,
) -> None:
    size = (width, height, depth)
    _compressed_image(tracker, context, target, level, internal, size, border, num_bytes, pixels, VOLUME_TARGETS)


def _compressed_sub_image(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    box: Box,
    internal: int,
    num_bytes: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(context, target, level, targets)
    format = FORMATS.get(internal)
    if format is None or not format.compressed:
        raise invalid_enum(f"format {internal:#x} is not a compressed format")
    image = existing_image(texture, face, level, box)
    if image.format != internal:
        raise invalid_operation(f"format {internal:#x} into an image of {image.format:#x}")
    if internal == gl.GL_ETC1_RGB8_OES:
        raise invalid_operation("ETC1 images are uploaded as a whole")
    block_width, block_height = format.block
    ends_x = box.width % block_width == 0 or box.x + box.width == image.width
    ends_y = box.height % block_height == 0 or box.y + box.height == image.height
    if box.x % block_width or box.y % block_height or not ends_x or not ends_y:
        raise invalid_operation(f"{box} does not consist of whole blocks")
    if num_bytes != format.image_bytes(box.width, box.height, box.depth):
        raise invalid_value(f"{num_bytes} bytes for {box}")
    data = unpack_compressed(context, internal, num_bytes, pixels)
    if data is not None and num_bytes:
        texture.version += 1
        tracker.backend.update_image(context, texture, face, level, image, box, data)


@handles("glCompressedTexSubImage2D", touches=Changes.IMAGES)
def compressed_tex_sub_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x: int,
    y: int,
    width: int,
    height: int,
    format: int,
    num_bytes: int,
    pixels: object,
) -> None:
    box = Box(x, y, 0, width, height, 1)
    _compressed_sub_image(tracker, context, target, level, box, format, num_bytes, pixels, PLANAR_TARGETS)


@handles("glCompressedTexSubImage3D", touches=Changes.IMAGES)
def compressed_tex_sub_image_3d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x: int,
    y: int,
    z: int,
    width: int,
    height: int,
    depth: int,
    format: int,
    num_bytes: int,
    pixels: object,
) -> None:
    box = Box(x, y, z, width, height, depth)
    _compressed_sub_image(tracker, context, target, level, box, format, num_bytes, pixels, VOLUME_TARGETS)
