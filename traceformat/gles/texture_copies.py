"""Copies from framebuffers into texture images."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.completeness import require_complete
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, Format
from traceformat.gles.objects import Image
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


#: Components that a copy needs from the read buffer, by base format (ES 3.0.6 table 3.15).
_NEEDS = {
    gl.GL_RED: {gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA},
    gl.GL_RG: {gl.GL_RG, gl.GL_RGB, gl.GL_RGBA},
    gl.GL_RGB: {gl.GL_RGB, gl.GL_RGBA},
    gl.GL_RGBA: {gl.GL_RGBA},
    gl.GL_ALPHA: {gl.GL_RGBA},
    gl.GL_LUMINANCE: {gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA},
    gl.GL_LUMINANCE_ALPHA: {gl.GL_RGBA},
}
_COPY_SIZED = {
    gl.GL_ALPHA: gl.GL_ALPHA8_EXT,
    gl.GL_LUMINANCE: gl.GL_LUMINANCE8_EXT,
    gl.GL_LUMINANCE_ALPHA: gl.GL_LUMINANCE8_ALPHA8_EXT,
    gl.GL_RED: gl.GL_R8,
    gl.GL_RG: gl.GL_RG8,
    gl.GL_RGB: gl.GL_RGB8,
    gl.GL_RGBA: gl.GL_RGBA8,
    gl.GL_BGRA: gl.GL_RGBA8,
    gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_COMPONENT24,
    gl.GL_DEPTH_STENCIL: gl.GL_DEPTH24_STENCIL8,
}


def _read_image(tracker: Tracker, context: Context, wanted: Format) -> Image:
    """Image that a copy reads: the read framebuffer's colour (or depth); checks completeness and samples."""
    framebuffer = context.read_framebuffer
    require_complete(tracker, context, framebuffer)
    attachment = framebuffer.read_attachment() if wanted.is_color else framebuffer.depth
    image = attachment.image if attachment is not None else None
    if image is None:
        raise invalid_operation("there is nothing to read from")
    if framebuffer.name and image.samples:
        raise invalid_operation("the read framebuffer is multisampled")
    return image


def _check_copy(source: Format, target: Format) -> None:
    if not target.is_color:
        return
    if source.base not in _NEEDS.get(target.base, ()):
        raise invalid_operation(f"format {target.name:#x} needs more components than {source.name:#x} has")
    if source.kind != target.kind and (source.is_integer or target.is_integer):
        raise invalid_operation(f"format {target.name:#x} cannot hold {source.name:#x}")


@handles("glCopyTexImage2D", touches=Changes.IMAGES)
def copy_tex_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    x: int,
    y: int,
    width: int,
    height: int,
    border: int,
) -> None:
    texture, face = locate(context, target, level, PLANAR_TARGETS)
    name = internal if internal in FORMATS else _COPY_SIZED.get(internal, 0)
    if not name:
        raise invalid_enum(f"internal format {internal:#x}")
    if border:
        raise invalid_value(f"border {border}")
    check_size(context, texture.target, level, width, height, 1)
    format = FORMATS[name]
    if format.compressed or name == gl.GL_RGB9_E5 or texture.immutable_levels:
        raise invalid_operation("such an image cannot be copied into")
    source = _read_image(tracker, context, format)
    _check_copy(FORMATS[source.format], format)
    if internal in _COPY_SIZED and FORMATS[source.format].kind == "float":
        # An unsized format takes the read buffer's precision (ES 3.0.6 §3.8.5).
        format = FORMATS[source.format] if FORMATS[source.format].base == format.base else format
    accounted = check_memory(context, format, width, height, 1)
    image = Image(width, height, 1, format.name, 0, internal)
    define_image(tracker, context, texture, face, level, image, accounted)
    tracker.backend.define_image(context, texture, face, level, image, None)
    if width and height:
        tracker.backend.copy_to_image(context, texture, face, level, image, Box(0, 0, 0, width, height, 1), x, y)


def _copy_sub_image(
    tracker: Tracker, context: Context, target: int, level: int, box: Box, x: int, y: int, targets: frozenset[int]
) -> None:
    texture, face = locate(context, target, level, targets)
    image = existing_image(texture, face, level, box)
    format = FORMATS[image.format]
    if format.compressed or image.format == gl.GL_RGB9_E5:
        raise invalid_operation("such an image cannot be copied into")
    source = _read_image(tracker, context, format)
    _check_copy(FORMATS[source.format], format)
    if box.width and box.height:
        texture.version += 1
        tracker.backend.copy_to_image(context, texture, face, level, image, box, x, y)


@handles("glCopyTexSubImage2D", touches=Changes.IMAGES)
def copy_tex_sub_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x_offset: int,
    y_offset: int,
    x: int,
    y: int,
    width: int,
    height: int,
) -> None:
    _copy_sub_image(tracker, context, target, level, Box(x_offset, y_offset, 0, width, height, 1), x, y, PLANAR_TARGETS)


@handles("glCopyTexSubImage3D", touches=Changes.IMAGES)
def copy_tex_sub_image_3d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x_offset: int,
    y_offset: int,
    z_offset: int,
    x: int,
    y: int,
    width: int,
    height: int,
) -> None:
    box = Box(x_offset, y_offset, z_offset, width, height, 1)
    _copy_sub_image(tracker, context, target, level, box, x, y, VOLUME_TARGETS)
