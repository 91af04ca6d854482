"""Mutable texture images: glTexImage*, glTexSubImage*, their compressed forms, and copies from framebuffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.completeness import require_complete
from traceformat.gles.dispatch import GLError, handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, INTEGER_FORMATS, UNSIZED, Format, sized_format, unpack_problem, uploads
from traceformat.gles.objects import Image, Texture
from traceformat.gles.pixel_transfer import unpack, unpack_compressed
from traceformat.gles.state import Context
from traceformat.gles.textures import CUBE_FACES, NO_MIPMAPS, bound_texture, is_target

if TYPE_CHECKING:
    from traceformat.gles.tracker import Tracker

PLANAR_TARGETS = frozenset({gl.GL_TEXTURE_2D, gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_1D_ARRAY, *CUBE_FACES})
VOLUME_TARGETS = frozenset({gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY})
PROXY_TARGETS = frozenset(
    {gl.GL_PROXY_TEXTURE_1D, gl.GL_PROXY_TEXTURE_2D, gl.GL_PROXY_TEXTURE_3D, gl.GL_PROXY_TEXTURE_CUBE_MAP}
)


def locate(c: Context, target: int, level: int, targets: frozenset[int]) -> tuple[Texture, int]:
    """Texture and face that an image target stands for; checks target and level."""
    if target not in targets:
        raise invalid_enum(f"target {target:#x}")
    if target in CUBE_FACES:
        texture, face = bound_texture(c, gl.GL_TEXTURE_CUBE_MAP), target - CUBE_FACES.start
    else:
        texture, face = bound_texture(c, target), 0
    if level < 0 or level > largest_size(c, texture.target).bit_length() - 1 or (level and target in NO_MIPMAPS):
        raise invalid_value(f"level {level}")
    return texture, face


def largest_size(c: Context, target: int) -> int:
    """Largest width and height of the base level."""
    if target == gl.GL_TEXTURE_CUBE_MAP:
        return c.limits.max_cube_map_texture_size
    if target == gl.GL_TEXTURE_3D:
        return c.limits.max_3d_texture_size
    if target == gl.GL_TEXTURE_RECTANGLE:
        return c.limits.max_rectangle_texture_size
    return c.limits.max_texture_size


def check_size(c: Context, target: int, level: int, width: int, height: int, depth: int) -> None:
    """Check the size of an image: GL_INVALID_VALUE if there can be none of that size."""
    largest = max(largest_size(c, target) >> level, 1)
    rows, layers = largest, 1
    if target == gl.GL_TEXTURE_3D:
        layers = largest
    elif target == gl.GL_TEXTURE_2D_ARRAY:
        layers = c.limits.max_array_texture_layers
    elif target == gl.GL_TEXTURE_1D_ARRAY:
        rows = c.limits.max_array_texture_layers
    if not (0 <= width <= largest and 0 <= height <= rows and 0 <= depth <= layers):
        raise invalid_value(f"size {width} x {height} x {depth} at level {level}")
    if target == gl.GL_TEXTURE_CUBE_MAP and width != height:
        raise invalid_value(f"a cube face of {width} x {height}")


def check_memory(c: Context, format: Format, width: int, height: int, depth: int, samples: int = 1) -> int:
    """Bytes of an image; GL_OUT_OF_MEMORY if they are more than ``max_image_bytes``."""
    size = format.image_bytes(width, height, depth) * max(samples, 1)
    if size > c.limits.max_image_bytes:
        raise GLError(gl.GL_OUT_OF_MEMORY, f"an image of {size} bytes is larger than max_image_bytes")
    return size


def _choose_format(c: Context, target: int, internal: int, format: int, type: int) -> Format:
    """Sized format of an upload, or the error that the combination raises."""
    problem = unpack_problem(format, type, c.is_gles)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    sized = sized_format(internal, format, type, gles=c.is_gles)
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


def define_image(
    t: Tracker, c: Context, texture: Texture, face: int, level: int, image: Image, size: int, copies: bool = False
) -> None:
    """Put an image in its place and account for it."""
    old = texture.images.get((face, level))
    freed = FORMATS[old.format].image_bytes(old.width, old.height, old.depth) if old is not None else 0
    t.allocate(size, freed)
    texture.images[(face, level)] = image
    texture.version += 1
    texture.state_version += 1
    t.epoch += 1


def _tex_image(
    t: Tracker,
    c: Context,
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
    if target in PROXY_TARGETS and not c.is_gles:
        return
    texture, face = locate(c, target, level, targets)
    width, height, depth = size
    if border:
        raise invalid_value(f"border {border}")
    if min(size) < 0:
        raise invalid_value(f"size {width} x {height} x {depth}")
    chosen = _choose_format(c, target, internal & 0xFFFFFFFF, format, type)
    check_size(c, texture.target, level, width, height, depth)
    if texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable")
    accounted = check_memory(c, chosen, width, height, depth)
    volume = target in VOLUME_TARGETS
    data = unpack(c, format, type, width, height, depth, pixels, volume=volume, required=False)
    image = Image(width, height, depth, chosen.name, 0, internal)
    define_image(t, c, texture, face, level, image, accounted)
    t.backend.define_image(c, texture, face, level, image, data)


@handles("glTexImage2D")
def tex_image_2d(
    t: Tracker,
    c: Context,
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
    _tex_image(t, c, target, level, internal, size, border, format, type, pixels, PLANAR_TARGETS)


@handles("glTexImage3D")
def tex_image_3d(
    t: Tracker,
    c: Context,
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
    _tex_image(t, c, target, level, internal, size, border, format, type, pixels, VOLUME_TARGETS)


def _existing(texture: Texture, face: int, level: int, box: Box) -> Image:
    """Image that a sub-image call changes; checks that it exists and holds the box."""
    image = texture.images.get((face, level))
    if image is None:
        raise invalid_operation(f"level {level} has no image")
    if (
        min(box.x, box.y, box.z, box.width, box.height, box.depth) < 0
        or box.x + box.width > image.width
        or box.y + box.height > image.height
        or box.z + box.depth > image.depth
    ):
        raise invalid_value(f"{box} in an image of {image.width} x {image.height} x {image.depth}")
    return image


def _accepts(c: Context, image: Image, format: int, type: int) -> bool:
    """Whether a sub-image of that client format and type fits the image (ES 3.0.6 §3.8.5)."""
    kept = FORMATS[image.format]
    if not c.is_gles:
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
    t: Tracker,
    c: Context,
    target: int,
    level: int,
    box: Box,
    format: int,
    type: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(c, target, level, targets)
    problem = unpack_problem(format, type, c.is_gles)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    image = _existing(texture, face, level, box)
    if problem or FORMATS[image.format].compressed or not _accepts(c, image, format, type):
        raise invalid_operation(f"format {format:#x}, type {type:#x} into an image of {image.format:#x}")
    volume = target in VOLUME_TARGETS
    data = unpack(c, format, type, box.width, box.height, box.depth, pixels, volume=volume, required=True)
    if data is not None:
        texture.version += 1
        t.backend.update_image(c, texture, face, level, image, box, data)


@handles("glTexSubImage2D")
def tex_sub_image_2d(
    t: Tracker,
    c: Context,
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
    _tex_sub_image(t, c, target, level, Box(x, y, 0, width, height, 1), format, type, pixels, PLANAR_TARGETS)


@handles("glTexSubImage3D")
def tex_sub_image_3d(
    t: Tracker,
    c: Context,
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
    _tex_sub_image(t, c, target, level, box, format, type, pixels, VOLUME_TARGETS)


def _compressed_image(
    t: Tracker,
    c: Context,
    target: int,
    level: int,
    internal: int,
    size: tuple[int, int, int],
    border: int,
    num_bytes: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(c, target, level, targets)
    format = FORMATS.get(internal)
    if format is None or not format.compressed:
        raise invalid_enum(f"internal format {internal:#x} is not a compressed format")
    if border:
        raise invalid_value(f"border {border}")
    width, height, depth = size
    check_size(c, texture.target, level, width, height, depth)
    if num_bytes != format.image_bytes(width, height, depth):
        raise invalid_value(f"{num_bytes} bytes for {width} x {height} x {depth} of format {internal:#x}")
    if texture.target == gl.GL_TEXTURE_3D:
        raise invalid_operation("a compressed 3D texture")
    if texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable")
    accounted = check_memory(c, format, width, height, depth)
    data = unpack_compressed(c, internal, num_bytes, pixels)
    image = Image(width, height, depth, internal, 0, internal)
    define_image(t, c, texture, face, level, image, accounted)
    t.backend.define_image(c, texture, face, level, image, data)


@handles("glCompressedTexImage2D")
def compressed_tex_image_2d(
    t: Tracker,
    c: Context,
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
    _compressed_image(t, c, target, level, internal, size, border, num_bytes, pixels, PLANAR_TARGETS)


@handles("glCompressedTexImage3D")
def compressed_tex_image_3d(
    t: Tracker,
    c: Context,
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
    _compressed_image(t, c, target, level, internal, size, border, num_bytes, pixels, VOLUME_TARGETS)


def _compressed_sub_image(
    t: Tracker,
    c: Context,
    target: int,
    level: int,
    box: Box,
    internal: int,
    num_bytes: int,
    pixels: object,
    targets: frozenset[int],
) -> None:
    texture, face = locate(c, target, level, targets)
    format = FORMATS.get(internal)
    if format is None or not format.compressed:
        raise invalid_enum(f"format {internal:#x} is not a compressed format")
    image = _existing(texture, face, level, box)
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
    data = unpack_compressed(c, internal, num_bytes, pixels)
    if data is not None and num_bytes:
        texture.version += 1
        t.backend.update_image(c, texture, face, level, image, box, data)


@handles("glCompressedTexSubImage2D")
def compressed_tex_sub_image_2d(
    t: Tracker,
    c: Context,
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
    _compressed_sub_image(t, c, target, level, box, format, num_bytes, pixels, PLANAR_TARGETS)


@handles("glCompressedTexSubImage3D")
def compressed_tex_sub_image_3d(
    t: Tracker,
    c: Context,
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
    _compressed_sub_image(t, c, target, level, box, format, num_bytes, pixels, VOLUME_TARGETS)


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


def _read_image(t: Tracker, c: Context, wanted: Format) -> Image:
    """Image that a copy reads: the read framebuffer's colour (or depth); checks completeness and samples."""
    framebuffer = c.read_framebuffer
    require_complete(t, c, framebuffer)
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


