"""Vertex streams and fetched attributes of earlier draws, for meshes that are drawn again.

Most programs draw the same buffers in every frame. What a draw fetches is a function of the buffers' contents (their
``version``), of the vertex array's state and of the draw's range: equal keys mean equal inputs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.vertex_fetch import Stream
from replay.engine.vertex_listing import VertexListing
from traceformat.gles.backend import DrawCall
from traceformat.gles.objects import VertexAttrib
from traceformat.gles.state import Context, GenericAttrib

__all__ = ["CachedStream", "InputCache", "attribute_key"]

#: Rows of streams and lanes of inputs that are kept in all.
_MAX_ROWS: Final = 1 << 20
#: Draws beyond this many rows are not kept: they take long anyway.
_MAX_ENTRY_ROWS: Final = 1 << 18


@dataclass(slots=True)
class CachedStream:
    """A stream with the vertex stage's inputs that were fetched for it, by their key."""

    stream: Stream
    inputs: dict[Hashable, NDArray[np.float32]] = field(default_factory=dict)


class InputCache:
    """Least recently used streams."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, CachedStream] = OrderedDict()
        self._rows = 0
        self._listing = VertexListing()

    def stream(self, context: Context, call: DrawCall) -> CachedStream:
        """Return the stream of a draw, built if it is not known."""
        buffer = call.index_buffer
        key: Hashable = None
        if call.indices is None:
            key = (call.first, call.count, call.instances)
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
        rows = len(entry.stream.index)
        if key is not None and rows <= _MAX_ENTRY_ROWS:
            self._entries[key] = entry
            self._rows += rows
            while self._rows > _MAX_ROWS or len(self._entries) > 4096:
                _, dropped = self._entries.popitem(last=False)
                self._rows -= len(dropped.stream.index)
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
