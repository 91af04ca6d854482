"""Desktop GL calls that mean the same as a GLES one, or nothing: the one place where they are normalised.

What has no counterpart in GLES (fixed function, geometry shaders, GL_QUADS, texture buffers) has no handler, and raises
UnsupportedCallError by name.
"""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.errors import UnsupportedCallError
from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.fixed_state import FACES, clear_depth, depth_range
from traceformat.gles.framebuffers import draw_buffers
from traceformat.gles.gets import get_values
from traceformat.gles.state import Context
from traceformat.gles.values import doubles_out, ints_out

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


@handles("glClearDepth")
def clear_depth_double(tracker: Tracker, context: Context, depth: float) -> None:
    clear_depth(tracker, context, depth)


@handles("glDepthRange")
def depth_range_double(tracker: Tracker, context: Context, near: float, far: float) -> None:
    depth_range(tracker, context, near, far)


@handles("glPolygonMode")
def polygon_mode(tracker: Tracker, context: Context, face: int, mode: int) -> None:
    if mode not in (gl.GL_POINT, gl.GL_LINE, gl.GL_FILL) or face not in FACES:
        raise invalid_enum(f"face {face:#x}, mode {mode:#x}")
    if face != gl.GL_FRONT_AND_BACK and context.config.profile == 1:
        raise invalid_enum(f"face {face:#x}")
    if face != gl.GL_FRONT_AND_BACK and mode != context.polygon_mode:
        raise UnsupportedCallError(f"call {tracker.call.number}: glPolygonMode of one face is not supported")
    context.polygon_mode = mode


@handles("glPointSize")
def point_size(tracker: Tracker, context: Context, size: float) -> None:
    if not size > 0.0:
        raise invalid_value(f"size {size}")
    context.point_size = size


@handles("glPointParameterf", "glPointParameteri")
def point_parameter(tracker: Tracker, context: Context, pname: int, value: float) -> None:
    if pname == gl.GL_POINT_SPRITE_COORD_ORIGIN:
        if int(value) == gl.GL_LOWER_LEFT:
            raise UnsupportedCallError(f"call {tracker.call.number}: point sprites with their origin at the lower left")
        if int(value) != gl.GL_UPPER_LEFT:
            raise invalid_enum(f"origin {int(value):#x}")
    elif pname == gl.GL_POINT_FADE_THRESHOLD_SIZE:
        if value < 0:
            raise invalid_value(f"size {value}")
    else:
        raise invalid_enum(f"pname {pname:#x}")


@handles("glLogicOp")
def logic_op(tracker: Tracker, context: Context, operation: int) -> None:
    if not gl.GL_CLEAR <= operation <= gl.GL_SET:
        raise invalid_enum(f"operation {operation:#x}")
    context.logic_op = operation


@handles("glPrimitiveRestartIndex")
def primitive_restart_index(tracker: Tracker, context: Context, index: int) -> None:
    context.primitive_restart_index = index & 0xFFFFFFFF


@handles("glProvokingVertex")
def provoking_vertex(tracker: Tracker, context: Context, mode: int) -> None:
    if mode not in (gl.GL_FIRST_VERTEX_CONVENTION, gl.GL_LAST_VERTEX_CONVENTION):
        raise invalid_enum(f"mode {mode:#x}")
    context.provoking_vertex = mode


@handles("glClampColor")
def clamp_color(tracker: Tracker, context: Context, target: int, clamp: int) -> None:
    """Only glReadPixels' clamp is left in core contexts; programs turn it off, which is how GLES reads."""
    if target != gl.GL_CLAMP_READ_COLOR and context.config.profile == 1:
        raise invalid_enum(f"target {target:#x}")
    if clamp not in (gl.GL_TRUE, gl.GL_FALSE, gl.GL_FIXED_ONLY):
        raise invalid_enum(f"clamp {clamp:#x}")


@handles("glDrawBuffer")
def draw_buffer(tracker: Tracker, context: Context, buffer: int) -> None:
    if context.draw_framebuffer.name == 0:
        known = (gl.GL_NONE, gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK, gl.GL_LEFT)
        if buffer in known or gl.GL_FRONT_LEFT <= buffer <= gl.GL_BACK_RIGHT:
            context.draw_framebuffer.draw_buffers = [buffer]
            return
        is_attachment = gl.GL_COLOR_ATTACHMENT0 <= buffer < gl.GL_COLOR_ATTACHMENT0 + 32
        raise (invalid_operation if is_attachment else invalid_enum)(f"draw buffer {buffer:#x}")
    draw_buffers(tracker, context, 1, ints_out([buffer]))


@handles("glGetDoublev")
def get_double(tracker: Tracker, context: Context, pname: int, _: object) -> None:
    tracker.outputs["data"] = doubles_out(get_values(context, pname))
