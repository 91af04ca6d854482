"""Vertex fetch: which vertices a draw reads, and their attributes as the vertex stage takes them.

The stream of a draw has one row a fetched vertex (GLES 3.0 §2.8.3), instances one after the other. The vertex stage
itself runs once for each distinct (index, instance); the row's *lane* says where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from replay.engine.kernels.records import INSTANCE_ID, STREAM, VERTEX_ID
from traceformat.gles import enums as gl
from traceformat.gles.objects import VertexAttrib
from traceformat.gles.state import GenericAttrib
from traceformat.guards import exceeded, guards
from traceformat.native.records import address_of, address_of_octets

__all__ = [
    "BUILTINS",
    "Stream",
    "StreamArrays",
    "build_stream",
    "builtin_fields",
    "constant_fields",
    "fetch_attribute",
    "native_fields",
]

_DTYPES: Final[dict[int, np.dtype[Any]]] = {
    gl.GL_BYTE: np.dtype("<i1"),
    gl.GL_UNSIGNED_BYTE: np.dtype("<u1"),
    gl.GL_SHORT: np.dtype("<i2"),
    gl.GL_UNSIGNED_SHORT: np.dtype("<u2"),
    gl.GL_INT: np.dtype("<i4"),
    gl.GL_UNSIGNED_INT: np.dtype("<u4"),
    gl.GL_FLOAT: np.dtype("<f4"),
    gl.GL_HALF_FLOAT: np.dtype("<f2"),
    gl.GL_HALF_FLOAT_OES: np.dtype("<f2"),
    gl.GL_DOUBLE: np.dtype("<f8"),
    gl.GL_FIXED: np.dtype("<i4"),
    gl.GL_INT_2_10_10_10_REV: np.dtype("<u4"),
    gl.GL_UNSIGNED_INT_2_10_10_10_REV: np.dtype("<u4"),
}
_INDEX_DTYPES: Final[dict[int, np.dtype[Any]]] = {
    gl.GL_UNSIGNED_BYTE: np.dtype("<u1"),
    gl.GL_UNSIGNED_SHORT: np.dtype("<u2"),
    gl.GL_UNSIGNED_INT: np.dtype("<u4"),
}
_PACKED: Final = (gl.GL_INT_2_10_10_10_REV, gl.GL_UNSIGNED_INT_2_10_10_10_REV)


@dataclass(frozen=True, slots=True)
class StreamArrays:
    """What a stream lists, see :class:`Stream`."""

    index: NDArray[np.uint32]
    instance: NDArray[np.uint32]
    position: NDArray[np.int64]
    lane: NDArray[np.uint32]
    lane_index: NDArray[np.int64]
    lane_instance: NDArray[np.int64]
    run_first: NDArray[np.int64]
    run_count: NDArray[np.int64]


class Stream:
    """The vertices of one draw.

    Parameters
    ----------
    address, record : where its STREAM lies, and what holds that
    num_rows, num_lanes : fetched vertices, and those that are shaded
    arrays : gives what the STREAM points to, when somebody asks

    Attributes
    ----------
    index : (V,) uint32 vertex index, base added
    instance : (V,) uint32
    position : (V,) int64 place of the index in the index array (0 .. count - 1)
    lane : (V,) uint32 row of the shaded vertices
    lane_index, lane_instance : (N,) vertex and instance of each lane
    run_first, run_count : runs of rows that are assembled together (an instance; between restarts)
    primitives : that it makes, by mode
    """

    __slots__ = ("_arrays", "_make", "address", "num_lanes", "num_rows", "primitives", "record")

    def __init__(
        self, address: int, record: object, num_rows: int, num_lanes: int, arrays: Callable[[], StreamArrays]
    ) -> None:
        self.address, self.record, self.num_rows, self.num_lanes = address, record, num_rows, num_lanes
        self.primitives: dict[int, int] = {}
        self._make = arrays
        self._arrays: StreamArrays | None = None

    @classmethod
    def of(cls, *lists: NDArray[Any]) -> Stream:
        """A stream of these arrays, in the order of :class:`StreamArrays`."""
        arrays = StreamArrays(*lists)
        row = STREAM.row(
            num_rows=len(arrays.index),
            num_lanes=len(arrays.lane_index),
            num_runs=len(arrays.run_first),
            **{field.name: address_of(array) for field, array in zip(fields(arrays), lists, strict=True)},
        )
        stream = cls(row.address, row, len(arrays.index), len(arrays.lane_index), lambda: arrays)
        stream._arrays = arrays
        return stream

    @property
    def has_runs(self) -> bool:
        """Whether its rows may be of several runs."""
        return self._arrays is not None and len(self._arrays.run_count) != 1

    @property
    def arrays(self) -> StreamArrays:
        """What it lists."""
        if self._arrays is None:
            self._arrays = self._make()
        return self._arrays


def build_stream(
    first: int,
    count: int,
    instances: int,
    index_type: int,
    indices: memoryview | bytes | None,
    base_vertex: int,
    restart_index: int | None,
) -> Stream:
    """List the vertices of a draw.

    Parameters
    ----------
    first, count, instances, index_type, indices, base_vertex, restart_index : as in ``DrawCall``

    Raises
    ------
    ReplayError : the draw is longer than the guard ``draw_vertices``
    """
    if count * instances > guards().draw_vertices:
        raise exceeded(f"a draw of {count} x {instances} vertices", "draw_vertices")
    if indices is None:
        one = np.arange(first, first + count, dtype=np.int64)
        position = np.arange(count, dtype=np.int64)
        run_first = np.zeros(1, np.int64)
        run_count = np.full(1, count, np.int64)
        low, span = first, count
        lane_of = position
        lane_index = one
    else:
        dtype = _INDEX_DTYPES[index_type]
        raw = np.frombuffer(indices, dtype, min(count, len(indices) // dtype.itemsize))
        if restart_index is not None:
            is_restart = raw == restart_index
            ends = np.flatnonzero(is_restart)
            kept = np.flatnonzero(~is_restart)
            borders = np.concatenate(([0], ends + 1, [len(raw) + 1]))
            lengths = np.diff(borders) - 1
            run_first = (np.cumsum(lengths) - lengths).astype(np.int64)
            run_count = lengths.astype(np.int64)
        else:
            kept = np.arange(len(raw))
            run_first = np.zeros(1, np.int64)
            run_count = np.full(1, len(raw), np.int64)
        position = kept.astype(np.int64)
        one = raw[kept].astype(np.int64) + base_vertex
        if len(one) == 0:
            lane_index = lane_of = one
        else:
            low = int(one.min())
            span = int(one.max()) - low + 1
            if span <= 4 * len(one) + 1024:
                used = np.zeros(span, np.bool_)
                used[one - low] = True
                lane_index = np.flatnonzero(used) + low
                number = np.cumsum(used) - 1
                lane_of = number[one - low]
            else:
                lane_index, lane_of = np.unique(one, return_inverse=True)
    rows = len(one)
    lanes = len(lane_index)
    if instances == 1:
        instance = np.zeros(rows, np.uint32)
        lane_instance = np.zeros(lanes, np.int64)
    else:
        number = np.arange(instances, dtype=np.int64)
        instance = np.repeat(number, rows).astype(np.uint32)
        lane_instance = np.repeat(number, lanes)
        run_first = (number[:, None] * rows + run_first).ravel()
        run_count = np.tile(run_count, instances)
        lane_of = (number[:, None] * lanes + lane_of).ravel()
        one = np.tile(one, instances)
        position = np.tile(position, instances)
        lane_index = np.tile(lane_index, instances)
    return Stream.of(
        one.astype(np.uint32),
        instance,
        position,
        lane_of.astype(np.uint32),
        lane_index,
        lane_instance,
        np.ascontiguousarray(run_first),
        np.ascontiguousarray(run_count),
    )


def _unpack_2_10_10_10(words: NDArray[np.uint32], signed: bool) -> NDArray[Any]:
    """Split packed words into four integers."""
    out = np.empty((len(words), 4), np.int32)
    for component in range(4):
        bits = 2 if component == 3 else 10
        field = (words >> np.uint32(10 * component)).astype(np.int64) & ((1 << bits) - 1)
        if signed:
            field -= (field >> (bits - 1)) << bits
        out[:, component] = field
    return out


def _source(attrib: VertexAttrib) -> tuple[memoryview | bytearray | bytes, int, int]:
    """Bytes of an attribute's array, offset of element ``first`` in it, and ``first``."""
    if attrib.buffer is not None:
        return attrib.buffer.store, attrib.offset, 0
    if attrib.client is not None:
        return attrib.client.data, 0, attrib.client.first
    return b"", 0, 0


