"""Mapped buffers: where the program saw them, and whose content a copy to an address is.

Addresses are the process's, so a write may come from another context of the share group than the mapping; several
buffers may be mapped through the same target. A buffer that is not bound any more when the write comes is bound for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from capture.importers.apitrace.arguments import number
from capture.importers.apitrace.stream import ApiCall
from traceformat.calls import Value
from traceformat.gles import enums as gl

__all__ = ["BufferBindings", "Mappings"]

#: Size of a mapping whose call does not say it.
_WHOLE: Final = 1 << 40


class BufferBindings:
    """The buffers that are bound in one context, by target; the element array's by vertex array."""

    def __init__(self) -> None:
        self._bound: dict[tuple[int, int], int] = {}
        self._vertex_array = 0

    def _key(self, target: int) -> tuple[int, int]:
        return target, self._vertex_array if target == gl.GL_ELEMENT_ARRAY_BUFFER else 0

    def __getitem__(self, target: int) -> int:
        return self._bound.get(self._key(target), 0)

    def note(self, call: ApiCall) -> None:
        """Take note of a call, whatever it is."""
        name, given = call.name, call.inputs
        if name in ("glBindBuffer", "glBindBufferBase", "glBindBufferRange"):
            self._bound[self._key(number(given.get(0)))] = number(given.get(1 if name == "glBindBuffer" else 2))
        elif name.startswith("glBindVertexArray"):
            self._vertex_array = number(given.get(0))
        elif name == "glDeleteBuffers":
            names = given.get(1)
            gone = {number(deleted) for deleted in names} if isinstance(names, list) else set()
            for key in [key for key, bound in self._bound.items() if bound in gone]:
                del self._bound[key]


@dataclass(frozen=True, slots=True)
class _Mapping:
    """A mapped range of a buffer."""

    address: int
    num_bytes: int
    context: int
    target: int
    buffer: int
    offset: int


class Mappings:
    """The mapped buffers of a process."""

    def __init__(self) -> None:
        self._mappings: list[_Mapping] = []

    def map(self, context: int, target: int, buffer: int, address: int, range_: list[int] | None) -> None:
        """Note a mapping; ``range_`` is offset and bytes, None the whole buffer."""
        if address:
            offset, num_bytes = range_ or (0, _WHOLE)
            self._mappings.append(_Mapping(address, num_bytes, context, target, buffer, offset))

    def unmap(self, context: int, buffer: int) -> None:
        """Forget the mapping of a buffer; one made in the same context, if buffers of several have the name."""
        named = [mapping for mapping in self._mappings if mapping.buffer == buffer]
        own = [mapping for mapping in named if mapping.context == context]
        for mapping in own or named:
            self._mappings.remove(mapping)

    def writes(
        self, context: int, bound: BufferBindings, address: int, data: bytes
    ) -> Iterator[tuple[str, tuple[Value, ...]]]:
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
