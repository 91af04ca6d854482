"""Which entry points machine code can record, and what it has to know of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from capture.native.effects import EFFECTS
from capture.rules import AFTER, BEFORE
from traceformat.framing.headers import ValueKind
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import ParamKind, canonical_name
from traceformat.gles.roles import boundary_of, is_draw, is_drawing
from traceformat.gltrace.records import plan_of
from traceformat.gltrace.ringfile import MAX_KINDS, RecordedCommand

if TYPE_CHECKING:
    from capture.marshal import Marshaller
    from traceformat.gles.entry_points import Command

__all__ = ["ARRAYS", "INDICES", "IS_KNOWN", "LLVM_TYPES", "PERSISTENT", "NativeCommand", "native_command"]

#: Draws read client memory; indices lie in client memory; there are persistent mappings.
ARRAYS: Final = 1
INDICES: Final = 2
PERSISTENT: Final = 4
#: Of a vertex array: the two first are what they were when it was last bound.
IS_KNOWN: Final = 8
LLVM_TYPES: Final = {
    ValueKind.I8: "i8", ValueKind.U8: "i8", ValueKind.I16: "i16", ValueKind.U16: "i16", ValueKind.I32: "i32",
    ValueKind.U32: "i32", ValueKind.I64: "i64", ValueKind.U64: "i64", ValueKind.F32: "float",
    ValueKind.F64: "double", ValueKind.BYTES: "ptr", ValueKind.OFFSET: "ptr",
}  # fmt: skip
_SWITCHES: Final = ("glEnable", "glDisable")
#: Values of the first argument that are left to Python: switches that it has to know of, indices' buffers.
_LEFT: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(_SWITCHES, (gl.GL_PRIMITIVE_RESTART, gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)),
    **dict.fromkeys(("glBindBuffer", "glBufferSubData"), (gl.GL_ELEMENT_ARRAY_BUFFER,)),
}
_BINDS_ARRAY: Final = "glBindVertexArray"


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
    left : values of the first argument with which the call goes through Python
    binds_array : its first argument is the vertex array that the flags are of from now on
    effect : what it changes of the shadow, as :data:`~capture.native.effects.EFFECTS` has it; None for nothing
    """

    name: str
    kinds: tuple[ValueKind, ...]
    content: tuple[int, int, int] | None
    refused: int
    is_draw: bool
    left: tuple[int, ...]
    binds_array: bool
    effect: str | None

    @cached_property
    def recorded(self) -> RecordedCommand:
        """What a reader of the recorded calls has to know."""
        return RecordedCommand(self.name, self.kinds, self.content)

    @cached_property
    def row(self) -> np.dtype[Any]:
        """What is recorded of a call; where content begins in place of what refers to it."""
        return self.recorded.row


def native_command(command: Command, marshaller: Marshaller) -> NativeCommand | None:
    """What machine code needs to know of an entry point; None if it has to go through Python."""
    name = canonical_name(command.name)
    plan = plan_of(command.name)
    draws, effect = is_draw(name), name if name in EFFECTS else None
    if (
        plan is None
        or len(plan.arguments) > MAX_KINDS
        or command.result.kind is not ParamKind.VOID
        or boundary_of(name) is not None
    ):
        return None
    is_known = effect is not None or name in _SWITCHES
    if (name in AFTER and not is_known) or (name in BEFORE and not is_known and not draws) or marshaller.has_outputs:
        return None
    kinds, content, refused = list(plan.arguments), None, PERSISTENT if name in BEFORE else 0
    refused |= ARRAYS if draws else 0
    for place, _ in marshaller.readers:
        if draws and command.params[place].name == "indices" and "Multi" not in name:
            kinds[place] = ValueKind.OFFSET
            refused |= INDICES
            continue
        size = marshaller.linear.get(place)
        if size is None or content is not None:
            return None
        content = (place, *size)
    counted = (ValueKind.I32, ValueKind.I64)
    if any(kind not in LLVM_TYPES for kind in kinds) or (content is not None and kinds[content[2]] not in counted):
        return None
    left, binds_array = _LEFT.get(name, ()), name == _BINDS_ARRAY
    return NativeCommand(command.name, tuple(kinds), content, refused, is_drawing(name), left, binds_array, effect)
