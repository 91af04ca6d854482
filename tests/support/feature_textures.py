"""Scenes for :mod:`gl_twin`: texture formats, filters, targets, copies and mipmaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from gl_twin import Recording

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES"]

SIZE = (32, 32)
FULL = """#version 300 es
out vec2 t; void main() {
    vec2 q = vec2(float(gl_VertexID & 1) * 2.0, float(gl_VertexID >> 1) * 2.0);
    t = q; gl_Position = vec4(q * 2.0 - 1.0, 0, 1);
}"""
PRECISIONS = """precision highp float; precision highp int; precision highp sampler2D; precision highp sampler3D;
precision highp samplerCube; precision highp sampler2DArray; precision highp isampler2D; precision highp usampler2D;
precision highp sampler2DShadow;"""
FILTERS = (gl.GL_NEAREST, gl.GL_LINEAR, *range(gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_LINEAR_MIPMAP_LINEAR + 1))
_TYPES = {
    "UNSIGNED_BYTE": "u1", "BYTE": "i1", "HALF_FLOAT": "f2", "FLOAT": "f4", "SHORT": "i2", "UNSIGNED_SHORT": "u2",
    "INT": "i4", "UNSIGNED_INT": "u4",
}  # fmt: skip
_COMPONENTS = {"RED": 1, "RG": 2, "RGB": 3, "RGBA": 4, "LUMINANCE": 1, "ALPHA": 1, "LUMINANCE_ALPHA": 2, "BGRA_EXT": 4}
#: Internal format, client format, client type.
_FORMATS = """
R8 RED UNSIGNED_BYTE|R8_SNORM RED BYTE|R16F RED HALF_FLOAT|R32F RED FLOAT|RG8 RG UNSIGNED_BYTE|RG8_SNORM RG BYTE
RG16F RG FLOAT|RGB8 RGB UNSIGNED_BYTE|SRGB8 RGB UNSIGNED_BYTE|RGB565 RGB UNSIGNED_SHORT_5_6_5|RGB565 RGB UNSIGNED_BYTE
R11F_G11F_B10F RGB FLOAT|RGB9_E5 RGB FLOAT|RGB16F RGB HALF_FLOAT|RGBA8 RGBA UNSIGNED_BYTE
SRGB8_ALPHA8 RGBA UNSIGNED_BYTE|RGBA8_SNORM RGBA BYTE|RGB5_A1 RGBA UNSIGNED_SHORT_5_5_5_1|RGB5_A1 RGBA UNSIGNED_BYTE
RGBA4 RGBA UNSIGNED_SHORT_4_4_4_4|RGB10_A2 RGBA UNSIGNED_INT_2_10_10_10_REV|RGBA16F RGBA HALF_FLOAT|RGBA32F RGBA FLOAT
LUMINANCE_ALPHA LUMINANCE_ALPHA UNSIGNED_BYTE|LUMINANCE LUMINANCE UNSIGNED_BYTE|ALPHA ALPHA UNSIGNED_BYTE
BGRA_EXT BGRA_EXT UNSIGNED_BYTE
"""
FORMATS = [tuple(entry.split()) for entry in _FORMATS.replace("\n", "|").strip("|").split("|")]


def fragment(body: str, sampler: str = "sampler2D", out: str = "vec4") -> str:
    head = f"#version 300 es\n{PRECISIONS} in vec2 t; uniform {sampler} s; layout(location = 0) out {out} o;"
    return f"{head} void main() {{ {body} }}"


def pixels(rng: np.random.Generator, format: str, type: str, count: int) -> bytes:
    """Random client pixels."""
    if type in _TYPES:
        dtype = np.dtype(_TYPES[type])
        values = count * _COMPONENTS[format.replace("_INTEGER", "")]
        if dtype.kind == "f":
            return rng.uniform(-1.5, 3, values).astype(dtype).tobytes()
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, values, endpoint=True).astype(dtype).tobytes()
    return rng.integers(0, 2**32, count, "u8").astype("u4" if "INT" in type else "u2").tobytes()


def named(name: str) -> int:
    value: int = getattr(gl, f"GL_{name}")
    return value


def texture(r: Recording, target: int = gl.GL_TEXTURE_2D, **parameters: int | float) -> int:
    """A new texture, bound; parameters by name without TEXTURE_."""
    name = r.generate("Textures")
    r("glBindTexture", target, name)
    set_parameters(r, target, **parameters)
    return name


def set_parameters(r: Recording, target: int, **parameters: int | float) -> None:
    for key, value in parameters.items():
        kind = "f" if isinstance(value, float) else "i"
        r(f"glTexParameter{kind}", target, named(f"TEXTURE_{key}"), value)


def show(r: Recording, body: str, sampler: str = "sampler2D", **read: Any) -> None:
    """Draw the whole target with a fragment shader and read it."""
    r.program(FULL, fragment(body, sampler))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    r.read(size=SIZE, **read)


def chain(r: Recording, target: int, size: int, depth: int = 0) -> None:
    """All levels of random RGBA8."""
    rng = np.random.default_rng(1)
    level = 0
    while True:
        faces = range(6) if target == gl.GL_TEXTURE_CUBE_MAP else range(1)
        for face in faces:
            data = rng.integers(0, 256, size * size * 4 * max(depth, 1)).astype("u1").tobytes()
            rest = (0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data)
            if depth:
                r("glTexImage3D", target, level, gl.GL_RGBA8, size, size, depth, *rest)
            else:
                where = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face if len(faces) == 6 else target
                r("glTexImage2D", where, level, gl.GL_RGBA8, size, size, *rest)
        if size == 1 and (depth <= 1 or target == gl.GL_TEXTURE_2D_ARRAY):
            return
        size, level = max(size // 2, 1), level + 1
        if target == gl.GL_TEXTURE_3D:
            depth = max(depth // 2, 1)


def upload_formats() -> Recording:
    r = Recording(size=SIZE)
    rng = np.random.default_rng(4)
    r.framebuffer()
    r.target(gl.GL_RGBA32F, *SIZE)
    for internal, format, type in FORMATS:
        texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST)
        rest = (0, named(format), named(type), pixels(rng, format, type, 256))
        r("glTexImage2D", gl.GL_TEXTURE_2D, 0, named(internal), 16, 16, *rest)
        if type != "HALF_FLOAT":
            part = (named(format), named(type), pixels(rng, format, type, 63))
            r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 3, 5, 7, 9, *part)
        show(r, "o = texture(s, t);", type=gl.GL_FLOAT)
    return r


def integer_formats() -> Recording:
    r = Recording(size=SIZE)
    rng = np.random.default_rng(4)
    r.framebuffer()
    kinds = {"8I": "BYTE", "8UI": "UNSIGNED_BYTE", "16I": "SHORT", "16UI": "UNSIGNED_SHORT"}
    kinds |= {"32I": "INT", "32UI": "UNSIGNED_INT"}
    for suffix, type in kinds.items():
        is_unsigned = suffix.endswith("UI")
        r.target(gl.GL_RGBA32UI if is_unsigned else gl.GL_RGBA32I, *SIZE)
        for base in ("R", "RG", "RGBA"):
            format = {"R": "RED"}.get(base, base) + "_INTEGER"
            texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST)
            rest = (0, named(format), named(type), pixels(rng, format, type, 256))
            r("glTexImage2D", gl.GL_TEXTURE_2D, 0, named(base + suffix), 16, 16, *rest)
            letter = "u" if is_unsigned else "i"
            r.program(FULL, fragment("o = texture(s, t);", f"{letter}sampler2D", f"{letter}vec4"))
            r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
            r.read(gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT if is_unsigned else gl.GL_INT, SIZE)
    return r


def mipmaps() -> Recording:
    r = Recording(size=SIZE)
    rng = np.random.default_rng(4)
    r.framebuffer()
    r.target(gl.GL_RGBA32F, *SIZE)
    body = """o = vec4(0.0);
    for (int i = 0; i < 4; i++) if (int(gl_FragCoord.x) / 8 == i) o = textureLod(s, t, float(i + 1));"""
    for internal, format, type in FORMATS:
        if internal in ("RGBA8", "RGB8", "RGB565", "RGB5_A1", "RGBA4", "RG8", "LUMINANCE_ALPHA", "RGBA16F"):
            for width, height in ((16, 16), (13, 7)):
                texture(r, MIN_FILTER=gl.GL_NEAREST_MIPMAP_NEAREST, MAG_FILTER=gl.GL_NEAREST)
                rest = (0, named(format), named(type), pixels(rng, format, type, width * height))
                r("glTexImage2D", gl.GL_TEXTURE_2D, 0, named(internal), width, height, *rest)
                r("glGenerateMipmap", gl.GL_TEXTURE_2D)
                show(r, body, type=gl.GL_FLOAT)
    return r


def sampling() -> Recording:
    r = Recording(size=SIZE)
    bodies = (
        "o = texture(s, t * 2.3 - 0.6);",
        "o = texture(s, t * t * 9.0 - 2.0);",
        "o = texture(s, vec2(t.x * t.y * 5.0, t.y * t.y - t.x * 3.0));",
        "o = texture(s, t * 3.0, -1.5);",
        "o = textureLod(s, t * 1.5, t.x * 6.0 - 1.0);",
        "o = textureGrad(s, t * 1.5, vec2(t.x * 0.1, 0.0), vec2(0.0, t.y * 0.3));",
        "o = textureProj(s, vec3(t, t.x + 0.5));",
        "o = textureOffset(s, t * 3.0, ivec2(-3, 5));",
        "o = texelFetch(s, ivec2(t * 8.0), 2);",
    )
    wraps = (gl.GL_REPEAT, gl.GL_MIRRORED_REPEAT, gl.GL_CLAMP_TO_EDGE)
    for number, filter in enumerate(FILTERS):
        wrap = wraps[number % 3]
        magnified = gl.GL_LINEAR if number % 2 else gl.GL_NEAREST
        texture(r, MIN_FILTER=filter, MAG_FILTER=magnified, WRAP_S=wrap, WRAP_T=wraps[(number + 1) % 3])
        chain(r, gl.GL_TEXTURE_2D, 32)
        for body in bodies:
            show(r, body)
    target = gl.GL_TEXTURE_2D
    for parameters in (
        {"MIN_LOD": 1.3},
        {"MIN_LOD": -1000.0, "MAX_LOD": 1.7},
        {"MAX_LOD": 1000.0, "BASE_LEVEL": 1},
        {"BASE_LEVEL": 2, "MAX_LEVEL": 3},
        {"BASE_LEVEL": 0, "MAX_LEVEL": 1000, "SWIZZLE_R": gl.GL_BLUE, "SWIZZLE_A": gl.GL_ONE, "SWIZZLE_G": gl.GL_ZERO},
    ):
        set_parameters(r, target, **parameters)
        show(r, bodies[1])
    return r


def cubes_and_layers() -> Recording:
    r = Recording(size=SIZE)
    for filter in (gl.GL_NEAREST, gl.GL_LINEAR_MIPMAP_LINEAR):
        magnified = gl.GL_NEAREST if filter == gl.GL_NEAREST else gl.GL_LINEAR
        both = {"MIN_FILTER": filter, "MAG_FILTER": magnified}
        texture(r, gl.GL_TEXTURE_CUBE_MAP, **both)
        chain(r, gl.GL_TEXTURE_CUBE_MAP, 16)
        for place in ("vec3(t * 4.0 - 2.0, 1.0)", "vec3(1.0, t * 3.0 - 1.5)", "vec3(t.x - 0.5, -1.0, t.y - 0.5)"):
            show(r, f"o = texture(s, {place});", "samplerCube")
        show(r, "o = textureLod(s, vec3(t.x, -t.x, t.y), t.y * 3.0);", "samplerCube")
        for target, sampler, scale in (
            (gl.GL_TEXTURE_3D, "sampler3D", "1.0"),
            (gl.GL_TEXTURE_2D_ARRAY, "sampler2DArray", "8.0"),
        ):
            texture(r, target, **both, WRAP_R=gl.GL_MIRRORED_REPEAT, WRAP_S=gl.GL_CLAMP_TO_EDGE)
            chain(r, target, 16, 8)
            show(r, f"o = texture(s, vec3(t * 2.0 - 0.5, t.x * {scale}));", sampler)
            show(r, f"o = textureLod(s, vec3(t, t.x * {scale}), t.y * 4.0);", sampler)
            show(r, "o = texelFetch(s, ivec3(t * 4.0, 2), 1);", sampler)
    return r


def shadows() -> Recording:
    r = Recording(size=SIZE)
    rng = np.random.default_rng(1)
    sources = (
        (gl.GL_DEPTH_COMPONENT16, gl.GL_UNSIGNED_SHORT, rng.integers(0, 65536, 256).astype("u2")),
        (gl.GL_DEPTH_COMPONENT24, gl.GL_UNSIGNED_INT, rng.integers(0, 2**32, 256, "u8").astype("u4")),
        (gl.GL_DEPTH_COMPONENT32F, gl.GL_FLOAT, rng.uniform(0, 1, 256).astype("f4")),
    )
    for internal, type, data in sources:
        texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST)
        rest = (0, gl.GL_DEPTH_COMPONENT, type, data.tobytes())
        r("glTexImage2D", gl.GL_TEXTURE_2D, 0, internal, 16, 16, *rest)
        show(r, "o = texture(s, t);")
        set_parameters(r, gl.GL_TEXTURE_2D, COMPARE_MODE=gl.GL_COMPARE_REF_TO_TEXTURE)
        body = """o = vec4(texture(s, vec3(t, t.x)), textureLod(s, vec3(t, 0.5), 0.0), 0.0, 1.0);
        o.z = textureProj(s, vec4(t, t.y, 2.0));"""
        for func in range(gl.GL_NEVER, gl.GL_ALWAYS + 1):
            set_parameters(r, gl.GL_TEXTURE_2D, COMPARE_FUNC=func)
            show(r, body, "sampler2DShadow")
        set_parameters(r, gl.GL_TEXTURE_2D, COMPARE_FUNC=gl.GL_LEQUAL, MIN_FILTER=gl.GL_LINEAR, MAG_FILTER=gl.GL_LINEAR)
        show(r, body, "sampler2DShadow")
    return r


def copies_and_buffers() -> Recording:
    r = Recording(size=SIZE)
    rng = np.random.default_rng(1)
    texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST, WRAP_S=gl.GL_CLAMP_TO_EDGE)
    r.buffer(rng.integers(0, 256, 5000).astype("u1"), gl.GL_PIXEL_UNPACK_BUFFER)
    for name, value in (("ROW_LENGTH", 20), ("SKIP_ROWS", 2), ("SKIP_PIXELS", 3), ("ALIGNMENT", 4)):
        r("glPixelStorei", named(f"UNPACK_{name}"), value)
    rest = (0, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, Offset(5))
    r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGB8, 16, 16, *rest)
    r("glBindBuffer", gl.GL_PIXEL_UNPACK_BUFFER, 0)
    show(r, "o = texture(s, t);")
    for internal in (gl.GL_RGBA, gl.GL_RGB, gl.GL_LUMINANCE, gl.GL_ALPHA, gl.GL_LUMINANCE_ALPHA):
        texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST, WRAP_S=gl.GL_CLAMP_TO_EDGE)
        r("glCopyTexImage2D", gl.GL_TEXTURE_2D, 0, internal, 7, 5, 16, 16, 0)
        r("glCopyTexSubImage2D", gl.GL_TEXTURE_2D, 0, 3, 4, 10, 1, 9, 8)
        show(r, "o = texture(s, t) + vec4(0.2, t, 0.4) * 0.3;")
    return r


#: Formats whose texels have the same bytes: what is uploaded, and what it is taken for.
_SAME_BYTES = """RGBA8 SRGB8_ALPHA8|SRGB8_ALPHA8 RGBA8|RGBA8 R32UI|R32UI RGBA8|RGBA8 RGB10_A2|RGB10_A2 RG16UI|RGBA8 R32F
RG16I RGBA8I|RGBA16F RG32UI|RG32UI RGBA16UI|RGBA32F RGBA32UI|RG8 R16UI|R16UI R16F|R8 R8I|R11F_G11F_B10F R32UI"""
_UPLOADED = {entry[0]: entry for entry in FORMATS} | {
    "R32UI": ("R32UI", "RED_INTEGER", "UNSIGNED_INT"),
    "R16UI": ("R16UI", "RED_INTEGER", "UNSIGNED_SHORT"),
    "RG16I": ("RG16I", "RG_INTEGER", "SHORT"),
    "RG32UI": ("RG32UI", "RG_INTEGER", "UNSIGNED_INT"),
    "RGB10_A2": ("RGB10_A2", "RGBA", "UNSIGNED_INT_2_10_10_10_REV"),
}


def image_copies() -> Recording:
    """Bytes of one format copied into an image of another, with coordinates and layers of their own."""
    r = Recording(size=SIZE, version=(3, 2))
    rng = np.random.default_rng(9)
    r.framebuffer()
    for entry in _SAME_BYTES.replace("\n", "|").split("|"):
        given, seen = entry.split()
        internal, format, type = _UPLOADED[given]
        source = texture(r, gl.GL_TEXTURE_2D_ARRAY, MIN_FILTER=gl.GL_NEAREST)
        r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 1, named(internal), 16, 16, 2)
        data = (named(format), named(type), pixels(rng, format, type, 512))
        r("glTexSubImage3D", gl.GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 16, 16, 2, *data)
        target = texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST)
        r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, named(seen), 16, 16)
        for layer, (x, y), (width, height) in ((0, (0, 0), (16, 16)), (1, (3, 5), (9, 7))):
            at = (source, gl.GL_TEXTURE_2D_ARRAY, 0, 2 * layer, 4 * layer, layer)
            r("glCopyImageSubData", *at, target, gl.GL_TEXTURE_2D, 0, x, y, 0, width, height, 1)
        letter = "u" if seen.endswith("UI") else "i" if seen.endswith("I") else ""
        r.target({"u": gl.GL_RGBA32UI, "i": gl.GL_RGBA32I}.get(letter, gl.GL_RGBA32F), *SIZE)
        r("glBindTexture", gl.GL_TEXTURE_2D, target)
        r.program(FULL, fragment("o = texture(s, t);", f"{letter}sampler2D", f"{letter}vec4"))
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
        read = {"u": gl.GL_UNSIGNED_INT, "i": gl.GL_INT}.get(letter, gl.GL_FLOAT)
        r.read(gl.GL_RGBA_INTEGER if letter else gl.GL_RGBA, read, SIZE)
    return r


def nothing_attached() -> Recording:
    """Framebuffers that have a size alone: what their fragments store, and how many pass."""
    r = Recording(size=SIZE, version=(3, 2))
    stored = texture(r, MIN_FILTER=gl.GL_NEAREST, MAG_FILTER=gl.GL_NEAREST)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, *SIZE)
    name = r.framebuffer()
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    query = r.generate("Queries")
    for width, height in ((32, 32), (20, 9), (7, 30)):
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, name)
        r("glFramebufferParameteri", gl.GL_FRAMEBUFFER, gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, width)
        r("glFramebufferParameteri", gl.GL_FRAMEBUFFER, gl.GL_FRAMEBUFFER_DEFAULT_HEIGHT, height)
        r("glGetFramebufferParameteriv", gl.GL_FRAMEBUFFER, gl.GL_FRAMEBUFFER_DEFAULT_WIDTH, None)
        r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
        source = fragment("imageStore(i, ivec2(gl_FragCoord.xy), vec4(t, t.x * t.y, 1.0));")
        image = "layout(rgba8, binding = 0) writeonly uniform highp image2D i; void main"
        full = FULL.replace("300 es", "320 es")
        r.program(full, source.replace("300 es", "320 es").replace("void main", image))
        r("glBindImageTexture", 0, stored, 0, 0, 0, gl.GL_WRITE_ONLY, gl.GL_RGBA8)
        r("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, query)
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
        r("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)
        r("glGetQueryObjectuiv", query, gl.GL_QUERY_RESULT, None)
        r("glMemoryBarrier", gl.GL_ALL_BARRIER_BITS)
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
        r("glBindTexture", gl.GL_TEXTURE_2D, stored)
        show(r, "o = texture(s, t);")
    return r


def rendered_textures() -> Recording:
    """Levels and layers of immutable textures, drawn to and sampled."""
    r = Recording(size=SIZE)
    name = texture(r, MIN_FILTER=gl.GL_LINEAR_MIPMAP_LINEAR)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 4, gl.GL_RGBA8, 32, 32)
    layers = texture(r, gl.GL_TEXTURE_2D_ARRAY, MIN_FILTER=gl.GL_LINEAR)
    r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 1, gl.GL_RGBA8, 16, 16, 4)
    r.framebuffer()
    for k in range(4):
        where = (gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0)
        r("glFramebufferTexture2D", *where, gl.GL_TEXTURE_2D, name, k)
        r("glClearColor", k / 4, 0.5, 0.8 - k / 5, 1.0)
        r("glClear", gl.GL_COLOR_BUFFER_BIT)
        r("glFramebufferTextureLayer", *where, layers, 0, k)
        r("glClearColor", 0.3, k / 4, 0.6, 1.0)
        r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    show(r, "o = texture(s, t * t * 6.0);")
    show(r, "o = texture(s, vec3(t, t.x * 4.0));", "sampler2DArray")
    return r


SCENES = {
    function.__name__: function
    for function in (
        upload_formats,
        integer_formats,
        mipmaps,
        sampling,
        cubes_and_layers,
        shadows,
        copies_and_buffers,
        image_copies,
        nothing_attached,
        rendered_textures,
    )
}
