"""Decoding of what lies behind a call's pointers, encoding of what goes into its outputs. All little-endian."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from traceformat.errors import ReplayError

__all__ = [
    "content",
    "doubles_out",
    "floats",
    "floats_out",
    "ints",
    "ints_out",
    "longs_out",
    "nearest",
    "text_out",
    "uints",
]


def content(data: object, size: int) -> bytes:
    """First ``size`` bytes behind a pointer; ReplayError if the trace holds fewer."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ReplayError(f"expected {size} bytes of content, found {type(data).__name__}")
    if len(data) < size:
        raise ReplayError(f"content has {len(data)} bytes, the call reads {size}")
    return bytes(data[:size])


def _unpack(data: object, count: int, code: str) -> tuple[Any, ...]:
    return struct.unpack(f"<{int(count)}{code}", content(data, 4 * count)) if count > 0 else ()


def ints(data: object, count: int) -> tuple[int, ...]:
    """Decode ``count`` GLint."""
    return _unpack(data, count, "i")


def uints(data: object, count: int) -> tuple[int, ...]:
    """Decode ``count`` GLuint."""
    return _unpack(data, count, "I")


def floats(data: object, count: int) -> tuple[float, ...]:
    """Decode ``count`` GLfloat."""
    return _unpack(data, count, "f")


def ints_out(values: Sequence[int]) -> bytes:
    """Encode as GLint; what does not fit wraps, as a driver's cast does."""
    return struct.pack(f"<{len(values)}I", *(value & 0xFFFFFFFF for value in values))


def longs_out(values: Sequence[int]) -> bytes:
    """Encode as GLint64."""
    return struct.pack(f"<{len(values)}Q", *(value & 0xFFFFFFFFFFFFFFFF for value in values))


def floats_out(values: Sequence[float]) -> bytes:
    """Encode as GLfloat."""
    return struct.pack(f"<{len(values)}f", *values)


def doubles_out(values: Sequence[float]) -> bytes:
    """Encode as GLdouble."""
    return struct.pack(f"<{len(values)}d", *values)


def text_out(text: str, buffer_size: int) -> tuple[bytes, int]:
    """Encode a string for a buffer of that size: content with its NUL, and its length without.

    Returns
    -------
    (content, length) : content is empty for a buffer size of zero or less
    """
    if buffer_size <= 0:
        return b"", 0
    kept = text.encode("utf-8", "surrogateescape")[: buffer_size - 1]
    return kept + b"\0", len(kept)


def nearest(value: float) -> int:
    """Round to the nearest integer; what is not a number is 0, what is infinite the largest GLint."""
    if value != value:
        return 0
    return round(min(max(value, -2147483648.0), 4294967295.0))
