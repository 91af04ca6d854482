"""Snapshot of what one context has of its own: vertex arrays, framebuffers, queries, transform feedbacks."""

from __future__ import annotations

import struct
from typing import Any

from traceformat.calls import Offset
from traceformat.errors import ReplayError
from traceformat.gles import enums as gl
from traceformat.gles.objects import (
    Attachment,
    BufferRange,
    Framebuffer,
    Query,
    TransformFeedback,
    VertexArray,
    VertexAttrib,
    VertexBinding,
)
from traceformat.gles.snapshot.writer import SnapshotWriter, packed_ints
from traceformat.gles.state import Context, Namespace
from traceformat.gles.textures import CUBE_FACES

__all__ = ["write_containers", "write_ranges"]

_LAYERED = (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_1D_ARRAY)


def _live(names: Namespace[Any]) -> list[Any]:
    found = [item for item in names.objects.values() if item is not None and item.name]
    return sorted(found, key=lambda item: int(item.serial))


def write_containers(w: SnapshotWriter, c: Context) -> None:
    """Write a context's containers; the default ones are bound afterwards."""
    for function, parameter, names in (
        ("glGenVertexArrays", "arrays", c.vertex_arrays),
        ("glGenFramebuffers", "framebuffers", c.framebuffers),
        ("glGenQueries", "ids", c.queries),
        ("glGenTransformFeedbacks", "ids", c.transform_feedbacks),
    ):
        w.generate(function, parameter, sorted(name for name in names.objects if name))
    for array in [*_live(c.vertex_arrays), c.vertex_arrays.objects[0]]:
        _write_vertex_array(w, array)
    for framebuffer in _live(c.framebuffers):
        _write_framebuffer(w, c, framebuffer)
    w.bind_framebuffer(0)
    _write_default_framebuffer(w, c)
    for feedback in [*_live(c.transform_feedbacks), c.transform_feedbacks.objects[0]]:
        _write_feedback(w, feedback)
    for query in _live(c.queries):
        _write_query(w, query)


# -- vertex arrays -----------------------------------------------------------------------------------------------------