@handles("glCopyTexImage2D")
def copy_tex_image_2d(
    t: Tracker,
    c: Context,
    target: int,
    level: int,
    internal: int,
    x: int,
    y: int,
    width: int,
    height: int,
    border: int,
) -> None:
    texture, face = locate(c, target, level, PLANAR_TARGETS)
    name = internal if internal in FORMATS else _COPY_SIZED.get(internal, 0)
    if not name:
        raise invalid_enum(f"internal format {internal:#x}")
    if border:
        raise invalid_value(f"border {border}")
    check_size(c, texture.target, level, width, height, 1)
    format = FORMATS[name]
    if format.compressed or name == gl.GL_RGB9_E5 or texture.immutable_levels:
        raise invalid_operation("such an image cannot be copied into")
    source = _read_image(t, c, format)
    _check_copy(FORMATS[source.format], format)
    if internal in _COPY_SIZED and FORMATS[source.format].kind == "float":
        # An unsized format takes the read buffer's precision (ES 3.0.6 §3.8.5).
        format = FORMATS[source.format] if FORMATS[source.format].base == format.base else format
    accounted = check_memory(c, format, width, height, 1)
    image = Image(width, height, 1, format.name, 0, internal)
    define_image(t, c, texture, face, level, image, accounted)
    t.backend.define_image(c, texture, face, level, image, None)
    if width and height:
        t.backend.copy_to_image(c, texture, face, level, image, Box(0, 0, 0, width, height, 1), x, y)


