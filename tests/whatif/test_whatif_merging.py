"""``--merge-draws`` and ``--strip-varyings``: the frame is that of a program which draws so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from films import Film, film, squares

import gpureplay
from gpumodel.config import load_config
from gpumodel.runs import Run
from gpumodel.whatif.merging import merged
from gpumodel.whatif.scene import Scene
from gpumodel.whatif.stripping import stripped
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gputrace.check import check_frame
from traceformat.gputrace.frametrace import MODEL_COLUMNS, STAGES, FrameTrace

#: Counters that follow from where vertices lie, or from the first frame's set-up.
_PLACE = ("dram.", "cache.", "l2.")


def figures(trace: FrameTrace) -> dict[str, float]:
    check_frame(trace, MODEL_COLUMNS)
    result, _ = Run(load_config("mali450-vro")).add(trace)
    return {**result.counters, "cycles": result.cycles}


def recorded(path: Path, *scenes: Callable[[Film, int], None]) -> FrameTrace:
    """The last frame."""
    return film(path, scenes)[-1]


def apart(one: Film, _: int) -> None:
    one.clear()
    for number in range(4):
        one.square(number)


def together(one: Film, _: int) -> None:
    one.clear()
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 24)


def test_the_frame_is_that_of_one_call(tmp_path: Path) -> None:
    before = recorded(tmp_path / "apart.gltrace", apart, apart)
    other = recorded(tmp_path / "together.gltrace", together, together)
    after = merged(Scene(before), "all", "")
    assert after is not None
    assert after["draws"].num_rows == 1
    assert figures(after) == figures(other)
    assert figures(after)["cycles"] < figures(before)["cycles"]
    assert merged(Scene(other), "all", "") is None


def test_a_transform_comes_with_the_vertices(tmp_path: Path) -> None:
    places = [(0.1, 0.0), (-0.1, 0.05), (0.0, -0.1), (0.05, 0.1)]

    def moved(one: Film, _: int) -> None:
        one.clear()
        for number, place in enumerate(places):
            one("glUniform2f", one.shift, *place)
            one.square(number)

    def placed(one: Film, _: int) -> None:
        vertices = squares()
        vertices[:, :2] += np.repeat(np.array(places, np.float32), 6, axis=0)
        one.vertices(vertices)
        together(one, 0)

    after = merged(Scene(recorded(tmp_path / "moved.gltrace", moved, moved)), "all", "")
    other = figures(recorded(tmp_path / "placed.gltrace", placed, placed))
    assert after is not None
    found = figures(after)
    # The uniform is set once for all in the one, and not at all in the other: a word of the command stream.
    assert {k: v for k, v in found.items() if not k.startswith(_PLACE) and k != "cycles"} == {
        k: v for k, v in other.items() if not k.startswith(_PLACE) and k != "cycles"
    }
    assert found["cycles"] == pytest.approx(other["cycles"], rel=0.02)


def test_what_stands_between_keeps_draws_apart(tmp_path: Path) -> None:
    def tinted(one: Film, _: int) -> None:
        one.clear()
        for number in range(4):
            one("glUniform4f", one.tint, 0.2 * number, 1.0, 1.0, 1.0)
            one.square(number)

    def cleared(one: Film, _: int) -> None:
        one.clear()
        one.square(0)
        one.clear()
        one.square(1)

    def masked(one: Film, _: int) -> None:
        one.clear()
        one.square(0)
        one("glColorMask", 1, 0, 1, 1)
        one.square(1)
        one("glColorMask", 1, 1, 1, 1)

    for number, scene in enumerate((tinted, cleared, masked)):
        frame = recorded(tmp_path / f"{number}.gltrace", scene, scene)
        assert merged(Scene(frame), "all", "") is None
    two = merged(Scene(recorded(tmp_path / "some.gltrace", apart)), "draw 1", "")
    assert two is None


def test_vertices_of_other_buffers_lie_behind_each_other(tmp_path: Path) -> None:
    def buffers(one: Film, _: int) -> None:
        one.clear()
        one.square(0)
        one.vertices(squares()[6:], 9)
        one.square(0)

    def strips(one: Film, _: int) -> None:
        one.clear()
        for number in range(3):
            one("glDrawArrays", gl.GL_TRIANGLE_STRIP, 6 * number, 4)

    def from_the_middle(one: Film, _: int) -> None:
        one.clear()
        one.square(3)
        one.vertices(squares()[6:], 9)
        one.square(0)

    after = merged(Scene(recorded(tmp_path / "middle.gltrace", from_the_middle)), "all", "")
    assert after is not None
    assert after["vertices"]["index"].tolist() == list(range(12))
    before = recorded(tmp_path / "buffers.gltrace", buffers)
    after = merged(Scene(before), "all", "")
    assert after is not None
    found, known = figures(after), figures(before)
    assert found["vertices.shaded"] == known["vertices.shaded"]
    assert found["fragments.written"] == known["fragments.written"]
    assert after["vertices"]["index"].tolist() == list(range(12))
    after = merged(Scene(recorded(tmp_path / "strips.gltrace", strips)), "all", "")
    assert after is not None
    assert figures(after)["vertices.in"] == 12
    # An index that restarts stands between them.
    assert np.diff(after["vertices"]["index_address"].astype(np.int64)).tolist() == [2, 2, 2, 4, 2, 2, 2, 4, 2, 2, 2]


def test_draws_with_a_geometry_shader_stay_alone(tmp_path: Path) -> None:
    """Its invocations are rows behind the vertices of their draw."""
    frame = recorded(tmp_path / "apart.gltrace", apart)
    assert merged(Scene(frame), "all", "") is not None
    stage = frame["programs"]["stage"]
    stage[stage == STAGES.index("vertex")] = STAGES.index("geometry")
    assert merged(Scene(frame), "all", "") is None


def test_indices_that_have_no_room_become_wider(tmp_path: Path) -> None:
    """Two meshes of 200 vertices with indices of a byte: together they have 400."""

    def indexed(one: Film, _: int) -> None:
        one.clear()
        for name in (5, 6):
            one.vertices(np.concatenate([np.tile(squares(), (8, 1)), squares()[:8]]), name)
            one("glBindBuffer", gl.GL_ELEMENT_ARRAY_BUFFER, name + 5)
            raw = np.array([0, 1, 2, 197, 198, 199], np.uint8).tobytes()
            one("glBufferData", gl.GL_ELEMENT_ARRAY_BUFFER, len(raw), raw, gl.GL_STATIC_DRAW)
            one("glDrawElements", gl.GL_TRIANGLES, 6, gl.GL_UNSIGNED_BYTE, Offset(0))

    after = merged(Scene(recorded(tmp_path / "indexed.gltrace", indexed)), "all", "")
    assert after is not None
    assert after["draws"]["index_bytes"].tolist() == [2]
    assert after["vertices"]["index"].max() > 255
    assert np.diff(after["vertices"]["index_address"].astype(np.int64)).tolist() == [2] * 11


def test_varyings_that_are_the_same_everywhere_are_uniforms(tmp_path: Path) -> None:
    fragment = "precision highp float; {} vec4 v; void main() {{ gl_FragColor = v; }}"
    varying = (
        "attribute vec4 p; attribute vec4 c; varying vec4 v; void main() { v = c * 0.0 + vec4(0.5); gl_Position = p; }"
    )
    bare = "attribute vec4 p; attribute vec4 c; void main() { gl_Position = p + c * 0.0; }"

    def with_program(vertex: str, kind: str) -> Callable[[Film, int], None]:
        def scene(one: Film, _: int) -> None:
            number = one.program(vertex, fragment.format(kind))
            if kind == "uniform":
                one("glUniform4f", one("glGetUniformLocation", number, "v"), 0.5, 0.5, 0.5, 0.5)
            one.vertices(squares())
            together(one, 0)

        return scene

    before = recorded(tmp_path / "varying.gltrace", with_program(varying, "varying"))
    other = figures(recorded(tmp_path / "uniform.gltrace", with_program(bare, "uniform")))
    after = stripped(Scene(before), "all", "")
    assert after is not None
    found = figures(after)
    assert after["draws"]["num_attributes"].tolist() == [1]
    for name in ("attributes.interpolated", "dram.write_bytes.parameter", "fragments.written", "primitives.binned"):
        assert found[name] == other[name] <= figures(before)[name], name
    assert found["attributes.interpolated"] < figures(before)["attributes.interpolated"]
    assert stripped(Scene(recorded(tmp_path / "needed.gltrace", together)), "all", "") is None


def test_draws_that_write_no_colour_need_no_varyings(tmp_path: Path) -> None:
    def blind(one: Film, _: int) -> None:
        one("glColorMask", 0, 0, 0, 0)
        together(one, 0)

    after = stripped(Scene(recorded(tmp_path / "blind.gltrace", blind)), "all", "")
    assert after is not None
    assert after["draws"]["num_attributes"].tolist() == [1]
    check_frame(after, MODEL_COLUMNS)


def test_the_picture_stays_and_all_machines_are_asked(tmp_path: Path) -> None:
    path = tmp_path / "apart.gltrace"
    film(path, [apart, apart])
    (answer,) = gpureplay.whatif(path, [("merge-draws", "all")], frames=range(1, 2)).answers
    assert answer.saved_cycles > 0
    assert answer.picture.of > 0
    assert answer.picture.text == "stays as it is"
    assert answer.sign_holds
    assert len(answer.elsewhere) == 5
