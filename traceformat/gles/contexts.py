"""Trace commands: contexts, drawables, current contexts, frames; and glFlush and glFinish."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import GLError, handles
from traceformat.gles.formats import FORMATS
from traceformat.gles.objects import Attachment, Drawable, Framebuffer, Image
from traceformat.gles.state import Changes, Context, ContextConfig, ShareGroup
from traceformat.gles.textures import image_bytes
from traceformat.guards import exceeded, how_to_raise

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_COLOR_FORMATS = {
    (8, 8, 8, 8): gl.GL_RGBA8,
    (8, 8, 8, 0): gl.GL_RGB8,
    (5, 6, 5, 0): gl.GL_RGB565,
    (4, 4, 4, 4): gl.GL_RGBA4,
    (5, 5, 5, 1): gl.GL_RGB5_A1,
    (10, 10, 10, 2): gl.GL_RGB10_A2,
    (16, 16, 16, 16): gl.GL_RGBA16F,
}
SURFACELESS = 2


def color_format(config: ContextConfig) -> int:
    """Sized format of the default framebuffer's colour plane; RGBA8 (or RGB8) where no format has those bits."""
    bits = (config.red_bits, config.green_bits, config.blue_bits, config.alpha_bits)
    return _COLOR_FORMATS.get(bits, gl.GL_RGBA8 if config.alpha_bits else gl.GL_RGB8)


def depth_stencil_formats(config: ContextConfig) -> tuple[int, int]:
    """Sized formats of the depth and the stencil plane, 0 where there is none; equal for a packed plane."""
    depth, stencil = config.depth_bits, config.stencil_bits
    if depth == 24 and stencil:
        return gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH24_STENCIL8
    depth_format = 0
    if depth:
        depth_format = (
            gl.GL_DEPTH_COMPONENT16
            if depth <= 16
            else gl.GL_DEPTH_COMPONENT24
            if depth <= 24
            else gl.GL_DEPTH_COMPONENT32
        )
    return depth_format, gl.GL_STENCIL_INDEX8 if stencil else 0


@handles("traceContext")
def make_context(
    tracker: Tracker,
    _: Context | None,
    name: int,
    api: int,
    major: int,
    minor: int,
    profile: int,
    red: int,
    green: int,
    blue: int,
    alpha: int,
    depth: int,
    stencil: int,
    samples: int,
    share: int,
) -> None:
    limits = tracker.gles_limits if api == 0 else tracker.desktop_limits
    if len(tracker.contexts) >= limits.max_contexts:
        raise ReplayError(
            f"{len(tracker.contexts) + 1} contexts, more than the limit contexts={limits.max_contexts}",
            hint=how_to_raise("contexts"),
        )
    if api not in (0, 1) or not name:
        raise ReplayError(f"context {name} of unknown API {api}")
    shared = tracker.contexts.get(share) if share else None
    if share and shared is None:
        raise ReplayError(f"context {name} shares objects with context {share}, which does not exist")
    if shared is None:
        tracker.num_groups += 1
        group = ShareGroup(tracker.num_groups)
    else:
        group = shared.group
    samples = min(max(samples, 0), limits.max_samples)
    config = ContextConfig(api, major, minor, profile, red, green, blue, alpha, depth, stencil, samples)
    tracker.contexts[name] = Context(name, config, group, limits, tracker.changes)


def _release_group(tracker: Tracker, context: Context) -> None:
    """Give back what a share group's objects were accounted for, once a destroyed context was the last to use it."""
    in_use = (*tracker.contexts.values(), *tracker.current.values())
    if not context.destroyed or any(other.group is context.group for other in in_use):
        return
    group = context.group
    freed = sum(len(buffer.store) for buffer in group.buffers.objects.values() if buffer is not None)
    freed += sum(image_bytes(texture) for texture in group.textures.objects.values() if texture is not None)
    for renderbuffer in group.renderbuffers.objects.values():
        image = renderbuffer.image if renderbuffer is not None else None
        if image is not None:
            freed += FORMATS[image.format].image_bytes(image.width, image.height) * max(image.samples, 1)
    tracker.allocate(0, freed)


@handles("traceDestroyContext")
def destroy_context(tracker: Tracker, _: Context | None, name: int) -> None:
    context = tracker.contexts.pop(name, None)
    if context is not None:
        context.destroyed = True
        _release_group(tracker, context)


def _check_size(tracker: Tracker, width: int, height: int) -> None:
    largest = max(tracker.gles_limits.max_viewport_dims, tracker.desktop_limits.max_viewport_dims)
    if not (0 <= width <= largest and 0 <= height <= largest):
        raise ReplayError(f"drawable of {width} x {height} pixels, at most {largest} x {largest} are supported")


@handles("traceDrawable")
def make_drawable(tracker: Tracker, _: Context | None, name: int, width: int, height: int, kind: int) -> None:
    _check_size(tracker, width, height)
    tracker.drawables[name] = Drawable(name, width, height, kind)


def _define_planes(tracker: Tracker, context: Context, drawable: Drawable) -> bool:
    """Make the planes that the context's configuration wants and the drawable lacks; tells whether any was made."""
    if drawable.kind == SURFACELESS:
        return False
    width, height, samples = max(drawable.width, 1), max(drawable.height, 1), context.config.samples

    def plane(format: int) -> Image:
        try:
            tracker.allocate(FORMATS[format].image_bytes(width, height) * max(samples, 1))
        except GLError as error:
            # No GL call is to blame: the window itself is too large.
            raise exceeded(f"a drawable of {width} x {height} pixels takes too much", "memory") from error
        return Image(width, height, 1, format, samples, format)

    made = False
    if drawable.color is None:
        drawable.color = plane(color_format(context.config))
        made = True
    depth_format, stencil_format = depth_stencil_formats(context.config)
    if depth_format and drawable.depth is None:
        drawable.depth = plane(depth_format)
        made = True
        if stencil_format == depth_format:
            drawable.stencil = drawable.depth
    if stencil_format and drawable.stencil is None:
        drawable.stencil = plane(gl.GL_STENCIL_INDEX8)
        made = True
    return made