def _copy_sub_image(
    t: Tracker, c: Context, target: int, level: int, box: Box, x: int, y: int, targets: frozenset[int]
) -> None:
    texture, face = locate(c, target, level, targets)
    image = _existing(texture, face, level, box)
    format = FORMATS[image.format]
    if format.compressed or image.format == gl.GL_RGB9_E5:
        raise invalid_operation("such an image cannot be copied into")
    source = _read_image(t, c, format)
    _check_copy(FORMATS[source.format], format)
    if box.width and box.height:
        texture.version += 1
        t.backend.copy_to_image(c, texture, face, level, image, box, x, y)


@handles("glCopyTexSubImage2D")
def copy_tex_sub_image_2d(
    t: Tracker,
    c: Context,
    target: int,
    level: int,
    x_offset: int,
    y_offset: int,
    x: int,
    y: int,
    width: int,
    height: int,
) -> None:
    _copy_sub_image(t, c, target, level, Box(x_offset, y_offset, 0, width, height, 1), x, y, PLANAR_TARGETS)


@handles("glCopyTexSubImage3D")
def copy_tex_sub_image_3d(
    t: Tracker,
    c: Context,
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
    _copy_sub_image(t, c, target, level, box, x, y, VOLUME_TARGETS)


def is_image_target(c: Context, target: int) -> bool:
    """Whether a target names an image (faces apart)."""
    return target in CUBE_FACES or (target != gl.GL_TEXTURE_CUBE_MAP and is_target(c, target))