def fetch_attribute(
    attrib: VertexAttrib,
    generic: GenericAttrib,
    lane_index: NDArray[np.int64],
    lane_instance: NDArray[np.int64],
    base_instance: int,
    out: NDArray[np.float32],
) -> None:
    """Read one attribute for all lanes.

    Elements outside of their buffer read as zero (robust access; GLES 3.0 leaves them undefined). Integer attributes
    are stored as bit patterns in the float array.

    Parameters
    ----------
    attrib, generic : the array, and the constant used where it is not enabled
    lane_index, lane_instance : (N,) vertex and instance of each lane
    base_instance : added where the attribute has a divisor
    out : (4, lanes >= N) float32; rows are components
    """
    count = len(lane_index)
    if not attrib.enabled:
        for component in range(4):
            if generic.type == gl.GL_FLOAT:
                out[component, :count] = generic.values[component]
            else:
                out.view(np.uint32)[component, :count] = int(generic.values[component]) & 0xFFFFFFFF
        return
    integer = attrib.integer
    for component in range(3):
        out[component, :count] = 0.0
    if integer:
        out.view(np.uint32)[3, :count] = 1
    else:
        out[3, :count] = 1.0
    if attrib.divisor:
        rows = lane_instance // attrib.divisor + base_instance
    else:
        rows = lane_index
    store, offset, origin = _source(attrib)
    dtype = _DTYPES[attrib.type]
    packed = attrib.type in _PACKED
    bgra = attrib.size == gl.GL_BGRA
    size = 4 if bgra else attrib.size
    width = 1 if packed else size
    stride = attrib.effective_stride
    element_bytes = width * dtype.itemsize
    if stride == 0:
        rows, stride = np.zeros_like(rows), element_bytes
    if offset < 0:
        outside = -(offset // stride)
        offset, origin = offset + outside * stride, origin + outside
    available = (len(store) - offset - element_bytes) // stride + 1 if len(store) >= offset + element_bytes else 0
    rows = rows - origin
    inside = (rows >= 0) & (rows < available)
    if available <= 0 or not inside.any():
        return
    elements: NDArray[Any] = np.ndarray(
        (available, width), dtype, buffer=store, offset=offset, strides=(stride, dtype.itemsize)
    )
    everywhere = bool(inside.all())
    picked = elements[rows if everywhere else rows[inside]]
    if packed:
        signed = attrib.type == gl.GL_INT_2_10_10_10_REV
        picked = _unpack_2_10_10_10(picked[:, 0], signed)
    if bgra:
        picked = picked[:, [2, 1, 0, 3]]
    if integer:
        values: NDArray[Any] = picked.astype(np.int64).astype(np.uint32).view(np.float32)
    elif attrib.type == gl.GL_FIXED:
        values = (picked / 65536.0).astype(np.float32)
    elif attrib.normalized and (packed or dtype.kind in "iu"):
        values = _normalize(picked, attrib.type, packed)
    else:
        values = picked.astype(np.float32)
    for component in range(size):
        if everywhere:
            out[component, :count] = values[:, component]
        else:
            out[component, :count][inside] = values[:, component]


def _normalize(picked: NDArray[Any], type: int, packed: bool) -> NDArray[np.float32]:
    """Fixed point to float, GLES 3.0 §2.1.6 (signed: clamped at -1)."""
    if packed:
        signed = type == gl.GL_INT_2_10_10_10_REV
        largest = np.array([511, 511, 511, 1] if signed else [1023, 1023, 1023, 3], np.float64)
        return np.maximum(picked / largest, -1.0).astype(np.float32)
    largest_value = float(np.iinfo(picked.dtype).max)
    return np.maximum(picked.astype(np.float64) / largest_value, -1.0).astype(np.float32)


#: Types that the kernel reads, by their number there.
_NATIVE: Final = {
    gl.GL_FLOAT: 0,
    gl.GL_BYTE: 1,
    gl.GL_UNSIGNED_BYTE: 2,
    gl.GL_SHORT: 3,
    gl.GL_UNSIGNED_SHORT: 4,
    gl.GL_INT: 5,
    gl.GL_UNSIGNED_INT: 6,
}


def native_fields(attrib: VertexAttrib, row: int, component: int, width: int) -> dict[str, int] | None:
    """ATTRIBUTE of an attribute.

    The fields hold addresses: whoever uses them sees to it that the array stays.

    Parameters
    ----------
    row, component, width : input rows to write, and the first component that they take

    Returns
    -------
    None if the attribute is a constant or of a type that only :func:`fetch_attribute` reads.
    """
    kind = _NATIVE.get(attrib.type)
    if not attrib.enabled or kind is None or attrib.size == gl.GL_BGRA:
        return None
    store, offset, origin = _source(attrib)
    item = _DTYPES[attrib.type].itemsize
    element_bytes = attrib.size * item
    stride = attrib.effective_stride
    divisor = attrib.divisor
    if stride == 0:
        stride, divisor = element_bytes, -1
    if offset < 0:
        outside = -(offset // stride)
        offset, origin = offset + outside * stride, origin + outside
    available = (len(store) - offset - element_bytes) // stride + 1 if len(store) >= offset + element_bytes else 0
    address = address_of_octets(store) + offset if available else 0
    mode = 2 if attrib.integer else 1 if attrib.normalized and kind else 0
    return {
        "address": address, "available": available, "stride": stride, "origin": origin, "kind": kind,
        "size": attrib.size, "mode": mode, "divisor": divisor, "row": row, "component": component, "width": width,
    }  # fmt: skip


def constant_fields(
    generic: GenericAttrib, row: int, component: int, width: int
) -> tuple[dict[str, int], NDArray[np.uint32]]:
    """As :func:`native_fields` for an attribute without array: the fields, and the four words that they point to."""
    if generic.type == gl.GL_FLOAT:
        words = np.array(generic.values, np.float32).view(np.uint32)
    else:
        words = np.array([int(value) & 0xFFFFFFFF for value in generic.values], np.uint32)
    fields = {
        "address": address_of(words), "available": 1, "stride": 16, "origin": 0, "kind": _NATIVE[gl.GL_FLOAT],
        "size": 4, "mode": 0, "divisor": -1, "row": row, "component": component, "width": width,
    }  # fmt: skip
    return fields, words


#: What the vertex stage is given beside attributes, by kind.
BUILTINS: Final = {"gl_VertexID": VERTEX_ID, "gl_InstanceID": INSTANCE_ID}


def builtin_fields(name: str, row: int) -> dict[str, int]:
    """As :func:`native_fields` for one of BUILTINS."""
    return {
        "address": 0, "available": 0, "stride": 0, "origin": 0, "kind": BUILTINS[name],
        "size": 1, "mode": 2, "divisor": 0, "row": row, "component": 0, "width": 1,
    }  # fmt: skip
