"""The one trampoline factory: a C function pointer that runs Python in place of an entry point.

Every adapter hands these addresses to the library it adapts, so what arrives here are the C values of the call,
below every wrapper, array conversion and accelerator of that library.

A trampoline must never lose an exception: ctypes prints and drops what a callback raises. Whatever is raised is given
to :class:`~capture.interrupts.Faults`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from capture.interrupts import TRAMPOLINE_FILE, Faults
from capture.threads import Threads
from traceformat.gles.entry_points import Command

if TYPE_CHECKING:
    from capture.native.ring import Ring

__all__ = ["CFunction", "TrampolineFactory", "argument_types", "c_type", "prototype"]

#: A Python function that takes and gives the C values of an entry point.
CFunction = Callable[..., Any]

_C_TYPES: Final[dict[str, Any]] = {
    "void": None,
    **dict.fromkeys(("GLenum", "GLbitfield", "GLuint", "GLhandleARB", "EGLenum", "unsigned int"), ctypes.c_uint),
    **dict.fromkeys(
        ("GLint", "GLsizei", "GLfixed", "GLclampx", "EGLint", "int", "int32_t", "Bool", "GLhalfNV"), ctypes.c_int
    ),
    **dict.fromkeys(("GLboolean", "GLubyte"), ctypes.c_ubyte),
    **dict.fromkeys(("GLbyte", "GLchar", "GLcharARB"), ctypes.c_byte),
    "GLshort": ctypes.c_short,
    "GLushort": ctypes.c_ushort,
    **dict.fromkeys(("GLfloat", "GLclampf", "float"), ctypes.c_float),
    **dict.fromkeys(("GLdouble", "GLclampd"), ctypes.c_double),
    **dict.fromkeys(("GLint64", "GLint64EXT", "int64_t"), ctypes.c_int64),
    **dict.fromkeys(("GLuint64", "GLuint64EXT", "EGLTime", "EGLTimeKHR", "EGLuint64KHR"), ctypes.c_uint64),
    **dict.fromkeys(("GLintptr", "GLsizeiptr", "GLintptrARB", "GLsizeiptrARB"), ctypes.c_ssize_t),
    **dict.fromkeys(("EGLAttrib", "EGLAttribKHR"), ctypes.c_ssize_t),
    "EGLBoolean": ctypes.c_uint,
    **dict.fromkeys(
        ("unsigned long", "Pixmap", "Window", "Font", "GLXPixmap", "GLXPbuffer", "GLXWindow", "GLXDrawable"),
        ctypes.c_ulong,
    ),
    "GLXContextID": ctypes.c_ulong,
}


def c_type(text: str) -> Any:
    """The ctypes type of a C type as the registry spells it; addresses and opaque handles are ``c_void_p``."""
    return _C_TYPES.get(text, ctypes.c_void_p)


def argument_types(command: Command) -> list[Any]:
    """The ctypes types of a command's parameters."""
    return [c_type(param.c_type) for param in command.params]


def prototype(command: Command) -> Any:
    """The ctypes function type of a command."""
    return ctypes.CFUNCTYPE(c_type(command.result.c_type), *argument_types(command))


@cache
def _compile(source: str) -> CodeType:
    """Compile a function; most entry points share theirs with others that have as many parameters."""
    return compile(source, TRAMPOLINE_FILE, "exec")


class TrampolineFactory:
    """Make trampolines and keep them alive for the life of the process, for C code may hold their addresses.

    Parameters
    ----------
    threads : of the program
    faults : who takes what goes wrong
    ring : has calls that machine code has recorded, which come before those that go through Python
    """

    def __init__(self, threads: Threads, faults: Faults, ring: Ring | None = None) -> None:
        self._ring = ring
        self._threads = threads
        self._faults = faults
        self._alive: list[Any] = []
        # One reference too many: C code may still call what it was given while the interpreter is torn down.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._alive))

    def make(self, command: Command, hook: CFunction, real: CFunction) -> int:
        """Give the address of a C function that calls ``hook``.

        A call made while this thread is inside a trampoline already (by a debug callback of the program, say) goes to
        ``real``, unrecorded.

        Parameters
        ----------
        command : signature
        hook : gets and gives the C values
        real : the same, without recording

        Returns
        -------
        address of the function, valid for ever
        """
        names = ", ".join(f"a{i}" for i in range(len(command.params)))
        return self.make_written(command, [f"return hook({names})"], {"hook": hook, "real": real})

    def make_written(self, command: Command, body: Sequence[str], scope: Mapping[str, Any]) -> int:
        """Give the address of a C function with a body of its own, guarded as all are.

        Parameters
        ----------
        command : signature; parameters are ``a0``, ``a1`` ...
        body : lines; ``state`` is the thread's, ``name`` the command's, ``real`` the function without recording
        scope : what the lines refer to
        """
        # A function of the command's own number of parameters is faster than one of ``*arguments``.
        names = ", ".join(f"a{i}" for i in range(len(command.params)))
        source = "\n".join(
            (
                f"def trampoline({names}):",
                "    try:",
                "        state = threads.local.state",
                "    except AttributeError:",
                "        state = threads.state()",
                "    if state.inside:",
                f"        return real({names})",
                "    state.inside = True",
                "    try:",
                *(["        if ring.is_used:", "            ring.settle()"] if self._ring is not None else []),
                *("        " + line for line in body),
                "    except BaseException as error:",
                "        handle(error, name)",
                f"        return {'None' if command.result.c_type == 'void' else '0'}",
                "    finally:",
                "        state.inside = False",
                *(["        if ring.is_used:", "            ring.give(state)"] if self._ring is not None else []),
            )
        )
        names_used = {**scope, "name": command.name, "threads": self._threads, "handle": self._faults.handle}
        names_used["ring"] = self._ring
        exec(_compile(source), names_used)
        return self.make_raw(prototype(command), names_used["trampoline"])

    def make_raw(self, function_type: Any, function: CFunction) -> int:
        """Give the address of a C function of any type that runs ``function`` without any guard."""
        callback = function_type(function)
        self._alive.append(callback)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        assert address is not None
        return address
