"""The one table of entry points: GL, GLES, EGL, GLX and the project's own trace commands.

``COMMANDS[name]`` gives a :class:`Command`. The table behind it is text (``commands_table.py``, generated from the
Khronos registry), split by line when this module is imported and parsed by line when a name is first asked for.

A command's ``id`` is its row in this version's table and is **never stored**: a trace carries the names of the
commands that it uses, in each chunk, so that old traces stay readable when the table grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from traceformat.gles.commands_table import TABLE

__all__ = ["COMMANDS", "TRACE_COMMANDS", "Command", "CommandTable", "Direction", "Param", "ParamKind", "canonical_name"]


class ParamKind(Enum):
    """What a parameter or a result is, which decides the Python type of its value."""

    ENUM = "enum"  # int: GLenum, EGLenum
    BITFIELD = "bitfield"  # int
    BOOLEAN = "boolean"  # int, 0 or 1
    INTEGER = "integer"  # int
    FLOAT = "float"  # float, 32 bits
    DOUBLE = "double"  # float, 64 bits
    HANDLE = "handle"  # int: an opaque object (GLsync, EGLDisplay ...), numbered by order of appearance
    STRING = "string"  # str, None: NUL-terminated or counted text
    STRINGS = "strings"  # tuple[str, ...]: glShaderSource and its like
    DATA = "data"  # bytes, Offset, None: content behind a pointer
    CALLBACK = "callback"  # None: a function of the program
    VOID = "void"  # None: results only


class Direction(Enum):
    """Which way a parameter's content goes."""

    IN = "in"
    OUT = "out"


_INTEGER_TYPES: Final = """
    GLbyte GLubyte GLshort GLushort GLint GLuint GLsizei GLint64 GLuint64 GLint64EXT GLuint64EXT GLintptr GLsizeiptr
    GLintptrARB GLsizeiptrARB GLchar GLcharARB GLhandleARB GLfixed GLhalfNV GLclampx
    EGLint EGLTime EGLTimeKHR EGLAttrib EGLAttribKHR EGLuint64KHR int int32_t int64_t
"""
_KINDS: Final[Mapping[str, ParamKind]] = {
    "void": ParamKind.VOID,
    "GLenum": ParamKind.ENUM,
    "EGLenum": ParamKind.ENUM,
    "GLbitfield": ParamKind.BITFIELD,
    "GLboolean": ParamKind.BOOLEAN,
    "EGLBoolean": ParamKind.BOOLEAN,
    "Bool": ParamKind.BOOLEAN,
    "GLfloat": ParamKind.FLOAT,
    "GLclampf": ParamKind.FLOAT,
    "float": ParamKind.FLOAT,
    "GLdouble": ParamKind.DOUBLE,
    "GLclampd": ParamKind.DOUBLE,
    **dict.fromkeys(_INTEGER_TYPES.split(), ParamKind.INTEGER),
    "unsigned int": ParamKind.INTEGER,
    "unsigned long": ParamKind.INTEGER,
}
_OPAQUE: Final = frozenset({"Display *", "XVisualInfo *", "struct _cl_context *", "struct _cl_event *"})
_TEXT: Final = frozenset({"const GLchar *", "const GLcharARB *", "const char *"})


