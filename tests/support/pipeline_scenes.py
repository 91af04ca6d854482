"""Separable programs and program pipelines: stages that change, uniforms apart, interfaces, what is refused."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from gl_twin import Recording
from recorded_scenes import record_scene

from traceformat.calls import Offset
from traceformat.gles import enums as gl

__all__ = ["DESKTOP_SCENES", "SCENES", "record"]

_ES = "#version 320 es\nprecision highp float; precision highp int;\n"
_GL = "#version 410\n"
_QUAD = np.array([(-1, -1, 0, 1), (1, -1, 0, 1), (-1, 1, 0, 1), (1, 1, 0, 1)], np.float32)
_PER_VERTEX = "out gl_PerVertex { vec4 gl_Position; };\n"
_STAGES = {
    gl.GL_VERTEX_SHADER: gl.GL_VERTEX_SHADER_BIT,
    gl.GL_FRAGMENT_SHADER: gl.GL_FRAGMENT_SHADER_BIT,
    gl.GL_GEOMETRY_SHADER: gl.GL_GEOMETRY_SHADER_BIT,
    gl.GL_COMPUTE_SHADER: gl.GL_COMPUTE_SHADER_BIT,
}
_VERTEX = (
    "layout(location = 0) in vec4 p; layout(location = 0) out vec2 c; uniform vec2 move;"
    "void main() { gl_Position = p + vec4(move, 0, 0); c = p.xy * 0.5 + 0.5; }"
)
_FRAGMENT = "layout(location = 0) in vec2 c; uniform vec4 tint; out vec4 o; void main() { o = vec4(c, 0, 1) * tint; }"


def _stage(r: Recording, type: int, source: str, head: str = _ES) -> int:
    number: int = r("glCreateShaderProgramv", type, 1, (head + source,))
    return number


def _pipeline(r: Recording, **programs: int) -> int:
    """Make and bind a pipeline; keywords are names of stages."""
    name = r.generate("ProgramPipelines")
    for stage, program in programs.items():
        r("glUseProgramStages", name, getattr(gl, f"GL_{stage.upper()}_SHADER_BIT"), program)
    r("glBindProgramPipeline", name)
    return name


def _set(r: Recording, program: int, name: str, *values: float) -> None:
    r(f"glProgramUniform{len(values)}f", program, r.uniform(program, name), *values)


def _quad(r: Recording) -> None:
    r.vertices(p=(0, _QUAD))


def _draw(r: Recording, x: int = 0, width: int = 64) -> None:
    r("glScissor", x, 0, width, 64)
    r("glEnable", gl.GL_SCISSOR_TEST)
    r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def stages_change(r: Recording) -> None:
    """Two vertex and two fragment programs in all combinations of one pipeline; uniforms set between draws."""
    shifted = _VERTEX.replace("c = p.xy * 0.5 + 0.5", "c = vec2(0.75, p.y)")
    vertices = [_stage(r, gl.GL_VERTEX_SHADER, source) for source in (_VERTEX, shifted)]
    other = _FRAGMENT.replace("vec4(c, 0, 1) * tint", "vec4(tint.bgr, c.x)")
    fragments = [_stage(r, gl.GL_FRAGMENT_SHADER, source) for source in (_FRAGMENT, other)]
    for k, program in enumerate(fragments):
        _set(r, program, "tint", 0.25 + k / 2, 1, 0.5, 1)
    _quad(r)
    name = _pipeline(r)
    for k in range(8):
        r("glUseProgramStages", name, gl.GL_VERTEX_SHADER_BIT, vertices[k % 2])
        r("glUseProgramStages", name, gl.GL_FRAGMENT_SHADER_BIT, fragments[k // 2 % 2])
        if k == 4:
            _set(r, vertices[0], "move", 0.0, 0.5)
            _set(r, fragments[0], "tint", 1, 0, 0.125, 1)
        _draw(r, 8 * k, 8)


def names_apart(r: Recording) -> None:
    """Uniforms, samplers and blocks of one name are each program's own; so are their bindings."""
    block = "layout(std140) uniform B { vec4 v; };"
    vertex = _stage(
        r,
        gl.GL_VERTEX_SHADER,
        "layout(location = 0) in vec4 p; layout(location = 0) out vec4 c; uniform vec4 u; uniform sampler2D s;" + block
        + "void main() { gl_Position = p; c = u + v + texelFetch(s, ivec2(0), 0); }",
    )  # fmt: skip
    fragment = _stage(
        r,
        gl.GL_FRAGMENT_SHADER,
        "layout(location = 0) in vec4 c; uniform vec4 u; uniform sampler2D s;" + block
        + "out vec4 o; void main() { o = c * 0.5 + u + v + texelFetch(s, ivec2(0), 0); }",
    )  # fmt: skip
    for number, (program, level) in enumerate(((vertex, 0.125), (fragment, 0.0625))):
        _set(r, program, "u", level, 0, 0, 0.5)
        r("glUniformBlockBinding", program, 0, number)
        r("glProgramUniform1i", program, r.uniform(program, "s"), number)
        name = r.buffer(np.array([0, level * 2, 0, 0], np.float32), gl.GL_UNIFORM_BUFFER)
        r("glBindBufferBase", gl.GL_UNIFORM_BUFFER, number, name)
        r("glActiveTexture", gl.GL_TEXTURE0 + number)
        r("glBindTexture", gl.GL_TEXTURE_2D, r.generate("Textures"))
        r("glTexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_RGBA8, 1, 1)
        texel = bytes([0, 0, 40 + 50 * number, 0])
        r("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texel)
    _quad(r)
    _pipeline(r, vertex=vertex, fragment=fragment)
    _draw(r)


def active_program(r: Recording) -> None:
    """glUniform sets the active program of the bound pipeline, unless a program is in use; use comes before."""
    vertex, fragment = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX), _stage(r, gl.GL_FRAGMENT_SHADER, _FRAGMENT)
    name = _pipeline(r, vertex=vertex, fragment=fragment)
    r("glActiveShaderProgram", name, fragment)
    r("glUniform4f", r.uniform(fragment, "tint"), 1, 0.5, 0.25, 1)
    r("glActiveShaderProgram", name, vertex)
    r("glUniform2f", r.uniform(vertex, "move"), 0.25, 0.25)
    _quad(r)
    _draw(r, 0, 20)
    whole = r.program(
        _ES + "in vec4 p; void main() { gl_Position = p; }",
        _ES + "uniform vec4 tint; out vec4 o; void main() { o = tint; }",
        p=0,
    )
    r("glUniform4f", r.uniform(whole, "tint"), 0.5, 1, 0, 1)
    _draw(r, 20, 20)
    r("glUseProgram", 0)
    r("glUniform2f", r.uniform(vertex, "move"), -0.25, 0)
    _draw(r, 40, 24)


def one_program_of_both(r: Recording) -> None:
    """A separable program of two shaders, whole in one pipeline; by names, which need no locations there."""
    number = r.program(
        _ES + "in vec4 p; out vec2 c; void main() { gl_Position = p; c = p.xy; }",
        _ES + "in vec2 c; out vec4 o; void main() { o = vec4(abs(c), 0.5, 1); }",
        p=0,
    )
    r("glProgramParameteri", number, gl.GL_PROGRAM_SEPARABLE, 1)
    r("glLinkProgram", number)
    r("glUseProgram", 0)
    name = _pipeline(r)
    r("glUseProgramStages", name, gl.GL_ALL_SHADER_BITS, number)
    _quad(r)
    _draw(r)


def matched_by_name(r: Recording) -> None:
    """Varyings without locations match by name."""
    vertex = _stage(
        r,
        gl.GL_VERTEX_SHADER,
        "layout(location = 0) in vec4 p; out vec3 a; flat out int k; void main() {"
        "gl_Position = p; a = p.xyy; k = gl_VertexID; }",
    )
    fragment = _stage(
        r,
        gl.GL_FRAGMENT_SHADER,
        "in vec3 a; flat in int k; out vec4 o; void main() { o = vec4(a * 0.5 + 0.5, float(k) / 4.0); }",
    )
    _quad(r)
    _pipeline(r, vertex=vertex, fragment=fragment)
    _draw(r)


def relinked(r: Recording) -> None:
    """A program is linked again from another shader while its pipeline is bound; one is deleted while it is used."""
    vertex = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX)
    fragment = r("glCreateProgram")
    r("glProgramParameteri", fragment, gl.GL_PROGRAM_SEPARABLE, 1)
    shader = r("glCreateShader", gl.GL_FRAGMENT_SHADER)
    r("glAttachShader", fragment, shader)
    _quad(r)
    name = r.generate("ProgramPipelines")
    for k, source in enumerate((_FRAGMENT, _FRAGMENT.replace("vec4(c, 0, 1) * tint", "tint.bgra + c.xyxy * 0.5"))):
        r("glShaderSource", shader, 1, (_ES + source,), None)
        r("glCompileShader", shader)
        r("glLinkProgram", fragment)
        _set(r, fragment, "tint", 0.5, 0.75, 1, 1)
        if not k:
            r("glUseProgramStages", name, gl.GL_VERTEX_SHADER_BIT, vertex)
            r("glUseProgramStages", name, gl.GL_FRAGMENT_SHADER_BIT, fragment)
            r("glBindProgramPipeline", name)
        _draw(r, 20 * k, 20)
    r("glDeleteProgram", vertex)
    _draw(r, 40, 24)


