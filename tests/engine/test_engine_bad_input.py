"""What no program should do, call by call: each ends in a GL error or a clear error, and the frame goes on."""

import numpy as np
import pytest
from gl_program import COLOR_FS, COLOR_VS, Program, triangles

from traceformat.calls import Call, Offset
from traceformat.errors import ReplayError, ToolError
from traceformat.gles import enums as gl
from traceformat.gles.limits import DESKTOP_LIMITS, GLES_LIMITS, guarded, recorded
from traceformat.gles.tracker import Tracker
from traceformat.gputrace.frametrace import MODEL_COLUMNS

BIG = (1 << 31) - 1
T2D = gl.GL_TEXTURE_2D
RGBA8 = (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE)
VALUE, ENUM, OPERATION = gl.GL_INVALID_VALUE, gl.GL_INVALID_ENUM, gl.GL_INVALID_OPERATION
#: A ToolError whose text has this.
SHORT = "bytes"

SIZES = [
    (VALUE, "glTexImage2D", T2D, 0, gl.GL_RGBA, BIG, BIG, 0, *RGBA8, None),
    (VALUE, "glTexStorage2D", T2D, 1, gl.GL_RGBA8, BIG, BIG),
    (VALUE, "glTexStorage3D", gl.GL_TEXTURE_3D, 1, gl.GL_RGBA8, BIG, BIG, BIG),
    (OPERATION, "glRenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_RGBA8, BIG, BIG),
    (VALUE, "glCopyTexImage2D", T2D, 0, gl.GL_RGBA, 0, 0, BIG, BIG, 0),
    (VALUE, "glTexSubImage2D", T2D, 0, BIG, BIG, BIG, BIG, *RGBA8, bytes(16)),
    (gl.GL_OUT_OF_MEMORY, "glBufferData", gl.GL_ARRAY_BUFFER, 1 << 40, None, gl.GL_STATIC_DRAW),
    (VALUE, "glBufferSubData", gl.GL_ARRAY_BUFFER, BIG, BIG, bytes(16)),
    ("draw_vertices", "glDrawArrays", gl.GL_TRIANGLES, 0, BIG),
    ("draw_vertices", "glDrawArraysInstanced", gl.GL_TRIANGLES, 0, 3, BIG),
    (None, "glDrawArrays", gl.GL_TRIANGLES, BIG - 10, 3),
    (None, "glViewport", -BIG, -BIG, BIG, BIG),
    (None, "glScissor", -BIG, -BIG, BIG, BIG),
    (OPERATION, "glBlitFramebuffer", -BIG, -BIG, BIG, BIG, -BIG, -BIG, BIG, BIG, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST),
]
NEGATIVE = [
    *[(VALUE, name, -1, None) for name in ("glGenTextures", "glGenBuffers", "glGenFramebuffers", "glGenVertexArrays")],
    *[(VALUE, name, -1, b"") for name in ("glDeleteTextures", "glDeleteBuffers", "glDeleteFramebuffers")],
    (VALUE, "glDrawArrays", gl.GL_TRIANGLES, 0, -3),
    (VALUE, "glDrawArrays", gl.GL_TRIANGLES, -3, 3),
    (VALUE, "glDrawElements", gl.GL_TRIANGLES, -1, gl.GL_UNSIGNED_SHORT, Offset(0)),
    (VALUE, "glDrawArraysInstanced", gl.GL_TRIANGLES, 0, 3, -1),
    (VALUE, "glTexImage2D", T2D, 0, gl.GL_RGBA, -1, 4, 0, *RGBA8, None),
    (VALUE, "glTexImage2D", T2D, -1, gl.GL_RGBA, 4, 4, 0, *RGBA8, None),
    (VALUE, "glBufferData", gl.GL_ARRAY_BUFFER, -1, None, gl.GL_STATIC_DRAW),
    (VALUE, "glVertexAttribPointer", 0, 4, gl.GL_FLOAT, 0, -16, Offset(0)),
    (VALUE, "glViewport", 0, 0, -1, 4),
    (VALUE, "glScissor", 0, 0, 4, -1),
    (VALUE, "glUniform1fv", 0, -1, b""),
    (VALUE, "glReadPixels", 0, 0, -1, -1, *RGBA8, None),
]
INDICES = [
    (VALUE, "glVertexAttribPointer", 99, 4, gl.GL_FLOAT, 0, 16, Offset(0)),
    (VALUE, "glEnableVertexAttribArray", BIG),
    (VALUE, "glVertexAttrib4f", 99, 0.0, 0.0, 0.0, 0.0),
    (ENUM, "glActiveTexture", gl.GL_TEXTURE0 + 5000),
    (VALUE, "glBindBufferBase", gl.GL_UNIFORM_BUFFER, BIG, 1),
    (VALUE, "glBindSampler", 5000, 0),
    (OPERATION, "glUniform1f", BIG, 1.0),
    (None, "glDrawElements", gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_INT, Offset(0)),  # vertices 2^32 - 1
    (None, "glDrawElements", gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_INT, Offset(1 << 40)),
    (VALUE, "glDrawRangeElements", gl.GL_TRIANGLES, 5, 2, 3, gl.GL_UNSIGNED_INT, Offset(0)),
]
MISSING = [
    (VALUE, "glUseProgram", 99),
    (VALUE, "glLinkProgram", 99),
    (VALUE, "glCompileShader", 99),
    (VALUE, "glAttachShader", 99, 98),
    (VALUE, "glGetUniformLocation", 99, "tint"),
    (OPERATION, "glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, T2D, 99, 0),
    (None, "glBindSampler", 0, 99),  # the recorded driver may have made it
    (None, "glSamplerParameteri", 99, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
    (OPERATION, "glBeginQuery", gl.GL_ANY_SAMPLES_PASSED, 0),
    (OPERATION, "glEndQuery", gl.GL_ANY_SAMPLES_PASSED),
    (VALUE, "glWaitSync", 99, 0, (1 << 64) - 1),
    (None, "glDeleteTextures", 1, (99).to_bytes(4, "little")),
]
UPLOADS = [
    (SHORT, "glTexImage2D", T2D, 0, gl.GL_RGBA, 64, 64, 0, *RGBA8, bytes(16)),
    (SHORT, "glTexSubImage2D", T2D, 0, 0, 0, 8, 8, *RGBA8, bytes(16)),
    (SHORT, "glBufferData", gl.GL_ARRAY_BUFFER, 4096, bytes(16), gl.GL_STATIC_DRAW),
    (VALUE, "glCompressedTexImage2D", T2D, 0, gl.GL_COMPRESSED_RGB8_ETC2, 64, 64, 0, 16, bytes(16)),
    (SHORT, "glUniform4fv", 0, 1, bytes(4)),
]
RECURSIVE = """precision highp float; varying vec4 v;
float f(float x); float g(float x) { return f(x) + 1.0; } float f(float x) { return x > 9.0 ? x : g(x); }
void main() { gl_FragColor = v * f(v.x); }"""


@pytest.fixture(scope="module")
def program():
    """A program that draws, as a recorded trace is played."""
    p = Program(MODEL_COLUMNS)
    p.tracker.remap = True
    p.tracker.gles_limits = guarded(recorded(GLES_LIMITS))
    p.tracker.desktop_limits = guarded(recorded(DESKTOP_LIMITS))
    p.buffer(triangles(np.random.default_rng(1), 12))
    p.buffer(np.full(6, 0xFFFFFFFF, np.uint32), gl.GL_ELEMENT_ARRAY_BUFFER, 2)
    p.texture(np.full((8, 8, 4), 77))
    number = p.program(COLOR_VS, COLOR_FS.replace("v; }", "v * far; }").replace("void", "uniform float far; void"))
    assert p.uniform(number, "far") >= 0
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    return p


def outcome(p, name, *args):
    """GL error of a call, None if it had none."""
    p.tracker.execute(Call(len(p.calls), name, 1, 1, 0, args))
    return p.tracker.failure.error if p.tracker.failure is not None else None


@pytest.mark.parametrize(
    "case", [*SIZES, *NEGATIVE, *INDICES, *MISSING, *UPLOADS], ids=lambda case: f"{case[1]}-{len(repr(case))}"
)
def test_a_call_ends_in_an_error_and_drawing_goes_on(program, case):
    expected, name, *args = case
    if isinstance(expected, str):
        with pytest.raises(ToolError, match=expected):
            outcome(program, name, *args)
    else:
        assert outcome(program, name, *args) == expected
    program("glViewport", 0, 0, 120, 90)
    program("glScissor", 0, 0, 120, 90)
    program.clear()
    program("glDrawArrays", gl.GL_TRIANGLES, 0, 36)
    frame = program.swap()
    assert len(frame["draws"]["call"]) in (1, 2)
    assert len(frame["quads"]["x"]) > 100


def test_recursion_in_a_shader_is_refused_by_the_compiler(program):
    shader = program("glCreateShader", gl.GL_FRAGMENT_SHADER)
    program("glShaderSource", shader, 1, (RECURSIVE,), None)
    program("glCompileShader", shader)
    number = program("glCreateProgram")
    program("glAttachShader", number, shader)
    program("glLinkProgram", number)
    assert outcome(program, "glUseProgram", number) == OPERATION
    assert "calls itself" in program.tracker.failure.message


def test_a_hundred_thousand_contexts_meet_a_limit_that_can_be_raised(monkeypatch):
    assert guarded(GLES_LIMITS).max_contexts == 1024
    monkeypatch.setenv("GPUREPLAY_LIMITS", "contexts=40")
    tracker = Tracker(Program(MODEL_COLUMNS).engine, remap=True, gles_limits=guarded(recorded(GLES_LIMITS)))

    def make_all():
        for number in range(2, 100_002):
            tracker.execute(Call(number, "traceContext", 1, 0, 0, (number, 0, 3, 0, 0, 8, 8, 8, 8, 24, 8, 0, 0)))

    with pytest.raises(ReplayError, match="contexts") as caught:
        make_all()
    assert "GPUREPLAY_LIMITS=contexts" in caught.value.hint
    assert len(tracker.contexts) == 40
