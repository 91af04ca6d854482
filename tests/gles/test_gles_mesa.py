"""The tracker against Mesa: random sequences of state calls give the same errors and the same state."""

# ruff: noqa: SIM905 - lists of names read best as text
from __future__ import annotations

import ctypes
import os
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from traceformat.calls import Call, Offset
from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.entry_points import COMMANDS
from traceformat.gles.tracker import Tracker

pytestmark = pytest.mark.gl

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
    "void": None,
}
_EGL_PLATFORM_SURFACELESS = 0x31DD
_OUTPUT_BYTES = 256


class Mesa:
    """An ES 3 context (or a GL 3.3 core one) of Mesa with a 64 x 48 pbuffer."""

    def __init__(self, desktop: bool = False) -> None:
        os.environ.setdefault("EGL_PLATFORM", "surfaceless")
        try:
            self.egl = ctypes.CDLL("libEGL.so.1")
        except OSError:
            pytest.skip("no libEGL on this machine")
        egl = self.egl
        for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
            getattr(egl, name).restype = ctypes.c_void_p
        display = ctypes.c_void_p(egl.eglGetPlatformDisplay(_EGL_PLATFORM_SURFACELESS, None, None))
        if not display or not egl.eglInitialize(display, None, None):
            pytest.skip("EGL has no surfaceless platform")
        egl.eglBindAPI(0x30A2 if desktop else 0x30A0)
        wanted = [
            0x3024,
            8,
            0x3023,
            8,
            0x3022,
            8,
            0x3021,
            8,
            0x3025,
            24,
            0x3026,
            8,
            0x3033,
            1,
            0x3040,
            0x08 if desktop else 0x40,
        ]
        wanted.append(0x3038)
        config, count = ctypes.c_void_p(), ctypes.c_int()
        attributes = (ctypes.c_int * len(wanted))(*wanted)
        egl.eglChooseConfig(display, attributes, ctypes.byref(config), 1, ctypes.byref(count))
        if not count.value:
            pytest.skip("EGL has no config with depth and stencil")
        core = [0x30FB, 3, 0x30FD, 1] if desktop else []
        version = (ctypes.c_int * (3 + len(core)))(0x3098, 3, *core, 0x3038)
        context = ctypes.c_void_p(egl.eglCreateContext(display, config, None, version))
        size = (ctypes.c_int * 5)(0x3057, 64, 0x3056, 48, 0x3038)
        surface = ctypes.c_void_p(egl.eglCreatePbufferSurface(display, config, size))
        if not context or not egl.eglMakeCurrent(display, surface, surface, context):
            pytest.skip("no such context")
        self._current = (display, surface, context)
        self._functions: dict[str, Any] = {}
        self.outputs: dict[str, bytes] = {}

    def close(self) -> None:
        display = self._current[0]
        # Not destroyed: Mesa 22.3 crashes when a context goes with some of the states that are left here.
        self.egl.eglMakeCurrent(display, None, None, None)

    def _function(self, name: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            command = COMMANDS[name]
            params = [ctypes.c_void_p if p.is_pointer else _TYPES[p.c_type] for p in command.params]
            address = self.egl.eglGetProcAddress(name.encode())
            prototype = ctypes.CFUNCTYPE(_TYPES[command.result.c_type], *params)
            function = self._functions[name] = prototype(address)
        return function

    def call(self, name: str, *args: Any) -> Any:
        converted: list[Any] = []
        buffers: dict[str, Any] = {}
        for param, value in zip(COMMANDS[name].params, args, strict=True):
            if isinstance(value, bytes):
                converted.append(ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p))
            elif param.direction.value == "out" and value is None:
                buffers[param.name] = ctypes.create_string_buffer(_OUTPUT_BYTES)
                converted.append(ctypes.cast(buffers[param.name], ctypes.c_void_p))
            else:
                converted.append(value if value is None else (float(value) if isinstance(value, float) else int(value)))
        result = self._function(name)(*converted)
        self.outputs = {name: buffer.raw for name, buffer in buffers.items()}
        return result


