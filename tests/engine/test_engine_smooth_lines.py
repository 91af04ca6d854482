"""Smooth lines: pictures are Mesa's, both executors agree, and the model takes them as the triangles that they are."""

from __future__ import annotations

import numpy as np
import pytest
from gl_program import Program
from gl_twin import compare
from recorded_scenes import agree, frame_of, recorded_or_skipped
from smooth_scenes import SCENES, record
from verified import recompose

from gpumodel import VERIFIED_COLUMNS
from traceformat.gles import enums as gl
from traceformat.gputrace.frametrace import PrimitiveKind


@pytest.mark.gl
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_mesa(name: str) -> None:
    """But for single pixels, of which float32 decides."""
    calls = recorded_or_skipped(record, name).calls
    pictures = [call.outputs["pixels"] for call in calls if call.name == "glReadPixels"]
    assert all(len(np.unique(np.frombuffer(picture, np.uint32))) > 5 for picture in pictures)  # type: ignore[arg-type]
    assert [found for found in compare(calls, 1.0) if found.pixels > 1] == []


@pytest.mark.gl
@pytest.mark.parametrize("name", ["modes", "stages", "in_space"])
def test_both_executors_record_the_same(name: str) -> None:
    agree(recorded_or_skipped(record, name))


@pytest.mark.gl
@pytest.mark.parametrize("name", ["modes", "plot"])
def test_what_the_model_renders_is_what_was_drawn(name: str) -> None:
    frame = frame_of(recorded_or_skipped(record, name), VERIFIED_COLUMNS)
    assert set(frame["primitives"]["kind"].tolist()) <= {PrimitiveKind.TRIANGLE, PrimitiveKind.POINT}
    result = recompose([frame])
    assert result.pixels
    assert result.located == []


VERTEX = "#version 330\nin vec4 p; void main() { gl_Position = p; }"


def drawn(fragment: str, *, smooth: bool, samples: int = 0) -> np.ndarray:
    p = Program(VERIFIED_COLUMNS, api=1, samples=samples, size=(32, 32))
    for what in ("VertexArrays", "Buffers"):
        p(f"glGen{what}", 1, None)
    p("glBindVertexArray", 1)
    p.program(VERTEX, "#version 330\n" + fragment, p=0)
    p.buffer(np.array([(-0.8, -0.7, 0, 1), (0.7, 0.5, 0, 1)], np.float32))
    p.attribute(0, 4, 16, 0)
    p.clear(0.0, 0.0, 0.0, 0.0)
    if smooth:
        p("glEnable", gl.GL_LINE_SMOOTH)
    p("glDrawArrays", gl.GL_LINES, 0, 2)
    return p.swap().picture


@pytest.mark.parametrize(("fragment", "samples"), [
    ("out vec3 o; void main() { o = vec3(1.0); }", 0),
    ("out uvec4 o; void main() { o = uvec4(1u); }", 0),
    ("out vec4 o; void main() { o = vec4(1.0); }", 4),
    ("void main() { }", 0),
])  # fmt: skip
def test_what_has_no_alpha_or_several_samples_is_drawn_plainly(fragment: str, samples: int) -> None:
    both = [drawn(fragment, smooth=smooth, samples=samples) for smooth in (False, True)]
    assert (both[0] == both[1]).all()


def test_lines_that_cover_nothing_and_lines_that_are_no_lines() -> None:
    """Ends in one place, at infinity, behind the eye, no numbers: nothing is drawn, and nothing fails."""
    p = Program(VERIFIED_COLUMNS, api=1, size=(32, 32))
    for what in ("VertexArrays", "Buffers"):
        p(f"glGen{what}", 1, None)
    p("glBindVertexArray", 1)
    p.program(VERTEX, "#version 330\nout vec4 o; void main() { o = vec4(1.0); }", p=0)
    nan, inf = np.nan, np.inf
    ends = [
        (0.1, 0.1, 0, 1), (0.1, 0.1, 0, 1), (nan, 0, 0, 1), (0, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 5, -1),
        (0.5, 0, 5, -2), (5, 0, 0, 1), (6, 1, 0, 1), (inf, 0, 0, 1), (0, inf, 0, 1),
    ]  # fmt: skip
    p.buffer(np.array(ends, np.float32))
    p.attribute(0, 4, 16, 0)
    p("glEnable", gl.GL_LINE_SMOOTH)
    p("glEnable", gl.GL_BLEND)
    p("glBlendFunc", gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    p.clear(0.0, 0.0, 0.0, 0.0)
    p("glDrawArrays", gl.GL_LINES, 0, len(ends))
    p("glDrawArrays", gl.GL_LINES, 8, 2)
    assert not p.swap().picture.any()
