"""Values of a call record, one call at a time."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from capture.importers.patrace.signatures import Signature
from traceformat.calls import Offset
from traceformat.errors import TraceFormatError

__all__ = ["ClientPointer", "PatValue", "read_record"]

_WORD: Final = struct.Struct("<I")


class ClientPointer(NamedTuple):
    """A place in a client side buffer of the file.

    Parameters
    ----------
    name : of the buffer, in its thread
    offset : bytes
    """

    name: int
    offset: int


#: A number; text and content as bytes without the padding; None for NULL, which is the same as empty.
PatValue: TypeAlias = int | float | bytes | tuple[bytes, ...] | Offset | ClientPointer | None
_Reader: TypeAlias = Callable[[bytes, int, int], tuple[PatValue, int]]


def _word(data: bytes, at: int, end: int) -> int:
    if at + 4 > end:
        raise TraceFormatError("an argument reaches beyond its record")
    return int(_WORD.unpack_from(data, at)[0])


def _number(letter: str) -> _Reader:
    layout = struct.Struct("<" + letter)
    step = -(-layout.size // 4) * 4

    def read(data: bytes, at: int, end: int) -> tuple[PatValue, int]:
        if at + step > end:
            raise TraceFormatError("an argument reaches beyond its record")
        return layout.unpack_from(data, at)[0], at + step

    return read


def _content(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    size = _word(data, at, end)
    begin, after = at + 4, at + 4 + -(-size // 4) * 4
    if after > end:
        raise TraceFormatError(f"content of {size} bytes reaches beyond its record")
    return data[begin : begin + size] or None, after


def _pointer_to(size: int) -> _Reader:
    def read(data: bytes, at: int, end: int) -> tuple[PatValue, int]:
        if not _word(data, at, end):
            return None, at + 4
        step = -(-size // 4) * 4
        if at + 4 + step > end:
            raise TraceFormatError("what a pointer points at reaches beyond its record")
        return data[at + 4 : at + 4 + size], at + 4 + step

    return read


def _strings(data: bytes, at: int, end: int) -> tuple[tuple[bytes, ...], int]:
    size = _word(data, at, end)
    if not size:
        return (), at + 4
    jump = at + 4 + size
    after = jump + _word(data, jump, end)
    if size % 4 or not jump < after <= end:
        raise TraceFormatError(f"a list of {size} bytes of strings reaches beyond its record")
    texts = []
    left = after - jump
    for slot in range(at + 4, jump, 4):
        distance = _word(data, slot, end)
        begin = slot + distance
        length = _word(data, begin - 4, after) if distance else 0
        left -= length
        if begin + length > after or left < 0:
            raise TraceFormatError(f"a string of {length} bytes reaches beyond its record")
        texts.append(data[begin : begin + length].split(b"\0")[0] if distance else b"")
    return tuple(texts), after


def _opaque(data: bytes, at: int, end: int) -> tuple[PatValue, int]:
    kind = _word(data, at, end)
    if kind == 0:
        return Offset(_word(data, at + 4, end)), at + 8
    if kind == 1:
        return _content(data, at + 4, end)
    if kind == 2:
        return ClientPointer(_word(data, at + 4, end), _word(data, at + 8, end)), at + 12
    if kind == 3:
        return None, at + 4
    raise TraceFormatError(f"a pointer of kind {kind}")


def _nothing(data: bytes, at: int, end: int) -> tuple[PatValue, int]:
    return None, at


_SIZES: Final = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4, "q": 8, "Q": 8, "d": 8}
_READERS: Final[dict[str, _Reader]] = {
    **{letter: _number(letter) for letter in _SIZES},
    **{f"*{letter}": _pointer_to(size) for letter, size in _SIZES.items()},
    **{f"A{letter}": _content for letter in (*_SIZES, "n")},
    "s": _content,
    "S": _strings,
    "o": _opaque,
    "-": _nothing,
}


def read_record(data: bytes, begin: int, end: int, signature: Signature) -> tuple[list[PatValue], PatValue]:
    """Arguments and result of a record.

    Parameters
    ----------
    data : holds the record at bytes ``begin`` to ``end``
    signature : of its function

    Raises
    ------
    TraceFormatError : a value does not fit in the record
    """
    at = begin + 4 * signature.first_argument
    values: list[PatValue] = []
    for kind in signature.arguments:
        reader = _READERS.get(kind)
        if reader is None:
            # A native pointer, of unknown size, in a query: nothing behind it can be found, or is needed.
            return values + [None] * (len(signature.arguments) - len(values)), None
        value, at = reader(data, at, end)
        values.append(value)
    result, _ = _READERS[signature.result](data, at, end)
    return values, result
