"""Patches and programs with tessellation stages on the tracker: what draws, what is refused, what is told."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from tessellation_scenes import _FS, _GL, _VS, _control, _levels

from replay.reflect import ReflectingBackend
from traceformat.gles import enums as gl
from traceformat.gles.backend import DrawCall
from traceformat.gles.snapshot import snapshot_calls
from traceformat.gles.state import Context
from traceformat.tools.bound import bound_state


class Drawing(ReflectingBackend):
    """Remembers modes that were drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.modes: list[int] = []

    def draw(self, context: Context, call: DrawCall) -> None:
        self.modes.append(call.mode)


_STAGES = {
    gl.GL_VERTEX_SHADER: _VS,
    gl.GL_TESS_CONTROL_SHADER: "uniform float k;" + _control(_levels("k", "k", "k", "k", "k", "k"), 5),
    gl.GL_TESS_EVALUATION_SHADER: "layout(isolines, fractional_odd_spacing, cw, point_mode) in; in vec4 w[];"
    "layout(std140) uniform U { vec4 u; }; out vec4 g; void main() { g = w[0] + u; gl_Position = g; }",
    gl.GL_FRAGMENT_SHADER: _FS,
}


@pytest.fixture
def gl4(session: Callable[..., Any]) -> Any:
    out = session(api=1, version=(4, 1))
    out.tracker.backend = out.backend = Drawing()
    out.complete_framebuffer()
    out.glBindVertexArray(out.gen("glGenVertexArrays"))
    return out


def program(session: Any, stages: dict[int, str]) -> int:
    number: int = session.glCreateProgram()
    for kind, source in stages.items():
        shader = session.glCreateShader(kind)
        session.glShaderSource(shader, 1, (_GL + source,), None)
        session.glCompileShader(shader)
        session.glAttachShader(number, shader)
    session.glLinkProgram(number)
    session.glUseProgram(number)
    assert session.error() == gl.GL_NO_ERROR
    return number


def told(session: Any, number: int, pname: int) -> int:
    session.glGetProgramiv(number, pname, None)
    (value,) = struct.unpack("<i", session.outputs["params"][:4])
    return int(value)


def test_patches_go_with_tessellation_alone(gl4: Any) -> None:
    program(gl4, {kind: _STAGES[kind].replace("out vec4 v", "out vec4 g").replace("v =", "g =")
                  for kind in (gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER)})  # fmt: skip
    gl4.glDrawArrays(gl.GL_PATCHES, 0, 6)
    assert gl4.error() == gl.GL_INVALID_OPERATION
    gl4.glDrawArrays(gl.GL_TRIANGLES, 0, 6)
    program(gl4, _STAGES)
    gl4.glDrawArrays(gl.GL_TRIANGLES, 0, 6)
    assert gl4.error() == gl.GL_INVALID_OPERATION
    gl4.glDrawArrays(gl.GL_PATCHES, 0, 6)
    assert gl4.error() == gl.GL_NO_ERROR
    assert gl4.backend.modes == [gl.GL_TRIANGLES, gl.GL_PATCHES]


def test_a_program_tells_of_its_stages(gl4: Any) -> None:
    number = program(gl4, _STAGES)
    assert told(gl4, number, gl.GL_TESS_CONTROL_OUTPUT_VERTICES) == 5
    assert told(gl4, number, gl.GL_TESS_GEN_MODE) == gl.GL_ISOLINES
    assert told(gl4, number, gl.GL_TESS_GEN_SPACING) == gl.GL_FRACTIONAL_ODD
    assert told(gl4, number, gl.GL_TESS_GEN_VERTEX_ORDER) == gl.GL_CW
    assert told(gl4, number, gl.GL_TESS_GEN_POINT_MODE) == 1
    for stage, is_used in (("CONTROL", 0), ("EVALUATION", 1)):
        gl4.glGetActiveUniformBlockiv(
            number, 0, getattr(gl, f"GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_{stage}_SHADER"), None
        )
        assert struct.unpack("<i", gl4.outputs["params"][:4]) == (is_used,)
    plain = program(gl4, {gl.GL_VERTEX_SHADER: "void main() { gl_Position = vec4(0); }"})
    gl4.glGetProgramiv(plain, gl.GL_TESS_GEN_MODE, None)
    assert gl4.error() == gl.GL_INVALID_OPERATION


