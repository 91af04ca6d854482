"""Draws whose shaders read and write storage, images and counters, in ways that no order of fragments changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_PRECISION = "precision highp float; precision highp int; precision highp image2D; precision highp uimage2D;\n"
_HEAD = "#version 310 es\n" + _PRECISION
_VS = _HEAD + "in vec4 p; void main() { gl_Position = vec4(p.xy, p.z, 1); }"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)


def _storage(r: Recording, binding: int, data: np.ndarray, target: int = gl.GL_SHADER_STORAGE_BUFFER) -> int:
    name = r.buffer(data, target)
    r("glBindBufferBase", target, binding, name)
    return name


def _show(r: Recording, body: str, declarations: str = "") -> None:
    """Draw a picture of what was stored."""
    r("glMemoryBarrier", 0xFFFFFFFF)
    main = "out vec4 o; void main() { ivec2 at = ivec2(gl_FragCoord.xy); " + body + "}"
    r.program(_VS, _HEAD + declarations + main, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDisable", gl.GL_DEPTH_TEST)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def _draw_triangles(r: Recording, vertex: str, fragment: str, *, count: int, seed: int) -> None:
    """Draw triangles at random places and depths."""
    r.program(vertex, fragment, p=0)
    rng = np.random.default_rng(seed)
    corners = rng.integers(-60, 60, (3 * count, 2)) / 64
    depth = np.repeat(rng.integers(-8, 8, count) / 16, 3)[:, None]
    r.vertices(p=(0, np.concatenate([corners, depth, np.ones((3 * count, 1))], axis=1)))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 3 * count)


def pulled_vertices(r: Recording) -> None:
    """The vertex shader reads its positions and colours from a storage buffer: no vertex array at all."""
    rng = np.random.default_rng(1)
    data = np.concatenate([rng.integers(-60, 60, (60, 2)) / 64, rng.integers(0, 256, (60, 2)) / 255], axis=1)
    _storage(r, 2, data.astype(np.float32))
    r.program(
        _HEAD + "layout(std430, binding = 2) readonly buffer B { vec4 v[]; }; flat out vec2 c; void main() {"
        "vec4 a = v[gl_VertexID]; if (a.x > 0.9) a.x = 0.9; gl_Position = vec4(a.xy, 0, 1); c = a.zw; }",
        _HEAD + "flat in vec2 c; out vec4 o; void main() { o = vec4(c, 0.5, 1); }",
    )
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 60)


def overdraw(r: Recording, early: bool = False) -> None:
    """Fragments count themselves in a storage buffer, those that fail the depth test as well (or not: early)."""
    _storage(r, 0, np.zeros(4096, np.uint32))
    r("glEnable", gl.GL_DEPTH_TEST)
    _draw_triangles(
        r,
        _VS,
        _HEAD
        + "layout(early_fragment_tests) in;" * early
        + "layout(std430, binding = 0) buffer B { uint n[]; }; out vec4 o; void main() {"
        "uint k = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x); atomicAdd(n[k], 1u); o = vec4(0.25); }",
        count=30, seed=2,
    )  # fmt: skip
    _show(
        r,
        "uint c = n[at.y * 64 + at.x]; o = vec4(float(c) / 16.0, float(c & 3u) / 3.0, 0, 1);",
        "layout(std430, binding = 0) readonly buffer B { uint n[]; };",
    )


def overdraw_behind_tests(r: Recording) -> None:
    """With early_fragment_tests only fragments that pass count."""
    overdraw(r, early=True)


def discarded(r: Recording) -> None:
    """Fragments that discard write before they do, not after; nothing is written behind a mask of no colours."""
    _storage(r, 0, np.zeros(4096, np.uint32))
    _draw_triangles(
        r,
        _VS,
        _HEAD + "layout(std430, binding = 0) buffer B { uint n[]; }; void main() {"
        "uint k = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x); atomicOr(n[k], 1u);"
        "if ((k & 5u) == 1u) discard; atomicOr(n[k], 2u); }",
        count=8, seed=3,
    )  # fmt: skip
    _show(
        r,
        "uint c = n[at.y * 64 + at.x]; o = vec4(float(c & 1u), float(c >> 1), 0, 1);",
        "layout(std430, binding = 0) readonly buffer B { uint n[]; };",
    )


def image_of_counts(r: Recording) -> None:
    """An image of integers takes atomics, another one colours; both are shown by texture and image reads."""
    counts, colours = (r.generate("Textures") for _ in range(2))
    for unit, (name, kind) in enumerate(((counts, gl.GL_R32UI), (colours, gl.GL_RGBA8))):
        r("glBindTexture", gl.GL_TEXTURE_2D, name)
        r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, kind, 64, 64)
        r("glBindImageTexture", unit, name, 0, 0, 0, gl.GL_READ_WRITE if unit == 0 else gl.GL_WRITE_ONLY, kind)
        for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_NEAREST)
    zeros = np.zeros((64, 64), np.uint32).tobytes()
    r("glBindTexture", gl.GL_TEXTURE_2D, counts)
    r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 64, 64, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_INT, zeros)
    r("glBindTexture", gl.GL_TEXTURE_2D, colours)
    r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 64, 64, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, zeros)
    _draw_triangles(
        r,
        _VS.replace("310", "320"),
        "#version 320 es\n"
        + _PRECISION
        + "layout(r32ui, binding = 0) uniform uimage2D a; layout(rgba8, binding = 1) writeonly uniform image2D b;"
        "void main() { ivec2 at = ivec2(gl_FragCoord.xy); imageAtomicAdd(a, at.yx, 3u);"
        "imageStore(b, at, vec4(vec2(at) / 64.0, 0.5, 1)); }",
        count=12, seed=4,
    )  # fmt: skip
    _show(
        r,
        "uint c = imageLoad(a, at).x; o = texelFetch(s, at, 0) + vec4(float(c) / 64.0, 0, 0, 0);",
        "layout(r32ui, binding = 0) readonly uniform uimage2D a; uniform sampler2D s;",
    )


def counted(r: Recording) -> None:
    """Atomic counters of both stages; a second draw has as many instances as the first one counted."""
    counters = _storage(r, 0, np.zeros(2, np.uint32), gl.GL_ATOMIC_COUNTER_BUFFER)
    _draw_triangles(
        r,
        _VS,
        _HEAD + "layout(binding = 0, offset = 0) uniform atomic_uint a;"
        "layout(binding = 0, offset = 4) uniform atomic_uint b; out vec4 o; "
        "void main() { atomicCounterIncrement(a); if (gl_FrontFacing) atomicCounterIncrement(b);"
        "o = vec4(0.5); }",
        count=6, seed=5,
    )  # fmt: skip
    r("glMemoryBarrier", 0xFFFFFFFF)
    r.program(
        _HEAD + "in uint c; in vec4 p; flat out vec3 k; void main() { gl_Position = vec4(p.xy, 0, 1);"
        "k = vec3(float(c & 255u), float(c >> 8 & 255u), 128) / 255.0; }",
        _HEAD + "flat in vec3 k; out vec4 o; void main() { o = vec4(k, 1); }",
        p=0,
        c=1,
    )
    r.vertices(p=(0, np.array([(-1, -1, 0, 1), (0, -1, 0, 1), (0, 1, 0, 1)], np.float32)))
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, counters)
    r("glVertexAttribIPointer", 1, 1, gl.GL_UNSIGNED_INT, 0, Offset(0))
    r("glVertexAttribDivisor", 1, 1)
    r("glEnableVertexAttribArray", 1)
    r("glDrawArraysInstanced", gl.GL_TRIANGLES, 0, 3, 2)


def vertex_marks(r: Recording) -> None:
    """The vertex shader writes what the fragment shader of the next draw reads."""
    _storage(r, 1, np.zeros(64, np.float32))
    _draw_triangles(
        r,
        _HEAD + "layout(std430, binding = 1) buffer B { float f[]; }; in vec4 p; void main() {"
        "f[gl_VertexID] = p.x * 0.5 + 0.5; gl_Position = vec4(p.xy, 0, 1); }",
        _HEAD + "out vec4 o; void main() { o = vec4(1); }",
        count=20, seed=6,
    )  # fmt: skip
    _show(r, "o = vec4(f[at.x], f[at.y], 0, 1);", "layout(std430, binding = 1) readonly buffer B { float f[]; };")


def chosen_blocks(r: Recording) -> None:
    """Both stages read uniform blocks of an array by a number that the program gives, in range or not."""
    rng = np.random.default_rng(9)
    head = _HEAD.replace("310", "320")
    block = "layout(std140, binding = {}) uniform {} {{ mat2x3 m; vec4 v[2]; }} {}[3]; uniform int chosen;"
    for k in range(6):
        _storage(r, k, rng.integers(-8, 9, 16).astype(np.float32) / 16, gl.GL_UNIFORM_BUFFER)
    number = r.program(
        head + block.format(0, "P", "a") + "in vec4 p; void main() { gl_Position = vec4(p.xy * 0.25 +"
        "a[chosen].v[gl_VertexID & 1].xy, a[chosen].m[1].z, 1); }",
        head + block.format(3, "C", "b") + "out vec4 o; void main() {"
        "o = vec4(abs(b[chosen].m[chosen & 1]), 1); o.g += b[chosen - 1].v[chosen & 1][chosen]; }",
        p=0,
    )  # fmt: skip
    r.vertices(p=(0, _QUAD))
    for chosen in range(4):
        r("glUniform1i", r("glGetUniformLocation", number, "chosen"), chosen)
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


SCENES: dict[str, Callable[[Recording], None]] = {
    one.__name__: one
    for one in (
        pulled_vertices, overdraw, overdraw_behind_tests, discarded, image_of_counts, counted, vertex_marks,
        chosen_blocks,
    )
}  # fmt: skip


def record(name: str) -> Recording:
    """A scene on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with storage in draws
    """
    return record_scene(SCENES[name])
