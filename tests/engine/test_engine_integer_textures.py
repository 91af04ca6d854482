"""Textures of integers, read by samplers of the other sign: undefined by GL, and here what Mesa gives."""

from __future__ import annotations

import numpy as np
import pytest
from gl_program import Program

from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ColumnSet

VERTEX = "#version 300 es\nin vec4 p; void main() { gl_Position = p; }"
FRAGMENT = """#version 300 es
precision highp float; precision highp int; uniform highp KINDsampler2D t; layout(location = 0) out KINDvec4 c;
void main() { c = texelFetch(t, ivec2(gl_FragCoord.xy), 0); }"""
SIZE = (4, 2)
CORNERS = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)


@pytest.mark.parametrize("executor", ["llvm", "numpy"])
@pytest.mark.parametrize(
    ("kind", "internal", "type"), [("u", gl.GL_R8I, gl.GL_BYTE), ("i", gl.GL_R8UI, gl.GL_UNSIGNED_BYTE)]
)
def test_the_sign_is_the_formats(executor: str, kind: str, internal: int, type: int) -> None:
    p = Program(ColumnSet(()), size=SIZE, executor=executor)
    texels = np.array([[0, 1, 127, 128], [170, 200, 254, 255]], np.uint8)
    p("glPixelStorei", gl.GL_UNPACK_ALIGNMENT, 1)
    p("glBindTexture", gl.GL_TEXTURE_2D, 1)
    p("glTexImage2D", gl.GL_TEXTURE_2D, 0, internal, *SIZE, 0, gl.GL_RED_INTEGER, type, texels.tobytes())
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        p("glTexParameteri", gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)
    p("glBindRenderbuffer", gl.GL_RENDERBUFFER, 1)
    p("glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_RGBA32UI if kind == "u" else gl.GL_RGBA32I, *SIZE)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    p("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, 1)
    p.program(VERTEX, FRAGMENT.replace("KIND", kind), p=0)
    p.buffer(CORNERS)
    p.attribute(0, 4, 16, 0)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    wide = gl.GL_UNSIGNED_INT if kind == "u" else gl.GL_INT
    p("glReadPixels", 0, 0, *SIZE, gl.GL_RGBA_INTEGER, wide, None)
    found = np.frombuffer(p.tracker.outputs["pixels"], np.int32).reshape(*SIZE[::-1], 4)[..., 0]
    wanted = texels.view(np.int8) if kind == "u" else texels
    assert found.tolist() == wanted.astype(np.int32).tolist()
    p.engine.close()
