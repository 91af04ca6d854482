"""``gpureplay shader`` through the real command."""

from __future__ import annotations

import json
from pathlib import Path

from forked import Ended, forked_line

VERTEX = "attribute vec4 p; varying vec2 v; uniform mat4 m;\nvoid main() { v = p.xy; gl_Position = m * p; }\n"
FRAGMENT = (
    "precision mediump float; varying vec2 v; uniform sampler2D t;\n"
    "void main() { gl_FragColor = texture2D(t, v) * v.x + v.y; }\n"
)


def command(cwd: Path, *arguments: str) -> Ended:
    return forked_line(["gpureplay", "shader", *arguments], cwd)


def write(folder: Path, vertex: str = VERTEX, fragment: str = FRAGMENT) -> None:
    (folder / "a.vert").write_text(vertex)
    (folder / "a.frag").write_text(fragment)


def test_listing(tmp_path: Path) -> None:
    write(tmp_path)
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.status == 0, done.err
    assert "vertex shader" in done.out.decode()
    assert "fragment shader" in done.out.decode()
    assert "tex #0 s0 " in done.out.decode()
    assert "uniform name m type mat4" in done.out.decode()


def test_json_counts(tmp_path: Path) -> None:
    write(tmp_path)
    found = json.loads(command(tmp_path, "a.vert", "a.frag", "--json").out)
    # A matrix times a vector is four instructions; texture * x + y one MAD.
    assert (found["counts"]["vertex"]["alu"], found["counts"]["vertex"]["texture"]) == (4, 0)
    assert (found["counts"]["fragment"]["alu"], found["counts"]["fragment"]["texture"]) == (1, 1)
    assert [row["name"] for row in found["reflection"]["uniform"]] == ["m", "t"]
    assert [row["name"] for row in found["reflection"]["attribute"]] == ["p"]


def test_one_stage(tmp_path: Path) -> None:
    write(tmp_path)
    found = json.loads(command(tmp_path, "a.vert", "--json").out)
    assert found["counts"]["vertex"]["alu"] == 4
    assert found["counts"]["vertex"]["moves"] == 1  # the varying is kept
    assert json.loads(command(tmp_path, "a.frag", "--json").out)["counts"]["fragment"]["texture"] == 1


def test_desktop_version(tmp_path: Path) -> None:
    write(tmp_path, fragment="#version 330\nin vec2 v; out vec4 o;\nvoid main() { o = vec4(v, 1, 1) * 2; }\n")
    assert command(tmp_path, "a.frag").status == 0


def test_bad_shader(tmp_path: Path) -> None:
    write(tmp_path, fragment="precision mediump float;\nvoid main() { gl_FragColor = nothing; }\n")
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.status == 1
    assert "0:2: error:" in done.err
    assert "^" in done.err
    assert "Traceback" not in done.err


def test_does_not_link(tmp_path: Path) -> None:
    write(tmp_path, fragment=FRAGMENT.replace("vec2 v", "vec3 v").replace("(t, v)", "(t, v.xy)"))
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.status == 1
    assert "'v'" in done.err


def test_usage(tmp_path: Path) -> None:
    write(tmp_path)
    for arguments in (["missing.vert"], ["a.vert", "a.vert"], [], [str(tmp_path)]):
        done = command(tmp_path, *arguments)
        assert done.status == 2, done.err
        assert "Traceback" not in done.err
