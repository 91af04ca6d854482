"""Plays a command trace on the machine's own GL, off screen: the reference for the software replay.

Used by tests and benchmarks to compare pictures and speed with a driver (Mesa's llvmpipe); nothing of the toolchain
needs it. It speaks EGL with pbuffers, so it wants no display.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from capture.trampoline import argument_types, c_type
from traceformat.calls import Call, Offset, Value
from traceformat.errors import MissingEnvironmentError, ReplayError
from traceformat.gles import egl_enums as egl
from traceformat.gles import enums as gl
from traceformat.gles.entry_points import COMMANDS, Command, Direction, ParamKind
from traceformat.gles.gltypes import COMPONENT_BYTES
from traceformat.gles.roles import is_draw

__all__ = ["Playback"]

#: Answers of the driver do not matter, and blocking or mapping calls are replaced by what the trace recorded.
_SKIPPED: Final = (
    "glGet",
    "glIs",
    "glCheckFramebufferStatus",
    "glMapBuffer",
    "glMapNamedBuffer",
    "glUnmapBuffer",
    "glUnmapNamedBuffer",
    "glFlushMapped",
    "glFenceSync",
    "glClientWaitSync",
    "glWaitSync",
    "glDeleteSync",
    "glReadPixels",
    "glDebugMessage",
)
_PROGRAM_CLASS: Final = "program"
#: Commands that give an object's name as their result.
_CREATED: Final = {"glCreateProgram": _PROGRAM_CLASS, "glCreateShader": "shader"}


@dataclass(slots=True)
class _Drawable:
    width: int
    height: int
    surface: int = 0


def _load(name: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise MissingEnvironmentError(f"no {name} on this machine", hint="install a GL driver such as Mesa") from None


class Playback:
    """Executes the calls of a trace on the system's GL.

    Parameters
    ----------
    calls : all calls, gone through once before to learn the locations that the program was given

    Raises
    ------
    MissingEnvironmentError : no EGL, or no context of the kind that the trace asks for
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        self._egl = _load("libEGL.so.1")
        for name in ("eglGetDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
            getattr(self._egl, name).restype = ctypes.c_void_p
        self._egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
        self._display = ctypes.c_void_p(self._egl.eglGetDisplay(ctypes.c_void_p(0)))
        if not self._egl.eglInitialize(self._display, None, None):
            raise MissingEnvironmentError("EGL does not initialise", hint="install a GL driver such as Mesa")
        self._functions: dict[str, Any] = {}
        self._contexts: dict[int, tuple[int, ctypes.c_void_p]] = {}
        self._share: dict[int, int] = {}
        self._drawables: dict[int, _Drawable] = {}
        self._names: dict[tuple[int, str, int], int] = {}
        self._locations: dict[tuple[int, int, int], int] = {}
        self._blocks: dict[tuple[int, int, int], int] = {}
        self._program = 0
        self._pointers: dict[int, tuple[Value, ...]] = {}
        self._alive: list[Any] = []
        self._context = 0
        self._drawable = 0
        self._attributes: dict[tuple[int, int], dict[str, int]] = {}
        self._learn_attributes(calls)

    def _learn_attributes(self, calls: Iterable[Call]) -> None:
        """Attribute locations that the program was told, by share group and program: they are bound before linking."""
        share: dict[int, int] = {}
        for call in calls:
            if call.name == "traceContext":
                context, other = int(_number(call.args[0])), int(_number(call.args[-1]))
                share[context] = share.get(other, context)
            elif call.name == "glGetAttribLocation" and int(_number(call.result)) >= 0:
                key = (share.get(call.context, call.context), int(_number(call.args[0])))
                self._attributes.setdefault(key, {})[str(call.args[1])] = int(_number(call.result))

    # -- window system

    def _create_context(self, args: tuple[Value, ...]) -> None:
        context, api, major, minor, profile = (int(_number(value)) for value in args[:5])
        share = int(_number(args[-1]))
        is_gl = api == 1
        self._egl.eglBindAPI(egl.OPENGL_API if is_gl else egl.OPENGL_ES_API)
        renderable = egl.OPENGL_BIT if is_gl else (egl.OPENGL_ES3_BIT if major >= 3 else egl.OPENGL_ES2_BIT)
        wanted = [egl.SURFACE_TYPE, egl.PBUFFER_BIT, egl.RENDERABLE_TYPE, renderable]
        wanted += [egl.RED_SIZE, 8, egl.GREEN_SIZE, 8, egl.BLUE_SIZE, 8, egl.ALPHA_SIZE, 8]
        wanted += [egl.DEPTH_SIZE, 24, egl.STENCIL_SIZE, 8, egl.SAMPLES, 0]
        config, count = ctypes.c_void_p(), ctypes.c_int()
        self._egl.eglChooseConfig(
            self._display,
            (ctypes.c_int * (len(wanted) + 1))(*wanted, egl.NONE),
            ctypes.byref(config),
            1,
            ctypes.byref(count),
        )
        attributes = [egl.CONTEXT_MAJOR_VERSION, max(major, 2), egl.CONTEXT_MINOR_VERSION, minor]
        if is_gl:
            attributes[1] = max(major, 3)
            attributes[3] = minor if major > 3 or (major == 3 and minor >= 2) else 3
            attributes += [egl.CONTEXT_OPENGL_PROFILE_MASK, 2 if profile == 2 else egl.CONTEXT_OPENGL_CORE_PROFILE_BIT]
        shared = self._contexts[share][0] if share in self._contexts else None
        made = self._egl.eglCreateContext(
            self._display,
            config,
            ctypes.c_void_p(shared),
            (ctypes.c_int * (len(attributes) + 1))(*attributes, egl.NONE),
        )
        if not made:
            raise MissingEnvironmentError(f"no {'GL' if is_gl else 'GLES'} {major}.{minor} context on this machine")
        self._contexts[context] = (made, config)
        self._share[context] = self._share.get(share, context)

    def _make_current(self, context: int, drawable: int) -> None:
        self._context, self._drawable = context, drawable
        if not context:
            self._egl.eglMakeCurrent(self._display, None, None, None)
            return
        made, config = self._contexts[context]
        target = self._drawables[drawable]
        if not target.surface and target.width and target.height:
            size = (ctypes.c_int * 5)(egl.WIDTH, target.width, egl.HEIGHT, target.height, egl.NONE)
            target.surface = self._egl.eglCreatePbufferSurface(self._display, config, size)
        surface = ctypes.c_void_p(target.surface or None)
        if not self._egl.eglMakeCurrent(self._display, surface, surface, ctypes.c_void_p(made)):
            raise MissingEnvironmentError("EGL does not make the context current")

    def _trace_command(self, call: Call) -> None:
        numbers = [int(_number(value)) if isinstance(value, int) else 0 for value in call.args]
        if call.name == "traceContext":
            self._create_context(call.args)
        elif call.name == "traceDrawable":
            self._drawables[numbers[0]] = _Drawable(numbers[1], numbers[2])
        elif call.name == "traceResize":
            self._drawables[numbers[0]] = _Drawable(numbers[1], numbers[2])
            if self._drawable == numbers[0]:
                self._make_current(self._context, self._drawable)
        elif call.name == "traceMakeCurrent":
            self._make_current(numbers[0], numbers[1])
        elif call.name == "traceClientArray":
            self._client_array(numbers[0], numbers[1], call.args[2])
        elif call.name == "traceMappedWrite" and isinstance(call.args[2], bytes):
            data = call.args[2]
            self._function("glBufferSubData")(numbers[0], numbers[1], len(data), data)
        elif call.name == "traceContents":
            raise ReplayError(
                "a driver cannot be given the contents of a state snapshot", call=call.number, function=call.name
            )

    def _client_array(self, index: int, first: int, data: Value) -> None:
        """Point a vertex attribute at content that the trace carries."""
        if not isinstance(data, bytes) or index not in self._pointers:
            return
        _, size, kind, *rest = self._pointers[index]
        stride = int(_number(rest[-1]))
        step = stride or int(_number(size)) * COMPONENT_BYTES.get(int(_number(kind)), 4)
        block = ctypes.create_string_buffer(data, len(data))
        self._alive.append(block)
        start = ctypes.c_void_p(ctypes.addressof(block) - first * step)
        name = "glVertexAttribPointer" if len(rest) == 2 else "glVertexAttribIPointer"
        bound = ctypes.c_int()
        self._function("glGetIntegerv")(gl.GL_ARRAY_BUFFER_BINDING, ctypes.byref(bound))
        bind = self._function("glBindBuffer")
        bind(gl.GL_ARRAY_BUFFER, 0)
        self._function(name)(index, size, kind, *rest, start)
        bind(gl.GL_ARRAY_BUFFER, bound.value)

    # -- calls

    def _function(self, name: str) -> Callable[..., Any]:
        function = self._functions.get(name)
        if function is None:
            command = COMMANDS[name]
            address = self._egl.eglGetProcAddress(name.encode())
            if not address:
                raise MissingEnvironmentError(f"the driver has no {name}")
            function = ctypes.CFUNCTYPE(c_type(command.result.c_type), *argument_types(command))(address)
            self._functions[name] = function
        return function

    def _name(self, kind: str, value: int) -> int:
        return self._names.get((self._share[self._context], kind, value), value)

    def _argument(self, command: Command, index: int, value: Value) -> Any:
        param = command.params[index]
        if param.kind is ParamKind.STRINGS and isinstance(value, tuple):
            texts = [text.encode("utf-8", "surrogateescape") for text in value]
            return ctypes.cast((ctypes.c_char_p * len(texts))(*texts), ctypes.c_void_p)
        if isinstance(value, Offset):
            return ctypes.c_void_p(int(value))
        if param.object_class and isinstance(value, bytes):
            mapped = [self._name(param.object_class, int(name)) for name in np.frombuffer(value, "<u4")]
            return ctypes.cast((ctypes.c_uint * len(mapped))(*mapped), ctypes.c_void_p)
        if isinstance(value, bytes):
            return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p)
        if isinstance(value, str):
            return ctypes.cast(ctypes.c_char_p(value.encode("utf-8", "surrogateescape")), ctypes.c_void_p)
        if param.object_class and isinstance(value, int):
            return self._name(param.object_class, value)
        return value

    def _translate(self, call: Call, values: list[Any]) -> None:
        """Replace uniform locations and block indices by the driver's own; shaders say others."""
        share = self._share[self._context]
        if call.name.startswith("glProgramUniform"):
            program, location = int(_number(call.args[0])), int(_number(call.args[1]))
            values[1] = self._locations.get((share, program, location), location)
        elif call.name.startswith("glUniform") and call.name != "glUniformBlockBinding":
            location = int(_number(call.args[0]))
            values[0] = self._locations.get((share, self._program, location), location)
        elif call.name == "glUniformBlockBinding":
            program, block = int(_number(call.args[0])), int(_number(call.args[1]))
            values[1] = self._blocks.get((share, program, block), block)

    def _learn(self, call: Call) -> None:
        """Ask the driver for what the program asked, to translate the answers that the trace holds."""
        share, program = self._share[self._context], int(_number(call.args[0]))
        real = self._name(_PROGRAM_CLASS, program)
        name = str(call.args[1]).encode("utf-8", "surrogateescape")
        if call.name == "glGetUniformLocation":
            answer = self._function(call.name)(real, name)
            self._locations[share, program, int(_number(call.result))] = answer
        else:
            answer = self._function(call.name)(real, name)
            self._blocks[share, program, int(_number(call.result))] = answer

    def execute(self, call: Call) -> None:
        """Execute one call.

        Raises
        ------
        ReplayError : the call cannot be put to the driver
        """
        if call.name.startswith("trace"):
            self._trace_command(call)
            return
        if call.context != self._context and call.context:
            self._make_current(call.context, self._drawable)
        if call.name in ("glGetUniformLocation", "glGetUniformBlockIndex"):
            self._learn(call)
            return
        if call.name.startswith(_SKIPPED) or not call.name.startswith("gl"):
            return
        command = COMMANDS[call.name]
        values = [self._argument(command, index, value) for index, value in enumerate(call.args)]
        share = self._share[self._context]
        if call.name == "glUseProgram":
            self._program = int(_number(call.args[0]))
        elif call.name == "glLinkProgram":
            program = int(_number(call.args[0]))
            bind = self._function("glBindAttribLocation")
            for name, location in self._attributes.get((share, program), {}).items():
                bind(values[0], location, ctypes.cast(ctypes.c_char_p(name.encode()), ctypes.c_void_p))
        elif call.name in ("glVertexAttribPointer", "glVertexAttribIPointer"):
            self._pointers[int(_number(call.args[0]))] = call.args[:-1]
            if call.args[-1] is None:
                return
        elif call.name == "glShaderSource":
            values[3] = None  # the trace's strings are whole
        elif call.name in ("glBufferStorage", "glNamedBufferStorage"):
            # What was written through mappings is put in place by glBufferSubData.
            values[3] |= gl.GL_DYNAMIC_STORAGE_BIT
        self._translate(call, values)
        outputs = [index for index, param in enumerate(command.params) if param.direction is Direction.OUT]
        for index in outputs:
            recorded = call.outputs.get(command.params[index].name)
            values[index] = ctypes.create_string_buffer(max(64, len(recorded) if isinstance(recorded, bytes) else 0))
        try:
            result = self._function(call.name)(*values)
        except ctypes.ArgumentError as error:
            raise ReplayError(str(error), call=call.number, function=call.name) from None
        for index in outputs:
            param = command.params[index]
            recorded = call.outputs.get(param.name)
            if param.object_class and isinstance(recorded, bytes):
                made = np.frombuffer(values[index].raw[: len(recorded)], "<u4")
                for name, real in zip(np.frombuffer(recorded, "<u4"), made, strict=True):
                    self._names[share, param.object_class, int(name)] = int(real)
        made_class = _CREATED.get(call.name)
        if made_class is not None and isinstance(call.result, int):
            self._names[share, made_class, call.result] = int(result)
        if is_draw(call.name):
            self._alive.clear()

    def read_frame(self, framebuffer: int = 0) -> NDArray[np.uint8]:
        """Read the default framebuffer (or one of the trace) back: ``(height, width, 4)`` RGBA, bottom row first."""
        size = self._drawables[self._drawable]
        width, height = size.width, size.height
        read, bound = self._function("glReadPixels"), ctypes.c_int()
        self._function("glGetIntegerv")(gl.GL_READ_FRAMEBUFFER_BINDING, ctypes.byref(bound))
        bind = self._function("glBindFramebuffer")
        bind(gl.GL_READ_FRAMEBUFFER, self._name("framebuffer", framebuffer))
        if framebuffer:
            box = (ctypes.c_int * 4)()
            self._function("glGetIntegerv")(gl.GL_VIEWPORT, box)
            width, height = box[2], box[3]
        out = np.zeros((height, width, 4), np.uint8)
        self._function("glPixelStorei")(gl.GL_PACK_ALIGNMENT, 1)
        read(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, ctypes.c_void_p(out.ctypes.data))
        bind(gl.GL_READ_FRAMEBUFFER, bound.value)
        return out

    def finish(self) -> None:
        """Wait until everything is drawn."""
        self._function("glFinish")()

    def error(self) -> int:
        """The driver's oldest GL error, 0 if none."""
        return int(self._function("glGetError")())


def _number(value: Value) -> int | float:
    if isinstance(value, (int, float)):
        return value
    raise ReplayError(f"a number was expected, not {type(value).__name__}")