class Ours:
    """The tracker, with the same interface."""

    def __init__(self, desktop: bool = False) -> None:
        self.tracker = Tracker(Backend())
        api = (1, 3, 3, 1) if desktop else (0, 3, 0, 0)
        self.call("traceContext", 1, *api, 8, 8, 8, 8, 24, 8, 0, 0)
        self.call("traceDrawable", 1, 64, 48, 1)
        self.call("traceMakeCurrent", 1, 1, 1)

    def call(self, name: str, *args: Any) -> Any:
        return self.tracker.execute(Call(0, name, 1, 1, 0, args))

    @property
    def outputs(self) -> dict[str, bytes]:
        return self.tracker.outputs


_CAPS = "BLEND CULL_FACE DEPTH_TEST DITHER POLYGON_OFFSET_FILL RASTERIZER_DISCARD SAMPLE_COVERAGE SCISSOR_TEST \
STENCIL_TEST PRIMITIVE_RESTART_FIXED_INDEX SAMPLE_ALPHA_TO_COVERAGE LIGHTING ALPHA_TEST".split()
_FACTORS = "ZERO ONE SRC_COLOR ONE_MINUS_DST_ALPHA CONSTANT_COLOR SRC_ALPHA_SATURATE FUNC_ADD".split()
_EQUATIONS = "FUNC_ADD FUNC_SUBTRACT FUNC_REVERSE_SUBTRACT MIN MAX ZERO".split()
_FUNCS = "NEVER LESS EQUAL LEQUAL GREATER NOTEQUAL GEQUAL ALWAYS FRONT".split()
_FACES = "FRONT BACK FRONT_AND_BACK CW".split()
_ACTIONS = "KEEP ZERO REPLACE INCR DECR INVERT INCR_WRAP DECR_WRAP BACK".split()
_BUFFERS = "ARRAY_BUFFER ELEMENT_ARRAY_BUFFER COPY_READ_BUFFER COPY_WRITE_BUFFER PIXEL_PACK_BUFFER \
PIXEL_UNPACK_BUFFER TRANSFORM_FEEDBACK_BUFFER UNIFORM_BUFFER TEXTURE_2D".split()
_USAGES = "STREAM_DRAW STATIC_READ DYNAMIC_COPY BLEND".split()
_TEXTURES = "TEXTURE_2D TEXTURE_CUBE_MAP TEXTURE_3D TEXTURE_2D_ARRAY RENDERBUFFER".split()
_TEX_PARAMETERS = "TEXTURE_MIN_FILTER TEXTURE_MAG_FILTER TEXTURE_WRAP_S TEXTURE_WRAP_T TEXTURE_WRAP_R \
TEXTURE_BASE_LEVEL TEXTURE_MAX_LEVEL TEXTURE_COMPARE_MODE TEXTURE_COMPARE_FUNC TEXTURE_SWIZZLE_R \
TEXTURE_MIN_LOD TEXTURE_MAX_LOD BLEND".split()
_TEX_VALUES = "NEAREST LINEAR NEAREST_MIPMAP_NEAREST LINEAR_MIPMAP_LINEAR REPEAT MIRRORED_REPEAT CLAMP_TO_EDGE \
NONE COMPARE_REF_TO_TEXTURE LEQUAL ALWAYS RED ALPHA ZERO ONE".split()
_TYPES_OF_ATTRIBS = "BYTE UNSIGNED_BYTE SHORT UNSIGNED_SHORT INT UNSIGNED_INT FLOAT HALF_FLOAT FIXED \
INT_2_10_10_10_REV UNSIGNED_INT_2_10_10_10_REV BLEND".split()
_STORES = "PACK_ALIGNMENT PACK_ROW_LENGTH PACK_SKIP_ROWS UNPACK_ALIGNMENT UNPACK_ROW_LENGTH UNPACK_SKIP_PIXELS \
UNPACK_IMAGE_HEIGHT UNPACK_SKIP_IMAGES".split()
_FORMATS = "RGBA8 RGB8 RGB565 RGBA4 RGB5_A1 R8 RG8 RGBA32F RGBA16F R11F_G11F_B10F RGBA8UI R32I DEPTH_COMPONENT16 \
DEPTH_COMPONENT24 DEPTH24_STENCIL8 STENCIL_INDEX8 RGBA8_SNORM RGB9_E5 SRGB8_ALPHA8 SRGB8 RGBA LUMINANCE".split()
#: Without RGBA8_SNORM, which Mesa renders to and ES 3.0 does not.
_RENDERBUFFERS = [name for name in _FORMATS if name != "RGBA8_SNORM"]
_POINTS = (
    "COLOR_ATTACHMENT0 COLOR_ATTACHMENT1 DEPTH_ATTACHMENT STENCIL_ATTACHMENT DEPTH_STENCIL_ATTACHMENT BACK".split()
)
_FRAMEBUFFERS = "FRAMEBUFFER DRAW_FRAMEBUFFER READ_FRAMEBUFFER RENDERBUFFER".split()
_CLIENT = [
    ("RGBA", "UNSIGNED_BYTE"), ("RGB", "UNSIGNED_BYTE"), ("RGB", "UNSIGNED_SHORT_5_6_5"), ("RGBA", "FLOAT"),
    ("RGBA", "UNSIGNED_SHORT_4_4_4_4"), ("RED", "UNSIGNED_BYTE"), ("RGBA_INTEGER", "UNSIGNED_BYTE"),
    ("RED_INTEGER", "INT"), ("DEPTH_COMPONENT", "UNSIGNED_INT"), ("DEPTH_STENCIL", "UNSIGNED_INT_24_8"),
    ("RGBA", "HALF_FLOAT"), ("RGB", "UNSIGNED_INT_10F_11F_11F_REV"), ("LUMINANCE", "UNSIGNED_BYTE"),
    ("RGBA", "UNSIGNED_SHORT_5_6_5"), ("RGBA", "INT"), ("BLEND", "UNSIGNED_BYTE"), ("RGBA", "BLEND"),
]  # fmt: skip


