# ruff: noqa: F403, F405, PT018
"""PyOpenGL on an EGL pbuffer, by direct state access (GL 4.5) alone: what is drawn is bound as little as GL allows."""

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


def made(create, *target):
    name = (ctypes.c_uint * 1)()
    create(*target, 1, name)
    return name[0]


VERTEX = """#version 450
layout(location=1) in vec2 place; layout(location=2) in float shade; out vec3 way;
void main() { way = vec3(place, shade); gl_Position = vec4(place, 0.0, 1.0); }"""
FRAGMENT = """#version 450
layout(binding=2) uniform sampler2D image; layout(binding=3) uniform samplerCube sky; in vec3 way; out vec4 color;
void main() { color = texture(image, way.xy) * 0.5 + texture(sky, vec3(way.xy, way.z)) * 0.5; }"""
program = glCreateProgram()
for kind, text in ((GL_VERTEX_SHADER, VERTEX), (GL_FRAGMENT_SHADER, FRAGMENT)):
    shader = glCreateShader(kind)
    glShaderSource(shader, text)
    glCompileShader(shader)
    glAttachShader(program, shader)
glLinkProgram(program)
assert glGetProgramiv(program, GL_LINK_STATUS), glGetProgramInfoLog(program)
glUseProgram(program)

image = made(glCreateTextures, GL_TEXTURE_2D)
glTextureStorage2D(image, 2, GL_RGBA8, 4, 2)
glTextureSubImage2D(image, 0, 0, 0, 4, 2, GL_RGBA, GL_UNSIGNED_BYTE, np.arange(0, 256, 8, dtype=np.uint8))
glGenerateTextureMipmap(image)
glTextureParameteri(image, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST)
sky = made(glCreateTextures, GL_TEXTURE_CUBE_MAP)
glTextureStorage2D(sky, 1, GL_R8, 4, 4)
glTextureSubImage3D(sky, 0, 0, 0, 0, 4, 4, 6, GL_RED, GL_UNSIGNED_BYTE, np.arange(96, dtype=np.uint8) * 2)
glTextureParameteri(sky, GL_TEXTURE_MIN_FILTER, GL_NEAREST)
glBindTextureUnit(2, image)
glBindTextureUnit(3, sky)

vertices, copy, indices = (made(glCreateBuffers) for _ in range(3))
corners = np.array([-1, -1, 0.25, 1, -1, 0.5, 0, 1, 1], np.float32)
glNamedBufferStorage(vertices, corners.nbytes, None, GL_MAP_WRITE_BIT)
address = glMapNamedBufferRange(vertices, 0, corners.nbytes, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT)
ctypes.memmove(address, corners.tobytes(), corners.nbytes)
glUnmapNamedBuffer(vertices)
glNamedBufferData(copy, corners.nbytes + 4, None, GL_STATIC_DRAW)
glCopyNamedBufferSubData(vertices, copy, 0, 4, corners.nbytes)
glNamedBufferData(indices, 3, np.array([2, 1, 0], np.uint8), GL_STATIC_DRAW)
array = made(glCreateVertexArrays)
glVertexArrayVertexBuffer(array, 0, copy, 4, 12)
glVertexArrayElementBuffer(array, indices)
for index, components, offset in ((1, 2, 0), (2, 1, 8)):
    glEnableVertexArrayAttrib(array, index)
    glVertexArrayAttribFormat(array, index, components, GL_FLOAT, False, offset)
    glVertexArrayAttribBinding(array, index, 0)
glBindVertexArray(array)

target, layer = made(glCreateFramebuffers), made(glCreateTextures, GL_TEXTURE_2D)
depth = made(glCreateRenderbuffers)
glTextureStorage2D(layer, 1, GL_RGBA8, 40, 30)
glNamedRenderbufferStorage(depth, GL_DEPTH_COMPONENT24, 40, 30)
glNamedFramebufferTexture(target, GL_COLOR_ATTACHMENT0, layer, 0)
glNamedFramebufferRenderbuffer(target, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth)
glNamedFramebufferDrawBuffer(target, GL_COLOR_ATTACHMENT0)
assert glCheckNamedFramebufferStatus(target, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE
glViewport(0, 0, 40, 30)
for number in range(2):
    glClearNamedFramebufferfv(target, GL_COLOR, 0, np.array([0.2, 0.4 * number, 0.6, 1], np.float32))
    glClearNamedFramebufferfv(target, GL_DEPTH, 0, np.array([1], np.float32))
    glBindFramebuffer(GL_FRAMEBUFFER, target)
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, None)
    glBindFramebuffer(GL_FRAMEBUFFER, 0)
    glBlitNamedFramebuffer(target, 0, 0, 0, 40, 30, 0, 0, 40, 30, GL_COLOR_BUFFER_BIT, GL_NEAREST)
    egl.eglSwapBuffers(display, surface)
assert glGetError() == 0
