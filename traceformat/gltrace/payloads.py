"""Arguments by name, contents as numpy arrays, and calls of one entry point as columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from traceformat.calls import Value
from traceformat.framing.headers import ValueKind
from traceformat.gles.entry_points import COMMANDS
from traceformat.gltrace.records import REFERENCES

if TYPE_CHECKING:
    from traceformat.gltrace.reader import TraceReader

__all__ = ["Columns", "Parameters", "columns_of", "content_array", "parameters_of"]

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


def content_array(parameters: Parameters, name: str, value: Value) -> NDArray[Any]:
    """Content of a parameter as an array of its type; see :meth:`Call.array`.

    Raises
    ------
    TypeError : the value is no content
    """
    if not isinstance(value, bytes):
        raise TypeError(f"{parameters.entry_point}: {name} is {type(value).__name__}, not content")
    element = parameters.elements[parameters.names.index(name)] if name in parameters.names else ""
    dtype = np.dtype(_DTYPES.get(element.split("EXT")[0].split("OES")[0], "u1"))
    return np.frombuffer(value, dtype if len(value) % dtype.itemsize == 0 else np.uint8)


class Columns(NamedTuple):
    """Calls of one entry point.

    Parameters
    ----------
    numbers : (calls,) int64
    values : (calls,) structured; a field for each argument that is stored as a number, named after its parameter,
        and ``result``
    """

    numbers: NDArray[np.int64]
    values: NDArray[Any]


def columns_of(reader: TraceReader, name: str, start: int, stop: int | None) -> Iterator[Columns]:
    """Columns of the calls of an entry point; see :meth:`TraceReader.columns`."""
    names = parameters_of(name).names
    for chunk in reader.chunks(start, stop):
        for place, shape in enumerate(chunk.shapes):
            if shape.name != name:
                continue
            numbers = chunk.first_call + np.flatnonzero(chunk.order == place)
            inside = (numbers >= start) & (numbers < (numbers[-1] + 1 if stop is None else stop))
            fields = {f"a{i}": names[i] if i < len(names) else f"arg{i}" for i in range(len(shape.arguments))}
            kinds = dict(zip([*fields, *(f"o{i}" for i in range(len(shape.outputs)))], shape.kinds, strict=False))
            kept = [field for field in fields if kinds[field] is not ValueKind.NONE and kinds[field] not in REFERENCES]
            has_result = shape.result is not ValueKind.NONE and shape.result not in REFERENCES
            table = chunk.table(place)[kept + ["result"] * has_result][inside]
            values = table.astype([(fields.get(field, field), table.dtype[field]) for field in table.dtype.names or ()])
            yield Columns(numbers[inside].astype(np.int64), values)