def _enum(names: list[str], rng: random.Random) -> int:
    value: int = getattr(gl, f"GL_{rng.choice(names)}")
    return value


def _state_call(rng: random.Random) -> tuple[str, list[Any]]:
    """One random call on context state."""
    small = lambda: rng.choice([-1, 0, 1, 2, 3, 7, 100])  # noqa: E731
    real = lambda: rng.choice([-0.5, 0.0, 0.25, 1.0, 2.5])  # noqa: E731
    makers = [
        lambda: (rng.choice(["glEnable", "glDisable"]), [_enum(_CAPS, rng)]),
        lambda: ("glBlendFunc", [_enum(_FACTORS, rng), _enum(_FACTORS, rng)]),
        lambda: ("glBlendFuncSeparate", [_enum(_FACTORS, rng) for _ in range(4)]),
        lambda: ("glBlendEquation", [_enum(_EQUATIONS, rng)]),
        lambda: ("glBlendEquationSeparate", [_enum(_EQUATIONS, rng), _enum(_EQUATIONS, rng)]),
        lambda: ("glBlendColor", [real() for _ in range(4)]),
        lambda: ("glColorMask", [rng.choice([0, 1, 2]) for _ in range(4)]),
        lambda: ("glClearColor", [real() for _ in range(4)]),
        lambda: ("glClearDepthf", [real()]),
        lambda: ("glClearStencil", [small()]),
        lambda: ("glCullFace", [_enum(_FACES, rng)]),
        lambda: ("glFrontFace", [_enum(["CW", "CCW", "BACK"], rng)]),
        lambda: ("glDepthFunc", [_enum(_FUNCS, rng)]),
        lambda: ("glDepthMask", [rng.choice([0, 1])]),
        lambda: ("glDepthRangef", [real(), real()]),
        lambda: ("glLineWidth", [real()]),
        lambda: ("glPolygonOffset", [real(), real()]),
        lambda: ("glSampleCoverage", [real(), rng.choice([0, 1])]),
        lambda: ("glScissor", [small() for _ in range(4)]),
        lambda: ("glViewport", [small() for _ in range(4)]),
        lambda: ("glStencilFunc", [_enum(_FUNCS, rng), small(), rng.choice([0, 1, 0xFF])]),
        lambda: ("glStencilFuncSeparate", [_enum(_FACES, rng), _enum(_FUNCS, rng), small(), 0xF]),
        lambda: ("glStencilOp", [_enum(_ACTIONS, rng) for _ in range(3)]),
        lambda: ("glStencilOpSeparate", [_enum(_FACES, rng), *(_enum(_ACTIONS, rng) for _ in range(3))]),
        lambda: ("glStencilMask", [rng.choice([0, 1, 0xFF])]),
        lambda: ("glStencilMaskSeparate", [_enum(_FACES, rng), rng.choice([0, 1, 0xFF])]),
        lambda: ("glHint", [_enum(["GENERATE_MIPMAP_HINT", "BLEND"], rng), _enum(["NICEST", "FASTEST", "ONE"], rng)]),
        lambda: ("glPixelStorei", [_enum(_STORES, rng), rng.choice([-1, 0, 1, 2, 3, 4, 8])]),
        lambda: ("glActiveTexture", [gl.GL_TEXTURE0 + rng.choice([0, 1, 5, -1])]),
    ]
    return rng.choice(makers)()


