"""What all calls on texture images have in common: targets, levels, sizes, and the place of an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.backend import Box
from traceformat.gles.dispatch import OverGuard, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS, Format
from traceformat.gles.objects import Image, Texture
from traceformat.gles.state import Context
from traceformat.gles.textures import CUBE_FACES, NO_MIPMAPS, bound_texture

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


#: Desktop GL's; kept as images of height 1.
LINE_TARGETS = frozenset({gl.GL_TEXTURE_1D})
PLANAR_TARGETS = frozenset({gl.GL_TEXTURE_2D, gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_1D_ARRAY, *CUBE_FACES})
VOLUME_TARGETS = frozenset({gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY})

_CUBES = (gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY)
_ARRAYS = (gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)


def locate(context: Context, target: int, level: int, targets: frozenset[int]) -> tuple[Texture, int]:
    """Texture and face that an image target stands for; checks target and level."""
    if target not in targets:
        raise invalid_enum(f"target {target:#x}")
    if target in CUBE_FACES:
        texture, face = bound_texture(context, gl.GL_TEXTURE_CUBE_MAP), target - CUBE_FACES.start
    else:
        texture, face = bound_texture(context, target), 0
    if level < 0 or level > largest_size(context, texture.target).bit_length() - 1 or (level and target in NO_MIPMAPS):
        raise invalid_value(f"level {level}")
    return texture, face


def largest_size(context: Context, target: int) -> int:
    """Largest width and height of the base level."""
    if target in _CUBES:
        return context.limits.max_cube_map_texture_size
    if target == gl.GL_TEXTURE_3D:
        return context.limits.max_3d_texture_size
    if target == gl.GL_TEXTURE_RECTANGLE:
        return context.limits.max_rectangle_texture_size
    return context.limits.max_texture_size


def check_size(context: Context, target: int, level: int, width: int, height: int, depth: int) -> None:
    """Check the size of an image: GL_INVALID_VALUE if there can be none of that size."""
    largest = max(largest_size(context, target) >> level, 1)
    rows, layers = largest, 1
    if target == gl.GL_TEXTURE_3D:
        layers = largest
    elif target in _ARRAYS:
        layers = context.limits.max_array_texture_layers
    elif target == gl.GL_TEXTURE_1D:
        rows = 1
    elif target == gl.GL_TEXTURE_1D_ARRAY:
        rows = context.limits.max_array_texture_layers
    if not (0 <= width <= largest and 0 <= height <= rows and 0 <= depth <= layers):
        raise invalid_value(f"size {width} x {height} x {depth} at level {level}")
    if target in _CUBES and width != height:
        raise invalid_value(f"a cube face of {width} x {height}")
    if target == gl.GL_TEXTURE_CUBE_MAP_ARRAY and depth % 6:
        raise invalid_value(f"{depth} faces are no whole cubes")


def check_memory(context: Context, format: Format, width: int, height: int, depth: int, samples: int = 1) -> int:
    """Bytes of an image; GL_OUT_OF_MEMORY if they are more than ``max_image_bytes``."""
    size = format.image_bytes(width, height, depth) * max(samples, 1)
    if size > context.limits.max_image_bytes:
        raise OverGuard(f"an image of {size} bytes", "image", context.limits.max_image_bytes)
    return size


def define_image(
    tracker: Tracker, context: Context, texture: Texture, face: int, level: int, image: Image, size: int
) -> None:
    """Put an image in its place and account for it."""
    old = texture.images.get((face, level))
    freed = FORMATS[old.format].image_bytes(old.width, old.height, old.depth) if old is not None else 0
    tracker.allocate(size, freed)
    texture.images[(face, level)] = image
    texture.version += 1
    texture.state_version += 1
    tracker.epoch += 1


def holds(image: Image, box: Box) -> bool:
    """Whether a box lies in an image."""
    return (
        min(box.x, box.y, box.z, box.width, box.height, box.depth) >= 0
        and box.x + box.width <= image.width
        and box.y + box.height <= image.height
        and box.z + box.depth <= image.depth
    )


def existing_image(texture: Texture, face: int, level: int, box: Box) -> Image:
    """Image that a sub-image call changes; checks that it exists and holds the box."""
    image = texture.images.get((face, level))
    if image is None:
        raise invalid_operation(f"level {level} has no image")
    if not holds(image, box):
        raise invalid_value(f"{box} in an image of {image.width} x {image.height} x {image.depth}")
    return image
