"""Start of a trace file: magic, version, properties."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from zlib import crc32

from traceformat.errors import TraceFormatError, UsageError
from traceformat.framing.headers import FILE_HEADER, struct_of

__all__ = ["GLTRACE", "GPUTRACE", "FileStart", "Format", "map_file", "pack_start", "read_start"]

_HEADER: Final = struct_of(FILE_HEADER)
#: Largest JSON of properties that a reader accepts.
MAX_PROPERTIES_BYTES: Final = 1 << 20


class Format(NamedTuple):
    """One of the two file formats."""

    suffix: str
    magic: bytes
    major: int
    minor: int


# The magics hold both kinds of line ends and a control character: a transfer in text mode breaks them.
GLTRACE: Final = Format(".gltrace", b"\xabGLTRACE\r\n\x1a\n\0\0\0\0", 1, 0)
GPUTRACE: Final = Format(".gputrace", b"\xabGPUTRACE\r\n\x1a\n\0\0\0", 2, 0)


class FileStart(NamedTuple):
    """Start of a file as read: its properties and the offset of the first chunk."""

    major: int
    minor: int
    properties: dict[str, Any]
    end: int


def pack_start(kind: Format, properties: Mapping[str, Any]) -> bytes:
    """Give the bytes in front of the first chunk.

    Parameters
    ----------
    kind : file format
    properties : JSON values, by name; stored in the names' order
    """
    text = json.dumps(dict(properties), sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    head = _HEADER.pack(kind.magic, kind.major, kind.minor, len(text)) + text
    return head + crc32(head).to_bytes(4, "little")


def read_start(data: mmap.mmap | bytes, kind: Format, name: str) -> FileStart | None:
    """Read the start of a file; None where it is damaged but may be a trace.

    Raises
    ------
    TraceFormatError : a newer major version, or the other kind of trace
    """
    magic = bytes(data[:16])
    if magic != kind.magic:
        for other in (GLTRACE, GPUTRACE):
            if magic == other.magic:
                raise TraceFormatError(f"{name}: this is a {other.suffix} file, a {kind.suffix} is needed")
        return None
    if len(data) < _HEADER.size:
        return None
    _, major, minor, size = _HEADER.unpack_from(data)
    end = _HEADER.size + size + 4
    if size > MAX_PROPERTIES_BYTES or end > len(data):
        return None
    head = data[: end - 4]
    if crc32(head) != int.from_bytes(data[end - 4 : end], "little"):
        return None
    if major > kind.major:
        raise TraceFormatError(
            f"{name}: version {major}.{minor} of the {kind.suffix} format is newer than {kind.major}.{kind.minor}",
            hint="update gpureplay",
        )
    try:
        properties = json.loads(head[_HEADER.size :])
    except (ValueError, RecursionError):
        return None
    return FileStart(major, minor, properties, end) if isinstance(properties, dict) else None


def map_file(path: str | os.PathLike[str]) -> mmap.mmap:
    """Map a file for reading.

    Raises
    ------
    UsageError : it cannot be read
    TraceFormatError : it is empty
    """
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise TraceFormatError(f"{path}: the file is empty, not a trace")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{path}: cannot read the trace: {reason}") from None
