"""Meshes, variants of shaders and calls that wait, as a page has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from films import Film, film, squares

from gpumodel.config import load_config
from gpumodel.report.page.facts import Facts
from gpumodel.report.page.meshes import Meshes
from gpumodel.report.page.variants import variants
from gpumodel.report.page.waits import waits
from gpumodel.report.shader_lines import StageLines
from gpumodel.runs import Run
from traceformat.calls import Offset
from traceformat.gles import enums as gl
from traceformat.gltrace.reader import open_trace


def test_vertices_bytes_and_sizes_of_a_mesh(tmp_path: Path) -> None:
    def scene(one: Film, _: int) -> None:
        one.clear()
        # Two squares from four vertices each, and one that lies outside.
        vertices = squares()[:6]
        vertices[:, 0] += 9.0
        one.vertices(np.concatenate([squares()[[0, 1, 2, 5]], squares()[[6, 7, 8, 11]], vertices]), 7)
        one.indices(np.array([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 11, 12, 13]), 8)
        one("glDrawElements", gl.GL_TRIANGLES, 18, gl.GL_UNSIGNED_SHORT, Offset(0))

    (frame,) = film(tmp_path / "mesh.gltrace", [scene])
    result, _ = Run(load_config("mali450-vro"), attribution=True).add(frame)
    meshes = Meshes()
    assert result.attribution is not None
    meshes.add(frame, result.attribution)
    (row,) = meshes.rows(1)
    assert (row["primitives"], row["unique"], row["shaded"], row["again"]) == (6, 14, 14, 1.0)
    # Positions and colours of four floats each; the colour is handed on.
    assert (row["fetched_bytes"], row["varying_bytes"]) == (32, 16)
    assert row["culled"]["outside"] == pytest.approx(2 / 6)
    assert sum(share for _, share in row["sizes"]) == pytest.approx(1)
    # Four triangles of half of 26 x 20 pixels.
    assert row["sizes"] == [[5, 1.0]] or row["sizes"][-1][0] >= 4
    assert 0.8 < row["lanes"] <= 1
    assert 0 <= row["hits"] <= 1


def stage(program: int, text: str, cycles: int, calls: int) -> StageLines:
    one = StageLines(program, 1, "fragment", text, np.zeros((len(text.splitlines()) + 1, 6), np.int64))
    one.issue_cycles[1] = cycles
    one.invocations = calls
    return one


def test_variants_are_alike_and_differ_in_lines() -> None:
    body = "\n".join(f"float x{k} = {k}.0;" for k in range(12))
    cheap, dear = stage(3, body, 100, 10), stage(4, f"#define FOG\n{body}\nx1 += fog;", 400, 20)
    other = stage(5, "void main() {}", 900, 1)
    (family,) = variants([dear, other, cheap])
    assert [member["program"] for member in family["members"]] == [3, 4]
    assert [member["cycles_a_call"] for member in family["members"]] == [10, 20]
    assert family["members"][1]["more"] == ["#define FOG", "x1 += fog;"]
    assert family["members"][1]["less"] == []


def test_reads_at_once_and_uploads_to_buffers_in_use_wait(tmp_path: Path) -> None:
    data = squares().tobytes()

    def patient(one: Film, _: int) -> None:
        one("glBufferSubData", gl.GL_ARRAY_BUFFER, 0, len(data), data)
        one.all_squares()

    def hasty(one: Film, _: int) -> None:
        one.clear()
        one.square(0)
        one("glBufferSubData", gl.GL_ARRAY_BUFFER, 0, len(data), data)
        one.square(1)
        one("glFinish")

    film(tmp_path / "patient.gltrace", [patient, patient])
    film(tmp_path / "hasty.gltrace", [hasty, patient])
    with open_trace(tmp_path / "patient.gltrace") as reader:
        assert waits(reader, range(2), {}) == []
    with open_trace(tmp_path / "hasty.gltrace") as reader:
        found = {each["what"].split()[0]: each["calls"] for each in waits(reader, range(2), {})}
        assert found == {"glBufferSubData": 1, "glFinish": 1}
        assert waits(reader, range(1, 2), {}) == []
        # Calls without arguments are rows without fields.
        assert [len(numbers) == len(values) == 1 for numbers, values in reader.columns("glFinish")] == [True]


def test_uploads_to_textures_and_uniform_buffers_in_use_wait(tmp_path: Path) -> None:
    texels, block = bytes(16), bytes(64)

    def upload(one: Film) -> None:
        one("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
        one("glBufferSubData", gl.GL_UNIFORM_BUFFER, 0, len(block), block)

    def patient(one: Film, _: int) -> None:
        one.clear()
        one("glBindBufferBase", gl.GL_UNIFORM_BUFFER, 0, 9)
        one("glBufferData", gl.GL_UNIFORM_BUFFER, len(block), block, gl.GL_DYNAMIC_DRAW)
        upload(one)
        one.square(0)

    def other_unit(one: Film, _: int) -> None:
        """Another texture, which nobody samples, in a unit of its own."""
        patient(one, 0)
        one("glActiveTexture", gl.GL_TEXTURE3)
        one.upload(3, name=5)
        one("glTexSubImage2D", gl.GL_TEXTURE_2D, 0, 0, 0, 2, 2, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, texels)
        one("glActiveTexture", gl.GL_TEXTURE0)

    def hasty(one: Film, _: int) -> None:
        patient(one, 0)
        upload(one)
        upload(one)
        one.square(1)

    frames = film(tmp_path / "film.gltrace", [patient, other_unit, hasty])
    facts = Facts()
    for frame in frames:
        facts._add_textures(frame)
    with open_trace(tmp_path / "film.gltrace") as reader:
        assert waits(reader, range(2), facts.first_sampled) == []
        found = {each["what"]: each["calls"] for each in waits(reader, range(3), facts.first_sampled)}
    assert found == {
        "glTexSubImage2D of texture 1, which a draw before it in the frame samples": 2,
        "glBufferSubData of buffer 9 (UNIFORM_BUFFER), which a draw before it in the frame reads": 2,
    }
