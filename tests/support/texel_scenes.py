"""Buffer textures: their formats and ranges, who changes the buffer, images of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["DESKTOP_SCENES", "SCENES", "record"]

_PRECISION = (
    "precision highp float; precision highp int; precision highp samplerBuffer; precision highp isamplerBuffer;"
    "precision highp usamplerBuffer; precision highp imageBuffer; precision highp uimageBuffer;\n"
)
_HEAD = "#version 320 es\n" + _PRECISION
_DESKTOP_HEAD = "#version 330\n"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_FORMATS = {
    "sampler": "R8 R16F R32F RG8 RG16F RG32F RGB32F RGBA8 RGBA16F RGBA32F",
    "isampler": "R8I R16I R32I RG8I RG16I RG32I RGB32I RGBA8I RGBA16I RGBA32I",
    "usampler": "R8UI R16UI R32UI RG8UI RG16UI RG32UI RGB32UI RGBA8UI RGBA16UI RGBA32UI",
}


def _attach(r: Recording, internal: int, buffer: int, unit: int = 0, place: tuple[int, int] | None = None) -> int:
    """Make a buffer texture in a unit."""
    name = r.generate("Textures")
    r("glActiveTexture", gl.GL_TEXTURE0 + unit)
    r("glBindTexture", gl.GL_TEXTURE_BUFFER, name)
    if place is None:
        r("glTexBuffer", gl.GL_TEXTURE_BUFFER, internal, buffer)
    else:
        r("glTexBufferRange", gl.GL_TEXTURE_BUFFER, internal, buffer, *place)
    return name


def _program(r: Recording, body: str, declarations: str, head: str = _HEAD) -> int:
    vertex = head + "in vec4 p; void main() { gl_Position = p; }"
    main = "out vec4 o; void main() { int i = int(gl_FragCoord.y) * 64 + int(gl_FragCoord.x); " + body + "}"
    number = r.program(vertex, head + declarations + main, p=0)
    r.vertices(p=(0, _QUAD))
    return number


def _draw(r: Recording) -> None:
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def _formats(r: Recording, kind: str, names: str, head: str = _HEAD) -> None:
    """A band of pixels a format, of random bytes (halves and floats of numbers)."""
    rng = np.random.default_rng(7)
    scale = {"sampler": "1.0", "isampler": "1.0 / 127.0", "usampler": "1.0 / 255.0"}[kind]
    buffers = (r.buffer(rng.random(1024).astype(dtype), gl.GL_TEXTURE_BUFFER) for dtype in ("<f2", "<f4"))
    floats = dict(zip(("16F", "32F"), buffers, strict=True))
    octets = r.buffer(rng.integers(0, 128, 4096).astype(np.uint8), gl.GL_TEXTURE_BUFFER)
    _program(r, f"o = vec4(texelFetch(s, i % 61)) * {scale};", f"uniform {kind}Buffer s;", head)
    r("glEnable", gl.GL_SCISSOR_TEST)
    for band, name in enumerate(names.split()):
        r("glScissor", 0, 5 * band, 64, 5)
        _attach(r, getattr(gl, f"GL_{name}"), floats.get(name.lstrip("RGBA"), octets))
        _draw(r)


def float_formats(r: Recording) -> None:
    """All formats of samplerBuffer."""
    _formats(r, "sampler", _FORMATS["sampler"])


def integer_formats(r: Recording) -> None:
    """All formats of isamplerBuffer."""
    _formats(r, "isampler", _FORMATS["isampler"])


def unsigned_formats(r: Recording) -> None:
    """All formats of usamplerBuffer."""
    _formats(r, "usampler", _FORMATS["usampler"])


def normalized_of_16_bits(r: Recording) -> None:
    """Formats that desktop GL has beside."""
    _formats(r, "sampler", "R16 RG16 RGBA16", _DESKTOP_HEAD)


def pulled_vertices(r: Recording) -> None:
    """The vertex shader reads positions and colours from a buffer texture."""
    rng = np.random.default_rng(1)
    data = np.concatenate([rng.integers(-60, 60, (60, 2)) / 64, rng.integers(0, 256, (60, 2)) / 255], axis=1)
    _attach(r, gl.GL_RGBA32F, r.buffer(data.astype(np.float32), gl.GL_TEXTURE_BUFFER))
    r.program(
        _HEAD + "uniform samplerBuffer s; flat out vec2 c; void main() {"
        "vec4 a = texelFetch(s, gl_VertexID); gl_Position = vec4(a.xy, 0, 1); c = a.zw; }",
        _HEAD + "flat in vec2 c; out vec4 o; void main() { o = vec4(c, 0.5, 1); }",
    )
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 60)


def ranges(r: Recording) -> None:
    """Two ranges of one buffer, in two formats; sizes; what lies outside reads as zero."""
    data = np.arange(4096, dtype=np.uint32) * 2654435761 % 256
    buffer = r.buffer(data, gl.GL_TEXTURE_BUFFER)
    _attach(r, gl.GL_R32UI, buffer, 0, (1024, 3000))
    _attach(r, gl.GL_RGBA8UI, buffer, 1, (16, 2050))
    number = _program(
        r,
        "uint a = texelFetch(s, i / 4 - 8).x; uvec4 b = texelFetch(t, i / 4);"
        "o = vec4(float(a), float(b.x), float(textureSize(s) + textureSize(t) & 255), 255) / 255.0;",
        "uniform usamplerBuffer s, t;",
    )
    r("glUniform1i", r.uniform(number, "t"), 1)
    _draw(r)


def changed_between_draws(r: Recording) -> None:
    """Between draws the buffer is written to, copied into, mapped and given anew; it stays attached."""
    rng = np.random.default_rng(3)
    buffer = r.buffer(rng.integers(0, 256, 4096).astype(np.uint8), gl.GL_TEXTURE_BUFFER)
    other = r.buffer(rng.integers(0, 256, 4096).astype(np.uint8), gl.GL_COPY_READ_BUFFER)
    _attach(r, gl.GL_RGBA8, buffer)
    _program(r, "o = texelFetch(s, i % 1500);", "uniform samplerBuffer s;")
    r("glEnable", gl.GL_SCISSOR_TEST)
    r("glBindBuffer", gl.GL_TEXTURE_BUFFER, buffer)
    changes: list[Callable[[], object]] = [
        lambda: None,
        lambda: r("glBufferSubData", gl.GL_TEXTURE_BUFFER, 400, 256, rng.integers(0, 256, 256).astype("u1").tobytes()),
        lambda: r("glCopyBufferSubData", gl.GL_COPY_READ_BUFFER, gl.GL_TEXTURE_BUFFER, 0, 1024, 512),
        lambda: r("glBufferData", gl.GL_TEXTURE_BUFFER, 8192, bytes(range(256)) * 32, gl.GL_STATIC_DRAW),
        lambda: r("glBufferData", gl.GL_TEXTURE_BUFFER, 300, bytes(300), gl.GL_STATIC_DRAW),
        lambda: r("glTexBuffer", gl.GL_TEXTURE_BUFFER, gl.GL_RGBA8, other),
    ]
    for band, change in enumerate(changes):
        change()
        r("glScissor", 0, 10 * band, 64, 10)
        _draw(r)


def captured(r: Recording) -> None:
    """Transform feedback fills the buffer that is fetched from."""
    captured = r.buffer(np.zeros(4 * 64, np.float32), gl.GL_TEXTURE_BUFFER)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured)
    r.program(
        _HEAD + "out vec4 v; void main() { v = vec4(gl_VertexID, gl_VertexID % 5, 3, 64) / 64.0; gl_Position = v; }",
        _HEAD + "out vec4 o; void main() { o = vec4(1); }",
        varyings=("v",),
    )
    r("glEnable", gl.GL_RASTERIZER_DISCARD)
    r("glBeginTransformFeedback", gl.GL_POINTS)
    r("glDrawArrays", gl.GL_POINTS, 0, 64)
    r("glEndTransformFeedback")
    r("glDisable", gl.GL_RASTERIZER_DISCARD)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
    _attach(r, gl.GL_RGBA32F, captured)
    _program(r, "o = texelFetch(s, i % 64);", "uniform samplerBuffer s;")
    _draw(r)


def written_as_storage(r: Recording) -> None:
    """A draw counts in a storage block; the next one fetches the counts, and so does one after both once more."""
    counts = r.buffer(np.zeros(4096, np.uint32), gl.GL_SHADER_STORAGE_BUFFER)
    r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 0, counts)
    _attach(r, gl.GL_R32UI, counts)
    r("glEnable", gl.GL_SCISSOR_TEST)
    for band in range(3):
        _program(
            r,
            "atomicAdd(n[i], uint(i) % 50u); o = vec4(0);",
            "layout(std430, binding = 0) buffer B { uint n[]; };",
        )
        r("glScissor", 0, 0, 64, 64)
        _draw(r)
        r("glMemoryBarrier", 0xFFFFFFFF)
        _program(r, "o = vec4(texelFetch(s, i)) / 255.0;", "uniform usamplerBuffer s;")
        r("glScissor", 0, 20 * band, 64, 64 - 20 * band)
        _draw(r)


def images_of_buffers(r: Recording) -> None:
    """Images of two formats are written by a compute shader and by fragments, read as images and as textures."""
    floats = r.buffer(np.zeros((4096, 4), np.float32), gl.GL_TEXTURE_BUFFER)
    counts = r.buffer(np.full(4096, 5, np.uint32), gl.GL_TEXTURE_BUFFER)
    a = _attach(r, gl.GL_RGBA32F, floats, 0)
    b = _attach(r, gl.GL_R32UI, counts, 1)
    r("glBindImageTexture", 0, a, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA32F)
    r("glBindImageTexture", 1, b, 0, 0, 0, gl.GL_READ_WRITE, gl.GL_R32UI)
    images = (
        "layout(rgba32f, binding = 0) writeonly uniform imageBuffer a;"
        "layout(r32ui, binding = 1) uniform uimageBuffer b;"
    )
    number = r("glCreateProgram")
    shader = r("glCreateShader", gl.GL_COMPUTE_SHADER)
    source = (
        _HEAD + "layout(local_size_x = 64) in;" + images + "void main() { int i = int(gl_GlobalInvocationID.x);"
        "imageStore(a, i, vec4(float(i) / 4096.0, float(imageSize(b)) / 8192.0, 0.25, 1));"
        "imageAtomicAdd(b, i / 2, uint(i) & 7u); }"
    )
    r("glShaderSource", shader, 1, (source,), None)
    r("glCompileShader", shader)
    r("glAttachShader", number, shader)
    r("glLinkProgram", number)
    r("glUseProgram", number)
    r("glDispatchCompute", 64, 1, 1)
    r("glMemoryBarrier", 0xFFFFFFFF)
    _program(r, "imageAtomicMax(b, i, uint(i) & 63u); o = vec4(0);", images)
    _draw(r)
    r("glMemoryBarrier", 0xFFFFFFFF)
    number = _program(
        r,
        "o = texelFetch(s, i) + vec4(0, 0, float(texelFetch(t, i).x + imageLoad(b, i + 9).x) / 255.0, 0);",
        "uniform samplerBuffer s; uniform usamplerBuffer t;layout(r32ui, binding = 1) readonly uniform uimageBuffer b;",
    )
    r("glUniform1i", r.uniform(number, "t"), 1)
    _draw(r)


def deleted_buffers(r: Recording) -> None:
    """A buffer that is deleted stays behind its texture; a texture without a buffer is complete, but has no texels."""
    buffer = r.buffer(np.arange(4096, dtype=np.uint8), gl.GL_TEXTURE_BUFFER)
    _attach(r, gl.GL_RGBA8, buffer)
    r("glBindBuffer", gl.GL_TEXTURE_BUFFER, 0)
    r("glDeleteBuffers", 1, buffer.to_bytes(4, "little"))
    _program(r, "o = texelFetch(s, i % 512);", "uniform samplerBuffer s;")
    _draw(r)


def mistakes(r: Recording) -> None:
    """Each call leaves its error."""
    buffer = r.buffer(np.zeros(256, np.uint8), gl.GL_TEXTURE_BUFFER)
    target = gl.GL_TEXTURE_BUFFER
    _attach(r, gl.GL_RGBA8, buffer)
    for name, *args in (
        ("glTexBuffer", gl.GL_TEXTURE_2D, gl.GL_RGBA8, buffer),
        ("glTexBuffer", target, gl.GL_RGB8, buffer),
        ("glTexBuffer", target, gl.GL_RGBA, buffer),
        ("glTexBuffer", target, gl.GL_RGBA8, 999),
        ("glTexBufferRange", target, gl.GL_RGBA8, buffer, -16, 32),
        ("glTexBufferRange", target, gl.GL_RGBA8, buffer, 0, 0),
        ("glTexBufferRange", target, gl.GL_RGBA8, buffer, 0, 257),
        ("glTexBufferRange", target, gl.GL_RGBA8, buffer, 4, 32),
        ("glTexBufferRange", target, gl.GL_RGBA8, buffer, 240, 16),
        ("glTexParameteri", target, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
        ("glTexParameteri", target, gl.GL_TEXTURE_BASE_LEVEL, 0),
        ("glGenerateMipmap", target),
        ("glTexBuffer", target, gl.GL_RGBA8, 0),
    ):
        r(name, *args)
        r("glGetError")


def asked(r: Recording) -> None:
    """Questions about buffer textures."""
    buffer = r.buffer(np.zeros(1000, np.uint8), gl.GL_TEXTURE_BUFFER)
    name = _attach(r, gl.GL_RGBA8, buffer)
    assert name
    for part in (
        *("WIDTH", "HEIGHT", "DEPTH", "INTERNAL_FORMAT", "RED_SIZE", "ALPHA_SIZE", "DEPTH_SIZE", "COMPRESSED"),
        *("BUFFER_DATA_STORE_BINDING", "BUFFER_OFFSET", "BUFFER_SIZE"),
    ):
        r("glGetTexLevelParameteriv", gl.GL_TEXTURE_BUFFER, 0, getattr(gl, f"GL_TEXTURE_{part}"), None)
    for part in ("TEXTURE_BINDING_BUFFER", "TEXTURE_BUFFER_BINDING", "TEXTURE_BUFFER_OFFSET_ALIGNMENT"):
        r("glGetIntegerv", getattr(gl, f"GL_{part}"), None)
    r("glGetError")


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene
    for scene in (
        *(float_formats, integer_formats, unsigned_formats, pulled_vertices, ranges, changed_between_draws, captured),
        *(written_as_storage, images_of_buffers, deleted_buffers, mistakes, asked),
    )
}
DESKTOP_SCENES: dict[str, Callable[[Recording], None]] = {"normalized_of_16_bits": normalized_of_16_bits}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    if name in DESKTOP_SCENES:
        return record_scene(DESKTOP_SCENES[name], desktop=(3, 3))
    return record_scene(SCENES[name])
