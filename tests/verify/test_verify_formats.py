"""Every colour format and blend: what the recomposer makes of a log is what the replay's engine rendered."""

from __future__ import annotations

import numpy as np
import pytest
from gl_program import Program, triangles
from verified import recompose

from gpumodel import VERIFIED_COLUMNS, load_config
from gpumodel.runs import Run
from traceformat.gles import enums as gl
from traceformat.gles.blend_codes import ADVANCED_EQUATIONS, EQUATIONS
from traceformat.gputrace.frametrace import ColumnSet

FACTORS = (
    gl.GL_ZERO, gl.GL_ONE, gl.GL_SRC_COLOR, gl.GL_ONE_MINUS_SRC_COLOR, gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA,
    gl.GL_DST_ALPHA, gl.GL_ONE_MINUS_DST_ALPHA, gl.GL_DST_COLOR, gl.GL_ONE_MINUS_DST_COLOR, gl.GL_CONSTANT_COLOR,
    gl.GL_ONE_MINUS_CONSTANT_COLOR, gl.GL_CONSTANT_ALPHA, gl.GL_ONE_MINUS_CONSTANT_ALPHA,
)  # fmt: skip
BLENDABLE = (
    "RGBA8", "RGB8", "RG8", "R8", "RGB565", "RGBA4", "RGB5_A1", "SRGB8_ALPHA8", "RGB10_A2", "RGBA16F", "RG16F", "R16F",
    "R11F_G11F_B10F", "RGBA32F", "RGBA16", "RGBA8_SNORM", "RGBA16_SNORM",
)  # fmt: skip
INTEGERS = ("RGBA8UI", "R8I", "RGBA16I", "RG32I", "RGBA32UI", "RGB10_A2UI")
VERTEX = """#version 330
in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }"""
FRAGMENT = """#version 330
in vec4 v; out vec4 color; void main() { color = v; }"""
ADVANCED_FRAGMENT = FRAGMENT.replace(
    "330", "330\n#extension GL_KHR_blend_equation_advanced: require\nlayout(blend_support_all_equations) out;"
)
SIZE = 48
PATCH_COUNT = 24


def desktop_program(fragment: str, columns: ColumnSet = VERIFIED_COLUMNS) -> Program:
    """Program of desktop GL, where targets of 16 and signed normalized bits are legal, and sRGB converts on demand."""
    p = Program(columns, api=1)
    for what, count in (("Framebuffers", 1), ("Renderbuffers", 8), ("VertexArrays", 1), ("Buffers", 1)):
        p(f"glGen{what}", count, None)
    p("glBindVertexArray", 1)
    p.program(VERTEX, fragment, p=0, c=1)
    return p


