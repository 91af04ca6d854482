"""What each call of a trace reads and writes, found by executing it in the tracker and looking at what is bound.

Objects are told apart by identity, not by name. Whatever is not known to set a piece of state whole counts as a change
that depends on what was there before, so that nothing is left out that a picture could need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Final

from traceformat.calls import Call
from traceformat.errors import FindingError
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Direction, ParamKind, canonical_name
from traceformat.gles.objects import Attachment, Buffer, Framebuffer, ProgramObject, Texture
from traceformat.gles.state import Context
from traceformat.gles.values import uints
from traceformat.trim.keys import WHOLE, Effect, Keys, identity
from traceformat.trim.state_calls import SETTERS, pieces

if TYPE_CHECKING:
    from traceformat.gles.tracker import Tracker

__all__ = ["Effects", "core_name"]

_SUFFIX: Final = re.compile(r"(OES|EXT|KHR|ARB|ANGLE|APPLE|NV|IMG|MESA|INTEL|QCOM)$")
#: Calls that change nothing that a picture depends on; introspection teaches the tracker locations and is no such call.
_TEACHING: Final = (
    "UniformLocation|UniformBlockIndex|AttribLocation|ActiveUniform|ProgramResource|UniformIndices|FragData"
)
_SILENT: Final = re.compile(
    rf"gl(Get(?!{_TEACHING})n?|Is|Check|Debug|Validate|MemoryBarrier|InvalidateBuffer)[A-Z]\w*"
    r"|gl(Flush|Finish|FenceSync|ClientWaitSync|WaitSync|ReleaseShaderCompiler|TextureBarrier|BlendBarrier"
    r"|MemoryBarrier|QueryCounter|FlushMappedBufferRange|PushDebugGroup|PopDebugGroup|(Push|Pop)GroupMarker"
    r"|InsertEventMarker|(String|Insert)\w*Marker\w*|FrameTerminator\w*|ObjectPtrLabel)$"
    r"|trace(Swap|Frame|DestroyContext)$"
)
_INTROSPECTION: Final = re.compile(rf"glGet({_TEACHING})")
_UNIFORM: Final = re.compile(r"gl(Program)?Uniform(Matrix)?\d")
_DRAW: Final = re.compile(r"gl(Multi)?Draw(Range)?(Arrays|Elements)")
_ATTRIBUTE: Final = re.compile(r"glVertexAttrib[IP]?\d")
#: Textures that share one image would have to be followed as one.
_NOT_FOLLOWED: Final = re.compile(r"eglCreateImage|glEGLImageTarget")
_IMAGE: Final = re.compile(r"gl(Compressed|Copy)?Tex(Sub)?Image\dD")
_STORAGE: Final = re.compile(r"glTexStorage\dD|glTex(Storage|Image)\dDMultisample")
#: Objects of a context rather than of its share group.
_CONTAINERS: Final = frozenset({"vertex array", "framebuffer", "query", "transform feedback", "program pipeline"})

Key = tuple[Hashable, ...]


def core_name(name: str) -> str:
    """Name of the handler's entry point, without the suffix of an extension."""
    return _SUFFIX.sub("", canonical_name(name))


