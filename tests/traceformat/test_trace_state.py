"""What a draw works with: gputrace state, extract --bound and --sheets, and pictures behind calls."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_trees import PROGRAMS
from gl_recorder import Recorder
from PIL import Image

from traceformat.calls import Offset
from traceformat.cli.door import run
from traceformat.gles import enums as gl

VERTEX = """#version 300 es
in vec4 p; in vec4 c; in uvec2 id; in mat2 turn; uniform mat3x2 skew; uniform float weights[3]; uniform bool flip;
layout(std140) uniform Sun { layout(row_major) mat2x3 axes; vec3 way[2]; int count; };
out vec4 shade;
void main() {
  vec2 at = skew * vec3(p.xy, 1.0) + turn[0] * weights[1] + (axes * p.xy).xy * way[1].x + float(count) * weights[2];
  gl_Position = vec4(flip ? -at : at, float(id.x) * 0.001, 1.0);
  shade = c * weights[0];
}
"""
FRAGMENT = """#version 300 es
precision highp float;
in vec4 shade; uniform samplerCube sky; uniform sampler2D skins[2]; uniform ivec2 step_; out vec4 color;
void main() { color = shade + texture(sky, vec3(1.0)) + texture(skins[1], shade.xy) * float(step_.x); }
"""
SUN = np.zeros(28, np.float32)
SUN[[0, 1, 4, 5, 8, 9]] = 1, 2, 3, 4, 5, 6  # three rows of two
SUN[[12, 13, 14, 16, 17, 18]] = 7, 8, 9, 10, 11, 12
SUN.view(np.int32)[20] = -5


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two frames; the second one has two draws, the last of them instanced, with everything bound."""
    one = Recorder(size=(16, 16))
    corners = np.array([[-1, -1, 0, 1, 1, 0, 0, 1], [1, -1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 1, 1]], np.float32)
    plain = one.program(
        "attribute vec4 p; void main() { gl_Position = p; }", "void main() { gl_FragColor = vec4(1, 0, 0, 1); }"
    )
    one.vertices(corners)
    one.clear()
    one("glDrawArrays", gl.GL_TRIANGLES, 0, 3)
    one.swap()
    one.clear()
    one("glDrawArrays", gl.GL_POINTS, 0, 1)
    program = one.program(VERTEX, FRAGMENT)
    place = {name: one("glGetUniformLocation", program, name) for name in ("skew", "weights", "flip", "sky", "skins")}
    one("glUniformMatrix3x2fv", place["skew"], 1, 0, np.arange(6, dtype=np.float32).tobytes())
    one("glUniform1fv", place["weights"], 3, np.array([0.5, 0.25, 0.0], np.float32).tobytes())
    one("glUniform1i", place["flip"], 1)
    one("glUniform1i", place["sky"], 3)
    one("glUniform1iv", place["skins"], 2, np.array([0, 2], np.int32).tobytes())
    one("glBindBuffer", gl.GL_UNIFORM_BUFFER, 5)
    one("glBufferData", gl.GL_UNIFORM_BUFFER, 256 + SUN.nbytes, bytes(256) + SUN.tobytes(), gl.GL_STATIC_DRAW)
    one("glUniformBlockBinding", program, one("glGetUniformBlockIndex", program, "Sun"), 4)
    one("glBindBufferRange", gl.GL_UNIFORM_BUFFER, 4, 5, 256, SUN.nbytes)
    identity, turn = (one("glGetAttribLocation", program, name) for name in ("id", "turn"))
    one("glBindBuffer", gl.GL_ARRAY_BUFFER, 6)
    one("glBufferData", gl.GL_ARRAY_BUFFER, 8, np.array([7, 70, 8, 80], np.uint16).tobytes(), gl.GL_STATIC_DRAW)
    one("glVertexAttribIPointer", identity, 2, gl.GL_UNSIGNED_SHORT, 0, Offset(0))
    one("glVertexAttribDivisor", identity, 1)
    one("glEnableVertexAttribArray", identity)
    one("glVertexAttrib2f", turn, 0.5, -0.5)
    one("glVertexAttrib2f", turn + 1, 2.0, 4.0)
    one("glActiveTexture", gl.GL_TEXTURE2)
    one.texture(4)
    one("glActiveTexture", gl.GL_TEXTURE3)
    one("glBindTexture", gl.GL_TEXTURE_CUBE_MAP, 9)
    for face in range(6):
        pixels = bytes([40 * face, 0, 0, 255]) * 4
        target = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face
        one("glTexImage2D", target, 0, gl.GL_RGBA, 2, 2, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
    one("glGenerateMipmap", gl.GL_TEXTURE_CUBE_MAP)
    one("glBindSampler", 3, one_sampler(one))
    one("glEnable", gl.GL_BLEND)
    one("glBlendFunc", gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
    one("glEnable", gl.GL_SCISSOR_TEST)
    one("glScissor", 1, 2, 10, 12)
    one.indices([2, 1, 0])
    one("glPushDebugGroupKHR", gl.GL_DEBUG_SOURCE_APPLICATION, 0, -1, "hero")
    one("glDrawElementsInstanced", gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_SHORT, Offset(0), 2)
    one("glPopDebugGroupKHR")
    one.swap()
    assert plain != program
    return one.write(tmp_path_factory.mktemp("state") / "film.gltrace")


def one_sampler(one: Recorder) -> int:
    one("glGenSamplers", 1, None)
    one("glSamplerParameteri", 1, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    return 1


def said(capsys: pytest.CaptureFixture[str], *line: str | Path) -> str:
    assert run(PROGRAMS[str(line[0])], list(map(str, line[1:])), name=str(line[0])) == 0
    return capsys.readouterr().out


@pytest.fixture
def hero(film: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, "gputrace", "state", film, "--frame", "1", "--draw", "1", "--json"))
    return found


def test_uniforms_by_name(hero: dict[str, Any]) -> None:
    found = {one["name"]: one["value"] for one in hero["uniforms"]}
    assert found == {"skew": [[0, 1], [2, 3], [4, 5]], "weights": [0.5, 0.25, 0], "flip": True, "step_": [0, 0]}
    (block,) = hero["blocks"]
    assert (block["name"], block["binding"], block["buffer"], block["offset"]) == ("Sun", 4, 5, 256)
    assert {re.sub(r".*\.", "", one["name"]): one["value"] for one in block["uniforms"]} == {
        "axes": [[1, 3, 5], [2, 4, 6]], "way": [[7, 8, 9], [10, 11, 12]], "count": -5,
    }  # fmt: skip


def test_textures_pipeline_and_framebuffer(hero: dict[str, Any]) -> None:
    textures = {one["uniform"]: one for one in hero["textures"]}
    assert [textures[name]["texture"] for name in ("sky", "skins[0]", "skins[1]")] == [9, None, 1]
    sky, skin = textures["sky"], textures["skins[1]"]
    assert (sky["unit"], sky["target"], sky["faces"], sky["levels"]) == (3, "GL_TEXTURE_CUBE_MAP", 6, 2)
    assert (sky["sampler"], sky["sampling"]["min_filter"]) == (1, "GL_NEAREST")
    assert (skin["size"], skin["levels"], skin["sampler"]) == ([4, 4], 3, None)
    assert skin["sampling"]["min_filter"] == "GL_NEAREST_MIPMAP_LINEAR"
    pipeline = hero["pipeline"]
    assert (pipeline["scissor"], pipeline["depth_test"], pipeline["color_mask"]) == ([1, 2, 10, 12], None, ["rgba"])
    assert pipeline["blend"][0]["src_rgb"] == "GL_ONE"
    assert pipeline["blend"][0]["dst_alpha"] == "GL_ONE_MINUS_SRC_ALPHA"
    assert [one["point"] for one in hero["framebuffer"]["attachments"]] == ["color0", "depth", "stencil"]
    assert hero["groups"] == ["hero"]


def test_vertices(hero: dict[str, Any]) -> None:
    (vertices,) = hero["vertices"]
    assert (vertices["shaded"], vertices["primitives"], vertices["kind"]) == (6, 2, "triangle")
    inputs = {one["name"]: one["values"] for one in vertices["inputs"]}
    rows = list(zip(vertices["vertex"], vertices["instance"], strict=True))
    assert sorted(rows) == [(vertex, instance) for vertex in range(3) for instance in range(2)]
    for number, (vertex, instance) in enumerate(rows):
        assert inputs["p"][number][:2] == [[-1, -1], [1, -1], [0, 1]][vertex]
        assert inputs["id"][number] == [[7, 70], [8, 80]][instance]
        assert inputs["turn"][number] == [0.5, -0.5, 2, 4]
    arrays = {one["location"]: one for one in hero["vertex_array"]["arrays"]}
    assert sorted(one["buffer"] for one in arrays.values()) == [1, 1, 6]
    assert hero["vertex_array"]["element_buffer"] == {"name": 2, "bytes": 6}
    # What the vertex stage made of them: the formula of the shader.
    (out,) = [one["values"] for one in vertices["outputs"] if one["name"] == "gl_Position"]
    p = np.array(inputs["p"], np.float32)[:, :2]
    at = np.c_[p, np.ones(len(p))] @ np.arange(6).reshape(3, 2) + np.array([0.5, -0.5]) * 0.25
    at += (p @ np.array([[1, 3, 5], [2, 4, 6]]))[:, :2] * 10
    np.testing.assert_allclose(np.array(out)[:, :2], -at, rtol=1e-5)


def test_text_tells_the_same(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "gputrace", "state", film, "--frame", "1", "--draw", "1", "--rows", "1")
    for line in (
        "frame 1, draw 1: hero", r"  scissor            \(1, 2, 10, 12\)", "uniform block Sun: binding 4, buffer 5, .*",
        r"  weights  float        \(0.5, 0.25, 0\)", "texture of skins\\[1\\]",
        "vertices: 6 shaded, 2 triangle primitives",
    ):  # fmt: skip
        assert re.search(f"^{line}$", text, re.M), line


def test_a_call_that_draws_nothing(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = json.loads(said(capsys, "gputrace", "state", film, "--call", "0", "--json"))
    assert (first["draw"], first["call"]["name"]) == (None, "traceContext")
    assert first.get("vertices", []) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--call", "99999"], "there is no call 99999"), (["--frame", "1", "--draw", "2"], "frame 1 has 2 draws"),
        (["--frame", "7", "--draw", "0"], "there is no frame 7"), (["--draw", "0"], "give either"), ([], "give either"),
        (["--call", "1", "--frame", "0", "--draw", "0"], "give either"),
    ],
)  # fmt: skip
def test_what_is_not_there(film: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str) -> None:
    assert run(PROGRAMS["gputrace"], ["state", str(film), *options], name="gputrace") == 2
    assert words in capsys.readouterr().err


def test_what_is_bound_is_extracted(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("gputrace", "extract", film, "-o", tmp_path, "--frame", "1", "--draw", "1", "--bound", "--sheets", "--json")
    document = json.loads(said(capsys, *line))
    names = sorted(entry["file"] for entry in document["files"])
    assert [name for name in names if name.startswith(("texture", "buffer"))] == [
        "buffer_1.bin", "buffer_2.bin", "buffer_5.bin", "buffer_6.bin", "texture_1.png", "texture_9.png",
    ]  # fmt: skip
    assert len([name for name in names if name.startswith("shader")]) == 2
    assert [name for name in names if name.startswith("mesh")] == [f"mesh_call_{document['call']}.gltf"]
    sky = np.asarray(Image.open(tmp_path / "texture_9.png"))
    columns = [8 + 80 * face for face in range(6)]
    assert [sky[22, x].tolist() for x in columns] == [[40 * face, 0, 0] for face in range(6)]
    assert [sky[22 + 32, x].tolist() for x in columns] == [[40 * face, 0, 0] for face in range(6)]
    plain = json.loads(said(capsys, "gputrace", "extract", film, "-o", tmp_path / "all", "--json"))
    assert len(plain["files"]) > len(names)
    assert run(PROGRAMS["gputrace"], ["extract", str(film), "-o", str(tmp_path), "--bound"], name="gputrace") == 2


def test_pictures_behind_calls_of_frames(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "gpureplay", "images", film, "-o", tmp_path, "--frames", "1", "--calls", "draw,clear")
    names = [re.sub(r"call_\d+", "call_N", path.name) for path in sorted(tmp_path.iterdir())]
    assert names == [
        "frame_0001_call_N_color0.png", "frame_0001_call_N_draw_0000_color0.png",
        "frame_0001_call_N_draw_0001_color0.png",
    ]  # fmt: skip
