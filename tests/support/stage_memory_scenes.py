"""Draws whose geometry and tessellation stages read and write storage, images and counters.

No order of invocations changes what they leave.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_HEAD = "#version 320 es\nprecision highp float; precision highp int; precision highp uimage2D;\n"
_VS = "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); v = vec4(p.zw, 0.5, 1); }"
_FS = "in vec4 g; out vec4 o; void main() { o = g; }"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)


def _storage(r: Recording, binding: int, data: np.ndarray, target: int = gl.GL_SHADER_STORAGE_BUFFER) -> int:
    name = r.buffer(data, target)
    r("glBindBufferBase", target, binding, name)
    return name


def _points(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.integers(-60, 60, (count, 2)) / 64, rng.integers(0, 256, (count, 2)) / 255], axis=1)


def _show(r: Recording, declarations: str, body: str) -> None:
    """Draw a picture of what was stored over all but the lower left corner."""
    r("glMemoryBarrier", 0xFFFFFFFF)
    main = "out vec4 o; void main() { ivec2 at = ivec2(gl_FragCoord.xy); if (at.x + at.y < 48) discard;" + body + "}"
    r.program("#version 320 es\nin vec4 p; void main() { gl_Position = p; }", _HEAD + declarations + main, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def geometry_storage(r: Recording) -> None:
    """Sizes of sprites come from a block; each invocation leaves marks in another and counts its path."""
    rng = np.random.default_rng(1)
    _storage(r, 0, rng.integers(1, 20, 40).astype(np.float32))
    _storage(r, 1, np.zeros(48, np.uint32))
    counters = _storage(r, 0, np.zeros(2, np.uint32), gl.GL_ATOMIC_COUNTER_BUFFER)
    r.program(
        _HEAD + _VS,
        _HEAD + _FS,
        geometry=_HEAD
        + """layout(points) in; layout(triangle_strip, max_vertices = 4) out; in vec4 v[]; out vec4 g;
        layout(std430, binding = 0) readonly buffer A { float size[]; };
        layout(std430, binding = 1) buffer B { uint marks[]; };
        layout(binding = 0) uniform atomic_uint small, large;
        void main() { float s = size[gl_PrimitiveIDIn] / 64.0; vec2 c = gl_in[0].gl_Position.xy;
          if (s > 0.15) atomicCounterIncrement(large); else atomicCounterIncrement(small);
          atomicAdd(marks[40 + (gl_PrimitiveIDIn & 7)], uint(s * 64.0)); marks[gl_PrimitiveIDIn] = uint(s * 640.0);
          for (int k = 0; k < 4; k++) { vec2 d = vec2(float(k & 1), float(k >> 1));
            gl_Position = vec4(c + d * s, 0, 1); g = v[0]; EmitVertex(); } }""",
        p=0,
    )  # fmt: skip
    r.vertices(p=(0, _points(40, 2)))
    r("glDrawArrays", gl.GL_POINTS, 0, 40)
    _storage(r, 2, np.zeros(1, np.uint32))
    r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 2, counters)
    _show(
        r,
        "layout(std430, binding = 1) readonly buffer B { uint marks[]; };"
        "layout(std430, binding = 2) readonly buffer C { uint n[]; };",
        "uint k = uint(at.y * 64 + at.x) % 50u; uint c = k < 48u ? marks[k] : n[k - 48u];"
        "o = vec4(vec3(c & 255u, c >> 8, c * 5u & 255u) / 255.0, 1);",
    )


def geometry_images(r: Recording) -> None:
    """Strips leave their numbers in an image, and take colours from what another image holds."""
    rng = np.random.default_rng(3)
    for unit, data in enumerate((np.zeros((8, 8), np.uint32), rng.integers(0, 256, (8, 8)).astype(np.uint32))):
        name = r.generate("Textures")
        r("glBindTexture", gl.GL_TEXTURE_2D, name)
        r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_R32UI, 8, 8)
        size = gl.GL_TEXTURE_2D, 0, 0, 0, 8, 8, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_INT
        r("glTexSubImage2D", *size, data.tobytes())
        r("glBindImageTexture", unit, name, 0, 0, 0, gl.GL_READ_WRITE, gl.GL_R32UI)
    r.program(
        _HEAD + _VS,
        _HEAD + _FS,
        geometry=_HEAD
        + """layout(triangles, invocations = 2) in; layout(line_strip, max_vertices = 5) out; in vec4 v[]; out vec4 g;
        layout(r32ui, binding = 0) uniform uimage2D a; layout(r32ui, binding = 1) readonly uniform uimage2D b;
        void main() { ivec2 at = ivec2(gl_PrimitiveIDIn & 7, gl_InvocationID); uint n = imageLoad(b, at).x;
          imageAtomicAdd(a, ivec2(int(n) % 3, 2), 1u); imageStore(a, at.yx + ivec2(3, 0), uvec4(n * 3u));
          if (n < 200u) for (int k = 0; k < 4; k++) { g = vec4(float(n) / 255.0, v[k % 3].xy, 1);
            gl_Position = gl_in[k % 3].gl_Position * vec4(1.0 - 0.25 * float(gl_InvocationID)) + vec4(0.0021, 0, 0, 1);
            gl_Position.w = 1.0; EmitVertex(); } }""",
        p=0,
    )  # fmt: skip
    r.vertices(p=(0, _points(24, 4)))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 24)
    image = "layout(r32ui, binding = 0) readonly uniform uimage2D a;"
    _show(r, image, "uint c = imageLoad(a, at & 7).x; o = vec4(vec3(c & 255u, c * 5u & 255u, c >> 4) / 255.0, 1);")


_PATCHES = np.array(
    [(x, y, (x + 1) / 2, (y + 1) / 2) for left, low in ((-0.9, -0.9), (0, -0.8), (-0.8, 0.1), (0.1, 0))
     for x, y in ((left, low), (left + 0.75, low), (left + 0.75, low + 0.75), (left, low + 0.75))]
)  # fmt: skip


def tessellated(r: Recording, *, waits: bool = False) -> None:
    """Levels come from a block; both stages count in storage and write what the other never reads."""
    _storage(r, 0, np.array([2, 3, 4, 5, 6, 3, 2, 4], np.float32))
    _storage(r, 1, np.zeros(64, np.uint32))
    _storage(r, 0, np.zeros(1, np.uint32), gl.GL_ATOMIC_COUNTER_BUFFER)
    mix = "mix(mix({0}[0]{1}, {0}[1]{1}, gl_TessCoord.x), mix({0}[3]{1}, {0}[2]{1}, gl_TessCoord.x), gl_TessCoord.y)"
    blocks = "layout(std430, binding = 1) buffer B { uint marks[]; };"
    r.program(
        _HEAD + _VS,
        _HEAD + _FS,
        control=_HEAD
        + "layout(vertices = 4) out; in vec4 v[]; out vec4 w[];"
        "layout(std430, binding = 0) readonly buffer A { float levels[]; };" + blocks
        + "layout(binding = 0) uniform atomic_uint n;"
        "void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;"
        "w[gl_InvocationID] = v[gl_InvocationID]; atomicAdd(marks[gl_PrimitiveID], uint(gl_InvocationID) + 1u);"
        + "barrier();" * waits
        + "if (gl_InvocationID == 0) { atomicCounterIncrement(n); marks[8 + gl_PrimitiveID] = uint(levels[1]) + 7u;"
        "gl_TessLevelOuter[0] = levels[gl_PrimitiveID]; gl_TessLevelOuter[1] = levels[1]; gl_TessLevelOuter[2] = 3.0;"
        "gl_TessLevelOuter[3] = levels[gl_PrimitiveID + 3]; gl_TessLevelInner[0] = levels[4];"
        "gl_TessLevelInner[1] = 2.0; } }",
        evaluation=_HEAD
        + "layout(quads, equal_spacing) in; in vec4 w[]; out vec4 g;" + blocks
        + "layout(std430, binding = 2) readonly buffer C { float shift[]; };"
        "void main() { atomicMax(marks[16 + gl_PrimitiveID], uint(gl_TessCoord.x * 64.0) + 1u);"
        f"if (gl_TessCoord.y > 0.5) atomicOr(marks[24 + int(gl_TessCoord.x * 15.0)], 1u << gl_PrimitiveID);"
        f"gl_Position = {mix.format('gl_in', '.gl_Position')} + vec4(shift[gl_PrimitiveID], 0, 0, 0);"
        f"g = {mix.format('w', '')}; }}",
        p=0,
    )  # fmt: skip
    _storage(r, 2, np.array([0.125, 0, -0.0625, 0.03125], np.float32))
    r.vertices(p=(0, _PATCHES))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 4)
    r("glDrawArrays", gl.GL_PATCHES, 0, 16)
    _show(
        r,
        "layout(std430, binding = 1) readonly buffer B { uint marks[]; };",
        "uint c = marks[at.x & 63]; o = vec4(vec3(c & 255u, c * 9u & 255u, c >> 8) / 255.0, 1);",
    )


def tessellated_with_barrier(r: Recording) -> None:
    """Invocations of a patch that wait for each other have their effects once."""
    tessellated(r, waits=True)


SCENES: dict[str, Callable[[Recording], None]] = {
    one.__name__: one for one in (geometry_storage, geometry_images, tessellated, tessellated_with_barrier)
}


def record(name: str) -> Recording:
    """A scene on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with storage in these stages
    """
    return record_scene(SCENES[name])
