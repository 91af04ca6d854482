"""Renderbuffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.names import check_bindable, generate, requires_generated_names
from traceformat.gles.objects import Image, Renderbuffer
from traceformat.gles.state import Context
from traceformat.gles.texture_levels import check_memory
from traceformat.gles.values import ints_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


#: Desktop names of renderbuffer formats without a size.
_RENDERBUFFER_FORMATS = {
    gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_COMPONENT24,
    gl.GL_DEPTH_STENCIL: gl.GL_DEPTH24_STENCIL8,
    gl.GL_STENCIL_INDEX: gl.GL_STENCIL_INDEX8,
    gl.GL_RGBA: gl.GL_RGBA8,
    gl.GL_RGB: gl.GL_RGB8,
}


@handles("glGenRenderbuffers", "glCreateRenderbuffers")
def gen_renderbuffers(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["renderbuffers"] = generate(
        tracker, context.limits.max_names, context.group.renderbuffers, count, "renderbuffers"
    )


@handles("glBindRenderbuffer")
def bind_renderbuffer(tracker: Tracker, context: Context, target: int, name: int) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    if name == 0:
        context.renderbuffer = None
        return
    names = context.group.renderbuffers
    renderbuffer = names.objects.get(name)
    if renderbuffer is None:
        check_bindable(tracker, context, names, name, "renderbuffer", generated_only=requires_generated_names(context))
        renderbuffer = names.objects[name] = Renderbuffer(name, names.serial(), created=True)
    context.renderbuffer = renderbuffer


@handles("glDeleteRenderbuffers")
def delete_renderbuffers(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        renderbuffer = context.group.renderbuffers.remove(name) if name else None
        if renderbuffer is None:
            continue
        renderbuffer.deleted = True
        tracker.allocate(0, _image_bytes(renderbuffer.image))
        if context.renderbuffer is renderbuffer:
            context.renderbuffer = None
        _detach(tracker, context, renderbuffer)


def _image_bytes(image: Image | None) -> int:
    if image is None:
        return 0
    return FORMATS[image.format].image_bytes(image.width, image.height) * max(image.samples, 1)


def _detach(tracker: Tracker, context: Context, renderbuffer: Renderbuffer) -> None:
    """Detach a deleted renderbuffer from the current framebuffers (ES 3.0.6 §D.1.2)."""
    for framebuffer in (context.draw_framebuffer, context.read_framebuffer):
        for index, attachment in enumerate(framebuffer.color):
            if attachment is not None and attachment.renderbuffer is renderbuffer:
                framebuffer.color[index] = None
        if framebuffer.depth is not None and framebuffer.depth.renderbuffer is renderbuffer:
            framebuffer.depth = None
        if framebuffer.stencil is not None and framebuffer.stencil.renderbuffer is renderbuffer:
            framebuffer.stencil = None
    tracker.epoch += 1


@handles("glIsRenderbuffer")
def is_renderbuffer(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.group.renderbuffers.get(name) is not None)


@handles("glRenderbufferStorageMultisample")
def renderbuffer_storage_multisample(
    tracker: Tracker, context: Context, target: int, samples: int, internal: int, width: int, height: int
) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    renderbuffer = context.renderbuffer
    if renderbuffer is None:
        raise invalid_operation("no renderbuffer is bound")
    sized = internal if internal in FORMATS or context.is_gles else _RENDERBUFFER_FORMATS.get(internal, 0)
    format = FORMATS.get(sized)
    if format is None or format.compressed or (context.is_gles and not format.renderable):
        raise invalid_enum(f"internal format {internal:#x} cannot be rendered to")
    largest = context.limits.max_renderbuffer_size
    if not (0 <= width <= largest and 0 <= height <= largest) or samples < 0:
        raise invalid_value(f"{width} x {height}, {samples} samples")
    most = context.limits.max_integer_samples if format.is_integer else context.limits.max_samples
    if samples > most:
        raise (invalid_operation if context.is_gles or format.is_integer else invalid_value)(f"{samples} samples")
    # Any number of samples up to the next one that there is will do: there are 4 or none.
    kept = context.limits.max_samples if samples > 1 else samples
    accounted = check_memory(context, format, width, height, 1, kept)
    tracker.allocate(accounted, _image_bytes(renderbuffer.image))
    renderbuffer.image = Image(width, height, 1, sized, kept, internal)
    renderbuffer.version += 1
    tracker.epoch += 1
    tracker.backend.define_renderbuffer(context, renderbuffer)


@handles("glRenderbufferStorage")
def renderbuffer_storage(
    tracker: Tracker, context: Context, target: int, internal: int, width: int, height: int
) -> None:
    renderbuffer_storage_multisample(tracker, context, target, 0, internal, width, height)


_RENDERBUFFER_SIZES = {
    gl.GL_RENDERBUFFER_RED_SIZE: 0,
    gl.GL_RENDERBUFFER_GREEN_SIZE: 1,
    gl.GL_RENDERBUFFER_BLUE_SIZE: 2,
    gl.GL_RENDERBUFFER_ALPHA_SIZE: 3,
    gl.GL_RENDERBUFFER_DEPTH_SIZE: 4,
    gl.GL_RENDERBUFFER_STENCIL_SIZE: 5,
}


@handles("glGetRenderbufferParameteriv")
def get_renderbuffer_parameter(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    if target != gl.GL_RENDERBUFFER:
        raise invalid_enum(f"target {target:#x}")
    if context.renderbuffer is None:
        raise invalid_operation("no renderbuffer is bound")
    image = context.renderbuffer.image
    if pname in _RENDERBUFFER_SIZES:
        value = FORMATS[image.format].bits[_RENDERBUFFER_SIZES[pname]] if image is not None else 0
    elif pname == gl.GL_RENDERBUFFER_INTERNAL_FORMAT:
        value = image.requested_format if image is not None else gl.GL_RGBA4 if context.is_gles else gl.GL_RGBA
    else:
        known = {
            gl.GL_RENDERBUFFER_WIDTH: image.width if image is not None else 0,
            gl.GL_RENDERBUFFER_HEIGHT: image.height if image is not None else 0,
            gl.GL_RENDERBUFFER_SAMPLES: image.samples if image is not None else 0,
        }
        if pname not in known:
            raise invalid_enum(f"pname {pname:#x}")
        value = known[pname]
    tracker.outputs["params"] = ints_out([value])
