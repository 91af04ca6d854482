"""Calls of ours as apitrace's, so that its own tools can open what was recorded.

EGL calls stand for the trace commands; client arrays become glVertexAttribPointer calls with content before their
draw, and what was written through a mapping a memcpy to an address of the mapping, as apitrace's tracer has them.
What apitrace has no call for is left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from capture.importers.apitrace.stream import Opaque
from capture.importers.apitrace.writer import Bitmask, Double, EnumValue, Event, WritableValue
from capture.importers.buffers import WHOLE, BufferBindings, Mapping, Mappings
from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Direction, Param, ParamKind
from traceformat.gles.enum_names import bitfield_names, enum_name
from traceformat.gles.enums import BY_NAME
from traceformat.gles.parameters import content_array, parameters_of
from traceformat.gles.values import uints
from traceformat.gles.vertex_arrays import element_bytes

__all__ = ["Exporter"]

_DISPLAY: Final = Opaque(1)
_TRUE: Final = EnumValue("EGL_TRUE", 1)
_NONE: Final = EnumValue("EGL_NONE", 0x3038)
_EGL_WIDTH: Final = EnumValue("EGL_WIDTH", 0x3057)
_EGL_HEIGHT: Final = EnumValue("EGL_HEIGHT", 0x3056)
_MAJOR: Final = EnumValue("EGL_CONTEXT_MAJOR_VERSION", 0x3098)
_MINOR: Final = EnumValue("EGL_CONTEXT_MINOR_VERSION", 0x30FB)
_PROFILE: Final = EnumValue("EGL_CONTEXT_OPENGL_PROFILE_MASK", 0x30FD)
_APIS: Final = (EnumValue("EGL_OPENGL_ES_API", 0x30A0), EnumValue("EGL_OPENGL_API", 0x30A2))
#: Attributes of a configuration, in the order in which traceContext has them.
_CONFIG: Final = (
    EnumValue("EGL_RED_SIZE", 0x3024),
    EnumValue("EGL_GREEN_SIZE", 0x3023),
    EnumValue("EGL_BLUE_SIZE", 0x3022),
    EnumValue("EGL_ALPHA_SIZE", 0x3021),
    EnumValue("EGL_DEPTH_SIZE", 0x3025),
    EnumValue("EGL_STENCIL_SIZE", 0x3026),
    EnumValue("EGL_SAMPLES", 0x3031),
)
#: Kinds of drawables without a window.
_PBUFFER, _SURFACELESS = 1, 2
#: Content without a type, which apitrace writes as blobs rather than arrays.
_UNTYPED: Final = frozenset({"void", "GLvoid", ""})
_CHARACTERS: Final = frozenset({"GLchar", "GLcharARB"})
_MAPS: Final = ("glMapBuffer", "glMapBufferOES", "glMapBufferRange", "glMapBufferRangeEXT")
_POINTERS: Final = ("glVertexAttribPointer", "glVertexAttribIPointer")
_PARAMETERS: Final = ("glTexParameter", "glSamplerParameter")
#: Zeros in front of a client array whose first vertex is not the first that there is.
_MAX_PADDING_BYTES: Final = 64 << 20
#: Addresses of whole mapped buffers are this far apart.
_ADDRESS_STEP: Final = 1 << 32


@dataclass(slots=True)
class _Context:
    """State of one context that decides how calls are written."""

    bound: BufferBindings = field(default_factory=BufferBindings)
    vertex_array: int = 0
    #: glVertexAttrib*Pointer calls by vertex array and attribute.
    pointers: dict[tuple[int, int], Call] = field(default_factory=dict)
    was_current: bool = False


class Exporter:
    """Turns calls into events.

    Attributes
    ----------
    lost : calls that apitrace has nothing for, by name
    """

    def __init__(self) -> None:
        self.lost: Counter[str] = Counter()
        self._contexts: dict[int, _Context] = {}
        self._drawables: dict[int, tuple[int, int, int]] = {}
        self._api = 0
        self._mappings = Mappings()
        self._next_address = _ADDRESS_STEP
        #: Pointers into client memory whose content is still to come, and the bindings between them.
        self._waiting: list[tuple[Call, bytes | None]] = []
        #: Windows that became current in a thread: what says their size comes with the next call.
        self._unsized: dict[int, tuple[int, int]] = {}

    def events(self, calls: Iterable[Call]) -> Iterator[Event]:
        """Give the events of a trace, in order."""
        for call in calls:
            yield from self._sizes(call)
            own = _WINDOW_SYSTEM.get(call.name)
            if own is not None:
                yield from self._flush()
                for event in own(self, call):
                    event.thread = call.thread - 1
                    yield event
            else:
                yield from self._gl(call)
        yield from self._flush()

    # -- window system

    def _sizes(self, call: Call) -> Iterator[Event]:
        """Viewport and scissor that apitrace states when a context first becomes current: the window's size."""
        size = self._unsized.pop(call.thread, None)
        if size is None or (call.name == "glViewport" and call.flags & CallFlags.SYNTHETIC):
            return
        for name in ("glViewport", "glScissor"):
            yield _event(name, 0, 0, *size, thread=call.thread - 1, fake=True)

    def _context(self, call: Call) -> Iterator[Event]:
        number, api, major, minor, profile, *rest = _numbers(call)
        attributes: list[WritableValue] = [_MAJOR, major, _MINOR, minor]
        if api:
            attributes += [_PROFILE, profile]
        if api != self._api:
            self._api = api
            yield Event("eglBindAPI", ("api",), inputs={0: _APIS[api & 1]}, results=(_TRUE,))
        share = Opaque(rest[-1]) if rest[-1] else None
        # Each context has a configuration of its own, whose bits apitrace's tracer would have seen asked for.
        config = Opaque(number)
        for attribute, value in zip(_CONFIG, rest, strict=False):
            asked: dict[int, WritableValue] = {0: _DISPLAY, 1: config, 2: attribute}
            names = ("dpy", "config", "attribute", "value")
            yield Event("eglGetConfigAttrib", names, 0, True, asked, {3: [value]}, (_TRUE,))
        inputs: dict[int, WritableValue] = {0: _DISPLAY, 1: config, 2: share, 3: [*attributes, _NONE]}
        names = ("dpy", "config", "share_context", "attrib_list")
        yield Event("eglCreateContext", names, inputs=inputs, results=(Opaque(number),))

    def _drawable(self, call: Call) -> Iterator[Event]:
        number, width, height, kind = _numbers(call)
        self._drawables[number] = width, height, kind
        inputs: dict[int, WritableValue] = {0: _DISPLAY, 1: Opaque(1)}
        if kind == _PBUFFER:
            inputs[2] = [_EGL_WIDTH, width, _EGL_HEIGHT, height, _NONE]
            names: tuple[str, ...] = ("dpy", "config", "attrib_list")
            yield Event("eglCreatePbufferSurface", names, inputs=inputs, results=(Opaque(number),))
        elif kind != _SURFACELESS:
            inputs |= {2: Opaque(number), 3: []}
            names = ("dpy", "config", "win", "attrib_list")
            yield Event("eglCreateWindowSurface", names, inputs=inputs, results=(Opaque(number),))

    def _resize(self, call: Call) -> Iterator[Event]:
        number, width, height = _numbers(call)
        yield from _queried(number, width, height)

    def _make_current(self, call: Call) -> Iterator[Event]:
        context, draw, read = _numbers(call)
        width, height, kind = self._drawables.get(draw, (0, 0, _SURFACELESS))
        surfaces = [Opaque(each) if self._is_surface(each) else None for each in (draw, read)]
        inputs: dict[int, WritableValue] = {0: _DISPLAY, **dict(enumerate(surfaces, 1))}
        inputs[3] = Opaque(context) if context else None
        yield Event("eglMakeCurrent", ("dpy", "draw", "read", "ctx"), inputs=inputs, results=(_TRUE,))
        if context and kind == 0:
            state = self._contexts.setdefault(context, _Context())
            if state.was_current:
                yield from _queried(draw, width, height)
            else:
                self._unsized[call.thread] = width, height
        if context:
            self._contexts.setdefault(context, _Context()).was_current = True

    def _is_surface(self, drawable: int) -> bool:
        return drawable in self._drawables and self._drawables[drawable][2] != _SURFACELESS

    def _swap(self, call: Call) -> Iterator[Event]:
        inputs: dict[int, WritableValue] = {0: _DISPLAY, 1: Opaque(_numbers(call)[0])}
        yield Event("eglSwapBuffers", ("dpy", "surface"), inputs=inputs, results=(_TRUE,))

    def _destroy_context(self, call: Call) -> Iterator[Event]:
        inputs: dict[int, WritableValue] = {0: _DISPLAY, 1: Opaque(_numbers(call)[0])}
        yield Event("eglDestroyContext", ("dpy", "ctx"), inputs=inputs, results=(_TRUE,))

    def _leave_out(self, call: Call) -> Iterator[Event]:
        self.lost[call.name] += 1
        return iter(())

    # -- GL

    def _gl(self, call: Call) -> Iterator[Event]:
        here = self._contexts.setdefault(call.context, _Context())
        if call.name == "traceClientArray":
            yield from self._client_array(call, here)
            return
        is_pointer = call.name in _POINTERS
        if self._waiting and not (is_pointer or call.name == "glBindBuffer"):
            yield from self._flush()
        self._note(call, here)
        if is_pointer:
            here.pointers[here.vertex_array, _number(call.args[0])] = call
        if self._waiting or (is_pointer and call.args[-1] is None):
            self._waiting.append((call, None))
        elif call.name == "traceMappedWrite":
            yield from self._mapped_write(call, here)
        else:
            yield self._call(call)

    def _note(self, call: Call, here: _Context) -> None:
        numbers = [_number(value) for value in call.args]
        here.bound.note(call.name, numbers, _deleted_buffers(call))
        if call.name.startswith("glBindVertexArray"):
            here.vertex_array = numbers[0]
        elif call.name.startswith("glUnmapBuffer"):
            self._mappings.unmap(call.context, here.bound[numbers[0]])
        elif call.name in _MAPS:
            offset, size = (0, WHOLE)
            if call.name.startswith("glMapBufferRange"):
                offset, size = numbers[1:3]
            buffer = here.bound[numbers[0]]
            self._mappings.map(Mapping(call.context, numbers[0], buffer, offset, size, self._next_address))

    def _call(self, call: Call) -> Event:
        event = _plain(call)
        if call.name in _MAPS:
            event.results = (Opaque(self._next_address),)
            self._next_address += _ADDRESS_STEP
        return event

    # -- client memory

    def _client_array(self, call: Call, here: _Context) -> Iterator[Event]:
        index, first, data = call.args
        content = data if isinstance(data, bytes) else b""
        if not first:
            for place, (waiting, found) in enumerate(self._waiting):
                if waiting.name in _POINTERS and found is None and waiting.args[0] == index:
                    self._waiting[place] = waiting, content
                    return
        yield from self._flush()
        pointer = here.pointers.get((here.vertex_array, _number(index)))
        stride = _number(pointer.args[-2]) if pointer is not None else 0
        if pointer is not None and not stride and first:
            stride = element_bytes(_number(pointer.args[1]), _number(pointer.args[2]))
        if pointer is None or stride * _number(first) > _MAX_PADDING_BYTES:
            self.lost[call.name] += 1
            return
        bound = here.bound[gl.GL_ARRAY_BUFFER]
        if bound:
            yield _event("glBindBuffer", gl.GL_ARRAY_BUFFER, 0, thread=call.thread - 1, fake=True)
        yield _with_content(pointer, bytes(stride * _number(first)) + content, call.thread)
        if bound:
            yield _event("glBindBuffer", gl.GL_ARRAY_BUFFER, bound, thread=call.thread - 1, fake=True)

    def _flush(self) -> Iterator[Event]:
        """Write the calls that waited; a pointer into client memory that no draw read says nothing."""
        for call, content in self._waiting:
            if content is not None:
                yield _with_content(call, content, call.thread)
            elif call.name not in _POINTERS or call.args[-1] is not None:
                yield _plain(call)
        self._waiting.clear()

    def _mapped_write(self, call: Call, here: _Context) -> Iterator[Event]:
        target, offset, data = call.args
        mappings = self._mappings.of_buffer(call.context, here.bound[_number(target)])
        if not mappings or not isinstance(data, bytes):
            self.lost[call.name] += 1
            return
        address = mappings[-1].address + _number(offset) - mappings[-1].offset
        inputs: dict[int, WritableValue] = {0: Opaque(max(address, 0)), 1: data, 2: len(data)}
        yield Event("memcpy", ("dest", "src", "n"), call.thread - 1, True, inputs)


