"""What the OpenGL ES samples share: programs, meshes and textures through PyOpenGL."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samples.meshes import VERTEX_BYTES, Mesh

# PyOpenGL looks for its context through GLX unless it is told otherwise, and the windows here are EGL windows.
os.environ.setdefault("PYOPENGL_PLATFORM", "egl")

from OpenGL import GLES2 as GL

__all__ = ["GL", "GpuMesh", "Program", "texture"]


class Program:
    """A linked program; ``program["name"]`` is the location of a uniform."""

    def __init__(self, vertex: str, fragment: str, attributes: Sequence[str] = ("position", "normal", "uv")) -> None:
        self.name = GL.glCreateProgram()
        for kind, source in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
            shader = GL.glCreateShader(kind)
            GL.glShaderSource(shader, source)
            GL.glCompileShader(shader)
            if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
                sys.exit(f"a shader does not compile: {GL.glGetShaderInfoLog(shader)}")
            GL.glAttachShader(self.name, shader)
            GL.glDeleteShader(shader)
        for location, attribute in enumerate(attributes):
            GL.glBindAttribLocation(self.name, location, attribute)
        GL.glLinkProgram(self.name)
        if not GL.glGetProgramiv(self.name, GL.GL_LINK_STATUS):
            sys.exit(f"a program does not link: {GL.glGetProgramInfoLog(self.name)}")
        self._locations: dict[str, int] = {}

    def __getitem__(self, uniform: str) -> int:
        """Location of a uniform, asked for once."""
        if uniform not in self._locations:
            self._locations[uniform] = GL.glGetUniformLocation(self.name, uniform)
        return self._locations[uniform]

    def use(self) -> None:
        """Make it current."""
        GL.glUseProgram(self.name)

    def matrix(self, uniform: str, value: NDArray[np.float32]) -> None:
        """Set a 4x4 matrix."""
        GL.glUniformMatrix4fv(self[uniform], 1, False, np.ascontiguousarray(value.T))


class GpuMesh:
    """A mesh in buffer objects, attributes at locations 0 (position), 1 (normal), 2 (texture coordinate)."""

    def __init__(self, mesh: Mesh) -> None:
        self.count = len(mesh.indices)
        self._vertices, self._indices = (int(name) for name in GL.glGenBuffers(2))
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._vertices)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, mesh.vertices.nbytes, mesh.vertices, GL.GL_STATIC_DRAW)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, mesh.indices.nbytes, mesh.indices, GL.GL_STATIC_DRAW)

    def bind(self) -> None:
        """Make its buffers the source of the next draws."""
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._vertices)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        for location, size, offset in ((0, 3, 0), (1, 3, 12), (2, 2, 24)):
            GL.glEnableVertexAttribArray(location)
            GL.glVertexAttribPointer(location, size, GL.GL_FLOAT, False, VERTEX_BYTES, ctypes.c_void_p(offset))

    def draw(self) -> None:
        """Draw all triangles from the bound buffers."""
        GL.glDrawElements(GL.GL_TRIANGLES, self.count, GL.GL_UNSIGNED_SHORT, ctypes.c_void_p(0))


def texture(image: NDArray[np.uint8], *, mipmaps: bool = True, clamp: bool = False) -> int:
    """Upload an RGBA image as a 2D texture and give its name."""
    height, width = image.shape[:2]
    name = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, name)
    GL.glTexImage2D(
        GL.GL_TEXTURE_2D, 0, GL.GL_RGBA, width, height, 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, np.ascontiguousarray(image)
    )
    least: Any = GL.GL_LINEAR
    if mipmaps:
        GL.glGenerateMipmap(GL.GL_TEXTURE_2D)
        least = GL.GL_LINEAR_MIPMAP_LINEAR
    wrap = GL.GL_CLAMP_TO_EDGE if clamp else GL.GL_REPEAT
    for parameter, value in (
        (GL.GL_TEXTURE_MIN_FILTER, least),
        (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
        (GL.GL_TEXTURE_WRAP_S, wrap),
        (GL.GL_TEXTURE_WRAP_T, wrap),
    ):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, parameter, value)
    return name
