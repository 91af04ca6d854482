"""What must be remembered of GL state to know how much memory a pointer argument points at.

This is no state machine: object names come from the driver, errors are the driver's to find, and of all state only
that is kept which decides the size of client memory: pixel store, buffer bindings, vertex array pointers, the
contents of index buffers and what is mapped. (The tracker of ``traceformat.gles`` is the full one.)
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Final

from traceformat.gles import enums as gl

__all__ = [
    "LIST_LENGTHS",
    "NUM_ARRAYS",
    "BufferShadow",
    "ContextShadow",
    "MappedRange",
    "ShareShadow",
    "VertexArrayShadow",
    "VertexPointer",
    "bind_vertex_array",
]

_QUERY_TARGETS: Final = {
    gl.GL_ARRAY_BUFFER_BINDING: gl.GL_ARRAY_BUFFER,
    gl.GL_PIXEL_PACK_BUFFER_BINDING: gl.GL_PIXEL_PACK_BUFFER,
    gl.GL_PIXEL_UNPACK_BUFFER_BINDING: gl.GL_PIXEL_UNPACK_BUFFER,
    gl.GL_DRAW_INDIRECT_BUFFER_BINDING: gl.GL_DRAW_INDIRECT_BUFFER,
}
#: Vertex arrays of which machine code can know something: those whose names are smaller.
NUM_ARRAYS: Final = 1024
#: Queries that say how long the answers of other queries are.
LIST_LENGTHS: Final = frozenset(
    {gl.GL_NUM_COMPRESSED_TEXTURE_FORMATS, gl.GL_NUM_SHADER_BINARY_FORMATS, gl.GL_NUM_PROGRAM_BINARY_FORMATS}
)


@dataclass(slots=True)
class MappedRange:
    """A range of a buffer that the program has mapped: where it lies in memory, and what it may do there.

    ``is_new`` until what a persistent mapping holds has been recorded for the first time.
    """

    offset: int
    length: int
    access: int
    address: int
    is_new: bool = False


@dataclass(slots=True)
class BufferShadow:
    """A buffer's bytes, as far as the program wrote them itself.

    Parameters
    ----------
    memory : what the program sees of a mapped range where the driver has no memory of its own
    """

    data: bytes | bytearray = b""
    mapped: MappedRange | None = None
    memory: ctypes.Array[ctypes.c_char] | None = None

    def write(self, offset: int, content: bytes) -> None:
        """Replace a part; what lies outside of the buffer is the driver's error and changes nothing."""
        if offset < 0 or offset + len(content) > len(self.data):
            return
        if offset == 0 and len(content) == len(self.data):
            self.data = content
            return
        if not isinstance(self.data, bytearray):
            self.data = bytearray(self.data)
        self.data[offset : offset + len(content)] = content


@dataclass(slots=True)
class VertexPointer:
    """One vertex attribute array; ``address`` is an offset when ``buffer`` is not 0."""

    enabled: bool = False
    size: int = 4
    type: int = gl.GL_FLOAT
    stride: int = 0
    address: int = 0
    buffer: int = 0
    divisor: int = 0


@dataclass(slots=True)
class VertexArrayShadow:
    """A vertex array object."""

    pointers: dict[int, VertexPointer] = field(default_factory=dict)
    element_buffer: int = 0
    #: Attributes that are enabled and read from the program's own memory.
    client: set[int] = field(default_factory=set)

    def pointer(self, index: int) -> VertexPointer:
        """The attribute's array, made at first use."""
        return self.pointers.setdefault(index, VertexPointer())

    def refresh(self, index: int) -> None:
        """Note whether draws read the attribute from the program's own memory."""
        pointer = self.pointer(index)
        if pointer.enabled and pointer.buffer == 0 and pointer.address:
            self.client.add(index)
        else:
            self.client.discard(index)


@dataclass(slots=True, eq=False)
class ShareShadow:
    """What contexts of one share group share: buffers, and what is known of those that are mapped persistently."""

    buffers: dict[int, BufferShadow] = field(default_factory=dict)
    persistent: dict[int, bytearray] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ContextShadow:
    """What one context has bound. Pixel store parameters are keyed by their GL name; absent ones have GL's default."""

    share: ShareShadow
    bindings: dict[int, int] = field(default_factory=dict)
    pixel_store: dict[int, int] = field(default_factory=dict)
    list_lengths: dict[int, int] = field(default_factory=dict)
    vertex_arrays: dict[int, VertexArrayShadow] = field(default_factory=lambda: {0: VertexArrayShadow()})
    vertex_array: VertexArrayShadow = field(init=False)
    bound_array: int = 0
    #: What machine code knows of each vertex array, by name.
    array_flags: ctypes.Array[ctypes.c_ubyte] = field(default_factory=ctypes.c_ubyte * NUM_ARRAYS)
    primitive_restart: bool = False
    restart_fixed: bool = False
    restart_index: int = 0

    def __post_init__(self) -> None:
        self.vertex_array = self.vertex_arrays[0]

    def bound(self, target: int) -> int:
        """Name of the buffer that is bound to a target, 0 if none."""
        if target == gl.GL_ELEMENT_ARRAY_BUFFER:
            return self.vertex_array.element_buffer
        return self.bindings.get(target, 0)

    def bound_buffer(self, target: int) -> BufferShadow | None:
        """The buffer that is bound to a target."""
        name = self.bound(target)
        return self.buffer(name) if name else None

    def buffer(self, name: int) -> BufferShadow:
        """A buffer by name, made at first use."""
        return self.share.buffers.setdefault(name, BufferShadow())

    def get_integer(self, name: int) -> int:
        """A state value that sizes depend on, by its GL name: pixel store parameters and buffer bindings.

        Parameters
        ----------
        name : e.g. GL_UNPACK_ALIGNMENT, GL_PIXEL_UNPACK_BUFFER_BINDING; lengths of lists as the program was told them
        """
        if name == gl.GL_ELEMENT_ARRAY_BUFFER_BINDING:
            return self.vertex_array.element_buffer
        target = _QUERY_TARGETS.get(name)
        if target is not None:
            return self.bindings.get(target, 0)
        if name in LIST_LENGTHS:
            return self.list_lengths.get(name, 0)
        default = 4 if name in (gl.GL_UNPACK_ALIGNMENT, gl.GL_PACK_ALIGNMENT) else 0
        return self.pixel_store.get(name, default)


def bind_vertex_array(shadow: ContextShadow, name: int) -> None:
    """Make a vertex array the one that draws read."""
    shadow.bound_array = name
    shadow.vertex_array = shadow.vertex_arrays.setdefault(name, VertexArrayShadow())
