"""Texture objects: names, bindings, parameters and their queries."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.names import check_bindable, generate, requires_generated_names
from traceformat.gles.objects import BufferTexels, Sampling, Texture
from traceformat.gles.sampling import get_sampling, is_sampling, set_sampling
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import floats, floats_out, ints, ints_out, nearest, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_SAMPLING: Final = attrgetter(*[field.name for field in fields(Sampling)])
_LEVELS: Final = attrgetter("base_level", "max_level", "depth_stencil_mode", "usage")

#: Targets that only try whether there can be an image, and the targets that it would be of.
PROXY_TARGETS: Final = {
    gl.GL_PROXY_TEXTURE_1D: gl.GL_TEXTURE_1D,
    gl.GL_PROXY_TEXTURE_2D: gl.GL_TEXTURE_2D,
    gl.GL_PROXY_TEXTURE_3D: gl.GL_TEXTURE_3D,
    gl.GL_PROXY_TEXTURE_CUBE_MAP: gl.GL_TEXTURE_CUBE_MAP,
    gl.GL_PROXY_TEXTURE_2D_ARRAY: gl.GL_TEXTURE_2D_ARRAY,
    gl.GL_PROXY_TEXTURE_CUBE_MAP_ARRAY: gl.GL_TEXTURE_CUBE_MAP_ARRAY,
}
GLES_TARGETS = frozenset(
    {
        gl.GL_TEXTURE_2D,
        gl.GL_TEXTURE_CUBE_MAP,
        gl.GL_TEXTURE_3D,
        gl.GL_TEXTURE_2D_ARRAY,
        gl.GL_TEXTURE_2D_MULTISAMPLE,
        gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
        gl.GL_TEXTURE_CUBE_MAP_ARRAY,
        gl.GL_TEXTURE_EXTERNAL_OES,
        gl.GL_TEXTURE_BUFFER,
    }
)
DESKTOP_TARGETS = frozenset(
    {
        gl.GL_TEXTURE_1D,
        gl.GL_TEXTURE_2D,
        gl.GL_TEXTURE_3D,
        gl.GL_TEXTURE_1D_ARRAY,
        gl.GL_TEXTURE_2D_ARRAY,
        gl.GL_TEXTURE_RECTANGLE,
        gl.GL_TEXTURE_CUBE_MAP,
        gl.GL_TEXTURE_BUFFER,
        gl.GL_TEXTURE_2D_MULTISAMPLE,
        gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
        gl.GL_TEXTURE_CUBE_MAP_ARRAY,
    }
)
CUBE_FACES = range(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Z + 1)
SWIZZLES = (
    gl.GL_TEXTURE_SWIZZLE_R,
    gl.GL_TEXTURE_SWIZZLE_G,
    gl.GL_TEXTURE_SWIZZLE_B,
    gl.GL_TEXTURE_SWIZZLE_A,
)
SWIZZLE_SOURCES = frozenset({gl.GL_RED, gl.GL_GREEN, gl.GL_BLUE, gl.GL_ALPHA, gl.GL_ZERO, gl.GL_ONE})
MULTISAMPLED = (gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
NO_MIPMAPS = frozenset({gl.GL_TEXTURE_RECTANGLE, *MULTISAMPLED, gl.GL_TEXTURE_EXTERNAL_OES, gl.GL_TEXTURE_BUFFER})


def is_target(context: Context, target: int) -> bool:
    """Whether textures bind to it in this context."""
    return target in (GLES_TARGETS if context.config.api == 0 else DESKTOP_TARGETS)


def bound_texture(context: Context, target: int) -> Texture:
    """Texture bound to a target of the active unit, the default one if none; GL_INVALID_ENUM for what is no target."""
    texture = context.units[context.active_unit].textures.get(target)
    if texture is None or not is_target(context, target):
        raise invalid_enum(f"target {target:#x}")
    return texture


def make_texture(context: Context, name: int, target: int) -> Texture:
    """Make the texture object of a name."""
    names = context.group.textures
    texture = names.objects[name] = Texture(name, names.serial(), target)
    if target in (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_EXTERNAL_OES):
        sampling = texture.sampling
        sampling.min_filter = gl.GL_LINEAR
        sampling.wrap_s = sampling.wrap_t = sampling.wrap_r = gl.GL_CLAMP_TO_EDGE
    return texture


@handles("glActiveTexture", touches=Changes.NOTHING)
def active_texture(tracker: Tracker, context: Context, unit: int) -> None:
    index = unit - gl.GL_TEXTURE0
    if not 0 <= index < len(context.units):
        raise invalid_enum(f"texture unit {unit:#x}")
    context.active_unit = index


@handles("glGenTextures", touches=Changes.IMAGES)
def gen_textures(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["textures"] = generate(tracker, context.limits.max_names, context.group.textures, count, "textures")


@handles("glBindTexture", touches=Changes.NOTHING)
def bind_texture(tracker: Tracker, context: Context, target: int, name: int) -> None:
    if target not in (GLES_TARGETS if context.config.api == 0 else DESKTOP_TARGETS):
        raise invalid_enum(f"target {target:#x}")
    textures = context.units[context.active_unit].textures
    if name == 0:
        textures[target] = context.default_textures[target]
        context.changes.bits |= Changes.TEXTURES
        return
    names = context.group.textures
    texture = names.objects.get(name)
    if texture is None:
        check_bindable(tracker, context, names, name, "texture", generated_only=requires_generated_names(context))
        texture = make_texture(context, name, target)
    elif texture.target != target:
        raise invalid_operation(f"texture {name} has target {texture.target:#x}")
    if textures.get(target) is not texture:
        textures[target] = texture
        context.changes.bits |= Changes.TEXTURES


def _detach(tracker: Tracker, context: Context, texture: Texture) -> None:
    """Detach a deleted texture from the current framebuffers (ES 3.0.6 §D.1.2)."""
    for framebuffer in (context.draw_framebuffer, context.read_framebuffer):
        if not framebuffer.name:
            continue
        for index, attachment in enumerate(framebuffer.color):
            if attachment is not None and attachment.texture is texture:
                framebuffer.color[index] = None
        if framebuffer.depth is not None and framebuffer.depth.texture is texture:
            framebuffer.depth = None
        if framebuffer.stencil is not None and framebuffer.stencil.texture is texture:
            framebuffer.stencil = None
    tracker.epoch += 1


def image_bytes(texture: Texture) -> int:
    """Bytes that the texture's images are accounted for."""
    return sum(
        FORMATS[image.format].image_bytes(image.width, image.height, image.depth) * max(image.samples, 1)
        for image in texture.images.values()
        if image.format in FORMATS
    )


