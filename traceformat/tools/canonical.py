"""The canonical form of a command stream: what a program said, whatever driver answered it.

Two captures of one program under different drivers differ where drivers are free: in names and locations that they
choose, and in what they answer. The canonical form writes one line a call, with these rules:

* Queries are dropped (glGet*, glIs*, glCheckFramebufferStatus, and what else only asks), and so are results and
  outputs of all calls: glReadPixels and glMapBufferRange stay as calls, their answers don't.
* Names of objects are numbers in order of creation, by kind: ``texture#2``. Containers (vertex arrays, framebuffers,
  queries, transform feedbacks) count by context, all others by share group.
* Locations of uniforms are written as program, name and element (``program#1.lights[2]``), indices of uniform blocks as
  program and block name.
* Vertex attributes live under their names. A driver chooses their locations, and vertex array state is set by location
  long before a program says which name that is; so calls that set it give no line, and each draw lists the arrays
  and values that the attributes of its program have. An attribute whose location nobody asked for keeps its number.
* Ids of debug groups are dropped: the label stands in the line.
* A context is its API, profile and share group; version and framebuffer bits are the driver's choice. A drawable is
  its size.
* Content is its length and hash. Threads and contexts are numbers, as in the trace.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from traceformat.calls import Call, Offset, Value, integer
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Command, Param, ParamKind, canonical_name
from traceformat.gles.enum_names import enum_name
from traceformat.gles.roles import is_draw
from traceformat.tools.trim.keys import LABELLED_KINDS

__all__ = ["canonical", "is_query"]

_CONTAINERS: Final = frozenset({"vertex array", "framebuffer", "query", "transform feedback", "program pipeline"})
_QUERY: Final = re.compile(r"gl(Get|Is)[A-Z]|glCheckFramebufferStatus|glQuery|glAreTexturesResident")
_UNIFORM: Final = re.compile(r"gl(Program)?Uniform(Matrix)?\d")
_ATTRIBUTE_VALUE: Final = re.compile(r"glVertexAttribI?\d")


@dataclass(slots=True)
class _Program:
    """What the program under trace was told about one GL program."""

    uniforms: dict[int, str] = field(default_factory=dict)
    blocks: dict[int, str] = field(default_factory=dict)
    attributes: dict[int, str] = field(default_factory=dict)

    def uniform(self, location: int) -> str:
        """Name and element at a location."""
        if location in self.uniforms:
            return self.uniforms[location]
        below = [known for known in self.uniforms if 0 <= known < location]
        if not below:
            return f"@{location}"
        base = max(below)
        name = self.uniforms[base].removesuffix("[0]")
        return f"{name}[{location - base}]"


@dataclass(slots=True)
class _VertexArray:
    enabled: set[int] = field(default_factory=set)
    pointers: dict[int, str] = field(default_factory=dict)
    divisors: dict[int, int] = field(default_factory=dict)
    client: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Group:
    """Objects of a share group, or the containers of a context."""

    numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    programs: dict[int, _Program] = field(default_factory=dict)

    def create(self, kind: str, name: int) -> int:
        """Number a new object."""
        number = self.counts[kind] = self.counts.get(kind, 0) + 1
        self.numbers[kind, name] = number
        return number

    def label(self, kind: str, name: int) -> str:
        """Write an object; one that was never made keeps its name."""
        if name == 0:
            return "0"
        number = self.numbers.get((kind, name))
        return f"{kind}#{number}" if number is not None else f"{kind}:{name}"


@dataclass(slots=True)
class _Context:
    share: _Group
    own: _Group = field(default_factory=_Group)
    arrays: dict[int, _VertexArray] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)
    program: int = 0
    vertex_array: int = 0
    array_buffer: int = 0

    def group(self, kind: str) -> _Group:
        """Where objects of a kind live."""
        return self.own if kind in _CONTAINERS else self.share

    def label(self, kind: str, name: int) -> str:
        """Write an object."""
        return self.group(kind).label(kind, name)

    def array(self) -> _VertexArray:
        """The vertex array that is bound."""
        return self.arrays.setdefault(self.vertex_array, _VertexArray())

    def info(self, program: int) -> _Program:
        """What is known of a program."""
        return self.share.programs.setdefault(program, _Program())


def _integers(content: Value) -> tuple[int, ...]:
    if not isinstance(content, bytes):
        return ()
    return struct.unpack(f"<{len(content) // 4}I", content[: len(content) // 4 * 4])


def _plain(value: Value) -> str:
    if isinstance(value, Offset):
        return f"+{int(value)}"
    if isinstance(value, bytes):
        return f"bytes[{len(value)}]:{hashlib.sha256(value).hexdigest()[:16]}"
    return repr(value)


class _Canonicalizer:
    """Writes the lines of one trace."""

    def __init__(self) -> None:
        self._contexts: dict[int, _Context] = {0: _Context(_Group())}
        self._silent: dict[str, Callable[[_Context, Call], None]] = {
            "glEnableVertexAttribArray": lambda own, call: own.array().enabled.add(integer(call.args[0])),
            "glDisableVertexAttribArray": lambda own, call: own.array().enabled.discard(integer(call.args[0])),
            "glVertexAttribPointer": self._pointer,
            "glVertexAttribIPointer": self._pointer,
            "glVertexAttribLPointer": self._pointer,
            "glVertexAttribDivisor": self._divisor,
            "traceClientArray": self._client_array,
        }

    def line(self, call: Call) -> str | None:
        """The line of a call; None for one that has none."""
        name = canonical_name(call.name)
        context = self._contexts.setdefault(call.context, _Context(_Group()))
        if name == "traceContext":
            return self._new_context(call)
        if name == "traceDrawable":
            drawable, width, height = map(integer, call.args[:3])
            return f"t{call.thread} traceDrawable({drawable}, {width}x{height})"
        self._learn(context, name, call)
        if is_query(name):
            return None
        silent = self._silent.get(name)
        if silent is not None:
            silent(context, call)
            return None
        if _ATTRIBUTE_VALUE.match(name):
            context.values[integer(call.args[0])] = f"{name}{tuple(map(_plain, call.args[1:]))}"
            return None
        command = COMMANDS.get(call.name)
        arguments = [
            text
            for position, value in enumerate(call.args)
            if (text := self._argument(context, name, command, call, position, value)) is not None
        ]
        prefix = f"t{call.thread} c{call.context} " if call.context else f"t{call.thread} "
        text = f"{prefix}{name}({', '.join(arguments)})"
        if is_draw(name):
            text += self._attributes(context)
            context.array().client.clear()
        return text

    # -- what calls tell --------------------------------------------------------------------------------------------

    def _new_context(self, call: Call) -> str:
        number, share = integer(call.args[0]), integer(call.args[12])
        group = self._contexts[share].share if share in self._contexts and share else _Group()
        self._contexts[number] = _Context(group)
        api = "GL" if call.args[1] else "GLES"
        return f"t{call.thread} traceContext({number}, {api}, profile={integer(call.args[4])}, share={share})"

    def _learn(self, context: _Context, name: str, call: Call) -> None:
        """Note what the driver chose and what is bound."""
        args = call.args
        if name.startswith(("glGen", "glCreate")) or name == "glFenceSync":
            self._created(context, name, call)
        elif name == "glUseProgram":
            context.program = integer(args[0])
        elif name == "glBindVertexArray":
            context.vertex_array = integer(args[0])
        elif name == "glBindBuffer" and args[0] == gl.GL_ARRAY_BUFFER:
            context.array_buffer = integer(args[1])
        elif name == "glGetUniformLocation" and integer(call.result) >= 0:
            context.info(integer(args[0])).uniforms[integer(call.result)] = str(args[1])
        elif name == "glGetUniformBlockIndex":
            context.info(integer(args[0])).blocks[integer(call.result)] = str(args[1])
        elif name == "glGetActiveUniformBlockName":
            block = call.outputs.get("uniformBlockName")
            if isinstance(block, bytes):
                given = block.split(b"\0")[0].decode("utf-8", "replace")
                context.info(integer(args[0])).blocks[integer(args[1])] = given
        elif name == "glGetAttribLocation" and integer(call.result) >= 0:
            context.info(integer(args[0])).attributes[integer(call.result)] = str(args[1])
        elif name == "glBindAttribLocation":
            context.info(integer(args[0])).attributes[integer(args[1])] = str(args[2])

    def _created(self, context: _Context, name: str, call: Call) -> None:
        if name.startswith("glCreateShader"):
            context.share.create("shader", integer(call.result))
            return
        if name == "glFenceSync":
            context.share.create("sync", integer(call.result))
            return
        if name == "glCreateProgram":
            number = integer(call.result)
            context.share.create("program", number)
            context.share.programs[number] = _Program()
            return
        if call.name not in COMMANDS:
            return
        for param in COMMANDS[call.name].params:
            if param.object_class:
                for number in _integers(call.outputs.get(param.name)):
                    context.group(param.object_class).create(param.object_class, number)

    # -- vertex attributes ------------------------------------------------------------------------------------------

    def _pointer(self, context: _Context, call: Call) -> None:
        args = call.args
        buffer = context.label("buffer", context.array_buffer)
        what = ", ".join([enum_name(integer(args[2])) or _plain(args[2]), *map(_plain, args[3:])])
        context.array().pointers[integer(args[0])] = (
            f"{canonical_name(call.name)}({integer(args[1])}, {what}) of {buffer}"
        )

    def _divisor(self, context: _Context, call: Call) -> None:
        context.array().divisors[integer(call.args[0])] = integer(call.args[1])

    def _client_array(self, context: _Context, call: Call) -> None:
        context.array().client[integer(call.args[0])] = f"from {integer(call.args[1])}: {_plain(call.args[2])}"

    def _attributes(self, context: _Context) -> str:
        """What the attributes of the current program read, by name."""
        names = context.info(context.program).attributes
        array = context.array()
        listed = []
        for location in sorted({*names, *array.enabled}):
            if location in array.enabled:
                what = array.pointers.get(location, "no array")
                divisor = array.divisors.get(location, 0)
                what += f" / {divisor}" if divisor else ""
                what += f" {array.client[location]}" if location in array.client else ""
            else:
                what = context.values.get(location, "default")
            listed.append((names.get(location, f"@{location}"), what))
        return "".join(f"; {name} = {what}" for name, what in sorted(listed))

    # -- arguments --------------------------------------------------------------------------------------------------

    def _argument(
        self, context: _Context, name: str, command: Command | None, call: Call, position: int, value: Value
    ) -> str | None:
        if command is None or position >= len(command.params):
            return _plain(value)
        param = command.params[position]
        if name in ("glPushDebugGroup", "glDebugMessageInsert") and param.name == "id":
            return None
        if param.name == "location" and _UNIFORM.match(name):
            return self._location(context, command, call, integer(value))
        if name == "glUniformBlockBinding" and param.name == "uniformBlockIndex":
            return context.info(integer(call.args[0])).blocks.get(integer(value), f"@{integer(value)}")
        if name == "glBindAttribLocation" and param.name == "index":
            return _plain(value)
        if name in ("glObjectLabel", "glObjectPtrLabel") and param.name == "name":
            return context.label(LABELLED_KINDS.get(integer(call.args[0]), "object"), integer(value))
        if param.object_class and param.kind in (ParamKind.INTEGER, ParamKind.HANDLE):
            return context.label(param.object_class, integer(value))
        if param.object_class and isinstance(value, bytes):
            labels = ", ".join(context.label(param.object_class, each) for each in _integers(value))
            return f"[{labels}]"
        return self._value(param, value)

    def _location(self, context: _Context, command: Command, call: Call, location: int) -> str:
        is_direct = command.params[0].name == "program"
        program = integer(call.args[0]) if is_direct else context.program
        if location < 0:
            return "-1"
        return f"{context.label('program', program)}.{context.info(program).uniform(location)}"

    def _value(self, param: Param, value: Value) -> str:
        if param.kind is ParamKind.ENUM and isinstance(value, int):
            return enum_name(value, param.group) or str(value)
        return _plain(value)


def is_query(name: str) -> bool:
    """Tell whether a call only asks."""
    return _QUERY.match(name) is not None


def canonical(calls: Iterable[Call]) -> Iterator[str]:
    """Write the canonical form of a command stream; see the module for its rules.

    Parameters
    ----------
    calls : of a trace from its beginning, e.g. a reader

    Returns
    -------
    one line for each call that has one
    """
    writer = _Canonicalizer()
    for call in calls:
        line = writer.line(call)
        if line is not None:
            yield line
