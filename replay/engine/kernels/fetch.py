"""Vertex fetch: attributes of the common types, all of a draw in one call."""

# mypy: ignore-errors
# Numba's signatures type what is compiled.
from __future__ import annotations

from typing import Final

import numba
import numpy as np
from numba import carray

from replay.engine.kernels.memory import pointer
from replay.kernels import kernel

__all__ = ["FETCH_FIELDS", "FLOAT", "INT8", "INT16", "INT32", "UINT8", "UINT16", "UINT32", "fetch_attributes"]

FLOAT: Final = 0
INT8: Final = 1
UINT8: Final = 2
INT16: Final = 3
UINT16: Final = 4
INT32: Final = 5
UINT32: Final = 6

#: Fields of an attribute: address of element 0, elements that there are, bytes between them, number of element 0 (of
#: client-side arrays), type, components, 1 normalized or 2 kept as integers, divisor (-1: all read the same element),
#: first input row, first component that it takes, rows.
FETCH_FIELDS: Final = 11


@kernel("float64(int64, int64)", inline="always")
def _integer(address, kind):
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


@kernel(
    numba.void(
        numba.int64[:, ::1],
        numba.int64[::1],
        numba.int64[::1],
        numba.int64,
        numba.float32[:, ::1],
        numba.int32[:, ::1],
    )
)
def fetch_attributes(attributes, lane_index, lane_instance, base_instance, out, out_bits):
    """Read attributes for all lanes; what lies outside of its buffer reads as zero.

    Parameters
    ----------
    attributes : (A, FETCH_FIELDS) int64
    lane_index, lane_instance : (N,) vertex and instance of each lane
    base_instance : added where an attribute has a divisor
    out, out_bits : (rows, lanes >= N) float32, and the same memory as int32
    """
    for a in range(attributes.shape[0]):
        address, available, stride, origin = attributes[a, 0], attributes[a, 1], attributes[a, 2], attributes[a, 3]
        kind, size, mode, divisor = attributes[a, 4], attributes[a, 5], attributes[a, 6], attributes[a, 7]
        row, component, width = attributes[a, 8], attributes[a, 9], attributes[a, 10]
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
        for lane in range(lane_index.shape[0]):
            if divisor > 0:
                element = lane_instance[lane] // divisor + base_instance - origin
            elif divisor == 0:
                element = lane_index[lane] - origin
            else:
                element = -origin
            inside = 0 <= element < available
            at = address + element * stride
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