def _write_vertex_array(w: SnapshotWriter, array: VertexArray) -> None:
    if array.name:
        w.emit("glBindVertexArray", array.name)
    elif not any(_is_touched(attrib) for attrib in array.attribs) and array.element_buffer is None:
        w.emit("glBindVertexArray", 0)
        return
    else:
        w.emit("glBindVertexArray", 0)
    if array.element_buffer is not None:
        w.emit("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, w.name_of(array.element_buffer))
    for index, attrib in enumerate(array.attribs):
        if array.bindings:
            if _is_touched(attrib) or attrib.binding != index or attrib.relative_offset:
                _write_format(w, index, attrib)
        elif _is_touched(attrib):
            _write_pointer(w, index, attrib)
        if attrib.enabled:
            w.emit("glEnableVertexAttribArray", index)
    fresh = VertexBinding()
    for number, binding in enumerate(array.bindings):
        if (binding.buffer, binding.offset, binding.stride) == (None, fresh.offset, fresh.stride):
            continue
        w.emit("glBindVertexBuffer", number, w.name_of(binding.buffer), binding.offset, binding.stride)
        if binding.divisor:
            w.emit("glVertexBindingDivisor", number, binding.divisor)
    w.emit("glBindBuffer", gl.GL_ARRAY_BUFFER, 0)
    w.label(gl.GL_VERTEX_ARRAY, array.name, array.label)


def _is_touched(attrib: VertexAttrib) -> bool:
    fresh = VertexAttrib()
    fields = ("size", "type", "normalized", "integer", "stride", "offset", "divisor", "buffer")
    return any(getattr(attrib, field) != getattr(fresh, field) for field in fields)


def _write_pointer(w: SnapshotWriter, index: int, attrib: VertexAttrib) -> None:
    w.emit("glBindBuffer", gl.GL_ARRAY_BUFFER, w.name_of(attrib.buffer))
    pointer = Offset(attrib.offset) if attrib.buffer is not None else None
    kind = (index, attrib.size, attrib.type)
    if attrib.integer:
        w.emit("glVertexAttribIPointer", *kind, attrib.stride, pointer)
    else:
        w.emit("glVertexAttribPointer", *kind, int(attrib.normalized), attrib.stride, pointer)
    if attrib.divisor:
        w.emit("glVertexAttribDivisor", index, attrib.divisor)


def _write_format(w: SnapshotWriter, index: int, attrib: VertexAttrib) -> None:
    kind = (index, attrib.size, attrib.type)
    if attrib.integer:
        w.emit("glVertexAttribIFormat", *kind, attrib.relative_offset)
    else:
        w.emit("glVertexAttribFormat", *kind, int(attrib.normalized), attrib.relative_offset)
    w.emit("glVertexAttribBinding", index, attrib.binding)


# -- framebuffers ------------------------------------------------------------------------------------------------------


def _write_framebuffer(w: SnapshotWriter, c: Context, framebuffer: Framebuffer) -> None:
    w.bind_framebuffer(framebuffer.name)
    for index, attachment in enumerate(framebuffer.color):
        _write_attachment(w, gl.GL_COLOR_ATTACHMENT0 + index, attachment)
    _write_attachment(w, gl.GL_DEPTH_ATTACHMENT, framebuffer.depth)
    _write_attachment(w, gl.GL_STENCIL_ATTACHMENT, framebuffer.stencil)
    fresh = Framebuffer(0, 0)
    if framebuffer.draw_buffers != fresh.draw_buffers:
        w.emit("glDrawBuffers", len(framebuffer.draw_buffers), packed_ints(framebuffer.draw_buffers))
    if framebuffer.read_buffer != fresh.read_buffer:
        w.emit("glReadBuffer", framebuffer.read_buffer)
    w.label(gl.GL_FRAMEBUFFER, framebuffer.name, framebuffer.label)


def _write_attachment(w: SnapshotWriter, point: int, attachment: Attachment | None) -> None:
    if attachment is None:
        return
    if attachment.renderbuffer is not None:
        name = w.name_of(attachment.renderbuffer)
        w.emit("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, name)
        return
    texture = attachment.texture
    if texture is None:
        return
    name, level = w.name_of(texture), attachment.level
    is_cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
    if attachment.layered:
        w.emit("glFramebufferTexture", gl.GL_FRAMEBUFFER, point, name, level)
    elif texture.target in _LAYERED:
        w.emit("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, point, name, level, attachment.layer)
    else:
        target = CUBE_FACES[attachment.face] if is_cube else texture.target
        place = (gl.GL_FRAMEBUFFER, point, target, name, level)
        if attachment.samples:
            w.emit("glFramebufferTexture2DMultisampleEXT", *place, attachment.samples)
        else:
            w.emit("glFramebufferTexture2D", *place)


def _write_default_framebuffer(w: SnapshotWriter, c: Context) -> None:
    default = c.default_framebuffer
    if default.draw_buffers != [gl.GL_BACK]:
        if c.is_gles:
            w.emit("glDrawBuffers", len(default.draw_buffers), packed_ints(default.draw_buffers))
        else:
            w.emit("glDrawBuffer", default.draw_buffers[0] if default.draw_buffers else gl.GL_NONE)
    if c.default_read_framebuffer.read_buffer != gl.GL_BACK:
        w.emit("glReadBuffer", c.default_read_framebuffer.read_buffer)


# -- transform feedback and queries ------------------------------------------------------------------------------------


def write_ranges(w: SnapshotWriter, target: int, points: list[BufferRange]) -> None:
    """Write indexed buffer bindings."""
    for index, point in enumerate(points):
        if point.buffer is None:
            continue
        name = w.name_of(point.buffer)
        if point.size:
            w.emit("glBindBufferRange", target, index, name, point.offset, point.size)
        else:
            w.emit("glBindBufferBase", target, index, name)


def _write_feedback(w: SnapshotWriter, feedback: TransformFeedback) -> None:
    if feedback.active:
        raise ReplayError("transform feedback is active: its state cannot be restored", hint="choose another frame")
    if not feedback.name and not any(point.buffer for point in feedback.bindings):
        w.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, 0)
        return
    w.emit("glBindTransformFeedback", gl.GL_TRANSFORM_FEEDBACK, feedback.name)
    write_ranges(w, gl.GL_TRANSFORM_FEEDBACK_BUFFER, feedback.bindings)
    w.label(gl.GL_TRANSFORM_FEEDBACK, feedback.name, feedback.label)


def _write_query(w: SnapshotWriter, query: Query) -> None:
    if query.target == gl.GL_TIMESTAMP:
        w.emit("glQueryCounter", query.name, query.target)
    elif query.target:
        w.emit("glBeginQuery", query.target, query.name)
        if not query.active:
            w.emit("glEndQuery", query.target)
    if query.result:
        w.emit("traceContents", gl.GL_QUERY, query.name, 0, 0, struct.pack("<Q", query.result))
    w.label(gl.GL_QUERY, query.name, query.label)
