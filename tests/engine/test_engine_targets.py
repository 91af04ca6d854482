"""Targets of all kinds: batches against the reference executor, which goes chunk by chunk through Python."""

import numpy as np
import pytest
from gl_program import COLOR_FS, COLOR_VS, Program, triangles

from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import ALL_COLUMNS, SCHEMA, ColumnSet

SIZE = (75, 41)
EVERYTHING = ColumnSet(f"{table}.{column}" for table, columns in SCHEMA.items() for column in columns)
VERTEX = """#version 300 es
in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }"""
SEVERAL = """#version 300 es
precision highp float; precision highp int; in vec4 v;
layout(location = 0) out vec4 half_float; layout(location = 1) out uvec4 whole;
layout(location = 2) out ivec2 with_sign; layout(location = 3) out vec4 nonlinear;
void main() {
    if (v.a < 0.1) discard;
    half_float = v * 3.0 - 1.0;
    whole = uvec4(v * 300.0);
    with_sign = ivec2(v.xy * 70000.0) - 35000;
    nonlinear = v;
    gl_FragDepth = v.b * 1.2 - 0.1;
}"""
FORMATS = (gl.GL_RGBA16F, gl.GL_RGBA8UI, gl.GL_RG16I, gl.GL_SRGB8_ALPHA8)


def several_outputs(p, rng):
    """Attachments of four formats, the depth written by the shader."""
    for number, internal in enumerate((*FORMATS, gl.GL_DEPTH_COMPONENT16), 1):
        p("glBindRenderbuffer", gl.GL_RENDERBUFFER, number)
        p("glRenderbufferStorage", gl.GL_RENDERBUFFER, internal, *SIZE)
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    places = [gl.GL_COLOR_ATTACHMENT0 + k for k in range(4)]
    for number, place in enumerate((*places, gl.GL_DEPTH_ATTACHMENT), 1):
        p("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, number)
    p("glDrawBuffers", 4, np.array(places, "<u4").tobytes())
    p.program(VERTEX, SEVERAL, p=0, c=1)
    p("glClearBufferfv", gl.GL_DEPTH, 0, np.ones(1, "<f4").tobytes())
    p("glDepthFunc", gl.GL_LEQUAL)


def samples(p, rng):
    """Several samples a pixel, of which alpha takes some; lines and points, too."""
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    p.clear()
    p("glEnable", gl.GL_SAMPLE_ALPHA_TO_COVERAGE)
    p("glEnable", gl.GL_STENCIL_TEST)
    p("glStencilFunc", gl.GL_GEQUAL, 2, 255)
    p("glStencilOp", gl.GL_KEEP, gl.GL_INVERT, gl.GL_INCR)


def pixels(p, number):
    """What an attachment of :func:`several_outputs` holds."""
    kinds = (
        (gl.GL_RGBA, gl.GL_FLOAT), (gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT), (gl.GL_RGBA_INTEGER, gl.GL_INT),
        (gl.GL_RGBA, gl.GL_UNSIGNED_BYTE),
    )  # fmt: skip
    p("glReadBuffer", gl.GL_COLOR_ATTACHMENT0 + number)
    p("glReadPixels", 0, 0, *SIZE, *kinds[number], None)
    return p.tracker.outputs["pixels"]


def drawn(kind, columns, executor="llvm", threads=1):
    rng = np.random.default_rng(11)
    num_samples = 4 if kind is samples else 0
    p = Program(columns, size=SIZE, samples=num_samples, threads=threads, executor=executor)
    p.buffer(triangles(rng, 40))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p("glEnable", gl.GL_DEPTH_TEST)
    kind(p, rng)
    for mode, blends in ((gl.GL_TRIANGLES, False), (gl.GL_LINES, True), (gl.GL_TRIANGLES, True)):
        p("glEnable" if blends else "glDisable", gl.GL_BLEND)
        p("glBlendFuncSeparate", gl.GL_SRC_ALPHA, gl.GL_DST_COLOR, gl.GL_ONE, gl.GL_ONE_MINUS_DST_ALPHA)
        p("glDrawArrays", mode, 0, 120)
    read = [pixels(p, number) for number in range(4)] if kind is several_outputs else []
    frame = p.swap()
    found = {f"{table}.{column}": array.tobytes() for table in SCHEMA for column, array in frame[table].items()}
    found["picture"], found["read"] = frame.picture.tobytes(), read
    found |= {f"pixels {k}": [plane.tobytes() for plane in planes] for k, planes in enumerate(frame.pixels)}
    p.engine.close()
    return found


@pytest.mark.parametrize("kind", [several_outputs, samples])
@pytest.mark.parametrize("columns", [ColumnSet(()), ALL_COLUMNS], ids=["pictures", "columns"])
def test_batches_draw_what_the_reference_draws(kind, columns):
    wanted = drawn(kind, columns, "numpy")
    found = drawn(kind, columns)
    assert [key for key in wanted if wanted[key] != found[key]] == []
    for drawn_bytes in wanted["read"] or [wanted["picture"]]:
        assert len(set(drawn_bytes)) > 20, "something was drawn"


@pytest.mark.parametrize("kind", [several_outputs, samples])
def test_threads_draw_what_one_draws(kind):
    wanted = drawn(kind, EVERYTHING)
    assert wanted == drawn(kind, EVERYTHING, threads=3)
    assert any(wanted["quads.identity"])


def test_targets_that_are_made_anew_each_frame_do_not_pile_up():
    """However many others a program has."""
    p = Program(columns=ColumnSet(()))
    p.program(COLOR_VS, COLOR_FS, p=0, c=1)
    p.buffer(triangles(np.random.default_rng(3), 4))
    p.attribute(0, 4, 32, 0)

    def draw_to(name):
        p.texture(np.zeros((16, 16, 4), np.uint8), name=name)
        p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
        p("glFramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, name, 0)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 12)

    for name in range(1, 80):
        draw_to(name)
    p.swap()
    held = []
    for frame in range(6):
        draw_to(100 + frame)
        p("glDeleteTextures", 1, np.uint32(100 + frame).tobytes())
        p.swap()
        held.append(p.engine.memory.live_bytes)
    p.engine.close()
    assert len(set(held[2:])) == 1
