"""Streams of draws: the usual ones listed natively into one piece of memory, the others by NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.entries import LIST_VERTICES
from replay.engine.kernels.records import LISTING, STREAM
from replay.engine.vertex_fetch import Stream, StreamArrays, build_stream
from traceformat.gles.backend import DrawCall
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.guards import guards
from traceformat.native.records import address_of

__all__ = ["VertexListing"]

#: Draws of more vertices take so long that NumPy is as good.
_MAX_ROWS: Final = 1 << 12
_ALIGNMENT: Final = 64
_STREAM: Final = STREAM.packer(
    "num_rows", "index", "instance", "position", "lane", "num_lanes",
    "run_first", "run_count", "num_runs", "lane_index", "lane_instance",
)  # fmt: skip
_LISTING: Final = LISTING.packer(
    "stream", "indices", "index_bytes", "first", "base_vertex", "used", "used_words"
)  # fmt: skip


class VertexListing:
    """Lists the vertices of draws."""

    def __init__(self) -> None:
        # Two vertices may be as far from each other as :func:`~replay.engine.vertex_fetch.build_stream` allows.
        self._used = np.empty(4 * _MAX_ROWS + 1024, np.int32)
        self._used_at = address_of(self._used)
        self._record = LISTING.row()
        self._max_rows = min(_MAX_ROWS, guards().draw_vertices)

    def stream(self, call: DrawCall) -> Stream:
        """The vertices of a draw."""
        size = INDEX_BYTES.get(call.index_type, 0) if call.indices is not None else 0
        rows = call.count if call.indices is None else min(call.count, len(call.indices) // size)
        if call.instances == 1 and call.restart_index is None and rows and call.count <= self._max_rows:
            found = self._listed(call, rows, size)
            if found is not None:
                return found
        return build_stream(
            call.first,
            call.count,
            call.instances,
            call.index_type,
            call.indices,
            call.base_vertex,
            call.restart_index,
        )

    def _listed(self, call: DrawCall, rows: int, index_bytes: int) -> Stream | None:
        memory = np.empty(STREAM.size + 16 + 36 * rows + _ALIGNMENT, np.uint8)
        base = address_of(memory)
        at = -base % _ALIGNMENT
        stream = base + at
        runs = stream + STREAM.size
        wide = runs + 16
        narrow = wide + 24 * rows
        _STREAM.put(
            memory.data,
            at,
            rows,
            narrow,
            narrow + 4 * rows,
            wide,
            narrow + 8 * rows,
            0,
            runs,
            runs + 8,
            1,
            wide + 8 * rows,
            wide + 16 * rows,
        )
        indices = 0 if call.indices is None else _address(call.indices)
        _LISTING.put(
            self._record.memory,
            0,
            stream,
            indices,
            index_bytes,
            call.first,
            call.base_vertex,
            self._used_at,
            4 * rows + 1024,
        )
        lanes = LIST_VERTICES.call(self._record.address)
        if lanes < 0:
            return None
        return Stream(stream, memory, rows, lanes, partial(_arrays, memory, at + STREAM.size, rows, lanes))


def _arrays(memory: NDArray[np.uint8], start: int, rows: int, lanes: int) -> StreamArrays:
    """What lies behind a STREAM, as :meth:`VertexListing.stream` has it."""
    run_first, run_count = np.ndarray((2, 1), np.int64, memory, start)
    position, lane_index, lane_instance = np.ndarray((3, rows), np.int64, memory, start + 16)
    index, instance, lane = np.ndarray((3, rows), np.uint32, memory, start + 16 + 24 * rows)
    return StreamArrays(
        index, instance, position, lane, lane_index[:lanes], lane_instance[:lanes], run_first, run_count
    )


def _address(data: Any) -> int:
    return address_of(np.frombuffer(data, np.uint8))
