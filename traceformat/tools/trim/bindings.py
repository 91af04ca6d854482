"""Effects of calls that bind objects, set up vertex arrays and label objects."""

from __future__ import annotations

from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.state import Context
from traceformat.gles.values import uints
from traceformat.tools.trim.collector import Collector, EffectsBase
from traceformat.tools.trim.keys import LABELLED_KINDS, identity

__all__ = ["BindingEffects"]


class BindingEffects(EffectsBase):
    """Binds, vertex arrays, labels."""

    def _do_glBindTexture(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "glActiveTexture")
        found.kill((*ctx, "unit", context.active_unit), call.args[0])
        self._made(found, context, "texture", call.args[1])

    def _do_glCreateTextures(self, found: Collector, context: Context, call: Call) -> None:
        data = call.outputs.get("textures")
        for name in uints(data, len(data) // 4) if isinstance(data, bytes) else ():
            self._made(found, context, "texture", name)

    def _do_glBindSampler(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name, "unit", integer(call.args[0])), "sampler")

    def _do_glBindBuffer(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        if call.args[0] == gl.GL_ELEMENT_ARRAY_BUFFER:
            found.read(ctx, "vertex array")
            found.kill(identity(context, context.vertex_array), "elements")
        else:
            found.kill(ctx, "buffer", call.args[0])
        self._made(found, context, "buffer", call.args[1])

    def _do_glBindBufferRange(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        target, index, name = (integer(value) for value in call.args[:3])
        found.kill(ctx, "buffer", target)
        if target == gl.GL_TRANSFORM_FEEDBACK_BUFFER:
            found.read(ctx, "transform feedback")
            found.kill(identity(context, context.transform_feedback), "binding", index)
        else:
            group = "uniform buffers" if target == gl.GL_UNIFORM_BUFFER else f"buffers of {target:#x}"
            found.kill((*ctx, group), index)
        self._made(found, context, "buffer", name)

    def _do_glBindVertexArray(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "vertex array")
        self._made(found, context, "vertex array", call.args[0])

    def _do_glBindFramebuffer(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        if call.args[0] != gl.GL_READ_FRAMEBUFFER:
            found.kill(ctx, "draw framebuffer")
        if call.args[0] != gl.GL_DRAW_FRAMEBUFFER:
            found.kill(ctx, "read framebuffer")
        self._made(found, context, "framebuffer", call.args[1])

    def _do_glBindRenderbuffer(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "renderbuffer")
        self._made(found, context, "renderbuffer", call.args[1])

    def _do_glUseProgram(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "program")

    def _do_glBindTransformFeedback(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "transform feedback")
        self._made(found, context, "transform feedback", call.args[1])

    def _do_glVertexAttribPointer(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "vertex array")
        found.read(ctx, "buffer", gl.GL_ARRAY_BUFFER)
        found.kill(identity(context, context.vertex_array), "pointer", call.args[0])

    def _do_glEnableVertexAttribArray(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "enabled", call.args[0])

    def _do_glVertexAttribDivisor(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "divisor", call.args[0])

    def _do_traceClientArray(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "client", call.args[0])

    def _do_glVertexAttribFormat(self, found: Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "format", call)

    def _do_glVertexAttribBinding(self, found: Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "attribute's binding", call)

    def _do_glBindVertexBuffer(self, found: Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "binding", call)

    def _do_glVertexBindingDivisor(self, found: Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "binding's divisor", call)

    @staticmethod
    def _array_part(found: Collector, context: Context, part: str, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), part, call.args[0])

    def _do_glObjectLabel(self, found: Collector, context: Context, call: Call) -> None:
        kind = LABELLED_KINDS.get(integer(call.args[0]))
        if kind is not None:
            group = (*self._space(context, kind), integer(call.args[1]))
            found.need(group)
            found.kill((*group, "label"), "label")

    _do_glLabelObject = _do_glObjectLabel