def _object_call(rng: random.Random) -> tuple[str, list[Any]]:
    """One random call on objects; names 1 to 3 of each kind are generated beforehand."""
    name = lambda: rng.choice([0, 1, 2, 3, 1, 2, 3])  # noqa: E731
    size = lambda: rng.choice([-1, 0, 1, 4, 8, 8, 8])  # noqa: E731
    offset = lambda: rng.choice([-1, 0, 0, 4, 8])  # noqa: E731
    names = lambda: struct.pack("<I", name())  # noqa: E731

    def tex_image() -> tuple[str, list[Any]]:
        format, type = rng.choice(_CLIENT)
        client = [getattr(gl, f"GL_{format}"), getattr(gl, f"GL_{type}")]
        target = _enum(["TEXTURE_2D", "TEXTURE_CUBE_MAP_POSITIVE_X", "TEXTURE_3D"], rng)
        internal = getattr(gl, f"GL_{format}") if rng.random() < 0.4 else _enum(_FORMATS, rng)
        # Not 0: Mesa then complains about an empty pixel-unpack buffer, of which nothing would be read.
        edge = size() or 1
        return "glTexImage2D", [target, rng.choice([0, 0, 1, -1]), internal, edge, edge, 0, *client, None]

    def tex_parameter() -> tuple[str, list[Any]]:
        pname = _enum(_TEX_PARAMETERS, rng)
        return "glTexParameteri", [_enum(_TEXTURES, rng), pname, _enum(_TEX_VALUES, rng)]

    def pointer() -> tuple[str, list[Any]]:
        stride = rng.choice([-1, 0, 12])
        args = [rng.choice([0, 1, 3, 99]), rng.choice([0, 1, 2, 3, 4, 5]), _enum(_TYPES_OF_ATTRIBS, rng)]
        if rng.random() < 0.3:
            return "glVertexAttribIPointer", [*args, stride, Offset(rng.choice([0, 8]))]
        return "glVertexAttribPointer", [*args, rng.choice([0, 1]), stride, Offset(rng.choice([0, 8]))]

    def attach() -> tuple[str, list[Any]]:
        place = [_enum(_FRAMEBUFFERS, rng), _enum(_POINTS, rng)]
        if rng.random() < 0.5:
            return "glFramebufferRenderbuffer", [*place, _enum(["RENDERBUFFER", "TEXTURE_2D"], rng), name()]
        return "glFramebufferTexture2D", [*place, _enum(["TEXTURE_2D", "TEXTURE_3D"], rng), name(), rng.choice([0, 1])]

    def buffer_range() -> tuple[str, list[Any]]:
        target = _enum(["UNIFORM_BUFFER", "TRANSFORM_FEEDBACK_BUFFER", "ARRAY_BUFFER"], rng)
        if rng.random() < 0.5:
            return "glBindBufferBase", [target, rng.choice([0, 1, 3, 99]), name()]
        return "glBindBufferRange", [target, rng.choice([0, 1, 99]), name(), rng.choice([0, 256, 2]), size()]

    makers = [
        lambda: ("glBindBuffer", [_enum(_BUFFERS, rng), name()]),
        lambda: ("glBindBuffer", [_enum(_BUFFERS, rng), name()]),
        lambda: ("glBufferData", [_enum(_BUFFERS, rng), size(), None, _enum(_USAGES, rng)]),
        lambda: ("glBufferSubData", [_enum(_BUFFERS, rng), offset(), size(), b"12345678"]),
        lambda: (
            "glCopyBufferSubData",
            [_enum(_BUFFERS, rng), _enum(_BUFFERS, rng), offset(), offset(), size()],
        ),
        buffer_range,
        lambda: ("glDeleteBuffers", [1, names()]),
        lambda: ("glBindTexture", [_enum(_TEXTURES, rng), name()]),
        lambda: ("glBindTexture", [gl.GL_TEXTURE_2D, name()]),
        tex_image,
        tex_image,
        tex_parameter,
        lambda: ("glTexStorage2D", [gl.GL_TEXTURE_2D, rng.choice([0, 1, 4, 9]), _enum(_FORMATS, rng), size(), size()]),
        lambda: ("glGenerateMipmap", [_enum(_TEXTURES, rng)]),
        lambda: ("glBindSampler", [rng.choice([0, 1]), name()]),
        lambda: ("glSamplerParameteri", [name(), _enum(_TEX_PARAMETERS, rng), _enum(_TEX_VALUES, rng)]),
        pointer,
        lambda: ("glEnableVertexAttribArray", [rng.choice([0, 1, 99])]),
        lambda: ("glVertexAttribDivisor", [rng.choice([0, 1, 99]), rng.choice([0, 1])]),
        lambda: ("glBindVertexArray", [rng.choice([0, 1, 2, 77])]),
        lambda: ("glBindFramebuffer", [_enum(_FRAMEBUFFERS, rng), name()]),
        lambda: ("glBindRenderbuffer", [_enum(["RENDERBUFFER", "FRAMEBUFFER"], rng), name()]),
        lambda: ("glRenderbufferStorage", [gl.GL_RENDERBUFFER, _enum(_RENDERBUFFERS, rng), size(), size()]),
        attach,
        attach,
        lambda: ("glDrawBuffers", [1, struct.pack("<I", _enum([*_POINTS, "NONE"], rng))]),
        lambda: ("glReadBuffer", [_enum([*_POINTS, "NONE"], rng)]),
        lambda: ("glDeleteTextures", [1, names()]),
        lambda: ("glDeleteRenderbuffers", [1, names()]),
        lambda: ("glDeleteFramebuffers", [1, names()]),
        lambda: ("glGenBuffers", [1, None]),
        lambda: ("glGenTextures", [1, None]),
        lambda: ("glClear", [rng.choice([gl.GL_COLOR_BUFFER_BIT, 0, 1])]),
        lambda: ("glBeginQuery", [_enum(["ANY_SAMPLES_PASSED", "BLEND"], rng), name()]),
        lambda: ("glEndQuery", [_enum(["ANY_SAMPLES_PASSED", "BLEND"], rng)]),
    ]
    return rng.choice(makers)()


