"""Shaders, programs, uniforms and their queries, with a backend that reflects what a test wants."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from traceformat.gles import enums as gl
from traceformat.gles.backend import Backend
from traceformat.gles.reflection import (
    ActiveAttribute,
    ActiveBlock,
    ActiveUniform,
    CompileResult,
    FragmentOutput,
    LinkResult,
    Reflection,
)
from traceformat.gles.state import Changes

REFLECTION = Reflection(
    attributes=[ActiveAttribute("position", gl.GL_FLOAT_VEC4, 1, 0), ActiveAttribute("m", gl.GL_FLOAT_MAT2, 1, 1)],
    uniforms=[
        ActiveUniform("color", gl.GL_FLOAT_VEC4),
        ActiveUniform("lights[0].on", gl.GL_BOOL_VEC2),
        ActiveUniform("weights[0]", gl.GL_FLOAT, 4, is_array=True),
        ActiveUniform("mvp", gl.GL_FLOAT_MAT3x2),
        ActiveUniform("image", gl.GL_SAMPLER_2D),
        ActiveUniform("cube", gl.GL_SAMPLER_CUBE),
        ActiveUniform("count", gl.GL_INT, initial=(5,)),
        ActiveUniform("Block.value", gl.GL_FLOAT_VEC3, block=0, offset=16, array_stride=0, matrix_stride=0),
        ActiveUniform("bits", gl.GL_UNSIGNED_INT),
    ],
    blocks=[ActiveBlock("Block", 32, (7,))],
    outputs=[FragmentOutput("out_color", gl.GL_FLOAT_VEC4, 1, 0)],
)


class ReflectingBackend(Backend):
    """Compiles what contains ``main``, links to :data:`REFLECTION`."""

    def __init__(self) -> None:
        self.draws = 0
        self.link_ok = True

    def compile_shader(self, context: Any, shader: Any) -> CompileResult:
        ok = "main" in "".join(shader.source)
        return CompileResult(ok, "" if ok else "0:1: error: no main", object())

    def link_program(self, context: Any, program: Any) -> LinkResult:
        import copy

        return LinkResult(self.link_ok, "" if self.link_ok else "does not fit", copy.deepcopy(REFLECTION), "machine")

    def draw(self, context: Any, call: Any) -> None:
        self.draws += 1


@pytest.fixture
def program(session: Any) -> Any:
    """A session with the program in use; ``es.program`` is its name."""
    es = session()
    es.tracker.backend = es.backend = ReflectingBackend()
    es.program = es.glCreateProgram()
    es.glLinkProgram(es.program)
    es.glUseProgram(es.program)
    return es


def _location(es: Any, name: str) -> int:
    location: int = es.glGetUniformLocation(es.program, name)
    return location


def _value(es: Any, name: str, code: str) -> tuple[Any, ...]:
    getter = {"f": "glGetUniformfv", "i": "glGetUniformiv", "I": "glGetUniformuiv"}[code]
    es.call(getter, es.program, _location(es, name), None)
    data = es.outputs["params"]
    return struct.unpack(f"<{len(data) // 4}{code}", data)


def test_vector_and_scalar_values(program: Any) -> None:
    program.glUniform4f(_location(program, "color"), 1.0, 2.0, 3.0, 4.0)
    assert _value(program, "color", "f") == (1.0, 2.0, 3.0, 4.0)
    program.glUniform4fv(_location(program, "color"), 1, struct.pack("<4f", 5, 6, 7, 8))
    assert _value(program, "color", "f") == (5.0, 6.0, 7.0, 8.0)
    assert _value(program, "count", "i") == (5,)
    program.glUniform1i(_location(program, "count"), -3)
    assert _value(program, "count", "i") == (-3,)
    program.glUniform1ui(_location(program, "bits"), 0xFFFFFFFE)
    assert _value(program, "bits", "I") == (0xFFFFFFFE,)
    assert program.error() == 0


@pytest.mark.parametrize(
    ("name", "args"),
    [("glUniform2f", (0.5, 0.0)), ("glUniform2i", (7, 0)), ("glUniform2ui", (9, 0))],
)
def test_booleans_take_any_kind(program: Any, name: str, args: tuple[float, ...]) -> None:
    program.call(name, _location(program, "lights[0].on"), *args)
    assert _value(program, "lights[0].on", "i") == (1, 0)


def test_arrays(program: Any) -> None:
    first = _location(program, "weights")
    assert first == _location(program, "weights[0]")
    assert _location(program, "weights[3]") == first + 3
    assert _location(program, "weights[4]") == -1
    program.glUniform1fv(first + 2, 10, struct.pack("<10f", *range(10)))
    assert program.error() == 0
    assert [_value(program, f"weights[{i}]", "f")[0] for i in range(4)] == [0.0, 0.0, 0.0, 1.0]
    assert _value(program, "mvp", "f") == (0.0,) * 6


def test_matrices(program: Any) -> None:
    data = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
    program.glUniformMatrix3x2fv(_location(program, "mvp"), 1, 0, data)
    assert _value(program, "mvp", "f") == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    # Transposed: the data is row after row, three columns wide.
    program.glUniformMatrix3x2fv(_location(program, "mvp"), 1, 1, data)
    assert _value(program, "mvp", "f") == (1.0, 4.0, 2.0, 5.0, 3.0, 6.0)


@pytest.mark.parametrize(
    ("name", "uniform", "args", "error"),
    [
        ("glUniform3f", "color", (0.0, 0.0, 0.0), gl.GL_INVALID_OPERATION),
        ("glUniform4i", "color", (0, 0, 0, 0), gl.GL_INVALID_OPERATION),
        ("glUniform1f", "count", (1.0,), gl.GL_INVALID_OPERATION),
        ("glUniform1f", "image", (1.0,), gl.GL_INVALID_OPERATION),
        ("glUniform1i", "image", (-1,), gl.GL_INVALID_VALUE),
        ("glUniform1i", "image", (32,), gl.GL_INVALID_VALUE),
        ("glUniform4fv", "color", (2, bytes(32)), gl.GL_INVALID_OPERATION),
        ("glUniform4fv", "color", (-1, b""), gl.GL_INVALID_VALUE),
        ("glUniformMatrix2fv", "mvp", (1, 0, bytes(16)), gl.GL_INVALID_OPERATION),
    ],
)
def test_wrong_values(program: Any, name: str, uniform: str, args: tuple[Any, ...], error: int) -> None:
    before = bytes(program.context.program.executable.constants)
    program.call(name, _location(program, uniform), *args)
    assert program.error() == error
    assert program.context.program.executable.constants == before


def test_locations_that_are_none(program: Any) -> None:
    program.glUniform1f(-1, 1.0)
    assert program.error() == 0
    program.glUniform1f(1000, 1.0)
    assert program.error() == gl.GL_INVALID_OPERATION
    assert _location(program, "Block.value") == -1
    program.glUseProgram(0)
    program.glUniform1f(0, 1.0)
    assert program.error() == gl.GL_INVALID_OPERATION


def test_changed_uniforms_are_collected(program: Any) -> None:
    program.glUniform1i(_location(program, "count"), 1)
    program.glProgramUniform4f(program.program, _location(program, "color"), 0.0, 0.0, 0.0, 0.0)
    assert program.context.program.executable.changed == {0, 6}


def test_samplers_of_two_kinds_on_one_unit(program: Any) -> None:
    program.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert program.error() == gl.GL_INVALID_OPERATION
    program.glUniform1i(_location(program, "cube"), 1)
    program.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert program.error() == 0
    assert program.backend.draws == 1


def test_a_sampler_given_the_unit_that_it_has_changes_no_textures(program: Any) -> None:
    location, executable = _location(program, "cube"), program.context.program.executable
    for unit, changes in ((1, True), (1, False), (0, True), (0, False)):
        program.context.changes.bits = 0
        executable.changed.clear()
        program.glUniform1i(location, unit)
        assert bool(program.context.changes.bits & Changes.TEXTURES) == changes
        # The uniform counts as set all the same.
        assert executable.changed


def test_samplers_that_the_recording_driver_dropped_are_on_no_unit(session: Any) -> None:
    es = session(remap=True)
    es.tracker.backend = es.backend = ReflectingBackend()
    es.call("glCreateProgram", result=5)
    es.glLinkProgram(5)
    es.glUseProgram(5)
    es.call("glGetUniformLocation", 5, "image", result=1)
    es.call("glGetUniformLocation", 5, "cube", result=-1)
    es.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert es.error() == 0
    es.call("glGetUniformLocation", 5, "cube", result=2)
    es.glDrawArrays(gl.GL_POINTS, 0, 1)
    assert es.error() == gl.GL_INVALID_OPERATION


def test_recorded_locations_are_translated(session: Any) -> None:
    es = session(remap=True)
    es.tracker.backend = es.backend = ReflectingBackend()
    name = es.call("glCreateProgram", result=77)
    assert name == 77
    es.glLinkProgram(77)
    es.glUseProgram(77)
    es.call("glGetUniformLocation", 77, "count", result=0)
    es.call("glGetUniformLocation", 77, "color", result=900)
    es.call("glGetUniformLocation", 77, "weights", result=40)
    es.call("glGetUniformLocation", 77, "optimised_away", result=3)
    es.glUniform1i(0, 12)
    es.glUniform4f(900, 1.0, 2.0, 3.0, 4.0)
    es.glUniform1f(43, 0.5)
    es.glUniform1f(3, 0.5)
    assert es.error() == 0
    executable = es.context.program.executable
    slots = {slot.uniform.name: slot.offset for slot in executable.slots}
    constants = executable.constants
    assert struct.unpack_from("<i", constants, slots["count"]) == (12,)
    assert struct.unpack_from("<4f", constants, slots["color"]) == (1.0, 2.0, 3.0, 4.0)
    assert struct.unpack_from("<4f", constants, slots["weights[0]"]) == (0.0, 0.0, 0.0, 0.5)


def test_recorded_attribute_locations_move_attributes(session: Any) -> None:
    es = session(remap=True)
    es.tracker.backend = es.backend = ReflectingBackend()
    es.call("glCreateProgram", result=5)
    es.glLinkProgram(5)
    assert es.call("glGetAttribLocation", 5, "position", result=1) == 1
    attributes = es.context.group.programs.get(5).executable.reflection.attributes
    assert {a.name: a.location for a in attributes} == {"position": 1, "m": 0}


def test_recorded_block_indices(session: Any) -> None:
    es = session(remap=True)
    es.tracker.backend = es.backend = ReflectingBackend()
    es.call("glCreateProgram", result=5)
    es.glLinkProgram(5)
    es.call("glGetUniformBlockIndex", 5, "Block", result=3)
    es.glUniformBlockBinding(5, 3, 2)
    assert es.error() == 0
    assert es.context.group.programs.get(5).executable.block_bindings == [2]


def test_recorded_names(session: Any) -> None:
    es = session(remap=True)
    es.call("glGenTextures", 2, None, outputs={"textures": struct.pack("<2I", 41, 7)})
    es.glBindTexture(gl.GL_TEXTURE_2D, 41)
    assert es.glIsTexture(41) == 1
    assert es.glIsTexture(1) == 0


def test_a_recorded_name_means_a_new_object(session: Any) -> None:
    es = session(remap=True)
    names = {"buffers": struct.pack("<I", 3)}
    es.call("glGenBuffers", 1, None, outputs=names)
    es.glBindBuffer(gl.GL_ARRAY_BUFFER, 3)
    es.call("glGenBuffers", 1, None, outputs=names)
    assert es.glIsBuffer(3) == 0


def test_active_variables(program: Any) -> None:
    program.glGetActiveUniform(program.program, 2, 100, None, None, None, None)
    out = program.outputs
    assert out["name"] == b"weights[0]\0"
    assert struct.unpack("<iiI", out["length"] + out["size"] + out["type"]) == (10, 4, gl.GL_FLOAT)
    program.glGetActiveUniform(program.program, 2, 4, None, None, None, None)
    assert program.outputs["name"] == b"wei\0"
    program.glGetActiveAttrib(program.program, 1, 100, None, None, None, None)
    assert program.outputs["name"] == b"m\0"
    program.glGetActiveAttrib(program.program, 2, 100, None, None, None, None)
    assert program.error() == gl.GL_INVALID_VALUE
    assert program.glGetAttribLocation(program.program, "m") == 1
    assert program.glGetFragDataLocation(program.program, "out_color") == 0
    indices = ("color", "weights[0]", "nothing", "weights[1]")
    program.glGetUniformIndices(program.program, 4, indices, None)
    assert struct.unpack("<4i", program.outputs["uniformIndices"]) == (0, 2, -1, -1)


def test_uniform_blocks(program: Any) -> None:
    assert program.glGetUniformBlockIndex(program.program, "Block") == 0
    assert program.glGetUniformBlockIndex(program.program, "None") == gl.GL_INVALID_INDEX
    program.glUniformBlockBinding(program.program, 0, 5)
    for pname, expected in (
        (gl.GL_UNIFORM_BLOCK_BINDING, 5),
        (gl.GL_UNIFORM_BLOCK_DATA_SIZE, 32),
        (gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES, 7),
    ):
        program.glGetActiveUniformBlockiv(program.program, 0, pname, None)
        assert struct.unpack("<i", program.outputs["params"]) == (expected,)
    program.glGetActiveUniformsiv(program.program, 1, struct.pack("<I", 7), gl.GL_UNIFORM_OFFSET, None)
    assert struct.unpack("<i", program.outputs["params"]) == (16,)
    program.glUniformBlockBinding(program.program, 1, 0)
    assert program.error() == gl.GL_INVALID_VALUE


def test_program_resources(program: Any) -> None:
    program.glGetProgramInterfaceiv(program.program, gl.GL_UNIFORM, gl.GL_ACTIVE_RESOURCES, None)
    assert struct.unpack("<i", program.outputs["params"]) == (9,)
    assert program.glGetProgramResourceIndex(program.program, gl.GL_UNIFORM_BLOCK, "Block") == 0
    wanted = struct.pack("<2I", gl.GL_LOCATION, gl.GL_TYPE)
    index = program.glGetProgramResourceIndex(program.program, gl.GL_UNIFORM, "mvp")
    program.glGetProgramResourceiv(program.program, gl.GL_UNIFORM, index, 2, wanted, 8, None, None)
    assert struct.unpack("<2i", program.outputs["params"]) == (_location(program, "mvp"), gl.GL_FLOAT_MAT3x2)


def test_compile_and_link_status(program: Any) -> None:
    es = program
    shader = es.glCreateShader(gl.GL_VERTEX_SHADER)
    es.glShaderSource(shader, 1, ("void nothing() {}",), None)
    es.glCompileShader(shader)
    es.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, None)
    assert es.outputs["params"] == bytes(4)
    es.glGetShaderInfoLog(shader, 100, None, None)
    assert es.outputs["infoLog"] == b"0:1: error: no main\0"
    es.glGetShaderiv(shader, gl.GL_INFO_LOG_LENGTH, None)
    assert struct.unpack("<i", es.outputs["params"]) == (20,)
    # A failed link leaves the program in use as it was, but not usable anew.
    executable = es.context.program.executable
    es.backend.link_ok = False
    es.glLinkProgram(es.program)
    assert es.context.program.executable is executable
    es.glUniform1i(_location_of(executable, "count"), 3)
    assert es.error() == 0
    es.glUseProgram(es.program)
    assert es.error() == gl.GL_INVALID_OPERATION
    es.glGetUniformLocation(es.program, "count")
    assert es.error() == gl.GL_INVALID_OPERATION


def _location_of(executable: Any, name: str) -> int:
    location: int = next(slot.location for slot in executable.slots if slot.uniform.name == name)
    return location


def test_deletion_waits_for_use(program: Any) -> None:
    es = program
    shader = es.glCreateShader(gl.GL_FRAGMENT_SHADER)
    es.glAttachShader(es.program, shader)
    es.glDeleteShader(shader)
    assert es.glIsShader(shader) == 1
    es.glDeleteProgram(es.program)
    assert es.glIsProgram(es.program) == 1
    es.glGetProgramiv(es.program, gl.GL_DELETE_STATUS, None)
    assert struct.unpack("<i", es.outputs["params"]) == (1,)
    es.glUseProgram(0)
    assert es.glIsProgram(es.program) == 0
    assert es.glIsShader(shader) == 0


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("glCreateShader", (gl.GL_TEXTURE_2D,), gl.GL_INVALID_ENUM),
        ("glAttachShader", (1, 1), gl.GL_INVALID_OPERATION),
        ("glAttachShader", (99, 1), gl.GL_INVALID_VALUE),
        ("glUseProgram", (99,), gl.GL_INVALID_VALUE),
        ("glLinkProgram", (99,), gl.GL_INVALID_VALUE),
        ("glBindAttribLocation", (1, 99, "a"), gl.GL_INVALID_VALUE),
        ("glBindAttribLocation", (1, 0, "gl_Vertex"), gl.GL_INVALID_OPERATION),
        ("glGetProgramiv", (1, gl.GL_BLEND, None), gl.GL_INVALID_ENUM),
        ("glTransformFeedbackVaryings", (1, 5, ("a",) * 5, gl.GL_SEPARATE_ATTRIBS), gl.GL_INVALID_VALUE),
    ],
)
def test_errors(program: Any, name: str, args: tuple[Any, ...], error: int) -> None:
    program.call(name, *args)
    assert program.error() == error


def test_contexts_of_es_2_have_no_other_stages(session: Any) -> None:
    old = session(version=(2, 0))
    for stage in (gl.GL_TESS_CONTROL_SHADER, gl.GL_TESS_EVALUATION_SHADER, gl.GL_GEOMETRY_SHADER):
        old.glCreateShader(stage)
        assert old.error() == gl.GL_INVALID_ENUM


def test_pipelines_need_generated_names(es: Any) -> None:
    for call in (
        ("glBindProgramPipeline", 9),
        ("glUseProgramStages", 9, gl.GL_VERTEX_SHADER_BIT, 0),
        ("glActiveShaderProgram", 9, 0),
        ("glValidateProgramPipeline", 9),
        ("glGetProgramPipelineiv", 9, gl.GL_VALIDATE_STATUS, None),
    ):
        es.call(*call)
        assert es.glGetError() == gl.GL_INVALID_OPERATION, call
    es.glGetProgramPipelineInfoLog(9, 10, None, None)
    assert es.glGetError() == gl.GL_INVALID_VALUE
    es.glBindProgramPipeline(0)
    assert es.glGetError() == gl.GL_NO_ERROR
