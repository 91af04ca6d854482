"""Programs that the engine cannot use are named by every command that replays, with the compiler's reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from gl_recorder import Recorder

from gpumodel.cli.images import images
from gpumodel.cli.stats import stats
from traceformat.cli.validate import validate

VERTEX = "attribute vec4 p; void main() { gl_Position = p; }"
FRAGMENT = "void main() { gl_FragColor = imageLoad(0); }"


@pytest.fixture
def trace(tmp_path: Path) -> str:
    one = Recorder(size=(16, 16))
    programs = [one.program(VERTEX, f"void main() {{ gl_FragColor = vec4({k}); }}") for k in range(3)]
    for program in (*programs, *programs):
        one("glUseProgram", program)
    one.clear()
    one.swap()
    for call in one.calls:
        if call.name == "glShaderSource" and str(call.args[2]).count("vec4(1)") + str(call.args[2]).count("vec4(2)"):
            # Something that the driver of the trace took.
            call.args = (*call.args[:2], (FRAGMENT,), None)
    one.write(tmp_path / "a.gltrace")
    return str(tmp_path / "a.gltrace")


@pytest.mark.parametrize("command", [images, stats])
def test_warning(trace: str, tmp_path: Path, command: object) -> None:
    options = ["-o", str(tmp_path / "pictures")] if command is images else []
    done = CliRunner().invoke(command, [trace, *options], standalone_mode=False)
    assert done.exception is None
    said = [line for line in done.stderr.splitlines() if line.startswith("warning")]
    assert len(said) == 2
    assert all(
        "is not linked: 0:1: error: 'imageLoad' is not declared; what it draws is missing" in line for line in said
    )


def test_the_reason_outlives_the_shaders(tmp_path: Path) -> None:
    """Libraries detach and delete shaders behind the link."""
    one = Recorder(size=(16, 16))
    program = one.program(VERTEX, "void main() { gl_FragColor = vec4(1); }")
    shaders = [call.result for call in one.calls if call.name == "glCreateShader"]
    for shader in shaders:
        one("glDetachShader", program, shader)
        one("glDeleteShader", shader)
    one("glUseProgram", program)
    one.clear()
    one.swap()
    for call in one.calls:
        if call.name == "glShaderSource" and "gl_FragColor" in str(call.args[2]):
            call.args = (*call.args[:2], (FRAGMENT,), None)
    one.write(tmp_path / "a.gltrace")
    done = CliRunner().invoke(stats, [str(tmp_path / "a.gltrace")], standalone_mode=False)
    assert "is not linked: 0:1: error: 'imageLoad' is not declared; what it draws is missing" in done.stderr


def test_validate_gives_the_reason(trace: str) -> None:
    done = CliRunner().invoke(validate, [trace])
    assert done.stdout.count("'imageLoad' is not declared") == 6


def test_code_of_another_driver(tmp_path: Path) -> None:
    """Importers give what applications call, the code in a driver's cache with it."""
    one = Recorder(size=(16, 16))
    name = one.program(VERTEX, "void main() { gl_FragColor = vec4(1); }")
    one("glUseProgram", name)
    one.clear()
    one.swap()
    for call in one.calls:
        if call.name == "glLinkProgram":
            call.name, call.args = "glProgramBinary", (name, 0x875F, b"code", 4)
    one.write(tmp_path / "a.gltrace")
    done = CliRunner().invoke(stats, [str(tmp_path / "a.gltrace")], standalone_mode=False)
    assert done.exception is None
    assert f"program {name} is not linked: it is the code of one driver (glProgramBinary)" in done.stderr
