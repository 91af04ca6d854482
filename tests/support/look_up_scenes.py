"""Gathers at offsets that are no constants, and blocks between stages whose members have locations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_KINDS = ("sampler2D", "isampler2D", "sampler2DArray", "sampler2DShadow", "sampler2DArrayShadow")
_HEAD = "#version 320 es\nprecision highp float; precision highp int; " + "".join(
    f"precision highp {kind}; " for kind in _KINDS
)
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_VERTEX = "in vec4 p; out vec2 t; void main() { t = p.xy * 0.5 + 0.5; gl_Position = p; }"


def _texture(r: Recording, target: int, internal: int, format: int, type: int, dtype: str, wrap: int) -> None:
    """Random texels, 20 x 13, in one or three layers."""
    name = r.generate("Textures")
    is_array = target == gl.GL_TEXTURE_2D_ARRAY
    r("glBindTexture", target, name)
    size = (20, 13, *(3,) * is_array)
    r(f"glTexStorage{len(size)}D", target, 1, internal, *size)
    rng = np.random.default_rng(7)
    channels = 1 if format == gl.GL_DEPTH_COMPONENT else 4
    shape = (*size[::-1], channels)
    texels = rng.random(shape) if dtype[1] == "f" else rng.integers(0, 120, shape)
    box = (*(0,) * len(size), *size)
    r(f"glTexSubImage{len(size)}D", target, 0, *box, format, type, texels.astype(dtype).tobytes())
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", target, pname, gl.GL_NEAREST)
    for pname in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
        r("glTexParameteri", target, pname, wrap)


def gathers(r: Recording) -> None:
    """Each pixel gathers at an offset of its own, over the edges, of all kinds of textures and wraps."""
    flat, layers = gl.GL_TEXTURE_2D, gl.GL_TEXTURE_2D_ARRAY
    depth = (gl.GL_DEPTH_COMPONENT32F, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, "<f4")
    octets = (gl.GL_RGBA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, "|u1")
    for kind, target, texels, value in (
        ("sampler2D", flat, octets, "textureGatherOffset(s, t, k)"),
        ("sampler2DArray", layers, octets, "textureGatherOffset(s, vec3(t, t.x * 3.0), k, 2)"),
        (
            "isampler2D", flat, (gl.GL_RGBA8I, gl.GL_RGBA_INTEGER, gl.GL_BYTE, "|i1"),
            "vec4(textureGatherOffset(s, t, k, 3)) / 120.0",
        ),
        ("sampler2DShadow", flat, depth, "textureGatherOffset(s, t, t.x, k)"),
        ("sampler2DArrayShadow", layers, depth, "textureGatherOffset(s, vec3(t, t.y * 3.0), t.x, k)"),
    ):  # fmt: skip
        for wrap in (gl.GL_REPEAT, gl.GL_CLAMP_TO_EDGE, gl.GL_MIRRORED_REPEAT):
            _texture(r, target, *texels, wrap)
            if "Shadow" in kind:
                r("glTexParameteri", target, gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE)
            look = "in vec2 t; out vec4 o; uniform " + kind + " s; void main() { "
            look += f"ivec2 k = (ivec2(gl_FragCoord.xy) * ivec2(3, 5) & 15) - 8; o = {value}; }}"
            r.program(_HEAD + _VERTEX, _HEAD + look, p=0)
            r.vertices(p=(0, _QUAD))
            r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
            r.read()


def located_blocks(r: Recording) -> None:
    """Two blocks and a variable, whose locations lie between each other."""
    color = "layout(location = 3) {} Color {{ vec4 a; mat2 b; flat int c; }} {};"
    place = "{} Place {{ layout(location = 0) vec2 q; layout(location = 1) float w; }} {};"
    out = (color + place).format("out", "one", "out", "two")
    read = (color + place).format("in", "f", "in", "h")
    vertex = f"in vec4 p; in vec4 c; {out} layout(location = 2) out vec4 v; void main() {{ gl_Position = p; "
    vertex += "one.a = c; one.b = mat2(c.yx, c.wz); one.c = gl_VertexID; two.q = p.xy; two.w = c.x; v = c.zwxy; }"
    fragment = f"{read} layout(location = 2) in vec4 v; out vec4 o; void main() {{"
    fragment += (
        "o = f.a * 0.4 + vec4(f.b[0], f.b[1]) * 0.2 + float(f.c & 63) / 128.0 + vec4(abs(h.q), h.w, v.x) * 0.2; }"
    )
    r.program(_HEAD + vertex, _HEAD + fragment, p=0, c=1)
    rng = np.random.default_rng(2)
    corners = np.concatenate([rng.uniform(-1, 1, (30, 2)), np.ones((30, 2)) * (0, 1)], axis=1)
    r.vertices(p=(0, corners), c=(1, rng.uniform(0, 1, (30, 4))))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 30)


SCENES: dict[str, Callable[[Recording], None]] = {one.__name__: one for one in (gathers, located_blocks)}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    return record_scene(SCENES[name])
