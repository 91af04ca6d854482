"""Programs that compute as those of moderngl and vispy do: particles, pictures, culled lights, indirect work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_HEAD = "#version 310 es\nprecision highp float;\nprecision highp int;\nprecision highp image2D;\n"
_QUAD = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], np.float32)
_PICTURE_VS = _HEAD + "in vec2 p; out vec2 t; void main() { gl_Position = vec4(p, 0.0, 1.0); t = p * 0.5 + 0.5; }"
_PICTURE_FS = _HEAD + "in vec2 t; out vec4 o; uniform sampler2D s; void main() { o = texture(s, t); }"


def _compute(r: Recording, source: str) -> int:
    """Compile, link and use."""
    number: int = r("glCreateProgram")
    shader = r("glCreateShader", gl.GL_COMPUTE_SHADER)
    r("glShaderSource", shader, 1, (_HEAD + source,), None)
    r("glCompileShader", shader)
    r("glAttachShader", number, shader)
    r("glLinkProgram", number)
    r("glUseProgram", number)
    return number


def _storage(r: Recording, binding: int, data: np.ndarray, target: int = gl.GL_SHADER_STORAGE_BUFFER) -> int:
    name = r.buffer(data, target)
    r("glBindBufferBase", target, binding, name)
    return name


def _texture(r: Recording, internal: int, width: int, height: int, texels: np.ndarray | None = None) -> int:
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, name)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, internal, width, height)
    if texels is not None:
        box = (0, 0, width, height)
        kind = gl.GL_UNSIGNED_BYTE if texels.dtype == np.uint8 else gl.GL_FLOAT
        r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, *box, gl.GL_RGBA, kind, texels.tobytes())
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_NEAREST)
    return name


def _show(r: Recording) -> None:
    r.program(_PICTURE_VS, _PICTURE_FS, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def particles(r: Recording) -> None:
    """Positions and speeds in a storage buffer, moved by three dispatches, drawn as points from the same buffer."""
    rng = np.random.default_rng(1)
    state = np.zeros((256, 4), np.float32)
    state[:, :2] = rng.integers(-60, 60, (256, 2)) / 64
    state[:, 2:] = rng.integers(-8, 8, (256, 2)) / 64
    buffer = _storage(r, 0, state)
    number = _compute(
        r,
        """layout(local_size_x = 64) in; layout(std430, binding = 0) buffer P { vec4 p[]; }; uniform float dt;
        void main() { uint i = gl_GlobalInvocationID.x; vec4 v = p[i]; v.xy += v.zw * dt;
          if (abs(v.x) > 1.0) v.z = -v.z; if (abs(v.y) > 1.0) v.w = -v.w; p[i] = v; }""",
    )
    r("glUniform1f", r.uniform(number, "dt"), 0.5)
    for _ in range(3):
        r("glDispatchCompute", 4, 1, 1)
        r("glMemoryBarrier", gl.GL_SHADER_STORAGE_BARRIER_BIT | gl.GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT)
    vertex = _HEAD + "in vec4 p; void main() { gl_Position = vec4(p.xy, 0.0, 1.0); gl_PointSize = 3.0; }"
    r.program(vertex, _HEAD + "out vec4 o; void main() { o = vec4(1.0, 0.5, 0.25, 1.0); }", p=0)
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
    r("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 16, Offset(0))
    r("glEnableVertexAttribArray", 0)
    r("glDrawArrays", gl.GL_POINTS, 0, 256)


def image_processing(r: Recording) -> None:
    """A picture is blurred from one image into another and shown; edges by shared memory in a second step."""
    rng = np.random.default_rng(2)
    given = _texture(r, gl.GL_RGBA8, 64, 64, rng.integers(0, 256, (64, 64, 4), np.uint8))
    blurred, edges = _texture(r, gl.GL_RGBA16F, 64, 64), _texture(r, gl.GL_RGBA8, 64, 64)
    r("glBindImageTexture", 0, given, 0, 0, 0, gl.GL_READ_ONLY, gl.GL_RGBA8)
    r("glBindImageTexture", 1, blurred, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA16F)
    _compute(
        r,
        """layout(local_size_x = 8, local_size_y = 8) in;
        layout(rgba8, binding = 0) readonly uniform image2D a; layout(rgba16f, binding = 1) writeonly uniform image2D b;
        void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy); vec4 sum = vec4(0.0);
          for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) sum += imageLoad(a, at + ivec2(x, y));
          imageStore(b, at, sum / 8.0); }""",
    )
    r("glDispatchCompute", 8, 8, 1)
    r("glMemoryBarrier", gl.GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | gl.GL_TEXTURE_FETCH_BARRIER_BIT)
    r("glBindImageTexture", 2, edges, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
    r("glBindTexture", gl.GL_TEXTURE_2D, blurred)
    number = _compute(
        r,
        """layout(local_size_x = 16, local_size_y = 4) in; uniform sampler2D s;
        layout(rgba8, binding = 2) writeonly uniform image2D b; shared vec4 row[4][16];
        void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy); uvec2 me = gl_LocalInvocationID.xy;
          row[me.y][me.x] = texelFetch(s, at, 0); barrier();
          vec4 d = row[me.y][me.x] - row[me.y][(me.x + 1u) & 15u];
          imageStore(b, at, vec4(abs(d.rgb), 1.0)); }""",
    )
    r("glUniform1i", r.uniform(number, "s"), 0)
    r("glDispatchCompute", 4, 16, 1)
    r("glMemoryBarrier", gl.GL_TEXTURE_FETCH_BARRIER_BIT)
    r("glBindTexture", gl.GL_TEXTURE_2D, edges)
    _show(r)


def culled_lights(r: Recording) -> None:
    """Lights are counted for each tile of 8 x 8 pixels with shared atomics; pixels are lit by their tile's list."""
    rng = np.random.default_rng(3)
    lights = np.concatenate([rng.integers(0, 64, (40, 2)), rng.integers(4, 14, (40, 1)), np.ones((40, 1))], axis=1)
    _storage(r, 0, lights.astype(np.float32))
    target = _texture(r, gl.GL_RGBA8, 64, 64)
    r("glBindImageTexture", 0, target, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
    _compute(
        r,
        """layout(local_size_x = 8, local_size_y = 8) in;
        layout(std430, binding = 0) readonly buffer L { vec4 light[]; };
        layout(rgba8, binding = 0) writeonly uniform image2D o; shared uint count; shared uint mask[2];
        void main() { uint me = gl_LocalInvocationIndex; if (me < 2u) mask[me] = 0u;
          if (me == 0u) count = 0u; barrier();
          vec2 low = vec2(gl_WorkGroupID.xy) * 8.0;
          if (me < uint(light.length())) { vec3 l = light[me].xyz; vec2 d = l.xy - clamp(l.xy, low, low + 8.0);
            if (dot(d, d) < l.z * l.z) { atomicOr(mask[me >> 5], 1u << (me & 31u)); atomicAdd(count, 1u); } }
          barrier(); float sum = 0.0; vec2 at = vec2(gl_GlobalInvocationID.xy);
          for (uint k = 0u; k < 64u; k++) if ((mask[k >> 5] >> (k & 31u) & 1u) != 0u) {
            vec3 l = light[k].xyz; float r2 = dot(at - l.xy, at - l.xy); sum += max(0.0, 1.0 - r2 / (l.z * l.z)); }
          imageStore(o, ivec2(at), vec4(min(sum, 1.0), float(count) / 40.0, 0.25, 1.0)); }""",
    )
    r("glDispatchCompute", 8, 8, 1)
    r("glMemoryBarrier", gl.GL_TEXTURE_FETCH_BARRIER_BIT)
    r("glBindTexture", gl.GL_TEXTURE_2D, target)
    _show(r)


def indirect_work(r: Recording) -> None:
    """One dispatch counts with an atomic counter and writes the arguments of the next and of a draw."""
    _storage(r, 0, np.zeros(1, np.uint32), gl.GL_ATOMIC_COUNTER_BUFFER)
    arguments = _storage(r, 1, np.array([0, 1, 1, 0, 0, 1, 0, 0], np.uint32))
    positions = _storage(r, 2, np.zeros((64, 4), np.float32))
    _compute(
        r,
        """layout(local_size_x = 32) in; layout(binding = 0, offset = 0) uniform atomic_uint found;
        layout(std430, binding = 1) buffer A { uint arguments[]; };
        void main() { if (gl_GlobalInvocationID.x % 3u == 0u) atomicCounterIncrement(found);
          memoryBarrier(); barrier();
          if (gl_LocalInvocationIndex == 0u) { arguments[0] = 2u; arguments[4] = atomicCounter(found) * 2u; } }""",
    )
    r("glDispatchCompute", 1, 1, 1)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    r("glBindBuffer", gl.GL_DISPATCH_INDIRECT_BUFFER, arguments)
    _compute(
        r,
        """layout(local_size_x = 16) in; layout(std430, binding = 2) writeonly buffer P { vec4 p[]; };
        void main() { uint i = gl_GlobalInvocationID.x;
          p[i] = vec4(float(i % 8u) / 4.0 - 0.875, float(i / 8u) / 4.0 - 0.875, 0.0, 1.0); }""",
    )
    r("glDispatchComputeIndirect", 0)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    vertex = _HEAD + "in vec4 p; void main() { gl_Position = p; gl_PointSize = 4.0; }"
    r.program(vertex, _HEAD + "out vec4 o; void main() { o = vec4(0.0, 1.0, 0.5, 1.0); }", p=0)
    r("glBindVertexArray", r.generate("VertexArrays"))
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, positions)
    r("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 16, Offset(0))
    r("glEnableVertexAttribArray", 0)
    r("glBindBuffer", gl.GL_DRAW_INDIRECT_BUFFER, arguments)
    r("glDrawArraysIndirect", gl.GL_POINTS, Offset(16))


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene for scene in (particles, image_processing, culled_lights, indirect_work)
}


def record(name: str, version: tuple[int, int] = (3, 1)) -> Recording:
    """A scene on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with compute shaders
    """
    r = Recording(version=version)
    SCENES[name](r)
    r.read()
    r.close()
    return r
