"""Damaged PATrace files: what they are made of, and what the importer has to make of them."""

from __future__ import annotations

import json
import random
import signal
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from cramjam import snappy
from pat_writer import CONTEXT, DISPLAY, Client, PatWriter

import capture.importers.patrace.walking  # noqa: F401 - compiled before the clock of a case runs
from capture.importers import import_trace
from traceformat.calls import Offset
from traceformat.errors import InternalError, ToolError
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace

#: Seconds of processor time that a file may take.
LIMIT_SECONDS = 20
_INTERESTING = (0, 1, 2, 3, 4, 5, 7, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 1 << 20)


class HangError(Exception):
    """The import of a case took too long."""


def small_file() -> bytes:
    """A file with every kind of argument, client memory, mappings, patches and two threads."""
    pat = PatWriter(capture_device_version="OpenGL ES 3.2", contexts=[{"id": CONTEXT, "glesVersion": 3}])
    pat.window()
    pat.window(32, 32, thread=1, share=CONTEXT, number=1)
    pat.program("void main() { gl_Position = vec4(0.0); }", "void main() { gl_FragColor = vec4(1.0); }")
    pat.call("glGetUniformLocation", 3, "c", result=0, injected=True)
    pat.call("glTransformFeedbackVaryings", 3, 2, ["a", "bc"], gl.GL_INTERLEAVED_ATTRIBS)
    pat.call("glGenTextures", 2, [5, 9])
    image = (gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 2, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    pat.call("glTexImage2D", *image, b"01234567")
    pat.call("glTexImage2D", *image, Offset(8))
    pat.call("glGetIntegerv", gl.GL_VIEWPORT, [0, 0, 64, 48])
    pat.call("glGetString", gl.GL_VERSION, result="OpenGL ES 3.2")
    pat.call("glFenceSync", 0x9117, 0, result=1 << 40)
    pat.call("glClientWaitSync", 1 << 40, 1, 5, result=0x911A)
    pat.call("eglCreateImageKHR", DISPLAY, CONTEXT, 0x30B1, 7, [0x30D2, 1, 0x3038], result=-77)
    pat.end_chunk()
    for frame in range(3):
        pat.call("glBindBuffer", gl.GL_ARRAY_BUFFER, 4)
        pat.call("glMapBufferRange", gl.GL_ARRAY_BUFFER, 16, 64, 2, result=Offset(1234))
        pat.call("glCreateClientSideBuffer", result=2 + frame, injected=True)
        pat.call("glClientSideBufferData", 2 + frame, 32, bytes(32), injected=True)
        pat.call("glClientSideBufferSubData", 2 + frame, 4, 8, b"12345678", injected=True)
        pat.call("glCopyClientSideBuffer", gl.GL_ARRAY_BUFFER, 2 + frame, injected=True)
        patch = struct.pack("<III2s", 2, 16, 2, b"xy") + struct.pack("<II1s", 40, 1, b"z")
        pat.call("glPatchClientSideBuffer", gl.GL_ARRAY_BUFFER, 100, patch, injected=True)
        pat.call("glUnmapBuffer", gl.GL_ARRAY_BUFFER, result=1)
        pat.call("glVertexAttribPointer", 0, 2, gl.GL_FLOAT, 0, 0, Client((2 + frame, 4)), injected=True)
        pat.call("glUniform4fv", 0, 1, [0.5, 1.0, 0.25, 1.0])
        pat.call("glDrawElements", gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_BYTE, Client((2 + frame, 0)))
        pat.call("glDrawArrays", gl.GL_TRIANGLES, 0, 3, thread=1)
        pat.call("glReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        pat.swap()
        pat.end_chunk()
    pat.call("glDeleteBuffers", 1, [4])
    pat.call("glDeleteClientSideBuffer", 2)
    return pat.data()


class Parts:
    """A file taken apart: header, JSON, uncompressed chunks."""

    def __init__(self, data: bytes) -> None:
        self.version, num_json, begin, first = struct.unpack_from("<IIqq", data, 8)
        self.text = data[begin : begin + num_json]
        self.chunks: list[bytearray] = []
        at = first
        while at + 4 <= len(data):
            size = int.from_bytes(data[at : at + 4], "little")
            self.chunks.append(bytearray(bytes(snappy.decompress_raw(data[at + 4 : at + 4 + size]))))
            at += 4 + size

    def data(self) -> bytes:
        first = 32 + len(self.text)
        out = struct.pack("<IIIIqq", 32, 0x20122012, self.version, len(self.text), 32, first) + self.text
        blocks = [bytes(snappy.compress_raw(bytes(chunk))) for chunk in self.chunks]
        return out + b"".join(struct.pack("<I", len(block)) + block for block in blocks)


def _change_words(chance: random.Random, data: bytearray, count: int) -> None:
    for _ in range(count):
        at = chance.randrange(0, max(len(data) - 4, 1)) & (~3 if chance.random() < 0.8 else ~0)
        kind = chance.randrange(4)
        if kind == 0:
            value = chance.choice(_INTERESTING)
        elif kind == 1:
            value = int.from_bytes(data[at : at + 4], "little") ^ (1 << chance.randrange(32))
        elif kind == 2:
            value = int.from_bytes(data[at : at + 4], "little") + chance.choice((-4, -1, 1, 4))
        else:
            value = chance.getrandbits(32)
        data[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")


def _change_json(chance: random.Random, text: bytes) -> bytes:
    meta: dict[str, Any] = json.loads(text.rstrip(b"\0"))
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            places.append((node, key))
            if isinstance(value, (dict, list)):
                walk(value)

    walk(meta)
    for _ in range(chance.randrange(1, 4)):
        node, key = chance.choice(places)
        node[key] = chance.choice([None, -1, 0, 1, 2, 3, 1 << 70, 1e300, "x", [], {}, [[]], True, [{}], 5])
    return json.dumps(meta).encode()


def damaged(seed: int, number: int, originals: list[bytes]) -> bytes:
    """One damaged file, a function of seed and number."""
    chance = random.Random(f"{seed}/{number}")
    data = originals[number % len(originals)]
    kind = chance.randrange(6)
    if kind == 0:
        return data[: chance.randrange(len(data))]
    if kind == 1:
        out = bytearray(data)
        _change_words(chance, out, chance.randrange(1, 6))
        return bytes(out)
    parts = Parts(data)
    chunk = chance.choice(parts.chunks)
    if kind == 2:
        parts.text = _change_json(chance, parts.text)
    elif kind == 3:
        begin = 4 * chance.randrange(len(chunk) // 4 + 1)
        end = min(begin + 4 * chance.randrange(1, 40), len(chunk))
        chunk[begin:end] = chunk[begin:end] * chance.choice((0, 2, 3))
    elif kind == 4:
        chance.shuffle(parts.chunks)
        parts.version = chance.choice((3, 4, 5, 6, 7))
    if kind != 2:
        _change_words(chance, chunk, chance.randrange(1, 6) if chunk else 0)
    return parts.data()


@contextmanager
def _limit() -> Iterator[None]:
    def expired(number: int, frame: FrameType | None) -> None:
        raise HangError(f"more than {LIMIT_SECONDS} s")

    before = signal.signal(signal.SIGPROF, expired)
    signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(data: bytes, folder: Path) -> str:
    """Import a file; gives how that ended.

    Raises
    ------
    Exception : anything but a clear error, or a trace that is not whole
    """
    source, target = folder / "in.pat", folder / "out.gltrace"
    source.write_bytes(data)
    target.unlink(missing_ok=True)
    with _limit():
        try:
            report = import_trace(source, target)
        except InternalError:
            raise
        except ToolError as error:
            assert not target.exists()
            return type(error).__name__
        with open_trace(target) as reader:
            assert not reader.damage
            assert len(list(reader)) == report.calls_written
    return "damage told" if report.damage else "warnings" if report.warnings() else "imported"
