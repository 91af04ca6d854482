"""Vertex fetch: attributes of the common types, all of a draw in one call."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import carray

from replay.engine.kernels.access import attribute_at, fetch_at
from replay.engine.kernels.records import (
    ATTRIBUTE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    VERTEX_ID,
)
from replay.kernels import Int, entry, kernel
from traceformat.native.access import pointer

__all__ = ["fetch_attributes"]

_ATTRIBUTE_BYTES: Final = ATTRIBUTE.size


@kernel("float64(int64, int64)", inline="always")
def _integer(address: Int, kind: Int) -> Any:
    """Integer at an address; all types fit a float64."""
    if kind == UINT8:
        return np.float64(carray(pointer(address), 1, np.uint8)[0])
    if kind == INT8:
        return np.float64(carray(pointer(address), 1, np.int8)[0])
    if kind == UINT16:
        return np.float64(carray(pointer(address), 1, np.uint16)[0])
    if kind == INT16:
        return np.float64(carray(pointer(address), 1, np.int16)[0])
    if kind == UINT32:
        return np.float64(carray(pointer(address), 1, np.uint32)[0])
    return np.float64(carray(pointer(address), 1, np.int32)[0])


@entry
def fetch_attributes(address: Int) -> Int:
    """Read the attributes of a FETCH for all lanes; what lies outside of its buffer reads as zero."""
    f = fetch_at(address)
    lane_index = carray(pointer(f.lane_index), f.num_lanes, np.int64)
    lane_instance = carray(pointer(f.lane_instance), f.num_lanes, np.int64)
    out = carray(pointer(f.out), (f.num_rows, f.width), np.float32)
    out_bits = carray(pointer(f.out), (f.num_rows, f.width), np.int32)
    for number in range(f.num_attributes):
        a = attribute_at(f.attributes + number * _ATTRIBUTE_BYTES)
        available, stride, origin = a.available, a.stride, a.origin
        kind, size, mode, divisor = a.kind, a.size, a.mode, a.divisor
        row, component, width = a.row, a.component, a.width
        if kind >= VERTEX_ID:
            ids = lane_index if kind == VERTEX_ID else lane_instance
            for lane in range(f.num_lanes):
                out_bits[row, lane] = np.int32(ids[lane])
            continue
        item = 4 if kind == FLOAT or kind >= INT32 else (1 if kind <= UINT8 else 2)
        largest = 1.0
        if kind == INT8:
            largest = 127.0
        elif kind == UINT8:
            largest = 255.0
        elif kind == INT16:
            largest = 32767.0
        elif kind == UINT16:
            largest = 65535.0
        elif kind == INT32:
            largest = 2147483647.0
        elif kind == UINT32:
            largest = 4294967295.0
        for lane in range(f.num_lanes):
            if divisor > 0:
                element = lane_instance[lane] // divisor + f.base_instance - origin
            elif divisor == 0:
                element = lane_index[lane] - origin
            else:
                element = -origin
            inside = 0 <= element < available
            at = a.address + element * stride
            for c in range(width):
                source = component + c
                if inside and source < size:
                    if kind == FLOAT:
                        out_bits[row + c, lane] = carray(pointer(at + 4 * source), 1, np.int32)[0]
                    else:
                        value = _integer(at + item * source, kind)
                        if mode == 2:
                            out_bits[row + c, lane] = np.int32(np.uint32(np.int64(value)))
                        elif mode == 1:
                            out[row + c, lane] = np.float32(max(value / largest, -1.0))
                        else:
                            out[row + c, lane] = np.float32(value)
                elif source < 3:
                    out[row + c, lane] = np.float32(0.0)
                elif mode == 2:
                    out_bits[row + c, lane] = 1
                else:
                    out[row + c, lane] = np.float32(1.0)
    return 0
