"""What benchmarks draw with: programs, meshes, textures and targets of one benchmark, removed behind it."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

__all__ = ["Stage", "Unsupported", "fragment_text", "quads", "vertex_text"]

#: Sized format: format and type of its upload.
FORMATS: Final = {
    "RGBA8": ("RGBA", "UNSIGNED_BYTE"),
    "RGB565": ("RGB", "UNSIGNED_SHORT_5_6_5"),
    "RGB10_A2": ("RGBA", "UNSIGNED_INT_2_10_10_10_REV"),
    "R8": ("RED", "UNSIGNED_BYTE"),
}
_TEXEL_BYTES: Final = {"RGBA8": 4, "RGB565": 2, "RGB10_A2": 4, "R8": 1}


class Unsupported(Exception):
    """The device cannot do what a benchmark asks for."""


def vertex_text(attributes: int = 1, varyings: int = 1, work: int = 0) -> str:
    """Source of a vertex shader.

    Parameters
    ----------
    attributes : vec4s read; the first one is the position
    varyings : vec4s written; the first one starts with the position from 0 to 1
    work : dependent multiplications and additions of vec4s
    """
    inputs = "".join(f"layout(location = {k}) in vec4 a{k};\n" for k in range(attributes))
    outputs = "".join(f"out vec4 v{k};\n" for k in range(varyings))
    total = " + ".join(["vec4(0.0)", *(f"a{k}" for k in range(1, attributes))])
    body = "    c = c * 0.999 + factor;\n" * work
    writes = "".join(f"    v{k} = c + vec4(a0.xy * 0.5 + 0.5, a0.z, {0.125 * k});\n" for k in range(varyings))
    return (
        f"#version 300 es\n{inputs}{outputs}uniform vec4 factor;\nvoid main() {{\n    vec4 c = {total};\n{body}{writes}"
        "    gl_Position = vec4(a0.xyz, 1.0);\n}\n"
    )


def fragment_text(body: str, varyings: int = 1, declared: str = "") -> str:
    """Source of a fragment shader whose body changes ``c``, which begins as its first varying."""
    inputs = "".join(f"in vec4 v{k};\n" for k in range(varyings))
    return (
        f"#version 300 es\nprecision highp float;\n{inputs}{declared}uniform vec4 factor;\nout vec4 color;\n"
        f"void main() {{\n    vec4 c = v0;\n{body}    color = c;\n}}\n"
    )


def quads(boxes: Any) -> Any:
    """Two triangles for each box.

    Parameters
    ----------
    boxes : (N, 5) left, bottom, right, top, depth in clip space

    Returns
    -------
    (6 N, 1, 4) float32 positions
    """
    left, bottom, right, top, depth = np.asarray(boxes, np.float32).T
    ones = np.ones_like(left)
    corners = [(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)]
    points = np.stack([np.stack([x, y, depth, ones], 1) for x, y in corners], 1)
    return points.reshape(-1, 1, 4)


class Stage:
    """Objects of one benchmark.

    Parameters
    ----------
    gl : functions and constants of OpenGL ES 3.0 as PyOpenGL has them
    """

    def __init__(self, gl: Any) -> None:
        self.gl = gl
        self._made: list[tuple[str, int]] = []
        self._vertex_array = self._new("VertexArrays")
        gl.glBindVertexArray(self._vertex_array)
        for name in ("BLEND", "CULL_FACE", "DEPTH_TEST", "SCISSOR_TEST", "STENCIL_TEST", "DITHER"):
            gl.glDisable(getattr(gl, f"GL_{name}"))
        gl.glDepthMask(True)
        gl.glDepthFunc(gl.GL_LESS)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)

    def _new(self, kind: str) -> int:
        made = (ctypes.c_uint * 1)()
        getattr(self.gl, f"glGen{kind}")(1, made)
        self._made.append((kind, made[0]))
        return made[0]

    def program(self, vertex: str, fragment: str) -> int:
        """Compile, link and use a program; its uniform ``factor`` is set.

        Raises
        ------
        Unsupported : the driver refuses it, with its words
        """
        gl = self.gl
        name = int(gl.glCreateProgram())
        self._made.append(("Program", name))
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            shader = gl.glCreateShader(kind)
            gl.glShaderSource(shader, source)
            gl.glCompileShader(shader)
            if not gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS):
                raise Unsupported(f"a shader does not compile: {gl.glGetShaderInfoLog(shader)!s:.200}")
            gl.glAttachShader(name, shader)
            gl.glDeleteShader(shader)
        gl.glLinkProgram(name)
        if not gl.glGetProgramiv(name, gl.GL_LINK_STATUS):
            raise Unsupported(f"a program does not link: {gl.glGetProgramInfoLog(name)!s:.200}")
        gl.glUseProgram(name)
        self.factor = gl.glGetUniformLocation(name, "factor")
        if self.factor >= 0:
            gl.glUniform4f(self.factor, 0.0625, 0.03125, 0.015625, 0.5)
        return name

    def mesh(self, vertices: Any, indices: Any = None) -> int:
        """Upload vertices and make them the source of draws; gives how many a draw takes.

        Parameters
        ----------
        vertices : (N, A, 4) float32, A attributes each
        indices : (M,) uint16, or None
        """
        gl = self.gl
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._new("Buffers"))
        gl.glBufferData(gl.GL_ARRAY_BUFFER, vertices.nbytes, vertices.tobytes(), gl.GL_STATIC_DRAW)
        for location in range(vertices.shape[1]):
            gl.glEnableVertexAttribArray(location)
            offset = ctypes.c_void_p(16 * location)
            gl.glVertexAttribPointer(location, 4, gl.GL_FLOAT, False, 16 * vertices.shape[1], offset)
        if indices is None:
            return len(vertices)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._new("Buffers"))
        gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, indices.tobytes(), gl.GL_STATIC_DRAW)
        return len(indices)

    def texture(self, side: int, texels: str = "RGBA8", filtered: str = "nearest") -> int:
        """Make a square texture of random texels and bind it; ``texels`` is a key of FORMATS, or ETC2."""
        gl = self.gl
        name = self._new("Textures")
        gl.glBindTexture(gl.GL_TEXTURE_2D, name)
        random = np.random.default_rng(7)
        if texels == "ETC2":
            data = random.integers(0, 256, side * side // 2, np.uint8).tobytes()
            gl.glCompressedTexImage2D(
                gl.GL_TEXTURE_2D, 0, gl.GL_COMPRESSED_RGB8_ETC2, side, side, 0, len(data), data
            )  # fmt: skip
        else:
            data = random.integers(0, 256, side * side * _TEXEL_BYTES[texels], np.uint8).tobytes()
            self._image(side, side, texels, data)
        least = {"nearest": gl.GL_NEAREST, "bilinear": gl.GL_LINEAR, "trilinear": gl.GL_LINEAR_MIPMAP_LINEAR}[filtered]
        most = gl.GL_NEAREST if filtered == "nearest" else gl.GL_LINEAR
        if filtered == "trilinear":
            gl.glGenerateMipmap(gl.GL_TEXTURE_2D)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, least)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, most)
        return name

    def _image(self, width: int, height: int, texels: str, data: bytes | None) -> None:
        gl = self.gl
        layout, kind = (getattr(gl, f"GL_{name}") for name in FORMATS[texels])
        inner = getattr(gl, f"GL_{texels}")
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, inner, width, height, 0, layout, kind, data)

    def target(self, width: int, height: int, pixels: str = "RGBA8", *, has_depth: bool = False) -> tuple[int, int]:
        """Make a framebuffer, bind it and set the viewport to it; gives framebuffer and texture.

        Raises
        ------
        Unsupported : the driver does not draw into this format
        """
        gl = self.gl
        texture = self._new("Textures")
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
        self._image(width, height, pixels, None)
        for name in ("MIN_FILTER", "MAG_FILTER"):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, getattr(gl, f"GL_TEXTURE_{name}"), gl.GL_NEAREST)
        framebuffer = self._new("Framebuffers")
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, framebuffer)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, texture, 0)
        if has_depth:
            buffer = self._new("Renderbuffers")
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT24, width, height)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, buffer)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            raise Unsupported(f"no framebuffer of {pixels}{' with depth' if has_depth else ''}")
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(0.1, 0.2, 0.3, 1.0)
        return framebuffer, texture

    def clear(self, *, has_depth: bool = False) -> None:
        """Clear the bound framebuffer."""
        gl = self.gl
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | (gl.GL_DEPTH_BUFFER_BIT if has_depth else 0))

    def draw(self, count: int, first: int = 0) -> None:
        """Draw triangles of the mesh."""
        self.gl.glDrawArrays(self.gl.GL_TRIANGLES, first, count)

    def close(self) -> None:
        """Delete everything."""
        gl = self.gl
        gl.glUseProgram(0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glBindVertexArray(0)
        for kind, name in reversed(self._made):
            if kind == "Program":
                gl.glDeleteProgram(name)
            else:
                getattr(gl, f"glDelete{kind}")(1, (ctypes.c_uint * 1)(name))
        self._made.clear()
