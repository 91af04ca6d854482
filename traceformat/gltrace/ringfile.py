"""The file beside a trace that is being written: calls that machine code has recorded and nobody has taken in yet.

It is the memory that machine code writes into (``capture.native.ring``), mapped from a file, so that it survives a
sudden end of the process without anybody's work. A reader of the temporary file ``.NAME.X.part`` finds it as
``.NAME.X.ring``, takes its calls as if they had been saved behind the others, and never relies on it: what does not fit
is left out. It goes with the temporary file.

Behind the header (``headers.RING_HEADER``) lie, at fixed places, the index (u16 a call: number of its entry point), the
contents, one behind the other in the order of the calls, and the entry points (``headers.RING_COMMAND``); then the rows
of each entry point, packed as in a chunk, but for references to contents, which mean nothing here.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from traceformat.calls import Call, Offset
from traceformat.framing.headers import RING_COMMAND, RING_HEADER, ValueKind, struct_of
from traceformat.gles.entry_points import COMMANDS
from traceformat.gltrace.blobs import BlobStore
from traceformat.gltrace.callbuilder import CallsBuilder
from traceformat.gltrace.records import Shape
from traceformat.gltrace.survey import MAX_NUMBER
from traceformat.gltrace.unsettled import saved_chunk
from traceformat.gltrace.writer import MAX_CALLS

if TYPE_CHECKING:
    from traceformat.gltrace.survey import Survey

__all__ = [
    "COMMANDS_AT",
    "CONTENTS_AT",
    "CONTENT_BYTES",
    "INDEX_AT",
    "MAGIC",
    "MAX_KINDS",
    "ROWS_AT",
    "RecordedCommand",
    "mapped_with",
    "recorded_behind",
    "ring_path",
]

#: With a version: what was written by another one is left out.
MAGIC: Final = b"GLRING\x00\x01"
#: Contents of all calls; with their rows they are less than a reader accepts of a chunk.
CONTENT_BYTES: Final = 3 << 19
_PART: Final = ".part"
_SUFFIX: Final = ".ring"
_HEADER: Final = struct_of(RING_HEADER)
_COMMAND: Final = struct_of(RING_COMMAND)
#: Arguments of an entry point that machine code records.
MAX_KINDS: Final = 24
INDEX_AT: Final = 4096
CONTENTS_AT: Final = INDEX_AT + 2 * MAX_CALLS
COMMANDS_AT: Final = CONTENTS_AT + CONTENT_BYTES
#: A multiple of any page.
ROWS_AT: Final = -(-(COMMANDS_AT + len(COMMANDS) * _COMMAND.size) // 65536) * 65536


class RecordedCommand(NamedTuple):
    """What is known of an entry point's rows.

    Parameters
    ----------
    name : of the entry point
    kinds : of its arguments' values
    content : argument that points at content, bytes of an item, argument that counts items; None without
    """

    name: str
    kinds: tuple[ValueKind, ...]
    content: tuple[int, int, int] | None

    @property
    def row(self) -> np.dtype[Any]:
        """What is recorded of a call; a number without meaning in place of what refers to content."""
        return Shape(self.name, 0, self.kinds, (), ValueKind.NONE).dtype

    def pack(self, rows_at: int) -> bytes:
        """Give the entry for the file; its rows begin at ``rows_at``."""
        pointer, item_bytes, counter = self.content or (-1, 0, 0)
        kinds = bytes(self.kinds)
        return _COMMAND.pack(self.name.encode(), rows_at, kinds, len(kinds), pointer, item_bytes, counter)

    def content_bytes(self, row: tuple[Any, ...]) -> int:
        """Bytes of a call's content."""
        return self.content[1] * int(row[self.content[2]]) if self.content is not None else 0

    def values(self, row: tuple[Any, ...], content: bytes) -> tuple[Any, ...]:
        """Give a call's values, with its content where it points at one."""
        values = list(row)
        if self.content is not None:
            values[self.content[0]] = content
        return tuple(
            Offset(value) if kind is ValueKind.OFFSET else value for kind, value in zip(self.kinds, values, strict=True)
        )


def ring_path(part: str | os.PathLike[str]) -> Path:
    """Path of the file beside a temporary file."""
    return Path(part).with_suffix(_SUFFIX)


