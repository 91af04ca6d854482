"""Rows of calls: which ValueKind stores a value, and shapes, which say what the rows of like calls hold.

All calls of a chunk that have the same name, flags and kinds of values share a :class:`Shape`; their values lie
together as one packed array, so that a million calls decode as a few dozen numpy arrays, and like values lie next to
each other for the compressor.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import index as as_index
from typing import Any, Final

import numpy as np

from traceformat.calls import CallFlags, Offset, Value
from traceformat.framing.headers import VALUE_LAYOUTS, ValueKind, dtype_of
from traceformat.gles.entry_points import COMMANDS, ParamKind

__all__ = ["REFERENCES", "STORED_FLAGS", "CommandPlan", "Shape", "kind_of", "plan_of"]

#: Flags that a file can hold.
STORED_FLAGS: Final = int(CallFlags.SYNTHETIC | CallFlags.FAILED)
#: Kinds whose row entry refers to the chunk's data.
REFERENCES: Final = frozenset({ValueKind.BYTES, ValueKind.TEXT, ValueKind.TEXTS})
_FORMATS: Final = {kind: str(layout.fmtstr).lstrip("<") for kind, layout in VALUE_LAYOUTS.items()}
_DTYPES: Final = {kind: dtype_of(layout) for kind, layout in VALUE_LAYOUTS.items()}
_RANGES: Final[dict[ValueKind, tuple[int, int]]] = {
    kind: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for kind, dtype in _DTYPES.items()
    if dtype.kind in "iu" and kind <= ValueKind.U64
}
_FLOAT32_MAX: Final = float(np.finfo(np.float32).max)
_TYPES: Final = {
    "GLbyte": ValueKind.I8,
    "GLubyte": ValueKind.U8,
    "GLshort": ValueKind.I16,
    "GLushort": ValueKind.U16,
    "GLhalfNV": ValueKind.U16,
    "GLint": ValueKind.I32,
    "GLsizei": ValueKind.I32,
    "GLfixed": ValueKind.I32,
    "GLclampx": ValueKind.I32,
    "EGLint": ValueKind.I32,
    "int": ValueKind.I32,
    "int32_t": ValueKind.I32,
    "GLuint": ValueKind.U32,
    "GLhandleARB": ValueKind.U32,
    "unsigned int": ValueKind.U32,
    "GLuint64": ValueKind.U64,
    "GLuint64EXT": ValueKind.U64,
}
_KINDS: Final = {
    ParamKind.ENUM: ValueKind.U32,
    ParamKind.BITFIELD: ValueKind.U32,
    ParamKind.BOOLEAN: ValueKind.U8,
    ParamKind.FLOAT: ValueKind.F32,
    ParamKind.DOUBLE: ValueKind.F64,
    ParamKind.HANDLE: ValueKind.U64,
    ParamKind.STRING: ValueKind.TEXT,
    ParamKind.STRINGS: ValueKind.TEXTS,
    ParamKind.DATA: ValueKind.BYTES,
    ParamKind.CALLBACK: ValueKind.NONE,
    ParamKind.VOID: ValueKind.NONE,
}


@dataclass(frozen=True, slots=True)
class CommandPlan:
    """Preferred kind of each argument and of the result of a command.

    Parameters
    ----------
    arguments : one a parameter
    result : of the returned value
    """

    arguments: tuple[ValueKind, ...]
    result: ValueKind


@cache
def plan_of(name: str) -> CommandPlan | None:
    """Plan of a command, or None for a name that the table does not have."""
    if name not in COMMANDS:
        return None
    command = COMMANDS[name]
    kinds = tuple(_preferred(param.c_type, param.kind) for param in command.params)
    return CommandPlan(kinds, _preferred(command.result.c_type, command.result.kind))


def _preferred(c_type: str, kind: ParamKind) -> ValueKind:
    if kind in _KINDS:
        return _KINDS[kind]
    return _TYPES.get(c_type, ValueKind.I64)


def kind_of(value: Value, preferred: ValueKind) -> ValueKind:
    """Kind that stores a value exactly, the preferred one where that fits.

    A float for a 32-bit parameter is stored as the float32 that the call receives.

    Raises
    ------
    TypeError : a type that a call cannot hold, or a number where content behind a pointer belongs
    ValueError : an integer of more than 64 bits
    """
    if value is None:
        return ValueKind.NONE
    if isinstance(value, Offset):
        wanted = ValueKind.OFFSET
    elif isinstance(value, str):
        return ValueKind.TEXT
    elif isinstance(value, tuple):
        return ValueKind.TEXTS
    elif isinstance(value, (bytes, bytearray, memoryview)):
        return ValueKind.BYTES
    elif isinstance(value, float):
        fits = preferred is ValueKind.F32 and (abs(value) <= _FLOAT32_MAX or value - value != 0.0)
        return ValueKind.F32 if fits else ValueKind.F64
    elif preferred in REFERENCES:
        raise TypeError(f"{value!r} where content behind a pointer belongs: give bytes, Offset or None")
    elif preferred is ValueKind.F32 or preferred is ValueKind.F64:
        return kind_of(float(value), preferred)
    else:
        wanted = preferred
    number = as_index(value)
    for kind in (wanted, ValueKind.I32, ValueKind.I64, ValueKind.U64):
        low, high = _RANGES.get(kind, (1, 0)) if kind is not ValueKind.OFFSET else _RANGES[ValueKind.I64]
        if low <= number <= high:
            return kind
    raise ValueError(f"{value} does not fit in 64 bits")


@dataclass(slots=True, eq=False)
class Shape:
    """What the rows of like calls hold.

    Parameters
    ----------
    name : entry point
    flags : of its calls
    arguments, outputs, result : kinds of the values; outputs with their names
    count : calls of this shape in the chunk
    """

    name: str
    flags: int
    arguments: tuple[ValueKind, ...]
    outputs: tuple[tuple[str, ValueKind], ...]
    result: ValueKind
    count: int = 0
    #: Kinds of arguments, outputs and result, in the row's order.
    kinds: tuple[ValueKind, ...] = field(init=False)
    #: The kinds that take bytes.
    stored: tuple[ValueKind, ...] = field(init=False)
    row: struct.Struct = field(init=False)

    def __post_init__(self) -> None:
        self.kinds, self.stored, self.row = _row_layout(self.arguments, self._output_kinds, self.result)

    @property
    def _output_kinds(self) -> tuple[ValueKind, ...]:
        return tuple([kind for _, kind in self.outputs]) if self.outputs else ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """Packed dtype of a row: fields ``a0, a1 ...`` for arguments, ``o0 ...`` for outputs, ``result``."""
        return _row_dtype(self.arguments, self._output_kinds, self.result)


@lru_cache(maxsize=4096)
def _row_layout(
    arguments: tuple[ValueKind, ...], outputs: tuple[ValueKind, ...], result: ValueKind
) -> tuple[tuple[ValueKind, ...], tuple[ValueKind, ...], struct.Struct]:
    """What :class:`Shape` has of a row: chunks have the same ones again."""
    kinds = (*arguments, *outputs, result)
    stored = tuple([kind for kind in kinds if kind is not ValueKind.NONE])
    return kinds, stored, struct.Struct("<" + "".join([_FORMATS[kind] for kind in stored]))


@lru_cache(maxsize=4096)
def _row_dtype(arguments: tuple[ValueKind, ...], outputs: tuple[ValueKind, ...], result: ValueKind) -> np.dtype[Any]:
    names = [f"a{i}" for i in range(len(arguments))] + [f"o{i}" for i in range(len(outputs))]
    pairs = zip([*names, "result"], (*arguments, *outputs, result), strict=True)
    return np.dtype([(name, _DTYPES[kind]) for name, kind in pairs if kind is not ValueKind.NONE])
