"""A call of a program, as the trace holds it (ARCHITECTURE §1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from traceformat.gles.parameters import Parameters

__all__ = ["Call", "CallFlags", "Offset", "Source", "Value", "integer"]


class Offset(int):
    """A pointer argument that is an offset into the bound buffer, in bytes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Offset({int(self)})"


#: int: integers, enums, booleans, object names; str: GL strings; tuple: glShaderSource; bytes: content behind a
#: pointer; None: NULL, or a client pointer whose content follows in a later call.
Value: TypeAlias = int | float | str | bytes | tuple[str, ...] | Offset | None


def integer(value: object) -> int:
    """Value of an integer argument; 0 for anything else."""
    return value if isinstance(value, int) else 0


class CallFlags(IntFlag):
    """Properties of a call."""

    #: The capture made it up, the program did not say it (client arrays, mapped writes).
    SYNTHETIC = 1
    #: It raised a GL error under the driver that it was captured with.
    FAILED = 2
    #: A part of its content is lost: the file is damaged there. Set by the reader, never stored.
    LOST = 128


class Source(NamedTuple):
    """Where in the program a call was made."""

    file: str
    line: int


@dataclass(slots=True)
class Call:
    """One call; a driver that executes it fills ``outputs`` and ``result``.

    Parameters
    ----------
    number : from 0, in order over all threads
    name : entry point or trace command
    thread : from 1, in order of appearance
    context : current context, from 1 in order of appearance; 0 = none
    flags : see :class:`CallFlags`
    args : one value a parameter, in the registry's order; ``None`` for an output-only pointer
    outputs : content of output parameters, by the parameter's name, as bytes
    result : returned value, None for void
    source : where the program made it, if that was recorded
    """

    number: int
    name: str
    thread: int
    context: int
    flags: int
    args: tuple[Value, ...]
    outputs: dict[str, Value] = field(default_factory=dict)
    result: Value = None
    source: Source | None = None

    def __getitem__(self, name: str) -> Value:
        """Value of an argument, or content of an output, by the parameter's name.

        Raises
        ------
        KeyError : the entry point has no such parameter
        """
        if name in self.outputs:
            return self.outputs[name]
        return self.args[self._parameters().index(name)]

    def arguments(self) -> dict[str, Value]:
        """Arguments by the names of their parameters; ``arg0`` ... of an entry point that is not known."""
        names = self._parameters().names
        return {names[i] if i < len(names) else f"arg{i}": value for i, value in enumerate(self.args)}

    def array(self, name: str) -> NDArray[Any]:
        """Content behind a pointer as an array of the parameter's type: float32 for ``const GLfloat *value``.

        Untyped content (``const void *data``) is uint8; the array shares the call's memory and cannot be written.

        Raises
        ------
        KeyError : the entry point has no such parameter
        TypeError : the parameter holds no content
        """
        from traceformat.gles.parameters import content_array

        return content_array(self._parameters(), name, self[name])

    def _parameters(self) -> Parameters:
        from traceformat.gles.parameters import parameters_of

        return parameters_of(self.name)
