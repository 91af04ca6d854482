"""Programs with tessellation shaders: each spacing and primitive, patches of data, pipelines of all stages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gl_twin import Recording

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["SCENES", "captured_points", "record"]

_ES = "#version 320 es\nprecision highp float;\nprecision highp int;\n"
_GL = "#version 410\n"
_FS = "in vec4 g; out vec4 o; void main() { o = g; }"
_VS = "in vec4 p; out vec4 v; void main() { gl_Position = vec4(p.xy, 0, 1); v = vec4(p.zw, 0.5, 1); }"
#: Corners of a patch, u first: a triangle's or a quadrilateral's.
_MIX3 = "(v[0] * gl_TessCoord.x + v[1] * gl_TessCoord.y + v[2] * gl_TessCoord.z)"
_AT3 = _MIX3.replace("v[", "gl_in[").replace("]", "].gl_Position")
_MIX4 = "mix(mix(v[0], v[1], gl_TessCoord.x), mix(v[3], v[2], gl_TessCoord.x), gl_TessCoord.y)"
_AT4 = _MIX4.replace("v[", "gl_in[").replace("]", "].gl_Position")


def _control(levels: str, vertices: int = 3) -> str:
    """A control shader that hands on its patch."""
    return (
        f"layout(vertices = {vertices}) out; in vec4 v[]; out vec4 w[];"
        "void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;"
        f"w[gl_InvocationID] = v[gl_InvocationID]; {levels} }}"
    )


def _levels(*values: str) -> str:
    outer = "".join(f"gl_TessLevelOuter[{k}] = float({value});" for k, value in enumerate(values[:4]))
    return outer + "".join(f"gl_TessLevelInner[{k}] = float({value});" for k, value in enumerate(values[4:]))


def _grid(count: int, seed: int, size: float = 0.4) -> np.ndarray:
    """Corners of quadrilaterals, counterclockwise, somewhere."""
    rng = np.random.default_rng(seed)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size
    places = rng.integers(-32, 32, (count, 1, 2)) / 64
    moved = corners + places + rng.integers(-4, 5, (count, 4, 2)) / 64
    return np.concatenate([moved, rng.integers(0, 256, (count, 4, 2)) / 255], 2).reshape(-1, 4)


def triangles(r: Recording, head: str) -> None:
    """Levels that follow from data, different for each edge; both orders of vertices."""
    for order, spacing in (("ccw", "fractional_odd_spacing"), ("cw", "fractional_even_spacing")):
        levels = _levels("1.0 + v[0].x * 5.0", "1.0 + v[1].x * 6.0", "v[2].y * 9.0", "1", "1.0 + v[0].y * 7.0", "1")
        r.program(
            head + _VS,
            head + _FS,
            control=head + _control(levels),
            evaluation=head + f"layout(triangles, {spacing}, {order}) in; in vec4 w[]; out vec4 g;"
            f"void main() {{ gl_Position = {_AT3}; g = {_MIX3.replace('v[', 'w[')}; g.z = fract(g.x * 8.0); }}",
            p=0,
        )
        r.vertices(p=(0, np.delete(_grid(6, 11), slice(3, None, 4), 0)))
        r("glPatchParameteri", gl.GL_PATCH_VERTICES, 3)
        r("glEnable", gl.GL_CULL_FACE)
        r("glFrontFace", gl.GL_CCW if order == "ccw" else gl.GL_CW)
        r("glDrawArrays", gl.GL_PATCHES, 0, 17)


def waves(r: Recording, head: str) -> None:
    """A height field: levels of patches that meet, invocations that wait for each other, a uniform in all stages."""
    control = (
        "layout(vertices = 4) out; in vec4 v[]; out vec4 w[]; patch out vec3 mean; uniform float k;"
        "void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;"
        "w[gl_InvocationID] = v[gl_InvocationID] * k;"
        "barrier();"
        # A level by a number that is no constant goes wrong in Mesa 22.3.
        "if (gl_InvocationID == 0) { for (int j = 0; j < 4; j++) gl_TessLevelOuter[j] = 2.0 + v[j].x * 7.0;"
        "mean = vec3(0); for (int j = 0; j < 4; j++) mean += w[j].xyz / 4.0;"
        "gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);"
        "gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]); } }"
    )
    evaluation = (
        "layout(quads, equal_spacing) in; in vec4 w[]; patch in vec3 mean; uniform float k; out vec4 g;"
        f"void main() {{ gl_Position = {_AT4}; g = {_MIX4.replace('v[', 'w[')};"
        "gl_Position.y += k * 0.125 * gl_TessCoord.x * gl_TessCoord.y; g.z = mean.y + float(gl_PatchVerticesIn) / 32.0;"
        "g.y = float(gl_PrimitiveID & 3) / 3.0; }"
    )
    program = r.program(head + _VS, head + _FS, control=head + control, evaluation=head + evaluation, p=0)
    r("glUniform1f", r.uniform(program, "k"), 0.75)
    r.vertices(p=(0, _grid(9, 12, 0.25)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 4)
    r("glDrawArraysInstanced", gl.GL_PATCHES, 0, 36, 2)


def curves(r: Recording, head: str) -> None:
    """Bézier curves as isolines, of indices with restart; their points once more as points."""
    for mode, low in (("", 6.5), (", point_mode", 12.0)):
        r.program(
            head + _VS,
            head + _FS,
            control=head + _control(_levels("2", f"{low} + v[0].x * 9.0"), 4),
            evaluation=head + f"layout(isolines, fractional_even_spacing{mode}) in; in vec4 w[]; out vec4 g;"
            "void main() { float t = gl_TessCoord.x, s = 1.0 - t; vec4 b = vec4(s * s * s, 3.0 * s * s * t, 3.0 * s * t"
            "* t, t * t * t); gl_Position = gl_in[0].gl_Position * b.x + gl_in[1].gl_Position * b.y + "
            "gl_in[2].gl_Position * b.z + gl_in[3].gl_Position * b.w; gl_Position.y += gl_TessCoord.y * 0.25;"
            "g = vec4(t, gl_TessCoord.y, w[1].x, 1); }",
            p=0,
        )
        r.vertices(p=(0, _grid(4, 13) + 0.0021))
        r("glPatchParameteri", gl.GL_PATCH_VERTICES, 4)
        index = np.array([0, 1, 2, 3, 0xFFFF, 4, 5, 6, 0xFFFF, 8, 9, 10, 11, 12, 13, 14, 15], np.uint16)
        r.buffer(index, gl.GL_ELEMENT_ARRAY_BUFFER)
        if "es" in head:
            r("glEnable", gl.GL_PRIMITIVE_RESTART_FIXED_INDEX)
        else:
            r("glEnable", gl.GL_PRIMITIVE_RESTART)
            r("glPrimitiveRestartIndex", 0xFFFF)
        r("glDrawElements", gl.GL_PATCHES, len(index), gl.GL_UNSIGNED_SHORT, Offset(0))


def explained(r: Recording, head: str) -> None:
    """All stages: a geometry shader shrinks each triangle of a patch; blocks, matrices and arrays between stages."""
    r.program(
        head + "in vec4 p; out V { mat2 m; float f[3]; flat int n; } b; void main() { gl_Position = vec4(p.xy, 0, 1);"
        "b.m = mat2(p); b.f = float[](p.x, p.y, p.z); b.n = gl_VertexID; }",
        head + "in vec4 g; flat in int id; out vec4 o; void main() { o = g; o.y = float(id % 5) / 4.0; }",
        control=head + "layout(vertices = 2) out; in V { mat2 m; float f[3]; flat int n; } b[];"
        "out C { vec3 c[2]; } c[]; patch out P { vec4 q[4]; ivec2 k; } s;"
        "void main() { int i = gl_InvocationID; gl_out[gl_InvocationID].gl_Position = gl_in[i * 2].gl_Position;"
        "c[gl_InvocationID].c[0] = vec3(b[i].m[1], b[i + 1].f[i]); c[gl_InvocationID].c[1] = vec3(float(b[i].n), 0, 1);"
        "s.q[i] = gl_in[i * 2 + 1].gl_Position; s.k[i] = b[3].n;" + _levels("3", "4", "2", "5", "3", "4") + "}",
        evaluation=head + "layout(quads, equal_spacing, cw) in; in C { vec3 c[2]; } c[]; patch in P { vec4 q[4]; "
        "ivec2 k; } s; out vec4 w; out float z; void main() { vec2 t = gl_TessCoord.xy;"
        "gl_Position = mix(mix(gl_in[0].gl_Position, s.q[0], t.x), mix(s.q[1], gl_in[1].gl_Position, t.x), t.y);"
        "w = vec4(abs(mix(c[0].c[0], c[1].c[0], t.x)), 1); z = float(s.k.y) * 0.03125; }",
        geometry=head + "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec4 w[]; in float z[];"
        "out vec4 g; flat out int id; void main() { vec4 m = (gl_in[0].gl_Position + gl_in[1].gl_Position + "
        "gl_in[2].gl_Position) / 3.0; for (int k = 0; k < 3; k++) { gl_Position = mix(m, gl_in[k].gl_Position, 0.75);"
        "g = w[k]; g.z = z[k]; id = gl_PrimitiveIDIn; EmitVertex(); } }",
        p=0,
    )
    r.vertices(p=(0, _grid(5, 14)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 4)
    r("glDrawArrays", gl.GL_PATCHES, 0, 20)


def wide(r: Recording, head: str) -> None:
    """Bicubic patches of 16 vertices that wait for each other; numbers of patches seen by fragments."""
    r.program(
        head + "in vec4 p; void main() { float k = float(gl_VertexID % 16); gl_Position = vec4(p.xy * 0.5 + "
        "vec2(mod(k, 4.0), floor(k / 4.0)) * 0.3 - 0.45, 0, 1); }",
        head + "in vec4 g; out vec4 o; void main() { o = g; o.z = float(gl_PrimitiveID) / 2.0; }",
        control=head + "layout(vertices = 16) out; patch out float far; void main() { int i = gl_InvocationID;"
        "gl_out[gl_InvocationID].gl_Position = gl_in[15 - i].gl_Position; barrier();"
        "if (i == 15) { far = 0.0; for (int k = 0; k < 16; k++) far = max(far, gl_out[k].gl_Position.x);"
        + _levels("4", "5", "6", "7", "5", "6")
        + "} }",
        evaluation=head + "layout(quads, fractional_odd_spacing) in; patch in float far; out vec4 g;"
        "vec4 basis(float t) { float s = 1.0 - t;"
        "return vec4(s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t); }"
        "void main() { vec4 a = basis(gl_TessCoord.x), b = basis(gl_TessCoord.y), q = vec4(0);"
        "for (int j = 0; j < 4; j++) for (int i = 0; i < 4; i++) q += a[i] * b[j] * gl_in[4 * j + i].gl_Position;"
        "gl_Position = q; g = vec4(gl_TessCoord.xy, far, 1); }",
        p=0,
    )
    r.vertices(p=(0, _grid(12, 15, 0.05)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 16)
    r("glDrawArrays", gl.GL_PATCHES, 0, 48)


def apart(r: Recording, head: str) -> None:
    """A program for each stage, in a pipeline; the control stage is changed between two draws."""
    block = "gl_PerVertex { vec4 gl_Position; }"
    stages = {
        gl.GL_VERTEX_SHADER: f"out {block}; layout(location = 0) {_VS[:10]}layout(location = 1) {_VS[11:]}",
        gl.GL_TESS_EVALUATION_SHADER: f"in {block} gl_in[]; out {block}; layout(triangles) in;"
        "layout(location = 1) in vec4 w[]; layout(location = 0) out vec4 h; uniform float k;"
        f"void main() {{ gl_Position = {_AT3} * vec4(k, 1, 1, 1); h = {_MIX3.replace('v[', 'w[')}; }}",
        gl.GL_FRAGMENT_SHADER: "layout(location = 0) in vec4 h; out vec4 o; void main() { o = h; }",
    }
    bits = {
        gl.GL_VERTEX_SHADER: gl.GL_VERTEX_SHADER_BIT, gl.GL_TESS_EVALUATION_SHADER: gl.GL_TESS_EVALUATION_SHADER_BIT,
        gl.GL_FRAGMENT_SHADER: gl.GL_FRAGMENT_SHADER_BIT,
    }  # fmt: skip
    pipeline = r.generate("ProgramPipelines")
    r("glBindProgramPipeline", pipeline)
    for kind, source in stages.items():
        program = r("glCreateShaderProgramv", kind, 1, (head + source,))
        r("glUseProgramStages", pipeline, bits[kind], program)
        if "uniform float k" in source:
            r("glProgramUniform1f", program, r.uniform(program, "k"), 0.75)
    r.vertices(p=(0, np.delete(_grid(6, 16), slice(3, None, 4), 0)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 3)
    for first, levels in ((0, _levels("2", "3", "4", "1", "3", "1")), (9, _levels("5", "1", "1", "1", "6", "1"))):
        source = f"in {block} gl_in[]; out {block} gl_out[];" + _control(levels)
        for name, location in (("in vec4 v[]", 1), ("out vec4 w[]", 1)):
            source = source.replace(name, f"layout(location = {location}) {name}")
        control = r("glCreateShaderProgramv", gl.GL_TESS_CONTROL_SHADER, 1, (head + source,))
        r("glUseProgramStages", pipeline, gl.GL_TESS_CONTROL_SHADER_BIT, control)
        r("glDrawArrays", gl.GL_PATCHES, first, 9)


def unchanged(r: Recording, head: str) -> None:
    """No control shader (desktop GL): patches go through, with the levels of the context."""
    r.program(
        head + _VS,
        head + _FS,
        evaluation=head + "layout(quads, fractional_even_spacing) in; in vec4 v[]; out vec4 g;"
        f"void main() {{ gl_Position = {_AT4}; g = {_MIX4}; g.z = fract(g.x * float(gl_PatchVerticesIn)); }}",
        p=0,
    )
    r.vertices(p=(0, _grid(6, 17)))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 4)
    r("glPatchParameterfv", gl.GL_PATCH_DEFAULT_OUTER_LEVEL, np.array([2, 3.5, 5, 2.5], np.float32).tobytes())
    r("glPatchParameterfv", gl.GL_PATCH_DEFAULT_INNER_LEVEL, np.array([4.5, 3], np.float32).tobytes())
    r("glDrawArrays", gl.GL_PATCHES, 0, 24)


SCENES: dict[str, Callable[[Recording, str], None]] = {
    one.__name__: one for one in (triangles, waves, curves, explained, wide, apart, unchanged)
}


def record(name: str, is_es: bool) -> Recording:
    """A scene on Mesa, read back at its end.

    Raises
    ------
    NoDriver : there is no Mesa with tessellation shaders
    """
    is_es = is_es and name != "unchanged"
    r = Recording(version=(3, 2)) if is_es else Recording(1, (4, 1))
    if not is_es:
        r("glBindVertexArray", r.generate("VertexArrays"))
    SCENES[name](r, _ES if is_es else _GL)
    r.read()
    r.close()
    return r


def captured_points(primitive: str, layout: str, levels: np.ndarray, *, is_points: bool = False) -> np.ndarray:
    """What Mesa's tessellator makes: rows of gl_TessCoord and patch as they are captured, zeros behind them.

    Parameters
    ----------
    levels : (P, 6) outer and inner levels of each patch
    """
    r = Recording(1, (4, 1))
    r("glBindVertexArray", r.generate("VertexArrays"))
    r.program(
        _GL + "in vec4 a; in vec2 b; out vec4 o; out vec2 i; void main() { o = a; i = b; gl_Position = vec4(0); }",
        _GL + "out vec4 o; void main() { o = vec4(1); }",
        ("c", "n"),
        control=_GL
        + "layout(vertices = 1) out; in vec4 o[]; in vec2 i[]; void main() {"
        + _levels("o[0].x", "o[0].y", "o[0].z", "o[0].w", "i[0].x", "i[0].y")
        + "}",
        evaluation=_GL + f"layout({primitive}, {layout}{', point_mode' * is_points}) in; out vec3 c; out float n;"
        "void main() { c = gl_TessCoord; n = float(gl_PrimitiveID); gl_Position = vec4(0); }",
        a=0,
        b=1,
    )
    room = np.zeros((400_000, 4), np.float32)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, r.buffer(room, gl.GL_TRANSFORM_FEEDBACK_BUFFER))
    r.vertices(a=(0, levels[:, :4]), b=(1, levels[:, 4:]))
    r("glPatchParameteri", gl.GL_PATCH_VERTICES, 1)
    r("glEnable", gl.GL_RASTERIZER_DISCARD)
    modes = {"isolines": gl.GL_LINES}
    r("glBeginTransformFeedback", gl.GL_POINTS if is_points else modes.get(primitive, gl.GL_TRIANGLES))
    r("glDrawArrays", gl.GL_PATCHES, 0, len(levels))
    r("glEndTransformFeedback")
    r("glGetBufferSubData", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, room.nbytes, None)
    found = r.output
    r.close()
    return np.frombuffer(found, np.float32).reshape(room.shape)
