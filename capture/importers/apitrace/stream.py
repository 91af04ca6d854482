"""The inner layer of an apitrace file: events and values, versions 0 to 6.

Signatures are written in full where their id first appears, so a stream can only be read from its start. The reader
keeps a window of the stream; when an event does not fit, it takes more and reads that event again, with the
signatures that the failed attempt had learned taken back.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from traceformat.errors import TraceFormatError

__all__ = ["ApiCall", "ApiValue", "EventReader", "Opaque"]

NEWEST_VERSION: Final = 6
_MAX_EVENT_BYTES: Final = 512 << 20
_MAX_DEPTH: Final = 32
_FLAG_FAKE: Final = 1


class Opaque(int):
    """An address or handle; its number means nothing but identity (or a small buffer offset)."""

    __slots__ = ()


ApiValue: TypeAlias = "bool | int | float | str | bytes | Opaque | list[ApiValue] | None"


@dataclass(slots=True)
class ApiCall:
    """One call of the stream: inputs by position, outputs by position, result."""

    number: int
    name: str
    thread: int
    is_fake: bool = False
    inputs: dict[int, ApiValue] = field(default_factory=dict)
    outputs: dict[int, ApiValue] = field(default_factory=dict)
    result: ApiValue = None


class _ShortError(Exception):
    """The window ends inside an event; the argument is the number of bytes known to be missing."""


class EventReader:
    """Iterates the calls of a stream in the order in which they returned.

    Parameters
    ----------
    pieces : of the decompressed stream

    Attributes
    ----------
    version : of the format
    properties : of the header
    truncated : the stream ended inside an event, or calls never returned
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._window = b""
        self._at = 0
        self._tables: dict[str, dict[int, object]] = {
            key: {} for key in ("function", "struct", "enum", "bitmask", "frame")
        }
        self._learned: list[tuple[str, int]] = []
        self._open: dict[int, ApiCall] = {}
        self._next_call = 0
        self.truncated = False
        self.properties: dict[str, str] = {}
        self.version = 0
        self._guard(self._header)

    def __iter__(self) -> Iterator[ApiCall]:
        while True:
            # An ended stream between two events is its regular end.
            if self._at >= len(self._window) and not self._refill(1):
                break
            done, call = self._guard(self._event)
            if not done:
                break
            if call is not None:
                yield call
        if self._open:
            self.truncated = True

    # -- the window

    def _refill(self, missing: int) -> bool:
        """Take more of the stream; false at its end."""
        rest = self._window[self._at :]
        wanted = max(missing, len(rest))
        if wanted > _MAX_EVENT_BYTES:
            raise TraceFormatError(f"an event of more than {_MAX_EVENT_BYTES >> 20} MiB", hint="the file is damaged")
        parts = [rest]
        taken = 0
        while taken < wanted:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(piece)
            taken += len(piece)
        self._window = b"".join(parts)
        self._at = 0
        return taken > 0

    def _guard(self, read: object) -> tuple[bool, ApiCall | None]:
        """Run a reading function; on a short window take more and run it again."""
        assert callable(read)
        while True:
            start = self._at
            self._learned.clear()
            try:
                return True, read()
            except (_ShortError, IndexError) as short:
                self._at = start
                for table, key in self._learned:
                    del self._tables[table][key]
                missing = short.args[0] if isinstance(short, _ShortError) else 1
                if not self._refill(missing):
                    self.truncated = True
                    return False, None

    # -- primitives

    def _uint(self) -> int:
        value = shift = 0
        window, at = self._window, self._at
        while True:
            byte = window[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self._at = at
                return value
            shift += 7
            if shift > 63:
                raise TraceFormatError("a number of more than 64 bits", hint="the file is damaged or no apitrace file")

    def _bytes(self) -> bytes:
        size = self._uint()
        end = self._at + size
        if end > len(self._window):
            raise _ShortError(end - len(self._window))
        out = self._window[self._at : end]
        self._at = end
        return out

    def _text(self) -> str:
        return self._bytes().decode("utf-8", "surrogateescape")

    def _tagged(self) -> int:
        tag = self._window[self._at]
        self._at += 1
        if tag == 0x03:
            return -self._uint()
        if tag == 0x04:
            return self._uint()
        raise TraceFormatError(f"value type {tag} where an integer belongs", hint="the file is damaged")

    def _define(self, table: str, key: int, value: object) -> None:
        self._tables[table][key] = value
        self._learned.append((table, key))

    # -- header and events

    def _header(self) -> None:
        self.version = self._uint()
        if self.version > NEWEST_VERSION:
            raise TraceFormatError(
                f"apitrace format version {self.version} is newer than {NEWEST_VERSION}, or this is no apitrace file"
            )
        if self.version >= 6:
            self._uint()
            properties = {}
            while name := self._text():
                properties[name] = self._text()
            self.properties = properties

    def _event(self) -> ApiCall | None:
        kind = self._window[self._at]
        self._at += 1
        if kind == 0:
            thread = self._uint() if self.version >= 4 else 0
            call = ApiCall(self._next_call, self._function(), thread)
            self._details(call, call.inputs)
            # Only now is the event whole: an attempt on a short window must not count.
            self._open[call.number] = call
            self._next_call += 1
            return None
        if kind == 1:
            number = self._uint()
            returned = self._open.get(number) or ApiCall(number, "", 0)
            outputs: dict[int, ApiValue] = {}
            self._details(returned, outputs)
            returned.outputs = outputs
            return self._open.pop(number, None)
        raise TraceFormatError(f"event type {kind} after call {self._next_call - 1}", hint="the file is damaged")

    def _function(self) -> str:
        key = self._uint()
        known = self._tables["function"].get(key)
        if known is None:
            name = self._text()
            for _ in range(self._count()):
                self._text()
            self._define("function", key, name)
            return name
        return str(known)

    def _count(self) -> int:
        """Length of a list; each entry takes a byte at least, so a longer one than an event may be is a lie."""
        count = self._uint()
        if count > _MAX_EVENT_BYTES:
            raise TraceFormatError(f"a list of {count} entries", hint="the file is damaged")
        return count

    def _details(self, call: ApiCall, into: dict[int, ApiValue]) -> None:
        while True:
            detail = self._window[self._at]
            self._at += 1
            if detail == 0x00:
                return
            if detail == 0x01:
                index = self._uint()
                into[index] = self._value(0)
            elif detail == 0x02:
                call.result = self._value(0)
            elif detail == 0x03:
                call.thread = self._uint()
            elif detail == 0x04:
                for _ in range(self._count()):
                    self._stack_frame()
            elif detail == 0x05:
                call.is_fake = bool(self._uint() & _FLAG_FAKE)
            else:
                raise TraceFormatError(f"call {call.number}: detail type {detail}", hint="the file is damaged")

    def _stack_frame(self) -> None:
        key = self._uint()
        if key in self._tables["frame"]:
            return
        while True:
            kind = self._window[self._at]
            self._at += 1
            if kind == 0:
                break
            if kind in (1, 2, 3):
                self._bytes()
            elif kind in (4, 5):
                self._uint()
            else:
                raise TraceFormatError(f"stack frame detail {kind}", hint="the file is damaged")
        self._define("frame", key, True)

    # -- values

    def _value(self, depth: int) -> ApiValue:
        kind = self._window[self._at]
        self._at += 1
        if kind == 0x00:
            return None
        if kind <= 0x02:
            return kind == 0x02
        if kind == 0x03:
            return -self._uint()
        if kind == 0x04:
            return self._uint()
        if kind in (0x05, 0x06):
            return self._float("<f" if kind == 0x05 else "<d", 4 if kind == 0x05 else 8)
        if kind == 0x07:
            return self._text()
        if kind == 0x08:
            return self._bytes()
        if kind == 0x09:
            return self._enum()
        if kind == 0x0A:
            return self._bitmask()
        if kind == 0x0D:
            return Opaque(self._uint())
        if kind == 0x0F:
            return "".join(chr(min(self._uint(), 0x10FFFF)) for _ in range(self._count()))
        if depth >= _MAX_DEPTH:
            raise TraceFormatError("values nested too deeply", hint="the file is damaged")
        if kind == 0x0B:
            return [self._value(depth + 1) for _ in range(self._count())]
        if kind == 0x0C:
            return [self._value(depth + 1) for _ in range(self._struct_members())]
        if kind == 0x0E:
            self._value(depth + 1)
            return self._value(depth + 1)
        raise TraceFormatError(f"value type {kind}", hint="the file is damaged")

    def _float(self, layout: str, size: int) -> float:
        if self._at + size > len(self._window):
            raise _ShortError(size)
        (value,) = struct.unpack_from(layout, self._window, self._at)
        self._at += size
        return float(value)

    def _enum(self) -> int:
        key = self._uint()
        known = self._tables["enum"].get(key)
        if self.version < 3:
            # Before version 3 a signature is one name with its value, and nothing follows it.
            if known is None:
                self._text()
                known = self._tagged()
                self._define("enum", key, known)
            assert isinstance(known, int)
            return known
        if known is None:
            for _ in range(self._count()):
                self._bytes()
                self._tagged()
            self._define("enum", key, True)
        return self._tagged()

    def _bitmask(self) -> int:
        key = self._uint()
        if key not in self._tables["bitmask"]:
            for _ in range(self._count()):
                self._bytes()
                self._uint()
            self._define("bitmask", key, True)
        return self._uint()

    def _struct_members(self) -> int:
        key = self._uint()
        known = self._tables["struct"].get(key)
        if known is None:
            self._text()
            known = self._count()
            for _ in range(known):
                self._bytes()
            self._define("struct", key, known)
        assert isinstance(known, int)
        return known
