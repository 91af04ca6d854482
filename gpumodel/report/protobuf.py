"""The wire format of protocol buffers, as much of it as timelines need (protobuf.dev, "Encoding")."""

from __future__ import annotations

import struct
from typing import Final

__all__ = ["bytes_field", "double_field", "fixed64_field", "number_field", "varint"]

_VARINT, _FIXED64, _BYTES = 0, 1, 2


def _encoded(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


#: Numbers that are frequent: lengths, names, tracks.
_SMALL: Final = tuple(map(_encoded, range(1 << 12)))


def varint(number: int) -> bytes:
    """Encode a number of at least 0 in as few bytes as it needs."""
    return _SMALL[number] if number < len(_SMALL) else _encoded(number)


def number_field(field: int, number: int) -> bytes:
    """Field of an integer, an enum or a boolean; below 0 as 64 bits in two's complement."""
    return varint(field << 3 | _VARINT) + varint(number & 0xFFFFFFFFFFFFFFFF)


def bytes_field(field: int, content: bytes | str) -> bytes:
    """Field of a string, of bytes or of a message."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    return varint(field << 3 | _BYTES) + varint(len(data)) + data


def double_field(field: int, number: float) -> bytes:
    """Field of a double."""
    return varint(field << 3 | _FIXED64) + struct.pack("<d", number)


def fixed64_field(field: int, number: int) -> bytes:
    """Field of an unsigned integer that always has eight bytes."""
    return varint(field << 3 | _FIXED64) + struct.pack("<Q", number)
