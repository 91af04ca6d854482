"""Snapshot of a context's own state: capabilities, fixed-function state, pixel store, and what is bound."""

from __future__ import annotations

from typing import Final

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS
from traceformat.gles.fixed_state import PIXEL_STORE
from traceformat.gles.objects import MAX_COLOR_ATTACHMENTS
from traceformat.gles.snapshot.containers import write_ranges
from traceformat.gles.snapshot.writer import SnapshotWriter, packed_floats, packed_ints
from traceformat.gles.state import Context, ShareGroup, StencilFace

__all__ = ["write_bindings", "write_state"]

_SIMPLE: Final = (
    ("glDepthFunc", "depth_func"),
    ("glCullFace", "cull_mode"),
    ("glFrontFace", "front_face"),
    ("glLineWidth", "line_width"),
    ("glClearDepthf", "clear_depth"),
    ("glClearStencil", "clear_stencil"),
)
_DESKTOP: Final = (
    ("glPrimitiveRestartIndex", "primitive_restart_index"),
    ("glProvokingVertex", "provoking_vertex"),
    ("glPointSize", "point_size"),
    ("glLogicOp", "logic_op"),
)
_TUPLES: Final = (
    ("glViewport", "viewport"),
    ("glScissor", "scissor"),
    ("glDepthRangef", "depth_range"),
    ("glBlendColor", "blend_color"),
    ("glClearColor", "clear_color"),
)


def write_state(writer: SnapshotWriter, context: Context) -> None:
    """Write all state but bindings, where it differs from that of a new context."""
    fresh = Context(context.name, context.config, ShareGroup(0), context.limits)
    _write_capabilities(writer, context, fresh)
    for function, field in (*_SIMPLE, *(() if context.is_gles else _DESKTOP)):
        if getattr(context, field) != getattr(fresh, field):
            writer.emit(function, getattr(context, field))
    for function, field in _TUPLES:
        # A new context takes viewport and scissor box from its drawable.
        if field in ("viewport", "scissor") or getattr(context, field) != getattr(fresh, field):
            writer.emit(function, *getattr(context, field))
    if (context.clip_origin, context.clip_depth) != (fresh.clip_origin, fresh.clip_depth):
        writer.emit("glClipControl", context.clip_origin, context.clip_depth)
    if context.polygon_mode != fresh.polygon_mode:
        writer.emit("glPolygonMode", gl.GL_FRONT_AND_BACK, context.polygon_mode)
    if not context.depth_mask:
        writer.emit("glDepthMask", 0)
    if (context.polygon_offset_factor, context.polygon_offset_units) != (0.0, 0.0):
        writer.emit("glPolygonOffset", context.polygon_offset_factor, context.polygon_offset_units)
    if (context.sample_coverage_value, context.sample_coverage_invert) != (1.0, False):
        writer.emit("glSampleCoverage", context.sample_coverage_value, int(context.sample_coverage_invert))
    if context.sample_mask != fresh.sample_mask:
        writer.emit("glSampleMaski", 0, context.sample_mask)
    if context.min_sample_shading != fresh.min_sample_shading:
        writer.emit("glMinSampleShading", context.min_sample_shading)
    if context.patch_vertices != fresh.patch_vertices:
        writer.emit("glPatchParameteri", gl.GL_PATCH_VERTICES, context.patch_vertices)
    for name, pname in (
        ("patch_outer_levels", gl.GL_PATCH_DEFAULT_OUTER_LEVEL),
        ("patch_inner_levels", gl.GL_PATCH_DEFAULT_INNER_LEVEL),
    ):
        levels = getattr(context, name)
        if levels != getattr(fresh, name):
            writer.emit("glPatchParameterfv", pname, packed_floats(levels))
    for target, mode in context.hints.items():
        writer.emit("glHint", target, mode)
    _write_stencil(writer, gl.GL_FRONT, context.stencil_front)
    _write_stencil(writer, gl.GL_BACK, context.stencil_back)
    _write_blending(writer, context)
    _write_attributes(writer, context)


def _write_capabilities(writer: SnapshotWriter, context: Context, fresh: Context) -> None:
    for capability in sorted(context.enabled ^ fresh.enabled):
        if capability != gl.GL_BLEND:
            writer.enable(capability, capability in context.enabled)
    if all(context.blend_enabled):
        writer.emit("glEnable", gl.GL_BLEND)
    else:
        for index, is_on in enumerate(context.blend_enabled):
            if is_on:
                writer.emit("glEnablei", gl.GL_BLEND, index)


def _write_stencil(writer: SnapshotWriter, face: int, state: StencilFace) -> None:
    fresh = StencilFace()
    if (state.func, state.ref, state.value_mask) != (fresh.func, fresh.ref, fresh.value_mask):
        writer.emit("glStencilFuncSeparate", face, state.func, state.ref, state.value_mask)
    if (state.fail, state.depth_fail, state.depth_pass) != (fresh.fail, fresh.depth_fail, fresh.depth_pass):
        writer.emit("glStencilOpSeparate", face, state.fail, state.depth_fail, state.depth_pass)
    if state.write_mask != fresh.write_mask:
        writer.emit("glStencilMaskSeparate", face, state.write_mask)


