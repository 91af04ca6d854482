"""Blending and write masks, for all draw buffers at once or for one."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS, EQUATIONS, FACTORS
from traceformat.gles.dispatch import handles, invalid_enum, invalid_value
from traceformat.gles.fixed_state import clamp, disable, enable
from traceformat.gles.objects import MAX_COLOR_ATTACHMENTS
from traceformat.gles.state import BlendState, Changes, Context

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

_SECOND_SOURCE = frozenset({gl.GL_SRC1_COLOR, gl.GL_ONE_MINUS_SRC1_COLOR, gl.GL_SRC1_ALPHA, gl.GL_ONE_MINUS_SRC1_ALPHA})


def _draw_buffer(context: Context, index: int) -> int:
    if not 0 <= index < context.limits.max_draw_buffers:
        raise invalid_value(f"draw buffer {index}")
    return index


def _set_factors(states: list[BlendState], src_rgb: int, dst_rgb: int, src_alpha: int, dst_alpha: int) -> None:
    if any(
        factor not in FACTORS and factor not in _SECOND_SOURCE for factor in (src_rgb, dst_rgb, src_alpha, dst_alpha)
    ):
        raise invalid_enum(f"blend factor {src_rgb:#x}, {dst_rgb:#x}, {src_alpha:#x} or {dst_alpha:#x}")
    for state in states:
        state.src_rgb = src_rgb
        state.dst_rgb = dst_rgb
        state.src_alpha = src_alpha
        state.dst_alpha = dst_alpha


def _set_equations(context: Context, states: list[BlendState], rgb: int, alpha: int) -> None:
    if rgb not in EQUATIONS or alpha not in EQUATIONS:
        raise invalid_enum(f"blend equation {rgb:#x} or {alpha:#x}")
    _put_equations(context, states, rgb, alpha)


def _set_equation(context: Context, states: list[BlendState], mode: int) -> None:
    """One equation for all channels: any, where glBlendEquationSeparate takes the simple ones (ES 3.2 §15.1.5.1)."""
    if mode not in EQUATIONS and mode not in ADVANCED_EQUATIONS:
        raise invalid_enum(f"blend equation {mode:#x}")
    _put_equations(context, states, mode, mode)


def _put_equations(context: Context, states: list[BlendState], rgb: int, alpha: int) -> None:
    for state in states:
        state.equation_rgb = rgb
        state.equation_alpha = alpha
    context.has_advanced_equation = any(state.equation_rgb in ADVANCED_EQUATIONS for state in context.blend)


@handles("glBlendFunc", touches=Changes.FIXED)
def blend_func(tracker: Tracker, context: Context, src: int, dst: int) -> None:
    _set_factors(context.blend, src, dst, src, dst)


@handles("glBlendFuncSeparate", touches=Changes.FIXED)
def blend_func_separate(
    tracker: Tracker, context: Context, src_rgb: int, dst_rgb: int, src_alpha: int, dst_alpha: int
) -> None:
    _set_factors(context.blend, src_rgb, dst_rgb, src_alpha, dst_alpha)


@handles("glBlendFunci", touches=Changes.FIXED)
def blend_func_indexed(tracker: Tracker, context: Context, index: int, src: int, dst: int) -> None:
    _set_factors([context.blend[_draw_buffer(context, index)]], src, dst, src, dst)


@handles("glBlendFuncSeparatei", touches=Changes.FIXED)
def blend_func_separate_indexed(
    tracker: Tracker, context: Context, index: int, src_rgb: int, dst_rgb: int, src_alpha: int, dst_alpha: int
) -> None:
    _set_factors([context.blend[_draw_buffer(context, index)]], src_rgb, dst_rgb, src_alpha, dst_alpha)


@handles("glBlendEquation", touches=Changes.FIXED)
def blend_equation(tracker: Tracker, context: Context, mode: int) -> None:
    _set_equation(context, context.blend, mode)


@handles("glBlendEquationSeparate", touches=Changes.FIXED)
def blend_equation_separate(tracker: Tracker, context: Context, rgb: int, alpha: int) -> None:
    _set_equations(context, context.blend, rgb, alpha)


@handles("glBlendEquationi", touches=Changes.FIXED)
def blend_equation_indexed(tracker: Tracker, context: Context, index: int, mode: int) -> None:
    _set_equation(context, [context.blend[_draw_buffer(context, index)]], mode)


@handles("glBlendEquationSeparatei", touches=Changes.FIXED)
def blend_equation_separate_indexed(tracker: Tracker, context: Context, index: int, rgb: int, alpha: int) -> None:
    _set_equations(context, [context.blend[_draw_buffer(context, index)]], rgb, alpha)


@handles("glBlendColor", touches=Changes.FIXED)
def blend_color(tracker: Tracker, context: Context, red: float, green: float, blue: float, alpha: float) -> None:
    if context.config.is_gles and context.config.major < 3:
        context.blend_color = (clamp(red), clamp(green), clamp(blue), clamp(alpha))
    else:
        context.blend_color = (red, green, blue, alpha)


@handles("glColorMask", touches=Changes.FIXED)
def color_mask(tracker: Tracker, context: Context, red: int, green: int, blue: int, alpha: int) -> None:
    context.color_masks = [(bool(red), bool(green), bool(blue), bool(alpha))] * MAX_COLOR_ATTACHMENTS


@handles("glColorMaski", touches=Changes.FIXED)
def color_mask_indexed(
    tracker: Tracker, context: Context, index: int, red: int, green: int, blue: int, alpha: int
) -> None:
    context.color_masks[_draw_buffer(context, index)] = (bool(red), bool(green), bool(blue), bool(alpha))


@handles("glEnablei", touches=Changes.FIXED)
def enable_indexed(tracker: Tracker, context: Context, capability: int, index: int) -> None:
    if capability == gl.GL_SCISSOR_TEST and index == 0:
        enable(tracker, context, capability)
        return
    if capability != gl.GL_BLEND:
        raise invalid_enum(f"capability {capability:#x}")
    context.blend_enabled[_draw_buffer(context, index)] = True
    if index == 0:
        context.enabled.add(gl.GL_BLEND)


@handles("glDisablei", touches=Changes.FIXED)
def disable_indexed(tracker: Tracker, context: Context, capability: int, index: int) -> None:
    if capability == gl.GL_SCISSOR_TEST and index == 0:
        disable(tracker, context, capability)
        return
    if capability != gl.GL_BLEND:
        raise invalid_enum(f"capability {capability:#x}")
    context.blend_enabled[_draw_buffer(context, index)] = False
    if index == 0:
        context.enabled.discard(gl.GL_BLEND)


@handles("glIsEnabledi", touches=Changes.FIXED)
def is_enabled_indexed(tracker: Tracker, context: Context, capability: int, index: int) -> int:
    if capability == gl.GL_SCISSOR_TEST and index == 0:
        return int(capability in context.enabled)
    if capability != gl.GL_BLEND:
        raise invalid_enum(f"capability {capability:#x}")
    return int(context.blend_enabled[_draw_buffer(context, index)])
