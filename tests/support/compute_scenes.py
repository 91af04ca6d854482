"""Programs that compute as those of moderngl and vispy do: particles, pictures, culled lights, indirect work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["DESKTOP_SCENES", "SCENES", "record", "record_desktop"]

_HEAD = "#version 310 es\nprecision highp float;\nprecision highp int;\nprecision highp image2D;\n"
_HEAD_GL = "#version 430\n"
_QUAD = np.array([(-1, -1), (1, -1), (-1, 1), (1, 1)], np.float32)
_PICTURE_VS = "in vec2 p; out vec2 t; void main() { gl_Position = vec4(p, 0.0, 1.0); t = p * 0.5 + 0.5; }"
_PICTURE_FS = "in vec2 t; out vec4 o; uniform sampler2D s; void main() { o = texture(s, t); }"


def _compute(r: Recording, source: str, head: str = _HEAD) -> int:
    """Compile, link and use."""
    number: int = r("glCreateProgram")
    shader = r("glCreateShader", gl.GL_COMPUTE_SHADER)
    r("glShaderSource", shader, 1, (head + source,), None)
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


def _show(r: Recording, head: str = _HEAD) -> None:
    r.program(head + _PICTURE_VS, head + _PICTURE_FS, p=0)
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


def small_texels(r: Recording) -> None:
    """Images of less than a word a texel, each written, read and shown; a game of life on one of them."""
    kinds = [(f"r{size}{end}", kind) for size in (8, 16) for end, kind in (("", ""), ("i", "i"), ("ui", "u"))]
    kinds += [(f"rg8{end}", kind) for end, kind in (("", ""), ("_snorm", ""), ("i", "i"), ("ui", "u"))]
    kinds += [("r16f", ""), ("r8_snorm", ""), ("r16_snorm", "")]
    target = _texture(r, gl.GL_RGBA8, 64, 64)
    for place, (format, kind) in enumerate(kinds):
        internal = getattr(gl, f"GL_{format.upper()}")
        image = _texture(r, internal, 16, 16)
        r("glBindImageTexture", 0, image, 0, 0, 0, gl.GL_READ_WRITE, internal)
        r("glBindImageTexture", 1, target, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
        head = (
            f"layout(local_size_x = 16, local_size_y = 16) in; layout({format}, binding = 0) uniform {kind}image2D a;"
        )
        scale = "* 100.0" if kind else "- 0.25"
        _compute(
            r,
            head + "void main() { ivec2 at = ivec2(gl_LocalInvocationID.xy); vec4 v = vec4(at * 3 + 2, at.yx) / 47.0;"
            f"imageStore(a, at, {kind}vec4(v {scale})); }}",
            _HEAD_GL,
        )
        r("glDispatchCompute", 1, 1, 1)
        r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
        _compute(
            r,
            head + "layout(rgba8, binding = 1) writeonly uniform image2D o;"
            "void main() { ivec2 at = ivec2(gl_LocalInvocationID.xy); "
            f"vec4 v = vec4(imageLoad(a, 15 - at)) {'/ 128.0' if kind else '* 0.5 + 0.25'};"
            f"imageStore(o, at + 16 * ivec2({place % 4}, {place // 4}), vec4(v.rgb, 1)); }}",
            _HEAD_GL,
        )
        r("glDispatchCompute", 1, 1, 1)
        r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    r("glBindTexture", gl.GL_TEXTURE_2D, target)
    _show(r, _HEAD_GL)


def packed_texels(r: Recording) -> None:
    """Images whose channels have unlike numbers of bits: written, changed in place, read by a look-up and an image."""
    target = _texture(r, gl.GL_RGBA8, 64, 64)
    for place, (format, kind) in enumerate((("rgb10_a2", ""), ("rgb10_a2ui", "u"), ("r11f_g11f_b10f", ""))):
        internal = getattr(gl, f"GL_{format.upper()}")
        image = _texture(r, internal, 32, 32)
        r("glBindImageTexture", 0, image, 0, 0, 0, gl.GL_READ_WRITE, internal)
        r("glBindImageTexture", 1, target, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
        head = f"layout(local_size_x = 8, local_size_y = 8) in; layout({format}, binding = 0) uniform {kind}image2D a;"
        # Of unsigned numbers those that fit.
        value, other = "(vec4(at * 3 + 2, at.yx) / 61.0 - 0.1) * 1.3", "v.bgra * vec4(1.7, 3.1, 0.3, 1)"
        if kind:
            value, other = "uvec4(at * 31, at.yx * 33) & uvec4(1023, 1023, 1023, 3)", "uvec4(v.bg, v.r ^ 77u, v.b & 3u)"
        show = "/ vec4(1023, 511, 255, 3)" if kind else "* 0.75"
        for source in (
            f"imageStore(a, at, {value});",
            f"{kind}vec4 v = imageLoad(a, at); imageStore(a, at, {other});",
            f"vec4 v = vec4(imageLoad(a, 31 - at)) {show};"
            f"imageStore(o, at + 32 * ivec2({place % 2}, {place // 2}), vec4(v.rgb * (0.5 + v.a * 0.5), 1));",
        ):
            out = "layout(rgba8, binding = 1) writeonly uniform image2D o;"
            _compute(
                r, head + out + f"void main() {{ ivec2 at = ivec2(gl_GlobalInvocationID.xy); {source} }}", _HEAD_GL
            )
            r("glDispatchCompute", 4, 4, 1)
            r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
        if not kind:
            # As a texture has it: the bits that were stored.
            look = f"layout(local_size_x = 8, local_size_y = 8) in; uniform sampler2D s; {out} void main() {{"
            look += "ivec2 at = ivec2(gl_GlobalInvocationID.xy); if (at.x < 16) imageStore(o, at + ivec2("
            look += f"{32 + 16 * (place // 2)}, 32), vec4(texelFetch(s, at.yx, 0).rgb * 0.9, 1)); }}"
            r("glBindTexture", gl.GL_TEXTURE_2D, image)
            _compute(r, look, _HEAD_GL)
            r("glDispatchCompute", 4, 4, 1)
            r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    r("glBindTexture", gl.GL_TEXTURE_2D, target)
    _show(r, _HEAD_GL)


def any_format(r: Recording) -> None:
    """Images that are only written need no format."""
    for unit, (internal, kind) in enumerate(((gl.GL_RGBA8, ""), (gl.GL_RGBA16F, ""), (gl.GL_R32UI, "u"))):
        image = _texture(r, internal, 64, 64)
        r("glBindImageTexture", unit, image, 0, 0, 0, gl.GL_WRITE_ONLY, internal)
        _compute(
            r,
            f"layout(local_size_x = 8, local_size_y = 8) in; layout(binding = {unit}) writeonly "
            f"uniform {kind}image2D i; void main() {{ ivec2 p = ivec2(gl_GlobalInvocationID); "
            f"imageStore(i, p, {kind}vec4(vec4(p, p.yx) {'* 3.0' if kind else '/ 61.0'})); }}",
            _HEAD_GL,
        )
        r("glDispatchCompute", 8, 8, 1)
        r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
        look = f"in vec2 t; out vec4 o; uniform {kind}sampler2D s; void main() {{ o = vec4(texture(s, t))"
        r.program(_HEAD_GL + _PICTURE_VS, _HEAD_GL + look + (" / 256.0; }" if kind else "; }"), p=0)
        r.vertices(p=(0, _QUAD))
        r("glViewport", 0, unit * 21, 64, 21)
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def chosen_blocks(r: Recording) -> None:
    """Blocks of uniforms and of storage by the number of the work group; numbers outside of their arrays, too."""
    rng = np.random.default_rng(12)
    for k in range(3):
        _storage(r, k + 4, rng.random(4, np.float32), gl.GL_UNIFORM_BUFFER)
        _storage(r, k + 1, np.zeros(4 + 1024, np.float32))
    _compute(
        r,
        "layout(local_size_x = 64) in; layout(std140, binding = 4) uniform C { vec4 color; } c[3]; uniform int first;"
        "layout(std430, binding = 1) buffer B { uint count[4]; float a[]; } b[3]; void main() {"
        "uint k = gl_WorkGroupID.y, n = gl_GlobalInvocationID.x; atomicAdd(b[k].count[n & 3u], n);"
        "b[k].a[n] += 0.5 * c[int(k) + first].color[n & 3u];"
        "b[k].a[n] += float(b[k + 1u].a.length() * int(n & 63u)) / 65536.0; }",
        _HEAD_GL,
    )
    r("glDispatchCompute", 16, 3, 1)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    fragment = (
        "layout(std140, binding = 4) uniform C { vec4 color; } c[3]; uniform int first; out vec4 o;"
        "layout(std430, binding = 1) readonly buffer B { uint count[4]; float a[]; } b[3]; void main() {"
        "int n = int(gl_FragCoord.x / 2.0) + 32 * int(gl_FragCoord.y / 2.0); o = vec4(0.0);"
        "for (int k = first; k < first + 4; k++) o[k & 3] += b[k].a[n] / 4.0 + c[k].color.x * 0.1;"
        "o = vec4(o.rgb + float(b[first].count[n & 3] & 255u) / 1024.0, 1.0); }"
    )
    number = r.program(_HEAD_GL + _PICTURE_VS, _HEAD_GL + fragment, p=0)
    r.vertices(p=(0, _QUAD))
    for first in range(3):
        r("glUniform1i", r("glGetUniformLocation", number, "first"), first - 1)
        r("glViewport", 0, first * 21, 64, 21)
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def cube_faces(r: Recording) -> None:
    """All faces of a cube map as one image, then one of them again, and a look around."""
    cube = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_CUBE_MAP, cube)
    r("glTexStorage2D", gl.GL_TEXTURE_CUBE_MAP, 1, gl.GL_RGBA8, 16, 16)
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_CUBE_MAP, pname, gl.GL_NEAREST)
    kinds = (("imageCube", "", 1, 6, "p"), ("image2D", "1.0 - ", 0, 1, "p.xy"))
    for kind, other, is_layered, depth, at in kinds:
        r("glBindImageTexture", 0, cube, 0, is_layered, 3, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
        _compute(
            r,
            f"layout(local_size_x = 16, local_size_y = 16) in; layout(rgba8, binding = 0) writeonly uniform {kind} i;"
            "void main() { ivec3 p = ivec3(gl_GlobalInvocationID);"
            f"imageStore(i, {at}, {other}vec4(vec3(p) / vec3(16, 16, 5), 1)); }}",
            _HEAD_GL,
        )
        r("glDispatchCompute", 1, 1, depth)
        r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    look = "in vec2 t; out vec4 o; uniform samplerCube s; void main() { vec2 a = t * 6.28; "
    look += "o = texture(s, vec3(cos(a.x) * cos(a.y), sin(a.y), sin(a.x) * cos(a.y))); }"
    r.program(_HEAD_GL + _PICTURE_VS, _HEAD_GL + look, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def drawn_by_the_gpu(r: Recording) -> None:
    """Things are culled in compute, which writes a command for each; one call draws them all."""
    rng = np.random.default_rng(4)
    things = np.concatenate([rng.integers(-90, 90, (32, 2)) / 64, rng.integers(3, 12, (32, 2)) / 64], axis=1)
    buffer = _storage(r, 0, things.astype(np.float32))
    commands = _storage(r, 1, np.zeros((32, 6), np.uint32))
    _compute(
        r,
        """layout(local_size_x = 32) in; struct Command { uint count, instances, first; int base; uint id; uint rest; };
        layout(std430, binding = 0) readonly buffer T { vec4 t[]; };
        layout(std430, binding = 1) writeonly buffer C { Command c[]; };
        void main() { uint i = gl_GlobalInvocationID.x; bool seen = all(lessThan(abs(t[i].xy) - t[i].zw, vec2(1)));
          c[i] = Command(seen ? (i % 3u == 0u ? 3u : 6u) : 0u, 1u, 0u, 0, i, 0u); }""",
        _HEAD_GL,
    )
    r("glDispatchCompute", 1, 1, 1)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    vertex = "in vec2 p; in vec4 t; flat out vec4 v; void main() { gl_Position = vec4(p * t.zw + t.xy, 0, 1); v = t; }"
    r.program(_HEAD_GL + vertex, _HEAD_GL + "flat in vec4 v; out vec4 o; void main() { o = abs(v); }", p=0, t=1)
    r("glBindVertexArray", r.generate("VertexArrays"))
    r.vertices(p=(0, _QUAD))
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
    r("glVertexAttribPointer", 1, 4, gl.GL_FLOAT, 0, 16, Offset(0))
    r("glEnableVertexAttribArray", 1)
    r("glVertexAttribDivisor", 1, 1)
    r.buffer(np.array([0, 1, 2, 2, 1, 3], np.uint16), gl.GL_ELEMENT_ARRAY_BUFFER)
    r("glBindBuffer", gl.GL_DRAW_INDIRECT_BUFFER, commands)
    half = np.array([0.75], np.float32).tobytes()
    r("glClearBufferSubData", gl.GL_ARRAY_BUFFER, gl.GL_R32F, 0, 8, gl.GL_RED, gl.GL_FLOAT, half)
    r("glMultiDrawElementsIndirect", gl.GL_TRIANGLES, gl.GL_UNSIGNED_SHORT, Offset(0), 32, 24)
    r("glMultiDrawArraysIndirect", gl.GL_LINES, Offset(24), 2, 24)
    r("glMultiDrawArraysIndirect", gl.GL_LINES, Offset(24), 2, 6)
    r("glClearBufferData", gl.GL_DRAW_INDIRECT_BUFFER, gl.GL_R32UI, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_INT, None)
    r("glMultiDrawArraysIndirect", gl.GL_TRIANGLES, Offset(0), 2, 24)
    r("glGetError")
    r("glMultiDrawElementsIndirect", gl.GL_TRIANGLES, gl.GL_UNSIGNED_SHORT, Offset(24), 32, 24)
    r("glGetError")


def depth_first(r: Recording) -> None:
    """A framebuffer of depth alone, whose buffers of colours nobody has set, and its depths in compute."""
    depth = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, depth)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_DEPTH_COMPONENT24, 64, 64)
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_2D, pname, gl.GL_NEAREST)
    r.framebuffer()
    r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, depth, 0)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    r("glClear", gl.GL_DEPTH_BUFFER_BIT)
    r("glEnable", gl.GL_DEPTH_TEST)
    r.program(_HEAD_GL + "in vec4 p; void main() { gl_Position = p; }", _HEAD_GL + "void main() { }", p=0)
    rng = np.random.default_rng(5)
    r.vertices(p=(0, np.concatenate([rng.integers(-64, 64, (30, 3)) / 64, np.ones((30, 1))], axis=1)))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 30)
    r("glDisable", gl.GL_DEPTH_TEST)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    shown = _texture(r, gl.GL_RGBA8, 64, 64)
    r("glBindImageTexture", 0, shown, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
    r("glBindTexture", gl.GL_TEXTURE_2D, depth)
    _compute(
        r,
        """layout(local_size_x = 8, local_size_y = 8) in; uniform sampler2D s; shared uint low, high;
        layout(rgba8, binding = 0) writeonly uniform image2D o;
        void main() { if (gl_LocalInvocationIndex == 0u) { low = 0xFFFFFFFFu; high = 0u; } barrier();
          uint z = floatBitsToUint(texelFetch(s, ivec2(gl_GlobalInvocationID.xy), 0).r);
          atomicMin(low, z); atomicMax(high, z); barrier();
          imageStore(o, ivec2(gl_GlobalInvocationID.xy), vec4(uintBitsToFloat(low), uintBitsToFloat(high), 0, 1)); }""",
        _HEAD_GL,
    )
    r("glDispatchCompute", 8, 8, 1)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
    r("glBindTexture", gl.GL_TEXTURE_2D, shown)
    _show(r, _HEAD_GL)


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene for scene in (particles, image_processing, culled_lights, indirect_work)
}
#: What desktop GL 4.3 has beside.
DESKTOP_SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene
    for scene in (small_texels, packed_texels, any_format, chosen_blocks, cube_faces, drawn_by_the_gpu, depth_first)
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


def record_desktop(name: str) -> Recording:
    """A scene of desktop GL on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with GL 4.3
    """
    return record_scene(DESKTOP_SCENES[name], desktop=(4, 3))