def _write_blending(writer: SnapshotWriter, context: Context) -> None:
    states = [
        ((state.src_rgb, state.dst_rgb, state.src_alpha, state.dst_alpha), (state.equation_rgb, state.equation_alpha))
        for state in context.blend
    ]
    factors, equations = states[0]
    if states == [states[0]] * MAX_COLOR_ATTACHMENTS:
        writer.emit("glBlendFuncSeparate", *factors)
        _write_equation(writer, "", equations)
    else:
        for index, (factors, equations) in enumerate(states[: context.limits.max_draw_buffers]):
            writer.emit("glBlendFuncSeparatei", index, *factors)
            _write_equation(writer, "i", equations, index)
    masks = [tuple(int(channel) for channel in mask) for mask in context.color_masks]
    if masks == [masks[0]] * MAX_COLOR_ATTACHMENTS:
        writer.emit("glColorMask", *masks[0])
    else:
        for index, mask in enumerate(masks[: context.limits.max_draw_buffers]):
            writer.emit("glColorMaski", index, *mask)


def _write_equation(writer: SnapshotWriter, suffix: str, equations: tuple[int, int], *index: int) -> None:
    """Advanced equations have no form for colour and alpha apart."""
    if equations[0] in ADVANCED_EQUATIONS:
        writer.emit(f"glBlendEquation{suffix}", *index, equations[0])
    else:
        writer.emit(f"glBlendEquationSeparate{suffix}", *index, *equations)


def _write_attributes(writer: SnapshotWriter, context: Context) -> None:
    for index, attribute in enumerate(context.generic_attribs):
        if attribute.type == gl.GL_FLOAT:
            if attribute.values != (0.0, 0.0, 0.0, 1.0):
                writer.emit("glVertexAttrib4fv", index, packed_floats(attribute.values))
        else:
            suffix = "iv" if attribute.type == gl.GL_INT else "uiv"
            writer.emit(f"glVertexAttribI4{suffix}", index, packed_ints([int(value) for value in attribute.values]))


def write_bindings(writer: SnapshotWriter, context: Context) -> None:
    """Write what is bound, pixel store, the condition of rendering and open debug groups; all that comes last."""
    for index, unit in enumerate(context.units):
        bound = [texture for texture in unit.textures.values() if texture.name]
        if bound:
            writer.emit("glActiveTexture", gl.GL_TEXTURE0 + index)
        for texture in bound:
            writer.emit("glBindTexture", texture.target, writer.name_of(texture))
        if unit.sampler is not None:
            writer.emit("glBindSampler", index, writer.name_of(unit.sampler))
    writer.emit("glActiveTexture", gl.GL_TEXTURE0 + context.active_unit)
    writer.emit("glBindVertexArray", context.vertex_array.name)
    if context.transform_feedback.name:
        writer.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, context.transform_feedback.name)
    write_ranges(writer, gl.GL_UNIFORM_BUFFER, context.uniform_buffers)
    write_ranges(writer, gl.GL_SHADER_STORAGE_BUFFER, context.storage_buffers)
    write_ranges(writer, gl.GL_ATOMIC_COUNTER_BUFFER, context.counter_buffers)
    for index, image in enumerate(context.image_units):
        if image.texture is not None:
            place = (image.level, int(image.layered), image.layer, image.access, image.format)
            writer.emit("glBindImageTexture", index, writer.name_of(image.texture), *place)
    # Indexed bindings have changed these.
    indexed = (gl.GL_UNIFORM_BUFFER, gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    storage = (gl.GL_SHADER_STORAGE_BUFFER, gl.GL_ATOMIC_COUNTER_BUFFER)
    has_storage = any(point.buffer is not None for point in (*context.storage_buffers, *context.counter_buffers))
    targets = dict.fromkeys(indexed + (storage if has_storage else ())) | dict.fromkeys(context.buffers)
    for target in targets:
        writer.emit("glBindBuffer", target, writer.name_of(context.buffers.get(target)))
    if context.renderbuffer is not None:
        writer.emit("glBindRenderbuffer", gl.GL_RENDERBUFFER, writer.name_of(context.renderbuffer))
    writer.emit("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, context.draw_framebuffer.name)
    writer.emit("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, context.read_framebuffer.name)
    if context.used_program is not None:
        writer.emit("glUseProgram", context.used_program.name)
    if context.pipeline is not None:
        writer.emit("glBindProgramPipeline", context.pipeline.name)
    for parameter, (direction, field) in PIXEL_STORE.items():
        value = getattr(getattr(context, direction), field)
        if value != (4 if field == "alignment" else 0):
            writer.emit("glPixelStorei", parameter, value)
    _write_condition(writer, context)
    for group in context.debug_groups:
        if group.marker:
            writer.emit("glPushGroupMarkerEXT", 0, group.label)
        else:
            writer.emit("glPushDebugGroup", group.source, group.id, -1, group.label)


def _write_condition(writer: SnapshotWriter, context: Context) -> None:
    """Begin the conditional rendering in progress, whose query has its result by now."""
    query = context.condition
    if query is None:
        return
    if query.deleted or query.active or context.skips_rendering != (not query.result):
        raise ReplayError(
            "the query of conditional rendering has changed: it cannot be restored", hint="choose another frame"
        )
    writer.emit("glBeginConditionalRender", query.name, gl.GL_QUERY_WAIT)
