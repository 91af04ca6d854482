"""Targets and textures of normalized channels of more than eight bits, and of fewer: cleared, copied, read, sampled."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

SIZE = 64
_PACKED = gl.GL_UNSIGNED_INT_2_10_10_10_REV
_QUAD = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], np.float32)
#: How pixels of a format are uploaded and read back.
_PIXELS = {
    "RGB10_A2": ("RGBA", _PACKED, "u4", 1), "RGBA8": ("RGBA", gl.GL_UNSIGNED_BYTE, "u1", 4),
    "RGBA4": ("RGBA", gl.GL_UNSIGNED_BYTE, "u1", 4), "RGB565": ("RGB", gl.GL_UNSIGNED_BYTE, "u1", 3),
    "RGBA16": ("RGBA", gl.GL_UNSIGNED_SHORT, "u2", 4), "RGBA16F": ("RGBA", gl.GL_FLOAT, "f4", 4),
    "RGBA32F": ("RGBA", gl.GL_FLOAT, "f4", 4),
}  # fmt: skip


class _Scene:
    """A recording and its random numbers."""

    def __init__(self, recording: Recording, seed: int) -> None:
        self.r = recording
        self.rng = np.random.default_rng(seed)

    def texels(self, dtype: str, channels: int) -> bytes:
        """Random texels of the whole size."""
        if dtype[0] == "f":
            return self.rng.uniform(-0.1, 1.1, (SIZE * SIZE, channels)).astype(dtype).tobytes()
        return self.rng.integers(0, 256, SIZE * SIZE * channels * int(dtype[1]), np.uint8).tobytes()

    def texture(self, name: str, levels: int = 1, linear: bool = False) -> int:
        """A texture of random texels, bound."""
        format, type, dtype, channels = _PIXELS[name]
        found = self.r.generate("Textures")
        self.r("glBindTexture", gl.GL_TEXTURE_2D, found)
        self.r("glTexStorage2D", gl.GL_TEXTURE_2D, levels, getattr(gl, f"GL_{name}"), SIZE, SIZE)
        self.upload(getattr(gl, f"GL_{format}"), type, self.texels(dtype, channels))
        for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            self.r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_LINEAR if linear else gl.GL_NEAREST)
        return found

    def upload(self, format: int, type: int, data: bytes) -> None:
        """Put texels into the bound texture."""
        self.r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, format, type, data)

    def framebuffer_of(self, texture: int, level: int = 0) -> int:
        """A framebuffer with a level of a texture, bound."""
        found = self.r.framebuffer()
        attachment = gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, texture, level
        self.r("glFramebufferTexture2D", *attachment)
        return found

    def draw(self, body: str, declarations: str = "uniform highp sampler2D s; out vec4 o;") -> None:
        """Draw over everything."""
        head = "#version 300 es\nprecision highp float; precision highp int;\n"
        self.r.program(
            head + "in vec2 p; out vec2 t; void main() { gl_Position = vec4(p, 0, 1); t = p * 0.5 + 0.5; }",
            f"{head}in vec2 t; {declarations} void main() {{ {body} }}",
            p=0,
        )
        self.r.vertices(p=(0, _QUAD))
        self.r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def clears(s: _Scene) -> None:
    """Of everything, of a part of the pixels, of some channels."""
    for name in ("RGB10_A2", "RGB565", "RGBA4", "RGBA8"):
        s.r.framebuffer()
        s.r.target(getattr(gl, f"GL_{name}"), SIZE, SIZE)
        for k in range(30):
            s.r("glClearColor", *map(float, s.rng.uniform(-0.1, 1.1, 4)))
            s.r("glEnable" if k % 3 == 1 else "glDisable", gl.GL_SCISSOR_TEST)
            s.r("glScissor", 5, 6, 20, 30)
            s.r("glColorMask", 1, k % 3 < 2, 1, k % 5 > 1)
            s.r("glClear", gl.GL_COLOR_BUFFER_BIT)
            s.r.read(type=_PIXELS[name][1])
        s.r("glDisable", gl.GL_SCISSOR_TEST)
        s.r("glColorMask", 1, 1, 1, 1)


def blits(s: _Scene) -> None:
    """From and to RGB10_A2, and what else is drawn so."""
    for source in ("RGB10_A2", "RGBA8", "RGBA16F", "RGBA32F"):
        for target in _PIXELS:
            if target == "RGBA16":
                continue
            read = s.framebuffer_of(s.texture(source))
            draw = s.r.framebuffer()
            s.r.target(getattr(gl, f"GL_{target}"), SIZE, SIZE)
            s.r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, read)
            s.r("glBlitFramebuffer", *(0, 0, SIZE, SIZE) * 2, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
            s.r("glBindFramebuffer", gl.GL_FRAMEBUFFER, draw)
            s.r.read(type=_PIXELS[target][1])


def levels(s: _Scene) -> None:
    """Generated, read one by one."""
    texture = s.texture("RGB10_A2", 4)
    s.r("glGenerateMipmap", gl.GL_TEXTURE_2D)
    for level in (1, 2, 3):
        s.framebuffer_of(texture, level)
        s.r.read(type=_PACKED, size=(SIZE >> level, SIZE >> level))


def look_ups(s: _Scene) -> None:
    """Nearest and linear, into floats."""
    for linear in (False, True):
        s.texture("RGB10_A2", linear=linear)
        s.r.framebuffer()
        s.r.target(gl.GL_RGBA32F, SIZE, SIZE)
        s.draw("o = texture(s, t * 0.37 + 0.11);" if linear else "o = texelFetch(s, ivec2(gl_FragCoord.xy), 0);")
        s.r.read(type=gl.GL_FLOAT)


def integers(s: _Scene) -> None:
    """RGB10_A2UI: uploaded, drawn to beyond its range, cleared."""
    texture = s.r.generate("Textures")
    s.r("glBindTexture", gl.GL_TEXTURE_2D, texture)
    s.r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGB10_A2UI, SIZE, SIZE)
    s.upload(gl.GL_RGBA_INTEGER, _PACKED, s.texels("u4", 1))
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        s.r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_NEAREST)

    def read() -> None:
        for type in (_PACKED, gl.GL_UNSIGNED_INT):
            s.r.read(gl.GL_RGBA_INTEGER, type)

    s.framebuffer_of(texture)
    read()
    s.r.framebuffer()
    s.r.target(gl.GL_RGB10_A2UI, SIZE, SIZE)
    s.draw(
        "uvec2 p = uvec2(gl_FragCoord.xy); uvec4 a = texelFetch(s, ivec2(p), 0) >> 2;"
        "o = uvec4(p.x * p.y, p.x * 40u, p.y * 8000u, p.x) + a;",
        "uniform highp usampler2D s; out uvec4 o;",
    )
    read()
    s.r("glEnable", gl.GL_SCISSOR_TEST)
    s.r("glScissor", 3, 4, 9, 9)
    s.r("glClearBufferuiv", gl.GL_COLOR, 0, struct.pack("<4I", 1022, 5000, 7, 9))
    read()


def uploads(s: _Scene) -> None:
    """Desktop: pixels that are no texels of the format."""
    texture = s.texture("RGB10_A2")
    s.framebuffer_of(texture)
    for format, type, dtype, channels in (
        ("RGBA", "UNSIGNED_BYTE", "u1", 4), ("RGB", "UNSIGNED_BYTE", "u1", 3), ("BGRA", "UNSIGNED_BYTE", "u1", 4),
        ("RGBA", "FLOAT", "f4", 4), ("RGBA", "UNSIGNED_INT_10_10_10_2", "u4", 1),
        ("BGRA", "UNSIGNED_INT_8_8_8_8_REV", "u4", 1), ("BGRA", "UNSIGNED_INT_2_10_10_10_REV", "u4", 1),
    ):  # fmt: skip
        s.upload(getattr(gl, f"GL_{format}"), getattr(gl, f"GL_{type}"), s.texels(dtype, channels))
        s.r.read(type=_PACKED)


SCENES: dict[str, Callable[[_Scene], None]] = {
    one.__name__: one for one in (clears, blits, levels, look_ups, integers, uploads)
}


def record(name: str) -> Recording:
    """A scene on Mesa, each of whose pictures is read back.

    Raises
    ------
    NoDriver : there is no Mesa
    """
    desktop = name == "uploads"
    recording = Recording(1, (4, 3)) if desktop else Recording(version=(3, 2))
    SCENES[name](_Scene(recording, 11))
    recording.close()
    return recording