def _kind(c_type: str, *, is_result: bool = False) -> ParamKind:
    """Classify a C type."""
    known = _KINDS.get(c_type)
    if known is not None:
        return known
    if "*" not in c_type or c_type in _OPAQUE:
        return ParamKind.CALLBACK if "PROC" in c_type or "Func" in c_type else ParamKind.HANDLE
    if c_type.count("*") == 2 and "char" in c_type:
        return ParamKind.STRINGS
    if c_type in _TEXT or (is_result and c_type == "const GLubyte *"):
        return ParamKind.STRING
    return ParamKind.DATA


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a command.

    Parameters
    ----------
    name : as in the registry
    c_type : C type with single spaces, e.g. ``const void *``
    kind : what it is
    group : enum group (``TextureTarget``), for names in a dump; empty if none
    direction : IN, or OUT for what the command writes
    length : number of elements behind a pointer as the registry spells it (``n``, ``count*16``, ``COMPSIZE(pname)``)
    object_class : kind of GL object that the value names (``texture``, ``buffer`` ...); empty if none
    """

    name: str
    c_type: str
    kind: ParamKind
    group: str = ""
    direction: Direction = Direction.IN
    length: str = ""
    object_class: str = ""

    @property
    def is_pointer(self) -> bool:
        """True where C passes an address."""
        return self.c_type.endswith("*")

    @property
    def element(self) -> str:
        """C type of what a pointer points at, e.g. ``GLfloat``; ``void`` for untyped data."""
        return self.c_type.replace("const", "").replace("*", "", 1).strip()


@dataclass(frozen=True, slots=True)
class Command:
    """One entry point.

    Parameters
    ----------
    id : row in this version's table; not stored in files
    name : entry point
    params : in the registry's order
    result : what it returns, as a parameter named ``result``
    versions : API (``gl``, ``gles2``, ``egl``, ``glx``) to the version that introduced it, e.g. ``{"gles2": (3, 0)}``
    extensions : extensions that define it
    alias : the core or older entry point with the same meaning; empty if none
    compatibility_only : the core profile of OpenGL 3.2 removed it
    """

    id: int
    name: str
    params: tuple[Param, ...]
    result: Param
    versions: Mapping[str, tuple[int, int]]
    extensions: tuple[str, ...] = ()
    alias: str = ""
    compatibility_only: bool = False
    _index: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)

    def index(self, param: str) -> int:
        """Position of a parameter; raises KeyError."""
        return self._index[param]

    @property
    def is_trace_command(self) -> bool:
        """True for what GL has no entry point for: ``traceContext``, ``traceSwap`` ..."""
        return self.name.startswith("trace")


#: Trace commands (ARCHITECTURE §1), in the table's own form.
TRACE_COMMANDS: Final = """\
traceContext|void||||context:GLuint;api:GLuint;major:GLint;minor:GLint;profile:GLuint;red:GLint;green:GLint;blue:GLint;\
alpha:GLint;depth:GLint;stencil:GLint;samples:GLint;share:GLuint
traceDrawable|void||||drawable:GLuint;width:GLint;height:GLint;kind:GLuint
traceResize|void||||drawable:GLuint;width:GLint;height:GLint
traceMakeCurrent|void||||context:GLuint;draw:GLuint;read:GLuint
traceSwap|void||||drawable:GLuint;origin:const GLchar *
traceFrame|void||||label:const GLchar *
traceClientArray|void||||index:GLuint;first:GLint;data:const void *
traceMappedWrite|void||||target:GLenum:BufferTargetARB;offset:GLintptr;data:const void *
traceDestroyContext|void||||context:GLuint
traceContents|void||||object:GLenum;name:GLuint;face:GLint;level:GLint;data:const void *
"""


def _parse_param(text: str) -> Param:
    name, c_type, group, object_class, length = [*text.split(":"), "", "", ""][:5]
    written = c_type.endswith("*") and "const" not in c_type and c_type not in _OPAQUE
    direction = Direction.OUT if written else Direction.IN
    return Param(name, c_type, _kind(c_type), group, direction, length, object_class)


def _parse(number: int, line: str) -> Command:
    name, result, versions, extensions, alias, params = [*line.split("|"), "", "", "", ""][:6]
    first: dict[str, tuple[int, int]] = {}
    for entry in filter(None, versions.split(",")):
        api, _, version = entry.partition("=")
        major, _, minor = version.rstrip("-").partition(".")
        first[api] = int(major), int(minor)
    c_type, group, object_class = [*result.split(":"), "", ""][:3]
    parsed = tuple(_parse_param(param) for param in params.split(";") if param)
    return Command(
        number,
        name,
        parsed,
        Param("result", c_type, _kind(c_type, is_result=True), group, Direction.OUT, "", object_class),
        first,
        tuple(filter(None, extensions.split(","))),
        alias,
        "-" in versions,
        {param.name: position for position, param in enumerate(parsed)},
    )


class CommandTable(Mapping[str, Command]):
    """All commands by name; each is parsed when first asked for."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._rows = {line[: line.index("|")]: row for row, line in enumerate(self._lines)}
        self._parsed: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        """Give a command; raises KeyError for a name that the table does not have."""
        command = self._parsed.get(name)
        if command is None:
            row = self._rows[name]
            command = self._parsed[name] = _parse(row, self._lines[row])
        return command

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


COMMANDS: Final = CommandTable(TRACE_COMMANDS + TABLE)


def canonical_name(name: str) -> str:
    """Name that an entry point is known by without vendor suffix: ``glBindVertexArrayOES`` -> ``glBindVertexArray``.

    Follows aliases to their end; a name that is not in the table is returned as it is.
    """
    seen = {name}
    while name in COMMANDS:
        alias = COMMANDS[name].alias
        if not alias or alias in seen:
            break
        seen.add(alias)
        name = alias
    return name