_WINDOW_SYSTEM: Final[dict[str, Callable[[Exporter, Call], Iterator[Event]]]] = {
    "traceContext": Exporter._context,
    "traceDrawable": Exporter._drawable,
    "traceResize": Exporter._resize,
    "traceMakeCurrent": Exporter._make_current,
    "traceSwap": Exporter._swap,
    "traceDestroyContext": Exporter._destroy_context,
    "traceFrame": Exporter._leave_out,
    "traceContents": Exporter._leave_out,
}


def _number(value: Value) -> int:
    return int(value) if isinstance(value, int) else 0


def _numbers(call: Call) -> list[int]:
    return [_number(value) for value in call.args]


def _deleted_buffers(call: Call) -> tuple[int, ...]:
    names = call.args[1] if call.name == "glDeleteBuffers" else None
    return uints(names, len(names) // 4) if isinstance(names, bytes) else ()


def _event(name: str, *args: Value, thread: int, fake: bool) -> Event:
    """An event of plain values."""
    event = _plain(Call(0, name, thread + 1, 0, 0, args))
    event.is_fake = fake
    return event


def _queried(surface: int, width: int, height: int) -> Iterator[Event]:
    """What says the size of a window that is not its first one."""
    for attribute, value in ((_EGL_WIDTH, width), (_EGL_HEIGHT, height)):
        inputs: dict[int, WritableValue] = {0: _DISPLAY, 1: Opaque(surface), 2: attribute}
        names = ("dpy", "surface", "attribute", "value")
        yield Event("eglQuerySurface", names, 0, True, inputs, {3: [value]}, (_TRUE,))


def _with_content(pointer: Call, content: bytes, thread: int) -> Event:
    event = _plain(pointer)
    event.inputs[len(pointer.args) - 1] = content
    event.thread, event.is_fake = thread - 1, True
    return event


def _plain(call: Call) -> Event:
    """A call of GL as it is."""
    command = COMMANDS.get(call.name)
    params = command.params if command is not None else ()
    names = tuple(param.name for param in params) or tuple(f"arg{n}" for n in range(len(call.args)))
    event = Event(call.name, names, call.thread - 1, bool(call.flags & CallFlags.SYNTHETIC))
    for place, value in enumerate(call.args):
        param = params[place] if place < len(params) else None
        if param is not None and param.direction is Direction.OUT and not isinstance(value, Offset):
            event.outputs[place] = _value(call, call.outputs.get(param.name), param)
        else:
            event.inputs[place] = _value(call, value, param)
    if command is not None and command.result.kind is not ParamKind.VOID:
        event.results = (_value(call, call.result, command.result),)
    return event


def _value(call: Call, value: Value, param: Param | None) -> WritableValue:
    if value is None:
        return None
    if isinstance(value, Offset):
        return Opaque(value % (1 << 64)) if value else None
    if isinstance(value, float):
        return Double(value) if param is not None and param.kind is ParamKind.DOUBLE else value
    if isinstance(value, int):
        return _integer(call, value, param)
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return list(value)
    return _content(call, value, param)


def _integer(call: Call, value: int, param: Param | None) -> WritableValue:
    if param is None:
        return value
    if param.kind is ParamKind.BOOLEAN:
        return _boolean(value)
    if param.kind is ParamKind.BITFIELD:
        return _bits(value, param.group)
    if param.kind is ParamKind.HANDLE:
        return Opaque(value % (1 << 64)) if value else None
    if param.kind is ParamKind.ENUM:
        return _enum(value, param.group)
    is_parameter = param.name == "param" and call.name.startswith(_PARAMETERS)
    if is_parameter or param.group:
        return _enum(value, "") if value >= 0x100 else value
    return value


def _boolean(value: int) -> WritableValue:
    return EnumValue(("GL_FALSE", "GL_TRUE")[value], value) if value in (0, 1) else value


def _enum(value: int, group: str) -> WritableValue:
    name = enum_name(value, group)
    return EnumValue(name, value) if name is not None else value


def _bits(value: int, group: str) -> Bitmask:
    names = [name for name in bitfield_names(value, group).split("|") if name in BY_NAME]
    return Bitmask(value, tuple((name, BY_NAME[name]) for name in names))


def _content(call: Call, data: bytes, param: Param | None) -> WritableValue:
    element = param.element if param is not None else ""
    if param is None or element in _UNTYPED:
        return data
    if element in _CHARACTERS:
        return data.split(b"\0")[0].decode("utf-8", "surrogateescape")
    values: list[Any] = content_array(parameters_of(call.name), param.name, data).tolist()
    if element == "GLboolean":
        return [_boolean(value) for value in values]
    if element == "GLenum":
        return [_enum(value, param.group) for value in values]
    if element == "GLdouble":
        return [Double(value) for value in values]
    return values
