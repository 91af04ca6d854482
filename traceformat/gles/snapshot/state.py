"""Snapshot of a context's own state: capabilities, fixed-function state, pixel store, and what is bound."""

from __future__ import annotations

from typing import Final

from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
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


def write_state(w: SnapshotWriter, c: Context) -> None:
    """Write all state but bindings, where it differs from that of a new context."""
    fresh = Context(c.name, c.config, ShareGroup(0), c.limits)
    _write_capabilities(w, c, fresh)
    for function, field in (*_SIMPLE, *(() if c.is_gles else _DESKTOP)):
        if getattr(c, field) != getattr(fresh, field):
            w.emit(function, getattr(c, field))
    for function, field in _TUPLES:
        # A new context takes viewport and scissor box from its drawable.
        if field in ("viewport", "scissor") or getattr(c, field) != getattr(fresh, field):
            w.emit(function, *getattr(c, field))
    if not c.depth_mask:
        w.emit("glDepthMask", 0)
    if (c.polygon_offset_factor, c.polygon_offset_units) != (0.0, 0.0):
        w.emit("glPolygonOffset", c.polygon_offset_factor, c.polygon_offset_units)
    if (c.sample_coverage_value, c.sample_coverage_invert) != (1.0, False):
        w.emit("glSampleCoverage", c.sample_coverage_value, int(c.sample_coverage_invert))
    if c.sample_mask != fresh.sample_mask:
        w.emit("glSampleMaski", 0, c.sample_mask)
    if c.patch_vertices != fresh.patch_vertices:
        w.emit("glPatchParameteri", gl.GL_PATCH_VERTICES, c.patch_vertices)
    for target, mode in c.hints.items():
        w.emit("glHint", target, mode)
    _write_stencil(w, gl.GL_FRONT, c.stencil_front)
    _write_stencil(w, gl.GL_BACK, c.stencil_back)
    _write_blending(w, c)
    _write_attributes(w, c)


def _write_capabilities(w: SnapshotWriter, c: Context, fresh: Context) -> None:
    for capability in sorted(c.enabled ^ fresh.enabled):
        if capability != gl.GL_BLEND:
            w.enable(capability, capability in c.enabled)
    if all(c.blend_enabled):
        w.emit("glEnable", gl.GL_BLEND)
    else:
        for index, is_on in enumerate(c.blend_enabled):
            if is_on:
                w.emit("glEnablei", gl.GL_BLEND, index)


def _write_stencil(w: SnapshotWriter, face: int, state: StencilFace) -> None:
    fresh = StencilFace()
    if (state.func, state.ref, state.value_mask) != (fresh.func, fresh.ref, fresh.value_mask):
        w.emit("glStencilFuncSeparate", face, state.func, state.ref, state.value_mask)
    if (state.fail, state.depth_fail, state.depth_pass) != (fresh.fail, fresh.depth_fail, fresh.depth_pass):
        w.emit("glStencilOpSeparate", face, state.fail, state.depth_fail, state.depth_pass)
    if state.write_mask != fresh.write_mask:
        w.emit("glStencilMaskSeparate", face, state.write_mask)


def _write_blending(w: SnapshotWriter, c: Context) -> None:
    states = [((s.src_rgb, s.dst_rgb, s.src_alpha, s.dst_alpha), (s.equation_rgb, s.equation_alpha)) for s in c.blend]
    factors, equations = states[0]
    if states == [states[0]] * MAX_COLOR_ATTACHMENTS:
        w.emit("glBlendFuncSeparate", *factors)
        w.emit("glBlendEquationSeparate", *equations)
    else:
        for index, (factors, equations) in enumerate(states[: c.limits.max_draw_buffers]):
            w.emit("glBlendFuncSeparatei", index, *factors)
            w.emit("glBlendEquationSeparatei", index, *equations)
    masks = [tuple(int(channel) for channel in mask) for mask in c.color_masks]
    if masks == [masks[0]] * MAX_COLOR_ATTACHMENTS:
        w.emit("glColorMask", *masks[0])
    else:
        for index, mask in enumerate(masks[: c.limits.max_draw_buffers]):
            w.emit("glColorMaski", index, *mask)


