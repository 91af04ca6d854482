"""Programs that draw to several layers of a framebuffer at once, one for each kind of target and rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_SIZE = 32
_LAYERS = 6
_HEAD = "#version 320 es\nprecision highp float;\nprecision highp int;\n"
_VS = _HEAD + "in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }"
_FS = _HEAD + "in vec4 g; out vec4 o; void main() { o = g; }"
_TO_EACH = """layout(triangles, invocations = 6) in; layout(triangle_strip, max_vertices = 3) out;
in vec4 v[]; out vec4 g; void main() { for (int k = 0; k < 3; k++) { float a = float(gl_InvocationID);
  gl_Position = gl_in[k].gl_Position + vec4(a * 0.1 - 0.25, a * 0.05, 0, 0); g = v[k] * (0.4 + a * 0.1);
  gl_Layer = gl_InvocationID; EmitVertex(); } }"""


def _program(r: Recording, geometry: str, fragment: str = _FS) -> int:
    number = r.program(_VS, fragment, geometry=_HEAD + geometry, p=0, c=1)
    rng = np.random.default_rng(3)
    place = np.concatenate([rng.uniform(-1, 1, (36, 2)), rng.uniform(-0.9, 0.9, (36, 1)), np.ones((36, 1))], axis=1)
    r.vertices(p=(0, place), c=(1, rng.uniform(0, 1, (36, 4))))
    return number


def _array(r: Recording, point: int = gl.GL_COLOR_ATTACHMENT0, format: int = gl.GL_RGBA8, layers: int = _LAYERS) -> int:
    """Attach all layers of a new texture."""
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D_ARRAY, name)
    r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 1, format, _SIZE, _SIZE, layers)
    r("glFramebufferTexture", gl.GL_FRAMEBUFFER, point, name, 0)
    return name


def _begin(r: Recording) -> None:
    r("glViewport", 0, 0, _SIZE, _SIZE)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    r("glClearColor", 0.25, 0.5, 0.75, 1.0)
    r("glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)


def _read(
    r: Recording, name: int, layers: int = _LAYERS, format: int = gl.GL_RGBA, type: int = gl.GL_UNSIGNED_BYTE
) -> None:
    """Read each layer through a framebuffer of its own."""
    r.framebuffer()
    for layer in range(layers):
        r("glFramebufferTextureLayer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0, layer)
        r.read(format, type, size=(_SIZE, _SIZE))


def each_layer(r: Recording) -> None:
    """A triangle for every layer, with depth of its own; drawn to twice."""
    r.framebuffer()
    color = _array(r)
    _array(r, gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24)
    _begin(r)
    r("glEnable", gl.GL_DEPTH_TEST)
    _program(r, _TO_EACH)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 18)
    r("glEnable", gl.GL_BLEND)
    r("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    r("glDrawArrays", gl.GL_TRIANGLES, 18, 18)
    _read(r, color)


def cube_faces(r: Recording) -> None:
    """The faces of a cube map, as a program draws its surroundings in one go, and a look at them."""
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_CUBE_MAP, name)
    r("glTexStorage2D", gl.GL_TEXTURE_CUBE_MAP, 1, gl.GL_RGBA8, _SIZE, _SIZE)
    for filter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        r("glTexParameteri", gl.GL_TEXTURE_CUBE_MAP, filter, gl.GL_NEAREST)
    target = r.framebuffer()
    r("glFramebufferTexture", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0)
    _begin(r)
    _program(r, _TO_EACH)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    r.framebuffer()
    for face in range(6):
        where = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face
        r("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, where, name, 0)
        r.read(size=(_SIZE, _SIZE))
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glDeleteFramebuffers", 1, target.to_bytes(4, "little"))
    r.program(
        _VS,
        _HEAD + "in vec4 v; out vec4 o; uniform samplerCube t; void main() { o = texture(t, v.xyz * 2.0 - 1.0); }",
        p=0,
        c=1,
    )
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    r.read()


def slices(r: Recording) -> None:
    """Slices of a volume; layers that do not exist, layers of vertices that differ, points and lines."""
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_3D, name)
    r("glTexStorage3D", gl.GL_TEXTURE_3D, 1, gl.GL_RGBA8, _SIZE, _SIZE, 5)
    r.framebuffer()
    r("glFramebufferTexture", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0)
    _begin(r)
    for output, count in (("points", 6), ("line_strip", 6), ("triangle_strip", 5)):
        _program(
            r,
            f"layout(points) in; layout({output}, max_vertices = {count}) out; in vec4 v[]; out vec4 g; void main() {{ "
            f"for (int k = 0; k < {count}; k++) {{ gl_Position = gl_in[0].gl_Position + vec4(float(k >> 1) * 0.2021, "
            "float(k & 1) * 0.3017, 0, 0); g = v[0]; gl_Layer = gl_PrimitiveIDIn % 7 - 1; "
            "EmitVertex(); } }",
        )
        r("glDrawArrays", gl.GL_POINTS, 0, 24)
    _read(r, name, 5)


def provoking(r: Recording) -> None:
    """The vertices of a strip's triangles are of different layers."""
    r.framebuffer()
    color = _array(r)
    _begin(r)
    _program(
        r,
        """layout(points) in; layout(triangle_strip, max_vertices = 8) out; in vec4 v[]; out vec4 g;
        void main() { for (int k = 0; k < 8; k++) { g = v[0];
          gl_Position = gl_in[0].gl_Position + vec4(float(k >> 1) * 0.2, float(k & 1) * 0.3, 0, 0);
          gl_Layer = (k + gl_PrimitiveIDIn) % 6; EmitVertex(); } }""",
    )
    r("glDrawArrays", gl.GL_POINTS, 0, 12)
    _read(r, color)