_STATE = "ACTIVE_TEXTURE BLEND_COLOR BLEND_SRC_RGB BLEND_DST_ALPHA BLEND_EQUATION_RGB BLEND_EQUATION_ALPHA \
COLOR_CLEAR_VALUE COLOR_WRITEMASK CULL_FACE_MODE FRONT_FACE DEPTH_CLEAR_VALUE DEPTH_FUNC DEPTH_RANGE DEPTH_WRITEMASK \
LINE_WIDTH POLYGON_OFFSET_FACTOR POLYGON_OFFSET_UNITS SAMPLE_COVERAGE_VALUE SAMPLE_COVERAGE_INVERT SCISSOR_BOX \
VIEWPORT STENCIL_CLEAR_VALUE STENCIL_FUNC STENCIL_VALUE_MASK STENCIL_WRITEMASK STENCIL_FAIL STENCIL_BACK_FUNC \
STENCIL_BACK_PASS_DEPTH_FAIL STENCIL_BACK_PASS_DEPTH_PASS ARRAY_BUFFER_BINDING ELEMENT_ARRAY_BUFFER_BINDING \
COPY_READ_BUFFER_BINDING UNIFORM_BUFFER_BINDING TRANSFORM_FEEDBACK_BUFFER_BINDING PIXEL_PACK_BUFFER_BINDING \
TEXTURE_BINDING_2D TEXTURE_BINDING_CUBE_MAP TEXTURE_BINDING_3D SAMPLER_BINDING DRAW_FRAMEBUFFER_BINDING \
READ_FRAMEBUFFER_BINDING RENDERBUFFER_BINDING VERTEX_ARRAY_BINDING READ_BUFFER DRAW_BUFFER0 UNPACK_ALIGNMENT \
UNPACK_ROW_LENGTH PACK_ALIGNMENT PACK_SKIP_ROWS GENERATE_MIPMAP_HINT DEPTH_TEST BLEND SCISSOR_TEST STENCIL_TEST \
RED_BITS ALPHA_BITS DEPTH_BITS STENCIL_BITS CURRENT_PROGRAM".split()


