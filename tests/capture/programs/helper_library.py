"""Functions of GLU, by PyOpenGL: the library that stands on GL, and no entry point of a driver."""

import moderngl
from OpenGL import GLU, platform

context = moderngl.create_standalone_context()
context.simple_framebuffer((4, 4)).clear()
print(platform.PLATFORM.getExtensionProcedure(b"gluErrorString"))
eye = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]]
print(tuple(GLU.gluProject(0, 0, 0, eye, eye, [0, 0, 1, 1])))
print(GLU.gluErrorString(0))
