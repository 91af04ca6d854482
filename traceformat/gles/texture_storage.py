"""Immutable texture storage, multisample textures, mipmap generation, read-back of textures."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, INTEGER_FORMATS, UNSIZED, Format, unpack_problem
from traceformat.gles.objects import Image, Texture
from traceformat.gles.pixel_transfer import check_pack, layout_of, pack
from traceformat.gles.state import Changes, Context
from traceformat.gles.texture_levels import VOLUME_TARGETS, check_memory, check_size, locate
from traceformat.gles.textures import CUBE_FACES, NO_MIPMAPS, bound_texture

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_UNSIZED_STORAGE = {
    gl.GL_ALPHA8_EXT,
    gl.GL_LUMINANCE8_EXT,
    gl.GL_LUMINANCE8_ALPHA8_EXT,
    gl.GL_BGRA8_EXT,
}
_IMAGE_TARGETS = frozenset({gl.GL_TEXTURE_2D, gl.GL_TEXTURE_RECTANGLE, *VOLUME_TARGETS, *CUBE_FACES})


def _faces(target: int) -> int:
    return 6 if target == gl.GL_TEXTURE_CUBE_MAP else 1


def level_size(target: int, width: int, height: int, depth: int, level: int) -> tuple[int, int, int]:
    """Size of a mipmap level, from the size of level 0; layers of arrays stay as they are."""
    return (
        max(width >> level, 1),
        max(height >> level, 1) if target != gl.GL_TEXTURE_1D_ARRAY else height,
        max(depth >> level, 1) if target == gl.GL_TEXTURE_3D else depth,
    )


def _allocate(
    tracker: Tracker,
    context: Context,
    texture: Texture,
    levels: int,
    format: Format,
    size: tuple[int, int, int],
    samples: int = 0,
) -> None:
    """Make all images of a texture at once."""
    images: dict[tuple[int, int], Image] = {}
    accounted = 0
    for level in range(levels):
        width, height, depth = level_size(texture.target, *size, level)
        accounted += check_memory(context, format, width, height, depth, samples) * _faces(texture.target)
        for face in range(_faces(texture.target)):
            images[(face, level)] = Image(width, height, depth, format.name, samples, format.name)
    freed = sum(
        FORMATS[old.format].image_bytes(old.width, old.height, old.depth) * max(old.samples, 1)
        for old in texture.images.values()
    )
    tracker.allocate(accounted, freed)
    texture.images = images
    texture.immutable_levels = levels
    texture.version += 1
    texture.state_version += 1
    tracker.epoch += 1
    tracker.backend.define_storage(context, texture)


def _storage(
    tracker: Tracker,
    context: Context,
    target: int,
    levels: int,
    internal: int,
    size: tuple[int, int, int],
    targets: tuple[int, ...],
) -> None:
    if target not in targets:
        raise invalid_enum(f"target {target:#x}")
    texture = bound_texture(context, target)
    format = FORMATS.get(internal)
    if format is None or internal == gl.GL_ETC1_RGB8_OES:
        raise invalid_enum(f"internal format {internal:#x} is not sized")
    if levels < 1 or min(size) < 1:
        raise invalid_value(f"{levels} levels of {size[0]} x {size[1]} x {size[2]}")
    check_size(context, target, 0, *size)
    if texture.name == 0:
        raise invalid_operation("the default texture has no immutable storage")
    if texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable already")
    extent = max(size[0], size[1], size[2] if target == gl.GL_TEXTURE_3D else 1)
    if levels > extent.bit_length():
        raise invalid_operation(f"{levels} levels of {size[0]} x {size[1]} x {size[2]}")
    if target == gl.GL_TEXTURE_3D and (not format.is_color or format.compressed):
        raise invalid_operation(f"a 3D texture of format {internal:#x}")
    _allocate(tracker, context, texture, levels, format, size)


@handles("glTexStorage1D", touches=Changes.IMAGES)
def tex_storage_1d(tracker: Tracker, context: Context, target: int, levels: int, internal: int, width: int) -> None:
    _storage(tracker, context, target, levels, internal, (width, 1, 1), (gl.GL_TEXTURE_1D,))


@handles("glTexStorage2D", touches=Changes.IMAGES)
def tex_storage_2d(
    tracker: Tracker, context: Context, target: int, levels: int, internal: int, width: int, height: int
) -> None:
    targets = (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_1D_ARRAY)
    _storage(tracker, context, target, levels, internal, (width, height, 1), targets)


@handles("glTexStorage3D", touches=Changes.IMAGES)
def tex_storage_3d(
    tracker: Tracker, context: Context, target: int, levels: int, internal: int, width: int, height: int, depth: int
) -> None:
    _storage(tracker, context, target, levels, internal, (width, height, depth), tuple(VOLUME_TARGETS))


@handles("glTexStorage2DMultisample", "glTexImage2DMultisample", touches=Changes.IMAGES)
def tex_storage_2d_multisample(
    tracker: Tracker, context: Context, target: int, samples: int, internal: int, width: int, height: int, fixed: int
) -> None:
    if target != gl.GL_TEXTURE_2D_MULTISAMPLE:
        raise invalid_enum(f"target {target:#x}")
    _multisampled(tracker, context, target, samples, internal, (width, height, 1))


@handles("glTexStorage3DMultisample", "glTexImage3DMultisample", touches=Changes.IMAGES)
def tex_storage_3d_multisample(
    tracker: Tracker,
    context: Context,
    target: int,
    samples: int,
    internal: int,
    width: int,
    height: int,
    depth: int,
    fixed: int,
) -> None:
    if target != gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        raise invalid_enum(f"target {target:#x}")
    _multisampled(tracker, context, target, samples, internal, (width, height, depth))


def _multisampled(
    tracker: Tracker, context: Context, target: int, samples: int, internal: int, size: tuple[int, int, int]
) -> None:
    texture = bound_texture(context, target)
    format = FORMATS.get(internal)
    if format is None or format.compressed or not (format.renderable or not context.is_gles):
        raise invalid_enum(f"internal format {internal:#x} cannot be rendered to")
    if samples < 1 or min(size) < 1:
        raise invalid_value(f"{samples} samples of {size[0]} x {size[1]} x {size[2]}")
    check_size(context, target, 0, *size)
    if samples > context.limits.max_samples:
        raise invalid_operation(f"{samples} samples")
    if texture.name == 0 or texture.immutable_levels:
        raise invalid_operation("the texture's storage is immutable")
    _allocate(tracker, context, texture, 1, format, size, samples)
    if tracker.call.name.startswith("glTexImage"):
        texture.immutable_levels = 0


@handles("glGenerateMipmap", touches=Changes.IMAGES)
def generate_mipmap(tracker: Tracker, context: Context, target: int) -> None:
    if target in CUBE_FACES or target in NO_MIPMAPS - {gl.GL_TEXTURE_EXTERNAL_OES}:
        raise invalid_enum(f"target {target:#x}")
    texture = bound_texture(context, target)
    if texture.base_level >= texture.max_level:
        return
    base = texture.images.get((0, texture.base_level))
    if base is None:
        raise invalid_operation("the texture has no base level")
    format = FORMATS[base.format]
    sized = base.requested_format not in UNSIZED and base.format not in _UNSIZED_STORAGE
    if format.compressed or not format.is_color or format.is_integer:
        raise invalid_operation(f"mipmaps of format {base.format:#x}")
    if context.is_gles and sized and not (format.renderable and format.filterable):
        raise invalid_operation(f"mipmaps of format {base.format:#x}")
    if target == gl.GL_TEXTURE_CUBE_MAP:
        faces = [texture.images.get((face, texture.base_level)) for face in range(6)]
        shapes = {(face.width, face.height, face.format) if face is not None else None for face in faces}
        if len(shapes) > 1:
            raise invalid_operation("the cube map is not complete")
    if not (base.width and base.height and base.depth):
        return
    extent = max(base.width, base.height, base.depth if target == gl.GL_TEXTURE_3D else 1)
    last = min(texture.base_level + extent.bit_length() - 1, texture.max_level)
    if texture.immutable_levels:
        last = min(last, texture.immutable_levels - 1)
    _make_levels(tracker, texture, base, last)
    texture.version += 1
    tracker.epoch += 1
    tracker.backend.generate_mipmap(context, texture)


def _make_levels(tracker: Tracker, texture: Texture, base: Image, last: int) -> None:
    """Make the images above the base level that are missing or of another size or format."""
    wanted: dict[tuple[int, int], Image] = {}
    added = freed = 0
    for level in range(texture.base_level + 1, last + 1):
        size = level_size(texture.target, base.width, base.height, base.depth, level - texture.base_level)
        for face in range(_faces(texture.target)):
            old = texture.images.get((face, level))
            if old is not None and (old.width, old.height, old.depth) == size and old.format == base.format:
                continue
            freed += FORMATS[old.format].image_bytes(old.width, old.height, old.depth) if old is not None else 0
            added += FORMATS[base.format].image_bytes(*size)
            wanted[(face, level)] = Image(*size, base.format, 0, base.requested_format)
    tracker.allocate(added, freed)
    if wanted:
        texture.images.update(wanted)
        texture.state_version += 1


@handles("glGetTexImage", touches=Changes.IMAGES)
def get_tex_image(
    tracker: Tracker, context: Context, target: int, level: int, format: int, type: int, pixels: object
) -> None:
    texture, face = locate(context, target, level, _IMAGE_TARGETS)
    problem = unpack_problem(format, type, False)
    if problem == gl.GL_INVALID_ENUM:
        raise invalid_enum(f"format {format:#x} or type {type:#x}")
    image = texture.images.get((face, level))
    if image is None:
        return
    kept = FORMATS[image.format]
    is_depth = format in (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL, gl.GL_STENCIL_INDEX)
    if problem or is_depth == kept.is_color or (kept.is_color and kept.is_integer != (format in INTEGER_FORMATS)):
        raise invalid_operation(f"format {format:#x} from an image of {image.format:#x}")
    layout = layout_of(context.pack, format, type, image.width, image.height, image.depth, volume=image.depth > 1)
    check_pack(context, layout, type, pixels)
    data = tracker.backend.read_image(context, texture, face, level, image, format, type)
    pack(tracker, context, data, layout, image.height, image.depth, pixels, "pixels")
