"""Two glfw windows that share objects; the first is resized."""

import glfw
import numpy as np
from OpenGL.GLES3 import (
    GL_ARRAY_BUFFER,
    GL_COLOR_BUFFER_BIT,
    GL_STATIC_DRAW,
    glBindBuffer,
    glBufferData,
    glClear,
    glGenBuffers,
    glViewport,
)

glfw.init()
glfw.window_hint(glfw.CLIENT_API, glfw.OPENGL_ES_API)
glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 3)
one = glfw.create_window(60, 40, "one", None, None)
never_current = glfw.create_window(20, 20, "never", None, None)
two = glfw.create_window(30, 20, "two", None, one)
glfw.make_context_current(one)
buffer = glGenBuffers(1)
glBindBuffer(GL_ARRAY_BUFFER, buffer)
glBufferData(GL_ARRAY_BUFFER, 16, np.arange(4, dtype=np.float32), GL_STATIC_DRAW)
for step in range(3):
    glfw.make_context_current(one)
    if step == 1:
        glfw.set_window_size(one, 80, 50)
    glClear(GL_COLOR_BUFFER_BIT)
    glfw.swap_buffers(one)
    assert glfw.get_current_context()
    glfw.make_context_current(two)
    glBindBuffer(GL_ARRAY_BUFFER, buffer)
    glViewport(0, 0, 30, 20)
    glClear(GL_COLOR_BUFFER_BIT)
    glfw.swap_buffers(two)
glfw.destroy_window(two)
glfw.terminate()
