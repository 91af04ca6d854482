"""Multisampled textures and arrays of them: samples that are drawn, resolved and fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.gles import enums as gl

__all__ = ["DESKTOP_SCENES", "SCENES", "record"]

_KINDS = ("sampler2DMSArray", "isampler2DMSArray", "usampler2DMSArray", "sampler2DMS", "usampler2DMS")
_HEAD = "#version 320 es\nprecision highp float; precision highp int;\n" + "".join(
    f"precision highp {kind}; " for kind in _KINDS
)
_HEAD_GL = "#version 150\n"
_ARRAY: Final = gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY
_COLOR, _FRAMEBUFFER = gl.GL_COLOR_ATTACHMENT0, gl.GL_FRAMEBUFFER
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_SIZE = 32
_LAYERS = 3


def _make(r: Recording, internal: int = gl.GL_RGBA8, layers: int = _LAYERS, call: str = "glTexStorage") -> int:
    """Storage of four samples a texel."""
    name = r.generate("Textures")
    target, size = (_ARRAY, (_SIZE, _SIZE, layers)) if layers else (gl.GL_TEXTURE_2D_MULTISAMPLE, (_SIZE, _SIZE))
    r("glBindTexture", target, name)
    r(f"{call}{len(size)}DMultisample", target, 4, internal, *size, 1)
    return name


def _mesh(r: Recording, output: str = "vec4", value: str = "v", head: str = _HEAD) -> None:
    r.program(
        head + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }",
        head + f"in vec4 v; out {output} o; void main() {{ o = {output}({value}); }}",
        p=0,
        c=1,
    )
    rng = np.random.default_rng(8)
    place = np.concatenate([rng.uniform(-1, 1, (36, 3)), np.ones((36, 1))], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))


def _layers_of(r: Recording, name: int, point: int = _COLOR, depths: int = 0) -> None:
    """Draw to each layer, through one framebuffer."""
    r("glViewport", 0, 0, _SIZE, _SIZE)
    for layer in range(_LAYERS):
        r("glFramebufferTextureLayer", _FRAMEBUFFER, point, name, 0, layer)
        if depths:
            r("glFramebufferTextureLayer", _FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, depths, 0, layer)
        r("glCheckFramebufferStatus", _FRAMEBUFFER)
        r("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        r("glDrawArrays", gl.GL_TRIANGLES, 9 * layer, 18)


def _look(r: Recording, value: str, kind: str = "sampler2DMSArray", head: str = _HEAD) -> int:
    """Show a value of each texel: its column of the window says the sample, its row the layer."""
    r("glBindFramebuffer", _FRAMEBUFFER, 0)
    r("glViewport", 0, 0, *r.size)
    fragment = (
        f"out vec4 o; uniform {kind} s; void main() {{ ivec2 g = ivec2(gl_FragCoord.xy); int k = g.x & 3;"
        f"ivec3 c = ivec3(g.x / 2, g.y / 2, (g.y * 2 + g.x / 4) % 3); o = {value}; }}"
    )
    number = r.program(head + "in vec4 p; void main() { gl_Position = p; }", head + fragment, p=0)
    r.vertices(p=(0, _QUAD))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    return number


def fetched(r: Recording) -> None:
    """All samples of all layers; what lies outside is nothing."""
    name = _make(r)
    r.framebuffer()
    _mesh(r)
    _layers_of(r, name)
    _look(r, "texelFetch(s, c, k)")
    r.read()
    _look(r, "vec4(textureSize(s), 32) / 32.0")


def resolved(r: Recording) -> None:
    """Each layer is resolved into a layer of a plain array and into the window."""
    name = _make(r)
    source = r.framebuffer()
    _mesh(r)
    _layers_of(r, name)
    plain = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D_ARRAY, plain)
    r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 1, gl.GL_RGBA8, _SIZE, _SIZE, _LAYERS)
    r.framebuffer()
    r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, source)
    box = (0, 0, _SIZE, _SIZE)
    for layer in range(_LAYERS):
        r("glFramebufferTextureLayer", gl.GL_READ_FRAMEBUFFER, _COLOR, name, 0, layer)
        r("glFramebufferTextureLayer", gl.GL_DRAW_FRAMEBUFFER, _COLOR, plain, 0, _LAYERS - 1 - layer)
        r("glBlitFramebuffer", *box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    for layer in range(_LAYERS):
        r("glFramebufferTextureLayer", gl.GL_READ_FRAMEBUFFER, _COLOR, plain, 0, layer)
        r.read(size=(_SIZE, _SIZE))
    r("glFramebufferTextureLayer", gl.GL_READ_FRAMEBUFFER, _COLOR, name, 0, 1)
    r("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, 0)
    r("glBlitFramebuffer", *box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    r("glBindFramebuffer", _FRAMEBUFFER, 0)


def formats(r: Recording) -> None:
    """Floats, few bits, swizzled channels, integers."""
    for internal, kind, value in (
        (gl.GL_RGBA16F, "s", "texelFetch(s, c, k)"),
        (gl.GL_RGB565, "s", "texelFetch(s, c, k)"),
        (gl.GL_RG8, "s", "texelFetch(s, c, k)"),
        (gl.GL_RGBA8UI, "us", "vec4(texelFetch(s, c, k)) / 255.0"),
        (gl.GL_R32I, "is", "vec4(texelFetch(s, c, k) + 100) / 255.0"),
    ):
        name = _make(r, internal)
        r.framebuffer()
        prefix = kind[:-1]
        _mesh(r, f"{prefix}vec4", "max(v, 0.0) * 200.0" if prefix else "v")
        _layers_of(r, name)
        r("glTexParameteri", _ARRAY, gl.GL_TEXTURE_SWIZZLE_R, gl.GL_GREEN)
        r("glTexParameteri", _ARRAY, gl.GL_TEXTURE_SWIZZLE_G, gl.GL_RED)
        _look(r, value, f"{prefix}sampler2DMSArray")
        r.read()


def srgb(r: Recording) -> None:
    """Samples that are kept in another space."""
    name = _make(r, gl.GL_SRGB8_ALPHA8)
    r.framebuffer()
    _mesh(r)
    _layers_of(r, name)
    _look(r, "texelFetch(s, c, k)")


def depths(r: Recording) -> None:
    """Depth of layers, and of a texture of one, is tested against and fetched."""
    for internal in (gl.GL_DEPTH_COMPONENT16, gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT32F):
        color, depth = _make(r), _make(r, internal)
        r.framebuffer()
        _mesh(r)
        r("glEnable", gl.GL_DEPTH_TEST)
        _layers_of(r, color, depths=depth)
        r("glDisable", gl.GL_DEPTH_TEST)
        r("glBindTexture", _ARRAY, depth)
        _look(r, "texelFetch(s, c, k)")
        r.read()
        flat = _make(r, internal, 0)
        r.framebuffer()
        r("glFramebufferTexture2D", _FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D_MULTISAMPLE, flat, 0)
        _mesh(r)
        r("glViewport", 0, 0, _SIZE, _SIZE)
        r("glClear", gl.GL_DEPTH_BUFFER_BIT)
        r("glEnable", gl.GL_DEPTH_TEST)
        r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
        r("glDisable", gl.GL_DEPTH_TEST)
        _look(r, "texelFetch(s, c.xy, k)", "sampler2DMS")
        r.read()


def all_layers(r: Recording) -> None:
    """A geometry shader draws to all layers, each sample on its own."""
    name = _make(r)
    r.framebuffer()
    r("glFramebufferTexture", _FRAMEBUFFER, _COLOR, name, 0)
    r("glCheckFramebufferStatus", _FRAMEBUFFER)
    r("glViewport", 0, 0, _SIZE, _SIZE)
    r("glClearColor", 0.25, 0.5, 0.75, 1.0)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r.program(
        _HEAD + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }",
        _HEAD + "in vec4 g; out vec4 o; void main() { o = g; }",
        geometry=_HEAD
        + """layout(triangles, invocations = 3) in; layout(triangle_strip, max_vertices = 3) out; in vec4 v[];
        out vec4 g; void main() { for (int k = 0; k < 3; k++) { float a = float(gl_InvocationID);
          gl_Position = gl_in[k].gl_Position + vec4(a * 0.1 - 0.25, a * 0.05, 0, 0); g = v[k] * (0.4 + a * 0.2);
          gl_Layer = gl_InvocationID; EmitVertex(); } }""",
        p=0,
        c=1,
    )
    rng = np.random.default_rng(6)
    place = np.concatenate([rng.uniform(-1, 1, (36, 2)), np.ones((36, 2)) * (0, 1)], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    _look(r, "texelFetch(s, c, k)")


def mutable(r: Recording) -> None:
    """Desktop GL's storage that may be given anew."""
    name = _make(r, call="glTexImage")
    r.framebuffer()
    _mesh(r, head=_HEAD_GL)
    _layers_of(r, name)
    _look(r, "texelFetch(s, c, k)", head=_HEAD_GL)
    r.read()
    r("glTexImage3DMultisample", _ARRAY, 4, gl.GL_RGBA16F, _SIZE, _SIZE, _LAYERS, 1)
    r.framebuffer()
    _mesh(r, head=_HEAD_GL)
    _layers_of(r, name)
    _look(r, "texelFetch(s, c, k)", head=_HEAD_GL)