def _desktop_call(rng: random.Random) -> tuple[str, list[Any]]:
    """One random call of desktop GL 3.3 core, or one on the state that it shares with ES."""
    real = lambda: rng.choice([-0.5, 0.0, 0.25, 1.0, 2.5])  # noqa: E731
    index = lambda: rng.choice([0, 1, 7, 8])  # noqa: E731
    makers = [
        lambda: ("glClearDepth", [real()]),
        lambda: ("glDepthRange", [real(), real()]),
        lambda: ("glPolygonMode", [_enum(_FACES, rng), _enum(["FILL", "BLEND"], rng)]),
        lambda: ("glLogicOp", [_enum(["CLEAR", "XOR", "SET", "BLEND"], rng)]),
        lambda: ("glPointSize", [real()]),
        lambda: ("glPrimitiveRestartIndex", [rng.choice([0, 0xFFFF, 0xFFFFFFFF])]),
        lambda: ("glProvokingVertex", [_enum(["FIRST_VERTEX_CONVENTION", "LAST_VERTEX_CONVENTION", "ONE"], rng)]),
        lambda: ("glEnable", [_enum(_DESKTOP_CAPS, rng)]),
        lambda: ("glDisable", [_enum(_DESKTOP_CAPS, rng)]),
        lambda: ("glEnablei", [_enum(["BLEND", "DITHER"], rng), index()]),
        lambda: ("glDisablei", [_enum(["BLEND", "DITHER"], rng), index()]),
        lambda: ("glColorMaski", [index(), *(rng.choice([0, 1]) for _ in range(4))]),
        lambda: ("glDrawBuffer", [_enum([*_POINTS, "NONE", "BACK_LEFT"], rng)]),
        lambda: ("glBindBuffer", [gl.GL_ARRAY_BUFFER, rng.choice([0, 1, 2, 77])]),
        lambda: ("glBindFramebuffer", [_enum(_FRAMEBUFFERS, rng), rng.choice([0, 1, 2, 77])]),
    ]
    return rng.choice(makers)() if rng.random() < 0.7 else _state_call(rng)