def parts(r: Recording) -> None:
    """Layer 0 alone without a geometry shader; clears of a rectangle, of one buffer; fewer layers of depth."""
    r.framebuffer()
    color = _array(r)
    _array(r, gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT16, 4)
    _begin(r)
    r("glEnable", gl.GL_DEPTH_TEST)
    _program(r, _TO_EACH)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 18)
    r.program(_VS, _FS.replace("in vec4 g", "in vec4 v").replace("o = g", "o = v"), p=0, c=1)
    r("glDrawArrays", gl.GL_TRIANGLES, 18, 6)
    r("glEnable", gl.GL_SCISSOR_TEST)
    r("glScissor", 3, 4, 9, 5)
    r("glClear", gl.GL_COLOR_BUFFER_BIT)
    r("glScissor", 20, 4, 9, 5)
    r("glClearBufferfv", gl.GL_COLOR, 0, np.array([1, 0, 0.5, 1], np.float32).tobytes())
    r("glDisable", gl.GL_SCISSOR_TEST)
    _read(r, color)


def numbers(r: Recording) -> None:
    """Several targets of other formats; fragments know their layer; queries count what all layers have."""
    r.framebuffer()
    color = _array(r)
    others = _array(r, gl.GL_COLOR_ATTACHMENT1, gl.GL_RGBA16F)
    r("glDrawBuffers", 2, np.array([gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1], np.uint32).tobytes())
    _begin(r)
    fragment = "in vec4 g; layout(location = 0) out vec4 o; layout(location = 1) out vec4 e; "
    _program(r, _TO_EACH, _HEAD + fragment + "void main() { o = g; e = vec4(float(gl_Layer), g.xyz); }")
    query = [r.generate("Queries") for _ in range(2)]
    r("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, query[0])
    r("glBeginQuery", gl.GL_PRIMITIVES_GENERATED, query[1])
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 18)
    r("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)
    r("glEndQuery", gl.GL_PRIMITIVES_GENERATED)
    for one in query:
        r("glGetQueryObjectuiv", one, gl.GL_QUERY_RESULT, None)
    _read(r, color)
    _read(r, others, format=gl.GL_RGBA, type=gl.GL_FLOAT)


def captured(r: Recording) -> None:
    """Transform feedback takes the primitives of all layers, in their order."""
    r.framebuffer()
    color = _array(r)
    _begin(r)
    number: int = r("glCreateProgram")
    for kind, source in (
        (gl.GL_VERTEX_SHADER, _VS),
        (gl.GL_GEOMETRY_SHADER, _HEAD + _TO_EACH),
        (gl.GL_FRAGMENT_SHADER, _FS),
    ):
        shader = r("glCreateShader", kind)
        r("glShaderSource", shader, 1, (source,), None)
        r("glCompileShader", shader)
        r("glAttachShader", number, shader)
    r("glTransformFeedbackVaryings", number, 1, ("g",), gl.GL_INTERLEAVED_ATTRIBS)
    for name, location in (("p", 0), ("c", 1)):
        r("glBindAttribLocation", number, location, name)
    r("glLinkProgram", number)
    r("glUseProgram", number)
    rng = np.random.default_rng(3)
    r.vertices(p=(0, np.concatenate([rng.uniform(-1, 1, (36, 2)), np.ones((36, 2)) * (0, 1)], axis=1)))
    r("glVertexAttrib4f", 1, 0.5, 1.0, 0.25, 1.0)
    buffer = r.buffer(np.zeros((72, 4), np.float32), gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer)
    r("glBeginTransformFeedback", gl.GL_TRIANGLES)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 12)
    r("glEndTransformFeedback")
    _read(r, color)
    # What was captured, as points of the window.
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r.program(
        _HEAD + "in vec4 p; out vec4 g; void main() { gl_Position = vec4(float(gl_VertexID % 16) / 8.0 - 0.95, "
        "float(gl_VertexID / 16) / 8.0 - 0.95, 0, 1); gl_PointSize = 3.0; g = p; }",
        _FS,
        p=0,
    )
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
    r("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 0, 0)
    r("glDrawArrays", gl.GL_POINTS, 0, 72)
    r.read()


def _look(r: Recording, kind: str, value: str) -> None:
    """Show level 1 of four layers in the window."""
    r("glBindFramebuffer", gl.GL_FRAMEBUFFER, 0)
    r("glViewport", 0, 0, 64, 64)
    r.program(
        _HEAD + "in vec4 p; out vec2 t; void main() { t = p.xy * 0.5 + 0.5; gl_Position = p; }",
        _HEAD + f"precision highp {kind}; in vec2 t; out vec4 o; uniform {kind} s; void main() {{ vec2 g = t * 2.0; "
        f"o = vec4({value}(textureLod(s, vec3(fract(g), floor(g.y) * 2.0 + floor(g.x)), 1.0).r), t, 1); }}",
        p=0,
    )
    r.vertices(p=(0, np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)])))
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
    r.read()


