"""Which entry points machine code can record, and what it has to know of each."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from capture.rules import AFTER, BEFORE
from traceformat.framing.headers import ValueKind
from traceformat.gles.entry_points import ParamKind, canonical_name
from traceformat.gles.roles import boundary_of, is_draw, is_drawing
from traceformat.gltrace.records import plan_of

if TYPE_CHECKING:
    from capture.marshal import Marshaller
    from traceformat.gles.entry_points import Command

__all__ = ["ARRAYS", "CELL_BYTES", "INDICES", "LLVM_TYPES", "NativeCommand", "native_command"]

#: Draws read client memory or persistent mappings; indices lie in client memory.
ARRAYS: Final = 1
INDICES: Final = 2
#: What each value takes of a recorded call.
CELL_BYTES: Final = 8
LLVM_TYPES: Final = {
    ValueKind.I8: "i8", ValueKind.U8: "i8", ValueKind.I16: "i16", ValueKind.U16: "i16", ValueKind.I32: "i32",
    ValueKind.U32: "i32", ValueKind.I64: "i64", ValueKind.U64: "i64", ValueKind.F32: "float",
    ValueKind.F64: "double", ValueKind.BYTES: "ptr", ValueKind.OFFSET: "ptr",
}  # fmt: skip
_CELLS: Final = {
    ValueKind.I8: "b7x", ValueKind.U8: "B7x", ValueKind.I16: "h6x", ValueKind.U16: "H6x", ValueKind.I32: "i4x",
    ValueKind.U32: "I4x", ValueKind.I64: "q", ValueKind.U64: "Q", ValueKind.F32: "f4x", ValueKind.F64: "d",
    ValueKind.BYTES: "q", ValueKind.OFFSET: "q",
}  # fmt: skip
_SWITCHES: Final = ("glEnable", "glDisable")


@dataclass(frozen=True)
class NativeCommand:
    """An entry point that machine code can record.

    Parameters
    ----------
    name : of the entry point
    kinds : of its arguments' values
    content : argument that points at content, bytes of an item, argument that counts items; None without
    refused : flags under which the call goes through Python
    is_draw : it is counted as something drawn
    is_switch : glEnable or glDisable
    """

    name: str
    kinds: tuple[ValueKind, ...]
    content: tuple[int, int, int] | None
    refused: int
    is_draw: bool
    is_switch: bool

    @cached_property
    def cells(self) -> struct.Struct:
        """Layout of the values: one a cell; the size where a pointer has content."""
        return struct.Struct("<" + "".join(_CELLS[kind] for kind in self.kinds))


def native_command(command: Command, marshaller: Marshaller) -> NativeCommand | None:
    """What machine code needs to know of an entry point; None if it has to go through Python."""
    name = canonical_name(command.name)
    plan = plan_of(command.name)
    is_switch, draws = name in _SWITCHES, is_draw(name)
    if plan is None or command.result.kind is not ParamKind.VOID or boundary_of(name) is not None:
        return None
    if (name in AFTER and not is_switch) or (name in BEFORE and not draws) or marshaller.has_outputs:
        return None
    kinds, content, refused = list(plan.arguments), None, ARRAYS if draws else 0
    for place, _ in marshaller.readers:
        if draws and command.params[place].name == "indices" and "Multi" not in name:
            kinds[place] = ValueKind.OFFSET
            refused |= INDICES
            continue
        size = marshaller.linear.get(place)
        if size is None or content is not None:
            return None
        content = (place, *size)
    if any(kind not in LLVM_TYPES for kind in kinds) or (
        content is not None and kinds[content[2]] is not ValueKind.I32
    ):
        return None
    return NativeCommand(command.name, tuple(kinds), content, refused, is_drawing(name), is_switch)