def mistakes(r: Recording) -> None:
    """Each call leaves its error."""
    name = _make(r)
    other = r.generate("Textures")
    r("glBindTexture", _ARRAY, other)
    r.framebuffer()
    for call, *args in (
        ("glTexStorage3DMultisample", gl.GL_TEXTURE_2D_ARRAY, 4, gl.GL_RGBA8, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 0, gl.GL_RGBA8, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_RGBA8, 8, 8, 0, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_RGBA8, 8, 8, 1 << 20, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_RGB9_E5, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_COMPRESSED_RGB8_ETC2, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 64, gl.GL_RGBA8, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_RGBA8, 8, 8, 2, 1),
        ("glTexStorage3DMultisample", _ARRAY, 4, gl.GL_RGBA8, 8, 8, 2, 1),
        ("glTexParameteri", _ARRAY, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
        ("glTexParameteri", _ARRAY, gl.GL_TEXTURE_BASE_LEVEL, 1),
        ("glTexParameteri", _ARRAY, gl.GL_TEXTURE_MAX_LEVEL, 1),
        ("glGenerateMipmap", _ARRAY),
        ("glTexSubImage3D", _ARRAY, 0, 0, 0, 0, 1, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, bytes(4)),
        ("glFramebufferTextureLayer", _FRAMEBUFFER, _COLOR, name, 1, 0),
        ("glFramebufferTextureLayer", _FRAMEBUFFER, _COLOR, name, 0, 2),
        ("glBindTexture", gl.GL_TEXTURE_2D_ARRAY, name),
    ):
        r(str(call), *args)
        r("glGetError")
    r("glBindFramebuffer", _FRAMEBUFFER, 0)


def asked(r: Recording) -> None:
    """Questions about a texture and a program."""
    _make(r)
    for part in ("WIDTH", "HEIGHT", "DEPTH", "INTERNAL_FORMAT", "SAMPLES", "FIXED_SAMPLE_LOCATIONS", "RED_SIZE"):
        r("glGetTexLevelParameteriv", _ARRAY, 0, getattr(gl, f"GL_TEXTURE_{part}"), None)
    for pname in (gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE):
        r("glGetIntegerv", pname, None)
    for kind in _KINDS[:3]:
        number = _look(r, "vec4(texelFetch(s, c, k))", kind)
        r("glGetActiveUniform", number, 0, 64, None, None, None, None)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r("glGetError")


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene for scene in (fetched, resolved, formats, srgb, depths, all_layers, mistakes, asked)
}
DESKTOP_SCENES: dict[str, Callable[[Recording], None]] = {"mutable": mutable}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    if name in DESKTOP_SCENES:
        return record_scene(DESKTOP_SCENES[name], desktop=(3, 3))
    return record_scene(SCENES[name])
