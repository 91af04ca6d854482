"""Programs with geometry shaders, as those of arcade, moderngl and vispy have them, and one for each rule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES", "record"]

_ES = "#version 320 es\nprecision highp float;\nprecision highp int;\n"
_GL = "#version 330\n"
_FS = "in vec4 g; out vec4 o; void main() { o = g; }"


def _points(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    # Ends of lines that lie halfway between pixels are another matter.
    return np.concatenate(
        [rng.integers(-60, 60, (count, 2)) / 64 + 0.0021, rng.integers(0, 256, (count, 2)) / 255], axis=1
    )


def _vertices(r: Recording, data: np.ndarray) -> None:
    r.vertices(p=(0, data))


def sprites(r: Recording, head: str) -> None:
    """A point becomes a turned square with texture coordinates: the sprites of arcade."""
    r.program(
        head + "in vec4 p; out vec4 v; out float size; void main() { gl_Position = p.xyxy * vec4(1, 1, 0, 0) + "
        "vec4(0, 0, 0, 1); v = vec4(p.zw, 0.5, 1); size = p.z * 0.25 + 0.05; }",
        head + _FS,
        geometry=head
        + """layout(points) in; layout(triangle_strip, max_vertices = 4) out; in vec4 v[]; in float size[]; out vec4 g;
        uniform float turn; void main() { vec2 c = gl_in[0].gl_Position.xy; float s = size[0];
          vec2 x = vec2(s, turn * s), y = vec2(-turn * s, s);
          for (int k = 0; k < 4; k++) { vec2 d = vec2(float(k & 1), float(k >> 1));
            gl_Position = vec4(c + x * (d.x - 0.5) + y * (d.y - 0.5), 0, 1); g = v[0] * vec4(d, 1, 1); EmitVertex(); }
          EndPrimitive(); }""",
        p=0,
    )
    program = r.calls[-1].args[0]
    r("glUniform1f", r.uniform(program, "turn"), 0.5)
    _vertices(r, _points(40, 1))
    r("glDrawArrays", gl.GL_POINTS, 0, 40)


def outlines(r: Recording, head: str) -> None:
    """Each triangle of a strip, by indices with restart, gives its outline, and a second strip through the middle."""
    r.program(
        head + "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); v = vec4(p.zw, 1, 1); }",
        head + _FS,
        geometry=head
        + """layout(triangles) in; layout(line_strip, max_vertices = 8) out; in vec4 v[3]; out vec4 g;
        void main() { for (int k = 0; k < 4; k++) {
          gl_Position = gl_in[k % 3].gl_Position; g = v[k % 3]; EmitVertex(); }
          EndPrimitive();
          if (gl_PrimitiveIDIn % 2 == 0) { g = vec4(1);
            gl_Position = gl_in[0].gl_Position; EmitVertex();
            gl_Position = (gl_in[1].gl_Position + gl_in[2].gl_Position) * 0.5; EmitVertex(); } }""",
        p=0,
    )
    _vertices(r, _points(24, 2))
    index = np.array([0, 1, 2, 3, 4, 0xFFFF, 5, 6, 7, 8, 9, 10, 0xFFFF, 11, 12, 13], np.uint16)
    r.buffer(index, gl.GL_ELEMENT_ARRAY_BUFFER)
    if "es" in head:
        r("glEnable", gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
    else:
        r("glEnable", gl.GL_PRIMITIVE_RESTART)
        r("glPrimitiveRestartIndex", 0xFFFF)
    r("glDrawElements", gl.GL_TRIANGLE_STRIP, len(index), gl.GL_UNSIGNED_SHORT, Offset(0))


def varying_counts(r: Recording, head: str) -> None:
    """Numbers of vertices follow from data: none, too few for a triangle, several strips, as many as may be."""
    r.program(
        head + "in vec4 p; flat out int n; void main() { gl_Position = vec4(p.xy, 0, 1); n = int(p.z * 12.0); }",
        head + "in vec4 g; flat in int m; out vec4 o; void main() { o = g + vec4(0, 0, float(m) / 12.0, 0); }",
        geometry=head
        + """layout(points) in; layout(triangle_strip, max_vertices = 12) out; flat in int n[]; out vec4 g;
        flat out int m; void main() { for (int k = 0; k < n[0]; k++) {
          gl_Position = gl_in[0].gl_Position + vec4(float(k & 1) * 0.125, float(k >> 1) * 0.0625, 0, 0);
          g = vec4(float(k & 1), 0.5, 0, 1); m = k; EmitVertex(); if (k % 5 == 4) EndPrimitive(); } }""",
        p=0,
    )
    _vertices(r, _points(60, 3))
    r("glDrawArraysInstanced", gl.GL_POINTS, 0, 30, 2)


def repeated(r: Recording, head: str) -> None:
    """Several invocations for a primitive, numbers of primitives handed on to the fragments."""
    r.program(
        head + "in vec4 p; void main() { gl_Position = vec4(p.xy * 0.5, 0, 1); }",
        head + "out vec4 o; void main() { o = vec4(float(gl_PrimitiveID & 7) / 7.0, 0.5, 1, 1); }",
        geometry=head
        + """layout(lines, invocations = 4) in; layout(triangle_strip, max_vertices = 3) out;
        void main() { vec2 move = vec2(float(gl_InvocationID & 1), float(gl_InvocationID >> 1)) - 0.5;
          gl_PrimitiveID = gl_PrimitiveIDIn + gl_InvocationID; vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;
          gl_Position = a + vec4(move, 0, 0); EmitVertex(); gl_Position = b + vec4(move, 0, 0); EmitVertex();
          gl_Position = b + vec4(move + vec2(0.125, 0), 0, 0); EmitVertex(); }""",
        p=0,
    )
    _vertices(r, _points(12, 4))
    r("glDrawArrays", gl.GL_LINE_LOOP, 0, 12)


def neighbours(r: Recording, head: str) -> None:
    """All modes with adjacency: what lies where is shown by colours."""
    vertex = head + "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); v = vec4(p.zw, 0, 1); }"
    _vertices(r, _points(26, 5))
    for name, count, modes in (
        ("lines_adjacency", 4, (gl.GL_LINES_ADJACENCY, gl.GL_LINE_STRIP_ADJACENCY)),
        ("triangles_adjacency", 6, (gl.GL_TRIANGLES_ADJACENCY, gl.GL_TRIANGLE_STRIP_ADJACENCY)),
    ):
        r.program(
            vertex,
            head + _FS,
            geometry=head
            + f"layout({name}) in; layout(line_strip, max_vertices = {count}) out; in vec4 v[]; out vec4 g;"
            f"void main() {{ for (int k = 0; k < {count}; k++) {{ gl_Position = gl_in[k].gl_Position;"
            f"g = v[k] + vec4(0, 0, float(k) / {count}.0, 0); EmitVertex(); }} }}",
            p=0,
        )
        for first, mode in enumerate(modes):
            for size in (9, 12, 14):
                r("glDrawArrays", mode, 2 * first + 6 * (size == 12), size)


def blocks(r: Recording, head: str) -> None:
    """Blocks in and out, arrays and matrices in them, flat members, uniform blocks of three stages."""
    r.program(
        head
        + "in vec4 p; layout(std140) uniform U { vec4 tint[2]; mat4 m; }; out V { mat2 m; float f[3]; flat int n; } b;"
        "void main() { gl_Position = m * vec4(p.xy, 0, 1); b.m = mat2(p); b.f = float[](p.x, p.y, p.z); "
        "b.n = gl_VertexID; }",
        head + "layout(std140) uniform U { vec4 tint[2]; mat4 m; }; in G { vec4 c; flat ivec2 n; } b; out vec4 o;"
        "void main() { o = b.c * tint[b.n.x & 1]; }",
        geometry=head
        + """layout(lines) in; layout(points, max_vertices = 6) out;
        layout(std140) uniform U { vec4 tint[2]; mat4 m; }; in V { mat2 m; float f[3]; flat int n; } b[];
        out G { vec4 c; flat ivec2 n; } g;
        void main() { for (int k = 0; k < 2; k++) for (int j = 0; j < 3; j++) {
          gl_Position = gl_in[k].gl_Position + vec4(float(j) * 0.0625, 0, 0, 0) * m;
          g.c = vec4(b[k].m[1], abs(b[k].f[j]), 1); g.n = ivec2(b[k].n, j); EmitVertex(); EndPrimitive(); } }""",
        p=0,
    )
    number = r.calls[-1].args[0]
    data = np.concatenate([[1, 0.5, 1, 1], [0.5, 1, 0.25, 1], np.diag([0.75, -0.75, 1, 1]).ravel()]).astype(np.float32)
    r("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 0, r.buffer(data, gl.GL_UNIFORM_BUFFER))
    r("glUniformBlockBinding", number, r("glGetUniformBlockIndex", number, "U"), 0)
    _vertices(r, _points(40, 6))
    r("glDrawArrays", gl.GL_LINES, 0, 40)


def captured(r: Recording, head: str) -> None:
    """Transform feedback takes what the geometry shader emits, as triangles; it is drawn again from there."""
    vertex = head + "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); v = p; }"
    r.program(
        vertex,
        head + "out vec4 o; void main() { o = vec4(0.25); }",
        ("gl_Position", "g"),
        geometry=head
        + """layout(points) in; layout(triangle_strip, max_vertices = 5) out; in vec4 v[]; out vec4 g;
        void main() { for (int k = 0; k < 5; k++) { g = vec4(v[0].zw, float(k) * 0.25, 1);
          gl_Position = gl_in[0].gl_Position + vec4(float(k) * 0.0625, float(k & 1) * 0.125, 0, 0);
          EmitVertex(); } }""",
        p=0,
    )
    buffer = r.buffer(np.zeros((90, 8), np.float32), gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer)
    _vertices(r, _points(20, 7))
    queries = [r.generate("Queries") for _ in range(2)]
    targets = (gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, gl.GL_PRIMITIVES_GENERATED)
    r("glEnable", gl.GL_RASTERIZER_DISCARD)
    for target, query in zip(targets, queries, strict=True):
        r("glBeginQuery", target, query)
    r("glBeginTransformFeedback", gl.GL_TRIANGLES)
    r("glDrawArrays", gl.GL_POINTS, 0, 20)
    r("glEndTransformFeedback")
    for target, query in zip(targets, queries, strict=True):
        r("glEndQuery", target)
        r("glGetQueryObjectuiv", query, gl.GL_QUERY_RESULT, None)
    r("glDisable", gl.GL_RASTERIZER_DISCARD)
    r.program(head + "in vec4 p; in vec4 c; out vec4 g; void main() { gl_Position = p; g = c; }", head + _FS, p=0, c=1)
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, buffer)
    for location in (0, 1):
        r("glVertexAttribPointer", location, 4, gl.GL_FLOAT, 0, 32, Offset(16 * location))
        r("glEnableVertexAttribArray", location)
    r("glDrawArrays", gl.GL_TRIANGLES, 0, 60)


SCENES: dict[str, Callable[[Recording, str], None]] = {
    one.__name__: one for one in (sprites, outlines, varying_counts, repeated, neighbours, blocks, captured)
}


def record(name: str, is_es: bool) -> Recording:
    """A scene on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with geometry shaders
    """
    r = Recording(version=(3, 2)) if is_es else Recording(1, (3, 3))
    head = _ES if is_es else _GL
    if not is_es:
        r("glBindVertexArray", r.generate("VertexArrays"))
        # What GLSL 3.30 calls otherwise.
        head = "#version 400\n" if name == "repeated" else head
    SCENES[name](r, head)
    r.read()
    r.close()
    return r
