"""Effects of draws, queries and transform feedback."""

from __future__ import annotations

from traceformat.calls import Call, integer
from traceformat.gles import enums as gl
from traceformat.gles.objects import ProgramObject
from traceformat.gles.state import Context
from traceformat.tools.trim.collector import Collector
from traceformat.tools.trim.framebuffers import FramebufferEffects
from traceformat.tools.trim.keys import identity
from traceformat.tools.trim.programs import ProgramEffects, programs_of

__all__ = ["DrawEffects"]


class DrawEffects(FramebufferEffects, ProgramEffects):
    """Draws and what surrounds them."""

    def _draw(self, found: Collector, context: Context, call: Call) -> None:
        self._draw_target(found, context)
        self._vertex_input(found, context, call)
        if context.used_program is None and context.pipeline is not None:
            found.need(identity(context, context.pipeline))
        for program in programs_of(context):
            found.read(identity(context, program), "linked")
            found.need(self._linked(context, program))
            self._sampled(found, context, program)
        for target, query in context.current_queries.items():
            found.read(("context", context.name, "queries"), target)
            found.update(identity(context, query), "result")
        feedback = context.transform_feedback
        # Whether transform feedback is active decides which draws are legal.
        found.read(identity(context, feedback), "active")
        if feedback.active:
            found.need(identity(context, feedback))
            for point in feedback.bindings:
                if point.buffer is not None and not feedback.paused:
                    buffer = identity(context, point.buffer)
                    found.read(buffer, "store")
                    found.update(buffer, "written")
        if gl.GL_RASTERIZER_DISCARD in context.enabled:
            return
        contents = self._contents(context, context.draw_framebuffer)
        for aspect, capability in (("color", 0), ("depth", gl.GL_DEPTH_TEST), ("stencil", gl.GL_STENCIL_TEST)):
            if capability and capability not in context.enabled:
                continue
            for owner, rest in contents[aspect]:
                found.update(owner, *rest)
                if capability:
                    found.read(owner, *rest)

    def _vertex_input(self, found: Collector, context: Context, call: Call) -> None:
        array = context.vertex_array
        found.need(identity(context, array))
        buffers = {id(each.buffer): each.buffer for each in array.attribs if each.enabled and each.buffer is not None}
        if array.element_buffer is not None and "Elements" in call.name:
            buffers[id(array.element_buffer)] = array.element_buffer
        indirect = context.buffers.get(gl.GL_DRAW_INDIRECT_BUFFER)
        if indirect is not None and "Indirect" in call.name:
            buffers[id(indirect)] = indirect
        executables = (program.executable for program in programs_of(context))
        bindings = (each.block_bindings for each in executables if each is not None)
        for index in {index for each in bindings for index in each}:
            found.read(("context", context.name, "uniform buffers"), index)
            if 0 <= index < len(context.uniform_buffers):
                uniform = context.uniform_buffers[index].buffer
                if uniform is not None:
                    buffers[id(uniform)] = uniform
        for buffer in buffers.values():
            found.need_bytes(identity(context, buffer))

    def _sampled(self, found: Collector, context: Context, program: ProgramObject) -> None:
        """Textures and samplers of the units that the program's samplers name."""
        executable = program.executable
        if executable is None:
            return
        for slot in executable.samplers:
            for element in range(slot.uniform.size):
                start = slot.offset + 4 * element
                unit = int.from_bytes(executable.constants[start : start + 4], "little", signed=True)
                if not 0 <= unit < len(context.units):
                    continue
                found.need(("context", context.name, "unit", unit))
                bound = context.units[unit]
                if bound.sampler is not None:
                    found.need(identity(context, bound.sampler))
                for target, texture in bound.textures.items():
                    if texture is not context.default_textures.get(target) or texture.images:
                        found.need(identity(context, texture))
                    if texture.texels is not None:
                        found.need(identity(context, texture))
                        found.need_bytes(identity(context, texture.texels.buffer))

    def _do_glBeginQuery(self, found: Collector, context: Context, call: Call) -> None:
        # Whether a query is in progress decides whether this one begins; likewise below.
        found.read(("context", context.name, "queries"), call.args[0])
        found.kill(("context", context.name, "queries"), call.args[0])
        query = context.current_queries.get(integer(call.args[0]))
        if query is not None:
            found.kill(identity(context, query), "result")
            self._begun[context.name, call.args[0]] = identity(context, query)

    def _do_glBeginConditionalRender(self, found: Collector, context: Context, call: Call) -> None:
        query = context.queries.get(integer(call.args[0]))
        if query is not None:
            found.need(identity(context, query))
        found.read(("context", context.name), "condition")
        found.kill(("context", context.name), "condition")

    def _do_glEndConditionalRender(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "condition")
        found.kill(("context", context.name), "condition")

    def _do_glEndQuery(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name, "queries"), call.args[0])
        found.kill(("context", context.name, "queries"), call.args[0])
        ended = self._begun.get((context.name, call.args[0]))
        if ended is not None:
            found.update(ended, "result")

    def _do_glBeginTransformFeedback(self, found: Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "transform feedback")
        found.read(ctx, "program")
        feedback = context.transform_feedback
        key = identity(context, feedback)
        for index, point in enumerate(feedback.bindings):
            if point.buffer is not None:
                found.read(key, "binding", index)
                found.read(identity(context, point.buffer), "store")
        for program in programs_of(context):
            found.read(identity(context, program), "linked")
        found.read(key, "active")
        found.kill(key, "active")

    def _do_glEndTransformFeedback(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "transform feedback")
        key = identity(context, context.transform_feedback)
        found.read(key, "active")
        found.kill(key, "active")

    def _do_glPauseTransformFeedback(self, found: Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "transform feedback")
        found.update(identity(context, context.transform_feedback), "active")

    _do_glResumeTransformFeedback = _do_glPauseTransformFeedback
