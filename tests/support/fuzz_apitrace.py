"""Small apitrace files, changed: in the events, in the stream of octets, or in the container."""

from __future__ import annotations

import gzip
import random
import struct
from collections.abc import Callable
from typing import Any

import brotli
import zstandard
from cramjam import snappy

_HOSTILE = (
    0,
    1,
    64,
    255,
    4096,
    65536,
    1 << 20,
    1 << 28,
    (1 << 31) - 1,
    1 << 31,
    1 << 40,
    (1 << 64) - 1,
    -1,
    -5,
    -(1 << 31),
)
_VERTEX = "attribute vec4 p; void main() { gl_Position = p; }"
_FRAGMENT = "precision mediump float; uniform sampler2D s; void main() { gl_FragColor = texture2D(s, vec2(0.5)); }"


class _Pointer(int):
    pass


class _Enum(int):
    pass


def _uint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _text(value: str) -> bytes:
    return _uint(len(value.encode())) + value.encode()


class _Stream:
    """Writes a version 6 stream."""

    def __init__(self, rng: random.Random | None) -> None:
        self.data = bytearray(_uint(6) + _uint(6) + _text("process.name") + _text("fuzz") + _text(""))
        self._functions: dict[str, int] = {}
        self._enums: set[int] = set()
        self._calls = 0
        self._rng = rng

    def _value(self, item: Any) -> bytes:
        rng = self._rng
        if rng is not None and rng.random() < 0.01:
            item = rng.choice((None, True, rng.choice(_HOSTILE), 1.5, "text", b"blob", _Pointer(77), [1, [2.0, None]]))
        if item is None:
            return b"\x00"
        if isinstance(item, bool):
            return b"\x02" if item else b"\x01"
        if isinstance(item, _Pointer):
            return b"\x0d" + _uint(item)
        if isinstance(item, _Enum):
            number = int(item) + 7
            signature = b"" if number in self._enums else _uint(1) + _text("NAME") + b"\x04" + _uint(item)
            self._enums.add(number)
            return b"\x09" + _uint(number) + signature + b"\x04" + _uint(item)
        if isinstance(item, int):
            return b"\x03" + _uint(-item) if item < 0 else b"\x04" + _uint(item)
        if isinstance(item, float):
            return b"\x05" + struct.pack("<f", item)
        if isinstance(item, str):
            return b"\x07" + _text(item)
        if isinstance(item, bytes):
            return b"\x08" + _uint(len(item)) + item
        return b"\x0b" + _uint(len(item)) + b"".join(self._value(i) for i in item)

    def call(
        self, name: str, *args: Any, outputs: dict[int, Any] | None = None, result: Any = None, fake: bool = False
    ) -> None:
        rng = self._rng
        repeat = 1
        if rng is not None:
            repeat = rng.choice((1,) * 60 + (0, 2, 3))
        for _ in range(repeat):
            signature = b""
            if name not in self._functions:
                self._functions[name] = len(self._functions)
                signature = _text(name) + _uint(len(args)) + b"".join(_text(f"a{i}") for i in range(len(args)))
            self.data += b"\x00" + _uint(0) + _uint(self._functions[name]) + signature
            for index, item in enumerate(args):
                self.data += b"\x01" + _uint(index) + self._value(item)
            self.data += (b"\x05\x01" if fake else b"") + b"\x00\x01" + _uint(self._calls)
            for index, item in (outputs or {}).items():
                self.data += b"\x01" + _uint(index) + self._value(item)
            if result is not None:
                self.data += b"\x02" + self._value(result)
            self.data += b"\x00"
            self._calls += 1