def test_parameters_of_patches(gl4: Any, es: Any) -> None:
    for value, error in ((0, gl.GL_INVALID_VALUE), (33, gl.GL_INVALID_VALUE), (32, gl.GL_NO_ERROR)):
        gl4.glPatchParameteri(gl.GL_PATCH_VERTICES, value)
        assert gl4.error() == error
    gl4.glPatchParameteri(gl.GL_PATCH_DEFAULT_INNER_LEVEL, 1)
    assert gl4.error() == gl.GL_INVALID_ENUM
    levels = struct.pack("<4f", 2, 3, 4, 5)
    gl4.glPatchParameterfv(gl.GL_PATCH_DEFAULT_OUTER_LEVEL, levels)
    gl4.glPatchParameterfv(gl.GL_PATCH_DEFAULT_INNER_LEVEL, levels[:8])
    gl4.glGetFloatv(gl.GL_PATCH_DEFAULT_OUTER_LEVEL, None)
    assert gl4.outputs["data"] == levels
    assert gl4.get(gl.GL_PATCH_VERTICES) == 32
    assert gl4.get(gl.GL_MAX_PATCH_VERTICES) == 32
    snapshot = [(call.name, call.args) for call in snapshot_calls(gl4.tracker) if call.name.startswith("glPatch")]
    assert snapshot == [
        ("glPatchParameteri", (gl.GL_PATCH_VERTICES, 32)),
        ("glPatchParameterfv", (gl.GL_PATCH_DEFAULT_OUTER_LEVEL, levels)),
        ("glPatchParameterfv", (gl.GL_PATCH_DEFAULT_INNER_LEVEL, levels[:8])),
    ]
    es.glPatchParameterfv(gl.GL_PATCH_DEFAULT_OUTER_LEVEL, levels)
    assert es.error() == gl.GL_INVALID_ENUM


def test_what_a_draw_reads_names_the_vertices_of_a_patch(gl4: Any) -> None:
    gl4.glPatchParameteri(gl.GL_PATCH_VERTICES, 5)
    assert "patch_vertices" not in bound_state(gl4.context)["pipeline"]
    program(gl4, _STAGES)
    assert bound_state(gl4.context)["pipeline"]["patch_vertices"] == 5


def test_feedback_captures_what_the_tessellator_makes(gl4: Any) -> None:
    number = program(gl4, _STAGES)
    gl4.glTransformFeedbackVaryings(number, 1, ("g",), gl.GL_INTERLEAVED_ATTRIBS)
    gl4.glLinkProgram(number)
    gl4.glUseProgram(number)
    buffer = gl4.gen("glGenBuffers")
    gl4.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer)
    gl4.glBufferData(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 64, None, gl.GL_STATIC_DRAW)
    for mode, error in ((gl.GL_LINES, gl.GL_INVALID_OPERATION), (gl.GL_POINTS, gl.GL_NO_ERROR)):
        gl4.glBeginTransformFeedback(mode)
        gl4.glDrawArrays(gl.GL_PATCHES, 0, 6)
        gl4.glEndTransformFeedback()
        assert gl4.error() == error


def test_pipelines_need_an_evaluation_stage_with_control(gl4: Any) -> None:
    made = {
        kind: gl4.glCreateShaderProgramv(kind, 1, (_GL + source,))
        for kind, source in _STAGES.items()
        if kind != gl.GL_FRAGMENT_SHADER
    }
    pipeline = gl4.gen("glGenProgramPipelines")
    gl4.glBindProgramPipeline(pipeline)
    gl4.glUseProgramStages(pipeline, gl.GL_VERTEX_SHADER_BIT, made[gl.GL_VERTEX_SHADER])
    gl4.glUseProgramStages(pipeline, gl.GL_TESS_CONTROL_SHADER_BIT, made[gl.GL_TESS_CONTROL_SHADER])
    gl4.glDrawArrays(gl.GL_PATCHES, 0, 6)
    assert gl4.error() == gl.GL_INVALID_OPERATION
    gl4.glUseProgramStages(pipeline, gl.GL_TESS_EVALUATION_SHADER_BIT, made[gl.GL_TESS_EVALUATION_SHADER])
    gl4.glDrawArrays(gl.GL_PATCHES, 0, 6)
    assert gl4.error() == gl.GL_NO_ERROR
    assert gl4.backend.modes == [gl.GL_PATCHES]
