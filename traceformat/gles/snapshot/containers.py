"""Snapshot of what one context has of its own: vertex arrays, framebuffers, queries, transform feedbacks."""

from __future__ import annotations

import struct
from typing import Any

from traceformat.calls import Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.framebuffers import ONE_OF_LAYERS
from traceformat.gles.objects import (
    Attachment,
    BufferRange,
    Framebuffer,
    Pipeline,
    Query,
    TransformFeedback,
    VertexArray,
    VertexAttrib,
    VertexBinding,
)
from traceformat.gles.pipelines import STAGE_BITS
from traceformat.gles.snapshot.writer import SnapshotWriter, packed_ints
from traceformat.gles.state import Context, Namespace
from traceformat.gles.textures import CUBE_FACES

__all__ = ["write_containers", "write_ranges"]


def _live(names: Namespace[Any]) -> list[Any]:
    found = [item for item in names.objects.values() if item is not None and item.name]
    return sorted(found, key=lambda item: int(item.serial))


def write_containers(writer: SnapshotWriter, context: Context) -> None:
    """Write a context's containers; the default ones are bound afterwards."""
    for function, parameter, names in (
        ("glGenVertexArrays", "arrays", context.vertex_arrays),
        ("glGenFramebuffers", "framebuffers", context.framebuffers),
        ("glGenQueries", "ids", context.queries),
        ("glGenTransformFeedbacks", "ids", context.transform_feedbacks),
        ("glGenProgramPipelines", "pipelines", context.pipelines),
    ):
        writer.generate(function, parameter, sorted(name for name in names.objects if name))
    for array in [*_live(context.vertex_arrays), context.vertex_arrays.objects[0]]:
        _write_vertex_array(writer, array)
    for framebuffer in _live(context.framebuffers):
        _write_framebuffer(writer, context, framebuffer)
    writer.bind_framebuffer(0)
    _write_default_framebuffer(writer, context)
    for feedback in [*_live(context.transform_feedbacks), context.transform_feedbacks.objects[0]]:
        _write_feedback(writer, feedback)
    for query in _live(context.queries):
        _write_query(writer, query)
    for pipeline in _live(context.pipelines):
        _write_pipeline(writer, pipeline)


# -- vertex arrays -----------------------------------------------------------------------------------------------------