def _show(framebuffer: Framebuffer, drawable: Drawable | None) -> None:
    """Attach the drawable's planes to a default framebuffer."""
    planes = (drawable.color, drawable.depth, drawable.stencil) if drawable is not None else (None, None, None)
    color, depth, stencil = (Attachment(plane=plane) if plane is not None else None for plane in planes)
    framebuffer.color[0] = color
    framebuffer.depth = depth
    framebuffer.stencil = stencil


def _attach_drawables(tracker: Tracker, context: Context) -> None:
    old_read = context.default_read_framebuffer
    _show(context.default_framebuffer, context.draw_drawable)
    if context.read_drawable is context.draw_drawable:
        context.default_read_framebuffer = context.default_framebuffer
    else:
        if old_read is context.default_framebuffer:
            context.default_read_framebuffer = Framebuffer(
                0, 0, draw_buffers=[gl.GL_BACK], read_buffer=gl.GL_BACK, created=True
            )
        _show(context.default_read_framebuffer, context.read_drawable)
    if context.read_framebuffer is old_read:
        context.read_framebuffer = context.default_read_framebuffer
    tracker.epoch += 1


@handles("traceMakeCurrent", touches=Changes.BUT_VERTEX)
def make_current(tracker: Tracker, _: Context | None, name: int, draw: int, read: int) -> None:
    thread = tracker.call.thread
    left = tracker.current.get(thread)
    if name == 0:
        if left is not None:
            del tracker.current[thread]
            _release_group(tracker, left)
        return
    context = tracker.contexts.get(name)
    if context is None:
        raise ReplayError(f"context {name} does not exist")
    for drawable in (draw, read):
        if drawable and drawable not in tracker.drawables:
            raise ReplayError(f"drawable {drawable} does not exist")
    for other in [other for other, current in tracker.current.items() if current is context and other != thread]:
        del tracker.current[other]
    tracker.current[thread] = context
    if left is not None:
        _release_group(tracker, left)
    context.call_number = tracker.call.number
    context.draw_drawable = tracker.drawables.get(draw)
    context.read_drawable = tracker.drawables.get(read)
    for bound in (context.draw_drawable, context.read_drawable):
        if bound is not None and _define_planes(tracker, context, bound):
            tracker.backend.define_drawable(context, bound)
    _attach_drawables(tracker, context)
    if not context.was_current:
        context.was_current = True
        if context.draw_drawable is not None:
            size = (context.draw_drawable.width, context.draw_drawable.height)
            context.viewport = (0, 0, *size)
            context.scissor = (0, 0, *size)
    tracker.backend.make_current(context)


@handles("traceResize")
def resize(tracker: Tracker, current: Context | None, name: int, width: int, height: int) -> None:
    _check_size(tracker, width, height)
    drawable = tracker.drawables.get(name)
    if drawable is None:
        raise ReplayError(f"drawable {name} does not exist")
    if (width, height) == (drawable.width, drawable.height):
        return
    drawable.width, drawable.height = width, height
    users = [
        context for context in tracker.contexts.values() if drawable in (context.draw_drawable, context.read_drawable)
    ]
    for plane in {id(plane): plane for plane in (drawable.color, drawable.depth, drawable.stencil) if plane}.values():
        tracker.allocate(0, FORMATS[plane.format].image_bytes(plane.width, plane.height) * max(plane.samples, 1))
    drawable.color = drawable.depth = drawable.stencil = None
    for context in users:
        if _define_planes(tracker, context, drawable):
            tracker.backend.define_drawable(context, drawable)
    for context in users:
        _attach_drawables(tracker, context)


@handles("traceSwap", touches=Changes.NOTHING)
def swap(tracker: Tracker, current: Context | None, name: int, origin: str | None) -> None:
    drawable = tracker.drawables.get(name)
    if drawable is None:
        raise ReplayError(f"drawable {name} does not exist")
    tracker.backend.swap(current, drawable)
    drawable.frame += 1


@handles("traceFrame")
def frame(tracker: Tracker, current: Context | None, label: str | None) -> None:
    tracker.backend.frame(current, label or "")


@handles("glFlush", touches=Changes.NOTHING)
def flush(tracker: Tracker, context: Context) -> None:
    tracker.backend.flush(context)


@handles("glFinish", touches=Changes.NOTHING)
def finish(tracker: Tracker, context: Context) -> None:
    tracker.backend.finish(context)


@handles("glGetError", touches=Changes.NOTHING)
def get_error(tracker: Tracker, context: Context) -> int:
    error = context.error
    context.error = gl.GL_NO_ERROR
    context.error_message = ""
    return error


@handles("glGetGraphicsResetStatus", touches=Changes.NOTHING)
def get_graphics_reset_status(tracker: Tracker, context: Context) -> int:
    return gl.GL_NO_ERROR


@handles("glFrameTerminatorGREMEDY")
def frame_terminator(tracker: Tracker, context: Context) -> None:
    tracker.backend.frame(context, "")