_DESKTOP_CAPS = "COLOR_LOGIC_OP DEPTH_CLAMP FRAMEBUFFER_SRGB LINE_SMOOTH MULTISAMPLE PRIMITIVE_RESTART \
PROGRAM_POINT_SIZE TEXTURE_CUBE_MAP_SEAMLESS CLIP_DISTANCE0 POLYGON_OFFSET_LINE TEXTURE_2D LIGHTING".split()
_BITS = ("RED_BITS", "ALPHA_BITS", "DEPTH_BITS", "STENCIL_BITS", "GENERATE_MIPMAP_HINT")
_DESKTOP_STATE = (
    [name for name in _STATE if name not in _BITS]
    + "POLYGON_MODE LOGIC_OP_MODE POINT_SIZE \
PRIMITIVE_RESTART_INDEX PROVOKING_VERTEX DRAW_BUFFER MULTISAMPLE DEPTH_CLAMP PROGRAM_POINT_SIZE".split()
)


def _answers(driver: Any, desktop: bool) -> dict[str, Any]:
    """Answers of all queries that do not depend on the implementation."""
    found: dict[str, Any] = {}

    def ask(label: str, name: str, *args: Any) -> None:
        result = driver.call(name, *args)
        error = driver.call("glGetError")
        outputs = {} if error else {key: bytes(value) for key, value in driver.outputs.items()}
        found[label] = (error, 0 if error else result, outputs)

    for name in _DESKTOP_STATE if desktop else _STATE:
        ask(name, "glGetIntegerv", getattr(gl, f"GL_{name}"), None)
        ask(f"{name} f", "glGetFloatv", getattr(gl, f"GL_{name}"), None)
    ask("UBO", "glGetIntegeri_v", gl.GL_UNIFORM_BUFFER_BINDING, 1, None)
    for index in (0, 1, 3):
        for pname in "ARRAY_ENABLED ARRAY_SIZE ARRAY_STRIDE ARRAY_TYPE ARRAY_NORMALIZED ARRAY_INTEGER \
            ARRAY_DIVISOR ARRAY_BUFFER_BINDING".split():
            value = getattr(gl, f"GL_VERTEX_ATTRIB_{pname}")
            ask(f"attrib {index} {pname}", "glGetVertexAttribiv", index, value, None)
    for pname in _TEX_PARAMETERS:
        ask(f"texture {pname}", "glGetTexParameteriv", gl.GL_TEXTURE_2D, getattr(gl, f"GL_{pname}"), None)
    for pname in ("BUFFER_SIZE", "BUFFER_USAGE", "BUFFER_MAPPED"):
        ask(pname, "glGetBufferParameteriv", gl.GL_ARRAY_BUFFER, getattr(gl, f"GL_{pname}"), None)
    for pname in "WIDTH HEIGHT INTERNAL_FORMAT RED_SIZE DEPTH_SIZE STENCIL_SIZE SAMPLES".split():
        value = getattr(gl, f"GL_RENDERBUFFER_{pname}")
        ask(f"renderbuffer {pname}", "glGetRenderbufferParameteriv", gl.GL_RENDERBUFFER, value, None)
    if desktop:
        return found
    for point in ("COLOR_ATTACHMENT0", "DEPTH_ATTACHMENT", "DEPTH_STENCIL_ATTACHMENT", "BACK"):
        for pname in ("OBJECT_TYPE", "OBJECT_NAME", "TEXTURE_LEVEL", "RED_SIZE", "COMPONENT_TYPE", "COLOR_ENCODING"):
            value = getattr(gl, f"GL_FRAMEBUFFER_ATTACHMENT_{pname}")
            args = (gl.GL_FRAMEBUFFER, getattr(gl, f"GL_{point}"), value, None)
            ask(f"{point} {pname}", "glGetFramebufferAttachmentParameteriv", *args)
    for target in ("DRAW_FRAMEBUFFER", "READ_FRAMEBUFFER"):
        ask(target, "glCheckFramebufferStatus", getattr(gl, f"GL_{target}"))
    # Not of buffers: Mesa creates one also by a bind that fails.
    for kind in ("Texture", "Framebuffer", "Renderbuffer", "VertexArray", "Sampler", "Query"):
        for name in (0, 1, 2, 3):
            ask(f"{kind} {name}", f"glIs{kind}", name)
    return found


