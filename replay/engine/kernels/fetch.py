"""Vertex fetch: attributes of the common types, all of a draw in one call."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

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
from replay.kernels import Int, entry, inner
from traceformat.native.access import array_at

__all__ = ["fetch_attributes"]

_ATTRIBUTE_BYTES: Final = ATTRIBUTE.size
#: Bits of 1.0.
_ONE: Final = np.int32(0x3F800000)
#: Lanes whose attributes are fetched together.
_BLOCK: Final = 256
#: Bits of normalized bytes.
_OF_BYTES: Final = (np.arange(256) / 255.0).astype(np.float32).view(np.int32)


@inner("float64(int64, int64)", inline=True)
def _integer(address: Int, kind: Int) -> Any:
    """Integer at an address; all types fit a float64."""
    if kind == UINT8:
        return np.float64(array_at(address, 1, np.uint8)[0])
    if kind == INT8:
        return np.float64(array_at(address, 1, np.int8)[0])
    if kind == UINT16:
        return np.float64(array_at(address, 1, np.uint16)[0])
    if kind == INT16:
        return np.float64(array_at(address, 1, np.int16)[0])
    if kind == UINT32:
        return np.float64(array_at(address, 1, np.uint32)[0])
    return np.float64(array_at(address, 1, np.int32)[0])


@inner("void(int64, int64)", inline=True)
def _fetch_words(fetch_address: Int, attribute_address: Int) -> None:
    """Read an attribute of floats or normalized bytes that goes by vertices, word by word: most are such."""
    fetch, attribute = fetch_at(fetch_address), attribute_at(attribute_address)
    lanes, num_lanes = array_at(fetch.lane_index, fetch.num_lanes, np.int64), fetch.num_lanes
    # What is read from a record within a loop is read anew each time: stores might have changed it.
    start, stride, size, width = attribute.address, attribute.stride, attribute.size, attribute.width
    available, origin, component = attribute.available, attribute.origin, attribute.component
    goal, row_bytes = fetch.out + 4 * attribute.row * fetch.width, 4 * fetch.width
    are_floats = attribute.kind == FLOAT
    # Some lanes at a time: all words of an element while it lies in the cache.
    for first in range(0, num_lanes, _BLOCK):
        last = min(first + _BLOCK, num_lanes)
        for word in range(width):
            out = array_at(goal + row_bytes * word, num_lanes, np.int32)
            source = component + word
            outside = np.int32(0) if source < 3 else _ONE
            count = available if source < size else 0
            for lane in range(first, last):
                element = lanes[lane] - origin
                if not 0 <= element < count:
                    out[lane] = outside
                elif are_floats:
                    out[lane] = array_at(start + element * stride + 4 * source, 1, np.int32)[0]
                else:
                    out[lane] = _OF_BYTES[array_at(start + element * stride + source, 1, np.uint8)[0]]


@entry
def fetch_attributes(address: Int) -> Int:
    """Read the attributes of a FETCH for all lanes; what lies outside of its buffer reads as zero."""
    fetch = fetch_at(address)
    lane_index = array_at(fetch.lane_index, fetch.num_lanes, np.int64)
    lane_instance = array_at(fetch.lane_instance, fetch.num_lanes, np.int64)
    out = array_at(fetch.out, (fetch.num_rows, fetch.width), np.float32)
    out_bits = array_at(fetch.out, (fetch.num_rows, fetch.width), np.int32)
    for number in range(fetch.num_attributes):
        attribute_address = fetch.attributes + number * _ATTRIBUTE_BYTES
        attribute = attribute_at(attribute_address)
        available, stride, origin = attribute.available, attribute.stride, attribute.origin
        kind, size, mode, divisor = attribute.kind, attribute.size, attribute.mode, attribute.divisor
        row, component, width = attribute.row, attribute.component, attribute.width
        if divisor == 0 and ((kind == FLOAT and mode != 2) or (kind == UINT8 and mode == 1)):
            _fetch_words(address, attribute_address)
            continue
        if kind >= VERTEX_ID:
            ids = lane_index if kind == VERTEX_ID else lane_instance
            for lane in range(fetch.num_lanes):
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
        for lane in range(fetch.num_lanes):
            if divisor > 0:
                element = lane_instance[lane] // divisor + fetch.base_instance - origin
            elif divisor == 0:
                element = lane_index[lane] - origin
            else:
                element = -origin
            inside = 0 <= element < available
            at = attribute.address + element * stride
            for word in range(width):
                source = component + word
                if inside and source < size:
                    if kind == FLOAT:
                        out_bits[row + word, lane] = array_at(at + 4 * source, 1, np.int32)[0]
                    else:
                        value = _integer(at + item * source, kind)
                        if mode == 2:
                            out_bits[row + word, lane] = np.int32(np.uint32(np.int64(value)))
                        elif mode == 1:
                            out[row + word, lane] = np.float32(max(value / largest, -1.0))
                        else:
                            out[row + word, lane] = np.float32(value)
                elif source < 3:
                    out[row + word, lane] = np.float32(0.0)
                elif mode == 2:
                    out_bits[row + word, lane] = 1
                else:
                    out[row + word, lane] = np.float32(1.0)
    return 0
