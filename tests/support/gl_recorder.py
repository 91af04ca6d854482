"""Writes small GL programs as .gltrace files, call by call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from replay.engine.engine import Engine
from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles.tracker import Tracker
from traceformat.gltrace.writer import TraceWriter
from traceformat.gputrace.frametrace import MODEL_COLUMNS


class Recorder:
    """Executes calls as they are written, so that names and locations are real."""

    def __init__(self, *, version: tuple[int, int] = (3, 0), size: tuple[int, int], samples: int = 0) -> None:
        self.tracker = Tracker(Engine(MODEL_COLUMNS))
        self.calls: list[Call] = []
        self("traceContext", 1, 0, *version, 0, 8, 8, 8, 8, 24, 8, samples, 0)
        self("traceDrawable", 1, *size, 0)
        self("traceMakeCurrent", 1, 1, 1)
        self("glViewport", 0, 0, *size)

    def __call__(self, name: str, *args: Any) -> Any:
        call = Call(len(self.calls), name, 1, 1, 0, args)
        call.result = result = self.tracker.execute(call)
        assert self.tracker.failure is None, f"{name}: {self.tracker.failure}"
        self.calls.append(call)
        return result

    def program(self, vertex: str, fragment: str) -> int:
        number = self("glCreateProgram")
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            shader = self("glCreateShader", kind)
            self("glShaderSource", shader, 1, (source,), None)
            self("glCompileShader", shader)
            self("glAttachShader", number, shader)
        self("glBindAttribLocation", number, 0, "p")
        self("glBindAttribLocation", number, 1, "c")
        self("glLinkProgram", number)
        self("glUseProgram", number)
        return int(number)

    def vertices(self, data: np.ndarray, name: int = 1) -> None:
        """Eight floats a vertex: position and colour."""
        self("glBindBuffer", gl.GL_ARRAY_BUFFER, name)
        raw = np.ascontiguousarray(data, np.float32).tobytes()
        self("glBufferData", gl.GL_ARRAY_BUFFER, len(raw), raw, gl.GL_STATIC_DRAW)
        for location in (0, 1):
            self("glVertexAttribPointer", location, 4, gl.GL_FLOAT, 0, 32, Offset(16 * location))
            self("glEnableVertexAttribArray", location)

    def indices(self, data: Any, name: int = 2) -> None:
        raw = np.asarray(data, np.uint16).tobytes()
        self("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, name)
        self("glBufferData", gl.GL_ELEMENT_ARRAY_BUFFER, len(raw), raw, gl.GL_STATIC_DRAW)

    def texture(self, size: int = 32) -> None:
        pixels = np.random.default_rng(5).integers(0, 256, (size, size, 4)).astype(np.uint8).tobytes()
        self("glBindTexture", gl.GL_TEXTURE_2D, 1)
        self("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, size, size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
        self("glGenerateMipmap", gl.GL_TEXTURE_2D)

    def clear(self) -> None:
        self("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)

    def swap(self) -> None:
        self("traceSwap", 1, "eglSwapBuffers")

    def write(self, path: Path) -> Path:
        with TraceWriter(path) as writer:
            for call in self.calls:
                writer.write_call(call)
        return path
