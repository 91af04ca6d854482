"""Parameters of entry points by name, and what lies behind those that are pointers."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.gles.entry_points import COMMANDS

__all__ = ["Parameters", "content_array", "parameters_of"]

_DTYPES: Final = {
    "GLfloat": "<f4",
    "GLclampf": "<f4",
    "GLdouble": "<f8",
    "GLbyte": "i1",
    "GLubyte": "u1",
    "GLboolean": "u1",
    "GLchar": "u1",
    "GLshort": "<i2",
    "GLushort": "<u2",
    "GLint": "<i4",
    "GLsizei": "<i4",
    "GLfixed": "<i4",
    "GLuint": "<u4",
    "GLenum": "<u4",
    "GLbitfield": "<u4",
    "GLint64": "<i8",
    "GLintptr": "<i8",
    "GLsizeiptr": "<i8",
    "GLuint64": "<u8",
}


class Parameters(NamedTuple):
    """Names and element types of an entry point's parameters, in order."""

    entry_point: str
    names: tuple[str, ...]
    elements: tuple[str, ...]

    def index(self, name: str) -> int:  # type: ignore[override]
        """Place of a parameter; raises KeyError."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(f"{self.entry_point} has no parameter {name!r}") from None


@cache
def parameters_of(name: str) -> Parameters:
    """Parameters of an entry point; none for one that is not known."""
    command = COMMANDS.get(name)
    params = command.params if command is not None else ()
    return Parameters(name, tuple(param.name for param in params), tuple(param.element for param in params))


def content_array(parameters: Parameters, name: str, value: object) -> NDArray[Any]:
    """Content of a parameter as an array of its type; see :meth:`traceformat.calls.Call.array`.

    Raises
    ------
    TypeError : the value is no content
    """
    if not isinstance(value, bytes):
        raise TypeError(f"{parameters.entry_point}: {name} is {type(value).__name__}, not content")
    element = parameters.elements[parameters.names.index(name)] if name in parameters.names else ""
    dtype = np.dtype(_DTYPES.get(element.split("EXT")[0].split("OES")[0], "u1"))
    return np.frombuffer(value, dtype if len(value) % dtype.itemsize == 0 else np.uint8)
