"""Scenes for :mod:`gl_twin`: everything of GLES between vertices and pixels, and what desktop GL adds to it."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from gl_twin import Recording

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES"]

SIZE = (32, 32)
VERTEX = """#version 300 es
in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; gl_PointSize = c.a * 12.0 + 1.0; v = c; }"""
FRAGMENT = "#version 300 es\nprecision highp float; in vec4 v; out vec4 o; void main() { o = v; }"
CLEAR_ALL = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
TRIANGLES = gl.GL_TRIANGLES
MODES = range(gl.GL_POINTS, gl.GL_TRIANGLE_FAN + 1)
FUNCS = range(gl.GL_NEVER, gl.GL_ALWAYS + 1)
COLOR0 = gl.GL_COLOR_ATTACHMENT0


def desktop(source: str) -> str:
    return source.replace("300 es", "330").replace("precision highp float;", "")


def mesh(r: Recording, count: int = 20, seed: int = 1) -> int:
    """Random triangles, many of them partly outside; returns the number of vertices."""
    rng = np.random.default_rng(seed)
    positions = np.ones((3 * count, 4), np.float32)
    around = rng.uniform(-1, 1, (count, 1, 2)) + rng.uniform(-0.6, 0.6, (count, 3, 2))
    positions[:, :2] = around.reshape(-1, 2)
    positions[:, 2] = rng.uniform(-1, 1, 3 * count)
    r.vertices(p=(0, positions), c=(1, rng.uniform(0, 1, (3 * count, 4))))
    return 3 * count


def start(vertex: str = VERTEX, fragment: str = FRAGMENT, **options: Any) -> tuple[Recording, int]:
    """A context with the mesh and a program."""
    r = Recording(size=SIZE, **options)
    if options.get("api"):
        r("glBindVertexArray", r.generate("VertexArrays"))
        vertex, fragment = desktop(vertex), desktop(fragment)
    r.program(vertex, fragment, p=0, c=1)
    return r, mesh(r)


def draw(r: Recording, count: int, mode: int = TRIANGLES, first: int = 0) -> None:
    r("glDrawArrays", mode, first, count)


def fresh(r: Recording, *color: float) -> None:
    r("glClearColor", *(color or (0.1, 0.2, 0.3, 0.4)))
    r("glClear", CLEAR_ALL)


def blending() -> Recording:
    r, n = start()
    r("glEnable", gl.GL_BLEND)
    r("glBlendColor", 0.2, 0.7, 0.4, 0.6)
    factors = [0, 1, *range(gl.GL_SRC_COLOR, gl.GL_SRC_ALPHA_SATURATE + 1)]
    factors += [0x8001, 0x8002, 0x8003, 0x8004]
    equations = [gl.GL_FUNC_ADD, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT, gl.GL_MIN, gl.GL_MAX]
    rng = np.random.default_rng(2)
    for _ in range(24):
        fresh(r, *rng.uniform(0, 1, 4))
        r("glBlendFuncSeparate", *(int(rng.choice(factors)) for _ in range(4)))
        r("glBlendEquationSeparate", *(int(rng.choice(equations)) for _ in range(2)))
        draw(r, n)
        r.read(size=SIZE)
    return r


def color_formats() -> Recording:
    r, n = start()
    r.framebuffer()
    names = "RGBA8 RGB8 RGB565 RGBA4 RGB5_A1 R8 RG8 RGB10_A2 SRGB8_ALPHA8 RGBA16F R11F_G11F_B10F RG16F R32F RGBA8_SNORM"
    for name in names.split():
        r.target(getattr(gl, f"GL_{name}"), *SIZE)
        r("glCheckFramebufferStatus", gl.GL_FRAMEBUFFER)
        for source, destination in ((0, 0), (gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA), (gl.GL_DST_COLOR, gl.GL_ONE)):
            r("glEnable" if source else "glDisable", gl.GL_BLEND)
            r("glBlendFunc", source, destination)
            fresh(r)
            draw(r, n)
            types = {"F": gl.GL_FLOAT, "M": gl.GL_BYTE}
            r.read(type=types.get(name[-1], gl.GL_UNSIGNED_BYTE), size=SIZE)
    return r


def depth_and_offset() -> Recording:
    r, n = start()
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glClearDepthf", 0.6)
    r("glDepthRangef", 0.2, 0.9)
    for func in FUNCS:
        fresh(r)
        r("glDepthFunc", func)
        draw(r, n)
        r.read(size=SIZE)
    r("glClearDepthf", 1.0)
    r("glDepthFunc", gl.GL_LEQUAL)
    r("glEnable", gl.GL_POLYGON_OFFSET_FILL)
    for format in (gl.GL_DEPTH_COMPONENT16, gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT32F, gl.GL_DEPTH24_STENCIL8):
        r.framebuffer()
        r.target(gl.GL_RGBA8, *SIZE)
        r.target(format, *SIZE, point=gl.GL_DEPTH_ATTACHMENT)
        for factor, units in ((0.0, 1.0), (1.0, 0.0), (-2.0, -8.0), (0.5, 1000.0)):
            fresh(r)
            r("glPolygonOffset", 0.0, 0.0)
            draw(r, n)
            r("glPolygonOffset", factor, units)
            draw(r, n - 3, first=3)
            r.read(size=SIZE)
    return r


def stencil() -> Recording:
    r, n = start()
    show = """#version 300 es
    void main() {
        gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);
    }"""
    shader = int(next(call.result for call in r.calls if call.name == "glCreateProgram"))
    viewer = r.program(
        show, "#version 300 es\nprecision highp float; uniform vec4 k; out vec4 o; void main() { o = k; }"
    )
    place = r.uniform(viewer, "k")
    actions = (gl.GL_KEEP, gl.GL_ZERO, gl.GL_REPLACE, gl.GL_INCR, gl.GL_DECR, gl.GL_INVERT, gl.GL_INCR_WRAP)
    for number, action in enumerate((*actions, gl.GL_DECR_WRAP)):
        r("glUseProgram", shader)
        for cap in (gl.GL_STENCIL_TEST, gl.GL_DEPTH_TEST):
            r("glEnable", cap)
        r("glDisable", gl.GL_BLEND)
        r("glClearStencil", 37 * number)
        r("glStencilMask", 255)
        fresh(r)
        r("glStencilFuncSeparate", gl.GL_FRONT, FUNCS[number], 3, 0xF7)
        r("glStencilFuncSeparate", gl.GL_BACK, gl.GL_ALWAYS, 200, 0xFF)
        r("glStencilOpSeparate", gl.GL_FRONT, action, gl.GL_INCR, gl.GL_INCR_WRAP)
        r("glStencilOpSeparate", gl.GL_BACK, gl.GL_INVERT, gl.GL_DECR_WRAP, action)
        r("glStencilMaskSeparate", gl.GL_BACK, 0x3F)
        draw(r, n)
        r.read(size=SIZE)
        # The stencil buffer itself, bit by bit.
        r("glUseProgram", viewer)
        r("glDisable", gl.GL_DEPTH_TEST)
        r("glStencilOp", gl.GL_KEEP, gl.GL_KEEP, gl.GL_KEEP)
        r("glClearColor", 0.0, 0.0, 0.0, 0.0)
        r("glClear", gl.GL_COLOR_BUFFER_BIT)
        r("glEnable", gl.GL_BLEND)
        r("glBlendFunc", gl.GL_ONE, gl.GL_ONE)
        for bit in range(8):
            r("glUniform4f", place, (1 << bit) / 255.0, 0.0, 0.0, 1.0)
            r("glStencilFunc", gl.GL_EQUAL, 255, 1 << bit)
            draw(r, 3)
        r.read(size=SIZE)
    return r


def facing_and_masks() -> Recording:
    r, n = start(fragment=FRAGMENT.replace("o = v", "o = gl_FrontFacing ? v : v.bgra"))
    r("glEnable", gl.GL_CULL_FACE)
    for face in (gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK):
        for winding in (gl.GL_CW, gl.GL_CCW):
            r("glCullFace", face)
            r("glFrontFace", winding)
            fresh(r)
            draw(r, n)
            r.read(size=SIZE)
    r("glDisable", gl.GL_CULL_FACE)
    r("glEnable", gl.GL_SCISSOR_TEST)
    r("glScissor", 5, 9, 15, 20)
    r("glColorMask", 1, 0, 1, 0)
    fresh(r, 0.5, 0.5, 0.1, 1.0)
    r("glColorMask", 0, 1, 0, 1)
    draw(r, n)
    r.read(size=SIZE)
    r("glDisable", gl.GL_SCISSOR_TEST)
    r("glColorMask", 1, 1, 1, 1)
    for box in ((-13, 7, 50, 20), (5, 6, 10, 18)):
        r("glViewport", *box)
        fresh(r)
        draw(r, n)
        r.read(size=SIZE)
    return r


def primitives() -> Recording:
    r, _ = start()
    for mode in MODES:
        for width in (1.0, 3.0) if gl.GL_LINES <= mode <= gl.GL_LINE_STRIP else (1.0,):
            r("glLineWidth", width)
            fresh(r)
            draw(r, 21, mode)
            r.read(size=SIZE)
    r("glLineWidth", 1.0)
    r("glEnable", gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
    rng = np.random.default_rng(3)
    for dtype, type in (("u1", gl.GL_UNSIGNED_BYTE), ("u2", gl.GL_UNSIGNED_SHORT), ("u4", gl.GL_UNSIGNED_INT)):
        indices = rng.integers(0, 60, 48).astype(dtype)
        indices[[7, 15, 16, 30, 44]] = np.iinfo(dtype).max
        r.buffer(indices, gl.GL_ELEMENT_ARRAY_BUFFER)
        for mode in MODES:
            fresh(r)
            r("glDrawElements", mode, 45, type, Offset(indices.itemsize))
            r.read(size=SIZE)
    return r


def points_and_coordinates() -> Recording:
    r, _ = start(fragment=FRAGMENT.replace("o = v", "o = vec4(gl_PointCoord, v.b, 1.0)"))
    draw(r, 30, gl.GL_POINTS)
    r.read(size=SIZE)
    r.program(VERTEX, FRAGMENT.replace("o = v", "o = fract(gl_FragCoord * vec4(0.03, 0.02, 1.0, 1.0))"), p=0, c=1)
    for mode in (gl.GL_POINTS, TRIANGLES):
        fresh(r)
        draw(r, 30, mode)
        r.read(size=SIZE)
    r("glDepthRangef", 0.25, 0.75)
    range_ = FRAGMENT.replace("o = v", "o = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, v.a)")
    r.program(VERTEX, range_, p=0, c=1)
    draw(r, 30)
    r.read(size=SIZE)
    return r


def clipping() -> Recording:
    r = Recording(size=SIZE)
    r.program(VERTEX, FRAGMENT, p=0, c=1)
    rng = np.random.default_rng(9)
    positions = rng.uniform(-2, 2, (60, 4))
    positions[:, 3] = rng.uniform(-0.5, 2, 60)
    r.vertices(p=(0, positions), c=(1, rng.uniform(0, 1, (60, 4))))
    fresh(r)
    draw(r, 60)
    r.read(size=SIZE)
    return r


def flat_and_discard() -> Recording:
    r, n = start(VERTEX.replace("out vec4", "flat out vec4"), FRAGMENT.replace("in vec4", "flat in vec4"))
    for mode in range(gl.GL_LINES, gl.GL_TRIANGLE_FAN + 1):
        fresh(r)
        draw(r, 18, mode)
        r.read(size=SIZE)
    body = "if (v.a < 0.4) discard; o = v; gl_FragDepth = v.r"
    r.program(VERTEX, FRAGMENT.replace("o = v", body), p=0, c=1)
    r("glEnable", gl.GL_DEPTH_TEST)
    fresh(r)
    draw(r, n)
    r.read(size=SIZE)
    return r


def attributes() -> Recording:
    r, n = start(fragment=FRAGMENT.replace("o = v", "o = abs(v) * 0.5 + 0.1"))
    rng = np.random.default_rng(2)
    types = {"i1": gl.GL_BYTE, "u1": gl.GL_UNSIGNED_BYTE, "i2": gl.GL_SHORT, "u2": gl.GL_UNSIGNED_SHORT}
    types |= {"i4": gl.GL_INT, "u4": gl.GL_UNSIGNED_INT}
    rows: list[tuple[Any, int, int, int]] = []
    for dtype, type in types.items():
        info = np.iinfo(dtype)
        rows.append((rng.integers(info.min, info.max, (n, 4), endpoint=True).astype(dtype), 4, type, 1))
        rows.append((rng.integers(0, 2, (n, 3)).astype(dtype), 3, type, 0))
    rows.append((rng.uniform(-1, 1, (n, 4)).astype("f2"), 4, gl.GL_HALF_FLOAT, 0))
    rows.append((rng.integers(-70000, 70000, (n, 4)).astype("i4"), 4, gl.GL_FIXED, 0))
    for type in (gl.GL_INT_2_10_10_10_REV, gl.GL_UNSIGNED_INT_2_10_10_10_REV):
        rows += [(rng.integers(0, 2**32, (n, 1), "u8").astype("u4"), 4, type, normalized) for normalized in (0, 1)]
    for data, size, type, normalized in rows:
        r.buffer(data)
        r("glVertexAttribPointer", 1, size, type, normalized, 0, Offset(0))
        fresh(r)
        draw(r, n)
        r.read(size=SIZE)
    r("glDisableVertexAttribArray", 1)
    r("glVertexAttrib3f", 1, 0.1, 0.2, 0.3)
    draw(r, n)
    r.read(size=SIZE)
    return r


def instances() -> Recording:
    vertex = """#version 300 es
    in vec4 p; in vec4 c; in vec2 at; in ivec2 k; out vec4 v;
    void main() {
        gl_Position = vec4(p.xy * 0.3 + at, p.z, 1) + float(gl_InstanceID) * 0.02; v = c * float(k.x) * 0.1;
    }"""
    r = Recording(size=SIZE)
    r.program(vertex, FRAGMENT, p=0, c=1, at=2, k=3)
    mesh(r)
    rng = np.random.default_rng(5)
    r.vertices(at=(2, rng.uniform(-1, 1, (10, 2))))
    r.buffer(rng.integers(0, 10, (10, 2)).astype("i2"))
    r("glVertexAttribIPointer", 3, 2, gl.GL_SHORT, 0, Offset(0))
    r("glEnableVertexAttribArray", 3)
    r("glVertexAttribDivisor", 2, 1)
    r("glVertexAttribDivisor", 3, 3)
    fresh(r)
    r("glDrawArraysInstanced", TRIANGLES, 3, 30, 8)
    r.read(size=SIZE)
    r.buffer(rng.integers(0, 60, 30).astype("u2"), gl.GL_ELEMENT_ARRAY_BUFFER)
    fresh(r)
    r("glDrawElementsInstanced", TRIANGLES, 30, gl.GL_UNSIGNED_SHORT, Offset(0), 10)
    r.read(size=SIZE)
    return r


def several_targets() -> Recording:
    fragment = """#version 300 es
    precision highp float; precision highp int; in vec4 v;
    layout(location = 0) out vec4 a; layout(location = 1) out ivec4 b; layout(location = 2) out uvec2 c;
    void main() { a = v; b = ivec4(v * 1000.0 - 500.0); c = uvec2(v.xy * 70000.0); }"""
    r, n = start(fragment=fragment)
    r.framebuffer()
    for k, format in enumerate((gl.GL_RGBA8, gl.GL_RGBA8I, gl.GL_RG16UI)):
        r.target(format, *SIZE, point=COLOR0 + k)
    r("glDrawBuffers", 3, struct.pack("<3I", COLOR0, COLOR0 + 1, COLOR0 + 2))
    r("glClearBufferfv", gl.GL_COLOR, 0, struct.pack("<4f", 0.1, 0.5, 0.7, 2.0))
    r("glClearBufferiv", gl.GL_COLOR, 1, struct.pack("<4i", -5, 40000, 7, -70000))
    r("glClearBufferuiv", gl.GL_COLOR, 2, struct.pack("<4I", 77777, 1, 2, 3))
    r("glEnable", gl.GL_BLEND)
    r("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE)
    draw(r, n)
    r.read(size=SIZE)
    r("glReadBuffer", COLOR0 + 1)
    r.read(gl.GL_RGBA_INTEGER, gl.GL_INT, SIZE)
    r("glReadBuffer", COLOR0 + 2)
    r.read(gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT, SIZE)
    return r


def multisampling() -> Recording:
    r, n = start(version=(3, 1))
    many = r.framebuffer()
    r.target(gl.GL_RGBA8, *SIZE, samples=4)
    r.target(gl.GL_DEPTH24_STENCIL8, *SIZE, samples=4, point=gl.GL_DEPTH_STENCIL_ATTACHMENT)
    one = r.framebuffer()
    r.target(gl.GL_RGBA8, *SIZE)
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glLineWidth", 2.0)
    states: list[tuple[int, tuple[Any, ...] | None]] = [
        (0, None),
        (gl.GL_SAMPLE_COVERAGE, ("glSampleCoverage", 0.3, 0)),
        (gl.GL_SAMPLE_COVERAGE, ("glSampleCoverage", 0.75, 1)),
        (gl.GL_SAMPLE_MASK, ("glSampleMaski", 0, 5)),
        (gl.GL_SAMPLE_ALPHA_TO_COVERAGE, None),
    ]
    for cap, call in states:
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, many)
        if cap:
            r("glEnable", cap)
        if call is not None:
            r(*call)
        fresh(r)
        draw(r, n)
        draw(r, 10, gl.GL_POINTS, 20)
        if cap:
            r("glDisable", cap)
        r("glBindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, one)
        r("glBlitFramebuffer", 0, 0, *SIZE, 0, 0, *SIZE, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        r("glBindFramebuffer", gl.GL_FRAMEBUFFER, one)
        r.read(size=SIZE)
    return r


def blits() -> Recording:
    r, n = start()
    source = r.framebuffer()
    r.target(gl.GL_RGBA8, *SIZE)
    fresh(r)
    draw(r, n)
    target = r.framebuffer()
    r.target(gl.GL_RGBA8, *SIZE)
    boxes = [((0, 0, 32, 32), (0, 0, 32, 32)), ((0, 0, 32, 32), (3, 5, 20, 19)), ((5, 5, 10, 10), (0, 0, 32, 32))]
    boxes += [((32, 0, 0, 32), (0, 0, 32, 32)), ((0, 32, 32, 0), (5, 5, 25, 30)), ((-5, -5, 20, 20), (0, 0, 25, 25))]
    boxes += [((0, 0, 32, 32), (-10, -10, 45, 40)), ((0, 0, 16, 8), (0, 0, 32, 32))]
    for filter in (gl.GL_NEAREST, gl.GL_LINEAR):
        for here, there in boxes:
            r("glBindFramebuffer", gl.GL_FRAMEBUFFER, target)
            fresh(r, 0.2, 0.4, 0.1, 1.0)
            r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, source)
            r("glBlitFramebuffer", *here, *there, gl.GL_COLOR_BUFFER_BIT, filter)
            r("glBindFramebuffer", gl.GL_READ_FRAMEBUFFER, target)
            r.read(size=SIZE)
    return r


def feedback_and_queries() -> Recording:
    vertex = VERTEX.replace("v = c", "v = c * 2.0; w = c.x + p.y").replace("out vec4 v;", "out vec4 v; out float w;")
    r = Recording(size=SIZE)
    r.program(vertex, FRAGMENT, ("v", "w", "gl_Position"), p=0, c=1)
    mesh(r)
    captured = r.generate("Buffers")
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, captured)
    r("glBufferData", gl.GL_ARRAY_BUFFER, 36 * 45, bytes(36 * 45), gl.GL_DYNAMIC_COPY)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured)
    written, seen = r.generate("Queries"), r.generate("Queries")
    r("glBeginQuery", gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, written)
    r("glEnable", gl.GL_RASTERIZER_DISCARD)
    r("glBeginTransformFeedback", TRIANGLES)
    draw(r, 30)
    r("glPauseTransformFeedback")
    r("glResumeTransformFeedback")
    draw(r, 30, first=30)
    r("glEndTransformFeedback")
    r("glEndQuery", gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)
    r("glGetQueryObjectuiv", written, gl.GL_QUERY_RESULT, None)
    r("glDisable", gl.GL_RASTERIZER_DISCARD)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
    r.program(VERTEX, FRAGMENT.replace("o = v", "o = v * 0.5"), p=0, c=1)
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, captured)
    r("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 36, Offset(20))
    r("glVertexAttribPointer", 1, 4, gl.GL_FLOAT, 0, 36, Offset(0))
    for count in (45, 0):
        r("glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, seen)
        draw(r, count)
        r("glEndQuery", gl.GL_ANY_SAMPLES_PASSED)
        r("glGetQueryObjectuiv", seen, gl.GL_QUERY_RESULT, None)
    r.read(size=SIZE)
    return r


def uniform_blocks() -> Recording:
    r = Recording(size=SIZE)
    r.program(VERTEX, FRAGMENT, p=0, c=1)
    n = mesh(r)
    rng = np.random.default_rng(6)
    for layout in ("std140", "shared", "packed", "std140, row_major", "shared, row_major"):
        members = "float a; vec3 b; mat3 m; float arr[3]; vec2 q; mat2x4 n[2]; int i; bvec2 bb;"
        body = f"""#version 300 es
        precision highp float; precision highp int; in vec4 v; out vec4 o;
        layout({layout}) uniform B {{ {members} }} u; layout({layout}) uniform C {{ vec4 z; mat4 k; }};
        void main() {{
            o = v * u.a * 0.3 + vec4(u.m * u.b, u.arr[1] + u.arr[2]) * 0.2;
            o += vec4(u.q, u.n[1][1].w, float(u.i & 7) * 0.01);
            o += z * 0.1 + k[2] * 0.2 + u.n[0][0] * 0.1 - 0.3 + (u.bb.y ? vec4(0.1) : vec4(0.0));
        }}"""
        program = r.program(VERTEX, body, p=0, c=1)
        for k, name in enumerate("BC"):
            block = r("glGetUniformBlockIndex", program, name)
            r("glUniformBlockBinding", program, block, 3 - k)
            buffer = r.buffer(rng.uniform(0, 1, 200).astype("f4"), gl.GL_UNIFORM_BUFFER)
            r("glBindBufferRange", gl.GL_UNIFORM_BUFFER, 3 - k, buffer, 256, 512)
        fresh(r)
        draw(r, n)
        r.read(size=SIZE)
    return r


def desktop_state() -> Recording:
    distances = "v = c; gl_ClipDistance[0] = p.x + 0.3; gl_ClipDistance[1] = 0.5 - p.y;"
    vertex = VERTEX.replace("v = c;", distances).replace("void main", "out float gl_ClipDistance[2]; void main")
    r, n = start(vertex, api=1, version=(3, 3))
    for plane in (0, 1):
        r("glEnable", gl.GL_CLIP_DISTANCE0 + plane)
        for mode in (gl.GL_POINTS, gl.GL_LINES, TRIANGLES):
            fresh(r)
            draw(r, n, mode)
            r.read(size=SIZE)
        r("glDisable", gl.GL_CLIP_DISTANCE0 + plane)
    flat = desktop(VERTEX).replace("out vec4", "flat out vec4")
    r.program(flat, desktop(FRAGMENT).replace("in vec4", "flat in vec4"), p=0, c=1)
    for convention in (gl.GL_FIRST_VERTEX_CONVENTION, gl.GL_LAST_VERTEX_CONVENTION):
        r("glProvokingVertex", convention)
        for mode in range(gl.GL_LINES, gl.GL_TRIANGLE_FAN + 1):
            fresh(r)
            draw(r, 18, mode)
            r.read(size=SIZE)
    r.program(desktop(VERTEX).replace("= p;", "= vec4(p.xy, p.z * 2.0, 1.0);"), desktop(FRAGMENT), p=0, c=1)
    r("glEnable", gl.GL_DEPTH_TEST)
    r("glEnable", gl.GL_DEPTH_CLAMP)
    fresh(r)
    draw(r, n)
    r.read(size=SIZE)
    counted = r.generate("Queries")
    for count in (3, 0):
        r("glBeginQuery", gl.GL_SAMPLES_PASSED, counted)
        draw(r, count)
        r("glEndQuery", gl.GL_SAMPLES_PASSED)
        r("glGetQueryObjectuiv", counted, gl.GL_QUERY_RESULT, None)
        r("glBeginConditionalRender", counted, gl.GL_QUERY_WAIT)
        fresh(r, 0.9, 0.1 * count, 0.2, 1.0)
        r("glEndConditionalRender")
        r.read(size=SIZE)
    r("glEnable", gl.GL_PRIMITIVE_RESTART)
    r("glPrimitiveRestartIndex", 7)
    r.buffer(np.array([0, 1, 2, 7, 5, 6, 8, 9, 7, 3, 4, 11], "u2"), gl.GL_ELEMENT_ARRAY_BUFFER)
    r("glDrawElementsBaseVertex", gl.GL_TRIANGLE_STRIP, 12, gl.GL_UNSIGNED_SHORT, Offset(0), 20)
    r.read(size=SIZE)
    return r


def position_layouts() -> Recording:
    """gl_FragCoord counted from either edge, in framebuffers of two heights.

    The program is made behind the binding: Mesa 22.3 counts from the height that was bound when it was first used.
    """
    r, n = start(api=1, version=(3, 3))
    small = r.framebuffer()
    r.target(gl.GL_RGBA8, SIZE[0], SIZE[1] // 2 + 3)
    for words in ("", "origin_upper_left", "pixel_center_integer", "origin_upper_left, pixel_center_integer"):
        layout = f"layout({words}) in vec4 gl_FragCoord;\n" if words else ""
        body = "o = vec4(fract(gl_FragCoord.xy * vec2(0.031, 0.023)), gl_FragCoord.z, 1.0);"
        fragment = f"#version 330\n{layout}in vec4 v; out vec4 o; void main() {{ {body} }}"
        for target, height in ((0, SIZE[1]), (small, SIZE[1] // 2 + 3)):
            r("glBindFramebuffer", gl.GL_FRAMEBUFFER, target)
            r.program(desktop(VERTEX), fragment, p=0, c=1)
            fresh(r)
            draw(r, n)
            r.read(size=(SIZE[0], height))
    return r


def layout_qualifiers(api: int, version: tuple[int, int], head: str) -> Recording:
    """Locations of uniforms and varyings and bindings of blocks and samplers, as the shaders say."""
    r = Recording(size=SIZE, api=api, version=version)
    r("glBindVertexArray", r.generate("VertexArrays"))
    vertex = f"""{head}
    layout(location = 0) in vec4 p; layout(location = 1) in vec4 c;
    layout(location = 5) out vec2 at; layout(location = 2) out vec4 shade;
    layout(location = 9) uniform float scale[2];
    void main() {{ shade = c; at = p.xy; gl_Position = vec4(p.xy * (scale[0] + scale[1]), p.zw); }}"""
    fragment = f"""{head}
    layout(location = 2) in vec4 given; layout(location = 5) in vec2 place;
    layout(std140, binding = 3) uniform Tint {{ vec4 tint; }};
    layout(location = 4, binding = 6) uniform sampler2D pictures[2]; uniform vec4 more;
    layout(location = 0) out vec4 o;
    void main() {{ o = given * tint + texture(pictures[0], place) * more + texture(pictures[1], place) * 0.3; }}"""
    program = r.program(vertex, fragment)
    n = mesh(r)
    rng = np.random.default_rng(8)
    for unit in (6, 7):
        r("glActiveTexture", gl.GL_TEXTURE0 + unit)
        r("glBindTexture", gl.GL_TEXTURE_2D, r.generate("Textures"))
        texels = rng.integers(0, 256, (4, 4, 4)).astype(np.uint8).tobytes()
        r("glTexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 4, 4, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
        r("glTexParameteri", gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    buffer = r.buffer(rng.uniform(0, 1, 4).astype("f4"), gl.GL_UNIFORM_BUFFER)
    r("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 3, buffer)
    r("glUniform1fv", 9, 2, struct.pack("<2f", 0.6, 0.3))
    r("glUniform4f", r("glGetUniformLocation", program, "more"), 0.5, 0.2, 0.4, 0.1)
    for location in (None, 4):
        if location is not None:
            r("glUniform1i", location, 7)
        fresh(r)
        draw(r, n)
        r.read(size=SIZE)
    return r


def newer_gles() -> Recording:
    return layout_qualifiers(0, (3, 1), "#version 310 es\nprecision highp float;")


def newer_desktop() -> Recording:
    return layout_qualifiers(1, (4, 5), "#version 450")


SCENES = {
    function.__name__: function
    for function in (
        blending,
        color_formats,
        depth_and_offset,
        stencil,
        facing_and_masks,
        primitives,
        points_and_coordinates,
        clipping,
        flat_and_discard,
        attributes,
        instances,
        several_targets,
        multisampling,
        blits,
        feedback_and_queries,
        uniform_blocks,
        desktop_state,
        position_layouts,
        newer_gles,
        newer_desktop,
    )
}
