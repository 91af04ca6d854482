"""Clearing and invalidating framebuffers."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.completeness import require_complete
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.formats import FORMATS
from traceformat.gles.framebuffers import bound_framebuffer
from traceformat.gles.objects import Framebuffer
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import floats, ints, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_CLEAR_BITS = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT


@handles("glClear", touches=Changes.NOTHING)
def clear(tracker: Tracker, context: Context, mask: int) -> None:
    if mask & ~_CLEAR_BITS:
        raise invalid_value(f"mask {mask:#x}")
    require_complete(tracker, context, context.draw_framebuffer)
    if gl.GL_RASTERIZER_DISCARD not in context.enabled and mask and not context.skips_rendering:
        tracker.backend.clear(context, mask)


def _clear_color(
    tracker: Tracker,
    context: Context,
    draw_buffer: int,
    values: tuple[float, ...] | tuple[int, ...],
    type: int,
    kinds: str,
) -> None:
    if not 0 <= draw_buffer < context.limits.max_draw_buffers:
        raise invalid_value(f"draw buffer {draw_buffer}")
    require_complete(tracker, context, context.draw_framebuffer)
    attachments = context.draw_framebuffer.draw_attachments()
    attachment = attachments[draw_buffer] if draw_buffer < len(attachments) else None
    image = attachment.image if attachment is not None else None
    if image is None or gl.GL_RASTERIZER_DISCARD in context.enabled:
        return
    if FORMATS[image.format].kind not in kinds.split():
        # Undefined by the specification (ES 3.0.6 §4.2.3); drivers leave the buffer as it is.
        return
    if not context.skips_rendering:
        tracker.backend.clear_buffer(context, gl.GL_COLOR, draw_buffer, values, type, 0.0, 0)


def _clear_depth_stencil(
    tracker: Tracker, context: Context, buffer: int, draw_buffer: int, depth: float, stencil: int
) -> None:
    if draw_buffer:
        raise invalid_value(f"draw buffer {draw_buffer}")
    require_complete(tracker, context, context.draw_framebuffer)
    if gl.GL_RASTERIZER_DISCARD in context.enabled:
        return
    framebuffer = context.draw_framebuffer
    if buffer != gl.GL_STENCIL and framebuffer.depth is not None:
        fixed = framebuffer.depth.image is None or FORMATS[framebuffer.depth.image.format].kind != "depth_float"
        if fixed or context.is_gles:
            depth = min(max(depth, 0.0), 1.0)
    if (framebuffer.depth is not None or framebuffer.stencil is not None) and not context.skips_rendering:
        tracker.backend.clear_buffer(context, buffer, 0, (0.0, 0.0, 0.0, 0.0), gl.GL_FLOAT, depth, stencil)


@handles("glClearBufferfv", touches=Changes.NOTHING)
def clear_buffer_fv(tracker: Tracker, context: Context, buffer: int, draw_buffer: int, value: object) -> None:
    if buffer == gl.GL_COLOR:
        _clear_color(tracker, context, draw_buffer, floats(value, 4), gl.GL_FLOAT, "unorm snorm srgb float")
    elif buffer == gl.GL_DEPTH:
        _clear_depth_stencil(tracker, context, buffer, draw_buffer, floats(value, 1)[0], 0)
    else:
        raise invalid_enum(f"buffer {buffer:#x}")


@handles("glClearBufferiv", touches=Changes.NOTHING)
def clear_buffer_iv(tracker: Tracker, context: Context, buffer: int, draw_buffer: int, value: object) -> None:
    if buffer == gl.GL_COLOR:
        _clear_color(tracker, context, draw_buffer, ints(value, 4), gl.GL_INT, "int")
    elif buffer == gl.GL_STENCIL:
        _clear_depth_stencil(tracker, context, buffer, draw_buffer, 0.0, ints(value, 1)[0])
    else:
        raise invalid_enum(f"buffer {buffer:#x}")


@handles("glClearBufferuiv", touches=Changes.NOTHING)
def clear_buffer_uiv(tracker: Tracker, context: Context, buffer: int, draw_buffer: int, value: object) -> None:
    if buffer != gl.GL_COLOR:
        raise invalid_enum(f"buffer {buffer:#x}")
    _clear_color(tracker, context, draw_buffer, uints(value, 4), gl.GL_UNSIGNED_INT, "uint")


@handles("glClearBufferfi", touches=Changes.NOTHING)
def clear_buffer_fi(
    tracker: Tracker, context: Context, buffer: int, draw_buffer: int, depth: float, stencil: int
) -> None:
    if buffer != gl.GL_DEPTH_STENCIL:
        raise invalid_enum(f"buffer {buffer:#x}")
    _clear_depth_stencil(tracker, context, buffer, draw_buffer, depth, stencil)


def _attachment_points(context: Context, framebuffer: Framebuffer, named: tuple[int, ...]) -> tuple[int, ...]:
    """Attachment points that an invalidation names, in terms of framebuffer objects."""
    points: list[int] = []
    default = {
        gl.GL_COLOR: gl.GL_COLOR_ATTACHMENT0,
        gl.GL_DEPTH: gl.GL_DEPTH_ATTACHMENT,
        gl.GL_STENCIL: gl.GL_STENCIL_ATTACHMENT,
    }
    for point in named:
        if framebuffer.name == 0:
            if point not in default:
                raise invalid_enum(f"attachment {point:#x}")
            points.append(default[point])
        elif point == gl.GL_DEPTH_STENCIL_ATTACHMENT:
            points += [gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_ATTACHMENT]
        elif point in (gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_ATTACHMENT):
            points.append(point)
        elif gl.GL_COLOR_ATTACHMENT0 <= point < gl.GL_COLOR_ATTACHMENT0 + 32:
            if point >= gl.GL_COLOR_ATTACHMENT0 + context.limits.max_color_attachments:
                raise invalid_operation(f"attachment {point:#x}")
            points.append(point)
        else:
            raise invalid_enum(f"attachment {point:#x}")
    return tuple(points)


@handles("glInvalidateSubFramebuffer", touches=Changes.NOTHING)
def invalidate_sub_framebuffer(
    tracker: Tracker, context: Context, target: int, count: int, data: object, x: int, y: int, width: int, height: int
) -> None:
    framebuffer = bound_framebuffer(context, target)
    if count < 0 or width < 0 or height < 0:
        raise invalid_value(f"{count} attachments, {width} x {height}")
    points = _attachment_points(context, framebuffer, uints(data, count))
    if points:
        tracker.backend.invalidate(context, framebuffer, points, x, y, width, height)


@handles("glInvalidateFramebuffer", "glDiscardFramebufferEXT", touches=Changes.NOTHING)
def invalidate_framebuffer(tracker: Tracker, context: Context, target: int, count: int, data: object) -> None:
    largest = context.limits.max_viewport_dims
    invalidate_sub_framebuffer(tracker, context, target, count, data, 0, 0, largest, largest)