class _Memory:
    """Such a file, mapped; somebody may write into it meanwhile.

    Parameters
    ----------
    data : the file
    """

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self._header = _HEADER.unpack_from(data)
        self.count, self.first_call, self.thread, self.context, self.num_commands = (
            self._header[place] for place in (3, 7, 8, 9, 10)
        )

    @property
    def is_sound(self) -> bool:
        """Whether it has calls, written by this version."""
        is_small = max(self.thread, self.context) < 1 << 32 and self.first_call < MAX_NUMBER
        return bool(self._header[0] == MAGIC and 0 < self.count <= MAX_CALLS and is_small)

    @property
    def is_unchanged(self) -> bool:
        """Whether what was there is there still, now that it has been read."""
        now = _HEADER.unpack_from(self.data)
        return bool(now[7:10] == self._header[7:10] and now[3] >= self.count)

    def command(self, number: int) -> tuple[RecordedCommand, int]:
        """Give an entry point, and where its rows begin.

        Raises
        ------
        ValueError, IndexError : there is none of this number
        """
        if number >= self.num_commands:
            raise IndexError(number)
        name, rows_at, kinds, num_kinds, pointer, item_bytes, counter = _COMMAND.unpack(
            self.data[COMMANDS_AT + number * _COMMAND.size : COMMANDS_AT + (number + 1) * _COMMAND.size]
        )
        content = (pointer, item_bytes, counter) if pointer >= 0 else None
        text = name.rstrip(b"\0").decode("ascii")
        return RecordedCommand(text, tuple(map(ValueKind, kinds[:num_kinds])), content), rows_at

    def row(self, dtype: np.dtype[Any], at: int) -> tuple[Any, ...]:
        """Give a row's values."""
        if not dtype.itemsize:
            return ()
        rows: list[tuple[Any, ...]] = np.frombuffer(self.data[at : at + dtype.itemsize], dtype).tolist()
        return rows[0]


def _recorded_calls(memory: _Memory) -> list[Call]:
    """Give the calls, up to the first one that makes no sense."""
    calls: list[Call] = []
    known: dict[int, tuple[RecordedCommand, np.dtype[Any], int]] = {}
    read: Counter[int] = Counter()
    index = np.frombuffer(memory.data[INDEX_AT : INDEX_AT + 2 * memory.count], "<u2")
    start = CONTENTS_AT
    for place, number in enumerate(index.tolist()):
        try:
            if number not in known:
                command, rows_at = memory.command(number)
                known[number] = command, command.row, rows_at
            command, dtype, rows_at = known[number]
            row_at = rows_at + dtype.itemsize * read[number]
            row = memory.row(dtype, row_at)
            end = start + command.content_bytes(row)
            if not start <= end <= COMMANDS_AT:
                break
            values = command.values(row, memory.data[start:end])
        except (ValueError, TypeError, IndexError, OverflowError, struct.error):
            break
        read[number] += 1
        start = end
        calls.append(Call(memory.first_call + place, command.name, memory.thread, memory.context, 0, values))
    return calls


def recorded_behind(path: str | os.PathLike[str], found: Survey, data: mmap.mmap | bytes) -> bytes:
    """Give what machine code had recorded behind a temporary file's last call, as a chunk SAVED to be put behind it.

    Parameters
    ----------
    path : of the file; of any other than a temporary one nothing is given
    found, data : what it holds

    Returns
    -------
    empty where there is nothing, or where calls before it are lost
    """
    if not os.fspath(path).endswith(_PART):
        return b""
    try:
        with ring_path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
            return _recorded(_Memory(memory), found, data) if len(memory) >= ROWS_AT else b""
    except (OSError, ValueError):
        return b""


def _recorded(memory: _Memory, found: Survey, data: mmap.mmap | bytes) -> bytes:
    first_call = memory.first_call
    if not memory.is_sound or not first_call <= found.num_calls < first_call + memory.count:
        return b""
    candidates, draws = found.counts_at_end(data)
    blobs = BlobStore(first=found.num_blobs)
    builder = CallsBuilder(blobs, found.num_calls, draws, candidates)
    for call in _recorded_calls(memory)[found.num_calls - first_call :]:
        try:
            builder.add(call.name, call.args, None, None, call.thread, call.context, 0, None)
        except (TypeError, ValueError):
            break
    return saved_chunk(builder, blobs, found.next_chunk) if builder.num_calls and memory.is_unchanged else b""


def mapped_with(data: mmap.mmap | bytes, end: bytes) -> mmap.mmap:
    """Map a copy of a file with more behind it.

    Raises
    ------
    OSError : there is no room for the copy
    """
    with tempfile.TemporaryFile() as file:
        with memoryview(data) as view:
            file.write(view)
        file.write(end)
        file.flush()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
