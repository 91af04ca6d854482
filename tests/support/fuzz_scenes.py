"""Small programs, as lists of calls, that touch most of what a trace can say: the seeds of the trace fuzzer.

A step is ``(name, args, outputs, result)`` as ``TraceWriter.write`` takes it. Pictures are 32 x 24 pixels, two frames.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from traceformat.calls import Offset
from traceformat.gles import enums as gl

Step = tuple[str, tuple[Any, ...], dict[str, Any] | None, Any]
WIDTH, HEIGHT = 32, 24
_TARGET = gl.GL_ARRAY_BUFFER
_T2D = gl.GL_TEXTURE_2D

VERTEX_2 = """attribute vec4 p; attribute vec2 t; varying vec2 v; uniform mat4 m; uniform float shift;
void main() { v = t; gl_Position = m * p + vec4(shift, 0.0, 0.0, 0.0); gl_PointSize = 3.0; }"""
FRAGMENT_2 = """precision mediump float; varying vec2 v; uniform sampler2D s; uniform samplerCube c;
uniform vec4 tint[2]; uniform int n;
void main() { vec4 r = vec4(0.0);
  for (int i = 0; i < 3; i++) { if (i >= n) break; r += texture2D(s, v * float(i + 1)); }
  if (r.a < 0.1) discard; gl_FragColor = r * tint[n - n / 2 * 2] + 0.1 * textureCube(c, vec3(v, 1.0)); }"""
VERTEX_3 = """#version 300 es
in vec3 p; in vec4 color; in ivec2 cell; out vec4 v; flat out int f; out vec3 w;
layout(std140) uniform Block { mat4 m; vec4 offsets[4]; int k; } b;
void main() { v = color; f = cell.x + gl_InstanceID; w = p * 0.5 + 0.5;
  gl_Position = b.m * vec4(p, 1.0) + b.offsets[gl_InstanceID & 3]; gl_PointSize = 2.0; }"""
FRAGMENT_3 = """#version 300 es
precision highp float; precision highp int; precision highp sampler3D; precision highp sampler2DArray;
precision highp usampler2D; precision highp sampler2DShadow;
in vec4 v; flat in int f; in vec3 w; uniform sampler3D volume; uniform sampler2DArray layers; uniform usampler2D cells;
uniform sampler2DShadow shadow; layout(location = 0) out vec4 o; layout(location = 1) out vec4 o1;
void main() { float table[4]; for (int i = 0; i < 4; ++i) table[i] = float(i) * 0.1;
  o = v + texture(volume, w) + texture(layers, vec3(w.xy, float(f))) * table[f & 3];
  switch (f & 3) { case 1: o.x *= 0.5; break; default: o.y += 0.1; }
  o1 = vec4(float(texelFetch(cells, ivec2(w.xy * 4.0), 0).x) / 255.0, texture(shadow, w), dFdx(w.x), 1.0); }"""
VERTEX_GL = """#version 330 core
layout(location = 0) in vec2 p; out vec2 v; uniform vec2 scale;
void main() { v = p; gl_Position = vec4(p * scale, 0.0, 1.0); }"""
FRAGMENT_GL = """#version 330 core
in vec2 v; out vec4 o; uniform sampler2DRect r; uniform uint bits;
void main() { o = texture(r, v * 4.0) + vec4(float(bits & 3u) / 3.0); }"""


def _context(api: int, major: int, minor: int = 0, profile: int = 0, samples: int = 0) -> Iterator[Step]:
    yield "traceContext", (1, api, major, minor, profile, 8, 8, 8, 8, 24, 8, samples, 0), None, None
    yield "traceDrawable", (1, WIDTH, HEIGHT, 0), None, None
    yield "traceMakeCurrent", (1, 1, 1), None, None


def _program(name: int, vertex: str, fragment: str, attributes: tuple[str, ...], varyings: tuple[str, ...] = ()) -> Any:
    yield "glCreateProgram", (), None, name
    stages = ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment))
    for number, (kind, source) in enumerate(stages, name + 1):
        yield "glCreateShader", (kind,), None, number
        yield "glShaderSource", (number, 1, (source,), None), None, None
        yield "glCompileShader", (number,), None, None
        yield "glAttachShader", (name, number), None, None
    for index, attribute in enumerate(attributes):
        yield "glBindAttribLocation", (name, index, attribute), None, None
    if varyings:
        yield "glTransformFeedbackVaryings", (name, len(varyings), varyings, gl.GL_INTERLEAVED_ATTRIBS), None, None
    yield "glLinkProgram", (name,), None, None
    yield "glUseProgram", (name,), None, None


def _uniforms(program: int, *names: str) -> Iterator[Step]:
    for location, name in enumerate(names):
        yield "glGetUniformLocation", (program, name), None, location


def _names(*names: int) -> bytes:
    return struct.pack(f"<{len(names)}I", *names)


def _texture(target: int, name: int, *images: Step, nearest: bool = True) -> Iterator[Step]:
    yield "glGenTextures", (1, None), {"textures": _names(name)}, None
    yield "glBindTexture", (target, name), None, None
    if nearest:
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            yield "glTexParameteri", (target, parameter, gl.GL_NEAREST), None, None
    yield from images


def _upload(target: int, level: int, size: int, *, format: int = gl.GL_RGBA, texel: int = 4) -> Step:
    data = bytes(range(256)) * (size * size * texel // 256 + 1)
    pixels = data[: size * size * texel]
    return "glTexImage2D", (target, level, format, size, size, 0, format, gl.GL_UNSIGNED_BYTE, pixels), None, None


_QUAD = np.array([[-1, -1, 0, 1, 0, 0], [1, -1, 0, 1, 1, 0], [-1, 1, 0.5, 1, 0, 1], [1, 1, 0.5, 2, 1, 1]], np.float32)
_INDICES = np.array([0, 1, 2, 2, 1, 3], np.uint16)
_EYE = np.eye(4, dtype=np.float32).tobytes()


def es2() -> Iterator[Step]:
    """GLES 2: textures, cube map, off-screen pass, client arrays, indices, stencil, blend, read-back."""
    yield from _context(0, 2)
    yield from _program(1, VERTEX_2, FRAGMENT_2, ("p", "t"))
    yield from _uniforms(1, "m", "shift", "s", "c", "tint", "n")
    yield "glUniformMatrix4fv", (0, 1, 0, _EYE), None, None
    yield "glUniform1i", (2, 0), None, None
    yield "glUniform1i", (3, 1), None, None
    yield "glUniform1i", (5, 2), None, None
    yield "glUniform4fv", (4, 2, np.ones(8, np.float32).tobytes()), None, None
    yield "glGenBuffers", (2, None), {"buffers": _names(1, 2)}, None
    yield "glBindBuffer", (_TARGET, 1), None, None
    yield "glBufferData", (_TARGET, _QUAD.nbytes, _QUAD.tobytes(), gl.GL_STATIC_DRAW), None, None
    yield "glBindBuffer", (gl.GL_ELEMENT_ARRAY_BUFFER, 2), None, None
    yield (
        "glBufferData",
        (gl.GL_ELEMENT_ARRAY_BUFFER, _INDICES.nbytes, _INDICES.tobytes(), gl.GL_STATIC_DRAW),
        None,
        None,
    )
    yield "glVertexAttribPointer", (0, 4, gl.GL_FLOAT, 0, 24, Offset(0)), None, None
    yield "glVertexAttribPointer", (1, 2, gl.GL_FLOAT, 0, 24, Offset(16)), None, None
    yield "glEnableVertexAttribArray", (0,), None, None
    yield "glEnableVertexAttribArray", (1,), None, None
    levels = [_upload(_T2D, level, 16 >> level) for level in range(5)]
    yield from _texture(_T2D, 1, *levels, nearest=False)
    yield "glActiveTexture", (gl.GL_TEXTURE1,), None, None
    faces = [_upload(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, 4) for face in range(6)]
    yield from _texture(gl.GL_TEXTURE_CUBE_MAP, 2, *faces)
    yield "glActiveTexture", (gl.GL_TEXTURE0,), None, None
    etc = ("glCompressedTexImage2D", (_T2D, 0, 0x8D64, 8, 8, 0, 32, bytes(range(32))), None, None)
    yield from _texture(_T2D, 3, etc)
    yield from _texture(_T2D, 4, _upload(_T2D, 0, 16))
    yield "glGenFramebuffers", (1, None), {"framebuffers": _names(1)}, None
    yield "glGenRenderbuffers", (1, None), {"renderbuffers": _names(1)}, None
    yield "glBindRenderbuffer", (gl.GL_RENDERBUFFER, 1), None, None
    yield "glRenderbufferStorage", (gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT16, 16, 16), None, None
    yield "glViewport", (0, 0, WIDTH, HEIGHT), None, None
    yield "glClearColor", (0.1, 0.2, 0.3, 1.0), None, None
    for frame in range(2):
        yield "glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1), None, None
        yield "glFramebufferTexture2D", (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, _T2D, 4, 0), None, None
        yield (
            "glFramebufferRenderbuffer",
            (gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, 1),
            None,
            None,
        )
        yield "glBindTexture", (_T2D, 1), None, None
        yield "glEnable", (gl.GL_DEPTH_TEST,), None, None
        yield "glClear", (gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT,), None, None
        yield "glUniform1f", (1, 0.25 * frame), None, None
        yield "glDrawElements", (gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_SHORT, Offset(0)), None, None
        yield "glBindFramebuffer", (gl.GL_FRAMEBUFFER, 0), None, None
        yield "glClear", (gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT,), None, None
        yield "glBindTexture", (_T2D, 4), None, None
        yield "glGenerateMipmap", (_T2D,), None, None
        yield "glEnable", (gl.GL_STENCIL_TEST,), None, None
        yield "glStencilFunc", (gl.GL_ALWAYS, 1, 255), None, None
        yield "glStencilOp", (gl.GL_KEEP, gl.GL_KEEP, gl.GL_INCR_WRAP), None, None
        yield "glDrawArrays", (gl.GL_TRIANGLE_STRIP, 0, 4), None, None
        yield "glEnable", (gl.GL_BLEND,), None, None
        yield "glBlendFuncSeparate", (gl.GL_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE, gl.GL_ZERO), None, None
        yield "glEnable", (gl.GL_SCISSOR_TEST,), None, None
        yield "glScissor", (4, 4, 20, 16), None, None
        yield "glBindTexture", (_T2D, 3), None, None
        yield "glLineWidth", (3.0,), None, None
        yield "glDrawArrays", (gl.GL_LINE_LOOP, 0, 4), None, None
        yield "glDrawArrays", (gl.GL_POINTS, 0, 4), None, None
        yield "glBindBuffer", (_TARGET, 0), None, None
        yield "glVertexAttribPointer", (1, 2, gl.GL_FLOAT, 0, 0, None), None, None
        yield "traceClientArray", (1, 0, _QUAD[:, 4:].tobytes()), None, None
        yield "glPolygonOffset", (1.0, 2.0), None, None
        yield "glDrawElements", (gl.GL_TRIANGLE_FAN, 6, gl.GL_UNSIGNED_BYTE, bytes([0, 1, 2, 3, 0, 1])), None, None
        yield "glBindTexture", (_T2D, 1), None, None
        yield "glCopyTexSubImage2D", (_T2D, 0, 2, 2, 0, 0, 8, 8), None, None
        pixels = bytes(4 * 4 * 4)
        yield "glTexSubImage2D", (_T2D, 1, 2, 2, 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels), None, None
        yield "glReadPixels", (0, 0, 8, 8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None), None, None
        yield "glDisable", (gl.GL_SCISSOR_TEST,), None, None
        yield "glBindBuffer", (_TARGET, 1), None, None
        yield "glBufferSubData", (_TARGET, 24, 24, _QUAD[1].tobytes()), None, None
        yield "glVertexAttribPointer", (1, 2, gl.GL_FLOAT, 0, 24, Offset(16)), None, None
        yield "traceSwap", (1, "eglSwapBuffers"), None, None
    yield "glDeleteTextures", (4, _names(1, 2, 3, 4)), None, None
    yield "traceDestroyContext", (1,), None, None


def es3(samples: int = 0) -> Iterator[Step]:
    """GLES 3: uniform buffer, instances, 3D and array textures, feedback, queries, mapped buffers."""
    yield from _context(0, 3)
    yield from _program(1, VERTEX_3, FRAGMENT_3, ("p", "color", "cell"), ("v", "w"))
    yield from _uniforms(1, "volume", "layers", "cells", "shadow")
    for unit in range(4):
        yield "glUniform1i", (unit, unit), None, None
    yield "glGetUniformBlockIndex", (1, "Block"), None, 0
    yield "glUniformBlockBinding", (1, 0, 2), None, None
    yield "glGenBuffers", (4, None), {"buffers": _names(1, 2, 3, 4)}, None
    block = _EYE + np.linspace(-0.2, 0.2, 16, dtype=np.float32).tobytes() + bytes(16)
    yield "glBindBufferBase", (gl.GL_UNIFORM_BUFFER, 2, 3), None, None
    yield "glBufferData", (gl.GL_UNIFORM_BUFFER, len(block), block, gl.GL_DYNAMIC_DRAW), None, None
    yield "glBindBufferRange", (gl.GL_UNIFORM_BUFFER, 2, 3, 0, len(block)), None, None
    yield "glGenVertexArrays", (1, None), {"arrays": _names(1)}, None
    yield "glBindVertexArray", (1,), None, None
    vertices = b"".join(
        struct.pack("<3f4Bhh", *point, 255, 128 * (i & 1), 64, 200, i, -i)
        for i, point in enumerate([(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0.5), (0, 0, 0.9)])
    )
    yield "glBindBuffer", (_TARGET, 1), None, None
    yield "glBufferData", (_TARGET, len(vertices), vertices, gl.GL_STATIC_DRAW), None, None
    yield "glVertexAttribPointer", (0, 3, gl.GL_FLOAT, 0, 20, Offset(0)), None, None
    yield "glVertexAttribPointer", (1, 4, gl.GL_UNSIGNED_BYTE, 1, 20, Offset(12)), None, None
    yield "glVertexAttribIPointer", (2, 2, gl.GL_SHORT, 20, Offset(16)), None, None
    yield "glVertexAttribDivisor", (2, 1), None, None
    for index in range(3):
        yield "glEnableVertexAttribArray", (index,), None, None
    indices = np.array([0, 1, 2, 0xFFFFFFFF, 2, 1, 3, 4], np.uint32).tobytes()
    yield "glBindBuffer", (gl.GL_ELEMENT_ARRAY_BUFFER, 2), None, None
    yield "glBufferData", (gl.GL_ELEMENT_ARRAY_BUFFER, len(indices), indices, gl.GL_STATIC_DRAW), None, None
    yield "glEnable", (gl.GL_PRIMITIVE_RESTART_FIXED_INDEX,), None, None
    for unit, (target, steps) in enumerate(
        (
            (
                gl.GL_TEXTURE_3D,
                [
                    ("glTexStorage3D", (gl.GL_TEXTURE_3D, 2, gl.GL_RGBA8, 4, 4, 4)),
                    (
                        "glTexSubImage3D",
                        (gl.GL_TEXTURE_3D, 0, 0, 0, 0, 4, 4, 4, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(range(256))),
                    ),
                ],
            ),
            (
                gl.GL_TEXTURE_2D_ARRAY,
                [
                    (
                        "glTexImage3D",
                        (gl.GL_TEXTURE_2D_ARRAY, 0, gl.GL_RGB565, 4, 4, 3, 0, gl.GL_RGB, 0x8363, bytes(96)),
                    ),
                    ("glGenerateMipmap", (gl.GL_TEXTURE_2D_ARRAY,)),
                ],
            ),
            (
                _T2D,
                [
                    (
                        "glTexImage2D",
                        (_T2D, 0, 0x8D7C, 4, 4, 0, gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_BYTE, bytes(range(64))),
                    )
                ],
            ),
            (
                _T2D,
                [
                    (
                        "glTexImage2D",
                        (_T2D, 0, gl.GL_DEPTH_COMPONENT24, 8, 8, 0, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, None),
                    ),
                    ("glTexParameteri", (_T2D, gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE)),
                ],
            ),
        )
    ):
        yield "glActiveTexture", (gl.GL_TEXTURE0 + unit,), None, None
        yield from _texture(target, unit + 1, *((name, args, None, None) for name, args in steps))
    yield "glGenSamplers", (1, None), {"samplers": _names(1)}, None
    yield "glBindSampler", (0, 1), None, None
    yield "glSamplerParameteri", (1, gl.GL_TEXTURE_WRAP_S, gl.GL_MIRRORED_REPEAT), None, None
    yield "glGenRenderbuffers", (2, None), {"renderbuffers": _names(1, 2)}, None
    yield "glGenFramebuffers", (2, None), {"framebuffers": _names(1, 2)}, None
    yield "glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1), None, None
    for number in (1, 2):
        attachment = gl.GL_COLOR_ATTACHMENT0 + number - 1
        yield "glBindRenderbuffer", (gl.GL_RENDERBUFFER, number), None, None
        yield (
            "glRenderbufferStorageMultisample",
            (gl.GL_RENDERBUFFER, samples, gl.GL_RGBA8, WIDTH, HEIGHT),
            None,
            None,
        )
        yield "glFramebufferRenderbuffer", (gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, number), None, None
    yield "glDrawBuffers", (2, _names(gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT0 + 1)), None, None
    yield "glGenQueries", (1, None), {"ids": _names(1)}, None
    yield "glGenTransformFeedbacks", (1, None), {"ids": _names(1)}, None
    yield "glBindTransformFeedback", (gl.GL_TRANSFORM_FEEDBACK, 1), None, None
    yield "glBindBufferBase", (gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 4), None, None
    yield "glBufferData", (gl.GL_TRANSFORM_FEEDBACK_BUFFER, 512, None, gl.GL_DYNAMIC_COPY), None, None
    for frame in range(2):
        yield "glBindFramebuffer", (gl.GL_FRAMEBUFFER, 1), None, None
        yield "glViewport", (0, 0, WIDTH, HEIGHT), None, None
        color = np.array([0, 0.5, 1, 1], np.float32).tobytes()
        yield "glClearBufferfv", (gl.GL_COLOR, 0, color), None, None
        yield "glBeginQuery", (gl.GL_ANY_SAMPLES_PASSED, 1), None, None
        yield "glBeginTransformFeedback", (gl.GL_TRIANGLES,), None, None
        yield "glDrawArraysInstanced", (gl.GL_TRIANGLES, 0, 3, 2), None, None
        yield "glEndTransformFeedback", (), None, None
        yield "glEndQuery", (gl.GL_ANY_SAMPLES_PASSED,), None, None
        yield "glGetQueryObjectuiv", (1, gl.GL_QUERY_RESULT, None), None, None
        yield "glMapBufferRange", (_TARGET, 20, 20, gl.GL_MAP_WRITE_BIT), None, Offset(0)
        yield "traceMappedWrite", (_TARGET, 24, struct.pack("<f", 0.5 * frame)), None, None
        yield "glUnmapBuffer", (_TARGET,), None, 1
        yield "glDrawElementsInstanced", (gl.GL_TRIANGLE_STRIP, 8, gl.GL_UNSIGNED_INT, Offset(0), 3), None, None
        yield "glBindFramebuffer", (gl.GL_DRAW_FRAMEBUFFER, 0), None, None
        yield "glReadBuffer", (gl.GL_COLOR_ATTACHMENT0,), None, None
        yield "glClear", (gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT,), None, None
        yield "glDrawRangeElements", (gl.GL_POINTS, 0, 4, 5, gl.GL_UNSIGNED_INT, Offset(12)), None, None
        box = (0, 0, WIDTH, HEIGHT)
        yield "glBlitFramebuffer", (*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST), None, None
        yield "glInvalidateFramebuffer", (gl.GL_READ_FRAMEBUFFER, 1, _names(gl.GL_COLOR_ATTACHMENT0 + 1)), None, None
        yield "glBindBuffer", (gl.GL_PIXEL_UNPACK_BUFFER, 4), None, None
        yield "glPixelStorei", (gl.GL_UNPACK_ROW_LENGTH, 6), None, None
        yield "glActiveTexture", (gl.GL_TEXTURE0,), None, None
        sub = (gl.GL_TEXTURE_3D, 0, 1, 1, 1, 2, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, Offset(8))
        yield "glTexSubImage3D", sub, None, None
        yield "glBindBuffer", (gl.GL_PIXEL_UNPACK_BUFFER, 0), None, None
        yield "glPixelStorei", (gl.GL_UNPACK_ROW_LENGTH, 0), None, None
        yield "glCopyBufferSubData", (gl.GL_TRANSFORM_FEEDBACK_BUFFER, gl.GL_UNIFORM_BUFFER, 0, 64, 16), None, None
        yield "glFenceSync", (gl.GL_SYNC_GPU_COMMANDS_COMPLETE, 0), None, 1
        yield "glClientWaitSync", (1, 0, 1000), None, gl.GL_ALREADY_SIGNALED
        yield "glBindFramebuffer", (gl.GL_FRAMEBUFFER, 0), None, None
        yield "glActiveTexture", (gl.GL_TEXTURE1,), None, None
        yield "glCopyTexSubImage3D", (gl.GL_TEXTURE_2D_ARRAY, 0, 0, 0, 1, 0, 0, 4, 4), None, None
        yield "traceSwap", (1, "eglSwapBuffers"), None, None


def msaa() -> Iterator[Step]:
    """The same with four samples a pixel, resolved by a blit."""
    yield from es3(4)


def gl33() -> Iterator[Step]:
    """Desktop GL 3.3 core: rectangle texture, base vertex, several draws at once, read-back into a buffer."""
    yield from _context(1, 3, 3, 1)
    yield from _program(1, VERTEX_GL, FRAGMENT_GL, ())
    yield from _uniforms(1, "scale", "r", "bits")
    yield "glUniform2f", (0, 0.9, 0.8), None, None
    yield "glUniform1ui", (2, 5), None, None
    yield "glGenVertexArrays", (1, None), {"arrays": _names(1)}, None
    yield "glBindVertexArray", (1,), None, None
    yield "glGenBuffers", (3, None), {"buffers": _names(1, 2, 3)}, None
    yield "glBindBuffer", (_TARGET, 1), None, None
    corners = _QUAD[:, :2].tobytes()
    yield "glBufferData", (_TARGET, len(corners), corners, gl.GL_STATIC_DRAW), None, None
    yield "glVertexAttribPointer", (0, 2, gl.GL_FLOAT, 0, 8, Offset(0)), None, None
    yield "glEnableVertexAttribArray", (0,), None, None
    yield "glBindBuffer", (gl.GL_ELEMENT_ARRAY_BUFFER, 2), None, None
    data = _INDICES.tobytes()
    yield "glBufferData", (gl.GL_ELEMENT_ARRAY_BUFFER, len(data), data, gl.GL_STATIC_DRAW), None, None
    rectangle = 0x84F5
    pixels = bytes(range(48))
    image = (rectangle, 0, gl.GL_RGB8, 4, 4, 0, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pixels)
    yield from _texture(rectangle, 1, ("glTexImage2D", image, None, None))
    yield "glViewport", (0, 0, WIDTH, HEIGHT), None, None
    for _ in range(2):
        yield "glClear", (gl.GL_COLOR_BUFFER_BIT,), None, None
        firsts, counts = struct.pack("<2i", 0, 1), struct.pack("<2i", 3, 3)
        yield "glMultiDrawArrays", (gl.GL_TRIANGLES, firsts, counts, 2), None, None
        yield "glPolygonMode", (gl.GL_FRONT_AND_BACK, gl.GL_FILL), None, None
        arguments = (gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_SHORT, Offset(0), 0)
        yield "glDrawElementsBaseVertex", arguments, None, None
        yield "glBindBuffer", (gl.GL_PIXEL_PACK_BUFFER, 3), None, None
        yield "glBufferData", (gl.GL_PIXEL_PACK_BUFFER, 1024, None, gl.GL_STREAM_READ), None, None
        yield "glReadPixels", (0, 0, 16, 16, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, Offset(0)), None, None
        yield "glBindBuffer", (gl.GL_PIXEL_PACK_BUFFER, 0), None, None
        yield "traceSwap", (1, "glfwSwapBuffers"), None, None


SCENES: dict[str, Callable[[], Iterator[Step]]] = {"es2": es2, "es3": es3, "msaa": msaa, "gl33": gl33}
