"""From C values to the values of a :class:`~traceformat.calls.Call` and back: how each parameter of a command is read.

A :class:`Marshaller` is made once a command. It reads what pointers point at before the call (inputs) and after it
(outputs), by the size rules of ``traceformat.gles.sizes``; no address ever reaches the trace. Under the null driver
it also writes the driver's outputs to the program's memory.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from capture.shadow import ContextShadow
from traceformat.calls import Offset, Value
from traceformat.gles.entry_points import Command, Direction, ParamKind
from traceformat.gles.sizes import Extent, input_bytes, linear_bytes, output_bytes

__all__ = ["HandleTable", "Marshaller"]

#: Reads one argument: (raw arguments, state) -> recorded value.
Reader = Callable[[Sequence[Any], ContextShadow], Value]


class HandleTable:
    """Opaque objects (GLsync, EGLImage ...) as small numbers, in order of appearance; 0 is NULL.

    Parameters
    ----------
    is_identity : the driver's objects are small numbers already
    """

    def __init__(self, *, is_identity: bool = False) -> None:
        self._is_identity = is_identity
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._lock = threading.Lock()

    def number(self, handle: int | None) -> int:
        """The handle's number, given at first sight."""
        if not handle or self._is_identity:
            return handle or 0
        with self._lock:
            number = self._numbers.get(handle)
            if number is None:
                number = self._numbers[handle] = self._next
                self._next += 1
            return number

    def fresh(self, handle: int | None) -> int:
        """A new number for a handle that a call has just given, whose address may have been used before."""
        if handle:
            with self._lock:
                self._numbers.pop(handle, None)
        return self.number(handle)


def _text(address: int, size: int | Extent) -> str:
    """Text at an address: of a length, or up to its NUL."""
    raw = ctypes.string_at(address, size) if isinstance(size, int) else ctypes.string_at(address)
    return raw.decode("utf-8", "surrogateescape")


class Marshaller:
    """Reads and writes the memory behind one command's pointers.

    Parameters
    ----------
    command : the entry point
    handles : numbers of opaque objects

    Attributes
    ----------
    readers : (position, reader) of each argument whose C value is not what is recorded
    linear : by position, bytes of an item and the argument that counts them, of content that is just recorded
    """

    def __init__(self, command: Command, handles: HandleTable) -> None:
        self.command = command
        self._handles = handles
        self.readers: list[tuple[int, Reader]] = []
        self.linear: dict[int, tuple[int, int]] = {}
        self._outputs: list[tuple[int, str, bool]] = []
        for index, param in enumerate(command.params):
            if param.direction is Direction.OUT:
                self.readers.append((index, self._output_argument(index)))
                self._outputs.append((index, param.name, "char" in param.c_type))
            else:
                reader = self._reader(index)
                if reader is not None:
                    self.readers.append((index, reader))

    @property
    def has_outputs(self) -> bool:
        """True if the call writes to the program's memory."""
        return bool(self._outputs)

    def inputs(self, raw: Sequence[Any], shadow: ContextShadow) -> tuple[Value, ...]:
        """Read all arguments before the call.

        Parameters
        ----------
        raw : C values: ints, floats, addresses (None for NULL)
        shadow : state that sizes depend on
        """
        values: list[Any] = list(raw)
        for index, read in self.readers:
            values[index] = read(raw, shadow)
        return tuple(values)

    def outputs(self, raw: Sequence[Any], shadow: ContextShadow) -> dict[str, Value]:
        """Read what a real driver wrote, after the call; what no rule can size is left out."""
        found: dict[str, Value] = {}
        for index, name, is_text in self._outputs:
            address = raw[index]
            if not address:
                continue
            size = output_bytes(self.command, index, raw, shadow.get_integer)
            if not isinstance(size, int) or size == 0:
                continue
            content = ctypes.string_at(address, size)
            if is_text:
                content = content[: content.find(b"\0") + 1] or content
            found[name] = content
        return found

    def store(self, raw: Sequence[Any], shadow: ContextShadow, outputs: Mapping[str, Value]) -> None:
        """Write a null driver's outputs to the program's memory, never more than the size rule allows."""
        for index, name, _ in self._outputs:
            content, address = outputs.get(name), raw[index]
            if not address or not isinstance(content, bytes):
                continue
            size = output_bytes(self.command, index, raw, shadow.get_integer)
            if size is Extent.OFFSET:
                continue
            length = min(len(content), size) if isinstance(size, int) else len(content)
            ctypes.memmove(address, content, length)

    # -- how each parameter is read ---------------------------------------------------------------------------------

    def _reader(self, index: int) -> Reader | None:
        param = self.command.params[index]
        if param.kind is ParamKind.HANDLE:
            return lambda raw, shadow: self._handles.number(raw[index])
        if param.kind is ParamKind.CALLBACK:
            return lambda raw, shadow: None
        if param.kind is ParamKind.STRINGS:
            return self._texts(index)
        if param.kind in (ParamKind.STRING, ParamKind.DATA):
            return self._content(index, is_text=param.kind is ParamKind.STRING)
        return None

    def _output_argument(self, index: int) -> Reader:
        """An output-only pointer is None, unless a bound buffer takes the output: then it is an offset."""

        def read(raw: Sequence[Any], shadow: ContextShadow) -> Value:
            size = output_bytes(self.command, index, raw, shadow.get_integer)
            return Offset(raw[index] or 0) if size is Extent.OFFSET else None

        return read

    def _content(self, index: int, *, is_text: bool) -> Reader:
        command = self.command
        param = command.params[index]
        if param.name == "length" and any(other.kind is ParamKind.STRINGS for other in command.params):
            # The texts are recorded by their lengths; the array that says so is not needed again.
            return lambda raw, shadow: None
        size = linear_bytes(command, index)
        if size is not None and not is_text:
            self.linear[index] = size

        def read(raw: Sequence[Any], shadow: ContextShadow) -> Value:
            address = raw[index]
            size = input_bytes(command, index, raw, shadow.get_integer)
            if size is Extent.OFFSET:
                return Offset(address or 0)
            if not address:
                return None
            if is_text:
                return _text(address, size)
            return ctypes.string_at(address, size) if isinstance(size, int) else None

        return read

    def _texts(self, index: int) -> Reader:
        names = [param.name for param in self.command.params]
        count_index = next(i for i, name in enumerate(names) if name.lower().endswith("count"))
        length_index = names.index("length") if "length" in names else None

        def read(raw: Sequence[Any], shadow: ContextShadow) -> Value:
            address, count = raw[index], raw[count_index]
            if not address or count <= 0:
                return ()
            pointers = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
            lengths = None
            if length_index is not None and raw[length_index]:
                lengths = ctypes.cast(raw[length_index], ctypes.POINTER(ctypes.c_int))
            texts = []
            for i in range(count):
                pointer = pointers[i]
                length = lengths[i] if lengths is not None else -1
                texts.append(_text(pointer, length if length >= 0 else Extent.TEXT) if pointer else "")
            return tuple(texts)

        return read
