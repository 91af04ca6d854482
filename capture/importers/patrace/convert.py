"""Call records as calls of ours, one at a time.

``columns`` does the same for many calls at once, where nothing but their values matters; this is the way of all
others, and the plain twin of that one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from capture.importers.buffers import WHOLE, ContextBuffers, Mapping, Mappings
from capture.importers.handles import Handles
from capture.importers.images import IMAGES, with_source
from capture.importers.patrace.clientbuffers import ClientBuffers
from capture.importers.patrace.decoding import ClientPointer, PatValue
from capture.importers.patrace.windowsystem import WindowSystem
from capture.importers.report import ImportReport
from capture.importers.windows import TraceCommand
from traceformat.calls import Call, CallFlags, Offset, Value
from traceformat.errors import TraceFormatError
from traceformat.framing.headers import ValueKind
from traceformat.gles import egl_enums as egl
from traceformat.gles.entry_points import COMMANDS, Command, Direction, Param, ParamKind
from traceformat.gles.gltypes import INDEX_BYTES
from traceformat.gltrace.frames import DRAW_ROLE, role_of
from traceformat.gltrace.records import plan_of

__all__ = ["SIGNED", "Converter", "PatCall", "flags_of"]

#: The tracer's own words, which no replay needs.
_NOTES: Final = frozenset({"paTimestamp", "paMandatoryExtensions", "glAssertBuffer_ARM", "glStateDump_ARM"})
#: What the tracer calls otherwise; the link's result behind the program says nothing that the link does not.
_RENAMED: Final = {"glLinkProgram2": "glLinkProgram"}
SIGNED: Final = frozenset({ValueKind.I8, ValueKind.I16, ValueKind.I32, ValueKind.I64})
_MAPS: Final = ("glMapBuffer", "glMapBufferOES", "glMapBufferRange", "glMapBufferRangeEXT")
#: Parameters that are addresses of the program and stand for nothing: no address gets into a trace.
_ADDRESSES: Final = ("userParam",)
_LONG_ELEMENTS: Final = frozenset({"GLintptr", "GLsizeiptr"})
_ATTRIBUTES: Final = "EGLAttrib"


@dataclass(frozen=True, slots=True)
class PatCall:
    """One call of the file.

    Parameters
    ----------
    number : from 0, over all threads
    name : of the function
    thread : the file's number of it
    flags : of the record: bits 0-3 error, bit 4 made by the tracer
    values, result : as stored
    """

    number: int
    name: str
    thread: int
    flags: int
    values: Sequence[PatValue]
    result: PatValue


@cache
def flags_of(flags: int) -> int:
    """Our flags for those of a record."""
    synthetic = CallFlags.SYNTHETIC if flags & 0x10 else 0
    return int(synthetic | (CallFlags.FAILED if flags & 0x0F else 0))


class Converter:
    """Turns calls into records.

    Parameters
    ----------
    windows : window system of the file
    report : takes the counts
    """

    def __init__(self, windows: WindowSystem, report: ImportReport) -> None:
        self._system = windows
        self._report = report
        self._handles = Handles()
        self._buffers: dict[int, ContextBuffers] = {}
        self._mappings = Mappings()
        self._memory = ClientBuffers()

    def convert(self, call: PatCall) -> Iterator[Call]:
        """Give the records of one call, in order.

        Raises
        ------
        TraceFormatError : its values contradict each other
        """
        windows, report = self._system.windows, self._report
        thread = windows.thread(call.thread)
        if call.name.startswith("egl") and call.name not in IMAGES:
            commands = self._system.execute(call.name, call.thread, call.values, call.result)
            if not commands:
                report.folded[call.name] += 1
            report.frames += sum(name == "traceSwap" for name, _ in commands)
            context = windows.context(call.thread)
            yield from (Call(0, name, thread, context, 0, args) for name, args in commands)
            return
        context = windows.context(call.thread)
        command = COMMANDS.get(_RENAMED.get(call.name, call.name))
        if call.name in _MEMORY:
            here = self._buffers.setdefault(context, ContextBuffers())
            for name, args in _MEMORY[call.name](self, call, context, here):
                yield Call(0, name, thread, context, CallFlags.SYNTHETIC, args)
        elif call.name in _NOTES:
            report.folded[call.name] += 1
        elif command is None:
            report.lost[f"unknown entry point {call.name}"] += 1
        elif not context and call.name not in IMAGES:
            report.lost[f"{call.name} without a current context"] += 1
        else:
            if command.compatibility_only:
                report.not_portable[call.name] += 1
            yield from self._gl(call, command, thread, context)

    # -- GL

    def _gl(self, call: PatCall, command: Command, thread: int, context: int) -> Iterator[Call]:
        here = self._buffers.setdefault(context, ContextBuffers())
        name = command.name
        args, outputs = self._arguments(call, command)
        plan = plan_of(name)
        assert plan is not None
        result = self._value(command.result, plan.result, call.result, call.thread)
        if isinstance(result, (bytes, Offset)):
            result = None  # a mapping: its address means nothing
        self._note(call, name, context, here)
        if name == "glVertexAttribPointer":
            index = int(str(args[0]))
            here.arrays.pop(index, None)
            if isinstance(call.values[-1], ClientPointer):
                here.arrays[index] = self._content(call.values[-1], call.thread)
                args = (*args[:-1], None)
        elif role_of(name) == DRAW_ROLE:
            for array, content in here.client_arrays():
                yield Call(0, array, thread, context, CallFlags.SYNTHETIC, content)
        elif name == "glShaderSource":
            sources = _cut(args[2], args[3])
            args = (args[0], len(sources), sources, None)
        elif name.startswith("eglCreateImage"):
            target, source = (_integer(value, ValueKind.U32) for value in call.values[2:4])
            args = with_source(args, target, source, self._report)
        yield Call(0, name, thread, context, flags_of(call.flags), args, outputs, result)

    def _note(self, call: PatCall, name: str, context: int, here: ContextBuffers) -> None:
        """Keep what is bound and mapped."""
        numbers = [value if isinstance(value, int) else 0 for value in call.values]
        if name == "glDeleteBuffers":
            here.bound.note(name, numbers, _words(call.values[1]))
        elif name.startswith("glBind"):
            here.bound.note(name, numbers)
        elif name in _MAPS:
            target, offset, num_bytes = numbers[0], 0, WHOLE
            if name.startswith("glMapBufferRange"):
                offset, num_bytes = numbers[1:3]
            self._mappings.map(Mapping(context, target, here.bound[target], offset, num_bytes))
        elif name.startswith("glUnmapBuffer"):
            self._mappings.unmap(context, here.bound[numbers[0]])

    def _arguments(self, call: PatCall, command: Command) -> tuple[tuple[Value, ...], dict[str, Value]]:
        args: list[Value] = []
        outputs: dict[str, Value] = {}
        plan = plan_of(command.name)
        assert plan is not None
        for param, kind, given in zip(command.params, plan.arguments, call.values, strict=False):
            value = self._value(param, kind, given, call.thread)
            if param.direction is Direction.OUT:
                if isinstance(value, bytes):
                    outputs[param.name] = value
                args.append(value if isinstance(value, Offset) else None)
            else:
                if isinstance(given, ClientPointer) and isinstance(value, bytes):
                    value = self._indices(command, call, value)
                args.append(value)
        return tuple(args), outputs

    def _value(self, param: Param, stored: ValueKind, given: PatValue, thread: int) -> Value:
        """Convert a value for what the entry point declares; ``stored`` is how ours stores it."""
        kind = param.kind
        if kind is ParamKind.VOID or kind is ParamKind.CALLBACK or param.name in _ADDRESSES:
            return None
        if kind is ParamKind.HANDLE:
            return self._handles[_integer(given, ValueKind.U32)]
        if kind in (ParamKind.FLOAT, ParamKind.DOUBLE):
            return float(given) if isinstance(given, (int, float)) else 0.0
        if kind is ParamKind.STRINGS:
            texts = given if isinstance(given, tuple) and not isinstance(given, ClientPointer) else ()
            return tuple(text.decode("utf-8", "surrogateescape") for text in texts)
        if kind is ParamKind.STRING:
            return given.split(b"\0")[0].decode("utf-8", "surrogateescape") if isinstance(given, bytes) else None
        if kind is ParamKind.DATA:
            if isinstance(given, ClientPointer):
                return self._content(given, thread)
            if isinstance(given, bytes):
                return _widened(given, param.element)
            return given if isinstance(given, Offset) else None
        return _integer(given, stored)

    def _indices(self, command: Command, call: PatCall, data: bytes) -> bytes:
        """Of a client side buffer, the part that a draw reads as indices."""
        if "indices" not in (param.name for param in command.params):
            return data
        count, kind = (call.values[command.index(name)] for name in ("count", "type"))
        size = INDEX_BYTES.get(kind if isinstance(kind, int) else 0, 0)
        return data[: count * size] if isinstance(count, int) and count >= 0 and size else data

    # -- client side buffers

    def _content(self, pointer: ClientPointer, thread: int) -> bytes:
        return self._memory[thread, pointer.name][pointer.offset :]

    def _create_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        return []

    def _set_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        name, data = call.values[0], call.values[-1]
        if isinstance(name, int):
            self._memory[call.thread, name] = data if isinstance(data, bytes) else b""
        return []

    def _change_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        name, offset, _, data = call.values
        if isinstance(name, int) and isinstance(offset, int) and isinstance(data, bytes) and offset >= 0:
            before = self._memory[call.thread, name]
            if offset > len(before):
                raise TraceFormatError(f"client side buffer {name} of {len(before)} bytes is changed at byte {offset}")
            self._memory[call.thread, name] = before[:offset] + data + before[offset + len(data) :]
        return []

    def _delete_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        if isinstance(call.values[0], int):
            del self._memory[call.thread, call.values[0]]
        return []

    def _copy_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        target, name = call.values
        assert isinstance(target, int)
        assert isinstance(name, int)
        return self._mapped_write(context, here, target, [(0, self._memory[call.thread, name])])

    def _patch_memory(self, call: PatCall, context: int, here: ContextBuffers) -> list[TraceCommand]:
        target, _, data = call.values
        assert isinstance(target, int)
        return self._mapped_write(context, here, target, _patches(data if isinstance(data, bytes) else b""))

    def _mapped_write(
        self, context: int, here: ContextBuffers, target: int, parts: Sequence[tuple[int, bytes]]
    ) -> list[TraceCommand]:
        """Contents that the program wrote through the mapping of the buffer that is bound to a target."""
        mappings = self._mappings.of_buffer(context, here.bound[target])
        if not mappings:
            self._report.lost["content of a buffer that is not mapped"] += 1
            return []
        start, size = mappings[-1].offset, mappings[-1].num_bytes
        return [("traceMappedWrite", (target, start + at, data[: size - at])) for at, data in parts if at < size]


_MEMORY: Final = {
    "glCreateClientSideBuffer": Converter._create_memory,
    "glClientSideBufferData": Converter._set_memory,
    "glClientSideBufferSubData": Converter._change_memory,
    "glDeleteClientSideBuffer": Converter._delete_memory,
    "glCopyClientSideBuffer": Converter._copy_memory,
    "glPatchClientSideBuffer": Converter._patch_memory,
}


def _integer(given: PatValue, stored: ValueKind) -> int:
    """A number of 32 bits with the sign that the entry point declares; longer ones as they are."""
    value = int(given) if isinstance(given, int) else 0
    if -(1 << 31) <= value < 1 << 32:
        value = (value + (1 << 31)) % (1 << 32) - (1 << 31) if stored in SIGNED else value % (1 << 32)
    return value


def _words(value: PatValue) -> tuple[int, ...]:
    data = value if isinstance(value, bytes) else b""
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _widened(data: bytes, element: str) -> bytes:
    """Content as the entry point declares it: what has 64 bits there is stored in 32, or in the capture's own size."""
    if element == _ATTRIBUTES:
        is_long = len(data) % 16 == 8 and data[-8:] == egl.NONE.to_bytes(8, "little")
        if is_long:
            return data
    elif element not in _LONG_ELEMENTS:
        return data
    return np.frombuffer(data[: len(data) // 4 * 4], "<i4").astype("<i8").tobytes()


def _cut(sources: Value, lengths: Value) -> tuple[str, ...]:
    """Shader sources cut to the lengths that the program gave; they are stored up to their NUL."""
    texts = sources if isinstance(sources, tuple) else ()
    given = np.frombuffer(lengths[: len(lengths) // 4 * 4], "<i4").tolist() if isinstance(lengths, bytes) else []
    cut = []
    for place, text in enumerate(texts):
        length = given[place] if place < len(given) else -1
        # Lengths are in bytes of the source.
        data = text.encode("utf-8", "surrogateescape")
        cut.append(data[:length].decode("utf-8", "surrogateescape") if length >= 0 else text)
    return tuple(cut)


def _patches(data: bytes) -> list[tuple[int, bytes]]:
    """Parts of a patch: offset and content."""
    count = int.from_bytes(data[:4], "little")
    parts: list[tuple[int, bytes]] = []
    at = 4
    for _ in range(count):
        if at + 8 > len(data):
            raise TraceFormatError(f"a patch of {count} parts ends behind {len(parts)}")
        offset, size = struct.unpack_from("<II", data, at)
        at += 8
        if size > len(data) - at:
            raise TraceFormatError(f"a part of {size} bytes reaches beyond its patch")
        parts.append((offset, data[at : at + size]))
        at += size
    return parts
