"""The one trampoline factory: a C function pointer that runs Python in place of an entry point.

Every adapter hands these addresses to the library it adapts, so what arrives here are the C values of the call,
below every wrapper, array conversion and accelerator of that library.

A trampoline must never lose an exception: ctypes prints and drops what a callback raises. Whatever is raised is given
to :class:`~capture.interrupts.Faults`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final

from capture.interrupts import Faults
from traceformat.gles.entry_points import Command

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


class TrampolineFactory:
    """Make trampolines and keep them alive for the life of the process, for C code may hold their addresses.

    Parameters
    ----------
    faults : who takes what goes wrong
    """

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._inside = threading.local()
        self._alive: list[Any] = []

    def is_inside(self) -> bool:
        """Tell whether this thread runs within a trampoline."""
        return bool(getattr(self._inside, "value", False))

    def make(self, command: Command, hook: CFunction, real: CFunction) -> int:
        """Give the address of a C function that calls ``hook``.

        A call made while this thread is inside a trampoline already (a debug callback of the program, say) goes to
        ``real`` unrecorded, as does one whose hook fails before it has reached the driver.

        Parameters
        ----------
        command : signature
        hook : gets and gives the C values
        real : the same, without recording

        Returns
        -------
        Address of the function, valid for ever.
        """
        names = ", ".join(f"a{i}" for i in range(len(command.params)))
        source = (
            f"def {command.name}({names}):\n"
            f"    if getattr(inside, 'value', False):\n"
            f"        return real({names})\n"
            f"    inside.value = True\n"
            f"    try:\n"
            f"        return hook({names})\n"
            f"    except BaseException as error:\n"
            f"        handle(error, {command.name!r})\n"
            f"        return {'None' if command.result.c_type == 'void' else '0'}\n"
            f"    finally:\n"
            f"        inside.value = False\n"
        )
        scope: dict[str, Any] = {
            "inside": self._inside,
            "real": real,
            "hook": hook,
            "handle": self._faults.handle,
        }
        exec(compile(source, f"<trampoline {command.name}>", "exec"), scope)
        return self.make_raw(prototype(command), scope[command.name])

    def make_raw(self, function_type: Any, function: CFunction) -> int:
        """Give the address of a C function of any type that runs ``function`` without any guard."""
        callback = function_type(function)
        self._alive.append(callback)
        address = ctypes.cast(callback, ctypes.c_void_p).value
        assert address is not None
        return address