def target(p: Program, names: tuple[str, ...], samples: int = 0) -> None:
    """Bind a framebuffer with an attachment of each format, and a depth buffer."""
    p("glBindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    for k, name in enumerate((*names, "DEPTH24_STENCIL8")):
        p("glBindRenderbuffer", gl.GL_RENDERBUFFER, k + 1)
        if samples:
            p(
                "glRenderbufferStorageMultisample",
                *(gl.GL_RENDERBUFFER, samples, getattr(gl, f"GL_{name}"), SIZE, SIZE),
            )
        else:
            p("glRenderbufferStorage", gl.GL_RENDERBUFFER, getattr(gl, f"GL_{name}"), SIZE, SIZE)
        point = gl.GL_COLOR_ATTACHMENT0 + k if k < len(names) else gl.GL_DEPTH_STENCIL_ATTACHMENT
        p("glFramebufferRenderbuffer", gl.GL_FRAMEBUFFER, point, gl.GL_RENDERBUFFER, k + 1)
    p(
        "glDrawBuffers",
        len(names),
        np.arange(gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT0 + len(names), dtype="<u4").tobytes(),
    )
    p("glViewport", 0, 0, SIZE, SIZE)


def random_state(p: Program, rng: np.random.Generator, *, advanced: bool = False) -> None:
    """Blending, masks, depth test and scissored clears, as they come."""
    choose = lambda values: int(rng.choice(values))  # noqa: E731
    p("glEnable" if rng.random() < 0.8 else "glDisable", gl.GL_BLEND)
    if advanced and rng.random() < 0.8:
        p("glBlendEquation", choose(tuple(ADVANCED_EQUATIONS)))
    else:
        p("glBlendEquationSeparate", choose(tuple(EQUATIONS)), choose(tuple(EQUATIONS)))
    sources = (*FACTORS, gl.GL_SRC_ALPHA_SATURATE)
    p("glBlendFuncSeparate", choose(sources), choose(FACTORS), choose(sources), choose(FACTORS))
    p("glBlendColor", *(float(v) for v in rng.uniform(-0.2, 1.2, 4)))
    p("glColorMask", *(int(rng.random() < 0.85) for _ in range(4)))
    p("glEnable" if rng.random() < 0.4 else "glDisable", gl.GL_DEPTH_TEST)
    if rng.random() < 0.25:
        p("glEnable", gl.GL_SCISSOR_TEST)
        p("glScissor", *(int(v) for v in rng.integers(-4, 30, 2)), *(int(v) for v in rng.integers(1, 40, 2)))
        p.clear(*(float(v) for v in rng.uniform(-0.2, 1.3, 4)))
        p("glDisable", gl.GL_SCISSOR_TEST)


def blended_frames(
    names: tuple[str, ...],
    seed: int,
    *,
    count: int = 2,
    samples: int = 0,
    fragment: str = FRAGMENT,
    columns: ColumnSet = VERIFIED_COLUMNS,
):
    rng = np.random.default_rng(seed)
    p = desktop_program(fragment, columns)
    p("glEnable", gl.GL_FRAMEBUFFER_SRGB)
    target(p, names, samples)
    data = triangles(rng, 3 * PATCH_COUNT, 0.8)
    data[:, :, 4:] = rng.uniform(-0.3, 1.4, (*data.shape[:2], 4))
    p.buffer(data)
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    frames = []
    for number in range(count):
        if number == 0 or rng.random() < 0.5:
            p("glColorMask", 1, 1, 1, 1)
            p.clear(*(float(v) for v in rng.uniform(-0.1, 1.1, 4)))
        for patch in range(PATCH_COUNT):
            random_state(p, rng, advanced=fragment == ADVANCED_FRAGMENT)
            p("glDrawArrays", gl.GL_TRIANGLES, 9 * patch, 9)
        p("glFlush")
        frames.append(p.swap(number))
    p.engine.close()
    return frames


@pytest.mark.parametrize("name", BLENDABLE)
def test_blending_into_a_format(name: str) -> None:
    result = recompose(blended_frames((name,), BLENDABLE.index(name)))
    assert result.pixels == 2 * SIZE * SIZE
    assert result.located == []


@pytest.mark.parametrize("name", BLENDABLE)
def test_advanced_blending_into_a_format(name: str) -> None:
    """Between draws that blend as usual, of which the colours are kept in another way."""
    frames = blended_frames((name,), 100 + BLENDABLE.index(name), fragment=ADVANCED_FRAGMENT)
    result = recompose(frames)
    equations = {int(code) for frame in frames for code in frame["draws"]["blend_equation"][:, 0]}
    assert len(equations & set(ADVANCED_EQUATIONS)) > 5
    assert result.pixels == 2 * SIZE * SIZE
    assert result.located == []


@pytest.mark.parametrize("fragment", [FRAGMENT, ADVANCED_FRAGMENT])
def test_memoization_leaves_out_passes_whose_colours_are_floats(fragment: str) -> None:
    """An entry of its table has room for a colour of bytes."""
    columns = ColumnSet(VERIFIED_COLUMNS | {"quads.identity", "quads.identity_excluded"})
    run = Run(load_config("mali450-vro", ["screen.scale_to_trace=true"]), ["memo"], verify=True)
    for frame in blended_frames(("RGBA8",), 77, fragment=fragment, columns=columns):
        run.feed(frame)
    run.finish()
    lookups = sum(frame.counters["memo.lookups"] for frame in run.result.frames)
    assert (lookups > 0) == (fragment == FRAGMENT)
    assert run.result.verification is not None
    assert run.result.verification.mismatched_pixels == 0


def test_several_targets_at_once() -> None:
    fragment = """#version 330
    in vec4 v; layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
    layout(location = 2) out vec4 c;
    void main() { a = v; b = v.bgra * 0.5; c = v.grab; }"""
    result = recompose(blended_frames(("RGBA8", "RGBA16F", "RGB565"), 5, fragment=fragment))
    assert result.pixels == 3 * 2 * SIZE * SIZE
    assert result.located == []


@pytest.mark.parametrize("preset", ["mali450-vro", "tbr-fhd"])
@pytest.mark.parametrize("name", ["RGBA8", "RGBA16F"])
def test_every_sample_of_multisampled_targets(name: str, preset: str) -> None:
    frames = blended_frames((name,), 3, samples=4)
    assert frames[0].pixels[0][0].shape == (SIZE, SIZE, 4 * (4 if name == "RGBA8" else 8))
    assert recompose(frames, preset).located == []


def test_each_target_has_its_own_blending_and_mask() -> None:
    p = desktop_program("""#version 330
    in vec4 v; layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; void main() { a = v; b = v; }""")
    target(p, ("RGBA8", "RGBA8"))
    p.buffer(triangles(np.random.default_rng(9), 20, 0.8))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    p.clear(0.2, 0.3, 0.4, 0.5)
    p("glEnablei", gl.GL_BLEND, 1)
    p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE)
    p("glColorMaski", 0, 1, 0, 1, 1)
    p("glDrawArrays", gl.GL_TRIANGLES, 0, 60)
    p("glFlush")
    frame = p.swap()
    p.engine.close()
    first, second = (pixels.reshape(-1, 4) for pixels in frame.pixels[-1])
    assert (first != second).any()
    assert recompose([frame]).located == []


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_targets(name: str) -> None:
    rng = np.random.default_rng(INTEGERS.index(name))
    signed = name.endswith("I") and not name.endswith("UI")
    kind = "ivec4" if signed else "uvec4"
    fragment = f"""#version 300 es
    precision highp float; precision highp int; in vec4 v; out {kind} color;
    void main() {{ color = {kind}(ivec4(v * 70000.0) - ivec4({30000 if signed else 0})); }}"""
    vertex = """#version 300 es
    in vec4 p; in vec4 c; out vec4 v; void main() { gl_Position = p; v = c; }"""
    p = Program(VERIFIED_COLUMNS)
    p.program(vertex, fragment, p=0, c=1)
    target(p, (name,))
    p.buffer(triangles(rng, 30, 0.8))
    p.attribute(0, 4, 32, 0)
    p.attribute(1, 4, 32, 16)
    values = rng.integers(-200 if signed else 0, 300, 4).astype("<i4").tobytes()
    frames = []
    for number in range(2):
        p("glColorMask", 1, 1, 1, 1)
        if signed:
            p("glClearBufferiv", gl.GL_COLOR, 0, values)
        else:
            p("glClearBufferuiv", gl.GL_COLOR, 0, values)
        p("glDrawArrays", gl.GL_TRIANGLES, 0, 45)
        p("glColorMask", 1, 0, 1, 0)
        p("glEnable", gl.GL_BLEND)
        p("glDrawArrays", gl.GL_TRIANGLES, 45, 45)
        p("glFlush")
        frames.append(p.swap(number))
    p.engine.close()
    result = recompose(frames)
    assert result.pixels == 2 * SIZE * SIZE
    assert result.located == []
