"""Writes apitrace's binary format: version 6 in the snappy container, as apitrace's own tracer does."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final, NamedTuple, TypeAlias

from capture.importers.apitrace.stream import NEWEST_VERSION, Opaque

__all__ = ["Bitmask", "Double", "EnumValue", "Event", "EventWriter", "WritableValue"]

_BLOCK_BYTES: Final = 1 << 20
_FLOAT: Final = struct.Struct("<f")
_DOUBLE: Final = struct.Struct("<d")


class EnumValue(NamedTuple):
    """A value with its name; each has a signature of its own in the file."""

    name: str
    value: int


class Bitmask(NamedTuple):
    """Bits that are set, with their names."""

    value: int
    names: tuple[tuple[str, int], ...]


class Double(float):
    """A number of 64 bits."""

    __slots__ = ()


WritableValue: TypeAlias = (
    "EnumValue | Bitmask | Double | Opaque | int | float | str | bytes | list[WritableValue] | None"
)


@dataclass(slots=True)
class Event:
    """One call as apitrace has it.

    Parameters
    ----------
    name, parameters : function and the names of its parameters
    thread : from 0
    is_fake : the tracer made it
    inputs, outputs : values by position
    results : the returned value, if there is one
    """

    name: str
    parameters: tuple[str, ...]
    thread: int = 0
    is_fake: bool = False
    inputs: dict[int, WritableValue] = field(default_factory=dict)
    outputs: dict[int, WritableValue] = field(default_factory=dict)
    results: tuple[WritableValue, ...] = ()


def _uint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return _uint(len(data)) + data


def _signed(value: int) -> bytes:
    return b"\x03" + _uint(-value) if value < 0 else b"\x04" + _uint(value)


class EventWriter:
    """Writes events into a file.

    Parameters
    ----------
    stream : takes the bytes
    properties : of the trace, e.g. ``process.name``
    """

    def __init__(self, stream: BinaryIO, properties: Mapping[str, str]) -> None:
        self._stream = stream
        self._stream.write(b"at")
        self._block = bytearray(_uint(NEWEST_VERSION) * 2)
        for name, value in properties.items():
            self._block += _text(name) + _text(value)
        self._block += _text("")
        self._functions: dict[tuple[str, tuple[str, ...]], int] = {}
        self._enums: dict[EnumValue, int] = {}
        self._bitmasks: dict[tuple[tuple[str, int], ...], int] = {}
        self.num_events = 0

    def write(self, event: Event) -> None:
        """Append a call: what went in, then what came out."""
        out = self._block
        out += b"\x00" + _uint(event.thread) + self._function(event)
        if event.is_fake:
            out += b"\x05\x01"
        for index, value in event.inputs.items():
            out += b"\x01" + _uint(index) + self._value(value)
        out += b"\x00\x01" + _uint(self.num_events)
        for index, value in event.outputs.items():
            out += b"\x01" + _uint(index) + self._value(value)
        for value in event.results:
            out += b"\x02" + self._value(value)
        out += b"\x00"
        self.num_events += 1
        while len(out) >= _BLOCK_BYTES:
            self._flush(_BLOCK_BYTES)

    def close(self) -> None:
        """Write what is left; the stream stays open."""
        if self._block:
            self._flush(len(self._block))

    def _flush(self, size: int) -> None:
        from cramjam import snappy

        block = bytes(snappy.compress_raw(bytes(self._block[:size])))
        self._stream.write(struct.pack("<I", len(block)) + block)
        del self._block[:size]

    def _function(self, event: Event) -> bytes:
        key = event.name, event.parameters
        known = self._functions.get(key)
        if known is not None:
            return _uint(known)
        number = self._functions[key] = len(self._functions)
        names = b"".join(map(_text, event.parameters))
        return _uint(number) + _text(event.name) + _uint(len(event.parameters)) + names

    def _value(self, value: WritableValue) -> bytes:
        if value is None:
            return b"\x00"
        if isinstance(value, EnumValue):
            return b"\x09" + self._enum(value) + _signed(value.value)
        if isinstance(value, Bitmask):
            return b"\x0a" + self._bitmask(value) + _uint(value.value)
        if isinstance(value, Opaque):
            return b"\x0d" + _uint(value)
        if isinstance(value, int):
            return _signed(value)
        if isinstance(value, Double):
            return b"\x06" + _DOUBLE.pack(value)
        if isinstance(value, float):
            return b"\x05" + _FLOAT.pack(value)
        if isinstance(value, str):
            return b"\x07" + _text(value)
        if isinstance(value, bytes):
            return b"\x08" + _uint(len(value)) + value
        return b"\x0b" + _uint(len(value)) + b"".join(map(self._value, value))

    def _enum(self, value: EnumValue) -> bytes:
        known = self._enums.get(value)
        if known is not None:
            return _uint(known)
        number = self._enums[value] = len(self._enums)
        return _uint(number) + b"\x01" + _text(value.name) + _signed(value.value)

    def _bitmask(self, value: Bitmask) -> bytes:
        known = self._bitmasks.get(value.names)
        if known is not None:
            return _uint(known)
        number = self._bitmasks[value.names] = len(self._bitmasks)
        names = b"".join(_text(name) + _uint(bits) for name, bits in value.names)
        return _uint(number) + _uint(len(value.names)) + names
