"""Mutable texture images: glTexImage* and glTexSubImage*, and glClearTex*, which fills what there is."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.backend import Box, Pixels
from traceformat.gles.dispatch import GLError, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import (
    FORMATS,
    INTEGER_FORMATS,
    UNSIZED,
    Format,
    pixel_bytes,
    sized_format,
    unpack_problem,
    uploads,
)
from traceformat.gles.objects import Image
from traceformat.gles.pixel_transfer import unpack
from traceformat.gles.state import Changes, Context
from traceformat.gles.texture_levels import (
    LINE_TARGETS,
    PLANAR_TARGETS,
    VOLUME_TARGETS,
    check_memory,
    check_size,
    define_image,
    existing_image,
    holds,
    locate,
)
from traceformat.gles.textures import PROXY_TARGETS
from traceformat.gles.values import content

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def _choose_format(context: Context, target: int, internal: int, format: int, type: int) -> Format:
    """Sized format of an upload, or the error that the combination raises."""
    problem = unpack_problem(format, type, context.is_gles)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    sized = sized_format(internal, format, type, gles=context.is_gles)
    if not sized:
        known = internal in FORMATS or internal in UNSIZED
        raise (invalid_operation if known else invalid_value)(
            f"internal format {internal:#x} from format {format:#x}, type {type:#x}"
        )
    if problem:
        raise invalid_operation(f"format {format:#x} with type {type:#x}")
    chosen = FORMATS[sized]
    if target == gl.GL_TEXTURE_3D and not chosen.is_color:
        raise invalid_operation("a 3D texture of depth values")
    if chosen.compressed:
        raise invalid_operation(f"internal format {internal:#x} is compressed")
    return chosen


def _try_image(
    context: Context, proxy: int, level: int, internal: int, size: tuple[int, int, int], format: int, type: int
) -> None:
    """Keep what an image would be for who asks; nothing where there can be none of that size (GL 4.5 §8.22)."""
    target = PROXY_TARGETS[proxy]
    chosen = _choose_format(context, target, internal & 0xFFFFFFFF, format, type)
    context.proxies.pop((proxy, level), None)
    try:
        check_size(context, target, level, *size)
        check_memory(context, chosen, *size)
    except GLError:
        return
    context.proxies[proxy, level] = Image(*size, chosen.name, 0, internal)


def _tex_image(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    size: tuple[int, int, int],
    border: int,
    format: int,
    type: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    if target in PROXY_TARGETS and not context.is_gles:
        _try_image(context, target, level, internal, size, format, type)
        return
    texture, face = locate(context, target, level, targets)
    width, height, depth = size
    if border:
        raise invalid_value(f"border {border}")
    if min(size) < 0:
        raise invalid_value(f"size {width} x {height} x {depth}")
    chosen = _choose_format(context, target, internal & 0xFFFFFFFF, format, type)
    check_size(context, texture.target, level, width, height, depth)
    if texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable")
    accounted = check_memory(context, chosen, width, height, depth)
    volume = target in VOLUME_TARGETS
    data = unpack(context, format, type, width, height, depth, pixels, volume=volume, required=False)
    image = Image(width, height, depth, chosen.name, 0, internal)
    define_image(tracker, context, texture, face, level, image, accounted)
    tracker.backend.define_image(context, texture, face, level, image, data)


@handles("glTexImage2D", touches=Changes.IMAGES)
def tex_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    width: int,
    height: int,
    border: int,
    format: int,
    type: int,
    pixels: object,
) -> None:
    size = (width, height, 1)
    _tex_image(tracker, context, target, level, internal, size, border, format, type, pixels, PLANAR_TARGETS)


@handles("glTexImage1D", touches=Changes.IMAGES)
def tex_image_1d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    width: int,
    border: int,
    format: int,
    type: int,
    pixels: object,
) -> None:
    _tex_image(tracker, context, target, level, internal, (width, 1, 1), border, format, type, pixels, LINE_TARGETS)


@handles("glTexImage3D", touches=Changes.IMAGES)
def tex_image_3d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    internal: int,
    width: int,
    height: int,
    depth: int,
    border: int,
    format: int,
    type: int,
    pixels: object,
) -> None:
    size = (width, height, depth)
    _tex_image(tracker, context, target, level, internal, size, border, format, type, pixels, VOLUME_TARGETS)


def _accepts(context: Context, image: Image, format: int, type: int) -> bool:
    """Whether a sub-image of that client format and type fits the image (ES 3.0.6 §3.8.5)."""
    kept = FORMATS[image.format]
    if not context.is_gles:
        depth = format in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
        return depth != kept.is_color and (depth or kept.is_integer == (format in INTEGER_FORMATS))
    requested = image.requested_format
    if requested in UNSIZED and sized_format(requested, format, type, gles=True) == image.format:
        return True
    if image.format == gl.GL_BGRA8_EXT or (image.format == gl.GL_RGBA8 and format == gl.GL_BGRA):
        return format in (gl.GL_BGRA, gl.GL_RGBA) and type == gl.GL_UNSIGNED_BYTE
    if type == gl.GL_HALF_FLOAT_OES:
        type = gl.GL_HALF_FLOAT
    return uploads(format, type, image.format)


def _tex_sub_image(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    box: Box,
    format: int,
    type: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(context, target, level, targets)
    problem = unpack_problem(format, type, context.is_gles)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    image = existing_image(texture, face, level, box)
    if problem or FORMATS[image.format].compressed or not _accepts(context, image, format, type):
        raise invalid_operation(f"format {format:#x}, type {type:#x} into an image of {image.format:#x}")
    volume = target in VOLUME_TARGETS
    data = unpack(context, format, type, box.width, box.height, box.depth, pixels, volume=volume, required=True)
    if data is not None:
        texture.version += 1
        tracker.backend.update_image(context, texture, face, level, image, box, data)


@handles("glTexSubImage1D", touches=Changes.IMAGES)
def tex_sub_image_1d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x: int,
    width: int,
    format: int,
    type: int,
    pixels: object,
) -> None:
    _tex_sub_image(tracker, context, target, level, Box(x, 0, 0, width, 1, 1), format, type, pixels, LINE_TARGETS)


@handles("glTexSubImage2D", touches=Changes.IMAGES)
def tex_sub_image_2d(
    tracker: Tracker,
    context: Context,
    target: int,
    level: int,
    x: int,
    y: int,
    width: int,
    height: int,
    format: int,
    type: int,
    pixels: object,
) -> None:
    _tex_sub_image(
        tracker, context, target, level, Box(x, y, 0, width, height, 1), format, type, pixels, PLANAR_TARGETS
    )


@handles("glTexSubImage3D", touches=Changes.IMAGES)
def tex_sub_image_3d(
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
    type: int,
    pixels: object,
) -> None:
    box = Box(x, y, z, width, height, depth)
    _tex_sub_image(tracker, context, target, level, box, format, type, pixels, VOLUME_TARGETS)


@handles("glInvalidateTexImage", "glInvalidateTexSubImage", touches=Changes.NOTHING)
def invalidate_tex_image(tracker: Tracker, context: Context, name: int, level: int, *_: int) -> None:
    """What the image holds may be anything: here it stays."""
    texture = context.group.textures.get(name)
    if texture is None or level < 0:
        raise invalid_value(f"level {level} of texture {name}")


@handles("glClearTexImage", touches=Changes.IMAGES)
def clear_tex_image(
    tracker: Tracker, context: Context, name: int, level: int, format: int, type: int, pixel: object
) -> None:
    _clear_image(tracker, context, name, level, None, format, type, pixel)


@handles("glClearTexSubImage", touches=Changes.IMAGES)
def clear_tex_sub_image(
    tracker: Tracker,
    context: Context,
    name: int,
    level: int,
    x: int,
    y: int,
    z: int,
    width: int,
    height: int,
    depth: int,
    format: int,
    type: int,
    pixel: object,
) -> None:
    _clear_image(tracker, context, name, level, Box(x, y, z, width, height, depth), format, type, pixel)


def _clear_image(
    tracker: Tracker, context: Context, name: int, level: int, box: Box | None, format: int, type: int, pixel: object
) -> None:
    """Fill a level, or a box of it, with one pixel, zeros where there is none; faces of a cube map count as z."""
    texture = context.group.textures.get(name) if name else None
    if texture is None or texture.target == gl.GL_TEXTURE_BUFFER:
        raise invalid_operation(f"{name} is no texture with images")
    problem = unpack_problem(format, type, context.is_gles)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    is_cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
    first, faces = (box.z, box.depth) if box is not None and is_cube else (0, 6 if is_cube else 1)
    if first < 0 or faces < 0 or first + faces > (6 if is_cube else 1):
        raise invalid_operation(f"faces {first} to {first + faces}")
    found = []
    for face in range(first, first + faces):
        own = replace(box, z=0, depth=1) if box is not None and is_cube else box
        image = existing_image(texture, face, level, Box(0, 0, 0, 0, 0, 0))
        if own is not None and not holds(image, own):
            raise invalid_operation(f"{own} in an image of {image.width} x {image.height} x {image.depth}")
        if problem or FORMATS[image.format].compressed or not _accepts(context, image, format, type):
            raise invalid_operation(f"format {format:#x}, type {type:#x} into an image of {image.format:#x}")
        if image.samples > 1:
            raise UnsupportedCallError(f"call {tracker.call.number}: {tracker.call.name} of several samples")
        found.append((face, image, own or Box(0, 0, 0, image.width, image.height, image.depth)))
    data = bytes(content(pixel, pixel_bytes(format, type))) if pixel is not None else bytes(pixel_bytes(format, type))
    texture.version += 1
    for face, image, own in found:
        texels = own.width * own.height * own.depth
        if texels:
            filled = Pixels(format, type, memoryview(data * texels))
            tracker.backend.update_image(context, texture, face, level, image, own, filled)
