"""Mesa's GLSL compiler as an independent judge of ours: compile, link, and draw into a float target.

:class:`Mesa` works in this process; :class:`MesaProcess` has it in a child, so that a crash of the driver is a verdict
and not the end of the run.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import multiprocessing
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

EGL_OPENGL_ES_API, EGL_OPENGL_API, EGL_NONE = 0x30A0, 0x30A2, 0x3038
EGL_MAJOR, EGL_MINOR, EGL_PROFILE_MASK = 0x3098, 0x30FB, 0x30FD
PROFILES = {
    "es": (EGL_OPENGL_ES_API, 3, 0, 0),
    "core": (EGL_OPENGL_API, 3, 3, 1),
    "compatibility": (EGL_OPENGL_API, 3, 1, 2),
}
COMPILE_STATUS, LINK_STATUS = 0x8B81, 0x8B82
STAGES = {"vertex": 0x8B31, "fragment": 0x8B30, "compute": 0x91B9, "geometry": 0x8DD9,
          "tess_control": 0x8E88, "tess_evaluation": 0x8E87}  # fmt: skip
STORAGE_BUFFER, COUNTER_BUFFER, ALL_BARRIERS = 0x90D2, 0x92C0, 0xFFFFFFFF
TEXTURE_2D, RGBA32F, RGBA, FLOAT, FRAMEBUFFER, COLOR_ATTACHMENT0 = 0x0DE1, 0x8814, 0x1908, 0x1406, 0x8D40, 0x8CE0


class MesaMissingError(RuntimeError):
    """There is no Mesa to ask."""


class Mesa:
    """A surfaceless context of one kind: "es" (3.x), "core" (3.3) or "compatibility"."""

    def __init__(self, profile: str) -> None:
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
        name = ctypes.util.find_library("EGL")
        if name is None:
            raise MesaMissingError("no libEGL")
        egl = ctypes.CDLL(name)
        egl.eglGetDisplay.restype = egl.eglCreateContext.restype = egl.eglGetProcAddress.restype = ctypes.c_void_p
        egl.eglGetDisplay.argtypes = [ctypes.c_void_p]
        egl.eglInitialize.argtypes = [ctypes.c_void_p] * 3
        egl.eglCreateContext.argtypes = [ctypes.c_void_p] * 4
        egl.eglMakeCurrent.argtypes = [ctypes.c_void_p] * 4
        self._egl = egl
        display = egl.eglGetDisplay(None)
        if not display or not egl.eglInitialize(display, None, None):
            raise MesaMissingError("no EGL display")
        api, major, minor, mask = PROFILES[profile]
        egl.eglBindAPI(api)
        wanted = [EGL_MAJOR, major, EGL_MINOR, minor] + ([EGL_PROFILE_MASK, mask] if mask else []) + [EGL_NONE]
        context = egl.eglCreateContext(display, None, None, (ctypes.c_int * len(wanted))(*wanted))
        if not context or not egl.eglMakeCurrent(display, None, None, context):
            raise MesaMissingError(f"no {profile} context")
        self._functions: dict[str, Any] = {}

    @staticmethod
    def probe() -> None:
        """Raise MesaMissingError where there is no Mesa."""
        answer = MesaProcess().ask("es", "compile", "void main() { }", "vertex")
        if answer is None:
            raise MesaMissingError("no EGL context")

    def gl(self, name: str, *args: Any) -> Any:
        """Call a GL function; floats must be c_float."""
        function = self._functions.get(name)
        if function is None:
            address = self._egl.eglGetProcAddress(name.encode())
            function = self._functions[name] = ctypes.CFUNCTYPE(ctypes.c_uint)(address)
            function.argtypes = None
        return function(*args)

    def _status(self, kind: str, object_: int, what: int) -> tuple[bool, str]:
        status, log = ctypes.c_int(), ctypes.create_string_buffer(4096)
        self.gl(f"glGet{kind}iv", object_, what, ctypes.byref(status))
        self.gl(f"glGet{kind}InfoLog", object_, 4096, None, log)
        return bool(status.value), log.value.decode(errors="replace")

    def _shader(self, source: str, stage: str) -> tuple[int, bool, str]:
        shader = self.gl("glCreateShader", STAGES[stage])
        text = source.encode("latin-1", "replace")
        strings, lengths = (ctypes.c_char_p * 1)(text), (ctypes.c_int * 1)(len(text))
        self.gl("glShaderSource", shader, 1, strings, lengths)
        self.gl("glCompileShader", shader)
        return shader, *self._status("Shader", shader, COMPILE_STATUS)

    def compile(self, source: str, stage: str) -> tuple[bool, str]:
        """Compile one shader: (accepted, log)."""
        shader, ok, log = self._shader(source, stage)
        self.gl("glDeleteShader", shader)
        return ok, log

    def dispatch(
        self, source: str, groups: tuple[int, int, int], buffers: dict[int, bytes], uniforms: dict[str, Sequence[Any]]
    ) -> tuple[str, str, dict[int, bytes]]:
        """Run a compute shader over storage buffers by binding: (verdict, log, the buffers behind it)."""
        program = self.gl("glCreateProgram")
        shader, ok, log = self._shader(source, "compute")
        self.gl("glAttachShader", program, shader)
        self.gl("glDeleteShader", shader)
        verdict = "ok" if ok else "compile"
        if ok:
            self.gl("glLinkProgram", program)
            ok, log = self._status("Program", program, LINK_STATUS)
            verdict = "ok" if ok else "link"
        out: dict[int, bytes] = {}
        if verdict == "ok":
            self.gl("glUseProgram", program)
            self._set_uniforms(program, uniforms)
            names = {}
            for binding, content in buffers.items():
                names[binding] = name = ctypes.c_uint()
                self.gl("glGenBuffers", 1, ctypes.byref(name))
                self.gl("glBindBuffer", STORAGE_BUFFER, name)
                self.gl("glBufferData", STORAGE_BUFFER, ctypes.c_ssize_t(len(content)), content, 0x88E9)
                self.gl("glBindBufferBase", STORAGE_BUFFER, binding, name)
            self.gl("glDispatchCompute", *groups)
            self.gl("glMemoryBarrier", ALL_BARRIERS)
            for binding, name in names.items():
                held = ctypes.create_string_buffer(len(buffers[binding]))
                self.gl("glBindBuffer", STORAGE_BUFFER, name)
                map_range = self._egl.eglGetProcAddress(b"glMapBufferRange")
                size = ctypes.c_ssize_t(len(held))
                kinds = (ctypes.c_void_p, ctypes.c_uint, ctypes.c_ssize_t, ctypes.c_ssize_t, ctypes.c_uint)
                place = ctypes.CFUNCTYPE(*kinds)(map_range)(STORAGE_BUFFER, 0, size, 1)
                out[binding] = ctypes.string_at(place, len(held))
                self.gl("glUnmapBuffer", STORAGE_BUFFER)
                self.gl("glDeleteBuffers", 1, ctypes.byref(name))
        self.gl("glDeleteProgram", program)
        return verdict, log, out

    def _set_uniforms(self, program: int, uniforms: dict[str, Sequence[Any]]) -> None:
        for name, values in uniforms.items():
            where = ctypes.c_int(self.gl("glGetUniformLocation", program, name.encode())).value
            if where >= 0:
                suffix = f"{len(values)}{'i' if isinstance(values[0], int) else 'f'}v"
                kind = ctypes.c_int if isinstance(values[0], int) else ctypes.c_float
                self.gl(f"glUniform{suffix}", where, 1, (kind * len(values))(*values))

    def link(self, vertex: str, fragment: str) -> tuple[str, str]:
        """Build a program: ("ok", "compile" or "link", log)."""
        program, verdict, log = self._program(vertex, fragment)
        self.gl("glDeleteProgram", program)
        return verdict, log

    def _program(self, vertex: str, fragment: str) -> tuple[int, str, str]:
        program = self.gl("glCreateProgram")
        for stage, source in (("vertex", vertex), ("fragment", fragment)):
            shader, ok, log = self._shader(source, stage)
            self.gl("glAttachShader", program, shader)
            self.gl("glDeleteShader", shader)
            if not ok:
                return program, "compile", log
        self.gl("glBindAttribLocation", program, 0, b"dEQP_Position")
        self.gl("glLinkProgram", program)
        ok, log = self._status("Program", program, LINK_STATUS)
        return program, "ok" if ok else "link", log

    def draw(
        self, vertex: str, fragment: str, uniforms: dict[str, Sequence[float]], width: int, height: int
    ) -> tuple[str, str, Any]:
        """Cover a float target with a quad whose attribute is ``dEQP_Position``: (verdict, log, (height, width, 4))."""
        program, verdict, log = self._program(vertex, fragment)
        if verdict != "ok":
            self.gl("glDeleteProgram", program)
            return verdict, log, None
        texture, target, array = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.gl("glGenTextures", 1, ctypes.byref(texture))
        self.gl("glBindTexture", TEXTURE_2D, texture)
        self.gl("glTexStorage2D", TEXTURE_2D, 1, RGBA32F, width, height)
        self.gl("glGenFramebuffers", 1, ctypes.byref(target))
        self.gl("glBindFramebuffer", FRAMEBUFFER, target)
        self.gl("glFramebufferTexture2D", FRAMEBUFFER, COLOR_ATTACHMENT0, TEXTURE_2D, texture, 0)
        self.gl("glViewport", 0, 0, width, height)
        self.gl("glUseProgram", program)
        self._set_uniforms(program, uniforms)
        corners = (ctypes.c_float * 16)(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1)
        buffer = ctypes.c_uint()
        self.gl("glGenVertexArrays", 1, ctypes.byref(array))
        self.gl("glBindVertexArray", array)
        self.gl("glGenBuffers", 1, ctypes.byref(buffer))
        self.gl("glBindBuffer", 0x8892, buffer)
        self.gl("glBufferData", 0x8892, ctypes.c_ssize_t(ctypes.sizeof(corners)), corners, 0x88E4)
        self.gl("glVertexAttribPointer", 0, 4, FLOAT, 0, 0, None)
        self.gl("glEnableVertexAttribArray", 0)
        self.gl("glDrawArrays", 5, 0, 4)
        out = np.zeros((height, width, 4), np.float32)
        self.gl("glReadPixels", 0, 0, width, height, RGBA, FLOAT, out.ctypes.data_as(ctypes.c_void_p))
        for kind, name in (
            ("Textures", texture),
            ("Framebuffers", target),
            ("VertexArrays", array),
            ("Buffers", buffer),
        ):
            self.gl(f"glDelete{kind}", 1, ctypes.byref(name))
        self.gl("glDeleteProgram", program)
        return verdict, log, out


#: Children begin anew: Mesa's threads, if this process has loaded it already, do not survive a fork.
_START = multiprocessing.get_context("spawn")


def _serve(pipe: Any) -> None:
    contexts: dict[str, Mesa] = {}
    while True:
        try:
            profile, method, args = pipe.recv()
        except EOFError:
            return
        # One context a process: making another one current for each call costs more than the calls.
        if profile not in contexts:
            contexts[profile] = Mesa(profile)
        pipe.send(getattr(contexts[profile], method)(*args))


class MesaProcess:
    """Mesa in child processes, one a profile, started again when one dies or takes too long."""

    def __init__(self, seconds: float = 20.0) -> None:
        self.seconds = seconds
        self._children: dict[str, tuple[Any, Any]] = {}

    def ask(self, profile: str, method: str, *args: Any) -> Any:
        """Call a method of :class:`Mesa`; None if the driver died or took too long."""
        if profile not in self._children:
            ours, theirs = multiprocessing.Pipe()
            child = _START.Process(target=_serve, args=(theirs,), daemon=True)
            child.start()
            theirs.close()
            self._children[profile] = (child, ours)
        child, pipe = self._children[profile]
        try:
            pipe.send((profile, method, args))
            if pipe.poll(self.seconds):
                return pipe.recv()
        except (EOFError, OSError):
            pass
        child.kill()
        del self._children[profile]
        return None

    def close(self) -> None:
        """End the children."""
        for child, pipe in self._children.values():
            pipe.close()
            child.kill()
        self._children.clear()