def _write_vertex_array(writer: SnapshotWriter, array: VertexArray) -> None:
    if array.name:
        writer.emit("glBindVertexArray", array.name)
    elif not any(_is_touched(attrib) for attrib in array.attribs) and array.element_buffer is None:
        writer.emit("glBindVertexArray", 0)
        return
    else:
        writer.emit("glBindVertexArray", 0)
    if array.element_buffer is not None:
        writer.emit("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, writer.name_of(array.element_buffer))
    for index, attrib in enumerate(array.attribs):
        if array.bindings:
            if _is_touched(attrib) or attrib.binding != index or attrib.relative_offset:
                _write_format(writer, index, attrib)
        elif _is_touched(attrib):
            _write_pointer(writer, index, attrib)
        if attrib.enabled:
            writer.emit("glEnableVertexAttribArray", index)
    fresh = VertexBinding()
    for number, binding in enumerate(array.bindings):
        if (binding.buffer, binding.offset, binding.stride) == (None, fresh.offset, fresh.stride):
            continue
        writer.emit("glBindVertexBuffer", number, writer.name_of(binding.buffer), binding.offset, binding.stride)
        if binding.divisor:
            writer.emit("glVertexBindingDivisor", number, binding.divisor)
    writer.emit("glBindBuffer", gl.GL_ARRAY_BUFFER, 0)
    writer.label(gl.GL_VERTEX_ARRAY, array.name, array.label)


def _is_touched(attrib: VertexAttrib) -> bool:
    fresh = VertexAttrib()
    fields = ("size", "type", "normalized", "integer", "stride", "offset", "divisor", "buffer")
    return any(getattr(attrib, field) != getattr(fresh, field) for field in fields)


def _write_pointer(writer: SnapshotWriter, index: int, attrib: VertexAttrib) -> None:
    writer.emit("glBindBuffer", gl.GL_ARRAY_BUFFER, writer.name_of(attrib.buffer))
    pointer = Offset(attrib.offset) if attrib.buffer is not None else None
    kind = (index, attrib.size, attrib.type)
    if attrib.integer:
        writer.emit("glVertexAttribIPointer", *kind, attrib.stride, pointer)
    else:
        writer.emit("glVertexAttribPointer", *kind, int(attrib.normalized), attrib.stride, pointer)
    if attrib.divisor:
        writer.emit("glVertexAttribDivisor", index, attrib.divisor)


def _write_format(writer: SnapshotWriter, index: int, attrib: VertexAttrib) -> None:
    kind = (index, attrib.size, attrib.type)
    if attrib.integer:
        writer.emit("glVertexAttribIFormat", *kind, attrib.relative_offset)
    else:
        writer.emit("glVertexAttribFormat", *kind, int(attrib.normalized), attrib.relative_offset)
    writer.emit("glVertexAttribBinding", index, attrib.binding)


# -- framebuffers ------------------------------------------------------------------------------------------------------


def _write_framebuffer(writer: SnapshotWriter, context: Context, framebuffer: Framebuffer) -> None:
    writer.bind_framebuffer(framebuffer.name)
    for pname, value in framebuffer.defaults.items():
        writer.emit("glFramebufferParameteri", gl.GL_FRAMEBUFFER, pname, value)
    for index, attachment in enumerate(framebuffer.color):
        _write_attachment(writer, gl.GL_COLOR_ATTACHMENT0 + index, attachment)
    _write_attachment(writer, gl.GL_DEPTH_ATTACHMENT, framebuffer.depth)
    _write_attachment(writer, gl.GL_STENCIL_ATTACHMENT, framebuffer.stencil)
    fresh = Framebuffer(0, 0)
    if framebuffer.draw_buffers != fresh.draw_buffers:
        writer.emit("glDrawBuffers", len(framebuffer.draw_buffers), packed_ints(framebuffer.draw_buffers))
    if framebuffer.read_buffer != fresh.read_buffer:
        writer.emit("glReadBuffer", framebuffer.read_buffer)
    writer.label(gl.GL_FRAMEBUFFER, framebuffer.name, framebuffer.label)


def _write_attachment(writer: SnapshotWriter, point: int, attachment: Attachment | None) -> None:
    if attachment is None:
        return
    if attachment.renderbuffer is not None:
        name = writer.name_of(attachment.renderbuffer)
        writer.emit("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, name)
        return
    texture = attachment.texture
    if texture is None:
        return
    name, level = writer.name_of(texture), attachment.level
    is_cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
    if attachment.layered:
        writer.emit("glFramebufferTexture", gl.GL_FRAMEBUFFER, point, name, level)
    elif texture.target in ONE_OF_LAYERS:
        writer.emit("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, point, name, level, attachment.layer)
    else:
        target = CUBE_FACES[attachment.face] if is_cube else texture.target
        place = (gl.GL_FRAMEBUFFER, point, target, name, level)
        if attachment.samples:
            writer.emit("glFramebufferTexture2DMultisampleEXT", *place, attachment.samples)
        else:
            writer.emit("glFramebufferTexture2D", *place)


def _write_default_framebuffer(writer: SnapshotWriter, context: Context) -> None:
    default = context.default_framebuffer
    if default.draw_buffers != [gl.GL_BACK]:
        if context.is_gles:
            writer.emit("glDrawBuffers", len(default.draw_buffers), packed_ints(default.draw_buffers))
        else:
            writer.emit("glDrawBuffer", default.draw_buffers[0] if default.draw_buffers else gl.GL_NONE)
    if context.default_read_framebuffer.read_buffer != gl.GL_BACK:
        writer.emit("glReadBuffer", context.default_read_framebuffer.read_buffer)


# -- transform feedback and queries ------------------------------------------------------------------------------------


def write_ranges(writer: SnapshotWriter, target: int, points: list[BufferRange]) -> None:
    """Write indexed buffer bindings."""
    for index, point in enumerate(points):
        if point.buffer is None:
            continue
        name = writer.name_of(point.buffer)
        if point.size:
            writer.emit("glBindBufferRange", target, index, name, point.offset, point.size)
        else:
            writer.emit("glBindBufferBase", target, index, name)


def _write_feedback(writer: SnapshotWriter, feedback: TransformFeedback) -> None:
    if feedback.active:
        raise ReplayError("transform feedback is active: its state cannot be restored", hint="choose another frame")
    if not feedback.name and not any(point.buffer for point in feedback.bindings):
        writer.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, 0)
        return
    writer.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, feedback.name)
    write_ranges(writer, gl.GL_TRANSFORM_FEEDBACK_BUFFER, feedback.bindings)
    writer.label(gl.GL_TRANSFORM_FEEDBACK, feedback.name, feedback.label)


def _write_query(writer: SnapshotWriter, query: Query) -> None:
    if query.target == gl.GL_TIMESTAMP:
        writer.emit("glQueryCounter", query.name, query.target)
    elif query.target:
        writer.emit("glBeginQuery", query.target, query.name)
        if not query.active:
            writer.emit("glEndQuery", query.target)
    if query.result:
        writer.emit("traceContents", gl.GL_QUERY, query.name, 0, 0, struct.pack("<Q", query.result))
    writer.label(gl.GL_QUERY, query.name, query.label)


def _write_pipeline(writer: SnapshotWriter, pipeline: Pipeline) -> None:
    for stage, program in pipeline.stages.items():
        writer.emit("glUseProgramStages", pipeline.name, STAGE_BITS[stage], program.name)
    if pipeline.active is not None:
        writer.emit("glActiveShaderProgram", pipeline.name, pipeline.active.name)
    if pipeline.validated:
        writer.emit("glValidateProgramPipeline", pipeline.name)
    elif pipeline.created and not pipeline.stages:
        writer.emit("glBindProgramPipeline", pipeline.name)
        writer.emit("glBindProgramPipeline", 0)
    writer.label(gl.GL_PROGRAM_PIPELINE, pipeline.name, pipeline.label)