def _program(stream: _Stream) -> None:
    call, display = stream.call, _Pointer(1)
    call("eglBindAPI", 0x30A0, result=True)
    call("eglCreateContext", display, _Pointer(2), None, [0x3098, 2, 0x3038], result=_Pointer(0x1000))
    call("eglCreateWindowSurface", display, _Pointer(2), _Pointer(3), None, result=_Pointer(0x2000))
    call("eglCreatePbufferSurface", display, _Pointer(2), [0x3057, 16, 0x3056, 16, 0x3038], result=_Pointer(0x3000))
    call("eglMakeCurrent", display, _Pointer(0x2000), _Pointer(0x2000), _Pointer(0x1000), result=True)
    call("glViewport", 0, 0, 32, 24, fake=True)
    for shader, (kind, source) in enumerate(((0x8B31, _VERTEX), (0x8B30, _FRAGMENT)), 11):
        call("glCreateShader", _Enum(kind), result=shader)
        call("glShaderSource", shader, 1, [source], None)
        call("glCompileShader", shader)
    call("glCreateProgram", result=10)
    call("glAttachShader", 10, 11)
    call("glAttachShader", 10, 12)
    call("glLinkProgram", 10)
    call("glUseProgram", 10)
    call("glGetAttribLocation", 10, "p", result=0)
    call("glGetUniformLocation", 10, "s", result=3)
    call("glUniform1i", 3, 0)
    call("glGenTextures", 1, _Pointer(9), outputs={1: [5]})
    call("glBindTexture", _Enum(0x0DE1), 5)
    call("glTexImage2D", _Enum(0x0DE1), 0, _Enum(0x1908), 4, 4, 0, _Enum(0x1908), _Enum(0x1401), bytes(range(64)))
    call("glGenBuffers", 1, _Pointer(9), outputs={1: [7]})
    call("glBindBuffer", _Enum(0x8892), 7)
    call("glBufferData", _Enum(0x8892), 48, struct.pack("<12f", -1, -1, 0, 1, 1, -1, 0, 1, 0, 1, 0, 1), _Enum(0x88E4))
    call("glEnableVertexAttribArray", 0)
    call("glVertexAttribPointer", 0, 4, _Enum(0x1406), False, 0, None)
    for _ in range(2):
        call("glClear", 0x4000)
        call("glDrawArrays", _Enum(4), 0, 3)
        call("glMapBufferOES", _Enum(0x8892), _Enum(0x88B9), result=_Pointer(0x5000))
        call("memcpy", _Pointer(0x5000), struct.pack("<4f", -0.5, -1, 0, 1), 16)
        call("glUnmapBufferOES", _Enum(0x8892), result=True)
        call("glBindBuffer", _Enum(0x8892), 0)
        call("glVertexAttribPointer", 0, 4, _Enum(0x1406), False, 0, bytes(48))
        call("glDrawElements", _Enum(4), 3, _Enum(0x1403), struct.pack("<3H", 0, 1, 2))
        call("glUniform4fv", 0, 1, [1.0, 2.0, 3.0, 4.0])
        call("glReadPixels", 0, 0, 2, 2, _Enum(0x1908), _Enum(0x1401), _Pointer(8), outputs={6: bytes(16)})
        call("glBindBuffer", _Enum(0x8892), 7)
        call("glVertexAttribPointer", 0, 4, _Enum(0x1406), False, 0, None)
        call("eglSwapBuffers", display, _Pointer(0x2000), result=True)
    call("eglDestroyContext", display, _Pointer(0x1000), result=True)


def _snappy(data: bytes, block: int) -> bytes:
    out = bytearray(b"at")
    for start in range(0, len(data), block):
        packed = bytes(snappy.compress_raw(data[start : start + block]))
        out += struct.pack("<I", len(packed)) + packed
    return bytes(out)


def apitrace_case(rng: random.Random, mutate: Callable[[bytes, random.Random], bytes]) -> bytes:
    """A file of apitrace, changed in one of its three layers."""
    layer = rng.randrange(3)
    stream = _Stream(rng if layer == 0 else None)
    _program(stream)
    data = bytes(stream.data)
    if layer == 1:
        data = mutate(data, rng)
    pack = rng.choice((lambda d: _snappy(d, 200), gzip.compress, zstandard.compress, brotli.compress))
    packed = pack(data)
    return mutate(packed, rng) if layer == 2 else packed