def _write_attributes(w: SnapshotWriter, c: Context) -> None:
    for index, attribute in enumerate(c.generic_attribs):
        if attribute.type == gl.GL_FLOAT:
            if attribute.values != (0.0, 0.0, 0.0, 1.0):
                w.emit("glVertexAttrib4fv", index, packed_floats(attribute.values))
        else:
            suffix = "iv" if attribute.type == gl.GL_INT else "uiv"
            w.emit(f"glVertexAttribI4{suffix}", index, packed_ints([int(value) for value in attribute.values]))


def write_bindings(w: SnapshotWriter, c: Context) -> None:
    """Write what is bound, pixel store, the condition of rendering and open debug groups; all that comes last."""
    for index, unit in enumerate(c.units):
        bound = [texture for texture in unit.textures.values() if texture.name]
        if bound:
            w.emit("glActiveTexture", gl.GL_TEXTURE0 + index)
        for texture in bound:
            w.emit("glBindTexture", texture.target, w.name_of(texture))
        if unit.sampler is not None:
            w.emit("glBindSampler", index, w.name_of(unit.sampler))
    w.emit("glActiveTexture", gl.GL_TEXTURE0 + c.active_unit)
    w.emit("glBindVertexArray", c.vertex_array.name)
    if c.transform_feedback.name:
        w.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, c.transform_feedback.name)
    write_ranges(w, gl.GL_UNIFORM_BUFFER, c.uniform_buffers)
    write_ranges(w, gl.GL_SHADER_STORAGE_BUFFER, c.storage_buffers)
    write_ranges(w, gl.GL_ATOMIC_COUNTER_BUFFER, c.counter_buffers)
    for index, image in enumerate(c.image_units):
        if image.texture is not None:
            place = (image.level, int(image.layered), image.layer, image.access, image.format)
            w.emit("glBindImageTexture", index, w.name_of(image.texture), *place)
    # Indexed bindings have changed these.
    indexed = (gl.GL_UNIFORM_BUFFER, gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    storage = (gl.GL_SHADER_STORAGE_BUFFER, gl.GL_ATOMIC_COUNTER_BUFFER)
    has_storage = any(point.buffer is not None for point in (*c.storage_buffers, *c.counter_buffers))
    targets = dict.fromkeys(indexed + (storage if has_storage else ())) | dict.fromkeys(c.buffers)
    for target in targets:
        w.emit("glBindBuffer", target, w.name_of(c.buffers.get(target)))
    if c.renderbuffer is not None:
        w.emit("glBindRenderbuffer", gl.GL_RENDERBUFFER, w.name_of(c.renderbuffer))
    w.emit("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, c.draw_framebuffer.name)
    w.emit("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, c.read_framebuffer.name)
    if c.program is not None:
        w.emit("glUseProgram", c.program.name)
    for parameter, (direction, field) in PIXEL_STORE.items():
        value = getattr(getattr(c, direction), field)
        if value != (4 if field == "alignment" else 0):
            w.emit("glPixelStorei", parameter, value)
    _write_condition(w, c)
    for group in c.debug_groups:
        if group.marker:
            w.emit("glPushGroupMarkerEXT", 0, group.label)
        else:
            w.emit("glPushDebugGroup", group.source, group.id, -1, group.label)


def _write_condition(w: SnapshotWriter, c: Context) -> None:
    """Begin the conditional rendering in progress, whose query has its result by now."""
    query = c.condition
    if query is None:
        return
    if query.deleted or query.active or c.skips_rendering != (not query.result):
        raise ReplayError(
            "the query of conditional rendering has changed: it cannot be restored", hint="choose another frame"
        )
    w.emit("glBeginConditionalRender", query.name, gl.GL_QUERY_WAIT)