def with_geometry(r: Recording) -> None:
    """A geometry stage of a third program comes and goes."""
    vertex = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX)
    geometry = _stage(
        r,
        gl.GL_GEOMETRY_SHADER,
        "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;"
        "layout(location = 0) in vec2 c[]; layout(location = 0) out vec2 d; uniform float shrink;"
        "void main() { for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position * vec4(vec2(shrink), 1, 1);"
        "d = c[2 - k]; EmitVertex(); } EndPrimitive(); }",
    )
    fragment = _stage(r, gl.GL_FRAGMENT_SHADER, _FRAGMENT)
    _set(r, fragment, "tint", 1, 1, 1, 1)
    _set(r, geometry, "shrink", 0.5)
    _quad(r)
    name = _pipeline(r, vertex=vertex, fragment=fragment)
    _draw(r, 0, 22)
    r("glUseProgramStages", name, gl.GL_GEOMETRY_SHADER_BIT, geometry)
    _draw(r, 22, 42)


def captured(r: Recording) -> None:
    """Transform feedback captures what the vertex program names; the capture is drawn."""
    vertex = r("glCreateProgram")
    r("glProgramParameteri", vertex, gl.GL_PROGRAM_SEPARABLE, 1)
    shader = r("glCreateShader", gl.GL_VERTEX_SHADER)
    source = _ES + "layout(location = 0) in vec4 p; out vec4 q; void main() { gl_Position = p; q = p * 0.5 + 0.5; }"
    r("glShaderSource", shader, 1, (source,), None)
    r("glCompileShader", shader)
    r("glAttachShader", vertex, shader)
    r("glTransformFeedbackVaryings", vertex, 1, ("q",), gl.GL_INTERLEAVED_ATTRIBS)
    r("glLinkProgram", vertex)
    fragment = _stage(r, gl.GL_FRAGMENT_SHADER, "in vec4 q; out vec4 o; void main() { o = q; }")
    _pipeline(r, vertex=vertex, fragment=fragment)
    _quad(r)
    kept = r.buffer(np.zeros(16, np.float32), gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    r("glBindBufferBase", gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, kept)
    r("glEnable", gl.GL_RASTERIZER_DISCARD)
    r("glBeginTransformFeedback", gl.GL_POINTS)
    r("glDrawArrays", gl.GL_POINTS, 0, 4)
    r("glEndTransformFeedback")
    r("glDisable", gl.GL_RASTERIZER_DISCARD)
    r("glBindBuffer", gl.GL_ARRAY_BUFFER, kept)
    r("glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, 0, Offset(0))
    _draw(r)


def computed(r: Recording) -> None:
    """The compute stage of a pipeline that has stages of draws, too."""
    compute = _stage(
        r,
        gl.GL_COMPUTE_SHADER,
        "layout(local_size_x = 64) in; layout(std430, binding = 0) buffer B { uint n[]; }; uniform uint u;"
        "void main() { n[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * u % 251u; }",
    )
    r("glProgramUniform1ui", compute, r.uniform(compute, "u"), 77)
    vertex = _stage(r, gl.GL_VERTEX_SHADER, "layout(location = 0) in vec4 p; void main() { gl_Position = p; }")
    fragment = _stage(
        r,
        gl.GL_FRAGMENT_SHADER,
        "layout(std430, binding = 0) readonly buffer B { uint n[]; }; out vec4 o; void main() {"
        "uint k = n[uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x)]; o = vec4(float(k) / 255.0); }",
    )
    kept = r.buffer(np.zeros(4096, np.uint32), gl.GL_SHADER_STORAGE_BUFFER)
    r("glBindBufferBase", gl.GL_SHADER_STORAGE_BUFFER, 0, kept)
    _pipeline(r, vertex=vertex, fragment=fragment, compute=compute)
    r("glDispatchCompute", 64, 1, 1)
    r("glMemoryBarrier", 0xFFFFFFFF)
    _quad(r)
    _draw(r)


def refused_draws(r: Recording) -> None:
    """Draws with pipelines that lack a stage, have half a program, or stages that do not fit."""
    vertex, fragment = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX), _stage(r, gl.GL_FRAGMENT_SHADER, _FRAGMENT)
    _set(r, fragment, "tint", 1, 1, 1, 1)
    other = _stage(r, gl.GL_FRAGMENT_SHADER, _FRAGMENT.replace("in vec2 c", "in vec3 d").replace("vec4(c", "vec4(d.xy"))
    _quad(r)
    pipelines: list[dict[str, int]] = [
        {"vertex": vertex, "fragment": other},
        {"fragment": fragment},
        {"vertex": vertex, "fragment": fragment},
    ]
    for programs in pipelines:
        _pipeline(r, **programs)
        r("glGetError")
        r("glDrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        r("glGetError")


def mistakes(r: Recording) -> None:
    """Each call leaves its error."""
    vertex = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX)
    whole = r.program(
        _ES + "in vec4 p; void main() { gl_Position = p; }", _ES + "out vec4 o; void main() { o = vec4(1); }", p=0
    )
    r("glUseProgram", 0)
    name = _pipeline(r)
    for function, *args in (
        ("glUseProgramStages", name, 1 << 20, vertex),
        ("glUseProgramStages", name, gl.GL_VERTEX_SHADER_BIT, whole),
        ("glUseProgramStages", name, gl.GL_VERTEX_SHADER_BIT, 998),
        ("glActiveShaderProgram", name, 998),
        ("glUniform1f", 0, 1.0),
        ("glGetProgramPipelineiv", name, gl.GL_LINK_STATUS, None),
        ("glProgramParameteri", vertex, gl.GL_PROGRAM_SEPARABLE, 2),
        ("glCreateShaderProgramv", gl.GL_TEXTURE_2D, 1, ("",)),
        ("glUseProgramStages", name, gl.GL_ALL_SHADER_BITS, 0),
    ):
        r(function, *args)
        r("glGetError")


def asked(r: Recording) -> None:
    """Questions about pipelines and separable programs."""
    vertex, fragment = _stage(r, gl.GL_VERTEX_SHADER, _VERTEX), _stage(r, gl.GL_FRAGMENT_SHADER, _FRAGMENT)
    name = _pipeline(r, vertex=vertex)
    r("glGetError")
    for step in range(4):
        if step == 1:
            r("glUseProgramStages", name, gl.GL_FRAGMENT_SHADER_BIT, fragment)
            r("glActiveShaderProgram", name, fragment)
        if step == 2:
            r("glValidateProgramPipeline", name)
        if step == 3:
            r("glUseProgramStages", name, gl.GL_ALL_SHADER_BITS, 0)
        for stage in (gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER, gl.GL_ACTIVE_PROGRAM, gl.GL_VALIDATE_STATUS):
            r("glGetProgramPipelineiv", name, stage, None)
    for program in (vertex, fragment):
        for pname in (gl.GL_PROGRAM_SEPARABLE, gl.GL_LINK_STATUS, gl.GL_ACTIVE_UNIFORMS, gl.GL_ATTACHED_SHADERS):
            r("glGetProgramiv", program, pname, None)
    broken = r("glCreateShaderProgramv", gl.GL_VERTEX_SHADER, 1, ("void main() { x; }",))
    r("glGetProgramiv", broken, gl.GL_LINK_STATUS, None)
    r("glIsProgramPipeline", name)
    r("glGetIntegerv", gl.GL_PROGRAM_PIPELINE_BINDING, None)
    r("glGetIntegerv", gl.GL_CURRENT_PROGRAM, None)
    r("glDeleteProgramPipelines", 1, struct.pack("<I", name))
    r("glIsProgramPipeline", name)
    r("glGetIntegerv", gl.GL_PROGRAM_PIPELINE_BINDING, None)
    r("glGetError")


def desktop_stages(r: Recording) -> None:
    """Desktop GL: gl_PerVertex declared again, and an input that nobody gives."""
    vertex = _stage(r, gl.GL_VERTEX_SHADER, _PER_VERTEX + _VERTEX, _GL)
    more = _FRAGMENT.replace("uniform", "layout(location = 3) in float nobody; uniform").replace(
        "0, 1", "nobody * 0.0, 1"
    )
    fragment = _stage(r, gl.GL_FRAGMENT_SHADER, more, _GL)
    _set(r, fragment, "tint", 1, 0.5, 1, 1)
    _quad(r)
    _pipeline(r, vertex=vertex, fragment=fragment)
    _draw(r)


SCENES: dict[str, Callable[[Recording], None]] = {
    scene.__name__: scene
    for scene in (
        *(stages_change, names_apart, active_program, one_program_of_both, matched_by_name, relinked, with_geometry),
        *(captured, computed, refused_draws, mistakes, asked),
    )
}
DESKTOP_SCENES: dict[str, Callable[[Recording], None]] = {"desktop_stages": desktop_stages}


def record(name: str) -> Recording:
    """Draw a scene on Mesa and read it back; NoDriver where there is none."""
    if name in DESKTOP_SCENES:
        return record_scene(DESKTOP_SCENES[name], desktop=(4, 3))
    return record_scene(SCENES[name])
