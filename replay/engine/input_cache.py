"""Vertex streams and fetched attributes of earlier draws, for meshes that are drawn again.

Most programs draw the same buffers in every frame. What a draw fetches is a function of the buffers' contents (their
``version``), of the vertex array's state and of the draw's range: equal keys mean equal inputs.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import count as counting
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.geometry import num_primitives
from replay.engine.vertex_fetch import Stream
from replay.engine.vertex_listing import VertexListing
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import VertexAttrib
from traceformat.gles.state import Context, GenericAttrib

if TYPE_CHECKING:
    from replay.objects import ObjectName

__all__ = ["CachedStream", "Common", "DrawnRange", "InputCache", "attribute_key"]

#: Rows of streams and lanes of inputs that are kept in all.
_MAX_ROWS: Final = 1 << 20
#: Draws beyond this many rows are not kept: they take long anyway.
_MAX_ENTRY_ROWS: Final = 1 << 18
_MAX_RANGES: Final = 1 << 13
#: Indices that are known again by what they are.
_FEW_INDEX_BYTES: Final = 256
_numbers = counting()


@dataclass(slots=True)
class CachedStream:
    """A stream with the vertex stage's inputs that were fetched for it, by their key."""

    stream: Stream
    inputs: dict[Hashable, NDArray[np.float32]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class DrawnRange:
    """A range of vertices or indices, as draws of one mode take it.

    Parameters
    ----------
    cached : its vertices
    num_primitives : that they make
    version : of the index buffer's contents
    index : bytes of an index, 0 where there is none, and address of the first one in the modelled memory; None until
        asked for
    columns : packed columns of ``draws``
    identity : number for object ids, -1 until asked for
    numbers : what its draws' records have of it, see NUMBERS; there when ``index`` is
    serial : its own number
    is_kept : later draws may find it again
    """

    #: Names of ``numbers``.
    NUMBERS: ClassVar = ("stream", "rows", "lanes", "primitives", "index_bytes", "index_address", "mode", "is_points")

    cached: CachedStream
    num_primitives: int
    version: int
    index: tuple[int, int] | None = None
    columns: bytes = b""
    identity: int = -1
    numbers: tuple[int, ...] = ()
    serial: int = field(default_factory=_numbers.__next__)
    is_kept: bool = False

    def settle(self, mode: int, index: tuple[int, int]) -> tuple[int, int]:
        """Note where the indices of its draws lie."""
        stream = self.cached.stream
        sizes = (stream.address, stream.num_rows, stream.num_lanes, self.num_primitives)
        self.numbers = (*sizes, *index, mode, mode == gl.GL_POINTS)
        self.index = index
        return index


@dataclass(slots=True, eq=False)
class Common:
    """What draws have in common that wait, have one plan, and take one range of one source.

    Parameters
    ----------
    numbers : what their records have of it, packed, see NUMBERS
    setup : set-up state, and where it lies
    name : of the object that they show outside of debug groups
    """

    #: Names of ``numbers``.
    NUMBERS: ClassVar = (*DrawnRange.NUMBERS, "setup", "attributes", "num_attributes")

    numbers: bytes
    setup: tuple[NDArray[Any], int]
    name: ObjectName

    @classmethod
    def of(
        cls, taken: DrawnRange, setup: tuple[NDArray[Any], int], attributes: tuple[int, int], name: ObjectName
    ) -> Common:
        """Put together what there is: a settled range, and where the ATTRIBUTE rows lie and how many there are."""
        return cls(_COMMON.pack(*taken.numbers, setup[1], *attributes), setup, name)


_COMMON: Final = struct.Struct(f"<{len(Common.NUMBERS)}q")


class InputCache:
    """Least recently used streams."""

    def __init__(self) -> None:
        #: Ranges of the streams below.
        self._ranges: dict[Hashable, DrawnRange] = {}
        self._entries: OrderedDict[Hashable, CachedStream] = OrderedDict()
        self._rows = 0
        self._listing = VertexListing()

    def range(self, context: Context, call: DrawCall) -> DrawnRange:
        """Return the range that a draw takes."""
        buffer, mode, version = call.index_buffer, call.mode, 0
        key: Hashable
        if call.indices is None:
            key = (mode, call.first, call.count, call.instances)
        elif buffer is None:
            return self._range(context, call, 0)
        else:
            version = buffer.version
            key = (
                mode, context.group.serial, buffer.serial, call.index_offset, call.index_type, call.count,
                call.instances, call.base_vertex, call.restart_index,
            )  # fmt: skip
        known = self._ranges.get(key)
        if known is None or known.version != version:
            known = self._range(context, call, version)
            if len(self._ranges) >= _MAX_RANGES:
                self._ranges.clear()
            self._ranges[key] = known
            known.is_kept = True
        return known

    def unkept_range(self, context: Context, call: DrawCall) -> DrawnRange:
        """The range that a draw takes, for who keeps it."""
        return self._range(context, call, 0)

    def _range(self, context: Context, call: DrawCall, version: int) -> DrawnRange:
        cached = self._stream(context, call)
        return DrawnRange(cached, num_primitives(call.mode, cached.stream), version)

    def _stream(self, context: Context, call: DrawCall) -> CachedStream:
        """Return the stream of a draw, built if it is not known."""
        buffer = call.index_buffer
        key: Hashable = None
        if call.indices is None:
            key = (call.first, call.count, call.instances)
        elif call.indices.nbytes <= _FEW_INDEX_BYTES:
            # Toolkits draw rectangle after rectangle, each with a buffer of its own and the same indices.
            key = (
                bytes(call.indices),
                call.index_type,
                call.count,
                call.instances,
                call.base_vertex,
                call.restart_index,
            )
        elif buffer is not None:
            key = (
                context.group.serial,
                buffer.serial,
                buffer.version,
                call.index_offset,
                call.index_type,
                call.count,
                call.instances,
                call.base_vertex,
                call.restart_index,
            )
        entry = self._entries.get(key) if key is not None else None
        if entry is not None:
            self._entries.move_to_end(key)
            return entry
        entry = CachedStream(self._listing.stream(call))
        rows = entry.stream.num_rows
        if key is not None and rows <= _MAX_ENTRY_ROWS:
            self._entries[key] = entry
            self._rows += rows
            while self._rows > _MAX_ROWS or len(self._entries) > 4096:
                _, dropped = self._entries.popitem(last=False)
                self._ranges.clear()
                self._rows -= dropped.stream.num_rows
        return entry


def attribute_key(attrib: VertexAttrib, generic: GenericAttrib) -> tuple[Any, ...] | None:
    """What the values of an attribute follow from; None where they cannot be known again (client-side arrays)."""
    if not attrib.enabled:
        return (generic.type, generic.values)
    if attrib.buffer is None:
        return None
    return (
        attrib.buffer.serial,
        attrib.buffer.version,
        attrib.offset,
        attrib.effective_stride,
        attrib.type,
        attrib.size,
        attrib.normalized,
        attrib.integer,
        attrib.divisor,
    )