@handles("glDeleteTextures", touches=Changes.IMAGES)
def delete_textures(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        texture = context.group.textures.remove(name) if name else None
        if texture is None:
            continue
        texture.deleted = True
        tracker.allocate(0, image_bytes(texture))
        for unit in context.units:
            if unit.textures.get(texture.target) is texture:
                unit.textures[texture.target] = context.default_textures[texture.target]
        _detach(tracker, context, texture)


@handles("glIsTexture", touches=Changes.IMAGES)
def is_texture(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.group.textures.get(name) is not None)


def _parameters(texture: Texture) -> tuple[object, ...]:
    """All that calls of glTexParameter set."""
    return (*_SAMPLING(texture.sampling), *_LEVELS(texture), *texture.swizzle)


def _set_parameter(
    tracker: Tracker, context: Context, target: int, pname: int, values: tuple[float, ...], *, vector: bool
) -> None:
    texture = bound_texture(context, target)
    before = _parameters(texture)
    if target == gl.GL_TEXTURE_BUFFER:
        raise invalid_enum("a buffer texture has no parameters")
    value = values[0]
    if is_sampling(context, pname):
        if target in MULTISAMPLED:
            raise (invalid_enum if context.config.version >= 31 or not context.is_gles else invalid_operation)(
                "a multisample texture has no sampler state"
            )
        _check_unmipmapped(target, pname, nearest(value))
        set_sampling(context, texture.sampling, pname, values, vector=vector)
    elif pname in (gl.GL_TEXTURE_BASE_LEVEL, gl.GL_TEXTURE_MAX_LEVEL):
        level = nearest(value)
        if level < 0:
            raise invalid_value(f"level {level}")
        if pname == gl.GL_TEXTURE_BASE_LEVEL:
            if level and target in NO_MIPMAPS:
                raise invalid_operation("the base level of a texture without mipmaps")
            texture.base_level = level
        else:
            texture.max_level = level
    elif pname in SWIZZLES:
        if nearest(value) not in SWIZZLE_SOURCES:
            raise invalid_enum(f"swizzle {nearest(value):#x}")
        texture.swizzle[SWIZZLES.index(pname)] = nearest(value)
    elif pname == gl.GL_TEXTURE_SWIZZLE_RGBA and not context.is_gles and vector:
        swizzle = [nearest(source) for source in values[:4]]
        if not SWIZZLE_SOURCES.issuperset(swizzle):
            raise invalid_enum(f"swizzle {swizzle}")
        texture.swizzle = swizzle
    elif pname == gl.GL_DEPTH_STENCIL_TEXTURE_MODE:
        if nearest(value) not in (gl.GL_DEPTH_COMPONENT, gl.GL_STENCIL_INDEX):
            raise invalid_enum(f"mode {nearest(value):#x}")
        texture.depth_stencil_mode = nearest(value)
    elif pname == gl.GL_TEXTURE_USAGE_ANGLE:
        texture.usage = nearest(value)
    elif pname == gl.GL_GENERATE_MIPMAP and not context.is_gles and context.config.profile != 1:
        raise invalid_operation("GL_GENERATE_MIPMAP is fixed function; glGenerateMipmap does it")
    else:
        raise invalid_enum(f"pname {pname:#x}")
    # Toolkits set before each draw what is set. (Colours may differ by the sign of a zero.)
    if pname == gl.GL_TEXTURE_BORDER_COLOR or _parameters(texture) != before:
        texture.state_version += 1
        tracker.epoch += 1


def _check_unmipmapped(target: int, pname: int, value: int) -> None:
    """Rectangle and external textures have neither mipmaps nor repetition."""
    if target not in (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_EXTERNAL_OES):
        return
    if pname == gl.GL_TEXTURE_MIN_FILTER and value not in (gl.GL_NEAREST, gl.GL_LINEAR):
        raise invalid_enum(f"filter {value:#x}")
    wraps = (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T, gl.GL_TEXTURE_WRAP_R)
    if pname in wraps and value in (gl.GL_REPEAT, gl.GL_MIRRORED_REPEAT):
        raise invalid_enum(f"wrap mode {value:#x}")


def _num_values(pname: int) -> int:
    return 4 if pname in (gl.GL_TEXTURE_BORDER_COLOR, gl.GL_TEXTURE_SWIZZLE_RGBA) else 1


@handles("glTexParameteri", touches=Changes.IMAGES)
def tex_parameter_i(tracker: Tracker, context: Context, target: int, pname: int, value: int) -> None:
    _set_parameter(tracker, context, target, pname, (value,), vector=False)


@handles("glTexParameterf", touches=Changes.IMAGES)
def tex_parameter_f(tracker: Tracker, context: Context, target: int, pname: int, value: float) -> None:
    _set_parameter(tracker, context, target, pname, (value,), vector=False)


def _take_vectors(name: str, read: Callable[[object, int], tuple[float, ...]], color_unit: float = 1.0) -> None:
    """Have an entry point set vectors that ``read`` reads; of a colour ``color_unit`` stands for 1."""

    @handles(name, touches=Changes.IMAGES)
    def set_vector(tracker: Tracker, context: Context, target: int, pname: int, data: object) -> None:
        values = read(data, _num_values(pname))
        if pname == gl.GL_TEXTURE_BORDER_COLOR and color_unit != 1.0:
            values = tuple(value / color_unit for value in values)
        _set_parameter(tracker, context, target, pname, values, vector=True)


_take_vectors("glTexParameteriv", ints, 2147483647.0)
_take_vectors("glTexParameterfv", floats)
_take_vectors("glTexParameterIiv", ints)
_take_vectors("glTexParameterIuiv", uints)


def _get_parameter(context: Context, target: int, pname: int) -> tuple[float, ...]:
    texture = bound_texture(context, target)
    if is_sampling(context, pname):
        return get_sampling(texture.sampling, pname)
    if pname in SWIZZLES:
        return (texture.swizzle[SWIZZLES.index(pname)],)
    if pname == gl.GL_TEXTURE_SWIZZLE_RGBA and not context.is_gles:
        return tuple(texture.swizzle)
    known = {
        gl.GL_TEXTURE_BASE_LEVEL: texture.base_level,
        gl.GL_TEXTURE_MAX_LEVEL: texture.max_level,
        gl.GL_TEXTURE_IMMUTABLE_FORMAT: int(texture.immutable_levels > 0),
        gl.GL_TEXTURE_IMMUTABLE_LEVELS: texture.immutable_levels,
        gl.GL_DEPTH_STENCIL_TEXTURE_MODE: texture.depth_stencil_mode,
        gl.GL_TEXTURE_USAGE_ANGLE: texture.usage,
    }.get(pname)
    if known is None:
        raise invalid_enum(f"pname {pname:#x}")
    return (known,)


@handles("glGetTexParameteriv", "glGetTexParameterIiv", "glGetTexParameterIuiv", touches=Changes.IMAGES)
def get_tex_parameter_iv(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    values = _get_parameter(context, target, pname)
    if pname == gl.GL_TEXTURE_BORDER_COLOR and tracker.call.name == "glGetTexParameteriv":
        values = tuple(value * 2147483647.0 for value in values)
    tracker.outputs["params"] = ints_out([nearest(value) for value in values])


@handles("glGetTexParameterfv", touches=Changes.IMAGES)
def get_tex_parameter_fv(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = floats_out(_get_parameter(context, target, pname))


_COMPONENT_BITS = {
    gl.GL_TEXTURE_RED_SIZE: 0,
    gl.GL_TEXTURE_GREEN_SIZE: 1,
    gl.GL_TEXTURE_BLUE_SIZE: 2,
    gl.GL_TEXTURE_ALPHA_SIZE: 3,
    gl.GL_TEXTURE_DEPTH_SIZE: 4,
    gl.GL_TEXTURE_STENCIL_SIZE: 5,
}


_OF_BUFFERS = (gl.GL_TEXTURE_BUFFER_DATA_STORE_BINDING, gl.GL_TEXTURE_BUFFER_OFFSET, gl.GL_TEXTURE_BUFFER_SIZE)


def num_texels(context: Context, texels: BufferTexels) -> int:
    """Texels of a buffer texture: whole ones, as far as buffer and limit go."""
    return min(len(texels.bytes) // FORMATS[texels.format].bytes, context.limits.max_texture_buffer_size)


def _texels_parameter(context: Context, texels: BufferTexels, pname: int) -> int:
    found = {
        gl.GL_TEXTURE_WIDTH: num_texels(context, texels),
        gl.GL_TEXTURE_HEIGHT: 1,
        gl.GL_TEXTURE_DEPTH: 1,
        gl.GL_TEXTURE_INTERNAL_FORMAT: texels.format,
        gl.GL_TEXTURE_FIXED_SAMPLE_LOCATIONS: 1,
        gl.GL_TEXTURE_SAMPLES: 0,
        gl.GL_TEXTURE_COMPRESSED: 0,
        gl.GL_TEXTURE_SHARED_SIZE: 0,
        gl.GL_TEXTURE_BUFFER_DATA_STORE_BINDING: texels.buffer.name,
        gl.GL_TEXTURE_BUFFER_OFFSET: texels.offset,
        gl.GL_TEXTURE_BUFFER_SIZE: texels.size or len(texels.buffer.store),
    } | {size: FORMATS[texels.format].bits[channel] for size, channel in _COMPONENT_BITS.items()}
    if pname not in found:
        raise invalid_enum(f"pname {pname:#x}")
    return found[pname]


def _level_parameter(context: Context, target: int, level: int, pname: int) -> int:
    if target in PROXY_TARGETS and not context.is_gles:
        image = context.proxies.get((target, level))
    else:
        face = target - CUBE_FACES.start if target in CUBE_FACES else 0
        texture = bound_texture(context, gl.GL_TEXTURE_CUBE_MAP if target in CUBE_FACES else target)
        if level < 0 or (level and texture.target in NO_MIPMAPS) or level > 31:
            raise invalid_value(f"level {level}")
        if texture.texels is not None:
            return _texels_parameter(context, texture.texels, pname)
        image = texture.images.get((face, level))
    if pname == gl.GL_TEXTURE_WIDTH:
        return image.width if image is not None else 0
    if pname == gl.GL_TEXTURE_HEIGHT:
        return image.height if image is not None else 0
    if pname == gl.GL_TEXTURE_DEPTH:
        return image.depth if image is not None else 0
    if pname == gl.GL_TEXTURE_INTERNAL_FORMAT:
        return image.requested_format or image.format if image is not None else gl.GL_RGBA
    if pname == gl.GL_TEXTURE_SAMPLES:
        return image.samples if image is not None else 0
    if pname == gl.GL_TEXTURE_FIXED_SAMPLE_LOCATIONS:
        return 1
    if pname == gl.GL_TEXTURE_COMPRESSED:
        return int(image is not None and FORMATS[image.format].compressed)
    if pname == gl.GL_TEXTURE_SHARED_SIZE:
        return 5 if image is not None and image.format == gl.GL_RGB9_E5 else 0
    if target == gl.GL_TEXTURE_BUFFER and pname in _OF_BUFFERS:
        return 0
    if pname in _COMPONENT_BITS:
        return FORMATS[image.format].bits[_COMPONENT_BITS[pname]] if image is not None else 0
    raise invalid_enum(f"pname {pname:#x}")


@handles("glGetTexLevelParameteriv", touches=Changes.IMAGES)
def get_tex_level_parameter_iv(
    tracker: Tracker, context: Context, target: int, level: int, pname: int, _: object
) -> None:
    tracker.outputs["params"] = ints_out([_level_parameter(context, target, level, pname)])


@handles("glGetTexLevelParameterfv", touches=Changes.IMAGES)
def get_tex_level_parameter_fv(
    tracker: Tracker, context: Context, target: int, level: int, pname: int, _: object
) -> None:
    tracker.outputs["params"] = floats_out([_level_parameter(context, target, level, pname)])