def depth_and_stencil(r: Recording) -> None:
    """Level 1 of an array of depth and stencil without colours; both are looked at, and again after a further draw."""
    name = r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D_ARRAY, name)
    r("glTexStorage3D", gl.GL_TEXTURE_2D_ARRAY, 2, gl.GL_DEPTH24_STENCIL8, 2 * _SIZE, 2 * _SIZE, 4)
    r("glTexParameteri", gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST_MIPMAP_NEAREST)
    r("glTexParameteri", gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST)
    target = r.framebuffer()
    r("glFramebufferTexture", gl.GL_FRAMEBUFFER, gl.GL_DEPTH_STENCIL_ATTACHMENT, name, 1)
    r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
    r("glClear", gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
    r("glStencilOp", gl.GL_KEEP, gl.GL_INCR, gl.GL_INCR)
    r("glStencilFunc", gl.GL_GEQUAL, 3, 255)
    for first in (0, 12):
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, target)
        r("glViewport", 0, 0, _SIZE, _SIZE)
        for test in (gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST):
            r("glEnable", test)
        _program(r, _TO_EACH.replace("6", "4"), _HEAD + "void main() { }")
        r("glDrawArrays", gl.GL_TRIANGLES, first, 18)
        for test in (gl.GL_DEPTH_TEST, gl.GL_STENCIL_TEST):
            r("glDisable", test)
        for mode, kind, value in (
            (gl.GL_DEPTH_COMPONENT, "sampler2DArray", "float"),
            (gl.GL_STENCIL_INDEX, "usampler2DArray", "0.25 * float"),
        ):
            r("glTexParameteri", gl.GL_TEXTURE_2D_ARRAY, gl.GL_DEPTH_STENCIL_TEXTURE_MODE, mode)
            _look(r, kind, value)


def mixed(r: Recording) -> None:
    """Which attachments go together."""
    r.framebuffer()
    _array(r)
    flat, volume = r.generate("Textures"), r.generate("Textures")
    r("glBindTexture", gl.GL_TEXTURE_2D, flat)
    r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_DEPTH_COMPONENT16, _SIZE, _SIZE)
    r("glBindTexture", gl.GL_TEXTURE_3D, volume)
    r("glTexStorage3D", gl.GL_TEXTURE_3D, 1, gl.GL_RGBA8, _SIZE, _SIZE, 4)
    depth, second = gl.GL_DEPTH_ATTACHMENT, gl.GL_COLOR_ATTACHMENT0 + 1
    for call, *args in (
        ("glFramebufferTexture2D", depth, gl.GL_TEXTURE_2D, flat, 0),
        ("glFramebufferTexture2D", depth, gl.GL_TEXTURE_2D, 0, 0),
        ("glFramebufferTexture", second, volume, 0),
        ("glFramebufferTextureLayer", second, volume, 0, 1),
        ("glFramebufferTexture", second, 0, 0),
    ):
        r(str(call), gl.GL_FRAMEBUFFER, *args)
        r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)


SCENES: dict[str, Callable[[Recording], None]] = {
    one.__name__: one
    for one in (each_layer, cube_faces, slices, provoking, parts, numbers, captured, depth_and_stencil)
}


def record(name: str) -> Recording:
    """A scene on Mesa.

    Raises
    ------
    NoDriver : there is no Mesa with ES 3.2
    """
    r = Recording(version=(3, 2))
    (mixed if name == "mixed" else SCENES[name])(r)
    r.close()
    return r
