"""What each call of a trace reads and writes, found by executing it in the tracker and looking at what is bound.

Objects are told apart by identity, not by name. Whatever is not known to set a piece of state whole counts as a change
that depends on what was there before, so that nothing is left out that a picture could need.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from traceformat.calls import Call, integer
from traceformat.errors import FindingError
from traceformat.gles.direct_state import DIRECT, steps_of
from traceformat.gles.dispatch import GLError
from traceformat.gles.entry_points import COMMANDS, Direction, ParamKind
from traceformat.gles.roles import core_name, is_draw
from traceformat.gles.state import Context
from traceformat.gles.values import uints
from traceformat.tools.trim.bindings import BindingEffects
from traceformat.tools.trim.collector import Collector, Key
from traceformat.tools.trim.contents import ContentEffects
from traceformat.tools.trim.draws import DrawEffects
from traceformat.tools.trim.keys import Effect, Keys, identity
from traceformat.tools.trim.programs import programs_of
from traceformat.tools.trim.state_calls import SETTERS, pieces
from traceformat.tools.trim.usual import question_of

if TYPE_CHECKING:
    from traceformat.gles.tracker import Tracker

__all__ = ["Effects"]

#: Calls that change nothing that a picture depends on; introspection teaches the tracker locations and is no such call.
_TEACHING: Final = (
    "UniformLocation|UniformBlockIndex|AttribLocation|ActiveUniform|ProgramResource|UniformIndices|FragData"
)
_SILENT: Final = re.compile(
    rf"gl(Get(?!{_TEACHING})n?|Is|Check|Debug|Validate|MemoryBarrier|InvalidateBuffer|InvalidateTex)[A-Z]\w*"
    r"|gl(Flush|Finish|FenceSync|ClientWaitSync|WaitSync|(Release|Max)ShaderCompiler(Threads)?|TextureBarrier"
    r"|BlendBarrier|MemoryBarrier|QueryCounter|FlushMappedBufferRange|PushDebugGroup|PopDebugGroup|(Push|Pop)GroupMarker"
    r"|InsertEventMarker|(String|Insert)\w*Marker\w*|FrameTerminator\w*|ObjectPtrLabel)$"
    r"|trace(Swap|Frame|DestroyContext)$"
)
_INTROSPECTION: Final = re.compile(rf"glGet({_TEACHING})")
_UNIFORM: Final = re.compile(r"gl(Program)?Uniform(Matrix)?\d")
_ATTRIBUTE: Final = re.compile(r"glVertexAttrib[IP]?\d")
#: Textures that share one image would have to be followed as one.
_NOT_FOLLOWED: Final = re.compile(r"eglCreateImage|glEGLImageTarget")
_WRITES_ANYTHING: Final = re.compile(r"glDispatchCompute")
_IMAGE: Final = re.compile(r"gl(Compressed|Copy)?Tex(Sub)?Image\dD")
_STORAGE: Final = re.compile(r"glTexStorage\dD|glTex(Storage|Image)\dDMultisample")

#: Parts of a context's state that hold an object, by the function that deletes such objects.
_BOUND: Final = {
    "glDeleteBuffers": "vertex array",
    "glDeleteVertexArrays": "vertex array",
    "glDeleteRenderbuffers": "renderbuffer",
    "glDeleteTransformFeedbacks": "transform feedback",
    "glDeleteProgram": "program",
    "glDeleteProgramPipelines": "pipeline",
}


def _reaches_memory(context: Context) -> bool:
    """Whether draws with the program in use reach memory that shaders write."""
    executables = (program.executable for program in programs_of(context))
    return any(executable is not None and executable.reflection.draws_reach_memory for executable in executables)


class Effects(BindingEffects, ContentEffects, DrawEffects):
    """Executes calls and says what each one does.

    Parameters
    ----------
    tracker : with ``remap``; its backend should reflect programs, so that what draws read is known
    keys : numbers resources
    """

    def __init__(self, tracker: Tracker, keys: Keys) -> None:
        super().__init__()
        self._tracker = tracker
        self._keys = keys
        self._known: dict[Effect, Effect] = {}
        #: By what they follow from.
        self._usual: dict[Key, Effect] = {}
        self._handlers: dict[str, Callable[[Collector, Context, Call], None]] = {}
        for name in dir(self):
            if name.startswith("_do_"):
                self._handlers[name.removeprefix("_do_")] = getattr(self, name)
        self._alias("glBufferData", "glBufferStorage")
        self._alias("glReadPixels", "glReadnPixels")
        self._alias("glBindBufferRange", "glBindBufferBase")
        self._alias("glDrawBuffers", "glDrawBuffer")
        self._alias("glVertexAttribPointer", "glVertexAttribIPointer")
        self._alias("glEnableVertexAttribArray", "glDisableVertexAttribArray")
        self._alias("glVertexAttribFormat", "glVertexAttribIFormat")
        self._alias("glMapBufferRange", "glMapBuffer")
        self._alias("glRenderbufferStorage", "glRenderbufferStorageMultisample")
        for name in ("glClearBufferfv", "glClearBufferiv", "glClearBufferuiv", "glClearBufferfi"):
            self._alias("glClearBuffer", name)

    def _alias(self, name: str, other: str) -> None:
        self._handlers[other] = self._handlers[name]

    def execute(self, call: Call) -> Effect:
        """Execute a call and give its effect."""
        context = self._tracker.current.get(call.thread)
        question = question_of(context, call) if context is not None else None
        known = self._usual.get(question) if question is not None else None
        if known is not None:
            self._tracker.execute(call)
            return known.failed() if self._tracker.failure is not None else known
        effect = self._find(context, call)
        effect = self._known.setdefault(effect, effect)
        if question is not None and self._tracker.failure is None:
            self._usual[question] = effect
        return effect

    def _find(self, context: Context | None, call: Call) -> Effect:
        name = core_name(call.name)
        found = Collector(self._keys)
        if _NOT_FOLLOWED.match(name):
            raise FindingError(f"call {call.number} {call.name}: textures that share an image are not followed")
        if _WRITES_ANYTHING.match(name):
            raise FindingError(f"call {call.number} {call.name}: what compute shaders read and write is not followed")
        tracker = self._tracker
        if is_draw(name) and context is not None and _reaches_memory(context):
            raise FindingError(f"call {call.number} {call.name}: what draws read and write in memory is not followed")
        if name.startswith("trace") and name not in ("traceClientArray", "traceMappedWrite"):
            self._trace_command(found, context, name, call)
            return found.effect()
        if context is None:
            tracker.execute(call)
            return Effect()
        self._in_context(found, context, call)
        self._names_used(found, context, call)
        if name.startswith("glDelete"):
            self._deletion(found, context, name, call)
        tracker.execute(call)
        failed = tracker.failure is not None
        try:
            self._describe(found, context, name, call)
        except (GLError, KeyError, IndexError, TypeError, ValueError):
            if not failed:
                raise
        return found.effect().failed() if failed else found.effect()

    @staticmethod
    def _in_context(found: Collector, context: Context, call: Call) -> None:
        found.read(("thread", call.thread), "context")
        for part in ("made", "first"):
            found.read(("context", context.name, "itself"), part)

    # -- names ------------------------------------------------------------------------------------------------------

    def _names_used(self, found: Collector, context: Context, call: Call) -> None:
        """Every object that a call names must have its name."""
        command = COMMANDS.get(call.name)
        if command is None or len(call.args) != len(command.params):
            return
        for param, value in zip(command.params, call.args, strict=True):
            kind = param.object_class
            if not kind:
                continue
            if param.direction is Direction.OUT:
                output = call.outputs.get(param.name)
                names = uints(output, len(output) // 4) if isinstance(output, bytes) else ()
                for name in names:
                    found.update((*self._space(context, kind), name), "name")
            elif isinstance(value, int) and param.kind is not ParamKind.DATA:
                if value:
                    self._use(found, (*self._space(context, kind), int(value)), call.name)
            elif isinstance(value, bytes):
                for name in uints(value, len(value) // 4):
                    group = (*self._space(context, kind), name)
                    found.need(group)
                    if call.name.startswith("glDelete") and name:
                        found.update(group, "name")
        if command.result.object_class and isinstance(call.result, int) and call.result:
            found.update((*self._space(context, command.result.object_class), call.result), "name")
        if call.name.startswith("glDelete") and call.args and isinstance(call.args[0], int) and len(call.args) == 1:
            kind = command.params[0].object_class or "program"
            found.update((*self._space(context, kind), int(call.args[0])), "name")

    @staticmethod
    def _use(found: Collector, group: Key, name: str) -> None:
        """An object is used by name: it must exist, and has its label; a bind is what makes it exist."""
        found.need(group)
        if not name.startswith(("glDelete", "glObjectLabel", "glLabelObject")):
            found.need((*group, "label"))
            if not name.startswith("glBind"):
                found.need((*group, "made"))

    def _deletion(self, found: Collector, context: Context, name: str, call: Call) -> None:
        """What is bound in the current context is unbound by its deletion: what is bound decides what it changes."""
        self._read_bindings(found, context, name)
        if len(call.args) != 2 or not isinstance(call.args[1], bytes):
            return
        names = set(uints(call.args[1], len(call.args[1]) // 4)) - {0}
        ctx = ("context", context.name)
        array = identity(context, context.vertex_array)
        if name == "glDeleteTextures":
            for index, unit in enumerate(context.units):
                for target, texture in unit.textures.items():
                    if texture.name in names:
                        found.kill((*ctx, "unit", index), target)
        elif name == "glDeleteSamplers":
            for index, unit in enumerate(context.units):
                if unit.sampler is not None and unit.sampler.name in names:
                    found.kill((*ctx, "unit", index), "sampler")
        elif name == "glDeleteBuffers":
            for target, buffer in context.buffers.items():
                if buffer is not None and buffer.name in names:
                    found.kill(ctx, "buffer", target)
            for index, point in enumerate(context.uniform_buffers):
                if point.buffer is not None and point.buffer.name in names:
                    found.kill((*ctx, "uniform buffers"), index)
            feedback = identity(context, context.transform_feedback)
            for index, point in enumerate(context.transform_feedback.bindings):
                if point.buffer is not None and point.buffer.name in names:
                    found.kill(feedback, "binding", index)
            if context.vertex_array.element_buffer is not None and context.vertex_array.element_buffer.name in names:
                found.kill(array, "elements")
            for index, attrib in enumerate(context.vertex_array.attribs):
                if attrib.buffer is not None and attrib.buffer.name in names:
                    found.update(array, "pointer", index)
            for index, binding in enumerate(context.vertex_array.bindings):
                if binding.buffer is not None and binding.buffer.name in names:
                    found.update(array, "binding", index)
        elif name == "glDeleteVertexArrays" and context.vertex_array.name in names:
            found.kill(ctx, "vertex array")
        elif (
            name == "glDeleteRenderbuffers" and context.renderbuffer is not None and context.renderbuffer.name in names
        ):
            found.kill(ctx, "renderbuffer")
        elif name == "glDeleteFramebuffers":
            if context.draw_framebuffer.name in names:
                found.kill(ctx, "draw framebuffer")
            if context.read_framebuffer.name in names:
                found.kill(ctx, "read framebuffer")
        elif name == "glDeleteTransformFeedbacks" and context.transform_feedback.name in names:
            found.kill(ctx, "transform feedback")
        elif name == "glDeleteProgramPipelines" and context.pipeline is not None and context.pipeline.name in names:
            found.kill(ctx, "pipeline")
        elif name == "glDeleteQueries":
            for target, query in context.current_queries.items():
                if query.name in names:
                    found.update((*ctx, "queries"), target)
        if name in ("glDeleteTextures", "glDeleteRenderbuffers"):
            self._detached(found, context, names, "texture" if name == "glDeleteTextures" else "renderbuffer")

    @staticmethod
    def _read_bindings(found: Collector, context: Context, name: str) -> None:
        """A deletion reads every binding that can hold what it deletes."""
        ctx = ("context", context.name)
        if name in ("glDeleteTextures", "glDeleteSamplers"):
            for index in range(len(context.units)):
                found.need((*ctx, "unit", index))
        if name in ("glDeleteTextures", "glDeleteRenderbuffers", "glDeleteFramebuffers"):
            found.read(ctx, "draw framebuffer")
            found.read(ctx, "read framebuffer")
        if name == "glDeleteBuffers":
            for target in context.buffers:
                found.read(ctx, "buffer", target)
            found.need((*ctx, "uniform buffers"))
            for container in (context.vertex_array, context.transform_feedback):
                found.need(identity(context, container))
        for function, part in _BOUND.items():
            if name == function:
                found.read(ctx, part)
        if name == "glDeleteQueries":
            found.need((*ctx, "queries"))

    @staticmethod
    def _detached(found: Collector, context: Context, names: set[int], kind: str) -> None:
        for framebuffer in {id(each): each for each in (context.draw_framebuffer, context.read_framebuffer)}.values():
            for index, attachment in enumerate((*framebuffer.color, framebuffer.depth, framebuffer.stencil)):
                thing = getattr(attachment, kind, None) if framebuffer.name else None
                if thing is not None and thing.name in names:
                    found.kill(identity(context, framebuffer), "attachment", index)

    # -- window system ------------------------------------------------------------------------------------------------

    def _trace_command(self, found: Collector, context: Context | None, name: str, call: Call) -> None:
        tracker = self._tracker
        numbers = [value if isinstance(value, int) else 0 for value in call.args]
        if name == "traceContext":
            found.kill(("context", numbers[0], "itself"), "made")
            if numbers[12]:
                found.need(("context", numbers[12], "itself"))
        elif name == "traceDrawable":
            found.kill(("drawable", numbers[0]), "made")
            found.kill(("drawable", numbers[0]), "size")
        elif name == "traceResize":
            drawable = tracker.drawables.get(numbers[0])
            if drawable is not None and (drawable.width, drawable.height) != (numbers[1], numbers[2]):
                found.read(("drawable", numbers[0]), "made")
                found.kill(("drawable", numbers[0]), "size")
                for aspect in ("color", "depth", "stencil"):
                    found.kill(("plane", numbers[0], aspect), "content")
        elif name == "traceMakeCurrent":
            self._make_current(found, call, numbers)
        elif name == "traceSwap":
            for part in ("made", "size", "planes"):
                found.read(("drawable", numbers[0]), part)
            if context is not None:
                self._in_context(found, context, call)
            found.need(("plane", numbers[0], "color"))
        tracker.execute(call)

    def _make_current(self, found: Collector, call: Call, numbers: list[int]) -> None:
        tracker = self._tracker
        number, *drawables = numbers
        found.kill(("thread", call.thread), "context")
        context = tracker.contexts.get(number)
        if context is None:
            return
        found.need(("context", number, "itself"))
        for thread, current in tracker.current.items():
            if current is context and thread != call.thread:
                found.kill(("thread", thread), "context")
        if not context.was_current:
            found.update(("context", number, "itself"), "first")
            found.kill(("context", number), "glViewport")
            found.kill(("context", number), "glScissor")
        for name in {name for name in drawables if name}:
            found.need(("drawable", name))
            drawable = tracker.drawables.get(name)
            if drawable is not None and (drawable.color is None or drawable.depth is None or drawable.stencil is None):
                found.update(("drawable", name), "planes")

    # -- calls --------------------------------------------------------------------------------------------------------

    def _describe(self, found: Collector, context: Context, name: str, call: Call) -> None:
        if name in DIRECT:
            for step in steps_of(context, name, call.args):
                with step.bound(self._tracker, context):
                    self._describe(found, context, step.name, replace(call, name=step.name, args=step.args))
            return
        handler = self._handlers.get(name)
        if handler is not None:
            handler(found, context, call)
        elif name in SETTERS:
            for piece in pieces(name, call):
                group = (
                    ("context", context.name, "transfer") if piece[0] == "glPixelStorei" else ("context", context.name)
                )
                found.kill(group, *piece)
        elif _UNIFORM.match(name):
            self._uniform(found, context, name, call)
        elif is_draw(name):
            self._draw(found, context, call)
        elif _INTROSPECTION.match(name):
            self._introspection(found, context, name, call)
        elif _IMAGE.match(name):
            self._image(found, context, name, call)
        elif _STORAGE.match(name):
            self._storage(found, context, call)
        elif name.startswith("glTexParameter"):
            texture = self._texture(found, context, call)
            found.kill(identity(context, texture), "parameter", call.args[1])
        elif name.startswith("glSamplerParameter"):
            sampler = context.group.samplers.get(integer(call.args[0]))
            if sampler is not None:
                found.kill(identity(context, sampler), "parameter", call.args[1])
        elif _ATTRIBUTE.match(name):
            found.kill(("context", context.name), "attribute", call.args[0])
        elif name.startswith("glFramebuffer"):
            self._attach(found, context, name, call)
        elif name.startswith(("glGen", "glCreate", "glDelete")) or _SILENT.match(name):
            pass
        else:
            # Nothing is known of it: everything that draws depends on it, and it on what was there.
            found.update(("context", context.name), "other", name)