def _prepare(driver: Any) -> None:
    for kind in "Buffers Textures Samplers Framebuffers Renderbuffers VertexArrays Queries".split():
        driver.call(f"glGen{kind}", 3, None)


def _compare(seed: int, calls: int, make_call: Any, desktop: bool = False) -> None:
    rng = random.Random(seed)
    ours, mesa = Ours(desktop), Mesa(desktop)
    try:
        for driver in (ours, mesa):
            _prepare(driver)
        history: list[str] = []
        for _ in range(calls):
            name, args = make_call(rng)
            history.append(f"{name}{tuple(hex(a) if isinstance(a, int) and a > 255 else a for a in args)}")
            errors = []
            for driver in (ours, mesa):
                driver.call(name, *args)
                errors.append(driver.call("glGetError"))
            assert errors[0] == errors[1], f"ours {errors[0]:#x}, Mesa {errors[1]:#x} after\n" + "\n".join(
                history[-12:]
            )
        expected = _answers(mesa, desktop)
        for label, (error, result, outputs) in _answers(ours, desktop).items():
            assert (error, result) == expected[label][:2], (label, "\n".join(history))
            for key, data in outputs.items():
                assert data == expected[label][2][key][: len(data)], (
                    label,
                    data,
                    expected[label][2][key][:16],
                    history,
                )
    finally:
        mesa.close()


#: Family: seeds, first of them, calls each, what makes a call, desktop GL.
_FAMILIES: Final = {
    "state": (12, 0, 150, _state_call, False),
    "object": (60, 1000, 60, _object_call, False),
    "desktop": (20, 5000, 150, _desktop_call, True),
}
_NO_DRIVER: Final = 77
#: Mesa 22.3 dies of hostile calls now and then.
_MAX_DEATHS: Final = 2


@pytest.mark.parametrize("family", _FAMILIES)
def test_random_calls(family: str) -> None:
    """Sequences of random calls give equal errors and answers; in a process of its own, which Mesa may take down."""
    count, seed, deaths = _FAMILIES[family][0], 0, 0
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    while seed < count:
        done = subprocess.run(
            [sys.executable, __file__, family, str(seed)],
            capture_output=True, text=True, check=False, timeout=120, env=environment,
        )  # fmt: skip
        if done.returncode == _NO_DRIVER:
            pytest.skip(done.stdout.strip())
        assert done.returncode <= 0, done.stdout + done.stderr
        seed = int(done.stdout.split()[-1]) + 1
        deaths += done.returncode < 0
        assert deaths <= _MAX_DEATHS, f"Mesa died {deaths} times, of {family} call sequences up to {seed - 1}"


def _compare_from(family: str, first: int) -> None:
    count, base, calls, make_call, desktop = _FAMILIES[family]
    for seed in range(first, count):
        print(seed, flush=True)
        try:
            _compare(base + seed, calls, make_call, desktop)
        except pytest.skip.Exception as reason:
            print(reason)
            sys.exit(_NO_DRIVER)


if __name__ == "__main__":
    _compare_from(sys.argv[1], int(sys.argv[2]))
