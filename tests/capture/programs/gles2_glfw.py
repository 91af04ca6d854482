# ruff: noqa: F403, F405, PT018
"""PyOpenGL GLES 2.0 in a glfw window: client arrays, client indices, markers, read-back."""

import sys

import glfw
import numpy as np
from OpenGL.GLES2 import *
from OpenGL.GLES2.EXT.debug_marker import glInsertEventMarkerEXT, glPopGroupMarkerEXT, glPushGroupMarkerEXT
from OpenGL.GLES2.KHR.debug import glPopDebugGroupKHR, glPushDebugGroupKHR

GL_DEBUG_SOURCE_APPLICATION = 0x824A


def shader(kind, text):
    name = glCreateShader(kind)
    glShaderSource(name, text)
    glCompileShader(name)
    assert glGetShaderiv(name, GL_COMPILE_STATUS), glGetShaderInfoLog(name)
    return name


glfw.init()
glfw.window_hint(glfw.CLIENT_API, glfw.OPENGL_ES_API)
glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 2)
window = glfw.create_window(64, 48, "GLES2", None, None)
glfw.make_context_current(window)
assert glGetString(GL_VERSION).startswith(b"OpenGL ES"), glGetString(GL_VERSION)
assert b"GL_EXT_debug_marker" in glGetString(GL_EXTENSIONS).split()
program = glCreateProgram()
glAttachShader(
    program, shader(GL_VERTEX_SHADER, "attribute vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }")
)
glAttachShader(
    program,
    shader(GL_FRAGMENT_SHADER, "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }"),
)
glLinkProgram(program)
glUseProgram(program)
place, color = glGetAttribLocation(program, "place"), glGetUniformLocation(program, "color")
vertices = np.array([[-1, -1], [1, -1], [0, 1], [7, 7]], np.float32)
indices = np.array([0, 1, 2], np.uint16)
assert bool(glPushGroupMarkerEXT) and bool(glPushDebugGroupKHR)
for frame in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
    glClearColor(0, 0, frame / 4, 1)
    glClear(GL_COLOR_BUFFER_BIT)
    glPushGroupMarkerEXT(0, b"triangle")
    glPushDebugGroupKHR(GL_DEBUG_SOURCE_APPLICATION, 7, -1, b"inner")
    glUniform4f(color, 1, 0.5, 0, 1)
    glEnableVertexAttribArray(place)
    glVertexAttribPointer(place, 2, GL_FLOAT, False, 0, vertices)
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, indices)
    glDrawArrays(GL_TRIANGLES, 1, 2)
    glPopDebugGroupKHR()
    glInsertEventMarkerEXT(0, b"done")
    glPopGroupMarkerEXT()
    glReadPixels(0, 0, 64, 48, GL_RGBA, GL_UNSIGNED_BYTE, np.empty((48, 64, 4), np.uint8))
    glfw.swap_buffers(window)
    glfw.poll_events()
glfw.terminate()
