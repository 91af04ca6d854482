"""Queries about the attachments of framebuffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation
from traceformat.gles.formats import FORMATS
from traceformat.gles.framebuffers import bound_framebuffer, default_limit
from traceformat.gles.objects import Attachment, Framebuffer, Image
from traceformat.gles.state import Context
from traceformat.gles.textures import CUBE_FACES
from traceformat.gles.values import ints_out

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


def _attachment_point(context: Context, framebuffer: Framebuffer, point: int) -> Attachment | None:
    if framebuffer.name == 0:
        back = (gl.GL_BACK,) if context.is_gles else (gl.GL_BACK, gl.GL_FRONT_LEFT, gl.GL_BACK_LEFT, gl.GL_FRONT)
        if point in back:
            return framebuffer.color[0]
        if point == gl.GL_DEPTH:
            return framebuffer.depth
        if point == gl.GL_STENCIL:
            return framebuffer.stencil
        if gl.GL_COLOR_ATTACHMENT0 <= point < gl.GL_COLOR_ATTACHMENT0 + 32 and not context.is_gles:
            raise invalid_operation("the default framebuffer has no such attachment")
        raise invalid_enum(f"attachment {point:#x}")
    index = point - gl.GL_COLOR_ATTACHMENT0
    if 0 <= index < context.limits.max_color_attachments:
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


def _attachment_parameter(context: Context, framebuffer: Framebuffer, point: int, pname: int) -> int:
    attachment = _attachment_point(context, framebuffer, point)
    if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE:
        if attachment is None:
            return gl.GL_NONE
        if attachment.plane is not None:
            return gl.GL_FRAMEBUFFER_DEFAULT
        return gl.GL_TEXTURE if attachment.texture is not None else gl.GL_RENDERBUFFER
    if attachment is None:
        if pname == gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME and (not context.is_gles or context.config.major >= 3):
            return 0
        raise (invalid_operation if context.config.major >= 3 else invalid_enum)("nothing is attached there")
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


@handles("glGetFramebufferParameteriv")
def get_framebuffer_parameter(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    framebuffer = bound_framebuffer(context, target)
    default_limit(context, pname)
    if framebuffer.name == 0:
        raise invalid_operation("the default framebuffer has a size of its own")
    tracker.outputs["params"] = ints_out([framebuffer.defaults.get(pname, 0)])


@handles("glGetFramebufferAttachmentParameteriv")
def get_framebuffer_attachment_parameter(
    tracker: Tracker, context: Context, target: int, point: int, pname: int, _: object
) -> None:
    tracker.outputs["params"] = ints_out(
        [_attachment_parameter(context, bound_framebuffer(context, target), point, pname)]
    )
