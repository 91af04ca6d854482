"""The outer layer of a ``.pat`` file: fixed header, JSON header, snappy chunks, function book.

Source: PATrace r5p2 (common/file_format.hpp, out_file.cpp, in_file_mt.cpp, tracer/egltrace.cpp). The source calls
version value 6 "version 4"; errors name both.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from capture.importers.snappyblocks import MAX_BLOCK_BYTES, unpack_block
from traceformat.errors import TraceFormatError, UnsupportedCallError, UsageError

__all__ = ["PLAIN_TEXTURES", "Chunk", "PatFile", "PatHeader", "is_pat", "read_book"]

_MAGIC: Final = b"\x12\x20\x12\x20"
_START: Final = struct.Struct("<IIIIqq")
#: Version values: 3 and 4 have a binary header, 5 and 6 a JSON one.
_BINARY_HEADER: Final = (3, 4)
_JSON_HEADER: Final = (5, 6)
#: Up to this version texture uploads hold their texels without a word before them that says what follows.
PLAIN_TEXTURES: Final = 5
#: toNext, magic, version, API, width, height, frames, calls, then bits of red, green, blue, alpha, depth, stencil.
_BINARY: Final = struct.Struct("<7IQ6I")
_MAX_JSON_BYTES: Final = 64 << 20
_MAX_FUNCTIONS: Final = 1 << 16
_HINT: Final = "the file is damaged or no PATrace file"


def is_pat(head: bytes) -> bool:
    """Whether a file begins as a ``.pat`` does; ``head`` are its first 8 bytes."""
    return head[4:8] == _MAGIC


class PatHeader(NamedTuple):
    """What stands in front of the chunks.

    Parameters
    ----------
    version : value in the file, 3 to 6
    meta : JSON header; that of versions 3 and 4 has the keys that stand for their fields
    first_chunk : offset in the file
    """

    version: int
    meta: dict[str, Any]
    first_chunk: int


class Chunk(NamedTuple):
    """One chunk, uncompressed.

    Parameters
    ----------
    number : from 0
    offset : in the file
    data : function book (first chunk only) and whole call records
    """

    number: int
    offset: int
    data: bytes


class PatFile:
    """A ``.pat`` file.

    Parameters
    ----------
    path : the file

    Attributes
    ----------
    header : see :class:`PatHeader`
    damage : after :meth:`chunks`: why the file was not read to its end, empty if it was

    Raises
    ------
    UsageError : the file cannot be read
    TraceFormatError : it has no header that can be read, or is of an unknown version
    UnsupportedCallError : a trace of OpenGL ES 1
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        try:
            self._num_bytes = os.path.getsize(path)
            with path.open("rb") as file:
                self.header = self._read_header(file.read(_START.size + _BINARY.size))
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from None
        if self.header.meta.get("glesVersion") == 1:
            raise UnsupportedCallError(
                f"{path} is a trace of OpenGL ES 1, which has no shaders", hint="OpenGL ES 2.0 to 3.2 are supported"
            )

    def _read_header(self, start: bytes) -> PatHeader:
        if len(start) < _START.size:
            raise TraceFormatError(f"{self.path}: {len(start)} bytes are no header", hint=_HINT)
        _, _, version, num_json, begin, first_chunk = _START.unpack_from(start)
        if version in _BINARY_HEADER and len(start) >= _BINARY.size:
            return _binary_header(start, version)
        if version not in _JSON_HEADER:
            raise TraceFormatError(
                f"{self.path}: PATrace header version {version} (format version {version - 2}) is unknown",
                hint="values 3 to 6 are read",
            )
        if not (0 <= begin <= first_chunk <= self._num_bytes and num_json <= min(_MAX_JSON_BYTES, first_chunk - begin)):
            raise TraceFormatError(f"{self.path}: the header's offsets contradict each other", hint=_HINT)
        with self.path.open("rb") as file:
            file.seek(begin)
            text = file.read(num_json)
        try:
            meta = json.loads(text.rstrip(b"\0").decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise TraceFormatError(f"{self.path}: the JSON header cannot be read", hint=_HINT) from None
        if not isinstance(meta, dict):
            raise TraceFormatError(f"{self.path}: the JSON header is no object", hint=_HINT)
        return PatHeader(version, meta, first_chunk)

    def chunks(self) -> Iterator[Chunk]:
        """Give the chunks up to the first one that is cut or damaged; see ``damage``."""
        with self.path.open("rb") as file:
            file.seek(self.header.first_chunk)
            number = 0
            while True:
                offset = file.tell()
                left = self._num_bytes - offset
                if not left:
                    return
                where = f"chunk {number} at byte {offset}"
                size = int.from_bytes(file.read(4), "little") if left >= 4 else 0
                if left < 4 or size > left - 4:
                    self.damage = f"the file is cut in {where}: {left} bytes of it are there"
                    return
                if size > MAX_BLOCK_BYTES:
                    self.damage = f"{where} claims {size} bytes"
                    return
                try:
                    data = unpack_block(file.read(size), where)
                except TraceFormatError as error:
                    self.damage = error.message
                    return
                if len(data) % 4:
                    self.damage = f"{where} unpacks to {len(data)} bytes, which no records have"
                    return
                yield Chunk(number, offset, data)
                number += 1


def _binary_header(start: bytes, version: int) -> PatHeader:
    """Header of the old versions: 64 bytes, and 164 more in version 4."""
    _, _, _, api, width, height, frames, calls, red, green, blue, alpha, depth, stencil = _BINARY.unpack_from(start)
    config = {"red": red, "green": green, "blue": blue, "alpha": alpha, "depth": depth, "stencil": stencil}
    thread = {"id": 0, "winW": width, "winH": height, "EGLConfig": config}
    meta = {"glesVersion": api, "callCnt": calls, "frameCnt": frames, "threads": [thread]}
    return PatHeader(version, meta, 64 if version == 3 else 228)


def read_book(data: bytes, where: str) -> tuple[list[str], int]:
    """Read the function book at the begin of the first chunk.

    Returns
    -------
    names : name of each function id, empty where it has none
    end : offset of the first call record

    Raises
    ------
    TraceFormatError : it contradicts itself
    """
    if len(data) < 8:
        raise TraceFormatError(f"{where}: no function book", hint=_HINT)
    end, count = struct.unpack_from("<II", data)
    if end > len(data) or end % 4 or count >= _MAX_FUNCTIONS:
        raise TraceFormatError(f"{where}: a function book of {end} bytes and {count} functions", hint=_HINT)
    names = [""] * (count + 1)
    at = 8
    for number in range(1, count + 1):
        # A function that is left out takes no bytes.
        if at + 8 > end or int.from_bytes(data[at : at + 4], "little") != number:
            continue
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        at += 8
        if size > end - at:
            raise TraceFormatError(f"{where}: function {number} has a name of {size} bytes", hint=_HINT)
        names[number] = data[at : at + size].split(b"\0")[0].decode("ascii", "replace")
        at += -(-size // 4) * 4
    return names, end
