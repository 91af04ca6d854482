"""Writes small PATrace files, so that the importer is proven on content of our own."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cramjam import snappy

from capture.importers.patrace.signatures import signature_of
from traceformat.calls import Offset
from traceformat.gles import enums as gl

NUMBERS = {"b": "<b3x", "B": "<B3x", "h": "<h2x", "H": "<H2x", "i": "<i", "I": "<I", "f": "<f", "q": "<q", "Q": "<Q"}
CONFIG = {"red": 8, "green": 8, "blue": 8, "alpha": 8, "depth": 24, "stencil": 8, "msaaSamples": 0}
DISPLAY, EGL_CONFIG, SURFACE, CONTEXT = -400, -300, -200, -100


class Client(tuple[int, int]):
    """Name of a client side buffer, and an offset in it."""


def padded(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data + bytes(-len(data) % 4)


def strings(texts: Sequence[str]) -> bytes:
    slots = 4 * len(texts)
    out, offsets = b"", []
    for number, text in enumerate(texts):
        # From its slot to the first character: the rest of the slots, the jump, the strings before, the length.
        offsets.append(slots - 4 * number + 4 + len(out) + 4)
        out += padded(text.encode() + b"\0")
    return struct.pack(f"<{len(texts) + 2}I", slots, *offsets, 4 + len(out)) + out if texts else bytes(4)


def opaque(value: object) -> bytes:
    if isinstance(value, Offset):
        return struct.pack("<II", 0, value)
    if isinstance(value, Client):
        return struct.pack("<III", 2, *value)
    if isinstance(value, bytes):
        return struct.pack("<I", 1) + padded(value)
    return struct.pack("<I", 3)


def encoded(kind: str, value: Any) -> bytes:
    if kind == "-":
        return b""
    if kind in NUMBERS:
        return struct.pack(NUMBERS[kind], value)
    if kind == "s":
        return padded(value.encode() + b"\0") if value is not None else bytes(4)
    if kind == "S":
        return strings(value)
    if kind == "o":
        return opaque(value)
    if kind[0] == "*":
        return struct.pack("<I", 1) + struct.pack(NUMBERS[kind[1]], value) if value is not None else bytes(4)
    assert kind[0] == "A"
    if isinstance(value, (list, tuple)):
        value = struct.pack(f"<{len(value)}{kind[1]}", *value)
    return padded(value or b"")


class PatWriter:
    """A file in the making.

    Parameters
    ----------
    version : value of the fixed header, 5 or 6
    meta : JSON header's keys beside those that every file has
    """

    def __init__(self, version: int = 6, **meta: object) -> None:
        self._version = version
        self._meta = meta
        self._ids: dict[str, int] = {}
        self._chunks: list[bytearray] = [bytearray()]
        self.num_calls = 0

    def call(
        self, name: str, *args: object, result: object = 0, thread: int = 0, injected: bool = False, error: int = 0
    ) -> None:
        signature = signature_of(name, plain_textures=self._version < 6)
        assert signature is not None, name
        number = self._ids.setdefault(name, len(self._ids) + 4)
        assert len(args) == len(signature.arguments), name
        if signature.result in "so" and result == 0:
            result = None
        body = b"".join(map(encoded, signature.arguments, args)) + encoded(signature.result, result)
        head = struct.pack("<HBB", number, thread, error | (16 if injected else 0))
        if not signature.words:
            head += struct.pack("<I", 8 + len(body))
        else:
            assert len(head + body) == 4 * signature.words, name
        self._chunks[-1] += head + body
        self.num_calls += 1

    def end_chunk(self) -> None:
        self._chunks.append(bytearray())

    def window(self, width: int = 64, height: int = 48, *, thread: int = 0, share: int = 0, number: int = 0) -> None:
        """A context and a window of its own, current."""
        surface, context = SURFACE - number, CONTEXT - number
        self.call("eglCreateContext", DISPLAY, EGL_CONFIG, share, [0x3098, 3, 0x3038], result=context, thread=thread)
        size = (0, 0, width, height)
        self.call("eglCreateWindowSurface2", DISPLAY, EGL_CONFIG, 1, None, *size, result=surface, thread=thread)
        self.current(thread=thread, number=number)

    def current(self, *, thread: int = 0, number: int = 0) -> None:
        surface, context = SURFACE - number, CONTEXT - number
        self.call("eglMakeCurrent", DISPLAY, surface, surface, context, result=1, thread=thread)

    def swap(self, *, thread: int = 0, number: int = 0) -> None:
        self.call("eglSwapBuffers", DISPLAY, SURFACE - number, result=1, thread=thread)

    def program(self, vertex: str, fragment: str, name: int = 3) -> None:
        """A linked program, current; its shaders have the names before its own."""
        for shader, kind, text in (
            (name - 2, gl.GL_VERTEX_SHADER, vertex),
            (name - 1, gl.GL_FRAGMENT_SHADER, fragment),
        ):
            self.call("glCreateShader", kind, result=shader)
            self.call("glShaderSource", shader, 1, [text], None)
            self.call("glCompileShader", shader)
        self.call("glCreateProgram", result=name)
        self.call("glAttachShader", name, name - 2)
        self.call("glAttachShader", name, name - 1)
        self.call("glLinkProgram2", name, 1)
        self.call("glUseProgram", name)

    def data(self) -> bytes:
        book = struct.pack("<I", max(self._ids.values(), default=3))
        names = dict.fromkeys(range(1, 4), "") | {number: name for name, number in self._ids.items()}
        for number, name in sorted(names.items()):
            book += struct.pack("<I", number) + (padded(name.encode() + b"\0") if name else bytes(4))
        self_length = struct.pack("<I", 4 + len(book))
        thread = {"id": 0, "winW": 64, "winH": 48, "EGLConfig": CONFIG, "attributes": [], "clientSideBufferSize": 0}
        meta = {"glesVersion": 3, "defaultTid": 0, "callCnt": self.num_calls, "frameCnt": 0, "threads": [thread]}
        text = json.dumps(meta | self._meta).encode()
        first = 32 + len(text) + 32  # a real file reserves half a megabyte; readers go by the field
        out = struct.pack("<IIIIqq", 32, 0x20122012, self._version, len(text), 32, first)
        out = (out + text).ljust(first, b"\0")
        for chunk in (self_length + book + self._chunks[0], *self._chunks[1:]):
            block = bytes(snappy.compress_raw(bytes(chunk)))
            out += struct.pack("<I", len(block)) + block
        return out

    def write(self, path: Path) -> Path:
        path.write_bytes(self.data())
        return path
