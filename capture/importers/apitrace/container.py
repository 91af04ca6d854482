"""The outer layer of an apitrace file: a stream of bytes in snappy, gzip, zstd or brotli.

Source: apitrace's documented file format (docs/FORMAT.markdown and its container chooser). Files come from anywhere:
every size that a file states is checked before memory is asked for.
"""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import zstandard

from capture.importers.snappyblocks import MAX_BLOCK_BYTES, unpack_block
from traceformat.errors import MissingEnvironmentError, TraceFormatError, UsageError

__all__ = ["read_stream"]

_SNAPPY: Final = b"at"
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_READ_BYTES: Final = 1 << 20
_MAX_WINDOW_BYTES: Final = 64 << 20


def read_stream(path: Path) -> Iterator[bytes]:
    """Give the decompressed stream of an apitrace file piece by piece; a cut file ends early.

    Raises
    ------
    UsageError : the file cannot be opened
    TraceFormatError : it is no apitrace file, or a block is damaged
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    with file:
        head = file.read(4)
        file.seek(0)
        if not head:
            raise TraceFormatError(f"{path} is empty", hint="an apitrace .trace file was expected")
        if head[:2] == _SNAPPY:
            yield from _snappy(file, path)
        elif head[:2] == _GZIP:
            yield from _gzip(file)
        elif head == _ZSTD:
            yield from _zstd(file)
        else:
            yield from _brotli(file, path)


def _snappy(file: BinaryIO, path: Path) -> Iterator[bytes]:
    file.seek(len(_SNAPPY))
    while True:
        header = file.read(4)
        if len(header) < 4:
            return
        (size,) = struct.unpack("<I", header)
        if size == 0:
            return
        offset = file.tell()
        if size > MAX_BLOCK_BYTES:
            raise TraceFormatError(f"{path}: block at byte {offset} claims {size} bytes", hint="the file is damaged")
        block = file.read(size)
        if len(block) < size:
            return  # the program was killed while it wrote: what came before is whole
        yield unpack_block(block, f"{path}: block at byte {offset}")


def _gzip(file: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as stream:
        while True:
            try:
                piece = stream.read(_READ_BYTES)
            except (EOFError, OSError, zlib.error):
                return
            if not piece:
                return
            yield piece


def _zstd(file: BinaryIO) -> Iterator[bytes]:
    reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).stream_reader(file, read_across_frames=True)
    while True:
        try:
            piece = reader.read(_READ_BYTES)
        except zstandard.ZstdError:
            return
        if not piece:
            return
        yield piece


def _brotli(file: io.BufferedReader | BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        import brotli
    except ImportError:
        raise MissingEnvironmentError(f"{path} is brotli or no apitrace file", hint="pip install brotli") from None
    decoder = brotli.Decompressor()
    first = True
    while True:
        data = file.read(_READ_BYTES)
        if not data:
            return
        while True:
            try:
                piece = decoder.process(data, output_buffer_limit=_READ_BYTES)
            except brotli.error:
                if first:
                    raise TraceFormatError(f"{path} is no apitrace file", hint="run 'file' on it") from None
                return
            data = b""
            if piece:
                # Brotli has no magic number: text may decode to something before it fails.
                first = False
                yield piece
            if not piece and decoder.can_accept_more_data():
                break
            if decoder.is_finished():
                return
