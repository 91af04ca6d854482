"""glfw and PyOpenGL: a triangle in a hidden window, three frames; prints pixels of each."""

import glfw
import numpy as np
from OpenGL import GL
from OpenGL.GL import shaders

assert glfw.init()
for hint, value in ((glfw.VISIBLE, 0), (glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3)):
    glfw.window_hint(hint, value)
glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
window = glfw.create_window(160, 120, "triangle", None, None)
glfw.make_context_current(window)
GL.glBindVertexArray(GL.glGenVertexArrays(1))
vertex = shaders.compileShader(
    "#version 330\nin vec2 a; void main() { gl_Position = vec4(a, 0.0, 1.0); }", GL.GL_VERTEX_SHADER
)
fragment = shaders.compileShader(
    "#version 330\nout vec4 o; void main() { o = vec4(1.0, 0.5, 0.0, 1.0); }", GL.GL_FRAGMENT_SHADER
)
program = shaders.compileProgram(vertex, fragment)
GL.glBindBuffer(GL.GL_ARRAY_BUFFER, GL.glGenBuffers(1))
GL.glBufferData(GL.GL_ARRAY_BUFFER, np.array([-0.5, -0.5, 0.5, -0.5, 0.0, 0.5], "f4"), GL.GL_STATIC_DRAW)
place = GL.glGetAttribLocation(program, "a")
GL.glEnableVertexAttribArray(place)
GL.glVertexAttribPointer(place, 2, GL.GL_FLOAT, False, 0, None)
for number in range(3):
    GL.glClearColor(0.0, 0.2 * number, 0.4, 1.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    GL.glUseProgram(program)
    GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
    print([GL.glReadPixels(x, y, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE).hex() for x, y in ((80, 55), (2, 2))])
    glfw.swap_buffers(window)
glfw.terminate()
