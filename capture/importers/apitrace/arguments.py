"""Values of an apitrace call as the values of ours, by the entry-point table."""

from __future__ import annotations

from typing import Final

import numpy as np

from capture.importers.apitrace.stream import ApiValue, Opaque
from capture.importers.handles import Handles
from traceformat.calls import Offset, Value
from traceformat.gles.entry_points import Param, ParamKind

__all__ = ["number", "to_output", "to_value"]

#: Floats from here on, infinities and NaN stand for no integer of any entry point.
_NO_INTEGER: Final = 2.0**64
_ELEMENT_DTYPES: Final = {
    "GLfloat": "<f4",
    "GLclampf": "<f4",
    "GLdouble": "<f8",
    "GLint": "<i4",
    "GLsizei": "<i4",
    "GLuint": "<u4",
    "GLenum": "<u4",
    "GLbitfield": "<u4",
    "GLint64": "<i8",
    "GLuint64": "<u8",
    "GLintptr": "<i8",
    "GLsizeiptr": "<i8",
    "GLshort": "<i2",
    "GLushort": "<u2",
    "GLbyte": "<i1",
    "GLubyte": "<u1",
    "GLboolean": "<u1",
    "EGLint": "<i4",
    "EGLAttrib": "<i8",
}


def number(value: ApiValue) -> int:
    """The integer of a value, 0 where there is none."""
    if isinstance(value, float):
        return int(value) if abs(value) < _NO_INTEGER else 0
    return int(value) if isinstance(value, (bool, int)) else 0


def _pack(value: list[ApiValue], element: str) -> bytes:
    numbers = [item for item in value if isinstance(item, (bool, int, float))]
    dtype = np.dtype(_ELEMENT_DTYPES.get(element, "<f4" if any(isinstance(n, float) for n in numbers) else "<u4"))
    if dtype.kind == "f":
        return np.array(numbers, np.float64).astype(dtype).tobytes()
    mask = (1 << (8 * dtype.itemsize)) - 1
    unsigned = np.array([number(n) & mask for n in numbers], np.uint64)
    return unsigned.astype(f"<u{dtype.itemsize}").tobytes()


def to_value(param: Param, value: ApiValue, handles: Handles) -> Value:
    """Convert an input or a result.

    A pointer that is an address of the program without content becomes None, unless it is small enough to be an offset
    into a buffer; the caller decides what NULL means where a buffer is bound.
    """
    kind = param.kind
    if value is None:
        return 0 if kind in _NUMBERS else None
    if kind in (ParamKind.FLOAT, ParamKind.DOUBLE):
        return float(value) if isinstance(value, (bool, int, float)) else 0.0
    if kind is ParamKind.HANDLE:
        return handles[int(value)] if isinstance(value, int) else 0
    if kind in _NUMBERS:
        return number(value)
    if kind is ParamKind.STRING:
        if isinstance(value, list):
            value = value[0] if value else ""
        return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    if kind is ParamKind.STRINGS:
        return tuple(str(item) for item in value) if isinstance(value, list) else ()
    if kind is not ParamKind.DATA:
        return None
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape") + b"\0"
    if isinstance(value, list):
        return _pack(value, param.element)
    if isinstance(value, (Opaque, int)):
        return Offset(int(value))
    return None


def to_output(param: Param, value: ApiValue, handles: Handles) -> Value:
    """Convert what the driver wrote behind a pointer; None where the trace does not hold it."""
    if isinstance(value, Opaque):
        return None
    converted = to_value(param, value, handles)
    return None if isinstance(converted, Offset) else converted


_NUMBERS: Final = frozenset(
    {ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.HANDLE}
)
