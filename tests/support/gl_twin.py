"""One program on Mesa and on the replay: what Mesa answered is recorded, played and compared.

A scene is a function that is given a :class:`Recording` and calls GL through it. Mesa executes each call at once; calls
and answers (names, pixels, results, errors) become a trace. :func:`compare` plays such a trace on the engine and holds
every answer against what Mesa gave.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Direction
from traceformat.gles.formats import packed_bytes

__all__ = ["Difference", "NoDriver", "Recording", "compare", "drawn_picture"]

_TYPES: dict[str, Any] = {
    "GLenum": ctypes.c_uint,
    "GLuint": ctypes.c_uint,
    "GLbitfield": ctypes.c_uint,
    "GLint": ctypes.c_int,
    "GLsizei": ctypes.c_int,
    "GLboolean": ctypes.c_ubyte,
    "GLfloat": ctypes.c_float,
    "GLdouble": ctypes.c_double,
    "GLintptr": ctypes.c_ssize_t,
    "GLsizeiptr": ctypes.c_ssize_t,
    "GLuint64": ctypes.c_uint64,
    "GLsync": ctypes.c_void_p,
    "void": None,
}
_SURFACELESS = 0x31DD
_COMPARED = ("glReadPixels", "glGetQueryObjectuiv", "glGetError", "glCheckFramebufferStatus", "glGetTexImage")


class NoDriver(Exception):
    """This machine has no such GL."""


class Recording:
    """A context of Mesa with a pbuffer, and the calls made on it.

    Parameters
    ----------
    api : 0 GLES, 1 GL core, 2 GL compatibility
    version : (major, minor)
    size : of the pbuffer
    samples : of the pbuffer
    """

    def __init__(
        self,
        api: int = 0,
        version: tuple[int, int] = (3, 0),
        size: tuple[int, int] = (64, 64),
        samples: int = 0,
        share: Recording | None = None,
    ) -> None:
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        try:
            egl = ctypes.CDLL("libEGL.so.1")
        except OSError:
            raise NoDriver("no libEGL") from None
        for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
            getattr(egl, name).restype = ctypes.c_void_p
        display = ctypes.c_void_p(egl.eglGetPlatformDisplay(_SURFACELESS, None, None))
        if not display or not egl.eglInitialize(display, None, None):
            raise NoDriver("EGL has no surfaceless platform")
        egl.eglBindAPI(0x30A2 if api else 0x30A0)
        bits = (0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3025, 24, 0x3026, 8)
        wanted = [*bits, 0x3033, 1, 0x3031, samples, 0x3032, int(samples > 0), 0x3040, 0x08 if api else 0x40, 0x3038]
        config, count = ctypes.c_void_p(), ctypes.c_int()
        egl.eglChooseConfig(
            display, (ctypes.c_int * len(wanted))(*wanted), ctypes.byref(config), 1, ctypes.byref(count)
        )
        if not count.value:
            raise NoDriver("EGL has no such config")
        asked = [0x3098, version[0], 0x30FB, version[1]]
        if api and version >= (3, 2):
            asked += [0x30FD, api]
        shared = share._context if share is not None else None
        attributes = (ctypes.c_int * (len(asked) + 1))(*asked, 0x3038)
        context = ctypes.c_void_p(egl.eglCreateContext(display, config, shared, attributes))
        surface = ctypes.c_void_p(
            egl.eglCreatePbufferSurface(display, config, (ctypes.c_int * 5)(0x3057, size[0], 0x3056, size[1], 0x3038))
        )
        if not context or not surface:
            raise NoDriver("EGL gives no such context")
        self._egl, self._display, self._surface, self._context = egl, display, surface, context
        egl.eglMakeCurrent(display, surface, surface, context)
        self._functions: dict[str, Any] = {}
        self.calls: list[Call] = []
        self.size = size
        profile = api if api and version >= (3, 2) else 2 * bool(api)
        self._trace("traceContext", 1, int(api > 0), *version, profile, 8, 8, 8, 8, 24, 8, samples, 0)
        self._trace("traceDrawable", 1, *size, 1)
        self._trace("traceMakeCurrent", 1, 1, 1)
        self("glViewport", 0, 0, *size)
        # A new pbuffer has any content.
        self("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
        self("glPixelStorei", gl.GL_PACK_ALIGNMENT, 1)
        self("glPixelStorei", gl.GL_UNPACK_ALIGNMENT, 1)

    def _trace(self, name: str, *args: Any) -> None:
        self.calls.append(Call(len(self.calls), name, 1, 1, 0, args))

    def close(self) -> None:
        """Let go of the context (it is not destroyed: Mesa 22.3 crashes in some of the states left here)."""
        self._egl.eglMakeCurrent(self._display, None, None, None)

    def _function(self, name: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            command = COMMANDS[name]
            params = [ctypes.c_void_p if p.is_pointer else _TYPES[p.c_type] for p in command.params]
            result = ctypes.c_void_p if command.result.is_pointer else _TYPES[command.result.c_type]
            address = self._egl.eglGetProcAddress(name.encode())
            function = self._functions[name] = ctypes.CFUNCTYPE(result, *params)(address)
        return function

    def __call__(self, name: str, *args: Any) -> Any:
        """Call GL; outputs are left out of ``args`` as None."""
        command = COMMANDS[name]
        values: list[Any] = []
        buffers: dict[str, Any] = {}
        for param, value in zip(command.params, args, strict=True):
            if isinstance(value, tuple):
                texts = [text.encode() for text in value]
                values.append(ctypes.cast((ctypes.c_char_p * len(texts))(*texts), ctypes.c_void_p))
            elif isinstance(value, str):
                values.append(ctypes.cast(ctypes.c_char_p(value.encode()), ctypes.c_void_p))
            elif isinstance(value, Offset):
                values.append(ctypes.c_void_p(int(value)))
            elif isinstance(value, bytes):
                values.append(ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p))
            elif param.direction is Direction.OUT and value is None:
                buffers[param.name] = ctypes.create_string_buffer(self._room(name, args))
                values.append(ctypes.cast(buffers[param.name], ctypes.c_void_p))
            else:
                values.append(value)
        result = self._function(name)(*values)
        outputs = {key: buffer.raw for key, buffer in buffers.items()}
        self.calls.append(Call(len(self.calls), name, 1, 1, 0, args, outputs, result))
        return result

    @staticmethod
    def _room(name: str, args: tuple[Any, ...]) -> int:
        if name == "glReadPixels":
            return packed_bytes(args[4], args[5], args[2], args[3])
        if name.startswith(("glGen", "glCreate")):
            return 4 * int(args[0])
        if name in ("glGetQueryObjectuiv", "glGetIntegerv"):
            return 64
        if name == "glGetBufferSubData":
            return int(args[2])
        return 4096

    # ------------------------------------------------------------------ shorthands
    @property
    def output(self) -> bytes:
        """First output of the last call."""
        first: Any = next(iter(self.calls[-1].outputs.values()))
        return bytes(first)

    def generate(self, kind: str) -> int:
        """Make one name: ``kind`` as in glGenTextures."""
        self(f"glGen{kind}", 1, None)
        return int.from_bytes(self.output[:4], "little")

    def program(
        self,
        vertex: str,
        fragment: str,
        varyings: tuple[str, ...] = (),
        geometry: str = "",
        control: str = "",
        evaluation: str = "",
        **locations: int,
    ) -> int:
        """Compile, link and use."""
        number: int = self("glCreateProgram")
        sources = [
            (gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment), (gl.GL_GEOMETRY_SHADER, geometry),
            (gl.GL_TESS_CONTROL_SHADER, control), (gl.GL_TESS_EVALUATION_SHADER, evaluation),
        ]  # fmt: skip
        for kind, source in sources:
            if not source:
                continue
            shader = self("glCreateShader", kind)
            self("glShaderSource", shader, 1, (source,), None)
            self("glCompileShader", shader)
            self("glAttachShader", number, shader)
        for name, location in locations.items():
            self("glBindAttribLocation", number, location, name)
        if varyings:
            self("glTransformFeedbackVaryings", number, len(varyings), varyings, gl.GL_INTERLEAVED_ATTRIBS)
        self("glLinkProgram", number)
        status = ctypes.c_int()
        self._function("glGetProgramiv")(number, gl.GL_LINK_STATUS, ctypes.byref(status))
        if not status.value:
            log = ctypes.create_string_buffer(4096)
            self._function("glGetProgramInfoLog")(number, 4096, None, log)
            raise AssertionError(log.value.decode())
        self("glUseProgram", number)
        return number

    def buffer(self, data: Any, target: int = gl.GL_ARRAY_BUFFER) -> int:
        """Make a buffer with this content."""
        name = self.generate("Buffers")
        content = np.ascontiguousarray(data).tobytes()
        self("glBindBuffer", target, name)
        self("glBufferData", target, len(content), content, gl.GL_STATIC_DRAW)
        return name

    def vertices(self, **arrays: tuple[int, Any]) -> None:
        """Attributes by location: ``name=(location, (N, components) array)``."""
        for location, data in arrays.values():
            data = np.ascontiguousarray(data, np.float32)
            self.buffer(data)
            self("glVertexAttribPointer", location, data.shape[1], gl.GL_FLOAT, 0, 0, Offset(0))
            self("glEnableVertexAttribArray", location)

    def uniform(self, program: int, name: str) -> int:
        """Location of a uniform."""
        location: int = self("glGetUniformLocation", program, name)
        return location

    def target(
        self, format: int, width: int, height: int, samples: int = 0, point: int = gl.GL_COLOR_ATTACHMENT0
    ) -> None:
        """Attach a new renderbuffer to the bound framebuffer."""
        name = self.generate("Renderbuffers")
        self("glBindRenderbuffer", gl.GL_RENDERBUFFER, name)
        self("glRenderbufferStorageMultisample", gl.GL_RENDERBUFFER, samples, format, width, height)
        self("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, name)

    def framebuffer(self) -> int:
        """Make and bind a framebuffer."""
        name = self.generate("Framebuffers")
        self("glBindFramebuffer", gl.GL_FRAMEBUFFER, name)
        return name

    def read(
        self, format: int = gl.GL_RGBA, type: int = gl.GL_UNSIGNED_BYTE, size: tuple[int, int] | None = None
    ) -> None:
        """Read the framebuffer back, and the error flag."""
        width, height = size or self.size
        self("glReadPixels", 0, 0, width, height, format, type, None)
        self("glGetError")


@dataclass
class Difference:
    """One answer that differs.

    Parameters
    ----------
    call : its number
    name : entry point
    text : what differs
    pixels : how many differ; more than any picture has where an answer is wrong altogether
    """

    call: int
    name: str
    text: str
    pixels: int = 1 << 30


_DTYPES = {
    gl.GL_UNSIGNED_BYTE: "u1",
    gl.GL_BYTE: "i1",
    gl.GL_UNSIGNED_SHORT: "<u2",
    gl.GL_SHORT: "<i2",
    gl.GL_UNSIGNED_INT: "<u4",
    gl.GL_INT: "<i4",
    gl.GL_FLOAT: "<f4",
    gl.GL_HALF_FLOAT: "<f2",
}


def _pixels(call: Call, ours: bytes, theirs: bytes, tolerance: float) -> Difference | None:
    """How two read-backs differ by more than the tolerance (in steps, or in 1/255 of floats), if they do."""
    if len(ours) != len(theirs):
        return Difference(call.number, call.name, f"{len(ours)} and {len(theirs)} bytes")
    _, _, width, height, _, kind = (int(str(value)) for value in call.args[:6])
    dtype = _DTYPES.get(kind, "<u4")
    a = np.frombuffer(ours, dtype).astype(np.float64)
    b = np.frombuffer(theirs, dtype).astype(np.float64)
    scale = np.maximum(np.abs(b), 1.0) / 255.0 if kind in (gl.GL_FLOAT, gl.GL_HALF_FLOAT) else 1.0
    with np.errstate(invalid="ignore"):
        off = ~((np.abs(a - b) <= tolerance * scale) | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not off.any():
        return None
    rows = off.reshape(height, -1)
    channels = rows.shape[1] // width
    bad = rows.reshape(height, width, channels).any(axis=2)
    y, x = (int(v[0]) for v in np.nonzero(bad))
    at = slice((y * width + x) * channels, (y * width + x + 1) * channels)
    worst = float(np.nanmax(np.abs(a - b)))
    text = f"{int(bad.sum())} of {bad.size} pixels, worst {worst:g}; at ({x}, {y}) ours {a[at]} Mesa {b[at]}"
    return Difference(call.number, call.name, text, int(bad.sum()))


def drawn_picture(calls: Iterable[Call], executor: str) -> bytes:
    """What the first glReadPixels of a recording gives, played on the engine with one of the executors."""
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker
    from traceformat.gputrace.frametrace import ColumnSet

    tracker = Tracker(Engine(ColumnSet(()), executor=executor), remap=True)
    for call in calls:
        tracker.execute(call)
        if call.name == "glReadPixels":
            return bytes(tracker.outputs["pixels"])
    return b""


def compare(calls: Iterable[Call], tolerance: float = 1.0, threads: int = 1) -> list[Difference]:
    """Play a recording on the engine and list the answers that differ from the recorded ones."""
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker
    from traceformat.gputrace.frametrace import ColumnSet

    tracker = Tracker(Engine(ColumnSet(()), threads=threads), remap=True)
    found: list[Difference] = []
    for call in calls:
        result = tracker.execute(call)
        if call.name not in _COMPARED:
            continue
        if call.name in ("glGetError", "glCheckFramebufferStatus"):
            if result != call.result:
                found.append(Difference(call.number, call.name, f"ours {result:#x}, Mesa {call.result:#x}"))
            continue
        for key, theirs in call.outputs.items():
            ours = tracker.outputs.get(key, b"")
            assert isinstance(theirs, bytes)
            if call.name == "glReadPixels":
                different = _pixels(call, ours, theirs, tolerance)
                found += [different] if different is not None else []
            elif ours[:4] != theirs[:4]:
                text = f"{key}: ours {ours[:4].hex()}, Mesa {theirs[:4].hex()}"
                found.append(Difference(call.number, call.name, text))
    return found
