"""Arrays of cube maps: filters, formats, look-ups, images, copies, layers, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["DESKTOP_SCENES", "SCENES", "record"]

_KINDS = ("samplerCubeArray", "isamplerCubeArray", "usamplerCubeArray", "samplerCubeArrayShadow", "samplerCube")
_PRECISION = "precision highp float; precision highp int;\n" + "".join(f"precision highp {kind}; " for kind in _KINDS)
_HEAD = f"#version 320 es\n{_PRECISION}\n"
_HEAD_GL = "#version 400\n"
_TARGET: Final = gl.GL_TEXTURE_CUBE_MAP_ARRAY
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_VERTEX = "in vec4 p; out vec2 t; void main() { t = p.xy * 0.5 + 0.5; gl_Position = p; }"
#: A look around, over the edges of faces, from cube to cube, beyond the first and the last one.
_PLACE = (
    "vec4 d = vec4(t.x * 2.2 - 1.1, t.y * 2.2 - 1.1, (t.x + t.y) * 1.3 - 1.2, floor(t.y * 9.0) * 0.5 - 0.75 + t.x);"
)
_SIZE = 16
_CUBES = 3


def _make(r: Recording, internal: int = gl.GL_RGBA8, *, levels: int = 1, filters: tuple[int, int] | None = None) -> int:
    """Make storage for some cubes."""
    name = r.generate("Textures")
    r("glBindTexture", _TARGET, name)
    r("glTexStorage3D", _TARGET, levels, internal, _SIZE, _SIZE, 6 * _CUBES)
    for pname, value in zip(
        (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER), filters or (gl.GL_NEAREST,) * 2, strict=True
    ):
        r("glTexParameteri", _TARGET, pname, value)
    return name


def _fill(r: Recording, format: int, type: int, dtype: str, channels: int, levels: int = 1) -> None:
    """Random texels in all levels."""
    rng = np.random.default_rng(11)
    for level in range(levels):
        size = _SIZE >> level
        shape = (6 * _CUBES, size, size, channels)
        texels = rng.random(shape) if dtype[1] == "f" else rng.integers(0, 120, shape)
        box = (0, 0, 0, size, size, 6 * _CUBES)
        r("glTexSubImage3D", _TARGET, level, *box, format, type, texels.astype(dtype).tobytes())


def _octets(r: Recording, levels: int = 1) -> None:
    _fill(r, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, "|u1", 4, levels)


def _look(r: Recording, value: str, kind: str = "samplerCubeArray", head: str = _HEAD) -> int:
    """Show a value in the window."""
    fragment = f"in vec2 t; out vec4 o; uniform {kind} s; void main() {{ {_PLACE} o = {value}; }}"
    number = r.program(head + _VERTEX, head + fragment, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    return number


def _bands(r: Recording, values: list[str], kind: str = "samplerCubeArray", head: str = _HEAD) -> None:
    """Show several values, a band each."""
    r("glEnable", gl.GL_SCISSOR_TEST)
    height = -(-r.size[1] // len(values))
    for band, value in enumerate(values):
        r("glScissor", 0, band * height, r.size[0], height)
        _look(r, value, kind, head)
    r("glDisable", gl.GL_SCISSOR_TEST)


def filters(r: Recording) -> None:
    """All filters, with five levels."""
    kinds = [gl.GL_NEAREST, gl.GL_LINEAR, *range(gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_LINEAR_MIPMAP_LINEAR + 1)]
    _make(r, levels=5)
    _octets(r, 5)
    for kind in kinds:
        r("glTexParameteri", _TARGET, gl.GL_TEXTURE_MIN_FILTER, kind)
        r("glTexParameteri", _TARGET, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR if kind & 1 else gl.GL_NEAREST)
        _look(r, "texture(s, d)")
        r.read()


def float_formats(r: Recording) -> None:
    """Floats, halves, sRGB and few bits."""
    for internal in (gl.GL_RGBA16F, gl.GL_RGBA32F, gl.GL_R11F_G11F_B10F, gl.GL_SRGB8_ALPHA8, gl.GL_RGB565, gl.GL_RG8):
        _make(r, internal, filters=(gl.GL_NEAREST, gl.GL_LINEAR if internal != gl.GL_RGBA32F else gl.GL_NEAREST))
        plain = {gl.GL_RGB565: gl.GL_RGB, gl.GL_RG8: gl.GL_RG, gl.GL_R11F_G11F_B10F: gl.GL_RGB}.get(
            internal, gl.GL_RGBA
        )
        channels = {gl.GL_RGB: 3, gl.GL_RG: 2}.get(plain, 4)
        if internal in (gl.GL_RGBA16F, gl.GL_RGBA32F, gl.GL_R11F_G11F_B10F):
            _fill(r, plain, gl.GL_FLOAT, "<f4", channels)
        else:
            _fill(r, plain, gl.GL_UNSIGNED_BYTE, "|u1", channels)
        _look(r, "texture(s, d)")
        r.read()


def integers(r: Recording) -> None:
    """Both kinds of integers."""
    for prefix, internal, type, dtype in (
        ("i", gl.GL_RGBA8I, gl.GL_BYTE, "|i1"),
        ("u", gl.GL_RGBA16UI, gl.GL_UNSIGNED_SHORT, "<u2"),
        ("i", gl.GL_RGBA32I, gl.GL_INT, "<i4"),
    ):
        _make(r, internal)
        _fill(r, gl.GL_RGBA_INTEGER, type, dtype, 4)
        values = ["texture(s, d)", "textureLod(s, d, 0.0)", "textureGather(s, d, 2)"]
        _bands(r, [f"vec4({value}) / 120.0" for value in values], f"{prefix}samplerCubeArray")
        r.read()


def shadows(r: Recording) -> None:
    """Comparisons, one texel or four; their reference is an argument of its own."""
    for internal, type, dtype in (
        (gl.GL_DEPTH_COMPONENT32F, gl.GL_FLOAT, "<f4"),
        (gl.GL_DEPTH_COMPONENT16, gl.GL_UNSIGNED_SHORT, "<u2"),
    ):
        for filter in (gl.GL_NEAREST, gl.GL_LINEAR):
            _make(r, internal, filters=(filter, filter))
            _fill(r, gl.GL_DEPTH_COMPONENT, type, dtype, 1)
            r("glTexParameteri", _TARGET, gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE)
            scale = "1.0" if type == gl.GL_FLOAT else "0.0018"
            values = ["vec4(texture(s, d, t.x * SCALE), t, 1)", "textureGather(s, d, t.y * SCALE)"]
            _bands(r, [value.replace("SCALE", scale) for value in values], "samplerCubeArrayShadow")
            r.read()


def look_ups(r: Recording) -> None:
    """Levels, gradients, a bias, gathers, the size."""
    _make(r, levels=4, filters=(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_LINEAR))
    _octets(r, 4)
    values = [
        "textureLod(s, d, t.x * 4.0 - 0.5)",
        "textureGrad(s, d, vec3(t.x * 0.3, 0.01, 0.02), vec3(0.03, t.y * 0.2, 0.01))",
        "texture(s, d, 1.5)",
        "textureGather(s, d)",
        "textureGather(s, d, 3)",
        "vec4(vec3(textureSize(s, int(t.x * 4.0))) / 16.0, 1)",
    ]
    _bands(r, values)


def in_vertices(r: Recording) -> None:
    """A vertex shader looks up, without gradients."""
    _make(r, levels=3, filters=(gl.GL_LINEAR_MIPMAP_NEAREST, gl.GL_LINEAR))
    _octets(r, 3)
    vertex = f"in vec4 p; uniform samplerCubeArray s; out vec4 c; void main() {{ vec2 t = p.xy; {_PLACE}"
    r.program(
        _HEAD + vertex + "c = texture(s, d); gl_Position = vec4(p.xy * 2.0 - 1.0, 0, 1); gl_PointSize = 4.0; }",
        _HEAD + "in vec4 c; out vec4 o; void main() { o = c; }",
        p=0,
    )
    rng = np.random.default_rng(5)
    r.vertices(p=(0, rng.random((64, 4))))
    r("glDrawArrays", gl.GL_POINTS, 0, 64)


def anisotropic(r: Recording) -> None:
    """The footprint is an ellipse on a face."""
    _make(r, levels=5, filters=(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_LINEAR))
    _octets(r, 5)
    r("glTexParameterf", _TARGET, gl.GL_TEXTURE_MAX_ANISOTROPY, 4.0)
    _look(r, "texture(s, vec4(t.x * 1.6 - 0.8, t.y * 0.6 - 0.3, 1, floor(t.x * 3.0)))")


def blocks(r: Recording) -> None:
    """Compressed images, as a whole and in part."""
    rng = np.random.default_rng(3)
    for internal, octets in ((gl.GL_COMPRESSED_RGBA8_ETC2_EAC, 16), (gl.GL_COMPRESSED_RGB8_ETC2, 8)):
        name = r.generate("Textures")
        r("glBindTexture", _TARGET, name)
        per_face = (_SIZE // 4) ** 2 * octets
        for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            r("glTexParameteri", _TARGET, pname, gl.GL_LINEAR)
        data = rng.integers(0, 256, 6 * _CUBES * per_face, dtype=np.uint8).tobytes()
        r("glCompressedTexImage3D", _TARGET, 0, internal, _SIZE, _SIZE, 6 * _CUBES, 0, len(data), data)
        part = rng.integers(0, 256, 4 * octets, dtype=np.uint8).tobytes()
        r("glCompressedTexSubImage3D", _TARGET, 0, 4, 8, 7, 8, 8, 1, internal, len(part), part)
        _look(r, "texture(s, d)")
        r.read()
    _make(r, gl.GL_COMPRESSED_RGBA_ASTC_4x4_KHR)
    # Blocks of one colour: bit for bit the same in all decoders.
    block = np.zeros((6 * _CUBES * (_SIZE // 4) ** 2, 8), "<u2")
    block[:, 0], block[:, 1:4] = 0xFDFC, 0xFFFF
    block[:, 4:] = rng.integers(0, 256, (len(block), 4)) * 257
    size = (_SIZE, _SIZE, 6 * _CUBES)
    internal, data = gl.GL_COMPRESSED_RGBA_ASTC_4x4_KHR, block.tobytes()
    r("glCompressedTexSubImage3D", _TARGET, 0, 0, 0, 0, *size, internal, len(data), data)
    _look(r, "texture(s, d)")


def mutable(r: Recording) -> None:
    """Levels that are given one by one, then another size of the base level alone."""
    name = r.generate("Textures")
    assert name
    r("glBindTexture", _TARGET, name)
    r("glTexParameteri", _TARGET, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR_MIPMAP_NEAREST)
    rng = np.random.default_rng(2)
    for level, size in enumerate((8, 4, 2, 1)):
        data = rng.integers(0, 256, (12, size, size, 4), dtype=np.uint8).tobytes()
        image = (size, size, 12, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
        r("glTexImage3D", _TARGET, level, gl.GL_RGBA8, *image, data)
    _look(r, "texture(s, d * vec4(3, 1, 1, 1))")
    r.read()
    image = (4, 4, 6, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
    r("glTexImage3D", _TARGET, 0, gl.GL_RGBA8, *image, rng.integers(0, 256, 384, dtype=np.uint8).tobytes())
    _look(r, "texture(s, d)")
    r.read()
    r("glTexParameteri", _TARGET, gl.GL_TEXTURE_MAX_LEVEL, 0)
    _look(r, "texture(s, d)")


def mipmaps(r: Recording) -> None:
    """Levels that the driver makes."""
    _make(r, levels=5, filters=(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_LINEAR))
    _octets(r)
    r("glGenerateMipmap", _TARGET)
    _bands(r, [f"textureLod(s, d, {level}.0)" for level in range(5)])


def copies(r: Recording) -> None:
    """From an array into faces and back, and from a framebuffer."""
    cubes = _make(r, filters=(gl.GL_LINEAR, gl.GL_LINEAR))
    _octets(r)
    flat, sky = r.generate("Textures"), r.generate("Textures")
    rng = np.random.default_rng(9)
    r("glBindTexture", gl.GL_TEXTURE_2D_ARRAY, flat)
    r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 1, gl.GL_RGBA8, _SIZE, _SIZE, 8)
    texels = rng.integers(0, 256, 8 * _SIZE * _SIZE * 4, dtype=np.uint8).tobytes()
    box = (0, 0, 0, _SIZE, _SIZE, 8)
    r("glTexSubImage3D", gl.GL_TEXTURE_2D_ARRAY, 0, *box, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
    r("glBindTexture", gl.GL_TEXTURE_CUBE_MAP, sky)
    r("glTexStorage2D", gl.GL_TEXTURE_CUBE_MAP, 1, gl.GL_RGBA8, _SIZE, _SIZE)
    place = (cubes, _TARGET, 0)
    r("glCopyImageSubData", flat, gl.GL_TEXTURE_2D_ARRAY, 0, 2, 1, 3, *place, 3, 0, 5, 9, 15, 4)
    r("glCopyImageSubData", *place, 0, 0, 4, sky, gl.GL_TEXTURE_CUBE_MAP, 0, 0, 0, 0, _SIZE, _SIZE, 6)
    r("glCopyImageSubData", sky, gl.GL_TEXTURE_CUBE_MAP, 0, 4, 4, 1, *place, 4, 4, 13, 8, 8, 2)
    r("glBindTexture", _TARGET, cubes)
    _look(r, "texture(s, d)")
    r.read()
    r("glCopyTexSubImage3D", _TARGET, 0, 2, 3, 8, 10, 12, 9, 8)
    _look(r, "texture(s, d)")


def one_face(r: Recording) -> None:
    """Faces are drawn to, one after the other, and read back; a depth face beside."""
    name = _make(r)
    _octets(r)
    depths = _make(r, gl.GL_DEPTH_COMPONENT24)
    r.framebuffer()
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glViewport", 0, 0, _SIZE, _SIZE)
    r.program(
        _HEAD + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }",
        _HEAD + "in vec4 v; out vec4 o; void main() { o = v; }",
        p=0,
        c=1,
    )
    rng = np.random.default_rng(4)
    place = np.concatenate([rng.uniform(-1, 1, (36, 3)), np.ones((36, 1))], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))
    for face in (0, 5, 11, 17):
        r("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0, face)
        r("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, depths, 0, face)
        r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
        r("glClear", gl.GL_DEPTH_BUFFER_BIT)
        r("glDrawArrays", gl.GL_TRIANGLES, face, 18)
        r.read(size=(_SIZE, _SIZE))
    r("glDisable", gl.GL_DEPTH_TEST)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glViewport", 0, 0, *r.size)
    r("glBindTexture", _TARGET, name)
    _look(r, "texture(s, d)")


def all_faces(r: Recording) -> None:
    """A geometry shader draws to all faces of all cubes at once."""
    name = _make(r)
    target = r.framebuffer()
    r("glFramebufferTexture", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    r("glViewport", 0, 0, _SIZE, _SIZE)
    r("glClearColor", 0.25, 0.5, 0.75, 1.0)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r.program(
        _HEAD + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }",
        _HEAD + "in vec4 g; out vec4 o; void main() { o = g; }",
        geometry=_HEAD
        + """layout(triangles, invocations = 18) in; layout(triangle_strip, max_vertices = 3) out; in vec4 v[];
        out vec4 g; void main() { for (int k = 0; k < 3; k++) { float a = float(gl_InvocationID);
          gl_Position = gl_in[k].gl_Position + vec4(a * 0.03 - 0.25, a * 0.05 - 0.4, 0, 0);
          g = v[k] * (0.4 + a * 0.03); gl_Layer = gl_InvocationID; EmitVertex(); } }""",
        p=0,
        c=1,
    )
    rng = np.random.default_rng(6)
    place = np.concatenate([rng.uniform(-1, 1, (36, 2)), np.ones((36, 2)) * (0, 1)], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glDeleteFramebuffers", 1, target.to_bytes(4, "little"))
    r("glViewport", 0, 0, *r.size)
    _look(r, "texture(s, d)")


def _compute(r: Recording, body: str, groups: tuple[int, int, int]) -> None:
    number: int = r("glCreateProgram")
    shader = r("glCreateShader", gl.GL_COMPUTE_SHADER)
    r("glShaderSource", shader, 1, (_HEAD + body,), None)
    r("glCompileShader", shader)
    r("glAttachShader", number, shader)
    r("glLinkProgram", number)
    r("glUseProgram", number)
    r("glDispatchCompute", *groups)
    r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)


def images(r: Recording) -> None:
    """All faces as one image, then one of them; counted in by a dispatch and by fragments; looked at."""
    name = _make(r)
    r("glBindImageTexture", 0, name, 0, 1, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
    _compute(
        r,
        "layout(local_size_x = 16, local_size_y = 16) in;"
        "layout(rgba8, binding = 0) writeonly uniform highp imageCubeArray i;"
        "void main() { ivec3 p = ivec3(gl_GlobalInvocationID);"
        "imageStore(i, p, vec4(vec3(p) / vec3(16, 16, 18), float(imageSize(i).z) / 4.0)); }",
        (1, 1, 18),
    )
    counts = _make(r, gl.GL_R32UI)
    r("glBindImageTexture", 1, counts, 0, 1, 0, gl.GL_READ_WRITE, gl.GL_R32UI)
    _compute(
        r,
        "layout(local_size_x = 16, local_size_y = 16) in; layout(r32ui, binding = 1) uniform highp uimageCubeArray n;"
        "void main() { ivec3 p = ivec3(gl_GlobalInvocationID); imageAtomicAdd(n, ivec3(p.x / 2, p.yz), uint(p.z)); }",
        (1, 1, 18),
    )
    r("glBindImageTexture", 0, name, 0, 0, 7, gl.GL_READ_WRITE, gl.GL_RGBA8)
    _compute(
        r,
        "layout(local_size_x = 16, local_size_y = 16) in;"
        "layout(rgba8, binding = 0) writeonly uniform highp image2D i;"
        "void main() { ivec2 p = ivec2(gl_GlobalInvocationID); imageStore(i, p, vec4(p.yx, 0, 16) / 16.0); }",
        (1, 1, 1),
    )
    r("glActiveTexture", gl.GL_TEXTURE0)
    r("glBindTexture", _TARGET, name)
    values = [
        "texture(s, d)",
        "vec4(uvec4(imageLoad(n, ivec3(t * 16.0, int(t.x * 19.0))).x) & 255u) / 255.0 + texture(s, d)",
        "vec4(imageAtomicMax(n, ivec3(ivec2(gl_FragCoord.xy) & 15, (int(gl_FragCoord.y) & 48) / 4 + "
        "int(gl_FragCoord.x) / 16), 3u)) / 64.0",
    ]
    _bands(
        r, values, "float unused; layout(r32ui, binding = 1) uniform highp uimageCubeArray n; uniform samplerCubeArray"
    )


def mistakes(r: Recording) -> None:
    """Each call leaves its error."""
    name = _make(r)
    flat = r.generate("Textures")
    r("glBindTexture", _TARGET, flat)
    r.framebuffer()
    color, image = gl.GL_COLOR_ATTACHMENT0, (0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    calls: tuple[tuple[object, ...], ...] = (
        ("glTexStorage3D", _TARGET, 1, gl.GL_RGBA8, 8, 8, 7),
        ("glTexStorage3D", _TARGET, 1, gl.GL_RGBA8, 8, 4, 6),
        ("glTexStorage3D", _TARGET, 5, gl.GL_RGBA8, 8, 8, 6),
        ("glTexStorage3D", _TARGET, 1, gl.GL_RGBA8, 8, 8, 0),
        ("glTexStorage2D", _TARGET, 1, gl.GL_RGBA8, 8, 8),
        ("glTexImage3D", _TARGET, 0, gl.GL_RGBA8, 8, 8, 8, *image),
        ("glTexImage3D", _TARGET, 0, gl.GL_RGBA8, 8, 4, 6, *image),
        ("glTexImage3D", _TARGET, 0, gl.GL_RGBA8, 4, 4, 6, *image),
        ("glTexSubImage3D", _TARGET, 0, 0, 0, 4, 4, 4, 4, *image[1:3], bytes(256)),
        ("glTexSubImage3D", _TARGET, 0, 0, 0, 5, 4, 4, 1, *image[1:3], bytes(64)),
        ("glGenerateMipmap", _TARGET),
        ("glBindTexture", gl.GL_TEXTURE_CUBE_MAP, name),
        ("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, color, name, 0, 17),
        ("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER),
        ("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, color, name, 0, 18),
        ("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER),
        ("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, color, name, 0, -1),
        ("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, color, name, 20, 0),
        ("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, color, gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X, name, 0),
        ("glCopyImageSubData", name, _TARGET, 0, 0, 0, 16, flat, _TARGET, 0, 0, 0, 0, 4, 4, 3),
        ("glCopyImageSubData", name, _TARGET, 0, 0, 0, 15, flat, _TARGET, 0, 0, 0, 0, 4, 4, 3),
        ("glTexParameteri", _TARGET, gl.GL_TEXTURE_BASE_LEVEL, 1),
    )
    for call, *args in calls:
        r(str(call), *args)
        if call != "glCheckFramebufferStatus":
            r("glGetError")
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)


def asked(r: Recording) -> None:
    """Questions about a texture and a program."""
    _make(r, levels=3)
    for level in range(4):
        for part in ("WIDTH", "HEIGHT", "DEPTH", "INTERNAL_FORMAT", "RED_SIZE", "COMPRESSED"):
            r("glGetTexLevelParameteriv", _TARGET, level, getattr(gl, f"GL_TEXTURE_{part}"), None)
    r("glGetIntegerv", gl.GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, None)
    for kind in _KINDS[:4]:
        value = "vec4(texture(s, d, t.x))" if "Shadow" in kind else "vec4(texture(s, d))"
        number = _look(r, value, kind)
        r("glGetActiveUniform", number, 0, 64, None, None, None, None)
    r("glGetError")


def desktop(r: Recording) -> None:
    """What desktop GL has since 4.0."""
    _make(r, filters=(gl.GL_LINEAR, gl.GL_LINEAR))
    _octets(r)
    values = ["texture(s, d)", "textureGather(s, d, 1)", "textureLod(s, d, 0.0)", "vec4(textureSize(s, 0), 16) / 16.0"]
    r("glEnable", gl.GL_TEXTURE_CUBE_MAP_SEAMLESS)
    _bands(r, values, head=_HEAD_GL)


def desktop_edges(r: Recording) -> None:
    """Without seams that are closed; the types come by an extension."""
    _make(r, filters=(gl.GL_LINEAR, gl.GL_LINEAR))
    _octets(r)
    head = "#version 330\n#extension GL_ARB_texture_cube_map_array : require\n"
    _bands(r, ["texture(s, d)", "vec4(textureSize(s, 0), 16) / 16.0"], head=head)


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene
    for scene in (
        *(filters, float_formats, integers, shadows, look_ups, in_vertices, anisotropic, blocks, mutable, mipmaps),
        *(copies, one_face, all_faces, images, mistakes, asked),
    )
}
DESKTOP_SCENES: dict[str, Callable[[Recording], None]] = {one.__name__: one for one in (desktop, desktop_edges)}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    if name in DESKTOP_SCENES:
        return record_scene(DESKTOP_SCENES[name], desktop=(4, 3))
    return record_scene(SCENES[name])
