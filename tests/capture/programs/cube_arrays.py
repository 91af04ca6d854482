# ruff: noqa: F403, F405, PT018
"""PyOpenGL on an EGL pbuffer (GL 4.5): an array of cubes that is drawn to, an array of samples, a barrier."""

import ctypes
import os

os.environ["PYOPENGL_PLATFORM"] = "egl"

import numpy as np
from OpenGL import EGL as egl
from OpenGL.GL import *

display = egl.eglGetDisplay(egl.EGL_DEFAULT_DISPLAY)
assert egl.eglInitialize(display, None, None)
configs, count = (egl.EGLConfig * 1)(), ctypes.c_int()
wanted = [egl.EGL_SURFACE_TYPE, egl.EGL_PBUFFER_BIT, egl.EGL_RED_SIZE, 8, egl.EGL_RENDERABLE_TYPE, 8, egl.EGL_NONE]
assert egl.eglChooseConfig(display, (ctypes.c_int * len(wanted))(*wanted), configs, 1, count) and count.value
egl.eglBindAPI(egl.EGL_OPENGL_API)
size = [egl.EGL_WIDTH, 40, egl.EGL_HEIGHT, 30, egl.EGL_NONE]
surface = egl.eglCreatePbufferSurface(display, configs[0], (ctypes.c_int * len(size))(*size))
version = [0x3098, 4, 0x30FB, 5, 0x30FD, 1, egl.EGL_NONE]
context = egl.eglCreateContext(display, configs[0], egl.EGL_NO_CONTEXT, (ctypes.c_int * len(version))(*version))
assert context and egl.eglMakeCurrent(display, surface, surface, context)

HEAD = "#version 450\n"
VERTEX = HEAD + "out vec2 t; void main() { t = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0; "
VERTEX += "gl_Position = vec4(t * 2.0 - 1.0, 0, 1); }"


def program(fragment):
    number = glCreateProgram()
    for kind, text in ((GL_VERTEX_SHADER, VERTEX), (GL_FRAGMENT_SHADER, HEAD + fragment)):
        shader = glCreateShader(kind)
        glShaderSource(shader, text)
        glCompileShader(shader)
        glAttachShader(number, shader)
    glLinkProgram(number)
    assert glGetProgramiv(number, GL_LINK_STATUS), glGetProgramInfoLog(number)
    return number


fill = program("in vec2 t; out vec4 o; layout(location = 0) uniform float k; void main() { o = vec4(t, k, 1); }")
show = program(
    "layout(std430, binding = 0) buffer B { uint n; };"
    "layout(binding = 0) uniform samplerCubeArray s; layout(binding = 1) uniform sampler2DMSArray m;"
    "in vec2 t; out vec4 o; void main() { atomicAdd(n, 1u); float k = floor(t.x * 2.0);"
    "o = texture(s, vec4(t - 0.5, 0.3, k)) * 0.5 + texelFetch(m, ivec3(ivec2(gl_FragCoord.xy) & 7, int(k)), 1) * 0.5; }"
)
counted = program(
    "layout(std430, binding = 0) buffer B { uint n; }; out vec4 o; void main() { o = vec4(float(n) / 2400.0); }"
)
glBindVertexArray(glGenVertexArrays(1))

cubes, samples = glGenTextures(2)
glBindTexture(GL_TEXTURE_CUBE_MAP_ARRAY, cubes)
glTexStorage3D(GL_TEXTURE_CUBE_MAP_ARRAY, 1, GL_RGBA8, 8, 8, 12)
for pname in (GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER):
    glTexParameteri(GL_TEXTURE_CUBE_MAP_ARRAY, pname, GL_LINEAR)
glActiveTexture(GL_TEXTURE1)
glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, samples)
glTexStorage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, 8, 8, 2, GL_TRUE)
target = glGenFramebuffers(1)
glBindFramebuffer(GL_FRAMEBUFFER, target)
glViewport(0, 0, 8, 8)
glUseProgram(fill)
for texture, layers in ((cubes, 12), (samples, 2)):
    for layer in range(layers):
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, layer)
        assert glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE
        glUniform1f(0, layer / 12)
        glDrawArrays(GL_TRIANGLES, 0, 3)
glBindFramebuffer(GL_FRAMEBUFFER, 0)
glViewport(0, 0, 40, 30)
storage = glGenBuffers(1)
glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, storage)
glBufferData(GL_SHADER_STORAGE_BUFFER, 4, np.zeros(1, np.uint32), GL_STATIC_DRAW)
glUseProgram(show)
glDrawArrays(GL_TRIANGLES, 0, 3)
glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT)
glUseProgram(counted)
glEnable(GL_SCISSOR_TEST)
glScissor(0, 0, 20, 30)
glDrawArrays(GL_TRIANGLES, 0, 3)
assert glGetError() == GL_NO_ERROR
egl.eglSwapBuffers(display, surface)
