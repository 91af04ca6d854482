"""Buffers of an imported trace: what is bound, what is mapped, and which arrays lie in the program's own memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from capture.importers.windows import TraceCommand
from traceformat.gles import enums as gl

__all__ = ["BufferBindings", "ContextBuffers", "Mapping", "Mappings"]

#: Size of a mapping whose call does not say it.
WHOLE: Final = 1 << 40


class BufferBindings:
    """The buffers that are bound in one context, by target; the element array's by vertex array."""

    def __init__(self) -> None:
        self._bound: dict[tuple[int, int], int] = {}
        self._vertex_array = 0

    def _key(self, target: int) -> tuple[int, int]:
        return target, self._vertex_array if target == gl.GL_ELEMENT_ARRAY_BUFFER else 0

    def __getitem__(self, target: int) -> int:
        return self._bound.get(self._key(target), 0)

    def note(self, name: str, args: Sequence[int], names: Sequence[int] = ()) -> None:
        """Take note of a call, whatever it is.

        Parameters
        ----------
        name : of the call
        args : its arguments as numbers, 0 for those that are none
        names : the names behind the pointer of glDeleteBuffers
        """
        if name in ("glBindBuffer", "glBindBufferBase", "glBindBufferRange"):
            self._bound[self._key(args[0])] = args[1 if name == "glBindBuffer" else 2]
        elif name.startswith("glBindVertexArray"):
            self._vertex_array = args[0]
        elif name == "glDeleteBuffers":
            gone = set(names)
            for key in [key for key, bound in self._bound.items() if bound in gone]:
                del self._bound[key]


@dataclass(slots=True)
class ContextBuffers:
    """Buffers and client memory of one context.

    Attributes
    ----------
    bound : buffers by target
    arrays : client arrays to state before the next draw: attribute index to content
    """

    bound: BufferBindings = field(default_factory=BufferBindings)
    arrays: dict[int, bytes] = field(default_factory=dict)

    def client_arrays(self) -> Iterator[TraceCommand]:
        """Give the commands that state the arrays in client memory, for the draw that follows."""
        for index, data in sorted(self.arrays.items()):
            yield "traceClientArray", (index, 0, data)
        self.arrays.clear()


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapped range of a buffer.

    Parameters
    ----------
    context, target, buffer : where it was mapped
    offset, num_bytes : in the buffer
    address : in the program, 0 where the file does not say it
    """

    context: int
    target: int
    buffer: int
    offset: int = 0
    num_bytes: int = WHOLE
    address: int = 0


class Mappings:
    """The mapped buffers of a process.

    Addresses are the process's, so a write may come from another context of the share group than the mapping; several
    buffers may be mapped through the same target. A buffer that is not bound any more when the write comes is bound
    for it.
    """

    def __init__(self) -> None:
        self._mappings: list[Mapping] = []

    def map(self, mapping: Mapping) -> None:
        """Note a mapping."""
        self._mappings.append(mapping)

    def of_buffer(self, context: int, buffer: int) -> list[Mapping]:
        """Mappings of a buffer; those made in the same context, if buffers of several have the name."""
        named = [mapping for mapping in self._mappings if mapping.buffer == buffer]
        return [mapping for mapping in named if mapping.context == context] or named

    def unmap(self, context: int, buffer: int) -> None:
        """Forget the mapping of a buffer."""
        for mapping in self.of_buffer(context, buffer):
            self._mappings.remove(mapping)

    def writes(self, context: int, bound: BufferBindings, address: int, data: bytes) -> Iterator[TraceCommand]:
        """Give the calls that bring what was written at ``address`` into its buffer; none when it is nobody's."""
        for mapping in sorted(reversed(self._mappings), key=lambda mapping: mapping.context != context):
            begin = address - mapping.address
            if not 0 <= begin < mapping.num_bytes:
                continue
            target, before = mapping.target, bound[mapping.target]
            if before != mapping.buffer:
                yield "glBindBuffer", (target, mapping.buffer)
            yield "traceMappedWrite", (target, mapping.offset + begin, data[: mapping.num_bytes - begin])
            if before != mapping.buffer:
                yield "glBindBuffer", (target, before)
            return
