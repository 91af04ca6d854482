"""Pixels out of and between framebuffers and textures: glReadPixels, glBlitFramebuffer, glCopyImageSubData."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.completeness import require_complete
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, INTEGER_FORMATS, Format, unpack_problem
from traceformat.gles.objects import Attachment, Framebuffer, Image
from traceformat.gles.pixel_transfer import check_pack, layout_of, pack
from traceformat.gles.state import Changes, Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_DEPTH_READS = frozenset({gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL, gl.GL_STENCIL_INDEX})
_BYTE_READS = frozenset({gl.GL_RGBA, gl.GL_BGRA, gl.GL_RGB, gl.GL_RED, gl.GL_RG, gl.GL_ALPHA})
#: Format and type of reads that ES guarantees, by kind of the colour buffer (ES 3.0.6 §4.3.2).
_GUARANTEED = {
    "unorm": (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE),
    "srgb": (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE),
    "snorm": (gl.GL_RGBA, gl.GL_BYTE),
    "float": (gl.GL_RGBA, gl.GL_FLOAT),
    "int": (gl.GL_RGBA_INTEGER, gl.GL_INT),
    "uint": (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT),
}


def preferred_read(image: Image | None) -> tuple[int, int]:
    """GL_IMPLEMENTATION_COLOR_READ_FORMAT and _TYPE of an image: pixels as they are stored, where GL can name that."""
    if image is None:
        return gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
    format = FORMATS[image.format]
    stored = {
        gl.GL_RGB565: (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5),
        gl.GL_RGBA4: (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4),
        gl.GL_RGB5_A1: (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_5_5_5_1),
        gl.GL_RGB10_A2: (gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
        gl.GL_RGB10_A2UI: (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
        gl.GL_R11F_G11F_B10F: (gl.GL_RGB, gl.GL_UNSIGNED_INT_10F_11F_11F_REV),
        gl.GL_BGRA8_EXT: (gl.GL_BGRA, gl.GL_UNSIGNED_BYTE),
    }.get(format.name)
    if stored is not None:
        return stored
    integer = {
        gl.GL_RED: gl.GL_RED_INTEGER,
        gl.GL_RG: gl.GL_RG_INTEGER,
        gl.GL_RGB: gl.GL_RGB_INTEGER,
        gl.GL_RGBA: gl.GL_RGBA_INTEGER,
    }
    client = integer.get(format.base, format.base) if format.is_integer else format.base
    bits = max(format.bits[:4])
    types = {
        "unorm": {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT},
        "srgb": {8: gl.GL_UNSIGNED_BYTE},
        "snorm": {8: gl.GL_BYTE, 16: gl.GL_SHORT},
        "float": {16: gl.GL_HALF_FLOAT, 32: gl.GL_FLOAT},
        "int": {8: gl.GL_BYTE, 16: gl.GL_SHORT, 32: gl.GL_INT},
        "uint": {8: gl.GL_UNSIGNED_BYTE, 16: gl.GL_UNSIGNED_SHORT, 32: gl.GL_UNSIGNED_INT},
    }
    kind_types = types.get(format.kind)
    if kind_types is None:
        return gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
    return client, kind_types.get(bits, _GUARANTEED[format.kind][1])


def _check_read_format(context: Context, image: Image, format: int, type: int) -> None:
    kept = FORMATS[image.format]
    if not kept.is_color:
        return
    if context.is_gles:
        # Mesa and others also take any 8-bit read of what is normalised; ES demands two pairs only.
        if (format, type) in (_GUARANTEED[kept.kind], preferred_read(image)):
            return
        if kept.kind in ("unorm", "srgb") and type == gl.GL_UNSIGNED_BYTE and format in _BYTE_READS:
            return
        float_types = (gl.GL_FLOAT, gl.GL_HALF_FLOAT, gl.GL_UNSIGNED_BYTE)
        if kept.kind == "float" and type in float_types and format not in INTEGER_FORMATS:
            return
        if image.format == gl.GL_RGB10_A2 and format == gl.GL_RGBA:
            return
        raise invalid_operation(f"format {format:#x}, type {type:#x} of a colour buffer of {image.format:#x}")
    if kept.is_integer != (format in INTEGER_FORMATS):
        raise invalid_operation(f"format {format:#x} of a colour buffer of {image.format:#x}")


def _source(framebuffer: Framebuffer, format: int) -> Attachment | None:
    if format == gl.GL_STENCIL_INDEX:
        return framebuffer.stencil
    if format in _DEPTH_READS:
        return framebuffer.depth
    return framebuffer.read_attachment()


@handles("glReadPixels", "glReadnPixels", touches=Changes.IMAGES)
def read_pixels(
    tracker: Tracker, context: Context, x: int, y: int, width: int, height: int, format: int, type: int, *rest: object
) -> None:
    pixels = rest[-1]
    if width < 0 or height < 0:
        raise invalid_value(f"size {width} x {height}")
    problem = unpack_problem(format, type, False)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    framebuffer = context.read_framebuffer
    require_complete(tracker, context, framebuffer)
    attachment = _source(framebuffer, format)
    image = attachment.image if attachment is not None else None
    if image is None:
        raise invalid_operation("there is nothing to read from")
    if framebuffer.name and image.samples and attachment is not None and not attachment.samples:
        raise invalid_operation("the read framebuffer is multisampled")
    if problem:
        raise invalid_operation(f"format {format:#x} with type {type:#x}")
    _check_read_format(context, image, format, type)
    if width > context.limits.max_viewport_dims or height > context.limits.max_viewport_dims:
        raise invalid_value(f"size {width} x {height}")
    layout = layout_of(context.pack, format, type, width, height, 1, volume=False)
    if len(rest) == 2 and isinstance(rest[0], int) and layout.size > rest[0]:
        raise invalid_operation(f"{layout.size} bytes into a buffer of {rest[0]}")
    check_pack(context, layout, type, pixels)
    if not width or not height:
        return
    data = tracker.backend.read_pixels(context, x, y, width, height, format, type)
    pack(
        tracker, context, data, layout, height, 1, pixels, "data" if tracker.call.name == "glReadnPixels" else "pixels"
    )


_BLIT_BITS = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT


def _blit_class(format: Format) -> str:
    return {"int": "int", "uint": "uint"}.get(format.kind, "float")


def _effective_samples(attachment: Attachment | None) -> int:
    image = attachment.image if attachment is not None else None
    return image.samples if image is not None else 0


def _check_color_blit(context: Context, filter: int, scaled: bool, resolves: bool) -> None:
    source = context.read_framebuffer.read_attachment()
    image = source.image if source is not None else None
    if image is None:
        return
    read = FORMATS[image.format]
    if read.is_integer and filter == gl.GL_LINEAR:
        raise invalid_operation("linear filtering of integers")
    for target in context.draw_framebuffer.draw_attachments():
        drawn = target.image if target is not None else None
        if drawn is None:
            continue
        if _blit_class(FORMATS[drawn.format]) != _blit_class(read):
            raise invalid_operation(f"a blit from {image.format:#x} to {drawn.format:#x}")
        if resolves and context.is_gles and (scaled or FORMATS[drawn.format].bits != read.bits):
            raise invalid_operation("a resolve between different rectangles or formats")
        if (
            drawn is image
            and context.is_gles
            and source is not None
            and target is not None
            and source.layer == target.layer
        ):
            raise invalid_operation("a blit of an image onto itself")


@handles("glBlitFramebuffer", touches=Changes.IMAGES)
def blit_framebuffer(
    tracker: Tracker,
    context: Context,
    src_x0: int,
    src_y0: int,
    src_x1: int,
    src_y1: int,
    dst_x0: int,
    dst_y0: int,
    dst_x1: int,
    dst_y1: int,
    mask: int,
    filter: int,
) -> None:
    read, draw = context.read_framebuffer, context.draw_framebuffer
    require_complete(tracker, context, read)
    require_complete(tracker, context, draw)
    if filter not in (gl.GL_NEAREST, gl.GL_LINEAR):
        raise invalid_enum(f"filter {filter:#x}")
    if mask & ~_BLIT_BITS:
        raise invalid_value(f"mask {mask:#x}")
    depth_bits = mask & (gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
    if depth_bits and filter != gl.GL_NEAREST:
        raise invalid_operation("linear filtering of depth or stencil")
    scaled = (src_x0, src_y0, src_x1, src_y1) != (dst_x0, dst_y0, dst_x1, dst_y1)
    resolves = False
    for source, target in (
        (read.read_attachment(), next((one for one in draw.draw_attachments() if one is not None), None)),
        (read.depth, draw.depth),
        (read.stencil, draw.stencil),
    ):
        if source is None or target is None:
            continue
        resolves = resolves or _effective_samples(source) > 0
        if context.is_gles and _effective_samples(target) > 0:
            raise invalid_operation("a blit into a multisampled framebuffer")
    if mask & gl.GL_COLOR_BUFFER_BIT:
        _check_color_blit(context, filter, scaled, resolves)
    kept = mask
    if read.read_attachment() is None or not any(draw.draw_attachments()):
        kept &= ~gl.GL_COLOR_BUFFER_BIT
    for bit, source, target in (
        (gl.GL_DEPTH_BUFFER_BIT, read.depth, draw.depth),
        (gl.GL_STENCIL_BUFFER_BIT, read.stencil, draw.stencil),
    ):
        if not mask & bit:
            continue
        source_image = source.image if source is not None else None
        target_image = target.image if target is not None else None
        if source_image is None or target_image is None:
            kept &= ~bit
        elif context.is_gles and source_image.format != target_image.format:
            raise invalid_operation("depth or stencil formats differ")
        elif resolves and context.is_gles and scaled:
            raise invalid_operation("a resolve between different rectangles")
    if kept and src_x0 != src_x1 and src_y0 != src_y1 and dst_x0 != dst_x1 and dst_y0 != dst_y1:
        tracker.backend.blit(context, (src_x0, src_y0, src_x1, src_y1), (dst_x0, dst_y0, dst_x1, dst_y1), kept, filter)


def _copied_image(context: Context, name: int, target: int, level: int, z: int) -> tuple[Image, int]:
    """Image that glCopyImageSubData names, and z within it (faces of cube maps are counted as z)."""
    if target == gl.GL_RENDERBUFFER:
        renderbuffer = context.group.renderbuffers.get(name)
        image = renderbuffer.image if renderbuffer is not None else None
    else:
        texture = context.group.textures.get(name)
        if texture is None:
            raise invalid_value(f"texture {name} does not exist")
        if texture.target != target:
            raise invalid_enum(f"texture {name} has target {texture.target:#x}")
        is_cube = target == gl.GL_TEXTURE_CUBE_MAP
        image = texture.images.get((z if is_cube else 0, level))
        z = 0 if is_cube else z
    if image is None:
        raise invalid_value(f"{name} has no image at level {level}")
    return image, z


@handles("glCopyImageSubData", touches=Changes.IMAGES)
def copy_image_sub_data(
    tracker: Tracker,
    context: Context,
    src_name: int,
    src_target: int,
    src_level: int,
    src_x: int,
    src_y: int,
    src_z: int,
    dst_name: int,
    dst_target: int,
    dst_level: int,
    dst_x: int,
    dst_y: int,
    dst_z: int,
    width: int,
    height: int,
    depth: int,
) -> None:
    cubes = gl.GL_TEXTURE_CUBE_MAP in (src_target, dst_target)
    for layer in range(depth if cubes else 1):
        source, z = _copied_image(context, src_name, src_target, src_level, src_z + layer)
        target, z_target = _copied_image(context, dst_name, dst_target, dst_level, dst_z + layer)
        if not cubes or src_target != gl.GL_TEXTURE_CUBE_MAP:
            z = src_z + layer
        if not cubes or dst_target != gl.GL_TEXTURE_CUBE_MAP:
            z_target = dst_z + layer
        layers = 1 if cubes else depth
        if (
            min(width, height, depth, src_x, src_y, z, dst_x, dst_y, z_target) < 0
            or src_x + width > source.width
            or src_y + height > source.height
            or z + layers > source.depth
            or dst_x + width > target.width
            or dst_y + height > target.height
            or z_target + layers > target.depth
        ):
            raise invalid_value("the region lies outside of an image")
        if FORMATS[source.format].bytes != FORMATS[target.format].bytes or source.samples != target.samples:
            raise invalid_operation(f"images of {source.format:#x} and {target.format:#x} are not compatible")
        if FORMATS[source.format].block != FORMATS[target.format].block:
            raise invalid_operation("images of compressed and uncompressed formats")
        tracker.backend.copy_image(
            context, source, Box(src_x, src_y, z, width, height, layers), target, dst_x, dst_y, z_target
        )
    texture = context.group.textures.get(dst_name) if dst_target != gl.GL_RENDERBUFFER else None
    if texture is not None:
        texture.version += 1
