"""Reversible filters that make columns easier to compress."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traceformat.errors import TraceFormatError

__all__ = ["Filter", "apply_filter", "choose_filter", "undo_filter"]


class Filter(IntEnum):
    """What was done to a segment's bytes, in this order."""

    NONE = 0
    #: Bytes of equal significance stand side by side.
    SHUFFLE = 1
    #: Each row holds the difference to the row before, modulo the element's range; then SHUFFLE.
    DELTA_SHUFFLE = 2


def choose_filter(dtype: np.dtype[Any]) -> Filter:
    """Filter for a column: indices, addresses and positions differ little from row to row, floats do not subtract."""
    if dtype.itemsize == 1:
        return Filter.NONE
    return Filter.DELTA_SHUFFLE if dtype.kind in "iu" else Filter.SHUFFLE


def _unsigned(item_bytes: int) -> np.dtype[Any]:
    if item_bytes not in (1, 2, 4, 8):
        raise TraceFormatError(f"a column has elements of {item_bytes} bytes")
    return np.dtype(f"<u{item_bytes}")


def apply_filter(data: bytes, kind: Filter, item_bytes: int, row_bytes: int) -> bytes:
    """Filter a segment.

    Parameters
    ----------
    data : whole rows
    kind : filter
    item_bytes, row_bytes : of an element and of a row
    """
    if kind is Filter.NONE or not data:
        return data
    rows: NDArray[Any] = np.frombuffer(data, _unsigned(item_bytes)).reshape(-1, row_bytes // item_bytes)
    if kind is Filter.DELTA_SHUFFLE:
        rows = np.concatenate((rows[:1], np.diff(rows, axis=0)))
    return np.ascontiguousarray(rows).view(np.uint8).reshape(-1, item_bytes).T.tobytes()


def undo_filter(data: bytes | memoryview, kind: int, item_bytes: int, row_bytes: int) -> NDArray[np.uint8]:
    """Undo :func:`apply_filter`; gives the segment's bytes.

    Raises
    ------
    TraceFormatError : an unknown filter, or sizes that do not fit each other
    """
    plain = np.frombuffer(data, np.uint8)
    if kind == Filter.NONE or not plain.size:
        return plain
    if kind not in (Filter.SHUFFLE, Filter.DELTA_SHUFFLE):
        raise TraceFormatError(f"unknown filter {kind}", hint="the file may need a newer version")
    dtype = _unsigned(item_bytes)
    if not row_bytes or row_bytes % item_bytes or plain.size % row_bytes:
        raise TraceFormatError(f"a segment of {plain.size} bytes has rows of {row_bytes} and elements of {item_bytes}")
    rows = np.ascontiguousarray(plain.reshape(item_bytes, -1).T).view(dtype).reshape(-1, row_bytes // item_bytes)
    if kind == Filter.DELTA_SHUFFLE:
        rows = np.add.accumulate(rows, axis=0, dtype=dtype)
    return np.ascontiguousarray(rows).view(np.uint8).reshape(-1)
