"""Many call records at once: what is numbers, and content that nothing else depends on, becomes columns.

Most calls of a trace say nothing that an importer has to know (uniforms, bindings, draws from buffers). Their records
are gathered function by function; only the others are looked at one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from capture.importers.patrace.convert import SIGNED, flags_of
from capture.importers.patrace.signatures import WORD_NUMBERS, Signature
from traceformat.errors import TraceFormatError
from traceformat.framing.headers import ValueKind
from traceformat.gles.entry_points import COMMANDS, Direction, ParamKind
from traceformat.gltrace.callbuilder import CallColumns
from traceformat.gltrace.frames import DRAW_ROLE, role_of
from traceformat.gltrace.records import plan_of

__all__ = ["CLIENT", "ColumnPlan", "Records", "distinct", "plan_columns"]

#: Kinds of a pointer with several meanings.
OFFSET, BLOB, CLIENT, NOTHING = range(4)
_NUMBERS: Final = frozenset({ParamKind.ENUM, ParamKind.BITFIELD, ParamKind.BOOLEAN, ParamKind.INTEGER, ParamKind.FLOAT})
#: What the importer itself keeps account of.
_WATCHED: Final = frozenset(
    {
        "glBindBuffer",
        "glBindBufferBase",
        "glBindBufferRange",
        "glBindVertexArray",
        "glBindVertexArrayOES",
        "glDeleteBuffers",
        "glUnmapBuffer",
        "glUnmapBufferOES",
        "glShaderSource",
    }
)


@dataclass(frozen=True, slots=True)
class Records:
    """Records of one function.

    Parameters
    ----------
    words : (w,) uint32    the batch
    places : (n,) int64    places of the records in the batch
    starts, ends : (n,) int64    their first word and the word behind them
    """

    words: NDArray[np.uint32]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __getitem__(self, chosen: NDArray[Any]) -> Records:
        return Records(self.words, self.places[chosen], self.starts[chosen], self.ends[chosen])


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How records of a function become columns.

    Parameters
    ----------
    name : entry point
    arguments, result : kinds that store the values where they are not NULL
    pointer : place of the argument that is content, -1 = none
    is_opaque : that argument is a pointer with several meanings
    is_draw : client arrays may have to come before it
    first_argument : words in front of the arguments
    """

    name: str
    arguments: tuple[ValueKind, ...]
    result: ValueKind
    pointer: int
    is_opaque: bool
    is_draw: bool
    first_argument: int

    def has_client_memory(self, records: Records) -> NDArray[np.bool_]:
        """Which of the records refer to a client side buffer; (n,) bool."""
        if not self.is_opaque:
            return np.zeros(len(records.places), bool)
        at = np.minimum(records.starts + self.first_argument + self.pointer, records.ends - 1)
        found: NDArray[np.bool_] = records.words[at] == CLIENT
        return found

    def columns(self, records: Records, data: bytes) -> Iterator[CallColumns]:
        """Give the columns of records without client memory, one group for each form of their values.

        Parameters
        ----------
        records : of this function
        data : the words of ``records`` as bytes

        Raises
        ------
        TraceFormatError : a value does not fit in its record
        """
        words, starts = records.words, records.starts
        flags = words[starts] >> 24
        forms = flags.astype(np.int64) << 2
        if self.pointer >= 0:
            forms |= self._forms(records)
        for form in distinct(forms):
            group = records if (forms == form).all() else records[forms == form]
            yield self._group(group, data, form & 3, flags_of(form >> 2))

    def _forms(self, records: Records) -> NDArray[np.int64]:
        """OFFSET, BLOB or NOTHING for the pointer of each record."""
        at = records.starts + self.first_argument + self.pointer
        _check(at + 1, records)
        value = records.words[at].astype(np.int64)
        if not self.is_opaque:
            return np.where(value > 0, BLOB, NOTHING)
        if (value > NOTHING).any():
            raise TraceFormatError(f"{self.name}: a pointer of kind {value.max()}")
        _check(at + np.where(value == NOTHING, 1, 2), records)
        size = records.words[np.minimum(at + 1, records.ends - 1)]
        return np.where((value == BLOB) & (size == 0), NOTHING, value)

    def _group(self, records: Records, data: bytes, form: int, flags: int) -> CallColumns:
        at = records.starts + self.first_argument
        kinds = list(self.arguments)
        values: list[NDArray[Any] | list[bytes]] = []
        for place, kind in enumerate(self.arguments):
            if place != self.pointer:
                values.append(self._numbers(records, at, kind))
                at = at + 1
                continue
            header = at + self.is_opaque
            if form == OFFSET:
                kinds[place] = ValueKind.OFFSET
                values.append(self._numbers(records, header, ValueKind.U32))
                at = header + 1
            elif form == BLOB:
                sizes = records.words[header].astype(np.int64)
                at = header + 1 + (sizes + 3) // 4
                _check(at, records)
                begins = (4 * (header + 1)).tolist()
                values.append([data[begin : begin + size] for begin, size in zip(begins, sizes.tolist(), strict=True)])
            else:
                kinds[place] = ValueKind.NONE
                # NULL is an empty blob, or a kind of its own.
                at = header + (records.words[at] == BLOB if self.is_opaque else 1)
        if self.result is not ValueKind.NONE:
            values.append(self._numbers(records, at, self.result))
        return CallColumns(self.name, flags, tuple(kinds), self.result, records.places, values)

    def _numbers(self, records: Records, at: NDArray[np.int64], kind: ValueKind) -> NDArray[Any]:
        _check(at + 1, records)
        column: NDArray[Any] = records.words[at]
        if kind is ValueKind.F32:
            return column.view(np.float32)
        if kind is ValueKind.U8:
            return column & 0xFF
        return column.view(np.int32) if kind in SIGNED else column


def distinct(values: NDArray[np.int64]) -> list[int]:
    """The small numbers that occur, ascending; faster than sorting them."""
    found: list[int] = np.flatnonzero(np.bincount(values)).tolist()
    return found


def _check(ends: NDArray[np.int64], records: Records) -> None:
    if (ends > records.ends).any():
        raise TraceFormatError("an argument reaches beyond its record")


def plan_columns(name: str, signature: Signature) -> ColumnPlan | None:
    """Plan of a function whose calls nothing has to be known of; None for every other."""
    command, plan = COMMANDS.get(name), plan_of(name)
    if command is None or plan is None or command.compatibility_only or name in _WATCHED or name.startswith("egl"):
        return None
    pointer = -1
    for place, (param, kind) in enumerate(zip(command.params, signature.arguments, strict=True)):
        if kind in WORD_NUMBERS:
            if param.kind not in _NUMBERS:
                return None
        elif kind == "AB" or kind == "o" or (kind[0] == "A" and kind[1] in WORD_NUMBERS):
            if pointer >= 0 or param.kind is not ParamKind.DATA or param.direction is Direction.OUT:
                return None
            if param.element in ("GLintptr", "GLsizeiptr", "EGLAttrib"):
                return None
            pointer = place
        else:
            return None
    if signature.result != "-" and not (signature.result in WORD_NUMBERS and command.result.kind in _NUMBERS):
        return None
    return ColumnPlan(
        name,
        plan.arguments,
        plan.result if signature.result != "-" else ValueKind.NONE,
        pointer,
        pointer >= 0 and signature.arguments[pointer] == "o",
        role_of(name) == DRAW_ROLE,
        signature.first_argument,
    )
