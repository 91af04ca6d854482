# ruff: noqa: F403, F405, PT018
"""PyOpenGL GLES 3.0 on an EGL pbuffer: buffers, a mapped write, indices in a buffer, a fence, a texture."""

import ctypes
import os

os.environ["PYOPENGL_PLATFORM"] = "egl"

import numpy as np
from OpenGL import EGL as egl
from OpenGL.GLES3 import *

display = egl.eglGetDisplay(egl.EGL_DEFAULT_DISPLAY)
assert egl.eglInitialize(display, None, None)
configs, count = (egl.EGLConfig * 1)(), ctypes.c_int()
wanted = [egl.EGL_SURFACE_TYPE, egl.EGL_PBUFFER_BIT, egl.EGL_RED_SIZE, 8, egl.EGL_RENDERABLE_TYPE, 0x40, egl.EGL_NONE]
assert egl.eglChooseConfig(display, (ctypes.c_int * len(wanted))(*wanted), configs, 1, count) and count.value
config = configs[0]
egl.eglBindAPI(egl.EGL_OPENGL_ES_API)
size = [egl.EGL_WIDTH, 40, egl.EGL_HEIGHT, 30, egl.EGL_NONE]
surface = egl.eglCreatePbufferSurface(display, config, (ctypes.c_int * len(size))(*size))
version = [0x3098, 3, egl.EGL_NONE]
context = egl.eglCreateContext(display, config, egl.EGL_NO_CONTEXT, (ctypes.c_int * len(version))(*version))
assert egl.eglMakeCurrent(display, surface, surface, context)


def shader(kind, text):
    name = glCreateShader(kind)
    glShaderSource(name, text)
    glCompileShader(name)
    assert glGetShaderiv(name, GL_COMPILE_STATUS), glGetShaderInfoLog(name)
    return name


program = glCreateProgram()
glAttachShader(
    program,
    shader(
        GL_VERTEX_SHADER,
        "#version 300 es\nlayout(location=1) in vec2 place; out vec2 uv;"
        " void main() { uv = place; gl_Position = vec4(place, 0.0, 1.0); }",
    ),
)
glAttachShader(
    program,
    shader(
        GL_FRAGMENT_SHADER,
        "#version 300 es\nprecision mediump float; uniform sampler2D image; in vec2 uv; out vec4 color;"
        " void main() { color = texture(image, uv); }",
    ),
)
glLinkProgram(program)
assert glGetProgramiv(program, GL_LINK_STATUS), glGetProgramInfoLog(program)
glUseProgram(program)

texture = glGenTextures(1)
glBindTexture(GL_TEXTURE_2D, texture)
glPixelStorei(GL_UNPACK_ALIGNMENT, 1)
glTexImage2D(
    GL_TEXTURE_2D, 0, GL_RGB8, 3, 2, 0, GL_RGB, GL_UNSIGNED_BYTE, np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
)
glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST)

array = glGenVertexArrays(1)
glBindVertexArray(array)
buffers = glGenBuffers(2)
vertices = np.array([-1, -1, 1, -1, 0, 1], np.float32)
glBindBuffer(GL_ARRAY_BUFFER, buffers[0])
glBufferData(GL_ARRAY_BUFFER, vertices.nbytes, None, GL_DYNAMIC_DRAW)
address = glMapBufferRange(GL_ARRAY_BUFFER, 8, 16, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT)
ctypes.memmove(address, vertices[2:].tobytes(), 16)
glUnmapBuffer(GL_ARRAY_BUFFER)
glBufferSubData(GL_ARRAY_BUFFER, 0, 8, vertices[:2])
glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1])
glBufferData(GL_ELEMENT_ARRAY_BUFFER, 3, np.array([0, 1, 2], np.uint8), GL_STATIC_DRAW)
glEnableVertexAttribArray(1)
glVertexAttribPointer(1, 2, GL_FLOAT, False, 0, None)
for _ in range(2):
    glClear(GL_COLOR_BUFFER_BIT)
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, None)
    fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10**9)
    glDeleteSync(fence)
    egl.eglSwapBuffers(display, surface)
egl.eglMakeCurrent(display, egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, egl.EGL_NO_CONTEXT)
egl.eglDestroyContext(display, context)
egl.eglTerminate(display)
