"""Framebuffer objects and renderbuffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.completeness import framebuffer_status
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.names import check_bindable, generate, requires_generated_names
from traceformat.gles.objects import Attachment, Framebuffer, Image, Renderbuffer, Texture
from traceformat.gles.state import Context
from traceformat.gles.texture_images import check_memory, largest_size
from traceformat.gles.textures import CUBE_FACES
from traceformat.gles.values import ints_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracker import Tracker

FRAMEBUFFER_TARGETS = frozenset({gl.GL_FRAMEBUFFER, gl.GL_DRAW_FRAMEBUFFER, gl.GL_READ_FRAMEBUFFER})
#: Desktop names of renderbuffer formats without a size.
_RENDERBUFFER_FORMATS = {
    gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_COMPONENT24,
    gl.GL_DEPTH_STENCIL: gl.GL_DEPTH24_STENCIL8,
    gl.GL_STENCIL_INDEX: gl.GL_STENCIL_INDEX8,
    gl.GL_RGBA: gl.GL_RGBA8,
    gl.GL_RGB: gl.GL_RGB8,
}


def bound_framebuffer(c: Context, target: int) -> Framebuffer:
    """Framebuffer bound to a target; GL_INVALID_ENUM for what is no target."""
    if target in (gl.GL_FRAMEBUFFER, gl.GL_DRAW_FRAMEBUFFER):
        return c.draw_framebuffer
    if target == gl.GL_READ_FRAMEBUFFER:
        return c.read_framebuffer
    raise invalid_enum(f"target {target:#x}")


@handles("glGenFramebuffers", "glCreateFramebuffers")
def gen_framebuffers(t: Tracker, c: Context, count: int, _: object) -> None:
    t.outputs["framebuffers"] = generate(t, c.limits.max_names, c.framebuffers, count, "framebuffers")


@handles("glBindFramebuffer")
def bind_framebuffer(t: Tracker, c: Context, target: int, name: int) -> None:
    if target not in FRAMEBUFFER_TARGETS:
        raise invalid_enum(f"target {target:#x}")
    if name == 0:
        draw, read = c.default_framebuffer, c.default_read_framebuffer
    else:
        framebuffer = c.framebuffers.objects.get(name)
        if framebuffer is None:
            check_bindable(t, c, c.framebuffers, name, "framebuffer", generated_only=requires_generated_names(c))
            framebuffer = c.framebuffers.objects[name] = Framebuffer(name, c.framebuffers.serial(), created=True)
        draw = read = framebuffer
    if target != gl.GL_READ_FRAMEBUFFER:
        c.draw_framebuffer = draw
    if target != gl.GL_DRAW_FRAMEBUFFER:
        c.read_framebuffer = read


@handles("glDeleteFramebuffers")
def delete_framebuffers(t: Tracker, c: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        framebuffer = c.framebuffers.remove(name) if name else None
        if framebuffer is not None:
            framebuffer.deleted = True
            if c.draw_framebuffer is framebuffer:
                c.draw_framebuffer = c.default_framebuffer
            if c.read_framebuffer is framebuffer:
                c.read_framebuffer = c.default_read_framebuffer


@handles("glIsFramebuffer")
def is_framebuffer(t: Tracker, c: Context, name: int) -> int:
    return int(name != 0 and c.framebuffers.get(name) is not None)


@handles("glCheckFramebufferStatus")
def check_framebuffer_status(t: Tracker, c: Context, target: int) -> int:
    return framebuffer_status(t, c, bound_framebuffer(c, target))


def _attach(t: Tracker, c: Context, target: int, point: int, attachment: Attachment | None) -> None:
    framebuffer = bound_framebuffer(c, target)
    if framebuffer.name == 0:
        raise invalid_operation("the default framebuffer takes no attachments")
    index = point - gl.GL_COLOR_ATTACHMENT0
    if not 0 <= index < 32 and point not in (
        gl.GL_DEPTH_ATTACHMENT,
        gl.GL_STENCIL_ATTACHMENT,
        gl.GL_DEPTH_STENCIL_ATTACHMENT,
    ):
        raise invalid_enum(f"attachment {point:#x}")
    if c.limits.max_color_attachments <= index < 32:
        raise invalid_operation(f"colour attachment {index}")
    if 0 <= index < 32:
        framebuffer.color[index] = attachment
    if point in (gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_STENCIL_ATTACHMENT):
        framebuffer.depth = attachment
    if point in (gl.GL_STENCIL_ATTACHMENT, gl.GL_DEPTH_STENCIL_ATTACHMENT):
        framebuffer.stencil = attachment
    t.epoch += 1


def _texture(c: Context, name: int) -> Texture:
    texture = c.group.textures.get(name)
    if texture is None:
        raise invalid_operation(f"texture {name} does not exist")
    return texture


def _check_level(c: Context, texture: Texture, level: int) -> None:
    levels = texture.immutable_levels or largest_size(c, texture.target).bit_length()
    if not 0 <= level < levels:
        raise invalid_value(f"level {level}")


def _attach_2d(
    t: Tracker, c: Context, target: int, point: int, image_target: int, name: int, level: int, samples: int
) -> None:
    bound_framebuffer(c, target)
    attachment = None
    if name:
        texture = _texture(c, name)
        is_face = image_target in CUBE_FACES
        known = (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_RECTANGLE)
        if not is_face and image_target not in known:
            is_other = image_target in (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP)
            raise (invalid_operation if is_other else invalid_enum)(f"image target {image_target:#x}")
        if texture.target != (gl.GL_TEXTURE_CUBE_MAP if is_face else image_target):
            raise invalid_operation(f"texture {name} has target {texture.target:#x}")
        _check_level(c, texture, level)
        face = image_target - CUBE_FACES.start if is_face else 0
        attachment = Attachment(texture=texture, face=face, level=level, samples=samples)
    _attach(t, c, target, point, attachment)


@handles("glFramebufferTexture2D")
def framebuffer_texture_2d(
    t: Tracker, c: Context, target: int, point: int, image_target: int, name: int, level: int
) -> None:
    _attach_2d(t, c, target, point, image_target, name, level, 0)


@handles("glFramebufferTexture2DMultisampleEXT")
def framebuffer_texture_2d_multisample(
    t: Tracker, c: Context, target: int, point: int, image_target: int, name: int, level: int, samples: int
) -> None:
    if not 0 <= samples <= c.limits.max_samples:
        raise invalid_value(f"{samples} samples")
    _attach_2d(t, c, target, point, image_target, name, level, samples)


@handles("glFramebufferTextureLayer")
def framebuffer_texture_layer(
    t: Tracker, c: Context, target: int, point: int, name: int, level: int, layer: int
) -> None:
    bound_framebuffer(c, target)
    attachment = None
    if name:
        texture = _texture(c, name)
        if texture.target not in (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_1D_ARRAY):
            raise invalid_operation(f"texture {name} has no layers")
        is_volume = texture.target == gl.GL_TEXTURE_3D
        layers = c.limits.max_3d_texture_size if is_volume else c.limits.max_array_texture_layers
        if not 0 <= layer < layers:
            raise invalid_value(f"layer {layer}")
        _check_level(c, texture, level)
        attachment = Attachment(texture=texture, level=level, layer=layer)
    _attach(t, c, target, point, attachment)


@handles("glFramebufferTexture")
def framebuffer_texture(t: Tracker, c: Context, target: int, point: int, name: int, level: int) -> None:
    """Attach a whole level; without geometry shaders only its first layer is ever drawn to."""
    bound_framebuffer(c, target)
    attachment = None
    if name:
        texture = c.group.textures.get(name)
        if texture is None:
            raise invalid_value(f"texture {name} does not exist")
        _check_level(c, texture, level)
        layered = texture.target in (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP)
        attachment = Attachment(texture=texture, level=level, layered=layered)
    _attach(t, c, target, point, attachment)


@handles("glFramebufferRenderbuffer")
def framebuffer_renderbuffer(t: Tracker, c: Context, target: int, point: int, kind: int, name: int) -> None:
    bound_framebuffer(c, target)
    if kind != gl.GL_RENDERBUFFER and (name or c.is_gles):
        raise invalid_enum(f"renderbuffer target {kind:#x}")
    attachment = None
    if name:
        renderbuffer = c.group.renderbuffers.get(name)
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
    _attach(t, c, target, point, attachment)


@handles("glDrawBuffers")
def draw_buffers(t: Tracker, c: Context, count: int, data: object) -> None:
    if not 0 <= count <= c.limits.max_draw_buffers:
        raise invalid_value(f"{count} draw buffers")
    buffers = list(uints(data, count))
    framebuffer = c.draw_framebuffer
    last = gl.GL_COLOR_ATTACHMENT0 + c.limits.max_color_attachments
    if framebuffer.name == 0:
        back = {gl.GL_NONE, gl.GL_BACK} if c.is_gles else {gl.GL_NONE, gl.GL_BACK_LEFT, gl.GL_FRONT_LEFT}
        if c.is_gles and count != 1:
            raise invalid_operation(f"{count} draw buffers of the default framebuffer")
        for buffer in buffers:
            if gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32:
                raise invalid_operation(f"draw buffer {buffer:#x} of the default framebuffer")
            if buffer not in back:
                raise (invalid_operation if c.is_gles else invalid_enum)(f"draw buffer {buffer:#x}")
    else:
        for index, buffer in enumerate(buffers):
            if buffer == gl.GL_NONE:
                continue
            if buffer == gl.GL_BACK or gl.GL_FRONT_LEFT <= buffer <= gl.GL_BACK_RIGHT:
                raise invalid_operation(f"draw buffer {buffer:#x} of a framebuffer object")
            if not gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32:
                raise invalid_enum(f"draw buffer {buffer:#x}")
            if buffer >= last or (c.is_gles and buffer != gl.GL_COLOR_ATTACHMENT0 + index):
                raise invalid_operation(f"draw buffer {index} is {buffer:#x}")
        named = [buffer for buffer in buffers if buffer != gl.GL_NONE]
        if len(set(named)) < len(named):
            raise invalid_operation("a draw buffer is named twice")
    framebuffer.draw_buffers = buffers
    t.epoch += 1


@handles("glReadBuffer")
def read_buffer(t: Tracker, c: Context, buffer: int) -> None:
    framebuffer = c.read_framebuffer
    is_attachment = gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32
    named = gl.GL_FRONT_LEFT <= buffer <= gl.GL_RIGHT and not c.is_gles
    if not is_attachment and not named and buffer not in (gl.GL_NONE, gl.GL_BACK):
        raise invalid_enum(f"read buffer {buffer:#x}")
    if buffer != gl.GL_NONE:
        if is_attachment == (framebuffer.name == 0):
            raise invalid_operation(f"read buffer {buffer:#x} of framebuffer {framebuffer.name}")
        if is_attachment and buffer >= gl.GL_COLOR_ATTACHMENT0 + c.limits.max_color_attachments:
            raise invalid_operation(f"read buffer {buffer:#x}")
    framebuffer.read_buffer = buffer
    t.epoch += 1


def _attachment_point(c: Context, framebuffer: Framebuffer, point: int) -> Attachment | None:
    if framebuffer.name == 0:
        back = (gl.GL_BACK,) if c.is_gles else (gl.GL_BACK, gl.GL_FRONT_LEFT, gl.GL_BACK_LEFT, gl.GL_FRONT)
        if point in back:
            return framebuffer.color[0]
        if point == gl.GL_DEPTH:
            return framebuffer.depth
        if point == gl.GL_STENCIL:
            return framebuffer.stencil
        if gl.GL_COLOR_ATTACHMENT0 <= point < gl.GL_COLOR_ATTACHMENT0 + 32 and not c.is_gles:
            raise invalid_operation("the default framebuffer has no such attachment")
        raise invalid_enum(f"attachment {point:#x}")
    index = point - gl.GL_COLOR_ATTACHMENT0
    if 0 <= index < c.limits.max_color_attachments:
        return framebuffer.color[index]
    if 0 <= index < 32:
        raise invalid_operation(f"colour attachment {index}")
    if point == gl.GL_DEPTH_ATTACHMENT:
        return framebuffer.depth
    if point == gl.GL_STENCIL_ATTACHMENT:
        return framebuffer.stencil
    if point == gl.GL_DEPTH_STENCIL_ATTACHMENT:
        depth, stencil = framebuffer.depth, framebuffer.stencil
        if (depth.place if depth else None) != (stencil.place if stencil else None):
            raise invalid_operation("depth and stencil are not the same image")
        return depth
    raise invalid_enum(f"attachment {point:#x}")


_SIZES = {
    gl.GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE: 0,
    gl.GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE: 1,
    gl.GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE: 2,
    gl.GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE: 3,
    gl.GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE: 4,
    gl.GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE: 5,
}
_COMPONENT_TYPES = {
    "unorm": gl.GL_UNSIGNED_NORMALIZED,
    "srgb": gl.GL_UNSIGNED_NORMALIZED,
    "snorm": gl.GL_SIGNED_NORMALIZED,
    "depth": gl.GL_UNSIGNED_NORMALIZED,
    "depth_float": gl.GL_FLOAT,
    "float": gl.GL_FLOAT,
    "int": gl.GL_INT,
    "uint": gl.GL_UNSIGNED_INT,
    "stencil": gl.GL_UNSIGNED_INT,
}


def _format_parameter(image: Image | None, point: int, pname: int) -> int | None:
    if image is None:
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING:
            return gl.GL_LINEAR
        return 0 if pname in _SIZES or pname == gl.GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE else None
    format = FORMATS[image.format]
    if pname in _SIZES:
        return format.bits[_SIZES[pname]]
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE:
        if point in (gl.GL_STENCIL_ATTACHMENT, gl.GL_STENCIL):
            return gl.GL_UNSIGNED_INT
        return _COMPONENT_TYPES[format.kind]
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING:
        return gl.GL_SRGB if format.kind == "srgb" else gl.GL_LINEAR
    return None


def _attachment_parameter(c: Context, framebuffer: Framebuffer, point: int, pname: int) -> int:
    attachment = _attachment_point(c, framebuffer, point)
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE:
        if attachment is None:
            return gl.GL_NONE
        if attachment.plane is not None:
            return gl.GL_FRAMEBUFFER_DEFAULT
        return gl.GL_TEXTURE if attachment.texture is not None else gl.GL_RENDERBUFFER
    if attachment is None:
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME and (not c.is_gles or c.config.major >= 3):
            return 0
        raise (invalid_operation if c.config.major >= 3 else invalid_enum)("nothing is attached there")
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE and point == gl.GL_DEPTH_STENCIL_ATTACHMENT:
        raise invalid_operation("depth and stencil have different types")
    value = _format_parameter(attachment.image, point, pname)
    if value is not None:
        return value
    if attachment.plane is None and pname == gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME:
        bound = attachment.texture or attachment.renderbuffer
        return bound.name if bound is not None else 0
    if attachment.texture is not None:
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL:
            return attachment.level
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE:
            is_cube = attachment.texture.target == gl.GL_TEXTURE_CUBE_MAP
            return CUBE_FACES.start + attachment.face if is_cube else 0
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER:
            return attachment.layer
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT:
            return attachment.samples
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_LAYERED:
            return int(attachment.layered)
    raise invalid_enum(f"pname {pname:#x}")


@handles("glGetFramebufferAttachmentParameteriv")
def get_framebuffer_attachment_parameter(
    t: Tracker, c: Context, target: int, point: int, pname: int, _: object
) -> None:
    t.outputs["params"] = ints_out([_attachment_parameter(c, bound_framebuffer(c, target), point, pname)])


@handles("glGenRenderbuffers", "glCreateRenderbuffers")
def gen_renderbuffers(t: Tracker, c: Context, count: int, _: object) -> None:
    t.outputs["renderbuffers"] = generate(t, c.limits.max_names, c.group.renderbuffers, count, "renderbuffers")


@handles("glBindRenderbuffer")
def bind_renderbuffer(t: Tracker, c: Context, target: int, name: int) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    if name == 0:
        c.renderbuffer = None
        return
    names = c.group.renderbuffers
    renderbuffer = names.objects.get(name)
    if renderbuffer is None:
        check_bindable(t, c, names, name, "renderbuffer", generated_only=requires_generated_names(c))
        renderbuffer = names.objects[name] = Renderbuffer(name, names.serial(), created=True)
    c.renderbuffer = renderbuffer


@handles("glDeleteRenderbuffers")
def delete_renderbuffers(t: Tracker, c: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        renderbuffer = c.group.renderbuffers.remove(name) if name else None
        if renderbuffer is None:
            continue
        renderbuffer.deleted = True
        t.allocate(0, _image_bytes(renderbuffer.image))
        if c.renderbuffer is renderbuffer:
            c.renderbuffer = None
        _detach(t, c, renderbuffer)


def _image_bytes(image: Image | None) -> int:
    if image is None:
        return 0
    return FORMATS[image.format].image_bytes(image.width, image.height) * max(image.samples, 1)


def _detach(t: Tracker, c: Context, renderbuffer: Renderbuffer) -> None:
    """Detach a deleted renderbuffer from the current framebuffers (ES 3.0.6 §D.1.2)."""
    for framebuffer in (c.draw_framebuffer, c.read_framebuffer):
        for index, attachment in enumerate(framebuffer.color):
            if attachment is not None and attachment.renderbuffer is renderbuffer:
                framebuffer.color[index] = None
        if framebuffer.depth is not None and framebuffer.depth.renderbuffer is renderbuffer:
            framebuffer.depth = None
        if framebuffer.stencil is not None and framebuffer.stencil.renderbuffer is renderbuffer:
            framebuffer.stencil = None
    t.epoch += 1


@handles("glIsRenderbuffer")
def is_renderbuffer(t: Tracker, c: Context, name: int) -> int:
    return int(name != 0 and c.group.renderbuffers.get(name) is not None)


@handles("glRenderbufferStorageMultisample")
def renderbuffer_storage_multisample(
    t: Tracker, c: Context, target: int, samples: int, internal: int, width: int, height: int
) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    renderbuffer = c.renderbuffer
    if renderbuffer is None:
        raise invalid_operation("no renderbuffer is bound")
    sized = internal if internal in FORMATS or c.is_gles else _RENDERBUFFER_FORMATS.get(internal, 0)
    format = FORMATS.get(sized)
    if format is None or format.compressed or (c.is_gles and not format.renderable):
        raise invalid_enum(f"internal format {internal:#x} cannot be rendered to")
    largest = c.limits.max_renderbuffer_size
    if not (0 <= width <= largest and 0 <= height <= largest) or samples < 0:
        raise invalid_value(f"{width} x {height}, {samples} samples")
    most = c.limits.max_integer_samples if format.is_integer else c.limits.max_samples
    if samples > most or (format.is_integer and samples and c.config.version == 30 and c.is_gles):
        raise (invalid_operation if c.is_gles or format.is_integer else invalid_value)(f"{samples} samples")
    # Any number of samples up to the next one that there is will do: there are 4 or none.
    kept = c.limits.max_samples if samples > 1 else samples
    accounted = check_memory(c, format, width, height, 1, kept)
    t.allocate(accounted, _image_bytes(renderbuffer.image))
    renderbuffer.image = Image(width, height, 1, sized, kept, internal)
    renderbuffer.version += 1
    t.epoch += 1
    t.backend.define_renderbuffer(c, renderbuffer)


@handles("glRenderbufferStorage")
def renderbuffer_storage(t: Tracker, c: Context, target: int, internal: int, width: int, height: int) -> None:
    renderbuffer_storage_multisample(t, c, target, 0, internal, width, height)


_RENDERBUFFER_SIZES = {
    gl.GL_RENDERBUFFER_RED_SIZE: 0,
    gl.GL_RENDERBUFFER_GREEN_SIZE: 1,
    gl.GL_RENDERBUFFER_BLUE_SIZE: 2,
    gl.GL_RENDERBUFFER_ALPHA_SIZE: 3,
    gl.GL_RENDERBUFFER_DEPTH_SIZE: 4,
    gl.GL_RENDERBUFFER_STENCIL_SIZE: 5,
}


@handles("glGetRenderbufferParameteriv")
def get_renderbuffer_parameter(t: Tracker, c: Context, target: int, pname: int, _: object) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    if c.renderbuffer is None:
        raise invalid_operation("no renderbuffer is bound")
    image = c.renderbuffer.image
    if pname in _RENDERBUFFER_SIZES:
        value = FORMATS[image.format].bits[_RENDERBUFFER_SIZES[pname]] if image is not None else 0
    elif pname == gl.GL_RENDERBUFFER_INTERNAL_FORMAT:
        value = image.requested_format if image is not None else gl.GL_RGBA4 if c.is_gles else gl.GL_RGBA
    else:
        known = {
            gl.GL_RENDERBUFFER_WIDTH: image.width if image is not None else 0,
            gl.GL_RENDERBUFFER_HEIGHT: image.height if image is not None else 0,
            gl.GL_RENDERBUFFER_SAMPLES: image.samples if image is not None else 0,
        }
        if pname not in known:
            raise invalid_enum(f"pname {pname:#x}")
        value = known[pname]
    t.outputs["params"] = ints_out([value])