class _Collector:
    """Effect of one call in the making."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.kills: list[int] = []
        self.updates: list[int] = []
        self.reads: list[int] = []
        self.groups: list[int] = []
        self.writes: list[tuple[int, int, int]] = []
        self.buffers: list[int] = []
        self.shows: list[int] = []

    def show(self, group: Iterable[Hashable], *key: Hashable) -> None:
        self.shows.append(self._keys.member(group, *key))

    def kill(self, group: Iterable[Hashable], *key: Hashable) -> None:
        self.kills.append(self._keys.member(group, *key))

    def update(self, group: Iterable[Hashable], *key: Hashable) -> None:
        self.updates.append(self._keys.member(group, *key))

    def read(self, group: Iterable[Hashable], *key: Hashable) -> None:
        self.reads.append(self._keys.member(group, *key))

    def need(self, group: Iterable[Hashable]) -> None:
        self.groups.append(self._keys.group(group))

    def write(self, buffer: Key, first: int, end: int) -> None:
        self.writes.append((self._keys.number(*buffer, "bytes"), first, end))

    def need_bytes(self, buffer: Key) -> None:
        self.need(buffer)
        self.buffers.append(self._keys.number(*buffer, "bytes"))

    def change_nothing(self) -> None:
        self.kills.clear()
        self.updates.clear()
        self.writes.clear()

    def effect(self) -> Effect:
        return Effect(
            tuple(self.kills),
            tuple(self.updates),
            tuple(dict.fromkeys(self.reads)),
            tuple(dict.fromkeys(self.groups)),
            tuple(self.writes),
            tuple(dict.fromkeys(self.buffers)),
            tuple(self.shows),
        )


class Effects:
    """Executes calls and says what each one does.

    Parameters
    ----------
    tracker : with ``remap``; its backend should reflect programs, so that what draws read is known
    keys : numbers resources
    """

    def __init__(self, tracker: Tracker, keys: Keys) -> None:
        self._tracker = tracker
        self._keys = keys
        self._learned: set[Key] = set()
        self._known: dict[Effect, Effect] = {}
        self._names: dict[str, str] = {}
        self._handlers: dict[str, Callable[[_Collector, Context, Call], None]] = {}
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
        name = self._names.get(call.name)
        if name is None:
            name = self._names[call.name] = core_name(call.name)
        found = _Collector(self._keys)
        if _NOT_FOLLOWED.match(name):
            raise FindingError(f"call {call.number} {call.name}: textures that share an image are not followed")
        tracker = self._tracker
        context = tracker.current.get(call.thread)
        if name.startswith("trace") and name not in ("traceClientArray", "traceMappedWrite"):
            self._trace_command(found, context, name, call)
        elif context is None:
            tracker.execute(call)
            return Effect()
        else:
            self._in_context(found, context, call)
            self._names_used(found, context, call)
            if name.startswith(("glDelete",)):
                self._deletion(found, context, name, call)
            tracker.execute(call)
            failed = tracker.failure is not None
            try:
                self._describe(found, context, name, call)
            except (KeyError, IndexError, TypeError, ValueError):
                if not failed:
                    raise
            if failed:
                # It changes nothing, and fails for a reason that lies in what it reads.
                found.change_nothing()
        effect = found.effect()
        return self._known.setdefault(effect, effect)

    @staticmethod
    def _in_context(found: _Collector, context: Context, call: Call) -> None:
        found.read(("thread", call.thread), "context")
        for part in ("made", "first"):
            found.read(("context", context.name, "itself"), part)

    # -- names ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _space(context: Context, kind: str) -> Key:
        kind = "program" if kind == "shader" else kind
        return (kind, "of", context.name) if kind in _CONTAINERS else (kind, "in", context.group.serial)

    def _names_used(self, found: _Collector, context: Context, call: Call) -> None:
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
    def _use(found: _Collector, group: Key, name: str) -> None:
        """An object is used by name: it must exist, and has its label; a bind is what makes it exist."""
        found.need(group)
        if not name.startswith(("glDelete", "glObjectLabel", "glLabelObject")):
            found.need((*group, "label"))
            if not name.startswith("glBind"):
                found.need((*group, "made"))

    def _made(self, found: _Collector, context: Context, kind: str, name: object) -> None:
        """A bind makes an object that was only a name."""
        if name:
            found.kill((*self._space(context, kind), _int(name), "made"), "made")

    def _deletion(self, found: _Collector, context: Context, name: str, call: Call) -> None:
        """What is bound in the current context is unbound by its deletion."""
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
        elif name == "glDeleteQueries":
            for target, query in context.current_queries.items():
                if query.name in names:
                    found.update((*ctx, "queries"), target)
        if name in ("glDeleteTextures", "glDeleteRenderbuffers"):
            self._detached(found, context, names, "texture" if name == "glDeleteTextures" else "renderbuffer")

    @staticmethod
    def _detached(found: _Collector, context: Context, names: set[int], kind: str) -> None:
        for framebuffer in {id(each): each for each in (context.draw_framebuffer, context.read_framebuffer)}.values():
            for index, attachment in enumerate((*framebuffer.color, framebuffer.depth, framebuffer.stencil)):
                thing = getattr(attachment, kind, None) if framebuffer.name else None
                if thing is not None and thing.name in names:
                    found.kill(identity(context, framebuffer), "attachment", index)

    # -- window system ------------------------------------------------------------------------------------------------

    def _trace_command(self, found: _Collector, context: Context | None, name: str, call: Call) -> None:
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

    def _make_current(self, found: _Collector, call: Call, numbers: list[int]) -> None:
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

    def _describe(self, found: _Collector, context: Context, name: str, call: Call) -> None:
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
        elif _DRAW.match(name):
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
            sampler = context.group.samplers.get(_int(call.args[0]))
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

    # state that is bound

    def _do_glBindTexture(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "glActiveTexture")
        found.kill((*ctx, "unit", context.active_unit), call.args[0])
        self._made(found, context, "texture", call.args[1])

    def _do_glBindSampler(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name, "unit", _int(call.args[0])), "sampler")

    def _do_glBindBuffer(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        if call.args[0] == gl.GL_ELEMENT_ARRAY_BUFFER:
            found.read(ctx, "vertex array")
            found.kill(identity(context, context.vertex_array), "elements")
        else:
            found.kill(ctx, "buffer", call.args[0])
        self._made(found, context, "buffer", call.args[1])

    def _do_glBindBufferRange(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        target, index, name = (_int(value) for value in call.args[:3])
        found.kill(ctx, "buffer", target)
        if target == gl.GL_TRANSFORM_FEEDBACK_BUFFER:
            found.read(ctx, "transform feedback")
            found.kill(identity(context, context.transform_feedback), "binding", index)
        else:
            found.kill((*ctx, "uniform buffers"), index)
        self._made(found, context, "buffer", name)

    def _do_glBindVertexArray(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "vertex array")
        self._made(found, context, "vertex array", call.args[0])

    def _do_glBindFramebuffer(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        if call.args[0] != gl.GL_READ_FRAMEBUFFER:
            found.kill(ctx, "draw framebuffer")
        if call.args[0] != gl.GL_DRAW_FRAMEBUFFER:
            found.kill(ctx, "read framebuffer")
        self._made(found, context, "framebuffer", call.args[1])

    def _do_glBindRenderbuffer(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "renderbuffer")
        self._made(found, context, "renderbuffer", call.args[1])

    def _do_glUseProgram(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "program")

    def _do_glBindTransformFeedback(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "transform feedback")
        self._made(found, context, "transform feedback", call.args[1])

    # vertex arrays

    def _do_glVertexAttribPointer(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "vertex array")
        found.read(ctx, "buffer", gl.GL_ARRAY_BUFFER)
        found.kill(identity(context, context.vertex_array), "pointer", call.args[0])

    def _do_glEnableVertexAttribArray(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "enabled", call.args[0])

    def _do_glVertexAttribDivisor(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "divisor", call.args[0])

    def _do_traceClientArray(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), "client", call.args[0])

    def _do_glVertexAttribFormat(self, found: _Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "format", call)

    def _do_glVertexAttribBinding(self, found: _Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "attribute's binding", call)

    def _do_glBindVertexBuffer(self, found: _Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "binding", call)

    def _do_glVertexBindingDivisor(self, found: _Collector, context: Context, call: Call) -> None:
        self._array_part(found, context, "binding's divisor", call)

    @staticmethod
    def _array_part(found: _Collector, context: Context, part: str, call: Call) -> None:
        found.read(("context", context.name), "vertex array")
        found.kill(identity(context, context.vertex_array), part, call.args[0])

    # buffers

    def _bound(self, found: _Collector, context: Context, target: int) -> Buffer | None:
        """Buffer bound to a target, whose binding is read."""
        ctx = ("context", context.name)
        if target == gl.GL_ELEMENT_ARRAY_BUFFER:
            found.read(ctx, "vertex array")
            found.read(identity(context, context.vertex_array), "elements")
            return context.vertex_array.element_buffer
        found.read(ctx, "buffer", target)
        return context.buffers.get(target)

    def _do_glBufferData(self, found: _Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, _int(call.args[0]))
        if buffer is not None:
            key = identity(context, buffer)
            found.kill(key, "store")
            found.kill(key, "mapping")
            found.kill(key, "written")
            found.write(key, 0, WHOLE)

    def _do_glBufferSubData(self, found: _Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, _int(call.args[0]))
        if buffer is not None:
            self._write_range(
                found, identity(context, buffer), _int(call.args[1]), _int(call.args[2]), len(buffer.store)
            )

    def _do_traceMappedWrite(self, found: _Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, _int(call.args[0]))
        if buffer is not None:
            size = len(call.args[2]) if isinstance(call.args[2], bytes) else 0
            found.read(identity(context, buffer), "mapping")
            self._write_range(found, identity(context, buffer), _int(call.args[1]), size, len(buffer.store))

    def _do_glCopyBufferSubData(self, found: _Collector, context: Context, call: Call) -> None:
        source = self._bound(found, context, _int(call.args[0]))
        target = self._bound(found, context, _int(call.args[1]))
        if source is not None and target is not None:
            found.need_bytes(identity(context, source))
            self._write_range(
                found, identity(context, target), _int(call.args[3]), _int(call.args[4]), len(target.store)
            )

    @staticmethod
    def _write_range(found: _Collector, key: Key, offset: int, size: int, total: int) -> None:
        found.read(key, "store")
        if size:
            found.write(key, offset, WHOLE if offset + size >= total else offset + size)

    def _do_glMapBufferRange(self, found: _Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, _int(call.args[0]))
        if buffer is not None:
            found.read(identity(context, buffer), "store")
            found.kill(identity(context, buffer), "mapping")

    def _do_glUnmapBuffer(self, found: _Collector, context: Context, call: Call) -> None:
        buffer = self._bound(found, context, _int(call.args[0]))
        if buffer is not None:
            found.read(identity(context, buffer), "mapping")
            found.kill(identity(context, buffer), "mapping")

    # textures

    def _texture(self, found: _Collector, context: Context, call: Call) -> Texture:
        """Texture that a call's target means."""
        target = _int(call.args[0])
        if gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X <= target <= gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Z:
            target = gl.GL_TEXTURE_CUBE_MAP
        ctx = ("context", context.name)
        found.read(ctx, "glActiveTexture")
        found.read((*ctx, "unit", context.active_unit), target)
        return context.units[context.active_unit].textures[target]

    def _unpacking(self, found: _Collector, context: Context) -> None:
        found.need(("context", context.name, "transfer"))
        buffer = self._bound(found, context, gl.GL_PIXEL_UNPACK_BUFFER)
        if buffer is not None:
            found.need_bytes(identity(context, buffer))

    def _image(self, found: _Collector, context: Context, name: str, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        target, level = _int(call.args[0]), _int(call.args[1])
        face = max(target - gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0) if texture.target == gl.GL_TEXTURE_CUBE_MAP else 0
        image = texture.images.get((face, level))
        if name.startswith("glCopy"):
            self._read_framebuffer(found, context)
        else:
            self._unpacking(found, context)
        if "Sub" not in name:
            found.kill(key, "level", face, level)
            found.kill(key, "content", face, level)
            return
        found.read(key, "level", face, level)
        found.read(key, "storage")
        dims = int(name[-2])
        offsets = [_int(value) for value in call.args[2 : 2 + dims]]
        sizes = [_int(value) for value in call.args[2 + dims : 2 + 2 * dims]]
        whole = (
            image is not None
            and not any(offsets)
            and not name.startswith("glCopy")
            and [*sizes, 1, 1][:3] == [image.width, image.height, image.depth]
        )
        (found.kill if whole else found.update)(key, "content", face, level)

    def _storage(self, found: _Collector, context: Context, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        found.kill(key, "storage")
        for face, level in texture.images:
            found.kill(key, "content", face, level)
            found.kill(key, "level", face, level)

    def _do_glGenerateMipmap(self, found: _Collector, context: Context, call: Call) -> None:
        texture = self._texture(found, context, call)
        key = identity(context, texture)
        base = texture.base_level
        for pname in (gl.GL_TEXTURE_BASE_LEVEL, gl.GL_TEXTURE_MAX_LEVEL):
            found.read(key, "parameter", pname)
        found.read(key, "storage")
        for face, level in texture.images:
            if level > base:
                found.kill(key, "content", face, level)
                if not texture.immutable_levels:
                    found.kill(key, "level", face, level)
            else:
                found.read(key, "content", face, level)
                found.read(key, "level", face, level)

    def _do_glCopyImageSubData(self, found: _Collector, context: Context, call: Call) -> None:
        for place, is_target in ((0, False), (6, True)):
            name, target, level = (_int(value) for value in call.args[place : place + 3])
            is_texture = target != gl.GL_RENDERBUFFER
            found.need((*self._space(context, "texture" if is_texture else "renderbuffer"), name))
            thing = context.group.textures.get(name) if is_texture else context.group.renderbuffers.get(name)
            if thing is None:
                continue
            key = identity(context, thing)
            found.need(key)
            if is_target:
                for face in range(6) if target == gl.GL_TEXTURE_CUBE_MAP else (0,):
                    found.update(key, *(("content", face, level) if is_texture else ("content",)))

    def _do_glRenderbufferStorage(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "renderbuffer")
        if context.renderbuffer is not None:
            key = identity(context, context.renderbuffer)
            found.kill(key, "storage")
            found.kill(key, "content")

    # framebuffers

    def _target(self, found: _Collector, context: Context, target: int) -> Framebuffer:
        is_read = target == gl.GL_READ_FRAMEBUFFER
        found.read(("context", context.name), "read framebuffer" if is_read else "draw framebuffer")
        return context.read_framebuffer if is_read else context.draw_framebuffer

    def _attach(self, found: _Collector, context: Context, name: str, call: Call) -> None:
        framebuffer = self._target(found, context, _int(call.args[0]))
        key = identity(context, framebuffer)
        if name == "glFramebufferParameteri":
            found.kill(key, "parameter", call.args[1])
            return
        point = _int(call.args[1])
        color = point - gl.GL_COLOR_ATTACHMENT0
        places = {gl.GL_DEPTH_ATTACHMENT: (8,), gl.GL_STENCIL_ATTACHMENT: (9,), gl.GL_DEPTH_STENCIL_ATTACHMENT: (8, 9)}
        for place in places.get(point, (color,)):
            found.kill(key, "attachment", place)

    def _do_glDrawBuffers(self, found: _Collector, context: Context, call: Call) -> None:
        framebuffer = self._target(found, context, gl.GL_DRAW_FRAMEBUFFER)
        found.kill(identity(context, framebuffer), "draw buffers")

    def _do_glReadBuffer(self, found: _Collector, context: Context, call: Call) -> None:
        framebuffer = self._target(found, context, gl.GL_READ_FRAMEBUFFER)
        found.kill(identity(context, framebuffer), "read buffer")

    def _framebuffer(self, found: _Collector, context: Context, framebuffer: Framebuffer) -> None:
        """A framebuffer is used: its attachments must be there."""
        found.need(identity(context, framebuffer))
        if not framebuffer.name:
            is_draw = framebuffer is context.default_framebuffer
            drawable = context.draw_drawable if is_draw else context.read_drawable
            if drawable is not None:
                found.need(("drawable", drawable.name))
            return
        for attachment in (*framebuffer.color, framebuffer.depth, framebuffer.stencil):
            if attachment is None:
                continue
            if attachment.renderbuffer is not None:
                found.read(identity(context, attachment.renderbuffer), "storage")
            elif attachment.texture is not None:
                key = identity(context, attachment.texture)
                found.read(key, "storage")
                found.read(key, "level", attachment.face, attachment.level)

    def _content(
        self, context: Context, framebuffer: Framebuffer, attachment: Attachment | None, aspect: str
    ) -> tuple[Key, Key] | None:
        """Resource that is the content of an attachment: its owner, and the rest of the key."""
        if attachment is None:
            return None
        if attachment.texture is not None:
            return identity(context, attachment.texture), ("content", attachment.face, attachment.level)
        if attachment.renderbuffer is not None:
            return identity(context, attachment.renderbuffer), ("content",)
        is_read = framebuffer is not context.default_framebuffer
        drawable = context.read_drawable if is_read else context.draw_drawable
        return (("plane", drawable.name, aspect), ("content",)) if drawable is not None else None

    def _contents(self, context: Context, framebuffer: Framebuffer) -> dict[str, list[tuple[Key, Key]]]:
        """Contents of a framebuffer by aspect: ``color``, ``depth``, ``stencil``."""
        colors = framebuffer.draw_attachments()
        found = {"color": [self._content(context, framebuffer, each, "color") for each in colors]}
        found["depth"] = [self._content(context, framebuffer, framebuffer.depth, "depth")]
        found["stencil"] = [self._content(context, framebuffer, framebuffer.stencil, "stencil")]
        return {aspect: [each for each in parts if each is not None] for aspect, parts in found.items()}

    def _read_framebuffer(self, found: _Collector, context: Context) -> None:
        framebuffer = context.read_framebuffer
        ctx = ("context", context.name)
        found.read(ctx, "read framebuffer")
        self._framebuffer(found, context, framebuffer)
        for aspect, attachment in (
            ("color", framebuffer.read_attachment()),
            ("depth", framebuffer.depth),
            ("stencil", framebuffer.stencil),
        ):
            place = self._content(context, framebuffer, attachment, aspect)
            if place is not None:
                found.read(place[0], *place[1])

    def _do_glReadPixels(self, found: _Collector, context: Context, call: Call) -> None:
        self._read_framebuffer(found, context)
        found.need(("context", context.name, "transfer"))
        buffer = self._bound(found, context, gl.GL_PIXEL_PACK_BUFFER)
        if buffer is not None:
            key = identity(context, buffer)
            found.read(key, "store")
            found.update(key, "written")

    def _do_glBlitFramebuffer(self, found: _Collector, context: Context, call: Call) -> None:
        self._read_framebuffer(found, context)
        self._draw_target(found, context)
        mask = _int(call.args[8])
        for aspect, bit in _BITS.items():
            if mask & bit:
                for owner, key in self._contents(context, context.draw_framebuffer)[aspect]:
                    found.update(owner, *key)

    def _do_glInvalidateFramebuffer(self, found: _Collector, context: Context, call: Call) -> None:
        """Content stays what it was in a replay; only the bookkeeping of passes changes, which no picture needs."""
        self._target(found, context, _int(call.args[0]))

    _do_glInvalidateSubFramebuffer = _do_glDiscardFramebuffer = _do_glInvalidateFramebuffer

    def _draw_target(self, found: _Collector, context: Context) -> None:
        found.need(("context", context.name))
        self._framebuffer(found, context, context.draw_framebuffer)
        for parts in self._contents(context, context.draw_framebuffer).values():
            for owner, key in parts:
                found.show(owner, *key)

    def _do_glClear(self, found: _Collector, context: Context, call: Call) -> None:
        mask = _int(call.args[0])
        self._cleared(found, context, {aspect for aspect, bit in _BITS.items() if mask & bit})

    def _do_glClearBuffer(self, found: _Collector, context: Context, call: Call) -> None:
        aspects = {
            gl.GL_COLOR: {"color"},
            gl.GL_DEPTH: {"depth"},
            gl.GL_STENCIL: {"stencil"},
            gl.GL_DEPTH_STENCIL: {"depth", "stencil"},
        }.get(_int(call.args[0]), set())
        one = _int(call.args[1]) if aspects == {"color"} else None
        self._cleared(found, context, aspects, one)

    def _cleared(self, found: _Collector, context: Context, aspects: set[str], one: int | None = None) -> None:
        self._draw_target(found, context)
        framebuffer = context.draw_framebuffer
        contents = self._contents(context, framebuffer)
        is_whole = gl.GL_SCISSOR_TEST not in context.enabled or _covers(context, framebuffer)
        layered = any(part is not None and part.texture is not None and part.layered for part in framebuffer.color)
        is_whole = is_whole and not layered and not _of_layers(framebuffer) and not context.is_conditional
        packed = contents["depth"] == contents["stencil"] and framebuffer.name
        for aspect in sorted(aspects):
            parts = contents[aspect]
            if one is not None:
                each = framebuffer.draw_attachments()
                single = self._content(context, framebuffer, each[one], "color") if 0 <= one < len(each) else None
                parts = [single] if single is not None else []
            whole = is_whole and _writes_all(context, aspect)
            if packed and aspect != "color":
                whole = whole and {"depth", "stencil"} <= aspects
                whole = whole and _writes_all(context, "depth") and _writes_all(context, "stencil")
            for owner, key in parts:
                (found.kill if whole else found.update)(owner, *key)

    # programs

    @staticmethod
    def _program(context: Context, name: object) -> Key:
        """Identity of the shader or program of that name."""
        thing = context.group.programs.get(_int(name))
        return identity(context, thing) if thing is not None else ("program", context.group.serial, 0)

    def _do_glShaderSource(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(self._program(context, call.args[0]), "source")

    def _do_glCompileShader(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(self._program(context, call.args[0]), "source")
        found.kill(self._program(context, call.args[0]), "compiled")

    def _do_glAttachShader(self, found: _Collector, context: Context, call: Call) -> None:
        found.update(self._program(context, call.args[0]), "attached")

    _do_glDetachShader = _do_glAttachShader

    def _before_link(self, found: _Collector, context: Context, call: Call) -> None:
        found.update(self._program(context, call.args[0]), "link parameters")

    _do_glBindAttribLocation = _do_glBindFragDataLocation = _do_glBindFragDataLocationIndexed = _before_link
    _do_glTransformFeedbackVaryings = _do_glProgramParameteri = _before_link

    def _do_glLinkProgram(self, found: _Collector, context: Context, call: Call) -> None:
        program = context.group.programs.get(_int(call.args[0]))
        if not isinstance(program, ProgramObject):
            return
        key = identity(context, program)
        found.read(key, "attached")
        found.read(key, "link parameters")
        for shader in program.shaders:
            found.read(identity(context, shader), "compiled")
        (found.kill if program.linked else found.update)(key, "linked")

    _do_glProgramBinary = _do_glLinkProgram

    @staticmethod
    def _linked(context: Context, program: ProgramObject) -> Key:
        return (*identity(context, program), "link", program.link_count)

    def _introspection(self, found: _Collector, context: Context, name: str, call: Call) -> None:
        """The first time that a program asks for a location teaches it to the tracker; later times teach nothing."""
        program = context.group.programs.get(_int(call.args[0]))
        if not isinstance(program, ProgramObject):
            return
        key = self._linked(context, program)
        found.read(identity(context, program), "linked")
        question = (*key, name, *(value for value in call.args[1:] if not isinstance(value, bytearray)), call.result)
        if question not in self._learned:
            self._learned.add(question)
            found.update(key, "asked")

    def _uniform(self, found: _Collector, context: Context, name: str, call: Call) -> None:
        if name.startswith("glProgram"):
            named = context.group.programs.get(_int(call.args[0]))
            program = named if isinstance(named, ProgramObject) else None
            rest = call.args[1:]
        else:
            found.read(("context", context.name), "program")
            program, rest = context.program, call.args
        if program is None or not rest:
            return
        location = _int(rest[0])
        if location < 0:
            return
        key = self._linked(context, program)
        found.read(identity(context, program), "linked")
        found.read(key, "asked")
        count = _int(rest[1]) if name.endswith("v") else 1
        executable = program.executable
        place = executable.locations.get(location) if executable is not None else None
        if place is None:
            # Not reflected: what else lies behind an array's first location is not known.
            (found.kill if count == 1 else found.update)(key, "location", location)
            return
        slot, first = place
        for element in range(first, min(first + max(count, 0), slot.uniform.size)):
            found.kill(key, "uniform", slot.index, element)

    def _do_glUniformBlockBinding(self, found: _Collector, context: Context, call: Call) -> None:
        program = context.group.programs.get(_int(call.args[0]))
        if isinstance(program, ProgramObject):
            key = self._linked(context, program)
            found.read(identity(context, program), "linked")
            found.read(key, "asked")
            found.kill(key, "block", call.args[1])

    # draws, queries, feedback

    def _draw(self, found: _Collector, context: Context, call: Call) -> None:
        self._draw_target(found, context)
        self._vertex_input(found, context, call)
        program = context.program
        if program is not None:
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

    def _vertex_input(self, found: _Collector, context: Context, call: Call) -> None:
        array = context.vertex_array
        found.need(identity(context, array))
        buffers = {id(each.buffer): each.buffer for each in array.attribs if each.enabled and each.buffer is not None}
        if array.element_buffer is not None and "Elements" in call.name:
            buffers[id(array.element_buffer)] = array.element_buffer
        indirect = context.buffers.get(gl.GL_DRAW_INDIRECT_BUFFER)
        if indirect is not None and "Indirect" in call.name:
            buffers[id(indirect)] = indirect
        executable = context.program.executable if context.program is not None else None
        for index in set(executable.block_bindings) if executable is not None else ():
            found.read(("context", context.name, "uniform buffers"), index)
            if 0 <= index < len(context.uniform_buffers):
                uniform = context.uniform_buffers[index].buffer
                if uniform is not None:
                    buffers[id(uniform)] = uniform
        for buffer in buffers.values():
            found.need_bytes(identity(context, buffer))

    def _sampled(self, found: _Collector, context: Context, program: ProgramObject) -> None:
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

    def _do_glBeginQuery(self, found: _Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name, "queries"), call.args[0])
        query = context.current_queries.get(_int(call.args[0]))
        if query is not None:
            found.kill(identity(context, query), "result")

    def _do_glBeginConditionalRender(self, found: _Collector, context: Context, call: Call) -> None:
        query = context.queries.get(_int(call.args[0]))
        if query is not None:
            found.need(identity(context, query))
        found.kill(("context", context.name), "condition")

    def _do_glEndConditionalRender(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "condition")
        found.kill(("context", context.name), "condition")

    def _do_glEndQuery(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name, "queries"), call.args[0])
        found.kill(("context", context.name, "queries"), call.args[0])

    def _do_glBeginTransformFeedback(self, found: _Collector, context: Context, call: Call) -> None:
        ctx = ("context", context.name)
        found.read(ctx, "transform feedback")
        found.read(ctx, "program")
        feedback = context.transform_feedback
        key = identity(context, feedback)
        for index, point in enumerate(feedback.bindings):
            if point.buffer is not None:
                found.read(key, "binding", index)
                found.read(identity(context, point.buffer), "store")
        if context.program is not None:
            found.read(identity(context, context.program), "linked")
        found.kill(key, "active")

    def _do_glEndTransformFeedback(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "transform feedback")
        key = identity(context, context.transform_feedback)
        found.read(key, "active")
        found.kill(key, "active")

    def _do_glPauseTransformFeedback(self, found: _Collector, context: Context, call: Call) -> None:
        found.read(("context", context.name), "transform feedback")
        found.update(identity(context, context.transform_feedback), "active")

    _do_glResumeTransformFeedback = _do_glPauseTransformFeedback

    # labels

    def _do_glObjectLabel(self, found: _Collector, context: Context, call: Call) -> None:
        kind = _LABELLED.get(_int(call.args[0]))
        if kind is not None:
            group = (*self._space(context, kind), _int(call.args[1]))
            found.need(group)
            found.kill((*group, "label"), "label")

    _do_glLabelObject = _do_glObjectLabel


_BITS: Final = {
    "color": gl.GL_COLOR_BUFFER_BIT,
    "depth": gl.GL_DEPTH_BUFFER_BIT,
    "stencil": gl.GL_STENCIL_BUFFER_BIT,
}
_LABELLED: Final = {
    gl.GL_BUFFER: "buffer",
    gl.GL_SHADER: "shader",
    gl.GL_PROGRAM: "program",
    gl.GL_QUERY: "query",
    gl.GL_SAMPLER: "sampler",
    gl.GL_VERTEX_ARRAY: "vertex array",
    gl.GL_TEXTURE: "texture",
    gl.GL_RENDERBUFFER: "renderbuffer",
    gl.GL_FRAMEBUFFER: "framebuffer",
    gl.GL_TRANSFORM_FEEDBACK: "transform feedback",
}


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _covers(context: Context, framebuffer: Framebuffer) -> bool:
    """Whether the scissor rectangle covers every attachment."""
    x, y, width, height = context.scissor
    images = [part.image for part in (*framebuffer.color, framebuffer.depth, framebuffer.stencil) if part is not None]
    return (
        x <= 0
        and y <= 0
        and all(image is None or (x + width >= image.width and y + height >= image.height) for image in images)
    )


def _of_layers(framebuffer: Framebuffer) -> bool:
    """Whether an attachment is one layer of several, so that a clear leaves the others."""
    for part in (*framebuffer.color, framebuffer.depth, framebuffer.stencil):
        if part is not None and part.texture is not None and part.image is not None and part.image.depth > 1:
            return True
    return False


def _writes_all(context: Context, aspect: str) -> bool:
    """Whether no write mask holds a clear back."""
    if aspect == "depth":
        return context.depth_mask
    if aspect == "stencil":
        return context.stencil_front.write_mask & 255 == 255
    return all(all(mask) for mask in context.color_masks)
