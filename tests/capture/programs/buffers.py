"""PyOpenGL, compatibility profile: a persistent mapping, several draws at once from client memory; prints pixels."""

import ctypes

import glfw
import numpy as np
from OpenGL import GL

glfw.init()
window = glfw.create_window(64, 64, "buffers", None, None)
glfw.make_context_current(window)
program = GL.glCreateProgram()
for kind, source in (
    (GL.GL_VERTEX_SHADER, "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }"),
    (GL.GL_FRAGMENT_SHADER, "uniform vec4 color; void main() { gl_FragColor = color; }"),
):
    shader = GL.glCreateShader(kind)
    GL.glShaderSource(shader, source)
    GL.glCompileShader(shader)
    GL.glAttachShader(program, shader)
GL.glBindAttribLocation(program, 0, "position")
GL.glLinkProgram(program)
GL.glUseProgram(program)
color = GL.glGetUniformLocation(program, "color")


def square(x, y):
    """Two triangles of 16 x 16 pixels, as six corners."""
    x, y = x / 2 - 1, y / 2 - 1
    return [x, y, x + 0.5, y, x, y + 0.5, x + 0.5, y, x + 0.5, y + 0.5, x, y + 0.5]


def show():
    pixels = np.frombuffer(GL.glReadPixels(0, 0, 64, 64, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE), "u1").reshape(64, 64, 4)
    print([[int(value) for value in pixels[16 * y + 8, 16 * x + 8, :2]] for y in range(4) for x in range(4)])


GL.glEnableVertexAttribArray(0)
# A persistent mapping: written before each draw, never unmapped.
size = 96
buffer = GL.glGenBuffers(1)
GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
access = GL.GL_MAP_WRITE_BIT | GL.GL_MAP_PERSISTENT_BIT | GL.GL_MAP_COHERENT_BIT
GL.glBufferStorage(GL.GL_ARRAY_BUFFER, size, None, access)
address = GL.glMapBufferRange(GL.GL_ARRAY_BUFFER, 0, size, access)
memory = (ctypes.c_float * (size // 4)).from_address(address)
GL.glVertexAttribPointer(0, 2, GL.GL_FLOAT, False, 0, ctypes.c_void_p(0))
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
for step in range(4):
    memory[:12] = square(step, 0)
    GL.glUniform4f(color, 1.0, step / 4, 0.0, 1.0)
    GL.glDrawArrays(GL.GL_TRIANGLES, 0, 6)
show()
glfw.swap_buffers(window)

# Several draws at once, everything in client memory.
GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)
corners = np.array([square(x, y) for y in range(4) for x in range(4)], "f4")
GL.glVertexAttribPointer(0, 2, GL.GL_FLOAT, False, 0, corners)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glUniform4f(color, 0.0, 1.0, 0.0, 1.0)
GL.glMultiDrawArrays(GL.GL_TRIANGLES, np.array([0, 30], "i4"), np.array([6, 12], "i4"), 2)
lists = [np.arange(72, 78, dtype="u2"), np.arange(90, 96, dtype="u2")]
addresses = (ctypes.c_void_p * 2)(*(each.ctypes.data for each in lists))
GL.glUniform4f(color, 1.0, 0.0, 0.0, 1.0)
GL.glMultiDrawElements(GL.GL_TRIANGLES, np.array([6, 6], "i4"), GL.GL_UNSIGNED_SHORT, addresses, 2)
show()
glfw.swap_buffers(window)
