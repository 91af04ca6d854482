"""``gpureplay shader`` through the real command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERTEX = "attribute vec4 p; varying vec2 v; uniform mat4 m;\nvoid main() { v = p.xy; gl_Position = m * p; }\n"
FRAGMENT = (
    "precision mediump float; varying vec2 v; uniform sampler2D t;\n"
    "void main() { gl_FragColor = texture2D(t, v) * v.x + v.y; }\n"
)


def command(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from gpumodel.cli import main; main()"
    line = [sys.executable, "-c", code, "shader", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=cwd, check=False)


def write(folder: Path, vertex: str = VERTEX, fragment: str = FRAGMENT) -> None:
    (folder / "a.vert").write_text(vertex)
    (folder / "a.frag").write_text(fragment)


def test_listing(tmp_path: Path) -> None:
    write(tmp_path)
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.returncode == 0, done.stderr
    assert "vertex shader" in done.stdout
    assert "fragment shader" in done.stdout
    assert "tex #0 s0 " in done.stdout
    assert "uniform name m type mat4" in done.stdout


def test_json_counts(tmp_path: Path) -> None:
    write(tmp_path)
    found = json.loads(command(tmp_path, "a.vert", "a.frag", "--json").stdout)
    # A matrix times a vector is four instructions; texture * x + y one MAD.
    assert (found["counts"]["vertex"]["alu"], found["counts"]["vertex"]["texture"]) == (4, 0)
    assert (found["counts"]["fragment"]["alu"], found["counts"]["fragment"]["texture"]) == (1, 1)
    assert [row["name"] for row in found["reflection"]["uniform"]] == ["m", "t"]
    assert [row["name"] for row in found["reflection"]["attribute"]] == ["p"]


def test_one_stage(tmp_path: Path) -> None:
    write(tmp_path)
    found = json.loads(command(tmp_path, "a.vert", "--json").stdout)
    assert found["counts"]["vertex"]["alu"] == 4
    assert found["counts"]["vertex"]["moves"] == 1  # the varying is kept
    assert json.loads(command(tmp_path, "a.frag", "--json").stdout)["counts"]["fragment"]["texture"] == 1


def test_desktop_version(tmp_path: Path) -> None:
    write(tmp_path, fragment="#version 330\nin vec2 v; out vec4 o;\nvoid main() { o = vec4(v, 1, 1) * 2; }\n")
    assert command(tmp_path, "a.frag").returncode == 0


def test_bad_shader(tmp_path: Path) -> None:
    write(tmp_path, fragment="precision mediump float;\nvoid main() { gl_FragColor = nothing; }\n")
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.returncode == 1
    assert "0:2: error:" in done.stderr
    assert "^" in done.stderr
    assert "Traceback" not in done.stderr


def test_does_not_link(tmp_path: Path) -> None:
    write(tmp_path, fragment=FRAGMENT.replace("vec2 v", "vec3 v").replace("(t, v)", "(t, v.xy)"))
    done = command(tmp_path, "a.vert", "a.frag")
    assert done.returncode == 1
    assert "'v'" in done.stderr


def test_usage(tmp_path: Path) -> None:
    write(tmp_path)
    for arguments in (["missing.vert"], ["a.vert", "a.vert"], [], [str(tmp_path)]):
        done = command(tmp_path, *arguments)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
