"""Framebuffer objects: binding, attachments, draw and read buffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from traceformat.gles import enums as gl
from traceformat.gles.completeness import framebuffer_status
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.names import check_bindable, generate, requires_generated_names
from traceformat.gles.objects import Attachment, Framebuffer, Texture
from traceformat.gles.state import Changes, Context
from traceformat.gles.texture_levels import largest_size
from traceformat.gles.textures import CUBE_FACES, NO_MIPMAPS
from traceformat.gles.values import uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

#: Textures whose levels are attached with all their layers.
_LAYERED: Final = (
    gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_CUBE_MAP,
    gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
)  # fmt: skip
#: Those of which one layer is attached; faces of a cube map are images of their own.
ONE_OF_LAYERS: Final = tuple(target for target in _LAYERED if target != gl.GL_TEXTURE_CUBE_MAP)


FRAMEBUFFER_TARGETS = frozenset({gl.GL_FRAMEBUFFER, gl.GL_DRAW_FRAMEBUFFER, gl.GL_READ_FRAMEBUFFER})


def bound_framebuffer(context: Context, target: int) -> Framebuffer:
    """Framebuffer bound to a target; GL_INVALID_ENUM for what is no target."""
    if target in (gl.GL_FRAMEBUFFER, gl.GL_DRAW_FRAMEBUFFER):
        return context.draw_framebuffer
    if target == gl.GL_READ_FRAMEBUFFER:
        return context.read_framebuffer
    raise invalid_enum(f"target {target:#x}")


@handles("glGenFramebuffers", "glCreateFramebuffers")
def gen_framebuffers(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["framebuffers"] = generate(
        tracker, context.limits.max_names, context.framebuffers, count, "framebuffers"
    )


@handles("glBindFramebuffer", touches=Changes.BUT_VERTEX)
def bind_framebuffer(tracker: Tracker, context: Context, target: int, name: int) -> None:
    if target not in FRAMEBUFFER_TARGETS:
        raise invalid_enum(f"target {target:#x}")
    if name == 0:
        draw, read = context.default_framebuffer, context.default_read_framebuffer
    else:
        framebuffer = context.framebuffers.objects.get(name)
        if framebuffer is None:
            check_bindable(
                tracker,
                context,
                context.framebuffers,
                name,
                "framebuffer",
                generated_only=requires_generated_names(context),
            )
            framebuffer = context.framebuffers.objects[name] = Framebuffer(
                name, context.framebuffers.serial(), created=True
            )
        draw = read = framebuffer
    if target != gl.GL_READ_FRAMEBUFFER:
        context.draw_framebuffer = draw
    if target != gl.GL_DRAW_FRAMEBUFFER:
        context.read_framebuffer = read


@handles("glDeleteFramebuffers")
def delete_framebuffers(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        framebuffer = context.framebuffers.remove(name) if name else None
        if framebuffer is not None:
            framebuffer.deleted = True
            if context.draw_framebuffer is framebuffer:
                context.draw_framebuffer = context.default_framebuffer
            if context.read_framebuffer is framebuffer:
                context.read_framebuffer = context.default_read_framebuffer


@handles("glIsFramebuffer")
def is_framebuffer(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.framebuffers.get(name) is not None)


@handles("glCheckFramebufferStatus", touches=Changes.NOTHING)
def check_framebuffer_status(tracker: Tracker, context: Context, target: int) -> int:
    return framebuffer_status(tracker, context, bound_framebuffer(context, target))


def _attach(tracker: Tracker, context: Context, target: int, point: int, attachment: Attachment | None) -> None:
    framebuffer = bound_framebuffer(context, target)
    if framebuffer.name == 0:
        raise invalid_operation("the default framebuffer takes no attachments")
    index = point - gl.GL_COLOR_ATTACHMENT0
    if not 0 <= index < 32 and point not in (
        gl.GL_DEPTH_ATTACHMENT,
        gl.GL_STENCIL_ATTACHMENT,
        gl.GL_DEPTH_STENCIL_ATTACHMENT,
    ):
        raise invalid_enum(f"attachment {point:#x}")
    if context.limits.max_color_attachments <= index < 32:
        raise invalid_operation(f"colour attachment {index}")
    if 0 <= index < 32:
        framebuffer.color[index] = attachment
    if point in (gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_STENCIL_ATTACHMENT):
        framebuffer.depth = attachment
    if point in (gl.GL_STENCIL_ATTACHMENT, gl.GL_DEPTH_STENCIL_ATTACHMENT):
        framebuffer.stencil = attachment
    tracker.epoch += 1


def _texture(context: Context, name: int) -> Texture:
    texture = context.group.textures.get(name)
    if texture is None:
        raise invalid_operation(f"texture {name} does not exist")
    return texture


def _check_level(context: Context, texture: Texture, level: int) -> None:
    levels = texture.immutable_levels or largest_size(context, texture.target).bit_length()
    levels = 1 if texture.target in NO_MIPMAPS else levels
    if not 0 <= level < levels:
        raise invalid_value(f"level {level}")


def _attach_2d(
    tracker: Tracker, context: Context, target: int, point: int, image_target: int, name: int, level: int, samples: int
) -> None:
    bound_framebuffer(context, target)
    attachment = None
    if name:
        texture = _texture(context, name)
        is_face = image_target in CUBE_FACES
        known = (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_RECTANGLE)
        if not is_face and image_target not in known:
            is_other = image_target in (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP)
            raise (invalid_operation if is_other else invalid_enum)(f"image target {image_target:#x}")
        if texture.target != (gl.GL_TEXTURE_CUBE_MAP if is_face else image_target):
            raise invalid_operation(f"texture {name} has target {texture.target:#x}")
        _check_level(context, texture, level)
        face = image_target - CUBE_FACES.start if is_face else 0
        attachment = Attachment(texture=texture, face=face, level=level, samples=samples)
    _attach(tracker, context, target, point, attachment)


@handles("glFramebufferTexture2D", touches=Changes.BUT_VERTEX)
def framebuffer_texture_2d(
    tracker: Tracker, context: Context, target: int, point: int, image_target: int, name: int, level: int
) -> None:
    _attach_2d(tracker, context, target, point, image_target, name, level, 0)


@handles("glFramebufferTexture2DMultisampleEXT")
def framebuffer_texture_2d_multisample(
    tracker: Tracker, context: Context, target: int, point: int, image_target: int, name: int, level: int, samples: int
) -> None:
    if not 0 <= samples <= context.limits.max_samples:
        raise invalid_value(f"{samples} samples")
    _attach_2d(tracker, context, target, point, image_target, name, level, samples)


@handles("glFramebufferTextureLayer")
def framebuffer_texture_layer(
    tracker: Tracker, context: Context, target: int, point: int, name: int, level: int, layer: int
) -> None:
    bound_framebuffer(context, target)
    attachment = None
    if name:
        texture = _texture(context, name)
        if texture.target not in ONE_OF_LAYERS:
            raise invalid_operation(f"texture {name} has no layers")
        is_volume = texture.target == gl.GL_TEXTURE_3D
        layers = context.limits.max_3d_texture_size if is_volume else context.limits.max_array_texture_layers
        if not 0 <= layer < layers:
            raise invalid_value(f"layer {layer}")
        _check_level(context, texture, level)
        attachment = Attachment(texture=texture, level=level, layer=layer)
    _attach(tracker, context, target, point, attachment)


@handles("glFramebufferTexture3D")
def framebuffer_texture_3d(
    tracker: Tracker, context: Context, target: int, point: int, image_target: int, name: int, level: int, layer: int
) -> None:
    if name and image_target != gl.GL_TEXTURE_3D:
        raise invalid_enum(f"image target {image_target:#x}")
    if name and _texture(context, name).target != gl.GL_TEXTURE_3D:
        raise invalid_operation(f"texture {name} is no volume")
    framebuffer_texture_layer(tracker, context, target, point, name, level, layer)


@handles("glFramebufferTexture")
def framebuffer_texture(tracker: Tracker, context: Context, target: int, point: int, name: int, level: int) -> None:
    """Attach a whole level: a geometry shader says which of its layers primitives go to."""
    bound_framebuffer(context, target)
    attachment = None
    if name:
        texture = context.group.textures.get(name)
        if texture is None:
            raise invalid_value(f"texture {name} does not exist")
        _check_level(context, texture, level)
        layered = texture.target in _LAYERED
        attachment = Attachment(texture=texture, level=level, layered=layered)
    _attach(tracker, context, target, point, attachment)


@handles("glFramebufferRenderbuffer", touches=Changes.BUT_VERTEX)
def framebuffer_renderbuffer(tracker: Tracker, context: Context, target: int, point: int, kind: int, name: int) -> None:
    bound_framebuffer(context, target)
    if kind != gl.GL_RENDERBUFFER and (name or context.is_gles):
        raise invalid_enum(f"renderbuffer target {kind:#x}")
    attachment = None
    if name:
        renderbuffer = context.group.renderbuffers.get(name)
        if renderbuffer is None:
            raise invalid_operation(f"renderbuffer {name} does not exist")
        image = renderbuffer.image
        if (
            point == gl.GL_DEPTH_STENCIL_ATTACHMENT
            and image is not None
            and FORMATS[image.format].base != gl.GL_DEPTH_STENCIL
        ):
            # Not in the specification, where the framebuffer is incomplete then; drivers refuse it here.
            raise invalid_operation(f"renderbuffer {name} has no depth-stencil format")
        attachment = Attachment(renderbuffer=renderbuffer)
    _attach(tracker, context, target, point, attachment)


def default_limit(context: Context, pname: int) -> int:
    """Largest default of a framebuffer without attachments; GL_INVALID_ENUM for what is none (ES 3.2 §9.2.1)."""
    limits = context.limits
    found = {
        gl.GL_FRAMEBUFFER_DEFAULT_WIDTH: limits.max_viewport_dims,
        gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT: limits.max_viewport_dims,
        gl.GL_FRAMEBUFFER_DEFAULT_LAYERS: limits.max_array_texture_layers,
        gl.GL_FRAMEBUFFER_DEFAULT_SAMPLES: limits.max_samples,
        gl.GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS: 1,
    }.get(pname)
    if found is None:
        raise invalid_enum(f"pname {pname:#x}")
    return found


@handles("glFramebufferParameteri")
def framebuffer_parameter(tracker: Tracker, context: Context, target: int, pname: int, value: int) -> None:
    framebuffer, most = bound_framebuffer(context, target), default_limit(context, pname)
    if framebuffer.name == 0:
        raise invalid_operation("the default framebuffer has a size of its own")
    is_flag = pname == gl.GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS
    if not is_flag and not 0 <= value <= most:
        raise invalid_value(f"{value} for {pname:#x}")
    framebuffer.defaults[pname] = int(value != 0) if is_flag else value
    tracker.epoch += 1


@handles("glDrawBuffers")
def draw_buffers(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if not 0 <= count <= context.limits.max_draw_buffers:
        raise invalid_value(f"{count} draw buffers")
    buffers = list(uints(data, count))
    framebuffer = context.draw_framebuffer
    last = gl.GL_COLOR_ATTACHMENT0 + context.limits.max_color_attachments
    if framebuffer.name == 0:
        back = {gl.GL_NONE, gl.GL_BACK} if context.is_gles else {gl.GL_NONE, gl.GL_BACK_LEFT, gl.GL_FRONT_LEFT}
        if context.is_gles and count != 1:
            raise invalid_operation(f"{count} draw buffers of the default framebuffer")
        for buffer in buffers:
            if gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32:
                raise invalid_operation(f"draw buffer {buffer:#x} of the default framebuffer")
            if buffer not in back:
                raise (invalid_operation if context.is_gles else invalid_enum)(f"draw buffer {buffer:#x}")
    else:
        for index, buffer in enumerate(buffers):
            if buffer == gl.GL_NONE:
                continue
            if buffer == gl.GL_BACK or gl.GL_FRONT_LEFT <= buffer <= gl.GL_BACK_RIGHT:
                raise invalid_operation(f"draw buffer {buffer:#x} of a framebuffer object")
            if not gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32:
                raise invalid_enum(f"draw buffer {buffer:#x}")
            if buffer >= last or (context.is_gles and buffer != gl.GL_COLOR_ATTACHMENT0 + index):
                raise invalid_operation(f"draw buffer {index} is {buffer:#x}")
        named = [buffer for buffer in buffers if buffer != gl.GL_NONE]
        if len(set(named)) < len(named):
            raise invalid_operation("a draw buffer is named twice")
    framebuffer.draw_buffers = buffers
    tracker.epoch += 1


@handles("glReadBuffer")
def read_buffer(tracker: Tracker, context: Context, buffer: int) -> None:
    framebuffer = context.read_framebuffer
    is_attachment = gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32
    named = gl.GL_FRONT_LEFT <= buffer <= gl.GL_RIGHT and not context.is_gles
    if not is_attachment and not named and buffer not in (gl.GL_NONE, gl.GL_BACK):
        raise invalid_enum(f"read buffer {buffer:#x}")
    if buffer != gl.GL_NONE:
        if is_attachment == (framebuffer.name == 0):
            raise invalid_operation(f"read buffer {buffer:#x} of framebuffer {framebuffer.name}")
        if is_attachment and buffer >= gl.GL_COLOR_ATTACHMENT0 + context.limits.max_color_attachments:
            raise invalid_operation(f"read buffer {buffer:#x}")
    framebuffer.read_buffer = buffer
    tracker.epoch += 1
